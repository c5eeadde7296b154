#include "data/multiply.h"

#include <string.h>

#include "math/vector.h"

/* Eight sums side by side, because the order of one sum is not the compiler's to change. */
SCANT_I_CLONES static double dot(const double *x, const double *u, size_t n)
{
    enum { LANES = 8 };
    double lane[LANES] = {0}, sum = 0;
    size_t c = 0;
    for (; c + LANES <= n; c += LANES)
        for (size_t l = 0; l < LANES; l++)
            lane[l] += x[c + l] * u[c + l];
    for (; c < n; c++)
        sum += x[c] * u[c];
    for (size_t l = 0; l < LANES; l++)
        sum += lane[l];
    return sum;
}

SCANT_I_CLONES static void add_multiple(double *g, const double *x, double v, size_t n)
{
    for (size_t c = 0; c < n; c++)
        g[c] += v * x[c];
}

static double row_times(const scant_rows *rows, size_t i, const double *u, double offset)
{
    const scant_i_csr *s = &rows->sparse;
    double sum = offset;
    if (rows->dense)
        return sum + dot(rows->dense + i * rows->ncolumns, u, rows->ncolumns);
    for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
        sum += s->value[e] * u[s->column[e]];
    return sum;
}

static void add_row(double *g, const scant_rows *rows, size_t i, double v)
{
    const scant_i_csr *s = &rows->sparse;
    if (rows->dense)
        add_multiple(g, rows->dense + i * rows->ncolumns, v, rows->ncolumns);
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
