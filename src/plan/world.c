#include "plan/world.h"

#include <string.h>

#include "inform/chart.h"
#include "model/refit.h"
#include "model/sample.h"
#include "plan/forecast.h"

/* --- pulling together --- */

/* Entries that are shared have one coordinate for all; those that are known have none. */
static size_t count_own(const scant_i_factor *factor)
{
    const scant_i_family_natural *form = factor->family->natural;
    size_t fixed = form->nfixed ? form->nfixed(factor) : 0;
    size_t shared = form->nshared && !fixed ? form->nshared(factor) : 0;
    return form->nnatural(factor) - fixed - shared;
}

/* mean[e] = mean over the components of the entry that coordinate e is one of; 0 where they have it
 * in common. */
static void find_means(double *mean, const scant_i_world *world, const double *point)
{
    const scant_i_chart *chart = &world->chart;
    for (size_t f = 0; f < chart->nfactors; f++)
        for (size_t a = 0; a < count_own(world->mixture->factor[f]); a++) {
            double sum = 0, total = 0;
            for (size_t j = 0; j < chart->M; j++)
                if (chart->used[j]) {
                    sum += world->weight[j] * point[scant_i_chart_eta(chart, f, j)[a]];
                    total += world->weight[j];
                }
            for (size_t j = 0; j < chart->M; j++)
                if (chart->used[j])
                    mean[scant_i_chart_eta(chart, f, j)[a]] = sum / total;
        }
}

/* point = mean + pull (from - mean) + share of the shift, where components have entries of their own. */
static void pull_point(double *point, const scant_i_world *world, const double *from, double share)
{
    const scant_i_chart *chart = &world->chart;
    memcpy(point, from, chart->n * sizeof *point);
    for (size_t f = 0; f < chart->nfactors; f++)
        for (size_t a = 0; a < count_own(world->mixture->factor[f]); a++)
            for (size_t j = 0; j < chart->M; j++) {
                if (!chart->used[j])
                    continue;
                size_t at = scant_i_chart_eta(chart, f, j)[a];
                point[at] = world->mean[at] + world->pull * (from[at] - world->mean[at]);
                if (world->ground->shift)
                    point[at] += share * world->ground->shift[at];
            }
}

/* What goes apart, by a pull above 1, or is shifted may leave its domain: covariances do. Then it goes half as far, and
 * in the end nowhere: fits that are near the edge of their domain drift as far as can be. */
static scant_status pull_together(scant_i_world *world)
{
    enum { HALVINGS = 20 };
    scant_status status = SCANT_OK;
    double *from = NULL, *point = NULL, share = 1;
    SCANT_I_TRY(SCANT_I_NEW(&from, world->chart.n));
    SCANT_I_TRY(SCANT_I_NEW(&point, world->chart.n));
    SCANT_I_TRY(scant_i_chart_get(&world->chart, world->mixture, from));
    find_means(world->mean, world, from);
    for (int halvings = 0; halvings <= HALVINGS; halvings++) {
        pull_point(point, world, from, share);
        status = scant_i_chart_set(&world->chart, world->mixture, point);
        if (status != SCANT_ERR_INPUT)
            break;
        double of_it = halvings + 1 < HALVINGS ? 0.5 : 0;
        world->pull = world->pull > 1 ? 1 + (world->pull - 1) * of_it : world->pull;
        share *= of_it;
    }
    find_means(world->mean, world, point);
done:
    scant_i_free(from);
    scant_i_free(point);
    return status;
}

/* How far a fit's components are, in the mean, from this world's. A fit at the edge of its domain has no mean. */
static scant_status add_drift(scant_i_world *world, const scant_i_mixture *fitted)
{
    scant_status status = SCANT_OK;
    double *point = NULL, *mean = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&point, world->chart.n));
    SCANT_I_TRY(SCANT_I_NEW(&mean, world->chart.n));
    status = scant_i_chart_get(&world->chart, fitted, point);
    if (status == SCANT_OK) {
        find_means(mean, world, point);
        for (size_t e = 0; e < world->chart.n; e++)
            world->drift[e] += mean[e] - world->mean[e];
        world->fits++;
    } else if (status == SCANT_ERR_UNIDENTIFIED) {
        status = SCANT_OK;
    }
done:
    scant_i_free(point);
    scant_i_free(mean);
    return status;
}

/* --- samples --- */

/* Rows drawn from a mixture, the classes it gives them, and E[1 - p_best] over them. */
static scant_status sample(scant_rows **rows, double *classes, double *hope,
                           const scant_i_ground *ground, scant_i_mixture *mixture, uint64_t seed)
{
    size_t K = ground->model->nclasses, n = ground->drawn;
    scant_model named = *ground->model;
    named.mixture = mixture;
    scant_status status = scant_i_sample_like(rows, &named, ground->rows, n, seed);
    if (status == SCANT_OK)
        status = scant_i_classes_under(classes, &named, mixture, *rows, ground->threads);
    *hope = 0;
    for (size_t i = 0; i < n && status == SCANT_OK; i++)
        *hope += (1 - classes[i * K + scant_i_likeliest(classes + i * K, K)]) / (double)n;
    return status;
}

/* Of a mixture alone. */
static scant_status hope_of(double *hope, const scant_i_ground *ground, scant_i_mixture *mixture,
                            uint64_t seed)
{
    scant_status status = SCANT_OK;
    scant_rows *rows = NULL;
    double *classes = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&classes, ground->drawn * ground->model->nclasses));
    status = sample(&rows, classes, hope, ground, mixture, seed);
done:
    scant_rows_free(rows);
    scant_i_free(classes);
    return status;
}

scant_status scant_i_world_new(scant_i_world *out, const scant_i_ground *ground, double pull)
{
    scant_status status = SCANT_OK;
    *out = (scant_i_world){.ground = ground, .pull = pull};
    SCANT_I_TRY(SCANT_I_NEW(&out->classes, ground->drawn * ground->model->nclasses));
    SCANT_I_TRY(scant_i_mixture_copy(&out->mixture, ground->model->mixture));
    SCANT_I_TRY(scant_i_chart_new(&out->chart, out->mixture, true, NULL));
    SCANT_I_TRY(SCANT_I_NEW(&out->weight, out->chart.M));
    SCANT_I_TRY(SCANT_I_NEW(&out->mean, out->chart.n));
    SCANT_I_TRY(SCANT_I_NEW(&out->drift, out->chart.n));
    for (size_t k = 0; k < out->chart.K; k++)
        for (size_t j = 0; j < out->chart.M; j++)
            out->weight[j] += out->mixture->coupling.W[k * out->mixture->stride + j];
    SCANT_I_TRY(pull_together(out));
    status = sample(&out->rows, out->classes, &out->limit, ground, out->mixture, ground->seed);
done:
    if (status != SCANT_OK)
        scant_i_world_clear(out);
    return status;
}

void scant_i_world_clear(scant_i_world *world)
{
    scant_i_mixture_free(world->mixture);
    scant_i_chart_clear(&world->chart);
    scant_i_free(world->weight);
    scant_i_free(world->mean);
    scant_i_free(world->drift);
    scant_rows_free(world->rows);
    scant_i_free(world->classes);
    *world = (scant_i_world){0};
}

scant_status scant_i_world_limit(double *limit, const scant_i_world *world, size_t pieces)
{
    scant_status status = SCANT_OK;
    double sum = world->limit;
    for (size_t p = 1; p <= pieces && status == SCANT_OK; p++) {
        double hope = 0;
        status = hope_of(&hope, world->ground, world->mixture, world->ground->seed - p);
        sum += hope;
    }
    *limit = sum / (double)(1 + pieces);
    return status;
}

/* --- pilots --- */

/* Weights as in the pilot, and `times` its labels. */
static scant_status dress(scant_rows *drawn, const scant_rows *rows, size_t times)
{
    scant_status status = SCANT_OK;
    size_t n = rows->nrows, more = (times - 1) * scant_rows_labeled(rows);
    double *weight = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&weight, drawn->nrows));
    for (size_t i = 0; i < drawn->nrows; i++) {
        weight[i] = scant_rows_weight(rows, i % n);
        if (i < n && scant_rows_label(rows, i) >= 0)
            continue;
        if (more)
            more--;
        else
            drawn->labels.code[i] = -1;
    }
    status = scant_rows_set_weights(drawn, weight);
done:
    scant_i_free(weight);
    return status;
}

/* What a mixture's rule gives away where the world's own classes are right. */
static scant_status give_away(double *excess, const scant_i_world *world, scant_i_mixture *mixture)
{
    scant_status status = SCANT_OK;
    const scant_i_ground *ground = world->ground;
    size_t K = ground->model->nclasses, n = ground->drawn;
    double *said = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&said, n * K));
    SCANT_I_TRY(scant_i_classes_under(said, ground->model, mixture, world->rows, ground->threads));
    *excess = 0;
    for (size_t i = 0; i < n; i++) {
        const double *p = world->classes + i * K;
        double lost = p[scant_i_likeliest(p, K)] - p[scant_i_likeliest(said + i * K, K)];
        *excess += lost / (double)n;
    }
done:
    scant_i_free(said);
    return status;
}

scant_status scant_i_world_pilot(double *excess, double *hope, scant_i_world *world, size_t times,
                                 uint64_t seed)
{
    scant_status status = SCANT_OK;
    const scant_i_ground *ground = world->ground;
    size_t labels = times * scant_rows_labeled(ground->rows);
    scant_rows *drawn = NULL;
    scant_i_mixture *mixture = NULL;
    scant_model named = *ground->model;
    named.mixture = world->mixture;
    scant_i_refit_options options = {.warm = true, .seed = seed, .threads = ground->threads};
    SCANT_I_TRY(scant_i_sample_like(&drawn, &named, ground->rows,
                                    scant_i_max(labels, ground->rows->nrows), seed));
    SCANT_I_TRY(dress(drawn, ground->rows, times));
    SCANT_I_TRY(scant_i_refit(&mixture, &named, drawn, &options));
    SCANT_I_TRY(give_away(excess, world, mixture));
    if (times == 1)
        SCANT_I_TRY(add_drift(world, mixture));
    if (hope)
        status = hope_of(hope, ground, mixture, ground->seed);
done:
    scant_rows_free(drawn);
    scant_i_mixture_free(mixture);
    return status;
}
