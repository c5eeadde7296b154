/* Maximum entropy discrimination as a kind of model. */
#ifndef SCANT_I_MED_MACHINE_H
#define SCANT_I_MED_MACHINE_H

#include <scant/med.h>
#include "med/expand.h"
#include "med/fit.h"
#include "med/path.h"
#include "model/machine.h"

typedef struct scant_i_med_machine {
    scant_med_result result; /* its texts are those below, or static */
    char *texts[7]; /* task, kernel, margin_prior, bias_prior, multiclass, solver, positive */
    char **names;   /* of the inputs */
    size_t target;  /* column, or SIZE_MAX */
    double target_centre, target_spread;
    scant_i_med_inputs inputs;
    scant_i_med_expansion expansion; /* of them */
    scant_i_med_kernel kernel;
    scant_i_med_discriminants discriminants;
    scant_i_med_path path;
    scant_i_med_table support; /* its rows, where there is a kernel */
} scant_i_med_machine;

extern const scant_i_machine_kind scant_i_machine_med;

void scant_i_med_machine_free(void *machine);
/* Points the result at the machine's arrays and names the inputs. */
scant_status scant_i_med_machine_show(scant_i_med_machine *m, const scant_model *model);
scant_status scant_i_med_machine_decide(double *f, const scant_i_med_machine *m,
                                        const scant_rows *rows, size_t threads);

/* A model of other rows by the settings of this one; what it had searched is searched again. */
scant_status scant_i_med_again(scant_model **out, const scant_model *model, const scant_rows *rows,
                               const scant_i_machine_run *run);

#endif
