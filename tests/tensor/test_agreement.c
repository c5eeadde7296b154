/* One problem, many ways: dense and sparse, solvers, points ahead, threads. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "tensor_cases.h"

/* --- dense and sparse, every order and solver --- */

static void test_agreement(void **state)
{
    (void)state;
    static const char *const solvers[] = {"bpp", "active-set", "hals", "mu"};
    static const size_t size[] = {9, 7, 6, 5, 4};
    for (size_t order = 2; order <= 5; order++)
        for (size_t s = 0; s < 4; s++) {
            truth t = truth_new(order, size, 3, 0.1, order);
            for (size_t k = 0; k < t.cells; k += 3)
                t.x[k] = 0;
            scant_tensor *tensor[2] = {truth_dense(&t), truth_sparse(&t, false)};
            scant_factors *factors[2] = {NULL, NULL};
            scant_factor_options options = factor_options("3");
            options.solver = solvers[s];
            options.max_iter = 25;
            options.tol = 0;
            for (int k = 0; k < 2; k++) {
                assert_ok(scant_factor(&factors[k], tensor[k], &options));
                assert_never_rises(factors[k]);
                assert_true(fabs(scant_factors_summary(factors[k])->rssr -
                                 truth_rssr(&t, factors[k])) < 1e-10);
            }
            for (size_t m = 0; m < order; m++)
                for (size_t k = 0; k < size[m] * 3; k++)
                    assert_true(fabs(scant_factors_mode(factors[0], m)[k] -
                                     scant_factors_mode(factors[1], m)[k]) < 1e-10);
            for (int k = 0; k < 2; k++) {
                scant_factors_free(factors[k]);
                scant_tensor_free(tensor[k]);
            }
            truth_free(&t);
        }
}

/* --- extrapolation --- */

static size_t iterations_to(const scant_factors *factors, double rssr)
{
    const scant_factor_step *trace = scant_factors_trace(factors);
    size_t n = scant_factors_summary(factors)->iterations, k = 0;
    while (k < n && trace[k].rssr > rssr)
        k++;
    return k;
}

/* Iterations that start ahead need fewer to the same residual, over several problems together, and end where others
 * end; some are taken back, which leaves the loss as it was. */
static void test_extrapolation(void **state)
{
    (void)state;
    static const size_t size[] = {30, 30, 30};
    size_t needed[2] = {0, 0}, taken_back = 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        truth t = truth_new(3, size, 12, 0.05, seed);
        for (size_t k = 0; k < t.cells; k++)
            t.x[k] += 2; /* what makes components alike, and the way long */
        scant_tensor *tensor = truth_dense(&t);
        scant_factors *factors[2] = {NULL, NULL};
        scant_factor_options options = factor_options("8");
        options.seed = seed;
        options.tol = 1e-14;
        options.max_iter = 5000;
        for (int k = 0; k < 2; k++) {
            options.accelerate = k ? "extrapolate" : "none";
            assert_ok(scant_factor(&factors[k], tensor, &options));
            assert_never_rises(factors[k]);
        }
        double end = scant_factors_summary(factors[0])->rssr;
        assert_true(scant_factors_summary(factors[1])->rssr < end + 1e-4);
        for (int k = 0; k < 2; k++)
            needed[k] += iterations_to(factors[k], end + 1e-5);
        const scant_factor_step *trace = scant_factors_trace(factors[1]);
        for (size_t k = 1; k < scant_factors_summary(factors[1])->iterations; k++)
            taken_back += trace[k].loss == trace[k - 1].loss;
        for (int k = 0; k < 2; k++)
            scant_factors_free(factors[k]);
        scant_tensor_free(tensor);
        truth_free(&t);
    }
    if (!(taken_back > 0 && 3 * needed[1] < 2 * needed[0]))
        fail_msg("%zu iterations ahead, %zu without, %zu taken back", needed[1], needed[0],
                 taken_back);
}

/* --- threads --- */

static void test_threads(void **state)
{
    (void)state;
    static const size_t size[] = {120, 130, 90};
    truth t = truth_new(3, size, 4, 0.1, 16);
    for (size_t k = 0; k < t.cells; k++)
        t.x[k] = k % 7 ? 0 : t.x[k];
    for (int kind = 0; kind < 4; kind++) {
        scant_tensor *tensor = kind % 2 ? truth_sparse(&t, false) : truth_dense(&t);
        scant_factor_options options = factor_options("9");
        scant_factors *one = NULL, *many = NULL;
        options.max_iter = 4;
        options.missing = kind == 3 ? "observed" : "error";
        options.loss = kind == 2 ? "kl" : "square";
        assert_ok(scant_factor(&one, tensor, &options));
        options.threads = 3;
        assert_ok(scant_factor(&many, tensor, &options));
        for (size_t m = 0; m < 3; m++)
            assert_memory_equal(scant_factors_mode(one, m), scant_factors_mode(many, m),
                                size[m] * 9 * sizeof(double));
        scant_factors_free(one);
        scant_factors_free(many);
        scant_tensor_free(tensor);
    }
    truth_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_agreement),
                                       cmocka_unit_test(test_extrapolation),
                                       cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
