#include "tensor/core.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "tensor/fibres.h"

static const size_t LARGEST_CORE = 1000000;

/* inverse[m] (size[m] x rank) = A_m (A_m' A_m)^-1; false where that is singular */
static scant_status invert(bool *whole, double *inverse, const scant_i_kruskal *k, size_t m)
{
    scant_status status = SCANT_OK;
    size_t rank = k->rank;
    double *gram = NULL, *L = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&gram, rank * k->lanes));
    SCANT_I_TRY(SCANT_I_NEW(&L, rank * rank));
    scant_i_kruskal_gram(gram, k, m);
    for (size_t p = 0; p < rank; p++)
        memcpy(L + p * rank, gram + p * k->lanes, rank * sizeof *L);
    *whole = scant_i_cholesky(L, rank);
    for (size_t i = 0; i < k->size[m] && *whole; i++) {
        memcpy(inverse + i * rank, k->mode[m] + i * k->lanes, rank * sizeof *inverse);
        scant_i_cholesky_solve(L, rank, inverse + i * rank);
    }
done:
    scant_i_free(gram);
    scant_i_free(L);
    return status;
}

/* to[q][c] += p[q] from[c] */
static void add_outer(double *to, const double *p, const double *from, size_t rank, size_t width)
{
    for (size_t q = 0; q < rank; q++)
        for (size_t c = 0; c < width; c++)
            to[q * width + c] += p[q] * from[c];
}

/* --- dense: the last modes are contracted first, their ranks standing behind --- */

static scant_status core_dense(double *core, const scant_i_tensor *t, double *const *inverse,
                               size_t rank)
{
    scant_status status = SCANT_OK;
    double *now = NULL, *next = NULL;
    size_t before = t->nentries, width = 1;
    const double *from = t->value;
    for (size_t m = t->order; m-- > 0; width *= rank) {
        before /= t->size[m];
        SCANT_I_TRY(SCANT_I_NEW(&next, before * rank * width));
        for (size_t a = 0; a < before; a++)
            for (size_t i = 0; i < t->size[m]; i++)
                add_outer(next + a * rank * width, inverse[m] + i * rank,
                          from + (a * t->size[m] + i) * width, rank, width);
        scant_i_free(now);
        from = now = next;
        next = NULL;
    }
    memcpy(core, now, width * sizeof *core);
done:
    scant_i_free(now);
    scant_i_free(next);
    return status;
}

/* --- sparse: a node's core is made of its children's --- */

typedef struct walk {
    const scant_i_fibres *f;
    double *const *inverse;
    size_t rank;
    double **sum; /* order: rank^(order - 1 - l), what is under the node of level l */
    size_t *width;
} walk;

static void sum_below(const walk *w, size_t l, size_t node)
{
    const scant_i_fibres *f = w->f;
    if (l + 1 == f->order) {
        w->sum[l][0] = f->value[node];
        return;
    }
    memset(w->sum[l], 0, w->width[l] * sizeof **w->sum);
    for (size_t child = f->start[l][node]; child < f->start[l][node + 1]; child++) {
        sum_below(w, l + 1, child);
        add_outer(w->sum[l], w->inverse[f->mode[l + 1]] + f->index[l + 1][child] * w->rank,
                  w->sum[l + 1], w->rank, w->width[l + 1]);
    }
}

static scant_status core_sparse(double *core, const scant_i_tensor *t, double *const *inverse,
                                size_t rank)
{
    scant_status status = SCANT_OK;
    scant_i_fibres *f = NULL;
    walk w = {.inverse = inverse, .rank = rank};
    SCANT_I_TRY(scant_i_fibres_new(&f, t, 0, false));
    w.f = f;
    SCANT_I_TRY(SCANT_I_NEW(&w.sum, t->order));
    SCANT_I_TRY(SCANT_I_NEW(&w.width, t->order));
    for (size_t l = t->order, width = 1; l-- > 0; width *= rank) {
        w.width[l] = width;
        SCANT_I_TRY(SCANT_I_NEW(&w.sum[l], width));
    }
    for (size_t node = 0; node < f->count[0]; node++) {
        sum_below(&w, 0, node);
        add_outer(core, inverse[0] + f->index[0][node] * rank, w.sum[0], rank, w.width[0]);
    }
done:
    for (size_t l = 0; w.sum && l < t->order; l++)
        scant_i_free(w.sum[l]);
    scant_i_free(w.sum);
    scant_i_free(w.width);
    scant_i_fibres_free(f);
    return status;
}

/* A component's weight is shared equally by its columns, so that a perfect core has ones. */
static double consistency(const double *core, size_t cells, size_t order, size_t rank,
                          const double *weight)
{
    double off = 0, share = -1 / (double)order;
    for (size_t t = 0; t < cells; t++) {
        size_t rest = t / rank, last = t % rank;
        double g = core[t] * pow(weight[last], share);
        bool diagonal = true;
        for (size_t m = 1; m < order; m++, rest /= rank) {
            g *= pow(weight[rest % rank], share);
            diagonal = diagonal && rest % rank == last;
        }
        off += (g - diagonal) * (g - diagonal);
    }
    return 100 * (1 - off / (double)rank);
}

scant_status scant_i_core_consistency(double *out, const scant_i_tensor *tensor,
                                      const scant_i_kruskal *factors, const double *weight)
{
    scant_status status = SCANT_OK;
    size_t order = tensor->order, rank = factors->rank, cells = 1;
    double **inverse = NULL, *core = NULL;
    bool whole = true;
    *out = NAN;
    for (size_t m = 0; m < order; m++)
        if (__builtin_mul_overflow(cells, rank, &cells) || cells > LARGEST_CORE)
            return SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&inverse, order));
    SCANT_I_TRY(SCANT_I_NEW(&core, cells));
    for (size_t m = 0; m < order && whole; m++) {
        SCANT_I_TRY(SCANT_I_NEW(&inverse[m], tensor->size[m] * rank));
        SCANT_I_TRY(invert(&whole, inverse[m], factors, m));
    }
    if (!whole)
        goto done;
    SCANT_I_TRY(tensor->index ? core_sparse(core, tensor, inverse, rank)
                              : core_dense(core, tensor, inverse, rank));
    *out = consistency(core, cells, order, rank, weight);
done:
    for (size_t m = 0; inverse && m < order; m++)
        scant_i_free(inverse[m]);
    scant_i_free(inverse);
    scant_i_free(core);
    return status;
}
