/* scant audit --regression, --channel: mean squared errors of predictors of a number. */
#include "audit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int check(const cli_call *call, const audit_options *o)
{
    if (call->noperands == 0)
        return cli_usage_error(call, "which predictions?");
    if (o->regression && o->channel)
        return cli_usage_error(call, "--regression and --channel exclude each other");
    if (isnan(o->prior_mean) || isnan(o->prior_sd))
        return cli_usage_error(call, "--prior-mean and --prior-sd are needed");
    if (o->channel && !isnan(o->noise_sd))
        return cli_usage_error(call, "--noise-sd is for --regression; a channel's is estimated");
    if (o->is_long || o->input.label || o->audit.prior || o->more || o->ask)
        return cli_usage_error(call, "--long, --label, --prior, --more and --ask are for votes");
    if (o->combine && strcmp(o->combine, "-") == 0 && call->json)
        return cli_usage_error(call, "--combine - and --json both want standard output");
    return GO_ON;
}

static json_t *estimate_json(const scant_estimate *e)
{
    return json_pack("{s:o, s:o, s:[o, o]}", "value", cli_json_real(e->value), "stderr",
                     cli_json_real(e->error), "interval", cli_json_real(e->low),
                     cli_json_real(e->high));
}

/* Predictors with the names of their columns. */
typedef struct judged {
    const scant_rows *rows;
    const scant_regression *r;
} judged;

static const char *predictor_name(const void *of, size_t index)
{
    const judged *j = of;
    return scant_rows_column_name(j->rows, j->r->predictor[index].column);
}

static int print_json(const cli_call *call, const scant_rows *rows, const scant_regression *r)
{
    json_t *list = json_array(), *warnings = json_array();
    for (size_t c = 0; c < r->npredictors; c++) {
        const scant_regression_predictor *p = &r->predictor[c];
        json_array_append_new(
            list,
            json_pack("{s:o, s:I, s:o, s:o, s:o, s:o, s:o}", "name",
                      cli_json_text(predictor_name(&(judged){rows, r}, c)), "answers",
                      (json_int_t)p->answers, "theta", estimate_json(&p->theta), "mse",
                      estimate_json(&p->risk), "mirrored_mse", cli_json_real(p->mirrored),
                      "sign_gap", cli_json_real(p->gap), "noise_sd", cli_json_real(p->noise)));
    }
    for (size_t w = 0; w < r->nwarnings; w++)
        json_array_append_new(warnings, cli_json_text(r->warning[w]));
    return cli_json_print(
        call, json_pack("{s:I, s:s, s:o, s:o, s:o, s:o, s:f, s:b, s:o, s:o, s:s, s:o}", "items",
                        (json_int_t)scant_rows_count(rows), "model",
                        r->options.channel ? "channel" : "regression", "prior_mean",
                        cli_json_real(r->options.mean), "prior_sd", cli_json_real(r->options.sd),
                        "noise_sd", cli_json_real(r->noise), "loglik", cli_json_real(r->loglik),
                        "level", r->options.ci, "separately", r->options.separately, "predictors",
                        list, "independence",
                        cli_json_dependence(&r->dependence, predictor_name, &(judged){rows, r}),
                        "stop", scant_stop_name(r->stop), "warnings", warnings));
}

static void print_people(const scant_rows *rows, const scant_regression *r)
{
    cli_line(stdout, "items", "%zu", scant_rows_count(rows));
    cli_line(stdout, "model", "%s", r->options.channel ? "channel" : "regression");
    if (!isnan(r->noise))
        cli_line(stdout, "noise", "%.6g%s", r->noise,
                 isnan(r->options.noise) ? " (estimated)" : "");
    cli_line(stdout, "loglik", "%.6f", r->loglik);
    cli_print_dependence(&r->dependence, predictor_name, &(judged){rows, r});
    printf("\n");
    cli_table *t = cli_table_new(6, 1);
    const char *head[] = {"predictor", "answers", "theta", "mean squared error", "from", "to"};
    for (size_t h = 0; h < sizeof head / sizeof *head; h++)
        cli_table_add(t, "%s", head[h]);
    for (size_t c = 0; c < r->npredictors; c++) {
        const scant_regression_predictor *p = &r->predictor[c];
        cli_table_add(t, "%s", predictor_name(&(judged){rows, r}, c));
        cli_table_add(t, "%zu", p->answers);
        cli_table_number(t, p->theta.value);
        cli_table_number(t, p->risk.value);
        cli_table_number(t, p->risk.low);
        cli_table_number(t, p->risk.high);
    }
    cli_table_print(t, stdout);
}

static int combine(const cli_call *call, const char *path, const scant_rows *rows,
                   const scant_regression *r)
{
    size_t n = scant_rows_count(rows);
    double *mean = calloc(2 * n + 1, sizeof *mean), *sd = mean + n;
    cli_file file;
    if (!mean)
        return cli_out_of_memory(call);
    scant_status status = scant_regression_combine(mean, sd, r, rows);
    int code = status == SCANT_OK ? cli_file_open(&file, call, path) : cli_failed(call, status);
    if (code == GO_ON) {
        fputs("item,mean,sd\n", file.stream);
        for (size_t i = 0; i < n; i++) {
            if (scant_rows_id(rows, i))
                cli_csv_text(file.stream, scant_rows_id(rows, i));
            else
                fprintf(file.stream, "%zu", i + 1);
            fputc(',', file.stream);
            cli_csv_number(file.stream, mean[i]);
            fputc(',', file.stream);
            cli_csv_number(file.stream, sd[i]);
            fputc('\n', file.stream);
        }
        code = cli_file_close(&file, call, EXIT_OK);
    }
    free(mean);
    return code;
}

/* Columns that are read: the predictors', and the truth's. */
static int read_rows(scant_rows **out, const cli_call *call, const audit_options *o)
{
    cli_input input = o->input;
    const char **column = NULL;
    if (o->truth && input.features.count > 0) {
        column = calloc(input.features.count + 1, sizeof *column);
        if (!column)
            return cli_out_of_memory(call);
        memcpy(column, input.features.item, input.features.count * sizeof *column);
        column[input.features.count++] = o->truth;
        input.features.item = column;
    }
    int code = cli_input_read(out, call, &input, call->operand[0], NULL);
    free(column);
    return code;
}

int cli_audit_numbers(const cli_call *call, const audit_options *o)
{
    scant_rows *rows = NULL;
    scant_regression r = {0};
    scant_regression_options how;
    scant_regression_options_preset(&how);
    how.channel = o->channel;
    how.mean = o->prior_mean;
    how.sd = o->prior_sd;
    how.noise = o->noise_sd;
    how.ci = o->audit.ci;
    how.truth = o->truth;
    how.separately = o->audit.separately;
    how.time_limit = o->audit.time_limit;
    how.threads = o->audit.threads;
    int code = check(call, o);
    if (code == GO_ON)
        code = read_rows(&rows, call, o);
    if (code != GO_ON)
        return code;
    cli_bar bar;
    cli_bar_begin(&bar, call);
    how.progress = cli_bar_progress;
    how.payload = &bar;
    scant_status status = scant_audit_regression(&r, rows, &how);
    cli_bar_end(&bar);
    code = status == SCANT_OK ? EXIT_OK : cli_failed(call, status);
    for (size_t w = 0; w < r.nwarnings; w++)
        cli_say(call, "warning: %s", r.warning[w]);
    if (code == EXIT_OK && o->combine)
        code = combine(call, o->combine, rows, &r);
    if (code == EXIT_OK && call->json)
        code = print_json(call, rows, &r);
    else if (code == EXIT_OK && !(o->combine && strcmp(o->combine, "-") == 0))
        print_people(rows, &r);
    if (code == EXIT_OK)
        code = cli_stop_code(r.stop);
    scant_regression_clear(&r);
    scant_rows_free(rows);
    return code;
}
