/* What fit, select and cv share: the options of a fit, its rows, its start. */
#include "command.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define MORE(field) offsetof(cli_fitting, more.field)
static const scant_option more_table[] = {
    {"start", 0, SCANT_OPTION_TEXT, MORE(start), "MODEL", NULL, 0, 0, NULL,
     "start from the parameters of this model file"},
};

static void add(cli_call *call, cli_fitting *fitting, bool single)
{
    size_t count;
    const scant_option *table = scant_fit_option_table(&count);
    if (!single) /* many fits have no checkpoint, which the last rows are about */
        count = (size_t)(scant_option_find(table, count, "checkpoint") - table);
    memset(fitting, 0, sizeof *fitting);
    scant_fit_options_preset(&fitting->options);
    call->section[call->nsections++] =
        (cli_section){"The model and its fit", table, count, &fitting->options};
    cli_call_add(call, "Starting elsewhere", more_table, 1, fitting);
    cli_input_add(call, &fitting->input);
    cli_context_add(call, &fitting->input);
}

/* A file that --init names must be there before anything is read. */
static int check_init(const cli_call *call, const char *init)
{
    static const char *const words[] = {"kmeans", "random", "labels"};
    if (!init || !cli_call_given(call, "init"))
        return GO_ON;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(init, words[i]) == 0)
            return GO_ON;
    if (access(init, R_OK) == 0)
        return GO_ON;
    const char *near = cli_nearest(init, words, sizeof words / sizeof *words);
    if (near && errno == ENOENT && !strpbrk(init, "./"))
        return cli_usage_error(call,
                               "--init: there is no way to start and no file called '%s'; did "
                               "you mean '%s'?",
                               init, near);
    return cli_error(call, CLI_INPUT, "--init: %s: %s", init, strerror(errno));
}

int cli_fitting_begin(cli_call *call, cli_fitting *fitting)
{
    scant_fit_options *options = &fitting->options;
    if (options->run.resume && !options->run.checkpoint)
        return cli_usage_error(call, "--resume wants --checkpoint FILE to resume from");
    if (fitting->more.start && cli_call_given(call, "init"))
        return cli_usage_error(call, "--start and --init exclude each other");
    call->threads = options->run.threads;
    fitting->input.guess = true;
    fitting->input.chains = true;
    fitting->input.numbers_stay =
        cli_call_given(call, "family") || cli_call_given(call, "covariance") || fitting->more.start;
    int code = cli_file_check(call, options->run.checkpoint);
    if (code == GO_ON)
        code = check_init(call, options->run.init);
    if (code == GO_ON)
        code = cli_context_check(call, &fitting->input, options->evidence.context_mode);
    if (code == GO_ON && options->model.target)
        code = cli_input_add_feature(call, &fitting->input, options->model.target);
    if (code == GO_ON && fitting->more.start)
        code = cli_model_read(&fitting->start, call, fitting->more.start);
    if (code == GO_ON)
        code = cli_input_read(&fitting->rows, call, &fitting->input, call->operand[0], NULL);
    if (code != GO_ON)
        return code;
    if (!cli_call_given(call, "seed"))
        cli_say(call, "seed %llu (the default)", (unsigned long long)options->run.seed);
    cli_bar_begin(&fitting->bar, call);
    options->run.start = fitting->start;
    options->run.progress = cli_bar_progress;
    options->run.payload = &fitting->bar;
    return GO_ON;
}

scant_fit_options cli_fitting_rest(const cli_fitting *fitting)
{
    scant_fit_options options = fitting->options;
    double left = options.run.time_limit - (cli_seconds() - fitting->bar.begun);
    if (options.run.time_limit > 0)
        options.run.time_limit = fmax(left, DBL_MIN); /* 0 would be no limit */
    return options;
}

int cli_fitting_main(int argc, char **argv, const cli_manual *manual, const cli_section *own,
                     bool single, int (*run)(cli_call *, cli_fitting *, const void *))
{
    cli_call call;
    cli_fitting fitting;
    cli_call_begin(&call, argv[0]);
    cli_call_add(&call, own->title, own->table, own->count, own->options);
    add(&call, &fitting, single);
    int code = cli_call_parse(&call, manual, argc, argv);
    if (code == GO_ON)
        code = run(&call, &fitting, own->options);
    scant_rows_free(fitting.rows);
    scant_model_free(fitting.start);
    cli_call_end(&call);
    return code;
}

int cli_model_write(const cli_call *call, const scant_model *model, const char *path)
{
    scant_status status = scant_model_write(model, path);
    return status == SCANT_OK ? GO_ON : cli_failed(call, status);
}
