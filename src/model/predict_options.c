/* The options of a prediction: their table, and their door. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/option_rows.h"
#include "base/options.h"
#include "model/predict.h"

#define AT(field) offsetof(scant_predict_options, field)
static const scant_option table[] = {
    {"replace", 0, SCANT_OPTION_FLAG, AT(replace), NULL, NULL, 0, 0, NULL,
     "rows' class probabilities replace the class proportions"},
    {"use-labels", 0, SCANT_OPTION_FLAG, AT(use_labels), NULL, NULL, 0, 0, NULL,
     "take labels and class probabilities of the rows into account"},
    {"decode", 0, SCANT_OPTION_TEXT, AT(decode), "D", NULL, 0, 0, NULL,
     "chains: posterior (a step given its sequence), viterbi (the likeliest path) or filter (a "
     "step "
     "given those up to it)"},
    SCANT_I_ROW_THREADS(AT(threads)),
};
enum { NOPTIONS = sizeof table / sizeof *table };
static const scant_i_options_kind kind = {"scant_predict_options_preset",
                                          sizeof(scant_predict_options), table, NOPTIONS};
static const double ROUNDING = 1e-6; /* of proportions that add up to 1 */

const scant_option *scant_predict_option_table(size_t *count)
{
    *count = NOPTIONS;
    return table;
}

void(scant_predict_options_preset)(scant_predict_options *options, size_t size)
{
    scant_i_options_preset(options, size, &kind);
}

static scant_status check_prior(const double *prior, size_t K)
{
    double sum = 0;
    for (size_t k = 0; k < K; k++) {
        if (!(prior[k] >= 0) || !(prior[k] <= 1))
            return scant_i_fail(SCANT_ERR_ARGUMENT,
                                "--prior: %g, of class %zu, is not a number from 0 to 1", prior[k],
                                k + 1);
        sum += prior[k];
    }
    if (K > 0 && !(fabs(sum - 1) <= ROUNDING))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--prior: the proportions sum to %g, not 1", sum);
    return SCANT_OK;
}

scant_status scant_i_predict_options_take(scant_predict_options *taken,
                                          const scant_predict_options *options,
                                          const scant_model *model)
{
    scant_status status = SCANT_OK;
    if (!options) {
        (scant_predict_options_preset)(taken, sizeof *taken);
        return SCANT_OK;
    }
    SCANT_I_TRY(scant_i_options_take(taken, options, &kind));
    const double *smoothing = taken->unlabeled_smoothing;
    if (smoothing && !(*smoothing >= 0 && *smoothing <= 1))
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--unlabeled-smoothing: '%g' is not a number from 0 to 1", *smoothing);
    if (taken->decode && strcmp(taken->decode, "posterior") != 0 &&
        strcmp(taken->decode, "viterbi") != 0 && strcmp(taken->decode, "filter") != 0)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--decode: '%s' is neither posterior nor viterbi nor filter",
                            taken->decode);
    if (taken->prior)
        status = check_prior(taken->prior, model->nclasses);
done:
    return status;
}
