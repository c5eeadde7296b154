/* Every reader and writer with each of its allocations failing once. */
#include "check.h"

#include "data/rows.h"
#include "data/tensor.h"
#include "failing.h"
#include "scratch.h"

typedef struct job {
    const char *from, *to;
    const scant_read_options *options;
} job;

static scant_status run(void *payload)
{
    const job *j = payload;
    scant_rows *rows = NULL;
    scant_status status = scant_rows_read(&rows, j->from, j->options);
    if (status != SCANT_OK)
        assert_null(rows);
    if (status == SCANT_OK && j->to)
        status = scant_rows_write(rows, j->to);
    scant_rows_free(rows);
    return status;
}

static scant_status convert(void *payload)
{
    const job *j = payload;
    return scant_tensor_convert(j->from, j->to);
}

static void sweep(const char *from, const char *to, const scant_read_options *options)
{
    job j = {from, to, options};
    size_t files = scratch_count();
    (void)failing_sweep(run, &j);
    assert_true(scratch_count() <= files + 1); /* the result, and no temporary file */
}

static void test_csv(void **state)
{
    (void)state;
    static const char *const categorical[] = {"k"};
    static const scant_read_options options = {.size = sizeof options,
                                               .categorical = categorical,
                                               .ncategorical = 1,
                                               .label = "y",
                                               .weight = "w",
                                               .id = "i",
                                               .group = "g",
                                               .threads = 1};
    static const char text[] =
        "x,k,y,w,i,g\n1,a,p,1,r1,A\n\n2,b,p|q,2,r2,B\n3,\"c\nd\",p:0.5;q:0.5,1,r3,A\n";
    sweep(scratch_text("t.csv", text), scratch_path("o.csv"), &options);
    sweep(scratch_text("t.csv", text), scratch_path("o.svm"), &options);
    sweep(scratch_gzip("t.csv.gz", text), scratch_path("o.csv.gz"), &options);
    static const char *const names[] = {"x", "k"}, *const kinds[] = {"a", "b", "c\nd"},
                             *const classes[] = {"p", "q"};
    static const char *const *const levels[] = {NULL, kinds};
    static const size_t nlevels[] = {0, 3};
    static const scant_schema schema = {.ncolumns = 2,
                                        .names = names,
                                        .levels = levels,
                                        .nlevels = nlevels,
                                        .nclasses = 2,
                                        .classes = classes};
    static const scant_read_options strict = {
        .size = sizeof strict, .schema = &schema, .label = "y", .threads = 2};
    sweep(scratch_path("t.csv"), NULL, &strict);
}

static void test_others(void **state)
{
    (void)state;
    static const double x[] = {1, 2, 3, 4, 5, 6};
    scant_rows *rows;
    assert_ok(scant_rows_new(&rows, 3, 2, x, NULL));
    assert_ok(scant_rows_write(rows, scratch_path("m.npy")));
    bool hdf5 = scant_rows_write(rows, scratch_path("m.h5")) == SCANT_OK; /* a build may lack it */
    assert_ok(scant_rows_write(rows, scratch_path("m.mtx")));
    scant_rows_free(rows);
    static const scant_read_options roles = {.size = sizeof roles, .label = "x1"};
    sweep(scratch_path("m.npy"), scratch_path("n.npy"), NULL);
    sweep(scratch_path("m.npy"), NULL, &roles);
    if (hdf5) {
        sweep(scratch_path("m.h5"), scratch_path("n.h5"), NULL);
        sweep(scratch_path("m.h5"), NULL, &roles);
    }
    sweep(scratch_path("m.mtx"), scratch_path("n.mtx"), NULL);
    sweep(scratch_text("m.svm", "1 1:2 5:1\n-1 3:1\n"), scratch_path("n.svm"), NULL);
    sweep(scratch_text("s.mtx",
                       "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 3\n1 1 5\n"),
          scratch_path("n.mtx"), &roles);
    job j = {scratch_text("t.tns", "2 1 3 1\n1 1 1 2\n"), scratch_path("t.npy"), NULL};
    (void)failing_sweep(convert, &j);
    job k = {scratch_path("t.npy"), scratch_path("u.tns"), NULL};
    (void)failing_sweep(convert, &k);
}

static int clean(void **state)
{
    (void)state;
    scratch_clear();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_csv), cmocka_unit_test(test_others)};
    return cmocka_run_group_tests(tests, NULL, clean);
}
