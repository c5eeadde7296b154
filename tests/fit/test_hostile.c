/* Rows, settings and model files that make little sense, or too much. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <scant/scant.h>
#include "data/names.h"
#include "data/rows.h"
#include "scratch.h"
#include "small_rows.h"

static const small_kind numbers[] = {SMALL_NUMBERS, SMALL_NUMBERS};

static scant_fit_options preset(void)
{
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.run.max_iter = 5;
    options.run.threads = 1;
    return options;
}

static scant_rows *labelled(void)
{
    return small_rows(&(small_plan){30, numbers, 2, .labels = true});
}

static void test_no_label(void **state)
{
    (void)state;
    static const char *const cells[] = {"", "", "", ""};
    static const double x[] = {1, 2, 3, 4};
    scant_rows *rows = NULL;
    scant_model *model = NULL;
    scant_fit_options options = preset();
    assert_ok(scant_rows_new(&rows, 4, 1, x, NULL));
    assert_ok(scant_rows_set_labels(rows, cells, NULL, 0, NULL));
    assert_fails(scant_fit(&model, rows, &options), SCANT_ERR_INPUT, "no row has a label");
    scant_rows_free(rows);
}

/* A class whose rows weigh nothing, as when a fold takes its only row out. */
static void fit_weightless(const char *family, small_kind kind, const char *prior, double smooth)
{
    enum { N = 30 };
    const small_kind kinds[] = {kind, kind};
    const char *item[] = {family}, *cells[N];
    double weight[N], p[2 * N];
    scant_rows *rows = small_rows(&(small_plan){.n = N, .kind = kinds, .ncolumns = 2});
    scant_model *model = NULL;
    scant_fit_options options = preset();
    for (size_t i = 0; i < N; i++) {
        cells[i] = i % 2 ? "b" : "a";
        weight[i] = i % 2 ? 0 : 1;
    }
    assert_ok(scant_rows_set_labels(rows, cells, NULL, 0, NULL));
    assert_ok(scant_rows_set_weights(rows, weight));
    options.model.families = (scant_texts){item, 1};
    options.model.target = strcmp(family, "regression") == 0 ? "x2" : NULL;
    options.model.prior = prior;
    options.model.smooth = smooth;
    assert_ok(scant_fit(&model, rows, &options));
    assert_ok(scant_model_write(model, scratch_path("weightless.json")));
    scant_predict_options how = {.size = sizeof how, .threads = 1};
    assert_ok(scant_model_predict(model, rows, &how, p, NULL, NULL, NULL));
    for (size_t i = 0; i < N; i++) {
        assert_true(fabs(p[2 * i] + p[2 * i + 1] - 1) < 1e-9);
        assert_true(prior || p[2 * i] == 1);
    }
    scant_model_free(model);
    scant_rows_free(rows);
}

static void test_weightless_class(void **state)
{
    (void)state;
    static const struct {
        const char *family;
        small_kind kind;
    } families[] = {
        {"gaussian", SMALL_NUMBERS},       {"multinomial", SMALL_COUNTS},
        {"bernoulli", SMALL_BITS},         {"poisson", SMALL_COUNTS},
        {"exponential", SMALL_POSITIVE},   {"gamma", SMALL_POSITIVE},
        {"maxwell", SMALL_POSITIVE},       {"regression", SMALL_NUMBERS},
        {"categorical", SMALL_CATEGORIES},
    };
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        fit_weightless(families[f].family, families[f].kind, NULL, 1);
        fit_weightless(families[f].family, families[f].kind, "0.5", 0);
    }
    scratch_clear();
}

static void test_seed(void **state)
{
    (void)state;
    scant_rows *rows = labelled();
    scant_model *model = NULL, *again = NULL;
    scant_fit_options options = preset();
    options.run.seed = UINT64_MAX;
    assert_ok(scant_fit(&model, rows, &options));
    assert_ok(scant_model_write(model, scratch_path("seed.json")));
    assert_ok(scant_model_read(&again, scratch_path("seed.json")));
    assert_true(scant_model_summary(again)->seed == UINT64_MAX);
    scant_model_free(model);
    scant_model_free(again);
    scant_rows_free(rows);
    scratch_clear();
}

static void test_select_words(void **state)
{
    (void)state;
    static const char *const bad[] = {"18446744073709551615",
                                      "99999999999999999999",
                                      "1:2/cl",
                                      "1:2/classes",
                                      "0",
                                      "1:100000000",
                                      "2:1",
                                      ""};
    scant_rows *rows = labelled();
    scant_selection selection;
    scant_fit_options options = preset();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(scant_select(&selection, NULL, rows, &options, bad[i], "full", "bic", 2),
                     SCANT_ERR_ARGUMENT, "neither a range");
    assert_fails(scant_select(&selection, NULL, rows, &options, "1/class", "full", "BIC", 2),
                 SCANT_ERR_ARGUMENT, "'BIC'");
    scant_rows_free(rows);
}

static void test_words(void **state)
{
    (void)state;
    scant_rows *rows = labelled();
    scant_model *model = NULL;
    scant_fit_options options = preset();
    options.model.prior = "a=0.5,b";
    assert_fails(scant_fit(&model, rows, &options), SCANT_ERR_ARGUMENT, "'b' is not of the form");
    options.model.prior = NULL;
    options.model.components = "a=1,b";
    assert_fails(scant_fit(&model, rows, &options), SCANT_ERR_ARGUMENT, "'b' is not of the form");
    scant_rows_free(rows);
}

static void test_names(void **state)
{
    (void)state;
    static const double x[] = {1, 5, 1, 6, 1, 7, 1, 8};
    char name[602];
    for (size_t i = 0; i < 300; i++)
        memcpy(name + 2 * i, "\xC3\xA9", 3);
    const char *names[] = {name, "y"}, *latin[] = {"caf\xE9", "y"};
    scant_rows *rows = NULL;
    scant_model *model = NULL;
    scant_fit_options options = preset();
    assert_ok(scant_rows_new(&rows, 4, 2, x, names));
    options.model.min_variance = 1e-3;
    assert_ok(scant_fit(&model, rows, &options));
    assert_true(scant_model_warnings(model) > 0); /* it quotes the whole name */
    assert_non_null(strstr(scant_model_warning(model, 0), name));
    assert_ok(scant_model_write(model, scratch_path("names.json")));
    scant_model_free(model);
    scant_rows_free(rows);
    assert_ok(scant_rows_new(&rows, 4, 2, x, latin));
    assert_fails(scant_fit(&model, rows, &options), SCANT_ERR_INPUT, "not UTF-8");
    scant_rows_free(rows);
    static const char *const good[] = {"", "abc", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    static const char *const bad[] = {"\xE9",         "\xC3",         "\xC0\x80",
                                      "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                      "\xFF",         "\xE2\x82",     "a\x80"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(scant_i_is_utf8(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(scant_i_is_utf8(bad[i]));
    scratch_clear();
}

/* Levels and classes are numbers inside: other names must not pass for the same. */
static void test_other_names(void **state)
{
    (void)state;
    static const small_kind kinds[] = {SMALL_CATEGORIES, SMALL_NUMBERS};
    static const char *const cells[] = {"c", "b", "c"};
    small_plan plan = {30, kinds, 2, .labels = true};
    scant_rows *rows = small_rows(&plan), *other = small_rows(&plan);
    scant_model *model = NULL, *none = NULL;
    scant_evaluation evaluation;
    scant_fit_options options = preset();
    double p[60];
    assert_ok(scant_fit(&model, rows, &options));
    other->columns[0].levels[0][0] = 'z';
    assert_fails(scant_model_predict(model, other, NULL, p, NULL, NULL, NULL), SCANT_ERR_INPUT,
                 "column x1");
    options.run.start = model;
    assert_fails(scant_fit(&none, other, &options), SCANT_ERR_ARGUMENT, "levels");
    scant_rows_free(other);
    plan.n = 3;
    plan.labels = false;
    other = small_rows(&plan);
    assert_ok(scant_rows_set_labels(other, cells, NULL, 0, NULL));
    assert_fails(scant_model_evaluate(&evaluation, model, other, NULL), SCANT_ERR_INPUT,
                 "other classes");
    scant_rows_free(other);
    scant_rows_free(rows);
    scant_model_free(model);
}

static const char file_head[] =
    "{\"format\": \"scant-model\", \"schema\": 3, \"settings\": {}, \"classes\": [\"a\", \"b\"], "
    "\"components\": 2, \"coupling\": [[0.5, 0], [0, 0.5]], ";

static scant_status read_text(scant_model **out, const char *tail)
{
    char text[1024];
    (void)snprintf(text, sizeof text, "%s%s", file_head, tail);
    return scant_model_read(out, scratch_text("hand.json", text));
}

#define FACTOR(columns)                                                                            \
    "{\"family\": \"gaussian\", \"columns\": [" columns "], \"covariance\": \"tied-spherical\", "  \
    "\"parameters\": {\"means\": [[0], [1]], \"covariances\": [1]}}"

static void test_files(void **state)
{
    (void)state;
    scant_model *model = NULL;
    assert_fails(read_text(&model, "\"columns\": [{\"name\": \"x\"}], \"factors\": [" FACTOR(
                                       "\"x\"") ", " FACTOR("\"x\"") "]}"),
                 SCANT_ERR_INPUT, "two factors");
    assert_fails(read_text(&model, "\"columns\": [{\"name\": \"x\"}, {\"name\": \"y\"}], "
                                   "\"factors\": [" FACTOR("\"x\"") "]}"),
                 SCANT_ERR_INPUT, "column y belongs to no factor");
    assert_fails(read_text(&model, "\"prior\": [1.5, -0.5], \"columns\": [{\"name\": \"x\"}], "
                                   "\"factors\": [" FACTOR("\"x\"") "]}"),
                 SCANT_ERR_INPUT, "share 1.5");
    scratch_clear();
}

/* A row that no component can make: its classes are the proportions, on any compiler. */
static void test_no_mass(void **state)
{
    (void)state;
    static const char *const names[] = {"x"};
    static const double x[] = {0, 1e300};
    scant_model *model = NULL;
    scant_rows *rows = NULL;
    double p[4], support[2], loglik[2];
    assert_ok(
        read_text(&model, "\"columns\": [{\"name\": \"x\"}], \"factors\": [" FACTOR("\"x\"") "]}"));
    assert_ok(scant_rows_new(&rows, 2, 1, x, names));
    assert_ok(scant_model_predict(model, rows, NULL, p, NULL, support, loglik));
    assert_true(p[0] > p[1] && isfinite(loglik[0]));
    assert_true(p[2] == 0.5 && p[3] == 0.5 && support[1] == 0);
    assert_true(isinf(loglik[1]) && loglik[1] < 0);
    scant_rows_free(rows);
    scant_model_free(model);
    scratch_clear();
}

/* Cross-validation counts by weight, not by rows. */
static void test_cv_weights(void **state)
{
    (void)state;
    enum { N = 40, FOLDS = 2 };
    scant_rows *rows = small_rows(&(small_plan){.n = N, .kind = numbers, .ncolumns = 2});
    double weight[N];
    scant_cv cv;
    scant_fit_options options = preset();
    for (size_t i = 0; i < N; i++)
        weight[i] = i % 5 == 0 ? 10 : 0.1;
    assert_ok(scant_rows_set_weights(rows, weight));
    assert_ok(scant_cv_fit(&cv, rows, &options, FOLDS));
    double low = fmin(cv.fold[0].evaluation.mean_loglik, cv.fold[1].evaluation.mean_loglik);
    double high = fmax(cv.fold[0].evaluation.mean_loglik, cv.fold[1].evaluation.mean_loglik);
    assert_true(cv.mean_loglik >= low && cv.mean_loglik <= high);
    double even = (low + high) / 2; /* folds are of 20 rows each, but of other weights */
    assert_true(fabs(cv.mean_loglik - even) > 1e-9);
    scant_cv_clear(&cv);
    scant_rows_free(rows);
}

/* SQUAREM takes two steps at a time, but not past the limit. */
static void test_squarem_limit(void **state)
{
    (void)state;
    scant_rows *rows = labelled();
    for (size_t most = 0; most < 6; most++) {
        scant_model *model = NULL;
        scant_fit_options options = preset();
        options.model.components = "2/class";
        options.run.accelerate = "squarem";
        options.run.tol = 0;
        options.run.starts = 1;
        options.run.max_iter = most;
        assert_ok(scant_fit(&model, rows, &options));
        assert_int_equal(scant_model_summary(model)->iterations, most);
        scant_model_free(model);
    }
    scant_rows_free(rows);
}

/* Columns are matched by name: a start may have them in another order. */
static void test_start_order(void **state)
{
    (void)state;
    enum { N = 30 };
    static const char *const there[] = {"u", "v"}, *const back[] = {"v", "u"};
    static const char *const families[] = {"gaussian", "regression"};
    scant_rows *rows = small_rows(&(small_plan){.n = N, .kind = numbers, .ncolumns = 2});
    double x[2 * N], y[2 * N];
    for (size_t i = 0; i < N; i++)
        for (size_t c = 0; c < 2; c++) /* the second column is no copy of the first in kind */
            x[2 * i + c] = y[2 * i + 1 - c] = scant_rows_value(rows, i, c) * (c ? 10 : 1) + 3;
    scant_rows_free(rows);
    for (size_t f = 0; f < 2; f++) {
        const char *item[] = {families[f]};
        scant_rows *first = NULL, *second = NULL;
        scant_model *model = NULL, *again = NULL;
        scant_fit_options options = preset();
        options.model.components = "2";
        options.model.families = (scant_texts){item, 1};
        options.model.target = f ? "v" : NULL;
        assert_ok(scant_rows_new(&first, N, 2, x, there));
        assert_ok(scant_rows_new(&second, N, 2, y, back));
        assert_ok(scant_fit(&model, first, &options));
        options.run.start = model;
        options.run.max_iter = 0;
        assert_ok(scant_fit(&again, second, &options));
        assert_true(fabs(scant_model_summary(again)->loglik - scant_model_summary(model)->loglik) <
                    1e-9);
        scant_model_free(model);
        scant_model_free(again);
        scant_rows_free(first);
        scant_rows_free(second);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_label),    cmocka_unit_test(test_weightless_class),
        cmocka_unit_test(test_seed),        cmocka_unit_test(test_select_words),
        cmocka_unit_test(test_words),       cmocka_unit_test(test_names),
        cmocka_unit_test(test_other_names), cmocka_unit_test(test_files),
        cmocka_unit_test(test_start_order), cmocka_unit_test(test_squarem_limit),
        cmocka_unit_test(test_no_mass),     cmocka_unit_test(test_cv_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
