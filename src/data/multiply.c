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

void scant_i_rows_times(double *f, const scant_rows *rows, const double *u, double offset)
{
    const scant_i_csr *s = &rows->sparse;
    for (size_t i = 0; i < rows->nrows; i++) {
        f[i] = offset;
        if (rows->dense)
            f[i] += dot(rows->dense + i * rows->ncolumns, u, rows->ncolumns);
        else
            for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
                f[i] += s->value[e] * u[s->column[e]];
    }
}

void scant_i_rows_times_transposed(double *g, const scant_rows *rows, const double *v)
{
    const scant_i_csr *s = &rows->sparse;
    memset(g, 0, rows->ncolumns * sizeof *g);
    for (size_t i = 0; i < rows->nrows; i++)
        if (rows->dense)
            add_multiple(g, rows->dense + i * rows->ncolumns, v[i], rows->ncolumns);
        else
            for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
                g[s->column[e]] += v[i] * s->value[e];
}
