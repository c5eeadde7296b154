/* Words from sparse rows (words.h has the definitions). Cost: a few passes over the entries. */
#include "train/words.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "math/sparse.h"
#include "train/member.h"

static const double LENGTH = 100;
static const double MOST_COUNT = 1e100; /* sums stay finite */
enum { FEWEST = 2, FEW_ROWS = 50 };

void scant_i_words_free(scant_i_vocabulary *w)
{
    if (!w)
        return;
    scant_i_free(w->column);
    scant_i_free(w->place);
    scant_i_free(w->idf);
    scant_i_free(w);
}

const scant_i_csr *scant_i_words_source(const scant_rows *rows, size_t *ncolumns)
{
    *ncolumns = rows->text.start ? rows->ntext_terms : rows->ncolumns;
    if (rows->text.start)
        return &rows->text;
    return scant_rows_is_sparse(rows) ? &rows->sparse : NULL;
}

static bool is_count(double x)
{
    return x >= 0 && x <= MOST_COUNT;
}

static double count_at(const scant_i_csr *csr, size_t entry)
{
    return csr->value ? csr->value[entry] : 1;
}

static scant_status words_room(scant_i_vocabulary **out, size_t ncolumns, size_t width)
{
    scant_status status = SCANT_OK;
    scant_i_vocabulary *w = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&w, 1));
    w->ncolumns = ncolumns;
    w->width = width;
    SCANT_I_TRY(SCANT_I_NEW(&w->column, width));
    SCANT_I_TRY(SCANT_I_NEW(&w->idf, width));
    SCANT_I_TRY(SCANT_I_NEW(&w->place, ncolumns));
    for (size_t c = 0; c < ncolumns; c++)
        w->place[c] = -1;
    *out = w;
    w = NULL;
done:
    scant_i_words_free(w);
    return status;
}

scant_status scant_i_words_new(scant_i_vocabulary **out, const scant_rows *rows, const size_t *use,
                               size_t n)
{
    scant_status status = SCANT_OK;
    size_t ncolumns, *having = NULL, width = 0, fewest = n < FEW_ROWS ? 1 : FEWEST;
    const scant_i_csr *csr = scant_i_words_source(rows, &ncolumns);
    *out = NULL;
    if (!csr)
        return SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&having, ncolumns));
    for (size_t i = 0; i < n; i++)
        for (size_t e = csr->start[use[i]]; e < csr->start[use[i] + 1]; e++) {
            if (!is_count(count_at(csr, e)))
                goto done;
            having[csr->column[e]] += count_at(csr, e) > 0;
        }
    for (size_t c = 0; c < ncolumns; c++)
        width += having[c] >= fewest;

    SCANT_I_TRY(words_room(out, ncolumns, width));
    (*out)->beside = rows->text.start;
    for (size_t c = 0, j = 0; c < ncolumns; c++)
        if (having[c] >= fewest) {
            (*out)->column[j] = (int32_t)c;
            (*out)->idf[j] = log((1 + (double)n) / (1 + (double)having[c])) + 1;
            (*out)->place[c] = (int32_t)j++;
        }
done:
    scant_i_free(having);
    return status;
}

/* --- rows --- */

void scant_i_word_rows_clear(scant_i_word_rows *rows)
{
    scant_i_free(rows->counts.start);
    scant_i_free(rows->counts.column);
    scant_i_free(rows->counts.value);
    scant_i_free(rows->tfidf.value);
    *rows = (scant_i_word_rows){0};
}

/* Row i of the result, whose entries are there as they were counted. */
static void scale_row(scant_i_word_rows *out, const scant_i_vocabulary *w, size_t i)
{
    size_t first = out->counts.start[i], end = out->counts.start[i + 1];
    double *c = out->counts.value, *z = out->tfidf.value, all = 0, square = 0;
    for (size_t e = first; e < end; e++) {
        all += c[e];
        z[e] = (c[e] < 1 ? c[e] : 1 + log(c[e])) * w->idf[out->counts.column[e]];
        square += z[e] * z[e];
    }
    double length = sqrt(square);
    for (size_t e = first; e < end; e++) {
        c[e] = LENGTH * (c[e] / all);
        z[e] = length > 0 ? z[e] / length : 0;
    }
}

/* Appends the row's words at entry *at. */
static scant_status add_row(scant_i_word_rows *out, size_t *at, const scant_i_vocabulary *w,
                            const scant_rows *rows, const scant_i_csr *csr, size_t row)
{
    size_t first = csr ? csr->start[row] : 0, end = csr ? csr->start[row + 1] : w->width;
    for (size_t e = first; e < end; e++) {
        size_t column = (size_t)(csr ? csr->column[e] : w->column[e]);
        double count = csr ? count_at(csr, e) : scant_rows_value(rows, row, column);
        if (!is_count(count))
            return scant_i_fail_cell(rows, row, column,
                                     "%g is no count: the model was trained on counts", count);
        if (count > 0 && w->place[column] >= 0) {
            out->counts.column[*at] = w->place[column];
            out->counts.value[(*at)++] = count;
        }
    }
    return SCANT_OK;
}

scant_status scant_i_words_map(scant_i_word_rows *out, const scant_i_vocabulary *w,
                               const scant_rows *rows, const size_t *use, size_t first, size_t n)
{
    scant_status status = SCANT_OK;
    size_t entries = 0, at = 0, ncolumns;
    const scant_i_csr *csr = scant_i_words_source(rows, &ncolumns);
    *out = (scant_i_word_rows){0};
    if (!w || w->width == 0)
        return SCANT_OK;
    if (w->beside && !rows->text.start)
        return scant_i_fail_in(SCANT_ERR_INPUT, rows->source,
                               "the model was trained on texts beside the columns, and these rows "
                               "have none");
    for (size_t i = 0; i < n; i++) {
        size_t row = use ? use[i] : first + i;
        entries += csr ? csr->start[row + 1] - csr->start[row] : w->width;
    }
    SCANT_I_TRY(SCANT_I_NEW(&out->counts.start, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&out->counts.column, entries));
    SCANT_I_TRY(SCANT_I_NEW(&out->counts.value, entries));
    SCANT_I_TRY(SCANT_I_NEW(&out->tfidf.value, entries));
    for (size_t i = 0; i < n; i++) {
        SCANT_I_TRY(add_row(out, &at, w, rows, csr, use ? use[i] : first + i));
        out->counts.start[i + 1] = at;
        scale_row(out, w, i);
    }
    out->tfidf.start = out->counts.start;
    out->tfidf.column = out->counts.column;
done:
    if (status != SCANT_OK)
        scant_i_word_rows_clear(out);
    return status;
}

void scant_i_words_gather(double *to, const double *C, size_t lanes, const scant_i_csr *rows,
                          size_t i)
{
    size_t first = rows->start[i], n = rows->start[i + 1] - first;
    scant_i_sparse_gather(to, C, lanes, rows->column + first, rows->value + first, n, n);
}

void scant_i_words_scatter(double *C, const double *r, size_t lanes, const scant_i_csr *rows,
                           size_t i)
{
    size_t first = rows->start[i], n = rows->start[i + 1] - first;
    scant_i_sparse_scatter(C, r, lanes, rows->column + first, rows->value + first, n, n);
}

/* --- documents --- */

static scant_status out_of_memory(void)
{
    return scant_i_fail(SCANT_ERR_MEMORY, "out of memory in a model file");
}

scant_status scant_i_put_words(json_t *to, const char *key, const double *table, size_t width,
                               size_t K, const double *other)
{
    scant_status status = SCANT_OK;
    size_t lanes = scant_i_words_lanes(K);
    json_t *object, *word, *value;
    SCANT_I_TRY(scant_i_put(to, key, object = json_object()));
    SCANT_I_TRY(scant_i_put(object, "word", word = json_array()));
    SCANT_I_TRY(scant_i_put(object, "value", value = json_array()));
    for (size_t j = 0; j < width; j++) {
        const double *row = table + j * lanes;
        if (memcmp(row, other, K * sizeof *row) == 0)
            continue;
        if (json_array_append_new(word, json_integer((json_int_t)j)) ||
            json_array_append_new(value, scant_i_put_numbers(row, &K, 1)))
            return out_of_memory();
    }
done:
    return status;
}

scant_status scant_i_get_words(double **out, const scant_i_place *place, const json_t *from,
                               const char *key, size_t width, size_t K, const double *other)
{
    scant_status status = SCANT_OK;
    size_t lanes = scant_i_words_lanes(K), j;
    const json_t *object, *word, *value;
    scant_i_place at = scant_i_place_in(place, key), list = scant_i_place_in(&at, "value");
    SCANT_I_TRY(scant_i_get_object(&object, place, from, key));
    SCANT_I_TRY(scant_i_get_array(&word, &at, object, "word"));
    SCANT_I_TRY(scant_i_get_array(&value, &at, object, "value"));
    if (json_array_size(word) != json_array_size(value))
        return scant_i_place_fail(&list, "does not have one row a word");
    enum {
        FREE = 1 << 24,
        MOST_UNSAID = 64
    }; /* numbers; words for one that has numbers of its own */
    if (width > FREE / lanes && width / MOST_UNSAID > json_array_size(word))
        return scant_i_place_fail(&list, "%zu words make no sense where %zu have numbers", width,
                                  json_array_size(word));
    SCANT_I_TRY(SCANT_I_NEW(out, width * lanes));
    for (j = 0; j < width; j++)
        memcpy(*out + j * lanes, other, K * sizeof *other);
    for (size_t i = 0; i < json_array_size(word); i++) {
        scant_i_place here = scant_i_place_at(&list, i);
        SCANT_I_TRY(scant_i_get_index(&j, &here, json_array_get(word, i), width));
        SCANT_I_TRY(scant_i_get_numbers(*out + j * lanes, &here, json_array_get(value, i), &K, 1));
    }
done:
    return status;
}

scant_status scant_i_words_to_json(json_t *to, const scant_i_vocabulary *w)
{
    scant_status status = SCANT_OK;
    json_t *columns;
    SCANT_I_TRY(scant_i_put(to, "columns", columns = json_array()));
    for (size_t j = 0; j < w->width; j++)
        if (json_array_append_new(columns, json_integer(w->column[j])))
            return out_of_memory();
    SCANT_I_TRY(scant_i_put_table(to, "idf", w->idf, 1, w->width));
done:
    return status;
}

scant_status scant_i_words_from_json(scant_i_vocabulary **out, const scant_i_place *place,
                                     const json_t *from, size_t ncolumns, size_t nterms)
{
    scant_status status = SCANT_OK;
    const json_t *columns;
    scant_i_vocabulary *w = NULL;
    scant_i_place at = scant_i_place_in(place, "columns"), idf = scant_i_place_in(place, "idf");
    *out = NULL;
    SCANT_I_TRY(scant_i_get_array(&columns, place, from, "columns"));
    SCANT_I_TRY(words_room(&w, nterms ? nterms : ncolumns, json_array_size(columns)));
    w->beside = nterms;
    for (size_t j = 0; j < w->width; j++) {
        size_t column;
        SCANT_I_TRY(scant_i_get_index(&column, &at, json_array_get(columns, j), w->ncolumns));
        if (j > 0 && (int32_t)column <= w->column[j - 1]) {
            status = scant_i_place_fail(&at, "do not ascend");
            goto done;
        }
        w->column[j] = (int32_t)column;
        w->place[column] = (int32_t)j;
    }
    scant_i_free(w->idf);
    w->idf = NULL;
    SCANT_I_TRY(scant_i_get_table(&w->idf, place, from, "idf", 1, w->width));
    for (size_t j = 0; j < w->width; j++)
        if (!(w->idf[j] > 0)) {
            status = scant_i_place_fail(&idf, "are not all above 0");
            goto done;
        }
    *out = w;
    w = NULL;
done:
    scant_i_words_free(w);
    return status;
}
