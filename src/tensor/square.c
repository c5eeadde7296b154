/* Alternating nonnegative least squares. For one mode, with M the tensor times all other factors
 * (layout.h) and G the product, element by element, of the others' Gram matrices,
 *
 *   minimise |X - [A_1 .. A_N]|^2 + l2 |A_m|^2 + l1 sum_i (sum_q A_m[i,q])^2
 *
 * is a nonnegative least squares problem with matrix G + l2 I + l1 11' and a right-hand side M[i] a
 * row (eqs. 96 to 98, 105, 106). The residual needs no pass of its own:
 *
 *   |X - [A_1 .. A_N]|^2 = |X|^2 - 2 sum M A_m + sum of the product of all Gram matrices. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "math/linear.h"
#include "tensor/objective.h"

typedef struct square {
    scant_i_objective objective;
    scant_i_layout *layout;
    size_t order;
    double **gram;  /* order: rank x lanes */
    double *matrix; /* rank x lanes */
    double *M;      /* the longest mode's size x lanes */
    double inner;   /* sum M A of the mode updated last */
    bool has_inner;
} square;

double scant_i_penalty(const scant_i_factoring *how, const scant_i_kruskal *k)
{
    double total = 0;
    for (size_t m = 0; m < k->order; m++) {
        if (how->fixed[m] || (how->l2[m] == 0 && how->l1[m] == 0))
            continue;
        for (size_t i = 0; i < k->size[m]; i++) {
            const double *row = k->mode[m] + i * k->lanes;
            double sum = 0, squares = 0;
            for (size_t q = 0; q < k->rank; q++) {
                sum += row[q];
                squares += row[q] * row[q];
            }
            total += how->l2[m] * squares + how->l1[m] * sum * sum;
        }
    }
    return total;
}

void scant_i_penalise(double *gram, const scant_i_factoring *how, const scant_i_kruskal *k,
                      size_t mode)
{
    for (size_t p = 0; p < k->rank; p++)
        for (size_t q = 0; q < k->rank; q++)
            gram[p * k->lanes + q] += how->l1[mode] + (p == q ? how->l2[mode] : 0);
}

static void square_free(scant_i_objective *o)
{
    square *s = (square *)o;
    scant_i_layout_free(s->layout);
    for (size_t m = 0; s->gram && m < s->order; m++)
        scant_i_free(s->gram[m]);
    scant_i_free(s->gram);
    scant_i_free(s->matrix);
    scant_i_free(s->M);
    scant_i_free(s);
}

static void take_factor(square *s, const scant_i_kruskal *k, size_t mode)
{
    scant_i_kruskal_gram(s->gram[mode], k, mode);
    scant_i_layout_touch(s->layout, mode);
}

static void square_renew(scant_i_objective *o, const scant_i_kruskal *k)
{
    square *s = (square *)o;
    for (size_t m = 0; m < k->order; m++)
        take_factor(s, k, m);
    s->has_inner = false;
}

static scant_status square_update(scant_i_objective *o, scant_i_kruskal *k, size_t mode,
                                  double *kkt)
{
    scant_status status = SCANT_OK;
    square *s = (square *)o;
    const scant_i_factoring *how = o->how;
    size_t n = k->size[mode] * k->lanes;
    double squared = 0;
    SCANT_I_TRY(scant_i_layout_multiply(s->M, s->layout, k, mode, how->threads));
    scant_i_kruskal_grams(s->matrix, k, s->gram, mode);
    scant_i_penalise(s->matrix, how, k, mode);
    scant_i_nnls problem = {.rank = k->rank,
                            .lanes = k->lanes,
                            .gram = s->matrix,
                            .cross = s->M,
                            .x = k->mode[mode],
                            .nrows = k->size[mode]};
    SCANT_I_TRY(scant_i_nnls_residual(&squared, &problem, how->threads));
    double cross = scant_i_dot_fixed(s->M, s->M, n);
    *kkt = cross > 0 ? sqrt(squared / cross) : 0;
    SCANT_I_TRY(scant_i_nnls_solve(&problem, how->solver, how->threads));
    take_factor(s, k, mode);
    s->inner = scant_i_dot_fixed(s->M, k->mode[mode], n);
    s->has_inner = true;
done:
    return status;
}

static scant_status square_evaluate(scant_i_goodness *out, scant_i_objective *o,
                                    const scant_i_kruskal *k)
{
    square *s = (square *)o;
    if (!s->has_inner) {
        scant_status status = scant_i_layout_multiply(s->M, s->layout, k, 0, o->how->threads);
        if (status != SCANT_OK)
            return status;
        s->inner = scant_i_dot_fixed(s->M, k->mode[0], k->size[0] * k->lanes);
        s->has_inner = true;
    }
    double model = 0;
    scant_i_kruskal_grams(s->matrix, k, s->gram, k->order);
    for (size_t t = 0; t < k->rank * k->lanes; t++)
        model += s->matrix[t];
    double residual = scant_i_clip(o->squares - 2 * s->inner + model);
    out->rssr = o->squares > 0 ? residual / o->squares : 0;
    out->loss = residual + scant_i_penalty(o->how, k);
    return SCANT_OK;
}

static scant_status square_multiply(double *M, scant_i_objective *o, const scant_i_kruskal *k,
                                    size_t mode)
{
    return scant_i_layout_multiply(M, ((square *)o)->layout, k, mode, o->how->threads);
}

static const scant_i_objective_kind square_kind = {square_update, square_evaluate, square_multiply,
                                                   square_renew, square_free};

scant_status scant_i_objective_square(scant_i_objective **out, const scant_i_tensor *tensor,
                                      const scant_i_factoring *how, size_t rank)
{
    scant_status status = SCANT_OK;
    size_t lanes = scant_i_round_up(rank, 8), longest = 0;
    square *s = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&s, 1));
    s->objective.kind = &square_kind;
    s->objective.how = how;
    s->order = tensor->order;
    SCANT_I_TRY(tensor->index ? scant_i_layout_sparse(&s->layout, tensor, lanes)
                              : scant_i_layout_dense(&s->layout, tensor, lanes));
    s->objective.squares = s->objective.scale = s->layout->squares;
    SCANT_I_TRY(SCANT_I_NEW(&s->gram, tensor->order));
    for (size_t m = 0; m < tensor->order; m++) {
        longest = scant_i_max(longest, tensor->size[m]);
        SCANT_I_TRY(SCANT_I_NEW(&s->gram[m], rank * lanes));
    }
    SCANT_I_TRY(SCANT_I_NEW(&s->matrix, rank * lanes));
    SCANT_I_TRY(SCANT_I_NEW(&s->M, longest * lanes));
    *out = &s->objective;
    s = NULL;
done:
    if (s)
        square_free(&s->objective);
    return status;
}
