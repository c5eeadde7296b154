/* Factorization: known factors come back, losses never rise, penalties and missing cells do what they say, and nothing
 * leaks. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "failing.h"
#include "scratch.h"
#include "tensor/core.h"
#include "tensor/kruskal.h"
#include "tensor_cases.h"

static const size_t SIZES[] = {30, 40, 35};

/* --- recovery --- */

static void test_recovery(void **state)
{
    (void)state;
    static const struct {
        size_t rank;
        const char *text;
    } ranks[] = {{3, "3"}, {10, "10"}, {30, "30"}};
    for (size_t k = 0; k < 3; k++)
        for (int sparse = 0; sparse < 2; sparse++) {
            truth t = truth_new(3, SIZES, ranks[k].rank, 0, 3 + k);
            scant_tensor *tensor = sparse ? truth_sparse(&t, false) : truth_dense(&t);
            scant_factor_options options = factor_options(ranks[k].text);
            scant_factors *factors = NULL;
            options.tol = 1e-12;
            assert_ok(scant_factor(&factors, tensor, &options));
            assert_never_rises(factors);
            assert_true(truth_congruence(&t, factors) > 0.999);
            assert_true(scant_factors_summary(factors)->rssr < 1e-9);
            if (ranks[k].rank == 3)
                assert_true(scant_factors_summary(factors)->core_consistency > 99.9);
            scant_factors_free(factors);
            scant_tensor_free(tensor);
            truth_free(&t);
        }
}

/* --- penalties --- */

/* The loss is what eqs. 105 and 106 say, and at the end no single entry of a factor can be moved
 * to lower it. */
static double naive_loss(const truth *t, double *const *factor, const double *l2, const double *l1)
{
    double loss = 0;
    for (size_t k = 0; k < t->cells; k++) {
        double e = t->x[k] - truth_at(t, (const double *const *)factor, NULL, k);
        loss += e * e;
    }
    for (size_t m = 0; m < t->order; m++)
        for (size_t i = 0; i < t->size[m]; i++) {
            double sum = 0;
            for (size_t q = 0; q < t->rank; q++) {
                double a = factor[m][i * t->rank + q];
                sum += a;
                loss += l2[m] * a * a;
            }
            loss += l1[m] * sum * sum;
        }
    return loss;
}

static void test_penalties(void **state)
{
    (void)state;
    static const size_t size[] = {5, 6, 4};
    static const char *l2_text[] = {"0.4", "0.2", "0.06"}, *l1_text[] = {"0.5", "0", "0"};
    static const double l2[] = {0.4, 0.2, 0.06}, l1[] = {0.5, 0, 0};
    truth t = truth_new(3, size, 2, 0.2, 5);
    scant_tensor *tensor = truth_dense(&t);
    scant_factors *factors = NULL;
    scant_factor_options options = factor_options("2");
    options.l2 = (scant_texts){l2_text, 3};
    options.l1 = (scant_texts){l1_text, 3};
    options.tol = 1e-14;
    assert_ok(scant_factor(&factors, tensor, &options));
    assert_never_rises(factors);
    double *factor[3];
    for (size_t m = 0; m < 3; m++) {
        factor[m] = calloc(size[m] * 2, sizeof(double));
        memcpy(factor[m], scant_factors_mode(factors, m), size[m] * 2 * sizeof(double));
    }
    /* the result is normalised: find the share of each column's length that the penalties want,
     * by going down in the lengths of a component, whose product is the weight */
    double length[2][3];
    for (size_t q = 0; q < 2; q++)
        for (size_t m = 0; m < 3; m++)
            length[q][m] = cbrt(scant_factors_weights(factors)[q]);
    double best = INFINITY;
    for (double step = 0.5; step > 1e-9; step *= 0.7)
        for (int round = 0; round < 60; round++)
            for (size_t q = 0; q < 2; q++)
                for (size_t m = 0; m < 2; m++)
                    for (int sign = -1; sign <= 1; sign += 2) {
                        double *copy[3], old[2] = {length[q][m], length[q][2]};
                        length[q][m] *= 1 + sign * step;
                        length[q][2] /= 1 + sign * step;
                        for (size_t n = 0; n < 3; n++) {
                            copy[n] = calloc(size[n] * 2, sizeof(double));
                            for (size_t k = 0; k < size[n] * 2; k++)
                                copy[n][k] = factor[n][k] * length[k % 2][n];
                        }
                        double loss = naive_loss(&t, copy, l2, l1);
                        for (size_t n = 0; n < 3; n++)
                            free(copy[n]);
                        if (loss < best) {
                            best = loss;
                        } else {
                            length[q][m] = old[0];
                            length[q][2] = old[1];
                        }
                    }
    assert_true(fabs(best - scant_factors_summary(factors)->loss) < 1e-5 * best);
    for (size_t m = 0; m < 3; m++)
        free(factor[m]);
    scant_factors_free(factors);
    scant_tensor_free(tensor);
    truth_free(&t);
}

/* --- missing cells, divergence --- */

static void test_missing(void **state)
{
    (void)state;
    truth t = truth_new(3, SIZES, 3, 0, 9);
    scant_i_random random = scant_i_random_new(1, 0);
    double *whole = calloc(t.cells, sizeof *whole);
    memcpy(whole, t.x, t.cells * sizeof *whole);
    for (size_t k = 0; k < t.cells; k++)
        if (scant_i_random_uniform(&random) < 0.4)
            t.x[k] = NAN;
    scant_factor_options options = factor_options("3");
    options.missing = "observed";
    options.tol = 1e-12;
    scant_factors *factors[2] = {NULL, NULL};
    for (int sparse = 0; sparse < 2; sparse++) {
        scant_tensor *tensor = sparse ? truth_sparse(&t, true) : truth_dense(&t);
        assert_ok(scant_factor(&factors[sparse], tensor, &options));
        assert_never_rises(factors[sparse]);
        assert_true(truth_congruence(&t, factors[sparse]) > 0.999);
        assert_true(fabs(scant_factors_summary(factors[sparse])->rssr -
                         truth_rssr(&t, factors[sparse])) < 1e-10);
        scant_tensor_free(tensor);
    }
    memcpy(t.x, whole, t.cells * sizeof *whole); /* cells that were never seen are forecast */
    assert_true(truth_rssr(&t, factors[0]) < 1e-6);
    for (size_t k = 0; k < SIZES[0] * 3; k++)
        assert_true(fabs(scant_factors_mode(factors[0], 0)[k] -
                         scant_factors_mode(factors[1], 0)[k]) < 1e-10);
    scant_factors_free(factors[0]);
    scant_factors_free(factors[1]);
    free(whole);
    truth_free(&t);
}

static double naive_divergence(const truth *t, const scant_factors *factors)
{
    const double *mode[MOST_ORDER];
    double sum = 0;
    for (size_t m = 0; m < t->order; m++)
        mode[m] = scant_factors_mode(factors, m);
    for (size_t k = 0; k < t->cells; k++) {
        double x = t->x[k], y = truth_at(t, mode, scant_factors_weights(factors), k);
        if (!isnan(x))
            sum += (x > 0 ? x * log(x / y) : 0) - x + y;
    }
    return sum;
}

static void test_divergence(void **state)
{
    (void)state;
    truth t = truth_new(3, SIZES, 3, 0.05, 10);
    scant_i_random random = scant_i_random_new(2, 0);
    for (size_t k = 0; k < t.cells; k++)
        t.x[k] = scant_i_random_poisson(&random, 30 * t.x[k]);
    scant_factor_options options = factor_options("3");
    options.loss = "kl";
    options.tol = 1e-8;
    for (int kind = 0; kind < 3; kind++) { /* dense, sparse, with missing cells */
        for (size_t k = 0; k < t.cells && kind == 2; k += 11) /* no whole slice of any mode */
            t.x[k] = NAN;
        options.missing = kind == 2 ? "observed" : "error";
        scant_tensor *tensor = kind == 1 ? truth_sparse(&t, false) : truth_dense(&t);
        scant_factors *factors = NULL;
        assert_ok(scant_factor(&factors, tensor, &options));
        const scant_factor_summary *s = scant_factors_summary(factors);
        assert_never_rises(factors);
        assert_true(fabs(s->loss - naive_divergence(&t, factors)) < 1e-8 * s->loss);
        assert_true(fabs(s->rssr - truth_rssr(&t, factors)) < 1e-9);
        assert_true(truth_congruence(&t, factors) > 0.9);
        scant_factors_free(factors);
        scant_tensor_free(tensor);
    }
    truth_free(&t);
}

/* --- fixed modes, starts, sweeps --- */

static void test_fixed(void **state)
{
    (void)state;
    truth t = truth_new(3, SIZES, 3, 0, 12);
    scant_tensor *tensor = truth_dense(&t);
    const double *fixed[] = {NULL, t.factor[1], t.factor[2]};
    scant_factor_options options = factor_options("3");
    scant_factors *factors = NULL;
    options.fixed = fixed;
    assert_ok(scant_factor(&factors, tensor, &options));
    for (size_t k = 0; k < SIZES[0] * 3; k++) /* the truth itself, not a multiple */
        assert_true(fabs(scant_factors_mode(factors, 0)[k] - t.factor[0][k]) < 1e-9);
    assert_memory_equal(scant_factors_mode(factors, 1), t.factor[1], SIZES[1] * 3 * sizeof(double));
    scant_factors_free(factors);
    const double *all[] = {t.factor[0], t.factor[1], t.factor[2]};
    options.fixed = all;
    assert_fails(scant_factor(&factors, tensor, &options), SCANT_ERR_ARGUMENT, "all modes");
    options.fixed = NULL;
    options.start = all; /* a start at the truth stays there */
    options.max_iter = 3;
    assert_ok(scant_factor(&factors, tensor, &options));
    assert_true(scant_factors_summary(factors)->rssr < 1e-14);
    scant_factors_free(factors);
    scant_tensor_free(tensor);
    truth_free(&t);
}

static int count_call(const scant_progress_event *event, void *payload)
{
    (void)event;
    ++*(size_t *)payload;
    return 0;
}

static void test_sweep(void **state)
{
    (void)state;
    truth t = truth_new(3, SIZES, 3, 0.1, 14);
    scant_tensor *tensor = truth_dense(&t);
    scant_factor_options options = factor_options("1:5");
    scant_factor_sweep_result sweep;
    scant_factors *factors = NULL;
    assert_ok(scant_factor_sweep(&sweep, &factors, tensor, &options));
    assert_int_equal(sweep.count, 5);
    assert_int_equal(sweep.summary[sweep.best].rank, 3);
    assert_int_equal(scant_factors_summary(factors)->rank, 3);
    assert_int_equal(scant_factors_summary(factors)->starts, 3); /* so many unless it is said */
    assert_true(scant_factors_summary(factors)->stability > 0.99);
    for (size_t k = 1; k < 5; k++)
        assert_true(sweep.summary[k].rssr <= sweep.summary[k - 1].rssr + 1e-6);
    scant_factors_free(factors);
    scant_factor_sweep_clear(&sweep);
    size_t calls = 0;
    options.rank = "1:4000000000"; /* a range that ends too high is refused before its first rank */
    options.progress = count_call;
    options.payload = &calls;
    assert_int_equal(scant_factor_sweep(&sweep, &factors, tensor, &options), SCANT_ERR_INPUT);
    assert_int_equal(calls, 0);
    scant_tensor_free(tensor);
    truth_free(&t);
}

/* The core as it is defined: the tensor times the pseudo-inverse of every factor. With factors of
 * orthonormal columns, that is the factors themselves. */
static void test_core(void **state)
{
    (void)state;
    static const size_t size[] = {3, 3, 3};
    double x[27] = {0}, weight[] = {1, 1}, found;
    x[0] = 1, x[13] = 1, x[1] = 0.5; /* cells 000, 111, 001 */
    scant_i_kruskal *k = NULL;
    scant_tensor *dense = NULL, *sparse = NULL;
    assert_ok(scant_i_kruskal_new(&k, 3, size, 2));
    for (size_t m = 0; m < 3; m++)
        k->mode[m][0] = k->mode[m][k->lanes + 1] = 1;
    assert_ok(scant_tensor_new(&dense, 3, size, x));
    assert_ok(scant_i_core_consistency(&found, dense, k, weight));
    assert_true(fabs(found - 100 * (1 - 0.25 / 2)) < 1e-10);
    static const uint32_t index[] = {0, 0, 0, 1, 1, 1, 0, 0, 1};
    static const double value[] = {1, 1, 0.5};
    assert_ok(scant_tensor_new_sparse(&sparse, 3, size, 3, index, value));
    assert_ok(scant_i_core_consistency(&found, sparse, k, weight));
    assert_true(fabs(found - 100 * (1 - 0.25 / 2)) < 1e-10);
    k->mode[0][k->lanes + 1] = 0; /* a column of zeros: not defined */
    assert_ok(scant_i_core_consistency(&found, dense, k, weight));
    assert_true(isnan(found));
    scant_tensor_free(dense);
    scant_tensor_free(sparse);
    scant_i_kruskal_free(k);
}

/* --- lengths of columns --- */

/* Least squares cut off at zero change the lengths of columns for ever, in opposite directions: no number may overflow of it, and
 * nobody may see it. */
static void test_lengths(void **state)
{
    (void)state;
    static const size_t size[] = {4, 5, 3};
    static const char *const missing[] = {"error", "observed"};
    for (uint64_t seed = 0; seed < 4; seed++) {
        double x[60];
        scant_tensor *tensor = NULL;
        scant_i_random random = scant_i_random_new(seed, 0);
        for (size_t k = 0; k < 60; k++)
            x[k] = fmax(0, scant_i_random_uniform(&random) - 0.3);
        assert_ok(scant_tensor_new(&tensor, 3, size, x));
        for (size_t t = 0; t < 2; t++) {
            scant_factors *some = NULL, *many = NULL;
            scant_factor_options options = factor_options("5");
            options.solver = "als";
            options.accelerate = "none";
            options.missing = missing[t];
            options.tol = 0;
            options.max_iter = 300;
            assert_ok(scant_factor(&some, tensor, &options));
            options.max_iter = 16000;
            assert_ok(scant_factor(&many, tensor, &options));
            const scant_factor_summary *a = scant_factors_summary(some),
                                       *b = scant_factors_summary(many);
            assert_int_equal(b->stop, SCANT_STOP_ITERATIONS);
            assert_int_equal(b->iterations, 16000);
            assert_true(b->rssr <= a->rssr && b->rssr > 0.1 * a->rssr);
            scant_factors_free(some);
            scant_factors_free(many);
        }
        scant_tensor_free(tensor);
    }
}

/* --- refusals, memory --- */

static void refuse(const double *x, scant_factor_options options, scant_status status,
                   const char *text)
{
    static const size_t size[] = {2, 3, 2};
    scant_tensor *tensor = NULL;
    scant_factors *factors = NULL;
    assert_ok(scant_tensor_new(&tensor, 3, size, x));
    assert_fails(scant_factor(&factors, tensor, &options), status, text);
    assert_null(factors);
    scant_tensor_free(tensor);
}

static void test_refusals(void **state)
{
    (void)state;
    double x[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3};
    scant_factor_options options = factor_options("2");
    x[7] = -1;
    refuse(x, options, SCANT_ERR_INPUT, "the cell at 2 1 2 is -1");
    x[7] = NAN;
    refuse(x, options, SCANT_ERR_INPUT, "the cell at 2 1 2 is missing");
    x[7] = INFINITY;
    refuse(x, options, SCANT_ERR_INPUT, "the cell at 2 1 2 is inf, which is not finite");
    x[7] = 1;
    options.rank = "5";
    refuse(x, options, SCANT_ERR_INPUT, "rank 5 is more than");
    options.rank = "2x";
    refuse(x, options, SCANT_ERR_ARGUMENT, "'2x'");
    options.rank = "2";
    options.loss = "kl";
    options.solver = "hals";
    refuse(x, options, SCANT_ERR_ARGUMENT, "hals");
    static const char *two[] = {"1", "2"};
    options = factor_options("2");
    options.l2 = (scant_texts){two, 2};
    refuse(x, options, SCANT_ERR_ARGUMENT, "2 numbers for 3 modes");
    memset(x, 0, sizeof x);
    refuse(x, factor_options("2"), SCANT_ERR_INPUT, "nothing to factor");
}

typedef struct job {
    scant_tensor *tensor;
    scant_factor_options options;
} job;

static scant_status work(void *payload)
{
    job *j = payload;
    scant_factors *factors = NULL;
    scant_status status = scant_factor(&factors, j->tensor, &j->options);
    if (status != SCANT_OK)
        assert_null(factors);
    scant_factors_free(factors);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    static const size_t size[] = {4, 5, 3};
    truth t = truth_new(3, size, 2, 0.1, 18);
    job j = {.options = factor_options("2")};
    j.options.max_iter = 2;
    j.options.starts = 2;
    j.tensor = truth_dense(&t);
    (void)failing_sweep(work, &j);
    j.options.missing = "observed";
    (void)failing_sweep(work, &j);
    scant_tensor_free(j.tensor);
    j.tensor = truth_sparse(&t, false);
    j.options.missing = "error";
    j.options.init = "nndsvd";
    (void)failing_sweep(work, &j);
    j.options.loss = "kl";
    (void)failing_sweep(work, &j);
    j.options.checkpoint = scratch_path("factor.json");
    (void)failing_sweep(work, &j);
    scant_tensor_free(j.tensor);
    scratch_clear();
    truth_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recovery), cmocka_unit_test(test_penalties),
        cmocka_unit_test(test_missing),  cmocka_unit_test(test_divergence),
        cmocka_unit_test(test_fixed),    cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_core),     cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_memory),   cmocka_unit_test(test_lengths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
