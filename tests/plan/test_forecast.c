/* The forecast against what it forecasts: excess errors of fits to rows drawn from a known model,
 * the variance by plain inversion, and what labels add up to. */
#include "plan/forecast.h"

#include <math.h>
#include "base/random.h"
#include "check.h"
#include "math/linear.h"
#include "plan/policy.h"
#include <scant/scant.h>

enum { N = 4000, MANY = 60000 }; /* rows; rows to draw for an excess to 3 % */

static const double GAP = 2, SHARE = 0.3;
static const char *const NAME[2] = {"a", "b"};

/* Rows of two normal classes a gap apart; the first `labelled` have their label. */
static scant_rows *draw(size_t n, size_t labelled, size_t d, uint64_t seed)
{
    scant_rows *rows = NULL;
    scant_i_random random = scant_i_random_new(seed, 1);
    double *x = NULL;
    const char **cells = NULL;
    assert_ok(SCANT_I_NEW(&x, n * d));
    assert_ok(SCANT_I_NEW(&cells, n));
    for (size_t i = 0; i < n; i++) {
        size_t k = scant_i_random_uniform(&random) < SHARE;
        for (size_t c = 0; c < d; c++)
            x[i * d + c] = scant_i_random_normal(&random) + (c == 0 && k ? GAP : 0);
        cells[i] = i < labelled ? NAME[k] : "";
    }
    assert_ok(scant_rows_new(&rows, n, d, x, NULL));
    assert_ok(scant_rows_set_labels(rows, cells, NAME, 2, NULL));
    scant_i_free(x);
    scant_i_free((void *)cells);
    return rows;
}

static scant_model *fit(const scant_rows *rows, const char *covariance)
{
    scant_model *model = NULL;
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.covariance = covariance;
    options.run.starts = 1;
    options.run.threads = 1;
    assert_ok(scant_fit(&model, rows, &options));
    return model;
}

static double below(double x)
{
    return erfc(-x / sqrt(2)) / 2;
}

/* Error of calling b what lies above t, with the means at 0 and GAP. */
static double error_of(double t)
{
    return (1 - SHARE) * (1 - below(t)) + SHARE * below(t - GAP);
}

/* Means, one variance and the share from `labels` labelled numbers, by hand, over and over: the
 * mean excess error of the rule they make. */
static double excess_by_trial(size_t labels, size_t trials)
{
    double sum = 0, best = error_of(GAP / 2 + log((1 - SHARE) / SHARE) / GAP);
    for (uint64_t trial = 0; trial < trials; trial++) {
        scant_i_random random = scant_i_random_new(trial, 2);
        double count[2] = {0}, first[2] = {0}, second = 0, within = 0;
        for (size_t i = 0; i < labels; i++) {
            size_t k = scant_i_random_uniform(&random) < SHARE;
            double x = scant_i_random_normal(&random) + (k ? GAP : 0);
            count[k]++;
            first[k] += x;
            second += x * x;
        }
        for (size_t k = 0; k < 2; k++) {
            first[k] /= count[k];
            within += count[k] * first[k] * first[k];
        }
        double variance = (second - within) / (double)labels;
        double t =
            (first[0] + first[1]) / 2 + variance * log(count[0] / count[1]) / (first[1] - first[0]);
        sum += error_of(t) - best;
    }
    return sum / (double)trials;
}

static void excess_is_what_fits_have(void **state)
{
    (void)state;
    scant_rows *rows = draw(40000, 40000, 1, 5);
    scant_model *model = fit(rows, "tied");
    scant_i_forecast forecast;
    assert_ok(scant_i_forecast_new(&forecast, model, rows, 100, 0, MANY, 1, NULL));
    for (size_t labels = 100; labels <= 800; labels *= 2) {
        double said = scant_i_forecast_excess(&forecast, (double)labels, 0);
        double had = excess_by_trial(labels, 20000);
        /* 20000 trials and the rows kept know it to 3 %; what the expansion leaves out falls like
         * 1 / labels, and is a tenth at 100, which are 30 of the rarer class */
        if (!(fabs(said / had - 1) < 0.03 + 10 / (double)labels))
            fail_msg("%zu labels: excess %g forecast, %g on trial", labels, said, had);
    }
    scant_i_forecast_clear(&forecast);
    scant_model_free(model);
    scant_rows_free(rows);
}

/* tr (L I_xy + U I_x)^-1 by plain inversion; rho is not clipped where rows are the model's. */
static void trace_is_that_of_the_inverse(void **state)
{
    (void)state;
    const double L = 50, U = 700;
    scant_rows *rows = draw(N, N, 2, 6);
    scant_model *model = fit(rows, "diag");
    scant_i_forecast forecast;
    scant_i_information with, without;
    assert_ok(scant_i_forecast_new(&forecast, model, rows, L, U, SCANT_I_FORECAST_DRAWN, 1, NULL));
    assert_ok(scant_i_policy_inform(&with, &scant_i_policy_row, model->mixture, rows,
                                    forecast.classes, 1));
    assert_ok(scant_i_policy_inform(&without, &scant_i_policy_none, model->mixture, rows,
                                    forecast.classes, 1));
    size_t n = forecast.n;
    double *sigma = NULL, *inverse = NULL, trace = 0;
    assert_ok(SCANT_I_NEW(&sigma, n * n));
    assert_ok(SCANT_I_NEW(&inverse, n * n));
    for (size_t t = 0; t < n * n; t++)
        sigma[t] = (L * with.observed[t] + U * without.observed[t]) / N;
    assert_true(scant_i_cholesky(sigma, n));
    scant_i_cholesky_inverse(inverse, sigma, n);
    for (size_t a = 0; a < n; a++)
        trace += inverse[a * n + a];
    assert_true(fabs(scant_i_forecast_trace(&forecast, L, U) / trace - 1) < 1e-9);
    /* one component a class: a label tells all that there is */
    for (size_t t = 0; t < n * n; t++)
        assert_true(fabs(with.observed[t] - without.complete[t]) < 1e-9 * N);
    scant_i_free(sigma);
    scant_i_free(inverse);
    scant_i_information_clear(&with);
    scant_i_information_clear(&without);
    scant_i_forecast_clear(&forecast);
    scant_model_free(model);
    scant_rows_free(rows);
}

/* Labels of all rows turn I_x into I_xy: their gains add up to the information that was missing,
 * and the excess with all of them is that of as many labels. */
static void labels_add_up(void **state)
{
    (void)state;
    const double L = 60;
    scant_rows *rows = draw(N, N, 2, 7);
    scant_model *model = fit(rows, "full");
    scant_i_forecast forecast;
    assert_ok(scant_i_forecast_new(&forecast, model, rows, L, N, SCANT_I_FORECAST_DRAWN, 1, NULL));
    double gains = 0, missing = 0, excess;
    for (size_t i = 0; i < N; i++)
        gains += forecast.gain[i];
    for (size_t a = 0; a < forecast.n; a++)
        missing += N * (1 - forecast.worth[a]) / (L + N * forecast.worth[a]) / 2;
    assert_true(fabs(gains / missing - 1) < 1e-4); /* differences of probabilities */
    static size_t all[N];
    for (size_t i = 0; i < N; i++)
        all[i] = i;
    assert_ok(scant_i_forecast_excess_with(&excess, &forecast, model, rows, all, N, 1));
    assert_true(fabs(excess / scant_i_forecast_excess(&forecast, L + N, 0) - 1) < 1e-6);
    scant_i_forecast_clear(&forecast);
    scant_model_free(model);
    scant_rows_free(rows);
}

static void policies_are_a_table(void **state)
{
    (void)state;
    assert_ptr_equal(scant_i_policy_at(0), &scant_i_policy_none);
    assert_ptr_equal(scant_i_policy_at(1), &scant_i_policy_row);
    assert_null(scant_i_policy_at(2));
    assert_int_equal(scant_i_policy_none.labels(7), 0);
    assert_int_equal(scant_i_policy_row.labels(7), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(excess_is_what_fits_have),
        cmocka_unit_test(trace_is_that_of_the_inverse),
        cmocka_unit_test(labels_add_up),
        cmocka_unit_test(policies_are_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
