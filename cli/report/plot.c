/* scant plot: one picture of a model, an audit, a plan or factors. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

typedef struct plot_options {
    const char *output;
    cli_subject_options what;
} plot_options;

static const scant_option table[] = {
    {"output", 'o', SCANT_OPTION_TEXT, offsetof(plot_options, output), "PICTURE", NULL, 0, 0, NULL,
     "write the picture here: .svg, .png or .pdf"},
};

const cli_kind *const cli_kinds[] = {&cli_map,
                                     &cli_profiles,
                                     &cli_density,
                                     &cli_composition,
                                     &cli_convergence,
                                     &cli_errors,
                                     &cli_weights,
                                     &cli_calibration,
                                     &cli_region,
                                     &cli_predictors,
                                     &cli_factor_profiles,
                                     &cli_path,
                                     &cli_cumulative,
                                     &cli_roc,
                                     NULL};

const cli_kind *cli_kind_find(const char *name)
{
    for (size_t i = 0; cli_kinds[i]; i++)
        if (strcmp(cli_kinds[i]->name, name) == 0)
            return cli_kinds[i];
    return NULL;
}

static const cli_manual manual = {
    "KIND MODEL [DATA] [options] -o PICTURE",
    "Draws one of the pictures of scant report. MODEL is a model file, what audit --json or plan "
    "--json printed, or the folder of factor -o. Wants gnuplot (Debian: gnuplot-nox).",
    "scant plot map crabs.json examples/data/crabs.csv --label sex -o map.svg", 2, 3};

static int unknown_kind(const cli_call *call, const char *name)
{
    const char *names[sizeof cli_kinds / sizeof *cli_kinds];
    size_t count = 0;
    for (; cli_kinds[count]; count++)
        names[count] = cli_kinds[count]->name;
    const char *near = cli_nearest(name, names, count);
    if (near)
        return cli_usage_error(call, "there is no picture '%s'; did you mean '%s'?", name, near);
    return cli_usage_error(call, "there is no picture '%s'", name);
}

static int draw(const cli_call *call, const cli_kind *kind, const cli_subject *s, const char *path)
{
    cli_picture picture;
    const char *why = kind->lacks(s);
    if (why)
        return cli_error(call, CLI_INPUT, "there is no picture '%s' of %s: %s", kind->name, s->path,
                         why);
    int code = cli_picture_begin(&picture) && kind->draw(&picture, s)
                   ? cli_picture_write(call, &picture, path)
                   : cli_out_of_memory(call);
    cli_picture_clear(&picture);
    return code;
}

static int run(const cli_call *call, const plot_options *options)
{
    cli_subject subject = {0};
    const cli_kind *kind = cli_kind_find(call->operand[0]);
    if (!kind)
        return unknown_kind(call, call->operand[0]);
    if (!options->output)
        return cli_usage_error(call, "-o PICTURE is needed");
    int code = cli_picture_check(call, options->output);
    if (code == GO_ON)
        code = cli_subject_read(&subject, call, &options->what, call->operand[1],
                                call->noperands > 2 ? call->operand[2] : NULL);
    if (code == GO_ON)
        code = draw(call, kind, &subject, options->output);
    cli_subject_clear(&subject);
    if (code == EXIT_OK && call->json)
        code =
            cli_json_print(call, json_pack("{s:o, s:s}", "output", cli_json_text(options->output),
                                           "picture", kind->name));
    else if (code == EXIT_OK)
        cli_line(stdout, "picture", "%s", options->output);
    return code;
}

int cli_plot(int argc, char **argv)
{
    cli_call call;
    plot_options options = {0};
    cli_topic kinds[sizeof cli_kinds / sizeof *cli_kinds];
    cli_call_begin(&call, argv[0]);
    for (size_t i = 0; cli_kinds[i]; i++)
        kinds[call.ntopics++] = (cli_topic){cli_kinds[i]->name, cli_kinds[i]->about};
    call.topics = "Kinds";
    call.topic = kinds;
    cli_call_add(&call, "The picture", table, sizeof table / sizeof *table, &options);
    cli_subject_add(&call, &options.what);
    int code = cli_call_parse(&call, &manual, argc, argv);
    if (code == GO_ON)
        code = run(&call, &options);
    cli_call_end(&call);
    return code;
}
