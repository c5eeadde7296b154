/* Batches: the rows that they say they are, and messages that name the same place as the table's. */
#include "check.h"

#include <stdio.h>

#include "data/batch.h"
#include "data/rows.h"

enum { ROWS = 5, COLUMNS = 3, FIRST = 2, N = 2 };

static const double cells[ROWS * COLUMNS] = {1, 0, 2, 0, 0, 3, 4, 5, 0, 0, 0, 0, 6, 0, 7};

static void test_dense(void **state)
{
    scant_rows *rows = NULL;
    const double weight[ROWS] = {1, 2, 3, 4, 5};
    (void)state;
    assert_ok(scant_rows_new(&rows, ROWS, COLUMNS, cells, NULL));
    assert_ok(scant_rows_set_weights(rows, weight));
    scant_i_batch batch = scant_i_batch_of(rows, FIRST, N);
    assert_int_equal(batch.nrows, N);
    assert_int_equal(batch.first, FIRST);
    assert_null(batch.sparse.start);
    assert_null(batch.code);
    for (size_t t = 0; t < N * COLUMNS; t++)
        assert_true(batch.dense[t] == cells[FIRST * COLUMNS + t]);
    for (size_t i = 0; i < N; i++)
        assert_true(batch.weight[i] == weight[FIRST + i]);
    scant_rows_free(rows);
}

static void test_sparse(void **state)
{
    scant_rows *rows = NULL;
    const size_t start[ROWS + 1] = {0, 2, 3, 5, 5, 7};
    const int32_t column[] = {0, 2, 2, 0, 1, 0, 2};
    const double value[] = {1, 2, 3, 4, 5, 6, 7};
    (void)state;
    assert_ok(scant_rows_new_sparse(&rows, ROWS, COLUMNS, start, column, value));
    for (size_t first = 0; first <= ROWS; first++) {
        for (size_t n = 0; first + n <= ROWS; n++) {
            scant_i_batch batch = scant_i_batch_of(rows, first, n);
            assert_null(batch.dense);
            assert_int_equal(scant_i_batch_entries(&batch), start[first + n] - start[first]);
            for (size_t i = 0; i < n; i++) {
                double row[COLUMNS] = {0};
                size_t at = scant_i_batch_start(&batch, i),
                       end = at + scant_i_batch_count(&batch, i);
                for (; at < end; at++)
                    row[batch.sparse.column[at]] = batch.sparse.value[at];
                for (size_t c = 0; c < COLUMNS; c++)
                    assert_true(row[c] == cells[(first + i) * COLUMNS + c]);
            }
        }
    }
    scant_rows_free(rows);
}

/* What the table says of a row, a batch that holds the row says of it. */
static void compare_messages(const scant_rows *rows, size_t row)
{
    char expected[300];
    for (size_t first = 0; first <= row; first++) {
        scant_i_batch batch = scant_i_batch_of(rows, first, ROWS - first);
        assert_int_equal(scant_i_fail_cell(rows, row, 1, "no %s", "number"), SCANT_ERR_INPUT);
        (void)snprintf(expected, sizeof expected, "%s", scant_message());
        assert_int_equal(scant_i_batch_fail_cell(&batch, row - first, 1, "no %s", "number"),
                         SCANT_ERR_INPUT);
        assert_string_equal(scant_message(), expected);
        assert_int_equal(scant_i_fail_label(rows, row, "no class"), SCANT_ERR_INPUT);
        (void)snprintf(expected, sizeof expected, "%s", scant_message());
        assert_int_equal(scant_i_batch_fail_label(&batch, row - first, "no class"),
                         SCANT_ERR_INPUT);
        assert_string_equal(scant_message(), expected);
    }
}

static void test_messages(void **state)
{
    scant_rows *rows = NULL;
    const char *const names[COLUMNS] = {"a", "b", "c"};
    size_t line[ROWS] = {2, 3, 7, 8, 11};
    char source[] = "table.csv", label[] = "kind";
    (void)state;
    assert_ok(scant_rows_new(&rows, ROWS, COLUMNS, cells, names));
    compare_messages(rows, 3);
    assert_string_equal(scant_message(), "row 4, column label: no class");
    rows->source = source;
    rows->first_line = 2;
    compare_messages(rows, 3);
    rows->line = line;
    rows->labels.column = label;
    rows->labels.field = 4;
    compare_messages(rows, 3);
    assert_string_equal(scant_message(), "table.csv:8:4: kind: no class");
    rows->source = NULL;
    rows->line = NULL;
    rows->labels.column = NULL;
    scant_rows_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),
        cmocka_unit_test(test_sparse),
        cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests_name("data/batch", tests, NULL, NULL);
}
