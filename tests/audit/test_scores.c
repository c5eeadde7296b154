/* Risks from scores alone: what is told of scores whose truth is known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <scant/scant.h>
#include "audit/loss.h"
#include "audit/scores.h"
#include "base/random.h"
#include "check.h"
#include "failing.h"

static const double MEAN[2] = {-1.5, 1.8}, SD[2] = {1.2, 0.9};

static scant_rows *draw(size_t n, double share, uint64_t seed)
{
    scant_rows *rows = NULL;
    double *f = calloc(n, sizeof *f);
    scant_i_random random = scant_i_random_new(seed, 9);
    for (size_t i = 0; i < n; i++) {
        int k = scant_i_random_uniform(&random) < share;
        f[i] = MEAN[k] + SD[k] * scant_i_random_normal(&random);
    }
    assert_ok(scant_rows_new(&rows, n, 1, f, NULL));
    free(f);
    return rows;
}

static double true_risk(size_t loss, double share)
{
    double unused[2];
    return (1 - share) * scant_i_losses[loss].expected(-MEAN[0], SD[0], unused) +
           share * scant_i_losses[loss].expected(MEAN[1], SD[1], unused);
}

/* Many samples: intervals hold the truth as often as they say, and false alarms
 * are about one in a hundred. */
static void test_coverage(void **state)
{
    (void)state;
    enum { SAMPLES = 400, ROWS = 1000 };
    size_t covered[SCANT_LOSSES] = {0}, alarms = 0, refused = 0;
    for (uint64_t t = 0; t < SAMPLES; t++) {
        scant_rows *rows = draw(ROWS, 0.3, 100 + t);
        scant_margin_audit a;
        if (scant_margin_audit_scores(&a, rows, 0, 0.3, 0.95, 1, 1) != SCANT_OK) {
            refused++;
        } else {
            for (size_t l = 0; l < SCANT_LOSSES; l++) {
                double truth = true_risk(l, 0.3);
                covered[l] += a.risk[l].low <= truth && truth <= a.risk[l].high;
            }
            alarms += sqrt(a.weight) * a.distance > 1;
        }
        scant_rows_free(rows);
    }
    print_message(
        "covered of %d: log %zu hinge %zu exp %zu zero-one %zu; refused %zu, alarms %zu\n", SAMPLES,
        covered[0], covered[1], covered[2], covered[3], refused, alarms);
    for (size_t l = 0; l < SCANT_LOSSES; l++) /* 95 % within three standard errors of 400 draws */
        assert_in_range(covered[l], SAMPLES * 0.917, SAMPLES * 0.983);
    assert_int_equal(refused, 0);
    assert_in_range(alarms, 0, 10); /* 4 expected, and three standard errors */
}

/* The error shrinks with the square root of the rows. */
static void test_rate(void **state)
{
    (void)state;
    double error[2] = {0};
    static const size_t n[2] = {500, 8000};
    for (int s = 0; s < 2; s++)
        for (uint64_t t = 0; t < 60; t++) {
            scant_rows *rows = draw(n[s], 0.3, 1000 + t);
            scant_margin_audit a;
            assert_ok(scant_margin_audit_scores(&a, rows, 0, 0.3, 0.95, 1, 1));
            double off = a.risk[SCANT_LOSS_LOG].value - true_risk(SCANT_LOSS_LOG, 0.3);
            error[s] += off * off;
            scant_rows_free(rows);
        }
    double ratio = sqrt(error[0] / error[1]);
    assert_true(ratio > 4 * 0.7 && ratio < 4 / 0.7);
}

static void test_reversed(void **state)
{
    (void)state;
    scant_rows *rows = draw(4000, 0.7, 5); /* 0.7 are above, and 0.3 are said to be */
    scant_margin_audit a;
    assert_ok(scant_margin_audit_scores(&a, rows, 0, 0.3, 0.95, 1, 1));
    assert_true(a.reversed);
    assert_false(a.normal);
    const char *warning[SCANT_MARGIN_WARNINGS];
    assert_int_equal(scant_margin_audit_warnings(warning, &a), 2);
    assert_non_null(strstr(warning[1], "exchanged"));
    scant_rows_free(rows);
    rows = draw(4000, 0.3, 5);
    assert_ok(scant_margin_audit_scores(&a, rows, 0, 0.3, 0.95, 1, 1));
    assert_false(a.reversed || a.near_uniform);
    assert_true(a.normal);
    assert_int_equal(scant_margin_audit_warnings(warning, &a), 0);
    scant_rows_free(rows);
    rows = draw(4000, 0.5, 6);
    assert_ok(scant_margin_audit_scores(&a, rows, 0, 0.5, 0.95, 1, 1));
    assert_true(a.near_uniform);
    assert_int_equal(scant_margin_audit_warnings(warning, &a), 1);
    assert_true(a.mean[1] > a.mean[0]);
    scant_rows_free(rows);
}

/* Rows of weight 2 are two rows; missing scores and rows of weight 0 are not there. */
static void test_weights(void **state)
{
    (void)state;
    enum { N = 300 };
    double once[N + 2], twice[2 * N], w[N + 2];
    scant_i_random random = scant_i_random_new(11, 0);
    size_t n = 0;
    for (size_t i = 0; i < N; i++) {
        int k = i % 10 < 3;
        once[i] = MEAN[k] + SD[k] * scant_i_random_normal(&random);
        w[i] = 1 + (double)(i % 2);
        for (size_t c = 0; c < 1 + i % 2; c++)
            twice[n++] = once[i];
    }
    once[N] = NAN;
    w[N] = 1;
    once[N + 1] = 50;
    w[N + 1] = 0;
    scant_rows *weighed = NULL, *copied = NULL;
    scant_margin_audit a, b;
    assert_ok(scant_rows_new(&weighed, N + 2, 1, once, NULL));
    assert_ok(scant_rows_set_weights(weighed, w));
    assert_ok(scant_rows_new(&copied, n, 1, twice, NULL));
    assert_ok(scant_margin_audit_scores(&a, weighed, 0, 0.3, 0.95, 1, 1));
    assert_ok(scant_margin_audit_scores(&b, copied, 0, 0.3, 0.95, 1, 1));
    assert_int_equal(a.rows, N);
    for (size_t l = 0; l < SCANT_LOSSES; l++) {
        assert_true(fabs(a.risk[l].value / b.risk[l].value - 1) < 1e-8);
        assert_true(fabs(a.risk[l].error / b.risk[l].error - 1) < 1e-8);
    }
    assert_true(fabs(a.share - b.share) < 1e-12);
    scant_rows_free(weighed);
    scant_rows_free(copied);
}

static void test_refused(void **state)
{
    (void)state;
    double few[] = {1, 2, 3, NAN}, flat[20];
    for (int i = 0; i < 20; i++)
        flat[i] = 3;
    scant_rows *rows = NULL;
    scant_margin_audit a;
    assert_ok(scant_rows_new(&rows, 4, 1, few, NULL));
    assert_fails(scant_margin_audit_scores(&a, rows, 0, 0.3, 0.95, 1, 1), SCANT_ERR_INPUT,
                 "3 scores");
    assert_fails(scant_margin_audit_scores(&a, rows, 0, 1, 0.95, 1, 1), SCANT_ERR_ARGUMENT,
                 "share of 1");
    assert_fails(scant_margin_audit_scores(&a, rows, 0, 0.3, 1, 1, 1), SCANT_ERR_ARGUMENT,
                 "level of 1");
    scant_rows_free(rows);
    assert_ok(scant_rows_new(&rows, 20, 1, flat, NULL));
    assert_fails(scant_margin_audit_scores(&a, rows, 0, 0.3, 0.95, 1, 1), SCANT_ERR_INPUT,
                 "hardly vary");
    scant_rows_free(rows);
}

static scant_status audit_once(void *payload)
{
    scant_margin_audit a;
    return scant_margin_audit_scores(&a, payload, 0, 0.3, 0.95, 1, 1);
}

static void test_memory(void **state)
{
    (void)state;
    scant_rows *rows = draw(60, 0.3, 3);
    assert_true(failing_sweep(audit_once, rows) > 5);
    scant_rows_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coverage), cmocka_unit_test(test_rate),
        cmocka_unit_test(test_reversed), cmocka_unit_test(test_weights),
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
