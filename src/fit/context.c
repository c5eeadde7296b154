/* Probabilistic labels from contexts (context-aware mixtures, table 1 and eqs. 16-18).
 *
 *   latent    p_i(z) = sum_c p_i(c) p(z|c)         stand in place of the proportions (CA)
 *   observed  p_i(z) = p(z|c_i)                    likewise
 *   inverted  p(z|c) = p(c|z) q(z) / sum_z         Bayes; with q even it is p(c_i|z) / p(c_i) up to
 *                                                  a factor that does not depend on z (WCA)
 *   negentropy  NE_i = 1 + sum_z p_i(z) log_K p_i(z) */
#include <scant/context.h>

#include <math.h>
#include <string.h>

#include "data/context.h"
#include "data/names.h"

static const char *source_of(const scant_rows *rows)
{
    return rows->source ? rows->source : "the table";
}

/* A table as numbers, rows x columns; no row of it may be empty. */
static scant_status read_table(double **out, const scant_rows *table)
{
    size_t n = table->ncolumns;
    bool empty = false;
    scant_status status = SCANT_I_NEW(out, table->nrows * n);
    for (size_t i = 0; status == SCANT_OK && i < table->nrows; i++) {
        status = scant_i_probabilities_read(*out + i * n, &empty, table, i);
        if (status == SCANT_OK && empty)
            status = scant_i_fail_cell(table, i, 0, "the row has no probabilities");
    }
    return status;
}

/* The names of a table's rows: number and row are the same. */
static scant_status name_rows(scant_i_names *out, const scant_rows *table, const char *what)
{
    for (size_t i = 0; i < table->nrows; i++) {
        int32_t code = 0;
        scant_status status = scant_i_names_add(&code, out, table->id[i], strlen(table->id[i]));
        if (status != SCANT_OK)
            return status;
        if ((size_t)code != i)
            return scant_i_fail_cell(table, i, 0, "%s '%s' has a row already", what, table->id[i]);
    }
    return SCANT_OK;
}

/* Rows with a column p_<name> for each of `count` names, from n x count numbers. */
static scant_status make_rows(scant_rows **out, size_t n, size_t count, const double *p,
                              const char *(*name)(const scant_rows *, size_t, char *),
                              const scant_rows *named)
{
    scant_status status = SCANT_OK;
    char **names = NULL, made[SCANT_I_MADE_NAME];
    SCANT_I_TRY(SCANT_I_NEW(&names, count));
    for (size_t k = 0; k < count; k++)
        if (!(names[k] = scant_i_format("p_%s", name(named, k, made)))) {
            status = SCANT_ERR_MEMORY;
            goto done;
        }
    SCANT_I_TRY(scant_rows_new(out, n, count, p, (const char *const *)names));
done:
    for (size_t k = 0; names && k < count; k++)
        scant_i_free(names[k]);
    scant_i_free(names);
    return status;
}

static const char *name_of_row(const scant_rows *table, size_t row, char *made)
{
    (void)made;
    return table->id[row];
}

/* --- labels --- */

/* row[c]: the row of `given` that is the context of column c of `prior`. */
static scant_status match_columns(size_t *row, const scant_rows *prior, const scant_rows *given)
{
    scant_status status = SCANT_OK;
    scant_i_names names = {0};
    char made[SCANT_I_MADE_NAME];
    if (!given->id && given->nrows != prior->ncolumns)
        return scant_i_fail_cell(given, given->nrows - 1, 0,
                                 "the last of %zu rows without names for the %zu contexts of %s",
                                 given->nrows, prior->ncolumns, source_of(prior));
    if (given->id)
        SCANT_I_TRY(name_rows(&names, given, "context"));
    for (size_t c = 0; c < prior->ncolumns; c++) {
        const char *context = scant_i_probability_of(prior, c, made);
        int32_t code =
            given->id ? scant_i_names_find(&names, context, strlen(context)) : (int32_t)c;
        if (code < 0) {
            status = scant_i_fail_header(prior, c, "%s has no row for context '%s'",
                                         source_of(given), context);
            goto done;
        }
        row[c] = (size_t)code;
    }
done:
    scant_i_names_free(&names);
    return status;
}

scant_status scant_context_latent(scant_rows **out, const scant_rows *prior,
                                  const scant_rows *given)
{
    scant_status status = SCANT_OK;
    size_t n = prior->nrows, C = prior->ncolumns, K = given->ncolumns, *row = NULL;
    double *table = NULL, *weight = NULL, *p = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&row, C));
    SCANT_I_TRY(SCANT_I_NEW(&weight, C));
    SCANT_I_TRY(SCANT_I_NEW(&p, n * K));
    SCANT_I_TRY(read_table(&table, given));
    SCANT_I_TRY(match_columns(row, prior, given));
    for (size_t i = 0; i < n; i++) {
        bool empty = false;
        SCANT_I_TRY(scant_i_probabilities_read(weight, &empty, prior, i));
        for (size_t k = 0; empty && k < K; k++)
            p[i * K + k] = NAN;
        for (size_t c = 0; !empty && c < C; c++)
            for (size_t k = 0; k < K; k++)
                p[i * K + k] += weight[c] * table[row[c] * K + k];
    }
    SCANT_I_TRY(make_rows(out, n, K, p, scant_i_probability_of, given));
done:
    scant_i_free(row);
    scant_i_free(weight);
    scant_i_free(p);
    scant_i_free(table);
    return status;
}

static scant_status refuse_context(const scant_rows *observed, size_t row, const char *context,
                                   const scant_rows *given)
{
    const char *near = scant_i_names_nearest(context, (const char *const *)given->id, given->nrows);
    return scant_i_fail_cell(observed, row, 0, "%s has no row for context '%.60s'%s%s%s",
                             source_of(given), context, near ? "; did you mean '" : "",
                             near ? near : "", near ? "'?" : "");
}

static scant_status check_observed(const scant_rows *observed, const scant_rows *given)
{
    if (observed->ncolumns != 1 || !scant_rows_column_is_category(observed, 0))
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "observed contexts are one column of names, not %zu columns%s",
                            observed->ncolumns, observed->ncolumns == 1 ? " of numbers" : "");
    if (!given->id)
        return scant_i_fail(SCANT_ERR_INPUT, "%s: a column `context` must name the rows",
                            source_of(given));
    return SCANT_OK;
}

scant_status scant_context_observed(scant_rows **out, const scant_rows *observed,
                                    const scant_rows *given)
{
    scant_status status = SCANT_OK;
    size_t n = observed->nrows, K = given->ncolumns;
    double *table = NULL, *p = NULL;
    scant_i_names names = {0};
    *out = NULL;
    SCANT_I_TRY(check_observed(observed, given));
    SCANT_I_TRY(read_table(&table, given));
    SCANT_I_TRY(name_rows(&names, given, "context"));
    SCANT_I_TRY(SCANT_I_NEW(&p, n * K));
    for (size_t i = 0; i < n; i++) {
        double level = scant_rows_value(observed, i, 0);
        for (size_t k = 0; isnan(level) && k < K; k++)
            p[i * K + k] = NAN;
        if (isnan(level))
            continue;
        const char *context = observed->columns[0].levels[(size_t)level];
        int32_t row = scant_i_names_find(&names, context, strlen(context));
        if (row < 0) {
            status = refuse_context(observed, i, context, given);
            goto done;
        }
        memcpy(p + i * K, table + (size_t)row * K, K * sizeof *p);
    }
    SCANT_I_TRY(make_rows(out, n, K, p, scant_i_probability_of, given));
done:
    scant_i_names_free(&names);
    scant_i_free(table);
    scant_i_free(p);
    return status;
}

/* --- Bayes --- */

/* Gives the table's rows the names of the other's columns. */
static scant_status take_names(scant_rows *table, const scant_rows *from)
{
    scant_status status = SCANT_OK;
    char made[SCANT_I_MADE_NAME], *text = NULL;
    size_t *offset = NULL, used = 0;
    SCANT_I_TRY(SCANT_I_NEW(&offset, from->ncolumns));
    for (size_t c = 0; c < from->ncolumns; c++) {
        offset[c] = used;
        used += strlen(scant_i_probability_of(from, c, made)) + 1;
    }
    SCANT_I_TRY(SCANT_I_NEW(&text, used));
    for (size_t c = 0; c < from->ncolumns; c++)
        strcpy(text + offset[c], scant_i_probability_of(from, c, made));
    status = scant_i_rows_set_ids(table, text, offset); /* the text is the table's from here on */
done:
    scant_i_free(offset);
    return status;
}

scant_status scant_context_invert(scant_rows **out, const scant_rows *likelihood, const char *prior)
{
    scant_status status = SCANT_OK;
    size_t K = likelihood->nrows, C = likelihood->ncolumns;
    double *table = NULL, *p = NULL, *q = NULL;
    scant_i_names names = {0};
    *out = NULL;
    if (!likelihood->id)
        return scant_i_fail(SCANT_ERR_INPUT, "%s: a column `class` must name the rows",
                            source_of(likelihood));
    SCANT_I_TRY(read_table(&table, likelihood));
    SCANT_I_TRY(name_rows(&names, likelihood, "class"));
    SCANT_I_TRY(SCANT_I_NEW(&q, K));
    SCANT_I_TRY(SCANT_I_NEW(&p, C * K));
    for (size_t k = 0; k < K; k++)
        q[k] = 1;
    if (prior)
        SCANT_I_TRY(scant_prior_read(q, prior, (const char *const *)likelihood->id, K));
    for (size_t c = 0; c < C; c++) {
        double sum = 0;
        for (size_t k = 0; k < K; k++)
            sum += p[c * K + k] = table[k * C + c] * q[k];
        if (!(sum > 0)) {
            status =
                scant_i_fail_header(likelihood, c, "no class gives this context a probability");
            goto done;
        }
        for (size_t k = 0; k < K; k++)
            p[c * K + k] /= sum;
    }
    SCANT_I_TRY(make_rows(out, C, K, p, name_of_row, likelihood));
    SCANT_I_TRY(take_names(*out, likelihood));
done:
    if (status != SCANT_OK) {
        scant_rows_free(*out);
        *out = NULL;
    }
    scant_i_names_free(&names);
    scant_i_free(table);
    scant_i_free(p);
    scant_i_free(q);
    return status;
}

double scant_negentropy(const double *p, size_t nclasses)
{
    double sum = 0;
    if (nclasses < 2)
        return 1;
    for (size_t k = 0; k < nclasses; k++) {
        if (isnan(p[k]))
            return 0;
        sum += p[k] > 0 ? p[k] * log(p[k]) : 0;
    }
    return fmax(0, 1 + sum / log((double)nclasses)); /* not below 0 by rounding */
}
