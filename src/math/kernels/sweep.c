/* Quadratic forms of many lanes (math/sweep.h): numbers of a row are neighbours, so every step is one of whole vectors. */
#include "math/kernels/kernel.h"
#include "math/sweep.h"

typedef scant_i_vector vector;

/* The place of x_a x_b, a <= b, in a table of rows of `stride` numbers. */
SCANT_I_INLINE size_t square_at(size_t d, size_t a, size_t b)
{
    return scant_i_sweep_square(d, a < b ? a : b, a < b ? b : a);
}

SCANT_I_INLINE vector load(const double *from)
{
    return *(const scant_i_unaligned *)from;
}

SCANT_I_INLINE void store(double *to, vector x)
{
    *(scant_i_unaligned *)to = x;
}

SCANT_I_INLINE void add(double *to, vector x)
{
    store(to, load(to) + x);
}

/* A = A - g g' / pivot but for the column's own row; that becomes g / pivot. */
SCANT_I_INLINE void sweep_lanes(double *table, size_t stride, size_t d, size_t column,
                                double *pivot, vector *g)
{
    const vector zero = {0};
    double *own = table + square_at(d, column, column) * stride;
    vector A = -2 * load(own), p = 1 / scant_i_select(A > zero, A, 1 + zero);
    vector h = load(table + (1 + column) * stride);
    for (size_t a = 0; a < d; a++) /* -A_ac; zeros leave the column's own row as it is */
        g[a] = a == column ? zero : load(table + square_at(d, a, column) * stride);

    double *square = table + (1 + d) * stride;
    for (size_t a = 0; a < d; a++) {
        vector factor = g[a] * p;
        add(table + (1 + a) * stride, factor * h);
        add(square, 0.5 * factor * g[a]);
        square += stride;
        for (size_t b = a + 1; b < d; b++, square += stride)
            add(square, factor * g[b]);
    }
    add(table, 0.5 * h * h * p);
    store(table + (1 + column) * stride, h * p);
    for (size_t a = 0; a < d; a++)
        if (a != column)
            store(table + square_at(d, a, column) * stride, g[a] * p);
    store(own, 0.5 * p);
    store(pivot, p);
}

void SCANT_I_KERNEL(sweep)(double *table, size_t stride, size_t d, size_t column, double *pivot,
                           double *room)
{
    for (size_t v = 0; v < stride; v += SCANT_I_WIDTH)
        sweep_lanes(table + v, stride, d, column, pivot + v, (vector *)room);
}

/* With y_a = h_a + sum_o Q_ao x_o for a missing column a:  sum w y_a, sum w y_a x_o, and sum w y_a y_b + W V_ab */
SCANT_I_INLINE void complete_column(const scant_i_completion *c, const double *table,
                                    const double *T, double *S, size_t rank, vector *q, vector *u)
{
    size_t d = c->d, stride = c->stride, o = c->observed, a = c->order[o + rank];
    vector W = load(T), h = load(table + (1 + a) * stride), sum = h * W;
    for (size_t k = 0; k < o; k++) {
        size_t x = c->order[k];
        u[k] = load(table + square_at(d, a, x) * stride);
        q[k] = h * load(T + (1 + x) * stride);
        sum += u[k] * load(T + (1 + x) * stride);
    }
    for (size_t k = 0; k < o; k++) {
        const double *row = T + (square_at(d, c->order[k], c->order[k]) - c->order[k]) * stride;
        vector own = q[k] + u[k] * load(row + c->order[k] * stride);
        for (size_t l = k + 1; l < o; l++) {
            vector product = load(row + c->order[l] * stride);
            own += u[l] * product;
            q[l] += u[k] * product;
        }
        q[k] = own;
    }

    add(S + (1 + a) * stride, sum);
    for (size_t k = 0; k < o; k++)
        add(S + square_at(d, a, c->order[k]) * stride, q[k]);
    for (size_t l = rank; l < d - o; l++) {
        size_t b = c->order[o + l], at = square_at(d, a, b) * stride;
        vector V = load(table + at) * (a == b ? 2.0 : 1.0);
        vector both = load(table + (1 + b) * stride) * sum + W * V;
        for (size_t k = 0; k < o; k++)
            both += load(table + square_at(d, b, c->order[k]) * stride) * q[k];
        add(S + at, both);
    }
}

void SCANT_I_KERNEL(complete_sums)(const scant_i_completion *c, const double *T)
{
    size_t d = c->d, stride = c->stride, features = square_at(d, d - 1, d - 1) + 1;
    vector *q = (vector *)c->room, *u = q + d;
    for (size_t k = 0; k < features * stride; k += SCANT_I_WIDTH)
        add(c->S + k, load(T + k));
    for (size_t v = 0; v < stride; v += SCANT_I_WIDTH)
        for (size_t rank = 0; rank < d - c->observed; rank++)
            complete_column(c, c->table + v, T + v, c->S + v, rank, q, u);
}

/* One row x at a time, completed, in every lane. */
SCANT_I_INLINE void complete_row(const scant_i_completion *c, const double *table, const double *x,
                                 size_t ld, vector w, double *S, vector *y)
{
    size_t d = c->d, stride = c->stride, o = c->observed;
    for (size_t k = 0; k < o; k++)
        y[c->order[k]] = x[c->order[k] * ld] + (vector){0};
    for (size_t k = o; k < d; k++) {
        size_t a = c->order[k];
        vector mean = load(table + (1 + a) * stride);
        for (size_t l = 0; l < o; l++)
            mean += load(table + square_at(d, a, c->order[l]) * stride) * x[c->order[l] * ld];
        y[a] = mean;
    }

    double *square = S + (1 + d) * stride;
    add(S, w);
    for (size_t a = 0; a < d; a++) {
        vector weighted = w * y[a];
        add(S + (1 + a) * stride, weighted);
        for (size_t b = a; b < d; b++, square += stride)
            add(square, weighted * y[b]);
    }
    for (size_t k = o; k < d; k++)
        for (size_t l = k; l < d; l++) {
            size_t at = square_at(d, c->order[k], c->order[l]) * stride;
            add(S + at, w * (l == k ? 2.0 : 1.0) * load(table + at));
        }
}

void SCANT_I_KERNEL(complete_rows)(const scant_i_completion *c, const double *x, size_t ld,
                                   const double *R, size_t nrows)
{
    for (size_t v = 0; v < c->stride; v += SCANT_I_WIDTH)
        for (size_t i = 0; i < nrows; i++)
            complete_row(c, c->table + v, x + i, ld, load(R + i * c->stride + v), c->S + v,
                         (vector *)c->room);
}
