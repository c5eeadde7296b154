/* The chart: a mixture's free parameters as one unconstrained vector.
 *
 *   P_k      class proportions, as log(P_k / P_last) for the classes used but the last; absent
 *            where proportions are fixed or no row speaks of them
 *   pi_jk    components within class k, as log(pi_jk / pi_last,k) for those that serve it but the
 *            last
 *   eta      natural parameters of each factor and component used, in the factor's standard units;
 *            entries that components share come once, after the factor's others; entries that a
 *            fit leaves as they are (known covariances) are absent
 * Zeros of W are structure, not parameters. So are entries below 1e-8: EM takes what the rows have
 * no use for towards 0 and never arrives. A class that has no share but that rows bring one for is there all the same:
 * of its entries it is pi that counts. Labels' noise is taken as known. */
#ifndef SCANT_I_CHART_H
#define SCANT_I_CHART_H

#include "latent/mixture.h"

#define SCANT_I_NOWHERE SIZE_MAX

typedef struct scant_i_chart {
    size_t n;         /* coordinates */
    size_t ncoupling; /* the first of them are the coupling's */
    size_t M, K, nfactors;
    size_t *P;       /* K: coordinate, or nowhere */
    size_t *pi;      /* K x M */
    bool *spoken;    /* K: P is estimated and no zero; the last of them has no coordinate */
    bool *open;      /* K x M: the same of pi, the last of each class */
    bool *used;      /* M: the component serves some class */
    size_t *at;      /* coordinates of eta: at[start[f] + j * nnatural + a]; nowhere: not used */
    size_t *start;   /* nfactors */
    size_t *natural; /* nfactors: entries of eta */
    size_t most;     /* the largest of them */
} scant_i_chart;

/* SCANT_ERR_ARGUMENT: a family has no natural parameters. */
scant_status scant_i_chart_validate(const scant_i_mixture *mixture);
/* `proportions`: P is estimated; `brought` (K; NULL: none): the class has rows that bring its share. */
scant_status scant_i_chart_new(scant_i_chart *out, const scant_i_mixture *mixture, bool proportions,
                               const bool *brought);
void scant_i_chart_clear(scant_i_chart *chart);

/* Where eta of a factor's component is. */
static inline const size_t *scant_i_chart_eta(const scant_i_chart *chart, size_t factor, size_t j)
{
    return chart->at + chart->start[factor] + j * chart->natural[factor];
}

/* Is the share a parameter, or on its way to 0? */
static inline bool scant_i_chart_is_open(double share)
{
    return share > 1e-8;
}

/* The point of a mixture, in user's units, and back. The mixture keeps what is no parameter.
 * SCANT_ERR_UNIDENTIFIED: a parameter sits at the edge of its domain and has no coordinate. Setting
 * fails with SCANT_ERR_INPUT outside the domain. */
scant_status scant_i_chart_get(const scant_i_chart *chart, const scant_i_mixture *mixture,
                               double *point);
scant_status scant_i_chart_set(const scant_i_chart *chart, scant_i_mixture *mixture,
                               const double *point);

/* theta of all factors between the data's units and standard ones. */
void scant_i_chart_standardise(scant_i_mixture *mixture, bool to);

/* u = d log W[k][j] (ncoupling), or without `proportions` d log pi_jk, where W[k][j] > 0. */
void scant_i_chart_slope(const scant_i_chart *chart, const scant_i_mixture *mixture, size_t k,
                         size_t j, bool proportions, double *u);

#endif
