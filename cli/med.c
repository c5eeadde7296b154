/* scant med: large-margin classifiers and regressions with priors (maximum entropy discrimination). */
#include "command.h"

#include <string.h>

typedef struct med_output {
    const char *output;
} med_output;

static const scant_option table[] = {
    {"output", 'o', SCANT_OPTION_TEXT, offsetof(med_output, output), "MODEL", NULL, 0, 0, NULL,
     "write the model here; - is stdout"},
};

static const cli_manual manual = {
    "DATA --label COL [--kernel rbf] [--c C] [options] -o MODEL",
    "Learns a classifier (or, with --target, a regression) of large margins by maximum entropy "
    "discrimination: a prior over weights, bias, margins and switches of columns is changed as "
    "little as "
    "the labels allow. Without --c it is chosen by cross-validation, and the weights' variance and "
    "the "
    "kernel's width with it. Every fit prints its objective J and the gap between primal and dual, "
    "which bounds how far J is from its maximum. predict, evaluate, show and report take the "
    "model; it "
    "is written even when time runs out (exit 4).",
    "scant med examples/data/crabs.csv --label sex --features FL,RW,CL,CW,BD --c 10 -o med.json", 1,
    1};

static json_t *to_json(const scant_model *model, const char *path)
{
    const scant_summary *s = scant_model_summary(model);
    json_t *object =
        json_pack("{s:I, s:I, s:o}", "rows", (json_int_t)s->rows, "labeled", (json_int_t)s->labeled,
                  "classes", cli_json_names(scant_model_classes(model), cli_model_class, model));
    cli_json_med(object, model);
    cli_json_set(object, "iterations", json_integer((json_int_t)s->iterations));
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
    cli_print_med(model);
    cli_line(stdout, "iterations", "%zu", s->iterations);
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
    path = written == GO_ON ? path : NULL; /* what was found is said all the same */
    if (call->json)
        code = cli_json_print(call, to_json(model, path));
    else if (!model_to_stdout)
        print_summary(call, model, path);
    code = written == GO_ON ? code : written;
    scant_stop stop = scant_model_summary(model)->stop;
    if (code == EXIT_OK && stop != SCANT_STOP_CONVERGED) {
        cli_say(call, "the fit did not converge (stop: %s): J is within %.3g of its maximum",
                scant_stop_name(stop), scant_model_med(model)->gap);
        code = cli_stop_code(stop);
    }
    return code;
}

/* A target makes a regression, for which --label is another word. */
static int check(const cli_call *call, cli_input *input, scant_med_options *options,
                 const char *path)
{
    static const char *const positive[] = {"c", "weight-variance", "gamma"};
    const double value[] = {options->c, options->weight_variance, options->gamma};
    for (size_t i = 0; i < sizeof positive / sizeof *positive; i++)
        if (cli_call_given(call, positive[i]) && !(value[i] > 0))
            return cli_usage_error(call, "--%s %g: must be above 0", positive[i], value[i]);
    if (options->target && !cli_call_given(call, "task"))
        options->task = "regress";
    if (strcmp(options->task, "regress") == 0 && !options->target) {
        options->target = input->label;
        input->label = NULL;
    }
    bool regress = strcmp(options->task, "regress") == 0;
    if (regress && !options->target)
        return cli_usage_error(call, "--target COL is needed: the column of the number to predict");
    if (!regress && !input->label)
        return cli_usage_error(call, "--label COL is needed: the column of class labels");
    if (path && strcmp(path, "-") == 0 && call->json)
        return cli_usage_error(call, "-o - and --json both want standard output");
    return regress ? cli_input_add_feature(call, input, options->target) : GO_ON;
}

static int run(cli_call *call, cli_input *input, scant_med_options *options, const char *path)
{
    scant_rows *rows = NULL;
    scant_model *model = NULL;
    int code = check(call, input, options, path);
    call->threads = options->threads;
    input->guess = strcmp(options->kernel, "precomputed") != 0;
    input->numbers_stay = true; /* a number is a number here; --types says otherwise */
    if (code == GO_ON)
        code = cli_file_check(call, path);
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
    scant_status status = scant_med(&model, rows, options);
    cli_bar_end(&bar);
    code = status == SCANT_OK ? tell(call, model, path) : cli_failed(call, status);
    scant_model_free(model);
    scant_rows_free(rows);
    return code;
}

int cli_med(int argc, char **argv)
{
    cli_call call;
    cli_input input;
    med_output output = {0};
    scant_med_options options;
    size_t count;
    const scant_option *rows = scant_med_option_table(&count);
    scant_med_options_preset(&options);
    cli_call_begin(&call, argv[0]);
    cli_call_add(&call, "Result", table, sizeof table / sizeof *table, &output);
    cli_call_add(&call, "Discrimination", rows, count, &options);
    cli_input_add(&call, &input);
    int code = cli_call_parse(&call, &manual, argc, argv);
    if (code == GO_ON)
        code = run(&call, &input, &options, output.output);
    cli_call_end(&call);
    return code;
}
