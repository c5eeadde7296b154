/* Standard errors and missing information, for fit and show. */
#include "command.h"

#include <math.h>
#include <stdlib.h>

const double cli_normal_95 = 1.959963984540054;

/* {"estimate": ..., "stderr": ..., "low": ..., "high": ...} of numbers with these errors; 0: no
 * parameter, null. */
static json_t *intervals(const double *value, const double *error, const size_t *dim, size_t ndim)
{
    size_t n = 1;
    for (size_t d = 0; d < ndim; d++)
        n *= dim[d];
    double *room = calloc(3 * n + 1, sizeof *room);
    if (!room)
        return NULL;
    for (size_t t = 0; t < n; t++) {
        double e = error[t] > 0 ? error[t] : NAN;
        room[t] = e;
        room[n + t] = value[t] - cli_normal_95 * e;
        room[2 * n + t] = value[t] + cli_normal_95 * e;
    }
    json_t *object =
        json_pack("{s:o, s:o, s:o, s:o}", "estimate", cli_json_nested(value, dim, ndim), "stderr",
                  cli_json_nested(room, dim, ndim), "low", cli_json_nested(room + n, dim, ndim),
                  "high", cli_json_nested(room + 2 * n, dim, ndim));
    free(room);
    return object;
}

static json_t *coupling_json(const scant_model *model)
{
    size_t dim[2] = {scant_model_components(model), scant_model_classes(model)};
    dim[1] = dim[1] ? dim[1] : 1;
    double *value = calloc(2 * dim[0] * dim[1] + 1, sizeof *value);
    if (!value)
        return NULL;
    double *error = value + dim[0] * dim[1];
    for (size_t t = 0; t < dim[0] * dim[1]; t++) {
        value[t] = scant_model_coupling(model, t / dim[1], t % dim[1]);
        error[t] = scant_model_coupling_error(model, t / dim[1], t % dim[1]);
    }
    json_t *object = intervals(value, error, dim, 2);
    free(value);
    return object;
}

static json_t *factors_json(const scant_model *model)
{
    json_t *list = json_array();
    for (size_t f = 0; f < scant_model_factors(model); f++) {
        json_t *factor = json_object();
        scant_parameter_view view;
        for (size_t i = 0; scant_model_parameter(model, f, i, &view); i++)
            cli_json_set(factor, view.name,
                         intervals(view.value, scant_model_parameter_errors(model, f, i), view.dim,
                                   view.ndim));
        (void)json_array_append_new(list, factor);
    }
    return list;
}

json_t *cli_json_information(const scant_model *model)
{
    const scant_information *i = scant_model_information(model);
    json_t *object =
        json_pack("{s:I, s:b, s:o, s:o, s:o}", "parameters", (json_int_t)i->parameters,
                  "identified", i->identified, "missing", cli_json_real(i->missing), "rate",
                  cli_json_real(i->rate), "steps_per_digit", cli_json_real(i->digit));
    if (i->draws) {
        cli_json_set(object, "draws", json_integer((json_int_t)i->draws));
        cli_json_set(object, "failed", json_integer((json_int_t)i->failed));
    }
    if (i->identified) {
        cli_json_set(object, "by", json_string(scant_errors_by_name(i->by)));
        cli_json_set(object, "coupling", coupling_json(model));
        cli_json_set(object, "factors", factors_json(model));
    }
    return object;
}

void cli_table_error(cli_table *table, double error)
{
    cli_table_number(table, error > 0 ? error : NAN);
}

/* Digits that tell the ends apart: down to a tenth of the error, or further. */
static int interval_digits(double value, double error)
{
    static const double LEAST = 5, MOST = 17;
    return (int)fmin(MOST, fmax(LEAST, 2 + ceil(log10(fabs(value) / error))));
}

void cli_table_interval(cli_table *table, double value, double error)
{
    int digits = error > 0 ? interval_digits(value, error) : 0;
    if (error > 0)
        cli_table_add(table, "%.*g to %.*g", digits, value - cli_normal_95 * error, digits,
                      value + cli_normal_95 * error);
    else
        cli_table_add(table, "-");
}

/* Standard errors of the coupling, or intervals. */
static void print_coupling(const scant_model *model, bool interval)
{
    size_t M = scant_model_components(model), K = scant_model_classes(model);
    cli_table *out = cli_table_new(1 + (K ? K : 1), 0);
    cli_table_add(out, "component");
    for (size_t k = 0; k < K; k++)
        cli_table_add(out, "p(.,%s)", scant_model_class_name(model, k));
    if (!K)
        cli_table_add(out, "weight");
    for (size_t m = 0; m < M; m++) {
        cli_table_add(out, "%zu", m + 1);
        for (size_t k = 0; k < (K ? K : 1); k++) {
            double error = scant_model_coupling_error(model, m, k);
            if (interval)
                cli_table_interval(out, scant_model_coupling(model, m, k), error);
            else
                cli_table_error(out, error);
        }
    }
    cli_table_print(out, stdout);
}

void cli_print_information(const scant_model *model)
{
    const scant_information *i = scant_model_information(model);
    if (!i)
        return;
    printf("\n");
    if (isfinite(i->missing))
        cli_line(stdout, "missing", "%.4g of the information, at most", i->missing);
    if (isfinite(i->rate))
        cli_line(stdout, "EM's rate", "%.4g", i->rate);
    if (isfinite(i->digit))
        cli_line(stdout, "steps per digit", "%.3g", i->digit);
    if (i->draws)
        cli_line(stdout, "fits drawn", "%zu, of which %zu failed", i->draws, i->failed);
    if (!i->identified)
        return;
    printf("\nstandard errors by %s\n", scant_errors_by_name(i->by));
    print_coupling(model, false);
    printf("\n95 %% intervals\n");
    print_coupling(model, true);
}
