/* What a good factorization is. Alternating fits ask it for two things: better factors of one mode
 * with all others held, and how good all of them are. */
#ifndef SCANT_I_OBJECTIVE_H
#define SCANT_I_OBJECTIVE_H

#include "solve/nnls.h"
#include "tensor/layout.h"

typedef struct scant_i_factoring {
    const scant_i_nnls_solver *solver;
    const double *l2, *l1; /* order each */
    const bool *fixed;     /* order: modes that stay as they are */
    size_t threads;
} scant_i_factoring;

typedef struct scant_i_goodness {
    double loss; /* what falls: squared residuals or divergence, and penalties */
    double rssr; /* squared residuals over squares of the data, eq. 107 */
} scant_i_goodness;

typedef struct scant_i_objective scant_i_objective;

typedef struct scant_i_objective_kind {
    scant_status (*update)(scant_i_objective *o, scant_i_kruskal *factors, size_t mode,
                           double *kkt);
    scant_status (*evaluate)(scant_i_goodness *out, scant_i_objective *o,
                             const scant_i_kruskal *factors);
    scant_status (*multiply)(double *M, scant_i_objective *o, const scant_i_kruskal *factors,
                             size_t mode);
    void (*renew)(scant_i_objective *o, const scant_i_kruskal *factors);
    void (*free)(scant_i_objective *o);
} scant_i_objective_kind;

struct scant_i_objective {
    const scant_i_objective_kind *kind;
    const scant_i_factoring *how;
    double squares; /* of the data that count */
    double scale;   /* of the loss: falls of it are judged as shares of this */
};

/* Squared residuals of all cells; eqs. 105 and 106 where there are penalties. */
scant_status scant_i_objective_square(scant_i_objective **out, const scant_i_tensor *tensor,
                                      const scant_i_factoring *how, size_t rank);
/* Over entries one by one: squared residuals of observed cells, or Kullback-Leibler divergence of
 * observed (not NaN) or, with `all`, of all cells, of which a sparse tensor lists those above 0. */
scant_status scant_i_objective_observed(scant_i_objective **out, const scant_i_tensor *tensor,
                                        const scant_i_factoring *how, size_t rank);
scant_status scant_i_objective_divergence(scant_i_objective **out, const scant_i_tensor *tensor,
                                          const scant_i_factoring *how, size_t rank, bool all);

/* Better factors of a mode. *kkt: the length of the projected gradient there before, as a share of
 * the length of the cross products. */
static inline scant_status scant_i_objective_update(scant_i_objective *o, scant_i_kruskal *factors,
                                                    size_t mode, double *kkt)
{
    return o->kind->update(o, factors, mode, kkt);
}
static inline scant_status scant_i_objective_evaluate(scant_i_goodness *out, scant_i_objective *o,
                                                      const scant_i_kruskal *factors)
{
    return o->kind->evaluate(out, o, factors);
}
/* M (size[mode] x lanes): the tensor, 0 where it is missing, times all factors but this mode's. */
static inline scant_status scant_i_objective_multiply(double *M, scant_i_objective *o,
                                                      const scant_i_kruskal *factors, size_t mode)
{
    return o->kind->multiply(M, o, factors, mode);
}
/* Factors were set from outside: nothing known of the old ones holds. */
static inline void scant_i_objective_renew(scant_i_objective *o, const scant_i_kruskal *factors)
{
    o->kind->renew(o, factors);
}
static inline void scant_i_objective_free(scant_i_objective *o)
{
    if (o)
        o->kind->free(o);
}

/* l2 |A|^2 + l1 sum over rows of (sum over q of A[i,q])^2, over all modes */
double scant_i_penalty(const scant_i_factoring *how, const scant_i_kruskal *factors);
/* Adds a mode's penalties to a Gram matrix (rank x lanes). */
void scant_i_penalise(double *gram, const scant_i_factoring *how, const scant_i_kruskal *factors,
                      size_t mode);

#endif
