/* Same bits for any number of threads, on enough rows that threads are really used. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scant/scant.h>
#include "base/random.h"
#include "check.h"
#include "model/model.h"

enum { ROWS = 12000, D = 3 };

static scant_rows *make_rows(bool missing, bool labelled)
{
    scant_rows *rows = NULL;
    scant_i_random random = scant_i_random_new(17, 0);
    double *x = scant_i_calloc(ROWS * D, sizeof *x);
    const char **cells = scant_i_calloc(ROWS, sizeof *cells);
    assert_non_null(x);
    assert_non_null(cells);
    for (size_t i = 0; i < ROWS; i++) {
        size_t group = scant_i_random_below(&random, 3);
        for (size_t c = 0; c < D; c++) {
            x[i * D + c] = 2.5 * (double)(group == c) + scant_i_random_normal(&random);
            if (missing && scant_i_random_uniform(&random) < 0.1)
                x[i * D + c] = NAN;
        }
        cells[i] = scant_i_random_uniform(&random) < 0.2 ? (group ? "yes" : "no") : NULL;
    }
    assert_ok(scant_rows_new(&rows, ROWS, D, x, NULL));
    if (labelled)
        assert_ok(scant_rows_set_labels(rows, cells, NULL, 0, NULL));
    scant_i_free(x);
    scant_i_free(cells);
    return rows;
}

static void fit_with(scant_model **out, const scant_rows *rows, size_t threads,
                     const char *covariance)
{
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.components = "3";
    options.model.covariance = covariance;
    options.run.starts = 2;
    options.run.max_iter = 6;
    options.run.threads = threads;
    assert_ok(scant_fit(out, rows, &options));
}

static void same_bits(const scant_model *a, const scant_model *b)
{
    size_t n = scant_i_mixture_size(a->mixture);
    double *x = scant_i_calloc(2 * n, sizeof *x), *y = x + n;
    assert_non_null(x);
    scant_i_mixture_flatten(a->mixture, x);
    scant_i_mixture_flatten(b->mixture, y);
    assert_memory_equal(x, y, n * sizeof *x);
    assert_int_equal(a->ntrace, b->ntrace);
    assert_memory_equal(a->trace, b->trace, a->ntrace * sizeof *a->trace);
    scant_i_free(x);
}

static void test_same_bits(void **state)
{
    (void)state;
    static const char *const covariances[] = {"full", "diag", "tied-spherical"};
    for (unsigned bits = 0; bits < 4; bits++)
        for (size_t c = 0; c < 3; c++) {
            scant_rows *rows = make_rows(bits & 1, bits & 2);
            scant_model *one = NULL, *many = NULL;
            fit_with(&one, rows, 1, covariances[c]);
            for (size_t threads = 2; threads <= 7; threads += 5) {
                fit_with(&many, rows, threads, covariances[c]);
                same_bits(one, many);
                scant_model_free(many);
            }
            scant_model_free(one);
            scant_rows_free(rows);
        }
}

/* A row that no component can make is the first such row, whichever thread meets one first. */
static void test_first_failure(void **state)
{
    (void)state;
    scant_rows *rows = make_rows(false, true);
    scant_model *model = NULL;
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.components = "2/class";
    options.run.starts = 1;
    options.run.max_iter = 2;
    assert_ok(scant_fit(&model, rows, &options));
    /* take one class's components away: its labelled rows contradict the model */
    for (size_t j = 0; j < model->mixture->ncomponents; j++)
        model->mixture->coupling.W[j] = 0;
    char first[256] = "";
    for (size_t threads = 1; threads <= 4; threads++) {
        scant_model *again = NULL;
        options.run.start = model;
        options.model.components = NULL;
        options.run.threads = threads;
        assert_fails(scant_fit(&again, rows, &options), SCANT_ERR_INPUT, "no component");
        assert_null(again);
        if (threads == 1)
            (void)snprintf(first, sizeof first, "%s", scant_message());
        assert_string_equal(scant_message(), first);
    }
    scant_model_free(model);
    scant_rows_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_first_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
