/* Two normals of known weights: expected losses, slopes, the maximum, and what passes through it,
 * each against a slow and obvious twin. */
#include <math.h>
#include <stdlib.h>

#include "audit/normals.h"
#include "base/random.h"
#include "check.h"

enum { N = 400 };

/* Scores of the two classes, the second with share 0.3. */
static void draw(double *f, size_t n, uint64_t seed, double gap)
{
    scant_i_random random = scant_i_random_new(seed, 0);
    for (size_t i = 0; i < n; i++) {
        bool second = scant_i_random_uniform(&random) < 0.3;
        f[i] = second ? gap + 0.8 * scant_i_random_normal(&random)
                      : -1 + 1.1 * scant_i_random_normal(&random);
    }
}

static scant_i_margin near_truth(double gap)
{
    return (scant_i_margin){.prior = {0.7, 0.3}, .mean = {-1.2, gap + 0.1}, .log_sd = {0.2, -0.1}};
}

/* E L(m + s Z) by a fine sum over cells of the normal distribution, kinks split. */
static double naive_expected(const scant_i_loss *loss, double m, double s)
{
    double sum = 0;
    const double h = 1e-4;
    for (double z = -10 + h / 2; z < 10; z += h)
        sum += loss->value(m + s * z) * exp(-z * z / 2) / sqrt(2 * M_PI) * h;
    return sum;
}

static void test_expected_losses(void **state)
{
    (void)state;
    static const double ms[] = {-3, -0.2, 0, 1, 4}, ss[] = {0.05, 0.7, 1, 3};
    for (size_t l = 0; l < SCANT_LOSSES; l++)
        for (size_t a = 0; a < sizeof ms / sizeof *ms; a++)
            for (size_t b = 0; b < sizeof ss / sizeof *ss; b++) {
                const scant_i_loss *loss = &scant_i_losses[l];
                double slope[2], unused[2], m = ms[a], s = ss[b], h = 1e-5;
                double value = loss->expected(m, s, slope), naive = naive_expected(loss, m, s);
                /* cells that straddle a jump leave h times the density */
                assert_true(fabs(value - naive) <
                            (l == SCANT_LOSS_ZERO_ONE ? 1e-4 : 1e-7) * fmax(1, naive));
                double in_m =
                    (loss->expected(m + h, s, unused) - loss->expected(m - h, s, unused)) / (2 * h);
                double in_s =
                    (loss->expected(m, s + h * s, unused) - loss->expected(m, s - h * s, unused)) /
                    (2 * h * s);
                assert_true(fabs(in_m - slope[0]) < 1e-6 * fmax(1, fabs(in_m)));
                assert_true(fabs(in_s - slope[1]) < 1e-6 * fmax(1, fabs(in_s)));
            }
}

/* The log loss far out is the hinge at 0, whose closed form is known. */
static void test_wide_log_loss(void **state)
{
    (void)state;
    double slope[2], s = 5000, m = 700, t = m / s;
    double value = scant_i_losses[SCANT_LOSS_LOG].expected(m, s, slope);
    double hinge = s * exp(-t * t / 2) / sqrt(2 * M_PI) - m * erfc(t / M_SQRT2) / 2;
    assert_true(fabs(value / hinge - 1) < 1e-5);
}

static double *phi_of(scant_i_margin *m, int a)
{
    return a < 2 ? &m->mean[a] : &m->log_sd[a - 2];
}

static void test_slopes(void **state)
{
    (void)state;
    double f[N], w[N];
    draw(f, N, 3, 2);
    for (size_t i = 0; i < N; i++)
        w[i] = 0.5 + (double)(i % 3);
    scant_i_scores s = {f, w, N};
    scant_i_margin m = near_truth(2);
    scant_i_slopes at, up, down;
    const double h = 1e-5;
    scant_i_margin_slopes(&at, &m, &s);
    for (int a = 0; a < SCANT_I_PHI; a++) {
        scant_i_margin u = m, d = m;
        *phi_of(&u, a) += h;
        *phi_of(&d, a) -= h;
        scant_i_margin_slopes(&up, &u, &s);
        scant_i_margin_slopes(&down, &d, &s);
        assert_true(fabs((up.loglik - down.loglik) / (2 * h) - at.g[a]) < 1e-8);
        for (int b = 0; b < SCANT_I_PHI; b++)
            assert_true(fabs((up.g[b] - down.g[b]) / (2 * h) - at.H[a * SCANT_I_PHI + b]) < 1e-8);
    }
}

/* The maximum is EM's fixed point: the engine, run to the end from the same place, agrees. */
static void test_maximum(void **state)
{
    (void)state;
    double f[N];
    draw(f, N, 4, 2.5);
    scant_i_scores s = {f, NULL, N};
    scant_i_margin m = near_truth(2.5), engine = m;
    scant_i_slopes at;
    assert_true(scant_i_margin_fit(&m, &s, &at));
    for (int a = 0; a < SCANT_I_PHI; a++)
        assert_true(fabs(at.g[a]) < 1e-12);
    for (int i = 0; i < 20000; i++) { /* EM, one row after the other */
        double N2[2] = {0}, sum[2] = {0}, square[2] = {0};
        for (size_t r = 0; r < N; r++) {
            double d[2];
            for (int k = 0; k < 2; k++) {
                double z = (f[r] - engine.mean[k]) / exp(engine.log_sd[k]);
                d[k] = engine.prior[k] * exp(-z * z / 2 - engine.log_sd[k]);
            }
            for (int k = 0; k < 2; k++) {
                double p = d[k] / (d[0] + d[1]);
                N2[k] += p;
                sum[k] += p * f[r];
                square[k] += p * f[r] * f[r];
            }
        }
        for (int k = 0; k < 2; k++) {
            engine.mean[k] = sum[k] / N2[k];
            engine.log_sd[k] = log(square[k] / N2[k] - engine.mean[k] * engine.mean[k]) / 2;
        }
    }
    for (int a = 0; a < SCANT_I_PHI; a++)
        assert_true(fabs(*phi_of(&m, a) - *phi_of(&engine, a)) < 1e-10);
    scant_rows *rows = NULL;
    scant_i_margin found = {.prior = {0.7, 0.3}};
    assert_ok(scant_rows_new(&rows, N, 1, f, NULL));
    assert_ok(scant_i_normals_fit(&found, rows, 1, 1));
    assert_true(scant_i_margin_fit(&found, &s, &at));
    for (int a = 0; a < SCANT_I_PHI; a++)
        assert_true(fabs(*phi_of(&m, a) - *phi_of(&found, a)) < 1e-8);
    scant_rows_free(rows);
}

static void test_likelihood_rises_from_anywhere(void **state)
{
    (void)state;
    double f[N];
    draw(f, N, 5, 3);
    scant_i_scores s = {f, NULL, N};
    scant_i_random random = scant_i_random_new(6, 0);
    for (int t = 0; t < 50; t++) {
        scant_i_margin m = {.prior = {0.7, 0.3}};
        scant_i_slopes before, after;
        for (int a = 0; a < SCANT_I_PHI; a++)
            *phi_of(&m, a) = 2 * scant_i_random_normal(&random);
        scant_i_margin_slopes(&before, &m, &s);
        (void)scant_i_margin_fit(&m, &s, &after);
        assert_true(after.loglik >= before.loglik - 1e-12);
    }
}

/* dR/df_i through the maximum, row by row, by refitting with one score moved. */
static void test_pull(void **state)
{
    (void)state;
    double f[N], c[N], slope[SCANT_I_PHI], v[SCANT_I_PHI];
    draw(f, N, 7, 2.2);
    scant_i_scores s = {f, NULL, N};
    scant_i_margin m = near_truth(2.2);
    scant_i_slopes at, there;
    assert_true(scant_i_margin_fit(&m, &s, &at));
    for (size_t l = 0; l < SCANT_LOSSES; l++) {
        const scant_i_loss *loss = &scant_i_losses[l];
        (void)scant_i_margin_risk(slope, &m, loss);
        assert_true(scant_i_margin_solve(v, &at, slope));
        scant_i_margin_pull(c, &m, &s, v);
        for (size_t i = 0; i < N; i += 37) {
            const double h = 1e-4, here = f[i];
            double risk[2];
            for (int side = 0; side < 2; side++) {
                scant_i_margin moved = m;
                f[i] = here + (side ? h : -h);
                assert_true(scant_i_margin_fit(&moved, &s, &there));
                risk[side] = scant_i_margin_risk(v, &moved, loss);
            }
            f[i] = here;
            assert_true(fabs((risk[1] - risk[0]) / (2 * h) - c[i]) < 1e-8);
            (void)scant_i_margin_risk(slope, &m, loss);
            assert_true(scant_i_margin_solve(v, &at, slope));
        }
    }
}

static void test_split(void **state)
{
    (void)state;
    double f[] = {5, -1, 0, 1, -2, 6, 2, 3, 4, 7}, same[] = {1, 1, 1, 1};
    scant_i_scores s = {f, NULL, 10}, flat = {same, NULL, 4};
    scant_i_margin m = {.prior = {0.7, 0.3}};
    assert_ok(scant_i_margin_split(&m, &s));
    assert_true(fabs(m.mean[1] - 6) < 1e-12 && fabs(m.mean[0] - 1) < 1e-12);
    assert_true(fabs(exp(2 * m.log_sd[1]) - 2.0 / 3) < 1e-12);
    assert_fails(scant_i_margin_split(&m, &flat), SCANT_ERR_INPUT, "hardly vary");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expected_losses),
        cmocka_unit_test(test_wide_log_loss),
        cmocka_unit_test(test_slopes),
        cmocka_unit_test(test_maximum),
        cmocka_unit_test(test_likelihood_rises_from_anywhere),
        cmocka_unit_test(test_pull),
        cmocka_unit_test(test_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
