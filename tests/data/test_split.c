#include "check.h"

#include "data/split.h"

enum { ROWS = 103, FOLDS = 5 };
static double x[ROWS];
static int32_t fold[ROWS], again[ROWS];

static scant_rows *make(size_t classes, size_t unlabeled)
{
    static const char *const names[] = {"a", "b", "c"};
    const char *cells[ROWS];
    scant_rows *rows;
    assert_ok(scant_rows_view(&rows, ROWS, 1, x, NULL));
    for (size_t i = 0; i < ROWS; i++)
        cells[i] = classes == 0 || i % 7 < unlabeled ? "" : names[i * i % 11 % classes];
    if (classes)
        assert_ok(scant_rows_set_labels(rows, cells, NULL, 0, NULL));
    return rows;
}

static size_t count(const scant_rows *rows, int32_t f, int32_t class)
{
    size_t n = 0;
    for (size_t i = 0; i < ROWS; i++)
        n += fold[i] == f && (class < 0 || scant_rows_label(rows, i) == class);
    return n;
}

static void test_stratified(void **state)
{
    (void)state;
    scant_rows *rows = make(3, 3);
    assert_ok(scant_i_split_folds(fold, rows, FOLDS, 1));
    for (size_t i = 0; i < ROWS; i++)
        assert_int_equal(fold[i] < 0, scant_rows_label(rows, i) < 0);
    for (int32_t class = -1; class < 3; class ++) {
        size_t least = ROWS, most = 0;
        for (int32_t f = 0; f < FOLDS; f++) {
            least = scant_i_min(least, count(rows, f, class));
            most = scant_i_max(most, count(rows, f, class));
        }
        assert_true(most - least <= 1 && most > 0);
    }
    assert_ok(scant_i_split_folds(again, rows, FOLDS, 1));
    assert_memory_equal(fold, again, sizeof fold);
    assert_ok(scant_i_split_folds(again, rows, FOLDS, 2));
    assert_memory_not_equal(fold, again, sizeof fold);
    scant_rows_free(rows);
}

static void test_unlabeled(void **state)
{
    (void)state;
    scant_rows *rows = make(0, 0);
    assert_ok(scant_i_split_folds(fold, rows, FOLDS, 1));
    for (int32_t f = 0; f < FOLDS; f++)
        assert_true(count(rows, f, -1) >= ROWS / FOLDS);
    scant_rows_free(rows);
}

static void test_groups(void **state)
{
    (void)state;
    for (size_t unlabeled = 0; unlabeled < 4; unlabeled += 2) {
        scant_rows *rows = make(2, unlabeled);
        assert_ok(scant_i_new(&rows->group, ROWS, sizeof *rows->group));
        rows->ngroups = 26;
        for (size_t i = 0; i < ROWS; i++)
            rows->group[i] = (int32_t)(i / 4);
        assert_ok(scant_i_split_folds(fold, rows, FOLDS, 1));
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = i / 4 * 4; j < i; j++) /* a label or none */
                assert_true(fold[i] == fold[j]);
        for (int32_t f = 0; f < FOLDS; f++)
            assert_true(count(rows, f, 0) > 3 && count(rows, f, 1) > 3);
        assert_fails(scant_i_split_folds(fold, rows, 27, 1), SCANT_ERR_ARGUMENT, "groups");
        scant_rows_free(rows);
    }
}

/* Groups of one class each: a fold that has none yet comes before those that have another class. */
static void test_groups_of_one_class(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c"};
    const char *cells[ROWS];
    scant_rows *rows;
    assert_ok(scant_rows_view(&rows, ROWS, 1, x, NULL));
    assert_ok(scant_i_new(&rows->group, ROWS, sizeof *rows->group));
    rows->ngroups = 6; /* two of each class, of 17 or 18 rows */
    for (size_t i = 0; i < ROWS; i++) {
        rows->group[i] = (int32_t)(i % 6);
        cells[i] = names[i % 3];
    }
    assert_ok(scant_rows_set_labels(rows, cells, NULL, 0, NULL));
    for (size_t folds = 2; folds <= 6; folds++) {
        assert_ok(scant_i_split_folds(fold, rows, folds, 1));
        for (int32_t f = 0; f < (int32_t)folds; f++)
            assert_true(count(rows, f, -1) >= ROWS / 6);
    }
    scant_rows_free(rows);
}

/* Rows of weight 0 are dealt to no fold, and the others as if there were none of them. */
static void test_weights(void **state)
{
    (void)state;
    for (size_t classes = 0; classes < 4; classes += 3) {
        scant_rows *rows = make(classes, classes), *part = NULL;
        double weight[ROWS];
        size_t index[ROWS], n = 0;
        int32_t of_part[ROWS];
        for (size_t i = 0; i < ROWS; i++)
            if ((weight[i] = (double)(i % 3)) > 0)
                index[n++] = i;
        assert_ok(scant_rows_set_weights(rows, weight));
        assert_ok(scant_rows_subset(&part, rows, index, n));
        assert_ok(scant_i_split_folds(fold, rows, FOLDS, 1));
        assert_ok(scant_i_split_folds(of_part, part, FOLDS, 1));
        for (size_t i = 0; i < ROWS; i++)
            assert_true(weight[i] > 0 || fold[i] == -1);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(fold[index[i]], of_part[i]);
        scant_rows_free(rows);
        scant_rows_free(part);
    }
}

static void test_refused(void **state)
{
    (void)state;
    scant_rows *rows = make(3, 6);
    assert_fails(scant_i_split_folds(fold, rows, 1, 1), SCANT_ERR_ARGUMENT, "two or more");
    assert_fails(scant_i_split_folds(fold, rows, 50, 1), SCANT_ERR_ARGUMENT, "labelled rows");
    scant_rows_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stratified), cmocka_unit_test(test_unlabeled),
        cmocka_unit_test(test_groups),     cmocka_unit_test(test_groups_of_one_class),
        cmocka_unit_test(test_weights),    cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
