/* Probabilities over more columns than one thread works on at a time: the M-step and the tables are what their
 * definitions say, with the same bits for any number of threads. */
#include "family/simplex.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "family_cases.h"

enum { M = 11 };
static const double SMOOTH = 0.5;

/* Before the step: not even. */
static double first_share(size_t c, size_t d)
{
    return c ? 0.25 / (double)(d - 1) : 0.75;
}

static scant_i_factor *factor_of(size_t d, size_t threads)
{
    scant_i_factor *factor = NULL;
    size_t *columns = calloc(d, sizeof *columns);
    const scant_i_family_settings settings = {.smooth = SMOOTH};
    for (size_t c = 0; c < d; c++)
        columns[c] = c;
    assert_ok(scant_i_factor_new(&factor, &scant_i_multinomial, &settings, M, columns, NULL, d));
    for (size_t t = 0; t < M * d; t++)
        factor->theta[t] = first_share(t % d, d);
    factor->threads = threads;
    free(columns);
    return factor;
}

/* S (d x stride), W (stride); the last component has nothing, the one before rows without counts. */
static double *draw_statistics(size_t d, size_t stride)
{
    scant_i_random random = scant_i_random_new(8, 0);
    double *S = aligned_alloc(64, (d + 1) * stride * sizeof *S);
    assert_non_null(S);
    for (size_t t = 0; t < d * stride; t++)
        S[t] = t % stride < M - 2 ? 10 * scant_i_random_uniform(&random) : 0;
    for (size_t j = 0; j < stride; j++)
        S[d * stride + j] = j < M - 1 ? 1 : 0;
    return S;
}

static void check(size_t d)
{
    static const size_t threads[] = {0, 2, 7};
    scant_i_factor *first = factor_of(d, threads[0]);
    size_t stride = first->stride, ntable = (d + SCANT_I_SIMPLEX_SUMS) * stride;
    double *S = draw_statistics(d, stride);
    assert_ok(first->family->pass->maximise(first, S));
    assert_ok(first->family->pass->prepare(first));
    const double *table = first->tables;
    for (size_t j = 0; j < M; j++) {
        double total = 0, logs = 0;
        for (size_t c = 0; c < d; c++)
            total += S[c * stride + j];
        for (size_t c = 0; c < d; c++) {
            double want = j < M - 1 ? (S[c * stride + j] + SMOOTH) / (total + SMOOTH * (double)d)
                                    : first_share(c, d);
            assert_true(fabs(first->theta[j * d + c] - want) <= 1e-12 * want);
            assert_true(fabs(table[c * stride + j] - log(want)) <= 1e-12 * fabs(log(want)));
            logs += log(want);
        }
        assert_true(fabs(table[d * stride + j] - logs) <= 1e-11 * fabs(logs));
        assert_true(fabs(table[(d + 1) * stride + j] - 1) <= 1e-11);
    }
    for (size_t t = 1; t < sizeof threads / sizeof *threads; t++) {
        scant_i_factor *other = factor_of(d, threads[t]);
        assert_ok(other->family->pass->maximise(other, S));
        assert_ok(other->family->pass->prepare(other));
        assert_memory_equal(other->theta, first->theta, M * d * sizeof *first->theta);
        assert_memory_equal(other->tables, table, ntable * sizeof *table);
        scant_i_factor_free(other);
    }
    free(S);
    scant_i_factor_free(first);
}

static void any_number_of_columns(void **state)
{
    (void)state;
    static const size_t columns[] = {2, 63, 2047, 2048, 2049, 4096, 7001};
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
        check(columns[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_number_of_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
