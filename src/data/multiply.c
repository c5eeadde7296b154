#include "data/multiply.h"

#include <string.h>

#include "math/linear.h"

static double row_times(const scant_rows *rows, size_t i, const double *u, double offset)
{
    const scant_i_csr *s = &rows->sparse;
    double sum = offset;
    if (rows->dense)
        return sum + scant_i_dot_fixed(rows->dense + i * rows->ncolumns, u, rows->ncolumns);
    for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
        sum += s->value[e] * u[s->column[e]];
    return sum;
}

static void add_row(double *g, const scant_rows *rows, size_t i, double v)
{
    const scant_i_csr *s = &rows->sparse;
    if (rows->dense)
        scant_i_add_multiple(g, v, rows->dense + i * rows->ncolumns, rows->ncolumns);
    else
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
            g[s->column[e]] += v * s->value[e];
}

void scant_i_rows_times(double *F, const scant_rows *rows, const double *U, const double *offset,
                        size_t count)
{
    for (size_t i = 0; i < rows->nrows; i++)
        for (size_t a = 0; a < count; a++)
            F[a * rows->nrows + i] = row_times(rows, i, U + a * rows->ncolumns, offset[a]);
}

void scant_i_rows_times_transposed(double *G, const scant_rows *rows, const double *V, size_t count)
{
    memset(G, 0, count * rows->ncolumns * sizeof *G);
    for (size_t i = 0; i < rows->nrows; i++)
        for (size_t a = 0; a < count; a++)
            add_row(G + a * rows->ncolumns, rows, i, V[a * rows->nrows + i]);
}
