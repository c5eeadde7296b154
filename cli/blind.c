/* scant blind: a linear classifier from unlabelled rows and the classes' proportions. */
#include "command.h"

#include <string.h>

typedef struct blind_output {
    const char *output;
} blind_output;

static const scant_option table[] = {
    {"output", 'o', SCANT_OPTION_TEXT, offsetof(blind_output, output), "MODEL", NULL, 0, 0, NULL,
     "write the model here; - is stdout"},
};

static const cli_manual manual = {
    "DATA --prior P [options] -o MODEL",
    "Trains a linear classifier without labels: it minimises an estimate of the expected loss that "
    "takes nothing but rows and the proportions of two classes, which must differ. It estimates "
    "its own error, and warns where the estimate rests on little. A --label column, if there is "
    "one, names the classes and is not looked at otherwise. The model is written even when the fit "
    "stops early (exit 4).",
    "scant blind examples/data/faithful.csv --prior short=0.36,long=0.64 -o blind.json", 1, 1};

static json_t *to_json(const scant_model *model, const char *path)
{
    const scant_summary *s = scant_model_summary(model);
    json_t *object =
        json_pack("{s:I, s:o, s:o, s:o, s:o, s:I, s:I, s:s, s:I, s:I, s:o, s:o, s:o}", "rows",
                  (json_int_t)s->rows, "weight", cli_json_real(s->weight), "classes",
                  cli_json_names(scant_model_classes(model), cli_model_class, model), "objective",
                  cli_json_real(-s->objective), "loglik", cli_json_real(s->loglik), "parameters",
                  (json_int_t)s->parameters, "iterations", (json_int_t)s->iterations, "stop",
                  scant_stop_name(s->stop), "starts", (json_int_t)s->starts, "best_start",
                  (json_int_t)s->best_start, "seed", cli_json_seed(s->seed), "seconds",
                  cli_json_real(s->seconds), "warnings", cli_json_warnings(model));
    cli_json_score(object, model);
    if (path)
        cli_json_set(object, "model", cli_json_text(path));
    return object;
}

static void print_summary(const cli_call *call, const scant_model *model, const char *path)
{
    const scant_summary *s = scant_model_summary(model);
    cli_line(stdout, "rows", "%zu", s->rows);
    cli_line(stdout, "classes", "%s, %s", scant_model_class_name(model, 0),
             scant_model_class_name(model, 1));
    cli_print_score(model);
    cli_line(stdout, "objective", "%.6g", -s->objective);
    cli_line(stdout, "iterations", "%zu (start %zu of %zu)", s->iterations, s->best_start + 1,
             s->starts);
    cli_line(stdout, "stop", "%s", scant_stop_name(s->stop));
    cli_line(stdout, "seconds", "%.3g", s->seconds);
    for (size_t i = 0; i < scant_model_warnings(model); i++)
        cli_line(stdout, "warning", "%s", scant_model_warning(model, i));
    if (path)
        cli_say_predict(call, path);
}

static int tell(const cli_call *call, const scant_model *model, const char *path)
{
    bool model_to_stdout = path && strcmp(path, "-") == 0;
    int written = path ? cli_model_write(call, model, path) : GO_ON, code = EXIT_OK;
    path = written == GO_ON ? path : NULL; /* what was found is told all the same */
    if (call->json)
        code = cli_json_print(call, to_json(model, path));
    else if (!model_to_stdout)
        print_summary(call, model, path);
    code = written == GO_ON ? code : written;
    scant_stop stop = scant_model_summary(model)->stop;
    if (code == EXIT_OK && stop != SCANT_STOP_CONVERGED) {
        cli_say(call, "the fit did not converge (stop: %s)", scant_stop_name(stop));
        code = cli_stop_code(stop);
    }
    return code;
}

static int run(cli_call *call, const cli_input *input, scant_blind_options *options,
               const char *path)
{
    if (!options->prior)
        return cli_usage_error(call, "--prior P is needed: the second class's share");
    if (path && strcmp(path, "-") == 0 && call->json)
        return cli_usage_error(call, "-o - and --json both want standard output");
    scant_rows *rows = NULL;
    scant_model *model = NULL;
    call->threads = options->threads;
    int code = cli_file_check(call, path);
    if (code == GO_ON)
        code = cli_input_read(&rows, call, input, call->operand[0], NULL);
    if (code != GO_ON)
        return code;
    if (!cli_call_given(call, "seed"))
        cli_say(call, "seed %llu (the default)", (unsigned long long)options->seed);
    cli_bar bar;
    cli_bar_begin(&bar, call);
    options->progress = cli_bar_progress;
    options->payload = &bar;
    scant_status status = scant_blind(&model, rows, options);
    cli_bar_end(&bar);
    code = status == SCANT_OK ? tell(call, model, path) : cli_failed(call, status);
    scant_model_free(model);
    scant_rows_free(rows);
    return code;
}

int cli_blind(int argc, char **argv)
{
    cli_call call;
    cli_input input;
    blind_output output = {0};
    scant_blind_options options;
    size_t count;
    const scant_option *rows = scant_blind_option_table(&count);
    scant_blind_options_preset(&options);
    cli_call_begin(&call, argv[0]);
    cli_call_add(&call, "Result", table, sizeof table / sizeof *table, &output);
    cli_call_add(&call, "The classifier and its training", rows, count, &options);
    cli_input_add(&call, &input);
    int code = cli_call_parse(&call, &manual, argc, argv);
    if (code == GO_ON)
        code = run(&call, &input, &options, output.output);
    cli_call_end(&call);
    return code;
}
