/* scant simulate: rows drawn from a model. */
#include "command.h"

#include <string.h>

typedef struct simulate_options {
    size_t n;
    const char *output;
    bool component;
} simulate_options;

#define SIMULATE(field) offsetof(simulate_options, field)
static const scant_option table[] = {
    {"rows", 'n', SCANT_OPTION_COUNT, SIMULATE(n), "N", NULL, 1, 1e12, NULL, "rows to draw"},
    {"output", 'o', SCANT_OPTION_TEXT, SIMULATE(output), "DATA", "-", 0, 0, NULL,
     "write them here, in the format of the name's ending; - is CSV on stdout"},
    {"component", 0, SCANT_OPTION_FLAG, SIMULATE(component), NULL, NULL, 0, 0, NULL,
     "add a column that tells the component"},
};

static const cli_manual manual = {
    "MODEL -n N [-o DATA] [--component]",
    "Draws rows from a model, with their classes as labels where the model has classes.",
    "scant simulate crabs.json -n 100 -o more.csv", 1, 1};

static int run(const cli_call *call, const simulate_options *options)
{
    scant_model *model = NULL;
    scant_rows *rows = NULL;
    if (!cli_call_given(call, "rows"))
        return cli_usage_error(call, "-n N is needed: how many rows to draw");
    int code = cli_model_read(&model, call, call->operand[0]);
    if (code != GO_ON)
        return code;
    if (!cli_call_given(call, "seed"))
        cli_say(call, "seed %llu (the default)", (unsigned long long)call->seed);
    scant_status status =
        scant_model_sample(&rows, model, options->n, call->seed, options->component);
    if (status == SCANT_OK)
        status = scant_rows_write(rows, options->output);
    code = status == SCANT_OK ? EXIT_OK : cli_failed(call, status);
    if (code == EXIT_OK && call->json)
        code = cli_json_print(call, json_pack("{s:I, s:I, s:o}", "rows", (json_int_t)options->n,
                                              "columns", (json_int_t)scant_rows_columns(rows),
                                              "output", cli_json_text(options->output)));
    scant_rows_free(rows);
    scant_model_free(model);
    return code;
}

int cli_simulate(int argc, char **argv)
{
    cli_call call;
    simulate_options options = {0};
    cli_call_begin(&call, argv[0]);
    cli_call_add(&call, "Drawing", table, sizeof table / sizeof *table, &options);
    int code = cli_call_parse(&call, &manual, argc, argv);
    if (code == GO_ON && call.json && strcmp(options.output, "-") == 0)
        code = cli_usage_error(&call, "--json wants -o DATA: the rows take standard output");
    if (code == GO_ON)
        code = run(&call, &options);
    cli_call_end(&call);
    return code;
}
