/* The other formats: reading, what is refused, and that every format reads back what it wrote. */
#include "check.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "data/rows.h"
#include "io/format.h"
#include "scratch.h"

static void refuse(const char *path, const char *message)
{
    scant_rows *rows = NULL;
    assert_fails(scant_rows_read(&rows, path, NULL), SCANT_ERR_INPUT, message);
    assert_null(rows);
}

static scant_rows *load(const char *path, const scant_read_options *options)
{
    scant_rows *rows = NULL;
    assert_ok(scant_rows_read(&rows, path, options));
    return rows;
}

static void check_cells(const scant_rows *rows, size_t n, size_t width, const double *want)
{
    assert_int_equal(scant_rows_count(rows), n);
    assert_int_equal(scant_rows_columns(rows), width);
    for (size_t k = 0; k < n * width; k++)
        assert_same(scant_rows_value(rows, k / width, k % width), want[k]);
}

/* --- npy --- */

static const char *npy(const char *dict, const void *data, size_t bytes, int version)
{
    unsigned char file[1024] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    size_t n = strlen(dict), at = version == 1 ? 10 : 12;
    file[6] = (unsigned char)version;
    file[8] = (unsigned char)n;
    memcpy(file + at, dict, n);
    memcpy(file + at + n, data, bytes);
    return scratch_bytes("t.npy", file, at + n + bytes);
}

static void test_npy(void **state)
{
    (void)state;
    static const double x[] = {1, 2, NAN, 4, 5, 6}, turned[] = {1, NAN, 5, 2, 4, 6};
    for (int version = 1; version <= 3; version++) {
        scant_rows *rows = load(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }\n",
                                    x, sizeof x, version),
                                NULL);
        check_cells(rows, 3, 2, x);
        scant_rows_free(rows);
    }
    scant_rows *rows = load(
        npy("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }", x, sizeof x, 1), NULL);
    check_cells(rows, 2, 3, turned);
    scant_rows_free(rows);
    static const float f[] = {1.5f, -2};
    rows = load(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", f, sizeof f, 1),
                NULL);
    check_cells(rows, 2, 1, (double[]){1.5, -2});
    scant_rows_free(rows);
    static const int16_t i[] = {-3, 300};
    rows = load(npy("{'descr': '<i2', 'fortran_order': False, 'shape': (1, 2), }", i, sizeof i, 1),
                NULL);
    check_cells(rows, 1, 2, (double[]){-3, 300});
    scant_rows_free(rows);
    static const uint8_t b[] = {0, 1};
    rows = load(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (1, 2), }", b, sizeof b, 1),
                NULL);
    check_cells(rows, 1, 2, (double[]){0, 1});
    scant_rows_free(rows);
}

static void test_npy_refused(void **state)
{
    (void)state;
    static const double x[] = {1, 2, INFINITY, 4, 5, 6};
    refuse(npy("{'descr': '>f8', 'fortran_order': False, 'shape': (3, 2), }", x, sizeof x, 1),
           "'>f8' are not read");
    refuse(npy("{'descr': '<c16', 'fortran_order': False, 'shape': (3, 2), }", x, sizeof x, 1),
           "not read");
    refuse(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4, 2), }", x, sizeof x, 1),
           "6 numbers, but the header says 8");
    refuse(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }", x, sizeof x, 1),
           "more bytes");
    refuse(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }", x, sizeof x, 1),
           "t.npy:2:1: x1: inf is not finite");
    refuse(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 3), }", x, sizeof x, 1),
           "order 3");
    refuse(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 99999999999), }", x,
               sizeof x, 1),
           "makes no sense");
    refuse(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999, 9999), }", x, sizeof x,
               1),
           "6 numbers");
    refuse(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 2), }", x, 0, 1), "empty");
    refuse(npy("{'shape': (0, 2), }", x, 0, 1), "damaged");
    static const char *const cut[] = {"{'fortran_order': False, 'shape': (1,), 'descr': ",
                                      "{'fortran_order': False, 'shape': (1,), 'descr': '",
                                      "{'fortran_order': False, 'shape': (1,), 'descr': '<",
                                      "{'fortran_order': False, 'shape': (1,), 'descr': '<f"};
    for (size_t k = 0; k < sizeof cut / sizeof *cut; k++)
        refuse(npy(cut[k], x, 8, 1), "are not read");
    refuse(npy("{}", x, 0, 4), "version 4");
    refuse(scratch_bytes("t.npy", "\x93NUMPY\1\0\xff\xff", 10), "ends in its header");
}

/* Roles are taken from plain numbers too. */
static void test_matrix_roles(void **state)
{
    (void)state;
    static const double x[] = {1, 0, 7, 2, 1, 8, 3, NAN, 9};
    static const char *const ignore[] = {"x1"};
    scant_read_options options = {
        .size = sizeof options, .label = "x2", .ignore = ignore, .nignore = 1};
    scant_rows *rows =
        load(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3), }", x, sizeof x, 1),
             &options);
    check_cells(rows, 3, 1, (double[]){7, 8, 9});
    assert_string_equal(scant_rows_column_name(rows, 0), "x3");
    assert_int_equal(scant_rows_classes(rows), 2);
    assert_int_equal(scant_rows_label(rows, 2), -1);
    scant_rows_free(rows);
    options = (scant_read_options){.size = sizeof(scant_read_options),
                                   .id = "x1",
                                   .group = "x3",
                                   .categorical = (const char *const[]){"x2"},
                                   .ncategorical = 1};
    rows = load(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3), }", x, sizeof x, 1),
                &options);
    assert_string_equal(scant_rows_id(rows, 2), "3");
    assert_int_equal(rows->ngroups, 3);
    assert_true(scant_rows_column_is_category(rows, 0));
    assert_int_equal(rows->columns[0].nlevels, 2);
    scant_rows_free(rows);
}

/* --- svmlight --- */

static void test_svmlight(void **state)
{
    (void)state;
    scant_rows *rows =
        load(scratch_text("t.svm", "# head\n+1 1:0.5 3:2 # note\n\n-1 qid:3 2:1\n1\n"), NULL);
    assert_true(scant_rows_is_sparse(rows));
    check_cells(rows, 3, 3, (double[]){0.5, 0, 2, 0, 1, 0, 0, 0, 0});
    assert_int_equal(scant_rows_classes(rows), 2); /* -1 and 1 are classes here */
    assert_string_equal(scant_rows_class_name(rows, 0), "-1");
    assert_int_equal(scant_rows_label(rows, 0), 1);
    assert_int_equal(scant_i_rows_line(rows, 1), 4);
    scant_rows_free(rows);
    static const char *const names[] = {"x1", "x2", "x3", "x4"};
    scant_schema schema = {.ncolumns = 4, .names = names};
    scant_read_options options = {.size = sizeof options, .schema = &schema};
    rows = load(scratch_text("t.svm", "0 1:1 9:5\n"),
                &options); /* narrower and wider than the model */
    check_cells(rows, 1, 4, (double[]){1, 0, 0, 0});
    assert_int_equal(scant_rows_labeled(rows), 0);
    scant_rows_free(rows);
    options = (scant_read_options){
        .size = sizeof(scant_read_options), .ignore = (const char *const[]){"label"}, .nignore = 1};
    rows = load(scratch_text("t.svm", "1 1:1\n"), &options);
    assert_int_equal(scant_rows_labeled(rows), 0);
    scant_rows_free(rows);
    refuse(scratch_text("t.svm", "1 1:1\nx 1:1\n"),
           "t.svm:2:1: 'x 1:1': a line begins with a number");
    refuse(scratch_text("t.svm", "1 2:1 1:1\n"), "t.svm:1:7: '1:1': indices must ascend");
    refuse(scratch_text("t.svm", "1 0:1\n"), "indices start at 1");
    refuse(scratch_text("t.svm", "1 3\n"), "not index:value");
    refuse(scratch_text("t.svm", "1 3:inf\n"), "the value is not a finite number");
    refuse(scratch_text("t.svm", "1 99999999999:1\n"), "too large");
    refuse(scratch_text("t.svm", "1\n"), "no row has a value");
    refuse(scratch_text("t.svm", "# nothing\n"), "there is no row");
}

/* Columns that a model has by other names are not there; they are not merely out of reach. */
static void test_svmlight_names(void **state)
{
    (void)state;
    static const char *const absent[] = {"x04", "xy", "x", "waiting"};
    for (size_t k = 0; k < sizeof absent / sizeof *absent; k++) {
        scant_schema schema = {.ncolumns = 2, .names = (const char *const[]){"x1", absent[k]}};
        scant_read_options options = {.size = sizeof options, .schema = &schema};
        scant_rows *rows = NULL;
        char message[64];
        (void)snprintf(message, sizeof message, "there is no column '%s'", absent[k]);
        assert_fails(scant_rows_read(&rows, scratch_text("t.svm", "1 1:1 2:3\n"), &options),
                     SCANT_ERR_INPUT, message);
    }
}

/* --- Matrix Market --- */

static void test_matrix_market(void **state)
{
    (void)state;
    scant_rows *rows =
        load(scratch_text("t.mtx", "%%MatrixMarket matrix coordinate real general\n% c\n2 3 3\n2 3 "
                                   "5\n1 1 -2.5\n2 1 nan\n"),
             NULL);
    assert_true(scant_rows_is_sparse(rows));
    check_cells(rows, 2, 3, (double[]){-2.5, 0, 0, NAN, 0, 5});
    scant_rows_free(rows);
    rows =
        load(scratch_text("t.mtx",
                          "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n"),
             NULL);
    check_cells(rows, 2, 2, (double[]){1, 1, 1, 0});
    scant_rows_free(rows);
    rows =
        load(scratch_text("t.mtx",
                          "%%MatrixMarket matrix array integer general\n2 3\n1\n2\n3\n4\n5\n6\n"),
             NULL);
    check_cells(rows, 2, 3, (double[]){1, 3, 5, 2, 4, 6});
    scant_rows_free(rows);
    rows = load(scratch_text("t.mtx", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n"),
                NULL);
    check_cells(rows, 2, 2, (double[]){1, 2, 2, 3});
    scant_rows_free(rows);
#define HEAD "%%MatrixMarket matrix coordinate real general\n"
    refuse(scratch_text("t.mtx", "hello\n"), "begins with %%MatrixMarket");
    refuse(scratch_text("t.mtx", "%%MatrixMarket matrix coordinate complex general\n"), "not read");
    refuse(scratch_text("t.mtx", HEAD "2 2\n"), "t.mtx:2:1: '2 2': not the sizes");
    refuse(scratch_text("t.mtx", HEAD "2 2 1\n3 1 5\n"), "t.mtx:3:1: '3 1 5': outside the matrix");
    refuse(scratch_text("t.mtx", HEAD "2 2 2\n1 1 5\n"), "1 entries, but the header says 2");
    refuse(scratch_text("t.mtx", HEAD "2 2 1\n1 1 5\n1 2 5\n"), "more entries");
    refuse(scratch_text("t.mtx", HEAD "2 2 2\n1 1 5\n1 1 6\n"), "entry (1, 1) is given twice");
    refuse(scratch_text("t.mtx", HEAD "2 2 1\n1 1 x\n"), "not row, column and a finite number");
    refuse(scratch_text("t.mtx", HEAD "99999999999999 2 1\n1 1 1\n"), "make no sense");
    refuse(scratch_text("t.mtx", HEAD "0 2 0\n"), "empty");
#undef HEAD
    refuse(scratch_text("t.mtx", "%%MatrixMarket matrix array integer general\n2 1\n1\n3.5\n"),
           "t.mtx:4:1: '3.5': the header says integer");
    refuse(
        scratch_text("t.mtx", "%%MatrixMarket matrix coordinate integer general\n2 1 1\n1 1 3.5\n"),
        "t.mtx:3:1: '1 1 3.5': the header says integer");
}

/* --- there and back --- */

/* A build may be without HDF5. */
static bool has_hdf5(void)
{
    scant_rows *rows;
    assert_ok(scant_rows_new(&rows, 1, 1, (double[]){1}, NULL));
    scant_status status = scant_rows_write(rows, scratch_path("probe.h5"));
    scant_rows_free(rows);
    return status == SCANT_OK || !strstr(scant_message(), "does not write HDF5");
}

static void test_round_trips(void **state)
{
    (void)state;
    static const double x[] = {1, 0.1 + 0.2, NAN, -1e-300, 1.0 / 3, 12345678, 0, 5e-324, 1e22};
    static const char *const names[] = {"a", "b,c", "d\"e"};
    static const char *const files[] = {"r.csv", "r.tsv", "r.csv.gz", "r.npy",
                                        "r.mtx", "r.svm", "r.h5",     "r.npy.gz"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        scant_rows *rows, *back;
        if (k == 6 && !has_hdf5())
            continue;
        assert_ok(scant_rows_new(&rows, 3, 3, x, names));
        assert_ok(scant_rows_write(rows, scratch_path(files[k])));
        back = load(scratch_path(files[k]), NULL);
        assert_int_equal(scant_rows_count(back), 3);
        for (size_t i = 0; i < 9; i++)
            assert_same(scant_rows_value(back, i / 3, i % 3), x[i]);
        if (k < 3 || k == 6)
            assert_string_equal(scant_rows_column_name(back, 1), "b,c");
        scant_rows_free(rows);
        scant_rows_free(back);
    }
}

static void test_csv_keeps_all(void **state)
{
    (void)state;
    static const char *const categorical[] = {"kind"};
    scant_read_options options = {.size = sizeof options,
                                  .categorical = categorical,
                                  .ncategorical = 1,
                                  .label = "y",
                                  .weight = "w",
                                  .id = "name",
                                  .group = "g"};
    const char *text = "name,x,kind,y,w,g\n\"r,1\",0.5,\"a "
                       "\"\"q\"\"\",cat,1,1\nr2,,b,\"cat:0.75;dog:0.25\",0.5,2\n"
                       "r3,3,,,2,1\nr4,4,b,\"cat|dog\",1,3\n";
    scant_rows *rows = load(scratch_text("t.csv", text), &options);
    assert_ok(scant_rows_write(rows, scratch_path("u.csv")));
    scant_rows_free(rows);
    char *written = scratch_load(scratch_path("u.csv"));
    assert_string_equal(written, text);
    free(written);
    rows = load(scratch_path("u.csv"), &options);
    assert_int_equal(scant_rows_count(rows), 4);
    scant_rows_free(rows);
}

static void test_single_column(void **state)
{
    (void)state;
    static const double x[] = {1, NAN, 3};
    scant_rows *rows;
    assert_ok(scant_rows_new(&rows, 3, 1, x, NULL));
    assert_ok(scant_rows_write(rows, scratch_path("one.csv")));
    scant_rows_free(rows);
    rows = load(scratch_path("one.csv"), NULL);
    check_cells(rows, 3, 1, x);
    scant_rows_free(rows);
}

/* A write that fails leaves what was there, and nothing else. */
static void test_atomic(void **state)
{
    (void)state;
    static const double x[] = {1};
    scratch_clear();
    scant_rows *rows;
    scant_i_sink *sink = NULL;
    const char *path = NULL;
    assert_ok(scant_rows_new(&rows, 1, 1, x, NULL));
    assert_ok(scant_i_sink_open(&sink, scratch_text("kept.csv", "old")));
    assert_ok(scant_i_sink_text(sink, "half of it"));
    assert_ok(scant_i_sink_path(&path, sink));
    assert_int_equal(access(path, W_OK), 0);
    assert_int_equal(scratch_count(), 2);
    scant_i_sink_free(sink);
    assert_int_equal(scratch_count(), 1);
    char *text = scratch_load(scratch_path("kept.csv"));
    assert_string_equal(text, "old");
    free(text);
    assert_fails(scant_rows_write(rows, scratch_path("no/such/folder.csv")), SCANT_ERR_IO,
                 "cannot create");
    assert_fails(scant_rows_write(rows, scratch_path("odd.ending")), SCANT_ERR_ARGUMENT,
                 "use .csv");
    assert_fails(scant_rows_write(rows, "/dev/full"), SCANT_ERR_ARGUMENT, "use .csv");
    assert_ok(scant_i_sink_open(&sink, "/dev/full"));
    assert_ok(scant_i_sink_text(sink, "x"));
    assert_fails(scant_i_sink_commit(sink), SCANT_ERR_IO, "/dev/full: cannot write: No space");
    scant_i_sink_free(sink);
    struct stat about;
    assert_int_equal(chmod(scratch_path("kept.csv"), 0640), 0);
    assert_ok(scant_rows_write(rows, scratch_path("kept.csv")));
    assert_int_equal(stat(scratch_path("kept.csv"), &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    assert_int_equal(scratch_count(), 1);
    scant_rows_free(rows);
}

static void write_text(const char *path, const char *text)
{
    scant_i_sink *sink = NULL;
    assert_ok(scant_i_sink_open(&sink, path));
    assert_ok(scant_i_sink_text(sink, text));
    assert_ok(scant_i_sink_commit(sink));
    scant_i_sink_free(sink);
}

static void check_text(const char *path, const char *wanted)
{
    char *text = scratch_load(path);
    assert_non_null(text);
    assert_string_equal(text, wanted);
    free(text);
}

static void check_link(const char *path)
{
    struct stat about;
    assert_int_equal(lstat(path, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
}

/* A link stays a link, whether there is something at its end or not. */
static void test_links(void **state)
{
    (void)state;
    scratch_clear();
    const char *real = scratch_text("real.csv", "old"), *near = scratch_path("near.csv"),
               *far = scratch_path("far.csv"), *circle = scratch_path("circle.csv");
    assert_int_equal(symlink("real.csv", near), 0);
    assert_int_equal(symlink(near, far), 0);
    assert_int_equal(symlink("circle.csv", circle), 0);
    write_text(far, "new");
    check_link(near);
    check_link(far);
    check_text(real, "new");
    assert_int_equal(unlink(real), 0);
    write_text(far, "newer"); /* nothing is there any more */
    check_link(near);
    check_link(far);
    check_text(real, "newer");
    scant_i_sink *sink = NULL;
    assert_fails(scant_i_sink_open(&sink, circle), SCANT_ERR_IO, "Too many levels");
    assert_int_equal(scratch_count(), 4);
}

/* A name of a descriptor means what is open there, not a file to be put in its place. */
static void test_descriptors(void **state)
{
    (void)state;
    char name[64];
    scratch_clear();
    const char *path = scratch_text("open.csv", ""), *link = scratch_path("link.csv");
    int file = open(path, O_WRONLY | O_APPEND);
    assert_true(file >= 0 && write(file, "a\n", 2) == 2);
    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    assert_int_equal(symlink(name, link), 0);
    write_text(link, "b\n");
    (void)snprintf(name, sizeof name, "/dev/fd/%d", file);
    write_text(name, "c\n");
    assert_true(write(file, "d\n", 2) == 2);
    assert_int_equal(close(file), 0);
    check_link(link);
    check_text(path, "a\nb\nc\nd\n");
    assert_int_equal(scratch_count(), 2);
    scant_i_sink *sink = NULL;
    assert_fails(scant_i_sink_open(&sink, link), SCANT_ERR_IO, "cannot write: Bad file descriptor");
}

static void test_longest_name(void **state)
{
    (void)state;
    char name[256];
    scratch_clear();
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    write_text(scratch_path(name), "long");
    check_text(scratch_path(name), "long");
}

static void test_interrupt_leaves_no_file(void **state)
{
    (void)state;
    static const char *const files[] = {"i.csv", "i.csv.gz", "i.npy", "i.mtx", "i.svm", "i.h5"};
    bool hdf5 = has_hdf5();
    scratch_clear();
    scant_rows *rows;
    assert_ok(scant_rows_new(&rows, 2, 2, (double[]){1, 2, 3, 4}, NULL));
    scant_interrupt();
    for (size_t k = 0; k < sizeof files / sizeof *files - !hdf5; k++)
        assert_fails(scant_rows_write(rows, scratch_path(files[k])), SCANT_ERR_INTERRUPTED,
                     "interrupted while writing");
    scant_interrupt_clear();
    assert_int_equal(scratch_count(), 0);
    scant_rows_free(rows);
}

/* --- HDF5 --- */

static void test_hdf5(void **state)
{
    (void)state;
    static const double x[] = {1, 2, 3, 4};
    static const char *const names[] = {"left", "right"};
    scant_read_options options = {.size = sizeof options, .label = "right", .dataset = "rows"};
    scant_rows *rows;
    if (!has_hdf5())
        skip();
    assert_ok(scant_rows_new(&rows, 2, 2, x, names));
    assert_ok(scant_rows_write(rows, scratch_path("t.h5")));
    scant_rows_free(rows);
    rows = load(scratch_path("t.h5"), &options);
    check_cells(rows, 2, 1, (double[]){1, 3});
    assert_int_equal(scant_rows_classes(rows), 2);
    scant_rows_free(rows);
    options.dataset = "absent";
    assert_fails(scant_rows_read(&rows, scratch_path("t.h5"), &options), SCANT_ERR_INPUT,
                 "no data set 'absent'");
    refuse(scratch_text("t.h5", "not at all"), "not a sound HDF5 file");
    refuse(scratch_bytes("t.h5", "\x89HDF\r\n\x1a\n____", 12), "not a sound HDF5 file");
}

static int clean(void **state)
{
    (void)state;
    scratch_clear();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_npy),
                                       cmocka_unit_test(test_npy_refused),
                                       cmocka_unit_test(test_matrix_roles),
                                       cmocka_unit_test(test_svmlight),
                                       cmocka_unit_test(test_svmlight_names),
                                       cmocka_unit_test(test_matrix_market),
                                       cmocka_unit_test(test_round_trips),
                                       cmocka_unit_test(test_csv_keeps_all),
                                       cmocka_unit_test(test_single_column),
                                       cmocka_unit_test(test_atomic),
                                       cmocka_unit_test(test_links),
                                       cmocka_unit_test(test_descriptors),
                                       cmocka_unit_test(test_longest_name),
                                       cmocka_unit_test(test_interrupt_leaves_no_file),
                                       cmocka_unit_test(test_hdf5)};
    return cmocka_run_group_tests(tests, NULL, clean);
}
