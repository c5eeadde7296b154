/* Targets to normal scores and back. The k-th of n known targets in order, ties at the mean of their ranks, has the score
 * Phi^-1((k + 1/2) / n); straight lines between, and beyond with the slope of all of them. O(log n) each. */
#include <math.h>

#include "math/tails.h"
#include "med/transduction.h"

static double score_of(double rank, size_t n)
{
    return scant_i_normal_quantile((rank + 0.5) / (double)n);
}

/* The first of sorted that is not below y (`after`: that is above y). */
static size_t place(const double *sorted, size_t n, double y, bool after)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < y || (after && sorted[middle] == y))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Units of the targets a score. */
static double slope_of(const double *sorted, size_t n)
{
    double reach = n > 1 ? score_of((double)n - 1, n) - score_of(0, n) : 0;
    return reach > 0 && sorted[n - 1] > sorted[0] ? (sorted[n - 1] - sorted[0]) / reach : 1;
}

/* The score of the run of ties that holds position k. */
static double tied(const double *sorted, size_t n, size_t k)
{
    size_t first = place(sorted, n, sorted[k], false), last = place(sorted, n, sorted[k], true) - 1;
    return score_of(0.5 * (double)(first + last), n);
}

double scant_i_med_to_normal(const double *sorted, size_t n, double y)
{
    size_t k = place(sorted, n, y, false);
    if (k < n && sorted[k] == y)
        return tied(sorted, n, k);
    if (k == 0)
        return tied(sorted, n, 0) + (y - sorted[0]) / slope_of(sorted, n);
    if (k == n)
        return tied(sorted, n, n - 1) + (y - sorted[n - 1]) / slope_of(sorted, n);
    double below = tied(sorted, n, k - 1), above = tied(sorted, n, k);
    return below + (above - below) * (y - sorted[k - 1]) / (sorted[k] - sorted[k - 1]);
}

double scant_i_med_from_normal(const double *sorted, size_t n, double z)
{
    double least = tied(sorted, n, 0), most = tied(sorted, n, n - 1);
    if (z <= least)
        return sorted[0] + (z - least) * slope_of(sorted, n);
    if (z >= most)
        return sorted[n - 1] + (z - most) * slope_of(sorted, n);
    size_t low = 0, high = n - 1; /* tied(low) <= z < tied(high) */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(tied(sorted, n, middle) <= z ? &low : &high) = middle;
    }
    double below = tied(sorted, n, low), above = tied(sorted, n, high);
    return sorted[low] + (sorted[high] - sorted[low]) * (z - below) / (above - below);
}
