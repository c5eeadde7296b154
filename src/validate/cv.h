/* Cross-validation for those who do it many times. */
#ifndef SCANT_I_CV_H
#define SCANT_I_CV_H

#include <scant/fit.h>

/* scant_cv_fit without its warnings. */
scant_status scant_i_cv_fit(scant_cv *out, const scant_rows *rows, const scant_fit_options *options,
                            size_t nfolds);
/* Warns of classes that are in one fold alone, `fold` being that of each row or -1 (always in
 * training): the others have nothing to learn them from. */
scant_status scant_i_cv_warn(const int32_t *fold, const scant_rows *rows, size_t nfolds);

#endif
