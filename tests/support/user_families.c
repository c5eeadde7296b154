#include "user_families.h"

#include <math.h>
#include <string.h>

/* --- exponential waiting times, columns independent --- */

static size_t two_a_column(size_t columns)
{
    return 2 * columns;
}

static bool has(const scant_family_cells *cells, size_t c)
{
    return !cells->present || cells->present[c];
}

static const char *waiting_density(const scant_family_use *use, const double *mean,
                                   const scant_family_cells *cells, double *out)
{
    memset(out, 0, cells->rows * sizeof *out);
    for (size_t i = 0; i < cells->rows; i++)
        for (size_t c = 0; c < use->columns; c++)
            if (has(cells, c))
                out[i] -= cells->value[i * use->columns + c] / mean[c] + log(mean[c]);
    return NULL;
}

static const char *waiting_sums(const scant_family_use *use, const double *mean,
                                const scant_family_cells *cells, const double *weight, double *sums)
{
    (void)mean;
    for (size_t i = 0; i < cells->rows; i++)
        for (size_t c = 0; c < use->columns; c++)
            if (has(cells, c)) {
                sums[2 * c] += weight[i];
                sums[2 * c + 1] += weight[i] * cells->value[i * use->columns + c];
            }
    return NULL;
}

static const char *waiting_step(const scant_family_use *use, double weight, const double *sums,
                                double *mean, bool *bounded)
{
    (void)weight;
    for (size_t c = 0; c < use->columns; c++) {
        double least = sqrt(use->min_variance) * use->deviation[c];
        if (sums[2 * c] > 0)
            mean[c] = fmax(sums[2 * c + 1] / sums[2 * c], least);
        *bounded |= !(mean[c] > least);
    }
    return NULL;
}

static const char *waiting_expected(const scant_family_use *use, size_t column, double cell)
{
    (void)use;
    (void)column;
    return cell >= 0 ? NULL : "expected a time";
}

static const char *waiting_unfit(const scant_family_use *use, const double *mean)
{
    for (size_t c = 0; c < use->columns; c++)
        if (!(mean[c] > 0))
            return "a mean is not positive";
    return NULL;
}

static const char *waiting_sample(const scant_family_use *use, const double *mean,
                                  scant_random *random, double *row)
{
    for (size_t c = 0; c < use->columns; c++)
        row[c] = -mean[c] * log(scant_random_uniform(random));
    return NULL;
}

const scant_family waiting = {
    .name = "waiting",
    .parameters = (const scant_family_array[]){{"means", SCANT_FAMILY_COLUMNS}},
    .nparameters = 1,
    .takes_missing = true,
    .statistics = two_a_column,
    .log_density = waiting_density,
    .accumulate = waiting_sums,
    .maximise = waiting_step,
    .expected = waiting_expected,
    .unfit = waiting_unfit,
    .sample = waiting_sample,
};

/* --- a normal distribution of two columns, missing cells integrated out --- */

static size_t five(size_t columns)
{
    (void)columns;
    return 5;
}

/* mean (2), then covariance (2 x 2) */
static const char *pair_density(const scant_family_use *use, const double *p,
                                const scant_family_cells *cells, double *out)
{
    double a = p[2], b = p[3], d = p[5], det = a * d - b * b, turn = log(2 * acos(-1.0));
    (void)use;
    for (size_t i = 0; i < cells->rows; i++) {
        double x = cells->value[2 * i] - p[0], y = cells->value[2 * i + 1] - p[1];
        if (has(cells, 0) && has(cells, 1))
            out[i] = -turn - (log(det) + (d * x * x - 2 * b * x * y + a * y * y) / det) / 2;
        else if (has(cells, 0))
            out[i] = -(turn + log(a) + x * x / a) / 2;
        else
            out[i] = has(cells, 1) ? -(turn + log(d) + y * y / d) / 2 : 0;
    }
    return NULL;
}

/* What is expected of a row and its squares, given the cells that it has. */
static void complete(const scant_family_use *use, const double *p, const scant_family_cells *cells,
                     const double *cell, double x[2], double square[3])
{
    double spread = 0;
    for (size_t c = 0; c < 2; c++)
        x[c] = has(cells, c) ? cell[c] : p ? p[c] : use->mean[c];
    for (size_t c = 0; p && c < 2; c++)
        if (!has(cells, c)) {
            double own = p[2 + 3 * c], other = p[5 - 3 * c];
            bool seen = has(cells, 1 - c);
            x[c] += seen ? p[3] / other * (cell[1 - c] - p[1 - c]) : 0;
            spread = seen ? own - p[3] * p[3] / other : own;
            square[2 * c] += spread;
            square[1] += !seen && c == 0 ? p[3] : 0;
        }
    square[0] += x[0] * x[0];
    square[1] += x[0] * x[1];
    square[2] += x[1] * x[1];
}

static const char *pair_sums(const scant_family_use *use, const double *p,
                             const scant_family_cells *cells, const double *weight, double *sums)
{
    for (size_t i = 0; i < cells->rows; i++) {
        double x[2], square[3] = {0};
        complete(use, p, cells, cells->value + 2 * i, x, square);
        for (size_t c = 0; c < 2; c++)
            sums[c] += weight[i] * x[c];
        for (size_t s = 0; s < 3; s++)
            sums[2 + s] += weight[i] * square[s];
    }
    return NULL;
}

static const char *pair_step(const scant_family_use *use, double weight, const double *sums,
                             double *p, bool *bounded)
{
    (void)use;
    (void)bounded;
    p[0] = sums[0] / weight;
    p[1] = sums[1] / weight;
    p[2] = sums[2] / weight - p[0] * p[0];
    p[3] = p[4] = sums[3] / weight - p[0] * p[1];
    p[5] = sums[4] / weight - p[1] * p[1];
    return NULL;
}

const scant_family pair = {
    .name = "pair",
    .parameters = (const scant_family_array[]){{"means", SCANT_FAMILY_COLUMNS},
                                               {"covariances", SCANT_FAMILY_SQUARE}},
    .nparameters = 2,
    .takes_missing = true,
    .statistics = five,
    .log_density = pair_density,
    .accumulate = pair_sums,
    .maximise = pair_step,
    .degrees = five,
};
