/* scant select: a fit for each number of components and covariance, the best marked. */
#include "command.h"

#include <string.h>

typedef struct select_options {
    const char *components, *covariance, *by, *output;
    size_t folds;
} select_options;

#define SELECT(field) offsetof(select_options, field)
static const scant_option table[] = {
    {"components", 'k', SCANT_OPTION_TEXT, SELECT(components), "A:B", "1:9", 0, 0, NULL,
     "numbers of components: 1:10, 1:4/class or 1,2,4"},
    {"covariance", 0, SCANT_OPTION_TEXT, SELECT(covariance), "LIST", "all", 0, 0, NULL,
     "covariances to try: all, or some of full,diag,spherical,tied,tied-diag,tied-spherical"},
    {"by", 0, SCANT_OPTION_CHOICE, SELECT(by), "SCORE", "bic", 0, 0, "bic|icl|aic|cv",
     "what is compared; smaller is better"},
    {"folds", 0, SCANT_OPTION_COUNT, SELECT(folds), "N", "5", 2, 1e6, NULL, "folds of --by cv"},
    {"output", 'o', SCANT_OPTION_TEXT, SELECT(output), "MODEL", NULL, 0, 0, NULL,
     "write the best model here; - is stdout"},
};

static const cli_manual manual = {
    "DATA [--label COL] [-k A:B] [--covariance LIST] [--by SCORE] [-o MODEL]",
    "Fits one mixture for each number of components and covariance and compares them. The best is "
    "marked with *, and goes to -o.",
    "scant select examples/data/faithful.csv -k 1:4 --covariance full,tied", 1, 1};

static json_t *candidate_json(const scant_candidate *c, bool best)
{
    json_t *object = json_pack("{s:s, s:s, s:b}", "components", c->components, "covariance",
                               c->covariance, "best", best);
    if (c->failed) {
        (void)json_object_set_new(object, "failed", cli_json_text(c->why));
        return object;
    }
    const scant_summary *s = &c->summary;
    json_t *more =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:s, s:b}", "score",
                  cli_json_real(c->score), "loglik", cli_json_real(s->loglik), "bic",
                  cli_json_real(s->bic), "icl", cli_json_real(s->icl), "aic", cli_json_real(s->aic),
                  "cv_loglik", cli_json_real(c->cv_loglik), "cv_error", cli_json_real(c->cv_error),
                  "parameters", (json_int_t)s->parameters, "iterations", (json_int_t)s->iterations,
                  "stop", scant_stop_name(s->stop), "healthy", c->healthy);
    (void)json_object_update(object, more);
    json_decref(more);
    return object;
}

static json_t *to_json(const scant_selection *selection, const char *by)
{
    json_t *list = json_array();
    for (size_t i = 0; i < selection->ncandidates; i++)
        (void)json_array_append_new(list,
                                    candidate_json(&selection->candidate[i], i == selection->best));
    json_t *best = selection->best < selection->ncandidates
                       ? json_deep_copy(json_array_get(list, selection->best))
                       : json_null();
    return json_pack("{s:s, s:o, s:o, s:I, s:s}", "by", by, "candidates", list, "best", best,
                     "untried", (json_int_t)selection->untried, "stop",
                     scant_stop_name(selection->stop));
}

static void print_table(const scant_selection *selection, const char *by)
{
    bool cv = strcmp(by, "cv") == 0;
    static const char *const plain[] = {"",    "components", "covariance", "loglik", "parameters",
                                        "bic", "icl",        "aic",        "stop",   "note"};
    static const char *const held_out[] = {"",           "components", "covariance", "loglik",
                                           "parameters", "bic",        "cv_loglik",  "cv_error",
                                           "stop",       "note"};
    cli_table *out = cli_table_new(10, 1);
    for (size_t i = 0; i < 10; i++)
        cli_table_add(out, "%s", cv ? held_out[i] : plain[i]);
    for (size_t i = 0; i < selection->ncandidates; i++) {
        const scant_candidate *c = &selection->candidate[i];
        const scant_summary *s = &c->summary;
        cli_table_add(out, "%s", i == selection->best ? "*" : "");
        cli_table_add(out, "%s", c->components);
        cli_table_add(out, "%s", c->covariance);
        if (c->failed) {
            for (size_t j = 3; j < 9; j++)
                cli_table_add(out, "-");
            cli_table_add(out, "%s", c->why);
            continue;
        }
        cli_table_add(out, "%.3f", s->loglik);
        cli_table_add(out, "%zu", s->parameters);
        cli_table_add(out, "%.3f", s->bic);
        if (cv) {
            cli_table_number(out, c->cv_loglik);
            cli_table_number(out, c->cv_error);
        } else {
            cli_table_add(out, "%.3f", s->icl);
            cli_table_add(out, "%.3f", s->aic);
        }
        cli_table_add(out, "%s", scant_stop_name(s->stop));
        cli_table_add(out, "%s", c->healthy ? "" : "unhealthy");
    }
    cli_table_print(out, stdout);
}

static int report(const cli_call *call, const scant_selection *selection, const scant_model *model,
                  const select_options *options)
{
    bool model_to_stdout = options->output && strcmp(options->output, "-") == 0;
    int code = EXIT_OK;
    if (call->json)
        code = cli_json_print(call, to_json(selection, options->by));
    else if (!model_to_stdout)
        print_table(selection, options->by);
    if (selection->best >= selection->ncandidates)
        return cli_error(call, CLI_UNIDENTIFIED, "none of the %zu candidates could be fitted",
                         selection->ncandidates);
    if (code == EXIT_OK && options->output && model) {
        code = cli_model_write(call, model, options->output);
        if (code != GO_ON)
            return code;
        code = EXIT_OK;
    }
    scant_stop stop = selection->candidate[selection->best].summary.stop;
    if (selection->untried)
        cli_say(call, "%zu of %zu candidates were not tried (stop: %s)", selection->untried,
                selection->ncandidates + selection->untried, scant_stop_name(selection->stop));
    if (code == EXIT_OK && stop != SCANT_STOP_CONVERGED)
        cli_say(call, "the best fit did not converge (stop: %s)", scant_stop_name(stop));
    return code == EXIT_OK ? cli_stop_code(selection->stop) : code;
}

static int run(cli_call *call, cli_fitting *fitting, const void *own)
{
    const select_options *options = own;
    if (options->output && strcmp(options->output, "-") == 0 && call->json)
        return cli_usage_error(call, "-o - and --json both want standard output");
    int code = cli_file_check(call, options->output);
    if (code == GO_ON)
        code = cli_fitting_begin(call, fitting);
    if (code != GO_ON)
        return code;
    scant_selection selection = {0};
    scant_model *model = NULL;
    scant_status status =
        scant_select(&selection, options->output ? &model : NULL, fitting->rows, &fitting->options,
                     options->components, options->covariance, options->by, options->folds);
    cli_bar_end(&fitting->bar);
    code = status == SCANT_OK ? report(call, &selection, model, options) : cli_failed(call, status);
    scant_model_free(model);
    scant_selection_clear(&selection);
    return code;
}

int cli_select(int argc, char **argv)
{
    select_options options = {0};
    const cli_section own = {"Choosing", table, sizeof table / sizeof *table, &options};
    return cli_fitting_main(argc, argv, &manual, &own, false, run);
}
