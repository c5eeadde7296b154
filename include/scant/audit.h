/* Audit: how good predictors are, from their answers alone.
 *
 * Several predictors (models, annotators, rules) answer the same questions; the truth is nowhere.
 * Given the truth, answers are independent, so the predictors' tables of confusion are those of a
 * mixture whose components are the classes: a fit of it tells every error rate, how sure that is,
 * and what the predictors know together. docs/audit.md has the mathematics. */
#ifndef SCANT_AUDIT_H
#define SCANT_AUDIT_H

#include <scant/data.h>
#include <scant/options.h>
#include <scant/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- votes --- */

/* Answers of predictors about items. Only answers that were given take room. */
typedef struct scant_votes scant_votes;

/* From memory: vote v says that `predictor[v]` answered class `answer[v]` about `item[v]`. Names
 * may be NULL: p1, p2, ... and 1, 2, ... Copied. A predictor that answers twice about an item is
 * SCANT_ERR_INPUT. O(nvotes). */
SCANT_API scant_status scant_votes_new(scant_votes **out, size_t nitems, size_t npredictors,
                                       size_t nclasses, size_t nvotes, const size_t *item,
                                       const size_t *predictor, const size_t *answer,
                                       const char *const *predictors, const char *const *classes);
/* True classes that are known, -1 elsewhere (nitems). Copied. */
SCANT_API scant_status scant_votes_set_truth(scant_votes *votes, const int32_t *truth);
/* Weights of the items, as scant_rows_set_weights has them (nitems; NULL: all one). Copied. */
SCANT_API scant_status scant_votes_set_weights(scant_votes *votes, const double *weight);
SCANT_API void scant_votes_free(scant_votes *votes);

/* How to read votes. Preset, or all zero but for the sizes, of `read` as well. */
typedef struct scant_votes_options {
    size_t size;  /* by the preset, or sizeof */
    bool is_long; /* a row a vote: item, worker, answer. Else a row an item, a column a predictor */
    const char *item, *worker, *answer; /* long: names of the columns; NULL: the usual ones */
    const char *truth;                  /* column of true classes, or NULL */
    const char *missing;                /* as scant_read_options.missing_label, for answers */
    const char *const *classes; /* classes in addition to those that answers and truth name */
    size_t nclasses;
    size_t reserved[8];      /* 0: room for what is to come */
    scant_read_options read; /* features, ignore, id, weight, separator, threads are heeded */
} scant_votes_options;

SCANT_API const scant_option *scant_votes_option_table(size_t *count); /* without those of `read` */
SCANT_API void scant_votes_options_preset(scant_votes_options *options, size_t size);
#define scant_votes_options_preset(options) (scant_votes_options_preset)(options, sizeof *(options))

/* Reads CSV/TSV (.gz too). A cell that is empty, NA or ? is no answer; -1 is none either among
 * answers that are whole and not negative. */
SCANT_API scant_status scant_votes_read(scant_votes **out, const char *path,
                                        const scant_votes_options *options);

SCANT_API size_t scant_votes_items(const scant_votes *votes);
SCANT_API size_t scant_votes_predictors(const scant_votes *votes);
SCANT_API size_t scant_votes_classes(const scant_votes *votes);
SCANT_API size_t scant_votes_count(const scant_votes *votes); /* answers given */
SCANT_API const char *scant_votes_predictor_name(const scant_votes *votes, size_t predictor);
SCANT_API const char *scant_votes_class_name(const scant_votes *votes, size_t class_index);
/* The item's identifier, or NULL where items have none. Borrowed. */
SCANT_API const char *scant_votes_item_name(const scant_votes *votes, size_t item);
/* The item's weight; 1 where none were set. */
SCANT_API double scant_votes_weight(const scant_votes *votes, size_t item);
/* The item's true class if it is known, else -1. */
SCANT_API int32_t scant_votes_truth(const scant_votes *votes, size_t item);
/* The answer of a predictor about an item, -1 if there is none. O(log answers of the item). */
SCANT_API int32_t scant_votes_answer(const scant_votes *votes, size_t item, size_t predictor);
/* Votes for each class (nclasses): what a majority goes by. */
SCANT_API void scant_votes_tally(const scant_votes *votes, size_t item, double *tally);

/* --- audit --- */

typedef struct scant_audit_options {
    size_t size; /* by the preset */
    const char *
        model; /* symmetric, confusion, loglinear, rules (silence counts); NULL: confusion from three predictors on,
                          else symmetric, or rules where most predictors name one class or say nothing */
    const char *prior; /* "a=0.3,b=0.7", shares in the classes' order "0.3,0.7", or "estimate" */
    bool separately;   /* each predictor by itself */
    double smooth;     /* pseudo-votes for each cell of a confusion table */
    double ci;         /* level of the intervals */
    const char *intervals; /* of error rates: wald, by standard errors, or profile */
    size_t max_iter;
    double tol;
    double time_limit;
    uint64_t seed;
    size_t threads;
    scant_progress progress;
    void *payload;
} scant_audit_options;

SCANT_API const scant_option *scant_audit_option_table(size_t *count);
SCANT_API void scant_audit_options_preset(scant_audit_options *options, size_t size);
#define scant_audit_options_preset(options) (scant_audit_options_preset)(options, sizeof *(options))

/* A number with its standard error and interval; NaN: not known. */
typedef struct scant_estimate {
    double value, error, low, high;
} scant_estimate;

typedef struct scant_audit_predictor {
    size_t answers;
    scant_estimate error; /* P(answer != truth); of rules, among the answers they give */
    scant_estimate wrong; /* share of wrong ones among the answers it gave, an interval of counts */
    const scant_estimate *confusion; /* nclasses x nclasses: P(answer a | class k) at k l + a */
} scant_audit_predictor;

typedef enum scant_verdict {
    SCANT_VERDICT_UNTESTED, /* too few predictors or common items to tell */
    SCANT_VERDICT_HOLDS,
    SCANT_VERDICT_DOUBTFUL, /* there is evidence against it, of little effect */
    SCANT_VERDICT_FAILS     /* do not trust what rests on it */
} scant_verdict;
SCANT_API const char *scant_verdict_name(scant_verdict verdict);

/* Are two predictors wrong together more often, or less, than the classes explain? */
typedef struct scant_dependence {
    scant_verdict verdict;
    size_t possible;      /* pairs of predictors that there are */
    size_t pairs;         /* tested: with enough common answers to tell */
    size_t rejected;      /* of them, at 1% over all pairs (Bonferroni) */
    size_t first, second; /* the pair with the largest |z| */
    double z, p;          /* its standardised score, and its p over all pairs */
    double correlation;   /* of its errors, given the class */
    double largest;       /* largest |correlation| among rejected pairs; 0: none */
} scant_dependence;

/* Does one table for all classes' errors do? Symmetric noise compared with full confusion, and where there are fewer than three
 * predictors with every table of answers: no error rate makes answers in some proportions. */
typedef struct scant_misfit {
    scant_verdict verdict;
    double statistic, degrees, p; /* likelihood ratio; NaN where it was not tested */
} scant_misfit;

typedef struct scant_audit_summary {
    const char *model;
    bool prior_estimated;
    const scant_estimate *prior; /* nclasses */
    double loglik;
    size_t parameters, iterations;
    scant_stop stop;
    scant_dependence dependence;
    scant_misfit symmetry; /* symmetric model only */
    size_t nwarnings;
    const char *const *warning;
} scant_audit_summary;

typedef struct scant_audit scant_audit;

/* Estimates every predictor's confusion and error rate. SCANT_ERR_UNIDENTIFIED: these answers
 * cannot tell, or no error rates make them, and the message says why; a predictor that cannot be judged while others can has NaN
 * and a warning. Intervals are those of the maximum on the logit scale, from the observed
 * information, or (error rates only) those of the profile, see scant_audit_profile. Cost: O(votes
 * classes) an iteration, and once O(sum of squared answers of an item classes^2) for intervals and
 * the test of dependence. Same bytes for any threads. */
SCANT_API scant_status scant_audit_votes(scant_audit **out, const scant_votes *votes,
                                         const scant_audit_options *options);
SCANT_API void scant_audit_free(scant_audit *audit);
SCANT_API const scant_audit_summary *scant_audit_summarise(const scant_audit *audit);
SCANT_API const scant_audit_predictor *scant_audit_predictor_at(const scant_audit *audit,
                                                                size_t predictor);
/* How much the votes object to an error rate: out[t] = 2 (max l - l(error[t])), l(e) being the largest
 * log-likelihood with which the predictor errs by e and everything else goes free. About chi-square of
 * one degree of freedom at the truth, so the errors below 3.84 are an interval of 95 %: that is what
 * `intervals = "profile"` searches for. The votes are those that were audited. EM climbs to l(e)
 * from the audit's maximum, so the classes keep their names. The predictor's own pseudo-votes do
 * not count. Not after a log-linear audit or one of each predictor by itself: SCANT_ERR_ARGUMENT.
 * O(votes classes) a step of EM, of which an error rate takes ten to some hundred. */
SCANT_API scant_status scant_audit_profile(double *out, const scant_audit *audit,
                                           const scant_votes *votes, size_t predictor,
                                           const double *error, size_t count);
/* P(class | all answers) of the votes' items (nitems x nclasses), learning-without-labels eq. 12.
 * The votes may be others than those that were audited; predictors are matched by name, and those
 * that the audit does not know do not count. Items without answers have the prior. */
SCANT_API scant_status scant_audit_combine(double *probability, const scant_audit *audit,
                                           const scant_votes *votes);

/* Votes about new items, as they arrive: the expected counts of what was audited before stay as they
 * are, and the new items' are added at the tables that fit both (incremental EM, Neal and Hinton
 * 1998). Predictors are matched by name. Error rates and confusion move on; standard errors and
 * intervals do not know of the new votes and become NaN, until an audit of all votes. Not for
 * log-linear models. O(new votes classes) for each of some ten rounds. */
SCANT_API scant_status scant_audit_update(scant_audit *audit, const scant_votes *more);

/* An answer worth asking for. */
typedef struct scant_ask {
    size_t item, predictor;
    double gain;        /* bits it is expected to tell of the item's class */
    double cost, worth; /* gain / cost */
} scant_ask;

/* The answers not yet given that tell most of their items' classes for their cost, best first, ties
 * by item and predictor; `*count` is how many were asked for and becomes how many there are. `cost`
 * has one a predictor of the votes, above 0; NULL: all 1. Not for log-linear models.
 * O(items predictors classes^2). */
SCANT_API scant_status scant_audit_ask(scant_ask *out, size_t *count, const scant_audit *audit,
                                       const scant_votes *votes, const double *cost);

/* --- numbers instead of classes --- */

/* Predictions of a number y that is normal with a known mean and standard deviation, of independent
 * predictors given y, learning-without-labels eq. 21-37:
 *   regression  y_c = theta_c (y - e),  e ~ N(0, noise^2)   risk theta^2 noise^2 + (1-theta)^2 E y^2
 *   channel     y_c = y + e,            e ~ N(0, theta_c^2) risk theta^2
 * A channel's theta is above 0; a regression's has the sign that makes the predictions likelier. */
typedef struct scant_regression_options {
    size_t size;     /* by the preset */
    bool channel;    /* not regression */
    double mean, sd; /* of y */
    double noise;    /* regression: known standard deviation of e; NaN: estimated */
    double ci;       /* level of the intervals */
    const char
        *truth; /* column of y itself, NaN where it is not known: evidence, no predictor; or NULL */
    bool separately; /* each predictor by itself; unknown noise is then each one's own */
    double time_limit;
    size_t threads;
    scant_progress progress;
    void *payload;
} scant_regression_options;

/* Presets: regression of numbers of mean 0 and standard deviation 1, noise estimated, 95 %. */
SCANT_API const scant_option *scant_regression_option_table(size_t *count);
SCANT_API void scant_regression_options_preset(scant_regression_options *options, size_t size);
#define scant_regression_options_preset(options)                                                   \
    (scant_regression_options_preset)(options, sizeof *(options))

typedef struct scant_regression_predictor {
    size_t answers;
    size_t column;        /* of the rows */
    scant_estimate theta; /* of a channel without error 0, its error NaN */
    scant_estimate risk;  /* mean squared error */
    double mirrored;      /* regression: the risk if theta had the other sign, */
    double gap;           /* and by how much that lowers the log-likelihood; else NaN */
    double noise;         /* regression: standard deviation of e */
} scant_regression_predictor;

typedef struct scant_regression {
    scant_regression_options options; /* without `truth` */
    size_t npredictors;
    scant_regression_predictor *predictor;
    double noise, loglik; /* noise NaN: a channel's, or each predictor has its own */
    scant_stop stop;
    scant_dependence dependence; /* of the errors of two predictors */
    size_t nwarnings;
    char **warning; /* what speaks against the answer, in words */
} scant_regression;

/* Rows of predictions, a column a predictor; NaN: none given. SCANT_ERR_UNIDENTIFIED: one predictor
 * of unknown noise about numbers of mean 0, channels that never differ, or no predictions. Where predictions do not tell the sign
 * of a theta, or errors depend on each other, a warning says so; where they do so badly, intervals are NaN. Cut short by the
 * time limit or an interrupt, it has the point that it had come to, and no intervals. O(answers predictors) a step of some
 * ten, for each of some predictors + 1 fits with other signs (regression). Free with scant_regression_clear. */
SCANT_API scant_status scant_audit_regression(scant_regression *out, const scant_rows *rows,
                                              const scant_regression_options *options);
SCANT_API void scant_regression_clear(scant_regression *regression);
/* Mean and standard deviation of y given all predictions of a row (one a row of `rows`, whose columns are those of the
 * audit); where y is known it is the mean, and the standard deviation 0. */
SCANT_API scant_status scant_regression_combine(double *mean, double *sd,
                                                const scant_regression *regression,
                                                const scant_rows *rows);

#ifdef __cplusplus
}
#endif
#endif
