/* NumPy's .npy, versions 1 to 3: a header that is a Python dict, then the numbers. */
#include "io/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MAGIC = 6,
    LONGEST_HEADER = 1 << 20, /* a header has a few dozen bytes */
    MOST_ORDER = 32,          /* NumPy's own limit */
    ALIGNMENT = 64,           /* of the data in the file */
    PART = 64 << 10           /* bytes converted at once; a multiple of every item's size */
};
static const unsigned char magic[MAGIC] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

typedef struct header {
    char kind; /* f, i, u or b */
    size_t bytes;
    bool fortran;
    size_t order, size[MOST_ORDER];
    size_t count; /* product of size */
} header;

static bool sniff(const unsigned char *head, size_t n)
{
    return n >= MAGIC && memcmp(head, magic, MAGIC) == 0;
}

/* --- the header --- */

/* Behind `'key':` and blanks, or NULL. */
static const char *value_of(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    if (!at)
        return NULL;
    at += strlen(key);
    at += strspn(at, " ");
    if (*at++ != ':')
        return NULL;
    return at + strspn(at, " ");
}

static bool parse_type(header *h, const char *at)
{
    char quote = *at++;
    if (quote != '\'' && quote != '"')
        return false;
    char order = *at++;
    if (order != '<' && order != '|' && order != '=')
        return false;
    h->kind = *at++;
    if (!h->kind)
        return false;
    h->bytes = 0;
    for (; *at >= '0' && *at <= '9' && h->bytes < 100; at++)
        h->bytes = h->bytes * 10 + (size_t)(*at - '0');
    if (*at != quote)
        return false;
    bool power = h->bytes == 1 || h->bytes == 2 || h->bytes == 4 || h->bytes == 8;
    switch (h->kind) {
    case 'f': return h->bytes == 4 || h->bytes == 8;
    case 'i':
    case 'u': return power;
    case 'b': return h->bytes == 1;
    default: return false;
    }
}

static bool parse_shape(header *h, const char *at)
{
    if (*at++ != '(')
        return false;
    h->count = 1;
    for (h->order = 0;; h->order++) {
        at += strspn(at, " ,");
        if (*at == ')')
            return true;
        if (h->order == MOST_ORDER || *at < '0' || *at > '9')
            return false;
        size_t size = 0;
        for (; *at >= '0' && *at <= '9'; at++)
            if (__builtin_mul_overflow(size, 10, &size) ||
                __builtin_add_overflow(size, (size_t)(*at - '0'), &size))
                return false;
        h->size[h->order] = size;
        if (__builtin_mul_overflow(h->count, size, &h->count))
            return false;
    }
}

static scant_status parse_header(header *h, const char *text, const char *file)
{
    const char *type = value_of(text, "'descr'"), *fortran = value_of(text, "'fortran_order'"),
               *shape = value_of(text, "'shape'");
    if (!type || !fortran || !shape)
        return scant_i_fail_in(SCANT_ERR_INPUT, file, "the .npy header is damaged: '%.60s'", text);
    if (!parse_type(h, type))
        return scant_i_fail_in(SCANT_ERR_INPUT, file,
                               "numbers of type %.*s are not read; use little-endian f8, f4, "
                               "integers or bool",
                               (int)scant_i_min(strcspn(type, ",}"), 30), type);
    h->fortran = strncmp(fortran, "True", 4) == 0;
    if (!h->fortran && strncmp(fortran, "False", 5) != 0)
        return scant_i_fail_in(SCANT_ERR_INPUT, file, "the .npy header is damaged: '%.60s'", text);
    if (!parse_shape(h, shape))
        return scant_i_fail_in(SCANT_ERR_INPUT, file, "the shape '%.60s' makes no sense", shape);
    if (h->count == 0)
        return scant_i_fail_in(SCANT_ERR_INPUT, file, "the array is empty");
    return SCANT_OK;
}

static scant_status read_header(header *h, scant_i_source *source)
{
    scant_status status = SCANT_OK;
    const char *file = scant_i_source_name(source);
    unsigned char start[MAGIC + 2 + 4];
    size_t got = 0, length = 0;
    char *text = NULL;
    SCANT_I_TRY(scant_i_source_read(source, start, MAGIC + 2 + 2, &got));
    if (got < MAGIC + 2 + 2 || !sniff(start, got))
        return scant_i_fail_in(SCANT_ERR_INPUT, file, "not an .npy file");
    if (start[MAGIC] < 1 || start[MAGIC] > 3)
        return scant_i_fail_in(SCANT_ERR_INPUT, file, ".npy version %d is not known", start[MAGIC]);
    length = (size_t)start[MAGIC + 2] | (size_t)start[MAGIC + 3] << 8;
    if (start[MAGIC] > 1) {
        SCANT_I_TRY(scant_i_source_read(source, start + MAGIC + 4, 2, &got));
        length |= (size_t)start[MAGIC + 4] << 16 | (size_t)start[MAGIC + 5] << 24;
        if (got < 2)
            return scant_i_fail_in(SCANT_ERR_INPUT, file, "the file ends in its header");
    }
    if (length > LONGEST_HEADER)
        return scant_i_fail_in(SCANT_ERR_INPUT, file, "a header of %zu bytes makes no sense",
                               length);
    SCANT_I_TRY(SCANT_I_NEW(&text, length + 1));
    SCANT_I_TRY(scant_i_source_read(source, text, length, &got));
    if (got < length)
        status = scant_i_fail_in(SCANT_ERR_INPUT, file, "the file ends in its header");
    else
        status = parse_header(h, text, file);
done:
    scant_i_free(text);
    return status;
}

/* --- the numbers --- */

static uint64_t load(const unsigned char *at, size_t bytes)
{
    uint64_t word = 0;
    for (size_t k = 0; k < bytes; k++)
        word |= (uint64_t)at[k] << (8 * k);
    return word;
}

static double item(const header *h, const unsigned char *at)
{
    uint64_t word = load(at, h->bytes);
    if (h->kind == 'f' && h->bytes == 8) {
        double value;
        memcpy(&value, &word, sizeof value);
        return value;
    }
    if (h->kind == 'f') {
        uint32_t half = (uint32_t)word;
        float value;
        memcpy(&value, &half, sizeof value);
        return (double)value;
    }
    if (h->kind == 'b')
        return word != 0;
    if (h->kind == 'u')
        return (double)word;
    uint64_t sign = (uint64_t)1 << (8 * h->bytes - 1);
    return (double)(int64_t)((word ^ sign) - sign);
}

/* Numbers for which there is room at once, where the header says so: pages that are not reached cost nothing, and an
 * array that need not grow can lie in large ones, which passes over it are faster by. */
static const size_t TRUSTED = (size_t)1 << 26;

/* All numbers in the file's order; beyond TRUSTED the array grows with what arrives, whatever the header says. */
static scant_status read_items(scant_i_doubles *out, const header *h, scant_i_source *source)
{
    scant_status status = SCANT_OK;
    unsigned char *part = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&part, PART));
    size_t most = scant_i_min(TRUSTED, scant_i_source_most(source) / h->bytes);
    SCANT_I_TRY(scant_i_doubles_reserve(out, scant_i_min(h->count, most)));
    while (out->count < h->count) {
        size_t left = h->count - out->count, got = 0;
        size_t want = scant_i_min(left, PART / h->bytes) * h->bytes;
        SCANT_I_TRY(scant_i_source_read(source, part, want, &got));
        SCANT_I_TRY(scant_i_doubles_reserve(out, got / h->bytes));
        for (size_t k = 0; k < got / h->bytes; k++)
            out->value[out->count++] = item(h, part + k * h->bytes);
        if (got < want) {
            status = scant_i_fail_in(SCANT_ERR_INPUT, scant_i_source_name(source),
                                     "%zu numbers, but the header says %zu", out->count, h->count);
            goto done;
        }
    }
    size_t more = 0;
    SCANT_I_TRY(scant_i_source_read(source, part, 1, &more));
    if (more > 0)
        status = scant_i_fail_in(SCANT_ERR_INPUT, scant_i_source_name(source),
                                 "more bytes than the header says");
done:
    scant_i_free(part);
    return status;
}

static scant_status read(scant_rows **out, scant_i_source *source,
                         const scant_read_options *options)
{
    scant_status status = SCANT_OK;
    header h = {0};
    scant_i_doubles items = {0};
    scant_rows *rows = NULL;
    *out = NULL;
    SCANT_I_TRY(read_header(&h, source));
    if (h.order < 1 || h.order > 2) {
        status = scant_i_fail_in(SCANT_ERR_INPUT, scant_i_source_name(source),
                                 "an array of order %zu is not a table of rows", h.order);
        goto done;
    }
    size_t width = h.order == 2 ? h.size[1] : 1;
    SCANT_I_TRY(scant_i_rows_new(&rows, h.size[0], width));
    SCANT_I_TRY(read_items(&items, &h, source));
    if (h.fortran && width > 1 && h.size[0] > 1)
        SCANT_I_TRY(scant_i_doubles_transpose(&items, h.size[0], width));
    rows->dense = items.value;
    items.value = NULL;
    SCANT_I_TRY(scant_i_resize(&rows->dense, h.count, sizeof *rows->dense));
    if (!(rows->source = scant_i_strdup(scant_i_source_name(source)))) {
        status = SCANT_ERR_MEMORY;
        goto done;
    }
    SCANT_I_TRY(scant_i_matrix_finish(rows, options, false));
    *out = rows;
    rows = NULL;
done:
    scant_rows_free(rows);
    scant_i_free(items.value);
    return status;
}

/* First index fastest to last index fastest. */
static scant_status reorder(scant_i_doubles *items, const header *h)
{
    double *value = scant_i_alloc(h->count, sizeof *value);
    if (!value)
        return SCANT_ERR_MEMORY;
    size_t index[MOST_ORDER] = {0}, stride[MOST_ORDER];
    size_t step = 1;
    for (size_t m = 0; m < h->order; m++) {
        stride[m] = step;
        step *= h->size[m];
    }
    size_t from = 0;
    for (size_t k = 0; k < h->count; k++) {
        value[k] = items->value[from];
        for (size_t m = h->order; m-- > 0;) {
            from += stride[m];
            if (++index[m] < h->size[m])
                break;
            from -= stride[m] * h->size[m];
            index[m] = 0;
        }
    }
    scant_i_free(items->value);
    items->value = value;
    return SCANT_OK;
}

static scant_status read_tensor(scant_i_tensor **out, scant_i_source *source)
{
    scant_status status = SCANT_OK;
    header h = {0};
    scant_i_doubles items = {0};
    scant_i_tensor *tensor = NULL;
    *out = NULL;
    SCANT_I_TRY(read_header(&h, source));
    if (h.order < 1) {
        status = scant_i_fail_in(SCANT_ERR_INPUT, scant_i_source_name(source),
                                 "a single number is no tensor");
        goto done;
    }
    SCANT_I_TRY(read_items(&items, &h, source));
    for (size_t k = 0; k < items.count; k++) {
        if (isinf(items.value[k])) {
            status = scant_i_fail_in(SCANT_ERR_INPUT, scant_i_source_name(source),
                                     "number %zu is not finite", k + 1);
            goto done;
        }
    }
    if (h.fortran)
        SCANT_I_TRY(reorder(&items, &h));
    SCANT_I_TRY(SCANT_I_NEW(&tensor, 1));
    SCANT_I_TRY(SCANT_I_NEW(&tensor->size, h.order));
    memcpy(tensor->size, h.size, h.order * sizeof *tensor->size);
    tensor->order = h.order;
    tensor->nentries = h.count;
    tensor->value = items.value;
    items.value = NULL;
    *out = tensor;
    tensor = NULL;
done:
    scant_i_tensor_free(tensor);
    scant_i_free(items.value);
    return status;
}

/* --- writing --- */

static scant_status put_header(scant_i_sink *sink, const size_t *size, size_t order)
{
    char text[64 + MOST_ORDER * 24];
    size_t used =
        (size_t)snprintf(text, sizeof text, "{'descr': '<f8', 'fortran_order': False, 'shape': (");
    for (size_t m = 0; m < order; m++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%zu,%s", size[m],
                                 m + 1 < order ? " " : "");
    used += (size_t)snprintf(text + used, sizeof text - used, "), }");
    size_t total = scant_i_round_up(MAGIC + 4 + used + 1, ALIGNMENT), length = total - MAGIC - 4;
    unsigned char start[MAGIC + 4] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    start[MAGIC + 2] = (unsigned char)(length & 0xff);
    start[MAGIC + 3] = (unsigned char)(length >> 8);
    scant_status status = scant_i_sink_write(sink, start, sizeof start);
    if (status == SCANT_OK)
        status = scant_i_sink_write(sink, text, used);
    for (size_t k = used; k + 1 < length && status == SCANT_OK; k++)
        status = scant_i_sink_write(sink, " ", 1);
    return status == SCANT_OK ? scant_i_sink_write(sink, "\n", 1) : status;
}

static scant_status put_item(scant_i_sink *sink, double value)
{
    uint64_t word;
    unsigned char bytes[8];
    memcpy(&word, &value, sizeof word);
    for (size_t k = 0; k < 8; k++)
        bytes[k] = (unsigned char)(word >> (8 * k));
    return scant_i_sink_write(sink, bytes, sizeof bytes);
}

static scant_status write(const scant_rows *rows, scant_i_sink *sink, const char *path)
{
    size_t size[2] = {rows->nrows, rows->ncolumns};
    scant_i_matrix_warn(rows, path, false, false);
    scant_status status = put_header(sink, size, 2);
    for (size_t i = 0; i < rows->nrows; i++) {
        size_t entry = rows->dense ? 0 : rows->sparse.start[i];
        for (size_t j = 0; j < rows->ncolumns && status == SCANT_OK; j++) {
            double value = 0;
            if (rows->dense)
                value = rows->dense[i * rows->ncolumns + j];
            else if (entry < rows->sparse.start[i + 1] && (size_t)rows->sparse.column[entry] == j)
                value = rows->sparse.value[entry++];
            status = put_item(sink, value);
        }
    }
    return status;
}

static scant_status write_tensor(const scant_i_tensor *tensor, scant_i_sink *sink)
{
    scant_status status = SCANT_OK;
    double *dense = NULL;
    const double *value = tensor->value;
    size_t count = 1;
    if (tensor->order > MOST_ORDER)
        return scant_i_fail(SCANT_ERR_INPUT, ".npy holds tensors of order %d at most", MOST_ORDER);
    for (size_t m = 0; m < tensor->order; m++)
        if (__builtin_mul_overflow(count, tensor->size[m], &count))
            return scant_i_fail(SCANT_ERR_MEMORY, "the tensor is too large to be written densely");
    if (tensor->index) {
        SCANT_I_TRY(SCANT_I_NEW(&dense, count));
        for (size_t k = 0; k < tensor->nentries; k++) {
            size_t at = 0;
            for (size_t m = 0; m < tensor->order; m++)
                at = at * tensor->size[m] + tensor->index[k * tensor->order + m];
            dense[at] = tensor->value[k];
        }
        value = dense;
    }
    SCANT_I_TRY(put_header(sink, tensor->size, tensor->order));
    for (size_t k = 0; k < count; k++)
        SCANT_I_TRY(put_item(sink, value[k]));
done:
    scant_i_free(dense);
    return status;
}

static const char *const endings[] = {".npy", NULL};
const scant_i_file_format scant_i_format_npy = {.name = "npy",
                                                .endings = endings,
                                                .sniff = sniff,
                                                .read = read,
                                                .write = write,
                                                .read_tensor = read_tensor,
                                                .write_tensor = write_tensor};
