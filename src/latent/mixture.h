/* A mixture: components, their coupling to classes, and the factors that make rows.
 *
 * Notation of the code, from algebra to arrays:
 *   M components j, K classes k (a plain mixture has K = 1); stride is M rounded up to the vector length
 *   v[e][k]: evidence, one vector over the classes for each distinct kind of row e */
#ifndef SCANT_I_MIXTURE_H
#define SCANT_I_MIXTURE_H

#include "base/base.h"
#include "data/rows.h"
#include "family/family.h"
#include "latent/coupling.h"
#include "latent/evidence.h"
#include "latent/survey.h"

typedef struct scant_i_structure scant_i_structure; /* structure.h */

typedef struct scant_i_mixture {
    const scant_i_structure *structure; /* what ties rows; scant_i_structure_rows: nothing does */
    size_t ncomponents;                 /* M */
    size_t stride;
    size_t nclasses; /* K >= 1 */
    scant_i_coupling coupling;
    double *ties; /* nties: the structure's own parameters */
    size_t nties;
    size_t nfactors;
    scant_i_factor **factor;
} scant_i_mixture;

/* Of independent rows. W is zeroed; factors are the caller's to add. */
scant_status scant_i_mixture_new(scant_i_mixture **out, size_t ncomponents, size_t nclasses,
                                 size_t nfactors);
scant_status scant_i_mixture_copy(scant_i_mixture **out, const scant_i_mixture *mixture);
void scant_i_mixture_free(scant_i_mixture *mixture);
/* Sets W[k][j], which stays above 0 where it was: zeros are the mask, not what underflows. */
void scant_i_mixture_couple(scant_i_mixture *mixture, size_t j, size_t k, double share);
/* theta, W and ties of `from` into `to`, which has the same shape */
void scant_i_mixture_assign(scant_i_mixture *to, const scant_i_mixture *from);
/* All parameters as one vector and back: W, ties, then each factor's theta. */
size_t scant_i_mixture_size(const scant_i_mixture *mixture);
void scant_i_mixture_flatten(const scant_i_mixture *mixture, double *vector);
void scant_i_mixture_restore(scant_i_mixture *mixture, const double *vector);
/* Free parameters, with those of W. */
size_t scant_i_mixture_degrees(const scant_i_mixture *mixture);
double scant_i_mixture_log_prior(const scant_i_mixture *mixture);
/* Can the families make these rows? The message names the first cell that is not in a domain. */
scant_status scant_i_mixture_validate(const scant_i_mixture *mixture, const scant_rows *rows);
scant_status scant_i_mixture_prepare(scant_i_mixture *mixture); /* every factor's tables */

/* Sets `fallback` where every row of weight brings its own class proportions, so that none says
 * what they are in general; else there are none. */
scant_status scant_i_mixture_find_fallback(scant_i_mixture *mixture,
                                           const scant_i_evidence *evidence,
                                           const scant_i_survey *survey);

/* What is wrong with a component that `rows` rows (in expectation) fell to. */
typedef enum scant_i_health {
    SCANT_I_HEALTHY,
    SCANT_I_EMPTY,    /* no row is its own */
    SCANT_I_AT_FLOOR, /* a bound of its family held */
    SCANT_I_TOO_FEW   /* fewer rows than columns plus one */
} scant_i_health;
scant_i_health scant_i_mixture_health(const scant_i_mixture *mixture, size_t component,
                                      double rows);

/* Sets each factor's centre and scale from the columns' weighted means and standard deviations. A
 * column whose variance no double can hold is SCANT_ERR_INPUT. Without a survey at hand: with one. */
scant_status scant_i_mixture_set_units(scant_i_mixture *mixture, const scant_rows *rows,
                                       const scant_i_survey *survey);
scant_status scant_i_mixture_standardise(scant_i_mixture *mixture, const scant_rows *rows,
                                         size_t threads);

#endif
