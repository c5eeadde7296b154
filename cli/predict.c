/* scant predict: what a model says of rows, as CSV. */
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct predict_options {
    const char *output, *prior;
    double reject, unlabeled_smoothing;
    size_t digits;
    bool components, use_labels, scores;
    const char *reference, *decode;
} predict_options;

#define PREDICT(field) offsetof(predict_options, field)
static const scant_option table[] = {
    {"output", 'o', SCANT_OPTION_TEXT, PREDICT(output), "CSV", "-", 0, 0, NULL,
     "write the predictions here; - is stdout"},
    {"prior", 0, SCANT_OPTION_TEXT, PREDICT(prior), "PRIOR", NULL, 0, 0, NULL,
     "class proportions of these rows: a=0.3,b=0.7, or the second class's share"},
    {"reject", 0, SCANT_OPTION_REAL, PREDICT(reject), "P", NULL, 0, 1, NULL,
     "leave the label empty where the best class has a probability below P"},
    {"unlabeled-smoothing", 0, SCANT_OPTION_REAL, PREDICT(unlabeled_smoothing), "W", NULL, 0, 1,
     NULL, "em3 models: weight of unlabeled mass, as evenly labeled [the model's]"},
    {"digits", 0, SCANT_OPTION_COUNT, PREDICT(digits), "N", "6", 1, 17, NULL,
     "significant digits of probabilities, 4 more of other numbers; 17: all"},
    {"components", 0, SCANT_OPTION_FLAG, PREDICT(components), NULL, NULL, 0, 0, NULL,
     "add the probability of each component"},
    {"use-labels", 0, SCANT_OPTION_FLAG, PREDICT(use_labels), NULL, NULL, 0, 0, NULL,
     "take the evidence of the --label column into account"},
    {"decode", 0, SCANT_OPTION_CHOICE, PREDICT(decode), "D", "posterior", 0, 0,
     "posterior|viterbi|filter",
     "chains: each step given its sequence, the likeliest path, or each step given those up to it"},
    {"fisher-scores", 0, SCANT_OPTION_FLAG, PREDICT(scores), NULL, NULL, 0, 0, NULL,
     "add each row's score vector, whitened by the information: features of a Fisher kernel"},
    {"fisher-rows", 0, SCANT_OPTION_TEXT, PREDICT(reference), "FILE", NULL, 0, 0, NULL,
     "rows whose information whitens the scores, such as those of the fit (default: DATA)"},
};

static const cli_manual manual = {
    "MODEL DATA [-o CSV] [options]",
    "Writes a line for each row: label, p_<class> for every class, support (the share of the row's "
    "probability on components that saw labels) and loglik. A model without classes gives "
    "component, p_1, "
    "p_2, ... and loglik; a regression adds prediction. Columns are found by name.",
    "scant predict crabs.json examples/data/crabs.csv -o predicted.csv", 2, 2};

static json_t *to_json(const cli_answers *p, const scant_model *model, const char *path,
                       double reject)
{
    size_t K = p->nclasses, M = p->ncomponents, wide = K ? K : M, rejected = 0;
    const double *probability = K ? p->classes : p->components;
    size_t *count = calloc(wide + 1, sizeof *count);
    double loglik = 0, support = 0;
    for (size_t i = 0; count && i < p->n; i++) {
        size_t best = cli_best_of(probability + i * wide, wide);
        if (probability[i * wide + best] < reject)
            rejected++;
        else
            count[best]++;
        loglik += p->loglik[i];
        support += p->support ? p->support[i] : 0;
    }
    json_t *counts = json_object();
    for (size_t k = 0; count && k < wide; k++) {
        char number[32];
        (void)snprintf(number, sizeof number, "%zu", k + 1);
        cli_json_set(counts, K ? scant_model_class_name(model, k) : number,
                     json_integer((json_int_t)count[k]));
    }
    free(count);
    json_t *object = json_pack("{s:I, s:I, s:o, s:o}", "rows", (json_int_t)p->n, "rejected",
                               (json_int_t)rejected, "counts", counts, "mean_loglik",
                               p->n ? cli_json_real(loglik / (double)p->n) : json_null());
    if (p->support && p->n)
        (void)json_object_set_new(object, "mean_support", cli_json_real(support / (double)p->n));
    if (path)
        (void)json_object_set_new(object, "output", cli_json_text(path));
    return object;
}

static int write_csv(const cli_call *call, const cli_answers *p, const scant_model *model,
                     const scant_rows *rows, const cli_input *input, const predict_options *options)
{
    cli_file file;
    int code = cli_file_open(&file, call, options->output);
    if (code != GO_ON)
        return code;
    bool id = input->id && scant_rows_id(rows, 0);
    cli_answers_header(file.stream, p, model, id ? input->id : NULL);
    size_t rejected = cli_answers_write(file.stream, p, model, rows, id, options->reject);
    code = cli_file_close(&file, call, EXIT_OK);
    if (code == EXIT_OK && rejected)
        cli_say(call, "%zu of %zu rows are doubtful and have no label", rejected, p->n);
    return code;
}

/* Scores of the rows, whitened by those of --fisher-rows, or by their own. */
static int score(scant_scores *out, const cli_call *call, const scant_model *model,
                 const scant_rows *rows, const cli_input *input, const predict_options *options,
                 const scant_predict_options *how)
{
    scant_rows *reference = NULL;
    int code = GO_ON;
    if (options->reference)
        code =
            cli_input_read(&reference, call, input, options->reference, scant_model_schema(model));
    if (code == GO_ON) {
        scant_status status = scant_model_scores(out, model, rows, reference, how);
        code = status == SCANT_OK ? GO_ON : cli_failed(call, status);
    }
    if (code == GO_ON && out->silent)
        cli_say(call, "%zu of %zu directions of the scores have no information and are left at 0",
                out->silent, out->count);
    scant_rows_free(reference);
    return code;
}

static int predict(const cli_call *call, const scant_model *model, const scant_rows *rows,
                   const cli_input *input, const predict_options *options)
{
    cli_bar bar;
    cli_bar_begin(&bar, call);
    double *prior = NULL;
    int code = options->prior ? cli_prior_read(&prior, call, model, options->prior) : GO_ON;
    if (code != GO_ON)
        return code;
    scant_predict_options how = {.size = sizeof how,
                                 .prior = prior,
                                 .unlabeled_smoothing = cli_call_given(call, "unlabeled-smoothing")
                                                            ? &options->unlabeled_smoothing
                                                            : NULL,
                                 .replace = cli_context_replaces(input, model),
                                 .use_labels = options->use_labels || input->context.count,
                                 .threads = call->threads,
                                 .progress = cli_bar_progress,
                                 .payload = &bar,
                                 .decode = options->decode};
    cli_answers p;
    if (!cli_answers_new(&p, model, scant_rows_count(rows), options->components))
        code = cli_out_of_memory(call);
    p.digits = (int)options->digits;
    scant_status status = SCANT_OK;
    if (code == GO_ON)
        status =
            scant_model_predict(model, rows, &how, p.classes, p.components, p.support, p.loglik);
    if (code == GO_ON && status == SCANT_OK && p.target)
        status = scant_model_predict_target(model, rows, &how, p.target);
    cli_bar_end(&bar);
    if (status != SCANT_OK)
        code = cli_failed(call, status);
    if (code == GO_ON && options->scores)
        code = score(&p.scores, call, model, rows, input, options, &how);
    const char *path = cli_call_given(call, "output") ? options->output : NULL;
    if (code == GO_ON && (path || !call->json)) {
        code = write_csv(call, &p, model, rows, input, options);
        if (code == EXIT_OK)
            code = GO_ON;
    }
    if (code == GO_ON)
        code =
            call->json ? cli_json_print(call, to_json(&p, model, path, options->reject)) : EXIT_OK;
    cli_answers_free(&p);
    free(prior);
    return code;
}

int cli_predict(int argc, char **argv)
{
    cli_call call;
    cli_input input;
    predict_options options = {0};
    cli_call_begin(&call, argv[0]);
    cli_call_add(&call, "Predictions", table, sizeof table / sizeof *table, &options);
    cli_input_add(&call, &input);
    cli_context_add(&call, &input);
    int code = cli_call_parse(&call, &manual, argc, argv);
    scant_model *model = NULL;
    scant_rows *rows = NULL;
    if (code == GO_ON && options.reference && !options.scores)
        code = cli_usage_error(&call, "--fisher-rows wants --fisher-scores");
    if (code == GO_ON && options.reference && cli_context_file(&input) &&
        strcmp(options.reference, call.operand[1]) != 0)
        code = cli_usage_error(&call,
                               "--context %s is of the rows of %s, not of --fisher-rows %s: name "
                               "columns that both have",
                               cli_context_file(&input), call.operand[1], options.reference);
    if (code == GO_ON && options.use_labels && !input.label)
        code = cli_usage_error(&call, "--use-labels wants --label COL");
    if (code == GO_ON && call.json && cli_call_given(&call, "output") &&
        strcmp(options.output, "-") == 0)
        code = cli_usage_error(&call, "-o - and --json both want standard output");
    if (code == GO_ON && strcmp(call.operand[0], "-") == 0 && strcmp(call.operand[1], "-") == 0)
        code = cli_usage_error(&call, "MODEL and DATA cannot both be standard input");
    if (code == GO_ON)
        code = cli_model_read(&model, &call, call.operand[0]);
    if (code == GO_ON && input.label && scant_model_classes(model) == 0)
        code = cli_usage_error(&call, "--label: the model has no classes");
    if (code == GO_ON)
        code = cli_context_check(&call, &input,
                                 cli_context_replaces(&input, model) ? "prior" : "likelihood");
    if (code == GO_ON && cli_call_given(&call, "decode") && !scant_model_states(model))
        code = cli_usage_error(&call, "--decode: the model is no chain");
    if (code == GO_ON)
        cli_chain_input(&input, model);
    input.label_is_truth = !options.use_labels;
    if (code == GO_ON && !input.id) { /* as the fit had them */
        input.id = scant_model_schema(model)->id;
        input.id_optional = true;
    }
    if (code == GO_ON)
        code = cli_input_read(&rows, &call, &input, call.operand[1], scant_model_schema(model));
    if (code == GO_ON)
        code = predict(&call, model, rows, &input, &options);
    scant_rows_free(rows);
    scant_model_free(model);
    cli_call_end(&call);
    return code;
}
