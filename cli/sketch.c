/* Small pictures of a fit for terminals, on stderr with -v. */
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 60, HIGH = 8, BAR = 40 };

/* The objective after each iteration: a column holds the last of its iterations. */
static void sketch_trace(const scant_model *model)
{
    size_t count;
    const double *trace = scant_model_trace(model, &count);
    if (count < 3)
        return;
    size_t wide = count < WIDE ? count : WIDE;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        low = fmin(low, trace[i]);
        high = fmax(high, trace[i]);
    }
    fprintf(stderr, "\nobjective per row, iterations 1 to %zu\n", count);
    for (size_t line = HIGH; line-- > 0;) {
        char cells[WIDE + 1];
        for (size_t c = 0; c < wide; c++) {
            double share =
                high > low ? (trace[(c + 1) * count / wide - 1] - low) / (high - low) : 1;
            cells[c] = (size_t)(share * (HIGH - 1) + 0.5) == line ? '*' : ' ';
        }
        cells[wide] = '\0';
        if (line == HIGH - 1 || line == 0)
            fprintf(stderr, "%12.6g |%s\n", line ? high : low, cells);
        else
            fprintf(stderr, "%12s |%s\n", "", cells);
    }
}

static double rows_of(const scant_model *model, size_t component)
{
    double rows = 0;
    for (size_t k = 0; k <= scant_model_classes(model); k++)
        rows += scant_model_component_composition(model, component, k);
    return rows;
}

static void put_labelled(double rows, const char *name)
{
    char *shown = strdup(name);
    fprintf(stderr, ", %.1f labelled %s", rows, shown ? scant_plain(shown) : "");
    free(shown);
}

/* What falls to a component: `#` of the class it has most labels of, `+` of others, `.` without. */
static void sketch_component(const scant_model *model, size_t j, double most)
{
    size_t K = scant_model_classes(model), best = 0;
    double labelled = 0, all = rows_of(model, j);
    for (size_t k = 0; k < K; k++) {
        double rows = scant_model_component_composition(model, j, k);
        labelled += rows;
        if (rows > scant_model_component_composition(model, j, best))
            best = k;
    }
    char cells[BAR + 1];
    double own = scant_model_component_composition(model, j, best);
    for (size_t c = 0; c < BAR; c++) {
        double at = most * ((double)c + 0.5) / BAR;
        cells[c] = at < own ? '#' : at < labelled ? '+' : at < all ? '.' : ' ';
    }
    cells[BAR] = '\0';
    fprintf(stderr, "%12zu |%s| %.1f rows", j + 1, cells, all);
    if (own >= 0.5)
        put_labelled(own, scant_model_class_name(model, best));
    fputc('\n', stderr);
}

void cli_sketch_fit(const cli_call *call, const scant_model *model)
{
    double most = 0;
    if (!call->verbose)
        return;
    sketch_trace(model);
    if (scant_model_classes(model) == 0)
        return;
    for (size_t j = 0; j < scant_model_components(model); j++)
        most = fmax(most, rows_of(model, j));
    fprintf(stderr, "\ncomponents: # labels of one class, + of others, . unlabelled\n");
    for (size_t j = 0; j < scant_model_components(model); j++)
        sketch_component(model, j, most);
}
