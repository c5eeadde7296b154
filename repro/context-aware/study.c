/* The paper's simulations: `study EXPERIMENT PROBLEMS SEED THREADS DIVERGENCE SIDE OUT.npy`.
 *
 * The array written is conditions x problems x (S, US, then CA, WCA, DCA a level) x measures. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "npy.h"
#include "solve.h"

static const double levels[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99};
enum { LEVELS = sizeof levels / sizeof *levels };

/* Special situations change one thing in the scenario of two univariate normals. */
typedef struct experiment {
    const char *name;
    const scenario *scenario;
    bool wrong, biased, mixed; /* 10 to 90 % of contexts; 10 to 90 % in the first class */
} experiment;

static const experiment experiments[] = {
    {"means", &scenarios[MEANS], 0, 0, 0},     {"two", &scenarios[TWO], 0, 0, 0},
    {"three", &scenarios[THREE], 0, 0, 0},     {"plane", &scenarios[PLANE], 0, 0, 0},
    {"maxwell", &scenarios[MAXWELL], 0, 0, 0}, {"lines", &scenarios[LINES], 0, 0, 0},
    {"mixed", &scenarios[TWO], .mixed = 1},    {"wrong", &scenarios[TWO], .wrong = 1},
    {"biased", &scenarios[TWO], .biased = 1},
};
enum { EXPERIMENTS = sizeof experiments / sizeof *experiments, CONDITIONS = 9 };

typedef struct study {
    size_t experiment, nconditions, nlevels, nproblems, nfits;
    uint64_t seed;
    reading reading;
    float *out;
} study;

static scant_status solve_levels(const study *s, bench *b, draws *d, float *out)
{
    static const algorithm aware[] = {CA, WCA, DCA};
    bool mixed = experiments[s->experiment].mixed;
    scant_status status = SCANT_OK;
    for (size_t l = 0; l < s->nlevels; l++) {
        if (mixed)
            problem_mixed_context(b->problem, 0, 0.5, d, b->context);
        else
            problem_context(b->problem, levels[l], d, b->context);
        status = bench_show(b, CA);
        for (size_t a = 0; a < 3 && status == SCANT_OK; a++, out += MEASURES)
            status = bench_solve(out, b, aware[a]);
        if (status != SCANT_OK)
            break;
    }
    return status;
}

static scant_status solve_problem(const study *s, size_t condition, size_t number)
{
    const experiment *e = &experiments[s->experiment];
    draws d = draws_new(s->seed, s->experiment, condition, number);
    double share = 0.1 * (double)(condition + 1);
    float *out = s->out + (condition * s->nproblems + number) * s->nfits * MEASURES;
    problem p;
    bench b;
    if (!problem_new(&p, e->scenario, &s->reading, e->biased ? share : 0, e->wrong ? share : 0, &d))
        return SCANT_ERR_INTERNAL;
    scant_status status = bench_new(&b, &p);
    for (algorithm a = S; a <= US && status == SCANT_OK; a++, out += MEASURES) {
        status = bench_show(&b, a);
        if (status == SCANT_OK)
            status = bench_solve(out, &b, a);
    }
    if (status == SCANT_OK)
        status = solve_levels(s, &b, &d, out);
    bench_clear(&b);
    problem_free(&p);
    return status;
}

static bool run(const study *s, int threads)
{
    size_t all = s->nconditions * s->nproblems;
    bool whole = true;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) reduction(&& : whole)
    for (size_t k = 0; k < all; k++) {
        scant_status status = solve_problem(s, k / s->nproblems, k % s->nproblems);
        if (status != SCANT_OK)
            (void)fprintf(stderr, "problem %zu: %s\n", k, scant_message());
        whole = whole && status == SCANT_OK;
    }
    return whole;
}

static size_t find(const char *name)
{
    size_t e = 0;
    while (e < EXPERIMENTS && strcmp(experiments[e].name, name) != 0)
        e++;
    return e;
}

int main(int argc, char **argv)
{
    static const char *const divergences[] = {"forward", "reverse", "symmetric"};
    study s = {0};
    if (argc != 8 || (s.experiment = find(argv[1])) == EXPERIMENTS) {
        (void)fprintf(stderr, "usage: study EXPERIMENT PROBLEMS SEED THREADS "
                              "forward|reverse|symmetric usual|either|one OUT.npy\n");
        return 2;
    }
    const experiment *e = &experiments[s.experiment];
    s.nproblems = strtoul(argv[2], NULL, 10);
    s.seed = strtoull(argv[3], NULL, 10);
    for (divergence k = FORWARD; k <= SYMMETRIC; k++)
        if (strcmp(argv[5], divergences[k]) == 0)
            s.reading.divergence = k;
    s.reading.side = strcmp(argv[6], "either") == 0 ? EITHER
                     : strcmp(argv[6], "one") == 0  ? ONE
                                                    : USUAL;
    s.nconditions = e->wrong || e->biased ? CONDITIONS : 1;
    s.nlevels = e->mixed ? 1 : LEVELS;
    s.nfits = 2 + 3 * s.nlevels;
    s.out = calloc(s.nconditions * s.nproblems * s.nfits * MEASURES, sizeof *s.out);
    const size_t shape[NPY_DIMENSIONS] = {s.nconditions, s.nproblems, s.nfits, MEASURES};
    bool whole = s.out && run(&s, atoi(argv[4])) && npy_write(argv[7], shape, s.out);
    free(s.out);
    return whole ? 0 : 1;
}
