/* The prior of Gaussian covariances, from labeled rows.
 *
 * With class means m_k and the weights w_i of rows with an exact label, in standard units z:
 *     W = sum_i w_i (z_i - m_k(i)) (z_i - m_k(i))',   N = sum_i w_i,
 *     T = (W + s I) / (N + s):
 * the tied covariance of the classes, itself shrunk to uncorrelated columns with the data's variances
 * by as many rows. So class covariances go to a tied one, and that to a diagonal one, as labels run
 * out. A missing cell is put at its class's mean, and row and column of W are scaled up by
 * sqrt(N / weight that has the column). Auto is s = d where a class has fewer than ROWS_A_COLUMN d
 * labeled rows (partial labels in proportion): then labels alone do not settle a covariance. Cost: rows x d^2, once. */
#include "fit/shrinkage.h"

#include <math.h>
#include <string.h>

#include "family/gaussian.h"

enum { ROWS_A_COLUMN = 5 }; /* labeled rows of a class for each column that need no prior */

/* Of the labeled rows of one factor: K x d class means and the weights behind them. */
typedef struct classes {
    double *mean, *weight; /* K x d each */
    double *present;       /* d: weight of the rows that have the column */
    double *unit, *z;      /* d each */
    double total;
} classes;

static double standard(const scant_i_factor *f, const scant_rows *rows, const double *unit,
                       size_t i, size_t c)
{
    return (rows->dense[i * rows->ncolumns + f->columns[c]] - f->centre[c]) / unit[c];
}

static void find_means(classes *of, const scant_i_factor *f, const scant_rows *rows)
{
    size_t d = f->ncolumns, K = rows->labels.nclasses;
    for (size_t i = 0; i < rows->nrows; i++) {
        int32_t k = scant_rows_label(rows, i);
        double w = k >= 0 ? scant_rows_weight(rows, i) : 0;
        of->total += w;
        for (size_t c = 0; w > 0 && c < d; c++) {
            double z = standard(f, rows, of->unit, i, c);
            if (isnan(z))
                continue;
            of->mean[(size_t)k * d + c] += w * z;
            of->weight[(size_t)k * d + c] += w;
            of->present[c] += w;
        }
    }
    for (size_t t = 0; t < K * d; t++)
        of->mean[t] /= of->weight[t] > 0 ? of->weight[t] : 1;
}

/* W into the first d x d of T, or its diagonal. */
static void add_scatter(double *T, const classes *of, const scant_i_factor *f,
                        const scant_rows *rows, bool full)
{
    size_t d = f->ncolumns;
    for (size_t i = 0; i < rows->nrows; i++) {
        int32_t k = scant_rows_label(rows, i);
        double w = k >= 0 ? scant_rows_weight(rows, i) : 0;
        if (!(w > 0))
            continue;
        for (size_t c = 0; c < d; c++) {
            double z = standard(f, rows, of->unit, i, c) - of->mean[(size_t)k * d + c];
            of->z[c] = isnan(z) ? 0 : z * sqrt(of->total / of->present[c]);
        }
        for (size_t a = 0; a < d; a++)
            for (size_t b = full ? 0 : a; b <= a; b++)
                T[full ? a * d + b : a] += w * of->z[a] * of->z[b];
    }
}

static scant_status aim(scant_i_factor *f, const scant_rows *rows)
{
    scant_status status = SCANT_OK;
    scant_i_shape shape = scant_i_gaussian_shape(f);
    size_t d = f->ncolumns, K = rows->labels.nclasses;
    bool full = shape == SCANT_I_FULL;
    double s = f->settings.shrinkage, *T = NULL;
    classes of = {0};
    SCANT_I_TRY(SCANT_I_NEW(&T, full ? d * d : d));
    SCANT_I_TRY(SCANT_I_NEW(&of.mean, 2 * K * d + 3 * d));
    of.weight = of.mean + K * d;
    of.present = of.weight + K * d;
    of.unit = of.present + d;
    of.z = of.unit + d;
    scant_i_gaussian_units(f, of.unit);
    find_means(&of, f, rows);
    if (!(of.total > 0))
        goto done;
    add_scatter(T, &of, f, rows, full);
    for (size_t a = 0; a < d; a++) {
        double *own = &T[full ? a * d + a : a];
        *own = (*own + s) / (of.total + s);
        for (size_t b = 0; full && b < a; b++)
            T[a * d + b] = T[b * d + a] = T[a * d + b] / (of.total + s);
    }
    for (size_t a = 1; a < d && shape == SCANT_I_SPHERICAL; a++)
        T[0] += T[a];
    T[0] /= shape == SCANT_I_SPHERICAL ? (double)d : 1;
    SCANT_I_TRY(scant_i_factor_aim(f, T, scant_i_gaussian_covariance_size(shape, d)));
done:
    scant_i_free(T);
    scant_i_free(of.mean);
    return status;
}

scant_status scant_i_shrinkage_aim(scant_i_mixture *mixture, const scant_rows *rows)
{
    for (size_t f = 0; f < mixture->nfactors && rows->labels.code && rows->dense; f++) {
        scant_i_factor *factor = mixture->factor[f];
        if (factor->family != &scant_i_gaussian || !(factor->settings.shrinkage > 0) ||
            scant_i_gaussian_tied(factor))
            continue;
        scant_status status = aim(factor, rows);
        if (status != SCANT_OK)
            return status;
    }
    return SCANT_OK;
}

/* What the label of a row counts for class k: sets and probabilities by their proportions. */
static double count_of(const scant_i_labels *labels, size_t row, size_t k)
{
    int32_t code = labels->code[row];
    size_t K = labels->nclasses;
    if (code < (int32_t)K)
        return code == (int32_t)k;
    const double *soft = &labels->soft[((size_t)code - K) * K];
    double sum = 0;
    for (size_t c = 0; c < K; c++)
        sum += soft[c];
    return sum > 0 ? soft[k] / sum : 0;
}

double scant_i_shrinkage_choose(const scant_rows *rows)
{
    size_t d = 0, K = rows->labels.code ? rows->labels.nclasses : 0;
    double few = INFINITY;
    for (size_t c = 0; c < rows->ncolumns; c++)
        d += !scant_rows_column_is_category(rows, c);
    for (size_t k = 0; k < K; k++) {
        double n = 0;
        for (size_t i = 0; i < rows->nrows; i++)
            n += scant_rows_weight(rows, i) > 0 ? count_of(&rows->labels, i, k) : 0;
        few = fmin(few, n);
    }
    return K > 0 && few < (double)(ROWS_A_COLUMN * d) ? (double)d : 0;
}
