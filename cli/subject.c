/* What a report is about: found out by what a file holds. */
#include "report/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUBJECT(field) offsetof(cli_subject_options, field)
static const scant_option table[] = {
    {"truth", 0, SCANT_OPTION_TEXT, SUBJECT(truth), "COL", NULL, 0, 0, NULL,
     "column of true classes: answers to rows without a --label are compared with it"},
    {"axes", 0, SCANT_OPTION_LIST, SUBJECT(axes), "A,B", NULL, 0, 0, NULL,
     "the two columns that the map shows; else the principal axes of DATA"},
};

void cli_subject_add(cli_call *call, cli_subject_options *options)
{
    cli_call_add(call, "What to show", table, sizeof table / sizeof *table, options);
    cli_input_add(call, &options->input);
}

/* --- JSON --- */

double cli_told(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *cli_told_text(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static bool has_list(const json_t *object, const char *name)
{
    return json_is_array(json_object_get(object, name));
}

static bool has_object(const json_t *object, const char *name)
{
    return json_is_object(json_object_get(object, name));
}

/* --- a model and its rows --- */

static int predict(cli_subject *s, const cli_call *call)
{
    const scant_predict_options how = {.size = sizeof how, .threads = call->threads};
    cli_answers *a = &s->answers;
    if (!cli_answers_new(a, s->model, scant_rows_count(s->rows), false))
        return cli_out_of_memory(call);
    scant_status status = scant_model_predict(s->model, s->rows, &how, a->classes, a->components,
                                              a->support, a->loglik);
    return status == SCANT_OK ? GO_ON : cli_failed(call, status);
}

/* True classes: the labels, or where there is a column of truth that, of rows without a label. */
static int read_truth(cli_subject *s, const cli_call *call, const cli_subject_options *options)
{
    size_t n = scant_rows_count(s->rows);
    scant_rows *others = NULL;
    if (scant_model_classes(s->model) == 0 || (!options->truth && !options->input.label))
        return GO_ON;
    if (options->truth) {
        cli_input input = options->input;
        input.label = options->truth;
        cli_chain_input(&input, s->model);
        int code = cli_input_read(&others, call, &input, s->data, scant_model_schema(s->model));
        if (code != GO_ON)
            return code;
    }
    s->held_back = options->truth && options->input.label;
    s->truth = calloc(n + 1, sizeof *s->truth);
    for (size_t i = 0; s->truth && i < n; i++) {
        bool seen = s->held_back && scant_rows_label(s->rows, i) >= 0;
        s->truth[i] = seen ? -1 : scant_rows_label(others ? others : s->rows, i);
        s->compared += s->truth[i] >= 0;
    }
    scant_rows_free(others);
    return s->truth ? GO_ON : cli_out_of_memory(call);
}

static int read_model(cli_subject *s, const cli_call *call, const cli_subject_options *options)
{
    int code = cli_model_read(&s->model, call, s->path);
    if (code != GO_ON || !s->data)
        return code;
    if (options->input.label && scant_model_classes(s->model) == 0)
        return cli_usage_error(call, "--label: the model has no classes");
    cli_input input = options->input;
    cli_chain_input(&input, s->model);
    code = cli_input_read(&s->rows, call, &input, s->data, scant_model_schema(s->model));
    if (code == GO_ON)
        code = predict(s, call);
    return code == GO_ON ? read_truth(s, call, options) : code;
}

/* --- factors --- */

static int read_rows(scant_rows **out, const cli_call *call, const char *folder, size_t mode)
{
    const scant_read_options options = {.size = sizeof options, .id = "name", .id_optional = true};
    char *path = cli_factor_path(folder, mode);
    if (!path)
        return cli_out_of_memory(call);
    scant_status status = scant_rows_read(out, path, &options);
    free(path);
    return status == SCANT_OK ? GO_ON : cli_failed(call, status);
}

static int keep_mode(cli_mode *mode, const cli_call *call, const scant_rows *rows)
{
    size_t rank = scant_rows_columns(rows);
    mode->size = scant_rows_count(rows);
    mode->value = calloc(mode->size * rank + 1, sizeof *mode->value);
    if (!mode->value)
        return cli_out_of_memory(call);
    scant_rows_values(rows, mode->value);
    bool whole = true;
    for (size_t i = 0; i < mode->size && whole && scant_rows_id(rows, i); i++)
        whole = cli_names_add(&mode->names, scant_rows_id(rows, i));
    return whole ? GO_ON : cli_out_of_memory(call);
}

static bool has_mode(const char *folder, size_t mode)
{
    char *path = cli_factor_path(folder, mode);
    bool there = path && access(path, R_OK) == 0;
    free(path);
    return there;
}

static int read_mode(cli_subject *s, const cli_call *call)
{
    scant_rows *rows = NULL;
    cli_mode *mode = realloc(s->mode, (s->order + 1) * sizeof *mode);
    if (!mode)
        return cli_out_of_memory(call);
    s->mode = mode;
    mode[s->order] = (cli_mode){0};
    int code = read_rows(&rows, call, s->path, s->order + 1);
    s->order++;
    if (code == GO_ON && scant_rows_columns(rows) != s->rank)
        code = cli_error(call, CLI_INPUT, "%s: mode %zu has %zu components, the weights %zu",
                         s->path, s->order, scant_rows_columns(rows), s->rank);
    if (code == GO_ON)
        code = keep_mode(&mode[s->order - 1], call, rows);
    scant_rows_free(rows);
    return code;
}

static int read_factors(cli_subject *s, const cli_call *call)
{
    scant_rows *rows = NULL;
    s->sort = CLI_OF_FACTORS;
    int code = read_rows(&rows, call, s->path, 0);
    if (code != GO_ON)
        return code;
    s->rank = scant_rows_count(rows);
    s->weight = calloc(s->rank + 1, sizeof *s->weight);
    for (size_t q = 0; s->weight && q < s->rank; q++)
        s->weight[q] = scant_rows_value(rows, q, 0);
    scant_rows_free(rows);
    code = s->weight ? GO_ON : cli_out_of_memory(call);
    while (code == GO_ON && has_mode(s->path, s->order + 1))
        code = read_mode(s, call);
    return code;
}

/* --- which it is --- */

static int complain(const cli_call *call, const char *path, const char *why)
{
    return cli_error(call, CLI_INPUT, "%s: %s", path, why);
}

static int sort_out(cli_subject *s, const cli_call *call)
{
    const json_t *told = s->told;
    const char *model = cli_told_text(told, "model");
    if (strcmp(cli_told_text(told, "format"), "scant-model") == 0 || has_list(told, "factors"))
        s->sort = CLI_OF_MODEL;
    else if (has_list(told, "classifiers"))
        s->sort = CLI_OF_SCORES;
    else if (has_list(told, "predictors"))
        s->sort = strcmp(model, "regression") == 0 || strcmp(model, "channel") == 0 ? CLI_OF_NUMBERS
                                                                                    : CLI_OF_AUDIT;
    else if (has_object(told, "now") && has_object(told, "plan"))
        s->sort = CLI_OF_PLAN;
    else
        return complain(call, s->path,
                        "neither a model nor what `scant audit --json` or `scant plan --json` "
                        "print");
    return GO_ON;
}

static int read_told(cli_subject *s, const cli_call *call)
{
    FILE *file = fopen(s->path, "r");
    if (!file)
        return complain(call, s->path, strerror(errno));
    s->told = json_loadf(file, 0, NULL);
    (void)fclose(file);
    if (s->told)
        return sort_out(s, call);
    s->sort = CLI_OF_MODEL; /* a compressed one; else its reader tells what is wrong */
    return GO_ON;
}

/* GO_ON, unless it gives its bytes only once, as standard input and pipes do. */
static int check_rereadable(const cli_call *call, const char *path, const char *why)
{
    struct stat about;
    bool standard = strcmp(path, "-") == 0;
    if (!standard && (stat(path, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)))
        return GO_ON;
    return cli_usage_error(call, "%s is read twice%s; write what it gives to a file",
                           standard ? "standard input" : path, why);
}

int cli_subject_read(cli_subject *s, const cli_call *call, const cli_subject_options *options,
                     const char *path, const char *data)
{
    struct stat about;
    *s = (cli_subject){.path = path, .data = data, .axes = options->axes};
    if (options->axes.count != 0 && options->axes.count != 2)
        return cli_usage_error(call, "--axes wants two columns: A,B");
    int code = check_rereadable(call, path, "");
    if (code == GO_ON && data && options->truth)
        code = check_rereadable(call, data, " with --truth");
    if (code != GO_ON)
        return code;
    bool is_folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    code = is_folder ? read_factors(s, call) : read_told(s, call);
    if (code == GO_ON && s->sort != CLI_OF_MODEL && data)
        return cli_usage_error(call, "DATA goes with a model; %s is none", path);
    return code == GO_ON && s->sort == CLI_OF_MODEL ? read_model(s, call, options) : code;
}

void cli_subject_clear(cli_subject *s)
{
    scant_model_free(s->model);
    scant_rows_free(s->rows);
    cli_answers_free(&s->answers);
    free(s->truth);
    json_decref(s->told);
    for (size_t m = 0; m < s->order; m++) {
        free(s->mode[m].value);
        cli_names_clear(&s->mode[m].names);
    }
    free(s->mode);
    free(s->weight);
    *s = (cli_subject){0};
}
