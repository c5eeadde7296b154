#include "tensor/start.h"

#include <math.h>

#include "base/random.h"
#include "math/linear.h"

enum { MODES = 64 /* streams of a start */ };

static const double FILL = 0.01; /* share of a column's mean that zeros are filled with, at most */

static scant_i_random stream_of(uint64_t seed, size_t start, size_t mode)
{
    return scant_i_random_new(seed, start * MODES + mode);
}

void scant_i_start_random(scant_i_kruskal *k, const scant_i_factoring *how, uint64_t seed,
                          size_t start)
{
    for (size_t m = 0; m < k->order; m++) {
        scant_i_random random = stream_of(seed, start, m);
        for (size_t i = 0; i < k->size[m] && !how->fixed[m]; i++)
            for (size_t q = 0; q < k->rank; q++)
                k->mode[m][i * k->lanes + q] = scant_i_random_uniform(&random);
    }
}

/* Column q of the mode: the heavier sign of u, and a little where there is nothing. */
static void take_column(scant_i_kruskal *k, size_t mode, size_t q, const double *u,
                        scant_i_random *random)
{
    size_t n = k->size[mode];
    double weight[2] = {0}, mean = 0;
    for (size_t i = 0; i < n; i++) {
        weight[u[i] > 0] += u[i] * u[i];
        mean += fabs(u[i]) / (double)n;
    }
    double sign = weight[1] >= weight[0] ? 1 : -1;
    for (size_t i = 0; i < n; i++) {
        double little = FILL * mean * scant_i_random_uniform(random);
        k->mode[mode][i * k->lanes + q] = fmax(sign * u[i], little);
    }
}

/* Left singular vectors of M (n x rank), largest first, become columns of the mode. */
static scant_status take_vectors(scant_i_kruskal *k, size_t mode, const double *M,
                                 scant_i_random *random)
{
    scant_status status = SCANT_OK;
    size_t rank = k->rank, n = k->size[mode];
    double *gram = NULL, *value = NULL, *u = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&gram, rank * rank));
    SCANT_I_TRY(SCANT_I_NEW(&value, rank));
    SCANT_I_TRY(SCANT_I_NEW(&u, n));
    for (size_t i = 0; i < n; i++)
        for (size_t p = 0; p < rank; p++)
            for (size_t q = 0; q < rank; q++)
                gram[p * rank + q] += M[i * k->lanes + p] * M[i * k->lanes + q];
    SCANT_I_TRY(scant_i_eigen(gram, rank, value));
    for (size_t q = 0; q < rank; q++) {
        const double *vector = gram + (rank - 1 - q) * rank; /* ascending: the last is largest */
        for (size_t i = 0; i < n; i++) {
            u[i] = 0;
            for (size_t p = 0; p < rank; p++)
                u[i] += M[i * k->lanes + p] * vector[p];
        }
        take_column(k, mode, q, u, random);
    }
done:
    scant_i_free(gram);
    scant_i_free(value);
    scant_i_free(u);
    return status;
}

scant_status scant_i_start_singular(scant_i_kruskal *k, scant_i_objective *o, uint64_t seed,
                                    size_t start)
{
    scant_status status = SCANT_OK;
    scant_i_kruskal *normal = NULL;
    double *M = NULL;
    SCANT_I_TRY(scant_i_kruskal_new(&normal, k->order, k->size, k->rank));
    for (size_t m = 0; m < k->order; m++) {
        scant_i_random random = stream_of(seed, start, m);
        for (size_t t = 0; t < k->size[m] * k->lanes; t++)
            normal->mode[m][t] = t % k->lanes < k->rank ? scant_i_random_normal(&random) : 0;
    }
    scant_i_objective_renew(o, normal);
    for (size_t m = 0; m < k->order; m++) {
        if (o->how->fixed[m])
            continue;
        scant_i_random random = stream_of(seed, start, k->order + m);
        SCANT_I_TRY(SCANT_I_NEW(&M, k->size[m] * k->lanes));
        SCANT_I_TRY(scant_i_objective_multiply(M, o, normal, m));
        SCANT_I_TRY(take_vectors(k, m, M, &random));
        scant_i_free(M);
        M = NULL;
    }
done:
    scant_i_free(M);
    scant_i_kruskal_free(normal);
    return status;
}
