/* From a table and its truth to discriminants: one problem, one a class, one a code word, or all classes in one. */
#ifndef SCANT_I_MED_FIT_H
#define SCANT_I_MED_FIT_H

#include "med/generative.h"
#include "med/gram.h"
#include "med/table.h"

typedef enum scant_i_med_bias_type {
    SCANT_I_MED_FLAT,
    SCANT_I_MED_NORMAL,
    SCANT_I_MED_ERRORS /* flat; then the bias with fewest training errors */
} scant_i_med_bias_type;
typedef enum scant_i_med_classes {
    SCANT_I_MED_REST,
    SCANT_I_MED_CODES,
    SCANT_I_MED_JOINT
} scant_i_med_classes;

/* What rows without a label are for. */
typedef enum scant_i_med_transduce {
    SCANT_I_MED_LABELED_ONLY,
    SCANT_I_MED_GAUSSIAN_LABELS,
    SCANT_I_MED_MEAN_FIELD
} scant_i_med_transduce;

/* Numbers of a fit, all of them known. */
typedef struct scant_i_med_settings {
    bool regress, has_kernel; /* else linear features */
    scant_i_med_kernel kernel;
    const scant_i_med_margin *margin;
    scant_i_med_scale scale;
    double level, variance, rho;
    scant_i_med_bias_type bias;
    double bias_mean, bias_variance;
    scant_i_med_classes classes;
    const scant_i_med_conjugate_family *family; /* or NULL: discriminants have weights */
    double prior_rows, percentile; /* of a family; percentile < 0: the margin is `level` */
    scant_i_med_transduce transduce;
    double kappa_rule;
    const char *solver; /* NULL: the default */
    size_t cache;       /* bytes */
    scant_i_med_control control;
} scant_i_med_settings;

/* What is known of the rows of a table. */
typedef struct scant_i_med_truth {
    size_t nclasses;         /* 0: a regression */
    const int32_t *class_of; /* n; -1: not known; nclasses + e: row e of soft */
    const double *target;    /* n */
    const double *weight;    /* n, above 0, or NULL */
    size_t positive;         /* of two classes: the one called +1 */
    const double *soft;      /* rows of nclasses probabilities, or sets as 0 and 1; or NULL */
} scant_i_med_truth;

/* Discriminants f_v(x) = weights_v . x + bias_v, or sum_s coefficient_vs K(x_s, x) + bias_v over support rows.
 * Class k scores sum_v code[v K + k] f_v. */
typedef struct scant_i_med_discriminants {
    size_t count, d, nclasses;
    double *weight, *probability; /* count x d: mean coefficients, switches that are on; or NULL */
    size_t nsupport;
    size_t *row; /* nsupport, ascending: rows of the table with a multiplier that is not 0 */
    double *coefficient;                        /* count x nsupport: v beta; kernels only */
    const scant_i_med_conjugate_family *family; /* weights are of its statistics; or NULL */
    double *chi;                                /* count x 2 x size: posteriors of +1 and -1 */
    double *bias, *code;                        /* count; count x nclasses, or NULL: a regression */
    double objective, primal, gap;              /* of all problems, added up */
    double divergence[3];                       /* of weights, bias, margins; NaN: not known */
    double square;                              /* |theta|^2 of one discriminant; NaN */
    size_t iterations;
    scant_stop stop;
    const char *solver;
} scant_i_med_discriminants;

scant_status scant_i_med_fit(scant_i_med_discriminants *out, const scant_i_med_table *table,
                             const scant_i_med_truth *truth, const scant_i_med_settings *settings);
void scant_i_med_discriminants_clear(scant_i_med_discriminants *d);

/* One problem of a fit, in files of their own: rows' sides (0: not known) in, discriminant v and what it came to out. */
typedef struct scant_i_med_part {
    const scant_i_med_table *table;
    const scant_i_med_truth *truth;
    const scant_i_med_settings *settings;
    const int8_t *side; /* n */
    size_t v;
    double *coefficient; /* n: transduction's */
} scant_i_med_part;
scant_status scant_i_med_part_generative(scant_i_med_discriminants *out,
                                         const scant_i_med_part *part);
scant_status scant_i_med_part_transduced(scant_i_med_discriminants *out,
                                         const scant_i_med_part *part);
/* Adds a problem's end to the discriminants'. */
scant_status scant_i_med_add_up(scant_i_med_discriminants *out,
                                const scant_i_med_certificate *certificate, scant_stop stop,
                                size_t iterations, const char *solver);
/* The bias that most rows with a side are right with; of several the nearest to `otherwise`. weight may be NULL. */
scant_status scant_i_med_bias_by_errors(double *bias, const double *f, const int8_t *side,
                                        const double *weight, size_t n, double otherwise);

/* f (n x count) of the rows of a table; `support` has the support rows of a kernel, in order. */
scant_status scant_i_med_decide(double *f, const scant_i_med_discriminants *d,
                                const scant_i_med_kernel *kernel, const scant_i_med_table *support,
                                const scant_i_med_table *table);
/* Class scores (K) of one row's f. */
void scant_i_med_scores(double *score, const scant_i_med_discriminants *d, const double *f);
/* log softmax of slope times scores, in place. */
void scant_i_med_log_probabilities(double *score, size_t nclasses, double slope);

#endif
