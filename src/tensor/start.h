/* Where an alternating fit starts. */
#ifndef SCANT_I_FACTOR_START_H
#define SCANT_I_FACTOR_START_H

#include "tensor/objective.h"

/* Uniform numbers; every (seed, start, mode) has a stream of its own. Fixed modes are left. */
void scant_i_start_random(scant_i_kruskal *factors, const scant_i_factoring *how, uint64_t seed,
                          size_t start);
/* From singular vectors of the unfolded tensor, found by random projections: of each vector the
 * part of one sign that weighs more, what is left at 0 filled with small random numbers. */
scant_status scant_i_start_singular(scant_i_kruskal *factors, scant_i_objective *objective,
                                    uint64_t seed, size_t start);

#endif
