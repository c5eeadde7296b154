/* Labels that may be wrong: the words of --label-noise. */
#ifndef SCANT_I_NOISE_H
#define SCANT_I_NOISE_H

#include <scant/fit.h>
#include "io/document.h"
#include "latent/mixture.h"

/* Is the table to be learned? */
bool scant_i_noise_given(const scant_fit_options *options); /* labels may be wrong */
void scant_i_noise_drop(scant_fit_options *options);        /* labels are right */
bool scant_i_noise_estimated(const scant_fit_options *options);
/* The mixture's noise: a rate ("0.1": a wrong label is any other one), a file (a row a class, a
 * column a label that is seen) or a table to be learned ("estimate"), which starts at a tenth of
 * wrong labels. Learning needs a component to belong to one class, else the table and the coupling
 * stand in for each other: SCANT_ERR_UNIDENTIFIED. Call it when W has its zeros. */
scant_status scant_i_noise_lay(scant_i_mixture *mixture, const scant_rows *rows,
                               const scant_fit_options *options, bool own_class);
/* The mixture's noise, which is not there yet, from K arrays of K shares. */
scant_status scant_i_noise_read(scant_i_mixture *mixture, const scant_i_place *place,
                                const json_t *array);

#endif
