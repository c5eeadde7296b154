/* FROSTT's .tns: a line is the indices of an entry, from 1, and its value; `#` starts a comment.
 * The sizes are the largest indices. Entries of one cell are added up. */
#include "io/format.h"

#include <string.h>
#include "base/number.h"

enum { MOST_ORDER = 16 };

typedef struct reader {
    const char *file;
    scant_i_lines lines;
    scant_i_tensor *tensor;
    size_t room;
} reader;

static scant_status fail_line(const reader *r, const char *text, const char *why)
{
    return scant_i_lines_fail(&r->lines, text, why);
}

static scant_status begin(reader *r, const char *text)
{
    size_t words = 0;
    for (const char *at = text; *at;) {
        at += strspn(at, " \t");
        words += *at != '\0';
        at += strcspn(at, " \t");
    }
    if (words < 2 || words > MOST_ORDER + 1)
        return fail_line(r, text, "a line is one to 16 indices and a number");
    r->tensor->order = words - 1;
    return SCANT_I_NEW(&r->tensor->size, r->tensor->order);
}

static scant_status take_line(reader *r, char *text)
{
    scant_status status = SCANT_OK;
    scant_i_tensor *t = r->tensor;
    char *at = text;
    double value = 0;
    if (t->order == 0)
        SCANT_I_TRY(begin(r, text));
    if (t->nentries == r->room) {
        size_t room = r->room ? r->room * 3 / 2 : 1024;
        SCANT_I_TRY(scant_i_resize(&t->index, room * t->order, sizeof *t->index));
        SCANT_I_TRY(scant_i_resize(&t->value, room, sizeof *t->value));
        r->room = room;
    }
    uint32_t *index = t->index + t->nentries * t->order;
    for (size_t m = 0; m < t->order; m++) {
        uint64_t number = 0;
        if (!scant_i_take_integer(&number, &at) || (*at != ' ' && *at != '\t'))
            return fail_line(r, text, "not as many indices as the lines before, or not integers");
        if (number < 1 || number > UINT32_MAX)
            return fail_line(r, text, "an index is 1 or more, and less than 2^32");
        index[m] = (uint32_t)(number - 1);
        t->size[m] = scant_i_max(t->size[m], (size_t)number);
    }
    if (!scant_i_take_number(&value, &at))
        return fail_line(r, text, "the value is not a finite number");
    scant_i_skip_blanks(&at);
    if (*at)
        return fail_line(r, text, "more words than in the lines before");
    t->value[t->nentries++] = value;
done:
    return status;
}

static scant_status read_tensor(scant_i_tensor **out, scant_i_source *source)
{
    scant_status status = SCANT_OK;
    reader r = {.file = scant_i_source_name(source), .lines = {.source = source}};
    char *text = NULL;
    size_t length = 0, joined = 0;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&r.tensor, 1));
    for (;;) {
        SCANT_I_TRY(scant_i_lines_next(&r.lines, &text, &length));
        if (!text)
            break;
        text[strcspn(text, "#")] = '\0';
        scant_i_skip_blanks(&text);
        if (*text)
            SCANT_I_TRY(take_line(&r, text));
    }
    if (r.tensor->nentries == 0) {
        status = scant_i_fail_in(SCANT_ERR_INPUT, r.file, "there is no entry");
        goto done;
    }
    for (size_t m = 0; m < r.tensor->order; m++)
        SCANT_I_TRY(scant_i_check_claim(r.file, "indices of a mode", r.tensor->size[m],
                                        r.tensor->nentries, SCANT_I_FREE_COLUMNS, 0));
    SCANT_I_TRY(scant_i_tensor_sort(r.tensor, &joined));
    if (joined)
        scant_i_log(SCANT_LOG_WARNING,
                    "%s: %zu entries are given more than once; entries of one cell are added up",
                    r.file, joined);
    *out = r.tensor;
    r.tensor = NULL;
done:
    scant_i_tensor_free(r.tensor);
    scant_i_lines_free(&r.lines);
    return status;
}

/* --- writing --- */

static scant_status put_entry(scant_i_sink *sink, const size_t *index, size_t order, double value)
{
    char text[SCANT_I_NUMBER_TEXT];
    scant_status status = SCANT_OK;
    for (size_t m = 0; m < order; m++)
        SCANT_I_TRY(scant_i_sink_format(sink, "%zu ", index[m] + 1));
    (void)scant_i_number_format(text, value);
    SCANT_I_TRY(scant_i_sink_format(sink, "%s\n", text));
done:
    return status;
}

/* Zeros are left out, but for one in the last corner where it is needed to tell the sizes. */
static scant_status write_tensor(const scant_i_tensor *tensor, scant_i_sink *sink)
{
    scant_status status = SCANT_OK;
    size_t order = tensor->order, *index = NULL, *largest = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&index, order));
    SCANT_I_TRY(SCANT_I_NEW(&largest, order));
    for (size_t k = 0; k < tensor->nentries; k++) {
        size_t rest = k;
        for (size_t m = order; m-- > 0;) {
            index[m] = tensor->index ? tensor->index[k * order + m] : rest % tensor->size[m];
            rest /= tensor->size[m];
        }
        if (tensor->value[k] == 0)
            continue;
        for (size_t m = 0; m < order; m++)
            largest[m] = scant_i_max(largest[m], index[m] + 1);
        SCANT_I_TRY(put_entry(sink, index, order, tensor->value[k]));
    }
    bool told = true;
    for (size_t m = 0; m < order; m++) {
        told = told && largest[m] == tensor->size[m];
        index[m] = tensor->size[m] - 1;
    }
    if (!told)
        SCANT_I_TRY(put_entry(sink, index, order, 0));
done:
    scant_i_free(index);
    scant_i_free(largest);
    return status;
}

static const char *const endings[] = {".tns", NULL};
const scant_i_file_format scant_i_format_tns = {
    .name = ".tns", .endings = endings, .read_tensor = read_tensor, .write_tensor = write_tensor};
