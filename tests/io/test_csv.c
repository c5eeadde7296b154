#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/random.h"
#include "data/rows.h"
#include "io/format.h"
#include "scratch.h"

static scant_rows *read_text(const char *text, const scant_read_options *options)
{
    scant_rows *rows = NULL;
    assert_ok(scant_rows_read(&rows, scratch_text("t.csv", text), options));
    return rows;
}

static void check_cells(const scant_rows *rows, size_t n, size_t width, const double *want)
{
    assert_int_equal(scant_rows_count(rows), n);
    assert_int_equal(scant_rows_columns(rows), width);
    for (size_t k = 0; k < n * width; k++)
        assert_same(scant_rows_value(rows, k / width, k % width), want[k]);
}

static void test_plain(void **state)
{
    (void)state;
    static const double want[] = {1, 2.5, -3, 4e10};
    static const char *const same[] = {"a,b\n1,2.5\n-3,4e10\n",
                                       "a,b\n1,2.5\n-3,4e10",         /* no newline at the end */
                                       "a,b\r\n1,2.5\r\n-3,4e10\r\n", /* CRLF */
                                       ("\xef\xbb\xbf"
                                        "a,b\n1,2.5\n-3,4e10\n"), /* byte order mark */
                                       "a;b\n1;2.5\n-3;4e10\n",   /* other separators */
                                       "a\tb\n1\t2.5\n-3\t4e10\n",
                                       "a|b\n1|2.5\n-3|4e10\n",
                                       "a , b\n 1 ,2.5 \n\t-3, 4e10\n", /* blanks around */
                                       "\n\na,b\n\n1,2.5\n  \n\r\n-3,4e10\n\n\n", /* blank lines */
                                       "\"a\",\"b\"\n\"1\",\"2.5\"\n-3,\"4e10\"\n", /* quotes */
                                       "a,b\n \"1\" , 2.5\n-3,4E+10"};
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        scant_rows *rows = read_text(same[k], NULL);
        check_cells(rows, 2, 2, want);
        assert_string_equal(scant_rows_column_name(rows, 0), "a");
        assert_string_equal(scant_rows_column_name(rows, 1), "b");
        scant_rows_free(rows);
    }
}

static void test_missing(void **state)
{
    (void)state;
    static const double want[] = {NAN, NAN, NAN, NAN, NAN, 1, NAN, NAN};
    scant_rows *rows = read_text("a,b\n,NA\nna,?\nNaN,1\n\"\", nan \n", NULL);
    check_cells(rows, 4, 2, want);
    scant_rows_free(rows);
}

static void test_quotes(void **state)
{
    (void)state;
    static const char *const columns[] = {"name", "k,\"x\""};
    scant_read_options options = {
        .size = sizeof options, .categorical = columns, .ncategorical = 2, .id = "i\nd"};
    scant_rows *rows = read_text("name,\"k,\"\"x\"\"\",x,\"i\nd\"\n"
                                 "\"a \"\"b\"\"\nc\",\"1,2\",7,\"r,1\"\n"
                                 "d\"e,z,8,r2\n",
                                 &options);
    assert_int_equal(rows->columns[0].nlevels, 2);
    assert_string_equal(rows->columns[0].levels[0], "a \"b\"\nc");
    assert_string_equal(rows->columns[0].levels[1], "d\"e");
    assert_string_equal(scant_rows_column_name(rows, 1), "k,\"x\"");
    assert_string_equal(rows->columns[1].levels[0], "1,2");
    assert_same(scant_rows_value(rows, 1, 2), 8);
    assert_string_equal(scant_rows_id(rows, 0), "r,1");
    assert_int_equal(scant_i_rows_line(rows, 0), 3); /* the header took two lines, row 0 too */
    assert_int_equal(scant_i_rows_line(rows, 1), 5);
    scant_rows_free(rows);
}

static void test_roles(void **state)
{
    (void)state;
    static const char *const features[] = {"f*", "kind"}, *const ignore[] = {"f9"},
                             *const categorical[] = {"kind"};
    scant_read_options options = {.size = sizeof options,
                                  .features = features,
                                  .nfeatures = 2,
                                  .ignore = ignore,
                                  .nignore = 1,
                                  .categorical = categorical,
                                  .ncategorical = 1,
                                  .label = "y",
                                  .weight = "w",
                                  .id = "id",
                                  .group = "g"};
    static const char text[] = "id,f1,junk,kind,f9,y,w,g\n"
                               "p,1,oops,10,no,dog,0.5,B\n"
                               "q,2,oops,9,no,,2,A\n"
                               "r,3,oops,NA,no,cat|dog,0,B\n";
    scant_rows *rows = read_text(text, &options);
    assert_int_equal(rows->labels.nclasses, 1); /* a row of weight 0 makes no class */
    assert_int_equal(rows->labels.code[2], -1);
    scant_rows_free(rows);
    options.keep_weightless = true;
    rows = read_text(text, &options);
    static const double want[] = {1, 1, 2, 0, 3, NAN};
    check_cells(rows, 3, 2, want);
    assert_true(scant_rows_column_is_category(rows, 1));
    assert_string_equal(rows->columns[1].levels[0], "9");
    assert_int_equal(scant_rows_label(rows, 0), 1);
    assert_int_equal(rows->labels.code[2], 2);
    assert_string_equal(rows->labels.column, "y");
    assert_same(scant_rows_weight(rows, 0), 0.5);
    assert_string_equal(scant_rows_id(rows, 2), "r");
    assert_int_equal(rows->ngroups, 2);
    assert_int_equal(rows->group[1], 1);
    assert_int_equal(rows->group[2], 0);
    scant_rows_free(rows);
}

static char logged[512];
static void keep_log(scant_log_level level, const char *text, void *payload)
{
    (void)level;
    (void)payload;
    (void)snprintf(logged + strlen(logged), sizeof logged - strlen(logged), "%s\n", text);
}

static void test_schema(void **state)
{
    (void)state;
    static const char *const names[] = {"kind", "f"}, *const kinds[] = {"red", "blue"},
                             *const classes[] = {"no", "yes"};
    static const char *const *const levels[] = {kinds, NULL};
    static const size_t nlevels[] = {2, 0};
    scant_schema schema = {.ncolumns = 2,
                           .names = names,
                           .levels = levels,
                           .nlevels = nlevels,
                           .nclasses = 2,
                           .classes = classes};
    scant_read_options options = {.size = sizeof options, .schema = &schema, .label = "y"};
    static const double want[] = {1, 5, 0, 6};
    scant_log_set(SCANT_LOG_INFO, keep_log, NULL);
    scant_rows *rows = read_text("y,extra,f,kind\nyes,1,5,blue\nyes,2,6,red\n", &options);
    scant_log_set(SCANT_LOG_WARNING, NULL, NULL);
    check_cells(rows, 2, 2, want);
    assert_int_equal(scant_rows_classes(rows), 2);
    assert_int_equal(scant_rows_label(rows, 0), 1);
    assert_non_null(strstr(logged, "column 'extra' is not used"));
    assert_non_null(strstr(logged, "separator ','"));
    scant_rows_free(rows);
    rows = read_text("y,f,kind\nyes,5,bleu\n", &options); /* missing unless strict */
    assert_true(isnan(scant_rows_value(rows, 0, 0)));
    scant_rows_free(rows);
    options.strict = true;
    assert_fails(scant_rows_read(&rows, scratch_text("t.csv", "y,f,kind\nyes,5,bleu\n"), &options),
                 SCANT_ERR_INPUT,
                 "t.csv:2:3: kind: 'bleu' is not one of the 2 levels; did you mean 'blue'?");
    assert_fails(scant_rows_read(&rows, scratch_text("t.csv", "y,f,kind\nmaybe,5,red\n"), &options),
                 SCANT_ERR_INPUT, "t.csv:2:1: y: 'maybe' is not one of the 2 classes");
    assert_fails(scant_rows_read(&rows, scratch_text("t.csv", "y,g,kind\nyes,5,red\n"), &options),
                 SCANT_ERR_INPUT, "there is no column 'f'");
    assert_fails(scant_rows_read(&rows, scratch_text("t.csv", "y,f,kind\nyes,x,red\n"), &options),
                 SCANT_ERR_INPUT, "t.csv:2:2: f: 'x' is not a number, which is wanted here");
    options.label = "absent";
    options.label_optional = true;
    rows = read_text("f,kind\n5,red\n", &options);
    assert_int_equal(scant_rows_labeled(rows), 0);
    scant_rows_free(rows);
}

/* Lists may say what the schema says, and nothing else. */
static void test_lists_beside_a_schema(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b"}, *const only_a[] = {"a"}, *const extra[] = {"e*"},
                             *const all[] = {"?"}, *const more[] = {"a", "b", "e"};
    scant_schema schema = {.ncolumns = 2, .names = names};
    scant_rows *rows = NULL;
    const struct {
        scant_read_options options;
        const char *message;
    } bad[] = {
        {{.ignore = only_a, .nignore = 1}, "ignore: column 'a' is one that the model was"},
        {{.features = only_a, .nfeatures = 1}, "features: column 'b', which the model was"},
        {{.features = more, .nfeatures = 3}, "features: column 'e' is none that the model"},
        {{.categorical = only_a, .ncategorical = 1}, "categorical: the model was fitted with"},
    };
    const char *path = scratch_text("t.csv", "e,b,a\n1,2,3\n");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        scant_read_options options = bad[i].options;
        options.size = sizeof options;
        options.schema = &schema;
        assert_fails(scant_rows_read(&rows, path, &options), SCANT_ERR_ARGUMENT, bad[i].message);
    }
    scant_read_options options = {.size = sizeof options,
                                  .schema = &schema,
                                  .features = all,
                                  .nfeatures = 1,
                                  .ignore = extra,
                                  .nignore = 1};
    assert_ok(scant_rows_read(&rows, path, &options));
    check_cells(rows, 1, 2, (const double[]){3, 2});
    scant_rows_free(rows);
}

static void append(const char *path, const char *bytes, size_t count)
{
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    (void)fclose(file);
}

static void test_gzip(void **state)
{
    (void)state;
    static const double want[] = {1, 2};
    scant_rows *rows;
    assert_ok(scant_rows_read(&rows, scratch_gzip("t.csv.gz", "a,b\n1,2\n"), NULL));
    check_cells(rows, 1, 2, want);
    scant_rows_free(rows);
    assert_ok(scant_rows_read(&rows, scratch_gzip("t.svm.gz", "1 1:1 2:2\n"), NULL));
    assert_true(scant_rows_is_sparse(rows));
    scant_rows_free(rows);
    const char *path = scratch_gzip("t.csv.gz", "a,b\n1,2\n");
    append(path, (const char[512]){0}, 512); /* as tapes and some programs pad */
    assert_ok(scant_rows_read(&rows, path, NULL));
    check_cells(rows, 1, 2, want);
    scant_rows_free(rows);
    append(path, "x", 1);
    assert_fails(scant_rows_read(&rows, path, NULL), SCANT_ERR_INPUT, "t.csv.gz: the compressed");
    char *bytes = scratch_load(scratch_gzip("t.csv.gz", "a,b\n1,2\n3,4\n"));
    path = scratch_bytes("cut.csv.gz", bytes, 25);
    free(bytes);
    assert_fails(scant_rows_read(&rows, path, NULL), SCANT_ERR_INPUT, "end too soon");
}

/* Large enough for several chunks, with quotes, blanks, missing cells and blank lines. */
static void test_threads(void **state)
{
    (void)state;
    enum { LINES = 150000 };
    scant_i_random random = scant_i_random_new(5, 1);
    FILE *file = fopen(scratch_path("big.csv"), "w");
    double *want = malloc(LINES * 4 * sizeof *want);
    assert_true(file && want);
    (void)fprintf(file, "a,b,name,c,y,d\n");
    size_t n = 0;
    for (size_t i = 0; i < LINES; i++) {
        if (scant_i_random_below(&random, 100) == 0) {
            (void)fprintf(file, "  \n");
            continue;
        }
        double *x = want + 4 * n++;
        char text[64] = "";
        x[0] = round(scant_i_random_normal(&random) * 1e4) / 1e4;
        x[1] = scant_i_random_normal(&random);
        x[2] = scant_i_random_below(&random, 9) ? (double)i : NAN;
        x[3] = -x[1] * 1e-200;
        if (!isnan(x[2]))
            (void)snprintf(text, sizeof text, "%g", x[2]);
        (void)fprintf(file, "%.4f,\"%.17g\",\"n,\n%zu\",%s,c%zu,%.17g\n", x[0], x[1], i % 1000,
                      text, i * i % 17, x[3]);
        x[2] = isnan(x[2]) ? NAN : strtod(text, NULL);
    }
    assert_int_equal(fclose(file), 0);
    static const size_t threads[] = {1, 2, 7};
    int32_t *codes = NULL;
    for (size_t t = 0; t < 3; t++) {
        scant_rows *rows = NULL;
        scant_read_options options = {
            .size = sizeof options, .threads = threads[t], .label = "y", .id = "name"};
        assert_ok(scant_rows_read(&rows, scratch_path("big.csv"), &options));
        assert_int_equal(scant_rows_count(rows), n);
        assert_int_equal(scant_rows_columns(rows), 4);
        for (size_t k = 0; k < 4 * n; k++)
            assert_same(rows->dense[k], want[k]);
        assert_int_equal(scant_rows_classes(rows), 9); /* squares modulo 17 */
        assert_string_equal(scant_rows_id(rows, 0), "n,\n0");
        if (!codes) {
            codes = malloc(n * sizeof *codes);
            memcpy(codes, rows->labels.code, n * sizeof *codes);
        }
        assert_memory_equal(codes, rows->labels.code, n * sizeof *codes);
        scant_rows_free(rows);
    }
    free(codes);
    free(want);
}

/* The first of several errors is told, whatever the number of threads. */
static void test_first_error(void **state)
{
    (void)state;
    enum { LINES = 400000 };
    FILE *file = fopen(scratch_path("bad.csv"), "w");
    assert_non_null(file);
    (void)fprintf(file, "a,b,c\n");
    for (size_t i = 0; i < LINES; i++)
        (void)fprintf(file,
                      i == 300001 || i == 310000 || i == 399999 ? "1,x%zu,3\n" : "%zu,2.25,3\n", i);
    assert_int_equal(fclose(file), 0);
    for (size_t threads = 1; threads < 9; threads += 3) {
        scant_rows *rows = NULL;
        scant_read_options options = {.size = sizeof options, .threads = threads};
        assert_fails(scant_rows_read(&rows, scratch_path("bad.csv"), &options), SCANT_ERR_INPUT,
                     "bad.csv:300003:2: b: 'x300001' is not a number; is the column a category "
                     "(categorical b) or not a feature (ignore b)?");
        assert_null(rows);
    }
}

/* A record longer than a chunk, and a file in pieces of one byte. */
static void test_long_record(void **state)
{
    (void)state;
    enum { LONG = 9 << 20 };
    char *text = malloc(LONG + 100);
    assert_non_null(text);
    strcpy(text, "id,x\n\"");
    memset(text + 6, 'k', LONG);
    strcpy(text + 6 + LONG, "\",5\nb,6\n");
    scant_read_options options = {.size = sizeof options, .id = "id"};
    scant_rows *rows = read_text(text, &options);
    assert_int_equal(strlen(scant_rows_id(rows, 0)), LONG);
    assert_same(scant_rows_value(rows, 1, 0), 6);
    scant_rows_free(rows);
    memset(text, '\n', 200000); /* a header far down, behind blank lines */
    strcpy(text + 200000, "a\n1\n");
    rows = read_text(text, NULL);
    assert_int_equal(scant_i_rows_line(rows, 0), 200002);
    scant_rows_free(rows);
    free(text);
}

static int clean(void **state)
{
    (void)state;
    scratch_clear();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain),
                                       cmocka_unit_test(test_missing),
                                       cmocka_unit_test(test_quotes),
                                       cmocka_unit_test(test_roles),
                                       cmocka_unit_test(test_schema),
                                       cmocka_unit_test(test_gzip),
                                       cmocka_unit_test(test_lists_beside_a_schema),
                                       cmocka_unit_test(test_threads),
                                       cmocka_unit_test(test_first_error),
                                       cmocka_unit_test(test_long_record)};
    return cmocka_run_group_tests(tests, NULL, clean);
}
