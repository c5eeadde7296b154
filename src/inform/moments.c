#include "inform/moments.h"
#include "latent/structure.h"

#include <string.h>

enum {
    SLICE_VECTORS =
        30, /* long enough to fold sums seldom; eight products of features, and four pairs of components
                              that go over them, leave a quarter of a first-level cache of 32 KB free */
    SLICE_DOUBLES = 16384, /* of a slice's widest table: it should stay in the cache */
    TABLES_MOST = 1 << 16, /* doubles of U and Y, unless G is larger still */
};

/* U[q][j] = sum_k P(k | j, e) u_jk[q] of entry e */
static void make_U(const scant_i_moments *t, size_t e, double *U)
{
    const scant_i_posterior *p = &t->posterior;
    bool prior = p->evidence->kind[e] == SCANT_I_PRIOR;
    const double *c = prior ? p->pi : p->joint, *v = scant_i_posterior_informative(p, e);
    memset(U, 0, t->q * t->stride * sizeof *U);
    for (size_t j = 0; j < t->M; j++) {
        double a = 0;
        for (size_t k = 0; k < t->K; k++)
            a += c[k * t->stride + j] * v[k];
        for (size_t k = 0; k < t->K; k++) {
            double share = a > 0 ? c[k * t->stride + j] * v[k] / a : 0;
            const double *u = scant_i_moments_slope(t, prior, k, j);
            for (size_t q = 0; q < t->q && share > 0; q++)
                U[q * t->stride + j] += share * u[q];
        }
    }
}

static void measure(scant_i_moments *t)
{
    for (size_t f = 0; f < t->standard->nfactors; f++) {
        const scant_i_factor *factor = t->standard->factor[f];
        size_t natural = factor->family->natural->nnatural(factor);
        t->m += factor->family->natural->nfeatures(factor);
        t->natural += natural;
        t->room = scant_i_max(t->room, factor->ncolumns + natural);
    }
    t->npairs = t->M * (t->M - 1) / 2;
    t->lanes = scant_i_round_up(t->npairs, SCANT_I_LANES);
    t->hlanes = scant_i_round_up(t->q, SCANT_I_LANES);
}

/* Rows at a time: as many as fill vectors, unless tables grow with them. */
static void cut(scant_i_moments *t)
{
    size_t vector = t->single ? SCANT_I_SINGLE_LANES : SCANT_I_LANES, wide = t->q * t->stride;
    size_t most = SLICE_DOUBLES / scant_i_max(1, t->tilted ? wide : 0);
    t->slice = scant_i_min(SLICE_VECTORS * vector, most);
    t->slice = scant_i_max(1, t->slice / SCANT_I_SINGLE_LANES) * SCANT_I_SINGLE_LANES;
    t->run = scant_i_max(1, SLICE_DOUBLES / scant_i_max(1, t->lanes));
}

/* Tables for as many entries as are worth their memory, those of single classes first. */
static void choose_tables(scant_i_moments *t)
{
    size_t one = t->m * t->lanes + t->q * t->stride, own = t->m * (t->m + 1) / 2 * t->lanes;
    size_t most = scant_i_max(TABLES_MOST, own) / scant_i_max(1, one);
    t->ntabled = scant_i_min(t->posterior.ntabled, most);
    t->plain = !t->posterior.evidence->code && t->standard->nfactors &&
               t->standard->factor[0]->family->natural->begins_with_one &&
               scant_i_evidence_entry(t->posterior.evidence, 0) < t->ntabled;
    t->tilted = t->ntabled < t->posterior.evidence->nentries;
}

scant_status scant_i_moments_lay_out(scant_i_moments *t)
{
    scant_status status = scant_i_products_new(&t->products, t->standard);
    t->size = t->products.n * t->lanes + (1 + t->q) * t->m * t->stride +
              (t->plain ? 0 : t->ntabled * t->m * t->lanes);
    t->shared = t->q * t->hlanes + t->ntabled * t->lanes;
    return status;
}

scant_status scant_i_moments_new(scant_i_moments *out, const scant_i_chart *chart,
                                 const scant_i_mixture *mixture, const scant_i_evidence *evidence,
                                 bool single)
{
    scant_status status = SCANT_OK;
    *out = (scant_i_moments){.chart = chart,
                             .single = single,
                             .M = mixture->ncomponents,
                             .stride = mixture->stride,
                             .K = mixture->nclasses,
                             .q = chart->ncoupling};
    if (mixture->structure != &scant_i_structure_rows)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "scores and information are of independent rows");
    SCANT_I_TRY(scant_i_mixture_copy(&out->mixture, mixture));
    SCANT_I_TRY(scant_i_mixture_copy(&out->standard, mixture));
    scant_i_chart_standardise(out->standard, true);
    SCANT_I_TRY(scant_i_mixture_prepare(out->mixture));
    SCANT_I_TRY(scant_i_posterior_new(&out->posterior, out->mixture, evidence));
    scant_i_posterior_prepare(&out->posterior);
    measure(out);
    choose_tables(out);
    cut(out);
    size_t table = out->q * out->stride;
    SCANT_I_TRY(SCANT_I_NEW(&out->slope, 2 * out->K * out->M * out->q));
    SCANT_I_TRY(SCANT_I_NEW(&out->U, out->ntabled * table));
    SCANT_I_TRY(SCANT_I_NEW(&out->pair, 2 * out->npairs));
    for (size_t j = 0, p = 0; j < out->M; j++)
        for (size_t l = j + 1; l < out->M; l++, p++) {
            out->pair[2 * p] = (uint32_t)j;
            out->pair[2 * p + 1] = (uint32_t)l;
        }
    for (size_t k = 0; k < out->K; k++)
        for (size_t j = 0; j < out->M; j++)
            for (size_t prior = 0; prior < 2; prior++)
                if (mixture->coupling.W[k * mixture->stride + j] > 0)
                    scant_i_chart_slope(chart, mixture, k, j, !prior,
                                        out->slope + ((prior * out->K + k) * out->M + j) * out->q);
    for (size_t e = 0; e < out->ntabled; e++)
        make_U(out, e, out->U + e * table);
done:
    if (status != SCANT_OK)
        scant_i_moments_clear(out);
    return status;
}

void scant_i_moments_clear(scant_i_moments *moments)
{
    scant_i_posterior_clear(&moments->posterior);
    scant_i_mixture_free(moments->mixture);
    scant_i_mixture_free(moments->standard);
    scant_i_free(moments->slope);
    scant_i_free(moments->U);
    scant_i_free(moments->pair);
    scant_i_products_clear(&moments->products);
    *moments = (scant_i_moments){0};
}

const double *scant_i_moments_U(const scant_i_moments *t, size_t entry, double *room)
{
    if (entry < t->ntabled)
        return t->U + entry * t->q * t->stride;
    make_U(t, entry, room);
    return room;
}

void scant_i_moments_features(const scant_i_moments *t, const scant_i_block *block, double *phi,
                              size_t ld, double *room)
{
    for (size_t f = 0; f < t->standard->nfactors; f++) {
        const scant_i_factor *factor = t->standard->factor[f];
        factor->family->natural->features(factor, block, phi, ld, room);
        phi += factor->family->natural->nfeatures(factor) * ld;
    }
}

scant_status scant_i_moments_maps(const scant_i_moments *t, const uint8_t *present, double *A,
                                  size_t *at)
{
    scant_status status = SCANT_OK;
    double *own = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&own, t->chart->most * t->m));
    for (size_t j = 0; j < t->M; j++) {
        size_t row = 0, column = 0;
        for (size_t f = 0; f < t->standard->nfactors && t->chart->used[j]; f++) {
            const scant_i_factor *factor = t->standard->factor[f];
            size_t n = t->chart->natural[f], m = factor->family->natural->nfeatures(factor);
            double *to = A + (j * t->natural + row) * t->m + column;
            SCANT_I_TRY(factor->family->natural->score(factor, j, present, own));
            for (size_t a = 0; a < n; a++)
                memcpy(to + a * t->m, own + a * m, m * sizeof *to);
            memcpy(at + j * t->natural + row, scant_i_chart_eta(t->chart, f, j), n * sizeof *at);
            row += n;
            column += m;
        }
    }
done:
    scant_i_free(own);
    return status;
}
