/* Conditional likelihood by bounds: it never falls, whatever the family, the coupling, the evidence, weights and
 * missing cells; without labels it is EM; one step is that of definitions; what has no bound is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <scant/scant.h>
#include "check.h"
#include "family_cases.h"
#include "latent/cem.h"
#include "latent/coordinates.h"
#include "latent/engine.h"
#include "latent/proportions.h"
#include "math/linear.h"

enum { ROWS = 160, M = 4, K = 2, STEPS = 10 };

typedef enum coupling { SEPARATE, COMMON, PRIOR, BOTH_FIXED, COUPLINGS } coupling;
typedef enum evidence { EXACT, MIXED, NO_LABELS } evidence;

typedef struct setting {
    coupling coupling;
    evidence evidence;
    bool weights, missing, squarem, anneal, wrong;
    double generative;
    scant_i_bound_rule rule;
} setting;

typedef struct problem {
    scant_i_mixture *mixture;
    scant_rows *rows;
    scant_i_evidence evidence;
    double *x, w[ROWS], prior[K];
} problem;

static void set_labels(problem *p, const setting *s, scant_i_random *random)
{
    const char *cells[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        double u = scant_i_random_uniform(random);
        const char *label = i % M < 2 ? "a" : "b";
        cells[i] = s->evidence == EXACT       ? label
                   : s->evidence == NO_LABELS ? ""
                   : u < 0.4                  ? label
                   : u < 0.5                  ? "a|b"
                   : u < 0.6                  ? "a:0.3;b:0.7"
                                              : "";
    }
    assert_ok(scant_rows_set_labels(p->rows, cells, (const char *const[]){"a", "b"}, K, NULL));
}

static void couple(problem *p, coupling how)
{
    for (size_t k = 0; k < K; k++)
        for (size_t j = 0; j < M; j++) {
            bool own = how == COMMON || (how == BOTH_FIXED ? j == k : j / 2 == k);
            scant_i_mixture_couple(p->mixture, j, k, own ? (1 + (double)((j + k) % 3)) : 0);
        }
    double sum = 0;
    for (size_t c = 0; c < K * p->mixture->stride; c++)
        sum += p->mixture->coupling.W[c];
    for (size_t c = 0; c < K * p->mixture->stride; c++)
        p->mixture->coupling.W[c] /= sum;
    if (how == PRIOR || how == BOTH_FIXED) {
        assert_ok(SCANT_I_NEW(&p->mixture->coupling.prior, K));
        for (size_t k = 0; k < K; k++)
            for (size_t j = 0; j < M; j++)
                p->mixture->coupling.prior[k] += p->mixture->coupling.W[k * p->mixture->stride + j];
    }
}

static void problem_new(problem *p, const family_case *one, const setting *s)
{
    scant_i_random random = scant_i_random_new(11, (uint64_t)s->coupling);
    size_t components = s->coupling == BOTH_FIXED ? K : M;
    *p = (problem){0};
    assert_ok(scant_i_mixture_new(&p->mixture, components, K, 1));
    scant_i_factor *truth = case_factor(one, M, NULL, &random);
    scant_i_factor *factor = case_factor(one, components, NULL, &random);
    p->mixture->factor[0] = factor;
    p->x = case_rows(one, truth, ROWS, &random);
    scant_i_factor_free(truth);
    case_standardise(factor, p->x, ROWS);
    couple(p, s->coupling);
    for (size_t c = 0; c < ROWS * factor->ncolumns && s->missing; c++)
        if (scant_i_random_uniform(&random) < 0.15)
            p->x[c] = NAN;
    assert_ok(scant_rows_new(&p->rows, ROWS, factor->ncolumns, p->x, NULL));
    for (size_t i = 0; i < ROWS; i++)
        p->w[i] = s->weights ? 0.5 * (double)scant_i_random_below(&random, 4) : 1;
    assert_ok(scant_rows_set_weights(p->rows, p->w));
    set_labels(p, s, &random);
    scant_i_evidence_settings settings = {.unlabelled_weight = 0.7};
    assert_ok(scant_i_evidence_new(&p->evidence, p->rows, K, &settings));
}

static void problem_clear(problem *p)
{
    scant_i_evidence_clear(&p->evidence);
    scant_rows_free(p->rows);
    scant_i_mixture_free(p->mixture);
    scant_i_free(p->x);
}

static scant_i_run *fit(const problem *p, const setting *s,
                        const scant_i_latent_objective *objective, size_t threads)
{
    scant_i_run *run = NULL;
    scant_i_engine_options options = {.objective = objective,
                                      .starts = 1,
                                      .max_iter = STEPS,
                                      .kind = SCANT_I_START_KMEANS,
                                      .squarem = s->squarem,
                                      .anneal = s->anneal,
                                      .seed = 3,
                                      .threads = threads};
    assert_ok(scant_i_engine_fit(&run, p->mixture, p->rows, &p->evidence, &options));
    return run;
}

static void check_trace(const scant_i_run *run, const family_case *one, const setting *s)
{
    for (size_t k = 1; k < run->ntrace; k++)
        if (!(run->trace[k] - run->trace[k - 1] >= -1e-10 * (1 + fabs(run->trace[k]))))
            fail_msg(
                "%s %s, coupling %d, evidence %d, weights %d, missing %d, squarem %d, wrong %d, "
                "rule %s: step %zu from %.15g to %.15g",
                one->family->name, one->settings.covariance ? one->settings.covariance : "",
                s->coupling, s->evidence, s->weights, s->missing, s->squarem, s->wrong,
                scant_i_bound_rule_name(s->rule), k, run->trace[k - 1], run->trace[k]);
    assert_true(run->trace[run->ntrace - 1] > run->trace[0]);
}

static void relabel(problem *p, const char *const *cells)
{
    scant_i_evidence_settings settings = {.unlabelled_weight = 1};
    scant_i_evidence_clear(&p->evidence);
    assert_ok(scant_rows_set_labels(p->rows, cells, (const char *const[]){"a", "b"}, K, NULL));
    assert_ok(scant_i_evidence_new(&p->evidence, p->rows, K, &settings));
}

/* The classes change their labels: components then sit on rows of other classes, which take away what the M-step has of
 * them. */
static scant_i_run *fit_from_wrong(problem *p, const setting *s,
                                   const scant_i_latent_objective *objective)
{
    scant_i_run *run = NULL, *before = NULL;
    scant_i_engine_options options = {.starts = 1, .max_iter = 20, .seed = 3, .threads = 1};
    assert_ok(scant_i_engine_fit(&before, p->mixture, p->rows, &p->evidence, &options));
    const char *cells[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        cells[i] = i % M < 2 && i % 16 ? "b" : "a"; /* few rows keep theirs */
    relabel(p, cells);
    options.objective = objective;
    options.given = true;
    options.max_iter = STEPS;
    options.squarem = s->squarem;
    assert_ok(scant_i_engine_fit(&run, before->mixture, p->rows, &p->evidence, &options));
    scant_i_run_free(before);
    return run;
}

static void never_falls_in(const family_case *one, const setting *s)
{
    problem p;
    problem_new(&p, one, s);
    scant_i_cem_settings settings = {s->generative, s->rule};
    if (!scant_i_cem_refuses(p.mixture, &p.evidence, s->missing)) {
        scant_i_latent_objective cem = scant_i_objective_cem(&settings);
        scant_i_run *run = s->wrong ? fit_from_wrong(&p, s, &cem) : fit(&p, s, &cem, 1);
        check_trace(run, one, s);
        scant_i_run_free(run);
    }
    problem_clear(&p);
}

/* Families, and Gaussians with their covariances known, too. */
static void in_all_families(const setting *s)
{
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        family_case one = family_cases[k];
        if (s->missing && one.family->needs_all_cells)
            continue;
        never_falls_in(&one, s);
        one.settings.fixed_covariances = true;
        if (one.family->has_covariances)
            never_falls_in(&one, s);
    }
}

static void it_never_falls(void **state)
{
    (void)state;
    for (coupling c = 0; c < COUPLINGS; c++)
        for (int bits = 0; bits < 16; bits++) {
            setting s = {.coupling = c,
                         .evidence = bits & 1 ? MIXED : EXACT,
                         .weights = (bits & 2) != 0,
                         .missing = (bits & 4) != 0,
                         .squarem = (bits & 8) != 0};
            in_all_families(&s);
        }
}

static void it_never_falls_from_wrong_classes(void **state)
{
    (void)state;
    for (int bits = 0; bits < 8; bits++)
        in_all_families(&(setting){.coupling = bits & 1 ? BOTH_FIXED : SEPARATE,
                                   .evidence = EXACT,
                                   .missing = (bits & 2) != 0,
                                   .squarem = (bits & 4) != 0,
                                   .wrong = true});
}

/* All rows lie a little above the mean of the other class's component: what they take from it is bounded by the slack
 * alone, without which its mean would be below 0. */
static void slack_keeps_a_step_within_range(void **state)
{
    (void)state;
    setting s = {.coupling = BOTH_FIXED, .evidence = EXACT};
    problem p;
    problem_new(&p, family_case_of(&scant_i_poisson), &s);
    scant_i_factor *factor = p.mixture->factor[0];
    size_t d = factor->ncolumns;
    const char *cells[ROWS];
    for (size_t t = 0; t < ROWS * d; t++)
        p.x[t] = 4;
    for (size_t i = 0; i < ROWS; i++)
        cells[i] = i ? "a" : "b";
    for (size_t t = 0; t < 2 * d; t++)
        factor->theta[t] = t < d ? 40 : 3.9; /* of class a, and b */
    scant_rows_free(p.rows);
    assert_ok(scant_rows_new(&p.rows, ROWS, d, p.x, NULL));
    relabel(&p, cells);
    scant_i_cem_settings settings = {0};
    scant_i_latent_objective cem = scant_i_objective_cem(&settings);
    scant_i_engine_options options = {
        .objective = &cem, .starts = 1, .max_iter = 30, .given = true, .threads = 1};
    scant_i_run *run = NULL;
    assert_ok(scant_i_engine_fit(&run, p.mixture, p.rows, &p.evidence, &options));
    check_trace(run, family_case_of(&scant_i_poisson), &s);
    scant_i_run_free(run);
    problem_clear(&p);
}

static void it_never_falls_by_any_rule(void **state)
{
    (void)state;
    for (int r = 0; r < SCANT_I_BOUND_RULES; r++) /* those without a guarantee are held back */
        for (int squarem = 0; squarem < 2; squarem++)
            in_all_families(&(setting){.coupling = SEPARATE,
                                       .evidence = MIXED,
                                       .squarem = squarem,
                                       .rule = (scant_i_bound_rule)r});
    in_all_families(&(setting){.coupling = COMMON, .evidence = MIXED, .generative = 0.3});
    in_all_families(&(setting){.coupling = SEPARATE, .evidence = MIXED, .anneal = true});
}

/* To the bit but for the sums of what is absent. */
static void without_labels_it_is_em(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        setting s = {.coupling = COMMON, .evidence = NO_LABELS, .weights = true};
        problem p;
        problem_new(&p, &family_cases[k], &s);
        scant_i_cem_settings settings = {0};
        if (!scant_i_cem_refuses(p.mixture, &p.evidence, false)) {
            scant_i_latent_objective cem = scant_i_objective_cem(&settings);
            scant_i_run *ours = fit(&p, &s, &cem, 1), *em = fit(&p, &s, NULL, 1);
            assert_int_equal(ours->ntrace, em->ntrace);
            for (size_t t = 0; t < em->ntrace; t++)
                assert_true(fabs(ours->trace[t] - em->trace[t]) <= 1e-12 * fabs(em->trace[t]));
            scant_i_run_free(ours);
            scant_i_run_free(em);
        }
        problem_clear(&p);
    }
}

static void threads_leave_no_trace(void **state)
{
    (void)state;
    static const scant_i_family *const families[] = {&scant_i_gaussian, &scant_i_multinomial};
    for (size_t k = 0; k < 2; k++) {
        setting s = {.coupling = COMMON, .evidence = MIXED, .weights = true};
        problem p;
        problem_new(&p, family_case_of(families[k]), &s);
        scant_i_cem_settings settings = {0};
        scant_i_latent_objective cem = scant_i_objective_cem(&settings);
        scant_i_run *one = fit(&p, &s, &cem, 1), *three = fit(&p, &s, &cem, 3);
        assert_memory_equal(one->trace, three->trace, one->ntrace * sizeof *one->trace);
        scant_i_run_free(one);
        scant_i_run_free(three);
        problem_clear(&p);
    }
}

/* --- by the gradient --- */

/* O with the log prior at coordinates x. */
static double value_at(scant_i_problem *question, scant_i_mixture *m, const double *x)
{
    assert_ok(scant_i_coordinates_set(m, x));
    assert_ok(scant_i_problem_expect(question, m, true));
    return scant_i_problem_value(question) + scant_i_mixture_log_prior(m);
}

static void slope_in(const family_case *one, const setting *s)
{
    static const double STEP = 1e-5;
    problem p;
    problem_new(&p, one, s);
    scant_i_cem_settings settings = {.generative = s->generative};
    scant_i_latent_objective objective = scant_i_objective_conditional(&settings);
    scant_i_run *run = NULL; /* some way from the start */
    scant_i_engine_options options = {.starts = 1, .max_iter = 3, .seed = 3, .threads = 1};
    assert_ok(scant_i_engine_fit(&run, p.mixture, p.rows, &p.evidence, &options));
    if (!run->healthy) { /* at a bound, where there is one side alone */
        scant_i_run_free(run);
        problem_clear(&p);
        return;
    }
    scant_i_problem question = {0};
    assert_ok(
        scant_i_problem_new_for(&question, p.rows, &p.evidence, run->mixture, &objective, 0, 1));
    size_t n = scant_i_coordinates_count(run->mixture);
    double *x = NULL, *slope, *to;
    assert_ok(SCANT_I_NEW(&x, 3 * n));
    slope = x + n;
    to = slope + n;
    scant_i_coordinates_get(run->mixture, x);
    double value = value_at(&question, run->mixture, x);
    assert_ok(scant_i_coordinates_slope(&question, slope));
    scant_i_random random = scant_i_random_new(14, 1);
    for (size_t t = 0; t < 6; t++) { /* directions: all coordinates at once */
        double along = 0, rise[2], size = 0;
        for (size_t i = 0; i < n; i++)
            to[i] = t < 5 ? scant_i_random_normal(&random) : slope[i];
        for (size_t i = 0; i < n; i++)
            size += to[i] * to[i];
        for (size_t i = 0; i < n; i++) {
            to[i] /= sqrt(size);
            along += slope[i] * to[i];
        }
        for (int up = 0; up < 2; up++) {
            for (size_t i = 0; i < n; i++)
                x[i] += (up ? 2 : -1) * STEP * to[i];
            rise[up] = value_at(&question, run->mixture, x);
        }
        for (size_t i = 0; i < n; i++)
            x[i] -= STEP * to[i];
        double difference = (rise[1] - rise[0]) / (2 * STEP);
        if (!(fabs(along - difference) <= 1e-6 * (fabs(value) + fabs(along))))
            fail_msg("%s %s, coupling %d, missing %d: slope %.10g, not %.10g", one->family->name,
                     one->settings.covariance ? one->settings.covariance : "", s->coupling,
                     s->missing, along, difference);
    }
    scant_i_free(x);
    scant_i_problem_clear(&question);
    scant_i_run_free(run);
    problem_clear(&p);
}

static void slopes_are_those_of_differences(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILY_CASES; k++)
        for (int bits = 0; bits < 16; bits++) {
            family_case one = family_cases[k];
            setting s = {.coupling = bits & 1   ? COMMON
                                     : bits & 2 ? PRIOR
                                                : SEPARATE,
                         .evidence = MIXED,
                         .weights = (bits & 2) != 0,
                         .missing = (bits & 4) != 0,
                         .generative = bits & 1 ? 0.3 : 0};
            if (!one.family->coordinates || (s.missing && one.family->needs_all_cells))
                continue;
            if (bits & 8) { /* priors, and known covariances */
                one.settings.smooth = 0.7;
                one.settings.shrinkage = bits & 1 ? 3 : 0;
                one.settings.fixed_covariances = !(bits & 1);
            }
            slope_in(&one, &s);
        }
}

static void it_climbs_as_far_as_steps_go(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        setting s = {.coupling = SEPARATE, .evidence = MIXED, .generative = 0.1};
        problem p;
        if (!family_cases[k].family->coordinates)
            continue;
        problem_new(&p, &family_cases[k], &s);
        scant_i_cem_settings settings = {.generative = s.generative};
        scant_i_latent_objective objective = scant_i_objective_conditional(&settings);
        scant_i_engine_options options = {.objective = &objective,
                                          .climbs = true,
                                          .starts = 1,
                                          .max_iter = 100,
                                          .kind = SCANT_I_START_KMEANS,
                                          .seed = 3,
                                          .threads = 1};
        scant_i_run *climbed = NULL;
        assert_ok(scant_i_engine_fit(&climbed, p.mixture, p.rows, &p.evidence, &options));
        for (size_t t = 1; t < climbed->ntrace; t++)
            assert_true(climbed->trace[t] >= climbed->trace[t - 1] - 1e-12);
        if (!scant_i_cem_refuses(p.mixture, &p.evidence, false)) {
            scant_i_latent_objective cem = scant_i_objective_cem(&settings);
            scant_i_run *stepped = fit(&p, &s, &cem, 1);
            if (!(climbed->trace[climbed->ntrace - 1] >=
                  stepped->trace[stepped->ntrace - 1] - 1e-6))
                fail_msg("%s: %.10g, not %.10g", p.mixture->factor[0]->family->name,
                         climbed->trace[climbed->ntrace - 1], stepped->trace[stepped->ntrace - 1]);
            scant_i_run_free(stepped);
        }
        scant_i_run_free(climbed);
        problem_clear(&p);
    }
}

/* --- of what it is made --- */

/* Distances and slack are those of the exponential form: Z' K''^-1 Z by differences of K, and K' - Z / t on the edge of
 * what the family's M-step takes. */
static void distances_are_those_of_the_exponential_form(void **state)
{
    enum { N = 12, WIDE = 16 };
    (void)state;
    scant_i_random random = scant_i_random_new(12, 1);
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        const family_case *one = &family_cases[k];
        const scant_i_family_reach *reach = one->family->reach;
        if (!reach)
            continue;
        scant_i_factor *factor = case_factor(one, 2, NULL, &random);
        double *x = case_rows(one, factor, N, &random), *room = NULL;
        scant_rows *rows = NULL;
        case_standardise(factor, x, N);
        assert_ok(scant_rows_new(&rows, N, factor->ncolumns, x, NULL));
        assert_ok(one->family->pass->prepare(factor));
        assert_ok(SCANT_I_NEW(&room, reach->room(factor, N) + 1));
        scant_i_block block = {.batch = ALL_ROWS(rows), .nrows = N};
        double distance[N * 8], slack[N * 8], total[N];
        assert_ok(reach->distances(factor, &block, distance, slack, total, room));
        const scant_i_family_natural *natural = one->family->natural;
        size_t n = natural->nnatural(factor);
        for (size_t j = 0; j < 2; j++)
            for (size_t i = 0; i < N; i++) {
                double eta[WIDE], T[WIDE], value, K1[WIDE], K2[WIDE * WIDE], Z[WIDE], zz = 0;
                assert_ok(natural->eta(factor, j, eta));
                natural->sufficient(factor, x + i * factor->ncolumns, T);
                assert_ok(natural->cumulant(factor, eta, x + i * factor->ncolumns, &value, K1, K2));
                for (size_t a = 0; a < n; a++)
                    Z[a] = T[a] - K1[a];
                assert_true(scant_i_cholesky(K2, n));
                scant_i_forward_solve(K2, n, Z);
                for (size_t a = 0; a < n; a++)
                    zz += Z[a] * Z[a];
                if (!(fabs(distance[i * 8 + j] - zz) <= 1e-6 * (1 + zz)))
                    fail_msg("%s: distance %.10g, not %.10g", one->family->name,
                             distance[i * 8 + j], zz);
                assert_true(slack[i * 8 + j] >= 0 && total[i] > 0);
            }
        scant_i_free(room);
        scant_rows_free(rows);
        scant_i_free(x);
        scant_i_factor_free(factor);
    }
}

/* The edge, of families whose range is a half-line or an interval, and of diagonal Gaussians. */
static void slack_keeps_means_in_their_range(void **state)
{
    (void)state;
    setting s = {.coupling = SEPARATE};
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        const family_case *one = &family_cases[k];
        if (!one->family->reach)
            continue;
        problem p;
        problem_new(&p, one, &s);
        scant_i_factor *factor = p.mixture->factor[0];
        const scant_i_family_pass *pass = one->family->pass;
        size_t stride = factor->stride, nstatistics = pass->nstatistics(factor);
        double *room = NULL, *statistics = NULL, *R = NULL;
        double distance[ROWS * 8], slack[ROWS * 8], total[ROWS], w[8];
        assert_ok(pass->prepare(factor));
        assert_ok(SCANT_I_NEW(&room, one->family->reach->room(factor, ROWS) + 1));
        assert_ok(SCANT_I_NEW(&statistics, nstatistics));
        assert_ok(SCANT_I_NEW(&R, ROWS * stride));
        scant_i_block block = {.batch = ALL_ROWS(p.rows), .nrows = ROWS};
        assert_ok(one->family->reach->distances(factor, &block, distance, slack, total, room));
        void *scratch = scant_i_calloc(1, pass->scratch(factor, ROWS, false));
        assert_non_null(scratch);
        for (size_t i = 0; i < ROWS;
             i++) /* K' - Z / t is in the closure: t K' - Z = (1 + t) K' - T */
            for (size_t j = 0; j < M; j++) {
                block = (scant_i_block){.batch = ALL_ROWS(p.rows), .nrows = 1, .first = i};
                memset(statistics, 0, nstatistics * sizeof *statistics);
                memset(R, 0, stride * sizeof *R);
                memset(w, 0, sizeof w);
                R[j] = -1;
                w[j] = total[i] * (1 + slack[i * stride + j] * (1 + 1e-9)) + 1e-9;
                assert_ok(pass->accumulate(factor, &block, R, statistics, scratch));
                assert_ok(pass->anchor(factor, w, statistics));
                scant_i_factor *copy = NULL;
                assert_ok(scant_i_factor_copy(&copy, factor));
                assert_ok(pass->prepare(copy));
                if (strncmp(one->settings.covariance ? one->settings.covariance : "", "tied", 4))
                    assert_ok(pass->maximise(copy, statistics));
                scant_i_factor_free(copy);
            }
        scant_i_free(scratch);
        scant_i_free(room);
        scant_i_free(statistics);
        scant_i_free(R);
        problem_clear(&p);
    }
}

/* Derivatives N / alpha - G alpha^(p-1) / before^p are one multiplier, and nothing near is better. */
static void proportions_are_at_the_maximum(void **state)
{
    enum { CELLS = 6 };
    (void)state;
    scant_i_random random = scant_i_random_new(13, 1);
    for (size_t t = 0; t < 500; t++) {
        double before[CELLS], N[CELLS], G[CELLS], alpha[CELLS], sum = 0, total = 0.7;
        unsigned p = 5;
        for (size_t c = 0; c < CELLS; c++) {
            before[c] = c == 1 ? 0 : exp(3 * scant_i_random_normal(&random));
            N[c] = c == 1 || c == t % CELLS ? 0 : exp(4 * scant_i_random_normal(&random));
            G[c] = c == 1 || t % 7 == c ? 0 : exp(4 * scant_i_random_normal(&random));
            sum += before[c];
        }
        for (size_t c = 0; c < CELLS; c++)
            before[c] *= total / sum;
        scant_i_bounded_proportions(alpha, before, N, G, CELLS, p, total);
        double multiplier[CELLS], of_all = 0, scale = 0;
        sum = 0;
        for (size_t c = 0; c < CELLS; c++) {
            sum += alpha[c];
            assert_true(alpha[c] >= 0 && (c != 1 || alpha[c] == 0));
            if (!(alpha[c] > 0))
                continue;
            double taken = G[c] * pow(alpha[c] / before[c], p) / alpha[c];
            multiplier[c] = N[c] / alpha[c] - taken;
            of_all += alpha[c] * multiplier[c] / total;
            scale = fmax(scale, N[c] / alpha[c] + taken);
        }
        assert_true(fabs(sum - total) <= 1e-12);
        for (size_t c = 0; c < CELLS; c++)
            assert_true(!(alpha[c] > 1e-12) || fabs(multiplier[c] - of_all) <= 1e-6 * scale);
    }
}

static void what_has_no_bound_is_refused(void **state)
{
    (void)state;
    setting s = {.coupling = SEPARATE, .evidence = EXACT};
    scant_i_cem_settings settings = {0};
    scant_i_latent_objective cem = scant_i_objective_cem(&settings);
    scant_i_engine_options options = {.objective = &cem, .starts = 1, .max_iter = 1};
    scant_i_run *run = NULL;
    problem p;
    problem_new(&p, family_case_of(&scant_i_gamma), &s);
    assert_fails(scant_i_engine_fit(&run, p.mixture, p.rows, &p.evidence, &options),
                 SCANT_ERR_ARGUMENT,
                 "no bound is known for gamma; families that have one: gaussian, multinomial, "
                 "bernoulli, categorical, poisson, exponential, maxwell");
    problem_clear(&p);
    s.missing = true;
    problem_new(&p, family_case_of(&scant_i_gaussian), &s);
    assert_fails(scant_i_engine_fit(&run, p.mixture, p.rows, &p.evidence, &options),
                 SCANT_ERR_ARGUMENT, "full covariances of rows with missing cells");
    problem_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_never_falls),
        cmocka_unit_test(it_never_falls_from_wrong_classes),
        cmocka_unit_test(slack_keeps_a_step_within_range),
        cmocka_unit_test(it_never_falls_by_any_rule),
        cmocka_unit_test(without_labels_it_is_em),
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(slopes_are_those_of_differences),
        cmocka_unit_test(it_climbs_as_far_as_steps_go),
        cmocka_unit_test(distances_are_those_of_the_exponential_form),
        cmocka_unit_test(slack_keeps_means_in_their_range),
        cmocka_unit_test(proportions_are_at_the_maximum),
        cmocka_unit_test(what_has_no_bound_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
