/* What `fit` makes of rows by default, for those who do it many times. */
#ifndef SCANT_I_SAFE_H
#define SCANT_I_SAFE_H

#include <scant/fit.h>

enum { SCANT_I_SAFE_FOLDS = 5 }; /* within another fold */

/* Chooses what is SCANT_AUTO as scant_fit_safe does. A given weight of unlabeled rows is taken as it is, and so is
 * label noise. */
scant_status scant_i_fit_auto(scant_model **out, const scant_rows *rows,
                              const scant_fit_options *options);
/* Whether it chooses among weights of unlabeled rows. */
scant_status scant_i_fit_chooses(bool *out, const scant_rows *rows,
                                 const scant_fit_options *options);

#endif
