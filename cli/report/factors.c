/* Of factors: each component's profile over the entries of each mode. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_COMPONENTS = 12,
    MOST_BARS = 200,
    /* in points: */
    WIDTH = 520,  /* of the picture */
    PANEL = 110,  /* height of a panel's ground */
    TITLE = 46,   /* over the first row */
    LEFT = 84,    /* of the first column: its name and numbers */
    BETWEEN = 46, /* columns: the numbers of the next */
    NAME = 15,    /* across a name of an entry, which stands upright */
    LETTER = 7,   /* along it */
    NUMBERS = 24, /* under a panel without names */
    LONGEST = 28, /* letters of a name */
};

static bool is_factors(const cli_subject *s)
{
    return s->sort == CLI_OF_FACTORS;
}

static const char *factors_lack(const cli_subject *s)
{
    return is_factors(s) && s->order && s->rank ? NULL : "it is no folder of factors";
}

static size_t shown(const cli_subject *s)
{
    return s->rank < MOST_COMPONENTS ? s->rank : MOST_COMPONENTS;
}

static double panel_width(const cli_subject *s)
{
    return ((double)WIDTH - LEFT - 10 - BETWEEN * ((double)s->order - 1)) / (double)s->order;
}

static bool has_names(const cli_subject *s, size_t m)
{
    return s->mode[m].names.count && (double)(s->mode[m].size * NAME) <= panel_width(s);
}

/* What the names, or the numbers, under the panels need. */
static double room_below(const cli_subject *s)
{
    size_t longest = 0;
    for (size_t m = 0; m < s->order; m++)
        for (size_t i = 0; has_names(s, m) && i < s->mode[m].size; i++) {
            size_t length = strlen(s->mode[m].names.item[i]);
            longest = length > longest ? length : longest;
        }
    longest = longest < LONGEST ? longest : LONGEST;
    return fmax(NUMBERS, (double)longest * LETTER + 10);
}

/* The largest entry of a mode, so that its panels have one scale. */
static double highest(const cli_subject *s, size_t m)
{
    double most = 0;
    for (size_t i = 0; i < s->mode[m].size; i++)
        for (size_t q = 0; q < shown(s); q++)
            most = fmax(most, s->mode[m].value[i * s->rank + q]);
    return most > 0 ? most : 1;
}

static void draw_panel(FILE *out, const cli_subject *s, size_t q, size_t m)
{
    const cli_mode *mode = &s->mode[m];
    bool named = has_names(s, m);
    fprintf(out, "$part%zu_%zu << EOD\n", q, m);
    for (size_t i = 0; i < mode->size; i++)
        fprintf(out, "%zu %.6g\n", i + 1, mode->value[i * s->rank + q]);
    fputs("EOD\nunset xtics\n", out);
    fputs(named ? "set xtics rotate by 90 right scale 0 font ',11' ("
                : "set xtics norotate scale 0.3 autofreq font ',11'\n",
          out);
    for (size_t i = 0; named && i < mode->size; i++) {
        fputs(i ? ", " : "", out);
        cli_plot_tick(out, mode->names.item[i]);
        fprintf(out, " %zu", i + 1);
    }
    fputs(named ? ")\n" : "", out);
    if (q == 0)
        fprintf(out, "set title 'mode %zu' offset 0,-0.6\n", m + 1);
    else
        fputs("unset title\n", out);
    if (m == 0)
        fprintf(out, "set ylabel 'component %zu' offset 0.5,0\n", q + 1);
    else
        fputs("unset ylabel\n", out);
    fprintf(out, "set yrange [0:%.6g]\nset ytics %.1g\n", 1.05 * highest(s, m), highest(s, m) / 2);
    fprintf(out, "set xrange [0.3:%zu.7]\nplot $part%zu_%zu using 1:2 with %s lc rgb '%s'\n",
            mode->size, q, m, mode->size <= MOST_BARS ? "boxes" : "impulses", cli_plot_colour(q));
}

static bool factors_draw(cli_picture *p, const cli_subject *s)
{
    FILE *out = p->script;
    double below = room_below(s), rows = (double)shown(s);
    p->height = (int)(TITLE + rows * (PANEL + below));
    fprintf(out,
            "unset key\nset grid noxtics\nset boxwidth 0.8\nset ytics font ',11'\n"
            "set multiplot layout %zu,%zu rowsfirst margins screen %.4f,%.4f,%.4f,%.4f "
            "spacing screen %.4f,%.4f\n",
            shown(s), s->order, (double)LEFT / WIDTH, 1 - 10.0 / WIDTH, below / p->height,
            1 - (double)TITLE / p->height, (double)BETWEEN / WIDTH, below / p->height);
    for (size_t q = 0; q < shown(s); q++)
        for (size_t m = 0; m < s->order; m++)
            draw_panel(out, s, q, m);
    fputs("unset multiplot\n", out);
    return true;
}

static void factors_caption(FILE *out, const cli_subject *s)
{
    fputs("A line of pictures a component, a column a mode: how much of each entry is in the "
          "component, all panels of a mode on one scale.",
          out);
    if (s->rank > MOST_COMPONENTS)
        fprintf(out, " Shown are the first %d of %zu components.", MOST_COMPONENTS, s->rank);
}

/* --- words and tables --- */

static void tell_factors(FILE *out, const cli_subject *s)
{
    double total = 0;
    cli_table *t = cli_table_new(2, 2);
    cli_fact(t, "factors", "%s", s->path);
    cli_fact(t, "components", "%zu", s->rank);
    for (size_t m = 0; m < s->order; m++)
        cli_fact(t, m ? "" : "modes", "%zu entries", s->mode[m].size);
    for (size_t q = 0; q < s->rank; q++)
        total += s->weight[q];
    for (size_t q = 0; q < s->rank; q++)
        cli_fact(t, q ? "" : "weights", "%zu: %.4g (%.0f %% of all)", q + 1, s->weight[q],
                 100 * s->weight[q] / total);
    cli_html_facts(out, t);
}

/* "mode 2   bread (0.78), cheese (0.38)" */
static void add_strongest(cli_table *t, const cli_subject *s, size_t q, size_t m)
{
    enum { TOP = 8 };
    const cli_mode *mode = &s->mode[m];
    size_t count, used = 0;
    char words[1024] = "";
    cli_entry *list = cli_strongest(&count, mode->value, mode->size, s->rank, q, TOP);
    for (size_t k = 0; list && k < count && used < sizeof words; k++) {
        char number[32];
        (void)snprintf(number, sizeof number, "%zu", list[k].index + 1);
        int more =
            snprintf(words + used, sizeof words - used, "%s%s (%.3g)", k ? ", " : "",
                     mode->names.count ? mode->names.item[list[k].index] : number, list[k].value);
        used += more > 0 ? (size_t)more : 0;
    }
    char head[32];
    (void)snprintf(head, sizeof head, "mode %zu", m + 1);
    cli_fact(t, head, "%s", words);
    free(list);
}

static void tell_strongest(FILE *out, const cli_subject *s)
{
    enum { OPEN = 3 }; /* the rest is there to be opened */
    for (size_t q = 0; q < s->rank; q++) {
        cli_table *t = cli_table_new(2, 2);
        for (size_t m = 0; m < s->order; m++)
            add_strongest(t, s, q, m);
        fprintf(out, "<details%s><summary>Component %zu, strongest entries</summary>\n",
                q < OPEN ? " open" : "", q + 1);
        cli_html_facts(out, t);
        fputs("</details>\n", out);
    }
}

const cli_kind cli_factor_profiles = {
    "factors",       "factors: profiles of components over each mode",
    factors_lack,    factors_draw,
    factors_caption, tell_strongest};
const cli_part cli_part_factors = {
    "factors", "Factors", is_factors, tell_factors, {&cli_factor_profiles, NULL}};
