/* Which of the two roots of eq. 28? A predictor may be a negative multiple of the number.
 *
 * Two predictors' signs are alike where their predictions move together, and all signs together are known by mu: the
 * predictions' mean is theta mu. The search starts at the leading direction of the second moments and changes one sign at a
 * time, or all, while that raises the likelihood; for one sign s_c the other one begins at the other root of
 *   w log|q| - a q^2 / 2 + b q,   a = -H_cc - w / q^2,  b = g_c + a q - w / q   (everything else as it is).
 * Where one or the other hardly changes l, the predictions do not tell. Cost: k + 1 fits a round. */
#include "audit/numbers.h"

#include <math.h>
#include <string.h>

#include "parts/tally.h"
#include "math/linear.h"

/* l falls by that much at once where a sign is changed and all else is kept: it need not be tried. */
static const double SURE = 1e3, RISE = 1e-9;

/* --- the start --- */

static scant_status add_moments(const scant_i_batch *batch, size_t first, size_t end, double *sums,
                                const void *payload)
{
    const scant_i_numbers *p = payload;
    for (size_t i = first; i < end; i++) {
        const double *cell = batch->dense + i * batch->ncolumns;
        double weight = batch->weight ? batch->weight[i] : 1;
        for (size_t c = 0; c < p->k; c++)
            for (size_t d = 0; d < p->k; d++) {
                double product = cell[p->column[c]] * cell[p->column[d]] / (p->scale * p->scale);
                if (!isnan(product))
                    sums[c * p->k + d] += weight * product;
            }
    }
    return SCANT_OK;
}

/* Signs of the leading direction of the second moments, as a correlation. */
static scant_status begin_signs(scant_i_numbers *p)
{
    scant_status status = SCANT_OK;
    size_t k = p->k;
    double *moments = NULL, *scale = NULL;
    scant_i_tally tally = {.length = k * k, .add = add_moments, .payload = p};
    SCANT_I_TRY(SCANT_I_NEW(&moments, k * k));
    SCANT_I_TRY(SCANT_I_NEW(&scale, k));
    tally.tiles = scant_i_tiles_choose(
        &(scant_i_tile_counts){.nrows = p->rows->nrows, .nstatistics = tally.length, .stride = 1});
    SCANT_I_TRY(scant_i_tally_ask(moments, &tally, p->rows, NULL, p->rows->weight, p->threads));
    for (size_t c = 0; c < k; c++)
        scale[c] = sqrt(moments[c * k + c]);
    for (size_t c = 0; c < k; c++)
        for (size_t d = 0; d < k; d++)
            moments[c * k + d] /= scale[c] * scale[d];
    SCANT_I_TRY(scant_i_eigen(moments, k, scale));
    double sum = 0;
    for (size_t c = 0; c < k; c++) {
        p->sign[c] = moments[(k - 1) * k + c] < 0 ? -1 : 1;
        sum += p->sign[c];
    }
    for (size_t c = 0; c < k && sum < 0; c++)
        p->sign[c] = -p->sign[c];
done:
    scant_i_free(moments);
    scant_i_free(scale);
    return status;
}

/* --- one sign, or all of them, changed --- */

/* log|q_c| at the other root, and how much l falls there if nothing else moves. */
static double other_root(const scant_i_numbers *p, const scant_i_number_point *at, size_t c,
                         double answers, double *fall)
{
    double q = scant_i_number_q(p, at->x, c), g = at->gradient[c] / q, w = answers;
    double curvature = (at->information[c * p->n + c] + at->gradient[c]) / (q * q); /* -H_cc */
    double a = fmax(curvature - w / (q * q), 1e-12 / (q * q)), b = g + a * q - w / q;
    double root = sqrt(b * b + 4 * a * w),
           other = q > 0 ? (b - root) / (2 * a) : (b + root) / (2 * a);
    *fall = w * log(fabs(q / other)) - a * (q * q - other * other) / 2 + b * (q - other);
    return log(fabs(other));
}

/* A fit with the sign of c (or of all, c = k) changed; p->sign is left as it was. */
static scant_status fit_changed(scant_i_numbers *p, scant_i_number_point *there,
                                const scant_i_number_point *at, size_t c, double from)
{
    bool settled;
    for (size_t d = 0; d < p->k; d++)
        p->sign[d] *= c == d || c == p->k ? -1 : 1;
    memcpy(there->x, at->x, p->n * sizeof *at->x);
    if (c < p->k)
        there->x[c] = from;
    scant_status status = scant_i_number_maximise(p, there, &settled);
    for (size_t d = 0; d < p->k; d++)
        p->sign[d] *= c == d || c == p->k ? -1 : 1;
    return status;
}

static void take(scant_i_numbers *p, scant_i_number_point *at, scant_i_number_point *there,
                 size_t c)
{
    scant_i_number_point old = *at;
    *at = *there;
    *there = old;
    for (size_t d = 0; d < p->k; d++)
        p->sign[d] *= c == d || c == p->k ? -1 : 1;
}

/* Weight of a predictor's answers. */
static scant_status count_answers(double *answers, const scant_i_numbers *p)
{
    scant_i_survey survey = {0};
    scant_status status = scant_i_survey_new(&survey, p->rows, NULL, SCANT_I_COLUMNS, p->threads);
    for (size_t c = 0; c < p->k && status == SCANT_OK; c++)
        answers[c] = survey.column[p->column[c]].weight;
    scant_i_survey_clear(&survey);
    return status;
}

scant_status scant_i_number_signs(scant_i_numbers *p, scant_i_number_point *at, double *gap,
                                  bool *settled)
{
    scant_status status = SCANT_OK;
    scant_i_number_point there = {0};
    double *answers = NULL, fall;
    bool better = true;
    SCANT_I_TRY(scant_i_number_point_new(&there, p->n));
    SCANT_I_TRY(SCANT_I_NEW(&answers, p->k));
    SCANT_I_TRY(count_answers(answers, p));
    if (p->k > 1)
        SCANT_I_TRY(begin_signs(p));
    SCANT_I_TRY(scant_i_number_maximise(p, at, settled));
    for (size_t round = 0; better && round <= 2 * p->k; round++) {
        better = false;
        for (size_t c = 0; c <= p->k; c++) {
            if (c < p->k && p->k == 1)
                continue; /* one is all */
            double from = c < p->k ? other_root(p, at, c, answers[c], &fall) : (fall = 0);
            gap[c] = fall;
            if (!(fall < SURE))
                continue;
            SCANT_I_TRY(fit_changed(p, &there, at, c, from));
            gap[c] = at->value - there.value;
            if (gap[c] < -RISE * fabs(at->value)) {
                take(p, at, &there, c);
                better = true;
            }
        }
    }
    if (p->k == 1)
        gap[0] = gap[1];
done:
    scant_i_number_point_clear(&there);
    scant_i_free(answers);
    return status;
}
