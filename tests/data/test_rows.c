#include "check.h"

#include <math.h>
#include <stdio.h>
#include "data/names.h"
#include "data/rows.h"
#include "failing.h"

static void test_dense(void **state)
{
    (void)state;
    static const double x[] = {1, 2, NAN, 4, 5, 6};
    static const char *const names[] = {"a", "b"};
    scant_rows *rows;
    assert_ok(scant_rows_new(&rows, 3, 2, x, names));
    assert_int_equal(scant_rows_count(rows), 3);
    assert_int_equal(scant_rows_columns(rows), 2);
    assert_string_equal(scant_rows_column_name(rows, 1), "b");
    assert_int_equal(scant_rows_missing(rows, 0), 1);
    assert_same(scant_rows_value(rows, 1, 1), 4);
    assert_same(scant_rows_weight(rows, 0), 1);
    assert_null(scant_rows_id(rows, 0));
    assert_false(scant_rows_is_sparse(rows));
    static const double weight[] = {1, 0, 2.5}, bad[] = {1, -1, 2};
    assert_fails(scant_rows_set_weights(rows, bad), SCANT_ERR_INPUT, "row 2");
    assert_ok(scant_rows_set_weights(rows, weight));
    assert_same(scant_rows_weight(rows, 2), 2.5);
    scant_rows_free(rows);
    assert_ok(scant_rows_view(&rows, 3, 2, x, NULL));
    assert_string_equal(scant_rows_column_name(rows, 1), "x2");
    assert_ptr_equal(rows->dense, x);
    scant_rows_free(rows);
    scant_rows_free(NULL);
}

static void test_refused(void **state)
{
    (void)state;
    static const double x[] = {1, INFINITY};
    static const char *const twice[] = {"a", "a"};
    scant_rows *rows;
    assert_fails(scant_rows_new(&rows, 1, 2, x, NULL), SCANT_ERR_INPUT, "row 1, column x2: inf");
    assert_null(rows);
    assert_fails(scant_rows_new(&rows, 1, 2, x, twice), SCANT_ERR_ARGUMENT, "both named 'a'");
    assert_fails(scant_rows_new(&rows, 0, 2, x, NULL), SCANT_ERR_ARGUMENT, "0 rows");
    static const size_t start[] = {0, 2};
    static const int32_t falling[] = {1, 0}, wide[] = {0, 7};
    static const double v[] = {1, 2};
    assert_fails(scant_rows_new_sparse(&rows, 1, 3, start, falling, v), SCANT_ERR_ARGUMENT,
                 "order");
    assert_fails(scant_rows_new_sparse(&rows, 1, 3, start, wide, v), SCANT_ERR_ARGUMENT,
                 "column 7");
}

static scant_rows *sparse(void)
{
    static const size_t start[] = {0, 2, 2, 3};
    static const int32_t column[] = {1, 3, 0};
    static const double value[] = {2, NAN, 7};
    scant_rows *rows;
    assert_ok(scant_rows_new_sparse(&rows, 3, 4, start, column, value));
    return rows;
}

static void test_sparse(void **state)
{
    (void)state;
    static const double dense[] = {0, 2, 0, NAN, 0, 0, 0, 0, 7, 0, 0, 0};
    double all[12];
    scant_rows *rows = sparse();
    scant_rows_values(rows, all);
    for (size_t k = 0; k < 12; k++) {
        assert_same(scant_rows_value(rows, k / 4, k % 4), dense[k]);
        assert_same(all[k], dense[k]);
    }
    assert_int_equal(scant_rows_missing(rows, 3), 1);
    assert_ok(scant_i_rows_densify(rows));
    assert_false(scant_rows_is_sparse(rows));
    for (size_t k = 0; k < 12; k++)
        assert_same(rows->dense[k], dense[k]);
    scant_rows_free(rows);
}

static void test_keep(void **state)
{
    (void)state;
    static const size_t keep[] = {3, 1};
    static const double want[] = {NAN, 2, 0, 0, 0, 0};
    for (int dense = 0; dense < 2; dense++) {
        scant_rows *rows = sparse();
        if (dense)
            assert_ok(scant_i_rows_densify(rows));
        assert_ok(scant_i_rows_keep_columns(rows, keep, 2));
        assert_string_equal(scant_rows_column_name(rows, 0), "x4");
        for (size_t k = 0; k < 6; k++)
            assert_same(scant_rows_value(rows, k / 2, k % 2), want[k]);
        scant_rows_free(rows);
    }
}

static void test_subset(void **state)
{
    (void)state;
    static const size_t index[] = {2, 0, 2}, wrong[] = {3};
    static const char *const cells[] = {"b", "", "a|b"};
    static const double weight[] = {1, 2, 3};
    for (int dense = 0; dense < 2; dense++) {
        scant_rows *rows = sparse(), *some = NULL;
        if (dense)
            assert_ok(scant_i_rows_densify(rows));
        assert_ok(scant_rows_set_labels(rows, cells, NULL, 0, NULL));
        assert_ok(scant_rows_set_weights(rows, weight));
        assert_ok(scant_rows_subset(&some, rows, index, 3));
        scant_rows_free(rows);
        assert_int_equal(scant_rows_count(some), 3);
        assert_same(scant_rows_value(some, 0, 0), 7);
        assert_same(scant_rows_value(some, 1, 1), 2);
        assert_same(scant_rows_weight(some, 2), 3);
        assert_int_equal(scant_rows_label(some, 1), 1);
        assert_int_equal(some->labels.code[0], 2);
        assert_int_equal(scant_i_rows_line(some, 0), 3);
        assert_fails(scant_rows_subset(&rows, some, wrong, 1), SCANT_ERR_ARGUMENT, "no row 3");
        scant_rows_free(some);
    }
}

static void test_names(void **state)
{
    (void)state;
    static const char *const names[] = {"species", "sepal_length", "petal"};
    assert_string_equal(scant_i_names_nearest("spceies", names, 3), "species");
    assert_string_equal(scant_i_names_nearest("Petal", names, 3), "petal");
    assert_null(scant_i_names_nearest("weight", names, 3));
    assert_true(scant_i_matches("x*", "x12"));
    assert_true(scant_i_matches("*_id", "row_id"));
    assert_true(scant_i_matches("a?c*e", "abcdde"));
    assert_false(scant_i_matches("a?c", "ac"));
    assert_false(scant_i_matches("x", "xy"));
    scant_i_names table = {0};
    for (int k = 0; k < 5000; k++) {
        char text[16];
        int32_t code = -1;
        size_t n = (size_t)snprintf(text, sizeof text, "%d", k % 2500);
        assert_ok(scant_i_names_add(&code, &table, text, n));
        assert_int_equal(code, k % 2500);
        assert_int_equal(scant_i_names_find(&table, text, n), k % 2500);
    }
    assert_int_equal(table.count, 2500);
    scant_i_names_free(&table);
}

static void test_levels_and_ids(void **state)
{
    (void)state;
    static const double x[] = {0, 7, 1, 8, NAN, 9};
    static const char *const levels[] = {"grey", "red"}, *const others[] = {"a", "b", "c"};
    scant_rows *rows, *some;
    static const size_t index[] = {1};
    assert_ok(scant_rows_view(&rows, 3, 2, x, NULL));
    assert_fails(scant_rows_set_levels(rows, 1, levels, 2), SCANT_ERR_INPUT,
                 "row 1, column x2: 7 is none of the 2 levels");
    assert_false(scant_rows_column_is_category(rows, 1));
    assert_ok(scant_rows_set_levels(rows, 0, levels, 2));
    assert_true(scant_rows_column_is_category(rows, 0));
    static const char *const ids[] = {"first", "", "third"};
    assert_ok(scant_rows_set_ids(rows, others));
    assert_ok(scant_rows_set_ids(rows, ids));
    assert_string_equal(scant_rows_id(rows, 1), "");
    assert_string_equal(scant_rows_id(rows, 2), "third");
    assert_string_equal(scant_rows_column_name(rows, 0), "x1");
    assert_ok(scant_rows_set_levels(rows, 0, others, 3));
    assert_int_equal(rows->columns[0].nlevels, 3);
    assert_fails(scant_rows_set_levels(rows, 2, levels, 2), SCANT_ERR_ARGUMENT, "column 3");
    assert_ok(scant_rows_subset(&some, rows, index, 1));
    assert_string_equal(some->columns[0].levels[1], "b");
    scant_rows_free(some);
    scant_rows_free(rows);
}

static scant_status work(void *payload)
{
    static const double x[] = {1, 2, 3, 4};
    static const char *const names[] = {"a", "b"};
    static const char *const cells[] = {"p", "p|q"};
    static const char *const levels[] = {"none", "one", "two", "three", "four"};
    static const size_t index[] = {1};
    scant_rows *rows = NULL, *some = NULL;
    (void)payload;
    scant_status status = scant_rows_new(&rows, 2, 2, x, names);
    if (status == SCANT_OK)
        status = scant_rows_set_levels(rows, 1, levels, 5);
    if (status == SCANT_OK)
        status = scant_rows_set_ids(rows, cells);
    if (status == SCANT_OK)
        status = scant_rows_set_labels(rows, cells, NULL, 0, NULL);
    if (status == SCANT_OK)
        status = scant_rows_subset(&some, rows, index, 1);
    scant_rows_free(rows);
    scant_rows_free(some);
    return status;
}

static void test_allocation(void **state)
{
    (void)state;
    assert_true(failing_sweep(work, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),          cmocka_unit_test(test_refused),
        cmocka_unit_test(test_sparse),         cmocka_unit_test(test_keep),
        cmocka_unit_test(test_subset),         cmocka_unit_test(test_names),
        cmocka_unit_test(test_levels_and_ids), cmocka_unit_test(test_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
