/* Rows drawn from a model: a component and class from the coupling, then each factor's cells. Row i, or where rows
 * are steps sequence s, has a random stream of its own, so the rows do not depend on how many are drawn or by whom. */
#include <math.h>
#include <string.h>

#include "data/sequence.h"
#include "latent/chain.h"
#include "model/chain.h"
#include "model/sample.h"

/* (component, class), flat index k * stride + j: by W; of a chain the state follows that of the row before (SIZE_MAX:
 * a sequence begins), and the class is drawn given the state. */
static size_t draw_pair(const scant_i_mixture *m, size_t before, scant_i_random *random)
{
    if (m->structure != &scant_i_structure_chain)
        return scant_i_random_pick(random, m->coupling.W, m->nclasses * m->stride);
    const double *next = before == SIZE_MAX ? scant_i_chain_start(m)
                                            : scant_i_chain_transitions(m) + before * m->stride;
    size_t j = scant_i_random_pick(random, next, m->ncomponents), k = 0;
    double all = 0, u = scant_i_random_uniform(random);
    for (size_t l = 0; l < m->nclasses; l++)
        all += m->coupling.W[l * m->stride + j];
    for (double sum = m->coupling.W[j]; k + 1 < m->nclasses && !(u * all < sum);
         sum += m->coupling.W[++k * m->stride + j])
        ;
    return k * m->stride + j;
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

/* What is drawn: n rows, of a chain in `count` sequences. */
typedef struct order {
    size_t n, count;
    const size_t *lengths;
    uint64_t seed;
    bool with_component;
    const scant_rows *like; /* rows that lack the same cells, or NULL */
} order;

/* Row i's random numbers begin, where they are its own or those of a sequence that it begins. */
static bool begins(scant_i_random *random, const scant_model *model, const order *of, size_t i,
                   size_t *sequence, size_t *next)
{
    bool chain = scant_i_is_chain(model), first = !chain || i == *next;
    if (first)
        *random = scant_i_random_new(of->seed, chain ? *sequence : i);
    if (first && chain)
        *next += of->lengths[(*sequence)++];
    return first;
}

static scant_status draw(scant_rows **out, const scant_model *model, const order *of)
{
    scant_status status = SCANT_OK;
    const scant_i_mixture *m = model->mixture;
    bool with_component = of->with_component;
    const scant_rows *like = of->like;
    size_t n = of->n, d = model->ncolumns, width = d + with_component;
    size_t sequence = 0, next = 0, before = SIZE_MAX;
    scant_i_random random = {0};
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
        bool first = begins(&random, model, of, i, &sequence, &next);
        size_t pair = draw_pair(m, first ? SIZE_MAX : before, &random), j = pair % m->stride;
        before = j;
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
    if (scant_i_is_chain(model))
        SCANT_I_TRY(scant_rows_set_sequences(rows, of->lengths, of->count));
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
    const order of = {
        .n = n, .count = 1, .lengths = &n, .seed = seed, .with_component = with_component};
    return draw(out, model, &of);
}

scant_status scant_model_sample_sequences(scant_rows **out, const scant_model *model,
                                          const size_t *lengths, size_t count, uint64_t seed,
                                          bool with_component)
{
    order of = {.count = count, .lengths = lengths, .seed = seed, .with_component = with_component};
    *out = NULL;
    if (!scant_i_is_chain(model))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "sequences are drawn from chains alone");
    for (size_t s = 0; s < count; s++)
        if (lengths[s] == 0 || __builtin_add_overflow(of.n, lengths[s], &of.n))
            return scant_i_fail(SCANT_ERR_ARGUMENT, "sequence %zu has %zu steps", s + 1,
                                lengths[s]);
    return draw(out, model, &of);
}

scant_status scant_i_sample_like(scant_rows **out, const scant_model *model, const scant_rows *rows,
                                 size_t n, uint64_t seed)
{
    const order of = {.n = n, .count = 1, .lengths = &n, .seed = seed, .like = rows};
    return draw(out, model, &of);
}
