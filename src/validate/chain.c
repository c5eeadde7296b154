/* A chain compared with the mixture of independent rows on held-out sequences.
 *
 * Both are cross-validated over the same folds of whole sequences. The chain helps if held-out steps are likelier, and where
 * labels are known more of these right, by more than twice the standard error of the difference (of five folds, one is often
 * exceeded by chance). Where there are
 * fewer sequences than pieces to hold out, they are cut into pieces, each a sequence. Cost: folds x 2 fits, of MOST_STEPS steps
 * at most. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/sequence.h"
#include "model/chain.h"
#include "model/options.h"
#include "validate/chain.h"
#include "validate/cv.h"

enum { MOST_STEPS = 100, PIECES = 20 };

/* A copy of the rows; sequences are cut into equal pieces until there are PIECES. */
static scant_status copy_rows(scant_rows **out, const scant_rows *rows)
{
    scant_status status = SCANT_OK;
    size_t *all = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&all, rows->nrows));
    for (size_t i = 0; i < rows->nrows; i++)
        all[i] = i;
    SCANT_I_TRY(scant_rows_subset(out, rows, all, rows->nrows));
    scant_rows *copy = *out;
    if (copy->ngroups >= PIECES)
        goto done;
    size_t length = scant_i_max(rows->nrows / PIECES, 2), at = 0;
    int32_t piece = -1;
    for (size_t i = 0; i < rows->nrows; i++, at++) {
        if (scant_i_begins_sequence(rows, i) || at >= length) {
            at = 0;
            piece++;
        }
        copy->group[i] = piece;
    }
    copy->ngroups = (size_t)piece + 1;
done:
    scant_i_free(all);
    return status;
}

/* Sequences that have something to be measured by, and in *labeled the exact labels. */
static size_t count_sequences(size_t *labeled, const scant_rows *rows)
{
    size_t count = 0;
    *labeled = 0;
    for (size_t i = 0; i < rows->nrows; i++)
        *labeled += scant_rows_label(rows, i) >= 0 && scant_rows_weight(rows, i) > 0;
    for (size_t i = 0, end; i < rows->nrows; i = end) {
        bool some = *labeled == 0;
        for (end = i; end < rows->nrows && (end == i || !scant_i_begins_sequence(rows, end)); end++)
            some |= scant_rows_label(rows, end) >= 0;
        count += some && scant_rows_weight(rows, i) > 0;
    }
    return count;
}

scant_status scant_i_compare_rows(scant_comparison *out, const scant_rows *rows,
                                  const scant_fit_options *options, size_t nfolds)
{
    scant_status status = SCANT_OK;
    scant_cv fit = {0}, other = {0};
    scant_rows *copy = NULL;
    double began = scant_i_seconds();
    scant_fit_options ours = *options;
    ours.run.checkpoint = NULL;
    ours.run.resume = false;
    ours.run.max_iter = scant_i_min(ours.run.max_iter, MOST_STEPS);
    ours.run.time_limit = options->run.time_limit / 2;
    *out = (scant_comparison){0};
    if (!rows->sequential)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "these rows have no sequences (--sequence)");
    SCANT_I_TRY(copy_rows(&copy, rows));
    nfolds = scant_i_min(nfolds, count_sequences(&out->labeled, copy));
    if (nfolds < 2) {
        (void)snprintf(out->why, sizeof out->why, "fewer than two sequences have a label");
        goto done;
    }
    SCANT_I_TRY(scant_i_cv_fit(&fit, copy, &ours, nfolds));
    copy->sequential = false;
    ours.model.transitions = "any";
    ours.run.time_limit = scant_i_time_left(options->run.time_limit, began);
    SCANT_I_TRY(scant_i_cv_fit_whole(&other, copy, &ours, nfolds));
    scant_cv_compare(out, &fit, &other);
done:
    scant_cv_clear(&fit);
    scant_cv_clear(&other);
    scant_rows_free(copy);
    return status;
}

static bool helps(const scant_comparison *c)
{
    return c->difference > 2 * c->error && c->loglik[0] > c->loglik[1];
}

static scant_status say(scant_model *model, const scant_comparison *c)
{
    bool labels = c->labeled > 0;
    return scant_i_model_add_warning(
        model,
        "the chain does not help: on held-out sequences its %s is %.3g, that of independent rows "
        "%.3g (standard error of the difference %.2g); without --sequence rows are independent",
        labels ? "accuracy" : "log-likelihood of a row", labels ? c->accuracy[0] : c->loglik[0],
        labels ? c->accuracy[1] : c->loglik[1], c->error);
}

scant_status scant_fit_check_chain(scant_comparison *out, scant_model *model,
                                   const scant_rows *rows, const scant_fit_options *options,
                                   size_t nfolds)
{
    *out = (scant_comparison){0};
    if (!scant_i_is_chain(model))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "the model is no chain");
    scant_status status = scant_fit_compare(out, rows, options, SCANT_RIVAL_ROWS, nfolds);
    if (status == SCANT_OK && out->nfolds && !helps(out))
        status = say(model, out);
    return status;
}
