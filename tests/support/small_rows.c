#include "small_rows.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "check.h"
#include "data/rows.h"

static double draw(small_kind kind, size_t group, scant_i_random *random)
{
    double far = group ? 3 : 0, u = scant_i_random_uniform(random);
    switch (kind) {
    case SMALL_NUMBERS: return far + scant_i_random_normal(random);
    case SMALL_POSITIVE: return (1 + far) * (0.1 + u);
    case SMALL_COUNTS: return floor((2 + 2 * far) * u);
    case SMALL_BITS: return u < (group ? 0.8 : 0.2);
    case SMALL_CATEGORIES: return floor(3 * (group ? sqrt(u) : u * u));
    }
    return 0;
}

static void name_levels(scant_rows *rows, size_t column)
{
    static const char *const name[] = {"r", "g", "b"};
    scant_i_column *to = &rows->columns[column];
    assert_ok(SCANT_I_NEW(&to->levels, 3));
    to->kind = SCANT_I_CATEGORY;
    to->nlevels = 3;
    for (size_t l = 0; l < 3; l++)
        assert_non_null(to->levels[l] = scant_i_strdup(name[l]));
}

static scant_rows *compress(const double *x, size_t n, size_t d)
{
    scant_rows *rows = NULL;
    size_t *start = calloc(n + 1, sizeof *start), count = 0;
    int32_t *column = calloc(n * d, sizeof *column);
    double *value = calloc(n * d, sizeof *value);
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < d; c++)
            if (x[i * d + c] != 0) {
                column[count] = (int32_t)c;
                value[count++] = x[i * d + c];
            }
        start[i + 1] = count;
    }
    assert_ok(scant_rows_new_sparse(&rows, n, d, start, column, value));
    free(start);
    free(column);
    free(value);
    return rows;
}

static void label_rows(scant_rows *rows, size_t n)
{
    static const char *const cells[] = {"a", "b", "", "a|b", "a:0.7;b:0.3", "b"};
    const char **cell = calloc(n, sizeof *cell);
    for (size_t i = 0; i < n; i++) /* row i is of group i % 2: exact labels are right */
        cell[i] = cells[i % 6];
    assert_ok(scant_rows_set_labels(rows, cell, NULL, 0, NULL));
    free(cell);
}

scant_rows *small_rows(const small_plan *plan)
{
    size_t n = plan->n, d = plan->ncolumns;
    scant_i_random random = scant_i_random_new(7, 3);
    scant_rows *rows = NULL;
    double *x = calloc(n * d, sizeof *x), *weight = calloc(n, sizeof *weight);
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < d; c++) {
            x[i * d + c] = draw(plan->kind[c], i % 2, &random);
            if (plan->missing && (i + c) % 7 == 0)
                x[i * d + c] = NAN;
        }
        weight[i] = 0.5 * (double)(1 + i % 4);
    }
    static const char *const names[] = {"x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8"};
    assert_true(d <= sizeof names / sizeof *names);
    if (plan->sparse)
        rows = compress(x, n, d);
    else
        assert_ok(scant_rows_new(&rows, n, d, x, names));
    for (size_t c = 0; c < d; c++)
        if (plan->kind[c] == SMALL_CATEGORIES)
            name_levels(rows, c);
    if (plan->labels)
        label_rows(rows, n);
    if (plan->weights)
        assert_ok(scant_rows_set_weights(rows, weight));
    free(x);
    free(weight);
    return rows;
}
