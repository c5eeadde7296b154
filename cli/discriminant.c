/* What maximum entropy discrimination found, shown by med, show and report. */
#include "command.h"

#include <math.h>
#include <string.h>

static json_t *numbers(const double *value, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        (void)json_array_append_new(list, cli_json_real(value[i]));
    return list;
}

static void set_real(json_t *object, const char *name, double value)
{
    if (!isnan(value))
        cli_json_set(object, name, cli_json_real(value));
}

void cli_json_med(json_t *object, const scant_model *model)
{
    const scant_med_result *r = scant_model_med(model);
    cli_json_set(object, "task", cli_json_text(r->task));
    cli_json_set(object, "kernel", cli_json_text(r->kernel));
    cli_json_set(object, "margin_prior", cli_json_text(r->margin_prior));
    cli_json_set(object, "bias_prior", cli_json_text(r->bias_prior));
    cli_json_set(object, "multiclass", cli_json_text(r->multiclass));
    cli_json_set(object, "solver", cli_json_text(r->solver));
    set_real(object, "c", r->c);
    cli_json_set(object, "weight_variance", cli_json_real(r->weight_variance));
    set_real(object, "gamma", r->gamma);
    set_real(object, "select", r->select);
    set_real(object, "epsilon", r->epsilon);
    cli_json_set(object, "objective", cli_json_real(r->objective));
    cli_json_set(object, "gap", cli_json_real(r->gap));
    cli_json_set(object, "bias",
                 r->discriminants == 1 ? cli_json_real(r->bias[0])
                                       : numbers(r->bias, r->discriminants));
    if (r->positive)
        cli_json_set(object, "positive", cli_json_text(r->positive));
    cli_json_set(object, "problems", json_integer((json_int_t)r->problems));
    cli_json_set(object, "support", json_integer((json_int_t)r->support));
    cli_json_set(object, "learned_from", json_integer((json_int_t)r->rows));
    cli_json_set(object, "errors_train", json_integer((json_int_t)r->errors_train));
    cli_json_set(object, "slope", cli_json_real(r->slope));
    cli_json_set(object, "folds", json_integer((json_int_t)r->folds));
    set_real(object, "held_out_accuracy", r->held_out_accuracy);
    set_real(object, "held_out_log_loss", r->held_out_log_loss);
    set_real(object, "held_out_mse", r->held_out_mse);
    set_real(object, "divergence_weights", r->divergence_weights);
    set_real(object, "divergence_bias", r->divergence_bias);
    set_real(object, "divergence_margins", r->divergence_margins);
    set_real(object, "vc_dimension", r->vc_dimension);
    set_real(object, "vc_bound", r->vc_bound);
    set_real(object, "pac_score", r->pac_score);
}

/* A list of one entry a rho. */
static json_t *path_of(const scant_med_result *r)
{
    json_t *list = json_array();
    size_t dim[2] = {r->discriminants, r->inputs}, all = dim[0] * dim[1];
    for (size_t k = 0; k < r->npath; k++) {
        const double *number = r->path + 4 * k;
        json_t *entry = json_object();
        cli_json_set(entry, "select", cli_json_real(number[0]));
        cli_json_set(entry, "objective", cli_json_real(number[1]));
        cli_json_set(entry, "gap", cli_json_real(number[2]));
        set_real(entry, "held_out", number[3]);
        cli_json_set(entry, "weights", cli_json_nested(r->path_weight + k * all, dim, 2));
        cli_json_set(entry, "switches", cli_json_nested(r->path_probability + k * all, dim, 2));
        (void)json_array_append_new(list, entry);
    }
    return list;
}

/* Coefficients of each discriminant by the names of the inputs, and probabilities of switches. */
json_t *cli_json_med_weights(const scant_model *model)
{
    const scant_med_result *r = scant_model_med(model);
    json_t *object = json_object();
    cli_json_med(object, model);
    if (r->weight) {
        size_t dim[2] = {r->discriminants, r->inputs};
        json_t *names = json_array();
        for (size_t i = 0; i < r->inputs; i++)
            (void)json_array_append_new(names, cli_json_text(r->input[i]));
        cli_json_set(object, "inputs", names);
        cli_json_set(object, "weights", cli_json_nested(r->weight, dim, 2));
        if (r->probability)
            cli_json_set(object, "switches", cli_json_nested(r->probability, dim, 2));
    }
    if (r->npath)
        cli_json_set(object, "path", path_of(r));
    return object;
}

static bool is_class(const scant_med_result *r)
{
    return strcmp(r->task, "classify") == 0;
}

void cli_tell_med_fit(FILE *out, const scant_med_result *r)
{
    (void)fprintf(out, "%.9g, within %.3g of its maximum", r->objective, fmax(0, r->gap));
    if (r->problems > 1)
        (void)fprintf(out, " (%zu problems added up)", r->problems);
}

void cli_tell_med_settings(FILE *out, const scant_med_result *r)
{
    (void)fprintf(out, "%s margins", r->margin_prior);
    if (!isnan(r->c))
        (void)fprintf(out, ", c %.4g", r->c);
    (void)fprintf(out, ", weight variance %.4g, %s bias", r->weight_variance, r->bias_prior);
    if (!isnan(r->gamma))
        (void)fprintf(out, ", gamma %.4g", r->gamma);
    if (r->select < 1)
        (void)fprintf(out, ", columns used with probability %.4g", r->select);
    if (!isnan(r->epsilon))
        (void)fprintf(out, ", tube %.4g", r->epsilon);
}

void cli_tell_med_held_out(FILE *out, const scant_med_result *r)
{
    if (r->folds == 0)
        (void)fprintf(out, "nothing");
    else if (is_class(r))
        (void)fprintf(out, "accuracy %.3f, log loss %.3g (%zu folds)", r->held_out_accuracy,
                      r->held_out_log_loss, r->folds);
    else
        (void)fprintf(out, "root mean squared error %.4g (%zu folds)", sqrt(r->held_out_mse),
                      r->folds);
}

void cli_tell_med_divergence(FILE *out, const scant_med_result *r)
{
    (void)fprintf(out, "%.4g of weights, %.4g of the bias, %.4g of margins", r->divergence_weights,
                  r->divergence_bias, r->divergence_margins);
}

void cli_tell_med_bounds(FILE *out, const scant_med_result *r)
{
    (void)fprintf(
        out,
        "support %.2f of the rows; VC dimension %.4g, error up to %.2f%s; PAC-Bayes score %.3g",
        r->rows ? (double)r->support / (double)r->rows : 0, r->vc_dimension, r->vc_bound,
        r->vc_bound >= 1 ? ", which says nothing" : "", r->pac_score);
}

static void line(const char *name, void (*tell)(FILE *, const scant_med_result *),
                 const scant_med_result *r)
{
    char text[512] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    if (out) {
        tell(out, r);
        (void)fclose(out);
    }
    cli_line(stdout, name, "%s", text);
}

void cli_print_med(const scant_model *model)
{
    const scant_med_result *r = scant_model_med(model);
    line("objective J", cli_tell_med_fit, r);
    line("priors", cli_tell_med_settings, r);
    cli_line(stdout, "kernel", "%s (%zu inputs, solver %s)", r->kernel, r->inputs, r->solver);
    if (r->discriminants == 1)
        cli_line(stdout, "bias", "%.6g%s%s", r->bias[0], r->positive ? ", above 0: " : "",
                 r->positive ? r->positive : "");
    cli_line(stdout, "support", "%zu of %zu rows have a multiplier above 0", r->support, r->rows);
    cli_line(stdout, is_class(r) ? "errors" : "outside", "%zu of %zu training rows%s",
             r->errors_train, r->rows, is_class(r) ? "" : ", residuals above the tube");
    line("held out", cli_tell_med_held_out, r);
}

/* What show says besides: parts of the divergence, and bounds. */
void cli_print_med_bounds(const scant_model *model)
{
    const scant_med_result *r = scant_model_med(model);
    if (!isnan(r->divergence_weights))
        line("from the prior", cli_tell_med_divergence, r);
    if (!isnan(r->vc_bound))
        line("bounds", cli_tell_med_bounds, r);
}

/* The largest coefficients; the whole list with `all`. */
void cli_print_med_weights(const scant_model *model, bool all)
{
    enum { FEW = 12 };
    const scant_med_result *r = scant_model_med(model);
    if (!r->weight)
        return;
    size_t high = all || r->inputs < FEW ? r->inputs : FEW,
           wide = all || r->discriminants < FEW ? r->discriminants : FEW;
    cli_table *out = cli_table_new(1 + wide + (r->probability ? wide : 0), 1);
    cli_table_add(out, "input");
    for (size_t v = 0; v < wide; v++) {
        if (r->discriminants == scant_model_classes(model))
            cli_table_add(out, "%s", scant_model_class_name(model, v));
        else
            cli_table_add(out, "weight");
        if (r->probability)
            cli_table_add(out, "switch");
    }
    for (size_t i = 0; i < high; i++) {
        cli_table_add(out, "%s", r->input[i]);
        for (size_t v = 0; v < wide; v++) {
            cli_table_number(out, r->weight[v * r->inputs + i]);
            if (r->probability)
                cli_table_number(out, r->probability[v * r->inputs + i]);
        }
    }
    printf("\n");
    cli_table_print(out, stdout);
    if (high < r->inputs)
        printf("... %zu more inputs (--all)\n", r->inputs - high);
}
