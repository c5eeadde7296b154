/* Finding the format of a file, and the public calls that read, write and convert. */
#include "io/format.h"
#include "io/column_types.h"
#include "io/options.h"

#include <string.h>
#include <strings.h>
#include "data/names.h"
#include "data/sequence.h"

/* CSV is last: it is what a file is taken for when nothing else is known. */
static const scant_i_file_format *const formats[] = {
    &scant_i_format_npy,  &scant_i_format_svmlight, &scant_i_format_matrix_market,
    &scant_i_format_hdf5, &scant_i_format_tns,      &scant_i_format_csv};
enum { NFORMATS = sizeof formats / sizeof *formats };

/* Where the name's ending starts, `.gz` left aside, and the length of the name without it. */
static size_t plain_length(const char *path)
{
    return strlen(path) - (scant_i_names_gzip(path) ? 3 : 0);
}

static const scant_i_file_format *by_ending(const char *path)
{
    size_t length = plain_length(path);
    for (size_t k = 0; k < NFORMATS; k++) {
        for (const char *const *ending = formats[k]->endings; *ending; ending++) {
            size_t n = strlen(*ending);
            if (length > n && strncasecmp(path + length - n, *ending, n) == 0)
                return formats[k];
        }
    }
    return NULL;
}

static scant_status find_format(const scant_i_file_format **out, const char *path,
                                scant_i_source *source)
{
    const unsigned char *head = NULL;
    size_t n = 0;
    scant_status status = scant_i_source_peek(source, &head, &n);
    if (status != SCANT_OK)
        return status;
    *out = NULL;
    for (size_t k = 0; k < NFORMATS && !*out; k++)
        if (formats[k]->sniff && formats[k]->sniff(head, n))
            *out = formats[k];
    if (!*out && strcmp(path, "-") != 0)
        *out = by_ending(path);
    if (!*out)
        *out = &scant_i_format_csv;
    scant_i_log(SCANT_LOG_DETAIL, "%s: read as %s", path, (*out)->name);
    return SCANT_OK;
}

scant_status scant_i_rows_take_context(scant_rows *rows, const scant_read_options *options)
{
    scant_status status = SCANT_OK;
    scant_rows *table = NULL;
    const scant_schema *schema = options->schema;
    if (options->context_file) {
        scant_read_options how = {
            .size = sizeof how, .probabilities = true, .threads = options->threads};
        SCANT_I_TRY(scant_rows_read(&table, options->context_file, &how));
    } else if (rows->ncontext) {
        SCANT_I_TRY(scant_i_rows_split(&table, rows, rows->ncolumns - rows->ncontext));
        rows->ncontext = 0;
    }
    if (table)
        SCANT_I_TRY(scant_rows_set_context(rows, table, schema ? schema->classes : NULL,
                                           schema ? schema->nclasses : 0, options->label_is_truth));
    if (options->context_prior)
        SCANT_I_TRY(scant_rows_set_context_prior(rows, options->context_prior));
done:
    scant_rows_free(table);
    return status;
}

/* What is for one format alone says that the file is thought to be of it. */
static scant_status check_options(const char *file, const scant_i_file_format *format,
                                  const scant_read_options *options)
{
    if (options->dataset && format != &scant_i_format_hdf5)
        return scant_i_fail_in(SCANT_ERR_ARGUMENT, file,
                               "--dataset %s: the file is read as %s and has no data sets",
                               options->dataset, format->name);
    if (options->separator && format != &scant_i_format_csv)
        return scant_i_fail_in(SCANT_ERR_ARGUMENT, file,
                               "--separator: the file is read as %s and has none", format->name);
    return SCANT_OK;
}

scant_status scant_i_rows_read_source(scant_rows **out, scant_i_source *source,
                                      const scant_i_file_format *format,
                                      const scant_read_options *options)
{
    static const scant_read_options usual = {.size = sizeof usual};
    *out = NULL;
    if (!format->read)
        return scant_i_fail_in(SCANT_ERR_INPUT, scant_i_source_name(source),
                               "%s holds a tensor, not rows", format->name);
    options = options ? options : &usual;
    scant_status status = check_options(scant_i_source_name(source), format, options);
    if (status == SCANT_OK)
        status = format->read(out, source, options);
    if (status == SCANT_OK)
        status = scant_i_rows_take_context(*out, options);
    if (status == SCANT_OK)
        status = scant_i_rows_take_sequences(*out, options->sequence != NULL);
    if (status != SCANT_OK) {
        scant_rows_free(*out);
        *out = NULL;
    }
    return status;
}

/* --- guesses --- */

static bool guesses_nothing(const scant_read_options *options)
{
    return options->ntypes == 1 && strcmp(options->types[0], "none") == 0;
}

static bool has_role(const char *name, const scant_read_options *o)
{
    const char *const role[] = {o->label, o->weight, o->id, o->group, o->sequence, o->time};
    for (size_t k = 0; k < sizeof role / sizeof *role; k++)
        if (role[k] && strcmp(role[k], name) == 0)
            return true;
    for (size_t k = 0; k < o->nignore; k++)
        if (scant_i_matches(o->ignore[k], name))
            return true;
    return false;
}

static bool is_dropped(const scant_type *type)
{
    return type->kind == SCANT_KIND_IDENTIFIER || type->kind == SCANT_KIND_CONSTANT;
}

/* Are there other features than columns that guesses leave out? */
static bool has_feature(const scant_types *types, const scant_read_options *options)
{
    for (size_t c = 0; c < scant_types_count(types); c++) {
        const scant_type *type = scant_types_at(types, c);
        if (!is_dropped(type) && !has_role(type->name, options))
            return true;
    }
    return false;
}

/* Features that are named one by one are wanted whatever they look like, and so is the only one. */
static scant_status wanted_type(char **out, const scant_type *type,
                                const scant_read_options *options, bool alone)
{
    bool wanted = alone, number = type->most == type->most;
    for (size_t k = 0; k < options->nfeatures; k++)
        wanted = wanted || strcmp(options->features[k], type->name) == 0;
    bool stays = options->numbers_stay && number &&
                 (type->kind == SCANT_KIND_CONSTANT || type->kind == SCANT_KIND_CATEGORY ||
                  type->kind == SCANT_KIND_BINARY);
    if ((wanted && is_dropped(type)) || stays)
        *out = scant_i_format("%s=%s", type->name, number ? "number" : "category");
    else
        *out = scant_i_strdup(type->as_option);
    return *out ? SCANT_OK : SCANT_ERR_MEMORY;
}

static void tell_left_out(const char *file, const scant_types *types,
                          const scant_read_options *options)
{
    size_t told = 0, all = 0;
    enum { MOST_TOLD = 8 };
    for (size_t c = 0; c < scant_types_count(types); c++) {
        const scant_type *type = scant_types_at(types, c);
        if (!is_dropped(type) || !has_feature(types, options) ||
            (options->numbers_stay && type->kind == SCANT_KIND_CONSTANT) ||
            has_role(type->name, options) || options->nfeatures)
            continue;
        all++;
        if (told++ < MOST_TOLD)
            scant_i_log(
                SCANT_LOG_WARNING,
                "%s: column '%s' is left out: %s (%s); --types '%s=number' or the like keeps it",
                file, type->name, scant_kind_name(type->kind), type->reason, type->name);
    }
    if (all > MOST_TOLD)
        scant_i_log(SCANT_LOG_WARNING, "%s: %zu columns in all are left out", file, all);
    for (size_t k = 0; k < scant_types_notes(types); k++)
        if (strstr(scant_types_note(types, k), "read as missing"))
            scant_i_log(SCANT_LOG_WARNING, "%s: %s", file, scant_types_note(types, k));
}

/* The guesses as options: those of the caller come behind them and count more. */
static scant_status add_guesses(char ***out, size_t *n, const scant_types *types,
                                const scant_read_options *options)
{
    scant_status status = SCANT_OK;
    size_t count = scant_types_count(types);
    bool alone = !has_feature(types, options);
    SCANT_I_TRY(SCANT_I_NEW(out, count + options->ntypes));
    for (; *n < count; ++*n)
        SCANT_I_TRY(wanted_type(&(*out)[*n], scant_types_at(types, *n), options, alone));
    for (size_t k = 0; k < options->ntypes; k++, ++*n)
        if (!((*out)[*n] = scant_i_strdup(options->types[k])))
            return SCANT_ERR_MEMORY;
done:
    return status;
}

/* The file again from its beginning: a pipe gives its bytes once, so they are kept. */
static scant_status survey(scant_types **types, scant_i_source **source, unsigned char **kept,
                           const char *path, const scant_read_options *options)
{
    scant_status status = SCANT_OK;
    scant_i_source *again = NULL;
    size_t n = 0;
    char *name = scant_i_strdup(scant_i_source_name(*source));
    if (!name)
        return SCANT_ERR_MEMORY;
    bool twice = scant_i_source_is_file(*source);
    if (!twice) {
        SCANT_I_TRY(scant_i_source_slurp(*source, kept, &n));
        scant_i_source_free(*source);
        *source = NULL;
        SCANT_I_TRY(scant_i_source_memory(source, *kept, n, name));
    }
    SCANT_I_TRY(scant_i_types_of_csv(types, *source, options));
    SCANT_I_TRY(twice ? scant_i_source_open(&again, path)
                      : scant_i_source_memory(&again, *kept, n, name));
    scant_i_source_free(*source);
    *source = again;
    tell_left_out(name, *types, options);
done:
    scant_i_free(name);
    return status;
}

static scant_status read_guessing(scant_rows **out, scant_i_source **source, const char *path,
                                  const scant_read_options *options)
{
    scant_status status = SCANT_OK;
    scant_types *types = NULL;
    unsigned char *kept = NULL;
    char **list = NULL;
    size_t n = 0, nwords = 0;
    const char *const *words = NULL;
    const char **missing = NULL;
    scant_read_options how = *options;
    SCANT_I_TRY(survey(&types, source, &kept, path, options));
    SCANT_I_TRY(add_guesses(&list, &n, types, options));
    nwords = scant_i_types_words(types, &words);
    SCANT_I_TRY(SCANT_I_NEW(&missing, options->nmissing_values + nwords));
    for (size_t k = 0; k < options->nmissing_values; k++)
        missing[k] = options->missing_values[k];
    for (size_t k = 0; k < nwords; k++)
        missing[options->nmissing_values + k] = words[k];
    how.types = (const char *const *)list;
    how.ntypes = n;
    how.missing_values = missing;
    how.nmissing_values = options->nmissing_values + nwords;
    SCANT_I_TRY(scant_i_rows_read_source(out, *source, &scant_i_format_csv, &how));
done:
    for (size_t k = 0; k < n; k++)
        scant_i_free(list[k]);
    scant_i_free(list);
    scant_i_free(missing);
    scant_i_free(kept);
    scant_types_free(types);
    return status;
}

scant_status scant_rows_read(scant_rows **out, const char *path, const scant_read_options *options)
{
    scant_status status = SCANT_OK;
    scant_i_source *source = NULL;
    const scant_i_file_format *format = NULL;
    scant_read_options how;
    *out = NULL;
    SCANT_I_TRY(scant_i_read_options_take(&how, options));
    SCANT_I_TRY(scant_i_source_open(&source, path));
    SCANT_I_TRY(find_format(&format, path, source));
    bool guess =
        how.guess && !how.schema && !guesses_nothing(&how) && format == &scant_i_format_csv;
    if (guesses_nothing(&how)) {
        how.ntypes = 0;
        how.guess = false;
    }
    SCANT_I_TRY(guess ? read_guessing(out, &source, path, &how)
                      : scant_i_rows_read_source(out, source, format, &how));
done:
    scant_i_source_free(source);
    return status;
}

scant_status scant_types_guess(scant_types **out, const char *path,
                               const scant_read_options *options)
{
    scant_status status = SCANT_OK;
    scant_i_source *source = NULL;
    const scant_i_file_format *format = NULL;
    scant_rows *rows = NULL;
    scant_read_options how;
    *out = NULL;
    SCANT_I_TRY(scant_i_read_options_take(&how, options));
    SCANT_I_TRY(scant_i_source_open(&source, path));
    SCANT_I_TRY(find_format(&format, path, source));
    if (format == &scant_i_format_csv) {
        SCANT_I_TRY(scant_i_types_of_csv(out, source, &how));
    } else {
        SCANT_I_TRY(scant_i_rows_read_source(&rows, source, format, &how));
        SCANT_I_TRY(scant_i_types_of_rows(out, rows));
    }
done:
    scant_rows_free(rows);
    scant_i_source_free(source);
    return status;
}

static scant_status format_to_write(const scant_i_file_format **out, const char *path, bool tensor)
{
    *out = strcmp(path, "-") == 0 ? &scant_i_format_csv : by_ending(path);
    if (!*out || !(tensor ? (*out)->write_tensor != NULL : (*out)->write != NULL))
        return scant_i_fail_in(SCANT_ERR_ARGUMENT, path, "cannot write %s by that name; use %s",
                               tensor ? "a tensor" : "rows",
                               tensor ? ".tns or .npy"
                                      : ".csv, .tsv, .npy, .svm, .svmlight, .mtx, .h5 or .hdf5");
    return SCANT_OK;
}

scant_status scant_rows_write(const scant_rows *rows, const char *path)
{
    scant_status status = SCANT_OK;
    scant_i_sink *sink = NULL;
    const scant_i_file_format *format = NULL;
    SCANT_I_TRY(format_to_write(&format, path, false));
    SCANT_I_TRY(scant_i_sink_open(&sink, path));
    scant_i_sink_heed_interrupts(sink);
    SCANT_I_TRY(format->write(rows, sink, path));
    SCANT_I_TRY(scant_i_sink_commit(sink));
done:
    scant_i_sink_free(sink);
    return status;
}

scant_status scant_i_tensor_read(scant_i_tensor **out, const char *path)
{
    scant_status status = SCANT_OK;
    scant_i_source *source = NULL;
    const scant_i_file_format *format = NULL;
    *out = NULL;
    SCANT_I_TRY(scant_i_source_open(&source, path));
    SCANT_I_TRY(find_format(&format, path, source));
    if (!format->read_tensor && !by_ending(path)) /* a name that says nothing */
        format = &scant_i_format_tns;
    if (!format->read_tensor) {
        status = scant_i_fail_in(SCANT_ERR_INPUT, path,
                                 "a tensor is read from .tns or .npy, not %s", format->name);
        goto done;
    }
    SCANT_I_TRY(format->read_tensor(out, source));
done:
    scant_i_source_free(source);
    return status;
}

scant_status scant_tensor_read(scant_tensor **out, const char *path)
{
    return scant_i_tensor_read(out, path);
}

scant_status scant_i_tensor_write(const scant_i_tensor *tensor, const char *path)
{
    scant_status status = SCANT_OK;
    scant_i_sink *sink = NULL;
    const scant_i_file_format *format = NULL;
    SCANT_I_TRY(format_to_write(&format, path, true));
    SCANT_I_TRY(scant_i_sink_open(&sink, path));
    scant_i_sink_heed_interrupts(sink);
    SCANT_I_TRY(format->write_tensor(tensor, sink));
    SCANT_I_TRY(scant_i_sink_commit(sink));
done:
    scant_i_sink_free(sink);
    return status;
}

scant_status scant_tensor_convert(const char *from, const char *to)
{
    scant_i_tensor *tensor = NULL;
    scant_status status = scant_i_tensor_read(&tensor, from);
    if (status == SCANT_OK)
        status = scant_i_tensor_write(tensor, to);
    scant_i_tensor_free(tensor);
    return status;
}
