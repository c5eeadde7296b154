/* scant simulate: rows drawn from a model. */
#include "command.h"

#include <stdlib.h>
#include <string.h>

typedef struct simulate_options {
    size_t n;
    const char *output;
    bool component;
    size_t length;
} simulate_options;

#define SIMULATE(field) offsetof(simulate_options, field)
static const scant_option table[] = {
    {"rows", 'n', SCANT_OPTION_COUNT, SIMULATE(n), "N", NULL, 1, 1e12, NULL, "rows to draw"},
    {"output", 'o', SCANT_OPTION_TEXT, SIMULATE(output), "DATA", "-", 0, 0, NULL,
     "write them here, in the format of the name's ending; - is CSV on stdout"},
    {"component", 0, SCANT_OPTION_FLAG, SIMULATE(component), NULL, NULL, 0, 0, NULL,
     "add a column that tells the component"},
    {"length", 0, SCANT_OPTION_COUNT, SIMULATE(length), "N", "0", 0, 1e12, NULL,
     "chains: steps of a sequence; the last one is shorter (0: the mean of the fit)"},
};

static const cli_manual manual = {"MODEL -n N [-o DATA] [--component]",
                                  "Draws rows from a model, with their classes as labels where the "
                                  "model has classes; from a chain "
                                  "sequences of --length steps, N rows in all.",
                                  "scant simulate crabs.json -n 100 -o more.csv", 1, 1};

/* N rows in sequences of one length, the last with what is left. */
static scant_status draw_sequences(scant_rows **out, const scant_model *model,
                                   const simulate_options *options, uint64_t seed)
{
    const scant_summary *s = scant_model_summary(model);
    size_t length = options->length ? options->length : options->n;
    if (!options->length && s->sequences)
        length = (s->rows + s->sequences / 2) / s->sequences;
    size_t count = (options->n + length - 1) / length;
    size_t *lengths = malloc(count * sizeof *lengths);
    if (!lengths)
        return SCANT_ERR_MEMORY;
    for (size_t k = 0; k < count; k++)
        lengths[k] = k + 1 < count ? length : options->n - k * length;
    scant_status status =
        scant_model_sample_sequences(out, model, lengths, count, seed, options->component);
    free(lengths);
    return status;
}

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
    if (options->length && !scant_model_states(model)) {
        scant_model_free(model);
        return cli_usage_error(call, "--length: the model is no chain");
    }
    scant_status status =
        scant_model_states(model)
            ? draw_sequences(&rows, model, options, call->seed)
            : scant_model_sample(&rows, model, options->n, call->seed, options->component);
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
