/* What is said of scores in addition to their risk: shared by the audit and by blind training. */
#ifndef SCANT_I_SCORES_H
#define SCANT_I_SCORES_H

#include "audit/margin.h"

/* Shares nearer to one half than this leave the classes' names to tails of the distribution. */
#define SCANT_I_NEAR_UNIFORM 0.05
/* A distance that moves no share by more than this is not worth a warning, however sure it is. */
#define SCANT_I_SMALL_DISTANCE 0.02

/* Kolmogorov's: sup |share of scores below a - fitted share below a|. O(n log n). */
scant_status scant_i_margin_distance(double *out, const scant_i_margin *m, const scant_i_scores *s);
/* Is the distance of rows of that weight small, or what chance makes it? */
bool scant_i_margin_is_normal(double distance, double weight);

#endif
