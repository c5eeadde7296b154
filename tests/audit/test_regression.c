/* Mean squared errors of predictors of numbers: closed forms, the density of a multivariate normal,
 * known parameters found again, intervals that hold. */
#include <math.h>
#include <stdlib.h>
#include <scant/audit.h>
#include "base/random.h"
#include "check.h"
#include "math/linear.h"

#define OPTIONS(is_channel, mu, s, known)                                                          \
    {                                                                                              \
        .size = sizeof(scant_regression_options), .channel = is_channel, .mean = mu, .sd = s,      \
        .noise = known, .ci = 0.95                                                                 \
    }
enum { K = 4, N = 4000 };
static const double THETA[K] = {0.6, 0.9, 1.1, 1.4};

/* Predictions of y ~ N(mu, s^2): theta (y - e), or y + theta e. */
static scant_rows *draw(size_t n, size_t k, bool channel, double mu, double s, double noise,
                        double missing, uint64_t seed)
{
    scant_i_random random = scant_i_random_new(seed, 0);
    double *x = calloc(n * k, sizeof *x);
    for (size_t i = 0; i < n; i++) {
        double y = mu + s * scant_i_random_normal(&random);
        for (size_t c = 0; c < k; c++) {
            double e = scant_i_random_normal(&random);
            x[i * k + c] = channel ? y + THETA[c] * e : THETA[c] * (y - noise * e);
            if (scant_i_random_uniform(&random) < missing)
                x[i * k + c] = NAN;
        }
    }
    scant_rows *rows = NULL;
    assert_ok(scant_rows_new(&rows, n, k, x, NULL));
    free(x);
    return rows;
}

static void test_closed_forms(void **state)
{
    (void)state;
    double mu = 1.3, s = 0.8, noise = 0.7, v = s * s + noise * noise, sum = 0, squares = 0, far = 0;
    for (int channel = 0; channel < 2; channel++) {
        scant_rows *rows = draw(N, 1, channel, mu, s, noise, 0, 1);
        scant_regression got;
        scant_regression_options o = OPTIONS(channel, mu, s, noise);
        assert_ok(scant_audit_regression(&got, rows, &o));
        sum = squares = far = 0;
        for (size_t i = 0; i < N; i++) {
            double x = scant_rows_value(rows, i, 0);
            sum += x / N;
            squares += x * x / N;
            far += (x - mu) * (x - mu) / N;
        }
        double half = mu * sum / (2 * v), theta = sqrt(half * half + squares / v) - half;
        double wanted = channel ? sqrt(far - s * s) : theta;
        assert_true(fabs(got.predictor[0].theta.value - wanted) < 1e-10);
        if (channel)
            assert_true(fabs(got.predictor[0].risk.value - (far - s * s)) < 1e-10);
        scant_regression_clear(&got);
        scant_rows_free(rows);
    }
}

/* log density of the predictions present in a row, from their mean and covariance */
static double naive_row(const scant_regression *r, const scant_rows *rows, size_t row)
{
    double mean[K], S[K * K], value = 0, mu = r->options.mean, s = r->options.sd;
    size_t at[K], n = 0;
    for (size_t c = 0; c < r->npredictors; c++)
        if (!isnan(scant_rows_value(rows, row, c)))
            at[n++] = c;
    for (size_t a = 0; a < n; a++) {
        double t = r->predictor[at[a]].theta.value;
        mean[a] = scant_rows_value(rows, row, at[a]) - (r->options.channel ? mu : t * mu);
        for (size_t b = 0; b < n; b++) {
            double u = r->predictor[at[b]].theta.value;
            S[a * n + b] = r->options.channel
                               ? s * s + (a == b ? t * t : 0)
                               : t * u * (s * s + (a == b ? r->noise * r->noise : 0));
        }
    }
    if (n == 0)
        return 0;
    assert_true(scant_i_cholesky(S, n));
    value -= scant_i_cholesky_logdet(S, n) / 2 + (double)n * log(2 * M_PI) / 2;
    scant_i_forward_solve(S, n, mean);
    for (size_t a = 0; a < n; a++)
        value -= mean[a] * mean[a] / 2;
    return value;
}

static double naive(const scant_regression *r, const scant_rows *rows)
{
    double value = 0;
    for (size_t i = 0; i < scant_rows_count(rows); i++)
        value += naive_row(r, rows, i);
    return value;
}

static void check_maximum(bool channel, double known)
{
    scant_rows *rows = draw(300, K, channel, 0.4, 1, 0.6, 0.3, 7);
    scant_regression got;
    scant_regression_options o = OPTIONS(channel, 0.4, 1, known);
    assert_ok(scant_audit_regression(&got, rows, &o));
    double best = naive(&got, rows);
    assert_true(fabs(best - got.loglik) < 1e-8);
    for (size_t c = 0; c < K; c++) /* whichever way one goes from the maximum, it is down */
        for (int way = -1; way < 2; way += 2) {
            double kept = got.predictor[c].theta.value;
            got.predictor[c].theta.value *= 1 + 1e-4 * way;
            assert_true(naive(&got, rows) < best);
            got.predictor[c].theta.value = kept;
        }
    for (int way = -1; way < 2 && isnan(known) && !channel; way += 2) {
        double kept = got.noise;
        got.noise *= 1 + 1e-3 * way;
        assert_true(naive(&got, rows) < best);
        got.noise = kept;
    }
    scant_regression_clear(&got);
    scant_rows_free(rows);
}

static void test_maximum(void **state)
{
    (void)state;
    check_maximum(false, 0.6);
    check_maximum(false, NAN);
    check_maximum(true, NAN);
}

/* Over many draws the intervals of all parameters hold the truth in 95 of 100 cases. */
static void check_coverage(bool channel, double known)
{
    enum { RUNS = 200 };
    double mu = 0.5, s = 1, noise = 0.6, held = 0;
    for (size_t run = 0; run < RUNS; run++) {
        scant_rows *rows = draw(400, K, channel, mu, s, noise, 0.2, 100 + run);
        scant_regression got;
        scant_regression_options o = OPTIONS(channel, mu, s, known);
        assert_ok(scant_audit_regression(&got, rows, &o));
        for (size_t c = 0; c < K; c++) {
            double t = THETA[c], second = mu * mu + s * s;
            double risk = channel ? t * t : t * t * noise * noise + (1 - t) * (1 - t) * second;
            const scant_estimate *r = &got.predictor[c].risk, *h = &got.predictor[c].theta;
            held += (r->low <= risk && risk <= r->high) + (h->low <= t && t <= h->high);
        }
        scant_regression_clear(&got);
        scant_rows_free(rows);
    }
    held /= 2 * K * RUNS;
    assert_true(held > 0.93 && held < 0.97);
}

/* Far from 0 a mean tells the scales the better, and all else is as before. */
static void test_far_means(void **state)
{
    (void)state;
    static const double FAR[2] = {1e3, 1e6};
    for (int channel = 0; channel < 2; channel++) {
        scant_regression got[2];
        for (int at = 0; at < 2; at++) {
            scant_rows *rows = draw(N, K, channel, FAR[at], 2, 0.7, 0.2, 5);
            scant_regression_options o = OPTIONS(channel, FAR[at], 2, NAN);
            assert_ok(scant_audit_regression(&got[at], rows, &o));
            scant_rows_free(rows);
        }
        assert_true(channel || fabs(got[1].noise - got[0].noise) < 1e-4);
        for (size_t c = 0; c < K; c++) {
            const scant_estimate *near = &got[0].predictor[c].theta,
                                 *far = &got[1].predictor[c].theta;
            double times = channel ? 1 : FAR[1] / FAR[0];
            assert_true(fabs(far->value / near->value - 1) < (channel ? 1e-6 : 1e-3));
            assert_true(fabs(times * far->error / near->error - 1) < 1e-3);
        }
        scant_regression_clear(&got[0]);
        scant_regression_clear(&got[1]);
    }
}

static void test_coverage(void **state)
{
    (void)state;
    check_coverage(false, 0.6);
    check_coverage(false, NAN);
    check_coverage(true, NAN);
}

static void test_combine(void **state)
{
    (void)state;
    scant_rows *rows = draw(N, K, false, 0, 1, 0.6, 0.2, 9);
    scant_regression got;
    scant_regression_options o = OPTIONS(false, 0, 1, 0.6);
    double *mean = calloc(N, sizeof *mean), *sd = calloc(N, sizeof *sd);
    assert_ok(scant_audit_regression(&got, rows, &o));
    assert_ok(scant_regression_combine(mean, sd, &got, rows));
    double squares = 0, promised = 0;
    scant_i_random random = scant_i_random_new(9, 0); /* the y's of the draw again */
    for (size_t i = 0; i < N; i++) {
        double y = scant_i_random_normal(&random);
        for (size_t c = 0; c < K; c++) {
            (void)scant_i_random_normal(&random);
            (void)scant_i_random_uniform(&random);
        }
        squares += (y - mean[i]) * (y - mean[i]) / N;
        promised += sd[i] * sd[i] / N;
    }
    assert_true(fabs(squares / promised - 1) < 0.08);
    free(mean);
    free(sd);
    scant_regression_clear(&got);
    scant_rows_free(rows);
}

/* However wide the prior, channels tell the same errors, and one without any is what the others are combined to. */
static void test_wide_priors(void **state)
{
    (void)state;
    enum { ROWS = 60, WIDE = 4 };
    static const double SD[WIDE] = {1e2, 1e4, 1e6, 1e8};
    scant_rows *rows = draw(ROWS, K, true, 0, 1, 0, 0, 11);
    double x[ROWS * K], mean[ROWS], sd[ROWS], first[K] = {0};
    for (size_t i = 0; i < ROWS; i++)
        for (size_t c = 0; c < K; c++)
            x[i * K + c] = c ? scant_rows_value(rows, i, c)
                             : (scant_rows_value(rows, i, 1) + scant_rows_value(rows, i, 2)) / 2;
    scant_rows *near = NULL;
    assert_ok(scant_rows_new(&near, ROWS, K, x, NULL));
    for (int at = 0; at < WIDE; at++) {
        scant_regression got;
        scant_regression_options o = OPTIONS(true, 0, SD[at], NAN);
        assert_ok(scant_audit_regression(&got, near, &o));
        assert_ok(scant_regression_combine(mean, sd, &got, near));
        assert_true(got.predictor[0].theta.value == 0);
        for (size_t c = 1; c < K; c++) {
            first[c] = at ? first[c] : got.predictor[c].theta.value;
            assert_true(fabs(got.predictor[c].theta.value / first[c] - 1) < 1e-3);
        }
        for (size_t i = 0; i < ROWS; i++)
            assert_true(fabs(mean[i] - x[i * K]) < 1e-3);
        scant_regression_clear(&got);
    }
    scant_rows_free(rows);
    scant_rows_free(near);
}

static void test_refusals(void **state)
{
    (void)state;
    scant_regression got;
    scant_rows *rows = draw(100, 1, false, 0, 1, 0.6, 0, 3),
               *silent = draw(9, 2, false, 0, 1, 1, 1, 3);
    scant_regression_options unknown = OPTIONS(false, 0, 1, NAN), flat = OPTIONS(false, 0, 0, 0.6);
    assert_fails(scant_audit_regression(&got, rows, &unknown), SCANT_ERR_UNIDENTIFIED, "mean 0");
    assert_fails(scant_audit_regression(&got, rows, &flat), SCANT_ERR_ARGUMENT, "prior_sd: '0'");
    assert_fails(scant_audit_regression(&got, silent, &unknown), SCANT_ERR_UNIDENTIFIED,
                 "predicts nothing");

    scant_regression_options never = {0}, preset;
    assert_fails(scant_audit_regression(&got, rows, &never), SCANT_ERR_ARGUMENT,
                 "call scant_regression_options_preset() first");
    assert_fails(scant_audit_regression(&got, rows, NULL), SCANT_ERR_ARGUMENT, "first");
    scant_regression_options_preset(&preset);
    assert_true(isnan(preset.noise) && preset.ci == 0.95 && preset.sd == 1 && !preset.channel);
    static const double no_noise[] = {0, -1, INFINITY}, no_level[] = {0, 1, NAN};
    for (size_t t = 0; t < 3; t++) {
        scant_regression_options_preset(&preset);
        preset.noise = no_noise[t];
        assert_fails(scant_audit_regression(&got, rows, &preset), SCANT_ERR_ARGUMENT, "noise_sd");
        scant_regression_options_preset(&preset);
        preset.ci = no_level[t];
        assert_fails(scant_audit_regression(&got, rows, &preset), SCANT_ERR_ARGUMENT, "ci: ");
    }
    scant_regression_options_preset(&preset);
    preset.mean = INFINITY;
    assert_fails(scant_audit_regression(&got, rows, &preset), SCANT_ERR_ARGUMENT, "prior_mean");
    scant_rows_free(rows);
    scant_rows_free(silent);
}

/* A negative multiple is found where the mean tells it, and both roots are named where nothing does. */
static void test_signs(void **state)
{
    (void)state;
    static const double mean[2] = {0.7, 0};
    for (int t = 0; t < 2; t++) {
        scant_rows *rows = draw(N, 3, false, mean[t], 1, 0.5, 0.1, 21), *turned = NULL;
        double *x = calloc(3 * N, sizeof *x);
        for (size_t i = 0; i < N; i++)
            for (size_t c = 0; c < 3; c++)
                x[i * 3 + c] = scant_rows_value(rows, i, c) * (c == 1 ? -1 : 1);
        assert_ok(scant_rows_new(&turned, N, 3, x, NULL));
        scant_regression got;
        scant_regression_options o = OPTIONS(false, mean[t], 1, NAN);
        assert_ok(scant_audit_regression(&got, turned, &o));
        for (size_t c = 0; c < 3; c++) {
            double theta = c == 1 ? -THETA[c] : THETA[c];
            const scant_regression_predictor *p = &got.predictor[c];
            assert_true(fabs(p->theta.value - theta) < 4 * p->theta.error);
            assert_true(t == 0 ? p->gap > 100 : fabs(p->gap) < 1e-6);
            assert_true(fabs(p->mirrored - (theta * theta * got.noise * got.noise +
                                            (1 + theta) * (1 + theta) * (1 + mean[t] * mean[t]))) <
                        0.2);
        }
        assert_int_equal(got.nwarnings, t);
        scant_regression_clear(&got);
        scant_rows_free(rows);
        scant_rows_free(turned);
        free(x);
    }
}

/* Eq. 37: a few true values tell the sign that a mean of 0 does not; the likelihood is that of a Gaussian with one more column. */
static void test_truth(void **state)
{
    (void)state;
    enum { ROWS = 300 };
    scant_i_random random = scant_i_random_new(5, 0);
    double x[ROWS * 3], sum = 0;
    for (size_t i = 0; i < ROWS; i++) {
        double y = scant_i_random_normal(&random);
        for (size_t c = 0; c < 2; c++)
            x[i * 3 + c] = (c ? 0.8 : -0.9) * (y - 0.5 * scant_i_random_normal(&random));
        x[i * 3 + 2] = i < 40 ? y : NAN;
    }
    scant_rows *rows = NULL;
    const char *names[] = {"a", "b", "y"};
    assert_ok(scant_rows_new(&rows, ROWS, 3, x, names));
    scant_regression got;
    scant_regression_options o = OPTIONS(false, 0, 1, 0.5);
    o.truth = "y";
    assert_ok(scant_audit_regression(&got, rows, &o));
    assert_int_equal(got.npredictors, 2);
    double a = got.predictor[0].theta.value, b = got.predictor[1].theta.value;
    assert_true(fabs(a + 0.9) < 0.1 && fabs(b - 0.8) < 0.1 && got.predictor[0].gap > 10);
    for (size_t i = 0; i < ROWS; i++) {
        size_t n = i < 40 ? 3 : 2;
        double m[3] = {x[i * 3], x[i * 3 + 1], x[i * 3 + 2]}, S[9];
        double load[3] = {a, b, 1}, own[3] = {a * a / 4, b * b / 4, 0};
        for (size_t c = 0; c < n; c++)
            for (size_t d = 0; d < n; d++)
                S[c * n + d] = load[c] * load[d] + (c == d ? own[c] : 0);
        assert_true(scant_i_cholesky(S, n));
        sum -= scant_i_cholesky_logdet(S, n) / 2 + (double)n * log(2 * M_PI) / 2;
        scant_i_forward_solve(S, n, m);
        for (size_t c = 0; c < n; c++)
            sum -= m[c] * m[c] / 2;
    }
    assert_true(fabs(sum - got.loglik) < 1e-8);
    double mean[ROWS], sd[ROWS];
    assert_ok(scant_regression_combine(mean, sd, &got, rows));
    assert_true(mean[3] == x[3 * 3 + 2] && sd[3] == 0 && sd[50] > 0.1);
    o.truth = "z";
    scant_regression_clear(&got);
    assert_fails(scant_audit_regression(&got, rows, &o), SCANT_ERR_ARGUMENT, "no column 'z'");
    scant_rows_free(rows);
}

/* Errors that two predictors share are found, and independent ones hardly ever called dependent. */
static void test_dependence(void **state)
{
    (void)state;
    enum { RUNS = 200, ROWS = 500 };
    size_t alarms = 0, fails = 0;
    for (size_t run = 0; run < RUNS; run++)
        for (int channel = 0; channel < 2; channel++) {
            scant_rows *rows = draw(ROWS, 3, channel, 0.5, 1, 0.6, 0.2, 300 + run);
            scant_regression got;
            scant_regression_options o = OPTIONS(channel, 0.5, 1, NAN);
            assert_ok(scant_audit_regression(&got, rows, &o));
            assert_int_equal(got.dependence.pairs, 3);
            alarms += got.dependence.verdict != SCANT_VERDICT_HOLDS;
            fails += got.dependence.verdict == SCANT_VERDICT_FAILS;
            scant_regression_clear(&got);
            scant_rows_free(rows);
        }
    assert_true(alarms <= 2 * RUNS / 25 && fails == 0); /* 1% is promised, by an approximation */
    scant_i_random random = scant_i_random_new(8, 0);
    static double x[N * 2];
    for (size_t i = 0; i < N; i++) {
        double y = scant_i_random_normal(&random), e = 0.35 * scant_i_random_normal(&random);
        for (size_t c = 0; c < 2; c++)
            x[i * 2 + c] = 0.9 * (y - e - 0.35 * scant_i_random_normal(&random));
    }
    scant_rows *rows = NULL;
    scant_regression got;
    scant_regression_options o = OPTIONS(false, 0, 1, 0.5);
    assert_ok(scant_rows_new(&rows, N, 2, x, NULL));
    assert_ok(scant_audit_regression(&got, rows, &o));
    assert_int_equal(got.dependence.verdict, SCANT_VERDICT_FAILS);
    assert_true(got.dependence.correlation > 0.3 && isnan(got.predictor[0].risk.low));
    scant_regression_clear(&got);
    o.separately = true; /* needs none of it */
    assert_ok(scant_audit_regression(&got, rows, &o));
    for (size_t c = 0; c < 2; c++) {
        const scant_regression_predictor *p = &got.predictor[c];
        assert_true(p->theta.low < 0.9 && 0.9 < p->theta.high);
    }
    scant_regression_clear(&got);
    scant_rows_free(rows);
}

/* Time that is up leaves the point that was reached, and no interval. */
static void test_time_limit(void **state)
{
    (void)state;
    scant_rows *rows = draw(N, K, true, 0, 1, 0, 0, 2);
    scant_regression got;
    scant_regression_options o = OPTIONS(true, 0, 1, NAN);
    o.time_limit = 1e-9;
    assert_ok(scant_audit_regression(&got, rows, &o));
    assert_int_equal(got.stop, SCANT_STOP_TIME);
    assert_true(got.predictor[0].risk.value > 0 && isnan(got.predictor[0].risk.low));
    assert_int_equal(got.nwarnings, 1);
    scant_regression_clear(&got);
    scant_rows_free(rows);
}

/* A row of weight 2 is the row twice, one of weight 0 is absent. */
static void test_weights(void **state)
{
    (void)state;
    enum { ROWS = 300 };
    size_t index[2 * ROWS], n = 0;
    double weight[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        weight[i] = (double)(i % 3);
        for (size_t t = 0; t < i % 3; t++)
            index[n++] = i;
    }
    for (int channel = 0; channel < 2; channel++)
        for (int known = 0; known < 2; known++) {
            scant_regression_options o = OPTIONS(channel, 2, 1, known ? 0.6 : NAN);
            scant_rows *rows = draw(ROWS, K, channel, 2, 1, 0.6, 0.1, 7), *copies;
            scant_regression got, wanted;
            assert_ok(scant_rows_subset(&copies, rows, index, n));
            assert_ok(scant_rows_set_weights(rows, weight));
            assert_ok(scant_audit_regression(&got, rows, &o));
            assert_ok(scant_audit_regression(&wanted, copies, &o));
            assert_true(fabs(got.loglik - wanted.loglik) < 1e-8);
            for (size_t c = 0; c < K; c++) {
                scant_estimate a = got.predictor[c].risk, b = wanted.predictor[c].risk;
                assert_true(fabs(a.value - b.value) < 1e-8 && fabs(a.error - b.error) < 1e-8);
            }
            scant_regression_clear(&got);
            scant_regression_clear(&wanted);
            scant_rows_free(rows);
            scant_rows_free(copies);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms), cmocka_unit_test(test_maximum),
        cmocka_unit_test(test_far_means),    cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_combine),      cmocka_unit_test(test_wide_priors),
        cmocka_unit_test(test_refusals),     cmocka_unit_test(test_weights),
        cmocka_unit_test(test_signs),        cmocka_unit_test(test_truth),
        cmocka_unit_test(test_dependence),   cmocka_unit_test(test_time_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
