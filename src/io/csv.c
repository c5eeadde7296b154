/* The CSV reader: chunks, the joining of pieces, and the finished rows. */
#include "io/csv.h"

#include <math.h>
#include <string.h>
#include "data/terms.h"
#include "data/types.h"

/* --- rows as they come --- */

static bool has_role(const scant_i_csv *csv, scant_i_role role)
{
    for (size_t f = 0; f < csv->nfields; f++)
        if (csv->plan.fields[f].role == role)
            return true;
    return false;
}

/* Room for `more` rows behind those there are; arrays that no column needs stay NULL. */
static scant_status reserve(scant_i_csv *csv, size_t more)
{
    scant_status status = SCANT_OK;
    scant_rows *rows = csv->rows;
    size_t width = csv->plan.ncolumns, cells = 0;
    if (more > csv->piece_line_room) {
        SCANT_I_TRY(scant_i_resize(&csv->piece_line, more, sizeof *csv->piece_line));
        csv->piece_line_room = more;
    }
    if (rows->nrows + more <= csv->rows_room)
        return SCANT_OK;
    size_t room = scant_i_max(rows->nrows + more, csv->rows_room + csv->rows_room / 2);
    if (__builtin_mul_overflow(room, width, &cells))
        return scant_i_fail(SCANT_ERR_MEMORY, "out of memory: %zu x %zu cells", room, width);
    SCANT_I_TRY(scant_i_resize(&rows->dense, cells, sizeof *rows->dense));
    if (has_role(csv, SCANT_I_WEIGHT))
        SCANT_I_TRY(scant_i_resize(&rows->weight, room, sizeof *rows->weight));
    if (has_role(csv, SCANT_I_LABEL))
        SCANT_I_TRY(scant_i_resize(&csv->label, room, sizeof *csv->label));
    if (has_role(csv, SCANT_I_GROUP))
        SCANT_I_TRY(scant_i_resize(&rows->group, room, sizeof *rows->group));
    if (has_role(csv, SCANT_I_TIME))
        SCANT_I_TRY(scant_i_resize(&rows->time, room, sizeof *rows->time));
    if (has_role(csv, SCANT_I_ID))
        SCANT_I_TRY(scant_i_resize(&csv->id, room, sizeof *csv->id));
    csv->rows_room = room;
done:
    return status;
}

/* --- joining --- */

/* Pieces had room for as many rows as they have lines; blank lines leave gaps, which are closed. */
static void close_gap(scant_i_csv *csv, const scant_i_csv_piece *piece)
{
    scant_rows *rows = csv->rows;
    size_t to = rows->nrows, from = piece->first, n = piece->nrows, width = csv->plan.ncolumns;
    if (to == from || n == 0)
        return;
    memmove(rows->dense + to * width, rows->dense + from * width, n * width * sizeof(double));
    if (rows->weight)
        memmove(rows->weight + to, rows->weight + from, n * sizeof *rows->weight);
    if (csv->label)
        memmove(csv->label + to, csv->label + from, n * sizeof *csv->label);
    if (rows->group)
        memmove(rows->group + to, rows->group + from, n * sizeof *rows->group);
    if (rows->time)
        memmove(rows->time + to, rows->time + from, n * sizeof *rows->time);
    if (csv->id)
        memmove(csv->id + to, csv->id + from, n * sizeof *csv->id);
}

/* The piece's codes of one field become the file's; rows are already in their place. */
static scant_status join_texts(scant_i_csv *csv, const scant_i_csv_piece *piece, size_t field)
{
    scant_status status = SCANT_OK;
    const scant_i_field *plan = &csv->plan.fields[field];
    const scant_i_names *mine = &piece->names[csv->text_of[field]];
    scant_i_names *all = &csv->texts[csv->text_of[field]];
    int32_t *map = NULL;
    size_t begin = csv->rows->nrows, end = begin + piece->nrows;
    SCANT_I_TRY(SCANT_I_NEW(&map, mine->count + 1));
    for (size_t t = 0; t < mine->count; t++) {
        const char *text = scant_i_names_text(mine, t);
        SCANT_I_TRY(scant_i_names_add(&map[t], all, text, strlen(text)));
    }
    if (plan->role == SCANT_I_FEATURE) {
        for (size_t i = begin; i < end; i++) {
            double *cell = &csv->rows->dense[i * csv->plan.ncolumns + plan->target];
            if (!isnan(*cell))
                *cell = map[(size_t)*cell];
        }
    } else {
        int32_t *code = plan->role == SCANT_I_LABEL ? csv->label : csv->rows->group;
        for (size_t i = begin; i < end; i++)
            code[i] = code[i] < 0 ? -1 : map[code[i]];
    }
done:
    scant_i_free(map);
    return status;
}

static scant_status join_bytes(scant_i_csv_bytes *all, const scant_i_csv_bytes *some)
{
    scant_status status = SCANT_OK;
    if (all->room - all->used < some->used) {
        size_t room = scant_i_max(all->room + all->room / 2, all->used + some->used);
        SCANT_I_TRY(scant_i_resize(&all->text, room, 1));
        all->room = room;
    }
    if (some->used)
        memcpy(all->text + all->used, some->text, some->used);
    all->used += some->used;
done:
    return status;
}

static scant_status join_ids(scant_i_csv *csv, const scant_i_csv_piece *piece)
{
    for (size_t i = csv->rows->nrows; i < csv->rows->nrows + piece->nrows; i++)
        csv->id[i] += csv->ids.used;
    return join_bytes(&csv->ids, &piece->ids);
}

/* Lines are kept only from the first row on that is not on the line after the one before it. */
static scant_status join_lines(scant_i_csv *csv, const scant_i_csv_piece *piece,
                               const size_t *lines)
{
    scant_status status = SCANT_OK;
    scant_rows *rows = csv->rows;
    size_t n = piece->nrows, begin = rows->nrows;
    if (begin == 0 && n > 0)
        rows->first_line = lines[0];
    bool regular = !rows->line;
    for (size_t i = 0; i < n && regular; i++)
        regular = lines[i] == rows->first_line + begin + i;
    if (regular)
        return SCANT_OK;
    bool fresh = !rows->line;
    SCANT_I_TRY(scant_i_resize(&rows->line, csv->rows_room, sizeof *rows->line));
    for (size_t i = 0; i < begin && fresh; i++)
        rows->line[i] = rows->first_line + i;
    memcpy(rows->line + begin, lines, n * sizeof *lines);
done:
    return status;
}

static scant_status join(scant_i_csv *csv)
{
    scant_status status = SCANT_OK;
    size_t base = csv->rows->nrows;
    for (size_t k = 0; k < csv->npieces; k++) {
        const scant_i_csv_piece *piece = &csv->pieces[k];
        const size_t *lines = csv->piece_line + (piece->first - base);
        close_gap(csv, piece);
        for (size_t f = 0; f < csv->nfields && csv->ntexts; f++) {
            const scant_i_field *field = &csv->plan.fields[f];
            if (field->role == SCANT_I_LABEL || field->role == SCANT_I_GROUP ||
                (field->role == SCANT_I_FEATURE && field->kind == SCANT_I_CATEGORY))
                SCANT_I_TRY(join_texts(csv, piece, f));
        }
        if (csv->id)
            SCANT_I_TRY(join_ids(csv, piece));
        if (csv->plan.nwords)
            SCANT_I_TRY(join_bytes(&csv->words, &piece->words));
        SCANT_I_TRY(join_lines(csv, piece, lines));
        csv->rows->nrows += piece->nrows;
    }
done:
    return status;
}

/* --- the loop over chunks --- */

static scant_status read_chunk(scant_i_csv *csv)
{
    scant_status status = SCANT_OK;
    size_t taken = 0, most = 0;
    SCANT_I_TRY(scant_i_csv_cut(csv, &taken));
    for (size_t k = 0; k < csv->npieces; k++) {
        csv->pieces[k].first = csv->rows->nrows + most;
        most += csv->pieces[k].most;
    }
    if (most > 0) {
        SCANT_I_TRY(reserve(csv, most));
        SCANT_I_TRY(scant_i_parallel(csv->options->threads, csv->npieces, scant_i_csv_parse, csv));
        SCANT_I_TRY(join(csv));
    }
    scant_i_csv_drop(csv, taken);
done:
    return status;
}

static scant_status read_rows(scant_i_csv *csv)
{
    scant_status status = SCANT_OK;
    for (bool more = true; more;) {
        SCANT_I_TRY(read_chunk(csv));
        if (scant_i_interrupted()) {
            status = scant_i_fail_in(SCANT_ERR_INTERRUPTED, csv->file, "interrupted while reading");
            goto done;
        }
        more = !csv->ended;
        if (more)
            SCANT_I_TRY(scant_i_csv_fill(csv));
    }
    if (csv->rows->nrows == 0)
        status = scant_i_fail_in(SCANT_ERR_INPUT, csv->file, "there is a header but no row");
done:
    return status;
}

/* --- finishing --- */

static scant_status texts_of(const char ***out, const scant_i_names *names)
{
    scant_status status = SCANT_I_NEW(out, names->count + 1);
    for (size_t t = 0; t < names->count && status == SCANT_OK; t++)
        (*out)[t] = scant_i_names_text(names, t);
    return status;
}

static scant_status finish_texts(scant_i_csv *csv, size_t field)
{
    scant_status status = SCANT_OK;
    const scant_i_field *plan = &csv->plan.fields[field];
    const scant_i_names *names = &csv->texts[csv->text_of[field]];
    const scant_schema *schema = csv->options->schema;
    const double *weight = csv->options->keep_weightless ? NULL : csv->rows->weight;
    const char **text = NULL;
    SCANT_I_TRY(texts_of(&text, names));
    if (plan->role == SCANT_I_GROUP)
        csv->rows->ngroups = names->count;
    else if (plan->role == SCANT_I_FEATURE)
        SCANT_I_TRY(
            scant_i_plan_levels(csv->rows, plan->target, text, names->count, csv->options, weight));
    else
        SCANT_I_TRY(scant_i_labels_resolve(
            csv->rows, csv->label, text, names->count, schema ? schema->classes : NULL,
            schema ? schema->nclasses : 0, csv->options->missing_label, weight));
done:
    scant_i_free(text);
    return status;
}

/* Texts without a word that counts are no features. */
static void forget_words(scant_rows *rows)
{
    scant_i_reading *r = &rows->reading;
    size_t kept = 0;
    scant_i_log(SCANT_LOG_WARNING, "%s: the texts have no words in common and are left out",
                rows->source);
    for (size_t t = 0; t < r->ntypes; t++) {
        scant_i_type type;
        size_t length;
        if (scant_i_type_read(&type, &length, r->types[t]) == SCANT_OK &&
            type.kind == SCANT_KIND_TEXT)
            scant_i_free(r->types[t]);
        else
            r->types[kept++] = r->types[t];
    }
    r->ntypes = kept;
    scant_i_free(rows->text.start);
    scant_i_free(rows->text.column);
    scant_i_free(rows->text.value);
    rows->text = (scant_i_csr){0};
}

/* Counts of words in addition to the columns; without columns they are the columns. */
static scant_status finish_words(scant_i_csv *csv)
{
    scant_status status = SCANT_OK;
    const scant_schema *schema = csv->options->schema;
    scant_i_terms_plan how = {.ntexts = csv->plan.nwords,
                              .min_count = csv->options->text_min_count};
    SCANT_I_TRY(SCANT_I_NEW(&how.text, how.ntexts));
    for (size_t f = 0, t = 0; f < csv->nfields; f++)
        if (csv->plan.fields[f].role == SCANT_I_FEATURE &&
            csv->plan.fields[f].type.kind == SCANT_KIND_TEXT)
            how.text[t++] = (scant_i_terms_text){csv->names[f], csv->plan.fields[f].type.shortest,
                                                 csv->plan.fields[f].type.longest};
    if (schema) {
        how.known = schema->nterms ? schema->terms : schema->names;
        how.nknown = schema->nterms ? schema->nterms : schema->ncolumns;
    }
    SCANT_I_TRY(scant_i_rows_add_words(csv->rows, csv->words.text, &how));
    if (csv->plan.ncolumns == 0)
        SCANT_I_TRY(scant_i_rows_words_alone(csv->rows));
    else if (!schema && csv->rows->ntext_terms == 0)
        forget_words(csv->rows);
done:
    scant_i_free(how.text);
    return status;
}

static scant_status finish(scant_i_csv *csv)
{
    scant_status status = SCANT_OK;
    scant_rows *rows = csv->rows;
    SCANT_I_TRY(scant_i_resize(&rows->dense, rows->nrows * rows->ncolumns, sizeof *rows->dense));
    for (size_t c = 0; c < rows->ncolumns; c++)
        for (size_t i = 0; csv->plan.source[c] == SIZE_MAX && i < rows->nrows; i++)
            rows->dense[i * rows->ncolumns + c] = NAN; /* a column that was allowed to be absent */
    if (csv->id) {
        char *ids = csv->ids.text;
        csv->ids = (scant_i_csv_bytes){0};
        SCANT_I_TRY(scant_i_rows_set_ids(rows, ids, csv->id));
    }
    for (size_t f = 0; f < csv->nfields && csv->ntexts; f++) {
        const scant_i_field *field = &csv->plan.fields[f];
        if (field->role == SCANT_I_LABEL || field->role == SCANT_I_GROUP ||
            (field->role == SCANT_I_FEATURE && field->kind == SCANT_I_CATEGORY))
            SCANT_I_TRY(finish_texts(csv, f));
    }
    if (csv->plan.nwords)
        SCANT_I_TRY(finish_words(csv));
done:
    return status;
}

void scant_i_csv_free(scant_i_csv *csv)
{
    if (!csv)
        return;
    for (size_t k = 0; k < SCANT_I_CSV_PIECES; k++) {
        for (size_t t = 0; csv->pieces[k].names && t < csv->ntexts; t++)
            scant_i_names_free(&csv->pieces[k].names[t]);
        scant_i_free(csv->pieces[k].names);
        scant_i_free(csv->pieces[k].ids.text);
        scant_i_free(csv->pieces[k].words.text);
    }
    for (size_t t = 0; csv->texts && t < csv->ntexts; t++)
        scant_i_names_free(&csv->texts[t]);
    scant_i_free(csv->texts);
    scant_i_free(csv->text_of);
    scant_i_free(csv->buffer);
    scant_i_names_free(&csv->header);
    scant_i_free(csv->copies);
    scant_i_free(csv->names);
    scant_i_plan_free(&csv->plan);
    scant_i_free(csv->label);
    scant_i_free(csv->id);
    scant_i_free(csv->ids.text);
    scant_i_free(csv->words.text);
    scant_i_free(csv->piece_line);
    scant_i_free(csv);
}

scant_status scant_i_csv_open(scant_i_csv **out, scant_i_source *source,
                              const scant_read_options *options, scant_i_names *notes)
{
    scant_status status = SCANT_OK;
    scant_i_csv *csv = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&csv, 1));
    csv->source = source;
    csv->file = scant_i_source_name(source);
    csv->options = options;
    csv->line = 1;
    csv->notes = notes;
    SCANT_I_TRY(scant_i_source_decode(source));
    if (scant_i_source_is_utf16(source))
        SCANT_I_TRY(scant_i_csv_note(csv, "UTF-16"));
    SCANT_I_TRY(scant_i_csv_header(csv));
    *out = csv;
    csv = NULL;
done:
    scant_i_csv_free(csv);
    return status;
}

scant_status scant_i_csv_new(scant_i_csv **out, scant_i_source *source,
                             const scant_read_options *options)
{
    scant_status status = scant_i_csv_open(out, source, options, NULL);
    if (status == SCANT_OK)
        status = scant_i_csv_plan(*out);
    if (status != SCANT_OK) {
        scant_i_csv_free(*out);
        *out = NULL;
    }
    return status;
}

/* Rows without any row yet, with the columns of the header. */
static scant_status empty_rows(scant_rows **out, const scant_i_csv *csv)
{
    scant_status status = scant_i_rows_new(out, 0, csv->plan.ncolumns);
    if (status != SCANT_OK)
        return status;
    (*out)->source = scant_i_strdup(csv->file);
    return (*out)->source ? scant_i_plan_columns(*out, &csv->plan, csv->names, csv->options)
                          : SCANT_ERR_MEMORY;
}

static scant_status read(scant_rows **out, scant_i_source *source,
                         const scant_read_options *options)
{
    scant_status status = SCANT_OK;
    scant_i_csv *csv = NULL;
    scant_rows *rows = NULL;
    *out = NULL;
    SCANT_I_TRY(scant_i_csv_new(&csv, source, options));
    SCANT_I_TRY(empty_rows(&rows, csv));
    csv->rows = rows;
    SCANT_I_TRY(read_rows(csv));
    SCANT_I_TRY(finish(csv));
    *out = rows;
    rows = NULL;
done:
    scant_rows_free(rows);
    scant_i_csv_free(csv);
    return status;
}

/* What the last record left is of no use to this one. */
static void forget_rows(scant_i_csv *csv)
{
    for (size_t t = 0; t < csv->ntexts; t++)
        scant_i_names_clear(&csv->texts[t]);
    scant_i_free(csv->ids.text);
    csv->ids = (scant_i_csv_bytes){0};
    csv->words.used = 0;
    csv->rows_room = 0;
}

scant_status scant_i_csv_one(scant_rows **out, scant_i_csv *csv, char *begin, char *end,
                             size_t line)
{
    scant_status status = SCANT_OK;
    scant_rows *rows = NULL;
    scant_i_csv_piece *piece = &csv->pieces[0];
    *out = NULL;
    if (scant_i_csv_record(begin, end, csv->separator) != end)
        return scant_i_fail_at(SCANT_ERR_INPUT, csv->file, line,
                               scant_i_csv_open_field(begin, end, csv->separator),
                               "a quote is opened and not closed");
    forget_rows(csv);
    SCANT_I_TRY(empty_rows(&rows, csv));
    csv->rows = rows;
    piece->begin = begin;
    piece->end = end;
    piece->line = line;
    piece->most = 1;
    piece->first = 0;
    csv->npieces = 1;
    SCANT_I_TRY(reserve(csv, 1));
    SCANT_I_TRY(scant_i_csv_parse(0, 0, csv));
    if (piece->nrows == 0) /* a blank line */
        goto done;
    SCANT_I_TRY(join(csv));
    SCANT_I_TRY(finish(csv));
    *out = rows;
    rows = NULL;
done:
    scant_rows_free(rows);
    return status;
}

static const char *const endings[] = {".csv", ".tsv", ".txt", ".dat", NULL};
const scant_i_file_format scant_i_format_csv = {
    .name = "CSV", .endings = endings, .read = read, .write = scant_i_csv_write};
