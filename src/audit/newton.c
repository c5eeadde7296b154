#include "audit/newton.h"

#include <math.h>

#include "math/linear.h"

typedef struct view {
    double value, *gradient, *information; /* n, n x n */
} view;

static scant_status view_new(view *v, size_t n)
{
    scant_status status = SCANT_OK;
    *v = (view){.value = -INFINITY};
    SCANT_I_TRY(SCANT_I_NEW(&v->gradient, n));
    SCANT_I_TRY(SCANT_I_NEW(&v->information, n * n));
done:
    return status;
}

static void view_clear(view *v)
{
    scant_i_free(v->gradient);
    scant_i_free(v->information);
}

/* false: not positive definite */
static bool solve(double *step, double *factor, const view *at, double damping, size_t n)
{
    for (size_t e = 0; e < n * n; e++)
        factor[e] = at->information[e];
    for (size_t c = 0; c < n; c++) {
        factor[c * n + c] += damping;
        step[c] = at->gradient[c];
    }
    if (!scant_i_cholesky(factor, n))
        return false;
    scant_i_cholesky_solve(factor, n, step);
    return true;
}

static double longest_of(const double *step, size_t n)
{
    double longest = 0;
    for (size_t c = 0; c < n; c++)
        longest = isnan(step[c]) ? INFINITY : fmax(longest, fabs(step[c]));
    return longest;
}

scant_status scant_i_newton_climb(const scant_i_newton *o, double settled_at, bool *settled)
{
    scant_status status = SCANT_OK;
    size_t n = o->n;
    view at = {0}, next = {0};
    double *step = NULL, *factor = NULL, damping = 0;
    *settled = false;
    SCANT_I_TRY(view_new(&at, n));
    SCANT_I_TRY(view_new(&next, n));
    SCANT_I_TRY(SCANT_I_NEW(&step, n));
    SCANT_I_TRY(SCANT_I_NEW(&factor, n * n));
    SCANT_I_TRY(o->look(&at.value, at.gradient, at.information, o->payload));
    o->keep(at.value, o->payload);
    for (size_t s = 0; s < o->most; s++) {
        bool risen = solve(step, factor, &at, damping, n);
        double longest = risen ? longest_of(step, n) : INFINITY;
        if (longest <= o->small) {
            *settled = true;
            break;
        }
        risen = longest < o->largest;
        if (risen) {
            o->move(step, o->payload);
            SCANT_I_TRY(o->look(&next.value, next.gradient, next.information, o->payload));
            risen = next.value >= at.value - o->rounding * fabs(at.value);
        }
        if (!risen && o->damping == 0)
            break;
        damping = risen ? damping / 10 : fmax(10 * damping, o->damping);
        if (risen) {
            view old = at;
            at = next;
            next = old;
            o->keep(at.value, o->payload);
            *settled = longest < settled_at;
        }
    }
done:
    view_clear(&at);
    view_clear(&next);
    scant_i_free(step);
    scant_i_free(factor);
    return status;
}
