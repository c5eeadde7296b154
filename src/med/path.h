/* Fits for a range of rho: what switches do to coefficients. */
#ifndef SCANT_I_MED_PATH_H
#define SCANT_I_MED_PATH_H

#include <scant/med.h>

#include "io/document.h"
#include "med/held.h"

/* As scant_med_result shows them. */
typedef struct scant_i_med_path {
    size_t count, discriminants, inputs;
    double
        *numbers; /* count x 4: rho, J, gap, held-out accuracy or mean squared error (NaN: none) */
    double *weight, *probability; /* count x discriminants x inputs */
} scant_i_med_path;

/* One fit for each rho, under settings that are else those of the model; held-out rows where there are folds. `unit` is of the
 * mean squared error. */
scant_status scant_i_med_path_fit(scant_i_med_path *out, const scant_i_med_folds *folds,
                                  const scant_i_med_settings *settings, double unit);
void scant_i_med_path_clear(scant_i_med_path *path);
scant_status scant_i_med_path_to_json(json_t *to, const scant_i_med_path *path);
scant_status scant_i_med_path_from_json(scant_i_med_path *out, const scant_i_place *place,
                                        const json_t *from, size_t discriminants, size_t inputs);

#endif
