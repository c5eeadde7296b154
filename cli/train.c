/* scant train: the best classifier from few labels. */
#include "command.h"

#include <math.h>
#include <string.h>

typedef struct train_output {
    const char *output;
} train_output;

static const scant_option table[] = {
    {"output", 'o', SCANT_OPTION_TEXT, offsetof(train_output, output), "MODEL", NULL, 0, 0, NULL,
     "write the model here; - is stdout"},
};

static const cli_manual manual = {
    "DATA --label COL [options] -o MODEL",
    "Trains the best classifier that few labels give: a stack of different members, some of which "
    "learn from unlabeled rows as well, weighed by how they predict labels that were held out. It "
    "says what accuracy to expect, compared with simpler methods, and what to do next. predict, "
    "evaluate, show, report, cv, plan and stream take the model. It is written even when time runs "
    "out "
    "(exit 4).",
    "scant train examples/data/crabs.csv --label sex --features FL,RW,CL,CW,BD -o stack.json", 1,
    1};

static json_t *to_json(const scant_model *model, const char *path)
{
    const scant_summary *s = scant_model_summary(model);
    json_t *object =
        json_pack("{s:I, s:I, s:o}", "rows", (json_int_t)s->rows, "labeled", (json_int_t)s->labeled,
                  "classes", cli_json_names(scant_model_classes(model), cli_model_class, model));
    cli_json_headline(object, model);
    cli_json_set(object, "stop", json_string(scant_stop_name(s->stop)));
    cli_json_set(object, "seed", cli_json_seed(s->seed));
    cli_json_set(object, "seconds", cli_json_real(s->seconds));
    cli_json_set(object, "warnings", cli_json_warnings(model));
    if (path)
        cli_json_set(object, "model", cli_json_text(path));
    return object;
}

static void print_summary(const cli_call *call, const scant_model *model, const char *path)
{
    const scant_summary *s = scant_model_summary(model);
    cli_print_headline(model);
    cli_line(stdout, "rows", "%zu, %zu labeled, %zu classes", s->rows, s->labeled,
             scant_model_classes(model));
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
    path = written == GO_ON ? path : NULL; /* what was found is said all the same */
    if (call->json)
        code = cli_json_print(call, to_json(model, path));
    else if (!model_to_stdout)
        print_summary(call, model, path);
    code = written == GO_ON ? code : written;
    scant_stop stop = scant_model_summary(model)->stop;
    if (code == EXIT_OK && stop != SCANT_STOP_CONVERGED) {
        cli_say(call, "training stopped early (stop: %s); members that were not done are left out",
                scant_stop_name(stop));
        code = cli_stop_code(stop);
    }
    return code;
}

static int run(cli_call *call, cli_input *input, scant_train_options *options, const char *path)
{
    if (!input->label)
        return cli_usage_error(call, "--label COL is needed: the column of class labels, empty "
                                     "where a row has none");
    if (path && strcmp(path, "-") == 0 && call->json)
        return cli_usage_error(call, "-o - and --json both want standard output");
    scant_rows *rows = NULL;
    scant_model *model = NULL;
    call->threads = options->threads;
    input->guess = input->keep_text = true;
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
    scant_status status = scant_train(&model, rows, options);
    cli_bar_end(&bar);
    code = status == SCANT_OK ? tell(call, model, path) : cli_failed(call, status);
    scant_model_free(model);
    scant_rows_free(rows);
    return code;
}

int cli_train(int argc, char **argv)
{
    cli_call call;
    cli_input input;
    train_output output = {0};
    scant_train_options options;
    size_t count;
    const scant_option *rows = scant_train_option_table(&count);
    scant_train_options_preset(&options);
    cli_call_begin(&call, argv[0]);
    cli_call_add(&call, "Result", table, sizeof table / sizeof *table, &output);
    cli_call_add(&call, "Training", rows, count, &options);
    cli_input_add(&call, &input);
    int code = cli_call_parse(&call, &manual, argc, argv);
    if (code == GO_ON)
        code = run(&call, &input, &options, output.output);
    cli_call_end(&call);
    return code;
}
