/* Of a model: what was fitted on what, warnings, how the fit went, what components are made of. */
#define _GNU_SOURCE /* open_memstream */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_model(const cli_subject *s)
{
    return s->sort == CLI_OF_MODEL;
}

/* --- what was fitted on what --- */

static void tell_data(cli_table *t, const cli_subject *s)
{
    size_t missing = 0, d = s->rows ? scant_rows_columns(s->rows) : 0;
    for (size_t c = 0; c < d; c++)
        missing += scant_rows_missing(s->rows, c);
    if (!s->rows)
        return;
    cli_fact(t, "data shown", "%s: %zu rows, %zu labelled", s->data, scant_rows_count(s->rows),
             scant_rows_labeled(s->rows));
    cli_fact(t, "missing cells", "%zu of %zu", missing, scant_rows_count(s->rows) * d);
}

static void tell_training(cli_table *t, const cli_subject *s)
{
    const scant_summary *m = scant_model_summary(s->model);
    if (m->starts == 0) { /* a file may come without a word on training */
        cli_fact(t, "training", "none");
        return;
    }
    cli_fact(t, "rows of the fit", "%zu, of which %zu labelled", m->rows, m->labeled);
    if (m->weight != (double)m->rows)
        cli_fact(t, "their weight", "%.6g", m->weight);
    if (scant_model_components(s->model) == 0) {
        cli_fact(t, "seed", "%llu", (unsigned long long)m->seed);
        return;
    }
    cli_fact(t, "free parameters", "%zu", m->parameters);
    cli_fact(t, "log-likelihood", "%.2f", m->loglik);
    if (!isnan(m->bic)) /* a linear classifier maximises no likelihood */
        cli_fact(t, "BIC, ICL, AIC", "%.2f, %.2f, %.2f", m->bic, m->icl, m->aic);
    cli_fact(t, "iterations", "%zu, of start %zu of %zu (%s)", m->iterations, m->best_start + 1,
             m->starts, scant_stop_name(m->stop));
    cli_fact(t, "seed", "%llu", (unsigned long long)m->seed);
}

static void tell_baseline(cli_table *t, const cli_subject *s)
{
    const scant_comparison *b = scant_model_baseline(s->model);
    if (b && b->nfolds)
        cli_fact(t, "labelled rows alone",
                 "accuracy %.3f; with the unlabelled ones %.3f (held out, %zu folds)",
                 b->accuracy[1], b->accuracy[0], b->nfolds);
    else if (b)
        cli_fact(t, "labelled rows alone", "not compared: %s", b->why);
}

static void tell_med_line(cli_table *t, const char *name,
                          void (*tell)(FILE *, const scant_med_result *), const scant_med_result *r)
{
    char text[512] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    if (out) {
        tell(out, r);
        (void)fclose(out);
    }
    cli_fact(t, name, "%s", text);
}

static void tell_med(cli_table *t, const scant_med_result *r)
{
    tell_med_line(t, "objective J", cli_tell_med_fit, r);
    tell_med_line(t, "priors", cli_tell_med_settings, r);
    cli_fact(t, "kernel", "%s, %zu inputs, solver %s", r->kernel, r->inputs, r->solver);
    cli_fact(t, "support", "%zu of %zu rows have a multiplier above 0", r->support, r->rows);
    cli_fact(t, "training errors", "%zu of %zu", r->errors_train, r->rows);
    tell_med_line(t, "held out", cli_tell_med_held_out, r);
    if (!isnan(r->divergence_weights))
        tell_med_line(t, "from the prior", cli_tell_med_divergence, r);
    if (!isnan(r->vc_bound))
        tell_med_line(t, "bounds", cli_tell_med_bounds, r);
}

static void tell_line(cli_table *t, const char *name, void (*tell)(FILE *, const scant_headline *),
                      const scant_headline *h)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        tell(out, h);
        (void)fclose(out);
        cli_fact(t, name, "%s", text);
    }
    free(text);
}

static void tell_headline(cli_table *t, const scant_headline *h)
{
    tell_line(t, "accuracy", cli_tell_accuracy, h);
    tell_line(t, "compared with", cli_tell_baselines, h);
    if (!isnan(h->log_loss))
        cli_fact(t, "log loss", "%.3g", h->log_loss);
    tell_line(t, "members", cli_tell_members, h);
    if (!isnan(h->gain))
        tell_line(t, "gain", cli_tell_gain, h);
    tell_line(t, "next", cli_tell_next, h);
}

/* Names with commas between, as many as there is room for. */
static void tell_classes(cli_table *t, const scant_model *model)
{
    char names[512];
    size_t K = scant_model_classes(model), used = 0;
    for (size_t k = 0; k < K && used < sizeof names; k++) {
        int more = snprintf(names + used, sizeof names - used, "%s%s", k ? ", " : "",
                            scant_model_class_name(model, k));
        used += more > 0 ? (size_t)more : 0;
    }
    if (K)
        cli_fact(t, "classes", "%s%s", names, used < sizeof names ? "" : " ...");
}

static void tell_settings(FILE *out, const cli_subject *s)
{
    const char *name, *value;
    cli_table *t = cli_table_new(2, 2);
    for (size_t i = 0; scant_model_setting_at(s->model, i, &name, &value); i++)
        cli_fact(t, name, "%s", value ? value : "");
    fputs("<details><summary>Settings of the fit</summary>\n", out);
    cli_html_facts(out, t);
    fputs("</details>\n", out);
}

static void tell_fit(FILE *out, const cli_subject *s)
{
    const scant_score *score = scant_model_score(s->model);
    cli_table *t = cli_table_new(2, 2), *course = cli_table_new(2, 2);
    cli_fact(t, "model", "%s", s->path);
    for (size_t f = 0; f < scant_model_factors(s->model) && !score; f++)
        cli_fact(t, f ? "" : "families", "%s of %zu column%s",
                 scant_model_factor_family(s->model, f), scant_model_factor_columns(s->model, f),
                 scant_model_factor_columns(s->model, f) == 1 ? "" : "s");
    if (score)
        cli_fact(t, "classifier", "linear in %zu columns, trained without labels", score->count);
    if (scant_model_headline(s->model))
        tell_headline(t, scant_model_headline(s->model));
    else if (scant_model_med(s->model))
        tell_med(t, scant_model_med(s->model));
    else
        cli_fact(t, "components", "%zu", scant_model_components(s->model));
    tell_classes(t, s->model);
    if (score && isnan(score->error))
        cli_fact(t, "own estimate of its error", "none: see the warnings");
    else if (score)
        cli_fact(t, "own estimate of its error", "%.4g", score->error);
    tell_data(t, s);
    tell_training(course, s);
    tell_baseline(course, s);
    fputs("<div class=\"figures\">\n", out);
    cli_html_facts(out, t);
    cli_html_facts(out, course);
    fputs("</div>\n", out);
    tell_settings(out, s);
}

const cli_part cli_part_fit = {"fit", "What was fitted", is_model, tell_fit, {NULL}};

/* --- warnings --- */

static bool has_warnings(const cli_subject *s)
{
    const scant_comparison *b = s->model ? scant_model_baseline(s->model) : NULL;
    return s->model ? scant_model_warnings(s->model) > 0 ||
                          (b && b->worse && !cli_is_of_labels(s->model))
                    : json_array_size(json_object_get(s->told, "warnings")) > 0;
}

static void tell_warnings(FILE *out, const cli_subject *s)
{
    const json_t *list = json_object_get(s->told, "warnings");
    const scant_comparison *b = s->model ? scant_model_baseline(s->model) : NULL;
    for (size_t i = 0; s->model && i < scant_model_warnings(s->model); i++)
        cli_html_say(out, "warning", "%s", scant_model_warning(s->model, i));
    for (size_t i = 0; !s->model && i < json_array_size(list); i++) {
        const char *words = json_string_value(json_array_get(list, i));
        cli_html_say(out, "warning", "%s", words ? words : "");
    }
    char text[CLI_WORDS_OF_HURT];
    if (b && b->worse && !cli_is_of_labels(s->model))
        cli_html_say(out, "warning", "%s", cli_tell_hurt(text, b));
}

const cli_part cli_part_warnings = {"warnings", "Warnings", has_warnings, tell_warnings, {NULL}};

/* --- convergence --- */

static const char *convergence_lacks(const cli_subject *s)
{
    size_t count = 0;
    if (s->model)
        (void)scant_model_trace(s->model, &count);
    return !is_model(s) ? "it is no model" : count < 3 ? "the fit took a step or two" : NULL;
}

static bool convergence_draw(cli_picture *p, const cli_subject *s)
{
    size_t count;
    const double *trace = scant_model_trace(s->model, &count);
    fputs("$trace << EOD\n", p->script);
    for (size_t i = 0; i < count; i++)
        fprintf(p->script, "%zu %.10g\n", i + 1, trace[i]);
    fprintf(p->script,
            "EOD\nset xlabel 'iteration'\nset ylabel 'objective per row'\nunset key\n"
            "set xrange [1:%zu]\nset offsets 0,0,graph 0.05,graph 0.05\n"
            "plot $trace using 1:2 with linespoints lw 2 pt 7 ps 0.4 lc rgb '%s'\n",
            count, cli_plot_colour(0));
    return true;
}

static void convergence_caption(FILE *out, const cli_subject *s)
{
    const scant_summary *m = scant_model_summary(s->model);
    fprintf(
        out,
        "What the fit maximises, after each iteration of the best of %zu start%s. It ended after "
        "%zu iterations (%s). A curve that still climbs at its end wants more of them.",
        m->starts, m->starts == 1 ? "" : "s", m->iterations, scant_stop_name(m->stop));
}

const cli_kind cli_convergence = {
    "convergence",       "a model: the objective after each iteration",
    convergence_lacks,   convergence_draw,
    convergence_caption, NULL};

/* --- composition --- */

static const char *composition_lacks(const cli_subject *s)
{
    if (!is_model(s) || scant_model_classes(s->model) == 0)
        return "there are no classes";
    if (scant_model_components(s->model) == 0)
        return "the model has no components";
    if (scant_model_score(s->model) || scant_model_summary(s->model)->labeled == 0)
        return "no row of the fit had a label";
    return NULL;
}

static bool composition_draw(cli_picture *p, const cli_subject *s)
{
    size_t M = scant_model_components(s->model), K = scant_model_classes(s->model);
    FILE *out = p->script;
    fputs("$part << EOD\n", out);
    for (size_t m = 0; m < M; m++) {
        fprintf(out, "%zu", m + 1);
        for (size_t k = 0; k <= K; k++)
            fprintf(out, " %.6g", scant_model_component_composition(s->model, m, k));
        fputc('\n', out);
    }
    fputs("EOD\nset style data histograms\nset style histogram rowstacked\nset boxwidth 0.7\n"
          "set xlabel 'component'\nset ylabel 'rows'\nset yrange [0:*]\nset xtics scale 0\n"
          "set grid noxtics\nplot ",
          out);
    size_t parts = scant_model_summary(s->model)->labeled < scant_model_summary(s->model)->rows;
    for (size_t k = 0; k < K + parts; k++) {
        char title[256] = "unlabelled";
        if (k < K)
            (void)snprintf(title, sizeof title, "labelled %s", scant_model_class_name(s->model, k));
        fprintf(out, "%s$part using %zu%s lc rgb '%s' title ", k ? ", " : "", k + 2,
                k ? "" : ":xtic(1)", k < K ? cli_plot_colour(k) : "#9aa3ad");
        cli_plot_text(out, title);
    }
    fputc('\n', out);
    return true;
}

static void composition_caption(FILE *out, const cli_subject *s)
{
    (void)s;
    fputs("Rows of the fit that fall to each component, going by their columns alone. A component "
          "of several colours mixes classes; one without labels says nothing of its own about "
          "them.",
          out);
}

static void tell_composition(FILE *out, const cli_subject *s)
{
    cli_html_table(out, cli_composition_table(s->model, true));
}

static bool has_score(const cli_subject *s)
{
    return s->model && scant_model_score(s->model);
}

static void tell_score(FILE *out, const cli_subject *s)
{
    enum { MOST = 40 };
    const scant_score *score = scant_model_score(s->model);
    cli_table *t = cli_table_new(2, 1);
    cli_table_add(t, "column");
    cli_table_add(t, "weight");
    for (size_t c = 0; c < score->count && c < MOST; c++) {
        cli_table_add(t, "%s", scant_model_schema(s->model)->names[c]);
        cli_table_add(t, "%.4g", score->weight[c]);
    }
    cli_table_add(t, "(offset)");
    cli_table_add(t, "%.4g", score->offset);
    cli_html_table(out, t);
}

const cli_kind cli_composition = {
    "composition",       "a model with classes: labels that fall to each component",
    composition_lacks,   composition_draw,
    composition_caption, tell_composition};
const cli_part cli_part_components = {
    "components",
    "Components and what they answer",
    has_score,
    tell_score,
    {&cli_map, &cli_density, &cli_profiles, &cli_composition, NULL}};
