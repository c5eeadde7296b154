#include "inform_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

const char *const inform_mode_name[INFORM_MODES] = {"none",  "exact",     "sets",    "likelihood",
                                                    "prior", "posterior", "labelled"};
enum { CLASSES = 3, CELL = 40 };

/* W: separate has components 0, 1 for class a, 2 for b, 3 for c. */
static void draw_coupling(scant_i_mixture *m, bool common, scant_i_random *random)
{
    double sum = 0;
    for (size_t k = 0; k < m->nclasses; k++)
        for (size_t j = 0; j < m->ncomponents; j++) {
            bool may = m->nclasses == 1 || common || (j == 0 ? 0 : j - 1) == k;
            double w = 0.5 + scant_i_random_uniform(random);
            m->coupling.W[k * m->stride + j] = may ? w : 0;
            sum += may ? w : 0;
        }
    for (size_t t = 0; t < m->nclasses * m->stride; t++)
        m->coupling.W[t] /= sum;
}

/* The label cell of a row of class k. */
static void write_cell(char *cell, const inform_plan *plan, size_t k, scant_i_random *random)
{
    static const char *const sets[CLASSES] = {"a|b", "b|c", "a|c"};
    double u = scant_i_random_uniform(random), steps = plan->many ? 4000 : 4;
    double p = 0.1 + 0.8 / steps * floor(steps * u);
    bool soft =
        plan->mode == INFORM_WEIGH || plan->mode == INFORM_REPLACE || plan->mode == INFORM_FIX;
    cell[0] = '\0';
    if (plan->mode == INFORM_LABELLED || u < 0.25)
        (void)snprintf(cell, CELL, "%c", (char)('a' + k));
    else if (plan->mode == INFORM_SETS && u < 0.6)
        (void)snprintf(cell, CELL, "%s", sets[k]);
    else if (soft && u < 0.85)
        (void)snprintf(cell, CELL, "a:%.4f;b:%.4f;c:%.4f", p, 0.5 * (1 - p), 0.5 * (1 - p));
}

static void label_rows(inform_problem *p, const inform_plan *plan, scant_i_random *random)
{
    static const char *const names[CLASSES] = {"a", "b", "c"};
    const scant_i_mixture *m = p->mixture;
    char *text = calloc(plan->n, CELL);
    const char **cells = calloc(plan->n, sizeof *cells);
    assert_true(text && cells);
    for (size_t i = 0; i < plan->n; i++) {
        size_t j = i % m->ncomponents, k = scant_i_random_below(random, CLASSES);
        while (!(m->coupling.W[k * m->stride + j] > 0))
            k = (k + 1) % CLASSES;
        cells[i] = text + i * CELL;
        write_cell(text + i * CELL, plan, k, random);
    }
    assert_ok(scant_rows_set_labels(p->rows, cells, names, CLASSES, NULL));
    free(text);
    free(cells);
}

static void spoil(inform_problem *p, const inform_plan *plan, scant_i_random *random)
{
    size_t d = plan->family->ncolumns;
    bool only_target = plan->family->family == &scant_i_regression;
    for (size_t t = 0; t < plan->n * d && plan->family->family != &scant_i_multinomial; t++)
        if (scant_i_random_uniform(random) < 0.2 &&
            (!only_target || t % d == plan->family->settings.target))
            p->x[t] = NAN;
}

static void set_extras(inform_problem *p, const inform_plan *plan)
{
    scant_i_mixture *m = p->mixture;
    if (plan->prior && m->nclasses > 1) {
        assert_ok(SCANT_I_NEW(&m->coupling.prior, m->nclasses));
        for (size_t k = 0; k < m->nclasses; k++)
            for (size_t j = 0; j < m->ncomponents; j++)
                m->coupling.prior[k] += m->coupling.W[k * m->stride + j];
    }
    if (plan->noise && m->nclasses > 1) {
        assert_ok(SCANT_I_NEW(&m->coupling.noise, m->nclasses * m->nclasses));
        for (size_t t = 0; t < m->nclasses * m->nclasses; t++)
            m->coupling.noise[t] = t % (m->nclasses + 1) == 0 ? 0.8 : 0.1;
    }
}

void inform_problem_new(inform_problem *p, const inform_plan *plan)
{
    scant_i_random random = scant_i_random_new(31, (uint64_t)(plan->family - family_cases));
    size_t d = plan->family->ncolumns, K = plan->mode == INFORM_NONE ? 1 : CLASSES;
    size_t M = plan->common ? 3 : 4;
    memset(p, 0, sizeof *p);
    assert_ok(scant_i_mixture_new(&p->mixture, M, K, 1));
    scant_i_factor *factor = case_factor(plan->family, M, NULL, &random);
    p->mixture->factor[0] = factor;
    factor->settings.fixed_covariances = plan->fixed;
    draw_coupling(p->mixture, plan->common, &random);
    p->x = case_rows(plan->family, factor, plan->n, &random);
    if (!plan->plain_units)
        case_standardise(factor, p->x, plan->n);
    if (plan->missing)
        spoil(p, plan, &random);
    assert_ok(scant_rows_new(&p->rows, plan->n, d, p->x, NULL));
    if (plan->weighted) {
        double *w = calloc(plan->n, sizeof *w);
        assert_non_null(w);
        for (size_t i = 0; i < plan->n; i++)
            w[i] = 0.5 * (double)scant_i_random_below(&random, 5);
        assert_ok(scant_rows_set_weights(p->rows, w));
        free(w);
    }
    if (K > 1)
        label_rows(p, plan, &random);
    set_extras(p, plan);
    scant_i_evidence_settings settings = {
        .probabilities = plan->mode == INFORM_REPLACE ? SCANT_I_PRIOR
                         : plan->mode == INFORM_FIX   ? SCANT_I_POSTERIOR
                                                      : SCANT_I_LIKELIHOOD,
        .unlabelled_weight = plan->weighted ? 0.4 : 1,
    };
    assert_ok(scant_i_evidence_new(&p->evidence, p->rows, K, &settings));
}

void inform_problem_clear(inform_problem *p)
{
    scant_i_evidence_clear(&p->evidence);
    scant_rows_free(p->rows);
    scant_i_mixture_free(p->mixture);
    scant_i_free(p->x);
}

void inform_objective_new(inform_objective *o, const inform_problem *p)
{
    *o = (inform_objective){.problem = p};
    assert_ok(scant_i_mixture_copy(&o->mixture, p->mixture));
    assert_ok(scant_i_problem_new(&o->asked, p->rows, &p->evidence, o->mixture, 0, 1));
}

double inform_objective_at(inform_objective *o)
{
    assert_ok(scant_i_problem_expect(&o->asked, o->mixture, false));
    return scant_i_posterior_read(scant_i_problem_own(&o->asked)).objective;
}

void inform_objective_clear(inform_objective *o)
{
    scant_i_problem_clear(&o->asked);
    scant_i_mixture_free(o->mixture);
}
