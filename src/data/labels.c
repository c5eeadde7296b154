/* Label cells to evidence. A cell is a list of parts: one name (exact), names joined by `|` (one
 * of), or `name:probability` joined by `;`. The distinct cells are taken apart once; rows only look
 * up. */
#include "data/rows.h"

#include <math.h>
#include <string.h>
#include "base/number.h"
#include "data/names.h"

enum { SHOWN = 60 }; /* bytes of a cell that a message shows */
static const double SUM_TOLERANCE = 1e-6;

typedef struct part {
    int32_t name; /* in `names` */
    double probability;
} part;

typedef enum form { UNKNOWN, EXACT, ONE_OF, PROBABILITIES } form;

typedef struct cell {
    form form;
    size_t first, count; /* its parts */
} cell;

typedef struct resolver {
    scant_rows *rows;
    const int32_t *cell_of; /* nrows */
    const char *const *text;
    size_t ntext;
    const char *missing;
    bool classes_given;
    scant_i_names names; /* class names as written, in order of appearance; given classes first */
    size_t ngiven;
    bool *weighs; /* ntext: has a row of some weight the cell? */
    cell *cells;
    part *parts;
    size_t nparts, room;
    int32_t *class_of; /* names -> class, -1: unknown */
} resolver;

static size_t row_with(const resolver *r, size_t text)
{
    size_t i = 0;
    while (i + 1 < r->rows->nrows && r->cell_of[i] != (int32_t)text)
        i++;
    return i;
}

static void trim(const char **text, size_t *length)
{
    while (*length && (**text == ' ' || **text == '\t')) {
        ++*text;
        --*length;
    }
    while (*length && ((*text)[*length - 1] == ' ' || (*text)[*length - 1] == '\t'))
        --*length;
}

static bool same_value(const char *a, const char *b)
{
    double x = 0, y = 0;
    if (strcmp(a, b) == 0)
        return true;
    return scant_i_number_parse(&x, a, strlen(a)) && scant_i_number_parse(&y, b, strlen(b)) &&
           x == y;
}

/* "none" says that there is no such value. */
static bool is_said_missing(const resolver *r, size_t t)
{
    return r->missing && strcmp(r->missing, "none") != 0 && same_value(r->missing, r->text[t]);
}

static scant_status add_name(resolver *r, size_t t, const char *text, size_t length,
                             double probability)
{
    scant_status status = SCANT_OK;
    if (r->nparts == r->room) {
        size_t room = r->room ? 2 * r->room : 64;
        SCANT_I_TRY(scant_i_resize(&r->parts, room, sizeof *r->parts));
        r->room = room;
    }
    part *fresh = &r->parts[r->nparts];
    fresh->probability = probability;
    SCANT_I_TRY(scant_i_names_add(&fresh->name, &r->names, text, length));
    r->nparts++;
    r->cells[t].count++;
done:
    return status;
}

static scant_status add_part(resolver *r, size_t t, const char *text, size_t length,
                             double probability)
{
    trim(&text, &length);
    if (length == 0)
        return scant_i_fail_label(r->rows, row_with(r, t), "'%.*s' has an empty name", SHOWN,
                                  r->text[t]);
    if (scant_i_is_missing(text, length))
        return scant_i_fail_label(r->rows, row_with(r, t), "'%.*s': '%.*s' means unknown, no class",
                                  SHOWN, r->text[t], (int)length, text);
    return add_name(r, t, text, length, probability);
}

/* `name:number` at the end of which no more than blanks follow; the last colon counts. */
static bool take_probability(double *out, const char *text, size_t length, size_t *name_length)
{
    size_t colon = length;
    while (colon > 0 && text[colon - 1] != ':')
        colon--;
    if (colon == 0)
        return false;
    const char *number = text + colon;
    size_t rest = length - colon;
    *name_length = colon - 1;
    trim(&number, &rest);
    return scant_i_number_parse(out, number, rest);
}

static scant_status take_probabilities(resolver *r, size_t t)
{
    double sum = 0;
    for (const char *at = r->text[t]; at;) {
        const char *end = strchr(at, ';');
        size_t length = end ? (size_t)(end - at) : strlen(at), name = 0;
        double p = 0;
        if (!take_probability(&p, at, length, &name))
            return scant_i_fail_label(r->rows, row_with(r, t),
                                      "'%.*s': every part must be name:probability", SHOWN,
                                      r->text[t]);
        if (!(p >= 0) || isinf(p))
            return scant_i_fail_label(r->rows, row_with(r, t),
                                      "'%.*s': a probability must not be negative or infinite",
                                      SHOWN, r->text[t]);
        scant_status status = add_part(r, t, at, name, p);
        if (status != SCANT_OK)
            return status;
        sum += p;
        at = end ? end + 1 : NULL;
    }
    if (!(fabs(sum - 1) <= SUM_TOLERANCE))
        return scant_i_fail_label(r->rows, row_with(r, t),
                                  "'%.*s': probabilities sum to %.9g, not 1", SHOWN, r->text[t],
                                  sum);
    return SCANT_OK; /* soft vectors are made to sum to 1 where they are kept */
}

static scant_status take_set(resolver *r, size_t t)
{
    for (const char *at = r->text[t]; at;) {
        const char *end = strchr(at, '|');
        scant_status status = add_part(r, t, at, end ? (size_t)(end - at) : strlen(at), 1.0);
        if (status != SCANT_OK)
            return status;
        at = end ? end + 1 : NULL;
    }
    return SCANT_OK;
}

static bool is_given(const resolver *r, const char *text, size_t length)
{
    return r->ngiven && scant_i_names_find(&r->names, text, length) >= 0;
}

static scant_status take_cell(resolver *r, size_t t)
{
    const char *text = r->text[t];
    size_t length = strlen(text), name_length;
    double p;
    cell *c = &r->cells[t];
    c->first = r->nparts;
    trim(&text, &length);
    if (scant_i_is_missing(text, length) || is_said_missing(r, t)) {
        c->form = UNKNOWN;
        return SCANT_OK;
    }
    c->form = EXACT; /* a given class may have any name, with blanks around it as well */
    if (is_given(r, r->text[t], strlen(r->text[t])))
        return add_name(r, t, r->text[t], strlen(r->text[t]), 1.0);
    if (is_given(r, text, length))
        return add_name(r, t, text, length, 1.0);
    if (!r->weighs[t]) {
        c->form = UNKNOWN;
        return SCANT_OK;
    }
    if (memchr(text, ';', length) || take_probability(&p, text, length, &name_length)) {
        c->form = PROBABILITIES;
        return take_probabilities(r, t);
    }
    if (memchr(text, '|', length)) {
        c->form = ONE_OF;
        return take_set(r, t);
    }
    return add_part(r, t, text, length, 1.0);
}

/* A word for unknown that no label has is most likely misspelt. New rows of a model may have none. */
static void warn_of_missing(const resolver *r)
{
    if (!r->missing || r->classes_given || strcmp(r->missing, "none") == 0 ||
        scant_i_is_missing(r->missing, strlen(r->missing)))
        return;
    for (size_t t = 0; t < r->ntext; t++)
        if (is_said_missing(r, t))
            return;
    scant_i_log(SCANT_LOG_WARNING, "%s: no label is '%s' (--missing-label)",
                r->rows->labels.column ? r->rows->labels.column : "label", r->missing);
}

/* --- what -1 means --- */

static bool is_given_number(const resolver *r, const char *name)
{
    for (size_t k = 0; k < r->ngiven; k++)
        if (same_value(name, scant_i_names_text(&r->names, k)))
            return true;
    return false;
}

static scant_status find_minus_one(resolver *r)
{
    bool some = false, only_ones = true, natural = true, in_soft = false;
    size_t others = 0;
    if (r->missing || is_given_number(r, "-1"))
        return SCANT_OK;
    for (size_t k = 0; k < r->names.count; k++) {
        const char *name = scant_i_names_text(&r->names, k);
        double value = NAN;
        bool number = scant_i_number_parse(&value, name, strlen(name));
        if (number && value == -1) {
            some = true;
            continue;
        }
        others++;
        only_ones = only_ones && value == 1;
        natural = natural && number && value >= 0 && value == floor(value);
    }
    for (size_t t = 0; t < r->ntext; t++)
        for (size_t k = 0; r->cells[t].form > EXACT && k < r->cells[t].count; k++)
            in_soft =
                in_soft ||
                same_value("-1", scant_i_names_text(&r->names,
                                                    (size_t)r->parts[r->cells[t].first + k].name));
    if (!some || in_soft || !natural)
        return SCANT_OK;
    if (others && only_ones && !r->classes_given) {
        (void)scant_i_fail(SCANT_ERR_INPUT,
                           "%s: the labels are only -1 and 1, so -1 may be a class or mean "
                           "unknown; say which: --missing-label none (a class) or "
                           "--missing-label -1 (unknown)",
                           r->rows->labels.column ? r->rows->labels.column : "label");
        return r->rows->source
                   ? scant_i_fail_in(SCANT_ERR_INPUT, r->rows->source, "%s", scant_message())
                   : SCANT_ERR_INPUT;
    }
    for (size_t t = 0; t < r->ntext; t++)
        if (r->cells[t].form == EXACT &&
            same_value("-1",
                       scant_i_names_text(&r->names, (size_t)r->parts[r->cells[t].first].name)))
            r->cells[t].form = UNKNOWN;
    return SCANT_OK;
}

/* --- classes --- */

static scant_status refuse_class(const resolver *r, size_t t, const char *name)
{
    const char *near =
        scant_i_names_nearest(name, (const char *const *)r->rows->labels.classes, r->ngiven);
    return scant_i_fail_label(r->rows, row_with(r, t), "'%.*s' is not one of the %zu classes%s%s%s",
                              SHOWN, name, r->ngiven, near ? "; did you mean '" : "",
                              near ? near : "", near ? "'?" : "");
}

/* The given class that is the same number, 1.0 for 1, say, where there is just one; else -1. */
static int32_t given_as_number(const resolver *r, const char *name)
{
    int32_t found = -1;
    for (size_t k = 0; k < r->ngiven; k++) {
        if (!same_value(name, scant_i_names_text(&r->names, k)))
            continue;
        if (found >= 0)
            return -1;
        found = (int32_t)k;
    }
    return found;
}

/* Copies the classes, given or found (those that a cell names), and maps names to them. */
static scant_status settle_classes(resolver *r)
{
    scant_status status = SCANT_OK;
    scant_i_labels *labels = &r->rows->labels;
    const char **found = NULL;
    size_t *order = NULL, n = r->ngiven;
    SCANT_I_TRY(SCANT_I_NEW(&r->class_of, r->names.count + 1));
    SCANT_I_TRY(SCANT_I_NEW(&found, r->names.count + 1));
    SCANT_I_TRY(SCANT_I_NEW(&order, r->names.count + 1));
    memset(r->class_of, 0xff, r->names.count * sizeof *r->class_of); /* -1 */
    for (size_t k = 0; k < n; k++)
        found[k] = scant_i_names_text(&r->names, k);
    for (size_t t = 0; t < r->ntext && !r->classes_given; t++) {
        for (size_t k = 0; r->cells[t].form != UNKNOWN && k < r->cells[t].count; k++) {
            int32_t name = r->parts[r->cells[t].first + k].name;
            if (r->class_of[name] >= 0)
                continue;
            r->class_of[name] = 0;
            found[n++] = scant_i_names_text(&r->names, (size_t)name);
        }
    }
    if (r->classes_given)
        for (size_t k = 0; k < n; k++)
            order[k] = k;
    else
        SCANT_I_TRY(scant_i_names_order(order, found, n));
    SCANT_I_TRY(SCANT_I_NEW(&labels->classes, n + 1));
    for (size_t k = 0; k < n; k++) {
        labels->classes[k] = scant_i_strdup(found[order[k]]);
        labels->nclasses = k + 1;
        if (!labels->classes[k]) {
            status = SCANT_ERR_MEMORY;
            goto done;
        }
        r->class_of[scant_i_names_find(&r->names, labels->classes[k], strlen(labels->classes[k]))] =
            (int32_t)k;
    }
    for (size_t k = n; k < r->names.count && r->classes_given; k++)
        r->class_of[k] = given_as_number(r, scant_i_names_text(&r->names, k));
done:
    scant_i_free(found);
    scant_i_free(order);
    return status;
}

/* --- soft cells --- */

static scant_status fill_vector(const resolver *r, size_t t, double *vector)
{
    const cell *c = &r->cells[t];
    for (size_t k = 0; k < c->count; k++) {
        const part *p = &r->parts[c->first + k];
        int32_t class = r->class_of[p->name];
        if (class < 0)
            return refuse_class(r, t, scant_i_names_text(&r->names, (size_t)p->name));
        if (c->form == PROBABILITIES)
            vector[class] += p->probability;
        else
            vector[class] = 1.0;
    }
    return SCANT_OK;
}

/* Codes of the distinct cells. */
static scant_status code_cells(resolver *r, int32_t *code_of)
{
    scant_status status = SCANT_OK;
    scant_i_labels *labels = &r->rows->labels;
    scant_i_soft soft;
    size_t nsoft = 0;
    for (size_t t = 0; t < r->ntext; t++)
        nsoft += r->cells[t].form > EXACT;
    SCANT_I_TRY(scant_i_soft_open(&soft, labels, nsoft));
    for (size_t t = 0; t < r->ntext; t++) {
        const cell *c = &r->cells[t];
        if (c->form == UNKNOWN) {
            code_of[t] = -1;
        } else if (c->form == EXACT) {
            code_of[t] = r->class_of[r->parts[c->first].name];
            if (code_of[t] < 0)
                SCANT_I_TRY(refuse_class(
                    r, t, scant_i_names_text(&r->names, (size_t)r->parts[c->first].name)));
        } else {
            SCANT_I_TRY(fill_vector(r, t, scant_i_soft_next(labels)));
            code_of[t] = scant_i_soft_code(labels, &soft, c->form == PROBABILITIES);
        }
    }
done:
    scant_i_soft_close(&soft);
    return status;
}

/* --- all of it --- */

static scant_status add_given(resolver *r, const char *const *classes, size_t nclasses)
{
    for (size_t k = 0; k < nclasses; k++) {
        int32_t code = 0;
        scant_status status = scant_i_names_add(&code, &r->names, classes[k], strlen(classes[k]));
        if (status != SCANT_OK)
            return status;
        if ((size_t)code != k)
            return scant_i_fail(SCANT_ERR_ARGUMENT, "class '%s' is given twice", classes[k]);
    }
    r->ngiven = nclasses;
    return SCANT_OK;
}

static scant_status find_weighing(resolver *r, const double *weight)
{
    scant_status status = SCANT_I_NEW(&r->weighs, r->ntext + 1);
    for (size_t t = 0; t < r->ntext && status == SCANT_OK; t++)
        r->weighs[t] = !weight;
    for (size_t i = 0; i < r->rows->nrows && weight && status == SCANT_OK; i++)
        if (r->cell_of[i] >= 0 && weight[i] > 0)
            r->weighs[r->cell_of[i]] = true;
    return status;
}

scant_status scant_i_labels_resolve(scant_rows *rows, const int32_t *cell_of,
                                    const char *const *text, size_t ntext,
                                    const char *const *classes, size_t nclasses,
                                    const char *missing, const double *weight)
{
    scant_status status = SCANT_OK;
    int32_t *code_of = NULL;
    resolver r = {.rows = rows,
                  .cell_of = cell_of,
                  .text = text,
                  .ntext = ntext,
                  .missing = missing,
                  .classes_given = classes != NULL};
    scant_i_labels_clear(&rows->labels);
    SCANT_I_TRY(SCANT_I_NEW(&r.cells, ntext + 1));
    SCANT_I_TRY(SCANT_I_NEW(&code_of, ntext + 1));
    if (classes)
        SCANT_I_TRY(add_given(&r, classes, nclasses));
    SCANT_I_TRY(find_weighing(&r, weight));
    for (size_t t = 0; t < ntext; t++)
        SCANT_I_TRY(take_cell(&r, t));
    warn_of_missing(&r);
    SCANT_I_TRY(find_minus_one(&r));
    SCANT_I_TRY(settle_classes(&r));
    SCANT_I_TRY(code_cells(&r, code_of));
    SCANT_I_TRY(SCANT_I_NEW(&rows->labels.code, rows->nrows + 1));
    for (size_t i = 0; i < rows->nrows; i++)
        rows->labels.code[i] = cell_of[i] < 0 ? -1 : code_of[cell_of[i]];
done:
    if (status != SCANT_OK)
        scant_i_labels_clear(&rows->labels);
    scant_i_free(code_of);
    scant_i_free(r.weighs);
    scant_i_free(r.cells);
    scant_i_free(r.parts);
    scant_i_free(r.class_of);
    scant_i_names_free(&r.names);
    return status;
}
