/* Core consistency: are the data of the form that was fitted to them? */
#ifndef SCANT_I_CORE_H
#define SCANT_I_CORE_H

#include "data/tensor.h"
#include "tensor/kruskal.h"

/* 100 (1 - |G - I|^2 / rank), where G is the core that fits the tensor best given the factors and I
 * has ones on its diagonal: 100 where components do not mix, near or below 0 where the rank is too
 * high. Bro and Kiers. NaN where the columns of a factor depend on each other, a cell is missing or
 * the core would have more than a million numbers. Cost: entries rank. */
scant_status scant_i_core_consistency(double *out, const scant_i_tensor *tensor,
                                      const scant_i_kruskal *factors, const double *weight);

#endif
