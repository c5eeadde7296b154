/* Auditing from the inside: one mixture whose components are the classes, its information, and the
 * test of what it rests on.
 *
 * k predictors c, l classes j and answers a; p_cja = P(c answers a | class j), P_j the classes'
 * shares. Coordinates of the free parameters:
 *   confusion  log(p_cja / p_cj,l-1), a < l - 1, at (c l + j)(l - 1) + a
 *   symmetric  log(theta_c / (1 - theta_c)) at c
 *   prior      log(P_j / P_l-1), j < l - 1, behind all others, where it is estimated */
#ifndef SCANT_I_AUDIT_H
#define SCANT_I_AUDIT_H

#include <scant/audit.h>
#include "data/votes.h"
#include "latent/engine.h"

/* What is fitted: votes, a family for them, and the classes' shares or NULL: to be estimated. */
typedef struct scant_i_audit_task {
    const scant_votes *votes;
    const scant_i_family *family;
    const double *prior;
    const scant_audit_options *options;
    const scant_i_cancel *cancel; /* as of a problem */
} scant_i_audit_task;

/* fit.c: the maximum, by EM from the shares of votes and then by Newton steps where the information
 * is small enough to be had at each. */
scant_status scant_i_audit_fit(scant_i_run **out, const scant_i_audit_task *task);
/* A mixture with a component a class, to be fitted. */
scant_status scant_i_audit_lay_out(scant_i_mixture **out, const scant_i_audit_task *task);
/* Evidence of the votes' true classes. */
scant_status scant_i_audit_evidence(scant_i_evidence *out, const scant_votes *votes);

static inline const double *scant_i_audit_table(const scant_i_mixture *m, size_t predictor,
                                                size_t class_index)
{
    const scant_i_factor *f = m->factor[0];
    size_t l = m->nclasses;
    return f->theta + (class_index * f->ncolumns + predictor) * l; /* l answers */
}
static inline double scant_i_audit_share(const scant_i_mixture *m, size_t class_index)
{
    return m->coupling.W[class_index * m->stride + class_index];
}
/* P(predictor answers wrongly) */
double scant_i_audit_error(const scant_i_mixture *m, size_t predictor);

/* --- information.c --- */

/* Observed information about the coordinates, with the pseudo-votes' part apart so that what the
 * votes say can be told from what was put in. */
typedef struct scant_i_audit_information {
    size_t n;                /* coordinates */
    bool whole;              /* false: too many coordinates, and each predictor is seen by itself */
    double *observed;        /* n x n, or each predictor's block where not whole */
    double *pseudo;          /* likewise: what one pseudo-vote a cell adds */
    double *gradient;        /* n: of the objective, pseudo-votes included */
    double *S, *N;           /* expected answers (k l x l), and items of each class (l) */
    double *answers, *right; /* k: weight of a predictor's answers, and of those expected right */
    double loglik, weight;
} scant_i_audit_information;

/* More coordinates than this are taken predictor by predictor. */
enum { SCANT_I_AUDIT_WHOLE = 2000 };

scant_status scant_i_audit_inform(scant_i_audit_information *out, scant_i_mixture *mixture,
                                  const scant_i_audit_task *task);
void scant_i_audit_information_clear(scant_i_audit_information *information);
/* First coordinate and number of a predictor's, or (predictor = k) of the prior's. */
size_t scant_i_audit_first(const scant_i_mixture *m, size_t predictor);
size_t scant_i_audit_count(const scant_i_mixture *m);
bool scant_i_audit_is_symmetric(const scant_i_mixture *m);

/* Inverse of observed + votes * pseudo, as the information is laid out; `*singular`: it has none,
 * and *covariance is then undefined. */
scant_status scant_i_audit_covariance(double *covariance, bool *singular,
                                      const scant_i_audit_information *information,
                                      const scant_i_mixture *mixture, double votes);
/* g' covariance g, with g over a predictor's own coordinates and the prior's (behind them). */
double scant_i_audit_variance(const scant_i_audit_information *information,
                              const scant_i_mixture *mixture, const double *covariance,
                              size_t predictor, const double *g);

/* --- dependence.c --- */

/* A score test of each pair's interaction in error; `covariance` NULL: there is none, and the test
 * does without it, which makes it careful. */
scant_status scant_i_audit_depend(scant_dependence *out, scant_i_mixture *mixture,
                                  const scant_i_audit_task *task,
                                  const scant_i_audit_information *information,
                                  const double *covariance);

#endif
