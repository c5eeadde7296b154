/* Section 4.2 of the paper: `information REPETITIONS SEED THREADS OUT.npy`.
 *
 * Two normals of known deviations; the share and the means are estimated. The array written is
 * contexts x repetitions x (S, US, then CA, WCA a level) x numbers. Contexts are the paper's, which
 * always favour the right class, and true ones, which are right as often as they say. */
#include <stdio.h>
#include <stdlib.h>

#include "npy.h"
#include "solve.h"

enum { ROWS = 10000, STEPS_MAX = 100000, CONTEXTS = 2 };

static const scenario known_deviations = {"information", &law_normal, 2, 1, false, {0}, {0}};
static const mixture actual = {{0.6, 0.4}, {{0, 1}, {1, 2}}};
static const mixture start = {{0.5, 0.5}, {{0.49, 1}, {0.51, 2}}};

static const double levels[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99};
enum { LEVELS = sizeof levels / sizeof *levels, FITS = 2 + 2 * LEVELS };

/* Share and means, their standard errors; EM's rate and steps. NaN where they do not exist. */
enum { SHARE, FIRST, SECOND, ERRORS, RATE_OF_EM = 2 * ERRORS, STEPS, NUMBERS };

static scant_status solve(float *out, bench *b, algorithm how)
{
    estimate e;
    scant_model *model = NULL;
    scant_status status = bench_show(b, how);
    if (status == SCANT_OK)
        status = bench_estimate(&e, &model, b, how, how == S ? 1 : STEPS_MAX);
    scant_model_free(model);
    if (status != SCANT_OK)
        return status;
    const double numbers[NUMBERS] = {
        e.at.share[0],        e.at.theta[0][0],     e.at.theta[1][0], e.errors.share[0],
        e.errors.theta[0][0], e.errors.theta[1][0], e.rate,           (double)e.iterations};
    for (size_t k = 0; k < NUMBERS; k++)
        out[k] = e.regular || k < ERRORS ? (float)numbers[k] : NAN;
    return SCANT_OK;
}

/* P(the context favours the other class | class), so that it is right with probability `top`:
 *   WCA   P(favoured = k | k) = top
 *   CA    P(k | favoured = k) = top, with P(favoured) such that classes have their shares: there
 *         are none below the larger share, and contexts stay as the paper has them */
static double wrong_share(double top, algorithm how, size_t label)
{
    double first = (actual.share[0] - (1 - top)) / (2 * top - 1); /* P(the first is favoured) */
    double other = label == 0 ? 1 - first : first;
    if (how == WCA)
        return 1 - top;
    return top > actual.share[0] ? (1 - top) * other / actual.share[label] : 0;
}

static void draw_contexts(bench *b, double level, bool are_true, algorithm how, draws *d)
{
    double top = context_top(level);
    for (size_t i = 0; i < b->problem->nrows; i++) {
        size_t label = b->problem->label[i];
        bool wrong = are_true && draw_between(d, 0, 1) < wrong_share(top, how, label);
        size_t favoured = wrong ? 1 - label : label;
        b->context[2 * i + favoured] = top;
        b->context[2 * i + 1 - favoured] = 1 - top;
    }
}

static scant_status solve_levels(float *out, bench *b, bool are_true, draws *d)
{
    static const algorithm aware[] = {CA, WCA};
    scant_status status = SCANT_OK;
    for (size_t l = 0; l < LEVELS; l++)
        for (size_t a = 0; a < 2 && status == SCANT_OK; a++, out += NUMBERS) {
            draw_contexts(b, levels[l], are_true, aware[a], d);
            status = solve(out, b, aware[a]);
        }
    return status;
}

static scant_status repeat(float *out, uint64_t seed, size_t contexts, size_t number)
{
    draws d = draws_new(seed, LEVELS, contexts, number);
    problem p;
    bench b;
    if (!problem_of(&p, &known_deviations, &actual, &start, ROWS, &d))
        return SCANT_ERR_MEMORY;
    scant_status status = bench_new(&b, &p);
    for (algorithm a = S; a <= US && status == SCANT_OK; a++, out += NUMBERS)
        status = solve(out, &b, a);
    if (status == SCANT_OK)
        status = solve_levels(out, &b, contexts == 1, &d);
    bench_clear(&b);
    problem_free(&p);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        (void)fprintf(stderr, "usage: information REPETITIONS SEED THREADS OUT.npy\n");
        return 2;
    }
    size_t repetitions = strtoul(argv[1], NULL, 10), all = CONTEXTS * repetitions;
    uint64_t seed = strtoull(argv[2], NULL, 10);
    const size_t shape[NPY_DIMENSIONS] = {CONTEXTS, repetitions, FITS, NUMBERS};
    float *out = calloc(all * FITS * NUMBERS, sizeof *out);
    bool whole = out;
#pragma omp parallel for schedule(dynamic, 1) num_threads(atoi(argv[3])) reduction(&& : whole)
    for (size_t k = 0; k < (out ? all : 0); k++) {
        scant_status status =
            repeat(out + k * FITS * NUMBERS, seed, k / repetitions, k % repetitions);
        if (status != SCANT_OK)
            (void)fprintf(stderr, "repetition %zu: %s\n", k, scant_message());
        whole = whole && status == SCANT_OK;
    }
    whole = whole && npy_write(argv[4], shape, out);
    free(out);
    return whole ? 0 : 1;
}
