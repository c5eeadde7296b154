/* The limit: the error of the model's rule if its parameters were known.
 *
 * The model's own expectation, hope = E[1 - p_best] over rows drawn from it, is the maximum
 * likelihood estimate, and too hopeful: fitted parameters pull classes apart, by an amount of the
 * same order as the excess itself. How much is found by doing the same to the model: rows drawn
 * from it, as many and as much labelled as the pilot's, are fitted again,
 *     bias   = mean over replicates of (the new fit's hope - the model's)
 *     limit  = hope - bias
 * The replicates' spread is the limit's standard error, and the excess they really have says
 * whether the outlook's formula holds for so few labels. */
#ifndef SCANT_I_LIMIT_H
#define SCANT_I_LIMIT_H

#include "learn/model.h"
#include "plan/steps.h"

typedef struct scant_i_limit {
    double error;
    double deviation; /* standard error of it */
    double excess;    /* mean excess error of the replicates */
} scant_i_limit;

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
