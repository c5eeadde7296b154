/* EM's rate without a matrix.
 *
 * A step of EM is a map of the chart onto itself, whose Jacobian at a maximum is complete^-1
 * missing: the M-step is the inverse of complete information, and what a step leaves of a small
 * distance is the share of information that is missing (context-aware mixtures §3.2). Its largest
 * eigenvalue comes from the Krylov space of differences of steps
 *     J v = (M(theta + h v) - M(theta - h v)) / 2h
 * by Arnoldi's method, so that nothing is asked of a family but its E- and M-step, and the memory
 * is a few dozen vectors. Pseudo-counts are in the M-step and count as rows whose component is
 * known. */
#ifndef SCANT_I_RATE_H
#define SCANT_I_RATE_H

#include "inform/chart.h"

/* The factor by which a step of EM, as mixture->component_major has it, shrinks the distance to the
 * maximum in the end. Two passes a vector, about twenty vectors. SCANT_ERR_UNIDENTIFIED: a
 * parameter sits at the edge of its domain. */
scant_status scant_i_em_factor(double *factor, const scant_i_chart *chart,
                               const scant_i_mixture *mixture, const scant_rows *rows,
                               const scant_i_evidence *evidence, size_t threads);

#endif
