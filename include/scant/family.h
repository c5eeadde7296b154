/* Families of one's own: a distribution that scant does not have, told in a few functions.
 *
 * A family says how a hidden component makes a row. Once registered it is a family like those that
 * are built in: `families` of scant_fit_options, selection, cross-validation, streams, predictions
 * and model files know it by its name. docs/extending.md has a worked case, examples/c/user_family.c
 * the whole program.
 *
 * EM needs three things of a distribution: the log density of rows under a component's parameters,
 * the sums over rows that determine its maximum (sufficient statistics), and the parameters that
 * maximise the expected log-likelihood, given those sums. Sums are of numbers that a row has by
 * itself, each times the row's weight; a maximum that no such sums determine (a median, say) cannot
 * be a family. */
#ifndef SCANT_FAMILY_H
#define SCANT_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <scant/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many numbers of a component an array of parameters has, for d columns. */
typedef enum scant_family_shape {
    SCANT_FAMILY_NUMBER,  /* one */
    SCANT_FAMILY_COLUMNS, /* d */
    SCANT_FAMILY_SQUARE   /* d x d */
} scant_family_shape;

/* An array of parameters, by the name that model files and scant_model_parameter have. */
typedef struct scant_family_array {
    const char *name;
    scant_family_shape shape;
} scant_family_array;

/* Where a family is at work: what every callback may look at. Borrowed for the call. */
typedef struct scant_family_use {
    void *payload;           /* the family's */
    size_t columns;          /* d: the columns that it was given */
    const double *mean;      /* d: of each column in the rows of the fit */
    const double *deviation; /* d: their standard deviations, above 0 */
    double min_variance;     /* the fit's setting: the least variance, as a share of the columns' */
} scant_family_use;

/* Rows that have the same cells. Borrowed for the call. */
typedef struct scant_family_cells {
    size_t rows;
    const double *value; /* rows x d, row after row; NaN where a cell is missing */
    const bool *present; /* d: whether these rows have the column; NULL: they have all */
} scant_family_cells;

/* Random numbers for `sample`: the same seed gives the same rows for any number of threads. */
typedef struct scant_random scant_random;
SCANT_API double scant_random_uniform(scant_random *random); /* within (0, 1) */
SCANT_API double scant_random_normal(scant_random *random);  /* mean 0, variance 1 */

/* A family. Callbacks that can fail return NULL, or in words what is wrong (a text that outlives the
 * call). Whatever was asked of scant then ends with SCANT_ERR_INPUT, and its message has the words,
 * the family and the component.
 *
 * Threads: callbacks are called from many threads at once, for the same component too. They may
 * read the payload and must not change it. Nothing is called while no function of scant runs.
 *
 * `parameters` are one component's, the arrays in the order of the table one behind the other. */
typedef struct scant_family {
    const char *name; /* small letters, digits and hyphens, at most 31 */
    const scant_family_array *parameters;
    size_t nparameters; /* arrays: 1 to 4 */
    bool takes_missing; /* rows may lack cells, and callbacks heed `present`; false: an error */
    void *payload;      /* handed to every callback; may be NULL */

    /* How many sums a component of d columns needs. */
    size_t (*statistics)(size_t columns);
    /* out[i] = log density of the cells that row i has; -INFINITY where it cannot be. */
    const char *(*log_density)(const scant_family_use *use, const double *parameters,
                               const scant_family_cells *cells, double *out);
    /* sums += sum_i weight[i] T(row i). Where cells are missing T is what is expected of it under
     * the parameters; those are NULL at the start of a fit, when there are none yet. */
    const char *(*accumulate)(const scant_family_use *use, const double *parameters,
                              const scant_family_cells *cells, const double *weight, double *sums);
    /* The parameters that maximise the expected log-likelihood of rows whose weights add up to
     * `weight`, above 0. On entry the parameters so far (zeros at the start). *bounded, false on
     * entry, says that a bound of the family's own held, as where a variance would have gone to 0:
     * such a component counts as collapsed. */
    const char *(*maximise)(const scant_family_use *use, double weight, const double *sums,
                            double *parameters, bool *bounded);

    /* The rest may be NULL. */

    /* What a cell of the column (from 0 to d - 1) should be, where it is not: "expected ...".
     * NULL: every finite number will do. */
    const char *(*expected)(const scant_family_use *use, size_t column, double cell);
    /* What is wrong with the parameters, in files and on the way. NULL: finite ones will do. */
    const char *(*unfit)(const scant_family_use *use, const double *parameters);
    /* Free parameters of a component, for BIC and AIC. NULL: as many as there are numbers. */
    size_t (*degrees)(size_t columns);
    /* Draws a row of d cells. NULL: such models cannot be simulated, bootstrapped or streamed. */
    const char *(*sample)(const scant_family_use *use, const double *parameters,
                          scant_random *random, double *row);
} scant_family;

/* Makes a family known to this process, for good: from then on its name is found wherever a family
 * is named. The descriptor is copied; its texts, table and payload are borrowed for as long as the
 * process uses scant. May be called from any thread, also while others fit. SCANT_ERR_ARGUMENT: a
 * part that must be there is missing, the name is taken or no name, or 64 are there already.
 *
 * Reading a model file whose family is not registered is SCANT_ERR_INPUT, and the message says so.
 *
 * Standard errors by the information, Fisher scores and plans need derivatives that are not asked
 * for here: they are SCANT_ERR_ARGUMENT. scant_model_bootstrap works where there is `sample`. */
SCANT_API scant_status scant_family_register(const scant_family *family);

#ifdef __cplusplus
}
#endif
#endif
