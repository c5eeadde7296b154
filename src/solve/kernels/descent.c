/* Steps of the solvers of solve/descent.c, and how far x is from a solution. */
#include "solve/kernels/kernel.h"

/* The matrix of inner products is the costly part of an outer iteration, so going over its rows
 * several times is worth it. */
enum { SWEEPS = 8 };

SCANT_I_INLINE scant_i_vector8 positive(scant_i_vector8 v)
{
    scant_i_mask8 keep = v > 0;
    return (scant_i_vector8)(keep & (scant_i_mask8)v);
}

/* a / b, 0 where b is not positive */
SCANT_I_INLINE scant_i_vector8 divide(scant_i_vector8 a, scant_i_vector8 b)
{
    scant_i_mask8 keep = b > 0;
    return (scant_i_vector8)(keep & (scant_i_mask8)(a / b));
}

void SCANT_I_KERNEL(step_als)(scant_i_batch *b)
{
    SCANT_I_KERNEL(batch_solve)(b);
    for (size_t j = 0; j < b->rank; j++)
        b->x[j] = positive(b->x[j]);
}

/* G_jj. A vector made of one number inside a function: see gram_times. */
SCANT_I_INLINE scant_i_vector8 diagonal(const scant_i_batch *b, size_t j, scant_i_vector8 one)
{
    return b->own ? b->own[j * b->rank + j] * one : b->gram[j * b->lanes + j] * one;
}

/* An unknown of which G_jj is this much less than the largest has all but vanished: quotients of what underflow left of it
 * would be anything, and infinite. */
#define VANISHED 1e-150

/* G x by itself: as the gradient plus b, nothing is left of it where b is far larger. */
void SCANT_I_KERNEL(step_mu)(scant_i_batch *b)
{
    scant_i_vector8 one = 1 - (scant_i_vector8){0}, most = {0};
    for (size_t j = 0; j < b->rank; j++) {
        scant_i_vector8 own = diagonal(b, j, one);
        most += positive(own - most); /* up to rounding: the larger one */
        b->column[j] = positive(b->b[j]);
        b->b[j] = (scant_i_vector8){0};
    }
    SCANT_I_KERNEL(batch_gradient)(b);
    for (size_t j = 0; j < b->rank; j++) {
        scant_i_mask8 there = diagonal(b, j, one) > VANISHED * most;
        scant_i_vector8 stays = (scant_i_vector8)(there & (scant_i_mask8)b->x[j]);
        b->x[j] = divide(stays * b->column[j], b->y[j]); /* b / y of a tiny x could be infinite */
    }
}

void SCANT_I_KERNEL(step_hals)(scant_i_batch *b)
{
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (size_t j = 0; j < b->rank; j++) {
            const scant_i_vector8 *row = b->own + j * b->rank;
            scant_i_vector8 y = -b->b[j];
            for (size_t k = 0; k < b->rank; k++)
                y += row[k] * b->x[k];
            b->x[j] = positive(b->x[j] - divide(y, row[j]));
        }
}

/* The same for SCANT_I_WIDE batches that share a matrix: an unknown waits for the one before it, and other
 * rows fill the time. x and b are rank x SCANT_I_WIDE. */
void SCANT_I_KERNEL(step_hals_wide)(scant_i_vector8 *x, const scant_i_vector8 *b,
                                    const scant_i_nnls *problem)
{
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (size_t j = 0; j < problem->rank; j++) {
            const double *row = problem->gram + j * problem->lanes;
            double inverse = row[j] > 0 ? 1 / row[j] : 0;
            scant_i_vector8 y[SCANT_I_WIDE];
            for (size_t v = 0; v < SCANT_I_WIDE; v++)
                y[v] = -b[j * SCANT_I_WIDE + v];
            for (size_t k = 0; k < problem->rank; k++)
                for (size_t v = 0; v < SCANT_I_WIDE; v++)
                    y[v] += row[k] * x[k * SCANT_I_WIDE + v];
            for (size_t v = 0; v < SCANT_I_WIDE; v++)
                x[j * SCANT_I_WIDE + v] = positive(x[j * SCANT_I_WIDE + v] - y[v] * inverse);
        }
}

/* Over n numbers, a multiple of eight; in eight sums, which a vector holds. */
double SCANT_I_KERNEL(projected)(const double *x, const double *y, size_t n)
{
    double sum[8] = {0}, total = 0;
    for (size_t t = 0; t < n; t += 8)
        for (size_t l = 0; l < 8; l++) {
            double counts = x[t + l] > 0 || y[t + l] < 0 ? y[t + l] : 0;
            sum[l] += counts * counts;
        }
    for (size_t l = 0; l < 8; l++)
        total += sum[l];
    return total;
}
