/* Class probabilities that come in addition to the labels, from a table of their own.
 *
 * With p_i the probabilities of row i and S_i the classes that its label leaves (all, where it has
 * none), the row's evidence is
 *   v_i[k] = p_i[k] / sum of p_i over S_i   for k in S_i, and 0 elsewhere
 * so an exact label wins, and a context that rules it out is bad input. A row without context keeps
 * its label. O(rows x classes). */
#include "data/context.h"

#include <math.h>
#include <string.h>

#include "data/names.h"
#include "data/prior.h"

static const double SUM_TOLERANCE = 1e-6; /* as of label cells */

/* --- tables of probabilities --- */

const char *scant_i_probability_of(const scant_rows *table, size_t column,
                                   char made[SCANT_I_MADE_NAME])
{
    const char *name = scant_i_column_name(table, column, made);
    return strncmp(name, "p_", 2) == 0 && name[2] ? name + 2 : name;
}

scant_status scant_i_probabilities_read(double *p, bool *empty, const scant_rows *table, size_t row)
{
    size_t n = table->ncolumns, missing = 0, gap = 0;
    double sum = 0;
    for (size_t c = 0; c < n; c++) {
        p[c] = scant_rows_value(table, row, c);
        if (isnan(p[c])) {
            gap = missing++ ? gap : c;
            continue;
        }
        if (!(p[c] >= 0))
            return scant_i_fail_cell(table, row, c, "a probability must not be negative, as %g is",
                                     p[c]);
        sum += p[c];
    }
    *empty = missing == n;
    if (*empty)
        return SCANT_OK;
    if (missing)
        return scant_i_fail_cell(table, row, gap,
                                 "a probability is missing among others (leave all of the row's "
                                 "empty if nothing is known)");
    if (!(fabs(sum - 1) <= SUM_TOLERANCE))
        return scant_i_fail_cell(table, row, 0, "the row's probabilities sum to %.9g, not 1", sum);
    return SCANT_OK;
}

/* --- joining them with the labels --- */

typedef struct joiner {
    const scant_rows *rows, *table;
    const scant_i_labels *old; /* what the label column says */
    scant_i_labels fresh;
    int32_t *class_of_column; /* of the table -> class */
    int32_t *class_of_old;    /* old class -> class */
    scant_i_soft soft;
    double *p;       /* a row of the table */
    uint8_t *leaves; /* classes that the row's label leaves */
} joiner;

static scant_status refuse_column(const joiner *j, size_t column, const char *class)
{
    const char *near =
        scant_i_names_nearest(class, (const char *const *)j->fresh.classes, j->fresh.nclasses);
    return scant_i_fail_header(j->table, column, "'%s' is not one of the %zu classes%s%s%s", class,
                               j->fresh.nclasses, near ? "; did you mean '" : "", near ? near : "",
                               near ? "'?" : "");
}

/* The classes: those given, else all that the labels or the table have, sorted. */
static scant_status settle_classes(joiner *j, const char *const *classes, size_t nclasses)
{
    scant_status status = SCANT_OK;
    scant_i_names names = {0};
    const char **text = NULL;
    size_t *order = NULL;
    int32_t code = 0;
    char made[SCANT_I_MADE_NAME];
    for (size_t k = 0; k < nclasses; k++)
        SCANT_I_TRY(scant_i_names_add(&code, &names, classes[k], strlen(classes[k])));
    for (size_t k = 0; nclasses == 0 && k < j->old->nclasses; k++)
        SCANT_I_TRY(
            scant_i_names_add(&code, &names, j->old->classes[k], strlen(j->old->classes[k])));
    for (size_t c = 0; nclasses == 0 && c < j->table->ncolumns; c++) {
        const char *class = scant_i_probability_of(j->table, c, made);
        SCANT_I_TRY(scant_i_names_add(&code, &names, class, strlen(class)));
    }
    SCANT_I_TRY(SCANT_I_NEW(&text, names.count));
    SCANT_I_TRY(SCANT_I_NEW(&order, names.count));
    SCANT_I_TRY(SCANT_I_NEW(&j->fresh.classes, names.count));
    for (size_t k = 0; k < names.count; k++) {
        text[k] = scant_i_names_text(&names, k);
        order[k] = k;
    }
    if (nclasses == 0)
        SCANT_I_TRY(scant_i_names_order(order, text, names.count));
    for (size_t k = 0; k < names.count; k++) {
        if (!(j->fresh.classes[k] = scant_i_strdup(text[order[k]]))) {
            status = SCANT_ERR_MEMORY;
            goto done;
        }
        j->fresh.nclasses = k + 1;
    }
done:
    scant_i_names_free(&names);
    scant_i_free(text);
    scant_i_free(order);
    return status;
}

static int32_t find_class(const joiner *j, const char *name)
{
    int32_t k = 0;
    while ((size_t)k < j->fresh.nclasses && strcmp(j->fresh.classes[k], name) != 0)
        k++;
    return (size_t)k < j->fresh.nclasses ? k : -1;
}

static scant_status map_classes(joiner *j)
{
    char made[SCANT_I_MADE_NAME];
    for (size_t k = 0; k < j->old->nclasses; k++) {
        j->class_of_old[k] = find_class(j, j->old->classes[k]);
        if (j->class_of_old[k] < 0)
            return scant_i_fail(SCANT_ERR_ARGUMENT,
                                "the labels' class '%s' is not among those given",
                                j->old->classes[k]);
    }
    memset(j->leaves, 0, j->fresh.nclasses);
    for (size_t c = 0; c < j->table->ncolumns; c++) {
        const char *class = scant_i_probability_of(j->table, c, made);
        int32_t k = j->class_of_column[c] = find_class(j, class);
        if (k < 0)
            return refuse_column(j, c, class);
        if (j->leaves[k]++) /* here: has a column already */
            return scant_i_fail_header(j->table, c, "class '%s' has two columns", class);
    }
    return SCANT_OK;
}

static scant_status joiner_open(joiner *j, const char *const *classes, size_t nclasses)
{
    scant_status status = SCANT_OK;
    size_t n = j->rows->nrows;
    SCANT_I_TRY(settle_classes(j, classes, nclasses));
    SCANT_I_TRY(SCANT_I_NEW(&j->class_of_column, j->table->ncolumns));
    SCANT_I_TRY(SCANT_I_NEW(&j->class_of_old, j->old->nclasses + 1));
    SCANT_I_TRY(SCANT_I_NEW(&j->p, j->table->ncolumns));
    SCANT_I_TRY(SCANT_I_NEW(&j->leaves, j->fresh.nclasses));
    SCANT_I_TRY(map_classes(j));
    SCANT_I_TRY(SCANT_I_NEW(&j->fresh.code, n + 1));
    SCANT_I_TRY(scant_i_soft_open(&j->soft, &j->fresh, n));
done:
    return status;
}

static void joiner_close(joiner *j)
{
    scant_i_labels_clear(&j->fresh);
    scant_i_soft_close(&j->soft);
    scant_i_free(j->class_of_column);
    scant_i_free(j->class_of_old);
    scant_i_free(j->p);
    scant_i_free(j->leaves);
}

/* The label's own vector, over the new classes. */
static int32_t keep_label(joiner *j, int32_t code)
{
    size_t old = j->old->nclasses;
    if (code < 0)
        return -1;
    if ((size_t)code < old)
        return j->class_of_old[code];
    size_t e = (size_t)code - old;
    double *v = scant_i_soft_next(&j->fresh);
    for (size_t k = 0; k < old; k++)
        v[j->class_of_old[k]] = j->old->soft[e * old + k];
    return scant_i_soft_code(&j->fresh, &j->soft, j->old->is_probability[e]);
}

/* Leaves in v only what the label allows. */
static scant_status obey_label(joiner *j, size_t row, int32_t code, double *v)
{
    size_t old = j->old->nclasses, K = j->fresh.nclasses, e = (size_t)code - old;
    bool exact = (size_t)code < old;
    bool any = false;
    if (!exact && j->old->is_probability[e])
        return scant_i_fail_label(j->rows, row,
                                  "the row has class probabilities here and in its context");
    memset(j->leaves, 0, K);
    for (size_t k = 0; k < old; k++)
        j->leaves[j->class_of_old[k]] = exact ? (size_t)code == k : j->old->soft[e * old + k] > 0;
    for (size_t k = 0; k < K; k++) {
        v[k] = j->leaves[k] ? v[k] : 0;
        any |= v[k] > 0;
    }
    if (!any)
        return scant_i_fail_cell(j->table, row, 0,
                                 "the row's probabilities rule out what its label says");
    return SCANT_OK;
}

static scant_status join_row(joiner *j, size_t row)
{
    bool empty = false;
    int32_t label = j->old->code ? j->old->code[row] : -1;
    scant_status status = scant_i_probabilities_read(j->p, &empty, j->table, row);
    if (status != SCANT_OK)
        return status;
    if (empty) {
        j->fresh.code[row] = keep_label(j, label);
        return SCANT_OK;
    }
    double *v = scant_i_soft_next(&j->fresh);
    for (size_t c = 0; c < j->table->ncolumns; c++)
        v[j->class_of_column[c]] = j->p[c];
    if (label >= 0)
        status = obey_label(j, row, label, v);
    if (status == SCANT_OK)
        j->fresh.code[row] = scant_i_soft_code(&j->fresh, &j->soft, true);
    return status;
}

static scant_status check_size(const scant_rows *rows, const scant_rows *table)
{
    const char *file = rows->source ? rows->source : "the data";
    if (table->nrows > rows->nrows)
        return scant_i_fail_cell(table, rows->nrows, 0, "row %zu, but %s has %zu rows",
                                 rows->nrows + 1, file, rows->nrows);
    if (table->nrows < rows->nrows)
        return scant_i_fail_cell(table, table->nrows - 1, 0,
                                 "the last of %zu rows, but %s has %zu rows", table->nrows, file,
                                 rows->nrows);
    return SCANT_OK;
}

/* The labels step back: what they say exactly is kept as the truth alone. */
static scant_status keep_truth(scant_rows *rows, const joiner *j)
{
    if (!rows->labels.code)
        return SCANT_OK;
    scant_i_free(rows->truth);
    scant_status status = SCANT_I_NEW(&rows->truth, rows->nrows);
    for (size_t i = 0; status == SCANT_OK && i < rows->nrows; i++) {
        int32_t code = rows->labels.code[i];
        bool exact = code >= 0 && (size_t)code < rows->labels.nclasses;
        rows->truth[i] = exact ? j->class_of_old[code] : -1;
    }
    return status;
}

scant_status scant_rows_set_context(scant_rows *rows, const scant_rows *table,
                                    const char *const *classes, size_t nclasses,
                                    bool label_is_truth)
{
    scant_status status = SCANT_OK;
    scant_i_labels said = rows->labels;
    if (label_is_truth)
        said.code = NULL;
    joiner j = {.rows = rows, .table = table, .old = &said};
    SCANT_I_TRY(check_size(rows, table));
    SCANT_I_TRY(joiner_open(&j, classes, nclasses));
    for (size_t i = 0; i < rows->nrows; i++)
        SCANT_I_TRY(join_row(&j, i));
    if (!rows->labels.column && !(rows->labels.column = scant_i_strdup("context"))) {
        status = SCANT_ERR_MEMORY;
        goto done;
    }
    SCANT_I_TRY(scant_i_resize(&j.fresh.soft, (j.fresh.nsoft + 1) * j.fresh.nclasses,
                               sizeof *j.fresh.soft)); /* room was for a vector a row */
    if (label_is_truth)
        SCANT_I_TRY(keep_truth(rows, &j));
    j.fresh.column = rows->labels.column;
    j.fresh.field = rows->labels.field;
    scant_i_labels_clear(&rows->labels);
    rows->labels = j.fresh;
    j.fresh = (scant_i_labels){0};
done:
    joiner_close(&j);
    return status;
}

scant_status scant_rows_set_probabilities(scant_rows *rows, const double *p,
                                          const char *const *classes, size_t nclasses,
                                          bool label_is_truth)
{
    scant_rows *table = NULL;
    if (!classes && rows->labels.nclasses != nclasses)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "probabilities of %zu classes; the labels have %zu",
                            nclasses, rows->labels.nclasses);
    if (!classes)
        classes = (const char *const *)rows->labels.classes;
    scant_status status = scant_rows_view(&table, rows->nrows, nclasses, p, classes);
    if (status == SCANT_OK)
        status = scant_rows_set_context(rows, table, classes, nclasses, label_is_truth);
    scant_rows_free(table);
    return status;
}

scant_status scant_rows_set_context_prior(scant_rows *rows, const char *prior)
{
    scant_status status = SCANT_OK;
    scant_i_labels *labels = &rows->labels;
    size_t K = labels->nclasses;
    double *q = NULL;
    if (!labels->code)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--context-prior: these rows have no classes "
                                                "(--label, --context)");
    SCANT_I_TRY(SCANT_I_NEW(&q, K));
    SCANT_I_TRY(scant_i_prior_read(q, prior, labels->classes, K, "context-prior"));
    for (size_t e = 0; e < labels->nsoft; e++) {
        double *v = labels->soft + e * K, sum = 0;
        for (size_t k = 0; labels->is_probability[e] && k < K; k++)
            sum += v[k] /= q[k];
        for (size_t k = 0; labels->is_probability[e] && k < K; k++)
            v[k] /= sum;
    }
done:
    scant_i_free(q);
    return status;
}
