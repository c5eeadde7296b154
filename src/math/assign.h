/* Assignment of n things to n places. */
#ifndef SCANT_I_ASSIGN_H
#define SCANT_I_ASSIGN_H

#include "base/base.h"

/* place[i], a permutation, has the largest sum of gain[i][place[i]] (gain n x n, finite). O(n^3),
 * by shortest augmenting paths (Jonker and Volgenant). */
scant_status scant_i_assign(size_t *place, const double *gain, size_t n);

#endif
