/* Models as documents. The layout of the file is described in docs/model-file.md. */
#ifndef SCANT_I_MODEL_FILE_H
#define SCANT_I_MODEL_FILE_H

#include "io/document.h"
#include "model/model.h"

/* Schema 2 brought models with a score, 3 today's names of options (scant_i_setting_now), 4 machines, 5 chains. Each
 * kind of model is written as the schema that brought it, mixtures as 3; all are read from any. */
enum {
    SCANT_I_MIXTURE_SCHEMA = 3,
    SCANT_I_MACHINE_SCHEMA = 4,
    SCANT_I_CHAIN_SCHEMA = 5,
    SCANT_I_MODEL_SCHEMA = 5 /* the newest */
};

/* Today's word for what files of a schema before 3 wrote as a setting's name, or as the value of
 * `name`; the word itself where it did not change. Valid as long as its argument. */
const char *scant_i_setting_now(const char *name);
const char *scant_i_value_now(const char *name, const char *value);

/* The model as a new document, and back; `place` names the file in complaints. */
scant_status scant_i_model_to_json(json_t **out, const scant_model *model);
scant_status scant_i_model_from_json(scant_model **out, const scant_i_place *place,
                                     const json_t *root);
/* The arrays of a factor into `theta`, or what is laid out like it. */
scant_status scant_i_parameters_from_json(double *theta, const scant_i_factor *f,
                                          const scant_i_place *place, const json_t *from);
/* What is said of the fit of a model whose mixture and classes are known (training_read.c); nothing where a file is
 * silent. */
scant_status scant_i_training_from_json(scant_model *model, const scant_i_place *outer,
                                        const json_t *root);
scant_status scant_i_information_from_json(scant_model *model, const scant_i_place *outer,
                                           const json_t *root);
/* The same for the baseline (baseline.c); NULL: out of memory. */
json_t *scant_i_baseline_to_json(const scant_comparison *baseline);
scant_status scant_i_baseline_from_json(scant_model *model, const scant_i_place *outer,
                                        const json_t *root);

#endif
