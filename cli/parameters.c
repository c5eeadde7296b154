/* What show and report tell of a model in the same words: names of parameters, composition. */
#include "command.h"

#include <math.h>
#include <string.h>

/* Levels of all columns of the factor added up: the width of a table of categories. */
static size_t levels_of(const scant_model *model, size_t factor)
{
    const scant_schema *schema = scant_model_schema(model);
    size_t total = 0;
    for (size_t i = 0; i < scant_model_factor_columns(model, factor); i++) {
        size_t column = scant_model_factor_column(model, factor, i);
        total += schema && schema->nlevels ? schema->nlevels[column] : 0;
    }
    return total;
}

/* Coefficients of a regression: the intercept, then the columns but the target. */
static const char *coefficient_name(const scant_model *model, size_t factor, size_t i)
{
    const char *target = scant_model_schema(model)->optional;
    size_t seen = 0;
    for (size_t c = 0; i > 0 && c < scant_model_factor_columns(model, factor); c++) {
        const char *name =
            scant_model_column_name(model, scant_model_factor_column(model, factor, c));
        if (target && strcmp(name, target) == 0)
            continue;
        if (++seen == i)
            return name;
    }
    return "(intercept)";
}

const char *cli_entry_name(char *text, size_t size, const scant_model *model, size_t factor,
                           size_t dimension, size_t i)
{
    size_t ncolumns = scant_model_factor_columns(model, factor);
    const scant_schema *schema = scant_model_schema(model);
    (void)snprintf(text, size, "%zu", i + 1);
    if (dimension == ncolumns &&
        strcmp(scant_model_factor_family(model, factor), "regression") == 0)
        (void)snprintf(text, size, "%s", coefficient_name(model, factor, i));
    else if (dimension == ncolumns)
        (void)snprintf(text, size, "%s",
                       scant_model_column_name(model, scant_model_factor_column(model, factor, i)));
    else if (dimension == levels_of(model, factor))
        for (size_t c = 0, first = 0; c < ncolumns; c++) {
            size_t column = scant_model_factor_column(model, factor, c);
            size_t count = schema->nlevels[column];
            if (i >= first && i < first + count && schema->levels && schema->levels[column])
                (void)snprintf(text, size, "%s=%s", scant_model_column_name(model, column),
                               schema->levels[column][i - first]);
            first += count;
        }
    return text;
}

static void add_number(cli_table *table, double value, bool rounded, int digits)
{
    if (rounded && !isnan(value))
        cli_table_add(table, "%.*f", digits, value);
    else
        cli_table_number(table, value);
}

cli_table *cli_composition_table(const scant_model *model, bool rounded)
{
    size_t M = scant_model_components(model), K = scant_model_classes(model);
    cli_table *out = cli_table_new(3 + K, 0);
    cli_table_add(out, "component");
    for (size_t k = 0; k < K; k++)
        cli_table_add(out, "labeled %s", scant_model_class_name(model, k));
    cli_table_add(out, "unlabeled");
    cli_table_add(out, "purity");
    for (size_t m = 0; m < M; m++) {
        cli_table_add(out, "%zu", m + 1);
        for (size_t k = 0; k <= K; k++)
            add_number(out, scant_model_component_composition(model, m, k), rounded, 1);
        add_number(out, scant_model_component_purity(model, m), rounded, 3);
    }
    return out;
}
