/* The limit: the error of the model's rule if its parameters were known.
 *
 * The model's own expectation, mean 1 - p_best, is too hopeful: fitted parameters pull classes
 * apart, by an amount of the same order as the excess itself. How much is found by doing the same
 * to the model: rows drawn from it, as many and as much labelled as the pilot's, are fitted again,
 *     bias   = mean over replicates of what the new fit expects of itself - what the model does
 *     limit  = plugin - bias
 * The replicates' spread is the limit's standard error, and the excess they really have says
 * whether the outlook's formula holds for so few labels. */
#ifndef SCANT_I_LIMIT_H
#define SCANT_I_LIMIT_H

#include "learn/model.h"

typedef struct scant_i_limit {
    double error;
    double deviation; /* standard error of it */
    double excess;    /* mean excess error of the replicates */
} scant_i_limit;

/* `rows` (dense) say how many rows there are, and which are labelled. Cost: `replicates` fits, each
 * from the model's parameters. */
scant_status scant_i_limit_find(scant_i_limit *out, const scant_model *model,
                                const scant_rows *rows, double plugin, size_t replicates,
                                uint64_t seed, size_t threads);

#endif
