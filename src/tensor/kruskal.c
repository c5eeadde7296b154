#include "tensor/kruskal.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "tensor/kernels.h"

enum { LANES = 8 };

scant_status scant_i_kruskal_new(scant_i_kruskal **out, size_t order, const size_t *size,
                                 size_t rank)
{
    scant_status status = SCANT_OK;
    scant_i_kruskal *k = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&k, 1));
    *k = (scant_i_kruskal){.order = order, .rank = rank, .lanes = scant_i_round_up(rank, LANES)};
    SCANT_I_TRY(SCANT_I_NEW(&k->size, order));
    SCANT_I_TRY(SCANT_I_NEW(&k->mode, order));
    memcpy(k->size, size, order * sizeof *size);
    for (size_t m = 0; m < order; m++)
        SCANT_I_TRY(SCANT_I_NEW(&k->mode[m], size[m] * k->lanes));
    *out = k;
    k = NULL;
done:
    scant_i_kruskal_free(k);
    return status;
}

void scant_i_kruskal_free(scant_i_kruskal *k)
{
    if (!k)
        return;
    for (size_t m = 0; k->mode && m < k->order; m++)
        scant_i_free(k->mode[m]);
    scant_i_free(k->mode);
    scant_i_free(k->size);
    scant_i_free(k);
}

void scant_i_kruskal_copy(scant_i_kruskal *to, const scant_i_kruskal *from)
{
    for (size_t m = 0; m < from->order; m++)
        memcpy(to->mode[m], from->mode[m], from->size[m] * from->lanes * sizeof(double));
}

size_t scant_i_kruskal_count(const scant_i_kruskal *k, size_t lo, size_t hi)
{
    size_t count = 1;
    for (size_t m = lo; m < hi; m++)
        count *= k->size[m];
    return count;
}

const double *scant_i_kruskal_rows(const scant_i_kruskal *k, size_t lo, size_t hi, size_t first,
                                   size_t n, double *scratch)
{
    size_t lanes = k->lanes;
    if (hi == lo + 1)
        return k->mode[lo] + first * lanes;
    for (size_t q = 0; q < lanes && hi == lo; q++)
        scratch[q] = 1;
    for (size_t t = 0; t < n && hi > lo;) { /* as long as only the last mode's index moves */
        size_t size = k->size[hi - 1], index = (first + t) % size;
        size_t run = scant_i_min(n - t, size - index);
        double *out = scratch + t * lanes, *end = out + (run - 1) * lanes;
        const double *prefix = scant_i_kruskal_rows(k, lo, hi - 1, (first + t) / size, 1, end);
        scant_i_tensor_kernels_now()->multiply_rows(out, prefix, k->mode[hi - 1] + index * lanes,
                                                    run, lanes);
        t += run;
    }
    return scratch;
}

void scant_i_kruskal_gram(double *gram, const scant_i_kruskal *k, size_t m)
{
    memset(gram, 0, k->rank * k->lanes * sizeof *gram);
    scant_i_product(gram, k->mode[m], k->lanes, k->mode[m], k->rank, k->size[m], k->lanes);
}

void scant_i_kruskal_grams(double *product, const scant_i_kruskal *k, double *const *gram,
                           size_t except)
{
    size_t n = k->rank * k->lanes;
    for (size_t j = 0; j < k->rank; j++)
        for (size_t q = 0; q < k->lanes; q++)
            product[j * k->lanes + q] = q < k->rank;
    for (size_t m = 0; m < k->order; m++)
        for (size_t t = 0; t < n && m != except; t++)
            product[t] *= gram[m][t];
}

static double length(const scant_i_kruskal *k, size_t m, size_t q)
{
    double sum = 0;
    for (size_t i = 0; i < k->size[m]; i++)
        sum += k->mode[m][i * k->lanes + q] * k->mode[m][i * k->lanes + q];
    return sqrt(sum);
}

static void swap_components(scant_i_kruskal *k, double *weight, size_t a, size_t b)
{
    double kept = weight[a];
    weight[a] = weight[b];
    weight[b] = kept;
    for (size_t m = 0; m < k->order; m++)
        for (size_t i = 0; i < k->size[m]; i++) {
            double *row = k->mode[m] + i * k->lanes;
            kept = row[a];
            row[a] = row[b];
            row[b] = kept;
        }
}

scant_status scant_i_kruskal_squares(double *squares, const scant_i_kruskal *k)
{
    scant_status status = SCANT_OK;
    double *gram = NULL, *product = NULL;
    size_t n = k->rank * k->lanes;
    *squares = 0;
    SCANT_I_TRY(SCANT_I_NEW(&gram, n));
    SCANT_I_TRY(SCANT_I_NEW(&product, n));
    for (size_t t = 0; t < n; t++)
        product[t] = 1;
    for (size_t m = 0; m < k->order; m++) {
        scant_i_kruskal_gram(gram, k, m);
        for (size_t t = 0; t < n; t++)
            product[t] *= gram[t];
    }
    for (size_t t = 0; t < n; t++)
        *squares += product[t];
done:
    scant_i_free(gram);
    scant_i_free(product);
    return status;
}

void scant_i_kruskal_normalise(double *weight, scant_i_kruskal *k)
{
    for (size_t q = 0; q < k->rank; q++) {
        weight[q] = 1;
        for (size_t m = 0; m < k->order; m++) {
            double norm = length(k, m, q);
            weight[q] *= norm;
            for (size_t i = 0; i < k->size[m] && norm > 0; i++)
                k->mode[m][i * k->lanes + q] /= norm;
        }
    }
    for (size_t q = 0; q < k->rank; q++) {
        size_t largest = q;
        for (size_t s = q + 1; s < k->rank; s++)
            if (weight[s] > weight[largest])
                largest = s;
        if (largest != q)
            swap_components(k, weight, q, largest);
    }
}

/* cosine[a * rank + b], multiplied over modes */
static void congruences(double *cosine, const scant_i_kruskal *a, const scant_i_kruskal *b)
{
    for (size_t p = 0; p < a->rank; p++)
        for (size_t q = 0; q < b->rank; q++) {
            double product = 1;
            for (size_t m = 0; m < a->order; m++) {
                double dot = 0, norm = length(a, m, p) * length(b, m, q);
                for (size_t i = 0; i < a->size[m]; i++)
                    dot += a->mode[m][i * a->lanes + p] * b->mode[m][i * b->lanes + q];
                product *= norm > 0 ? dot / norm : 0;
            }
            cosine[p * b->rank + q] = product;
        }
}

scant_status scant_i_kruskal_match(size_t *match, double *congruence, const scant_i_kruskal *a,
                                   const scant_i_kruskal *b)
{
    scant_status status = SCANT_OK;
    size_t rank = a->rank;
    double *cosine = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&cosine, rank * rank));
    congruences(cosine, a, b);
    for (size_t round = 0; round < rank; round++) {
        size_t best = 0;
        for (size_t t = 1; t < rank * rank; t++)
            if (cosine[t] > cosine[best])
                best = t;
        match[best % rank] = best / rank;
        congruence[best % rank] = cosine[best];
        for (size_t t = 0; t < rank; t++) /* both are taken */
            cosine[best / rank * rank + t] = cosine[t * rank + best % rank] = -INFINITY;
    }
done:
    scant_i_free(cosine);
    return status;
}
