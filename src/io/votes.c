/* Votes from files: every column is read as names, and the data layer makes votes of them. */
#include "data/votes.h"

#include <string.h>
#include <strings.h>

#include "base/base.h"
#include "base/options.h"

/* The columns of a long table, ours first, then as crowd-kit and others call them. */
typedef struct role {
    const char *what;
    const char *names[8];
} role;
static const role roles[] = {
    {"item",
     {"item", "task", "question", "example", "item_id", "task_id", "question_id", "document"}},
    {"worker",
     {"worker", "annotator", "performer", "predictor", "worker_id", "annotator_id", "rater",
      "judge"}},
    {"answer",
     {"label", "answer", "vote", "response", "rating", "annotation", "judgment", "class"}},
};
enum { ROLES = sizeof roles / sizeof *roles, NAMES = 8 };

static size_t find_column(const scant_rows *rows, const char *name)
{
    size_t c = 0;
    while (c < rows->ncolumns && strcasecmp(rows->columns[c].name, name) != 0)
        c++;
    return c;
}

static scant_status find_role(size_t *out, const scant_rows *rows, const role *wanted,
                              const char *given)
{
    *out = rows->ncolumns;
    if (given)
        *out = find_column(rows, given);
    for (size_t t = 0; !given && t < NAMES && *out == rows->ncolumns; t++)
        *out = find_column(rows, wanted->names[t]);
    if (*out < rows->ncolumns)
        return SCANT_OK;
    return scant_i_fail_in(SCANT_ERR_INPUT, rows->source,
                           "a long table has no column '%s'; name it by --%s",
                           given ? given : wanted->names[0], wanted->what);
}

/* Leaves the columns item, worker and answer, in that order. */
static scant_status pick_roles(scant_rows *rows, const scant_votes_options *options)
{
    const char *given[ROLES] = {options->item, options->worker, options->answer};
    size_t keep[ROLES];
    for (size_t r = 0; r < ROLES; r++) {
        scant_status status = find_role(&keep[r], rows, &roles[r], given[r]);
        if (status != SCANT_OK)
            return status;
    }
    return scant_i_rows_keep_columns(rows, keep, ROLES);
}

/* Does the header name all three? Taken as predictors they would be three that never agree. */
static bool looks_long(const scant_rows *rows)
{
    for (size_t r = 0; r < ROLES; r++) {
        size_t t = 0;
        while (t < NAMES && find_column(rows, roles[r].names[t]) == rows->ncolumns)
            t++;
        if (t == NAMES)
            return false;
    }
    scant_i_log(SCANT_LOG_WARNING, "%s: read as a long table, a row a vote, by its header",
                rows->source);
    return true;
}

/* --- options --- */

#define AT(field) offsetof(scant_votes_options, field)
_Static_assert(AT(nclasses) - AT(classes) == offsetof(scant_texts, count), "no list");
static const scant_option table[] = {
    {"long", 0, SCANT_OPTION_FLAG, AT(is_long), NULL, NULL, 0, 0, NULL, "one row per vote"},
    {"item", 0, SCANT_OPTION_TEXT, AT(item), "COL", NULL, 0, 0, NULL, "long: column of items"},
    {"worker", 0, SCANT_OPTION_TEXT, AT(worker), "COL", NULL, 0, 0, NULL,
     "long: column of predictors"},
    {"answer", 0, SCANT_OPTION_TEXT, AT(answer), "COL", NULL, 0, 0, NULL,
     "long: column of answers"},
    {"truth", 0, SCANT_OPTION_TEXT, AT(truth), "COL", NULL, 0, 0, NULL, "column of true classes"},
    {"missing-label", 0, SCANT_OPTION_TEXT, AT(missing), "VALUE", NULL, 0, 0, NULL,
     "answer that means none; 'none': -1 is a class"},
    {"classes", 0, SCANT_OPTION_LIST, AT(classes), "NAMES", NULL, 0, 0, NULL,
     "classes in addition to those of answers and truth"},
};
enum { NOPTIONS = sizeof table / sizeof *table };
static const scant_i_options_kind kind = {"scant_votes_options_preset", sizeof(scant_votes_options),
                                          table, NOPTIONS};

const scant_option *scant_votes_option_table(size_t *count)
{
    *count = NOPTIONS;
    return table;
}

/* `read` comes last, so that it may grow. */
void(scant_votes_options_preset)(scant_votes_options *options, size_t size)
{
    scant_i_options_preset(options, size, &kind);
    if (size > AT(read))
        options->read.size = size - AT(read);
}

static scant_status take_options(scant_votes_options *taken, const scant_votes_options *given)
{
    if (!given) {
        (scant_votes_options_preset)(taken, sizeof *taken);
        return SCANT_OK;
    }
    scant_status status = scant_i_options_check_size(given->size, &kind);
    if (status == SCANT_OK &&
        (given->size <= AT(read) || given->read.size != given->size - AT(read)))
        status = scant_i_fail(SCANT_ERR_ARGUMENT,
                              "a part of the options was not set; call %s() first", kind.preset);
    if (status == SCANT_OK)
        status = scant_i_options_take(taken, given, &kind);
    taken->read.size = sizeof taken->read;
    return status;
}

scant_status scant_votes_read(scant_votes **out, const char *path,
                              const scant_votes_options *options)
{
    static const char *const all[] = {"*"};
    scant_status status = SCANT_OK;
    scant_rows *rows = NULL;
    scant_votes_options taken;
    *out = NULL;
    SCANT_I_TRY(take_options(&taken, options));
    options = &taken;
    scant_read_options how = options->read;
    how.categorical = all;
    how.ncategorical = 1;
    how.label = options->truth;
    SCANT_I_TRY(scant_rows_read(&rows, path, &how));
    bool is_long = options->is_long || looks_long(rows);
    if (is_long)
        SCANT_I_TRY(pick_roles(rows, options));
    SCANT_I_TRY(is_long ? scant_i_votes_from_long(out, rows, options)
                        : scant_i_votes_from_wide(out, rows, options));
done:
    scant_rows_free(rows);
    return status;
}
