/* Special functions against values computed with 40 digits, and vector functions against the scalar
 * ones. */
#include <math.h>
#include "base/random.h"
#include "math/special.h"
#include "tables.h"

static const struct {
    double x, digamma, trigamma, lgamma;
} reference[] = {
    {1e-08, -100000000.57721564636, 10000000000000001.226, 18.420680738180208884},
    {0.001, -1000.5755719318102797, 1000001.6425331958273, 6.9071788853838536617},
    {0.1, -10.423754940411076232, 101.4332991507927477, 2.252712651734205902},
    {0.25, -4.2274535333762654081, 17.197329154507110739, 1.2880225246980774574},
    {0.5, -1.9635100260214234794, 4.9348022005446793094, 0.57236494292470008707},
    {1.0, -0.57721566490153286061, 1.6449340668482264365, 0.0},
    {1.5, 0.036489973978576520559, 0.93480220054467930942, -0.12078223763524522235},
    {2.0, 0.42278433509846713939, 0.64493406684822643647, 0.0},
    {3.3, 1.0348224890596216863, 0.35350154184106183225, 0.98709857789473440406},
    {5.0, 1.5061176684318004727, 0.22132295573711532536, 3.1780538303479456196},
    {7.75, 1.9817915626943455972, 0.13771379144765566054, 8.0254583963159838712},
    {9.999, 2.2516474172057353142, 0.10517738667672886215, 12.799575780077413715},
    {10.0, 2.2517525890667211076, 0.10516633568168574612, 12.801827480081469611},
    {11.5, 2.3982391295357816134, 0.090846661274546234338, 16.29200047656724132},
    {12.0, 2.4426616799758120167, 0.08690187287176839075, 17.502307845873885839},
    {20.25, 2.9832602639753078147, 0.050622103814419773416, 40.084110597917348984},
    {100.5, 4.6051743525818452119, 0.0099999166695831027116, 361.43554046777762156},
    {10000.0, 9.2102903711428494036, 0.00010000500016666666633, 82099.717496442377273},
    {100000000.0, 18.420680738952365464, 1.0000000050000000167e-8, 1742068066.1038347093},
    {1000000000000000.0, 34.53877639491068476, 1.0000000000000005e-15, 33538776394910668.91},
};

static void near_to(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance * fabs(want) + 1e-300))
        fail_msg("%.17g is not %.17g", got, want);
}

static void test_reference(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof reference / sizeof *reference; k++) {
        near_to(scant_i_digamma(reference[k].x), reference[k].digamma, 1e-13);
        near_to(scant_i_trigamma(reference[k].x), reference[k].trigamma, 1e-13);
        near_to(scant_i_lgamma(reference[k].x), reference[k].lgamma, 1e-14);
    }
    /* beside the zero of digamma the absolute error counts */
    assert_true(fabs(scant_i_digamma(1.4616321449683622)) < 1e-15);
}

static void test_factorial(void **state)
{
    (void)state;
    double x[700], sum = 0, total = -1, want = 0;
    for (size_t n = 0; n < 700; n++) {
        near_to(scant_i_log_factorial((double)n), lgamma((double)n + 1), 1e-14);
        x[n] = (double)(n % 256);
        sum += lgamma(x[n] + 1);
        want += x[n];
    }
    near_to(scant_i_log_factorial(2.5), lgamma(3.5), 1e-14);
    near_to(scant_i_log_factorial_sum(x, 700, &total), sum, 1e-13);
    assert_true(total == want);
    x[3] = 2.5;
    x[9] = 1e6;
    sum += lgamma(3.5) - lgamma(4) + lgamma(1e6 + 1) - lgamma(10);
    near_to(scant_i_log_factorial_sum(x, 700, &total), sum, 1e-13);
    assert_true(total == want - 3 + 2.5 - 9 + 1e6);
    assert_true(scant_i_log_factorial_sum(x, 0, &total) == 0 && total == 0);
}

static void test_logsumexp(void **state)
{
    (void)state;
    double x[] = {-1000, -1000 + log(3)}, none[] = {-INFINITY, -INFINITY}, one[] = {-INFINITY, 700};
    near_to(scant_i_logsumexp(x, 2), -1000 + log(4), 1e-15);
    assert_true(scant_i_logsumexp(NULL, 0) == -INFINITY);
    assert_true(scant_i_logsumexp(none, 2) == -INFINITY);
    assert_true(scant_i_logsumexp(one, 2) == 700);
}

/* Units in the last place between got and want; both of one sign. */
static double ulps(double got, double want)
{
    if (got == want)
        return 0;
    return fabs(got - want) / (nextafter(fabs(want), INFINITY) - fabs(want));
}

static void test_vector(void **state)
{
    (void)state;
    enum { N = 1003 };
    double x[N], y[N];
    scant_i_random random = scant_i_random_new(1, 1);
    for (size_t i = 0; i < N; i++)
        x[i] = exp(1400 * scant_i_random_uniform(&random) - 700);
    scant_i_vector_log(y, x, N);
    for (size_t i = 0; i < N; i++)
        assert_true(ulps(y[i], log(x[i])) <= 4);
}

static void test_vector_limits(void **state)
{
    (void)state;
    double v[] = {0, 1, INFINITY, 1e-310, -1, 4.9e-324, 1e308, 2, 3};
    scant_i_vector_log(v, v, 9);
    assert_true(v[0] == -INFINITY && v[1] == 0 && v[2] == INFINITY && isnan(v[4]));
    assert_true(ulps(v[3], log(1e-310)) <= 4 && ulps(v[5], log(4.9e-324)) <= 4);
}

/* An element's result does not depend on its place. */
static void test_vector_place(void **state)
{
    (void)state;
    double x[40], whole[40], part[40];
    scant_i_random random = scant_i_random_new(2, 1);
    for (size_t i = 0; i < 40; i++)
        x[i] = 5 * scant_i_random_exponential(&random);
    scant_i_vector_log(whole, x, 40);
    for (size_t first = 0; first < 40; first++)
        for (size_t n = 0; first + n <= 40; n++) {
            memset(part, 0, sizeof part);
            scant_i_vector_log(part, x + first, n);
            assert_memory_equal(part, whole + first, n * sizeof *part);
            assert_true(n == 40 || part[n] == 0); /* nothing past the end */
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),     cmocka_unit_test(test_factorial),
        cmocka_unit_test(test_logsumexp),     cmocka_unit_test(test_vector),
        cmocka_unit_test(test_vector_limits), cmocka_unit_test(test_vector_place),
    };
    return RUN_WITH_EACH_TABLE(tests);
}
