/* scant show: what a model file holds. */
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct show_options {
    bool all;
} show_options;

static const scant_option table[] = {
    {"all", 0, SCANT_OPTION_FLAG, offsetof(show_options, all), NULL, NULL, 0, 0, NULL,
     "all columns, not the first twelve"},
};

static const cli_manual manual = {"MODEL [--all]",
                                  "Prints a model: settings, how the fit went, classes and "
                                  "components with their weights, and the "
                                  "parameters of each component. --json gives all of it.",
                                  "scant show crabs.json", 1, 1};

enum { FEW_COLUMNS = 12 };

/* --- for people --- */

static size_t shown(size_t count, bool all)
{
    return all || count <= FEW_COLUMNS ? count : FEW_COLUMNS;
}

/* nrows x ncolumns numbers, with their errors intervals, or the errors alone; rows are components, or entries of the
 * factor. */
static void print_matrix(const scant_model *model, size_t factor, const double *value,
                         const double *error, size_t nrows, size_t ncolumns,
                         bool rows_are_components, bool all)
{
    char text[256];
    size_t wide = shown(ncolumns, all);
    size_t high = rows_are_components ? nrows : shown(nrows, all);
    cli_table *out = cli_table_new(wide + 1, 1);
    cli_table_add(out, "%s", rows_are_components ? "component" : "");
    for (size_t j = 0; j < wide; j++)
        cli_table_add(out, "%s", cli_entry_name(text, sizeof text, model, factor, ncolumns, j));
    for (size_t i = 0; i < high; i++) {
        if (rows_are_components)
            cli_table_add(out, "%zu", i + 1);
        else
            cli_table_add(out, "%s", cli_entry_name(text, sizeof text, model, factor, nrows, i));
        for (size_t j = 0; j < wide; j++) {
            size_t at = i * ncolumns + j;
            if (!error)
                cli_table_number(out, value[at]);
            else if (value)
                cli_table_interval(out, value[at], error[at]);
            else
                cli_table_error(out, error[at]);
        }
    }
    cli_table_print(out, stdout);
    if (wide < ncolumns)
        printf("... %zu more columns (--all)\n", ncolumns - wide);
}

/* A parameter, with its errors its intervals, or the errors alone. */
static void print_parameter(const scant_model *model, size_t factor,
                            const scant_parameter_view *view, const double *error, bool all)
{
    bool tied = view->tied;
    const double *value = view->value;
    if (view->ndim == 3) {
        size_t block = view->dim[1] * view->dim[2];
        for (size_t m = 0; m < view->dim[0]; m++) {
            if (view->dim[0] > 1)
                printf("component %zu\n", m + 1);
            print_matrix(model, factor, value ? value + m * block : NULL,
                         error ? error + m * block : NULL, view->dim[1], view->dim[2], false, all);
        }
    } else if (view->ndim == 2) {
        print_matrix(model, factor, value, error, view->dim[0], view->dim[1], !tied, all);
    } else if (view->ndim == 1 && !tied) {
        print_matrix(model, factor, value, error, view->dim[0], 1, true, all);
    } else {
        print_matrix(model, factor, value, error, 1, view->ndim ? view->dim[0] : 1, true, all);
    }
}

static void print_settings(const scant_model *model)
{
    const char *name, *value;
    char text[32];
    for (size_t i = 0; scant_model_setting_at(model, i, &name, &value); i++) {
        char *end = NULL;
        double number = value ? strtod(value, &end) : 0;
        bool is_number = end && end != value && *end == '\0';
        cli_line(stdout, name, "%s", is_number ? cli_shortest(number, text) : value ? value : "");
    }
}

static void print_training(const scant_model *model)
{
    const scant_summary *s = scant_model_summary(model);
    printf("\n");
    if (s->starts == 0) { /* a file may come without a word on training */
        cli_line(stdout, "training", "%s", "none");
        return;
    }
    cli_line(stdout, "rows", "%zu", s->rows);
    if (s->weight != (double)s->rows)
        cli_line(stdout, "weight", "%.10g", s->weight);
    cli_line(stdout, "labeled", "%zu", s->labeled);
    cli_print_training(s);
}

static bool has_own_class(const scant_model *model)
{
    return !isnan(scant_model_unlabeled_smoothing(model));
}

/* Components with their weight, their rows, their coupling with each class, and how unlabelled they are where that is told apart. */
static void print_components(const scant_model *model)
{
    size_t M = scant_model_components(model), K = scant_model_classes(model);
    bool own = has_own_class(model);
    cli_table *out = cli_table_new(3 + K + own, 0);
    cli_table_add(out, "component");
    cli_table_add(out, "weight");
    cli_table_add(out, "rows");
    for (size_t k = 0; k < K; k++)
        cli_table_add(out, "p(.,%s)", scant_model_class_name(model, k));
    if (own)
        cli_table_add(out, "p(unlabeled|.)");
    for (size_t m = 0; m < M; m++) {
        cli_table_add(out, "%zu", m + 1);
        cli_table_number(out, scant_model_component_weight(model, m));
        cli_table_number(out, scant_model_component_rows(model, m));
        for (size_t k = 0; k < K; k++)
            cli_table_number(out, scant_model_coupling(model, m, k));
        if (own)
            cli_table_number(out, scant_model_component_unlabeled(model, m));
    }
    printf("\n");
    cli_table_print(out, stdout);
    if (!K)
        return;
    if (!scant_model_score(model)) { /* no row had a label */
        printf("\nwhat falls to each component, going by the columns alone\n");
        cli_table_print(cli_composition_table(model, false), stdout);
    }
    printf("\n");
    out = cli_table_new(3, 1);
    cli_table_add(out, "class");
    cli_table_add(out, "share");
    cli_table_add(out, "labeled");
    for (size_t k = 0; k < K; k++) {
        double share = 0, labeled = 0;
        for (size_t m = 0; m < M; m++) {
            share += scant_model_coupling(model, m, k);
            labeled += scant_model_component_labeled(model, m, k);
        }
        cli_table_add(out, "%s", scant_model_class_name(model, k));
        cli_table_number(out, share);
        cli_table_number(out, labeled);
    }
    cli_table_print(out, stdout);
    cli_print_noise(model);
}

static void print_weights(const scant_model *model, bool all)
{
    const scant_score *s = scant_model_score(model);
    const scant_schema *schema = scant_model_schema(model);
    size_t high = shown(s->count, all);
    cli_table *out = cli_table_new(2, 1);
    cli_table_add(out, "column");
    cli_table_add(out, "weight");
    for (size_t c = 0; c < high; c++) {
        cli_table_add(out, "%s", schema->names[c]);
        cli_table_number(out, s->weight[c]);
    }
    cli_table_add(out, "(offset)");
    cli_table_number(out, s->offset);
    printf("\n");
    cli_print_score(model);
    printf("\nscore: %s where it is above 0\n", scant_model_class_name(model, 1));
    cli_table_print(out, stdout);
    if (high < s->count)
        printf("... %zu more columns (--all)\n", s->count - high);
}

/* A stack has no components to show. */
static void print_stack(const scant_model *model)
{
    const scant_summary *s = scant_model_summary(model);
    cli_print_headline(model);
    cli_line(stdout, "rows", "%zu, %zu labeled", s->rows, s->labeled);
    cli_line(stdout, "stop", "%s", scant_stop_name(s->stop));
    print_settings(model);
    for (size_t i = 0; i < scant_model_warnings(model); i++)
        printf("%swarning: %s\n", i ? "" : "\n", scant_model_warning(model, i));
}

static void print_med(const scant_model *model, bool all)
{
    const scant_summary *s = scant_model_summary(model);
    cli_print_med(model);
    cli_print_med_bounds(model);
    cli_line(stdout, "rows", "%zu, %zu labeled", s->rows, s->labeled);
    cli_line(stdout, "stop", "%s", scant_stop_name(s->stop));
    cli_print_med_weights(model, all);
    for (size_t i = 0; i < scant_model_warnings(model); i++)
        printf("%swarning: %s\n", i ? "" : "\n", scant_model_warning(model, i));
}

static void print_model(const scant_model *model, bool all)
{
    if (scant_model_med(model)) {
        print_med(model, all);
        return;
    }
    if (scant_model_headline(model)) {
        print_stack(model);
        return;
    }
    print_settings(model);
    print_training(model);
    if (scant_model_score(model))
        print_weights(model, all);
    print_components(model);
    cli_print_chain(model);
    cli_print_information(model);
    for (size_t f = 0; f < scant_model_factors(model); f++) {
        scant_parameter_view view;
        printf("\n%s of %zu column%s\n", scant_model_factor_family(model, f),
               scant_model_factor_columns(model, f),
               scant_model_factor_columns(model, f) == 1 ? "" : "s");
        for (size_t i = 0; scant_model_parameter(model, f, i, &view); i++) {
            const double *errors = scant_model_parameter_errors(model, f, i);
            printf("\n%s%s\n", view.name, view.tied ? " (shared)" : "");
            print_parameter(model, f, &view, NULL, all);
            if (!errors)
                continue;
            scant_parameter_view spread = view;
            spread.value = NULL;
            printf("\n%s, standard errors\n", view.name);
            print_parameter(model, f, &spread, errors, all);
            printf("\n%s, 95 %% intervals\n", view.name);
            print_parameter(model, f, &view, errors, all);
        }
    }
    for (size_t i = 0; i < scant_model_warnings(model); i++)
        printf("%swarning: %s\n", i ? "" : "\n", scant_model_warning(model, i));
}

/* --- for programs --- */

static json_t *columns_json(const scant_model *model)
{
    const scant_schema *schema = scant_model_schema(model);
    json_t *list = json_array();
    for (size_t c = 0; c < scant_model_columns(model); c++) {
        json_t *column =
            json_pack("{s:o}", "name", cli_json_text(scant_model_column_name(model, c)));
        if (schema && schema->levels && schema->levels[c] && schema->nlevels) {
            json_t *levels = json_array();
            for (size_t l = 0; l < schema->nlevels[c]; l++)
                (void)json_array_append_new(levels, cli_json_text(schema->levels[c][l]));
            (void)json_object_set_new(column, "levels", levels);
        }
        (void)json_array_append_new(list, column);
    }
    return list;
}

/* What a family has in addition to its columns and parameters. */
static void set_form(json_t *factor, const scant_model *model, size_t f)
{
    const char *covariance = scant_model_factor_covariance(model, f);
    if (covariance)
        cli_json_set(factor, "covariance", cli_json_text(covariance));
    if (strcmp(scant_model_factor_family(model, f), "regression") == 0)
        cli_json_set(factor, "target", cli_json_text(scant_model_schema(model)->optional));
}

static json_t *factors_json(const scant_model *model)
{
    json_t *list = json_array();
    for (size_t f = 0; f < scant_model_factors(model); f++) {
        json_t *columns = json_array(), *parameters = json_object();
        for (size_t c = 0; c < scant_model_factor_columns(model, f); c++)
            (void)json_array_append_new(columns,
                                        cli_json_text(scant_model_column_name(
                                            model, scant_model_factor_column(model, f, c))));
        scant_parameter_view view;
        for (size_t i = 0; scant_model_parameter(model, f, i, &view); i++)
            (void)json_object_set_new(parameters, view.name,
                                      cli_json_nested(view.value, view.dim, view.ndim));
        json_t *factor = json_pack("{s:s, s:o, s:o}", "family", scant_model_factor_family(model, f),
                                   "columns", columns, "parameters", parameters);
        set_form(factor, model, f);
        (void)json_array_append_new(list, factor);
    }
    return list;
}

static json_t *training_json(const scant_model *model)
{
    const scant_summary *s = scant_model_summary(model);
    size_t M = scant_model_components(model), K = scant_model_classes(model), ntrace;
    const double *trace = scant_model_trace(model, &ntrace);
    json_t *rows = json_array(), *labeled = json_array(), *composition = json_array(),
           *purity = json_array();
    for (size_t m = 0; m < M; m++) {
        (void)json_array_append_new(rows, cli_json_real(scant_model_component_rows(model, m)));
        json_t *line = json_array(), *made_of = json_array();
        for (size_t k = 0; k < K; k++)
            (void)json_array_append_new(line,
                                        cli_json_real(scant_model_component_labeled(model, m, k)));
        for (size_t k = 0; K && k <= K; k++)
            (void)json_array_append_new(
                made_of, cli_json_real(scant_model_component_composition(model, m, k)));
        (void)json_array_append_new(labeled, line);
        (void)json_array_append_new(composition, made_of);
        (void)json_array_append_new(purity, cli_json_real(scant_model_component_purity(model, m)));
    }
    return json_pack(
        "{s:I, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:s, s:o, s:o, s:o, "
        "s:o, s:o, s:o}",
        "rows", (json_int_t)s->rows, "weight", cli_json_real(s->weight), "labeled",
        (json_int_t)s->labeled, "parameters", (json_int_t)s->parameters, "loglik",
        cli_json_real(s->loglik), "objective", cli_json_real(s->objective), "bic",
        cli_json_real(s->bic), "icl", cli_json_real(s->icl), "aic", cli_json_real(s->aic),
        "iterations", (json_int_t)s->iterations, "starts", (json_int_t)s->starts, "best_start",
        (json_int_t)s->best_start, "stop", scant_stop_name(s->stop), "seed", cli_json_seed(s->seed),
        "component_rows", rows, "component_labeled", labeled, "component_composition", composition,
        "component_purity", purity, "trace", cli_json_nested(trace, &ntrace, 1));
}

static json_t *score_json(const scant_model *model)
{
    const scant_score *s = scant_model_score(model);
    const scant_schema *schema = scant_model_schema(model);
    json_t *object = json_object(), *weights = json_object();
    for (size_t c = 0; c < s->count; c++)
        cli_json_set(weights, schema->names[c], cli_json_real(s->weight[c]));
    cli_json_set(object, "weights", weights);
    cli_json_set(object, "offset", cli_json_real(s->offset));
    cli_json_set(object, "slope", cli_json_real(s->slope));
    cli_json_score(object, model);
    return object;
}

static json_t *to_json(const scant_model *model)
{
    size_t M = scant_model_components(model), K = scant_model_classes(model);
    json_t *settings = json_object(), *coupling = json_array();
    const char *name, *value;
    for (size_t i = 0; scant_model_setting_at(model, i, &name, &value); i++)
        (void)json_object_set_new(settings, name, value ? cli_json_text(value) : json_null());
    for (size_t m = 0; m < M; m++) {
        json_t *line = json_array();
        for (size_t k = 0; k < (K ? K : 1); k++)
            (void)json_array_append_new(line, cli_json_real(scant_model_coupling(model, m, k)));
        (void)json_array_append_new(coupling, line);
    }
    json_t *object =
        json_pack("{s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "settings", settings, "columns",
                  columns_json(model), "classes", cli_json_names(K, cli_model_class, model),
                  "components", (json_int_t)M, "coupling", coupling, "factors", factors_json(model),
                  "training", training_json(model), "warnings", cli_json_warnings(model));
    cli_json_chain(object, model);
    if (scant_model_prior(model))
        cli_json_set(object, "prior", cli_json_nested(scant_model_prior(model), &K, 1));
    if (has_own_class(model)) {
        json_t *unlabeled = json_array();
        for (size_t m = 0; m < M; m++)
            (void)json_array_append_new(unlabeled,
                                        cli_json_real(scant_model_component_unlabeled(model, m)));
        cli_json_set(object, "unlabeled", unlabeled);
        cli_json_set(object, "unlabeled_smoothing",
                     cli_json_real(scant_model_unlabeled_smoothing(model)));
    }
    if (scant_model_baseline(model))
        cli_json_set(object, "baseline",
                     cli_json_comparison(scant_model_baseline(model), "supervised"));
    if (scant_model_score(model))
        cli_json_set(object, "score", score_json(model));
    if (scant_model_headline(model)) {
        json_t *headline = json_object();
        cli_json_headline(headline, model);
        cli_json_set(object, "headline", headline);
    }
    if (scant_model_med(model))
        cli_json_set(object, "discrimination", cli_json_med_weights(model));
    if (cli_knows_noise(model))
        cli_json_set(object, "label_noise", cli_json_noise(model));
    if (scant_model_information(model))
        cli_json_set(object, "information", cli_json_information(model));
    return object;
}

int cli_show(int argc, char **argv)
{
    cli_call call;
    show_options options = {0};
    cli_call_begin(&call, argv[0]);
    cli_call_add(&call, "Showing", table, sizeof table / sizeof *table, &options);
    int code = cli_call_parse(&call, &manual, argc, argv);
    scant_model *model = NULL;
    if (code == GO_ON)
        code = cli_model_read(&model, &call, call.operand[0]);
    if (code == GO_ON) {
        code = EXIT_OK;
        if (call.json)
            code = cli_json_print(&call, to_json(model));
        else
            print_model(model, options.all);
    }
    scant_model_free(model);
    cli_call_end(&call);
    return code;
}
