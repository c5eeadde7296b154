/* Of a plan: what further labels buy. */
#include "report.h"

#include <math.h>
#include <string.h>

static bool is_plan(const cli_subject *s)
{
    return s->sort == CLI_OF_PLAN;
}

static const char *region_lacks(const cli_subject *s)
{
    if (!is_plan(s))
        return "it is no plan";
    return json_array_size(json_object_get(s->told, "frontier")) > 1 ? NULL
                                                                     : "the plan has no frontier";
}

bool cli_region_draw(cli_picture *p, const json_t *told)
{
    static const char *const names[] = {"now", "plan"};
    const json_t *frontier = json_object_get(told, "frontier");
    FILE *out = p->script;
    fputs("$edge << EOD\n", out);
    for (size_t i = 0; i < json_array_size(frontier); i++) {
        const json_t *point = json_array_get(frontier, i);
        fprintf(out, "%.6g %.6g %.6g %.6g\n", cli_told(point, "cost"), cli_told(point, "error"),
                cli_told(point, "low"), cli_told(point, "high"));
    }
    fputs("EOD\n", out);
    for (size_t i = 0; i < 2; i++) {
        const json_t *point = json_object_get(told, names[i]);
        double cost = cli_told(point, "cost"), error = cli_told(point, "error");
        fprintf(out,
                "$point%zu << EOD\n%.6g %.6g\nEOD\nset label '%s: %.0f labels, error %.3g' at "
                "%.6g,%.6g %s offset %d,0.9 front\n",
                i, cost, error, names[i], cli_told(point, "labels"), error, cost, error, "left", 1);
    }
    fprintf(out,
            "set xlabel 'cost of further labels and rows'\nset ylabel 'error'\n"
            "set offsets 0,0,graph 0.08,graph 0.02\n"
            "plot $edge using 1:3:4 with filledcurves fs transparent solid 0.2 lc rgb '%s' title "
            "'95 %% interval', $edge using 1:2 with lines lw 2 lc rgb '%s' title 'least error', "
            "$point0 using 1:2 with points pt 7 ps 1 lc rgb '%s' notitle, $point1 using 1:2 with "
            "points pt 7 ps 1 lc rgb '%s' notitle\n",
            cli_plot_colour(0), cli_plot_colour(0), cli_plot_colour(1), cli_plot_colour(1));
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
    if (count)
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
    cli_fact(t, "foretold by", "%s",
             strcmp(cli_told_text(told, "method"), "curve") == 0 ? "the pilot's learning curve"
                                                                 : "the model's information");
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

const cli_kind cli_region = {"plan", "a plan: the least error for every cost", region_lacks,
                             region_draw, region_caption};
const cli_part cli_part_plan = {"plan",    "What labels buy",   is_plan,
                                tell_plan, {&cli_region, NULL}, NULL};
