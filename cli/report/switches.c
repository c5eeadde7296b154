/* Of a large-margin model: what switches do to its columns. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>

enum { COLOURED = 8 }; /* coefficients with a name in the legend */

static const scant_med_result *result_of(const cli_subject *s)
{
    return s->sort == CLI_OF_MODEL ? scant_model_med(s->model) : NULL;
}

static const char *path_lacks(const cli_subject *s)
{
    const scant_med_result *r = result_of(s);
    if (!r)
        return "it was not made by scant med";
    return r->npath < 2 ? "scant med --path makes the fits" : NULL;
}

/* The largest coefficients of discriminant 0 on the path, largest first; returns how many. */
static size_t largest(size_t out[COLOURED], const scant_med_result *r)
{
    size_t count = 0;
    double most[COLOURED];
    for (size_t i = 0; i < r->inputs; i++) {
        double size = 0;
        for (size_t k = 0; k < r->npath; k++)
            size = fmax(size, fabs(r->path_weight[k * r->discriminants * r->inputs + i]));
        size_t at = count < COLOURED ? count++ : COLOURED;
        for (; at > 0 && size > most[at - 1]; at--)
            if (at < COLOURED) {
                most[at] = most[at - 1];
                out[at] = out[at - 1];
            }
        if (at < COLOURED) {
            most[at] = size;
            out[at] = i;
        }
    }
    return count;
}

static void put_lines(cli_picture *p, const scant_med_result *r, const double *value,
                      const size_t *named, size_t count)
{
    fputs("plot ", p->script);
    for (size_t n = 0; n < count; n++) {
        fprintf(p->script, "%s'-' using 1:2 with linespoints lw 2 pt 7 ps 0.4 lc rgb '%s' title ",
                n ? ", " : "", cli_plot_colour(n));
        cli_plot_text(p->script, r->input[named[n]]);
    }
    fputs("\n", p->script);
    for (size_t n = 0; n < count; n++) {
        for (size_t k = 0; k < r->npath; k++)
            fprintf(p->script, "%.6g %.6g\n", r->path[4 * k],
                    value[k * r->discriminants * r->inputs + named[n]]);
        fputs("e\n", p->script);
    }
}

static bool path_draw(cli_picture *p, const cli_subject *s)
{
    const scant_med_result *r = result_of(s);
    size_t named[COLOURED], count = largest(named, r);
    p->height = 640;
    fputs("set multiplot layout 2,1\nset logscale x\nset format x '%g'\nset lmargin 9\n"
          "set xrange [*:*] reverse\nset ylabel 'coefficient'\n",
          p->script);
    put_lines(p, r, r->path_weight, named, count);
    fputs("unset key\nset ylabel 'probability of the switch'\nset yrange [0:1.05]\n"
          "set xlabel 'prior probability of a column, rho'\n",
          p->script);
    put_lines(p, r, r->path_probability, named, count);
    fputs("unset multiplot\n", p->script);
    return true;
}

static void path_caption(FILE *out, const cli_subject *s)
{
    const scant_med_result *r = result_of(s);
    fputs("Mean coefficients of standardized columns and the posterior probabilities of their "
          "switches, against the prior probability: the largest of them.",
          out);
    if (r->discriminants > 1)
        fprintf(out, " Of the first of %zu discriminants.", r->discriminants);
}

static void tell_path(FILE *out, const cli_subject *s)
{
    const scant_med_result *r = result_of(s);
    bool classes = scant_model_classes(s->model) > 0;
    size_t all = r->discriminants * r->inputs;
    cli_table *t = cli_table_new(6, 0);
    cli_table_add(t, "rho");
    cli_table_add(t, "J");
    cli_table_add(t, "gap");
    cli_table_add(t, classes ? "held-out accuracy" : "held-out mean squared error");
    cli_table_add(t, "weights above .01 of the largest");
    cli_table_add(t, "largest switch");
    for (size_t k = 0; k < r->npath; k++) {
        double most = 0, on = 0;
        size_t kept = 0;
        for (size_t i = 0; i < all; i++) {
            most = fmax(most, fabs(r->path_weight[k * all + i]));
            on = fmax(on, r->path_probability[k * all + i]);
        }
        for (size_t i = 0; i < all; i++)
            kept += fabs(r->path_weight[k * all + i]) > 0.01 * most;
        cli_table_add(t, "%g", r->path[4 * k]);
        cli_table_add(t, "%.6g", r->path[4 * k + 1]);
        cli_table_add(t, "%.1e", r->path[4 * k + 2]);
        cli_table_add(t, "%.4g", r->path[4 * k + 3]);
        cli_table_add(t, "%zu of %zu", kept, all);
        cli_table_add(t, "%.3f", on);
    }
    cli_html_table(out, t);
}

const cli_kind cli_path = {
    "path",       "a large-margin model of --path: coefficients and switches",
    path_lacks,   path_draw,
    path_caption, tell_path};

/* --- sizes --- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool cumulative_draw(cli_picture *p, const cli_subject *s)
{
    enum { EVERY = 2 }; /* second rho */
    const scant_med_result *r = result_of(s);
    size_t all = r->discriminants * r->inputs, drawn = 0;
    double *size = calloc(all + 1, sizeof *size);
    fputs("set xlabel 'size of a coefficient'\nset ylabel 'share of coefficients up to it'\n"
          "set yrange [0:1.02]\nset key bottom right\nplot ",
          p->script);
    for (size_t k = 0; size && k < r->npath; k += EVERY)
        fprintf(p->script, "%s'-' using 1:2 with steps lw 2 lc rgb '%s' title 'rho %g'",
                k ? ", " : "", cli_plot_colour(drawn++), r->path[4 * k]);
    fputs("\n", p->script);
    for (size_t k = 0; size && k < r->npath; k += EVERY) {
        for (size_t i = 0; i < all; i++)
            size[i] = fabs(r->path_weight[k * all + i]);
        qsort(size, all, sizeof *size, ascending);
        for (size_t i = 0; i < all; i++)
            fprintf(p->script, "%.6g %.6g\n", size[i], (double)(i + 1) / (double)all);
        fputs("e\n", p->script);
    }
    free(size);
    return size != NULL;
}

static void cumulative_caption(FILE *out, const cli_subject *s)
{
    (void)s;
    fputs("How many coefficients are how small: the smaller rho, the more are next to 0.", out);
}

const cli_kind cli_cumulative = {
    "cumulative",       "a large-margin model of --path: sizes of its coefficients",
    path_lacks,         cumulative_draw,
    cumulative_caption, NULL};

const cli_part cli_part_switches = {
    "switches", "Switches of columns", NULL, NULL, {&cli_path, &cli_cumulative, NULL}};
