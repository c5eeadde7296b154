/* Every family, and a product of three, through the engine: the objective it reports is the one a
 * row-by-row evaluation of textbook densities gives, and it never falls; with evidence, weights,
 * missing cells, extrapolations and annealing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <scant/scant.h>
#include "check.h"
#include "family_cases.h"
#include "model/model.h"

enum { ROWS = 600, CLASSES = 2 };

typedef struct setting {
    bool labelled, weighted, missing, squarem, anneal, common;
} setting;

typedef struct table {
    size_t ncolumns;
    double *x;
    const char *names[16];
    size_t nlevels[16];
    double w[ROWS], v[ROWS * CLASSES];
    char cell[ROWS][24];
    const char *cells[ROWS];
} table;

/* Appends the case's columns, drawn from four components. */
static void append(table *t, const family_case *one, scant_i_random *random)
{
    static const char *const names[16] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                          "i", "j", "k", "l", "m", "n", "o", "p"};
    scant_i_factor *factor = case_factor(one, 4, NULL, random);
    double *cells = case_rows(one, factor, ROWS, random);
    size_t d = one->ncolumns, width = t->ncolumns + d;
    double *x = scant_i_calloc(ROWS * width, sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < ROWS; i++) {
        if (t->ncolumns)
            memcpy(x + i * width, t->x + i * t->ncolumns, t->ncolumns * sizeof *x);
        memcpy(x + i * width + t->ncolumns, cells + i * d, d * sizeof *x);
    }
    for (size_t c = 0; c < d; c++) {
        t->names[t->ncolumns + c] = names[t->ncolumns + c];
        t->nlevels[t->ncolumns + c] = one->nlevels ? one->nlevels[c] : 0;
    }
    scant_i_free(t->x);
    scant_i_free(cells);
    scant_i_factor_free(factor);
    t->x = x;
    t->ncolumns = width;
}

static void add_evidence(table *t, const setting *s, scant_i_random *random)
{
    for (size_t i = 0; i < ROWS; i++) {
        double u = scant_i_random_uniform(random);
        size_t label = i % 4 / 2;
        t->w[i] = s->weighted ? floor(3 * scant_i_random_uniform(random)) : 1;
        t->cell[i][0] = '\0';
        t->v[i * 2] = t->v[i * 2 + 1] = 1;
        if (u < 0.3) {
            strcpy(t->cell[i], label ? "b" : "a");
            t->v[i * 2 + !label] = 0;
        } else if (u < 0.6) {
            strcpy(t->cell[i], label ? "a:0.25;b:0.75" : "a:0.5;b:0.5");
            t->v[i * 2] = label ? 0.25 : 0.5;
            t->v[i * 2 + 1] = label ? 0.75 : 0.5;
        }
        t->cells[i] = t->cell[i];
    }
}

static scant_rows *rows_of(table *t, const setting *s)
{
    static const char *const classes[] = {"a", "b"};
    scant_rows *rows = NULL;
    assert_ok(scant_rows_new(&rows, ROWS, t->ncolumns, t->x, t->names));
    for (size_t c = 0; c < t->ncolumns; c++) {
        if (!t->nlevels[c])
            continue;
        rows->columns[c].kind = SCANT_I_CATEGORY;
        rows->columns[c].nlevels = t->nlevels[c];
        assert_ok(SCANT_I_NEW(&rows->columns[c].levels, t->nlevels[c]));
        for (size_t l = 0; l < t->nlevels[c]; l++)
            rows->columns[c].levels[l] = scant_i_format("level%zu", l);
    }
    assert_ok(scant_rows_set_weights(rows, s->weighted ? t->w : NULL));
    if (s->labelled)
        assert_ok(scant_rows_set_labels(rows, t->cells, classes, CLASSES, NULL));
    return rows;
}

/* log f_j of one row's cells, by the textbook */
static double naive_density(const scant_i_mixture *m, size_t j, const double *x)
{
    double sum = 0;
    for (size_t f = 0; f < m->nfactors; f++) {
        const scant_i_factor *factor = m->factor[f];
        double cells[16];
        uint8_t present[16];
        for (size_t c = 0; c < factor->ncolumns; c++) {
            cells[c] = x[factor->columns[c]];
            present[c] = (uint8_t)(cells[c] == cells[c]);
        }
        sum += family_case_of(factor->family)->log_density(factor, j, cells, present);
    }
    return sum;
}

static double naive_objective(const scant_model *model, const table *t, bool labelled)
{
    scant_i_mixture *m = model->mixture;
    assert_int_equal(scant_i_mixture_prepare(m), SCANT_OK);
    double sum = scant_i_mixture_log_prior(m);
    for (size_t i = 0; i < ROWS; i++) {
        double top = -INFINITY, mass = 0, l[8];
        for (size_t j = 0; j < m->ncomponents; j++) {
            double a = 0;
            for (size_t k = 0; k < m->nclasses; k++)
                a += m->coupling.W[k * m->stride + j] * (labelled ? t->v[i * 2 + k] : 1);
            l[j] = log(a) + naive_density(m, j, t->x + i * t->ncolumns);
            top = fmax(top, l[j]);
        }
        for (size_t j = 0; j < m->ncomponents; j++)
            mass += exp(l[j] - top);
        sum += t->w[i] * (top + log(mass));
    }
    return sum;
}

static void check_fit(table *t, const char **families, size_t nfamilies, const char *target,
                      const setting *s)
{
    scant_rows *rows = rows_of(t, s);
    scant_model *model = NULL;
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.families = (scant_texts){families, nfamilies};
    options.model.target = target;
    options.model.components = "4";
    options.model.sharing = s->common ? "common" : "separate";
    options.run.accelerate = s->squarem ? "squarem" : "none";
    options.run.anneal = s->anneal;
    options.run.starts = 2;
    options.run.max_iter = 12;
    options.model.smooth = 0.5;
    options.run.threads = 2;
    assert_ok(scant_fit(&model, rows, &options));
    double want = naive_objective(model, t, s->labelled);
    double got = scant_model_summary(model)->objective;
    if (!(fabs(got - want) <= 1e-9 * fabs(want)))
        fail_msg("%s: objective %.15g, row by row %.15g", families[0], got, want);
    size_t count;
    const double *trace = scant_model_trace(model, &count);
    for (size_t k = 1; k < count; k++)
        if (trace[k] < trace[k - 1] - 1e-11 * fabs(trace[k - 1]))
            fail_msg("%s: the objective falls from %.15g to %.15g", families[0], trace[k - 1],
                     trace[k]);
    scant_model_free(model);
    scant_rows_free(rows);
}

static void each_setting(const family_case *const *cases, size_t ncases, const char **families,
                         const char *target)
{
    bool may_miss = true;
    for (size_t c = 0; c < ncases; c++)
        may_miss &= !cases[c]->family->needs_all_cells;
    for (unsigned bits = 0; bits < 32; bits++) {
        setting s = {bits & 1, bits & 2, bits & 4, bits & 8, bits & 16, bits % 3 == 1};
        s.common &= s.labelled;
        if (s.missing && !may_miss)
            continue;
        table t = {0};
        scant_i_random random = scant_i_random_new(3, bits);
        for (size_t c = 0; c < ncases; c++)
            append(&t, cases[c], &random);
        add_evidence(&t, &s, &random);
        for (size_t i = 0; s.missing && i < ROWS * t.ncolumns; i++)
            if (scant_i_random_uniform(&random) < 0.1)
                t.x[i] = NAN;
        check_fit(&t, families, ncases, target, &s);
        scant_i_free(t.x);
    }
}

static void test_each_family(void **state)
{
    (void)state;
    for (size_t k = 0; k <= PLAIN_CASES; k++) { /* one Gaussian among them */
        const family_case *one = &family_cases[k];
        const char *name = one->family->name;
        each_setting(&one, 1, &name, one->family == &scant_i_regression ? "b" : NULL);
    }
}

static void test_product(void **state)
{
    (void)state;
    const family_case *cases[] = {family_case_of(&scant_i_gaussian),
                                  family_case_of(&scant_i_poisson),
                                  family_case_of(&scant_i_categorical)};
    /* columns: a b c gaussian, d e f g poisson, the others categories */
    const char *all[] = {"poisson:d", "e", "f", "g"};
    for (unsigned bits = 0; bits < 16; bits++) {
        setting s = {bits & 1, bits & 2, bits & 4, bits & 8, false, false};
        table t = {0};
        scant_i_random random = scant_i_random_new(5, bits);
        for (size_t c = 0; c < 3; c++)
            append(&t, cases[c], &random);
        add_evidence(&t, &s, &random);
        for (size_t i = 0; s.missing && i < ROWS * t.ncolumns; i++)
            if (scant_i_random_uniform(&random) < 0.1)
                t.x[i] = NAN;
        check_fit(&t, all, 4, NULL, &s);
        scant_i_free(t.x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_family),
        cmocka_unit_test(test_product),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
