/* scant fit: a mixture from rows with all, some or no labels. */
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct fit_options {
    const char *output;
    bool no_baseline, keep, keep_noise;
    const char *errors; /* NULL: none; "": by information */
    size_t draws;
} fit_options;

enum { FOLDS = 5 }; /* of the comparisons with the fit */

static const scant_option table[] = {
    {"output", 'o', SCANT_OPTION_TEXT, offsetof(fit_options, output), "MODEL", NULL, 0, 0, NULL,
     "write the model here; - is stdout"},
    {"no-baseline", 0, SCANT_OPTION_FLAG, offsetof(fit_options, no_baseline), NULL, NULL, 0, 0,
     NULL,
     "make a single fit and compare it with none: unlabeled rows count with weight 1 where no "
     "other is given, and auto shrinks nothing"},
    {"keep", 0, SCANT_OPTION_FLAG, offsetof(fit_options, keep), NULL, NULL, 0, 0, NULL,
     "use unlabeled rows even where the labeled ones alone do better on held-out labels"},
    {"keep-noise", 0, SCANT_OPTION_FLAG, offsetof(fit_options, keep_noise), NULL, NULL, 0, 0, NULL,
     "keep --label-noise estimate even where trusting labels predicts more of them"},
    {"stderr", 0, SCANT_OPTION_WORD, offsetof(fit_options, errors), "BY", NULL, 0, 0,
     "information|bootstrap",
     "standard errors of all parameters, missing information and EM's rate; by bootstrap: from "
     "fits "
     "to rows drawn from the model"},
    {"draws", 0, SCANT_OPTION_COUNT, offsetof(fit_options, draws), "N", "200", 2, 1e6, NULL,
     "--stderr bootstrap: fits to make"},
};

static const cli_manual manual = {
    "DATA [--label COL] [-k N] [options] -o MODEL",
    "Fits a mixture by EM, or with --sequence a chain of hidden states. Without --label it is a "
    "plain mixture of -k components; with it, "
    "components "
    "belong to classes, and rows without a label help all the same. Missing cells are integrated "
    "out. "
    "The model is written even when the fit stops early (exit 4).",
    "scant fit examples/data/crabs.csv --label sex --features FL,RW,CL,CW,BD -o crabs.json", 1, 1};

/* What a model is compared with. */
typedef struct company {
    scant_comparison baseline; /* labelled rows alone; labeled 0: there is nothing to compare */
    scant_comparison noise;    /* labels taken to be right */
    scant_contrast contrast;   /* other objectives */
    bool contrasted;
    scant_comparison rows; /* of a chain: independent rows */
} company;

static json_t *json_measures(const scant_measures *m)
{
    return json_pack("{s:o, s:o, s:o}", "loglik", cli_json_real(m->loglik), "conditional_loglik",
                     cli_json_real(m->conditional_loglik), "accuracy", cli_json_real(m->accuracy));
}

static void put_contrast(json_t *object, const scant_contrast *c)
{
    cli_json_set(object, "conditional_loglik", cli_json_real(c->fit.conditional_loglik));
    cli_json_set(object, "contrast",
                 json_pack("{s:o, s:o, s:o}", "likelihood", json_measures(&c->likelihood), "fit",
                           json_measures(&c->fit), "logistic", json_measures(&c->logistic)));
}

static void print_measures(const char *name, const scant_measures *m)
{
    if (isnan(m->accuracy))
        cli_line(stdout, name, "no such fit of these rows");
    else
        cli_line(stdout, name, "loglik %.10g, conditional %.10g, accuracy %.4g", m->loglik,
                 m->conditional_loglik, m->accuracy);
}

static void print_contrast(const scant_contrast *c)
{
    print_measures("likelihood's fit", &c->likelihood);
    print_measures("this fit", &c->fit);
    if (isnan(c->logistic.accuracy))
        print_measures("logistic", &c->logistic);
    else
        cli_line(stdout, "logistic", "conditional %.10g, accuracy %.4g",
                 c->logistic.conditional_loglik, c->logistic.accuracy);
}

static json_t *to_json(const scant_model *model, const company *beside, const char *path)
{
    const scant_summary *s = scant_model_summary(model);
    json_t *object = json_pack(
        "{s:I, s:I, s:I, s:o, s:o, s:o, s:I, s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:I, s:I, "
        "s:o}",
        "rows", (json_int_t)s->rows, "labeled", (json_int_t)s->labeled, "components",
        (json_int_t)scant_model_components(model), "classes",
        cli_json_names(scant_model_classes(model), cli_model_class, model), "loglik",
        cli_json_real(s->loglik), "objective", cli_json_real(s->objective), "iterations",
        (json_int_t)s->iterations, "stop", scant_stop_name(s->stop), "bic", cli_json_real(s->bic),
        "icl", cli_json_real(s->icl), "aic", cli_json_real(s->aic), "seconds",
        cli_json_real(s->seconds), "weight", cli_json_real(s->weight), "parameters",
        (json_int_t)s->parameters, "seed", cli_json_seed(s->seed), "starts", (json_int_t)s->starts,
        "best_start", (json_int_t)s->best_start, "warnings", cli_json_warnings(model));
    if (beside->baseline.labeled)
        cli_json_set(object, "baseline", cli_json_comparison(&beside->baseline, "supervised"));
    if (beside->noise.labeled)
        cli_json_set(object, "noise_check", cli_json_comparison(&beside->noise, "trusting"));
    if (beside->contrasted)
        put_contrast(object, &beside->contrast);
    cli_json_chain(object, model);
    if (beside->rows.nfolds || beside->rows.why[0])
        cli_json_set(object, "row_model", cli_json_row_model(&beside->rows));
    if (cli_knows_noise(model))
        cli_json_set(object, "label_noise", cli_json_noise(model));
    if (scant_model_information(model))
        cli_json_set(object, "information", cli_json_information(model));
    if (path)
        cli_json_set(object, "model", cli_json_text(path));
    return object;
}

static void print_classes(const scant_model *model)
{
    size_t count = scant_model_classes(model);
    if (count == 0)
        return;
    printf("%-18s ", "classes");
    for (size_t k = 0; k < count; k++)
        printf("%s%s", k ? ", " : "", scant_model_class_name(model, k));
    putchar('\n');
}

/* A number that the fit was made with. */
static double setting(const scant_model *model, const char *name, double otherwise)
{
    const char *text = scant_model_setting(model, name);
    return text ? strtod(text, NULL) : otherwise;
}

static void print_summary(const cli_call *call, const scant_model *model, const company *beside,
                          const char *path)
{
    const scant_summary *s = scant_model_summary(model);
    cli_line(stdout, "rows", "%zu", s->rows);
    if (s->weight != (double)s->rows)
        cli_line(stdout, "weight", "%.10g", s->weight);
    if (scant_model_classes(model))
        cli_line(stdout, "labeled", "%zu", s->labeled);
    if (s->sequences)
        cli_line(stdout, "sequences", "%zu", s->sequences);
    cli_line(stdout, s->sequences ? "states" : "components", "%zu", scant_model_components(model));
    print_classes(model);
    if (setting(model, "unlabeled-weight", 1) != 1)
        cli_line(stdout, "unlabeled weight", "%s", scant_model_setting(model, "unlabeled-weight"));
    if (setting(model, "shrinkage", 0) > 0)
        cli_line(stdout, "shrinkage", "%s", scant_model_setting(model, "shrinkage"));
    cli_print_training(s);
    if (scant_model_setting(model, "optimizer"))
        cli_line(stdout, "optimizer", "%s, hybrid %s", scant_model_setting(model, "optimizer"),
                 scant_model_setting(model, "hybrid"));
    if (beside->contrasted)
        print_contrast(&beside->contrast);
    cli_line(stdout, "seconds", "%.3g", s->seconds);
    cli_print_baseline(&beside->baseline, model);
    cli_print_row_model(&beside->rows);
    for (size_t i = 0; i < scant_model_warnings(model); i++)
        cli_line(stdout, "warning", "%s", scant_model_warning(model, i));
    cli_print_noise(model);
    cli_print_information(model);
    cli_print_chain(model);
    if (path)
        cli_say_predict(call, path);
}

/* The model's own settings in place of what was to be found out. */
static scant_fit_options settled(const scant_model *model, const cli_fitting *fitting)
{
    scant_fit_options options = cli_fitting_rest(fitting);
    options.evidence.unlabeled_weight = setting(model, "unlabeled-weight", 1);
    options.model.shrinkage = setting(model, "shrinkage", 0);
    options.run.hybrid = setting(model, "hybrid", 0);
    if (!scant_model_setting(model, "objective")) {
        options.run.objective = "likelihood";
        options.run.optimizer = "auto";
    }
    return options;
}

/* What other objectives make of the rows, where the likelihood was not asked for. */
static scant_status contrast(company *beside, const scant_model *model, const cli_fitting *fitting)
{
    const scant_summary *s = scant_model_summary(model);
    scant_fit_options options = settled(model, fitting);
    if (strcmp(fitting->options.run.objective, "conditional") != 0 || s->labeled == 0 ||
        s->stop == SCANT_STOP_TIME || s->stop == SCANT_STOP_INTERRUPTED)
        return SCANT_OK;
    beside->contrasted = true;
    return scant_fit_contrast(&beside->contrast, model, fitting->rows, &options);
}

/* Independent rows compared with a chain, unless the fit was cut short. */
static scant_status compare_rows(company *beside, scant_model *model, const cli_fitting *fitting)
{
    scant_stop stop = scant_model_summary(model)->stop;
    if (!scant_model_states(model) || stop == SCANT_STOP_TIME || stop == SCANT_STOP_INTERRUPTED)
        return SCANT_OK;
    scant_fit_options options = settled(model, fitting);
    return scant_fit_check_chain(&beside->rows, model, fitting->rows, &options, FOLDS);
}

/* Labelled rows alone as a baseline, where there are others too and the fit was not cut short. */
static scant_status compare(company *beside, scant_model *model, const cli_fitting *fitting)
{
    const scant_summary *s = scant_model_summary(model);
    if (s->labeled == 0 || s->labeled == s->rows || s->sequences || s->stop == SCANT_STOP_TIME ||
        s->stop == SCANT_STOP_INTERRUPTED)
        return SCANT_OK;
    scant_fit_options options = settled(model, fitting);
    options.run.start = strcmp(options.model.sharing, "auto") == 0 ? NULL : model;
    if (!scant_model_setting(model, "label-noise"))
        options.evidence.label_noise = NULL;
    scant_status status = scant_fit_compare(&beside->baseline, fitting->rows, &options,
                                            SCANT_RIVAL_SUPERVISED, FOLDS);
    return status == SCANT_OK ? scant_model_keep_baseline(model, &beside->baseline) : status;
}

static bool by_bootstrap(const fit_options *options)
{
    return options->errors && strcmp(options->errors, "bootstrap") == 0;
}

static scant_status inform(scant_model *model, const cli_fitting *fitting,
                           const fit_options *options)
{
    scant_fit_options again = cli_fitting_rest(fitting);
    if (!by_bootstrap(options))
        return scant_model_inform(model, fitting->rows, again.run.threads);
    if (!scant_model_setting(model, "label-noise"))
        again.evidence.label_noise = NULL; /* it was tried, and left */
    return scant_model_bootstrap(model, fitting->rows, &again, options->draws);
}

/* What is to be said before a fit is made. */
static int check(const cli_call *call, const cli_fitting *fitting, const fit_options *options)
{
    if (options->output && strcmp(options->output, "-") == 0 && call->json)
        return cli_usage_error(call, "-o - and --json both want standard output");
    if (cli_call_given(call, "draws") && !by_bootstrap(options))
        return cli_usage_error(call, "--draws wants --stderr bootstrap");
    if (options->errors && fitting->input.sequence)
        return cli_usage_error(call, "--stderr: standard errors are of independent rows, not of "
                                     "--sequence");
    if (options->errors && !by_bootstrap(options) &&
        scant_fit_validate_inform(&fitting->options) != SCANT_OK)
        return cli_usage_error(call, "%s", scant_message());
    return cli_file_check(call, options->output);
}

/* And before the work, once the rows are there: a bootstrap draws whole rows. */
static int check_weights(const cli_call *call, const scant_rows *rows)
{
    for (size_t i = 0; i < scant_rows_count(rows); i++) {
        double w = scant_rows_weight(rows, i);
        if (w != floor(w))
            return cli_usage_error(
                call, "--stderr bootstrap: a weight of %g is no number of rows to draw", w);
    }
    return GO_ON;
}

/* The model is written whatever becomes of its baseline and its standard errors; this tells what did. */
static int tell_rest(const cli_call *call, const scant_model *model, bool baseline_cut,
                     scant_status errors)
{
    scant_stop stop = scant_model_summary(model)->stop;
    int code = cli_stop_code(stop);
    if (stop != SCANT_STOP_CONVERGED)
        cli_say(call, "the fit did not converge (stop: %s)", scant_stop_name(stop));
    if (baseline_cut) {
        cli_say(call, "interrupted: the model has no baseline");
        code = EXIT_STOPPED;
    }
    if (errors == SCANT_ERR_INTERRUPTED)
        code = EXIT_STOPPED;
    return code == EXIT_OK && errors == SCANT_ERR_UNIDENTIFIED
               ? cli_error(call, CLI_UNIDENTIFIED, "%s",
                           scant_model_warning(model, scant_model_warnings(model) - 1))
               : code;
}

/* Standard errors are of a maximum of the likelihood, which nothing chosen on held-out labels is. */
static scant_status fit(scant_model **model, company *beside, const cli_fitting *fitting,
                        const fit_options *options)
{
    if (options->keep_noise)
        return scant_fit(model, fitting->rows, &fitting->options);
    if (options->no_baseline || options->errors)
        return scant_fit_checked(model, &beside->noise, fitting->rows, &fitting->options, FOLDS);
    return scant_fit_safe(model, &beside->baseline, &beside->noise, fitting->rows,
                          &fitting->options, options->keep, FOLDS);
}

static int run(cli_call *call, cli_fitting *fitting, const void *own)
{
    const fit_options *options = own;
    const char *path = options->output;
    bool model_to_stdout = path && strcmp(path, "-") == 0;
    int code = check(call, fitting, options);
    if (code == GO_ON)
        code = cli_fitting_begin(call, fitting);
    if (code == GO_ON && by_bootstrap(options))
        code = check_weights(call, fitting->rows);
    if (code != GO_ON)
        return code;
    scant_model *model = NULL;
    company beside = {0};
    scant_status errors = SCANT_OK, status = fit(&model, &beside, fitting, options);
    if (status == SCANT_OK && !options->no_baseline && !scant_model_baseline(model))
        status = compare(&beside, model, fitting);
    if (status == SCANT_OK)
        status = contrast(&beside, model, fitting);
    if (status == SCANT_OK && !options->no_baseline)
        status = compare_rows(&beside, model, fitting);
    bool baseline_cut = model && status == SCANT_ERR_INTERRUPTED; /* the fit itself is done */
    if (baseline_cut)
        status = SCANT_OK;
    if (status == SCANT_OK && options->errors)
        errors = inform(model, fitting, options);
    if (errors != SCANT_ERR_UNIDENTIFIED && errors != SCANT_ERR_INTERRUPTED && errors != SCANT_OK)
        status = errors;
    cli_bar_end(&fitting->bar);
    if (errors == SCANT_ERR_INTERRUPTED)
        cli_say(call, "%s: the model has no standard errors", scant_message());
    if (status != SCANT_OK) {
        scant_model_free(model);
        return cli_failed(call, status);
    }
    int written = path ? cli_model_write(call, model, path) : GO_ON;
    path = written == GO_ON ? path : NULL; /* what was found is told all the same */
    code = EXIT_OK;
    if (call->json)
        code = cli_json_print(call, to_json(model, &beside, path));
    else if (!model_to_stdout)
        print_summary(call, model, &beside, path);
    code = written == GO_ON ? code : written;
    cli_sketch_fit(call, model);
    if (code == EXIT_OK)
        code = tell_rest(call, model, baseline_cut, errors);
    scant_model_free(model);
    return code;
}

int cli_fit(int argc, char **argv)
{
    fit_options options = {0};
    const cli_section own = {"Result", table, sizeof table / sizeof *table, &options};
    return cli_fitting_main(argc, argv, &manual, &own, true, run);
}
