/* Rows drawn from a model: a component and class from the coupling, then each factor's cells. Row i
 * has a random stream of its own, so the rows do not depend on how many are drawn or by whom. */
#include <math.h>
#include <string.h>

#include "model/sample.h"

/* (component, class) by W, flat index k * stride + j */
static size_t draw_pair(const scant_i_mixture *m, scant_i_random *random)
{
    return scant_i_random_pick(random, m->coupling.W, m->nclasses * m->stride);
}

/* What a family wants to know beforehand. A regression's inputs are not modelled: unless given they
 * are drawn around the training data's. False: counts have a total of 0, and are zeros. */
static bool prime(double *own, const scant_i_factor *factor, const double *like,
                  scant_i_random *random)
{
    memset(own, 0, factor->ncolumns * sizeof *own);
    for (size_t c = 0; factor->family->has_target && c < factor->ncolumns; c++)
        own[c] = like ? like[factor->columns[c]]
                      : factor->centre[c] + factor->scale[c] * scant_i_random_normal(random);
    for (size_t c = 0; factor->family->has_total && like && c < factor->ncolumns; c++)
        own[0] += like[factor->columns[c]];
    return !factor->family->has_total || !like || own[0] > 0;
}

scant_status scant_i_sample_cells(double *cells, const scant_i_mixture *m, size_t component,
                                  scant_i_random *random, const double *like, double *own)
{
    for (size_t f = 0; f < m->nfactors; f++) {
        const scant_i_factor *factor = m->factor[f];
        if (prime(own, factor, like, random)) {
            scant_status status = factor->family->sample(factor, component, random, own);
            if (status != SCANT_OK)
                return status;
        }
        for (size_t c = 0; c < factor->ncolumns; c++)
            cells[factor->columns[c]] = like && isnan(like[factor->columns[c]]) ? NAN : own[c];
    }
    return SCANT_OK;
}

static scant_status name_levels(scant_rows *rows, const scant_model *model)
{
    scant_status status = SCANT_OK;
    for (size_t c = 0; c < model->ncolumns && status == SCANT_OK; c++)
        if (model->levels[c])
            status = scant_rows_set_levels(rows, c, (const char *const *)model->levels[c],
                                           model->nlevels[c]);
    return status;
}

static scant_status draw(scant_rows **out, const scant_model *model, size_t n, uint64_t seed,
                         bool with_component, const scant_rows *like)
{
    scant_status status = SCANT_OK;
    const scant_i_mixture *m = model->mixture;
    size_t d = model->ncolumns, width = d + with_component;
    scant_rows *rows = NULL;
    double *x = NULL, *own = NULL;
    const char **names = NULL, **labels = NULL;
    *out = NULL;
    SCANT_I_TRY(scant_i_model_needs_mixture(model, "a sample"));
    SCANT_I_TRY(SCANT_I_NEW(&x, n * width));
    SCANT_I_TRY(SCANT_I_NEW(&own, d));
    SCANT_I_TRY(SCANT_I_NEW(&names, width));
    SCANT_I_TRY(SCANT_I_NEW(&labels, n));
    for (size_t c = 0; c < d; c++)
        names[c] = model->columns[c];
    if (with_component)
        names[d] = "component";
    for (size_t i = 0; i < n; i++) {
        if (scant_i_interrupted()) {
            status = scant_i_fail(SCANT_ERR_INTERRUPTED, "interrupted after %zu of %zu rows", i, n);
            goto done;
        }
        scant_i_random random = scant_i_random_new(seed, i);
        size_t pair = draw_pair(m, &random), j = pair % m->stride;
        SCANT_I_TRY(scant_i_sample_cells(x + i * width, m, j, &random,
                                         like ? like->dense + i % like->nrows * d : NULL, own));
        if (with_component)
            x[i * width + d] = (double)(j + 1);
        if (pair / m->stride < model->nclasses) /* else unlabelled, where that is a class */
            labels[i] = model->classes[pair / m->stride];
    }
    SCANT_I_TRY(scant_rows_new(&rows, n, width, x, names));
    SCANT_I_TRY(name_levels(rows, model));
    if (model->nclasses)
        SCANT_I_TRY(scant_rows_set_labels(rows, labels, (const char *const *)model->classes,
                                          model->nclasses, NULL));
    *out = rows;
    rows = NULL;
done:
    scant_rows_free(rows);
    scant_i_free(x);
    scant_i_free(own);
    scant_i_free(names);
    scant_i_free(labels);
    return status;
}

scant_status scant_model_sample(scant_rows **out, const scant_model *model, size_t n, uint64_t seed,
                                bool with_component)
{
    return draw(out, model, n, seed, with_component, NULL);
}

scant_status scant_i_sample_like(scant_rows **out, const scant_model *model, const scant_rows *rows,
                                 size_t n, uint64_t seed)
{
    return draw(out, model, n, seed, false, rows);
}
