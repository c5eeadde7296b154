/* scant cv: cross-validation of a fit, fold by fold. */
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct cv_options {
    size_t folds;
    bool no_baseline;
} cv_options;

static const scant_option table[] = {
    {"folds", 0, SCANT_OPTION_COUNT, offsetof(cv_options, folds), "N", "5", 2, 1e6, NULL,
     "number of folds"},
    {"no-baseline", 0, SCANT_OPTION_FLAG, offsetof(cv_options, no_baseline), NULL, NULL, 0, 0, NULL,
     "do not cross-validate the labelled rows alone as a baseline"},
};

static const cli_manual manual = {
    "[MODEL] DATA [--label COL] [--folds N] [--group COL] [options]",
    "Fits on all folds but one and measures on that one, in turn. Folds are stratified by class, "
    "rows of "
    "a --group stay together, and rows without a label stay in training unless their group is held "
    "out. With a MODEL of train or med each fold is trained as it was; options of a fit have no "
    "place then.",
    "scant cv examples/data/crabs.csv --label sex --features FL,RW,CL,CW,BD --folds 5", 1, 2};

typedef struct moments {
    double mean, sd;
    bool any;
} moments;

/* Over the folds that have the measure; the deviation is of single folds (n - 1). */
static moments over_folds(const scant_cv *cv, size_t m)
{
    double n = 0, mean = 0, squares = 0;
    for (size_t f = 0; f < cv->nfolds; f++) {
        double value = cli_measure(&cv->fold[f].evaluation, m);
        if (isnan(value))
            continue;
        double step = value - mean;
        mean += step / ++n;
        squares += step * (value - mean);
    }
    return (moments){n > 0 ? mean : NAN, n > 1 ? sqrt(squares / (n - 1)) : NAN, n > 0};
}

/* By the held-out rows of all folds. */
static scant_guess guess_of(const scant_cv *cv, const scant_rows *rows)
{
    size_t K = scant_rows_classes(rows);
    double *confusion = calloc(K * K + 1, sizeof *confusion);
    for (size_t f = 0; confusion && f < cv->nfolds; f++) {
        const scant_evaluation *e = &cv->fold[f].evaluation;
        for (size_t i = 0; e->confusion && e->classes == K && i < K * K; i++)
            confusion[i] += e->confusion[i];
    }
    scant_guess guess;
    scant_guess_by(&guess, confusion, confusion ? K : 0);
    free(confusion);
    return guess;
}

static json_t *to_json(const scant_cv *cv, const scant_comparison *baseline, const scant_rows *rows)
{
    json_t *folds = json_array(), *mean = json_object(), *sd = json_object();
    for (size_t f = 0; f < cv->nfolds; f++) {
        json_t *fold =
            json_pack("{s:I, s:I, s:I, s:s}", "fold", (json_int_t)(f + 1), "train_rows",
                      (json_int_t)cv->fold[f].train_rows, "test_rows",
                      (json_int_t)cv->fold[f].test_rows, "stop", scant_stop_name(cv->fold[f].stop));
        json_t *evaluation = cli_json_evaluation(&cv->fold[f].evaluation, NULL, rows);
        (void)json_object_update(fold, evaluation);
        json_decref(evaluation);
        (void)json_array_append_new(folds, fold);
    }
    for (size_t m = 0; m < CLI_MEASURES; m++) {
        moments over = over_folds(cv, m);
        if (!over.any)
            continue;
        (void)json_object_set_new(mean, cli_measure_name[m], cli_json_real(over.mean));
        (void)json_object_set_new(sd, cli_measure_name[m], cli_json_real(over.sd));
    }
    json_t *object =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "folds", folds, "mean", mean, "sd", sd,
                  "accuracy", cli_json_real(cv->accuracy), "log_loss", cli_json_real(cv->log_loss),
                  "mean_loglik", cli_json_real(cv->mean_loglik), "mse", cli_json_real(cv->mse));
    if (scant_rows_sequences(rows) && (baseline->nfolds || baseline->why[0]))
        cli_json_set(object, "row_model", cli_json_row_model(baseline));
    else if (baseline->labeled)
        cli_json_set(object, "baseline", cli_json_comparison(baseline, "supervised"));
    const scant_guess guess = guess_of(cv, rows);
    if (!isnan(guess.accuracy))
        cli_json_set(object, "guess",
                     cli_json_guess(&guess, scant_rows_class_name(rows, guess.named)));
    return object;
}

static void print_table(const scant_cv *cv)
{
    moments over[CLI_MEASURES];
    size_t shown = 0;
    for (size_t m = 0; m < CLI_MEASURES; m++) {
        over[m] = over_folds(cv, m);
        shown += over[m].any;
    }
    cli_table *out = cli_table_new(4 + shown, 1);
    cli_table_add(out, "fold");
    cli_table_add(out, "train");
    cli_table_add(out, "test");
    for (size_t m = 0; m < CLI_MEASURES; m++)
        if (over[m].any)
            cli_table_add(out, "%s", cli_measure_name[m]);
    cli_table_add(out, "stop");
    for (size_t f = 0; f < cv->nfolds; f++) {
        cli_table_add(out, "%zu", f + 1);
        cli_table_add(out, "%zu", cv->fold[f].train_rows);
        cli_table_add(out, "%zu", cv->fold[f].test_rows);
        for (size_t m = 0; m < CLI_MEASURES; m++)
            if (over[m].any)
                cli_table_number(out, cli_measure(&cv->fold[f].evaluation, m));
        cli_table_add(out, "%s", scant_stop_name(cv->fold[f].stop));
    }
    for (int deviation = 0; deviation < 2; deviation++) {
        cli_table_add(out, deviation ? "sd" : "mean");
        cli_table_add(out, "%s", "");
        cli_table_add(out, "%s", "");
        for (size_t m = 0; m < CLI_MEASURES; m++)
            if (over[m].any)
                cli_table_number(out, deviation ? over[m].sd : over[m].mean);
        cli_table_add(out, "%s", "");
    }
    cli_table_print(out, stdout);
}

static size_t count_stopped(const scant_cv *cv, scant_stop why)
{
    size_t count = 0;
    for (size_t f = 0; f < cv->nfolds; f++)
        count += cv->fold[f].stop == why;
    return count;
}

/* What is cross-validated: fits with options, or a model's own training. */
typedef struct validating {
    const cli_fitting *fitting;
    const scant_model *model; /* or NULL */
    const scant_rows *rows;
    size_t folds;
} validating;

static scant_status validate(scant_cv *out, const validating *v, bool labelled_only)
{
    scant_fit_options options = labelled_only ? cli_fitting_rest(v->fitting) : v->fitting->options;
    if (v->model)
        return scant_cv_model(out, v->model, v->rows, v->folds, labelled_only,
                              options.run.time_limit, options.run.threads);
    return labelled_only ? scant_cv_fit_supervised(out, v->rows, &options, v->folds)
                         : scant_cv_fit(out, v->rows, &options, v->folds);
}

/* The same folds with labelled rows alone, where there are others, and time for them. */
static scant_status compare(scant_comparison *out, const scant_cv *cv, const validating *v)
{
    scant_cv supervised = {0};
    size_t labeled = scant_rows_labeled(v->rows);
    *out = (scant_comparison){0};
    if (scant_rows_sequences(v->rows) &&
        !v->model) { /* there the rival is what rows say by themselves */
        scant_fit_options options = cli_fitting_rest(v->fitting);
        return scant_fit_compare(out, v->rows, &options, SCANT_RIVAL_ROWS, v->folds);
    }
    if (labeled == 0 || labeled == scant_rows_count(v->rows))
        return SCANT_OK;
    scant_status status = SCANT_OK;
    if (count_stopped(cv, SCANT_STOP_TIME) == 0)
        status = validate(&supervised, v, true);
    out->labeled = labeled;
    if (status == SCANT_OK)
        scant_cv_compare(out, cv, &supervised);
    else
        (void)snprintf(out->why, sizeof out->why, "%s", scant_message());
    scant_cv_clear(&supervised);
    return status == SCANT_ERR_INPUT || status == SCANT_ERR_UNIDENTIFIED ? SCANT_OK : status;
}

static int tell(const cli_call *call, const scant_cv *cv, const scant_comparison *baseline,
                const scant_rows *rows)
{
    if (call->json)
        return cli_json_print(call, to_json(cv, baseline, rows));
    print_table(cv);
    if (scant_rows_sequences(rows))
        cli_print_row_model(baseline);
    else
        cli_print_baseline(baseline, NULL);
    const scant_guess guess = guess_of(cv, rows);
    if (guess.better)
        cli_print_guess(&guess, scant_rows_class_name(rows, guess.named));
    return EXIT_OK;
}

static int measure(cli_call *call, cli_fitting *fitting, const validating *v, bool no_baseline)
{
    scant_cv cv = {0};
    scant_status status = validate(&cv, v, false);
    scant_comparison baseline = {0};
    if (status == SCANT_OK && !no_baseline)
        status = compare(&baseline, &cv, v);
    bool baseline_cut = baseline.labeled && status == SCANT_ERR_INTERRUPTED; /* the rest is done */
    if (baseline_cut)
        status = SCANT_OK;
    cli_bar_end(&fitting->bar);
    if (status != SCANT_OK) {
        scant_cv_clear(&cv);
        return cli_failed(call, status);
    }
    int code = tell(call, &cv, &baseline, v->rows);
    size_t stopped = cv.nfolds - count_stopped(&cv, SCANT_STOP_CONVERGED);
    if (code == EXIT_OK && stopped) {
        cli_say(call, "%zu of %zu folds did not converge", stopped, cv.nfolds);
        code = EXIT_STOPPED;
    }
    if (code == EXIT_OK && baseline_cut) {
        cli_say(call, "interrupted: there is no baseline");
        code = EXIT_STOPPED;
    }
    scant_cv_clear(&cv);
    return code;
}

/* A model brings its settings along: what says how to fit is refused, not passed over. */
static int check_options(const cli_call *call)
{
    static const char *const free_ones[] = {"threads", "time-limit", "start"};
    size_t count;
    const scant_option *of_fit = scant_fit_option_table(&count);
    for (size_t i = 0; i < count; i++) {
        bool taken = false;
        for (size_t f = 0; f < sizeof free_ones / sizeof *free_ones; f++)
            taken |= strcmp(of_fit[i].name, free_ones[f]) == 0;
        if (!taken && cli_call_given(call, of_fit[i].name))
            return cli_usage_error(call,
                                   "--%s is of a fit; a model is trained again as it was "
                                   "('scant train' and 'scant med' have its options)",
                                   of_fit[i].name);
    }
    return cli_call_given(call, "start") || cli_call_given(call, "context")
               ? cli_usage_error(
                     call,
                     "--start and --context are of a fit, not of a model that is trained again")
               : GO_ON;
}

static int run_model(cli_call *call, cli_fitting *fitting, const cv_options *options)
{
    scant_model *model = NULL;
    int code = check_options(call);
    if (code == GO_ON && strcmp(call->operand[0], "-") == 0 && strcmp(call->operand[1], "-") == 0)
        code = cli_usage_error(call, "MODEL and DATA cannot both be standard input");
    if (code == GO_ON)
        code = cli_model_read(&model, call, call->operand[0]);
    if (code == GO_ON)
        code = cli_input_read(&fitting->rows, call, &fitting->input, call->operand[1],
                              scant_model_schema(model));
    if (code == GO_ON) {
        const validating v = {fitting, model, fitting->rows, options->folds};
        cli_bar_begin(&fitting->bar, call);
        code = measure(call, fitting, &v, options->no_baseline);
    }
    scant_model_free(model);
    return code;
}

static int run(cli_call *call, cli_fitting *fitting, const void *own)
{
    const cv_options *options = own;
    if (call->noperands == 2)
        return run_model(call, fitting, options);
    int code = cli_fitting_begin(call, fitting);
    if (code != GO_ON)
        return code;
    const validating v = {fitting, NULL, fitting->rows, options->folds};
    return measure(call, fitting, &v, options->no_baseline);
}

int cli_cv(int argc, char **argv)
{
    cv_options options = {0};
    const cli_section own = {"Folds", table, sizeof table / sizeof *table, &options};
    return cli_fitting_main(argc, argv, &manual, &own, false, run);
}
