/* Problems with spaces of their own: densities of either class, and rows whose labels are averaged over. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/linear.h"
#include "med/fit.h"
#include "med/transduction.h"

/* --- densities --- */

static scant_status dense_rows(double **out, const scant_i_med_part *part)
{
    scant_status status = SCANT_OK;
    const scant_i_med_table *table = part->table;
    const scant_i_med_conjugate_family *family = part->settings->family;
    SCANT_I_TRY(SCANT_I_NEW(out, table->n * table->d + 1));
    for (size_t t = 0; t < table->n; t++) {
        double *row = *out + t * table->d;
        scant_i_med_table_row(row, table, t);
        for (size_t i = 0; i < table->d; i++)
            if (!family->accepts(row[i])) {
                status = scant_i_fail(SCANT_ERR_INPUT,
                                      "--generative %s wants %s: input %zu of a row is %g",
                                      family->name, family->cells, i + 1, row[i]);
                goto done;
            }
    }
done:
    return status;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The percentile of the margins that the priors have by themselves, with the bias that makes the fewest errors. */
static scant_status own_margin(double *margin, scant_i_med_solution *s,
                               const scant_i_med_part *part, scant_i_med_space *space)
{
    scant_status status = SCANT_OK;
    size_t n = part->table->n;
    double *sorted = NULL, bias = 0;
    SCANT_I_TRY(SCANT_I_NEW(&sorted, n + 1));
    SCANT_I_TRY(space->kind->value(&s->omega, s->f, space, s->beta));
    SCANT_I_TRY(scant_i_med_bias_by_errors(&bias, s->f, part->side, part->truth->weight, n, 0));
    for (size_t t = 0; t < n; t++)
        sorted[t] = part->side[t] * (s->f[t] + bias);
    qsort(sorted, n, sizeof *sorted, ascending);
    double at = part->settings->percentile / 100 * (double)(n - 1);
    size_t below = scant_i_min((size_t)at, n - 1), above = scant_i_min(below + 1, n - 1);
    *margin = sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
done:
    scant_i_free(sorted);
    return status;
}

static scant_status weighted_priors(double *plus, double *minus, const double *x,
                                    const scant_i_med_part *part)
{
    scant_status status = SCANT_OK;
    const scant_i_med_settings *s = part->settings;
    size_t n = part->table->n, d = part->table->d, size = s->family->size(d);
    double *T = NULL;
    SCANT_I_TRY(scant_i_med_empirical(plus, minus, s->family, s->prior_rows, x, part->side, n, d));
    SCANT_I_TRY(SCANT_I_NEW(&T, size + 1));
    for (size_t t = 0; t < n && part->truth->weight; t++) {
        s->family->statistics(T, x + t * d, d);
        scant_i_add_multiple(part->side[t] > 0 ? plus : minus, part->truth->weight[t] - 1, T, size);
    }
done:
    scant_i_free(T);
    return status;
}

/* Posteriors and the weights of the statistics. */
static scant_status put_posteriors(scant_i_med_discriminants *out, const scant_i_med_part *part,
                                   const scant_i_med_space *space, const double *beta)
{
    scant_status status = SCANT_OK;
    const scant_i_med_conjugate_family *family = part->settings->family;
    size_t size = family->size(part->table->d), count = out->count;
    double *plus, *minus, *weight, *other = NULL, K;
    out->family = family;
    if (!out->weight)
        SCANT_I_TRY(SCANT_I_NEW(&out->weight, count * size + 1));
    if (!out->chi)
        SCANT_I_TRY(SCANT_I_NEW(&out->chi, 2 * count * size + 1));
    SCANT_I_TRY(SCANT_I_NEW(&other, size + 1));
    plus = out->chi + 2 * part->v * size;
    minus = plus + size;
    weight = out->weight + part->v * size;
    scant_i_med_generative_posterior(plus, minus, space, beta);
    SCANT_I_TRY(family->log_normaliser(&K, weight, plus, part->table->d));
    SCANT_I_TRY(family->log_normaliser(&K, other, minus, part->table->d));
    scant_i_add_multiple(weight, -1, other, size);
    for (size_t t = 0; t < space->n; t++)
        out->nsupport += beta[t] != 0;
done:
    scant_i_free(other);
    return status;
}

scant_status scant_i_med_part_generative(scant_i_med_discriminants *out,
                                         const scant_i_med_part *part)
{
    scant_status status = SCANT_OK;
    const scant_i_med_settings *s = part->settings;
    size_t n = part->table->n, d = part->table->d, size = s->family->size(d);
    double *x = NULL, *plus = NULL, *minus = NULL, *level = NULL, margin = s->level;
    scant_i_med_space space = {0};
    scant_i_med_solution solution = {0};
    SCANT_I_TRY(dense_rows(&x, part));
    SCANT_I_TRY(SCANT_I_NEW(&plus, size + 1));
    SCANT_I_TRY(SCANT_I_NEW(&minus, size + 1));
    SCANT_I_TRY(SCANT_I_NEW(&level, n + 1));
    SCANT_I_TRY(scant_i_med_solution_new(&solution, n));
    SCANT_I_TRY(weighted_priors(plus, minus, x, part));
    SCANT_I_TRY(scant_i_med_generative(&space, s->family, x, n, d, plus, minus));
    if (s->percentile >= 0)
        SCANT_I_TRY(own_margin(&margin, &solution, part, &space));
    for (size_t t = 0; t < n; t++)
        level[t] = part->side[t] * margin;
    const scant_i_med_problem problem = {
        .potential = {s->margin, s->scale, n, level, part->side, part->truth->weight},
        .space = &space,
        .bias = {s->bias != SCANT_I_MED_NORMAL, s->bias_mean, s->bias_variance}};
    SCANT_I_TRY(scant_i_med_solve(&solution, &problem, &s->control, s->solver));
    out->bias[part->v] = solution.certificate.bias;
    if (s->bias == SCANT_I_MED_ERRORS)
        SCANT_I_TRY(scant_i_med_bias_by_errors(&out->bias[part->v], solution.f, part->side,
                                               part->truth->weight, n, solution.certificate.bias));
    SCANT_I_TRY(put_posteriors(out, part, &space, solution.beta));
    SCANT_I_TRY(scant_i_med_add_up(out, &solution.certificate, solution.stop, solution.iterations,
                                   solution.solver));
done:
    scant_i_med_space_clear(&space);
    scant_i_med_solution_clear(&solution);
    scant_i_free(x);
    scant_i_free(plus);
    scant_i_free(minus);
    scant_i_free(level);
    return status;
}

/* --- transduction --- */

/* v K + s2 of all rows */
static scant_status whole_kernel(double **out, const scant_i_med_part *part)
{
    scant_status status = SCANT_OK;
    const scant_i_med_settings *s = part->settings;
    const scant_i_med_table *table = part->table;
    const scant_i_med_kernel linear = {.type = SCANT_I_MED_LINEAR};
    const scant_i_med_kernel *kernel = s->has_kernel ? &s->kernel : &linear;
    scant_i_med_basis basis = {0};
    double *row = NULL, *column = NULL;
    size_t n = table->n;
    SCANT_I_TRY(scant_i_med_basis_new(&basis, table->x, &table->sparse, n, table->d));
    SCANT_I_TRY(SCANT_I_NEW(&row, table->d + 1));
    SCANT_I_TRY(SCANT_I_NEW(&column, basis.ld + 8));
    SCANT_I_TRY(SCANT_I_NEW(out, n * n + 1));
    for (size_t t = 0; t < n; t++) {
        scant_i_med_table_row(row, table, t);
        scant_i_med_kernel_column(column, kernel, &basis, row);
        for (size_t w = 0; w < n; w++)
            (*out)[t * n + w] = s->variance * column[w] + s->bias_variance;
    }
done:
    scant_i_med_basis_clear(&basis);
    scant_i_free(row);
    scant_i_free(column);
    return status;
}

/* Prior probability of the side +1: of what a set or probabilities of classes say, 1/2 where nothing is known. */
static double positive_of(const scant_i_med_discriminants *out, const scant_i_med_part *part,
                          size_t t)
{
    const scant_i_med_truth *truth = part->truth;
    size_t K = truth->nclasses;
    double plus = 0, all = 0;
    if (part->side[t] != 0)
        return part->side[t] > 0;
    if (truth->class_of[t] < 0)
        return 0.5;
    const double *share = truth->soft + ((size_t)truth->class_of[t] - K) * K;
    for (size_t k = 0; k < K; k++) {
        all += share[k];
        plus += out->code[part->v * K + k] > 0 ? share[k] : 0;
    }
    return plus / all;
}

scant_status scant_i_med_part_transduced(scant_i_med_discriminants *out,
                                         const scant_i_med_part *part)
{
    scant_status status = SCANT_OK;
    const scant_i_med_settings *s = part->settings;
    size_t n = part->table->n;
    double *K = NULL, *positive = NULL;
    scant_i_med_transduction found = {0};
    if (part->truth->weight)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--transduce takes no weights of rows");
    if (s->scale.c <= 1 && !s->regress)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--transduce wants --c above 1: nothing is learned "
                                                "from a label below");
    SCANT_I_TRY(whole_kernel(&K, part));
    SCANT_I_TRY(SCANT_I_NEW(&positive, n + 1));
    for (size_t t = 0; t < n && !s->regress; t++)
        positive[t] = positive_of(out, part, t);
    if (s->regress)
        SCANT_I_TRY(scant_i_med_whitened(&found, K, part->truth->target, n, s->scale.c,
                                         s->scale.epsilon, &s->control));
    else if (s->transduce == SCANT_I_MED_GAUSSIAN_LABELS)
        SCANT_I_TRY(scant_i_med_gaussian_labels(&found, K, part->side, n, s->scale.c, s->kappa_rule,
                                                &s->control));
    else
        SCANT_I_TRY(scant_i_med_mean_field(&found, K, positive, n, s->scale.c, &s->control));
    memcpy(part->coefficient, found.coefficient, n * sizeof *found.coefficient);
    out->bias[part->v] = s->bias_variance * scant_i_sum(found.coefficient, n);
    SCANT_I_TRY(scant_i_med_add_up(out, &found.certificate, found.stop, found.rounds,
                                   s->transduce == SCANT_I_MED_MEAN_FIELD ? "mean field"
                                   : s->regress                           ? "gaussian targets"
                                                                          : "gaussian labels"));
done:
    scant_i_med_transduction_clear(&found);
    scant_i_free(K);
    scant_i_free(positive);
    return status;
}
