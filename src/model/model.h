/* A model from the inside: a mixture, the names it goes by, and how it was trained. */
#ifndef SCANT_I_MODEL_H
#define SCANT_I_MODEL_H

#include <scant/fit.h>
#include <scant/model.h>
#include "latent/engine.h"
#include "latent/mixture.h"

typedef struct scant_i_setting {
    char *name, *value;
} scant_i_setting;

/* What a linear classifier makes of a row's columns (score.h). */
typedef struct scant_i_score {
    scant_score view; /* its weights are those below */
    double *weight;
    char **columns; /* names, in place of the model's own */
} scant_i_score;

struct scant_model {
    scant_i_mixture *mixture;
    const struct scant_i_machine_kind *kind; /* NULL: a mixture; else it has no components, and: */
    void *machine;                           /* what the kind's functions take (machine.h) */
    scant_i_score *score;                    /* or NULL: components see the rows' columns */
    size_t ncolumns;
    char **columns; /* what components see */
    char ***levels; /* one list a column, NULL for a number */
    size_t *nlevels;
    size_t nclasses;            /* 0: a plain mixture, whose coupling has one column */
    bool own_class;             /* the coupling has a further column: unlabelled rows */
    double unlabeled_smoothing; /* weight of that column's mass in predictions */
    char **classes;
    scant_i_reading reading; /* how the rows were read that it was fitted to */
    scant_schema schema;     /* the arrays above, as borrowed */
    scant_i_setting *settings;
    size_t nsettings;
    scant_summary summary;
    double *component_rows;     /* M */
    double *component_labelled; /* M x K */
    double *composition;        /* M x (K + 1), or NULL: see scant_model_component_composition */
    double *trace;
    size_t ntrace;
    scant_information *information; /* or NULL: never asked */
    double *errors;                 /* as long as the mixture's vector, or NULL: there are none */
    scant_comparison *baseline;     /* or NULL: none was kept */
    char **warnings;
    size_t nwarnings;
};

/* An empty model with the columns and classes of the rows. */
scant_status scant_i_model_new(scant_model **out, const scant_rows *rows);
/* All of it, and of its mixture (copy.c); a machine is SCANT_ERR_ARGUMENT. */
scant_status scant_i_model_copy(scant_model **out, const scant_model *model);
/* Points the schema at the arrays, once they are final. */
void scant_i_model_make_schema(scant_model *model);
scant_status scant_i_model_add_setting(scant_model *model, const char *name, const char *format,
                                       ...) __attribute__((format(printf, 3, 4)));
scant_status scant_i_model_add_number(scant_model *model, const char *name, double value);
scant_status scant_i_model_add_warning(scant_model *model, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* What a run says of the fit, in the model's summary. */
void scant_i_model_summarise(scant_model *model, const scant_i_run *run);
/* Takes mixture, counts, trace and summary over from a run; the run keeps nothing of them. */
scant_status scant_i_model_take_run(scant_model *model, scant_i_run *run);

/* scant_model_component_class by another coupling or smoothing; `weight` is all of the component's. */
double scant_i_class_share(const scant_model *model, const scant_i_mixture *mixture,
                           double smoothing, double weight, size_t component, size_t class_index);

/* Rows as the model's families want them: `*owned` is a dense copy where sparse rows do not do,
 * else NULL, and
 * `*use` what to work with. */
scant_status scant_i_rows_for(const scant_i_mixture *mixture, const scant_rows *rows,
                              scant_rows **owned, const scant_rows **use);
/* SCANT_ERR_ARGUMENT where the model is a machine: `what` ("simulate") needs components. */
scant_status scant_i_model_needs_mixture(const scant_model *model, const char *what);
/* A number among the model's settings, or `otherwise`. */
double scant_i_setting_number(const scant_model *model, const char *name, double otherwise);

#endif
