/* Assignments against all permutations. */
#include "base/random.h"
#include "check.h"
#include "math/assign.h"

enum { MOST = 6 };

/* The best sum over all ways to place things from `at` on. */
static double best_of(const double *gain, size_t n, size_t at, unsigned taken)
{
    double best = -1e300;
    if (at == n)
        return 0;
    for (size_t c = 0; c < n; c++)
        if (!(taken >> c & 1)) {
            double sum = gain[at * n + c] + best_of(gain, n, at + 1, taken | 1u << c);
            best = sum > best ? sum : best;
        }
    return best;
}

static void assignments_are_best(void **state)
{
    (void)state;
    scant_i_random random = scant_i_random_new(3, 1);
    for (size_t trial = 0; trial < 300; trial++) {
        size_t n = 1 + trial % MOST, place[MOST];
        double gain[MOST * MOST], sum = 0;
        unsigned taken = 0;
        for (size_t t = 0; t < n * n; t++) /* ties among them */
            gain[t] = (double)scant_i_random_below(&random, trial % 2 ? 4 : 1000) - 2;
        assert_ok(scant_i_assign(place, gain, n));
        for (size_t i = 0; i < n; i++) {
            sum += gain[i * n + place[i]];
            taken |= 1u << place[i];
        }
        assert_int_equal(taken, (1u << n) - 1);
        assert_true(sum == best_of(gain, n, 0, 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assignments_are_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
