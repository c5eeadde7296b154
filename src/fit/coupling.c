#include "fit/coupling.h"

#include <string.h>

#include "fit/components.h"
#include "model/options.h"

void scant_i_mask_clear(scant_i_mask *mask)
{
    scant_i_free(mask->Z);
    *mask = (scant_i_mask){0};
}

static size_t class_count(const scant_rows *rows)
{
    return rows->labels.code ? rows->labels.nclasses : 1;
}

/* Weight of the exactly labelled rows of each class, in weight[K] of the rows without any
 * evidence, and in weight[K + 1] of those with sets or probabilities. */
static scant_status class_weights(double **out, const scant_rows *rows)
{
    scant_status status = SCANT_OK;
    size_t K = class_count(rows);
    scant_i_evidence_settings settings = {.unlabelled_weight = 1};
    scant_i_evidence evidence = {0};
    scant_i_survey survey = {0};
    SCANT_I_TRY(SCANT_I_NEW(out, K + 2));
    SCANT_I_TRY(scant_i_evidence_new(&evidence, rows, K, &settings));
    SCANT_I_TRY(scant_i_survey_new(&survey, rows, &evidence, SCANT_I_NO_CELLS, 1));
    for (size_t e = 0; e < survey.nentries; e++)
        (*out)[scant_i_min(e, K + 1)] += survey.weight[e];
done:
    if (status != SCANT_OK) {
        scant_i_free(*out);
        *out = NULL;
    }
    scant_i_survey_clear(&survey);
    scant_i_evidence_clear(&evidence);
    return status;
}

static scant_status separate_mask(scant_i_mask *out, const scant_rows *rows, const char *components)
{
    scant_status status = SCANT_OK;
    size_t K = class_count(rows), *count = NULL;
    double *weight = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&count, K));
    SCANT_I_TRY(class_weights(&weight, rows));
    SCANT_I_TRY(scant_i_components_parse(
        count, components, rows->labels.code ? rows->labels.classes : NULL, K, weight));
    for (size_t k = 0; k < K; k++)
        out->ncomponents += count[k];
    SCANT_I_TRY(SCANT_I_NEW(&out->Z, out->ncomponents * K));
    for (size_t k = 0, j = 0; k < K; k++)
        for (size_t n = 0; n < count[k]; n++)
            out->Z[j++ * K + k] = 1;
done:
    scant_i_free(count);
    scant_i_free(weight);
    return status;
}

static scant_status common_mask(scant_i_mask *out, const scant_rows *rows, const char *components)
{
    scant_status status = SCANT_OK;
    size_t K = class_count(rows), total = K;
    if (components && strpbrk(components, "/=")) { /* as many as separate ones would be */
        SCANT_I_TRY(separate_mask(out, rows, components));
        total = out->ncomponents;
        scant_i_free(out->Z);
    } else if (components) {
        double one = 1;
        SCANT_I_TRY(scant_i_components_parse(&total, components, NULL, 1, &one));
    }
    out->ncomponents = total;
    SCANT_I_TRY(SCANT_I_NEW(&out->Z, total * K));
    memset(out->Z, 1, total * K);
done:
    return status;
}

/* How many components serve class k; 0 only in a start that saw no row of it. */
static size_t served(const scant_i_mask *mask, size_t k)
{
    size_t count = 0;
    for (size_t j = 0; j < mask->ncomponents; j++)
        count += mask->Z[j * mask->nclasses + k];
    return count;
}

static bool is_common(const scant_i_mask *mask)
{
    for (size_t k = 0; k < mask->nclasses; k++)
        if (served(mask, k) && served(mask, k) != mask->ncomponents)
            return false;
    return true;
}

/* -k with a mask that comes from elsewhere: in all, or for each class. Where every component
 * serves every class, those of the classes are as many as separate ones would be. */
static scant_status check_components(const scant_i_mask *mask, const scant_rows *rows,
                                     const char *components, const char *whose)
{
    scant_status status = SCANT_OK;
    size_t K = mask->nclasses, total = 0, *count = NULL;
    bool by_class = components && strpbrk(components, "/=");
    double one = 1;
    if (!components)
        return SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&count, K));
    if (by_class)
        SCANT_I_TRY(scant_i_components_parse(
            count, components, rows->labels.code ? rows->labels.classes : NULL, K, NULL));
    else
        SCANT_I_TRY(scant_i_components_parse(count, components, NULL, 1, &one));
    for (size_t k = 0; k < K; k++) {
        total += count[k];
        if (by_class && !is_common(mask) && served(mask, k) && count[k] != served(mask, k)) {
            status = scant_i_fail(SCANT_ERR_ARGUMENT,
                                  "--components: %zu components asked for class %s, %s has %zu",
                                  count[k], rows->labels.classes[k], whose, served(mask, k));
            goto done;
        }
    }
    if ((!by_class || is_common(mask)) && total != mask->ncomponents)
        status =
            scant_i_fail(SCANT_ERR_ARGUMENT, "--components: %zu components asked for, %s has %zu",
                         total, whose, mask->ncomponents);
done:
    scant_i_free(count);
    return status;
}

static scant_status check_table(const scant_i_mask *mask, const scant_rows *table,
                                const scant_rows *rows)
{
    size_t K = mask->nclasses;
    for (size_t j = 0; j < mask->ncomponents; j++) {
        size_t serves = 0;
        for (size_t k = 0; k < K; k++)
            serves += mask->Z[j * K + k];
        if (serves == 0)
            return scant_i_fail_cell(table, j, 0, "component %zu serves no class", j + 1);
    }
    for (size_t k = 0; k < K; k++)
        if (served(mask, k) == 0)
            return scant_i_fail_header(table, k, "no component serves class %s",
                                       rows->labels.classes[k]);
    return SCANT_OK;
}

static scant_status table_mask(scant_i_mask *out, const scant_rows *rows,
                               const scant_model_options *options)
{
    scant_status status = SCANT_OK;
    scant_rows *table = NULL;
    size_t K = class_count(rows);
    SCANT_I_TRY(scant_i_class_table(&table, rows, "sharing", options->sharing,
                                    options->sharing_table, options->sharing_components,
                                    options->sharing_classes));
    out->ncomponents = table->nrows;
    SCANT_I_TRY(SCANT_I_NEW(&out->Z, table->nrows * K));
    for (size_t j = 0; j < table->nrows; j++)
        for (size_t k = 0; k < K; k++) {
            double x = scant_rows_value(table, j, k);
            if (x != 0 && x != 1) {
                status = scant_i_fail_cell(table, j, k, "expected 0 or 1, not %g", x);
                goto done;
            }
            out->Z[j * K + k] = x == 1;
        }
    SCANT_I_TRY(check_table(out, table, rows));
done:
    scant_rows_free(table);
    return status;
}

scant_status scant_i_mask_new(scant_i_mask *out, const scant_rows *rows,
                              const scant_fit_options *options, const scant_i_method *method)
{
    *out = (scant_i_mask){.nclasses = class_count(rows)};
    bool common = strcmp(options->model.sharing, "common") == 0;
    bool separate = scant_i_sharing_is_separate(&options->model);
    double lambda;
    scant_i_sharing sharing = scant_i_sharing_of(options->model.sharing, &lambda);
    scant_status status = SCANT_OK;
    if (sharing == SCANT_I_BY_LAMBDA) { /* as many as separate ones, all of them shared */
        SCANT_I_TRY(separate_mask(out, rows, options->model.components));
        memset(out->Z, 1, out->ncomponents * out->nclasses);
    } else if (common || sharing == SCANT_I_BY_SEARCH || (separate && method->after))
        status = common_mask(out, rows, options->model.components);
    else if (separate)
        status = separate_mask(out, rows, options->model.components);
    else {
        SCANT_I_TRY(table_mask(out, rows, &options->model));
        SCANT_I_TRY(check_components(out, rows, options->model.components, "the sharing table"));
    }
done:
    if (status != SCANT_OK)
        scant_i_mask_clear(out);
    return status;
}

scant_status scant_i_mask_agree(const scant_i_mixture *start, const scant_rows *rows,
                                const scant_fit_options *options)
{
    scant_status status = SCANT_OK;
    size_t M = start->ncomponents, K = class_count(rows);
    scant_i_mask has = {.ncomponents = M, .nclasses = K}, asked = {.nclasses = K};
    double lambda;
    scant_i_sharing sharing = scant_i_sharing_of(options->model.sharing, &lambda);
    bool common = (sharing == SCANT_I_BY_LAMBDA && lambda > 0) ||
                  strcmp(options->model.sharing, "common") == 0;
    bool table =
        sharing == SCANT_I_BY_MASK && !common && !scant_i_sharing_is_separate(&options->model);
    SCANT_I_TRY(SCANT_I_NEW(&has.Z, M * K));
    for (size_t j = 0; j < M; j++)
        for (size_t k = 0; k < K; k++)
            has.Z[j * K + k] = start->coupling.W[k * start->stride + j] > 0;
    SCANT_I_TRY(check_components(&has, rows, options->model.components, "the start"));
    if (table)
        SCANT_I_TRY(table_mask(&asked, rows, &options->model));
    bool same = (!common || is_common(&has)) && (!table || asked.ncomponents == M);
    for (size_t t = 0; table && same && t < M * K; t++)
        same = asked.Z[t] == has.Z[t] || served(&has, t % K) == 0;
    if (!same)
        status = scant_i_fail(SCANT_ERR_ARGUMENT,
                              "--sharing %s: the components of the start serve other classes",
                              options->model.sharing_table ? "by a table" : options->model.sharing);
done:
    scant_i_mask_clear(&has);
    scant_i_mask_clear(&asked);
    return status;
}

/* R of the r-model: of its own class 1 / (1 + lambda (K - 1)), of the others lambda times that; or
 * 1 / K, free. */
scant_status scant_i_sharing_lay(scant_i_mixture *mixture, const scant_rows *rows,
                                 const scant_fit_options *options)
{
    scant_status status = SCANT_OK;
    size_t K = mixture->nclasses, stride = mixture->stride;
    scant_i_mask own = {.nclasses = K};
    double lambda = 1;
    scant_i_sharing sharing = scant_i_sharing_of(options->model.sharing, &lambda);
    if (sharing == SCANT_I_BY_MASK)
        return SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&mixture->coupling.R, K * stride));
    mixture->coupling.R_free = sharing == SCANT_I_BY_SEARCH;
    if (sharing == SCANT_I_BY_LAMBDA)
        SCANT_I_TRY(separate_mask(&own, rows, options->model.components));
    if (own.Z && own.ncomponents != mixture->ncomponents) {
        status = scant_i_fail(SCANT_ERR_ARGUMENT,
                              "--components: %zu components asked for, the start has %zu",
                              own.ncomponents, mixture->ncomponents);
        goto done;
    }
    for (size_t j = 0; j < mixture->ncomponents; j++)
        for (size_t k = 0; k < K; k++)
            mixture->coupling.R[k * stride + j] =
                (own.Z && own.Z[j * K + k] ? 1 : lambda) / (1 + lambda * (double)(K - 1));
done:
    scant_i_mask_clear(&own);
    return status;
}

void scant_i_sharing_settle(scant_i_mixture *mixture, const double *R)
{
    /* a share reaches 0 only in the limit, but squares at every step on its way there */
    static const double KEPT = 1e-6;
    size_t stride = mixture->stride;
    for (size_t k = 0; k < mixture->nclasses; k++) {
        size_t best = 0;
        for (size_t j = 1; j < mixture->ncomponents; j++)
            best = R[k * stride + j] > R[k * stride + best] ? j : best;
        for (size_t j = 0; j < mixture->ncomponents; j++)
            if (!(R[k * stride + j] > KEPT) && j != best)
                mixture->coupling.W[k * stride + j] = 0;
    }
}

/* P of each class into `weight`, in place of the labelled rows': their share, or as much as an even one where there are
 * none. They add up to 1: a start that has them as they are would fall otherwise. */
static void lay_shares(double *weight, const double *prior, double labelled, size_t K)
{
    double even = 1 / (double)K, whole = labelled > 0 ? 1 : 0;
    for (size_t k = 0; k < K; k++) {
        double seen = labelled > 0 ? weight[k] / labelled : 0;
        weight[k] = seen > 0 ? seen : even;
        whole += seen > 0 ? 0 : even;
    }
    for (size_t k = 0; k < K; k++)
        weight[k] = prior ? prior[k] : weight[k] / whole;
}

scant_status scant_i_mask_lay(scant_i_mixture *mixture, const scant_i_mask *mask,
                              const scant_rows *rows, bool own_class)
{
    size_t K = mask->nclasses, M = mask->ncomponents, stride = mixture->stride;
    double *weight = NULL, labelled = 0;
    scant_status status = class_weights(&weight, rows);
    if (status != SCANT_OK)
        return status;
    for (size_t k = 0; k < K; k++)
        labelled += weight[k];
    double all = labelled + weight[K] + weight[K + 1];
    double unlabelled = own_class ? weight[K] / all : 0;
    lay_shares(weight, mixture->coupling.prior, labelled, K);
    for (size_t k = 0; k < K; k++) {
        size_t n = 0;
        for (size_t j = 0; j < M; j++)
            n += mask->Z[j * K + k];
        for (size_t j = 0; j < M; j++)
            if (mask->Z[j * K + k])
                mixture->coupling.W[k * stride + j] = (1 - unlabelled) * weight[k] / (double)n;
    }
    for (size_t j = 0; j < M && own_class; j++)
        mixture->coupling.W[K * stride + j] = unlabelled / (double)M;
    scant_i_free(weight);
    return SCANT_OK;
}
