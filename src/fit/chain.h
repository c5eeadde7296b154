/* From words to the states of a chain. */
#ifndef SCANT_I_FIT_CHAIN_H
#define SCANT_I_FIT_CHAIN_H

#include <scant/fit.h>
#include "latent/mixture.h"
#include "model/method.h"

/* Does what the options say go together with rows in sequences, or without? */
scant_status scant_i_chain_check(const scant_rows *rows, const scant_fit_options *options,
                                 const scant_i_method *method);
/* Makes the components of a mixture for rows in sequences the states of a chain: with the start's transitions
 * where it is a chain, else with those that the options leave open. */
scant_status scant_i_chain_make(scant_i_mixture *mixture, const scant_rows *rows,
                                const scant_fit_options *options, const scant_i_mixture *start);

#endif
