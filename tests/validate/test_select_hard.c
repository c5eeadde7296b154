/* Selection on hard tables: each candidate is fitted or says why it is not. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include <scant/scant.h>
#include "base/random.h"

enum { CLASSES = 7, LABELED = 70, ROWS = 210, COLUMNS = 18 };

/* Like measurements of image segments: three colors, and thirteen columns that are nearly sums, differences and largest
 * of these; columns that are 0 but for a few rows; one that is constant. */
static void fill_row(double *x, const double *centre, scant_i_random *random)
{
    double rgb[3], *to = x;
    for (size_t c = 0; c < 3; c++)
        rgb[c] = fmax(0, centre[c] + 8 * scant_i_random_normal(random));
    double most = fmax(rgb[0], fmax(rgb[1], rgb[2])), least = fmin(rgb[0], fmin(rgb[1], rgb[2])),
           sum = rgb[0] + rgb[1] + rgb[2];
    *to++ = 255 * scant_i_random_uniform(random);
    *to++ = 250 * scant_i_random_uniform(random);
    *to++ = 9;
    *to++ = scant_i_random_uniform(random) < 0.05 ? 1.0 / 9 : 0;
    *to++ = scant_i_random_uniform(random) < 0.02 ? 1.0 / 9 : 0;
    for (size_t c = 0; c < 2; c++, to += 2) {
        to[0] = fabs(scant_i_random_normal(random));
        to[1] = to[0] * to[0] * scant_i_random_uniform(random);
    }
    *to++ = sum / 3;
    for (size_t c = 0; c < 3; c++) {
        to[c] = rgb[c];
        to[3 + c] = 3 * rgb[c] - sum + 1e-6 * scant_i_random_normal(random);
    }
    to[6] = most;
    to[7] = most > 0 ? (most - least) / most : 0;
}

static scant_rows *segments(uint64_t seed)
{
    scant_i_random random = scant_i_random_new(seed, 1);
    static const char *const names[CLASSES] = {"a", "b", "c", "d", "e", "f", "g"};
    double *x = calloc(ROWS * COLUMNS, sizeof *x), centre[CLASSES][3];
    const char *label[ROWS];
    scant_rows *rows = NULL;
    for (size_t t = 0; t < CLASSES * 3; t++)
        centre[t / 3][t % 3] = 5 + 135 * scant_i_random_uniform(&random);
    for (size_t i = 0; i < ROWS; i++) {
        label[i] = i < LABELED ? names[i % CLASSES] : "";
        fill_row(x + i * COLUMNS, centre[i % CLASSES], &random);
    }
    assert_ok(scant_rows_new(&rows, ROWS, COLUMNS, x, NULL));
    assert_ok(scant_rows_set_labels(rows, label, names, CLASSES, NULL));
    free(x);
    return rows;
}

static void test_nearly_collinear_columns(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++) {
        scant_rows *rows = segments(seed);
        scant_fit_options options;
        scant_selection found;
        scant_fit_options_preset(&options);
        options.run.max_iter = 30;
        options.run.starts = 2;
        assert_ok(scant_select(&found, NULL, rows, &options, "1:2/class", "all", "bic", 5));
        assert_int_equal(found.ncandidates, 12);
        for (size_t c = 0; c < found.ncandidates; c++)
            assert_true(!found.candidate[c].failed && isfinite(found.candidate[c].score));
        scant_selection_clear(&found);
        scant_rows_free(rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nearly_collinear_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
