#include "validate/redraw.h"

#include <math.h>
#include <string.h>

#include "model/sample.h"

/* --- what all draws share --- */

static scant_status find_sites(scant_i_redraw *r)
{
    const scant_rows *rows = r->fitted->rows;
    static const double MOST = 1e9; /* rows of a draw */
    double total = 0;
    for (size_t i = 0; i < rows->nrows; i++) {
        double w = scant_rows_weight(rows, i);
        if (w != floor(w))
            return scant_i_fail(SCANT_ERR_ARGUMENT,
                                "bootstrap: a weight of %g is no number of rows to draw", w);
        total += w;
    }
    if (!(total <= MOST))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "bootstrap: weights add up to %g rows", total);
    scant_status status = SCANT_I_NEW(&r->site, (size_t)total);
    for (size_t i = 0; i < rows->nrows && status == SCANT_OK; i++)
        for (double w = scant_rows_weight(rows, i); w > 0; w--)
            r->site[r->nsites++] = i;
    return status;
}

/* Given class k a soft vector e is seen in proportion to (rows that have it) v_e[k] / sum_l P_l
 * v_e[l]: over all classes it is then seen as often as in the data. */
static scant_status find_reach(scant_i_redraw *r)
{
    scant_status status = SCANT_OK;
    const scant_i_labels *labels = &r->fitted->rows->labels;
    const scant_i_mixture *m = r->fitted->mixture;
    size_t K = m->nclasses, n = labels->nsoft;
    double *rows = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&rows, n));
    SCANT_I_TRY(SCANT_I_NEW(&r->reach[0], K * n));
    SCANT_I_TRY(SCANT_I_NEW(&r->reach[1], K * n));
    for (size_t s = 0; s < r->nsites && n; s++)
        if (labels->code[r->site[s]] >= (int32_t)labels->nclasses)
            rows[(size_t)labels->code[r->site[s]] - labels->nclasses]++;
    for (size_t e = 0; e < n; e++) {
        const double *v = scant_i_posterior_informative(&r->posterior, K + 1 + e);
        double all = 0;
        for (size_t t = 0; t < K * m->stride; t++)
            all += m->coupling.W[t] * v[t / m->stride];
        for (size_t k = 0; k < K; k++)
            for (size_t sort = 0; sort < 2; sort++) {
                double before = e ? r->reach[sort][k * n + e - 1] : 0;
                bool own = labels->is_probability[e] == sort && all > 0;
                r->reach[sort][k * n + e] = before + (own ? rows[e] * v[k] / all : 0);
            }
    }
done:
    scant_i_free(rows);
    return status;
}

scant_status scant_i_redraw_new(scant_i_redraw *out, const scant_i_fitted *fitted)
{
    scant_status status = SCANT_OK;
    *out = (scant_i_redraw){.fitted = fitted};
    SCANT_I_TRY(find_sites(out));
    SCANT_I_TRY(scant_i_posterior_new(&out->posterior, fitted->mixture, &fitted->evidence));
    scant_i_posterior_prepare(&out->posterior);
    SCANT_I_TRY(find_reach(out));
done:
    if (status != SCANT_OK)
        scant_i_redraw_clear(out);
    return status;
}

void scant_i_redraw_clear(scant_i_redraw *redraw)
{
    scant_i_posterior_clear(&redraw->posterior);
    scant_i_free(redraw->site);
    scant_i_free(redraw->reach[0]);
    scant_i_free(redraw->reach[1]);
    *redraw = (scant_i_redraw){0};
}

/* --- a row's class and evidence --- */

/* The first of n running sums that exceeds u times the last. */
static size_t pick_running(const double *sum, size_t n, double u)
{
    size_t low = 0, high = n - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (u * sum[n - 1] < sum[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The code of a row of class k whose place in the data has `code`. */
static int32_t see(const scant_i_redraw *r, int32_t code, size_t k, scant_i_random *random)
{
    const scant_i_labels *labels = &r->fitted->rows->labels;
    const scant_i_mixture *m = r->fitted->mixture;
    size_t K = m->nclasses;
    bool own_class = r->fitted->evidence.own_class;
    if (own_class && code < (int32_t)labels->nclasses ? k == K - 1 : code < 0)
        return -1;
    if (code < (int32_t)labels->nclasses)
        return (int32_t)(m->coupling.noise
                             ? scant_i_random_pick(random, m->coupling.noise + k * K, K)
                             : k);
    size_t sort = labels->is_probability[(size_t)code - labels->nclasses];
    const double *reach = r->reach[sort] + k * labels->nsoft;
    double u = scant_i_random_uniform(random);
    return reach[labels->nsoft - 1] > 0
               ? (int32_t)(labels->nclasses + pick_running(reach, labels->nsoft, u))
               : code;
}

/* Draws a component for the row, and its code, which comes as the data's. */
static size_t draw_component(const scant_i_redraw *r, size_t row, int32_t *code,
                             scant_i_random *random)
{
    const scant_i_evidence *evidence = &r->fitted->evidence;
    const scant_i_mixture *m = r->fitted->mixture;
    size_t e = scant_i_evidence_entry(evidence, row);
    if (evidence->kind[e] !=
        SCANT_I_LIKELIHOOD) { /* the row says itself how probable classes are */
        size_t k = scant_i_random_pick(random, evidence->v + e * m->nclasses, m->nclasses);
        return scant_i_random_pick(random, r->posterior.pi + k * m->stride, m->ncomponents);
    }
    size_t pair = scant_i_random_pick(random, m->coupling.W, m->nclasses * m->stride);
    *code = see(r, *code, pair / m->stride, random);
    return pair % m->stride;
}

/* --- a row's cells --- */

/* Cells of a row of the data, absent ones NaN. */
static void read_cells(const scant_rows *rows, size_t row, double *x)
{
    for (size_t c = 0; c < rows->ncolumns && rows->dense; c++)
        x[c] = rows->dense[row * rows->ncolumns + c];
    if (rows->dense)
        return;
    memset(x, 0, rows->ncolumns * sizeof *x);
    for (size_t k = rows->sparse.start[row]; k < rows->sparse.start[row + 1]; k++)
        x[rows->sparse.column[k]] = rows->sparse.value[k];
}

/* Puts cells into row i of the drawn rows; sparse ones grow by what is not 0. */
static scant_status put_cells(scant_rows *rows, size_t i, const double *x, size_t *room)
{
    scant_status status = SCANT_OK;
    scant_i_csr *sparse = &rows->sparse;
    if (rows->dense) {
        memcpy(rows->dense + i * rows->ncolumns, x, rows->ncolumns * sizeof *x);
        return SCANT_OK;
    }
    size_t at = sparse->start[i];
    if (at + rows->ncolumns > *room) {
        *room = 2 * *room + rows->ncolumns;
        SCANT_I_TRY(scant_i_resize(&sparse->column, *room, sizeof *sparse->column));
        SCANT_I_TRY(scant_i_resize(&sparse->value, *room, sizeof *sparse->value));
    }
    for (size_t c = 0; c < rows->ncolumns; c++)
        if (x[c] != 0) {
            sparse->column[at] = (int32_t)c;
            sparse->value[at++] = x[c];
        }
    sparse->start[i + 1] = at;
done:
    return status;
}

scant_status scant_i_redraw_rows(scant_rows **out, const scant_i_redraw *redraw, uint64_t seed,
                                 uint64_t draw)
{
    scant_status status = SCANT_OK;
    const scant_rows *rows = redraw->fitted->rows;
    scant_rows *drawn = NULL;
    double *x = NULL, *own = NULL;
    scant_i_random random = scant_i_random_new(seed, draw);
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&x, rows->ncolumns));
    SCANT_I_TRY(SCANT_I_NEW(&own, rows->ncolumns));
    SCANT_I_TRY(scant_rows_subset(&drawn, rows, redraw->site, redraw->nsites));
    scant_i_free(drawn->weight);
    drawn->weight = NULL;
    size_t room = rows->dense ? 0 : drawn->sparse.start[drawn->nrows];
    for (size_t i = 0; i < redraw->nsites; i++) {
        size_t row = redraw->site[i];
        int32_t none = -1, *code = drawn->labels.code ? &drawn->labels.code[i] : &none;
        size_t component = draw_component(redraw, row, code, &random);
        read_cells(rows, row, x);
        SCANT_I_TRY(scant_i_sample_cells(x, redraw->fitted->mixture, component, &random, x, own));
        SCANT_I_TRY(put_cells(drawn, i, x, &room));
    }
    *out = drawn;
    drawn = NULL;
done:
    scant_rows_free(drawn);
    scant_i_free(x);
    scant_i_free(own);
    return status;
}
