/* Class probabilities from columns of the data or from another file, in every format. */
#include "check.h"

#include <math.h>
#include "data/rows.h"
#include "failing.h"
#include "scratch.h"

static const char *const pattern[] = {"p_*"}, *const categorical[] = {"k"};

static void assert_soft(const scant_rows *rows, size_t row, double first)
{
    const scant_i_labels *l = &rows->labels;
    assert_int_equal(l->nclasses, 2);
    assert_true(l->code[row] >= 2);
    assert_true(fabs(l->soft[(l->code[row] - 2) * 2] - first) < 1e-15);
}

static void test_columns_leave_the_features(void **state)
{
    (void)state;
    scant_rows *rows = NULL;
    scant_read_options options = {.size = sizeof options,
                                  .context = pattern,
                                  .ncontext = 1,
                                  .categorical = categorical,
                                  .ncategorical = 1,
                                  .label = "y",
                                  .threads = 1};
    static const char text[] = "p_b,k,x,p_a,y\n0.25,u,1,0.75,\n\n,v,2,,b\n0.5,u,3,0.5,a\n";
    assert_ok(scant_rows_read(&rows, scratch_text("t.csv", text), &options));
    assert_int_equal(rows->ncolumns, 2);
    assert_string_equal(scant_rows_column_name(rows, 0), "k");
    assert_true(scant_rows_column_is_category(rows, 0));
    assert_string_equal(rows->columns[0].levels[1], "v");
    assert_same(scant_rows_value(rows, 1, 0), 1);
    assert_same(scant_rows_value(rows, 2, 1), 3);
    assert_soft(rows, 0, 0.75);
    assert_int_equal(rows->labels.code[1], 1);
    assert_int_equal(rows->labels.code[2], 0);
    scant_rows_free(rows);
    static const char bad[] = "p_b,k,x,p_a,y\n0.25,u,1,0.75,\n\n0.5,v,2,0.6,\n";
    assert_fails(scant_rows_read(&rows, scratch_text("t.csv", bad), &options), SCANT_ERR_INPUT,
                 "t.csv:4:1: p_b: the row's probabilities sum to 1.1"); /* blank lines counted */
    assert_null(rows);
}

static void test_columns_beside_a_schema(void **state)
{
    (void)state;
    static const char *const names[] = {"x"}, *const classes[] = {"b", "a"};
    scant_schema schema = {.ncolumns = 1, .names = names, .nclasses = 2, .classes = classes};
    scant_read_options options = {
        .size = sizeof options, .context = pattern, .ncontext = 1, .schema = &schema, .threads = 1};
    scant_rows *rows = NULL;
    assert_ok(
        scant_rows_read(&rows, scratch_text("t.csv", "q,p_a,x,p_b\nz,0.75,1,0.25\n"), &options));
    assert_int_equal(rows->ncolumns, 1);
    assert_same(scant_rows_value(rows, 0, 0), 1);
    assert_soft(rows, 0, 0.25);
    scant_rows_free(rows);
    schema.names = (const char *const[]){"p_a"};
    assert_fails(scant_rows_read(&rows, scratch_path("t.csv"), &options), SCANT_ERR_ARGUMENT,
                 "'p_a' is given two roles");
}

static void test_other_formats(void **state)
{
    (void)state;
    static const char *const last[] = {"x2", "x3"};
    scant_read_options options = {
        .size = sizeof options, .context = last, .ncontext = 2, .threads = 1};
    scant_rows *rows = NULL;
    /* sparse rows: what is not stored is 0; the classes are x2 and x3 */
    static const char mtx[] = "%%MatrixMarket matrix coordinate real general\n2 4 6\n"
                              "1 1 5\n1 3 1\n2 2 0.5\n2 3 0.5\n2 4 7\n1 4 2\n";
    assert_ok(scant_rows_read(&rows, scratch_text("t.mtx", mtx), &options));
    assert_true(scant_rows_is_sparse(rows));
    assert_int_equal(rows->ncolumns, 2);
    assert_string_equal(scant_rows_column_name(rows, 1), "x4");
    assert_same(scant_rows_value(rows, 1, 1), 7);
    assert_int_equal(rows->labels.code[0], 1);
    assert_soft(rows, 1, 0.5);
    scant_rows_free(rows);
    options = (scant_read_options){.size = sizeof(scant_read_options),
                                   .context_file = scratch_text("p.csv", "p_a,p_b\n0.25,0.75\n,\n"),
                                   .threads = 1};
    assert_ok(scant_rows_read(&rows, scratch_path("t.mtx"), &options));
    assert_int_equal(rows->ncolumns, 4);
    assert_soft(rows, 0, 0.25);
    assert_int_equal(rows->labels.code[1], -1);
    scant_rows_free(rows);
}

static scant_status read(void *payload)
{
    scant_rows *rows = NULL;
    scant_status status = scant_rows_read(&rows, scratch_path("t.csv"), payload);
    if (status != SCANT_OK)
        assert_null(rows);
    scant_rows_free(rows);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    (void)scratch_text("t.csv", "p_a,x,y,p_b\n0.25,1,,0.75\n\n,2,b,\n");
    (void)scratch_text("p.csv", "a,b\n0.25,0.75\n0.5,0.5\n");
    scant_read_options options = {.size = sizeof options,
                                  .context = pattern,
                                  .ncontext = 1,
                                  .context_prior = "a=0.5,b=0.5",
                                  .label = "y",
                                  .threads = 1};
    (void)failing_sweep(read, &options);
    options.context_file = scratch_path("p.csv");
    options.context = NULL;
    options.ncontext = 0;
    options.label_is_truth = true;
    (void)failing_sweep(read, &options);
    scratch_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_leave_the_features),
        cmocka_unit_test(test_columns_beside_a_schema),
        cmocka_unit_test(test_other_formats),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
