/* The pass over the cells and the list of guesses that comes of it. Rows of another width than the
 * header, torn quotes and bytes that are no UTF-8 are noted, not refused: a description of a bad file is
 * what tells what is bad about it. */
#include "io/column_types.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/number.h"
#include "data/types.h"
#include "io/csv.h"

typedef struct entry {
    scant_type view;
    char *name, *reason, *as_option, *example[3];
} entry;

struct scant_types {
    size_t count, nrows;
    entry *column;
    scant_i_names notes;
    scant_i_names words; /* for missing, in addition to those that always are */
    const char **word;   /* the same as a list */
};

void scant_types_free(scant_types *types)
{
    if (!types)
        return;
    for (size_t c = 0; types->column && c < types->count; c++) {
        entry *e = &types->column[c];
        scant_i_free(e->name);
        scant_i_free(e->reason);
        scant_i_free(e->as_option);
        for (size_t k = 0; k < 3; k++)
            scant_i_free(e->example[k]);
    }
    scant_i_free(types->column);
    scant_i_names_free(&types->notes);
    scant_i_names_free(&types->words);
    scant_i_free(types->word);
    scant_i_free(types);
}

size_t scant_types_count(const scant_types *types)
{
    return types->count;
}

const scant_type *scant_types_at(const scant_types *types, size_t column)
{
    return &types->column[column].view;
}

size_t scant_types_rows(const scant_types *types)
{
    return types->nrows;
}

size_t scant_types_notes(const scant_types *types)
{
    return types->notes.count;
}

const char *scant_types_note(const scant_types *types, size_t index)
{
    return scant_i_names_text(&types->notes, index);
}

size_t scant_i_types_words(const scant_types *types, const char *const **words)
{
    *words = types->word;
    return types->words.count;
}

/* --- from facts to the list --- */

static scant_status copy(char **out, const char *text)
{
    *out = scant_i_strdup(text);
    return *out ? SCANT_OK : SCANT_ERR_MEMORY;
}

/* Few strange cells among numbers or dates mean that there is no value; the usual words need no list. */
static scant_status keep_words(scant_types *types, const scant_i_facts *facts,
                               const scant_i_guess *guess)
{
    scant_kind kind = guess->type.kind;
    if (kind > SCANT_KIND_DATE || kind == SCANT_KIND_CATEGORY)
        return SCANT_OK;
    for (size_t w = 0; w < facts->strange.count; w++) {
        const char *text = scant_i_names_text(&facts->strange, w);
        size_t length = strlen(text);
        scant_i_date date;
        int32_t code;
        if (scant_i_cell_is_unknown(text, length, false) ||
            (kind == SCANT_KIND_DATE && scant_i_cell_date(&date, text, length, guess->type.order)))
            continue;
        scant_status status = scant_i_names_add(&code, &types->words, text, length);
        if (status != SCANT_OK)
            return status;
    }
    return SCANT_OK;
}

static scant_status note_words(scant_types *types, const char *name, const scant_i_facts *facts,
                               const scant_i_guess *guess)
{
    char text[400];
    int used = 0;
    int32_t code;
    scant_kind kind = guess->type.kind;
    if (kind > SCANT_KIND_DATE || kind == SCANT_KIND_CATEGORY || facts->strange.count == 0)
        return SCANT_OK;
    for (size_t w = 0; w < facts->strange.count && used < 200; w++) {
        const char *word = scant_i_names_text(&facts->strange, w);
        scant_i_date date;
        if (kind == SCANT_KIND_DATE &&
            scant_i_cell_date(&date, word, strlen(word), guess->type.order))
            continue;
        used +=
            snprintf(text + used, sizeof text - (size_t)used, "%s'%.30s'", used ? ", " : "", word);
    }
    if (used == 0)
        return SCANT_OK;
    (void)snprintf(text + used, sizeof text - (size_t)used, " in column '%.80s' is read as missing",
                   name);
    return scant_i_names_add(&code, &types->notes, text, strlen(text));
}

static scant_status describe(scant_types *types, size_t c, const char *name,
                             const scant_i_facts *facts, const scant_i_guess *guess)
{
    scant_status status = SCANT_OK;
    entry *e = &types->column[c];
    bool number = guess->type.kind <= SCANT_KIND_BINARY || facts->numbers == facts->count;
    bool date = guess->type.kind == SCANT_KIND_DATE;
    size_t r = guess->type.notation.decimal == ',';
    SCANT_I_TRY(copy(&e->name, name));
    SCANT_I_TRY(copy(&e->reason, guess->reason));
    e->as_option = scant_i_type_text(name, &guess->type);
    if (!e->as_option)
        return SCANT_ERR_MEMORY;
    bool words_are_missing =
        guess->type.kind <= SCANT_KIND_DATE && guess->type.kind != SCANT_KIND_CATEGORY;
    size_t known = !words_are_missing ? facts->count
                   : date             ? facts->count - facts->unknown
                                      : facts->numbers;
    e->view = (scant_type){
        .name = e->name,
        .kind = guess->type.kind,
        .sure = guess->sure,
        .reason = e->reason,
        .as_option = e->as_option,
        .count = known,
        .missing = facts->missing + facts->count - known,
        .distinct = facts->values.count,
        .distinct_is_most = facts->full,
        .least = date                       ? facts->earliest
                 : number && facts->numbers ? facts->least[r]
                                            : NAN,
        .most = date                       ? facts->latest
                : number && facts->numbers ? facts->most[r]
                                           : NAN,
    };
    for (size_t k = 0; k < 3 && k < facts->values.count; k++) {
        SCANT_I_TRY(copy(&e->example[k], scant_i_names_text(&facts->values, k)));
        e->view.example[k] = e->example[k];
    }
    SCANT_I_TRY(keep_words(types, facts, guess));
    SCANT_I_TRY(note_words(types, name, facts, guess));
done:
    return status;
}

/* What all columns together say of decimals. */
static char decimal_of(const scant_i_facts *facts, size_t n)
{
    size_t comma = 0, point = 0;
    for (size_t c = 0; c < n; c++) {
        comma += scant_i_facts_decimal(&facts[c]) == ',';
        point += scant_i_facts_decimal(&facts[c]) == '.';
    }
    return comma && !point ? ',' : point && !comma ? '.' : 0;
}

static scant_status list(scant_types *types, const scant_i_facts *facts, const char *const *names,
                         char decimal, char separator)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&types->column, types->count));
    if (!decimal)
        decimal = decimal_of(facts, types->count);
    for (size_t c = 0; c < types->count; c++) {
        scant_i_guess guess;
        scant_i_facts_guess(&guess, &facts[c], names[c], decimal, separator);
        SCANT_I_TRY(describe(types, c, names[c], &facts[c], &guess));
    }
    SCANT_I_TRY(SCANT_I_NEW(&types->word, types->words.count + 1));
    for (size_t w = 0; w < types->words.count; w++)
        types->word[w] = scant_i_names_text(&types->words, w);
done:
    return status;
}

/* --- CSV --- */

typedef struct survey {
    scant_i_csv *csv;
    scant_i_facts *facts;
    size_t nrows, ragged, torn, first_ragged, first_torn;
} survey;

static bool is_blank_line(const char *at)
{
    while (*at == ' ' || *at == '\r' || *at == '\t')
        at++;
    return *at == '\n';
}

static bool means_missing(const scant_read_options *o, const scant_i_csv_cell *cell)
{
    for (size_t k = 0; k < o->nmissing_values; k++)
        if (strlen(o->missing_values[k]) == cell->length &&
            memcmp(o->missing_values[k], cell->text, cell->length) == 0)
            return true;
    return false;
}

/* A column of plain numbers with more values than are kept has little left to find out. */
static bool add_plainly(scant_i_facts *facts, char **at, char separator)
{
    double value;
    if (!facts->full || facts->plain < facts->count || facts->either_point || facts->compact)
        return false;
    const char *end = scant_i_number_scan(&value, *at);
    if (!end || (*end != separator && *end != '\n') || !memchr(*at, '.', (size_t)(end - *at)))
        return false;
    facts->count++;
    facts->numbers++;
    facts->plain++;
    facts->negative += value < 0;
    facts->stepped = false;
    for (size_t r = 0; r < SCANT_I_READINGS; r++) {
        facts->whole[r] += value == floor(value);
        facts->least[r] = fmin(facts->least[r], value);
        facts->most[r] = fmax(facts->most[r], value);
    }
    *at += end - *at;
    return true;
}

static scant_status survey_record(survey *s, char **record, size_t *line)
{
    scant_i_csv *csv = s->csv;
    size_t field = 0, first_line = *line;
    char *at = *record;
    for (bool more = true; more; field++) {
        scant_i_csv_cell cell = {.text = at};
        if (field >= csv->nfields || !add_plainly(&s->facts[field], &at, csv->separator)) {
            cell = scant_i_csv_take(at, csv->separator);
            if (cell.torn && s->torn++ == 0)
                s->first_torn = *line;
            *line += cell.newlines;
            at = cell.after;
            scant_status status = SCANT_OK;
            if (field < csv->nfields && means_missing(csv->options, &cell))
                s->facts[field].missing++;
            else if (field < csv->nfields)
                status = scant_i_facts_add(&s->facts[field], cell.text, cell.length);
            if (status != SCANT_OK)
                return status;
        }
        more = *at != '\n';
        at++;
    }
    if (field != csv->nfields && s->ragged++ == 0)
        s->first_ragged = first_line;
    for (; field < csv->nfields; field++)
        s->facts[field].missing++;
    s->nrows++;
    ++*line;
    *record = at;
    return SCANT_OK;
}

static scant_status survey_chunk(survey *s, bool *broken)
{
    scant_status status = SCANT_OK;
    scant_i_csv *csv = s->csv;
    size_t taken = 0;
    *broken = scant_i_csv_cut(csv, &taken) != SCANT_OK;
    for (size_t k = 0; k < csv->npieces; k++) {
        size_t line = csv->pieces[k].line;
        for (char *at = csv->pieces[k].begin; at < csv->pieces[k].end;) {
            if (is_blank_line(at)) {
                at = (char *)memchr(at, '\n', (size_t)(csv->pieces[k].end - at)) + 1;
                line++;
                continue;
            }
            SCANT_I_TRY(survey_record(s, &at, &line));
        }
    }
    scant_i_csv_drop(csv, taken);
    if (*broken)
        status = scant_i_csv_note(csv, "%s", scant_message());
done:
    return status;
}

static scant_status survey_rows(survey *s)
{
    scant_status status = SCANT_OK;
    scant_i_csv *csv = s->csv;
    for (bool more = true, broken = false; more;) {
        SCANT_I_TRY(survey_chunk(s, &broken));
        if (scant_i_interrupted())
            return scant_i_fail_in(SCANT_ERR_INTERRUPTED, csv->file, "interrupted while reading");
        more = !csv->ended && !broken;
        if (more)
            SCANT_I_TRY(scant_i_csv_fill(csv));
    }
    if (s->ragged)
        SCANT_I_TRY(
            scant_i_csv_note(csv,
                             "%zu row%s ha%s more or fewer fields than the header's %zu, the first "
                             "on line %zu; a fit refuses them",
                             s->ragged, s->ragged == 1 ? "" : "s", s->ragged == 1 ? "s" : "ve",
                             csv->nfields, s->first_ragged));
    if (s->torn)
        SCANT_I_TRY(scant_i_csv_note(
            csv, "text behind a closing quote on line %zu; a fit refuses it", s->first_torn));
done:
    return status;
}

scant_status scant_i_types_of_csv(scant_types **out, scant_i_source *source,
                                  const scant_read_options *options)
{
    scant_status status = SCANT_OK;
    scant_types *types = NULL;
    survey s = {.nrows = 0};
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&types, 1));
    SCANT_I_TRY(scant_i_csv_open(&s.csv, source, options, &types->notes));
    types->count = s.csv->nfields;
    SCANT_I_TRY(SCANT_I_NEW(&s.facts, types->count));
    SCANT_I_TRY(survey_rows(&s));
    types->nrows = s.nrows;
    SCANT_I_TRY(list(types, s.facts, s.csv->names, options->decimal, s.csv->separator));
    *out = types;
    types = NULL;
done:
    for (size_t c = 0; s.facts && c < s.csv->nfields; c++)
        scant_i_facts_free(&s.facts[c]);
    scant_i_free(s.facts);
    scant_i_csv_free(s.csv);
    scant_types_free(types);
    return status;
}

/* --- rows --- */

scant_status scant_i_types_of_rows(scant_types **out, const scant_rows *rows)
{
    scant_status status = SCANT_OK;
    scant_types *types = NULL;
    scant_i_facts *facts = NULL;
    const char **names = NULL;
    size_t n = rows->nrows, d = scant_rows_is_sparse(rows) ? 0 : rows->ncolumns;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&types, 1));
    types->count = d;
    types->nrows = n;
    SCANT_I_TRY(SCANT_I_NEW(&facts, d));
    SCANT_I_TRY(SCANT_I_NEW(&names, d));
    for (size_t c = 0; c < d; c++) {
        names[c] = scant_rows_column_name(rows, c);
        for (size_t i = 0; i < n; i++) {
            char text[SCANT_I_NUMBER_TEXT];
            size_t length = scant_i_number_format(text, scant_rows_value(rows, i, c));
            SCANT_I_TRY(scant_i_facts_add(&facts[c], text, length));
        }
    }
    SCANT_I_TRY(list(types, facts, names, '.', ','));
    *out = types;
    types = NULL;
done:
    for (size_t c = 0; facts && c < d; c++)
        scant_i_facts_free(&facts[c]);
    scant_i_free(facts);
    scant_i_free(names);
    scant_types_free(types);
    return status;
}
