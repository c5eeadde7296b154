/* Whole EM steps: log-likelihood plus log prior never falls, with bounds, pseudo-counts, missing
 * cells and weights, whatever the family. */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>
#include "family_cases.h"
#include "math/special.h"

enum { ROWS = 150, M = 3, STEPS = 40 };

typedef struct fit {
    scant_i_factor *factor;
    scant_i_block blocks[2]; /* all cells; without the first column, where the family takes that */
    double share[M];
    double *L, *statistics, *weight;
} fit;

/* One step; returns the objective before it. */
static double step(fit *f)
{
    scant_i_factor *factor = f->factor;
    size_t stride = factor->stride, n = factor->family->pass->nstatistics(factor);
    double objective = 0, count[M] = {0}, *part = scant_i_calloc(n, sizeof *part);
    assert_non_null(part);
    memset(f->statistics, 0, n * sizeof *f->statistics);
    for (size_t b = 0; b < 2; b++) {
        scant_i_block *block = &f->blocks[b];
        if (block->nrows == 0)
            continue;
        run_log_density(factor, block, f->L);
        for (size_t i = 0; i < block->nrows; i++) {
            double *l = f->L + i * stride, w = f->weight[block->first + i];
            for (size_t j = 0; j < M; j++)
                l[j] += log(f->share[j]);
            double sum = scant_i_logsumexp(l, M);
            assert_true(isfinite(sum));
            objective += w * sum;
            for (size_t j = 0; j < stride; j++) {
                l[j] = j < M ? w * exp(l[j] - sum) : 0;
                if (j < M)
                    count[j] += l[j];
            }
        }
        run_statistics(factor, block, f->L, part);
        for (size_t s = 0; s < n; s++)
            f->statistics[s] += part[s];
    }
    objective += factor->family->pass->log_prior ? factor->family->pass->log_prior(factor) : 0;
    assert_int_equal(factor->family->pass->maximise(factor, f->statistics), SCANT_OK);
    for (size_t j = 0; j < M; j++)
        f->share[j] = count[j] / (count[0] + count[1] + count[2]);
    scant_i_free(part);
    return objective;
}

static void climb(const family_case *one, double smooth, double min_variance, uint64_t seed)
{
    scant_i_random random = scant_i_random_new(seed, 41);
    fit f = {.factor = case_factor(one, M, NULL, &random), .share = {0.2, 0.3, 0.5}};
    size_t d = one->ncolumns, whole = one->family->needs_all_cells ? ROWS : ROWS - 50;
    uint8_t present[16] = {0};
    double *x = case_rows(one, f.factor, ROWS, &random);
    if (seed % 2) /* many equal rows, on which components like to collapse */
        for (size_t i = 1; i < 30; i++)
            memcpy(x + i * d, x, d * sizeof *x);
    case_standardise(f.factor, x, ROWS);
    for (size_t i = whole; i < ROWS; i++)
        x[i * d] = NAN;
    memset(present + 1, 1, sizeof present - 1);
    scant_rows rows = {.nrows = ROWS, .ncolumns = d, .dense = x};
    f.blocks[0] = (scant_i_block){.batch = ALL_ROWS(&rows), .nrows = whole};
    f.blocks[1] = (scant_i_block){
        .batch = ALL_ROWS(&rows), .nrows = ROWS - whole, .first = whole, .present = present};
    f.factor->settings.smooth = smooth;
    f.factor->settings.min_variance = min_variance;
    f.L = scant_i_calloc(ROWS, f.factor->stride * sizeof *f.L);
    f.weight = scant_i_calloc(ROWS, sizeof *f.weight);
    f.statistics = scant_i_calloc(one->family->pass->nstatistics(f.factor), sizeof *f.statistics);
    assert_true(f.L && f.weight && f.statistics);
    for (size_t i = 0; i < ROWS; i++)
        f.weight[i] = i % 7 ? 2 * scant_i_random_uniform(&random) : 0;
    one->draw_theta(f.factor, &random);
    (void)step(&f); /* what was drawn may lie below a bound */
    double before = -INFINITY;
    for (size_t s = 0; s < STEPS; s++) {
        double now = step(&f);
        if (now < before - 1e-10 * fabs(before))
            fail_msg("%s, smooth %g, min_variance %g, step %zu: %.17g falls to %.17g",
                     one->family->name, smooth, min_variance, s, before, now);
        before = now;
    }
    scant_i_free(f.L);
    scant_i_free(f.weight);
    scant_i_free(f.statistics);
    scant_i_free(x);
    scant_i_factor_free(f.factor);
}

static void test_never_falls(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILY_CASES; k++)
        for (uint64_t seed = 0; seed < 6; seed++)
            for (int setting = 0; setting < 4; setting++)
                climb(&family_cases[k], setting % 2 ? 0.5 : 0, setting / 2 ? 0.05 : 0, seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_never_falls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
