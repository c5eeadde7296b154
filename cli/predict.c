/* scant predict: what a model says of rows, as CSV. */
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct predict_options {
    const char *output, *prior;
    double reject, doubt;
    bool components, use_labels;
} predict_options;

#define PREDICT(field) offsetof(predict_options, field)
static const scant_option table[] = {
    {"output", 'o', SCANT_OPTION_TEXT, PREDICT(output), "CSV", "-", 0, 0, NULL,
     "write the predictions here; - is stdout"},
    {"prior", 0, SCANT_OPTION_TEXT, PREDICT(prior), "PRIOR", NULL, 0, 0, NULL,
     "class proportions of these rows: a=0.3,b=0.7, or the second class's share"},
    {"reject", 0, SCANT_OPTION_REAL, PREDICT(reject), "P", NULL, 0, 1, NULL,
     "leave the label empty where the best class has a probability below P"},
    {"doubt", 0, SCANT_OPTION_REAL, PREDICT(doubt), "W", NULL, 0, 1, NULL,
     "own-class models: how much of unlabelled mass counts as evenly labelled [the model's]"},
    {"components", 0, SCANT_OPTION_FLAG, PREDICT(components), NULL, NULL, 0, 0, NULL,
     "add the probability of each component"},
    {"use-labels", 0, SCANT_OPTION_FLAG, PREDICT(use_labels), NULL, NULL, 0, 0, NULL,
     "take the evidence of the --label column into account"},
};

static const cli_manual manual = {
    "MODEL DATA [-o CSV] [options]",
    "Writes a line for each row: label, p_<class> for every class, support (the share of the row's "
    "probability on components that saw labels) and loglik. A model without classes gives "
    "component, p_1, "
    "p_2, ... and loglik; a regression adds prediction. Columns are found by name.",
    "scant predict crabs.json examples/data/crabs.csv -o predicted.csv", 2, 2};

typedef struct prediction {
    size_t n, nclasses, ncomponents;
    double *classes, *components, *support, *loglik, *target;
} prediction;

static bool has_target(const scant_model *model)
{
    for (size_t f = 0; f < scant_model_factors(model); f++)
        if (strcmp(scant_model_factor_family(model, f), "regression") == 0)
            return true;
    return false;
}

static void prediction_free(prediction *p)
{
    free(p->classes);
    free(p->components);
    free(p->support);
    free(p->loglik);
    free(p->target);
}

static bool prediction_new(prediction *p, const scant_model *model, size_t n, bool components)
{
    *p = (prediction){.n = n,
                      .nclasses = scant_model_classes(model),
                      .ncomponents = scant_model_components(model)};
    bool good = true;
    if (p->nclasses) {
        good &= (p->classes = calloc(n * p->nclasses + 1, sizeof(double))) != NULL;
        good &= (p->support = calloc(n + 1, sizeof(double))) != NULL;
    }
    if (components || !p->nclasses)
        good &= (p->components = calloc(n * p->ncomponents + 1, sizeof(double))) != NULL;
    if (has_target(model))
        good &= (p->target = calloc(n + 1, sizeof(double))) != NULL;
    good &= (p->loglik = calloc(n + 1, sizeof(double))) != NULL;
    return good;
}

static size_t best_of(const double *probability, size_t count)
{
    size_t best = 0;
    for (size_t k = 1; k < count; k++)
        if (probability[k] > probability[best])
            best = k;
    return best;
}

static void write_header(FILE *out, const prediction *p, const scant_model *model, const char *id)
{
    char name[512];
    if (id) {
        cli_csv_text(out, id);
        fputc(',', out);
    }
    fputs(p->nclasses ? "label" : "component", out);
    for (size_t k = 0; k < p->nclasses; k++) {
        (void)snprintf(name, sizeof name, "p_%.500s", scant_model_class_name(model, k));
        fputc(',', out);
        cli_csv_text(out, name);
    }
    if (!p->nclasses)
        for (size_t m = 0; m < p->ncomponents; m++)
            fprintf(out, ",p_%zu", m + 1);
    fputs(p->support ? ",support,loglik" : ",loglik", out);
    if (p->target)
        fputs(",prediction", out);
    if (p->nclasses && p->components)
        for (size_t m = 0; m < p->ncomponents; m++)
            fprintf(out, ",component_%zu", m + 1);
    fputc('\n', out);
}

static void write_numbers(FILE *out, const double *value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fputc(',', out);
        cli_csv_number(out, value[i]);
    }
}

/* Returns how many rows were left empty. */
static size_t write_rows(FILE *out, const prediction *p, const scant_model *model,
                         const scant_rows *rows, bool id, double reject)
{
    size_t rejected = 0, K = p->nclasses, M = p->ncomponents;
    for (size_t i = 0; i < p->n; i++) {
        const double *probability = K ? p->classes + i * K : p->components + i * M;
        size_t best = best_of(probability, K ? K : M);
        bool doubtful = probability[best] < reject;
        rejected += doubtful;
        if (id) {
            const char *text = scant_rows_id(rows, i);
            cli_csv_text(out, text ? text : "");
            fputc(',', out);
        }
        if (!doubtful && K)
            cli_csv_text(out, scant_model_class_name(model, best));
        else if (!doubtful)
            fprintf(out, "%zu", best + 1);
        write_numbers(out, probability, K ? K : M);
        if (p->support)
            write_numbers(out, p->support + i, 1);
        write_numbers(out, p->loglik + i, 1);
        if (p->target)
            write_numbers(out, p->target + i, 1);
        if (K && p->components)
            write_numbers(out, p->components + i * M, M);
        fputc('\n', out);
    }
    return rejected;
}

static json_t *to_json(const prediction *p, const scant_model *model, const char *path,
                       double reject)
{
    size_t K = p->nclasses, M = p->ncomponents, wide = K ? K : M, rejected = 0;
    const double *probability = K ? p->classes : p->components;
    size_t *count = calloc(wide + 1, sizeof *count);
    double loglik = 0, support = 0;
    for (size_t i = 0; count && i < p->n; i++) {
        size_t best = best_of(probability + i * wide, wide);
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

static int write_csv(const cli_call *call, const prediction *p, const scant_model *model,
                     const scant_rows *rows, const cli_input *input, const predict_options *options)
{
    cli_file file;
    int code = cli_file_open(&file, call, options->output);
    if (code != GO_ON)
        return code;
    write_header(file.stream, p, model, input->id);
    size_t rejected = write_rows(file.stream, p, model, rows, input->id != NULL, options->reject);
    code = cli_file_close(&file, call, EXIT_OK);
    if (code == EXIT_OK && rejected)
        cli_say(call, "%zu of %zu rows are doubtful and have no label", rejected, p->n);
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
    scant_predict_options how = {.prior = prior,
                                 .doubt = options->doubt,
                                 .replace = cli_context_replaces(input, model),
                                 .use_labels = options->use_labels || input->context.count,
                                 .threads = call->threads,
                                 .progress = cli_bar_progress,
                                 .payload = &bar};
    prediction p;
    if (!prediction_new(&p, model, scant_rows_count(rows), options->components))
        code = cli_out_of_memory(call);
    scant_status status = SCANT_OK;
    if (code == GO_ON)
        status =
            scant_model_predict(model, rows, &how, p.classes, p.components, p.support, p.loglik);
    if (code == GO_ON && status == SCANT_OK && p.target)
        status = scant_model_predict_target(model, rows, &how, p.target);
    cli_bar_end(&bar);
    if (status != SCANT_OK)
        code = cli_failed(call, status, false);
    const char *path = cli_call_given(call, "output") ? options->output : NULL;
    if (code == GO_ON && (path || !call->json)) {
        code = write_csv(call, &p, model, rows, input, options);
        if (code == EXIT_OK)
            code = GO_ON;
    }
    if (code == GO_ON)
        code =
            call->json ? cli_json_print(call, to_json(&p, model, path, options->reject)) : EXIT_OK;
    prediction_free(&p);
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
    if (code == GO_ON && options.use_labels && !input.label)
        code = cli_usage_error(&call, "--use-labels wants --label COL");
    if (code == GO_ON && call.json && cli_call_given(&call, "output") &&
        strcmp(options.output, "-") == 0)
        code = cli_usage_error(&call, "-o - and --json both want standard output");
    if (code == GO_ON && strcmp(call.operand[0], "-") == 0 && strcmp(call.operand[1], "-") == 0)
        code = cli_usage_error(&call, "MODEL and DATA cannot both be standard input");
    if (code == GO_ON)
        code = cli_model_read(&model, &call, call.operand[0]);
    if (code == GO_ON)
        code = cli_context_check(&call, &input,
                                 cli_context_replaces(&input, model) ? "replace" : "weigh");
    input.label_is_truth = !options.use_labels;
    if (code == GO_ON)
        code = cli_input_read(&rows, &call, &input, call.operand[1], scant_model_schema(model));
    if (code == GO_ON)
        code = predict(&call, model, rows, &input, &options);
    scant_rows_free(rows);
    scant_model_free(model);
    cli_call_end(&call);
    return code;
}
