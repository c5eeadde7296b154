/* The limit, the error of the model's rule if its parameters were known, and what fits to more
 * labels have above it: from worlds (world.h) whose pilots look like the pilot.
 *
 * Fitted parameters pull classes apart, so what a model expects of itself, its hope = E[1 - p_best],
 * is below the limit by about as much as its error is above. Worlds are therefore tried until the
 * pilots drawn there have the pilot's own hope. On the scale where the error of two normal classes
 * is straight in their distance,
 *     z(e) = Phi^-1(e / (2 chance)),     chance: the error of guessing the largest class
 * the hopes of drawn pilots lie around a line over the limits of their worlds,
 *     z(hope) = a + b z(limit) + N(0, s^2)
 * which is inverted at the pilot's hope. As it is monotone, the limit found is too high as often as
 * too low, and so is whatever falls or rises with it, a number of labels also: 1 / (target - limit)
 * is skewed, and a mean that is right here would be wrong there. The limits whose line passes 1.96 s
 * above and below the pilot's hope are the ends of a 95 % interval.
 *
 * The excess of fits to 1, 2 and 4 times the pilot's labels is counted in the same worlds, as a
 * multiple of what the forecast's formula says: log(excess / formula) is a line in z(limit), and one
 * in log(formula), which few labels bend. */
#ifndef SCANT_I_LIMIT_H
#define SCANT_I_LIMIT_H

#include "model/model.h"
#include "plan/forecast.h"
#include "plan/steps.h"

enum {
    SCANT_I_LIMIT_SIZES = 3,     /* 1, 2, 4 times the labels */
    SCANT_I_LIMIT_DRAWN = 10000, /* rows of a sample: hopes differ by 0.05 % by chance */
    SCANT_I_LIMIT_LEAST = 10     /* replicates: two a world */
};

/* What may be the case: the middle, and the ends of the interval. */
typedef enum scant_i_case {
    SCANT_I_MIDDLE,
    SCANT_I_BEST,
    SCANT_I_WORST,
    SCANT_I_CASES
} scant_i_case;

typedef struct scant_i_limit {
    double hope; /* of the model */
    double error[SCANT_I_CASES];
    double level[SCANT_I_CASES]; /* excess over the formula's, where the latter is `middle` */
    double bend, middle;         /* the multiple grows like (formula / middle)^bend */
} scant_i_limit;

typedef struct scant_i_limit_options {
    size_t replicates, drawn;
    uint64_t seed;
    size_t threads;
    scant_i_steps *steps; /* a replicate is one; or NULL */
} scant_i_limit_options;

/* `rows` (dense) say how many rows there are, and which are labelled; `forecast` is the model's. Cost:
 * `replicates` (LEAST or more) fits, each from a world's parameters, and half and a quarter as many to twice and four
 * times the labels; as many predictions of `drawn` rows. */
scant_status scant_i_limit_find(scant_i_limit *out, const scant_model *model,
                                const scant_rows *rows, const scant_i_forecast *forecast,
                                const scant_i_limit_options *options);

/* Excess of drawn fits where the forecast's formula says so much, and the error that is forecast. */
double scant_i_limit_excess(const scant_i_limit *limit, scant_i_case which, double formula);
double scant_i_limit_raised(const scant_i_limit *limit, scant_i_case which, double formula);

#endif
