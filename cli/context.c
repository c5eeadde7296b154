/* scant context: class probabilities of rows from what is known of their contexts. */
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct context_options {
    const char *prior, *observed, *given, *likelihood, *class_prior, *output;
} context_options;

#define CONTEXT(field) offsetof(context_options, field)
static const scant_option table[] = {
    {"prior", 0, SCANT_OPTION_TEXT, CONTEXT(prior), "FILE", NULL, 0, 0, NULL,
     "p(context) of each row: a column p_<context> a context, a row a row"},
    {"observed", 0, SCANT_OPTION_TEXT, CONTEXT(observed), "COL", NULL, 0, 0, NULL,
     "column of DATA that names each row's context"},
    {"given", 0, SCANT_OPTION_TEXT, CONTEXT(given), "FILE", NULL, 0, 0, NULL,
     "p(class|context): a row a context, named in a column 'context', a column p_<class> a class"},
    {"likelihood", 0, SCANT_OPTION_TEXT, CONTEXT(likelihood), "FILE", NULL, 0, 0, NULL,
     "p(context|class): a row a class, named in a column 'class', a column p_<context> a context"},
    {"class-prior", 0, SCANT_OPTION_TEXT, CONTEXT(class_prior), "PRIOR", NULL, 0, 0, NULL,
     "with --likelihood: class proportions a=0.3,b=0.7, to make p(class|context) of it"},
    {"output", 'o', SCANT_OPTION_TEXT, CONTEXT(output), "CSV", "-", 0, 0, NULL,
     "write the probabilities here; - is stdout"},
};

static const cli_manual manual = {
    "[DATA --observed COL | --prior FILE] [--given FILE | --likelihood FILE] [-o CSV]",
    "Writes p_<class> for every class and a row's negentropy, which is 0 where the context tells "
    "nothing and 1 where it tells the class; other commands take the file as --context. With "
    "--given the probabilities replace the classes' proportions (--context-mode prior), summed "
    "over contexts where these are only probable (--prior). With --likelihood they weigh the "
    "proportions (--context-mode likelihood), unless --class-prior makes p(class|context) of them. "
    "A "
    "row whose context is missing has empty cells.",
    "scant context examples/data/crabs.csv --observed sp --given "
    "examples/data/sex_given_species.csv -o hints.csv",
    0, 1};

static bool is_stdin(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static int check(const cli_call *call, const context_options *o)
{
    const char *data = call->noperands ? call->operand[0] : NULL;
    if (!o->prior == !o->observed)
        return cli_usage_error(call, "one of --prior FILE and --observed COL is needed");
    if (!o->given == !o->likelihood)
        return cli_usage_error(call, "one of --given FILE and --likelihood FILE is needed");
    if (!o->observed != !data)
        return cli_usage_error(call, "--observed COL is a column of DATA, and --prior wants none");
    if (o->class_prior && !o->likelihood)
        return cli_usage_error(call, "--class-prior is for --likelihood");
    if (o->prior && o->likelihood && !o->class_prior)
        return cli_usage_error(call, "--likelihood without --class-prior wants observed contexts: "
                                     "over latent ones it says nothing");
    if (is_stdin(data) + is_stdin(o->prior) + is_stdin(o->given) + is_stdin(o->likelihood) > 1)
        return cli_usage_error(call, "only one file can be standard input");
    if (call->json && cli_call_given(call, "output") && is_stdin(o->output))
        return cli_usage_error(call, "-o - and --json both want standard output");
    return GO_ON;
}

/* p(class|context) */
static scant_status read_given(scant_rows **out, const cli_call *call, const context_options *o)
{
    scant_read_options how = {.size = sizeof how, .probabilities = true, .threads = call->threads};
    if (o->given) {
        how.id = "context";
        how.id_optional = true;
        return scant_rows_read(out, o->given, &how);
    }
    how.id = "class";
    scant_rows *likelihood = NULL;
    scant_status status = scant_rows_read(&likelihood, o->likelihood, &how);
    if (status == SCANT_OK)
        status = scant_context_invert(out, likelihood, o->class_prior);
    scant_rows_free(likelihood);
    return status;
}

static scant_status make(scant_rows **out, const cli_call *call, const context_options *o)
{
    scant_rows *contexts = NULL, *given = NULL;
    scant_read_options how = {.size = sizeof how, .probabilities = true, .threads = call->threads};
    if (o->observed)
        how = (scant_read_options){.size = sizeof(scant_read_options),
                                   .features = &o->observed,
                                   .nfeatures = 1,
                                   .categorical = &o->observed,
                                   .ncategorical = 1,
                                   .threads = call->threads};
    scant_status status = read_given(&given, call, o);
    if (status == SCANT_OK)
        status = scant_rows_read(&contexts, o->observed ? call->operand[0] : o->prior, &how);
    if (status == SCANT_OK)
        status = o->observed ? scant_context_observed(out, contexts, given)
                             : scant_context_latent(out, contexts, given);
    scant_rows_free(contexts);
    scant_rows_free(given);
    return status;
}

typedef struct summary {
    size_t rows, classes, empty;
    double negentropy; /* mean over rows */
    const char *contexts, *mode;
} summary;

static void read_row(double *p, const scant_rows *labels, size_t row)
{
    for (size_t k = 0; k < scant_rows_columns(labels); k++)
        p[k] = scant_rows_value(labels, row, k);
}

static summary summarise(const scant_rows *labels, double *p, const context_options *o)
{
    summary s = {.rows = scant_rows_count(labels),
                 .classes = scant_rows_columns(labels),
                 .contexts = o->observed ? "observed" : "latent",
                 .mode = o->given || o->class_prior ? "prior" : "likelihood"};
    for (size_t i = 0; i < s.rows; i++) {
        read_row(p, labels, i);
        s.negentropy += scant_negentropy(p, s.classes) / (double)s.rows;
        s.empty += isnan(p[0]) != 0;
    }
    return s;
}

static int write_csv(const cli_call *call, const scant_rows *labels, double *p, const char *path)
{
    cli_file file;
    int code = cli_file_open(&file, call, path);
    if (code != GO_ON)
        return code;
    size_t K = scant_rows_columns(labels);
    for (size_t k = 0; k < K; k++) {
        cli_csv_text(file.stream, scant_rows_column_name(labels, k));
        fputc(',', file.stream);
    }
    fputs("negentropy\n", file.stream);
    for (size_t i = 0; i < scant_rows_count(labels); i++) {
        read_row(p, labels, i);
        for (size_t k = 0; k < K; k++) {
            cli_csv_number(file.stream, p[k]);
            fputc(',', file.stream);
        }
        cli_csv_number(file.stream, scant_negentropy(p, K));
        fputc('\n', file.stream);
    }
    return cli_file_close(&file, call, EXIT_OK);
}

/* The class behind a column p_<class>. */
static const char *class_of(const void *labels, size_t index)
{
    return scant_rows_column_name(labels, index) + strlen("p_");
}

static int tell(const cli_call *call, const scant_rows *labels, const summary *s, const char *path)
{
    if (call->json) {
        json_t *object = json_pack("{s:I, s:o, s:s, s:s, s:o, s:I}", "rows", (json_int_t)s->rows,
                                   "classes", cli_json_names(s->classes, class_of, labels),
                                   "contexts", s->contexts, "context_mode", s->mode, "negentropy",
                                   cli_json_real(s->negentropy), "empty", (json_int_t)s->empty);
        if (path)
            cli_json_set(object, "output", cli_json_text(path));
        return cli_json_print(call, object);
    }
    if (!path || is_stdin(path)) {
        cli_say(call, "negentropy %.6g on average over %zu rows", s->negentropy, s->rows);
        return EXIT_OK;
    }
    cli_line(stdout, "rows", "%zu", s->rows);
    cli_line(stdout, "contexts", "%s", s->contexts);
    if (s->empty)
        cli_line(stdout, "empty", "%zu", s->empty);
    cli_line(stdout, "negentropy", "%.6g", s->negentropy);
    char room[CLI_WORD];
    printf("\nuse with: --context %s --context-mode %s\n",
           scant_shell_word(room, sizeof room, path), s->mode);
    return EXIT_OK;
}

static int run(const cli_call *call, const context_options *options)
{
    scant_rows *labels = NULL;
    int code = check(call, options);
    if (code != GO_ON)
        return code;
    scant_status status = make(&labels, call, options);
    if (status != SCANT_OK)
        return cli_failed(call, status);
    const char *path = cli_call_given(call, "output") ? options->output : NULL;
    double *p = calloc(scant_rows_columns(labels), sizeof *p);
    if (!p)
        code = cli_out_of_memory(call);
    if (p) {
        summary s = summarise(labels, p, options);
        code = path || !call->json ? write_csv(call, labels, p, path) : EXIT_OK;
        if (code == EXIT_OK)
            code = tell(call, labels, &s, path);
    }
    free(p);
    scant_rows_free(labels);
    return code;
}

int cli_context(int argc, char **argv)
{
    cli_call call;
    context_options options = {0};
    cli_call_begin(&call, argv[0]);
    cli_call_add(&call, "Contexts", table, sizeof table / sizeof *table, &options);
    int code = cli_call_parse(&call, &manual, argc, argv);
    if (code == GO_ON)
        code = run(&call, &options);
    cli_call_end(&call);
    return code;
}
