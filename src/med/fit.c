/* Problems of a task: their potentials, spaces and solutions, made into discriminants (fit.h).
 *
 *   two classes  one problem, y = +1 for the positive class
 *   rest         one problem a class, y = +1 for it
 *   codes        one problem a code word: all 2^(K-1) - 1 ways to part K <= 5 classes in two, else random words
 *   joint        one problem of n (K - 1) pairwise constraints (joint.c) */
#include "med/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "math/linear.h"
#include "med/joint.h"

void scant_i_med_discriminants_clear(scant_i_med_discriminants *d)
{
    scant_i_free(d->weight);
    scant_i_free(d->probability);
    scant_i_free(d->row);
    scant_i_free(d->coefficient);
    scant_i_free(d->bias);
    scant_i_free(d->code);
    scant_i_free(d->chi);
    *d = (scant_i_med_discriminants){0};
}

/* --- codes --- */

enum { EXHAUSTIVE = 5, WORDS_PER_BIT = 10 };

static size_t count_of(const scant_i_med_truth *truth, scant_i_med_classes classes)
{
    size_t K = truth->nclasses;
    if (K <= 2)
        return 1;
    if (classes != SCANT_I_MED_CODES)
        return K;
    return K <= EXHAUSTIVE ? ((size_t)1 << (K - 1)) - 1
                           : WORDS_PER_BIT * (size_t)ceil(log2((double)K));
}

/* Random words have both signs, and half of each where K is even. */
static void random_word(double *word, size_t K, scant_i_random *random, size_t *order)
{
    for (size_t k = 0; k < K; k++)
        order[k] = k;
    scant_i_random_shuffle(random, order, K);
    for (size_t k = 0; k < K; k++)
        word[order[k]] = k < K / 2 ? 1 : -1;
}

static scant_status make_codes(scant_i_med_discriminants *d, const scant_i_med_truth *truth,
                               const scant_i_med_settings *s)
{
    scant_status status = SCANT_OK;
    size_t K = truth->nclasses, *order = NULL;
    scant_i_random random = scant_i_random_new(s->control.seed, 1);
    SCANT_I_TRY(SCANT_I_NEW(&order, K + 1));
    SCANT_I_TRY(SCANT_I_NEW(&d->code, d->count * K + 1));
    for (size_t v = 0; v < d->count; v++)
        for (size_t k = 0; k < K; k++) {
            double *code = &d->code[v * K + k];
            if (K == 2)
                *code = k == truth->positive ? 1 : -1;
            else if (s->classes == SCANT_I_MED_JOINT)
                *code = k == v;
            else if (s->classes == SCANT_I_MED_REST)
                *code = k == v ? 1 : -1;
            else if (K <= EXHAUSTIVE) /* bits of v + 1; the last class is always -1 */
                *code = ((v + 1) >> k) & 1 ? 1 : -1;
            else if (k == 0)
                random_word(code, K, &random, order);
        }
done:
    scant_i_free(order);
    return status;
}

/* --- results of one problem --- */

typedef struct work {
    const scant_i_med_table *table;
    const scant_i_med_truth *truth;
    const scant_i_med_settings *settings;
    scant_i_med_discriminants *out;
    scant_i_med_features features;
    scant_i_med_space space;
    double *level, *beta; /* n; count x n: all multipliers */
    int8_t *side;
} work;

static scant_status open_space(work *w)
{
    const scant_i_med_settings *s = w->settings;
    const scant_i_med_table *t = w->table;
    w->features = (scant_i_med_features){t->n, t->d, t->x, t->sparse, s->rho, s->variance};
    if (s->has_kernel)
        return scant_i_med_gram_space(&w->space, &w->features, &s->kernel, s->cache);
    return scant_i_med_linear(&w->space, &w->features, 1);
}

typedef struct scored {
    double f, side, weight;
} scored;

static int by_f(const void *a, const void *b)
{
    double x = ((const scored *)a)->f, y = ((const scored *)b)->f;
    return (x > y) - (x < y);
}

scant_status scant_i_med_bias_by_errors(double *bias, const double *f, const int8_t *side,
                                        const double *weight, size_t n, double otherwise)
{
    scant_status status = SCANT_OK;
    scored *row = NULL;
    double wrong = 0, least = INFINITY, away = INFINITY;
    SCANT_I_TRY(SCANT_I_NEW(&row, n + 1));
    for (size_t t = 0; t < n; t++) {
        row[t] = (scored){f[t], side[t], weight ? weight[t] : 1};
        wrong += row[t].side < 0 ? row[t].weight : 0; /* with the cut below all rows */
    }
    qsort(row, n, sizeof *row, by_f);
    for (size_t k = 0; k <= n; k++) { /* rows from k on are called +1 */
        double cut = k == 0   ? row[0].f - 1
                     : k == n ? row[n - 1].f + 1
                              : 0.5 * (row[k - 1].f + row[k].f);
        bool between = k == 0 || k == n || row[k].f > row[k - 1].f;
        /* as near to the other bias as the gap allows */
        double at = -cut;
        if (k > 0 && k < n && -otherwise > row[k - 1].f && -otherwise < row[k].f)
            at = otherwise;
        if (between && (wrong < least || (wrong == least && fabs(at - otherwise) < away))) {
            least = wrong;
            away = fabs(at - otherwise);
            *bias = at;
        }
        if (k < n)
            wrong += row[k].side > 0 ? row[k].weight : -row[k].weight;
    }
done:
    scant_i_free(row);
    return status;
}

static scant_status check_end(const scant_i_med_solution *s, const scant_i_med_settings *settings)
{
    if (settings->margin->fixed && s->stop != SCANT_STOP_CONVERGED && isinf(s->certificate.primal))
        return scant_i_fail(SCANT_ERR_INPUT,
                            "--margin-prior fixed: no discriminant has margin 1 at every row, so "
                            "the objective grows without end; exponential allows for errors");
    return SCANT_OK;
}

scant_status scant_i_med_add_up(scant_i_med_discriminants *out,
                                const scant_i_med_certificate *certificate, scant_stop stop,
                                size_t iterations, const char *solver)
{
    out->objective += certificate->dual;
    out->primal += certificate->primal;
    out->gap += certificate->gap;
    out->iterations += iterations;
    out->solver = solver;
    if (stop != SCANT_STOP_CONVERGED)
        out->stop = stop;
    return isfinite(certificate->dual)
               ? SCANT_OK
               : scant_i_fail(SCANT_ERR_INPUT, "the objective is no finite number: cells are too "
                                               "large; standardize them");
}

/* KL(P || P0) = J - J(0) at the optimum: beta'f - Omega of the weights, s2 S^2 / 2 of the bias, and the margins' rest. */
static void add_divergence(scant_i_med_discriminants *out, const scant_i_med_solution *s,
                           const scant_i_med_problem *problem)
{
    size_t n = problem->potential.n;
    double S = scant_i_sum(s->beta, n), zero = 0;
    double weights = scant_i_dot_fixed(s->beta, s->f, n) - s->omega;
    double bias = problem->bias.flat ? 0 : 0.5 * problem->bias.variance * S * S;
    for (size_t t = 0; t < n; t++)
        zero += scant_i_med_phi(&problem->potential, t, 0);
    out->divergence[0] += weights;
    out->divergence[1] += bias;
    out->divergence[2] += s->certificate.dual - zero - weights - bias;
}

static scant_status add_up(scant_i_med_discriminants *out, const scant_i_med_solution *s)
{
    return scant_i_med_add_up(out, &s->certificate, s->stop, s->iterations, s->solver);
}

/* One problem, whose side and level are set. */
static scant_status solve_one(work *w, size_t v)
{
    scant_status status = SCANT_OK;
    const scant_i_med_settings *s = w->settings;
    scant_i_med_solution solution = {0};
    size_t n = w->table->n;
    const scant_i_med_problem problem = {
        .potential = {s->margin, s->scale, n, w->level, s->regress ? NULL : w->side,
                      w->truth->weight},
        .space = &w->space,
        .bias = {s->bias != SCANT_I_MED_NORMAL, s->bias_mean, s->bias_variance}};
    SCANT_I_TRY(scant_i_med_solution_new(&solution, n));
    SCANT_I_TRY(scant_i_med_solve(&solution, &problem, &s->control, s->solver));
    SCANT_I_TRY(check_end(&solution, s));
    memcpy(w->beta + v * n, solution.beta, n * sizeof *solution.beta);
    w->out->bias[v] = solution.certificate.bias;
    if (s->bias == SCANT_I_MED_ERRORS && !s->regress)
        SCANT_I_TRY(scant_i_med_bias_by_errors(&w->out->bias[v], solution.f, w->side,
                                               w->truth->weight, n, solution.certificate.bias));
    SCANT_I_TRY(add_up(w->out, &solution));
    add_divergence(w->out, &solution, &problem);
    if (w->out->count == 1 && w->space.quadratic)
        w->out->square = 2 * s->variance * solution.omega;
done:
    scant_i_med_solution_clear(&solution);
    return status;
}

static scant_status solve_joint(work *w)
{
    scant_status status = SCANT_OK;
    const scant_i_med_settings *s = w->settings;
    const scant_i_med_kernel linear = {.type = SCANT_I_MED_LINEAR};
    size_t n = w->table->n, K = w->truth->nclasses, pairs = n * (K - 1);
    scant_i_med_space base = {0}, space = {0};
    scant_i_med_solution solution = {0};
    double *level = NULL, *weight = NULL;
    int8_t *side = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&level, pairs + 1));
    SCANT_I_TRY(SCANT_I_NEW(&side, pairs + 1));
    SCANT_I_TRY(SCANT_I_NEW(&weight, pairs + 1));
    for (size_t i = 0; i < pairs; i++) {
        level[i] = s->level;
        side[i] = 1;
        weight[i] = w->truth->weight ? w->truth->weight[i / (K - 1)] : 1;
    }
    SCANT_I_TRY(scant_i_med_gram_space(&base, &w->features, s->has_kernel ? &s->kernel : &linear,
                                       s->cache));
    SCANT_I_TRY(
        scant_i_med_joint_space(&space, base.gram, w->truth->class_of, K, s->bias_variance));
    const scant_i_med_problem problem = {
        .potential = {s->margin, s->scale, pairs, level, side, weight}, .space = &space};
    SCANT_I_TRY(scant_i_med_solution_new(&solution, pairs));
    SCANT_I_TRY(scant_i_med_solve(&solution, &problem, &s->control, NULL));
    SCANT_I_TRY(check_end(&solution, s));
    scant_i_med_joint_weights(w->beta, solution.beta, w->truth->class_of, n, K);
    for (size_t k = 0; k < K; k++)
        w->out->bias[k] = s->bias_variance * scant_i_sum(w->beta + k * n, n);
    SCANT_I_TRY(add_up(w->out, &solution));
done:
    scant_i_med_solution_clear(&solution);
    scant_i_med_space_clear(&space);
    scant_i_med_space_clear(&base);
    scant_i_free(level);
    scant_i_free(weight);
    scant_i_free(side);
    return status;
}

static void set_sides(work *w, size_t v)
{
    const scant_i_med_truth *truth = w->truth;
    for (size_t t = 0; t < w->table->n; t++) {
        if (truth->nclasses == 0) {
            w->level[t] = truth->target[t];
            continue;
        }
        bool known = truth->class_of[t] >= 0 && truth->class_of[t] < (int32_t)truth->nclasses;
        double sign = known ? w->out->code[v * truth->nclasses + (size_t)truth->class_of[t]] : 0;
        w->side[t] = (int8_t)sign;
        w->level[t] = sign * w->settings->level;
    }
}

/* --- discriminants of the multipliers --- */

static scant_status find_support(work *w)
{
    scant_i_med_discriminants *out = w->out;
    size_t n = w->table->n;
    scant_status status = SCANT_I_NEW(&out->row, n + 1);
    for (size_t t = 0; t < n && status == SCANT_OK; t++) {
        bool used = false;
        for (size_t v = 0; v < out->count; v++)
            used |= w->beta[v * n + t] != 0;
        if (used)
            out->row[out->nsupport++] = t;
    }
    return status;
}

static scant_status make_discriminants(work *w)
{
    scant_status status = SCANT_OK;
    scant_i_med_discriminants *out = w->out;
    const scant_i_med_settings *s = w->settings;
    size_t n = w->table->n, d = w->table->d;
    bool own = s->has_kernel && s->kernel.type != SCANT_I_MED_LINEAR; /* no weights of columns */
    w->features = (scant_i_med_features){n, d, w->table->x, w->table->sparse, s->rho, s->variance};
    SCANT_I_TRY(find_support(w));
    if (own && s->kernel.type != SCANT_I_MED_PRECOMPUTED) {
        SCANT_I_TRY(SCANT_I_NEW(&out->coefficient, out->count * out->nsupport + 1));
        for (size_t v = 0; v < out->count; v++)
            for (size_t i = 0; i < out->nsupport; i++)
                out->coefficient[v * out->nsupport + i] =
                    s->variance * w->beta[v * n + out->row[i]];
        return SCANT_OK;
    }
    SCANT_I_TRY(SCANT_I_NEW(&out->weight, out->count * d + 1));
    if (s->rho < 1)
        SCANT_I_TRY(SCANT_I_NEW(&out->probability, out->count * d + 1));
    for (size_t v = 0; v < out->count; v++) {
        double *weight = out->weight + v * d;
        if (own) { /* a precomputed kernel: a column is a row */
            for (size_t t = 0; t < n; t++)
                weight[t] = s->variance * w->beta[v * n + t];
            continue;
        }
        scant_i_med_sums(weight, &w->features, w->beta + v * n);
        for (size_t i = 0; i < d; i++)
            weight[i] =
                scant_i_med_coefficient(&w->features, weight[i], NULL,
                                        out->probability ? &out->probability[v * d + i] : NULL);
    }
done:
    return status;
}

scant_status scant_i_med_fit(scant_i_med_discriminants *out, const scant_i_med_table *table,
                             const scant_i_med_truth *truth, const scant_i_med_settings *settings)
{
    scant_status status = SCANT_OK;
    work w = {.table = table, .truth = truth, .settings = settings, .out = out};
    bool joint = truth->nclasses > 2 && settings->classes == SCANT_I_MED_JOINT;
    *out = (scant_i_med_discriminants){
        .count = count_of(truth, settings->classes), .d = table->d, .nclasses = truth->nclasses};
    SCANT_I_TRY(SCANT_I_NEW(&out->bias, out->count));
    SCANT_I_TRY(SCANT_I_NEW(&w.beta, out->count * table->n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&w.level, table->n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&w.side, table->n + 1));
    if (truth->nclasses)
        SCANT_I_TRY(make_codes(out, truth, settings));
    bool apart = settings->family || settings->transduce != SCANT_I_MED_LABELED_ONLY;
    out->square = NAN;
    for (int part = 0; part < 3; part++)
        out->divergence[part] = apart || joint ? NAN : 0;
    if (!apart)
        SCANT_I_TRY(open_space(&w));
    if (joint)
        SCANT_I_TRY(solve_joint(&w));
    for (size_t v = 0; v < out->count && !joint; v++) {
        set_sides(&w, v);
        const scant_i_med_part part = {table, truth, settings, w.side, v, w.beta + v * table->n};
        if (settings->family)
            SCANT_I_TRY(scant_i_med_part_generative(out, &part));
        else if (apart)
            SCANT_I_TRY(scant_i_med_part_transduced(out, &part));
        else
            SCANT_I_TRY(solve_one(&w, v));
    }
    if (!settings->family)
        SCANT_I_TRY(make_discriminants(&w));
done:
    scant_i_med_space_clear(&w.space);
    scant_i_free(w.beta);
    scant_i_free(w.level);
    scant_i_free(w.side);
    if (status != SCANT_OK)
        scant_i_med_discriminants_clear(out);
    return status;
}

/* --- decisions --- */

static void decide_linear(double *f, const scant_i_med_discriminants *d,
                          const scant_i_med_table *table)
{
    for (size_t t = 0; t < table->n; t++)
        for (size_t v = 0; v < d->count; v++) {
            const double *w = d->weight + v * d->d;
            double sum = d->bias[v];
            if (table->x)
                sum += scant_i_dot_fixed(w, table->x + t * table->d, table->d);
            else
                for (size_t e = table->sparse.start[t]; e < table->sparse.start[t + 1]; e++)
                    sum += w[table->sparse.column[e]] * table->sparse.value[e];
            f[t * d->count + v] = sum;
        }
}

/* Weights of the statistics of rows. */
static scant_status decide_generative(double *f, const scant_i_med_discriminants *d,
                                      const scant_i_med_table *table)
{
    scant_status status = SCANT_OK;
    size_t size = d->family->size(d->d);
    double *T = NULL, *z = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&T, size + 1));
    SCANT_I_TRY(SCANT_I_NEW(&z, table->d + 1));
    for (size_t t = 0; t < table->n; t++) {
        scant_i_med_table_row(z, table, t);
        d->family->statistics(T, z, d->d);
        for (size_t v = 0; v < d->count; v++)
            f[t * d->count + v] = d->bias[v] + scant_i_dot_fixed(d->weight + v * size, T, size);
    }
done:
    scant_i_free(T);
    scant_i_free(z);
    return status;
}

scant_status scant_i_med_decide(double *f, const scant_i_med_discriminants *d,
                                const scant_i_med_kernel *kernel, const scant_i_med_table *support,
                                const scant_i_med_table *table)
{
    scant_status status = SCANT_OK;
    scant_i_med_basis basis = {0};
    double *column = NULL, *z = NULL;
    if (d->family)
        return decide_generative(f, d, table);
    if (d->weight) {
        decide_linear(f, d, table);
        return SCANT_OK;
    }
    SCANT_I_TRY(
        scant_i_med_basis_new(&basis, support->x, &support->sparse, support->n, support->d));
    SCANT_I_TRY(SCANT_I_NEW(&column, basis.ld + 8));
    SCANT_I_TRY(SCANT_I_NEW(&z, table->d + 1));
    for (size_t t = 0; t < table->n; t++) {
        scant_i_med_table_row(z, table, t);
        scant_i_med_kernel_column(column, kernel, &basis, z);
        for (size_t v = 0; v < d->count; v++)
            f[t * d->count + v] = d->bias[v] + scant_i_dot_fixed(d->coefficient + v * d->nsupport,
                                                                 column, d->nsupport);
    }
done:
    scant_i_med_basis_clear(&basis);
    scant_i_free(column);
    scant_i_free(z);
    return status;
}

void scant_i_med_scores(double *score, const scant_i_med_discriminants *d, const double *f)
{
    for (size_t k = 0; k < d->nclasses; k++) {
        score[k] = 0;
        for (size_t v = 0; v < d->count; v++)
            score[k] += d->code[v * d->nclasses + k] * f[v];
    }
}

void scant_i_med_log_probabilities(double *score, size_t K, double slope)
{
    double most = -INFINITY, sum = 0;
    for (size_t k = 0; k < K; k++)
        most = fmax(most, score[k] *= slope);
    for (size_t k = 0; k < K; k++)
        sum += exp(score[k] - most);
    for (size_t k = 0; k < K; k++)
        score[k] -= most + log(sum);
}
