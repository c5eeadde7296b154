/* The two products of a pass against the sum as it is written, for shapes around the kernels' tiles, from the cache and
 * from memory. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "math/linear.h"
#include "tables.h"

enum { MOST_ROWS = 70, MOST_FEATURES = 37, LD = 136, MOST_LANES = 56 };

static double *uniform(size_t n, scant_i_random *random)
{
    double *x = aligned_alloc(64, (n * sizeof *x + 63) / 64 * 64);
    assert_non_null(x);
    for (size_t k = 0; k < n; k++)
        x[k] = scant_i_random_uniform(random);
    return x;
}

/* out[r][j] += sum over t of a[r sr + t st] b[t][j] */
static double naive(double out, const double *a, size_t sr, size_t st, const double *b, size_t r,
                    size_t j, size_t nt, size_t lanes)
{
    for (size_t t = 0; t < nt; t++)
        out += a[r * sr + t * st] * b[t * lanes + j];
    return out;
}

typedef struct table {
    double *phi, *C, *R, *out[3], *before;
} table;

/* `transposed` or not: near, far with a block that follows, far without. */
static void check(table *w, size_t nrows, size_t nfeatures, size_t lanes, bool transposed)
{
    size_t n = transposed ? nfeatures : nrows, nt = transposed ? nrows : nfeatures;
    const double *b = transposed ? w->R : w->C, *next[] = {NULL, w->phi + nrows, w->phi};
    for (size_t way = 0; way < 3; way++) {
        double *out = w->out[way];
        memcpy(out, w->before, n * lanes * sizeof *out);
        if (way == 0 && transposed)
            scant_i_product_transposed(out, w->phi, LD, b, nrows, nfeatures, lanes);
        else if (way == 0)
            scant_i_product(out, w->phi, LD, b, nrows, nfeatures, lanes);
        else if (transposed)
            scant_i_product_transposed_far(out, w->phi, LD, b, nrows, nfeatures, lanes, next[way]);
        else
            scant_i_product_far(out, w->phi, LD, b, nrows, nfeatures, lanes, next[way]);
        assert_memory_equal(out, w->out[0], n * lanes * sizeof *out);
    }
    for (size_t r = 0; r < n; r++)
        for (size_t j = 0; j < lanes; j++) {
            double want = naive(w->before[r * lanes + j], w->phi, transposed ? LD : 1,
                                transposed ? 1 : LD, b, r, j, nt, lanes);
            assert_true(fabs(w->out[0][r * lanes + j] - want) < 1e-12 * want);
        }
}

/* Before other rows are read: the same; and from a first row on, whatever was there. */
static void check_before(table *w, size_t nrows, size_t nfeatures, size_t lanes)
{
    enum { WIDTH = 5 };
    double *want = w->out[0], *out = w->out[1], *row = w->R;
    memcpy(want, w->before, nrows * lanes * sizeof *want);
    memcpy(out, w->before, nrows * lanes * sizeof *out);
    scant_i_product(want, w->phi, LD, w->C, nrows, nfeatures, lanes);
    scant_i_product_before(out, NULL, w->phi, LD, w->C, nrows, nfeatures, lanes, w->phi, WIDTH);
    assert_memory_equal(out, want, nrows * lanes * sizeof *out);
    for (size_t r = 0; r < nrows; r++)
        memcpy(want + r * lanes, row, lanes * sizeof *row);
    scant_i_product(want, w->phi, LD, w->C, nrows, nfeatures, lanes);
    for (size_t next = 0; next < 2; next++) {
        for (size_t k = 0; k < nrows * lanes; k++)
            out[k] = NAN;
        scant_i_product_before(out, row, w->phi, LD, w->C, nrows, nfeatures, lanes,
                               next ? w->phi : NULL, WIDTH);
        assert_memory_equal(out, want, nrows * lanes * sizeof *out);
    }
}

static void test_products(void **state)
{
    (void)state;
    static const size_t rows[] = {1, 3, 8, 11, 12, 25, 64, MOST_ROWS};
    static const size_t features[] = {1, 2, 7, 12, 32, MOST_FEATURES};
    scant_i_random random = scant_i_random_new(3, 0);
    table w = {.phi = uniform(LD * (MOST_FEATURES + 1), &random)};
    w.C = uniform(MOST_FEATURES * MOST_LANES, &random);
    w.R = uniform(MOST_ROWS * MOST_LANES, &random);
    w.before = uniform(MOST_ROWS * MOST_LANES, &random);
    for (size_t way = 0; way < 3; way++)
        w.out[way] = uniform(MOST_ROWS * MOST_LANES, &random);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t f = 0; f < sizeof features / sizeof *features; f++)
            for (size_t lanes = 8; lanes <= MOST_LANES; lanes += 8) {
                for (int transposed = 0; transposed < 2; transposed++)
                    check(&w, rows[r], features[f], lanes, transposed);
                check_before(&w, rows[r], features[f], lanes);
            }
    double *blocks[] = {w.phi, w.C, w.R, w.before, w.out[0], w.out[1], w.out[2]};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        free(blocks[k]);
}

/* Sums of products of three, for numbers of pairs and rows that fill tiles or do not. */
enum { TRIPLES_LD = 48, X_ROWS = 7, MOST_PAIRS = 21, MOST_Y = 13 };

static void check_triples(const double *x, const double *y, const uint32_t *of, size_t np,
                          size_t ny, size_t n)
{
    _Alignas(64) static float x_single[X_ROWS * TRIPLES_LD], y_single[MOST_Y * TRIPLES_LD];
    _Alignas(64) static float room_single[SCANT_I_TRIPLES_ROOM * TRIPLES_LD];
    _Alignas(64) static double room[SCANT_I_TRIPLES_ROOM * TRIPLES_LD];
    enum { LDS = MOST_Y + 2 };
    static double S[2][(MOST_PAIRS + 1) * LDS];
    for (size_t t = 0; t < X_ROWS * TRIPLES_LD; t++)
        x_single[t] = (float)x[t];
    for (size_t t = 0; t < MOST_Y * TRIPLES_LD; t++)
        y_single[t] = (float)y[t];
    for (size_t t = 0; t < (MOST_PAIRS + 1) * LDS; t++)
        S[0][t] = S[1][t] = (double)t;
    scant_i_triples(S[0], LDS, x, of, np, y, ny, TRIPLES_LD, n, room);
    scant_i_triples_single(S[1], LDS, x_single, of, np, y_single, ny, TRIPLES_LD, n, room_single);
    for (size_t t = 0; t < (MOST_PAIRS + 1) * LDS; t++) {
        size_t p = t / LDS, q = t % LDS;
        double want = 0;
        for (size_t i = 0; p < np && q < ny && i < n; i++)
            want += x[of[2 * p] * TRIPLES_LD + i] * x[of[2 * p + 1] * TRIPLES_LD + i] *
                    y[q * TRIPLES_LD + i];
        assert_true(fabs(S[0][t] - (double)t - want) <= 1e-12 * (want + (double)t));
        assert_true(fabs(S[1][t] - (double)t - want) <= 1e-6 * want);
    }
}

static void test_triples(void **state)
{
    (void)state;
    static const size_t pairs[] = {1, 3, 4, 8, 9, 15, MOST_PAIRS};
    uint32_t of[2 * MOST_PAIRS];
    scant_i_random random = scant_i_random_new(4, 0);
    double *x = uniform(X_ROWS * TRIPLES_LD, &random), *y = uniform(MOST_Y * TRIPLES_LD, &random);
    for (size_t p = 0; p < 2 * MOST_PAIRS; p++)
        of[p] = (uint32_t)scant_i_random_below(&random, X_ROWS);
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
        for (size_t ny = 1; ny <= MOST_Y; ny++)
            for (size_t n = 0; n <= TRIPLES_LD; n += 16)
                check_triples(x, y, of, pairs[p], ny, n);
    free(x);
    free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products),
                                       cmocka_unit_test(test_triples)};
    return RUN_WITH_EACH_TABLE(tests);
}
