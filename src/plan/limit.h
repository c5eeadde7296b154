/* The limit: the error of the model's rule if its parameters were known.
 *
 * The model's own expectation, hope = E[1 - p_best] over rows drawn from it, is the maximum
 * likelihood estimate, and too hopeful: fitted parameters pull classes apart, by an amount of the
 * same order as the excess itself. How much is found by doing the same to the model: rows drawn
 * from it, as many and as much labelled as the pilot's, are fitted again. Each fit pulls the classes
 * apart by about the same squared distance, and the error falls like exp(-distance^2 / 8), so that
 * it is a factor that a fit repeats, where a difference would be too small the second time:
 *     scale  = exp(mean over replicates of log(the model's hope / the new fit's))
 *     limit  = scale hope
 * The model's excess is that of the problem whose limit is hope: it grows by the same factor, since
 * excess / limit hardly depends on the distance. The replicates' spread is the limit's standard
 * error, and the excess they really have says whether the outlook's formula holds for so few
 * labels. */
#ifndef SCANT_I_LIMIT_H
#define SCANT_I_LIMIT_H

#include "learn/model.h"
#include "plan/steps.h"

typedef struct scant_i_limit {
    double error;
    double deviation; /* standard error of it */
    double scale;     /* of errors: the limit over the model's hope */
    double excess;    /* mean excess error of the replicates, under the model */
} scant_i_limit;

/* The error that is foretold where the model says so much excess of itself. */
static inline double scant_i_limit_raised(const scant_i_limit *limit, double excess)
{
    return limit->error + limit->scale * excess;
}

enum { SCANT_I_LIMIT_DRAWN = 20000 }; /* a hope is then known to 0.1 or 0.2 % */

typedef struct scant_i_limit_options {
    size_t replicates, drawn;
    uint64_t seed;
    size_t threads;
    scant_i_steps *steps; /* a replicate is one; or NULL */
} scant_i_limit_options;

/* `rows` (dense) say how many rows there are, and which are labelled. Cost: `replicates` fits, each
 * from the model's parameters, and as many predictions of `drawn` rows. */
scant_status scant_i_limit_find(scant_i_limit *out, const scant_model *model,
                                const scant_rows *rows, const scant_i_limit_options *options);

#endif
