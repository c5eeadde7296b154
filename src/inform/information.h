/* Information: how sure a fitted mixture is of its parameters, and what is missing.
 *
 * At any point of the chart (chart.h), with c_i = g_ijk f_j(x_i) and the posterior r_ijk
 *     complete  = sum_i w_i E[-d2 log c_i]        of EM2's M-step
 *     missing   = sum_i w_i Cov(d log c_i)        Cov(T | observed) of missing cells included
 *     observed  = complete - missing = -d2 sum_i w_i l_i
 * (missing information principle: context-aware mixtures §3.2, eq. 16-20). Rows of the posterior
 * kind are K labelled copies. The prior on parameters (pseudo-counts) is left out. */
#ifndef SCANT_I_INFORMATION_H
#define SCANT_I_INFORMATION_H

#include "inform/chart.h"
#include "inform/rounding.h"
#include "latent/posterior.h"

typedef struct scant_i_information {
    scant_i_chart chart;
    double *complete, *missing, *observed; /* n x n, symmetric */
    /* ncoupling x ncoupling: in place of complete's first block where the coupling's M-step is
     * component-major, which does not complete the classes of rows that do not tell them apart */
    double *component_major;
    /* the largest factor by which a step of EM2 and of EM1 shrinks an entry of W that is on its way
     * to 0; 0 where none is */
    double vanishing[2];
    scant_i_rounding rounding; /* where missing was summed up in single precision */
} scant_i_information;

/* The chart of a mixture that has rows of which a survey of the evidence speaks. Proportions that no row of
 * weight speaks of are no parameters. */
scant_status scant_i_chart_of(scant_i_chart *out, const scant_i_mixture *mixture,
                              const scant_i_evidence *evidence, const scant_i_survey *survey);

/* More coordinates than this are refused: the matrices would not fit. rate.h does without them. */
enum { SCANT_I_COORDINATES_MAX = 4000 };

/* Of a mixture at its rows and evidence: one pass, for any number of threads the same bits.
 * SCANT_ERR_ARGUMENT: the mixture has a factor R, or too many parameters; SCANT_ERR_UNIDENTIFIED: a
 * parameter sits at the edge of its domain. */
scant_status scant_i_information_new(scant_i_information *out, const scant_i_mixture *mixture,
                                     const scant_rows *rows, const scant_i_evidence *evidence,
                                     size_t threads);
/* The same in two thirds of the time, where rows are so many that it matters: missing is summed up in single precision,
 * and `rounding` tells what that may have cost. Where cells are missing, or weights extreme, all is as above. */
scant_status scant_i_information_quick(scant_i_information *out, const scant_i_mixture *mixture,
                                       const scant_rows *rows, const scant_i_evidence *evidence,
                                       size_t threads);
void scant_i_information_clear(scant_i_information *information);

#endif
