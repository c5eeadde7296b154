/* Regularized Gaussians (classwise.h). A pass costs 4 n K d^2 flop, an update O(K d^3). */
#include "train/classwise.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "train/ridge.h"

static const double LOG_2_PI = 1.8378770664093453;
enum { LANES = 8 };

void scant_i_classwise_free(void *fitted)
{
    scant_i_classwise *g = fitted;
    if (!g)
        return;
    scant_i_free(g->proportion);
    scant_i_free(g->mean);
    scant_i_free(g->covariance);
    scant_i_free(g->whiten);
    scant_i_free(g->shift);
    scant_i_free(g->constant);
    scant_i_free(g);
}

scant_status scant_i_classwise_new(scant_i_classwise **out, size_t d, size_t K)
{
    scant_status status = SCANT_OK;
    scant_i_classwise *g = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&g, 1));
    g->d = d;
    g->K = K;
    g->lanes = scant_i_round_up(d, LANES);
    SCANT_I_TRY(SCANT_I_NEW(&g->proportion, K));
    SCANT_I_TRY(SCANT_I_NEW(&g->mean, K * d));
    SCANT_I_TRY(SCANT_I_NEW(&g->covariance, K * d * (d + 1) / 2));
    SCANT_I_TRY(SCANT_I_NEW(&g->whiten, K * d * g->lanes));
    SCANT_I_TRY(SCANT_I_NEW(&g->shift, K * g->lanes));
    SCANT_I_TRY(SCANT_I_NEW(&g->constant, K));
    *out = g;
    g = NULL;
done:
    scant_i_classwise_free(g);
    return status;
}

void scant_i_classwise_room_clear(scant_i_classwise_room *room)
{
    scant_i_free(room->tile);
    scant_i_free(room->y);
    scant_i_free(room->scatter);
    scant_i_free(room->sum);
    scant_i_free(room->count);
    scant_i_free(room->triangle);
    *room = (scant_i_classwise_room){0};
}

scant_status scant_i_classwise_room_new(scant_i_classwise_room *out, const scant_i_classwise *g)
{
    scant_status status = SCANT_OK;
    *out = (scant_i_classwise_room){0};
    SCANT_I_TRY(SCANT_I_NEW(&out->tile, g->d * SCANT_I_TILE));
    SCANT_I_TRY(SCANT_I_NEW(&out->y, SCANT_I_TILE * g->lanes));
    SCANT_I_TRY(SCANT_I_NEW(&out->scatter, g->K * g->d * g->lanes));
    SCANT_I_TRY(SCANT_I_NEW(&out->sum, g->K * g->d));
    SCANT_I_TRY(SCANT_I_NEW(&out->count, g->K));
    SCANT_I_TRY(SCANT_I_NEW(&out->triangle, 2 * g->d * g->d));
done:
    if (status != SCANT_OK)
        scant_i_classwise_room_clear(out);
    return status;
}

static void fill_tile(double *tile, const double *x, size_t n, size_t d)
{
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < d; c++)
            tile[c * SCANT_I_TILE + i] = x[i * d + c];
}

void scant_i_classwise_log(double *logp, const scant_i_classwise *g, const double *x, size_t n,
                           scant_i_classwise_room *room)
{
    size_t d = g->d, K = g->K, lanes = g->lanes;
    fill_tile(room->tile, x, n, d);
    for (size_t k = 0; k < K; k++) {
        const double *shift = g->shift + k * lanes;
        if (isinf(g->constant[k])) {
            for (size_t i = 0; i < n; i++)
                logp[i * K + k] = -INFINITY;
            continue;
        }
        for (size_t i = 0; i < n; i++)
            for (size_t a = 0; a < lanes; a++)
                room->y[i * lanes + a] = -shift[a];
        scant_i_product(room->y, room->tile, SCANT_I_TILE, g->whiten + k * d * lanes, n, d, lanes);
        for (size_t i = 0; i < n; i++) {
            const double *y = room->y + i * lanes;
            logp[i * K + k] = g->constant[k] - scant_i_dot(y, y, lanes) / 2;
        }
    }
}

void scant_i_classwise_clear(const scant_i_classwise *g, scant_i_classwise_room *room)
{
    memset(room->scatter, 0, g->K * g->d * g->lanes * sizeof *room->scatter);
    memset(room->sum, 0, g->K * g->d * sizeof *room->sum);
    memset(room->count, 0, g->K * sizeof *room->count);
}

void scant_i_classwise_add(const scant_i_classwise *g, const double *x, const double *r, size_t n,
                           scant_i_classwise_room *room)
{
    size_t d = g->d, K = g->K, lanes = g->lanes;
    fill_tile(room->tile, x, n, d);
    for (size_t k = 0; k < K; k++) {
        double *sum = room->sum + k * d, any = 0;
        for (size_t i = 0; i < n; i++) {
            double weight = r[i * K + k], *y = room->y + i * lanes;
            any += weight;
            for (size_t c = 0; c < d; c++)
                sum[c] += y[c] = weight * x[i * d + c];
            for (size_t c = d; c < lanes; c++)
                y[c] = 0;
        }
        room->count[k] += any;
        if (any > 0)
            scant_i_product_transposed(room->scatter + k * d * lanes, room->tile, SCANT_I_TILE,
                                       room->y, n, d, lanes);
    }
}

/* Sigma_k (full, d x d, destroyed) into the tables of class k. */
static scant_status set_class(scant_i_classwise *g, size_t k, double *sigma, double *inverse)
{
    size_t d = g->d, lanes = g->lanes;
    double *packed = g->covariance + k * d * (d + 1) / 2, *whiten = g->whiten + k * d * lanes;
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b <= a; b++)
            *packed++ = sigma[a * d + b];
    if (!scant_i_cholesky(sigma, d))
        return scant_i_fail(SCANT_ERR_INPUT, "the covariance of class %zu is not positive definite",
                            k + 1);
    g->constant[k] = (g->proportion[k] > 0 ? log(g->proportion[k]) : -INFINITY) -
                     (scant_i_cholesky_logdet(sigma, d) + (double)d * LOG_2_PI) / 2;
    memset(inverse, 0, d * d * sizeof *inverse);
    for (size_t a = 0; a < d; a++)
        inverse[a * d + a] = 1;
    scant_i_forward_solve_all(sigma, d, inverse, d);
    for (size_t a = 0; a < d; a++) {
        g->shift[k * lanes + a] = scant_i_dot(inverse + a * d, g->mean + k * d, d);
        for (size_t c = 0; c < d; c++)
            whiten[c * lanes + a] = inverse[a * d + c];
    }
    return SCANT_OK;
}

scant_status scant_i_classwise_update(scant_i_classwise *g, scant_i_classwise_room *room)
{
    size_t d = g->d, K = g->K, lanes = g->lanes;
    double *tied = room->triangle + d * d, *sigma = room->triangle, total = 0, prior = (double)d;
    memset(tied, 0, d * d * sizeof *tied);
    for (size_t k = 0; k < K; k++) {
        double *S = room->scatter + k * d * lanes, *m = g->mean + k * d, N = room->count[k];
        for (size_t c = 0; c < d; c++)
            m[c] = N > 0 ? room->sum[k * d + c] / N : 0;
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++) {
                S[a * lanes + b] -= N * m[a] * m[b];
                tied[a * d + b] += S[a * lanes + b];
            }
        total += N;
    }
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++)
            tied[a * d + b] = (tied[a * d + b] + (a == b ? prior : 0)) / (total + prior);
    for (size_t k = 0; k < K; k++) {
        const double *S = room->scatter + k * d * lanes;
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++)
                sigma[a * d + b] = ((S[a * lanes + b] + S[b * lanes + a]) / 2 +
                                    prior * (tied[a * d + b] + tied[b * d + a]) / 2) /
                                   (room->count[k] + prior);
        /* `tied` is not needed after the last class, but its room is while classes are left */
        double *inverse = room->scatter + k * d * lanes; /* S_k has done its part */
        scant_status status = set_class(g, k, sigma, inverse);
        if (status != SCANT_OK)
            return status;
    }
    return SCANT_OK;
}

scant_status scant_i_classwise_fit(scant_i_classwise *g, const double *x, const double *r, size_t n,
                                   scant_i_classwise_room *room)
{
    scant_i_classwise_clear(g, room);
    for (size_t i = 0; i < n; i += SCANT_I_TILE)
        scant_i_classwise_add(g, x + i * g->d, r + i * g->K, scant_i_min(SCANT_I_TILE, n - i),
                              room);
    double total = scant_i_sum(room->count, g->K);
    for (size_t k = 0; k < g->K; k++)
        g->proportion[k] = room->count[k] / total;
    return scant_i_classwise_update(g, room);
}

scant_status scant_i_classwise_probabilities(double *p, const scant_i_classwise *g, const double *x,
                                             size_t n)
{
    scant_i_classwise_room room;
    scant_status status = scant_i_classwise_room_new(&room, g);
    for (size_t i = 0; i < n && status == SCANT_OK; i += SCANT_I_TILE)
        scant_i_classwise_log(p + i * g->K, g, x + i * g->d, scant_i_min(SCANT_I_TILE, n - i),
                              &room);
    for (size_t i = 0; i < n && status == SCANT_OK; i++)
        (void)scant_i_softmax(p + i * g->K, g->K);
    scant_i_classwise_room_clear(&room);
    return status;
}

/* --- documents --- */

scant_status scant_i_classwise_to_json(json_t *to, const scant_i_classwise *g)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(scant_i_put_table(to, "proportions", g->proportion, 1, g->K));
    SCANT_I_TRY(scant_i_put_table(to, "means", g->mean, g->K, g->d));
    SCANT_I_TRY(scant_i_put_table(to, "covariances", g->covariance, g->K, g->d * (g->d + 1) / 2));
done:
    return status;
}

scant_status scant_i_classwise_from_json(scant_i_classwise **out, const scant_i_place *place,
                                         const json_t *from, size_t d, size_t K)
{
    scant_status status = SCANT_OK;
    scant_i_classwise *g = NULL;
    double *sigma = NULL, *proportion = NULL, *mean = NULL, *covariance = NULL;
    *out = NULL;
    SCANT_I_TRY(scant_i_classwise_new(&g, d, K));
    SCANT_I_TRY(SCANT_I_NEW(&sigma, 2 * d * d));
    SCANT_I_TRY(scant_i_get_table(&proportion, place, from, "proportions", 1, K));
    SCANT_I_TRY(scant_i_get_table(&mean, place, from, "means", K, d));
    SCANT_I_TRY(scant_i_get_table(&covariance, place, from, "covariances", K, d * (d + 1) / 2));
    memcpy(g->proportion, proportion, K * sizeof *proportion);
    memcpy(g->mean, mean, K * d * sizeof *mean);
    for (size_t k = 0; k < K; k++) {
        const double *packed = covariance + k * d * (d + 1) / 2;
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b <= a; b++)
                sigma[a * d + b] = sigma[b * d + a] = *packed++;
        status = set_class(g, k, sigma, sigma + d * d);
        if (status == SCANT_ERR_INPUT)
            status = scant_i_place_fail(place, "%s", scant_message());
        if (status != SCANT_OK)
            goto done;
    }
    *out = g;
    g = NULL;
done:
    scant_i_classwise_free(g);
    scant_i_free(sigma);
    scant_i_free(proportion);
    scant_i_free(mean);
    scant_i_free(covariance);
    return status;
}
