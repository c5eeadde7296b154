/* Labels that may be wrong.
 *
 *   N[k][y] = P(label y is seen | class k), rows sum to 1
 *   objective  sum_i w_i log sum_k v_ik p(x_i, k),  v_ik = sum of N[k][y] over the labels y seen
 *   M-step     N[k][y] = share of label y among the labelled rows that fell to class k
 * in latent/posterior.c; here is where N comes from. A learned N is known only up to the classes'
 * names, which N[k][k] > 1/2 fixes. */
#include "model/noise.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "model/options.h"

static const double RATE_TO_START_FROM = 0.1;
static const double SUM_TOLERANCE = 1e-6;

bool scant_i_noise_given(const scant_fit_options *options)
{
    return options->evidence.label_noise || options->evidence.label_noise_table;
}

void scant_i_noise_drop(scant_fit_options *options)
{
    options->evidence.label_noise = NULL;
    options->evidence.label_noise_table = NULL;
}

bool scant_i_noise_estimated(const scant_fit_options *options)
{
    return options->evidence.label_noise && strcmp(options->evidence.label_noise, "estimate") == 0;
}

/* A wrong label is any of the others, all equally likely. */
static void spread_rate(scant_i_mixture *mixture, size_t nlabels, double rate)
{
    size_t K = mixture->nclasses;
    for (size_t k = 0; k < K; k++)
        for (size_t y = 0; y < K; y++) {
            bool label = k < nlabels && y < nlabels; /* else the class of unlabelled rows */
            double wrong = label && nlabels > 1 ? rate / (double)(nlabels - 1) : 0;
            mixture->coupling.noise[k * K + y] = k != y ? wrong : label ? 1 - rate : 1;
        }
}

static scant_status read_table(scant_i_mixture *mixture, const scant_rows *rows,
                               const scant_evidence_options *options)
{
    scant_status status = SCANT_OK;
    scant_rows *table = NULL;
    size_t n = rows->labels.nclasses, K = mixture->nclasses;
    const char *path = options->label_noise;
    SCANT_I_TRY(scant_i_class_table(&table, rows, "label-noise", path, options->label_noise_table,
                                    options->label_noise_classes, options->label_noise_classes));
    if (table->nrows != n) {
        status =
            scant_i_fail_in(SCANT_ERR_INPUT, path, "%zu rows for %zu classes", table->nrows, n);
        goto done;
    }
    for (size_t k = 0; k < n; k++) {
        double sum = 0;
        for (size_t y = 0; y < n; y++) {
            double share = scant_rows_value(table, k, y);
            if (!(share >= 0 && share <= 1)) {
                status = scant_i_fail_cell(table, k, y, "%g is not a probability", share);
                goto done;
            }
            mixture->coupling.noise[k * K + y] = share;
            sum += share;
        }
        if (fabs(sum - 1) > SUM_TOLERANCE) {
            status = scant_i_fail_cell(table, k, 0, "the labels of class %s add up to %.9g, not 1",
                                       rows->labels.classes[k], sum);
            goto done;
        }
    }
done:
    scant_rows_free(table);
    return status;
}

/* Does the code say which label was seen, or which of some? Probabilities are no labels that were seen. */
static bool is_label(const scant_i_labels *labels, int32_t code)
{
    size_t K = labels->nclasses, e = (size_t)code - K, open = 0;
    if (code < 0 || (size_t)code < K)
        return code >= 0;
    for (size_t k = 0; k < K; k++)
        open += labels->soft[e * K + k] > 0;
    return !labels->is_probability[e] && open < K;
}

static scant_status check_labelled(const scant_rows *rows)
{
    for (size_t i = 0; i < rows->nrows; i++)
        if (scant_rows_weight(rows, i) > 0 && is_label(&rows->labels, rows->labels.code[i]))
            return SCANT_OK;
    return scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                        "--label-noise estimate: no row has a label that could be wrong");
}

static scant_status check_identified(const scant_i_mixture *mixture)
{
    for (size_t j = 0; j < mixture->ncomponents; j++) {
        size_t serves = 0;
        for (size_t k = 0; k < mixture->nclasses; k++)
            serves += mixture->coupling.W[k * mixture->stride + j] > 0;
        if (serves > 1)
            return scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                                "--label-noise estimate: component %zu serves several classes, so "
                                "wrong labels cannot be told from shared components",
                                j + 1);
    }
    return SCANT_OK;
}

scant_status scant_i_noise_lay(scant_i_mixture *mixture, const scant_rows *rows,
                               const scant_fit_options *options, bool own_class)
{
    const char *text = options->evidence.label_noise;
    size_t K = mixture->nclasses, nlabels = own_class ? K - 1 : K;
    if (!scant_i_noise_given(options))
        return SCANT_OK;
    if (!rows->labels.code || nlabels < 2)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--label-noise: these rows have no two classes");
    scant_status status = SCANT_I_NEW(&mixture->coupling.noise, K * K);
    if (status != SCANT_OK)
        return status;
    double rate;
    bool number = text && scant_i_number_parse(&rate, text, strlen(text));
    mixture->coupling.noise_free = scant_i_noise_estimated(options);
    if (mixture->coupling.noise_free) {
        spread_rate(mixture, nlabels, RATE_TO_START_FROM);
        status = check_labelled(rows);
        return status == SCANT_OK ? check_identified(mixture) : status;
    }
    spread_rate(mixture, nlabels, number ? rate : 0);
    if (!number)
        return read_table(mixture, rows, &options->evidence);
    if (!(rate >= 0 && rate < 1))
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--label-noise: %g is no share of wrong labels, which is from 0 to 1",
                            rate);
    return SCANT_OK;
}

scant_status scant_i_noise_read(scant_i_mixture *mixture, const scant_i_place *place,
                                const json_t *array)
{
    size_t K = mixture->nclasses, dim[2] = {K, K};
    scant_status status = scant_i_get_numbers(NULL, place, array, dim, 2);
    if (status == SCANT_OK && !mixture->coupling.noise) /* a resumed fit has one */
        status = SCANT_I_NEW(&mixture->coupling.noise, K * K);
    if (status == SCANT_OK)
        status = scant_i_get_numbers(mixture->coupling.noise, place, array, dim, 2);
    for (size_t k = 0; k < K && status == SCANT_OK; k++) {
        double sum = 0, least = 0;
        for (size_t y = 0; y < K; y++) {
            sum += mixture->coupling.noise[k * K + y];
            least = fmin(least, mixture->coupling.noise[k * K + y]);
        }
        if (!(least >= 0 && fabs(sum - 1) <= SUM_TOLERANCE))
            status = scant_i_place_fail(place, "row %zu is not a distribution over labels", k + 1);
    }
    return status;
}
