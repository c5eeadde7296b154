/* Products of a tensor with all factors but one: dense and sparse against the sum as it is written,
 * for every mode of tensors of order 2 to 5, any number of threads, and halves that stay valid. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "failing.h"
#include "tensor/fibres.h"
#include "tensor/layout.h"

typedef struct shape {
    size_t order, size[5], rank;
} shape;

/* sizes around the kernels' blocks, modes of size 1, long and short ones */
static const shape shapes[] = {
    {2, {37, 29}, 3},        {2, {1, 5}, 1},          {2, {700, 530}, 9},   {3, {5, 201, 61}, 3},
    {3, {4, 3, 2}, 7},       {3, {100, 13, 150}, 20}, {3, {1, 1, 9}, 2},    {4, {7, 6, 5, 11}, 17},
    {4, {2, 30, 3, 40}, 33}, {5, {3, 4, 5, 6, 7}, 5}, {3, {30, 30, 30}, 20}};

static double *uniform(size_t n, scant_i_random *random)
{
    double *x = calloc(n, sizeof *x);
    assert_non_null(x);
    for (size_t k = 0; k < n; k++)
        x[k] = scant_i_random_uniform(random);
    return x;
}

static void fill(scant_i_kruskal *k, size_t m, scant_i_random *random)
{
    for (size_t i = 0; i < k->size[m]; i++)
        for (size_t q = 0; q < k->rank; q++)
            k->mode[m][i * k->lanes + q] = scant_i_random_normal(random);
}

/* The sum as it is written, over all cells. */
static double *naive(const double *x, const scant_i_kruskal *k, size_t mode)
{
    double *M = calloc(k->size[mode] * k->lanes, sizeof *M);
    size_t cells = scant_i_kruskal_count(k, 0, k->order);
    for (size_t t = 0; t < cells; t++)
        for (size_t q = 0; q < k->rank && x[t] != 0; q++) {
            double product = x[t];
            size_t rest = t, row = 0;
            for (size_t m = k->order; m-- > 0; rest /= k->size[m]) {
                size_t i = rest % k->size[m];
                if (m == mode)
                    row = i;
                else
                    product *= k->mode[m][i * k->lanes + q];
            }
            M[row * k->lanes + q] += product;
        }
    return M;
}

static void compare(const double *a, const double *b, const scant_i_kruskal *k, size_t mode)
{
    double largest = 0, apart = 0;
    for (size_t t = 0; t < k->size[mode] * k->lanes; t++) {
        largest = fmax(largest, fabs(a[t]));
        apart = fmax(apart, fabs(a[t] - b[t]));
    }
    assert_true(apart <= 1e-12 * fmax(largest, 1));
}

/* Lists the cells above 0. */
static scant_tensor *list(const shape *s, const double *x, size_t cells)
{
    uint32_t *index = calloc(cells * s->order, sizeof *index);
    double *value = calloc(cells, sizeof *value);
    size_t n = 0;
    for (size_t t = 0; t < cells; t++) {
        if (x[t] == 0)
            continue;
        size_t rest = t;
        for (size_t m = s->order; m-- > 0; rest /= s->size[m])
            index[n * s->order + m] = (uint32_t)(rest % s->size[m]);
        value[n++] = x[t];
    }
    scant_tensor *tensor = NULL;
    assert_ok(scant_tensor_new_sparse(&tensor, s->order, s->size, n, index, value));
    free(index);
    free(value);
    return tensor;
}

static void check_layout(scant_i_layout *layout, const double *x, scant_i_kruskal *k,
                         scant_i_random *random)
{
    for (size_t round = 0; round < 2 * k->order; round++) {
        size_t mode = round % k->order;
        double *M[2] = {aligned_alloc(64, k->size[mode] * k->lanes * sizeof(double)),
                        aligned_alloc(64, k->size[mode] * k->lanes * sizeof(double))};
        double *want = naive(x, k, mode);
        assert_ok(scant_i_layout_multiply(M[0], layout, k, mode, 1));
        compare(want, M[0], k, mode);
        for (size_t m = 0; m < k->order; m++)
            scant_i_layout_touch(layout, m);
        assert_ok(scant_i_layout_multiply(M[1], layout, k, mode, 3));
        assert_memory_equal(M[0], M[1], k->size[mode] * k->lanes * sizeof(double));
        fill(k, mode, random);
        scant_i_layout_touch(layout, mode);
        free(want);
        free(M[0]);
        free(M[1]);
    }
}

static void test_products(void **state)
{
    (void)state;
    scant_i_random random = scant_i_random_new(5, 0);
    for (size_t c = 0; c < sizeof shapes / sizeof *shapes; c++) {
        const shape *s = &shapes[c];
        scant_i_kruskal *k = NULL;
        assert_ok(scant_i_kruskal_new(&k, s->order, s->size, s->rank));
        size_t cells = scant_i_kruskal_count(k, 0, s->order);
        for (int empty = 0; empty < 2; empty++) {
            double *x = uniform(cells, &random), squares = 0;
            for (size_t t = 0; t < cells; t++) {
                if (empty && x[t] > 0.05)
                    x[t] = 0;
                squares += x[t] * x[t];
            }
            scant_tensor *dense = NULL, *sparse = list(s, x, cells);
            assert_ok(scant_tensor_new(&dense, s->order, s->size, x));
            scant_i_layout *layout = NULL;
            for (size_t m = 0; m < s->order; m++)
                fill(k, m, &random);
            assert_ok(scant_i_layout_dense(&layout, dense, k->lanes));
            assert_true(fabs(layout->squares - squares) <= 1e-12 * squares);
            check_layout(layout, x, k, &random);
            scant_i_layout_free(layout);
            assert_ok(scant_i_layout_sparse(&layout, sparse, k->lanes));
            assert_true(fabs(layout->squares - squares) <= 1e-12 * squares);
            check_layout(layout, x, k, &random);
            scant_i_layout_free(layout);
            scant_tensor_free(dense);
            scant_tensor_free(sparse);
            free(x);
        }
        scant_i_kruskal_free(k);
    }
}

/* A tree holds every entry once, whichever mode is on top, and the cursor meets them all. */
static void test_cursor(void **state)
{
    (void)state;
    scant_i_random random = scant_i_random_new(6, 0);
    const shape s = {4, {7, 6, 5, 11}, 3};
    scant_i_kruskal *k = NULL;
    assert_ok(scant_i_kruskal_new(&k, s.order, s.size, s.rank));
    double *x = uniform(7 * 6 * 5 * 11, &random);
    for (size_t t = 0; t < 7 * 6 * 5 * 11; t++)
        x[t] = x[t] < 0.2 ? x[t] : 0;
    for (size_t m = 0; m < s.order; m++)
        fill(k, m, &random);
    scant_tensor *sparse = list(&s, x, 7 * 6 * 5 * 11);
    for (size_t mode = 0; mode < s.order; mode++) {
        scant_i_fibres *f = NULL;
        scant_i_cursor cursor;
        double *want = naive(x, k, mode), *W = aligned_alloc(64, 5 * k->lanes * sizeof *W);
        double *got = calloc(k->size[mode] * k->lanes, sizeof *got);
        assert_ok(scant_i_fibres_new(&f, sparse, mode, false));
        assert_ok(scant_i_cursor_new(&cursor, f, k));
        size_t n, entries = 0;
        for (size_t node = 0; node < f->count[0]; node++) {
            const double *value;
            scant_i_cursor_begin(&cursor, node);
            while ((n = scant_i_cursor_take(&cursor, W, &value, 5)) > 0) {
                for (size_t t = 0; t < n * k->lanes; t++)
                    got[f->index[0][node] * k->lanes + t % k->lanes] += value[t / k->lanes] * W[t];
                entries += n;
            }
        }
        assert_int_equal(entries, scant_tensor_entries(sparse));
        compare(want, got, k, mode);
        scant_i_cursor_free(&cursor);
        scant_i_fibres_free(f);
        free(want);
        free(got);
        free(W);
    }
    scant_tensor_free(sparse);
    scant_i_kruskal_free(k);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products),
                                       cmocka_unit_test(test_cursor)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
