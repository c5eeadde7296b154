/* Of a plan: what further labels buy. */
#include "report/report.h"

#include <math.h>
#include <string.h>

static bool is_plan(const cli_subject *s)
{
    return s->sort == CLI_OF_PLAN;
}

static const char *region_lacks(const cli_subject *s)
{
    const json_t *frontier = json_object_get(s->told, "frontier");
    size_t known = 0;
    for (size_t i = 0; i < json_array_size(frontier); i++)
        known += isfinite(cli_told(json_array_get(frontier, i), "error")) ? 1 : 0;
    return !is_plan(s) ? "it is no plan" : known < 2 ? "the plan has no frontier" : NULL;
}

/* A point with its words, to the right and above. */
static void mark(FILE *out, const char *name, const json_t *point)
{
    double cost = cli_told(point, "cost"), error = cli_told(point, "error");
    if (isfinite(cost) && isfinite(error))
        fprintf(
            out,
            "set label '%s: %.0f labels, error %.3g' at %.6g,%.6g offset 0.8,0.9 front point pt 7 "
            "ps 1 lc rgb '%s'\n",
            name, cli_told(point, "labels"), error, cost, error, cli_plot_colour(1));
}

bool cli_region_draw(cli_picture *p, const json_t *told)
{
    const json_t *frontier = json_object_get(told, "frontier");
    FILE *out = p->script;
    fputs("$edge << EOD\n", out);
    for (size_t i = 0; i < json_array_size(frontier); i++) {
        const json_t *point = json_array_get(frontier, i);
        fprintf(out, "%.6g %.6g %.6g %.6g\n", cli_told(point, "cost"), cli_told(point, "error"),
                cli_told(point, "low"), cli_told(point, "high"));
    }
    fputs("EOD\n", out);
    fputs("set xlabel 'cost of further labels and rows'\nset ylabel 'error'\n"
          "set offsets 0,0,graph 0.08,graph 0.02\n",
          out);
    mark(out, "now", json_object_get(told, "now"));
    mark(out, "plan", json_object_get(told, "plan"));
    fprintf(out,
            "plot $edge using 1:3:4 with filledcurves fs transparent solid 0.2 lc rgb '%s' title "
            "'95 %% interval', $edge using 1:2 with lines lw 2 lc rgb '%s' title 'least error'\n",
            cli_plot_colour(0), cli_plot_colour(0));
    return true;
}

static bool region_draw(cli_picture *p, const cli_subject *s)
{
    return cli_region_draw(p, s->told);
}

static void region_caption(FILE *out, const cli_subject *s)
{
    (void)s;
    fputs(
        "The least error that further labels and rows of each cost are expected to bring. What can "
        "be reached lies on and above the line; the band is the pilot's own uncertainty.",
        out);
}

static void tell_point(cli_table *t, const char *name, const json_t *point)
{
    cli_table_add(t, "%s", name);
    cli_table_add(t, "%.0f", cli_told(point, "labels"));
    cli_table_add(t, "%.0f", cli_told(point, "rows"));
    cli_table_add(t, "%.6g", cli_told(point, "cost"));
    cli_table_add(t, "%.4g", cli_told(point, "error"));
    cli_table_add(t, "%.4g to %.4g", cli_told(point, "low"), cli_told(point, "high"));
}

static void tell_points(FILE *out, const cli_subject *s)
{
    static const char *const heads[] = {"", "labels", "rows", "cost", "error", "95 % interval"};
    cli_table *t = cli_table_new(6, 1);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        cli_table_add(t, "%s", heads[i]);
    tell_point(t, "now", json_object_get(s->told, "now"));
    tell_point(t, "plan", json_object_get(s->told, "plan"));
    cli_html_table(out, t);
}

static void tell_choice(FILE *out, const cli_subject *s)
{
    const json_t *choice = json_object_get(s->told, "choice");
    size_t count = json_array_size(json_object_get(choice, "rows"));
    if (count && isnan(cli_told(choice, "chosen")))
        cli_html_say(out, NULL,
                     "The %zu rows that the plan would label next are those that the stack knows "
                     "least of; as many by chance promise an error of %.4g.",
                     count, cli_told(choice, "random"));
    else if (count)
        cli_html_say(
            out, NULL,
            "The %zu rows that the plan would label next promise an error of %.4g; as many "
            "by chance, %.4g.",
            count, cli_told(choice, "chosen"), cli_told(choice, "random"));
}

static void tell_plan(FILE *out, const cli_subject *s)
{
    const json_t *told = s->told;
    cli_table *t = cli_table_new(2, 2);
    cli_fact(t, "plan", "%s", s->path);
    cli_fact(t, "pilot", "%.0f rows, %.0f labelled", cli_told(told, "rows"),
             cli_told(told, "labeled"));
    cli_fact(t, "forecast by", "%s",
             strcmp(cli_told_text(told, "method"), "curve") == 0 ? "the pilot's learning curve"
                                                                 : "the model's information");
    if (!isnan(cli_told(told, "limit")))
        cli_fact(t, "error if parameters were known", "%.4g +- %.2g", cli_told(told, "limit"),
                 cli_told(told, "limit_error"));
    if (!isnan(cli_told(told, "unlabeled_worth")))
        cli_fact(t, "an unlabelled row is worth", "%.3g labels", cli_told(told, "unlabeled_worth"));
    cli_html_facts(out, t);
    if (json_is_true(json_object_get(told, "too_small")))
        cli_html_say(out, "warning", "The pilot is too small to plan from: %s.",
                     cli_told_text(told, "why"));
    tell_points(out, s);
    tell_choice(out, s);
}

const cli_kind cli_region = {"plan",         "a plan: the least error for every cost",
                             region_lacks,   region_draw,
                             region_caption, NULL};
const cli_part cli_part_plan = {"plan", "What labels buy", is_plan, tell_plan, {&cli_region, NULL}};
