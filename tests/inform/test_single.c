/* Information from sums in single precision beside that from sums in double: it differs, by a hundredth or less of what
 * its bound says; and where the bound is too large, all is from sums in double precision. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "inform/errors.h"
#include "inform_cases.h"
#include "math/linear.h"

enum { MANY = 70000 };

/* The largest c' E c / c_a, E the error of `once`, c column a of the inverse of complete, over the components'
 * coordinates; and what rounding.h says of it. */
static double error_of(const scant_i_information *once, const scant_i_information *twice,
                       double *bound)
{
    size_t n = once->chart.n;
    double *L = calloc(n * n, sizeof *L), *C = calloc(n * n, sizeof *C), most = 0;
    memcpy(L, twice->complete, n * n * sizeof *L);
    assert_true(scant_i_cholesky(L, n));
    scant_i_cholesky_inverse(C, L, n);
    assert_ok(scant_i_rounding_share(bound, &once->rounding, C, n));
    for (size_t a = once->chart.ncoupling; a < n; a++) {
        const double *c = C + a * n;
        double sum = 0;
        for (size_t t = 0; t < n * n; t++)
            sum += c[t / n] * (once->missing[t] - twice->missing[t]) * c[t % n];
        most = fmax(most, fabs(sum) / c[a]);
    }
    free(L);
    free(C);
    return most;
}

/* Every family and shape; kinds of evidence, sharing and weights take turns. */
static void errors_are_within_their_bound(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILY_CASES; f++) {
        inform_plan plan = {
            .family = &family_cases[f],
            .mode = (inform_mode)(f % INFORM_FIX), /* copies of rows are no other case */
            .common = f % 2 && f % INFORM_FIX != INFORM_NONE,
            .weighted = f % 3 == 0,
            .n = MANY};
        inform_problem p;
        scant_i_information twice, once;
        double bound = 0;
        inform_problem_new(&p, &plan);
        assert_ok(scant_i_information_new(&twice, p.mixture, p.rows, &p.evidence, 2));
        assert_ok(scant_i_information_quick(&once, p.mixture, p.rows, &p.evidence, 2));
        assert_true(twice.rounding.u == 0 && once.rounding.u > 0);
        size_t bytes = once.chart.n * once.chart.n * sizeof *once.complete;
        assert_memory_equal(once.complete, twice.complete, bytes);
        double error = error_of(&once, &twice, &bound);
        if (!(error > 0 && error < bound / 100 && bound < 0.1))
            fail_msg("%s %s: error %g, bound %g", plan.family->family->name,
                     plan.family->settings.covariance ? plan.family->settings.covariance : "",
                     error, bound);
        scant_i_information_clear(&twice);
        scant_i_information_clear(&once);
        inform_problem_clear(&p);
    }
}

/* Few rows, and cells that are missing, are not worth it; weights may be too small for it. */
static void others_are_as_before(void **state)
{
    (void)state;
    enum { FEW, MISSING, LIGHT, CASES };
    for (unsigned which = 0; which < CASES; which++) {
        inform_plan plan = {.family = &family_cases[PLAIN_CASES],
                            .mode = INFORM_EXACT,
                            .missing = which == MISSING,
                            .n = which == FEW ? 500 : MANY};
        inform_problem p;
        scant_i_information twice, once;
        inform_problem_new(&p, &plan);
        if (which == LIGHT)
            p.evidence.unlabelled_weight = 1e-7;
        assert_ok(scant_i_information_new(&twice, p.mixture, p.rows, &p.evidence, 2));
        assert_ok(scant_i_information_quick(&once, p.mixture, p.rows, &p.evidence, 2));
        assert_true(once.rounding.u == 0);
        assert_memory_equal(once.missing, twice.missing,
                            once.chart.n * once.chart.n * sizeof *once.missing);
        scant_i_information_clear(&twice);
        scant_i_information_clear(&once);
        inform_problem_clear(&p);
    }
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    inform_plan plan = {
        .family = &family_cases[PLAIN_CASES], .mode = INFORM_WEIGH, .common = true, .n = MANY};
    inform_problem p;
    scant_i_information one, three;
    inform_problem_new(&p, &plan);
    assert_ok(scant_i_information_quick(&one, p.mixture, p.rows, &p.evidence, 1));
    assert_ok(scant_i_information_quick(&three, p.mixture, p.rows, &p.evidence, 3));
    assert_memory_equal(one.observed, three.observed,
                        one.chart.n * one.chart.n * sizeof *one.observed);
    assert_true(one.rounding.u > 0);
    scant_i_information_clear(&one);
    scant_i_information_clear(&three);
    inform_problem_clear(&p);
}

/* --- where it does not do --- */

enum { PILES = 3 };
/* Three normal components of standard deviation 1, rows drawn from them, each component's in turn. */
static scant_i_mixture *mixture_of(const double *means, double *x)
{
    static const size_t column[] = {0};
    const scant_i_family_settings settings = {.covariance = "diag"};
    scant_i_mixture *m = NULL;
    scant_i_random random = scant_i_random_new(11, 0);
    assert_ok(scant_i_mixture_new(&m, PILES, 1, 1));
    assert_ok(
        scant_i_factor_new(&m->factor[0], &scant_i_gaussian, &settings, PILES, column, NULL, 1));
    for (size_t i = 0; i < MANY; i++)
        x[i] = means[i % PILES] + scant_i_random_normal(&random);
    for (size_t j = 0; j < PILES; j++) {
        m->coupling.W[j] = 1.0 / PILES;
        m->factor[0]->theta[j] = means[j];
        m->factor[0]->theta[PILES + j] = 1;
    }
    case_standardise(m->factor[0], x, MANY);
    return m;
}

/* Two components that overlap, and a third far from them, at which the columns' unit grows: features are large then
 * beside what scores differ by. */
static void far_rows_ask_for_double(void **state)
{
    (void)state;
    static double x[MANY];
    static const double means[][PILES] = {{0, 4, 8}, {0, 4, 400}};
    const scant_i_evidence_settings settings = {
        .probabilities = SCANT_I_LIKELIHOOD, .unlabelled_weight = 1, .own_class = false};
    for (size_t far = 0; far < 2; far++) {
        scant_rows *rows = NULL;
        scant_i_evidence evidence;
        scant_i_information once, sure, twice;
        double share = 0, bound = 0, *covariance = NULL;
        scant_i_mixture *m = mixture_of(means[far], x);
        assert_ok(scant_rows_new(&rows, MANY, 1, x, NULL));
        assert_ok(scant_i_evidence_new(&evidence, rows, 1, &settings));
        assert_ok(scant_i_information_quick(&once, m, rows, &evidence, 2));
        assert_ok(scant_i_information_new(&twice, m, rows, &evidence, 2));
        assert_ok(scant_i_estimate_all(&sure, &share, &covariance, m, rows, &evidence, 2));
        assert_true(share > 0 && share < 1);
        double error = error_of(&once, &twice, &bound);
        assert_true(error > 0 && error < bound / 100 && (far ? error > 0.01 : bound < 0.001));
        assert_true((sure.rounding.u == 0) == (bool)far);
        assert_memory_equal(sure.missing, far ? twice.missing : once.missing,
                            sure.chart.n * sure.chart.n * sizeof *sure.missing);
        scant_i_free(covariance);
        scant_i_information_clear(&once);
        scant_i_information_clear(&sure);
        scant_i_information_clear(&twice);
        scant_i_evidence_clear(&evidence);
        scant_rows_free(rows);
        scant_i_mixture_free(m);
    }
}

/* Squares of the cells are too large for single precision. */
static void overflow_is_seen(void **state)
{
    (void)state;
    static double x[MANY];
    static const size_t column[] = {0};
    const scant_i_evidence_settings settings = {
        .probabilities = SCANT_I_LIKELIHOOD, .unlabelled_weight = 1, .own_class = false};
    const scant_i_family_settings plain = {0};
    scant_rows *rows = NULL;
    scant_i_mixture *m = NULL;
    scant_i_evidence evidence;
    scant_i_information info;
    double share = 0, *covariance = NULL;
    scant_i_random random = scant_i_random_new(12, 0);
    for (size_t i = 0; i < MANY; i++)
        x[i] = -1e25 * (i % 2 ? 1 : 8) * log(scant_i_random_uniform(&random));
    assert_ok(scant_i_mixture_new(&m, 2, 1, 1));
    assert_ok(scant_i_factor_new(&m->factor[0], &scant_i_exponential, &plain, 2, column, NULL, 1));
    m->coupling.W[0] = m->coupling.W[1] = 0.5;
    m->factor[0]->theta[0] = 1e25;
    m->factor[0]->theta[1] = 8e25;
    assert_ok(scant_rows_new(&rows, MANY, 1, x, NULL));
    assert_ok(scant_i_evidence_new(&evidence, rows, 1, &settings));
    assert_ok(scant_i_information_quick(&info, m, rows, &evidence, 1));
    assert_true(isinf(info.rounding.u));
    scant_i_information_clear(&info);
    assert_ok(scant_i_estimate_all(&info, &share, &covariance, m, rows, &evidence, 1));
    assert_true(info.rounding.u == 0 && share > 0 && share < 1);
    scant_i_free(covariance);
    scant_i_information_clear(&info);
    scant_i_evidence_clear(&evidence);
    scant_rows_free(rows);
    scant_i_mixture_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_within_their_bound),
        cmocka_unit_test(others_are_as_before),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(far_rows_ask_for_double),
        cmocka_unit_test(overflow_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
