/* The options that say how rows are read, and the reading of rows, models and priors. */
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INPUT(field) offsetof(cli_input, field)
static const scant_option input_table[] = {
    {"features", 0, SCANT_OPTION_LIST, INPUT(features), "COLS", "all others", 0, 0, NULL,
     "feature columns; * and ? match"},
    {"ignore", 0, SCANT_OPTION_LIST, INPUT(ignore), "COLS", NULL, 0, 0, NULL,
     "columns to leave out"},
    {"categorical", 0, SCANT_OPTION_LIST, INPUT(categorical), "COLS", NULL, 0, 0, NULL,
     "feature columns whose cells are names"},
    {"label", 0, SCANT_OPTION_TEXT, INPUT(label), "COL", NULL, 0, 0, NULL,
     "label column: cat, empty (unknown), cat|dog (one of) or cat:0.7;dog:0.3"},
    {"weight", 0, SCANT_OPTION_TEXT, INPUT(weight), "COL", NULL, 0, 0, NULL,
     "weights: a row of weight 2 counts as two rows"},
    {"id", 0, SCANT_OPTION_TEXT, INPUT(id), "COL", NULL, 0, 0, NULL,
     "identifiers, carried to what is written"},
    {"group", 0, SCANT_OPTION_TEXT, INPUT(group), "COL", NULL, 0, 0, NULL,
     "groups of rows that belong together"},
    {"sequence", 0, SCANT_OPTION_TEXT, INPUT(sequence), "COL", NULL, 0, 0, NULL,
     "sequences that the rows belong to, in order"},
    {"missing-label", 0, SCANT_OPTION_TEXT, INPUT(missing_label), "VALUE", NULL, 0, 0, NULL,
     "label that means unknown; 'none': -1 is a class"},
    {"dataset", 0, SCANT_OPTION_TEXT, INPUT(dataset), "NAME", NULL, 0, 0, NULL,
     "data set inside an HDF5 file"},
    {"separator", 0, SCANT_OPTION_TEXT, INPUT(separator), "CHAR", "found", 0, 0, NULL,
     "between cells: one character or 'tab'"},
};

/* The presets "all others" and "found" are for the help alone. */
void cli_input_add(cli_call *call, cli_input *input)
{
    call->section[call->nsections++] =
        (cli_section){"Reading rows", input_table, sizeof input_table / sizeof *input_table, input};
    memset(input, 0, sizeof *input);
}

static int read_separator(char *out, const cli_call *call, const char *text)
{
    *out = 0;
    if (!text)
        return GO_ON;
    if (strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0)
        *out = '\t';
    else if (strlen(text) == 1)
        *out = text[0];
    else
        return cli_usage_error(call, "--separator: '%s' is neither one character nor 'tab'", text);
    return GO_ON;
}

int cli_input_options(scant_read_options *out, const cli_call *call, const cli_input *input,
                      const scant_schema *schema)
{
    if (input->group && input->sequence)
        return cli_usage_error(call, "--group and --sequence exclude each other");
    *out = (scant_read_options){
        .features = input->features.item,
        .nfeatures = input->features.count,
        .ignore = input->ignore.item,
        .nignore = input->ignore.count,
        .categorical = input->categorical.item,
        .ncategorical = input->categorical.count,
        .label = input->label,
        .weight = input->weight,
        .id = input->id,
        .group = input->group ? input->group : input->sequence,
        .missing_label = input->missing_label,
        .dataset = input->dataset,
        .threads = call->threads,
        .schema = schema,
    };
    return read_separator(&out->separator, call, input->separator);
}

int cli_input_read(scant_rows **out, const cli_call *call, const cli_input *input, const char *path,
                   const scant_schema *schema)
{
    scant_read_options options;
    *out = NULL;
    int code = cli_input_options(&options, call, input, schema);
    if (code != GO_ON)
        return code;
    scant_status status = scant_rows_read(out, path, &options);
    return status == SCANT_OK ? GO_ON : cli_failed(call, status, false);
}

int cli_model_read(scant_model **out, const cli_call *call, const char *path)
{
    scant_status status = scant_model_read(out, path);
    return status == SCANT_OK ? GO_ON : cli_failed(call, status, false);
}

/* --- priors --- */

static bool read_share(const char *text, size_t length, double *out)
{
    char copy[64], *end;
    if (length == 0 || length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    *out = strtod(copy, &end);
    return *end == '\0' && *out >= 0 && *out <= 1;
}

/* Class whose name is the first `length` letters of `text`, or the number of classes. */
static size_t find_class(const scant_model *model, const char *text, size_t length)
{
    size_t k = 0, count = scant_model_classes(model);
    while (k < count && (strlen(scant_model_class_name(model, k)) != length ||
                         memcmp(scant_model_class_name(model, k), text, length) != 0))
        k++;
    return k;
}

static int read_pairs(double *prior, const cli_call *call, const scant_model *model,
                      const char *text)
{
    size_t count = scant_model_classes(model);
    for (size_t k = 0; k < count; k++)
        prior[k] = NAN;
    for (const char *piece = text; *piece;) {
        size_t size = strcspn(piece, ",");
        const char *equals = memchr(piece, '=', size);
        size_t name = equals ? (size_t)(equals - piece) : 0;
        size_t k = equals ? find_class(model, piece, name) : count;
        double share;
        if (!equals)
            return cli_usage_error(call, "--prior: '%.*s' is not of the form class=share",
                                   (int)size, piece);
        if (k == count)
            return cli_usage_error(call, "--prior: the model has no class '%.*s'", (int)name,
                                   piece);
        if (!read_share(equals + 1, size - name - 1, &share))
            return cli_usage_error(call, "--prior: '%.*s' is not a share from 0 to 1",
                                   (int)(size - name - 1), equals + 1);
        if (!isnan(prior[k]))
            return cli_usage_error(call, "--prior: class '%.*s' is there twice", (int)name, piece);
        prior[k] = share;
        piece += size + (piece[size] == ',');
    }
    return GO_ON;
}

int cli_prior_read(double **out, const cli_call *call, const scant_model *model, const char *text)
{
    static const double ROUNDING = 1e-6; /* shares are typed with few digits */
    size_t count = scant_model_classes(model);
    *out = NULL;
    if (count == 0)
        return cli_usage_error(call, "--prior: the model has no classes");
    double *prior = calloc(count, sizeof *prior), total = 0;
    if (!prior)
        return cli_out_of_memory(call);
    int code = GO_ON;
    if (count == 2 && read_share(text, strlen(text), &prior[1]))
        prior[0] = 1 - prior[1];
    else
        code = read_pairs(prior, call, model, text);
    for (size_t k = 0; code == GO_ON && k < count; k++) {
        if (isnan(prior[k]))
            code = cli_usage_error(call, "--prior: class '%s' has no share",
                                   scant_model_class_name(model, k));
        total += prior[k];
    }
    if (code == GO_ON && !(fabs(total - 1) <= ROUNDING))
        code = cli_usage_error(call, "--prior: the shares add up to %.10g, not 1", total);
    for (size_t k = 0; code == GO_ON && k < count; k++)
        prior[k] /= total;
    if (code == GO_ON)
        *out = prior;
    else
        free(prior);
    return code;
}
