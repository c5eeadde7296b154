/* Models: reading, writing, looking inside, predicting. */
#ifndef SCANT_MODEL_H
#define SCANT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <scant/data.h>
#include <scant/options.h>
#include <scant/runtime.h>
#include <scant/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A fitted mixture: components, the coupling of components to classes, and how it was trained.
 * Immutable once made; any number of threads may use one. */
typedef struct scant_model scant_model;

SCANT_API void scant_model_free(scant_model *model);

/* One JSON file with 17 significant digits; "-" is standard input or output. A file of an unknown
 * schema, or with a fault in it, is SCANT_ERR_INPUT with file, line and column or the path inside
 * the document. Writing is atomic. */
SCANT_API scant_status scant_model_read(scant_model **out, const char *path);
SCANT_API scant_status scant_model_write(const scant_model *model, const char *path);

/* --- what it is --- */

/* How a fit went. Sums are over weighted rows. */
typedef struct scant_summary {
    size_t rows;       /* rows of the data */
    double weight;     /* their weights added up */
    size_t labeled;    /* rows with any evidence of their class */
    size_t parameters; /* free parameters */
    double loglik;    /* log-likelihood of the training rows, of the kind their evidence makes it */
    double objective; /* what was maximised: loglik or what --objective says, plus log prior */
    double bic, icl, aic; /* smaller is better: -2 loglik + parameters log(weight), ... */
    size_t iterations;    /* of the best start */
    size_t starts;        /* starts made */
    size_t best_start;    /* the one that won, from 0 */
    scant_stop stop;
    uint64_t seed;
    double seconds;   /* of the fit, without reading data or a start; not written to files */
    size_t sequences; /* of a chain: those it was fitted to; else 0 */
} scant_summary;

SCANT_API const scant_summary *scant_model_summary(const scant_model *model);
SCANT_API size_t scant_model_components(const scant_model *model);
SCANT_API size_t scant_model_classes(const scant_model *model); /* 0: a plain mixture */
SCANT_API const char *scant_model_class_name(const scant_model *model, size_t class_index);
/* The columns that components see: those of the rows, or the one called `score` (below). */
SCANT_API size_t scant_model_columns(const scant_model *model);
SCANT_API const char *scant_model_column_name(const scant_model *model, size_t column);
/* What rows must look like for this model: pass it to scant_rows_read. Borrowed. */
SCANT_API const scant_schema *scant_model_schema(const scant_model *model);
/* P(component, class); with no classes, `class_index` 0 gives the component's weight. */
SCANT_API double scant_model_coupling(const scant_model *model, size_t component,
                                      size_t class_index);
/* P(component): its coupling added up, that of unlabelled rows where they are a class of their own
 * included. */
SCANT_API double scant_model_component_weight(const scant_model *model, size_t component);
/* P(unlabeled | component) where unlabelled rows are a class of their own, else NaN. */
SCANT_API double scant_model_component_unlabeled(const scant_model *model, size_t component);
/* What a unit of a row's responsibility says for the class: the classes of a row are predicted by
 * sum_j P(j | row) times this, made to add up to 1. It is P(class | component), and where unlabelled
 * rows are a class of their own also an even part of theirs, weighed by the smoothing. */
SCANT_API double scant_model_component_class(const scant_model *model, size_t component,
                                             size_t class_index);
/* A component's weight in the training rows (expected number of rows). */
SCANT_API double scant_model_component_rows(const scant_model *model, size_t component);
/* Weight of training rows exactly labelled with the class that fell to the component. */
SCANT_API double scant_model_component_labeled(const scant_model *model, size_t component,
                                               size_t class_index);
/* What a component is made of, going by the rows alone: the weight of the training rows labelled
 * with the class, or with class_index K of the unlabelled ones, that fall to it when nothing is
 * known of their class. */
SCANT_API double scant_model_component_composition(const scant_model *model, size_t component,
                                                   size_t class_index);
/* The largest class's share of the labelled rows in it; NaN where there are none. */
SCANT_API double scant_model_component_purity(const scant_model *model, size_t component);
/* P(the label is seen | the class); NaN where labels are taken to be right. */
SCANT_API double scant_model_label_noise(const scant_model *model, size_t class_index,
                                         size_t label);
/* Objective per unit weight after each iteration of the best start; `*count` of them. Borrowed. */
SCANT_API const double *scant_model_trace(const scant_model *model, size_t *count);

/* Warnings of the fit in plain words ("component 3 sits at the variance floor"). Borrowed. */
SCANT_API size_t scant_model_warnings(const scant_model *model);
SCANT_API const char *scant_model_warning(const scant_model *model, size_t index);

/* A setting as it was used, as text: "sharing", "unlabeled", "init", "tol", ...; NULL: not set.
 * Borrowed. */
SCANT_API const char *scant_model_setting(const scant_model *model, const char *name);
/* All of them in order, index from 0; false past the end. */
SCANT_API bool scant_model_setting_at(const scant_model *model, size_t index, const char **name,
                                      const char **value);

/* Class proportions that the fit was held to, one a class; NULL: they were estimated. Borrowed. */
SCANT_API const double *scant_model_prior(const scant_model *model);
/* Models of --unlabeled em3: weight of unlabelled mass in predictions; NaN for others. */
SCANT_API double scant_model_unlabeled_smoothing(const scant_model *model);

/* Factors: a model is a product of families over groups of columns. */
SCANT_API size_t scant_model_factors(const scant_model *model);
SCANT_API const char *scant_model_factor_family(const scant_model *model, size_t factor);
/* The form of a Gaussian factor's covariances ("tied"); NULL for other families. */
SCANT_API const char *scant_model_factor_covariance(const scant_model *model, size_t factor);
SCANT_API size_t scant_model_factor_columns(const scant_model *model, size_t factor);
SCANT_API size_t scant_model_factor_column(const scant_model *model, size_t factor, size_t index);
/* The index-th array of parameters of a factor; false past the last. Components are the first
 * dimension, unless the array is tied. Borrowed. */
typedef struct scant_parameter_view {
    const char *name;
    size_t ndim;
    size_t dim[3];
    bool tied; /* one for all components */
    const double *value;
} scant_parameter_view;
SCANT_API bool scant_model_parameter(const scant_model *model, size_t factor, size_t index,
                                     scant_parameter_view *out);

/* A linear classifier (scant/blind.h) is a mixture over one number, the score
 * f = weight . row + offset: the second class is answered where f > 0, with probability
 * 1 / (1 + exp(-slope f)). The rest is what the training rows, unlabelled, say of it. */
typedef struct scant_score {
    size_t count; /* columns of a row */
    const double *weight;
    double offset, slope;
    double risk; /* estimate of the expected loss (eq. 72), penalties not included */
    double
        error; /* estimate of the share of wrong answers; both NaN: a check speaks against them, see the warnings */
    double error_low, error_high; /* its 95 % interval; NaN: risk and error are of the training rows
                                     themselves, and too low. Else they are of rows held out */
    double share;                 /* of training rows with f > 0 */
    double likeliest; /* share of the second class that fits held-out scores best; NaN: none were */
    double distance;  /* largest gap between the scores' distribution and the mixture's */
} scant_score;
/* NULL: components see the columns themselves. Borrowed. */
SCANT_API const scant_score *scant_model_score(const scant_model *model);

/* --- how sure it is --- */

/* What standard errors are made of. */
typedef enum scant_errors_by {
    SCANT_ERRORS_BY_INFORMATION, /* the inverse of the observed information */
    SCANT_ERRORS_BY_SANDWICH,    /* of an objective that is no likelihood: the rows' scores between
                                    two such inverses */
    SCANT_ERRORS_BY_BOOTSTRAP    /* fits to rows drawn from the model */
} scant_errors_by;
SCANT_API const char *scant_errors_by_name(scant_errors_by by);

typedef struct scant_information {
    size_t parameters; /* estimated freely: proportions, coupling, and each component's own */
    bool identified;   /* the rows tell all of them, and standard errors exist */
    scant_errors_by by;
    size_t draws, failed; /* of a bootstrap: fits made, and how many of them gave nothing */
    double missing; /* the largest share of the information on some parameter that is missing; NaN
                       where even complete rows would not tell a parameter */
    double rate;    /* of EM near the maximum: the share by which a step shortens the way; or NaN */
    double digit;   /* steps of EM there for one more decimal digit; or NaN */
} scant_information;

/* Adds standard errors to a model that was fitted to these rows, from the observed information: the
 * curvature of the log-likelihood at the model's parameters, by the delta method in the user's own.
 * The model must not be in use elsewhere. Where they do not exist the model says so, has a warning
 * more, and the status is SCANT_ERR_UNIDENTIFIED. Models that maximise a pseudo-likelihood or fit in
 * two parts (lambda-sharing, labels dropped) are SCANT_ERR_ARGUMENT. Cost: one pass over the rows
 * of O(rows (components features)^2 / 4), and O(parameters^3). With more than 4000 parameters there
 * are no standard errors, of which a warning tells, but what is missing and EM's rate all the same,
 * at the cost of some forty iterations of EM. */
SCANT_API scant_status scant_model_inform(scant_model *model, const scant_rows *rows,
                                          size_t threads);
/* NULL: never asked. Borrowed. */
SCANT_API const scant_information *scant_model_information(const scant_model *model);
/* Standard error of scant_model_coupling's number; NaN: not estimated. */
SCANT_API double scant_model_coupling_error(const scant_model *model, size_t component,
                                            size_t class_index);
/* Standard errors of a parameter's numbers, laid out as those (scant_model_parameter); 0: not
 * estimated; NULL: there are none. Borrowed. */
SCANT_API const double *scant_model_parameter_errors(const scant_model *model, size_t factor,
                                                     size_t index);

/* --- what it says of rows --- */

/* How to predict. Preset, or all zero but for the size. */
typedef struct scant_predict_options {
    size_t size;         /* by the preset, or sizeof */
    const double *prior; /* class proportions of the new rows, or NULL: the model's */
    bool replace;        /* rows' class probabilities stand in place of the proportions */
    const double *unlabeled_smoothing; /* em3 models: in place of the model's, or NULL: that */
    bool use_labels; /* take the rows' own evidence into account (default: as if unlabelled) */
    size_t threads;  /* 0: OMP_NUM_THREADS, else all cores */
    scant_progress progress; /* not called: a prediction is a single pass over the rows */
    void *payload;
    const char *decode; /* of chains: posterior (a step given its sequence), viterbi (the likeliest
                           path), filter (a step given those up to it); NULL: posterior */
} scant_predict_options;

SCANT_API const scant_option *scant_predict_option_table(size_t *count);
SCANT_API void scant_predict_options_preset(scant_predict_options *options, size_t size);
#define scant_predict_options_preset(options)                                                      \
    (scant_predict_options_preset)(options, sizeof *(options))

/* For each row; any array may be NULL. `classes`: n x K probabilities (K = 0: none). `components`:
 * n x M responsibilities. `support`: the share of the row's mass on components that saw labels.
 * `loglik`: log density of the row; -inf, with class proportions for probabilities, where no
 * component has mass. Own-class models take no prior, labels or context: SCANT_ERR_ARGUMENT.
 * A chain reads rows in their sequences, all as one where they have none (scant/sequence.h): numbers of a row are
 * those of a step given its sequence, as `decode` says, and `loglik` that of the step given those before it. On a
 * path (viterbi) states and their classes have all of a step's probability, and `loglik` adds up to the path's. */
SCANT_API scant_status scant_model_predict(const scant_model *model, const scant_rows *rows,
                                           const scant_predict_options *options, double *classes,
                                           double *components, double *support, double *loglik);
/* Fisher scores: of each row the slope of its log density in the model's free parameters, whitened
 * by the information, as features of a Fisher kernel. */
typedef struct scant_scores {
    size_t rows, count;
    double *value; /* rows x count */
    char **name;   /* count: docs/information.md has what they mean */
    size_t silent; /* directions that the reference tells nothing of, which are left at 0 */
} scant_scores;
/* The information is the observed one of the rows of `reference` (NULL: `rows`), a row of it: over
 * many rows from the model the scores have the unit matrix for their second moment. Labels and class
 * probabilities count where the options say so. SCANT_ERR_UNIDENTIFIED: a parameter sits at the edge
 * of its domain; SCANT_ERR_ARGUMENT: more than 4000 parameters. Cost as of scant_model_inform. */
SCANT_API scant_status scant_model_scores(scant_scores *out, const scant_model *model,
                                          const scant_rows *rows, const scant_rows *reference,
                                          const scant_predict_options *options);
SCANT_API void scant_scores_clear(scant_scores *scores);
/* Regression: expected target of each row, n values (needs a regression factor). */
SCANT_API scant_status scant_model_predict_target(const scant_model *model, const scant_rows *rows,
                                                  const scant_predict_options *options,
                                                  double *target);

typedef struct scant_evaluation {
    size_t rows;    /* rows that had an exact label, or a target */
    size_t classes; /* K */
    double accuracy, balanced_accuracy, log_loss, brier, ece; /* NaN where there is no such thing */
    double mse;
    double mean_loglik; /* over all rows */
    bool
        of_the_fit; /* these are the rows that a mixture was fitted to, and measures are optimistic; not told of own-class ones */
    double *confusion; /* K x K weights: true class by predicted class; freed by _clear */
    /* Of rows in sequences, else NaN: segments are runs of one class, as long as labels are exact;
     * one is right if there is a predicted one with its beginning, end and class. */
    double segment_precision, segment_recall, segment_f1;
} scant_evaluation;

SCANT_API scant_status scant_model_evaluate(scant_evaluation *out, const scant_model *model,
                                            const scant_rows *rows,
                                            const scant_predict_options *options);
SCANT_API void scant_evaluation_clear(scant_evaluation *evaluation);

/* What always naming the class that most rows are of would do. */
typedef struct scant_guess {
    size_t named;      /* that class, from 0 */
    double accuracy;   /* NaN: nothing was measured, and the rest is 0 */
    double difference; /* of accuracies, measured minus guessed */
    double error;      /* standard error of the difference, from the rows */
    bool better;       /* the guess is ahead by more than that */
} scant_guess;

/* By a table of weights, true by predicted classes, such as an evaluation has; NULL or 0 classes: nothing
 * was measured. */
SCANT_API void scant_guess_by(scant_guess *out, const double *confusion, size_t classes);

/* n rows drawn from the model, with class names as labels (and the component as a column where
 * `with_component`). Same seed, same rows, for any number of threads. SCANT_ERR_INTERRUPTED: none. */
SCANT_API scant_status scant_model_sample(scant_rows **out, const scant_model *model, size_t n,
                                          uint64_t seed, bool with_component);

#ifdef __cplusplus
}
#endif
#endif
