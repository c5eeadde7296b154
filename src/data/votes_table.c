/* Votes from tables of categories: see votes.h. Every column has levels of its own; the classes are
 * all of them together, sorted once, and cells only look their class up. */
#include "data/votes.h"

#include <math.h>
#include <string.h>

#include "data/names.h"

/* The distinct texts that name classes, and the class of each: -1 means no answer. */
typedef struct lexicon {
    scant_i_names names;
    scant_rows *resolved; /* a row a text; its labels are the classes */
} lexicon;

static void clear_lexicon(lexicon *x)
{
    scant_i_names_free(&x->names);
    scant_rows_free(x->resolved);
}

static scant_status add_texts(lexicon *x, const char *const *text, size_t n)
{
    scant_status status = SCANT_OK;
    int32_t code;
    for (size_t t = 0; status == SCANT_OK && t < n; t++)
        status = scant_i_names_add(&code, &x->names, text[t], strlen(text[t]));
    return status;
}

static int32_t class_of(const lexicon *x, const char *text)
{
    return x->resolved->labels.code[scant_i_names_find(&x->names, text, strlen(text))];
}

/* Which text is a class and which means unknown: the rules of label cells. */
static scant_status resolve(lexicon *x, const char *missing)
{
    scant_status status = SCANT_OK;
    size_t n = x->names.count;
    const char **text = NULL;
    int32_t *cell = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&text, n));
    SCANT_I_TRY(SCANT_I_NEW(&cell, n));
    SCANT_I_TRY(scant_i_rows_new(&x->resolved, n, 0));
    for (size_t t = 0; t < n; t++) {
        text[t] = scant_i_names_text(&x->names, t);
        cell[t] = (int32_t)t;
    }
    SCANT_I_TRY(scant_i_labels_resolve(x->resolved, cell, text, n, NULL, 0, missing, NULL));
    for (size_t t = 0; t < n; t++)
        if (x->resolved->labels.code[t] >= (int32_t)x->resolved->labels.nclasses)
            SCANT_I_TRY(scant_i_fail(SCANT_ERR_INPUT, "'%s' is not one answer", text[t]));
done:
    scant_i_free(text);
    scant_i_free(cell);
    return status;
}

static scant_status check_categories(const scant_rows *rows)
{
    for (size_t c = 0; c < rows->ncolumns; c++)
        if (!rows->dense || !rows->columns || rows->columns[c].kind != SCANT_I_CATEGORY)
            return scant_i_fail(SCANT_ERR_INPUT,
                                "%s: answers are names; only tables of text can be votes",
                                rows->source ? rows->source : "the table");
    return SCANT_OK;
}

/* A column of names that hardly repeat is no predictor, and tables of so many classes would fill the memory. */
static scant_status check_number(const scant_rows *rows, const char *column, size_t n)
{
    enum { MOST = 1000 };
    if (n <= MOST)
        return SCANT_OK;
    return scant_i_fail(SCANT_ERR_INPUT,
                        "%s: column %s has %zu different answers, more than there may be "
                        "classes (%d); is it an identifier (--id), or to be left out (--ignore)?",
                        rows->source ? rows->source : "the table", column, n, MOST);
}

/* The answers are in the columns from `first` on. */
static scant_status build_lexicon(lexicon *x, const scant_rows *rows, size_t first,
                                  const scant_votes_options *options)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(check_categories(rows));
    for (size_t c = first; c < rows->ncolumns; c++) {
        const scant_i_column *column = &rows->columns[c];
        SCANT_I_TRY(check_number(rows, column->name, column->nlevels));
        SCANT_I_TRY(add_texts(x, (const char *const *)column->levels, column->nlevels));
    }
    SCANT_I_TRY(check_number(rows, rows->labels.column ? rows->labels.column : "of true classes",
                             rows->labels.nclasses));
    SCANT_I_TRY(add_texts(x, (const char *const *)rows->labels.classes, rows->labels.nclasses));
    SCANT_I_TRY(add_texts(x, options->classes, options->nclasses));
    SCANT_I_TRY(resolve(x, options->missing));
done:
    return status;
}

/* Class of each level of a column. */
static scant_status map_levels(int32_t **out, const lexicon *x, const scant_i_column *column)
{
    scant_status status = SCANT_I_NEW(out, column->nlevels + 1);
    for (size_t t = 0; status == SCANT_OK && t < column->nlevels; t++)
        (*out)[t] = class_of(x, column->levels[t]);
    return status;
}

/* Votes one after the other, as they are found. */
typedef struct heap {
    size_t n, *item, *predictor, *answer;
} heap;

static scant_status new_heap(heap *h, size_t most)
{
    scant_status status = SCANT_I_NEW(&h->item, most + 1);
    if (status == SCANT_OK)
        status = SCANT_I_NEW(&h->predictor, most + 1);
    if (status == SCANT_OK)
        status = SCANT_I_NEW(&h->answer, most + 1);
    return status;
}

static void push(heap *h, size_t item, size_t predictor, size_t answer)
{
    h->item[h->n] = item;
    h->predictor[h->n] = predictor;
    h->answer[h->n++] = answer;
}

static void clear_heap(heap *h)
{
    scant_i_free(h->item);
    scant_i_free(h->predictor);
    scant_i_free(h->answer);
}

static scant_status make_votes(scant_votes **out, const heap *h, const lexicon *x, size_t nitems,
                               size_t npredictors, const char *const *predictor)
{
    const scant_i_labels *labels = &x->resolved->labels;
    return scant_votes_new(out, nitems, npredictors, labels->nclasses, h->n, h->item, h->predictor,
                           h->answer, predictor, (const char *const *)labels->classes);
}

/* The true class a row of the table tells, -1: none. */
static int32_t truth_of(const lexicon *x, const scant_rows *rows, size_t row)
{
    int32_t code = rows->labels.code ? rows->labels.code[row] : -1;
    return code < 0 ? -1 : class_of(x, rows->labels.classes[code]);
}

static scant_status check_truth(const scant_rows *rows)
{
    for (size_t i = 0; rows->labels.code && i < rows->nrows; i++)
        if (rows->labels.code[i] >= (int32_t)rows->labels.nclasses)
            return scant_i_fail_label(rows, i, "a true class must be one class");
    return SCANT_OK;
}

/* --- a row an item --- */

static scant_status gather_wide(heap *h, const lexicon *x, const scant_rows *rows)
{
    scant_status status = SCANT_OK;
    int32_t *class = NULL;
    SCANT_I_TRY(new_heap(h, rows->nrows * rows->ncolumns));
    for (size_t c = 0; c < rows->ncolumns; c++) {
        SCANT_I_TRY(map_levels(&class, x, &rows->columns[c]));
        for (size_t i = 0; i < rows->nrows; i++) {
            double cell = rows->dense[i * rows->ncolumns + c];
            if (!isnan(cell) && class[(size_t)cell] >= 0)
                push(h, i, c, (size_t) class[(size_t)cell]);
        }
        scant_i_free(class);
        class = NULL;
    }
done:
    scant_i_free(class);
    return status;
}

/* What the table knows of its rows in addition to the answers. */
static void hand_over(scant_rows *to, scant_rows *from)
{
    to->weight = from->weight;
    to->id = from->id;
    to->id_text = from->id_text;
    to->id_name = from->id_name;
    from->weight = NULL;
    from->id = NULL;
    from->id_text = from->id_name = NULL;
}

/* Items of weight 0 name no classes, which is not what is wrong with them. */
static scant_status check_weights(const scant_rows *rows)
{
    bool any = rows->nrows == 0;
    for (size_t i = 0; i < rows->nrows && !any; i++)
        any = scant_rows_weight(rows, i) > 0;
    return any ? SCANT_OK : scant_i_fail(SCANT_ERR_INPUT, "no item has a positive weight");
}

scant_status scant_i_votes_from_wide(scant_votes **out, scant_rows *rows,
                                     const scant_votes_options *options)
{
    scant_status status = SCANT_OK;
    lexicon x = {0};
    heap h = {0};
    const char **name = NULL;
    int32_t *truth = NULL;
    *out = NULL;
    SCANT_I_TRY(check_truth(rows));
    SCANT_I_TRY(check_weights(rows));
    SCANT_I_TRY(build_lexicon(&x, rows, 0, options));
    SCANT_I_TRY(gather_wide(&h, &x, rows));
    SCANT_I_TRY(SCANT_I_NEW(&name, rows->ncolumns));
    SCANT_I_TRY(SCANT_I_NEW(&truth, rows->nrows + 1));
    for (size_t c = 0; c < rows->ncolumns; c++)
        name[c] = rows->columns[c].name;
    for (size_t i = 0; i < rows->nrows; i++)
        truth[i] = truth_of(&x, rows, i);
    SCANT_I_TRY(make_votes(out, &h, &x, rows->nrows, rows->ncolumns, name));
    SCANT_I_TRY(scant_votes_set_truth(*out, truth));
    hand_over((*out)->rows, rows);
done:
    if (status != SCANT_OK) {
        scant_votes_free(*out);
        *out = NULL;
    }
    clear_lexicon(&x);
    clear_heap(&h);
    scant_i_free(name);
    scant_i_free(truth);
    return status;
}

/* --- a row a vote --- */

enum { ITEM, WORKER, ANSWER, LONG_COLUMNS };

static scant_status gather_long(heap *h, int32_t *truth, const lexicon *x, const scant_rows *rows)
{
    scant_status status = SCANT_OK;
    int32_t *class = NULL;
    SCANT_I_TRY(new_heap(h, rows->nrows));
    SCANT_I_TRY(map_levels(&class, x, &rows->columns[ANSWER]));
    for (size_t v = 0; v < rows->nrows; v++) {
        const double *cell = rows->dense + v * LONG_COLUMNS;
        if (isnan(cell[ITEM]))
            SCANT_I_TRY(scant_i_fail_cell(rows, v, ITEM, "a vote must name its item"));
        size_t item = (size_t)cell[ITEM];
        int32_t told = truth_of(x, rows, v);
        if (told >= 0 && truth[item] >= 0 && told != truth[item])
            SCANT_I_TRY(scant_i_fail_label(rows, v, "item '%s' has another true class above",
                                           rows->columns[ITEM].levels[item]));
        truth[item] = told >= 0 ? told : truth[item];
        if (isnan(cell[ANSWER]) || class[(size_t)cell[ANSWER]] < 0)
            continue;
        if (isnan(cell[WORKER]))
            SCANT_I_TRY(scant_i_fail_cell(rows, v, WORKER, "a vote must name its predictor"));
        push(h, item, (size_t)cell[WORKER], (size_t) class[(size_t)cell[ANSWER]]);
    }
done:
    scant_i_free(class);
    return status;
}

/* Items are called as their levels are. */
static scant_status name_items(scant_votes *votes, const scant_i_column *items)
{
    scant_status status = SCANT_OK;
    size_t *offset = NULL, bytes = 0;
    char *text = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&offset, items->nlevels + 1));
    for (size_t i = 0; i < items->nlevels; i++) {
        offset[i] = bytes;
        bytes += strlen(items->levels[i]) + 1;
    }
    SCANT_I_TRY(SCANT_I_NEW(&text, bytes + 1));
    for (size_t i = 0; i < items->nlevels; i++)
        memcpy(text + offset[i], items->levels[i], strlen(items->levels[i]) + 1);
    status = scant_i_rows_set_ids(votes->rows, text, offset);
    text = NULL;
    if (status == SCANT_OK && !(votes->rows->id_name = scant_i_strdup(items->name)))
        status = SCANT_ERR_MEMORY;
done:
    scant_i_free(offset);
    scant_i_free(text);
    return status;
}

scant_status scant_i_votes_from_long(scant_votes **out, scant_rows *rows,
                                     const scant_votes_options *options)
{
    scant_status status = SCANT_OK;
    lexicon x = {0};
    heap h = {0};
    int32_t *truth = NULL;
    *out = NULL;
    SCANT_I_TRY(check_truth(rows));
    SCANT_I_TRY(build_lexicon(&x, rows, ANSWER, options));
    const scant_i_column *item = &rows->columns[ITEM], *worker = &rows->columns[WORKER];
    SCANT_I_TRY(SCANT_I_NEW(&truth, item->nlevels + 1));
    memset(truth, -1, (item->nlevels + 1) * sizeof *truth);
    SCANT_I_TRY(gather_long(&h, truth, &x, rows));
    SCANT_I_TRY(make_votes(out, &h, &x, item->nlevels, worker->nlevels,
                           (const char *const *)worker->levels));
    SCANT_I_TRY(scant_votes_set_truth(*out, truth));
    SCANT_I_TRY(name_items(*out, item));
done:
    if (status != SCANT_OK) {
        scant_votes_free(*out);
        *out = NULL;
    }
    clear_lexicon(&x);
    clear_heap(&h);
    scant_i_free(truth);
    return status;
}
