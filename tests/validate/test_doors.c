/* Options that C sets by hand are checked at the door of every function that takes them. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <scant/scant.h>
#include "base/random.h"
#include "check.h"

enum { ROWS = 60 };

typedef struct house {
    scant_rows *rows;
    scant_model *model;
    scant_votes *votes;
    scant_tensor *tensor;
} house;

static void build(house *h)
{
    double x[ROWS * 2];
    const char *cells[ROWS];
    size_t item[ROWS], predictor[ROWS], answer[ROWS];
    scant_fit_options options;
    scant_i_random random = scant_i_random_new(3, 0);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t c = 0; c < 2; c++)
            x[2 * i + c] = 3 * (double)(i % 2) + scant_i_random_normal(&random);
        cells[i] = i < 40 ? (i % 2 ? "b" : "a") : "";
        item[i] = i / 3;
        predictor[i] = i % 3;
        answer[i] = (i / 3 + (i % 7 == 0)) % 2;
    }
    assert_ok(scant_rows_new(&h->rows, ROWS, 2, x, NULL));
    assert_ok(scant_rows_set_labels(h->rows, cells, NULL, 0, NULL));
    assert_ok(
        scant_votes_new(&h->votes, ROWS / 3, 3, 2, ROWS, item, predictor, answer, NULL, NULL));
    for (size_t i = 0; i < ROWS * 2; i++)
        x[i] = fabs(x[i]);
    assert_ok(scant_tensor_new(&h->tensor, 2, (const size_t[]){ROWS, 2}, x));
    scant_fit_options_preset(&options);
    assert_ok(scant_fit(&h->model, h->rows, &options));
}

static void tear_down(house *h)
{
    scant_rows_free(h->rows);
    scant_model_free(h->model);
    scant_votes_free(h->votes);
    scant_tensor_free(h->tensor);
}

/* Every function that takes the options of a fit. */
static void fits_refuse(const house *h, const scant_fit_options *options, const char *text)
{
    scant_model *model = NULL;
    scant_cv cv;
    scant_comparison comparison;
    scant_selection selection;
    assert_fails(scant_fit(&model, h->rows, options), SCANT_ERR_ARGUMENT, text);
    assert_null(model);
    assert_fails(scant_fit_checked(&model, NULL, h->rows, options, 3), SCANT_ERR_ARGUMENT, text);
    assert_fails(scant_fit_validate_inform(options), SCANT_ERR_ARGUMENT, text);
    assert_fails(scant_model_bootstrap(h->model, h->rows, options, 5), SCANT_ERR_ARGUMENT, text);
    assert_fails(scant_cv_fit(&cv, h->rows, options, 3), SCANT_ERR_ARGUMENT, text);
    assert_fails(scant_cv_fit_supervised(&cv, h->rows, options, 3), SCANT_ERR_ARGUMENT, text);
    assert_fails(scant_fit_compare(&comparison, h->rows, options, SCANT_RIVAL_SUPERVISED, 3),
                 SCANT_ERR_ARGUMENT, text);
    assert_fails(scant_select(&selection, NULL, h->rows, options, "1:2", "full", "bic", 3),
                 SCANT_ERR_ARGUMENT, text);
}

static void fits_refuse_values_that_no_table_has(void **state)
{
    (void)state;
    house h = {0};
    build(&h);
    static const scant_fit_options nothing;
    scant_fit_options options;

#define REFUSED(field, value, text)                                                                \
    scant_fit_options_preset(&options);                                                            \
    options.field = (value);                                                                       \
    fits_refuse(&h, &options, text)

    REFUSED(run.accelerate, "sqarem", "'sqarem' is not one of none, squarem");
    REFUSED(evidence.context_mode, "wiegh", "'wiegh' is not one of likelihood, prior, posterior");
    REFUSED(model.smooth, -3, "'-3' is not a number from 0 to 1000000");
    REFUSED(run.tol, NAN, "'nan' is not a number");
    REFUSED(run.init, NULL, "is NULL");
    REFUSED(run.threads, 5000, "'5000' is not a whole number from 0 to 4096");
    REFUSED(size, 0, "call scant_fit_options_preset() first");
    REFUSED(size, sizeof options + 8, "scant_fit_options_preset()");
    REFUSED(evidence, nothing.evidence, "call scant_fit_options_preset() first");
#undef REFUSED
    fits_refuse(&h, &nothing, "call scant_fit_options_preset() first");
    fits_refuse(&h, NULL, "call scant_fit_options_preset() first");
    tear_down(&h);
}

/* A program that was compiled before the last fields of the run were there. */
static void an_older_program_goes_on(void **state)
{
    (void)state;
    enum { OLD = offsetof(scant_fit_options, run.checkpoint_every) };
    house h = {0};
    build(&h);
    scant_fit_options options, now;
    scant_model *model = NULL, *same = NULL;
    memset(&options, 0x5a, sizeof options);
    (scant_fit_options_preset)(&options, OLD);
    scant_fit_options_preset(&now);
    options.run.seed = now.run.seed = 4;
    options.model.components = now.model.components = "2/class";
    assert_ok(scant_fit(&model, h.rows, &options));
    assert_ok(scant_fit(&same, h.rows, &now));
    assert_same(scant_model_summary(model)->loglik, scant_model_summary(same)->loglik);
    scant_model_free(model);
    scant_model_free(same);
    tear_down(&h);
}

static void the_others_refuse_them_too(void **state)
{
    (void)state;
    house h = {0};
    build(&h);
    void *out = NULL;
    scant_stream_options stream;
    scant_audit_options audit;
    scant_plan_options plan;
    scant_blind_options blind;
    scant_factor_options factor;
    scant_factor_sweep_result sweep;

#define OPEN_STREAM scant_stream_new((scant_stream **)&out, h.model, &stream)
    scant_stream_options_preset(&stream);
    stream.context_mode = "wiegh";
    assert_fails(OPEN_STREAM, SCANT_ERR_ARGUMENT, "'wiegh' is not one of");
    scant_stream_options_preset(&stream);
    stream.window = 0;
    assert_fails(OPEN_STREAM, SCANT_ERR_ARGUMENT, "'0' is not a whole number from 1");
    stream.size = 0;
    assert_fails(OPEN_STREAM, SCANT_ERR_ARGUMENT, "call scant_stream_options_preset() first");

#define AUDIT scant_audit_votes((scant_audit **)&out, h.votes, &audit)
    scant_audit_options_preset(&audit);
    assert_ok(AUDIT);
    scant_audit_free(out);
    audit.model = "confused";
    assert_fails(AUDIT, SCANT_ERR_ARGUMENT, "'confused' is not one of symmetric");
    audit.model = NULL;
    audit.ci = 95;
    assert_fails(AUDIT, SCANT_ERR_ARGUMENT, "'95' is not a number from 0.5 to 0.9999");
    audit.size = 0;
    assert_fails(AUDIT, SCANT_ERR_ARGUMENT, "call scant_audit_options_preset() first");

#define PLAN scant_plan_new((scant_plan **)&out, h.model, h.rows, &plan)
    scant_plan_options_preset(&plan);
    plan.replicates = 1;
    assert_fails(PLAN, SCANT_ERR_ARGUMENT, "'1' is not a whole number from 2");
    plan.size = 0;
    assert_fails(PLAN, SCANT_ERR_ARGUMENT, "call scant_plan_options_preset() first");
    size_t count;
    const scant_option *rows = scant_plan_option_table(&count);
    scant_options_clear(&plan, rows, count);

#define BLIND scant_blind((scant_model **)&out, h.rows, &blind)
    scant_blind_options_preset(&blind);
    blind.prior = "0.4";
    blind.loss = "logg";
    assert_fails(BLIND, SCANT_ERR_ARGUMENT, "'logg' is not one of log, hinge, exp");
    blind.size = 0;
    assert_fails(BLIND, SCANT_ERR_ARGUMENT, "call scant_blind_options_preset() first");

#define FACTOR scant_factor((scant_factors **)&out, h.tensor, &factor)
    scant_factor_options_preset(&factor);
    factor.rank = "1";
    factor.solver = "hall";
    assert_fails(FACTOR, SCANT_ERR_ARGUMENT, "'hall' is not one of bpp");
    assert_fails(scant_factor_sweep(&sweep, NULL, h.tensor, &factor), SCANT_ERR_ARGUMENT, "'hall'");
    factor.size = 0;
    assert_fails(FACTOR, SCANT_ERR_ARGUMENT, "call scant_factor_options_preset() first");
    assert_null(out);
    tear_down(&h);
}

/* --- matrices in place of files --- */

static scant_model *fitted(const house *h, const scant_fit_options *options)
{
    scant_model *model = NULL;
    assert_ok(scant_fit(&model, h->rows, options));
    return model;
}

static void sharing_is_a_matrix(void **state)
{
    (void)state;
    static const double own[] = {1, 0, 1, 0, 0, 1}, all[] = {1, 1, 1, 1}, odd[] = {1, 0.5, 0, 1};
    house h = {0};
    build(&h);
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.components = "a=2,b=1";
    scant_model *words = fitted(&h, &options);
    options.model.components = NULL;
    options.model.sharing_table = own;
    options.model.sharing_components = 3;
    options.model.sharing_classes = 2;
    scant_model *table = fitted(&h, &options);
    assert_same(scant_model_summary(words)->loglik, scant_model_summary(table)->loglik);
    assert_string_equal(scant_model_setting(table, "sharing"), "table");
    assert_true(scant_model_coupling(table, 2, 0) == 0);
    scant_model_free(words);
    scant_model_free(table);

    options.model.sharing_table = all;
    options.model.sharing_components = 2;
    table = fitted(&h, &options);
    assert_true(scant_model_coupling(table, 0, 0) > 0 && scant_model_coupling(table, 0, 1) > 0);
    scant_model_free(table);

    options.model.sharing = "common";
    assert_fails(scant_fit(&table, h.rows, &options), SCANT_ERR_ARGUMENT, "exclude each other");
    options.model.sharing = "separate";
    options.model.sharing_classes = 3;
    assert_fails(scant_fit(&table, h.rows, &options), SCANT_ERR_ARGUMENT, "2 x 3 for 2 classes");
    options.model.sharing_classes = 2;
    options.model.sharing_table = odd;
    assert_fails(scant_fit(&table, h.rows, &options), SCANT_ERR_INPUT, "expected 0 or 1, not 0.5");
    tear_down(&h);
}

static void label_noise_is_a_matrix(void **state)
{
    (void)state;
    static const double even[] = {0.9, 0.1, 0.1, 0.9}, lean[] = {0.7, 0.3, 0.05, 0.95},
                        odd[] = {0.7, 0.2, 0.05, 0.95};
    house h = {0};
    build(&h);
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.evidence.label_noise = "0.1";
    scant_model *words = fitted(&h, &options);
    options.evidence.label_noise = NULL;
    options.evidence.label_noise_table = even;
    options.evidence.label_noise_classes = 2;
    scant_model *table = fitted(&h, &options);
    assert_same(scant_model_summary(words)->loglik, scant_model_summary(table)->loglik);
    scant_model_free(words);
    scant_model_free(table);

    options.evidence.label_noise_table = lean;
    table = fitted(&h, &options);
    for (size_t k = 0; k < 4; k++)
        assert_same(scant_model_label_noise(table, k / 2, k % 2), lean[k]);
    scant_model_free(table);

    options.evidence.label_noise_table = odd;
    assert_fails(scant_fit(&table, h.rows, &options), SCANT_ERR_INPUT, "add up to 0.9");
    options.evidence.label_noise = "0.1";
    assert_fails(scant_fit(&table, h.rows, &options), SCANT_ERR_ARGUMENT, "exclude each other");
    tear_down(&h);
}

/* As cells of text say it. */
static void soft_labels_are_a_matrix(void **state)
{
    (void)state;
    static const char *const classes[] = {"a", "b"};
    house h = {0};
    build(&h);
    double x[ROWS * 2], p[ROWS * 2];
    const char *cells[ROWS];
    scant_rows *rows = NULL;
    scant_fit_options options;
    scant_fit_options_preset(&options);
    scant_rows_values(h.rows, x);
    for (size_t i = 0; i < ROWS; i++) {
        bool known = i % 3;
        cells[i] = !known ? "" : i % 2 ? "a:0.25;b:0.75" : "a:0.5;b:0.5";
        p[2 * i] = known ? (i % 2 ? 0.25 : 0.5) : NAN;
        p[2 * i + 1] = known ? 1 - p[2 * i] : NAN;
    }
    assert_ok(scant_rows_new(&rows, ROWS, 2, x, NULL));
    assert_fails(scant_rows_set_probabilities(rows, p, NULL, 2, false), SCANT_ERR_ARGUMENT,
                 "probabilities of 2 classes");
    assert_ok(scant_rows_set_probabilities(rows, p, classes, 2, false));
    assert_ok(scant_rows_set_labels(h.rows, cells, classes, 2, NULL));
    scant_model *matrix = NULL, *text = fitted(&h, &options);
    assert_ok(scant_fit(&matrix, rows, &options));
    assert_same(scant_model_summary(text)->loglik, scant_model_summary(matrix)->loglik);
    p[0] = p[1] = 0.4;
    assert_fails(scant_rows_set_probabilities(rows, p, NULL, 2, false), SCANT_ERR_INPUT, "");
    scant_model_free(text);
    scant_model_free(matrix);
    scant_rows_free(rows);
    tear_down(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_refuse_values_that_no_table_has),
        cmocka_unit_test(an_older_program_goes_on),
        cmocka_unit_test(the_others_refuse_them_too),
        cmocka_unit_test(sharing_is_a_matrix),
        cmocka_unit_test(label_noise_is_a_matrix),
        cmocka_unit_test(soft_labels_are_a_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
