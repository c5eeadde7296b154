/* The options of reading rows: their table, and their door. */
#include "io/options.h"

#include <string.h>

#include "base/base.h"
#include "base/option_rows.h"
#include "base/options.h"

/* A list and its count, which follows it, lie as scant_texts has them. */
#define AT(field) offsetof(scant_read_options, field)
#define IS_LIST(list, length)                                                                      \
    _Static_assert(AT(length) - AT(list) == offsetof(scant_texts, count), "no list")
IS_LIST(features, nfeatures);
IS_LIST(ignore, nignore);
IS_LIST(categorical, ncategorical);
IS_LIST(context, ncontext);
IS_LIST(types, ntypes);
IS_LIST(text, ntext);
IS_LIST(missing_values, nmissing_values);

static const scant_option table[] = {
    {"features", 0, SCANT_OPTION_LIST, AT(features), "COLS", NULL, 0, 0, NULL,
     "feature columns (default: all others); * and ? match"},
    {"ignore", 0, SCANT_OPTION_LIST, AT(ignore), "COLS", NULL, 0, 0, NULL, "columns to leave out"},
    {"categorical", 0, SCANT_OPTION_LIST, AT(categorical), "COLS", NULL, 0, 0, NULL,
     "feature columns whose cells are names"},
    {"label", 0, SCANT_OPTION_TEXT, AT(label), "COL", NULL, 0, 0, NULL, "label column"},
    {"weight", 0, SCANT_OPTION_TEXT, AT(weight), "COL", NULL, 0, 0, NULL, "column of weights"},
    {"id", 0, SCANT_OPTION_TEXT, AT(id), "COL", NULL, 0, 0, NULL, "column of identifiers"},
    {"group", 0, SCANT_OPTION_TEXT, AT(group), "COL", NULL, 0, 0, NULL,
     "groups of rows that belong together"},
    {"missing-label", 0, SCANT_OPTION_TEXT, AT(missing_label), "VALUE", NULL, 0, 0, NULL,
     "label that means unknown; 'none': -1 is a class"},
    {"dataset", 0, SCANT_OPTION_TEXT, AT(dataset), "NAME", NULL, 0, 0, NULL,
     "data set inside an HDF5 file"},
    {"context", 0, SCANT_OPTION_LIST, AT(context), "COLS", NULL, 0, 0, NULL,
     "columns of class probabilities"},
    {"context-file", 0, SCANT_OPTION_TEXT, AT(context_file), "FILE", NULL, 0, 0, NULL,
     "class probabilities: a file with as many rows"},
    {"context-prior", 0, SCANT_OPTION_TEXT, AT(context_prior), "PRIOR", NULL, 0, 0, NULL,
     "class proportions under which they were made"},
    {"label-is-truth", 0, SCANT_OPTION_FLAG, AT(label_is_truth), NULL, NULL, 0, 0, NULL,
     "with a context: labels are not evidence"},
    {"probabilities", 0, SCANT_OPTION_FLAG, AT(probabilities), NULL, NULL, 0, 0, NULL,
     "the features are the columns p_*, if there are any"},
    SCANT_I_ROW_THREADS(AT(threads)),
    {"label-optional", 0, SCANT_OPTION_FLAG, AT(label_optional), NULL, NULL, 0, 0, NULL,
     "a label column that is absent is no error"},
    {"id-optional", 0, SCANT_OPTION_FLAG, AT(id_optional), NULL, NULL, 0, 0, NULL,
     "a column of identifiers that is absent is no error"},
    {"keep-weightless", 0, SCANT_OPTION_FLAG, AT(keep_weightless), NULL, NULL, 0, 0, NULL,
     "rows of weight 0 make classes and levels, too"},
    {"guess", 0, SCANT_OPTION_FLAG, AT(guess), NULL, NULL, 0, 0, NULL,
     "guess what columns are that `types` does not name"},
    {"numbers-stay", 0, SCANT_OPTION_FLAG, AT(numbers_stay), NULL, NULL, 0, 0, NULL,
     "guesses leave numbers as they are"},
    {"types", 0, SCANT_OPTION_LIST, AT(types), "COL=KIND", NULL, 0, 0, NULL,
     "what columns are; 'none': guess nothing"},
    {"text", 0, SCANT_OPTION_LIST, AT(text), "COLS", NULL, 0, 0, NULL,
     "columns of texts, made into counts of words"},
    {"missing-value", 0, SCANT_OPTION_LIST, AT(missing_values), "TEXT", NULL, 0, 0, NULL,
     "feature cells that mean missing, in addition to the usual ones"},
    {"strict", 0, SCANT_OPTION_FLAG, AT(strict), NULL, NULL, 0, 0, NULL,
     "refuse levels that the schema lacks; else they are missing"},
    {"keep-text", 0, SCANT_OPTION_FLAG, AT(keep_text), NULL, NULL, 0, 0, NULL,
     "texts next to columns of numbers become counts of words, too"},
    {"sequence", 0, SCANT_OPTION_TEXT, AT(sequence), "COL", NULL, 0, 0, NULL,
     "sequences that the rows are steps of, in order"},
    {"time", 0, SCANT_OPTION_TEXT, AT(time), "COL", NULL, 0, 0, NULL,
     "times, which must rise within a sequence"},
    {"text-min-count", 0, SCANT_OPTION_COUNT, AT(text_min_count), "N", "0", 0, 1e9, NULL,
     "rows that a word must be in (0: 2, or 1 below 50 rows)"},
};
enum { NOPTIONS = sizeof table / sizeof *table };
static const scant_i_options_kind kind = {"scant_read_options_preset", sizeof(scant_read_options),
                                          table, NOPTIONS};

const scant_option *scant_read_option_table(size_t *count)
{
    *count = NOPTIONS;
    return table;
}

void(scant_read_options_preset)(scant_read_options *options, size_t size)
{
    scant_i_options_preset(options, size, &kind);
}

static scant_status check_marks(const scant_read_options *o)
{
    if (o->separator && strchr("\"\r\n.+-0123456789eE", o->separator))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "'%c' cannot be a separator", o->separator);
    if (o->decimal && o->decimal != '.' && o->decimal != ',')
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--decimal: '%c' is neither . nor ,", o->decimal);
    if (o->group && o->sequence)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--group and --sequence exclude each other");
    if (o->time && !o->sequence)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--time %s: there are no sequences (--sequence)",
                            o->time);
    return SCANT_OK;
}

scant_status scant_i_read_options_take(scant_read_options *taken, const scant_read_options *options)
{
    if (!options) {
        (scant_read_options_preset)(taken, sizeof *taken);
        return SCANT_OK;
    }
    scant_status status = scant_i_options_take(taken, options, &kind);
    return status == SCANT_OK ? check_marks(taken) : status;
}
