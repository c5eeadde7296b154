/* Malformed CSV of each kind, and what is said of it. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "data/rows.h"
#include "scratch.h"

static const scant_read_options usual = {.size = sizeof usual};

static void refuse(const char *text, const scant_read_options *options, const char *message)
{
    scant_rows *rows = NULL;
    assert_fails(scant_rows_read(&rows, scratch_text("t.csv", text), options), SCANT_ERR_INPUT,
                 message);
    assert_null(rows);
}

static void test_cells(void **state)
{
    (void)state;
    refuse("a,b\n1,2\n3,abc\n", &usual,
           "/t.csv:3:2: b: 'abc' is not a number; is the column a category (categorical b) or "
           "not a feature (ignore b)?");
    refuse("a,b\n1,inf\n", &usual, "t.csv:2:2: b: 'inf' is not finite");
    refuse("a,b\n-Infinity,1\n", &usual, "t.csv:2:1: a: '-Infinity' is not finite");
    refuse("a,b\n1,1e999\n", &usual, "t.csv:2:2: b: '1e999' is too large");
    refuse("a,b\n0x10,1\n", &usual, "t.csv:2:1: a: '0x10' is not a number");
    refuse("a,b\n1 2,1\n", &usual, "'1 2' is not a number");
    refuse("a;b\n1,5;2\n", &usual,
           "t.csv:2:1: a: '1,5' is not a number; --decimal , is for decimal commas");
    refuse("a,b\n\"-1,234,567\",2\n", &usual, "'-1,234,567' is not a number; --decimal ,");
    refuse("a;b\n1,x;2\n", &usual, "'1,x' is not a number; is the column a category");
    refuse("a,b\n1,#N/A\n", &usual, "b: '#N/A' is not a number; leave the cell empty");
    refuse("a,b\n1,NULL\n", &usual, "b: 'NULL' is not a number; leave the cell empty");
    refuse("a,b\n1,none\n", &usual, "b: 'none' is not a number; leave the cell empty");
    refuse("a;b\n,;2\n", &usual, "',' is not a number; is the column a category");
    refuse("a,b\n\"1\"x,2\n", &usual, "t.csv:2:1: a: text behind the closing quote of '1'");
    refuse("a,b\n1,2\n\n3,\"x\ny\"\n", &usual, "t.csv:4:2: b: 'x\ny' is not a number");
}

/* A table with many categories is not mended one by one. */
static void test_texts(void **state)
{
    (void)state;
    static const char *const spring[] = {"d"};
    scant_read_options options = {
        .size = sizeof options, .categorical = spring, .ncategorical = 1, .label = "y"};
    refuse("a,b,c,d,e,f,y\nred,1,\"lo,w\",x,,hi,z\n", &options,
           "t.csv:2:1: a: 'red' is not a number; is the column a category (categorical a) or "
           "not a feature (ignore a)? No numbers in this line either: c,f");
    char text[3000] = "a", *end = text + 1;
    for (int i = 0; i < 200; i++)
        end += sprintf(end, ",b%d", i);
    *end++ = '\n';
    for (int i = 0; i < 200; i++)
        end += sprintf(end, "x,");
    (void)sprintf(end, "x\n");
    refuse(text, &usual, "either: b0,b1,b2");
    assert_non_null(strstr(scant_message(), ",b79,"));
    assert_string_equal(scant_message() + strlen(scant_message()) - 4, ",...");
}

static void test_shape(void **state)
{
    (void)state;
    refuse("a,b\n1,2\n3\n", &usual, "t.csv:3:2: 1 field, but the header has 2");
    refuse("a,b\n1,2\n3,4,5,6\n", &usual, "t.csv:3:3: 4 fields, but the header has 2");
    refuse("a,b,c\n\"1\",2\n", &usual, "t.csv:2:3: 2 fields, but the header has 3");
    refuse("", &usual, "the file is empty");
    refuse("\n  \n", &usual, "the file is empty");
    refuse("a,b\n", &usual, "there is a header but no row");
    refuse("a,b\r1,2\r3,4\r", &usual,
           "t.csv:1:2: a carriage return within the header; if lines end in CR alone");
    refuse("\"a\",\"b\"\r1,2\r", &usual, "t.csv:1:2: a carriage return within the header");
    refuse("\"a\",\"b\"x\r\n1,2\n", &usual, "t.csv:1:2: text behind a closing quote");
    refuse("a,b\n1,\"2\n", &usual, "t.csv:2:2: a quote is opened and not closed");
    refuse("a,\"b\n1,2\n", &usual, "a quote in the header is not closed");
    static const scant_read_options probabilities = {.size = sizeof probabilities,
                                                     .probabilities = true};
    refuse("p_a,b,p_a\n1,2,3\n", &probabilities, "t.csv:1:3: column 1 is named 'p_a' too");
    scant_rows *rows = NULL;
    assert_fails(scant_rows_read(&rows, scratch_bytes("t.csv", "a,b\n1,2\n1,\0\n", 12), NULL),
                 SCANT_ERR_INPUT, "t.csv:3:2: a zero byte");
}

static void test_roles(void **state)
{
    (void)state;
    static const char *const features[] = {"sepal"};
    scant_read_options options = {.size = sizeof options, .label = "speceis"};
    refuse("sepals,species\n1,a\n", &options,
           "there is no label column 'speceis'; did you mean 'species'?");
    options = (scant_read_options){
        .size = sizeof(scant_read_options), .features = features, .nfeatures = 1};
    refuse("sepals,species\n1,2\n", &options,
           "there is no feature column 'sepal'; did you mean 'sepals'?");
    options =
        (scant_read_options){.size = sizeof(scant_read_options), .ignore = features, .nignore = 1};
    refuse("x,y\n1,2\n", &options, "there is no column to ignore 'sepal'");
    options = (scant_read_options){.size = sizeof(scant_read_options), .weight = "w"};
    refuse("x,w\n1,-2\n", &options,
           "t.csv:2:2: w: a weight must be a number from 0 to 1e100, not '-2'");
    refuse("x,w\n1,1e308\n", &options, "t.csv:2:2: w: a weight must be a number from 0 to 1e100");
    refuse("x,w\n1,\n", &options, "t.csv:2:2: w: a weight must be a number");
    refuse("x,w\n1,heavy\n", &options, "w: 'heavy' is not a number; a weight must be one");
    refuse("w\n1\n", &options, "no column is left to be a feature");
    options = (scant_read_options){.size = sizeof(scant_read_options), .group = "g"};
    refuse("x,g\n1,\n", &options, "t.csv:2:2: g: a group must not be missing");
    options = (scant_read_options){.size = sizeof(scant_read_options), .label = "y", .id = "y"};
    scant_rows *rows = NULL;
    assert_fails(scant_rows_read(&rows, scratch_text("t.csv", "x,y\n1,2\n"), &options),
                 SCANT_ERR_ARGUMENT, "two roles");
}

static void test_labels(void **state)
{
    (void)state;
    scant_read_options options = {.size = sizeof options, .label = "y"};
    refuse("x,y\n1,-1\n2,1\n", &options, "t.csv: y: the labels are only -1 and 1");
    refuse("x,y\n1,-1\n2,1\n", &options, "missing_label");
    refuse("x,y\n1,a\n2,a:0.5;b:0.1\n", &options,
           "t.csv:3:2: y: 'a:0.5;b:0.1': probabilities sum to 0.6, not 1");
    options.missing_label = "none";
    scant_rows *rows = NULL;
    assert_ok(scant_rows_read(&rows, scratch_text("t.csv", "x,y\n1,-1\n2,1\n"), &options));
    assert_int_equal(scant_rows_classes(rows), 2);
    scant_rows_free(rows);
}

static void test_files(void **state)
{
    (void)state;
    scant_rows *rows = NULL;
    assert_fails(scant_rows_read(&rows, scratch_path("absent.csv"), NULL), SCANT_ERR_IO,
                 "absent.csv: cannot open: No such file");
    assert_fails(scant_rows_read(&rows, "/tmp", NULL), SCANT_ERR_IO, "directory");
    scant_read_options options = {.size = sizeof options, .separator = '"'};
    assert_fails(scant_rows_read(&rows, scratch_text("t.csv", "x\n1\n"), &options),
                 SCANT_ERR_ARGUMENT, "separator");
}

static int clean(void **state)
{
    (void)state;
    scratch_clear();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cells),  cmocka_unit_test(test_texts),
                                       cmocka_unit_test(test_shape),  cmocka_unit_test(test_roles),
                                       cmocka_unit_test(test_labels), cmocka_unit_test(test_files)};
    return cmocka_run_group_tests(tests, NULL, clean);
}
