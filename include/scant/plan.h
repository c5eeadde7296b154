/* Planning: what labels are worth, how many to buy, and which. */
#ifndef SCANT_PLAN_H
#define SCANT_PLAN_H

#include <scant/data.h>
#include <scant/model.h>
#include <scant/options.h>
#include <scant/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A forecast from a pilot: a model, and the rows it was fitted to, some labelled, most not. The
 * model must outlive it. Not for several threads at once. */
typedef struct scant_plan scant_plan;

/* Preset it with scant_plan_options_preset; every field has a row in the table but the last two. */
typedef struct scant_plan_options {
    size_t size;       /* by the preset */
    scant_texts cost;  /* "label=1", "row=0": price of a further label, and of a further row */
    size_t rows;       /* rows there may be in the end; 0: those at hand */
    size_t replicates; /* pilots drawn from worlds like the model, for limit and interval; 10 are
                          drawn at least */
    size_t repeats;    /* repetitions of the learning curve; 0: no curve */
    uint64_t seed;
    size_t threads; /* 0: OMP_NUM_THREADS, else all cores */
    scant_progress progress;
    void *payload;
} scant_plan_options;

SCANT_API const scant_option *scant_plan_option_table(size_t *count);
SCANT_API void scant_plan_options_preset(scant_plan_options *options, size_t size);
#define scant_plan_options_preset(options) (scant_plan_options_preset)(options, sizeof *(options))

/* Who forecasts errors: the information in the model, or the power law through the pilot's own
 * learning curve. The one that forecast the error of the largest part of the pilot better; the
 * model, unless the curve is nearer by more than that error's standard error. */
typedef enum scant_plan_method { SCANT_PLAN_BY_MODEL, SCANT_PLAN_BY_CURVE } scant_plan_method;

typedef struct scant_plan_summary {
    size_t rows, labeled, parameters;
    scant_plan_method method;
    double limit, limit_error; /* error if parameters were known, and its standard error */
    double excess;             /* of the pilot over it, by its information; with it at most 1 */
    double drawn_excess;       /* the same, as drawn pilots have it: what errors are forecast by */
    double trace;              /* variances of all parameters added up, in the chart */
    double unlabeled_worth;    /* labels that an unlabelled row is worth for the error, here */
    bool curve;                /* there is one; else the rest is NaN */
    double asymptote, factor, power;     /* error = asymptote + factor labels^-power */
    double measured, by_model, by_curve; /* error of the largest part, and as it was forecast */
    double measured_error;               /* standard error of `measured` */
    bool too_small;                      /* the pilot is too small to plan from, and `why` */
    char why[256];
} scant_plan_summary;

/* `rows` are those of the model's fit, with their labels: exact or absent, both kinds may be there
 * or only the first. Models whose fit is no maximum of a likelihood, whose labels are noisy or whose
 * unlabelled rows are a class of their own are SCANT_ERR_ARGUMENT; SCANT_ERR_UNIDENTIFIED: labels
 * would not tell the parameters; SCANT_ERR_INTERRUPTED: half a plan is none. Cost: `replicates` fits,
 * half and a quarter as many to twice and four times the labels, 2 predictions of the rows for each
 * parameter; and for the curve, `repeats` times, 6 fits and a forecast from a part of the pilot, with
 * 10 replicates.
 * A stack (scant_train) has no parameters to speak of: the curve alone forecasts, `repeats` times 6 trainings; limit, excess,
 * trace and unlabeled_worth are NaN, and SCANT_ERR_UNIDENTIFIED is fewer than 5 labels of a class.
 * Same seed, same plan, for any threads. */
SCANT_API scant_status scant_plan_new(scant_plan **out, const scant_model *model,
                                      const scant_rows *rows, const scant_plan_options *options);
SCANT_API void scant_plan_free(scant_plan *plan);
SCANT_API const scant_plan_summary *scant_plan_told(const scant_plan *plan);
/* What to mind about it, in plain words: the rows are not those of the fit, the pilot is too small,
 * `rows` is of no use. Borrowed; NULL from the last on. */
SCANT_API const char *scant_plan_warning(const scant_plan *plan, size_t index);

/* A point of the plane that a plan moves in. */
typedef struct scant_plan_point {
    size_t labels, rows;     /* in all, those at hand included */
    double cost;             /* of those that are not at hand */
    double error, low, high; /* forecast, with a 95 % interval from the pilot's own uncertainty */
    double labels_low, labels_high; /* answers to a target: a 95 % interval, of the labels if the
                                       limit is at the ends of its own; NaN elsewhere, infinity
                                       where none are enough */
} scant_plan_point;

/* Error with so many labels and rows in all. The curve knows the rows at hand alone. O(parameters)
 * for each of up to 1333 rows. */
SCANT_API void scant_plan_forecast(scant_plan_point *out, const scant_plan *plan, size_t labels,
                                   size_t rows);

typedef enum scant_plan_question {
    SCANT_PLAN_BUDGET, /* the least error for at most this cost (eq. 91) */
    SCANT_PLAN_TARGET, /* the least cost for at most this error (eq. 92) */
    SCANT_PLAN_TRADE   /* the least of cost + this much for an error of 1 (eq. 93) */
} scant_plan_question;

/* SCANT_ERR_UNIDENTIFIED: no number of labels and rows is said to reach the target.
 * SCANT_ERR_ARGUMENT: the amount is below 0 or no number. */
SCANT_API scant_status scant_plan_answer(scant_plan_point *out, const scant_plan *plan,
                                         scant_plan_question question, double amount);

/* Information that the label of a row is expected to bring, in nats; NaN where it has one. Of a stack: the entropy of its
 * answer, and once more what of it the members do not agree on. Borrowed. */
SCANT_API const double *scant_plan_gains(const scant_plan *plan);

typedef struct scant_plan_choice {
    size_t count;
    double chosen,
        random; /* error with labels of these rows (NaN of a stack), and of as many by chance */
} scant_plan_choice;

/* The `count` unlabelled rows to label next, into index[], and what that promises compared with chance.
 * Rows are drawn with chances that follow their gain, not sorted by it: the rows of most gain are
 * alike, and where the model is wrong they are its outliers. Same seed, same rows. */
SCANT_API scant_status scant_plan_choose(scant_plan_choice *out, const scant_plan *plan,
                                         size_t count, size_t *index);

#ifdef __cplusplus
}
#endif
#endif
