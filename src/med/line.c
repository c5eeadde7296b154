/* One-dimensional steps: the zero of a falling slope, by Newton's steps inside an interval that shrinks.
 *
 * The slope jumps where a multiplier passes 0, and ends where one-sided multipliers reach it: these places are tried first,
 * so that zeros are exact. Between them it is smooth. A handful of evaluations. */
#include "med/line.h"

#include <float.h>
#include <math.h>

static double rest(double *curvature, const scant_i_med_line *l, double delta)
{
    if (l->rest)
        return l->rest(curvature, delta, l->payload);
    *curvature = l->eta;
    return l->at_0 + l->eta * delta;
}

/* Slope just after (`after`) or just before delta. */
static double slope(double *curvature, const scant_i_med_line *l, double delta, bool after)
{
    double sum = -rest(curvature, l, delta);
    if (l->up >= 0) {
        double beta = l->beta_up + delta;
        sum += after ? scant_i_med_up(l->potential, (size_t)l->up, beta)
                     : scant_i_med_down(l->potential, (size_t)l->up, beta);
        *curvature -= scant_i_med_curvature(l->potential, (size_t)l->up, beta);
    }
    if (l->down >= 0) {
        double beta = l->beta_down - delta;
        sum -= after ? scant_i_med_down(l->potential, (size_t)l->down, beta)
                     : scant_i_med_up(l->potential, (size_t)l->down, beta);
        *curvature -= scant_i_med_curvature(l->potential, (size_t)l->down, beta);
    }
    return sum;
}

/* Narrows [low, high] by the place where a multiplier is 0; true: it is the answer. */
static bool try_zero(const scant_i_med_line *l, double zero, double *low, double *high)
{
    double curvature;
    if (!(zero > *low && zero < *high) && zero != *high)
        return false;
    if (slope(&curvature, l, zero, false) < 0) {
        *high = zero;
        return false;
    }
    if (slope(&curvature, l, zero, true) <= 0) {
        *low = *high = zero;
        return true;
    }
    *low = zero;
    return false;
}

double scant_i_med_line_best(const scant_i_med_line *l)
{
    enum { MOST = 100, DOUBLINGS = 200 };
    double low = 0, high = INFINITY, curvature, start;
    if (l->up >= 0)
        high = scant_i_med_high(l->potential, (size_t)l->up) - l->beta_up;
    if (l->down >= 0)
        high = fmin(high, l->beta_down - scant_i_med_low(l->potential, (size_t)l->down));
    double zero_up = l->up >= 0 ? -l->beta_up : -1, zero_down = l->down >= 0 ? l->beta_down : -1;
    double first = fmin(zero_up, zero_down), last = fmax(zero_up, zero_down);
    if (first > 0 && try_zero(l, first, &low, &high))
        return low;
    if (last > 0 && last != first && try_zero(l, last, &low, &high))
        return low;
    double at_start = start = slope(&curvature, l, low, true);
    if (!(start > 0))
        return low;
    double delta = low + start / curvature;
    if (isinf(high)) {
        if (!(curvature > 0))
            return INFINITY;
        double step = fmax(delta - low, DBL_MIN);
        for (int k = 0; k < DOUBLINGS && slope(&curvature, l, low + step, true) > 0; k++)
            step *= 2;
        high = low + step;
    }
    for (int k = 0; k < MOST; k++) {
        if (!(delta > low && delta < high))
            delta = 0.5 * (low + high);
        if (delta <= low || delta >= high)
            break;
        double now = slope(&curvature, l, delta, true);
        if (now > 0)
            low = delta;
        else
            high = delta;
        if (fabs(now) <= 1e-13 * at_start)
            break;
        double next = delta + now / curvature;
        if (fabs(next - delta) <= 2 * DBL_EPSILON * fabs(delta))
            break;
        delta = next;
    }
    return fmin(fmax(delta, low), high);
}
