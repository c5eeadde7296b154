/* Class probabilities from contexts, against sums written out by hand. */
#include "check.h"

#include <math.h>
#include <scant/scant.h>
#include "failing.h"
#include "scratch.h"

static scant_rows *table_of(const char *name, const char *text, const char *id)
{
    scant_rows *rows = NULL;
    scant_read_options how = {
        .size = sizeof how, .probabilities = true, .id = id, .id_optional = true, .threads = 1};
    assert_ok(scant_rows_read(&rows, scratch_text(name, text), &how));
    return rows;
}

static scant_rows *observed_of(const char *text)
{
    static const char *const column[] = {"place"};
    scant_rows *rows = NULL;
    scant_read_options how = {.size = sizeof how,
                              .features = column,
                              .nfeatures = 1,
                              .categorical = column,
                              .ncategorical = 1,
                              .threads = 1};
    assert_ok(scant_rows_read(&rows, scratch_text("observed.csv", text), &how));
    return rows;
}

static void assert_row(const scant_rows *labels, size_t row, double a, double b)
{
    double p[] = {scant_rows_value(labels, row, 0), scant_rows_value(labels, row, 1)};
    if (isnan(a))
        assert_true(isnan(p[0]) && isnan(p[1]));
    else
        assert_true(fabs(p[0] - a) < 1e-15 && fabs(p[1] - b) < 1e-15);
}

static const char GIVEN[] = "context,p_x,p_y\nhill,0.9,0.1\nshore,0.2,0.8\n";

static void test_latent(void **state)
{
    (void)state;
    scant_rows *given = table_of("given.csv", GIVEN, "context"), *labels = NULL;
    /* a column that is no probability is left out, and the order of contexts is free */
    scant_rows *prior =
        table_of("prior.csv", "note,p_shore,p_hill\n7,0.25,0.75\n8,,\n9,1,0\n", NULL);
    assert_ok(scant_context_latent(&labels, prior, given));
    assert_int_equal(scant_rows_columns(labels), 2);
    assert_string_equal(scant_rows_column_name(labels, 0), "p_x");
    assert_row(labels, 0, 0.25 * 0.2 + 0.75 * 0.9, 0.25 * 0.8 + 0.75 * 0.1);
    assert_row(labels, 1, NAN, NAN);
    assert_row(labels, 2, 0.2, 0.8);
    scant_rows_free(labels);
    scant_rows_free(given);
    given = table_of("given.csv", "x,y\n0.2,0.8\n0.9,0.1\n", "context"); /* by their order */
    assert_ok(scant_context_latent(&labels, prior, given));
    assert_row(labels, 0, 0.25 * 0.2 + 0.75 * 0.9, 0.25 * 0.8 + 0.75 * 0.1);
    scant_rows_free(labels);
    scant_rows_free(given);
    scant_rows_free(prior);
}

static void test_observed(void **state)
{
    (void)state;
    scant_rows *given = table_of("given.csv", GIVEN, "context"), *labels = NULL;
    scant_rows *observed = observed_of("place,n\nshore,1\n,2\nhill,3\n");
    assert_ok(scant_context_observed(&labels, observed, given));
    assert_row(labels, 0, 0.2, 0.8);
    assert_row(labels, 1, NAN, NAN);
    assert_row(labels, 2, 0.9, 0.1);
    scant_rows_free(labels);
    scant_rows_free(given);
    scant_rows_free(observed);
}

static void test_inverted(void **state)
{
    (void)state;
    static const char text[] = "class,p_hill,p_shore,p_wood\nx,0.5,0.2,0.3\ny,0.1,0.6,0.3\n";
    scant_rows *likelihood = table_of("likelihood.csv", text, "class"), *given = NULL;
    assert_ok(scant_context_invert(&given, likelihood, NULL));
    assert_int_equal(scant_rows_count(given), 3);
    assert_string_equal(scant_rows_id(given, 1), "shore");
    assert_string_equal(scant_rows_column_name(given, 1), "p_y");
    assert_row(given, 0, 0.5 / 0.6, 0.1 / 0.6);
    assert_row(given, 2, 0.5, 0.5);
    scant_rows_free(given);
    assert_ok(scant_context_invert(&given, likelihood, "x=0.2,y=0.8"));
    assert_row(given, 1, 0.2 * 0.2 / (0.2 * 0.2 + 0.6 * 0.8), 0.6 * 0.8 / (0.2 * 0.2 + 0.6 * 0.8));
    /* Bayes keeps the joint: sum_c p(c) p(z|c) = q(z) */
    double mean = 0;
    for (size_t c = 0; c < 3; c++)
        mean +=
            (0.2 * scant_rows_value(likelihood, 0, c) + 0.8 * scant_rows_value(likelihood, 1, c)) *
            scant_rows_value(given, c, 0);
    assert_true(fabs(mean - 0.2) < 1e-15);
    scant_rows_free(given);
    scant_rows_free(likelihood);
}

static void test_negentropy(void **state)
{
    (void)state;
    assert_same(scant_negentropy((double[]){0.25, 0.25, 0.25, 0.25}, 4), 0);
    assert_same(scant_negentropy((double[]){0, 1, 0}, 3), 1);
    assert_same(scant_negentropy((double[]){1}, 1), 1);
    assert_same(scant_negentropy((double[]){NAN, NAN}, 2), 0);
    /* context-aware mixtures, section 3.3: these two have 0.2 */
    assert_true(fabs(scant_negentropy((double[]){0.757, 0.243}, 2) - 0.2) < 5e-4);
    assert_true(fabs(scant_negentropy((double[]){0.243, 0.757}, 2) - 0.2) < 5e-4);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *prior, *given, *told;
    } latent[] = {
        {"p_hill,p_sea\n0.5,0.5\n", GIVEN, "prior.csv:1:2: p_sea: "},
        {"hill,shore\n0.5,0.4\n", GIVEN, "prior.csv:2:1: hill: the row's probabilities sum to 0.9"},
        {"hill,shore\n0.5,0.5\n", "context,x,y\nhill,1,0\nhill,0,1\n",
         "given.csv:3:2: x: context 'hill' has a row already"},
        {"hill,shore\n0.5,0.5\n", "context,x,y\nhill,1,0\nshore,,\n",
         "given.csv:3:2: x: the row has no probabilities"},
        {"hill,shore\n0.5,0.5\n", "context,x,y\nhill,1,0\nshore,-1,2\n", "given.csv:3:2: x: "},
        {"hill,shore\n0.5,0.5\n", "x,y\n1,0\n", "given.csv:2:1: x: the last of 1 rows"},
    };
    for (size_t i = 0; i < sizeof latent / sizeof *latent; i++) {
        scant_rows *prior = table_of("prior.csv", latent[i].prior, NULL), *labels = NULL;
        scant_rows *given = table_of("given.csv", latent[i].given, "context");
        assert_fails(scant_context_latent(&labels, prior, given), SCANT_ERR_INPUT, latent[i].told);
        assert_null(labels);
        scant_rows_free(prior);
        scant_rows_free(given);
    }
    scant_rows *given = table_of("given.csv", GIVEN, "context"), *labels = NULL;
    scant_rows *observed = observed_of("n,place\n1,hill\n2,shor\n");
    assert_fails(scant_context_observed(&labels, observed, given), SCANT_ERR_INPUT,
                 "observed.csv:3:2: place: ");
    assert_non_null(strstr(scant_message(), "did you mean 'shore'?"));
    assert_fails(scant_context_observed(&labels, given, given), SCANT_ERR_ARGUMENT, "2 columns");
    scant_rows_free(given);
    given = table_of("given.csv", "x,y\n1,0\n", "context");
    assert_fails(scant_context_observed(&labels, observed, given), SCANT_ERR_INPUT, "`context`");
    assert_fails(scant_context_invert(&labels, given, NULL), SCANT_ERR_INPUT, "`class`");
    scant_rows_free(given);
    scant_rows_free(observed);
    given = table_of("likelihood.csv", "class,hill,sea\nx,1,0\ny,1,0\n", "class");
    assert_fails(scant_context_invert(&labels, given, NULL), SCANT_ERR_INPUT,
                 "likelihood.csv:1:3: sea");
    assert_fails(scant_context_invert(&labels, given, "x=1"), SCANT_ERR_ARGUMENT,
                 "'y' has no share");
    scant_rows_free(given);
}

typedef struct inputs {
    scant_rows *prior, *observed, *likelihood;
} inputs;

static scant_status make_all(void *payload)
{
    const inputs *in = payload;
    scant_rows *given = NULL, *labels = NULL;
    scant_status status = scant_context_invert(&given, in->likelihood, "x=0.5,y=0.5");
    if (status == SCANT_OK)
        status = scant_context_latent(&labels, in->prior, given);
    scant_rows_free(labels);
    labels = NULL;
    if (status == SCANT_OK)
        status = scant_context_observed(&labels, in->observed, given);
    scant_rows_free(labels);
    scant_rows_free(given);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    inputs in = {table_of("prior.csv", "hill,shore\n0.5,0.5\n", NULL),
                 observed_of("place,n\nshore,1\n"),
                 table_of("likelihood.csv", "class,hill,shore\nx,0.5,0.5\ny,0.1,0.9\n", "class")};
    assert_true(failing_sweep_strictly(make_all, &in) > 20);
    scant_rows_free(in.prior);
    scant_rows_free(in.observed);
    scant_rows_free(in.likelihood);
    scratch_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_latent),   cmocka_unit_test(test_observed),
        cmocka_unit_test(test_inverted), cmocka_unit_test(test_negentropy),
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
