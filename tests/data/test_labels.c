#include "check.h"

#include <math.h>
#include "data/rows.h"
#include "failing.h"

static scant_rows *with_rows(size_t n)
{
    static const double x[64] = {0};
    scant_rows *rows = NULL;
    assert_ok(scant_rows_view(&rows, n, 1, x, NULL));
    return rows;
}

static scant_status label(scant_rows **rows, const char *const *cells, size_t n,
                          const char *missing)
{
    *rows = with_rows(n);
    return scant_rows_set_labels(*rows, cells, NULL, 0, missing);
}

#define LABEL(rows, missing, ...)                                                                  \
    label((rows), (const char *const[]){__VA_ARGS__},                                              \
          sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), (missing))

static void test_forms(void **state)
{
    (void)state;
    scant_rows *rows;
    assert_ok(LABEL(&rows, NULL, "dog", "", "cat|dog", "NA", "cat:0.75;dog:0.25", "?", "nan",
                    "dog|cat", "ant", NULL, "dog : 0.25 ; cat : 0.75", "cat:1", "dog|dog"));
    const scant_i_labels *l = &rows->labels;
    assert_int_equal(l->nclasses, 3);
    assert_string_equal(scant_rows_class_name(rows, 0), "ant");
    assert_string_equal(scant_rows_class_name(rows, 1), "cat");
    static const int32_t codes[] = {2, -1, 3, -1, 4, -1, -1, 3, 0, -1, 4, 1, 2};
    for (size_t i = 0; i < 13; i++)
        assert_int_equal(l->code[i], codes[i]);
    assert_int_equal(l->nsoft, 2);
    static const double soft[] = {0, 1, 1, 0, 0.75, 0.25};
    for (size_t k = 0; k < 6; k++)
        assert_same(l->soft[k], soft[k]);
    assert_int_equal(l->is_probability[0], 0);
    assert_int_equal(l->is_probability[1], 1);
    assert_int_equal(scant_rows_label(rows, 0), 2);
    assert_int_equal(scant_rows_label(rows, 2), -1);
    assert_int_equal(scant_rows_labeled(rows), 8);
    scant_rows_free(rows);
}

static void test_order(void **state)
{
    (void)state;
    scant_rows *rows;
    assert_ok(LABEL(&rows, NULL, "10", "9", "2.5", "1e1"));
    assert_string_equal(scant_rows_class_name(rows, 0), "2.5");
    assert_string_equal(scant_rows_class_name(rows, 1), "9");
    assert_string_equal(scant_rows_class_name(rows, 2), "10");
    assert_string_equal(scant_rows_class_name(rows, 3), "1e1");
    scant_rows_free(rows);
    assert_ok(LABEL(&rows, NULL, "10", "9", "b", "B"));
    assert_string_equal(scant_rows_class_name(rows, 0), "10");
    assert_string_equal(scant_rows_class_name(rows, 2), "B");
    scant_rows_free(rows);
}

static void test_minus_one(void **state)
{
    (void)state;
    scant_rows *rows;
    assert_ok(LABEL(&rows, NULL, "-1", "0", "1", "-1")); /* beside natural numbers: unknown */
    assert_int_equal(scant_rows_classes(rows), 2);
    assert_int_equal(scant_rows_labeled(rows), 2);
    scant_rows_free(rows);
    assert_ok(LABEL(&rows, NULL, "-1", "2")); /* not only -1 and 1 */
    assert_int_equal(scant_rows_labeled(rows), 1);
    scant_rows_free(rows);
    assert_ok(LABEL(&rows, NULL, "-1", "0.5", "1")); /* others are not integers: a class */
    assert_int_equal(scant_rows_classes(rows), 3);
    scant_rows_free(rows);
    assert_ok(LABEL(&rows, NULL, "-1", "-2", "1"));
    assert_int_equal(scant_rows_classes(rows), 3);
    scant_rows_free(rows);
    assert_ok(LABEL(&rows, NULL, "-1", "cat"));
    assert_int_equal(scant_rows_classes(rows), 2);
    scant_rows_free(rows);
    assert_fails(LABEL(&rows, NULL, "-1", "1", ""), SCANT_ERR_INPUT, "missing_label");
    scant_rows_free(rows);
    assert_fails(LABEL(&rows, NULL, "+1", "-1"), SCANT_ERR_INPUT, "only -1 and 1");
    scant_rows_free(rows);
    assert_ok(LABEL(&rows, "none", "-1", "1", "none"));
    assert_int_equal(scant_rows_classes(rows), 3);
    scant_rows_free(rows);
    assert_ok(LABEL(&rows, "-1", "-1", "1"));
    assert_int_equal(scant_rows_classes(rows), 1);
    assert_int_equal(scant_rows_labeled(rows), 1);
    scant_rows_free(rows);
    assert_ok(LABEL(&rows, "0", "0", "-1", "1"));
    assert_int_equal(scant_rows_classes(rows), 2);
    scant_rows_free(rows);
}

static void test_refused(void **state)
{
    (void)state;
    scant_rows *rows;
    assert_fails(LABEL(&rows, NULL, "a", "a:0.5;b:0.4"), SCANT_ERR_INPUT,
                 "row 2, column label: 'a:0.5;b:0.4': probabilities sum to 0.9");
    scant_rows_free(rows);
    assert_fails(LABEL(&rows, NULL, "a:1.5;b:-0.5"), SCANT_ERR_INPUT, "negative");
    scant_rows_free(rows);
    assert_fails(LABEL(&rows, NULL, "a;b"), SCANT_ERR_INPUT, "name:probability");
    scant_rows_free(rows);
    assert_fails(LABEL(&rows, NULL, "a|"), SCANT_ERR_INPUT, "empty name");
    scant_rows_free(rows);
    assert_ok(LABEL(&rows, NULL, "a:0.3333333;b:0.3333333;c:0.3333333")); /* within 1e-6 */
    double sum = rows->labels.soft[0] + rows->labels.soft[1] + rows->labels.soft[2];
    assert_true(fabs(sum - 1) < 1e-15);
    scant_rows_free(rows);
}

static void test_given(void **state)
{
    (void)state;
    static const char *const classes[] = {"dog", "cat", "12:30"};
    static const char *const cells[] = {"cat", "12:30", "", "dog|cat"};
    static const char *const wrong[] = {"cat", "dgo", "", ""};
    scant_rows *rows = with_rows(4);
    assert_ok(scant_rows_set_labels(rows, cells, classes, 3, NULL));
    assert_int_equal(rows->labels.code[0], 1);
    assert_int_equal(rows->labels.code[1], 2);
    assert_int_equal(rows->labels.code[3], 3);
    assert_fails(scant_rows_set_labels(rows, wrong, classes, 3, NULL), SCANT_ERR_INPUT,
                 "row 2, column label: 'dgo' is not one of the 3 classes; did you mean 'dog'?");
    assert_int_equal(scant_rows_classes(rows), 0); /* nothing half-built */
    assert_int_equal(scant_rows_labeled(rows), 0);
    static const char *const blanks[] = {" a", "a", "b "};
    static const char *const around[] = {" a", "a", "  a ", "b "};
    assert_ok(scant_rows_set_labels(rows, around, blanks, 3, NULL));
    static const int codes[] = {0, 1, 1, 2};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(rows->labels.code[i], codes[i]);
    static const char *const numbers[] = {"0", "1"};
    static const char *const unknown[] = {"0", "-1", "1", "1"};
    assert_ok(scant_rows_set_labels(rows, unknown, numbers, 2, NULL));
    assert_int_equal(rows->labels.code[1], -1);
    scant_rows_free(rows);
}

static scant_status work(void *payload)
{
    (void)payload;
    static const double x[6] = {0};
    static const char *const cells[] = {"a", "b|c", "a:0.5;d:0.5", "", "e", "c|b"};
    scant_rows *rows = NULL;
    scant_status status = scant_rows_new(&rows, 6, 1, x, NULL);
    if (status == SCANT_OK)
        status = scant_rows_set_labels(rows, cells, NULL, 0, NULL);
    scant_rows_free(rows);
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
        cmocka_unit_test(test_forms),     cmocka_unit_test(test_order),
        cmocka_unit_test(test_minus_one), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_given),     cmocka_unit_test(test_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
