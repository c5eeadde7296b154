/* The options that say how rows are read, and the reading of rows, models and priors. */
#include "command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
     "sequences whose steps the rows are, in order; fit, select and cv make a chain of them"},
    {"time", 0, SCANT_OPTION_TEXT, INPUT(time), "COL", NULL, 0, 0, NULL,
     "times of the rows, which must rise within a sequence"},
    {"missing-label", 0, SCANT_OPTION_TEXT, INPUT(missing_label), "VALUE", NULL, 0, 0, NULL,
     "label that means unknown; 'none': -1 is a class"},
    {"dataset", 0, SCANT_OPTION_TEXT, INPUT(dataset), "NAME", NULL, 0, 0, NULL,
     "data set inside an HDF5 file"},
    {"separator", 0, SCANT_OPTION_TEXT, INPUT(separator), "CHAR", "found", 0, 0, NULL,
     "between cells: one character or 'tab'"},
    {"types", 0, SCANT_OPTION_LIST, INPUT(types), "COL=KIND", NULL, 0, 0, NULL,
     "what columns are: number, count, 0/1, category, date, text, identifier, constant, ignore; "
     "'none': guess nothing"},
    {"text", 0, SCANT_OPTION_LIST, INPUT(text), "COLS", NULL, 0, 0, NULL,
     "columns of texts, made into counts of words"},
    {"decimal", 0, SCANT_OPTION_TEXT, INPUT(decimal), "CHAR", "found", 0, 0, NULL,
     "mark of decimals: . or ,"},
    {"missing-value", 0, SCANT_OPTION_LIST, INPUT(missing_values), "TEXT", NULL, 0, 0, NULL,
     "feature cells that mean missing, in addition to the usual ones"},
    {"strict", 0, SCANT_OPTION_FLAG, INPUT(strict), NULL, NULL, 0, 0, NULL,
     "refuse levels that the model has never seen; else they are missing"},
};

/* The presets "all others" and "found" are for the help alone. */
void cli_input_add(cli_call *call, cli_input *input)
{
    call->section[call->nsections++] =
        (cli_section){"Reading rows", input_table, sizeof input_table / sizeof *input_table, input};
    memset(input, 0, sizeof *input);
}

static const scant_option context_table[] = {
    {"context", 0, SCANT_OPTION_LIST, INPUT(context), "FILE|COLS", NULL, 0, 0, NULL,
     "class probabilities: a file with as many rows and columns p_<class>, or such columns of "
     "DATA"},
    {"context-prior", 0, SCANT_OPTION_TEXT, INPUT(context_prior), "PRIOR", NULL, 0, 0, NULL,
     "class proportions a=0.3,b=0.7 under which they were made: divided out (likelihood)"},
    {"context-mode", 0, SCANT_OPTION_CHOICE, INPUT(context_mode), "M", NULL, 0, 0,
     "likelihood|prior",
     "they multiply the classes' proportions, or replace them; as in the model's fit if not said"},
};

void cli_context_add(cli_call *call, cli_input *input)
{
    cli_call_add(call, "Class probabilities", context_table,
                 sizeof context_table / sizeof *context_table, input);
}

int cli_context_check(const cli_call *call, const cli_input *input, const char *mode)
{
    if (input->context_prior && mode && strcmp(mode, "likelihood") != 0)
        return cli_usage_error(call, "--context-prior is for --context-mode likelihood, not %s",
                               mode);
    return GO_ON;
}

bool cli_context_replaces(const cli_input *input, const scant_model *model)
{
    const char *mode =
        input->context_mode ? input->context_mode : scant_model_setting(model, "context-mode");
    return mode && strcmp(mode, "prior") == 0;
}

/* A file if there is one of that name, else patterns of columns. */
const char *cli_context_file(const cli_input *input)
{
    const char *name = input->context.count == 1 ? input->context.item[0] : NULL;
    return name && (strcmp(name, "-") == 0 || access(name, F_OK) == 0) ? name : NULL;
}

static int choose_context(scant_read_options *out, const cli_call *call, const cli_input *input)
{
    const char *name = cli_context_file(input);
    bool stdin_too = name && strcmp(name, "-") == 0;
    if (name)
        out->context_file = name;
    else {
        out->context = input->context.item;
        out->ncontext = input->context.count;
    }
    for (size_t i = 0; stdin_too && i < call->noperands; i++)
        if (strcmp(call->operand[i], "-") == 0)
            return cli_usage_error(call, "only one file can be standard input");
    return GO_ON;
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

static int read_decimal(char *out, const cli_call *call, const char *text)
{
    *out = text ? text[0] : 0;
    if (text && strcmp(text, ".") != 0 && strcmp(text, ",") != 0)
        return cli_usage_error(call, "--decimal: '%s' is neither . nor ,", text);
    return GO_ON;
}

int cli_input_options(scant_read_options *out, const cli_call *call, const cli_input *input,
                      const scant_schema *schema)
{
    if (input->group && input->sequence)
        return cli_usage_error(call, "--group and --sequence exclude each other");
    if (input->time && !input->sequence)
        return cli_usage_error(call, "--time wants --sequence COL");
    if (input->time && !input->chains)
        return cli_usage_error(call, "--time: no times are of use here");
    *out = (scant_read_options){
        .size = sizeof(scant_read_options),
        .features = input->features.item,
        .nfeatures = input->features.count,
        .ignore = input->ignore.item,
        .nignore = input->ignore.count,
        .categorical = input->categorical.item,
        .ncategorical = input->categorical.count,
        .label = input->label,
        .weight = input->weight,
        .id = input->id,
        .group = input->group    ? input->group
                 : input->chains ? NULL
                                 : input->sequence,
        .sequence = input->chains ? input->sequence : NULL,
        .time = input->chains ? input->time : NULL,
        .missing_label = input->missing_label,
        .dataset = input->dataset,
        .threads = call->threads,
        .schema = schema,
        .context_prior = input->context_prior,
        .label_is_truth = input->label_is_truth,
        .keep_weightless = input->keep_weightless,
        .id_optional = input->id_optional,
        .guess = input->guess,
        .numbers_stay = input->numbers_stay,
        .types = input->types.item,
        .ntypes = input->types.count,
        .text = input->text.item,
        .ntext = input->text.count,
        .missing_values = input->missing_values.item,
        .nmissing_values = input->missing_values.count,
        .strict = input->strict,
        .keep_text = input->keep_text,
    };
    int code = read_separator(&out->separator, call, input->separator);
    if (code == GO_ON)
        code = read_decimal(&out->decimal, call, input->decimal);
    return code == GO_ON ? choose_context(out, call, input) : code;
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
    return status == SCANT_OK ? GO_ON : cli_failed(call, status);
}

int cli_input_add_feature(const cli_call *call, cli_input *input, const char *name)
{
    size_t count = input->features.count, size = sizeof "\"\"";
    for (size_t i = 0; i < count; i++)
        if (strcmp(input->features.item[i], name) == 0)
            return GO_ON;
    if (count == 0)
        return GO_ON;

    for (const char *c = name; *c; c++)
        size += *c == '"' ? 2 : 1;
    char *quoted = malloc(size), *to = quoted;
    if (!quoted)
        return cli_out_of_memory(call);
    *to++ = '"';
    for (const char *c = name; *c; c++) {
        *to++ = *c;
        if (*c == '"')
            *to++ = *c;
    }
    *to++ = '"';
    *to = '\0';

    size_t noptions = sizeof input_table / sizeof *input_table;
    const scant_option *features = scant_option_find(input_table, noptions, "features");
    scant_status status = scant_option_set(input, features, quoted);
    free(quoted);
    return status == SCANT_OK ? GO_ON : cli_failed(call, status);
}

int cli_model_read(scant_model **out, const cli_call *call, const char *path)
{
    scant_status status = scant_model_read(out, path);
    return status == SCANT_OK ? GO_ON : cli_failed(call, status);
}

int cli_prior_read(double **out, const cli_call *call, const scant_model *model, const char *text)
{
    size_t count = scant_model_classes(model);
    *out = NULL;
    if (count == 0)
        return cli_usage_error(call, "--prior: the model has no classes");
    double *prior = calloc(count, sizeof *prior);
    if (!prior)
        return cli_out_of_memory(call);
    if (scant_prior_read(prior, text, scant_model_schema(model)->classes, count) != SCANT_OK) {
        free(prior);
        return cli_usage_error(call, "--prior: %s", scant_message());
    }
    *out = prior;
    return GO_ON;
}
