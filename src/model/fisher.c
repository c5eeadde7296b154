/* Fisher scores: rows as points of the space in which the model could change.
 *
 *   s_i  = d log p(x_i), at the coordinates of the chart
 *   I    = observed information of the reference rows, a unit of their weight
 *   f_i  = R s_i,  R = Q L^-1/2 Q' D,  where D I D = Q L Q' and D are units in which complete
 *          information has ones on its diagonal
 * so that f_i'f_k is the Fisher kernel s_i' I^-1 s_k, and sum f f' / n tends to the unit matrix for
 * rows of the model. Directions of no information (L below LEAST) are left at 0: components that
 * classes share say nothing of classes to a row without a label. Paper: partial labels §2.1. */
#include <math.h>
#include <string.h>

#include "inform/information.h"
#include "inform/scores.h"
#include "model/chain.h"
#include "model/inform.h"
#include "model/predict.h"
#include "math/linear.h"

static const double LEAST = 1e-8; /* of complete information */

/* --- names --- */

static scant_status name(scant_scores *out, size_t at, char *made)
{
    if (!made || at == SCANT_I_NOWHERE || out->name[at]) {
        scant_i_free(made);
        return made ? SCANT_OK : SCANT_ERR_MEMORY;
    }
    out->name[at] = made;
    return SCANT_OK;
}

static scant_status name_coupling(scant_scores *out, const scant_model *model,
                                  const scant_i_chart *chart)
{
    scant_status status = SCANT_OK;
    for (size_t k = 0; k < chart->K; k++) {
        const char *word = k < model->nclasses ? model->classes[k] : "unlabeled";
        SCANT_I_TRY(name(out, chart->P[k], scant_i_format("score_p_%s", word)));
        for (size_t j = 0; j < chart->M; j++)
            SCANT_I_TRY(name(out, chart->pi[k * chart->M + j],
                             model->nclasses ? scant_i_format("score_pi_%zu_%s", j + 1, word)
                                             : scant_i_format("score_pi_%zu", j + 1)));
    }
done:
    return status;
}

/* eta of factor f: score_<f>_<component>_<entry>, all from 1; what components share goes by the
 * first of them. */
static scant_status name_all(scant_scores *out, const scant_model *model,
                             const scant_i_chart *chart)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(name_coupling(out, model, chart));
    for (size_t f = 0; f < chart->nfactors; f++)
        for (size_t j = 0; j < chart->M; j++)
            for (size_t a = 0; a < chart->natural[f]; a++)
                SCANT_I_TRY(name(out, scant_i_chart_eta(chart, f, j)[a],
                                 scant_i_format("score_%zu_%zu_%zu", f + 1, j + 1, a + 1)));
done:
    return status;
}

/* --- whitening --- */

/* R (n x n), as above; returns how many directions are left at 0 in *silent. */
static scant_status whitener(double *R, size_t *silent, const scant_i_information *information,
                             double weight)
{
    scant_status status = SCANT_OK;
    size_t n = information->chart.n;
    double *Q = NULL, *value = NULL, *unit = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&Q, n * n));
    SCANT_I_TRY(SCANT_I_NEW(&value, n));
    SCANT_I_TRY(SCANT_I_NEW(&unit, n));
    for (size_t a = 0; a < n; a++) {
        double own = information->complete[a * n + a] / weight;
        unit[a] = own > 0 ? 1 / sqrt(own) : 0;
    }
    for (size_t t = 0; t < n * n; t++)
        Q[t] = unit[t / n] * information->observed[t] / weight * unit[t % n];
    SCANT_I_TRY(scant_i_eigen(Q, n, value));
    *silent = 0;
    memset(R, 0, n * n * sizeof *R);
    for (size_t e = 0; e < n; e++) {
        const double *q = Q + e * n;
        *silent += value[e] <= LEAST;
        for (size_t a = 0; a < n && value[e] > LEAST; a++)
            for (size_t b = 0; b < n; b++)
                R[a * n + b] += q[a] * q[b] * unit[b] / sqrt(value[e]);
    }
done:
    scant_i_free(Q);
    scant_i_free(value);
    scant_i_free(unit);
    return status;
}

/* Each row of scores becomes R times itself. */
static scant_status whiten(scant_scores *scores, const double *R)
{
    size_t n = scores->count;
    double *row = scant_i_alloc(n, sizeof *row);
    if (!row)
        return SCANT_ERR_MEMORY;
    for (size_t i = 0; i < scores->rows; i++) {
        double *s = scores->value + i * n;
        memcpy(row, s, n * sizeof *row);
        for (size_t a = 0; a < n; a++) {
            s[a] = 0;
            for (size_t b = 0; b < n; b++)
                s[a] += R[a * n + b] * row[b];
        }
    }
    scant_i_free(row);
    return SCANT_OK;
}

/* --- all of it --- */

void scant_scores_clear(scant_scores *scores)
{
    for (size_t a = 0; scores->name && a < scores->count; a++)
        scant_i_free(scores->name[a]);
    scant_i_free(scores->name);
    scant_i_free(scores->value);
    *scores = (scant_scores){0};
}

static scant_status ask(scant_i_asked *out, const scant_model *model, const scant_rows *rows,
                        const scant_predict_options *options)
{
    scant_i_mixture *mixture = NULL;
    scant_status status = scant_i_model_recall(&mixture, model);
    if (status != SCANT_OK) {
        scant_i_mixture_free(mixture);
        return status;
    }
    return scant_i_asked_new(out, model, mixture, rows, options, SIZE_MAX);
}

static double weight_of(const scant_i_asked *asked)
{
    double sum = 0;
    for (size_t i = 0; i < asked->rows->nrows; i++)
        sum += scant_rows_weight(asked->rows, i);
    return sum;
}

scant_status scant_model_scores(scant_scores *out, const scant_model *model, const scant_rows *rows,
                                const scant_rows *reference, const scant_predict_options *options)
{
    scant_status status = SCANT_OK;
    scant_i_asked asked = {0}, about = {0};
    scant_i_information information = {0};
    scant_predict_options taken;
    double *R = NULL;
    *out = (scant_scores){0};
    SCANT_I_TRY(scant_i_model_needs_mixture(model, "a Fisher score"));
    SCANT_I_TRY(scant_i_model_needs_rows(model, "a Fisher score"));
    SCANT_I_TRY(scant_i_predict_options_take(&taken, options, model));
    options = &taken;
    SCANT_I_TRY(ask(&about, model, reference ? reference : rows, options));
    SCANT_I_TRY(ask(&asked, model, rows, options));
    double weight = weight_of(&about);
    if (!(weight > 0)) {
        status =
            scant_i_fail(SCANT_ERR_INPUT, "no row has a weight: there is nothing to whiten by");
        goto done;
    }
    about.evidence.weight = about.rows->weight;
    SCANT_I_TRY(scant_i_information_new(&information, about.mixture, about.rows, &about.evidence,
                                        options->threads));
    size_t n = information.chart.n;
    out->rows = asked.rows->nrows;
    out->count = n;
    SCANT_I_TRY(SCANT_I_NEW(&out->value, out->rows * n));
    SCANT_I_TRY(SCANT_I_NEW(&out->name, n));
    SCANT_I_TRY(SCANT_I_NEW(&R, n * n));
    SCANT_I_TRY(name_all(out, model, &information.chart));
    SCANT_I_TRY(whitener(R, &out->silent, &information, weight));
    SCANT_I_TRY(scant_i_scores(out->value, &information.chart, asked.mixture, asked.rows,
                               &asked.evidence, options->threads));
    status = whiten(out, R);
done:
    scant_i_information_clear(&information);
    scant_i_asked_clear(&asked);
    scant_i_asked_clear(&about);
    scant_i_free(R);
    if (status != SCANT_OK)
        scant_scores_clear(out);
    return status;
}
