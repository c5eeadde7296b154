/* How sure a member may be (sharpen.h): a search over powers of 2^(1/4) from 1/8 to 8, finer than labels can tell.
 * Cost: GRID exponentials a row and class. */
#include "train/sharpen.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "train/ridge.h"

static const double MIX = 0.02, SPREAD = 0.5;
enum { STEPS_A_DOUBLING = 4, DOUBLINGS = 3, MOST_ROWS = 5000 };

static void sharpen_row(double *q, const double *p, size_t K, double s)
{
    for (size_t k = 0; k < K; k++)
        q[k] = s * log(p[k]);
    (void)scant_i_softmax(q, K);
}

void scant_i_sharpen(double *p, size_t n, size_t K, double s)
{
    for (size_t i = 0; i < n && s != 1; i++)
        sharpen_row(p + i * K, p + i * K, K, s);
    for (size_t i = 0; i < n * K; i++)
        p[i] = (1 - MIX) * p[i] + MIX / (double)K;
}

/* sum_i log sum_k t_ik q_ik(s) of the rows of each fold, every `step`-th of them; q is room for K numbers. */
static void measure(double *sum, double s, const scant_i_held *held, size_t step, double *q)
{
    size_t K = held->K;
    memset(sum, 0, held->nfolds * sizeof *sum);
    for (size_t i = 0; i < held->n; i += step) {
        double weight = scant_i_sum(held->t + i * K, K);
        if (held->fold[i] < 0 || !(weight > 0))
            continue;
        memcpy(q, held->p + i * K, K * sizeof *q);
        scant_i_sharpen(q, 1, K, s);
        sum[held->fold[i]] +=
            (double)step * weight * log(scant_i_dot(held->t + i * K, q, K) / weight);
    }
}

scant_status scant_i_find_sharpness(double *s, const scant_i_held *held)
{
    scant_status status = SCANT_OK;
    size_t F = held->nfolds, step = held->n / MOST_ROWS + 1;
    double *sum = NULL, *best = NULL, *q = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&sum, F));
    SCANT_I_TRY(SCANT_I_NEW(&best, F + 1));
    SCANT_I_TRY(SCANT_I_NEW(&q, held->K));
    for (size_t f = 0; f <= F; f++)
        best[f] = -INFINITY;
    for (int j = -DOUBLINGS * STEPS_A_DOUBLING; j <= DOUBLINGS * STEPS_A_DOUBLING; j++) {
        double size = exp2((double)j / STEPS_A_DOUBLING), far = log(size) / SPREAD;
        measure(sum, size, held, step, q);
        double all = scant_i_sum(sum, F) - far * far / 2;
        for (size_t f = 0; f <= F; f++) {
            double value = f < F ? all - sum[f] : all;
            if (value > best[f]) {
                best[f] = value;
                s[f] = size;
            }
        }
    }
done:
    scant_i_free(sum);
    scant_i_free(best);
    scant_i_free(q);
    return status;
}
