/* Extrapolation between the rounds of an alternating fit. */
#ifndef SCANT_I_EXTRAPOLATION_H
#define SCANT_I_EXTRAPOLATION_H

#include "tensor/kruskal.h"

/* A round goes from A to the next A. Where the last rounds went from B to A, the next one starts ahead,
 *
 *   max(0, A + beta (A - B))    in every free mode,
 *
 * and is taken back if it does not end with a lower loss than A has; then a round from A itself follows, which lowers the
 * loss. beta grows with each success up to `most`, which grows, too, and falls with each failure (the rule of
 * Ang, Cohen, Gillis and Hien 2021 for alternating fits, here between rounds). A round that is taken back costs as much as any. */
typedef struct scant_i_extrapolation {
    scant_i_kruskal *before; /* B */
    scant_i_kruskal *base;   /* A, while the factors are ahead of it; room otherwise */
    double beta, most;
    bool ready; /* A comes from B by one round */
} scant_i_extrapolation;

scant_status scant_i_extrapolation_new(scant_i_extrapolation **out, const scant_i_kruskal *factors);
void scant_i_extrapolation_free(scant_i_extrapolation *extrapolation);
/* Puts the factors ahead, where the extrapolation is ready; false: they stay. */
bool scant_i_extrapolation_go(scant_i_extrapolation *extrapolation, scant_i_kruskal *factors,
                              const bool *fixed);
/* A round has ended: it `went_ahead` or not, and is to be kept or not. Sets the factors back to A where not. */
void scant_i_extrapolation_end(scant_i_extrapolation *extrapolation, scant_i_kruskal *factors,
                               bool went_ahead, bool kept);

#endif
