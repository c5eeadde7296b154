/* Components by their parameters: profiles over columns, and densities of one column. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- profiles --- */

enum {
    MOST_ENTRIES = 24, /* of a profile; those in which components differ most */
    MOST_LINES = 12,   /* components */
    MOST_FACTORS = 4,
    PANEL = 330 /* height of a factor's */
};

/* A factor's first parameter, a line a component; a Gaussian's means in standard units. */
typedef struct profile {
    size_t factor, count; /* entries shown */
    scant_parameter_view view;
    size_t entry[MOST_ENTRIES];
    double centre[MOST_ENTRIES], scale[MOST_ENTRIES];
} profile;

static bool is_gaussian(const scant_model *model, size_t factor)
{
    return strcmp(scant_model_factor_family(model, factor), "gaussian") == 0;
}

/* Is there something to see that a map does not show? */
static bool has_profile(const scant_model *model, size_t f, scant_parameter_view *view)
{
    return scant_model_parameter(model, f, 0, view) && view->ndim == 2 && !view->tied &&
           view->dim[1] > (is_gaussian(model, f) ? 2u : 1u);
}

static size_t count_factors(const scant_model *model)
{
    scant_parameter_view view;
    size_t count = 0;
    for (size_t f = 0; f < scant_model_factors(model); f++)
        count += has_profile(model, f, &view);
    return count < MOST_FACTORS ? count : MOST_FACTORS;
}

static const char *profiles_lack(const cli_subject *s)
{
    if (s->sort != CLI_OF_MODEL)
        return "it is no model";
    return count_factors(s->model) ? NULL : "components have no more than two numbers";
}

/* Variance of column c within component j; 0 for families that have none of their own. */
static double variance_within(const scant_model *model, size_t factor, size_t j, size_t c)
{
    scant_parameter_view v;
    size_t d = scant_model_factor_columns(model, factor);
    return is_gaussian(model, factor) && scant_model_parameter(model, factor, 1, &v)
               ? cli_covariance_at(&v, d, j, c, c)
               : 0;
}

/* Mean over components, and the spread of components about it; for a Gaussian also the spread of
 * all rows of the model, in which it is drawn. */
static void average(const scant_model *model, const profile *p, size_t entry, double *centre,
                    double *between, double *all)
{
    double squares = 0, within = 0, weights = 0;
    *centre = 0;
    for (size_t j = 0; j < p->view.dim[0]; j++) {
        double w = scant_model_component_weight(model, j),
               x = p->view.value[j * p->view.dim[1] + entry];
        *centre += w * x;
        squares += w * x * x;
        within += w * variance_within(model, p->factor, j, entry);
        weights += w;
    }
    *centre /= weights;
    *between = sqrt(fmax(0, squares / weights - *centre * *centre));
    *all = sqrt(within / weights + *between * *between);
}

/* The entries in which components differ most, in their own order. */
static void choose_entries(profile *p, const scant_model *model)
{
    double worth[MOST_ENTRIES];
    p->count = 0;
    for (size_t e = 0; e < p->view.dim[1]; e++) {
        double centre, between, all;
        average(model, p, e, &centre, &between, &all);
        double value = is_gaussian(model, p->factor) && all > 0 ? between / all : between;
        size_t at = p->count;
        if (at == MOST_ENTRIES) { /* the least worthy makes room, those behind it move up */
            at = 0;
            for (size_t i = 1; i < MOST_ENTRIES; i++)
                at = worth[i] < worth[at] ? i : at;
            if (value <= worth[at])
                continue;
            memmove(worth + at, worth + at + 1, (MOST_ENTRIES - at - 1) * sizeof *worth);
            memmove(p->entry + at, p->entry + at + 1, (MOST_ENTRIES - at - 1) * sizeof *p->entry);
            at = MOST_ENTRIES - 1;
        } else {
            p->count++;
        }
        p->entry[at] = e;
        worth[at] = value;
    }
    for (size_t i = 0; i < p->count; i++) {
        double between;
        average(model, p, p->entry[i], &p->centre[i], &between, &p->scale[i]);
        if (!is_gaussian(model, p->factor) || !(p->scale[i] > 0)) {
            p->centre[i] = 0;
            p->scale[i] = 1;
        }
    }
}

static void draw_lines(FILE *out, const profile *p, const scant_model *model)
{
    size_t M = p->view.dim[0] < MOST_LINES ? p->view.dim[0] : MOST_LINES, D = p->view.dim[1];
    const double *errors = scant_model_parameter_errors(model, p->factor, 0);
    for (size_t j = 0; j < M; j++) {
        fprintf(out, "$line%zu << EOD\n", j);
        for (size_t i = 0; i < p->count; i++) {
            size_t at = j * D + p->entry[i];
            /* lines side by side, so that intervals do not hide each other */
            double x = (double)i + 1 + 0.3 * ((double)j + 0.5 - (double)M / 2) / (double)M;
            fprintf(out, "%.4f %.6g %.6g\n", x, (p->view.value[at] - p->centre[i]) / p->scale[i],
                    errors ? cli_normal_95 * errors[at] / p->scale[i] : 0);
        }
        fputs("EOD\n", out);
    }
    fputs("plot ", out);
    for (size_t j = 0; j < M; j++) {
        const char *colour = cli_plot_colour(j);
        fprintf(out,
                "%s$line%zu using 1:2 with linespoints lw 1.5 pt %d ps 0.8 lc rgb '%s' title "
                "'component %zu'",
                j ? ", " : "", j, cli_plot_sign(j), colour, j + 1);
        if (errors)
            fprintf(out,
                    ", $line%zu using 1:($2-$3):(0):(2*$3) with vectors nohead lw 1.5 lc rgb '%s' "
                    "notitle",
                    j, colour);
    }
    fputc('\n', out);
}

static void draw_profile(FILE *out, const profile *p, const scant_model *model)
{
    char text[256];
    fprintf(out, "set ylabel '%s%s'\nset xrange [0.5:%zu.5]\nset xtics rotate by 40 right (",
            p->view.name, is_gaussian(model, p->factor) ? ", standard units" : "", p->count);
    for (size_t i = 0; i < p->count; i++) {
        fputs(i ? ", " : "", out);
        cli_plot_tick(
            out, cli_entry_name(text, sizeof text, model, p->factor, p->view.dim[1], p->entry[i]));
        fprintf(out, " %zu", i + 1);
    }
    fputs(")\n", out);
    draw_lines(out, p, model);
}

static bool profiles_draw(cli_picture *picture, const cli_subject *s)
{
    size_t count = count_factors(s->model), drawn = 0;
    FILE *out = picture->script;
    picture->height = 60 + PANEL * (int)count;
    if (count > 1)
        fprintf(out, "set multiplot layout %zu,1\n", count);
    for (size_t f = 0; f < scant_model_factors(s->model) && drawn < count; f++) {
        profile p = {.factor = f};
        if (!has_profile(s->model, f, &p.view))
            continue;
        choose_entries(&p, s->model);
        draw_profile(out, &p, s->model);
        drawn++;
    }
    if (count > 1)
        fputs("unset multiplot\n", out);
    return true;
}

static void profiles_caption(FILE *out, const cli_subject *s)
{
    size_t M = scant_model_components(s->model);
    const scant_information *i = scant_model_information(s->model);
    fputs("What each component expects of each column. Gaussian means are in standard units: 0 is "
          "the "
          "mean of all rows, 1 their standard deviation.",
          out);
    if (i && i->identified)
        fputs(" Bars are 95 % intervals.", out);
    for (size_t f = 0; f < scant_model_factors(s->model); f++) {
        scant_parameter_view view;
        if (has_profile(s->model, f, &view) && view.dim[1] > MOST_ENTRIES)
            fprintf(out, " Shown are the %d of %zu %s in which components differ most.",
                    MOST_ENTRIES, view.dim[1], view.name);
    }
    if (M > MOST_LINES)
        fprintf(out, " Shown are the first %d of %zu components.", MOST_LINES, M);
}

const cli_kind cli_profiles = {
    "profiles",       "a model: what its components expect of each column",
    profiles_lack,    profiles_draw,
    profiles_caption, NULL};

/* --- densities of one column --- */

static const char *density_lacks(const cli_subject *s)
{
    if (s->sort != CLI_OF_MODEL)
        return "it is no model";
    if (scant_model_columns(s->model) != 1 || !is_gaussian(s->model, 0))
        return "the model is not of one Gaussian column";
    return s->rows ? NULL : "DATA is needed";
}

/* What components see of a row: its one column, or the score of all. */
static double seen_of(const cli_subject *s, size_t i)
{
    const scant_score *score = scant_model_score(s->model);
    if (!score)
        return scant_rows_value(s->rows, i, 0);
    double f = score->offset;
    for (size_t c = 0; c < score->count; c++)
        f += score->weight[c] * scant_rows_value(s->rows, i, c);
    return f;
}

/* Rows in bins: relative frequencies a unit of width. */
static bool draw_histogram(FILE *out, const cli_subject *s)
{
    static const size_t FEWEST = 8, MOST = 60;
    size_t n = scant_rows_count(s->rows), bins = (size_t)(2 * cbrt((double)n)) + FEWEST, seen = 0;
    double low = INFINITY, high = -INFINITY;
    bins = bins < MOST ? bins : MOST;
    size_t *count = calloc(bins, sizeof *count);
    for (size_t i = 0; i < n; i++) {
        double x = seen_of(s, i);
        low = fmin(low, x);
        high = fmax(high, x);
        seen += isnan(x) ? 0 : 1;
    }
    double width = (high - low) / (double)bins;
    for (size_t i = 0; count && width > 0 && i < n; i++) {
        double x = seen_of(s, i);
        size_t b = isnan(x) ? bins : (size_t)((x - low) / width);
        if (!isnan(x))
            count[b < bins ? b : bins - 1]++;
    }
    fputs("$bar << EOD\n", out);
    for (size_t b = 0; count && width > 0 && b < bins; b++)
        fprintf(out, "%.6g %.6g\n", low + ((double)b + 0.5) * width,
                (double)count[b] / ((double)seen * width));
    fprintf(out, "EOD\nset boxwidth %.6g\nset samples 400\n", 0.94 * width);
    free(count);
    return count != NULL;
}

static bool density_draw(cli_picture *p, const cli_subject *s)
{
    size_t K = scant_model_classes(s->model);
    scant_parameter_view mean;
    FILE *out = p->script;
    bool good = draw_histogram(out, s);
    (void)scant_model_parameter(s->model, 0, 0, &mean);
    fputs("set ylabel 'density'\nset xlabel ", out);
    cli_plot_text(out, scant_model_column_name(s->model, 0));
    fputs("\nplot $bar using 1:2 with boxes lc rgb '#9aa3ad' title 'rows'", out);
    for (size_t j = 0; j < scant_model_components(s->model); j++) {
        char title[256];
        size_t best = 0;
        for (size_t k = 1; k < K; k++)
            if (scant_model_component_class(s->model, j, k) >
                scant_model_component_class(s->model, j, best))
                best = k;
        double sd = sqrt(variance_within(s->model, 0, j, 0));
        (void)snprintf(title, sizeof title, K ? "component %zu, %s" : "component %zu", j + 1,
                       K ? scant_model_class_name(s->model, best) : "");
        fprintf(out, ", %.10g*exp(-0.5*((x-(%.10g))/%.10g)**2) with lines lw 2 lc rgb '%s' title ",
                scant_model_component_weight(s->model, j) / (sd * sqrt(2 * acos(-1))),
                mean.value[j], sd, cli_plot_colour(K ? best : j));
        cli_plot_text(out, title);
    }
    fputc('\n', out);
    return good;
}

static void density_caption(FILE *out, const cli_subject *s)
{
    fputs(
        "Rows as a histogram, and each component's density in proportion to its weight. Where the "
        "curves together leave the bars, the model does not fit.",
        out);
    if (scant_model_score(s->model))
        fprintf(out, " The score is linear in the columns; above 0 it answers %s.",
                scant_model_class_name(s->model, 1));
}

const cli_kind cli_density = {
    "density",       "a model of one Gaussian column, or a linear classifier",
    density_lacks,   density_draw,
    density_caption, NULL};
