/* Randomized subspace iteration on sparse rows (singular.h). */
#include "math/singular.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "math/linear.h"
#include "math/sparse.h"

static const double LEAST = 1e-6;    /* of the largest singular value */
static const double NOTHING = 1e-14; /* of the largest eigenvalue of Y'Y: rounding */
enum { SPARE = 16, PASSES = 6, BLOCK = 256, STREAM = 3100 };

/* --- sparse times dense, by rows --- */

typedef struct multiplying {
    const scant_i_sparse_matrix *a;
    const double *x; /* ncolumns x lanes */
    double *y;       /* nrows x lanes */
    size_t lanes;
} multiplying;

static scant_status multiply_block(size_t block, size_t worker, void *payload)
{
    const multiplying *m = payload;
    size_t end = scant_i_min((block + 1) * BLOCK, m->a->nrows);
    (void)worker;
    for (size_t i = block * BLOCK; i < end; i++) {
        size_t first = m->a->start[i], n = m->a->start[i + 1] - first;
        scant_i_sparse_gather(m->y + i * m->lanes, m->x, m->lanes, m->a->column + first,
                              m->a->value + first, n, n);
    }
    return SCANT_OK;
}

/* y = A x */
static scant_status multiply(double *y, const scant_i_sparse_matrix *a, const double *x,
                             size_t lanes, size_t threads)
{
    multiplying m = {a, x, y, lanes};
    return scant_i_parallel(threads, (a->nrows + BLOCK - 1) / BLOCK, multiply_block, &m);
}

typedef struct transposed {
    size_t *start;
    int32_t *column;
    double *value;
    scant_i_sparse_matrix matrix;
} transposed;

static void clear_transposed(transposed *t)
{
    scant_i_free(t->start);
    scant_i_free(t->column);
    scant_i_free(t->value);
}

static scant_status transpose(transposed *t, const scant_i_sparse_matrix *a)
{
    scant_status status = SCANT_OK;
    size_t entries = a->start[a->nrows] - a->start[0], *at = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&t->start, a->ncolumns + 1));
    SCANT_I_TRY(SCANT_I_NEW(&t->column, entries));
    SCANT_I_TRY(SCANT_I_NEW(&t->value, entries));
    SCANT_I_TRY(SCANT_I_NEW(&at, a->ncolumns));
    for (size_t e = a->start[0]; e < a->start[a->nrows]; e++)
        t->start[a->column[e] + 1]++;
    for (size_t c = 0; c < a->ncolumns; c++) {
        t->start[c + 1] += t->start[c];
        at[c] = t->start[c];
    }
    for (size_t i = 0; i < a->nrows; i++)
        for (size_t e = a->start[i]; e < a->start[i + 1]; e++) {
            size_t to = at[a->column[e]]++;
            t->column[to] = (int32_t)i;
            t->value[to] = a->value[e];
        }
    t->matrix = (scant_i_sparse_matrix){a->ncolumns, a->nrows, t->start, t->column, t->value};
done:
    scant_i_free(at);
    return status;
}

/* --- bases --- */

/* g (l x l) = Y'Y, for Y n x l */
static void gram(double *g, const double *y, size_t n, size_t l)
{
    memset(g, 0, l * l * sizeof *g);
    for (size_t i = 0; i < n; i++)
        scant_i_kernels_now()->add_outer(g, y + i * l, l, y + i * l, l);
}

/* Rows of Y become their products with T (l x l). `room` has l numbers. */
static void turn(double *y, size_t n, size_t l, const double *t, double *room)
{
    for (size_t i = 0; i < n; i++) {
        double *row = y + i * l;
        memset(room, 0, l * sizeof *room);
        scant_i_kernels_now()->add_combination(room, t, row, l, l);
        memcpy(row, room, l * sizeof *row);
    }
}

typedef struct basis_room {
    double *g, *t, *w, *row; /* l x l, l x l, l, l */
} basis_room;

static void clear_basis_room(basis_room *r)
{
    scant_i_free(r->g);
    scant_i_free(r->t);
    scant_i_free(r->w);
    scant_i_free(r->row);
}

static scant_status new_basis_room(basis_room *r, size_t l)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&r->g, l * l));
    SCANT_I_TRY(SCANT_I_NEW(&r->t, l * l));
    SCANT_I_TRY(SCANT_I_NEW(&r->w, l));
    SCANT_I_TRY(SCANT_I_NEW(&r->row, l));
done:
    return status;
}

/* Columns of Y become orthonormal and span what they did, largest part first; those of a part that is nothing become 0.
 * With Y'Y = E W E' it is Y E W^-1/2. room->w gets W, largest first. */
static scant_status orthogonalize(double *y, size_t n, size_t l, double nothing, basis_room *r)
{
    scant_status status = SCANT_OK;
    gram(r->g, y, n, l);
    SCANT_I_TRY(scant_i_eigen(r->g, l, r->w)); /* ascending; eigenvectors in the rows */
    double most = r->w[l - 1];
    for (size_t e = 0; e < l; e++) {
        double w = r->w[l - 1 - e];
        for (size_t a = 0; a < l; a++)
            r->t[a * l + e] = w > nothing * most && w > 0 ? r->g[(l - 1 - e) * l + a] / sqrt(w) : 0;
    }
    turn(y, n, l, r->t, r->row);
    for (size_t e = 0; e < l / 2; e++) {
        double w = r->w[e];
        r->w[e] = r->w[l - 1 - e];
        r->w[l - 1 - e] = w;
    }
done:
    return status;
}

/* --- all --- */

/* The first columns of Z (width l) as a table of `lanes`, each with a positive largest entry. */
static void keep_leading(double *v, size_t lanes, const double *z, size_t l, size_t d, size_t count)
{
    for (size_t e = 0; e < count; e++) {
        double largest = 0;
        for (size_t j = 0; j < d; j++)
            largest = fabs(z[j * l + e]) > fabs(largest) * (1 + 1e-9) ? z[j * l + e] : largest;
        for (size_t j = 0; j < d; j++)
            v[j * lanes + e] = largest < 0 ? -z[j * l + e] : z[j * l + e];
    }
}

scant_status scant_i_singular(double **vectors, double *sigma, size_t *count,
                              const scant_i_sparse_matrix *a, size_t most, uint64_t seed,
                              size_t threads)
{
    scant_status status = SCANT_OK;
    size_t n = a->nrows, d = a->ncolumns, lanes = scant_i_round_up(most, 8);
    size_t l = scant_i_round_up(most + SPARE, 8);
    double *y = NULL, *z = NULL;
    transposed t = {0};
    basis_room room = {0};
    scant_i_random random = scant_i_random_new(seed, STREAM);
    *vectors = NULL;
    *count = 0;
    SCANT_I_TRY(SCANT_I_NEW(vectors, d * lanes));
    SCANT_I_TRY(SCANT_I_NEW(&y, n * l));
    SCANT_I_TRY(SCANT_I_NEW(&z, d * l));
    SCANT_I_TRY(new_basis_room(&room, l));
    SCANT_I_TRY(transpose(&t, a));
    for (size_t i = 0; i < d * l; i++)
        z[i] = scant_i_random_normal(&random);
    SCANT_I_TRY(multiply(y, a, z, l, threads));
    for (size_t pass = 0; pass < PASSES; pass++) {
        SCANT_I_TRY(orthogonalize(y, n, l, NOTHING, &room));
        SCANT_I_TRY(multiply(z, &t.matrix, y, l, threads));
        SCANT_I_TRY(multiply(y, a, z, l, threads));
    }
    for (size_t twice = 0; twice < 2; twice++) /* once leaves the square root of the rounding */
        SCANT_I_TRY(orthogonalize(y, n, l, NOTHING, &room));
    SCANT_I_TRY(multiply(z, &t.matrix, y, l, threads));
    SCANT_I_TRY(orthogonalize(z, d, l, LEAST * LEAST, &room));
    while (*count < most && room.w[*count] > LEAST * LEAST * room.w[0] && room.w[*count] > 0) {
        sigma[*count] = sqrt(room.w[*count]);
        ++*count;
    }
    keep_leading(*vectors, lanes, z, l, d, *count);
done:
    if (status != SCANT_OK) {
        scant_i_free(*vectors);
        *vectors = NULL;
    }
    scant_i_free(y);
    scant_i_free(z);
    clear_transposed(&t);
    clear_basis_room(&room);
    return status;
}
