/* Risks of a margin classifier from its scores alone: no labels, but the classes' proportions.
 *
 * The classifier answers the second class where its score is above 0. Given the class, scores are
 * taken to be normal; the two means and spreads are estimated from unlabelled scores by maximum
 * likelihood, and expected losses follow from them (learning-without-labels eq. 69-72). */
#ifndef SCANT_MARGIN_H
#define SCANT_MARGIN_H

#include <scant/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* With the margin a, the score times 1 for the second class and -1 for the first:
 * log(1 + exp -a), max(1 - a, 0), exp -a, and 1 where a < 0. */
typedef enum scant_loss {
    SCANT_LOSS_LOG,
    SCANT_LOSS_HINGE,
    SCANT_LOSS_EXP,
    SCANT_LOSS_ZERO_ONE
} scant_loss;
enum { SCANT_LOSSES = 4 };
/* "log", "hinge", "exp", "zero-one". Never NULL. */
SCANT_API const char *scant_loss_name(scant_loss loss);

typedef struct scant_risk {
    double value;     /* estimate of the expected loss */
    double error;     /* its standard error (sandwich, delta method); NaN: there is none */
    double low, high; /* interval, on the scale of logarithms (zero-one: log odds) */
} scant_risk;

typedef struct scant_margin_audit {
    size_t rows;
    double weight;         /* of all rows */
    double prior[2];       /* shares of the classes, as given */
    double mean[2], sd[2]; /* of the scores of each */
    double loglik;         /* of the scores, per unit weight */
    scant_risk risk[SCANT_LOSSES];
    double share;      /* of rows with a score above 0 */
    double distance;   /* largest gap between the scores' distribution and the fitted one */
    bool normal;       /* no more than chance, or too small to matter: at most 0.02 */
    bool reversed;     /* the scores are likelier with the classes exchanged */
    bool near_uniform; /* shares within 0.05 of one half hardly tell the classes apart */
} scant_margin_audit;

/* Audits the column of scores; rows of weight 0 and missing scores are left out. `prior` is the
 * second class's share, above 0 and below 1; `level` the intervals' (0.95).
 *
 * The classifier is taken to be better than chance: of the maxima of the likelihood, one with the
 * second class's mean above the first's is told, and `reversed` says whether another is higher.
 * SCANT_ERR_INPUT: fewer than 8 scores, or such as do not vary. SCANT_ERR_UNIDENTIFIED: no such
 * maximum, the scores look like one normal. O(rows) times a few dozen passes. */
SCANT_API scant_status scant_margin_audit_scores(scant_margin_audit *out, const scant_rows *rows,
                                                 size_t column, double prior, double level,
                                                 uint64_t seed, size_t threads);

/* What should be known before the risks are believed, in words, into warning[]; how many. */
enum { SCANT_MARGIN_WARNINGS = 3 };
SCANT_API size_t scant_margin_audit_warnings(const char *warning[SCANT_MARGIN_WARNINGS],
                                             const scant_margin_audit *audit);

#ifdef __cplusplus
}
#endif
#endif
