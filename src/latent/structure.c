/* Independent rows, see structure.h:
 *
 *   P(k | x_i, e_i) = sum_j r_ij share[k][j] u_ik / sum_l share[l][j] u_il
 *
 * u_ik is what evidence e_i says for class k in addition to the coupling: v_ik, or v_ik / P_k where it stands in
 * place of the proportions P, which are in the shares; 1 where nothing is known. */
#include "latent/structure.h"

#include <math.h>

static double speaks_for(const scant_i_posterior *posterior, size_t entry, const double *prior,
                         size_t k)
{
    double v = scant_i_posterior_informative(posterior, entry)[k];
    if (posterior->evidence->kind[entry] != SCANT_I_PRIOR)
        return v;
    return prior[k] > 0 ? v / prior[k] : 0;
}

/* One row, from its responsibilities, normalised; the proportions speak where none has mass. */
static void name_row(const scant_i_posterior *posterior, const scant_i_block *block, size_t i,
                     const scant_i_naming *naming, const double *r, bool mass, double *out)
{
    const scant_i_mixture *m = posterior->mixture;
    const double *share = naming->share;
    size_t K = naming->nclasses, entry = scant_i_block_entry(posterior->evidence, block, i);
    bool known = !scant_i_block_unknown(block, i);
    double total = 0;
    for (size_t k = 0; k < K; k++)
        out[k] = 0;

    for (size_t j = 0; mass && j < m->ncomponents; j++) {
        double a = known ? 0 : 1;
        for (size_t k = 0; known && k < K; k++)
            a += share[k * m->stride + j] * speaks_for(posterior, entry, naming->prior, k);
        for (size_t k = 0; k < K && a > 0; k++)
            out[k] += r[j] * share[k * m->stride + j] *
                      (known ? speaks_for(posterior, entry, naming->prior, k) / a : 1);
    }

    for (size_t k = 0; k < K; k++)
        total += out[k];
    for (size_t k = 0; k < K; k++)
        out[k] = total > 0 ? out[k] / total : naming->prior[k];
}

static void classes(const scant_i_posterior *posterior, const scant_i_block *block,
                    const scant_i_naming *naming, const double *r, const double *loglik,
                    double *out)
{
    size_t stride = posterior->mixture->stride;
    for (size_t i = 0; i < block->nrows; i++)
        name_row(posterior, block, i, naming, r + i * stride, loglik[i] > -INFINITY,
                 out + scant_i_block_row(block, i) * naming->nclasses);
}

const scant_i_structure scant_i_structure_rows = {
    .name = "rows",
    .room = scant_i_posterior_room,
    .expect = scant_i_posterior_block,
    .counts = scant_i_posterior_counts,
    .classes = classes,
};
