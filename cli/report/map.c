/* The map of a Gaussian model: rows, components and what would be answered, on a plane (plane.h).
 * Cost: pixels x components x classes. */
#include "report/plane.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ACROSS = 150, /* pixels of the shading */
    UP = 110,
    CORNERS = 72,   /* of an ellipse */
    MOST_SHOWN = 60 /* components with an ellipse */
};

/* A pixel has the colour of the answer, and covers the paper as far as the answer is better than a
 * guess. */
static bool shade(FILE *out, const cli_plane *p, const scant_model *model)
{
    static const double COVER = 150; /* of 255: rows stay readable on it */
    size_t M = scant_model_components(model), K = scant_model_classes(model), sorts = K ? K : M;
    double *share = calloc(sorts + M, sizeof *share);
    fputs("$shade << EOD\n", out);
    for (size_t t = 0; share && t < (size_t)ACROSS * UP; t++) {
        double u = p->low[0] + (p->high[0] - p->low[0]) * ((double)(t % ACROSS) + 0.5) / ACROSS;
        double v = p->low[1] + (p->high[1] - p->low[1]) * ((double)(t / ACROSS) + 0.5) / UP;
        cli_plane_answer(share, share + sorts, p, model, u, v);
        size_t best = cli_best_of(share, sorts);
        double guess = 1 / (double)sorts;
        double sure = sorts > 1 ? (share[best] - guess) / (1 - guess) : 1;
        unsigned long colour = strtoul(cli_plot_colour(best) + 1, NULL, 16);
        fprintf(out, "%.6g %.6g %lu %lu %lu %.0f\n", u, v, colour >> 16, colour >> 8 & 255,
                colour & 255, COVER * fmax(0, sure));
    }
    fputs("EOD\n", out);
    free(share);
    return share != NULL;
}

/* --- drawing --- */

/* The class that most of the component is, or classes() where that is less than three quarters. */
static size_t class_of(const scant_model *model, size_t j)
{
    static const double CLEAR = 0.75;
    size_t K = scant_model_classes(model), best = 0;
    double total = 0;
    for (size_t k = 0; k < K; k++) {
        double share = scant_model_component_class(model, j, k);
        total += share;
        if (share > scant_model_component_class(model, j, best))
            best = k;
    }
    return K && scant_model_component_class(model, j, best) < CLEAR * total ? K : best;
}

/* mean + r L (cos, sin), with L the Cholesky factor of the covariance. */
static void draw_ellipse(FILE *out, const cli_lump *q, size_t j)
{
    double l11 = sqrt(q->var[0]), l21 = q->cov / l11, l22 = sqrt(fmax(0, q->var[1] - l21 * l21));
    double r = sqrt(cli_plane_95), turn = 2 * acos(-1);
    fprintf(out, "$ring%zu << EOD\n", j);
    for (size_t i = 0; i <= CORNERS; i++) {
        double x = r * cos(turn * (double)i / CORNERS), y = r * sin(turn * (double)i / CORNERS);
        fprintf(out, "%.6g %.6g\n", q->mean[0] + l11 * x, q->mean[1] + l21 * x + l22 * y);
    }
    fprintf(out, "EOD\nset label '%zu' at %.6g,%.6g center front font ',16'\n", j + 1, q->mean[0],
            q->mean[1]);
}

/* Class of a row's exact label; classes() where it has none. */
static size_t label_of(const cli_plane *p, const cli_subject *s, size_t i)
{
    size_t K = scant_model_classes(s->model);
    int32_t label = K ? scant_rows_label(s->rows, p->index[i]) : -1;
    return label < 0 ? K : (size_t)label;
}

/* $rows0, $rows1, ...: rows of each class, the last those without a label. */
static void draw_rows(FILE *out, const cli_plane *p, const cli_subject *s)
{
    for (size_t k = 0; k <= scant_model_classes(s->model); k++) {
        fprintf(out, "$rows%zu << EOD\n", k);
        for (size_t i = 0; i < p->nrows; i++)
            if (label_of(p, s, i) == k)
                fprintf(out, "%.6g %.6g\n", p->row[2 * i], p->row[2 * i + 1]);
        fputs("EOD\n", out);
    }
}

static bool has_rows(const cli_plane *p, const cli_subject *s, size_t k)
{
    for (size_t i = 0; i < p->nrows; i++)
        if (label_of(p, s, i) == k)
            return true;
    return false;
}

static void plot_rows(FILE *out, const cli_plane *p, const cli_subject *s)
{
    size_t K = scant_model_classes(s->model);
    if (has_rows(p, s, K))
        fprintf(out, ", $rows%zu using 1:2 with points pt 6 ps 0.45 lc black title '%s'", K,
                K ? "unlabelled" : "rows");
    for (size_t k = 0; k < K; k++) {
        char title[256];
        if (!has_rows(p, s, k))
            continue;
        (void)snprintf(title, sizeof title, "labelled %s", scant_model_class_name(s->model, k));
        /* a rim of ink, so that a sign stands out from ground of its own colour */
        fprintf(out, ", $rows%zu using 1:2 with points pt %d ps 1.15 lc black notitle", k,
                cli_plot_sign(k));
        fprintf(out, ", $rows%zu using 1:2 with points pt %d ps 0.85 lc rgb '%s' title ", k,
                cli_plot_sign(k), cli_plot_colour(k));
        cli_plot_text(out, title);
    }
}

static void plot_rings(FILE *out, const scant_model *model)
{
    size_t M = scant_model_components(model), K = scant_model_classes(model);
    for (size_t j = 0; j < M && j < MOST_SHOWN; j++) {
        size_t k = K ? class_of(model, j) : j;
        bool mixed = K && k == K;
        fprintf(out, ", $ring%zu using 1:2 with lines lw 2 lc rgb '%s' %s notitle", j,
                mixed ? "#808080" : cli_plot_colour(k), mixed ? "dt 2" : "");
    }
}

static bool map_draw(cli_picture *picture, const cli_subject *s)
{
    FILE *out = picture->script;
    cli_plane p;
    picture->height = 430;
    bool good = cli_plane_new(&p, s) && shade(out, &p, s->model);
    if (good) {
        for (size_t j = 0; j < scant_model_components(s->model) && j < MOST_SHOWN; j++)
            draw_ellipse(out, &p.lump[j], j);
        draw_rows(out, &p, s);
        fprintf(out, "unset grid\nset xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\nset xlabel ",
                p.low[0], p.high[0], p.low[1], p.high[1]);
        cli_plot_text(out, p.label[0]);
        fputs("\nset ylabel ", out);
        cli_plot_text(out, p.label[1]);
        fputs("\nplot $shade using 1:2:3:4:5:6 with rgbalpha notitle", out);
        plot_rings(out, s->model);
        if (s->rows)
            plot_rows(out, &p, s);
        fputc('\n', out);
    }
    cli_plane_free(&p);
    return good;
}

static void map_caption(FILE *out, const cli_subject *s)
{
    size_t K = scant_model_classes(s->model);
    bool classes = K > 0, mixed = false;
    for (size_t j = 0; j < scant_model_components(s->model) && classes; j++)
        mixed |= class_of(s->model, j) == K;
    fprintf(
        out,
        "Ground in the colour of the %s that would be answered there, fainter where the answer is "
        "less sure. Ellipses, numbered, hold 95 %% of each component%s.",
        classes ? "class" : "component",
        mixed ? "; a dashed grey one belongs to no class clearly" : "");
    if (cli_plane_is_principal(s))
        fputs(" The axes are the principal axes of the rows, in columns of equal spread;", out);
    if (cli_plane_is_principal(s) || s->axes.count)
        fputs(
            " the model's other directions are integrated out, so a row's own answer, which knows "
            "all columns, can differ from the ground it lies on.",
            out);
}

const cli_kind cli_map = {
    "map",           "a model with Gaussian columns: rows, components, answers on a plane",
    cli_plane_lacks, map_draw,
    map_caption,     NULL};
