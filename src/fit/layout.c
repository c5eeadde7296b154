#include "fit/layout.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/names.h"
#include "data/prior.h"
#include "fit/chain.h"
#include "fit/coupling.h"
#include "model/options.h"
#include "model/noise.h"

/* --- families over columns --- */

typedef struct grouping {
    const scant_i_family **of; /* one a column */
    const scant_rows *rows;
    const scant_model *start; /* or NULL */
} grouping;

static const scant_i_family *default_family(const scant_rows *rows, size_t column)
{
    if (rows->columns && rows->columns[column].binary)
        return &scant_i_bernoulli;
    return scant_i_family_default(scant_rows_is_sparse(rows),
                                  scant_rows_column_is_category(rows, column));
}

static scant_status assign_pattern(grouping *g, const char *pattern, const scant_i_family *family)
{
    bool any = false;
    char made[SCANT_I_MADE_NAME];
    for (size_t c = 0; c < g->rows->ncolumns; c++)
        if (scant_i_matches(pattern, scant_i_column_name(g->rows, c, made))) {
            if (g->of[c] && g->of[c] != family)
                return scant_i_fail(
                    SCANT_ERR_ARGUMENT, "--family %s:%s: column %s is given to %s already",
                    family->name, pattern, scant_i_column_name(g->rows, c, made), g->of[c]->name);
            g->of[c] = family;
            any = true;
        }
    return any ? SCANT_OK
               : scant_i_fail(SCANT_ERR_ARGUMENT, "--family %s:%s: no such feature column",
                              family->name, pattern);
}

static scant_status fail_unknown(const char *name, size_t length)
{
    char known[1024] = "";
    const scant_i_family *family;
    for (size_t f = 0; (family = scant_i_family_at(f)); f++) {
        size_t used = strlen(known);
        (void)snprintf(known + used, sizeof known - used, "%s%s", f ? ", " : "", family->name);
    }
    return scant_i_fail(SCANT_ERR_ARGUMENT, "--family: '%.*s' is none of %s", (int)length, name,
                        known);
}

/* "gaussian" is for every column not named; "poisson:A", "B*" (what a comma cut off) for those */
static scant_status read_families(grouping *g, const scant_texts *list)
{
    const scant_i_family *general = NULL, *open = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const char *item = list->item[i], *colon = strchr(item, ':');
        size_t length = colon ? (size_t)(colon - item) : strlen(item);
        const scant_i_family *family = scant_i_family_named(item, length);
        scant_status status = SCANT_OK;
        if (colon && family) {
            open = family;
            status = assign_pattern(g, colon + 1, open);
        } else if (family && !general) {
            general = family;
        } else if (family) {
            status = scant_i_fail(SCANT_ERR_ARGUMENT,
                                  "--family: %s and %s cannot both be for all columns; say which "
                                  "columns are for one of them (--family %s:COLS)",
                                  general->name, family->name, family->name);
        } else if (open && !colon) {
            status = assign_pattern(g, item, open);
        } else {
            status = fail_unknown(item, length);
        }
        if (status != SCANT_OK)
            return status;
    }
    for (size_t c = 0; c < g->rows->ncolumns; c++)
        if (!g->of[c])
            g->of[c] =
                general && (general->categorical || !scant_rows_column_is_category(g->rows, c))
                    ? general
                    : default_family(g->rows, c);
    return SCANT_OK;
}

static scant_status check_column(const scant_rows *rows, size_t c, const scant_i_family *family)
{
    bool category = scant_rows_column_is_category(rows, c);
    char made[SCANT_I_MADE_NAME];
    const char *name = scant_i_column_name(rows, c, made);
    if (category && !family->categorical)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "column %s is a category: the %s family needs numbers", name,
                            family->name);
    char room[256];
    if (!category && family->categorical)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "column %s is a number: for the %s family say --categorical %s", name,
                            family->name, scant_shell_word(room, sizeof room, name));
    return SCANT_OK;
}

static const scant_i_factor *factor_of(const scant_model *start, const scant_i_family *family)
{
    const scant_i_factor *found = NULL;
    for (size_t g = 0; start && g < start->mixture->nfactors; g++)
        if (start->mixture->factor[g]->family == family)
            found = start->mixture->factor[g];
    return found;
}

/* Puts the columns into the order the start has them in, since its parameters are in that order;
 * where the start has other columns the order is left, and copy_start complains. */
static void order_as_start(const grouping *g, const scant_i_family *family, size_t *columns,
                           size_t n)
{
    const scant_i_factor *from = factor_of(g->start, family);
    char made[SCANT_I_MADE_NAME];
    for (size_t c = 0; from && from->ncolumns == n && c < n; c++) {
        const char *wanted = g->start->columns[from->columns[c]];
        for (size_t b = c; b < n; b++)
            if (strcmp(scant_i_column_name(g->rows, columns[b], made), wanted) == 0) {
                size_t swap = columns[b];
                columns[b] = columns[c];
                columns[c] = swap;
                break;
            }
    }
}

/* What the rows support: a covariance of n rows in d columns has an inverse where n > d. A start's own
 * stays. */
static const char *choose_covariance(const scant_i_factor *start, size_t nrows, size_t ncolumns,
                                     size_t ncomponents)
{
    if (start && start->settings.covariance)
        return start->settings.covariance;
    if (ncolumns > 1 && nrows <= 2 * ncolumns)
        return ncomponents > 1 || nrows <= ncolumns ? "diag" : "full";
    return ncolumns == 1 || nrows > ncomponents * ncolumns ? "full" : "tied";
}

static scant_status make_factor(scant_i_mixture *mixture, size_t f, const grouping *g,
                                const scant_i_family *family, const scant_fit_options *options)
{
    scant_status status = SCANT_OK;
    const scant_rows *rows = g->rows;
    size_t *columns = NULL, *nlevels = NULL, n = 0;
    scant_i_family_settings settings = {
        .covariance = options->model.covariance,
        .fixed_covariances = strcmp(options->model.fixed, "covariances") == 0,
        .min_variance = options->model.min_variance,
        .shrinkage = scant_i_shrinkage(options),
        .smooth = options->model.smooth,
        .target = SIZE_MAX,
    };
    SCANT_I_TRY(SCANT_I_NEW(&columns, rows->ncolumns));
    SCANT_I_TRY(SCANT_I_NEW(&nlevels, rows->ncolumns));
    for (size_t c = 0; c < rows->ncolumns; c++) {
        if (g->of[c] != family)
            continue;
        SCANT_I_TRY(check_column(rows, c, family));
        columns[n++] = c;
    }
    order_as_start(g, family, columns, n);
    for (size_t k = 0; k < n; k++) {
        size_t c = columns[k];
        char made[SCANT_I_MADE_NAME];
        if (options->model.target &&
            strcmp(options->model.target, scant_i_column_name(rows, c, made)) == 0)
            settings.target = k;
        if (scant_rows_column_is_category(rows, c))
            nlevels[k] = rows->columns[c].nlevels;
    }
    if (strcmp(settings.covariance, "auto") == 0)
        settings.covariance =
            choose_covariance(factor_of(g->start, family), rows->nrows, n, mixture->ncomponents);
    if (family->has_target && settings.target == SIZE_MAX) {
        status = scant_i_fail(SCANT_ERR_ARGUMENT,
                              options->model.target
                                  ? "--target: '%s' is not among the columns of the regression"
                                  : "the regression family needs --target COL%s",
                              options->model.target ? options->model.target : "");
        goto done;
    }
    SCANT_I_TRY(scant_i_factor_new(&mixture->factor[f], family, &settings, mixture->ncomponents,
                                   columns, nlevels, n));
done:
    scant_i_free(columns);
    scant_i_free(nlevels);
    return status;
}

static bool used_before(const grouping *g, size_t c)
{
    for (size_t b = 0; b < c; b++)
        if (g->of[b] == g->of[c])
            return true;
    return false;
}

static scant_status set_prior(scant_i_mixture *mixture, const scant_rows *rows, const char *text)
{
    size_t K = mixture->nclasses;
    if (!rows->labels.code)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--prior: these rows have no classes (--label)");
    scant_status status = SCANT_I_NEW(&mixture->coupling.prior, K);
    return status == SCANT_OK
               ? scant_i_prior_read(mixture->coupling.prior, text, rows->labels.classes, K, "prior")
               : status;
}

static scant_status lay_out(scant_i_mixture **out, const scant_rows *rows, const grouping *g,
                            const scant_fit_options *options, const scant_i_method *method,
                            const scant_model *start)
{
    scant_status status = SCANT_OK;
    size_t nfactors = 0, K = rows->labels.code ? rows->labels.nclasses : 1;
    bool own_class = method->own_class;
    scant_i_mixture *mixture = NULL;
    scant_i_mask mask = {0};
    if (K == 0)
        return scant_i_fail(SCANT_ERR_INPUT,
                            "label column %s: no row has a label, so there are no classes; for a "
                            "plain mixture leave it out",
                            rows->labels.column ? rows->labels.column : "label");
    if (!start) /* which brings its own coupling */
        SCANT_I_TRY(scant_i_mask_new(&mask, rows, options, method));
    for (size_t c = 0; c < rows->ncolumns; c++)
        nfactors += !used_before(g, c);
    SCANT_I_TRY(scant_i_mixture_new(
        &mixture, start ? start->mixture->ncomponents : mask.ncomponents, K + own_class, nfactors));
    mixture->coupling.component_major = method->component_major;
    if (options->model.prior)
        SCANT_I_TRY(set_prior(mixture, rows, options->model.prior));
    for (size_t c = 0, f = 0; c < rows->ncolumns; c++)
        if (!used_before(g, c))
            SCANT_I_TRY(make_factor(mixture, f++, g, g->of[c], options));
    if (!start)
        SCANT_I_TRY(scant_i_mask_lay(mixture, &mask, rows, own_class));
    SCANT_I_TRY(scant_i_sharing_lay(mixture, rows, options));
    if (rows->sequential)
        SCANT_I_TRY(scant_i_chain_make(mixture, rows, options, start ? start->mixture : NULL));
    *out = mixture;
    mixture = NULL;
done:
    scant_i_mixture_free(mixture);
    scant_i_mask_clear(&mask);
    return status;
}

/* --- a start given as a model --- */

static size_t class_in(const scant_model *start, const char *name)
{
    size_t k = 0;
    while (k < start->nclasses && strcmp(start->classes[k], name) != 0)
        k++;
    return k;
}

static scant_status copy_coupling(scant_i_mixture *mixture, const scant_rows *rows,
                                  const scant_model *start)
{
    size_t stride = mixture->stride, K = rows->labels.code ? rows->labels.nclasses : 0;
    if (K != start->nclasses || mixture->nclasses != start->mixture->nclasses)
        return scant_i_fail(
            SCANT_ERR_ARGUMENT, "the start has %zu classes%s, the rows have %zu%s", start->nclasses,
            start->own_class ? " and one for unlabelled rows" : "", K,
            mixture->nclasses > scant_i_max(K, 1) ? " and one for unlabelled rows" : "");
    for (size_t k = 0; k < mixture->nclasses; k++) {
        size_t from = k < K ? class_in(start, rows->labels.classes[k]) : k;
        if (k < K && from == start->nclasses)
            return scant_i_fail(SCANT_ERR_ARGUMENT, "the start does not know class %s",
                                rows->labels.classes[k]);
        memcpy(mixture->coupling.W + k * stride, start->mixture->coupling.W + from * stride,
               stride * sizeof(double));
        double P = 0;
        for (size_t j = 0; j < mixture->ncomponents; j++)
            P += mixture->coupling.W[k * stride + j];
        for (size_t j = 0; mixture->coupling.prior && P > 0 && j < mixture->ncomponents; j++)
            mixture->coupling.W[k * stride + j] *=
                mixture->coupling.prior[k] / P; /* fixed from the first step on */
    }
    return SCANT_OK;
}

/* Parameters of a category go by the numbers of its levels, so these must stand for the same. */
static bool same_levels(const scant_rows *rows, size_t column, const scant_model *start,
                        size_t from)
{
    if (!scant_rows_column_is_category(rows, column))
        return start->nlevels[from] == 0;
    const scant_i_column *of = &rows->columns[column];
    if (of->nlevels != start->nlevels[from])
        return false;
    for (size_t l = 0; l < of->nlevels; l++)
        if (strcmp(of->levels[l], start->levels[from][l]) != 0)
            return false;
    return true;
}

static bool same_columns(const scant_rows *rows, const scant_i_factor *to, const scant_model *start,
                         const scant_i_factor *from)
{
    if (to->ncolumns != from->ncolumns || to->ntheta != from->ntheta ||
        (to->family->has_target && to->settings.target != from->settings.target))
        return false;
    char made[SCANT_I_MADE_NAME];
    for (size_t c = 0; c < to->ncolumns; c++)
        if (strcmp(scant_i_column_name(rows, to->columns[c], made),
                   start->columns[from->columns[c]]) != 0 ||
            !same_levels(rows, to->columns[c], start, from->columns[c]))
            return false;
    return true;
}

static scant_status copy_start(scant_i_mixture *mixture, const scant_rows *rows,
                               const scant_model *start)
{
    scant_status status = copy_coupling(mixture, rows, start);
    if (status == SCANT_OK && mixture->nfactors != start->mixture->nfactors)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "the start has columns of %zu families, what is fitted of %zu",
                            start->mixture->nfactors, mixture->nfactors);
    for (size_t f = 0; f < mixture->nfactors && status == SCANT_OK; f++) {
        scant_i_factor *to = mixture->factor[f];
        const scant_i_factor *from = factor_of(start, to->family);
        if (!from || !same_columns(rows, to, start, from) ||
            (to->settings.covariance && from->settings.covariance && to->family->has_covariances &&
             strcmp(to->settings.covariance, from->settings.covariance) != 0))
            return scant_i_fail(
                SCANT_ERR_ARGUMENT,
                "the start's families, covariances, columns, levels or target differ from what is "
                "fitted "
                "(%s over %zu columns)",
                to->family->name, to->ncolumns);
        memcpy(to->theta, from->theta, from->ntheta * sizeof *to->theta);
        memcpy(to->centre, from->centre, from->ncolumns * sizeof *to->centre);
        memcpy(to->scale, from->scale, from->ncolumns * sizeof *to->scale);
    }
    return status;
}

static bool has_covariances(const grouping *g)
{
    size_t c = 0;
    while (c < g->rows->ncolumns && !g->of[c]->has_covariances)
        c++;
    return c < g->rows->ncolumns;
}

static bool has_target(const grouping *g)
{
    size_t c = 0;
    while (c < g->rows->ncolumns && !g->of[c]->has_target)
        c++;
    return c < g->rows->ncolumns;
}

/* What is fixed must come from somewhere, and be there. */
static scant_status check_fixed(const grouping *g, const scant_fit_options *options)
{
    if (strcmp(options->model.fixed, "none") == 0)
        return SCANT_OK;
    if (!g->start)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--fixed %s: a start must say what they are (--init FILE)",
                            options->model.fixed);
    return has_covariances(g)
               ? SCANT_OK
               : scant_i_fail(SCANT_ERR_ARGUMENT, "--fixed %s: no column has the gaussian family",
                              options->model.fixed);
}

/* An option that would change nothing here was meant for something else. */
static scant_status check_use(const grouping *g, const scant_fit_options *options,
                              const scant_i_method *method)
{
    bool classes = g->rows->labels.code != NULL;
    if (!classes && !scant_i_sharing_is_separate(&options->model))
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--sharing %s: these rows have no classes (--label)",
                            options->model.sharing_table ? "by a table" : options->model.sharing);
    if (!classes && (method->own_class || method->after))
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--unlabeled %s: these rows have no classes (--label)", method->name);
    if (options->model.target && !has_target(g))
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--target %s: no column has the regression family (--family)",
                            options->model.target);
    if (strcmp(options->model.covariance, "auto") != 0 &&
        strcmp(options->model.covariance, "full") != 0 && !has_covariances(g))
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--covariance %s: no column has the gaussian family",
                            options->model.covariance);
    return SCANT_OK;
}

scant_status scant_i_layout_has_covariances(bool *out, const scant_rows *rows,
                                            const scant_fit_options *options)
{
    grouping g = {.rows = rows};
    scant_status status = SCANT_I_NEW(&g.of, rows->ncolumns);
    if (status == SCANT_OK)
        status = read_families(&g, &options->model.families);
    *out = status == SCANT_OK && has_covariances(&g);
    scant_i_free(g.of);
    return status;
}

scant_status scant_i_layout_new(scant_i_mixture **out, const scant_rows *rows,
                                const scant_fit_options *options, const scant_i_method *method,
                                const scant_model *start)
{
    scant_status status = SCANT_OK;
    scant_i_mixture *mixture = NULL;
    grouping g = {.rows = rows, .start = start};
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&g.of, rows->ncolumns));
    SCANT_I_TRY(read_families(&g, &options->model.families));
    SCANT_I_TRY(check_use(&g, options, method));
    SCANT_I_TRY(scant_i_chain_check(rows, options, method));
    SCANT_I_TRY(check_fixed(&g, options));
    SCANT_I_TRY(lay_out(&mixture, rows, &g, options, method, start));
    if (start) {
        SCANT_I_TRY(copy_start(mixture, rows, start));
        SCANT_I_TRY(scant_i_mask_agree(mixture, rows, options));
    }
    SCANT_I_TRY(scant_i_noise_lay(mixture, rows, options, method->own_class));
    *out = mixture;
    mixture = NULL;
done:
    scant_i_mixture_free(mixture);
    scant_i_free(g.of);
    return status;
}
