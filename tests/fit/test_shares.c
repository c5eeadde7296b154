/* What a model tells of its components and of its rival: predictions follow from the shares, and the
 * file brings the baseline back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <scant/scant.h>
#include "base/random.h"
#include "check.h"
#include "scratch.h"

enum { ROWS = 90, M = 4, K = 2 };

static scant_model *fit(scant_rows **rows, const char *unlabeled)
{
    double x[ROWS * 2];
    const char *label[ROWS] = {NULL};
    scant_i_random random = scant_i_random_new(3, 1);
    for (size_t i = 0; i < ROWS; i++) {
        x[2 * i] = 4 * (double)(i % 2) + scant_i_random_normal(&random);
        x[2 * i + 1] = 4 * (double)(i / 2 % 2) + scant_i_random_normal(&random);
        if (i % 2 || i / 2 % 2) /* the group at the origin has no label */
            label[i] = i < 40 ? (i % 2 ? "a" : "b") : NULL;
    }
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.components = "2/class";
    options.evidence.unlabeled = unlabeled;
    options.run.starts = 4;
    scant_model *model = NULL;
    assert_ok(scant_rows_new(rows, ROWS, 2, x, NULL));
    assert_ok(scant_rows_set_labels(*rows, label, NULL, 0, NULL));
    assert_ok(scant_fit(&model, *rows, &options));
    return model;
}

/* P(class | row) is the components' responsibilities times their shares, made to add up to 1. */
static void check_shares(const char *unlabeled)
{
    scant_rows *rows = NULL;
    scant_model *model = fit(&rows, unlabeled);
    double p[ROWS * K], r[ROWS * M], weights = 0;
    assert_int_equal(scant_model_components(model), M);
    assert_ok(scant_model_predict(model, rows, NULL, p, r, NULL, NULL));
    for (size_t i = 0; i < ROWS; i++) {
        double share[K] = {0};
        for (size_t t = 0; t < M * K; t++)
            share[t % K] += r[i * M + t / K] * scant_model_component_class(model, t / K, t % K);
        for (size_t k = 0; k < K; k++)
            assert_true(fabs(p[i * K + k] - share[k] / (share[0] + share[1])) < 1e-12);
    }
    for (size_t j = 0; j < M; j++)
        weights += scant_model_component_weight(model, j);
    assert_true(fabs(weights - 1) < 1e-12);
    scant_model_free(model);
    scant_rows_free(rows);
}

static void test_shares(void **state)
{
    (void)state;
    check_shares("em1");
    check_shares("em3");
}

static scant_model *write_and_read(const scant_model *model)
{
    scant_model *back = NULL;
    const char *path = scratch_path("model.json");
    assert_ok(scant_model_write(model, path));
    assert_ok(scant_model_read(&back, path));
    return back;
}

static void test_baseline(void **state)
{
    (void)state;
    scant_rows *rows = NULL;
    scant_model *model = fit(&rows, "em1");
    assert_null(scant_model_baseline(model));
    const scant_comparison kept = {.nfolds = 5,
                                   .labeled = 9,
                                   .accuracy = {0.75, 1.0 / 3},
                                   .log_loss = {0.5, INFINITY}, /* no number of JSON */
                                   .difference = 0.75 - 1.0 / 3,
                                   .error = 0.1,
                                   .worse = true};
    assert_ok(scant_model_keep_baseline(model, &kept));
    scant_model *back = write_and_read(model);
    const scant_comparison *b = scant_model_baseline(back);
    assert_int_equal(b->nfolds, 5);
    assert_int_equal(b->labeled, 9);
    assert_same(b->accuracy[0], kept.accuracy[0]);
    assert_same(b->accuracy[1], kept.accuracy[1]);
    assert_same(b->log_loss[0], 0.5);
    assert_true(isnan(b->log_loss[1]));
    assert_same(b->difference, kept.difference);
    assert_same(b->error, 0.1);
    assert_true(b->worse);
    scant_model_free(back);

    const scant_comparison none = {.labeled = 2, .why = "too few labels"};
    assert_ok(scant_model_keep_baseline(model, &none)); /* in place of the other */
    back = write_and_read(model);
    assert_int_equal(scant_model_baseline(back)->nfolds, 0);
    assert_string_equal(scant_model_baseline(back)->why, "too few labels");
    scant_model_free(back);
    scant_model_free(model);
    scant_rows_free(rows);
    scratch_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shares),
                                       cmocka_unit_test(test_baseline)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
