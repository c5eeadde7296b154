/* A survey against sums of long doubles; and the same bytes for any threads and parts. */
#include <math.h>
#include <stdlib.h>

#include <scant/scant.h>
#include "base/random.h"
#include "check.h"
#include "latent/survey.h"
#include "parts/loopback.h"

enum { N = 5003, D = 9, EMPTY = 6, DRIFTING = 7 };

/* Column scales from the least to the largest a double has room for; a value far from its spread. */
static const double centre_of[D] = {0, 1e300, -1e-300, 1e9, 3, 0.1, 0, 0, -1e200};
static const double spread_of[D] = {1, 1e299, 1e-300, 1e-3, 1e-160, 0, 0, 1, 0};

typedef struct table {
    scant_rows *rows;
    double *x, *w;
} table;

static table make(bool weighted, bool missing, uint64_t seed)
{
    static const char *const cells[] = {"a", "b", "a|b", "a:0.25;b:0.75", NULL};
    table t = {.x = calloc(N * D, sizeof(double)), .w = calloc(N, sizeof(double))};
    const char **label = calloc(N, sizeof *label);
    scant_i_random random = scant_i_random_new(seed, 0);
    for (size_t i = 0; i < N; i++) {
        for (size_t c = 0; c < D; c++) {
            double *x = &t.x[i * D + c];
            *x = centre_of[c] + spread_of[c] * scant_i_random_normal(&random);
            if (c == DRIFTING)
                *x += (double)i; /* tiles differ in their means more than rows within them */
            if (c == EMPTY || (missing && scant_i_random_uniform(&random) < 0.2))
                *x = NAN;
        }
        t.w[i] = weighted ? floor(4 * scant_i_random_uniform(&random)) / 2 : 1;
        label[i] = cells[scant_i_random_below(&random, i < N / 2 ? 5 : 4)];
    }
    assert_ok(scant_rows_new(&t.rows, N, D, t.x, NULL));
    assert_ok(scant_rows_set_labels(t.rows, label, NULL, 0, NULL));
    if (weighted)
        assert_ok(scant_rows_set_weights(t.rows, t.w));
    free(label);
    return t;
}

static void table_free(table *t)
{
    scant_rows_free(t->rows);
    free(t->x);
    free(t->w);
}

static void expect_column(const table *t, size_t c, const scant_i_column_survey *s)
{
    long double weight = 0, sum = 0, square = 0, rows = 0;
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < N; i++) {
        double x = t->x[i * D + c];
        if (isnan(x) || !(t->w[i] > 0))
            continue;
        rows++;
        weight += t->w[i];
        sum += (long double)t->w[i] * x;
        least = fmin(least, x);
        most = fmax(most, x);
    }
    assert_same(s->rows, (double)rows);
    assert_same(s->weight, (double)weight);
    if (c == EMPTY) {
        assert_true(s->mean == 0 && s->deviation == 0);
        return;
    }
    long double mean = sum / weight;
    for (size_t i = 0; i < N; i++)
        if (!isnan(t->x[i * D + c]))
            square += t->w[i] * (t->x[i * D + c] - mean) * (t->x[i * D + c] - mean);
    double deviation = (double)sqrtl(square / weight), size = fmax(fabs(most), fabs(least));
    assert_true(fabs(s->mean - (double)mean) <= 1e-15 * size);
    assert_true(fabs(s->deviation - deviation) <= 1e-12 * deviation + 1e-16 * size);
    assert_true(s->least == least && s->most == most);
    if (spread_of[c] == 0)
        assert_true(s->mean == centre_of[c] && s->deviation == 0 && s->least == s->most);
}

static void columns_are_what_sums_say(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        table t = make(seed & 1, seed & 2, seed);
        scant_i_survey s;
        assert_ok(scant_i_survey_new(&s, t.rows, NULL, SCANT_I_COLUMNS, 2));
        assert_int_equal(s.ncolumns, D);
        assert_int_equal(s.counts.nrows, N);
        assert_true(s.missing); /* a whole column is */
        for (size_t c = 0; c < D; c++)
            expect_column(&t, c, &s.column[c]);
        scant_i_survey_clear(&s);
        table_free(&t);
    }
}

/* One cell is enough, wherever it is, also in a row without weight; columns asked for or not. */
static void a_missing_cell_is_found(void **state)
{
    (void)state;
    enum { COLUMNS = 3 };
    static double x[N * COLUMNS], w[N];
    static const size_t rows_of[] = {0, 511, 512, 3001, N - 1, N};
    for (size_t k = 0; k < sizeof rows_of / sizeof *rows_of; k++)
        for (size_t turn = 0; turn < 4; turn++) {
            size_t row = rows_of[k];
            scant_rows *rows = NULL;
            scant_i_survey s;
            for (size_t i = 0; i < N; i++)
                w[i] = i == row && turn % 2 ? 0 : 1;
            memset(x, 0, sizeof x);
            if (row < N)
                x[row * COLUMNS + 1] = NAN;
            assert_ok(scant_rows_new(&rows, N, COLUMNS, x, NULL));
            assert_ok(scant_rows_set_weights(rows, w));
            assert_ok(scant_i_survey_new(&s, rows, NULL,
                                         turn / 2 ? SCANT_I_COLUMNS : SCANT_I_NO_CELLS, 1));
            assert_int_equal(s.missing, row < N);
            scant_i_survey_clear(&s);
            scant_rows_free(rows);
        }
}

static void entries_are_counted(void **state)
{
    (void)state;
    scant_i_evidence_settings settings = {.probabilities = SCANT_I_PRIOR, .unlabelled_weight = 0.5};
    table t = make(true, false, 9);
    scant_i_evidence e;
    scant_i_survey s;
    assert_ok(scant_i_evidence_new(&e, t.rows, 2, &settings));
    assert_ok(scant_i_survey_new(&s, t.rows, &e, SCANT_I_NO_CELLS, 2));
    double *rows = calloc(e.nentries, sizeof *rows), *weight = calloc(e.nentries, sizeof *weight);
    for (size_t i = 0; i < N; i++) {
        rows[scant_i_evidence_entry(&e, i)] += t.w[i] > 0;
        weight[scant_i_evidence_entry(&e, i)] += scant_i_evidence_weight(&e, i);
    }
    assert_int_equal(s.nentries, e.nentries);
    for (size_t k = 0; k < e.nentries; k++) {
        assert_same(s.rows[k], rows[k]);
        assert_same(s.weight[k], weight[k]);
    }
    assert_int_equal(s.ncolumns, 0);
    free(rows);
    free(weight);
    scant_i_survey_clear(&s);
    scant_i_evidence_clear(&e);
    table_free(&t);
}

/* Which columns rows list, and how many list none; rows without weight are not there. */
static void lists_are_counted(void **state)
{
    (void)state;
    enum { COLUMNS = 5 };
    static size_t start[N + 1];
    static int32_t column[N * COLUMNS];
    static double value[N * COLUMNS], w[N];
    static const double cut[] = {0.3, 0.301};
    double listed[COLUMNS] = {0}, empty = 0;
    size_t n = 0;
    scant_rows *rows = NULL;
    scant_i_survey s;
    scant_i_loopback loopback;
    scant_i_random random = scant_i_random_new(4, 0);
    for (size_t i = 0; i < N; i++) {
        w[i] = scant_i_random_uniform(&random) < 0.2 ? 0 : 0.5;
        for (size_t c = 0; c < COLUMNS; c++)
            if (scant_i_random_uniform(&random) < 0.1 * (double)c) {
                column[n] = (int32_t)c;
                value[n++] = 1;
                listed[c] += w[i] > 0;
            }
        start[i + 1] = n;
        empty += w[i] > 0 && start[i] == n;
    }
    assert_ok(scant_rows_new_sparse(&rows, N, COLUMNS, start, column, value));
    assert_ok(scant_rows_set_weights(rows, w));
    scant_i_loopback_open(&loopback, 3, cut, 1);
    for (int many = 0; many < 2; many++) {
        rows->carrier = many ? &loopback.carrier : NULL;
        assert_ok(scant_i_survey_new(&s, rows, NULL, SCANT_I_LISTS, 2));
        assert_memory_equal(s.listed, listed, sizeof listed);
        assert_same(s.empty, empty);
        assert_int_equal(s.counts.entries, n);
        scant_i_survey_clear(&s);
    }
    rows->carrier = NULL;
    scant_i_loopback_close(&loopback);
    scant_rows_free(rows);
}

static void expect_same(const scant_i_survey *a, const scant_i_survey *b)
{
    assert_int_equal(a->missing, b->missing);
    assert_int_equal(a->nentries, b->nentries);
    assert_memory_equal(a->rows, b->rows, a->nentries * sizeof *a->rows);
    assert_memory_equal(a->weight, b->weight, a->nentries * sizeof *a->weight);
    assert_memory_equal(a->column, b->column, a->ncolumns * sizeof *a->column);
}

static void threads_and_parts_leave_no_trace(void **state)
{
    (void)state;
    static const double cut[] = {0.1, 0.1, 0.37, 0.8};
    scant_i_evidence_settings settings = {.unlabelled_weight = 1};
    table t = make(true, true, 17);
    scant_i_evidence e;
    scant_i_survey one, many;
    assert_ok(scant_i_evidence_new(&e, t.rows, 2, &settings));
    assert_ok(scant_i_survey_new(&one, t.rows, &e, SCANT_I_COLUMNS, 1));
    for (size_t threads = 2; threads <= 7; threads += 5) {
        assert_ok(scant_i_survey_new(&many, t.rows, &e, SCANT_I_COLUMNS, threads));
        expect_same(&one, &many);
        scant_i_survey_clear(&many);
    }
    for (uint64_t seed = 0; seed < 8; seed++) {
        scant_i_loopback loopback;
        scant_i_loopback_open(&loopback, 1 + seed % 5, cut, seed);
        t.rows->carrier = &loopback.carrier;
        assert_ok(scant_i_survey_new(&many, t.rows, &e, SCANT_I_COLUMNS, 2));
        expect_same(&one, &many);
        scant_i_survey_clear(&many);
        t.rows->carrier = NULL;
        scant_i_loopback_close(&loopback);
    }
    scant_i_survey_clear(&one);
    scant_i_evidence_clear(&e);
    table_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_what_sums_say),
        cmocka_unit_test(a_missing_cell_is_found),
        cmocka_unit_test(entries_are_counted),
        cmocka_unit_test(lists_are_counted),
        cmocka_unit_test(threads_and_parts_leave_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
