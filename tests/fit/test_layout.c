/* Layout and coupling before a fit: which family has which columns, and which component may serve which class. */
#include <math.h>
#include <stdlib.h>

#include <scant/scant.h>
#include "check.h"
#include "fit/coupling.h"
#include "fit/layout.h"
#include "scratch.h"

enum { N = 12, D = 4 };

/* Columns x1 .. x3 of counts and the category x4; labels a (4 rows), b (2) and none (6), of weight 2 where odd. */
static scant_rows *make_rows(void)
{
    static const char *const levels[] = {"r", "g"};
    static const char *const classes[] = {"a", "b"};
    double x[N * D], w[N];
    const char *cells[N];
    for (size_t i = 0; i < N; i++) {
        for (size_t c = 0; c < D; c++)
            x[i * D + c] = c == 3 ? (double)(i % 2) : (double)((i * (c + 3)) % 7 + 1);
        w[i] = 1 + (double)(i % 2);
        cells[i] = i < 4 ? "a" : i < 6 ? "b" : NULL;
    }
    scant_rows *rows = NULL;
    assert_ok(scant_rows_new(&rows, N, D, x, NULL));
    assert_ok(scant_rows_set_levels(rows, 3, levels, 2));
    assert_ok(scant_rows_set_labels(rows, cells, classes, 2, NULL));
    assert_ok(scant_rows_set_weights(rows, w));
    return rows;
}

static scant_fit_options preset(const char *components, const char *sharing)
{
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.components = components;
    options.model.sharing = sharing;
    return options;
}

static scant_status lay(scant_i_mixture **out, const scant_rows *rows,
                        const scant_fit_options *options)
{
    const scant_i_method *method;
    scant_i_evidence_settings evidence;
    assert_ok(scant_i_method_choose(&method, &evidence, options));
    return scant_i_layout_new(out, rows, options, method, NULL);
}

/* The family that has the column, which one factor alone has. */
static const char *family_of(const scant_i_mixture *m, size_t column)
{
    const char *name = NULL;
    for (size_t f = 0; f < m->nfactors; f++)
        for (size_t c = 0; c < m->factor[f]->ncolumns; c++)
            if (m->factor[f]->columns[c] == column) {
                assert_null(name);
                name = m->factor[f]->family->name;
            }
    assert_non_null(name);
    return name;
}

static void columns_have_their_families(void **state)
{
    (void)state;
    static const struct {
        const char *word[3];
        size_t count;
        const char *family[D];
    } cases[] = {
        {{NULL}, 0, {"gaussian", "gaussian", "gaussian", "categorical"}},
        {{"poisson:x2"}, 1, {"gaussian", "poisson", "gaussian", "categorical"}},
        {{"gamma", "poisson:x1"}, 2, {"poisson", "gamma", "gamma", "categorical"}},
        {{"poisson:x1", "x3"}, 2, {"poisson", "gaussian", "poisson", "categorical"}},
    };
    scant_rows *rows = make_rows();
    for (size_t t = 0; t < sizeof cases / sizeof *cases; t++) {
        scant_fit_options options = preset("2", "common");
        scant_i_mixture *m = NULL;
        const char *words[3];
        memcpy(words, cases[t].word, sizeof words);
        options.model.families = (scant_texts){.item = words, .count = cases[t].count};
        assert_ok(lay(&m, rows, &options));
        for (size_t c = 0; c < D; c++)
            assert_string_equal(family_of(m, c), cases[t].family[c]);
        scant_i_mixture_free(m);
    }
    scant_rows_free(rows);
}

static void families_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *word[2], *text;
    } cases[] = {{{"round"}, "'round' is none of"},
                 {{"poisson:z*"}, "no such feature column"},
                 {{"poisson:x1", "gamma:x1"}, "is given to"}};
    scant_rows *rows = make_rows();
    for (size_t t = 0; t < sizeof cases / sizeof *cases; t++) {
        scant_fit_options options = preset("2", "common");
        scant_i_mixture *m = NULL;
        const char *words[2] = {cases[t].word[0], cases[t].word[1]};
        options.model.families = (scant_texts){.item = words, .count = words[1] ? 2 : 1};
        assert_fails(lay(&m, rows, &options), SCANT_ERR_ARGUMENT, cases[t].text);
        assert_null(m);
    }
    scant_rows_free(rows);
}

/* W is the labelled rows' class shares (weights 6 and 3), even over a class's components, 0 elsewhere. */
static void coupling_is_the_labels_shares(void **state)
{
    (void)state;
    const char *table = scratch_text("table.csv", "a,b\n1,0\n1,1\n0,1\n");
    const struct {
        const char *components, *sharing;
        size_t M;
        double P_of[4][2]; /* parts of a class's share */
    } cases[] = {
        {"1/class", "separate", 2, {{1, 0}, {0, 1}}},
        {"a=1,b=3", "separate", 4, {{1, 0}, {0, 1. / 3}, {0, 1. / 3}, {0, 1. / 3}}},
        {"3", "common", 3, {{1. / 3, 1. / 3}, {1. / 3, 1. / 3}, {1. / 3, 1. / 3}}},
        {NULL, table, 3, {{0.5, 0}, {0.5, 0.5}, {0, 0.5}}},
    };
    static const char *const priors[] = {NULL, "a=0.1,b=0.9"};
    scant_rows *rows = make_rows();
    for (size_t t = 0; t < 2 * sizeof cases / sizeof *cases; t++) {
        size_t which = t / 2;
        double P[2] = {t % 2 ? 0.1 : 2. / 3, t % 2 ? 0.9 : 1. / 3};
        scant_fit_options options = preset(cases[which].components, cases[which].sharing);
        options.model.prior = priors[t % 2];
        scant_i_mixture *m = NULL;
        assert_ok(lay(&m, rows, &options));
        assert_int_equal(m->ncomponents, cases[which].M);
        assert_int_equal(m->nclasses, 2);
        for (size_t j = 0; j < m->ncomponents; j++)
            for (size_t k = 0; k < 2; k++) {
                double expected = P[k] * cases[which].P_of[j][k];
                assert_true(fabs(m->coupling.W[k * m->stride + j] - expected) < 1e-15);
            }
        scant_i_mixture_free(m);
    }
    scant_rows_free(rows);
    scratch_clear();
}

static void couplings_that_leave_something_out_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *says;
    } cases[] = {{"row.csv", "a,b\n1,1\n0,0\n", "component 2 serves no class"},
                 {"column.csv", "a,b\n1,0\n1,0\n", "no component serves class b"},
                 {"number.csv", "a,b\n1,0.5\n", "expected 0 or 1, not 0.5"}};
    scant_rows *rows = make_rows();
    for (size_t t = 0; t < sizeof cases / sizeof *cases; t++) {
        scant_i_mixture *m = NULL;
        scant_fit_options options = preset(NULL, scratch_text(cases[t].name, cases[t].text));
        assert_fails(lay(&m, rows, &options), SCANT_ERR_INPUT, cases[t].says);
        assert_null(m);
    }
    scant_rows_free(rows);
    scratch_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_have_their_families),
        cmocka_unit_test(families_that_make_no_sense_are_refused),
        cmocka_unit_test(coupling_is_the_labels_shares),
        cmocka_unit_test(couplings_that_leave_something_out_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
