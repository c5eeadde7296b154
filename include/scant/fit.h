/* Fitting, selecting and cross-validating. */
#ifndef SCANT_FIT_H
#define SCANT_FIT_H

#include <scant/data.h>
#include <scant/model.h>
#include <scant/options.h>
#include <scant/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is fitted. Texts are borrowed, here and below. */
typedef struct scant_model_options {
    size_t size;            /* by the preset */
    const char *components; /* "4", "2/class" or "male=3,female=1"; NULL: 1/class, or 1 */
    scant_texts families;   /* "gaussian", or "poisson:VISITS*" for some columns; empty: by type */
    const char *covariance; /* auto, full, diag, spherical, tied, tied-diag, tied-spherical */
    const char *sharing;    /* separate, common, lambda=0.3, auto, or a file with a 0/1 table */
    const char *target;     /* regression: the target column */
    const char *prior;      /* "a=0.3,b=0.7": fixed class proportions; NULL: estimated */
    const char *fixed;      /* none, or covariances: Gaussian ones stay the start's */
    double min_variance;    /* floor of variances, as a share of each column's variance */
    double smooth;          /* pseudo-count for counts and categories */
    const double
        *sharing_table; /* components x classes of 0 and 1 in place of a file; NULL: none */
    size_t sharing_components, sharing_classes;
    double shrinkage;        /* rows that the prior of Gaussian covariances is worth; SCANT_AUTO: by
                           scant_fit_safe, cv and select, 0 in scant_fit */
    const char *transitions; /* of chains (scant/sequence.h): any, left-to-right, or a file with a
                                table of states by states, 0 where one cannot follow */
    size_t reserved[6];      /* 0: room for what is to come */
} scant_model_options;

/* How labels, rows' class probabilities and unlabeled rows count. */
typedef struct scant_evidence_options {
    size_t size;                /* by the preset */
    const char *unlabeled;      /* em1, em2, em3, em0, or component-major, class-major, own-class,
                                   ignore-labels */
    double unlabeled_weight;    /* factor on the weights of rows without evidence; SCANT_AUTO: by
                                   scant_fit_safe, cv and select, 1 in scant_fit */
    double unlabeled_smoothing; /* em3: weight of unlabeled mass in predictions */
    const char *context_mode; /* how class probabilities are taken: likelihood, prior, posterior */
    const char *label_noise; /* share of wrong labels, a file, "estimate"; NULL: labels are right */
    const double *label_noise_table; /* classes x labels in place of a file: row k has
                                        P(label | class k); NULL: none */
    size_t label_noise_classes;      /* rows of it, and columns */
    size_t reserved[8];              /* 0: room for what is to come */
} scant_evidence_options;

/* How the search for the maximum goes. */
typedef struct scant_run_options {
    size_t size;            /* by the preset */
    const char *init;       /* kmeans, random, labels, or a model file */
    const char *accelerate; /* none, squarem */
    bool anneal;            /* deterministic annealing on the way to the objective */
    size_t starts;          /* starts in all; 0: chosen by the size of the problem */
    size_t max_iter;
    double tol; /* stop when the objective rises by less than this per unit weight; 0: never */
    double time_limit; /* seconds, for all fits that a call makes; 0: none */
    uint64_t seed;
    size_t threads;          /* 0: OMP_NUM_THREADS, else all cores */
    const char *checkpoint;  /* file to keep the state of the fit in, or NULL */
    double checkpoint_every; /* seconds between two writes */
    bool resume;             /* go on from the checkpoint, if it is there */

    const scant_model *start; /* warm start; NULL: by `init` */
    scant_progress progress;
    void *payload;

    const char *objective; /* likelihood, or conditional: of labels given cells */
    const char
        *optimizer; /* conditional: cem, lbfgs; auto: cem where families have a tight bound */
    double hybrid; /* conditional: weight of the log-likelihood of all rows in addition; SCANT_AUTO:
                              by scant_fit_safe, cv and select, 1 in scant_fit */
} scant_run_options;

/* How to fit. Preset it with scant_fit_options_preset, then change what you like; the fields that
 * have a row in scant_fit_option_table can also be set from text. */
typedef struct scant_fit_options {
    size_t size; /* by the preset */
    scant_model_options model;
    scant_evidence_options evidence;
    scant_run_options run;
} scant_fit_options;

SCANT_API const scant_option *scant_fit_option_table(size_t *count);
SCANT_API void scant_fit_options_preset(scant_fit_options *options, size_t size);
#define scant_fit_options_preset(options) (scant_fit_options_preset)(options, sizeof *(options))

/* Fits a mixture to rows, by maximum likelihood or maximum a posteriori. Rows without labels make a
 * plain mixture; with labels the components belong to classes. An interrupt or a limit is no
 * failure: the best model so far comes out and its summary says why the fit stopped.
 *
 *     scant_fit_options options;
 *     scant_fit_options_preset(&options);
 *     options.model.components = "2";
 *     if (scant_fit(&model, rows, &options) != SCANT_OK)
 *         fprintf(stderr, "%s\n", scant_message());
 *
 * Cost of an iteration: O(rows components columns^2) for full covariances, in parallel over blocks
 * of rows; memory beyond the rows: a few megabytes a thread. Same seed, same result for any
 * threads. */
SCANT_API scant_status scant_fit(scant_model **out, const scant_rows *rows,
                                 const scant_fit_options *options);

/* Would scant_model_inform refuse a fit with these options? SCANT_ERR_ARGUMENT says why, before the
 * fit is made. */
SCANT_API scant_status scant_fit_validate_inform(const scant_fit_options *options);
/* Standard errors from `draws` fits to rows drawn from the model, in place of those of
 * scant_model_inform. The model must have been fitted to these rows with these options. A row drawn
 * stands for a row of the data: it lacks the same cells, brings the same sort of evidence of its
 * class, and has the same inputs and totals. Fits start from the model, and their components are
 * matched with its own. Any method will do, and any number of parameters; EM's rate is told where
 * scant_model_inform tells it. SCANT_ERR_UNIDENTIFIED: fewer than half of the fits succeeded, which
 * is a warning of the model then; SCANT_ERR_INTERRUPTED: an interrupt, or the time limit before half
 * of the fits were made (with more, those are used); SCANT_ERR_ARGUMENT: a weight is no whole
 * number. Same seed, same bytes, for any number of threads, which take fits. */
SCANT_API scant_status scant_model_bootstrap(scant_model *model, const scant_rows *rows,
                                             const scant_fit_options *options, size_t draws);

/* Cross-validation. Folds are stratified by class and keep groups together; unlabelled rows stay in
 * training where there are labelled ones, but for those of a group that is held out. Folds share the time limit: each may take an equal part
 * of what is left, and says so where it does. */
typedef struct scant_cv_fold {
    scant_evaluation evaluation; /* on the held-out rows */
    scant_stop stop;
    size_t train_rows, test_rows;
} scant_cv_fold;

typedef struct scant_cv {
    size_t nfolds;
    scant_cv_fold *fold;
    double mean_loglik; /* held-out, per unit weight */
    double accuracy;    /* NaN without labels */
    double log_loss;
    double mse; /* regression */
} scant_cv;

SCANT_API scant_status scant_cv_fit(scant_cv *out, const scant_rows *rows,
                                    const scant_fit_options *options, size_t nfolds);
SCANT_API void scant_cv_clear(scant_cv *cv);
/* The same folds with rows without a label left out: what labels do alone. */
SCANT_API scant_status scant_cv_fit_supervised(scant_cv *out, const scant_rows *rows,
                                               const scant_fit_options *options, size_t nfolds);
/* The folds' models are learned as `model` was (scant_train), with its settings and seed; `labelled_only`: from rows with a
 * label. `time_limit` in seconds is for all folds, 0: none. A model of scant_fit is SCANT_ERR_ARGUMENT: scant_cv_fit has its
 * options. */
SCANT_API scant_status scant_cv_model(scant_cv *out, const scant_model *model,
                                      const scant_rows *rows, size_t nfolds, bool labelled_only,
                                      double time_limit, size_t threads);

/* A fit compared with a simpler rival, measured on the same held-out labels. */
typedef enum scant_rival {
    SCANT_RIVAL_SUPERVISED, /* without the rows that have no label */
    SCANT_RIVAL_TRUSTING,   /* with labels that are right */
    SCANT_RIVAL_ROWS        /* of a chain: the mixture of independent rows */
} scant_rival;

typedef struct scant_comparison {
    size_t nfolds; /* 0: it could not be made, and `why` tells the reason */
    char why[256];
    size_t labeled;     /* rows with an exact label */
    double accuracy[2]; /* of the fit, of its rival */
    double log_loss[2];
    double loglik[2];  /* held-out log-likelihood per unit weight */
    double difference; /* of the accuracies, fit minus rival; without labels, of `loglik` */
    double error;      /* standard error of the difference, from the folds */
    bool worse;        /* the rival is ahead by more than that */
} scant_comparison;

/* Two cross-validations over the same folds; none of them cut by the time limit, or there is nothing
 * to compare. */
SCANT_API void scant_cv_compare(scant_comparison *out, const scant_cv *fit, const scant_cv *rival);
/* `options->run.start`, where given, warms the fits up but not the rival's. Classes with fewer labelled
 * rows than `nfolds` make it fewer folds, two at least. Cost: as many fits again as there are
 * folds, of either kind. */
SCANT_API scant_status scant_fit_compare(scant_comparison *out, const scant_rows *rows,
                                         const scant_fit_options *options, scant_rival rival,
                                         size_t nfolds);
/* Compares a chain that was fitted with these options with the mixture of independent rows on held-out sequences
 * (SCANT_RIVAL_ROWS); a warning of the model says so where it is not ahead by more than two standard errors.
 * Cost: twice as many fits as there are folds. */
SCANT_API scant_status scant_fit_check_chain(scant_comparison *out, scant_model *model,
                                             const scant_rows *rows,
                                             const scant_fit_options *options, size_t nfolds);
/* Keeps what a comparison with labelled rows alone found with the model, in its file too, for those
 * who look at the model later. The model must not be in use elsewhere. */
SCANT_API scant_status scant_model_keep_baseline(scant_model *model,
                                                 const scant_comparison *baseline);
/* NULL: none was kept. Borrowed. */
SCANT_API const scant_comparison *scant_model_baseline(const scant_model *model);
/* As scant_fit; but labels' noise that is estimated is kept only where the fit then predicts more
 * held-out labels than one that trusts them. A warning of the model tells where labels are
 * trusted, and where that could not be found out; `*noise` (may be NULL) has the numbers. */
SCANT_API scant_status scant_fit_checked(scant_model **out, scant_comparison *noise,
                                         const scant_rows *rows, const scant_fit_options *options,
                                         size_t nfolds);

/* As scant_fit_checked, where unlabeled rows are held against held-out labels: some rows have an exact
 * label, others none. What is SCANT_AUTO is chosen: how unlabeled rows count (not at all, with a weight up
 * to 1 from the labeled rows' fit, or by the likelihood of all rows) by the labels that are right and their
 * log loss, the shrinkage by how many labels a class has. Where the labeled rows alone do better, also
 * against a given weight, their model comes out, and a warning of it says so. `keep` takes the best of the
 * others; a given weight is then taken as it is. `*baseline` (may be NULL) has the comparison, and so does
 * the model; labeled 0: there was nothing to compare. With a start, label noise, shared components and
 * --unlabeled em3 or em0 the weight is 1, and nothing is compared. Cost: up to five fits for each fold, of at
 * most 100 steps. */
SCANT_API scant_status scant_fit_safe(scant_model **out, scant_comparison *baseline,
                                      scant_comparison *noise, const scant_rows *rows,
                                      const scant_fit_options *options, bool keep, size_t nfolds);

/* Of the rows of a fit: log-likelihood of rows and labels, that of labels given the rows, and the share of labels
 * that is right. NaN: there is no such fit. */
typedef struct scant_measures {
    double loglik, conditional_loglik, accuracy;
} scant_measures;
typedef struct scant_contrast {
    scant_measures fit; /* the model's */
    scant_measures
        likelihood; /* of the same options with --objective likelihood, where the fit began */
    scant_measures logistic; /* of logistic regression: one component a class, tied covariances */
} scant_contrast;
/* A model fitted with --objective conditional to these rows with these options, next to two rivals. Exact labels
 * count. Cost: two more fits. */
SCANT_API scant_status scant_fit_contrast(scant_contrast *out, const scant_model *model,
                                          const scant_rows *rows, const scant_fit_options *options);

/* Selection: one fit for each number of components and covariance. */
typedef struct scant_candidate {
    char components[64];
    char covariance[32]; /* "none" where no column is Gaussian */
    bool failed;         /* `why` says why; no numbers then */
    char why[256];
    bool healthy; /* no component at the floor or with too few rows */
    scant_summary summary;
    double cv_loglik; /* by cv: held-out log-likelihood per unit weight; else NaN */
    double cv_error;  /* by cv: held-out error of labelled rows; else NaN */
    double score;     /* what is compared; smaller is better */
} scant_candidate;

typedef struct scant_selection {
    size_t ncandidates;
    scant_candidate *candidate;
    size_t best;     /* index; ncandidates where all failed */
    size_t untried;  /* candidates that an interrupt or the time limit left out */
    scant_stop stop; /* of the best fit, or why it ended before the last candidate was done */
} scant_selection;

/* `components`: "1:10", "1:4/class" or a list "1,2,4"; `covariances`: "all" or a list; `by`: bic,
 * icl, aic or cv. The best model goes to *model (may be NULL); where SCANT_AUTO is to be chosen, it is what
 * scant_fit_safe makes of the best. Candidates that the time limit is
 * reached before are not tried, but for the first that can be fitted. */
SCANT_API scant_status scant_select(scant_selection *out, scant_model **model,
                                    const scant_rows *rows, const scant_fit_options *options,
                                    const char *components, const char *covariances, const char *by,
                                    size_t nfolds);
SCANT_API void scant_selection_clear(scant_selection *selection);

#ifdef __cplusplus
}
#endif
#endif
