/* Finding the format of a file, and the public calls that read, write and convert. */
#include "io/format.h"

#include <string.h>
#include <strings.h>

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
        scant_read_options how = {.probabilities = true, .threads = options->threads};
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
    static const scant_read_options usual = {0};
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
    if (status != SCANT_OK) {
        scant_rows_free(*out);
        *out = NULL;
    }
    return status;
}

scant_status scant_rows_read(scant_rows **out, const char *path, const scant_read_options *options)
{
    scant_status status = SCANT_OK;
    scant_i_source *source = NULL;
    const scant_i_file_format *format = NULL;
    *out = NULL;
    SCANT_I_TRY(scant_i_source_open(&source, path));
    SCANT_I_TRY(find_format(&format, path, source));
    SCANT_I_TRY(scant_i_rows_read_source(out, source, format, options));
done:
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
