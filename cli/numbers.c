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
    if (o->is_long || o->truth || o->input.label || o->input.weight || o->audit.prior)
        return cli_usage_error(call,
                               "--long, --truth, --label, --weight and --prior are for votes");
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

static int print_json(const cli_call *call, const scant_rows *rows, const scant_regression *r)
{
    json_t *list = json_array();
    for (size_t c = 0; c < r->npredictors; c++)
        json_array_append_new(list, json_pack("{s:o, s:I, s:o, s:o}", "name",
                                              cli_json_text(scant_rows_column_name(rows, c)),
                                              "answers", (json_int_t)r->predictor[c].answers,
                                              "theta", estimate_json(&r->predictor[c].theta), "mse",
                                              estimate_json(&r->predictor[c].risk)));
    return cli_json_print(
        call, json_pack("{s:I, s:s, s:o, s:o, s:o, s:o, s:f, s:o}", "items",
                        (json_int_t)scant_rows_count(rows), "model",
                        r->options.channel ? "channel" : "regression", "prior_mean",
                        cli_json_real(r->options.mean), "prior_sd", cli_json_real(r->options.sd),
                        "noise_sd", cli_json_real(r->noise), "loglik", cli_json_real(r->loglik),
                        "level", r->options.ci, "predictors", list));
}

static void print_people(const scant_rows *rows, const scant_regression *r)
{
    cli_line(stdout, "items", "%zu", scant_rows_count(rows));
    cli_line(stdout, "model", "%s", r->options.channel ? "channel" : "regression");
    if (!r->options.channel)
        cli_line(stdout, "noise", "%.6g%s", r->noise,
                 isnan(r->options.noise) ? " (estimated)" : "");
    cli_line(stdout, "loglik", "%.6f", r->loglik);
    printf("\n");
    cli_table *t = cli_table_new(6, 1);
    const char *head[] = {"predictor", "answers", "theta", "mean squared error", "from", "to"};
    for (size_t h = 0; h < sizeof head / sizeof *head; h++)
        cli_table_add(t, "%s", head[h]);
    for (size_t c = 0; c < r->npredictors; c++) {
        const scant_regression_predictor *p = &r->predictor[c];
        cli_table_add(t, "%s", scant_rows_column_name(rows, c));
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

/* An error of 0 is more often a prior that is too wide than a predictor without fault. */
static void warn(const cli_call *call, const scant_rows *rows, const scant_regression *r)
{
    for (size_t c = 0; c < r->npredictors; c++)
        if (r->options.channel && r->predictor[c].theta.value == 0)
            cli_say(call,
                    "warning: %s: no error at all is likeliest; is %g (--prior-sd) the spread of "
                    "the numbers?",
                    scant_rows_column_name(rows, c), r->options.sd);
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
    int code = check(call, o);
    if (code == GO_ON)
        code = cli_input_read(&rows, call, &o->input, call->operand[0], NULL);
    if (code != GO_ON)
        return code;
    scant_status status = scant_audit_regression(&r, rows, &how);
    code = status == SCANT_OK ? EXIT_OK : cli_failed(call, status);
    if (code == EXIT_OK)
        warn(call, rows, &r);
    if (code == EXIT_OK && o->combine)
        code = combine(call, o->combine, rows, &r);
    if (code == EXIT_OK && call->json)
        code = print_json(call, rows, &r);
    else if (code == EXIT_OK && !(o->combine && strcmp(o->combine, "-") == 0))
        print_people(rows, &r);
    scant_regression_clear(&r);
    scant_rows_free(rows);
    return code;
}
