/* Maximum entropy discrimination: large margins with priors on weights, margins, bias and switches. */
#ifndef SCANT_MED_H
#define SCANT_MED_H

#include <scant/data.h>
#include <scant/model.h>
#include <scant/options.h>
#include <scant/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Preset it with scant_med_options_preset; every field but the first and the last two has a row in the table.
 * Texts are borrowed. 0 in c, weight_variance and gamma: chosen by cross-validation (c 0), or 1, 1 and 1 / columns. */
typedef struct scant_med_options {
    size_t size;        /* by the preset */
    const char *task;   /* classify, regress */
    const char *target; /* regress: the column to predict */
    const char *kernel; /* linear, poly, rbf, precomputed */
    double gamma;       /* of rbf and poly */
    double offset;      /* of poly */
    size_t degree;
    const char *expand;       /* none, powers (up to degree), products: columns to add */
    bool dna;                 /* categories that are letters of DNA become four fractions */
    double c;                 /* scale of the margin prior */
    double weight_variance;   /* v of the weights' prior N(0, v I) */
    const char *margin_prior; /* exponential, laplace, gaussian, fixed */
    double margin;            /* that is wanted of every row */
    const char *bias_prior;   /* flat, gaussian, error */
    double bias_mean, bias_variance;
    double select;          /* prior probability rho of each column's switch; 1: no switches */
    bool path;              /* fits for a range of `select`, too */
    double epsilon;         /* half width of the tube */
    const char *multiclass; /* rest, joint, codes */
    const char *generative; /* none, or a family: log ratios of densities in place of weights */
    double prior_rows;      /* that the family's prior is worth */
    double
        margin_percentile; /* of a family: the margin is this percentile of its own; below 0: `margin` */
    const char *transduce; /* none, gaussian, mean-field: what rows without a label are for */
    double kappa_rule;     /* of gaussian */
    const char *positive;  /* of two classes, the one called +1; NULL: the second */
    bool no_standardize;
    size_t folds;       /* of cross-validation; 0: none */
    const char *solver; /* auto, newton, pairs, axis, gradient */
    const char *order;  /* of axes: auto, random, cyclic, shuffled, skip-idle, greedy, learned */
    double tol;         /* P - J <= tol max(1, |J|) ends a fit */
    size_t max_iter;    /* 0: no limit */
    size_t cache_mb;    /* of kernel columns */
    double time_limit;  /* seconds; 0: none */
    uint64_t seed;
    size_t threads; /* 0: OMP_NUM_THREADS, else all cores; fits of folds run at once */
    scant_progress progress;
    void *payload;
} scant_med_options;

SCANT_API const scant_option *scant_med_option_table(size_t *count);
SCANT_API void scant_med_options_preset(scant_med_options *options, size_t size);
#define scant_med_options_preset(options) (scant_med_options_preset)(options, sizeof *(options))

/* Learns a distribution over discriminants whose mean has large margins on the labeled rows (or goes through a tube around
 * the targets) and that is otherwise as near to its prior as can be. Rows without a label are left out.
 *
 *     scant_med_options options;
 *     scant_med_options_preset(&options);
 *     options.c = 10;
 *     scant_model *model = NULL;
 *     if (scant_med(&model, rows, &options) == SCANT_OK)
 *         printf("J %g, P - J %g\n", scant_model_med(model)->objective, scant_model_med(model)->gap);
 *
 * The model answers scant_model_predict, _predict_target, _evaluate and _write as others do, and scant_med_decide; it has no
 * components. A fit that is cut short (its `stop` says so) is the best so far, with the gap that it has.
 * SCANT_ERR_INPUT: labels of one class, partial labels, infinite cells, a precomputed kernel that is not symmetric and
 * positive. Cost: O(rows columns^2) an iteration of Newton's method for linear discriminants up to 600 columns, of which
 * some ten; kernels O(rows columns) a column of the matrix, and O(rows) a step; five more fits for the probabilities. */
SCANT_API scant_status scant_med(scant_model **out, const scant_rows *rows,
                                 const scant_med_options *options);

/* What a fit found. Texts and arrays are borrowed. */
typedef struct scant_med_result {
    const char *task, *kernel, *margin_prior, *bias_prior, *multiclass, *solver;
    double c, weight_variance, gamma, select, epsilon; /* as they were used; NaN: not at all */
    double objective, gap;                             /* J and P - J, added up over the problems */
    size_t problems;                                   /* solved: 1, or one a discriminant */
    size_t discriminants;                              /* that predictions are made of */
    const double *bias;                                /* one a discriminant */
    const char *positive; /* the class called +1; NULL: more or fewer than two */
    size_t support;       /* rows with a multiplier above 0 */
    size_t rows;          /* rows that were learned from */
    size_t errors_train;  /* of them, predicted wrong; regression: residuals above epsilon */
    double slope;         /* of the probabilities: p_k ~ exp(slope score_k) */
    size_t folds;         /* 0: nothing was held out */
    double held_out_accuracy, held_out_log_loss, held_out_mse; /* NaN: not known */
    size_t inputs;             /* columns as the discriminant sees them */
    const double *weight;      /* discriminants x inputs, of standardized inputs; NULL: a kernel */
    const double *probability; /* likewise, of switches; NULL: none */
    const char *const *input;  /* names */
    /* divergence of the posterior from the prior by parts, added up over the problems; NaN: not known */
    double divergence_weights, divergence_bias, divergence_margins;
    /* of two classes, what theory says of the error with probability .95 (docs/med.md); NaN: not known */
    double vc_dimension, vc_bound, pac_score;
    double share; /* of two classes: of the one called +1 among labeled rows; NaN: not known */
    size_t npath; /* fits for a range of `select`, from 1 down; 0: none */
    const double *path; /* npath x 4: select, J, gap, held-out accuracy or mean squared error */
    const double *path_weight, *path_probability; /* npath x discriminants x inputs */
} scant_med_result;

/* NULL: the model was not made by scant_med. Borrowed. */
SCANT_API const scant_med_result *scant_model_med(const scant_model *model);
/* Values of the discriminants for each row, n x discriminants; of two classes the positive one is predicted above 0. */
SCANT_API scant_status scant_med_decide(const scant_model *model, const scant_rows *rows,
                                        size_t threads, double *decision);

/* Of a model with densities (`generative`) of two classes over columns of numbers; else SCANT_ERR_ARGUMENT. */
/* Log density of each row, both classes together; missing cells are integrated out. */
SCANT_API scant_status scant_med_density(const scant_model *model, const scant_rows *rows,
                                         double *density);
/* Cells, n x columns: missing ones are their means given the others, by both classes. */
SCANT_API scant_status scant_med_fill(const scant_model *model, const scant_rows *rows,
                                      double *cells);
/* Draws rows (n x columns) and their classes; not from multinomials, which say nothing of totals. */
SCANT_API scant_status scant_med_sample(const scant_model *model, size_t n, uint64_t seed,
                                        double *cells, int32_t *classes);

#ifdef __cplusplus
}
#endif
#endif
