/* The two normals of a margin as a mixture of the engine's: two components, one a class, over one
 * column, with fixed proportions. */
#ifndef SCANT_I_NORMALS_H
#define SCANT_I_NORMALS_H

#include "audit/margin.h"
#include "latent/mixture.h"

scant_status scant_i_normals_new(scant_i_mixture **out, const scant_i_margin *m);
/* phi of such a mixture. */
void scant_i_normals_read(scant_i_margin *m, const scant_i_mixture *mixture);
/* The likeliest phi that the engine finds from several starts; rows are n x 1. `m` gives the
 * proportions. */
scant_status scant_i_normals_fit(scant_i_margin *m, const scant_rows *rows, uint64_t seed,
                                 size_t threads);

#endif
