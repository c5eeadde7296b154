/* Model files: what is written comes back bit for bit, and damaged files are refused. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include <scant/scant.h>
#include "check.h"
#include "model/model.h"
#include "model/score.h"
#include "scratch.h"
#include "small_rows.h"

static const small_kind kinds[] = {SMALL_NUMBERS, SMALL_COUNTS, SMALL_BITS, SMALL_CATEGORIES,
                                   SMALL_POSITIVE};
static const char *const families[] = {"gaussian", "poisson:x2", "bernoulli:x3", "gamma:x5"};
enum { ROWS = 60, COLUMNS = sizeof kinds / sizeof *kinds };

static scant_model *fit(scant_rows **rows, const char *sharing)
{
    small_plan plan = {.n = ROWS,
                       .kind = kinds,
                       .ncolumns = COLUMNS,
                       .labels = true,
                       .weights = true,
                       .missing = true};
    scant_fit_options options;
    scant_model *model = NULL;
    scant_fit_options_preset(&options);
    options.model.families = (scant_texts){.item = (const char **)families, .count = 4};
    options.model.components = "3";
    options.model.sharing = sharing;
    options.run.max_iter = 5;
    options.model.smooth = 1;
    *rows = small_rows(&plan);
    assert_ok(scant_fit(&model, *rows, &options));
    return model;
}

static void files_bring_models_back(void **state)
{
    (void)state;
    static const char *const sharings[] = {"common", "separate"};
    for (size_t s = 0; s < 2; s++) {
        scant_rows *rows = NULL;
        scant_model *model = fit(&rows, sharings[s]), *back = NULL;
        const char *first = scratch_path("first.json"), *second = scratch_path("second.json");
        assert_ok(scant_model_write(model, first));
        assert_ok(scant_model_read(&back, first));
        assert_ok(scant_model_write(back, second));
        char *a = scratch_load(first), *b = scratch_load(second);
        assert_string_equal(a, b);
        free(a);
        free(b);

        size_t K = scant_model_classes(model), M = scant_model_components(model);
        assert_int_equal(scant_model_classes(back), K);
        assert_int_equal(scant_model_components(back), M);
        assert_int_equal(scant_model_factors(back), scant_model_factors(model));
        for (size_t t = 0; t < M * K; t++)
            assert_same(scant_model_coupling(back, t / K, t % K),
                        scant_model_coupling(model, t / K, t % K));
        double p[2][ROWS * 2], loglik[2][ROWS];
        assert_int_equal(K, 2);
        assert_ok(scant_model_predict(model, rows, NULL, p[0], NULL, NULL, loglik[0]));
        assert_ok(scant_model_predict(back, rows, NULL, p[1], NULL, NULL, loglik[1]));
        assert_memory_equal(p[0], p[1], sizeof p[0]);
        assert_memory_equal(loglik[0], loglik[1], sizeof loglik[0]);
        scant_model_free(model);
        scant_model_free(back);
        scant_rows_free(rows);
    }
    scratch_clear();
}

static char *written(const scant_model *model, const char *name)
{
    const char *path = scratch_path(name);
    assert_ok(scant_model_write(model, path));
    return scratch_load(path);
}

/* A copy says the same in a file of its own, and goes on when the model, which is freed, is gone. */
static void check_copy(scant_model *model)
{
    scant_model *copy = NULL;
    assert_ok(scant_i_model_copy(&copy, model));
    assert_int_equal(scant_model_schema(copy)->ncolumns, scant_model_schema(model)->ncolumns);
    assert_true(!scant_model_schema(copy)->levels == !scant_model_schema(model)->levels);
    char *a = written(model, "model.json");
    scant_model_free(model);
    char *b = written(copy, "copy.json");
    assert_string_equal(a, b);
    free(a);
    free(b);
    scant_model_free(copy);
}

static void copies_are_whole(void **state)
{
    (void)state;
    static const char *const sharings[] = {"common", "separate"};
    scant_comparison baseline = {.nfolds = 3, .labeled = 9, .accuracy = {0.5, 0.25}};
    for (size_t s = 0; s < 2; s++) {
        scant_rows *rows = NULL;
        scant_model *model = fit(&rows, sharings[s]);
        assert_ok(scant_model_keep_baseline(model, &baseline));
        assert_ok(scant_i_model_add_warning(model, "take care"));
        (void)scant_model_inform(model, rows, 1); /* errors or none: the file says which */
        assert_non_null(scant_model_information(model));
        check_copy(model);
        scant_rows_free(rows);
    }
    scratch_clear();
}

/* The same of a linear classifier, whose only column is its score. */
static void copies_have_the_score(void **state)
{
    (void)state;
    scant_rows *rows = small_rows(&(small_plan){ROWS, kinds, 1, .labels = true});
    scant_fit_options options;
    scant_model *model = NULL;
    scant_fit_options_preset(&options);
    assert_ok(scant_fit(&model, rows, &options));
    assert_ok(scant_i_score_new(model));
    model->score->weight[0] = 0.25;
    check_copy(model);
    scant_rows_free(rows);
    scratch_clear();
}

/* A file that ends early is refused at whatever byte, and nothing comes out. */
static void cut_files_are_refused(void **state)
{
    (void)state;
    scant_rows *rows = NULL;
    scant_model *model = fit(&rows, "common"), *back = NULL;
    const char *path = scratch_path("whole.json");
    assert_ok(scant_model_write(model, path));
    char *text = scratch_load(path);
    size_t end = strlen(text);
    while (end > 0 && text[end - 1] != '}')
        end--;
    for (size_t cut = 0; cut < end; cut += 1 + end / 50) {
        const char *part = scratch_bytes("part.json", text, cut);
        assert_int_equal(scant_model_read(&back, part), SCANT_ERR_INPUT);
        assert_null(back);
        assert_non_null(strstr(scant_message(), "part.json"));
    }
    free(text);
    assert_fails(scant_model_read(&back, scratch_text("other.json", "{\"schema\": \"x/1\"}")),
                 SCANT_ERR_INPUT, "other.json");
    scant_model_free(model);
    scant_rows_free(rows);
    scratch_clear();
}

/* Nothing is written of a model that is no number somewhere. */
static void numbers_that_are_none_are_not_written(void **state)
{
    (void)state;
    scant_rows *rows = NULL;
    scant_model *model = fit(&rows, "common");
    const char *path = scratch_path("none.json");
    scant_i_mixture *m = model->mixture;
    double *of[] = {&m->factor[0]->theta[1], &m->coupling.W[0]}, none[] = {NAN, INFINITY};
    for (size_t t = 0; t < 4; t++) {
        double kept = *of[t / 2];
        *of[t / 2] = none[t % 2];
        assert_fails(scant_model_write(model, path), SCANT_ERR_INTERNAL, "it is not written");
        assert_int_not_equal(access(path, F_OK), 0);
        *of[t / 2] = kept;
    }
    assert_ok(scant_model_write(model, path));
    scant_model_free(model);
    scant_rows_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_bring_models_back),
        cmocka_unit_test(copies_are_whole),
        cmocka_unit_test(copies_have_the_score),
        cmocka_unit_test(numbers_that_are_none_are_not_written),
        cmocka_unit_test(cut_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
