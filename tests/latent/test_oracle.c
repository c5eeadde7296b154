/* The engine against the naive oracle, in every combination of covariance, evidence, sharing,
 * weights, missing cells, fixed proportions and threads; and the objective never falls. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <scant/scant.h>
#include "base/random.h"
#include "family/gaussian.h"
#include "model/model.h"
#include "naive_em.h"

enum { N = 500, D = 3, CLASSES = 2, STEPS = 5 };

typedef enum evidence_kind { NONE, EXACT, PARTLY, SETS, PROBABILITIES, EVIDENCES } evidence_kind;
static const char *const evidence_name[] = {"none", "exact", "partly", "sets", "probabilities"};
static const char *const covariance_name[] = {"full", "diag",      "spherical",
                                              "tied", "tied-diag", "tied-spherical"};

typedef struct setting {
    const char *covariance;
    evidence_kind evidence;
    bool common, weighted, missing, fixed;
    size_t threads;
    double shift, tightness; /* how far from the origin, and how tight the groups are */
    const char *mode, *method;
    double unlabeled_weight;
    const char *noise; /* --label-noise, or NULL */
} setting;

typedef struct problem {
    double x[N * D], w[N], v[N * (CLASSES + 1)];
    double naive_w[N];
    int kind[N];
    char cell[N][32];
    const char *cells[N];
    scant_rows *rows;
} problem;

/* Classes of the coupling, with that of unlabelled rows. */
static size_t classes_of(const setting *s)
{
    return CLASSES + (strcmp(s->method, "em3") == 0);
}

static void make_problem(problem *p, const setting *s)
{
    static const double centre[4][D] = {{0, 0, 0}, {3, 1, 0}, {0, 4, 2}, {4, 4, -3}};
    scant_i_random random = scant_i_random_new(11, 5);
    for (size_t i = 0; i < N; i++) {
        size_t group = scant_i_random_below(&random, 4), label = group / 2;
        double common = scant_i_random_normal(&random);
        for (size_t c = 0; c < D; c++) {
            double noise = 0.6 * common + scant_i_random_normal(&random) * (1 + 0.3 * (double)c);
            p->x[i * D + c] = s->shift + centre[group][c] + noise / s->tightness;
            if (s->missing && scant_i_random_uniform(&random) < 0.15)
                p->x[i * D + c] = NAN;
        }
        p->w[i] = s->weighted ? floor(4 * scant_i_random_uniform(&random)) / 2 : 1;
        double u = scant_i_random_uniform(&random);
        double hint = label ? 0.2 + 0.1 * floor(8 * u) : 0.1 + 0.1 * floor(8 * u);
        double *v = p->v + i * classes_of(s);
        v[0] = v[1] = 1;
        p->kind[i] = 0;
        p->cell[i][0] = '\0';
        if (s->evidence == EXACT || (s->evidence == PARTLY && u < 0.4) ||
            (s->evidence == SETS && u < 0.3) || (s->evidence == PROBABILITIES && u < 0.2)) {
            strcpy(p->cell[i], label ? "b" : "a");
            v[0] = !label;
            v[1] = label ? 1 : 0;
        } else if (s->evidence == SETS && u < 0.6) {
            strcpy(p->cell[i], "a|b");
        } else if (s->evidence == PROBABILITIES && u < 0.9) {
            (void)snprintf(p->cell[i], sizeof p->cell[i], "a:%.1f;b:%.1f", 1 - hint, hint);
            v[1] = strtod(strrchr(p->cell[i], ':') + 1, NULL);
            v[0] = strtod(strchr(p->cell[i], ':') + 1, NULL);
            p->kind[i] = strcmp(s->mode, "prior") == 0       ? 1
                         : strcmp(s->mode, "posterior") == 0 ? 2
                                                             : 0;
        }
        bool unknown = p->cell[i][0] == '\0';
        if (classes_of(s) > CLASSES) { /* unlabelled rows are the third class */
            v[2] = unknown;
            v[0] = unknown ? 0 : v[0];
            v[1] = unknown ? 0 : v[1];
        }
        p->naive_w[i] = p->w[i] * (unknown ? s->unlabeled_weight : 1);
        p->cells[i] = p->cell[i];
    }
    static const char *const names[D] = {"p", "q", "r"}, *const classes[2] = {"a", "b"};
    assert_int_equal(scant_rows_new(&p->rows, N, D, p->x, names), SCANT_OK);
    assert_int_equal(scant_rows_set_weights(p->rows, s->weighted ? p->w : NULL), SCANT_OK);
    if (s->evidence != NONE)
        assert_int_equal(scant_rows_set_labels(p->rows, p->cells, classes, 2, NULL), SCANT_OK);
}

static void check_close(double a, double b, double unit, const char *what, const setting *s)
{
    /* a mean far away keeps fewer digits of the spread; and a component that shrinks a lot in one
     * step is exact from the next one on */
    double tolerance = 1e-9 + 1e-14 * s->shift + 1e-11 * (s->tightness - 1);
    if (fabs(a - b) <= tolerance * fmax(unit, fmax(fabs(a), fabs(b))))
        return;
    fail_msg("%s: engine %.15g, oracle %.15g (%s, %s%s%s%s%s, %s, %s, shift %g, tightness %g)",
             what, a, b, s->covariance, evidence_name[s->evidence], s->common ? ", common" : "",
             s->weighted ? ", weights" : "", s->missing ? ", missing" : "",
             s->fixed ? ", prior" : "", s->mode, s->method, s->shift, s->tightness);
}

static void take_parameters(naive_em *em, const scant_model *model)
{
    const scant_i_mixture *m = model->mixture;
    for (size_t j = 0; j < m->ncomponents; j++) {
        for (size_t k = 0; k < m->nclasses; k++)
            em->W[j * m->nclasses + k] = m->coupling.W[k * m->stride + j];
        memcpy(em->mu + j * D, scant_i_gaussian_mean(m->factor[0], j), D * sizeof *em->mu);
        scant_i_gaussian_full(m->factor[0], j, em->S + j * D * D);
    }
}

static void compare(const scant_model *model, const naive_em *em, const setting *s)
{
    const scant_i_mixture *m = model->mixture;
    double S[D * D];
    for (size_t j = 0; j < m->ncomponents; j++) {
        scant_i_gaussian_full(m->factor[0], j, S);
        for (size_t k = 0; k < m->nclasses; k++)
            check_close(m->coupling.W[k * m->stride + j], em->W[j * m->nclasses + k], 1, "coupling",
                        s);
        for (size_t c = 0; c < D; c++)
            check_close(scant_i_gaussian_mean(m->factor[0], j)[c], em->mu[j * D + c], 1, "mean", s);
        for (size_t c = 0; c < D * D; c++)
            check_close(S[c], em->S[j * D * D + c], 1 / (s->tightness * s->tightness), "covariance",
                        s);
    }
}

static bool is_label(const problem *p, size_t i)
{
    return strchr(p->cell[i], ':') == NULL;
}

/* v = noise u of the rows whose evidence is labels; probabilities are what they are. */
static void see_through(double *v, const problem *p, const double *noise, size_t K)
{
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < K; k++) {
            bool through = k < CLASSES && is_label(p, i);
            v[i * K + k] = through ? 0 : p->v[i * K + k];
            for (size_t y = 0; y < CLASSES && through; y++)
                v[i * K + k] += noise[k * CLASSES + y] * p->v[i * K + y];
        }
}

/* The share of each label among the labelled rows that fell to a class. */
static void learn_noise(double *noise, const problem *p, const double *c, const double *v, size_t K)
{
    for (size_t k = 0; k < CLASSES; k++) {
        double seen[CLASSES] = {0}, total = 0;
        for (size_t i = 0; i < N; i++) {
            const double *u = p->v + i * K;
            if (u[0] == u[1] || !is_label(p, i))
                continue;
            for (size_t y = 0; y < CLASSES; y++)
                seen[y] += c[i * K + k] * noise[k * CLASSES + y] * u[y] / v[i * K + k];
            total += c[i * K + k];
        }
        for (size_t y = 0; y < CLASSES; y++)
            noise[k * CLASSES + y] = seen[y] / total;
    }
}

static void check_setting(const setting *s)
{
    static problem p;
    static double v[N * (CLASSES + 1)], c[N * (CLASSES + 1)];
    static const double half[2] = {0.35, 0.65};
    make_problem(&p, s);
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.components = "4";
    options.model.covariance = s->covariance;
    options.model.sharing = s->common ? "common" : "separate";
    options.model.prior = s->fixed ? "a=0.35,b=0.65" : NULL;
    options.run.threads = s->threads;
    options.run.starts = 1;
    options.run.max_iter = 0;
    options.run.tol = 0;
    options.model.min_variance = 1e-10;
    options.evidence.context_mode = s->mode;
    options.evidence.unlabeled = s->method;
    options.evidence.unlabeled_weight = s->unlabeled_weight;
    options.evidence.label_noise = s->noise;
    scant_model *start = NULL, *end = NULL;
    if (scant_fit(&start, p.rows, &options) != SCANT_OK)
        fail_msg("%s", scant_message());
    options.run.start = start;
    options.run.max_iter = STEPS;
    if (scant_fit(&end, p.rows, &options) != SCANT_OK)
        fail_msg("%s", scant_message());

    double W[4 * (CLASSES + 1)], mu[4 * D], S[4 * D * D], ones[N];
    for (size_t i = 0; i < N; i++)
        ones[i] = 1;
    naive_em em = {.n = N,
                   .d = D,
                   .M = 4,
                   .x = p.x,
                   .w = p.naive_w,
                   .kind = p.kind,
                   .component_major = strcmp(s->method, "em1") == 0,
                   .covariance = s->covariance,
                   .W = W,
                   .mu = mu,
                   .S = S};
    em.K = s->evidence == NONE ? 1 : classes_of(s);
    em.v = s->evidence == NONE ? ones : p.v;
    em.prior = s->fixed ? half : NULL;
    bool learned = s->noise && strcmp(s->noise, "estimate") == 0;
    double rate = learned ? 0.1 : s->noise ? strtod(s->noise, NULL) : 0;
    double noise[CLASSES * CLASSES] = {1 - rate, rate, rate, 1 - rate};
    if (s->noise) {
        em.v = v;
        em.c = c;
        see_through(v, &p, noise, em.K);
    }
    take_parameters(&em, start);
    size_t count;
    const double *trace = scant_model_trace(end, &count);
    double total = 0;
    for (size_t i = 0; i < N; i++)
        total += p.naive_w[i];
    assert_int_equal(count, STEPS + 1);
    for (size_t step = 0; step < STEPS; step++) {
        naive_em_step(&em);
        if (learned) {
            learn_noise(noise, &p, c, v, em.K);
            see_through(v, &p, noise, em.K);
        }
        check_close(trace[step] * total, em.loglik, 1, "log-likelihood", s);
        if (trace[step + 1] < trace[step] - 1e-12 * fabs(trace[step]))
            fail_msg("the objective falls at step %zu (%s, %s)", step, s->covariance,
                     evidence_name[s->evidence]);
    }
    compare(end, &em, s);
    for (size_t t = 0; t < CLASSES * CLASSES && s->noise; t++)
        check_close(scant_model_label_noise(end, t / CLASSES, t % CLASSES), noise[t], 1, "noise",
                    s);
    scant_model_free(start);
    scant_model_free(end);
    scant_rows_free(p.rows);
}

static void every_combination_agrees(void **state)
{
    (void)state;
    for (size_t covariance = 0; covariance < 6; covariance++)
        for (int evidence = NONE; evidence < EVIDENCES; evidence++)
            for (unsigned bits = 0; bits < 16; bits++) {
                setting s = {covariance_name[covariance],
                             (evidence_kind)evidence,
                             bits & 1,
                             bits & 2,
                             bits & 4,
                             bits & 8,
                             1 + bits % 3,
                             0,
                             1,
                             "likelihood",
                             "em2",
                             1,
                             NULL};
                if (evidence == NONE && (s.common || s.fixed))
                    continue;
                check_setting(&s);
            }
}

/* Ways to take unlabelled rows and probabilities, in every legal combination; the others are
 * refused. */
static void every_method_agrees(void **state)
{
    (void)state;
    static const char *const modes[] = {"likelihood", "prior", "posterior"};
    static const char *const methods[] = {"em1", "em2", "em3"};
    for (size_t covariance = 0; covariance < 6; covariance += 2)
        for (size_t mode = 0; mode < 3; mode++)
            for (size_t method = 0; method < 3; method++)
                for (unsigned bits = 0; bits < 16; bits++) {
                    setting s = {covariance_name[covariance],
                                 bits & 8 ? PROBABILITIES : PARTLY,
                                 bits & 1,
                                 bits & 2,
                                 bits & 4,
                                 false,
                                 1,
                                 0,
                                 1,
                                 modes[mode],
                                 methods[method],
                                 bits & 2 ? 0.3 : 1,
                                 NULL};
                    if ((method == 0 && mode > 0) || (method == 2 && mode == 1))
                        continue; /* refused: see tests/learn */
                    check_setting(&s);
                }
}

/* Wrong labels, at a known rate with every method and sharing, or learned where that can be. */
static void every_noise_agrees(void **state)
{
    (void)state;
    static const char *const methods[] = {"em1", "em2", "em3"};
    for (int evidence = EXACT; evidence < EVIDENCES; evidence++)
        for (size_t method = 0; method < 3; method++)
            for (unsigned bits = 0; bits < 16; bits++) {
                setting s = {covariance_name[bits % 2 * 3],
                             (evidence_kind)evidence,
                             bits & 1,
                             bits & 2,
                             bits & 4,
                             false,
                             1 + bits % 2,
                             0,
                             1,
                             "likelihood",
                             methods[method],
                             bits & 2 ? 0.3 : 1,
                             bits & 8 ? "estimate" : "0.15"};
                if (bits & 8 && (s.common || method != 1))
                    continue; /* refused: see tests/cli */
                if (evidence == EXACT && method == 2)
                    continue; /* no row is unlabelled */
                check_setting(&s);
            }
}

/* Far from the origin the data are standardised; tight groups go by their Cholesky factors. */
static void ill_conditioned_components_agree(void **state)
{
    (void)state;
    static const double tightness[] = {1, 30, 2000};
    for (size_t covariance = 0; covariance < 6; covariance++)
        for (unsigned bits = 0; bits < 4; bits++)
            for (size_t t = 0; t < 3; t++) {
                setting s = {covariance_name[covariance],
                             PARTLY,
                             false,
                             bits & 2,
                             bits & 1,
                             false,
                             2,
                             t == 0 ? 1e6 : 0,
                             tightness[t],
                             "likelihood",
                             "em2",
                             1,
                             NULL};
                check_setting(&s);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_combination_agrees),
        cmocka_unit_test(every_method_agrees),
        cmocka_unit_test(every_noise_agrees),
        cmocka_unit_test(ill_conditioned_components_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
