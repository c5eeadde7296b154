/* Rows one at a time: the same as all at once, as soon as they are there, and past bad ones. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/stat.h>

#include <scant/runtime.h>
#include "data/rows.h"
#include "scratch.h"

static const scant_read_options labelled = {.size = sizeof labelled, .label = "y"};

static void same_as_whole(const char *text, const char *path)
{
    static const char *const classes[] = {"a", "b"};
    static const char *const names[] = {"u", "v"};
    const scant_schema schema = {.ncolumns = 2, .names = names, .nclasses = 2, .classes = classes};
    scant_read_options options = {
        .size = sizeof options, .label = "y", .id = "i", .weight = "w", .schema = &schema};
    scant_rows *whole = NULL, *one = NULL;
    scant_reader *reader = NULL;
    size_t n = 0;
    assert_ok(scant_rows_read(&whole, path, &options));
    assert_ok(scant_reader_open(&reader, path, &options));
    for (;; n++) {
        assert_ok(scant_reader_next(&one, reader));
        if (!one)
            break;
        assert_int_equal(one->nrows, 1);
        for (size_t c = 0; c < 2; c++)
            assert_same(scant_rows_value(one, 0, c), scant_rows_value(whole, n, c));
        assert_int_equal(scant_rows_label(one, 0), scant_rows_label(whole, n));
        assert_same(scant_rows_weight(one, 0), scant_rows_weight(whole, n));
        assert_string_equal(scant_rows_id(one, 0), scant_rows_id(whole, n));
        assert_int_equal(scant_i_rows_line(one, 0), scant_i_rows_line(whole, n));
        scant_rows_free(one);
    }
    if (n != whole->nrows)
        fail_msg("%zu of %zu rows of '%s'", n, whole->nrows, text);
    scant_reader_free(reader);
    scant_rows_free(whole);
}

static void test_same_as_whole(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "i,u,v,y,w\none,1,2,a,1\ntwo,3,4,a|b,2\n\nthree,,5,\"a:0.7;b:0.3\",0.5\n",
        "v;u;w;y;i\r\n1;2;1;;x\r\n3;4;1;b;\"y;z\"",
        "\xef\xbb\xbfi,u,v,y,w\n\"one\",\"1\",2,a,1\n",
        "\n\ni,u,v,y,w,more\none,1,2,a,1,2\n",
    };
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        same_as_whole(texts[t], scratch_text("t.csv", texts[t]));
        same_as_whole(texts[t], scratch_gzip("t.csv.gz", texts[t]));
    }
    scratch_clear();
}

static void test_past_bad_lines(void **state)
{
    (void)state;
    static const char text[] = "x,y\n1,a\nz,a\n2,\"a\n3,b\n4\n5,b,6\ninf,a\n7,a\n";
    static const struct {
        double x; /* NaN: a complaint with `says` */
        const char *says;
    } want[] = {{1, NULL},
                {NAN, ":3:1: x: 'z' is not a number"},
                {NAN, ":4:2: a quote is opened and not closed"},
                {3, NULL},
                {NAN, ":6:2: 1 field, but the header has 2"},
                {NAN, ":7:3: 3 fields"},
                {NAN, ":8:1: x: 'inf'"},
                {7, NULL}};
    scant_reader *reader = NULL;
    scant_rows *row = NULL;
    assert_ok(scant_reader_open(&reader, scratch_text("t.csv", text), &labelled));
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        if (want[i].says) {
            assert_fails(scant_reader_next(&row, reader), SCANT_ERR_INPUT, want[i].says);
            assert_null(row);
            continue;
        }
        assert_ok(scant_reader_next(&row, reader));
        assert_non_null(row);
        assert_same(scant_rows_value(row, 0, 0), want[i].x);
        scant_rows_free(row);
    }
    assert_ok(scant_reader_next(&row, reader));
    assert_null(row);
    assert_int_equal(scant_reader_line(reader), 9);
    scant_reader_free(reader);
    scratch_clear();
}

static void test_bad_headers(void **state)
{
    (void)state;
    scant_reader *reader = NULL;
    assert_fails(scant_reader_open(&reader, scratch_text("t.csv", ""), &labelled), SCANT_ERR_INPUT,
                 "empty");
    assert_fails(scant_reader_open(&reader, scratch_text("t.csv", "x,\"y\n1,a\n"), &labelled),
                 SCANT_ERR_INPUT, "not closed");
    assert_fails(scant_reader_open(&reader, scratch_text("t.csv", "x,z\n1,a\n"), &labelled),
                 SCANT_ERR_INPUT, "label column 'y'");
    assert_fails(scant_reader_open(&reader, scratch_text("t.csv", "\n \nx,x\n1,a\n"), &labelled),
                 SCANT_ERR_INPUT, "label column 'y'");
    scratch_clear();
}

/* A row is there as soon as its line is, though the pipe stays open. */
static void test_at_once(void **state)
{
    (void)state;
    char name[512];
    scant_reader *reader = NULL;
    scant_rows *row = NULL;
    (void)snprintf(name, sizeof name, "%s", scratch_text("pipe", ""));
    assert_int_equal(unlink(name), 0);
    assert_int_equal(mkfifo(name, 0600), 0);
    FILE *to = fopen(name, "r+"); /* both ends, so that neither waits for the other */
    assert_non_null(to);
    assert_true(fputs("x,y\n1,a\n", to) >= 0 && fflush(to) == 0);
    assert_ok(scant_reader_open(&reader, name, &labelled));
    assert_ok(scant_reader_next(&row, reader));
    assert_same(scant_rows_value(row, 0, 0), 1);
    scant_rows_free(row);
    scant_interrupt(); /* nothing more comes: an interrupt ends the wait */
    assert_fails(scant_reader_next(&row, reader), SCANT_ERR_INTERRUPTED, "interrupted");
    scant_interrupt_clear();
    assert_true(fputs("2,b\n", to) >= 0 && fflush(to) == 0);
    assert_ok(scant_reader_next(&row, reader));
    assert_same(scant_rows_value(row, 0, 0), 2);
    scant_rows_free(row);
    scant_reader_free(reader);
    (void)fclose(to);
    scratch_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_whole),
        cmocka_unit_test(test_past_bad_lines),
        cmocka_unit_test(test_bad_headers),
        cmocka_unit_test(test_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
