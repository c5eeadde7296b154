/* The picture of a plan: cost across, error upwards; what can be reached lies above the line. */
#include "command.h"

#include <math.h>

enum {
    WIDTH = 640,
    HEIGHT = 400,
    LEFT = 70,
    RIGHT = 20,
    TOP = 20,
    BOTTOM = 50,
    STEPS = 60,
    TICKS = 5
};

typedef struct frame {
    double cost, low, high; /* the largest cost; the errors at the bottom and the top */
} frame;

static double across(const frame *f, double cost)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (f->cost > 0 ? cost / f->cost : 0);
}

static double upwards(const frame *f, double error)
{
    return TOP + (HEIGHT - TOP - BOTTOM) * (f->high - error) / (f->high - f->low);
}

static void draw_axes(FILE *out, const frame *f)
{
    fprintf(out,
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
            "stroke=\"#444\"/>\n",
            LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    for (int t = 0; t <= TICKS; t++) {
        double cost = f->cost * t / TICKS, error = f->low + (f->high - f->low) * t / TICKS;
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.4g</text>\n",
                across(f, cost), HEIGHT - BOTTOM + 18, cost);
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.3g</text>\n", LEFT - 6,
                upwards(f, error) + 4, error);
    }
    fprintf(
        out,
        "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">cost of further labels and rows</text>\n"
        "<text x=\"16\" y=\"%d\" text-anchor=\"middle\" transform=\"rotate(-90 16 %d)\">"
        "error</text>\n",
        (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, (TOP + HEIGHT - BOTTOM) / 2,
        (TOP + HEIGHT - BOTTOM) / 2);
}

/* The interval as a band, closed along its upper side. */
static void draw_band(FILE *out, const frame *f, const scant_plan_point *point, size_t count)
{
    fprintf(out, "<polygon fill=\"#cde\" points=\"");
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%.1f,%.1f ", across(f, point[i].cost), upwards(f, point[i].low));
    for (size_t i = count; i-- > 0;)
        fprintf(out, "%.1f,%.1f ", across(f, point[i].cost), upwards(f, point[i].high));
    fprintf(out, "\"/>\n<polyline fill=\"none\" stroke=\"#036\" stroke-width=\"2\" points=\"");
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%.1f,%.1f ", across(f, point[i].cost), upwards(f, point[i].error));
    fprintf(out, "\"/>\n");
}

/* With its words `up` units above it, or below. */
static void draw_point(FILE *out, const frame *f, const scant_plan_point *p, const char *name,
                       double up)
{
    double x = across(f, p->cost), y = upwards(f, p->error);
    fprintf(out,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"#c30\"/>\n"
            "<text x=\"%.1f\" y=\"%.1f\"%s>%s: %zu labels, %zu rows, error %.4g</text>\n",
            x, y, x + (x > WIDTH / 2.0 ? -8 : 8), y - up,
            x > WIDTH / 2.0 ? " text-anchor=\"end\"" : "", name, p->labels, p->rows, p->error);
}

int cli_plan_draw(const cli_call *call, const scant_plan *plan, const scant_plan_point *chosen,
                  const char *path)
{
    scant_plan_point frontier[STEPS + 1];
    frame f = {0, 1, 0};
    cli_file file;
    double most = chosen->cost > 0 ? 2 * chosen->cost : 1;
    size_t count = 0;
    for (size_t i = 0; i <= STEPS; i++)
        if (scant_plan_answer(&frontier[count], plan, SCANT_PLAN_BUDGET,
                              most * (double)i / STEPS) == SCANT_OK)
            count++;
    for (size_t i = 0; i < count; i++) {
        f.cost = fmax(f.cost, frontier[i].cost);
        f.low = fmin(f.low, frontier[i].low);
        f.high = fmax(f.high, frontier[i].high);
    }
    f.high += 0.1 * (f.high - f.low) + 1e-6;
    int code = cli_file_open(&file, call, path);
    if (code != GO_ON)
        return code;
    fprintf(file.stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    draw_band(file.stream, &f, frontier, count);
    draw_axes(file.stream, &f);
    draw_point(file.stream, &f, &frontier[0], "now", -20);
    draw_point(file.stream, &f, chosen, "plan", 10);
    fprintf(file.stream, "</svg>\n");
    return cli_file_close(&file, call, EXIT_OK);
}
