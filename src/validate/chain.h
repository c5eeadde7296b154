/* A chain compared with independent rows. */
#ifndef SCANT_I_VALIDATE_CHAIN_H
#define SCANT_I_VALIDATE_CHAIN_H

#include <scant/fit.h>

/* Options that were taken; as scant_fit_compare with SCANT_RIVAL_ROWS. */
scant_status scant_i_compare_rows(scant_comparison *out, const scant_rows *rows,
                                  const scant_fit_options *options, size_t nfolds);

#endif
