/* Machines: models that are no mixture, such as a stack or a large-margin classifier.
 *
 * A scant_model may hold a machine in place of its mixture, which then has no components, so that all getters stay safe.
 * Columns, classes, settings, warnings, reading, writing and the measures of an evaluation are the model's; the rest is
 * behind one table of functions. src/registry.c lists the kinds: reading a model finds one there by its `method`. */
#ifndef SCANT_I_MACHINE_H
#define SCANT_I_MACHINE_H

#include "io/document.h"
#include "model/model.h"

/* What a prediction fills, for n rows; any may be NULL. */
typedef struct scant_i_machine_answers {
    double *classes;  /* n x K: probabilities; NaN where the machine has none */
    double *decision; /* n x values: what it decides by */
    double *target;   /* n: of a regression */
} scant_i_machine_answers;

/* How to learn from other rows. */
typedef struct scant_i_machine_run {
    double time_limit; /* seconds; 0: none */
    size_t threads;
} scant_i_machine_run;

typedef struct scant_i_machine_kind {
    const char *method;  /* of model files: "train" */
    const char *summary; /* one line: what it is */
    scant_status (*predict)(const scant_i_machine_answers *answers, const void *machine,
                            const scant_rows *rows, const scant_predict_options *options);
    /* Class proportions that its probabilities were made under, or NULL: it takes no others. */
    const double *(*proportions)(const void *machine);
    /* Decision values of a row: 0 none. */
    size_t (*values)(const void *machine);
    /* The column that a regression predicts, or SIZE_MAX; NULL: there never is one. */
    size_t (*target)(const void *machine);
    /* A model of other rows, learned as `model` was, with its settings and seed; NULL: there is no such way. */
    scant_status (*again)(scant_model **out, const scant_model *model, const scant_rows *rows,
                          const scant_i_machine_run *run);
    /* n: what labels of the rows would be worth to it, in nats or the like; NULL: it cannot tell. */
    scant_status (*worth)(double *worth, const void *machine, const scant_rows *rows,
                          size_t threads);
    /* What a label was expected to cost, -log p, when the machine learned; NaN: not known. NULL: it never is. */
    double (*loss)(const void *machine);
    /* Adds members to the model's document; `model` has its columns and classes when it is read. */
    scant_status (*to_json)(json_t *to, const void *machine);
    scant_status (*from_json)(void **out, const scant_i_place *place, const json_t *from,
                              const scant_model *model);
    void (*free)(void *machine);
} scant_i_machine_kind;

/* All kinds there are, ending with NULL; defined in src/registry.c, to the right of all of them. */
extern const scant_i_machine_kind *const scant_i_machine_kinds[];
const scant_i_machine_kind *scant_i_machine_find(const char *method); /* or NULL */

/* Gives the model a machine, which becomes the model's also on failure, and a mixture without components. */
scant_status scant_i_model_take_machine(scant_model *model, const scant_i_machine_kind *kind,
                                        void *machine);

/* Its kind's `again`, or a failure that names `what` cannot be done. */
scant_status scant_i_machine_again(scant_model **out, const scant_model *model,
                                   const scant_rows *rows, const scant_i_machine_run *run,
                                   const char *what);

/* scant_model_predict for a machine, with options that were taken. Support and log-likelihood are NaN. */
struct scant_i_answers;
scant_status scant_i_machine_predict(const scant_model *model, const scant_rows *rows,
                                     const scant_predict_options *options,
                                     const struct scant_i_answers *answers);
scant_status scant_i_machine_target(const scant_model *model, const scant_rows *rows,
                                    const scant_predict_options *options, double *target);
/* The column of the target, or SIZE_MAX. */
size_t scant_i_machine_target_column(const scant_model *model);
/* The machine's part of a document: all but the head, columns, classes, settings, training and warnings. */
scant_status scant_i_machine_to_json(json_t *root, const scant_model *model);
scant_status scant_i_machine_from_json(scant_model *model, const scant_i_place *place,
                                       const json_t *root);

#endif
