#include "tensor_cases.h"

#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "tensor/kruskal.h"

void truth_free(truth *t)
{
    for (size_t m = 0; m < t->order; m++)
        free(t->factor[m]);
    free(t->x);
}

double truth_at(const truth *t, const double *const *factor, const double *weight, size_t cell)
{
    double sum = 0;
    for (size_t q = 0; q < t->rank; q++) {
        double product = weight ? weight[q] : 1;
        size_t rest = cell;
        for (size_t m = t->order; m-- > 0; rest /= t->size[m])
            product *= factor[m][rest % t->size[m] * t->rank + q];
        sum += product;
    }
    return sum;
}

truth truth_new(size_t order, const size_t *size, size_t rank, double noise, uint64_t seed)
{
    truth t = {.order = order, .rank = rank, .cells = 1};
    scant_i_random random = scant_i_random_new(seed, 0);
    for (size_t m = 0; m < order; m++) {
        t.size[m] = size[m];
        t.cells *= size[m];
        t.factor[m] = calloc(size[m] * rank, sizeof(double));
        for (size_t k = 0; k < size[m] * rank; k++)
            if (scant_i_random_uniform(&random) < 0.6)
                t.factor[m][k] = scant_i_random_uniform(&random);
    }
    t.x = calloc(t.cells, sizeof *t.x);
    for (size_t k = 0; k < t.cells; k++)
        t.x[k] = truth_at(&t, (const double *const *)t.factor, NULL, k) *
                 (1 + noise * (scant_i_random_uniform(&random) - 0.5));
    return t;
}

scant_tensor *truth_dense(const truth *t)
{
    scant_tensor *tensor = NULL;
    assert_ok(scant_tensor_new(&tensor, t->order, t->size, t->x));
    return tensor;
}

scant_tensor *truth_sparse(const truth *t, bool zeros)
{
    uint32_t *index = calloc(t->cells * t->order, sizeof *index);
    double *value = calloc(t->cells, sizeof *value);
    size_t n = 0;
    for (size_t k = t->cells; k-- > 0;) {
        if (t->x[k] == 0 && !zeros)
            continue;
        size_t rest = k;
        for (size_t m = t->order; m-- > 0; rest /= t->size[m])
            index[n * t->order + m] = (uint32_t)(rest % t->size[m]);
        value[n++] = t->x[k];
    }
    scant_tensor *tensor = NULL;
    assert_ok(scant_tensor_new_sparse(&tensor, t->order, t->size, n, index, value));
    free(index);
    free(value);
    return tensor;
}

scant_factor_options factor_options(const char *rank)
{
    scant_factor_options options;
    scant_factor_options_preset(&options);
    options.rank = rank;
    options.threads = 1;
    return options;
}

void assert_never_rises(const scant_factors *factors)
{
    const scant_factor_step *trace = scant_factors_trace(factors);
    for (size_t k = 1; k < scant_factors_summary(factors)->iterations; k++)
        if (trace[k].loss > trace[k - 1].loss * (1 + 1e-12) + 1e-12 * trace[0].loss)
            fail_msg("the loss rises from %.17g to %.17g at iteration %zu", trace[k - 1].loss,
                     trace[k].loss, k + 1);
}

double truth_rssr(const truth *t, const scant_factors *factors)
{
    const double *mode[MOST_ORDER];
    double residual = 0, squares = 0;
    for (size_t m = 0; m < t->order; m++)
        mode[m] = scant_factors_mode(factors, m);
    for (size_t k = 0; k < t->cells; k++) {
        if (isnan(t->x[k]))
            continue;
        double e = t->x[k] - truth_at(t, mode, scant_factors_weights(factors), k);
        residual += e * e;
        squares += t->x[k] * t->x[k];
    }
    return residual / squares;
}

double truth_congruence(const truth *t, const scant_factors *factors)
{
    scant_i_kruskal *a = NULL, *b = NULL;
    size_t match[64];
    double congruence[64], least = 1;
    assert_ok(scant_i_kruskal_new(&a, t->order, t->size, t->rank));
    assert_ok(scant_i_kruskal_new(&b, t->order, t->size, t->rank));
    for (size_t m = 0; m < t->order; m++)
        for (size_t k = 0; k < t->size[m] * t->rank; k++) {
            size_t at = k / t->rank * a->lanes + k % t->rank;
            a->mode[m][at] = scant_factors_mode(factors, m)[k];
            b->mode[m][at] = t->factor[m][k];
        }
    assert_ok(scant_i_kruskal_match(match, congruence, a, b));
    for (size_t q = 0; q < t->rank; q++)
        least = fmin(least, congruence[q]);
    scant_i_kruskal_free(a);
    scant_i_kruskal_free(b);
    return least;
}
