#include "math/assign.h"

#include <math.h>
#include <string.h>

/* Rows and columns count from 1; 0 is where a path starts. With prices u and v of rows and columns,
 * cost - u - v is never negative, and 0 along assigned pairs. */
typedef struct search {
    size_t n;
    const double *gain;
    double *u, *v, *least;      /* n + 1 */
    size_t *row_of, *came_from; /* n + 1: of each column */
    bool *done;
} search;

static double reduced_cost(const search *s, size_t row, size_t column)
{
    return -s->gain[(row - 1) * s->n + column - 1] - s->u[row] - s->v[column];
}

/* The column next to be reached from the tree of paths, and how far it is. */
static size_t grow(search *s, size_t at, double *far)
{
    size_t nearest = 0;
    s->done[at] = true;
    *far = INFINITY;
    for (size_t c = 1; c <= s->n; c++) {
        if (s->done[c])
            continue;
        double cost = reduced_cost(s, s->row_of[at], c);
        if (cost < s->least[c]) {
            s->least[c] = cost;
            s->came_from[c] = at;
        }
        if (s->least[c] < *far) {
            *far = s->least[c];
            nearest = c;
        }
    }
    return nearest;
}

static void move_prices(search *s, double by)
{
    for (size_t c = 0; c <= s->n; c++) {
        if (s->done[c]) {
            s->u[s->row_of[c]] += by;
            s->v[c] -= by;
        } else {
            s->least[c] -= by;
        }
    }
}

static void add_row(search *s, size_t row)
{
    size_t at = 0;
    s->row_of[0] = row;
    for (size_t c = 0; c <= s->n; c++) {
        s->least[c] = INFINITY;
        s->done[c] = false;
    }
    do {
        double far;
        size_t next = grow(s, at, &far);
        move_prices(s, far);
        at = next;
    } while (s->row_of[at]);
    for (; at; at = s->came_from[at])
        s->row_of[at] = s->row_of[s->came_from[at]];
}

scant_status scant_i_assign(size_t *place, const double *gain, size_t n)
{
    scant_status status = SCANT_OK;
    search s = {.n = n, .gain = gain};
    SCANT_I_TRY(SCANT_I_NEW(&s.u, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&s.v, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&s.least, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&s.row_of, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&s.came_from, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&s.done, n + 1));
    for (size_t row = 1; row <= n; row++)
        add_row(&s, row);
    for (size_t c = 1; c <= n; c++)
        place[s.row_of[c] - 1] = c - 1;
done:
    scant_i_free(s.u);
    scant_i_free(s.v);
    scant_i_free(s.least);
    scant_i_free(s.row_of);
    scant_i_free(s.came_from);
    scant_i_free(s.done);
    return status;
}
