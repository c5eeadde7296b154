/* Class probabilities beside labels: how they join, and what is refused. */
#include "check.h"

#include <math.h>
#include "data/rows.h"
#include "failing.h"

enum { N = 7 };
static const char *const cells[N] = {"", "b", "a|b", "", "a", "b|d", "a"};
static const double numbers[N][3] = {
    {0.5, 0.3, 0.2}, {0.5, 0.3, 0.2}, {0.5, 0.3, 0.2}, {NAN, NAN, NAN},
    {NAN, NAN, NAN}, {NAN, NAN, NAN}, {1, 0, 0},
};
static const char *const columns[] = {"p_c", "p_b", "a"}; /* 0.5 c, 0.3 b, 0.2 a */

static scant_rows *with_labels(bool labels)
{
    static const double x[N] = {0};
    scant_rows *rows = NULL;
    assert_ok(scant_rows_view(&rows, N, 1, x, NULL));
    if (labels)
        assert_ok(scant_rows_set_labels(rows, cells, NULL, 0, NULL));
    return rows;
}

static scant_rows *with_table(const double (*p)[3], size_t n)
{
    scant_rows *table = NULL;
    assert_ok(scant_rows_new(&table, n, 3, &p[0][0], columns));
    return table;
}

static void assert_vector(const scant_rows *rows, size_t row, const double *v)
{
    const scant_i_labels *l = &rows->labels;
    size_t e = (size_t)l->code[row] - l->nclasses;
    assert_true(l->code[row] >= (int32_t)l->nclasses && e < l->nsoft);
    for (size_t k = 0; k < l->nclasses; k++)
        assert_true(fabs(l->soft[e * l->nclasses + k] - v[k]) < 1e-15);
}

static void test_joined(void **state)
{
    (void)state;
    double p[N][3];
    memcpy(p, numbers, sizeof p);
    p[6][0] = 0.5, p[6][2] = 0.5; /* c or a, and the label says a */
    scant_rows *rows = with_labels(true), *table = with_table(p, N);
    assert_ok(scant_rows_set_context(rows, table, NULL, 0, false));
    const scant_i_labels *l = &rows->labels;
    assert_int_equal(l->nclasses, 4);
    for (size_t k = 0; k < 4; k++)
        assert_string_equal(scant_rows_class_name(rows, k),
                            ((const char *[]){"a", "b", "c", "d"})[k]);
    assert_vector(rows, 0, (double[]){0.2, 0.3, 0.5, 0});
    assert_int_equal(l->code[1], 1);                    /* the exact label wins */
    assert_vector(rows, 2, (double[]){0.4, 0.6, 0, 0}); /* within the set */
    assert_int_equal(l->code[3], -1);                   /* neither */
    assert_int_equal(l->code[4], 0);                    /* the label alone */
    assert_vector(rows, 5, (double[]){0, 1, 0, 1});     /* the set alone */
    assert_int_equal(l->is_probability[l->code[5] - 4], 0);
    assert_int_equal(l->is_probability[l->code[2] - 4], 1);
    assert_int_equal(l->code[6], 0);
    assert_int_equal(scant_rows_labeled(rows), 6);
    scant_rows_free(rows);
    scant_rows_free(table);
}

static void test_label_is_truth(void **state)
{
    (void)state;
    static const size_t index[] = {6, 1, 0};
    scant_rows *rows = with_labels(true), *table = with_table(numbers, N), *some = NULL;
    assert_ok(scant_rows_set_context(rows, table, NULL, 0, true));
    assert_vector(rows, 1, (double[]){0.2, 0.3, 0.5, 0}); /* what the label says is not in it */
    assert_int_equal(rows->labels.code[4], -1);
    assert_int_equal(rows->labels.code[6], 2); /* certain, and wrong */
    static const int32_t truth[N] = {-1, 1, -1, -1, 0, -1, 0};
    for (size_t i = 0; i < N; i++)
        assert_int_equal(scant_rows_label(rows, i), truth[i]);
    assert_ok(scant_rows_subset(&some, rows, index, 3));
    assert_int_equal(scant_rows_label(some, 1), 1);
    assert_int_equal(scant_rows_label(some, 2), -1);
    scant_rows_free(some);
    scant_rows_free(rows);
    scant_rows_free(table);
}

static void test_prior(void **state)
{
    (void)state;
    scant_rows *rows = with_labels(false), *table = with_table(numbers, N);
    assert_fails(scant_rows_set_context_prior(rows, "0.5"), SCANT_ERR_ARGUMENT, "no classes");
    assert_ok(scant_rows_set_context(rows, table, NULL, 0, false));
    assert_fails(scant_rows_set_context_prior(rows, "a=0,b=0.5,c=0.5"), SCANT_ERR_ARGUMENT,
                 "context_prior: class 'a'");
    assert_ok(scant_rows_set_context_prior(rows, "a=0.1,b=0.4,c=0.5"));
    double sum = 2 + 0.75 + 1; /* 0.2 / 0.1, 0.3 / 0.4, 0.5 / 0.5 */
    assert_vector(rows, 0, (double[]){2 / sum, 0.75 / sum, 1 / sum});
    scant_rows_free(rows);
    scant_rows_free(table);
}

static void refuse(const double (*p)[3], size_t n, const char *text)
{
    scant_rows *rows = with_labels(true), *table = with_table(p, n);
    assert_fails(scant_rows_set_context(rows, table, NULL, 0, false), SCANT_ERR_INPUT, text);
    assert_int_equal(rows->labels.nclasses, 3); /* as it was */
    assert_int_equal(rows->labels.code[1], 1);
    scant_rows_free(rows);
    scant_rows_free(table);
}

static void test_refused(void **state)
{
    (void)state;
    double p[N + 1][3];
    for (size_t i = 0; i <= N; i++)
        memcpy(p[i], numbers[3], sizeof p[i]);
    refuse((const double(*)[3])p, N - 1, "row 6, column p_c: the last of 6 rows");
    refuse((const double(*)[3])p, N + 1, "row 8, column p_c: row 8, but the data has 7");
    memcpy(p[0], (double[]){0.5, -0.1, 0.6}, sizeof p[0]);
    refuse((const double(*)[3])p, N, "row 1, column p_b: a probability must not be negative");
    memcpy(p[0], (double[]){0.5, 0.1, 0.399998}, sizeof p[0]);
    refuse((const double(*)[3])p, N, "row 1, column p_c: the row's probabilities sum to 0.999998");
    memcpy(p[0], (double[]){0.5, 0.5, NAN}, sizeof p[0]);
    refuse((const double(*)[3])p, N, "row 1, column a: a probability is missing");
    memcpy(p[0], numbers[3], sizeof p[0]);
    memcpy(p[1], (double[]){0.5, 0, 0.5}, sizeof p[1]);
    refuse((const double(*)[3])p, N, "row 2, column p_c: the row's probabilities rule out");
}

static void test_classes_given(void **state)
{
    (void)state;
    static const char *const classes[] = {"c", "a", "e", "b"}, *const fewer[] = {"a", "bb", "c"};
    static const char *const twice[] = {"p_a", "a", "b"};
    scant_rows *rows = with_labels(false), *table = with_table(numbers, N), *same = NULL;
    assert_fails(scant_rows_set_context(rows, table, fewer, 3, false), SCANT_ERR_INPUT,
                 "column p_b: 'b' is not one of the 3 classes");
    assert_ok(scant_rows_set_context(rows, table, classes, 4, false));
    assert_vector(rows, 0, (double[]){0.5, 0.2, 0, 0.3});
    assert_ok(scant_rows_new(&same, N, 3, &numbers[0][0], twice));
    assert_fails(scant_rows_set_context(rows, same, NULL, 0, false), SCANT_ERR_INPUT,
                 "class 'a' has two columns");
    scant_rows_free(rows);
    scant_rows_free(table);
    scant_rows_free(same);
}

static void test_probabilities_twice(void **state)
{
    (void)state;
    static const char *const soft[N] = {"a:0.5;b:0.5", "", "", "", "", "", ""};
    scant_rows *rows = with_labels(false), *table = with_table(numbers, N);
    assert_ok(scant_rows_set_labels(rows, soft, NULL, 0, NULL));
    assert_fails(scant_rows_set_context(rows, table, NULL, 0, false), SCANT_ERR_INPUT,
                 "here and in its context");
    scant_rows_free(rows);
    scant_rows_free(table);
}

static scant_status join_and_divide(void *payload)
{
    static const double x[N] = {0};
    scant_rows *rows = NULL;
    scant_status status = scant_rows_view(&rows, N, 1, x, NULL);
    if (status == SCANT_OK)
        status = scant_rows_set_labels(rows, cells, NULL, 0, NULL);
    if (status == SCANT_OK)
        status = scant_rows_set_context(rows, payload, NULL, 0, true);
    if (status == SCANT_OK)
        status = scant_rows_set_context_prior(rows, "a=0.1,b=0.4,c=0.25,d=0.25");
    scant_rows_free(rows);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    scant_rows *table = with_table(numbers, N);
    assert_true(failing_sweep_strictly(join_and_divide, table) > 10);
    scant_rows_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joined),        cmocka_unit_test(test_label_is_truth),
        cmocka_unit_test(test_prior),         cmocka_unit_test(test_refused),
        cmocka_unit_test(test_classes_given), cmocka_unit_test(test_probabilities_twice),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
