/* scant evaluate: a model measured on rows whose labels (or targets) are known. */
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct evaluate_options {
    const char *target, *prior;
} evaluate_options;

#define EVALUATE(field) offsetof(evaluate_options, field)
static const scant_option table[] = {
    {"target", 0, SCANT_OPTION_TEXT, EVALUATE(target), "COL", NULL, 0, 0, NULL,
     "target column of a regression (the model's own)"},
    {"prior", 0, SCANT_OPTION_TEXT, EVALUATE(prior), "PRIOR", NULL, 0, 0, NULL,
     "class proportions of these rows: a=0.3,b=0.7, or the second class's share"},
};

static const cli_manual manual = {
    "MODEL DATA --label COL [options]",
    "Predicts the rows as if they had no labels (but with their --context) and compares: accuracy, "
    "balanced accuracy, log "
    "loss, "
    "Brier score, expected calibration error and the confusion of classes; mean squared error for "
    "a "
    "regression; for sequences precision, recall and F1 of segments. Rows without an exact label "
    "are "
    "left out of the comparison.",
    "scant evaluate crabs.json examples/data/crabs.csv --label sex", 2, 2};

static void print_evaluation(const scant_evaluation *e, const scant_model *model)
{
    cli_line(stdout, "rows", "%zu", e->rows);
    for (size_t m = 0; m < CLI_MEASURES; m++)
        if (!isnan(cli_measure(e, m)))
            cli_line(stdout, cli_measure_name[m], "%.6g", cli_measure(e, m));
    if (!e->classes || !e->confusion)
        return;
    scant_guess guess;
    scant_guess_by(&guess, e->confusion, e->classes);
    cli_print_guess(&guess, scant_model_class_name(model, guess.named));
    printf("\nconfusion (rows: true class, columns: predicted)\n");
    cli_table *out = cli_table_new(e->classes + 1, 1);
    cli_table_add(out, "%s", "");
    for (size_t k = 0; k < e->classes; k++)
        cli_table_add(out, "%s", scant_model_class_name(model, k));
    for (size_t k = 0; k < e->classes; k++) {
        cli_table_add(out, "%s", scant_model_class_name(model, k));
        for (size_t j = 0; j < e->classes; j++)
            cli_table_number(out, e->confusion[k * e->classes + j]);
    }
    cli_table_print(out, stdout);
}

static json_t *to_json(const scant_evaluation *e, const scant_model *model, const scant_rows *rows)
{
    json_t *object = cli_json_evaluation(e, model, rows);
    cli_json_set(object, "of_the_fit", json_boolean(e->of_the_fit));
    if (e->classes && e->confusion) {
        scant_guess guess;
        scant_guess_by(&guess, e->confusion, e->classes);
        const char *name = scant_model_class_name(model, guess.named);
        cli_json_set(object, "guess", cli_json_guess(&guess, name));
    }
    return object;
}

/* What the model can be measured by, and what was asked for, must be the same. A regression's target may be
 * called its label. */
static int check(const cli_call *call, const scant_model *model, cli_input *input,
                 const evaluate_options *options)
{
    const char *target = scant_model_schema(model)->optional; /* of a regression, else NULL */
    if (input->label && target && scant_model_classes(model) == 0 &&
        strcmp(input->label, target) == 0)
        input->label = NULL;
    if (options->target && !target)
        return cli_usage_error(call, "--target: the model is not a regression");
    if (options->target && strcmp(options->target, target) != 0)
        return cli_usage_error(call, "--target: the model's target is '%s', not '%s'", target,
                               options->target);
    if (input->label && scant_model_classes(model) == 0)
        return cli_usage_error(call, "--label: the model has no classes");
    if (!input->label && scant_model_classes(model) > 0 && !target)
        return cli_usage_error(call, "--label COL is needed: the column of true classes");
    return cli_context_check(call, input,
                             cli_context_replaces(input, model) ? "prior" : "likelihood");
}

/* Without labels a regression's target is all there is to compare with: it must be there. */
static int read_rows(scant_rows **out, const cli_call *call, const scant_model *model,
                     const cli_input *input)
{
    scant_schema schema = *scant_model_schema(model);
    if (!input->label)
        schema.optional = NULL;
    return cli_input_read(out, call, input, call->operand[1], &schema);
}

/* A comparison wants something to compare with. */
static int check_compared(const cli_call *call, const scant_evaluation *e, const scant_model *model,
                          const cli_input *input)
{
    const char *target = scant_model_schema(model)->optional;
    if (e->rows == 0 && input->label)
        return cli_error(call, CLI_INPUT, "%s: label column %s: no row has an exact label",
                         call->operand[1], input->label);
    if (e->rows == 0 && target)
        return cli_error(call, CLI_INPUT, "%s: target column %s: no row has a value",
                         call->operand[1], target);
    return GO_ON;
}

static int evaluate(const cli_call *call, const scant_model *model, const scant_rows *rows,
                    const cli_input *input, const evaluate_options *options)
{
    double *prior = NULL;
    int code = options->prior ? cli_prior_read(&prior, call, model, options->prior) : GO_ON;
    if (code != GO_ON)
        return code;
    cli_bar bar;
    cli_bar_begin(&bar, call);
    scant_predict_options how = {.size = sizeof how,
                                 .prior = prior,
                                 .replace = cli_context_replaces(input, model),
                                 .use_labels = input->context.count > 0,
                                 .threads = call->threads,
                                 .progress = cli_bar_progress,
                                 .payload = &bar};
    scant_evaluation evaluation = {0};
    scant_status status = scant_model_evaluate(&evaluation, model, rows, &how);
    cli_bar_end(&bar);
    free(prior);
    if (status != SCANT_OK)
        return cli_failed(call, status);
    code = check_compared(call, &evaluation, model, input);
    if (code == GO_ON && evaluation.of_the_fit)
        cli_say(call,
                "warning: these are the rows that the model was fitted to: on new rows it does "
                "worse; 'scant cv' says how well");
    if (code == GO_ON && call->json) {
        code = cli_json_print(call, to_json(&evaluation, model, rows));
    } else if (code == GO_ON) {
        print_evaluation(&evaluation, model);
        code = EXIT_OK;
    }
    scant_evaluation_clear(&evaluation);
    return code;
}

int cli_evaluate(int argc, char **argv)
{
    cli_call call;
    cli_input input;
    evaluate_options options = {0};
    cli_call_begin(&call, argv[0]);
    cli_call_add(&call, "Measuring", table, sizeof table / sizeof *table, &options);
    cli_input_add(&call, &input);
    cli_context_add(&call, &input);
    int code = cli_call_parse(&call, &manual, argc, argv);
    scant_model *model = NULL;
    scant_rows *rows = NULL;
    if (code == GO_ON)
        code = cli_model_read(&model, &call, call.operand[0]);
    if (code == GO_ON)
        code = check(&call, model, &input, &options);
    if (code == GO_ON)
        cli_chain_input(&input, model);
    input.label_is_truth = true;
    if (code == GO_ON)
        code = read_rows(&rows, &call, model, &input);
    if (code == GO_ON)
        code = evaluate(&call, model, rows, &input, &options);
    scant_rows_free(rows);
    scant_model_free(model);
    cli_call_end(&call);
    return code;
}
