/* From characters to cells. Numbers that stand as plain as they mostly do are read on the spot; all
 * else goes through scant_i_csv_take. */
#include "io/csv.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum {
    SHOWN = 40,  /* bytes of a bad cell that a message shows */
    LISTED = 400 /* bytes of names that it lists */
};

static char *close_quote(scant_i_csv_cell *cell, char *at)
{
    char *to = ++at;
    cell->text = to;
    for (;; at++) {
        if (*at == '"' && *++at != '"')
            break;
        cell->newlines += *at == '\n';
        *to++ = *at;
    }
    cell->length = (size_t)(to - cell->text);
    if (to < at)
        *to = '\0'; /* no number goes on behind its cell */
    return at;
}

static bool is_blank(char c, char separator)
{
    return (c == ' ' || c == '\t') && c != separator;
}

scant_i_csv_cell scant_i_csv_take(char *at, char separator)
{
    scant_i_csv_cell cell = {.text = at};
    while (is_blank(*at, separator))
        at++;
    bool quoted = *at == '"';
    if (quoted)
        at = close_quote(&cell, at);
    char *rest = at;
    while (*at != separator && *at != '\n')
        at++;
    cell.after = at;
    if (at > rest && *at == '\n' && at[-1] == '\r')
        at--;
    while (at > rest && is_blank(at[-1], separator))
        at--;
    if (quoted) {
        while (rest < at && is_blank(*rest, separator))
            rest++;
        cell.torn = at > rest;
    } else {
        cell.text = rest;
        cell.length = (size_t)(at - rest);
    }
    return cell;
}

/* --- messages --- */

static scant_status fail_field(const scant_i_csv *csv, size_t line, size_t field,
                               const char *format, ...) __attribute__((format(printf, 4, 5), cold));

static scant_status fail_field(const scant_i_csv *csv, size_t line, size_t field,
                               const char *format, ...)
{
    char text[450 + LISTED];
    va_list arguments;
    va_start(arguments, format);
    scant_i_words(text, sizeof text, format, arguments);
    va_end(arguments);
    return scant_i_fail_at(SCANT_ERR_INPUT, csv->file, line, field + 1, "%s: %s", csv->names[field],
                           text);
}

static scant_status refuse_number(const scant_i_csv *csv, size_t line, size_t field,
                                  const scant_i_csv_cell *cell, const char *why)
{
    int length = (int)scant_i_min(cell->length, SHOWN);
    return fail_field(csv, line, field, "'%.*s' %s", length, cell->text, why);
}

/* Digits, signs and points, and a comma among them: of decimals, or between thousands. */
static bool is_number_with_commas(const scant_i_csv_cell *cell)
{
    size_t digits = 0, commas = 0;
    for (size_t i = 0; i < cell->length; i++) {
        if (!memchr("0123456789.,+-", cell->text[i], 14))
            return false;
        commas += cell->text[i] == ',';
        digits += cell->text[i] >= '0' && cell->text[i] <= '9';
    }
    return digits && commas;
}

static bool is_among(const scant_i_csv_cell *cell, const char *const *values, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (strlen(values[k]) == cell->length && memcmp(values[k], cell->text, cell->length) == 0)
            return true;
    return false;
}

/* A feature's cell that has no value. Where types are known, what other programs write for that counts:
 * any such word among numbers, those that can be no name among names. */
static bool is_missing(const scant_i_csv *csv, const scant_i_csv_cell *cell, bool names)
{
    const scant_read_options *o = csv->options;
    return scant_i_is_missing(cell->text, cell->length) ||
           is_among(cell, o->missing_values, o->nmissing_values) ||
           (o->schema && is_among(cell, o->schema->missing_values, o->schema->nmissing_values)) ||
           (csv->plan.lenient && scant_i_cell_is_unknown(cell->text, cell->length, names));
}

/* Names of the features behind the cell that want numbers and have other text in this line, so that
 * a table of many categories is fixed at once; ends in ",..." where there is no room for all. */
static void list_texts(char names[LISTED], const scant_i_csv *csv, size_t field,
                       const scant_i_csv_cell *cell)
{
    size_t used = 0;
    char *at = cell->after;
    names[0] = '\0';
    for (size_t f = field + 1; f < csv->nfields && *at == csv->separator; f++) {
        const scant_i_field *plan = &csv->plan.fields[f];
        scant_i_csv_cell next = scant_i_csv_take(at + 1, csv->separator);
        double value;
        at = next.after;
        if (plan->role != SCANT_I_FEATURE || plan->kind != SCANT_I_NUMBER || plan->probability ||
            plan->type.kind == SCANT_KIND_DATE || plan->type.kind == SCANT_KIND_TEXT ||
            scant_i_is_missing(next.text, next.length) ||
            scant_i_number_parse(&value, next.text, next.length))
            continue;
        bool fits = used + strlen(csv->names[f]) + sizeof ",,..." < LISTED;
        used += (size_t)snprintf(names + used, LISTED - used, "%s%s", used ? "," : "",
                                 fits ? csv->names[f] : "...");
        if (!fits)
            return;
    }
}

/* *out is NaN where the cell is missing. */
static scant_status take_number(double *out, const scant_i_csv *csv, size_t line, size_t field,
                                const scant_i_csv_cell *cell)
{
    const scant_i_field *plan = &csv->plan.fields[field];
    bool feature = plan->role == SCANT_I_FEATURE && !plan->probability;
    if (feature ? is_missing(csv, cell, false) : scant_i_is_missing(cell->text, cell->length)) {
        *out = NAN;
        return SCANT_OK;
    }
    if (plan->type.notation.decimal
            ? scant_i_cell_number(out, cell->text, cell->length, plan->type.notation)
            : scant_i_number_parse(out, cell->text, cell->length))
        return isinf(*out) ? refuse_number(csv, line, field, cell, "is too large for a number")
                           : SCANT_OK;
    size_t sign = cell->length > 0 && (*cell->text == '-' || *cell->text == '+');
    if (cell->length >= 3 + sign && strncasecmp(cell->text + sign, "inf", 3) == 0 &&
        (cell->length == 3 + sign ||
         (cell->length == 8 + sign && strncasecmp(cell->text + sign, "infinity", 8) == 0)))
        return refuse_number(csv, line, field, cell,
                             "is not finite; leave the cell empty if the "
                             "value is unknown");
    if (is_number_with_commas(cell))
        return refuse_number(csv, line, field, cell,
                             "is not a number; --decimal , is for decimal commas, --decimal . for "
                             "commas between thousands");
    if (scant_i_cell_is_unknown(cell->text, cell->length, false))
        return refuse_number(csv, line, field, cell,
                             "is not a number; leave the cell empty, or name it with "
                             "--missing-value, if the value is unknown");
    const char *name = csv->names[field];
    int length = (int)scant_i_min(cell->length, SHOWN);
    if (plan->role == SCANT_I_WEIGHT || plan->role == SCANT_I_TIME || plan->probability)
        return fail_field(csv, line, field, "'%.*s' is not a number; a %s must be one", length,
                          cell->text,
                          plan->probability              ? "probability"
                          : plan->role == SCANT_I_WEIGHT ? "weight"
                                                         : "time");
    if (csv->options->schema)
        return fail_field(csv, line, field,
                          "'%.*s' is not a number, which is wanted here; leave the cell empty "
                          "if the value is unknown",
                          length, cell->text);
    char room[128], others[LISTED];
    const char *word = scant_shell_word(room, sizeof room, name);
    list_texts(others, csv, field, cell);
    return fail_field(csv, line, field,
                      "'%.*s' is not a number; is the column a category (--categorical %.128s) or "
                      "not a feature (--ignore %.128s)?%s%s",
                      length, cell->text, word, word,
                      others[0] ? " No numbers in this line either: " : "", others);
}

/* --- storing --- */

static scant_status keep_bytes(scant_i_csv_bytes *bytes, const char *text, size_t length)
{
    if (bytes->room - bytes->used < length + 1) {
        size_t room = scant_i_max(2 * bytes->room, bytes->used + length + 4096);
        scant_status status = scant_i_resize(&bytes->text, room, 1);
        if (status != SCANT_OK)
            return status;
        bytes->room = room;
    }
    memcpy(bytes->text + bytes->used, text, length);
    bytes->text[bytes->used + length] = '\0';
    bytes->used += length + 1;
    return SCANT_OK;
}

static scant_status keep_date(const scant_i_csv *csv, size_t row, size_t line, size_t field,
                              const scant_i_csv_cell *cell)
{
    const scant_i_field *plan = &csv->plan.fields[field];
    double part[SCANT_I_PARTS], *x = &csv->rows->dense[row * csv->plan.ncolumns];
    scant_i_date date;
    if (is_missing(csv, cell, false))
        for (size_t k = 0; k < SCANT_I_PARTS; k++)
            part[k] = NAN;
    else if (scant_i_cell_date(&date, cell->text, cell->length, plan->type.order))
        scant_i_date_parts(part, date.days);
    else
        return fail_field(
            csv, line, field,
            "'%.*s' is not a date as the others are; name it with --missing-value if the "
            "value is unknown, or say what the column is with --types",
            (int)scant_i_min(cell->length, SHOWN), cell->text);
    for (size_t k = 0; k < SCANT_I_PARTS; k++)
        if (plan->part[k] != SIZE_MAX)
            x[plan->part[k]] = part[k];
    return SCANT_OK;
}

static scant_status keep_text(int32_t *code, const scant_i_csv *csv, scant_i_csv_piece *piece,
                              size_t field, const scant_i_csv_cell *cell)
{
    *code = -1;
    bool feature = csv->plan.fields[field].role == SCANT_I_FEATURE;
    if (feature ? is_missing(csv, cell, true) : scant_i_is_missing(cell->text, cell->length))
        return SCANT_OK;
    return scant_i_names_add(code, &piece->names[csv->text_of[field]], cell->text, cell->length);
}

static scant_status keep_weight(const scant_i_csv *csv, size_t row, size_t line, size_t field,
                                const scant_i_csv_cell *cell)
{
    double *weight = &csv->rows->weight[row];
    scant_status status = take_number(weight, csv, line, field, cell);
    if (status == SCANT_OK && !scant_i_is_weight(*weight))
        status =
            fail_field(csv, line, field, "a weight must be a number from 0 to 1e100, not '%.*s'",
                       (int)scant_i_min(cell->length, SHOWN), cell->text);
    return status;
}

static scant_status keep_time(const scant_i_csv *csv, size_t row, size_t line, size_t field,
                              const scant_i_csv_cell *cell)
{
    scant_status status = take_number(&csv->rows->time[row], csv, line, field, cell);
    if (status == SCANT_OK && isnan(csv->rows->time[row]))
        status = fail_field(csv, line, field, "a time must not be missing");
    return status;
}

static scant_status keep_cell(const scant_i_csv *csv, scant_i_csv_piece *piece, size_t row,
                              size_t line, size_t field, const scant_i_csv_cell *cell)
{
    const scant_i_field *plan = &csv->plan.fields[field];
    scant_status status = SCANT_OK;
    int32_t code = -1;
    switch (plan->role) {
    case SCANT_I_UNUSED: break;
    case SCANT_I_FEATURE: {
        if (plan->type.kind == SCANT_KIND_DATE)
            return keep_date(csv, row, line, field, cell);
        if (plan->type.kind == SCANT_KIND_TEXT)
            return keep_bytes(&piece->words, cell->text, cell->length);
        double *x = &csv->rows->dense[row * csv->plan.ncolumns + plan->target];
        if (plan->kind == SCANT_I_NUMBER)
            return take_number(x, csv, line, field, cell);
        status = keep_text(&code, csv, piece, field, cell);
        *x = code < 0 ? NAN : (double)code;
        break;
    }
    case SCANT_I_LABEL: return keep_text(&csv->label[row], csv, piece, field, cell);
    case SCANT_I_WEIGHT: return keep_weight(csv, row, line, field, cell);
    case SCANT_I_ID:
        csv->id[row] = piece->ids.used;
        return keep_bytes(&piece->ids, cell->text, cell->length);
    case SCANT_I_GROUP:
        status = keep_text(&csv->rows->group[row], csv, piece, field, cell);
        if (status == SCANT_OK && csv->rows->group[row] < 0)
            status = fail_field(csv, line, field, "a %s must not be missing",
                                csv->options->sequence ? "sequence" : "group");
        break;
    case SCANT_I_TIME: return keep_time(csv, row, line, field, cell);
    }
    return status;
}

/* --- records --- */

/* A line of blanks alone; *at is then behind it. */
static bool skip_blank(char **at, char separator)
{
    char *end = *at;
    while ((*end == ' ' || *end == '\r' || *end == '\t') && *end != separator)
        end++;
    if (*end != '\n')
        return false;
    *at = end + 1;
    return true;
}

/* Counts the fields of a record from its beginning even after cells were unquoted in place: the
 * number of those before is known, only the rest are counted. */
static scant_status refuse_rest(const scant_i_csv *csv, size_t before, char *at, size_t line)
{
    size_t count = before;
    while (*at != '\n') {
        scant_i_csv_cell cell = scant_i_csv_take(at + 1, csv->separator);
        count++;
        at = cell.after;
    }
    return scant_i_fail_at(SCANT_ERR_INPUT, csv->file, line, scant_i_min(count, csv->nfields) + 1,
                           "%zu field%s, but the header has %zu", count, count == 1 ? "" : "s",
                           csv->nfields);
}

/* Parses the record at *at into `row` of the arrays; *line moves with the newlines within cells. */
static scant_status take_record(const scant_i_csv *csv, scant_i_csv_piece *piece, char **record,
                                size_t row, size_t *line)
{
    const size_t nfields = csv->nfields;
    const scant_i_field *fields = csv->plan.fields;
    double *x = csv->rows->dense + row * csv->plan.ncolumns;
    size_t first_line = *line;
    char *at = *record;
    for (size_t f = 0; f < nfields; f++) {
        char want = f + 1 == nfields ? '\n' : csv->separator;
        if (fields[f].fast) {
            double value;
            bool quoted = *at == '"';
            const char *end = scant_i_number_scan(&value, at + quoted);
            if (__builtin_expect(end && *end == (quoted ? '"' : want) && !isinf(value) &&
                                     (!quoted || *++end == want),
                                 1)) {
                x[fields[f].target] = value;
                at += end - at + 1;
                continue;
            }
        }
        scant_i_csv_cell cell = scant_i_csv_take(at, csv->separator);
        if (cell.torn)
            return fail_field(csv, *line, f, "text behind the closing quote of '%.*s'",
                              (int)scant_i_min(cell.length, SHOWN), cell.text);
        if (*cell.after != want)
            return refuse_rest(csv, f + 1, cell.after, first_line);
        scant_status status = keep_cell(csv, piece, row, *line, f, &cell);
        if (status != SCANT_OK)
            return status;
        *line += cell.newlines;
        at = cell.after + 1;
    }
    *record = at;
    ++*line;
    return SCANT_OK;
}

scant_status scant_i_csv_parse(size_t k, size_t worker, void *payload)
{
    (void)worker;
    scant_i_csv *csv = payload;
    scant_i_csv_piece *piece = &csv->pieces[k];
    size_t *lines = csv->piece_line + (piece->first - csv->rows->nrows);
    size_t line = piece->line, n = 0;
    for (size_t t = 0; t < csv->ntexts; t++)
        scant_i_names_clear(&piece->names[t]);
    piece->ids.used = piece->words.used = 0;
    for (char *at = piece->begin; at < piece->end;) {
        if ((*at == '\n' || *at == '\r' || *at == ' ' || *at == '\t') &&
            skip_blank(&at, csv->separator)) {
            line++;
            continue;
        }
        lines[n] = line;
        scant_status status = take_record(csv, piece, &at, piece->first + n, &line);
        if (status != SCANT_OK)
            return status;
        n++;
    }
    piece->nrows = n;
    return SCANT_OK;
}
