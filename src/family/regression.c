/* Linear regression: one column, the target y, given the others. Rows without a target say nothing
 * here; inputs must be there.
 *
 *   f(y | inputs) = N(y; b'z, s2),  z = (1, inputs)
 *   parameters  coefficients b, M x d, the intercept first; variances s2, M
 *   T = (y z, y^2),  eta = (b / s2, -1 / (2 s2)),
 *   K = (b'z)^2 / (2 s2) + log(s2) / 2,  A = -log(2 pi) / 2
 *
 *   The pass works with u = (1, (input - centre) / scale ..., (y - centre) / scale).
 *   statistics  sum of R u_a u_b, a <= b: (d + 1)(d + 2) / 2 x stride
 *   M-step      weighted least squares: moments about the component's own means, scaled to
 *               correlations, then a Cholesky factorisation with pivots. An input that does not
 *               vary, or that the others explain but for PIVOT_LEAST of its variance, gets
 *               coefficient 0, which costs no likelihood: the fitted values are those of any other
 *               solution. Moments that no rows have are refused. s2 is the mean squared residual, held at or above
 *               max(VARIANCE_LEAST, min_variance) times the target's variance: b does not depend
 *               on s2 and the likelihood has one maximum in s2, so holding it there is exact.
 *   cost        2 nrows d M flop for densities, nrows d^2 M for statistics */
#include "family/pass.h"
#include "family/regression.h"
#include "math/linear.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double PIVOT_LEAST = 1e-12;    /* below it a pivot is rounding */
static const double VARIANCE_LEAST = 1e-12; /* so is a residual variance */
static const double CELL_MOST = 1e100;
static const double LOG_TWO_PI = 1.83787706640934548356;

static size_t pairs(const scant_i_factor *factor)
{
    return (factor->ncolumns + 1) * (factor->ncolumns + 2) / 2;
}

static size_t target_column(const scant_i_factor *factor)
{
    return factor->columns[factor->settings.target];
}

static scant_status configure(scant_i_factor *factor)
{
    if (factor->settings.target >= factor->ncolumns)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "family regression: target %zu is not one of its %zu columns",
                            factor->settings.target + 1, factor->ncolumns);
    factor->ntheta = factor->ncomponents * (factor->ncolumns + 1);
    return SCANT_OK;
}

static size_t parameters(const scant_i_factor *factor, scant_i_parameter *out)
{
    size_t M = factor->ncomponents, d = factor->ncolumns;
    out[0] = (scant_i_parameter){"coefficients", 0, 2, {M, d, 0}, false};
    out[1] = (scant_i_parameter){"variances", M * d, 1, {M, 0, 0}, false};
    return 2;
}

static size_t degrees(const scant_i_factor *factor)
{
    return factor->ntheta;
}

static scant_status validate(const scant_i_factor *factor, const scant_i_batch *batch)
{
    if (!batch->dense)
        return scant_i_fail(SCANT_ERR_INPUT, "family regression does not take sparse rows");
    for (size_t i = 0; i < batch->nrows; i++) {
        for (size_t c = 0; c < factor->ncolumns; c++) {
            double x = batch->dense[i * batch->ncolumns + factor->columns[c]];
            if (isnan(x) && c == factor->settings.target)
                continue;
            if (isnan(x))
                return scant_i_batch_fail_cell(batch, i, factor->columns[c],
                                               "an input of a regression must not be missing");
            if (!(fabs(x) <= CELL_MOST))
                return scant_i_batch_fail_cell(batch, i, factor->columns[c],
                                               "expected a number within -1e100 and 1e100, not %g",
                                               x);
        }
    }
    return SCANT_OK;
}

static scant_status check(const scant_i_factor *factor)
{
    size_t d = factor->ncolumns;
    for (size_t j = 0; j < factor->ncomponents; j++) {
        for (size_t c = 0; c < d; c++)
            if (!isfinite(factor->theta[j * d + c]))
                return scant_i_fail(SCANT_ERR_INPUT, "coefficients of component %zu: %g", j + 1,
                                    factor->theta[j * d + c]);
        double s2 = scant_i_regression_variances(factor)[j];
        if (!(s2 > 0) || !isfinite(s2))
            return scant_i_fail(SCANT_ERR_INPUT,
                                "variances of component %zu: %g is not positive and finite", j + 1,
                                s2);
    }
    return SCANT_OK;
}

/* The table: coefficients of u but its last (d x stride), then -1 / (2 s2) and the constant of the
 * log density (stride each); all in the data's units of u. */
static scant_status prepare(scant_i_factor *factor)
{
    scant_status status = check(factor);
    size_t d = factor->ncolumns, stride = factor->stride, target = factor->settings.target;
    double *table = factor->tables, unit = factor->scale[target];
    if (status != SCANT_OK)
        return status;
    if (!table) {
        SCANT_I_TRY(SCANT_I_NEW(&table, (d + 2) * stride));
        factor->tables = table;
    }
    for (size_t j = 0; j < factor->ncomponents; j++) {
        const double *b = factor->theta + j * d;
        double s2 = scant_i_regression_variances(factor)[j], level = b[0] - factor->centre[target];
        for (size_t k = 0; k + 1 < d; k++) {
            size_t c = scant_i_regression_input(factor, k);
            table[(k + 1) * stride + j] = b[k + 1] * (factor->scale[c] / unit);
            level += b[k + 1] * factor->centre[c];
        }
        table[j] = level / unit;
        table[d * stride + j] = -0.5 * unit / s2 * unit;
        table[(d + 1) * stride + j] = -0.5 * (LOG_TWO_PI + log(s2));
    }
done:
    return status;
}

static void release(scant_i_factor *factor)
{
    scant_i_free(factor->tables);
    factor->tables = NULL;
}

/* Scratch of a worker. */
typedef struct scratchpad {
    double *own;      /* chunk x stride */
    double *u;        /* (d + 1) x chunk */
    double *products; /* pairs x chunk */
    size_t chunk;
} scratchpad;

static size_t lay_out(const scant_i_factor *factor, scratchpad *pad, void *memory)
{
    size_t q = factor->ncolumns + 1, chunk = pad->chunk = scant_i_pass_rows(pairs(factor));
    if (memory) {
        pad->own = memory;
        pad->u = pad->own + chunk * factor->stride;
        pad->products = pad->u + q * chunk;
    }
    return (chunk * factor->stride + (q + pairs(factor)) * chunk) * sizeof(double);
}

static size_t scratch(const scant_i_factor *factor, size_t nrows, bool missing)
{
    (void)missing;
    scratchpad pad = {0};
    (void)nrows;
    return lay_out(factor, &pad, NULL);
}

static void fill(const scant_i_factor *factor, const scant_i_block *block, size_t first, size_t n,
                 scratchpad *pad)
{
    size_t d = factor->ncolumns;
    for (size_t i = 0; i < n; i++)
        pad->u[i] = 1;
    for (size_t k = 0; k < d; k++) {
        size_t c = k + 1 < d ? scant_i_regression_input(factor, k) : factor->settings.target;
        double *row = pad->u + (k + 1) * pad->chunk;
        for (size_t i = 0; i < n; i++) {
            double x = scant_i_block_cells(block, first + i)[factor->columns[c]];
            row[i] = (x - factor->centre[c]) / factor->scale[c];
        }
    }
}

static scant_status log_density(const scant_i_factor *factor, const scant_i_block *block, double *L,
                                void *memory)
{
    size_t d = factor->ncolumns, stride = factor->stride;
    const double *table = factor->tables, *precision = table + d * stride;
    const double *constant = precision + stride;
    scratchpad pad = {0};
    if (!scant_i_block_has(block, target_column(factor)))
        return SCANT_OK; /* nothing to explain in these rows */
    (void)lay_out(factor, &pad, memory);
    for (size_t first = 0; first < block->nrows; first += pad.chunk) {
        size_t n = scant_i_min(pad.chunk, block->nrows - first);
        fill(factor, block, first, n, &pad);
        memset(pad.own, 0, n * stride * sizeof *pad.own);
        scant_i_product(pad.own, pad.u, pad.chunk, table, n, d, stride);
        const double *y = pad.u + d * pad.chunk;
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < stride; j++) {
                double residual = y[i] - pad.own[i * stride + j];
                L[(first + i) * stride + j] += constant[j] + precision[j] * residual * residual;
            }
        }
    }
    return SCANT_OK;
}

static size_t nstatistics(const scant_i_factor *factor)
{
    return pairs(factor) * factor->stride;
}

static scant_status accumulate(const scant_i_factor *factor, const scant_i_block *block,
                               const double *R, double *statistics, void *memory)
{
    size_t q = factor->ncolumns + 1, stride = factor->stride;
    scratchpad pad = {0};
    if (!scant_i_block_has(block, target_column(factor)))
        return SCANT_OK;
    (void)lay_out(factor, &pad, memory);
    for (size_t first = 0; first < block->nrows; first += pad.chunk) {
        size_t n = scant_i_min(pad.chunk, block->nrows - first);
        fill(factor, block, first, n, &pad);
        double *out = pad.products;
        for (size_t a = 0; a < q; a++)
            for (size_t b = a; b < q; b++, out += pad.chunk)
                for (size_t i = 0; i < n; i++)
                    out[i] = pad.u[a * pad.chunk + i] * pad.u[b * pad.chunk + i];
        scant_i_product_transposed(statistics, pad.products, pad.chunk, R + first * stride, n,
                                   pairs(factor), stride);
    }
    return SCANT_OK;
}

/* Least squares from the correlations C (n x n, the last row and column the target's) of n - 1
 * inputs: C is overwritten, x gets n - 1 coefficients; order and x have room for n. Cholesky with
 * the largest pivot first, in place in the lower triangle, ending where the largest pivot is
 * rounding. False: one is below -rounding. */
static bool least_squares(double *C, size_t n, double rounding, size_t *order, double *x)
{
    size_t m = n - 1, rank = 0;
    for (size_t k = 0; k < n; k++)
        order[k] = k;
#define AT(a, b) C[order[a] * n + order[b]]
    for (; rank < m; rank++) {
        size_t best = rank;
        for (size_t k = rank + 1; k < m; k++)
            if (AT(k, k) > AT(best, best))
                best = k;
        if (!(AT(best, best) > PIVOT_LEAST))
            break;
        size_t swap = order[rank];
        order[rank] = order[best];
        order[best] = swap;
        double pivot = sqrt(AT(rank, rank));
        AT(rank, rank) = pivot;
        for (size_t k = rank + 1; k < n; k++)
            AT(k, rank) /= pivot;
        for (size_t a = rank + 1; a < n; a++)
            for (size_t b = rank + 1; b < n; b++)
                AT(a, b) -= AT(a, rank) * AT(b, rank);
    }
    bool possible = true;
    for (size_t k = rank; k < n; k++)
        possible = possible && AT(k, k) >= -rounding;
    memset(x, 0, n * sizeof *x);
    for (size_t k = rank; k-- > 0;) { /* L' x = (the target's row of L) */
        double sum = AT(m, k);
        for (size_t a = k + 1; a < rank; a++)
            sum -= AT(a, k) * x[order[a]];
        x[order[k]] = sum / AT(k, k);
    }
#undef AT
    return possible;
}

/* Workspace of an M-step. */
typedef struct workspace {
    double *moment;      /* (d + 1) x (d + 1): of u; */
    double *correlation; /* d x d: of inputs and target about the component's means */
    double *spread;      /* d: standard deviations */
    double *slope;       /* d */
    size_t *order;       /* d */
} workspace;

/* The maximum of one component, in the units of u: level, slopes, and the mean squared residual.
 * False: there are no such rows. */
static bool solve(workspace *w, size_t d, double N, double *level, double *s2)
{
    size_t q = d + 1;
    double *m = w->moment;
    bool possible = true;
    double loss = 1; /* digits that variances have lost against mean squares */
    for (size_t a = 0; a < d; a++) {
        double square = m[(a + 1) * q + a + 1] / N, mean = m[a + 1] / N;
        double variance = square - mean * mean;
        w->spread[a] = variance > PIVOT_LEAST * square ? sqrt(variance) : 0;
        possible = possible && variance >= -SCANT_I_ROUNDING * (fabs(square) + mean * mean);
        loss = w->spread[a] > 0 ? fmax(loss, square / variance) : loss;
    }
    for (size_t a = 0; a < d; a++) {
        for (size_t b = 0; b < d; b++) {
            double covariance = m[(a + 1) * q + b + 1] / N - m[a + 1] / N * (m[b + 1] / N);
            double scale = w->spread[a] * w->spread[b];
            w->correlation[a * d + b] = scale > 0 ? covariance / scale : 0;
        }
    }
    possible =
        least_squares(w->correlation, d, SCANT_I_ROUNDING * loss, w->order, w->slope) && possible;
    *level = m[d] / N;
    for (size_t k = 0; k + 1 < d; k++) {
        double unit = w->spread[k] > 0 ? w->spread[d - 1] / w->spread[k] : 0;
        w->slope[k] *= unit;
        *level -= w->slope[k] * (m[k + 1] / N);
    }
    /* residuals' mean square by v' m v with v = (-level, -slopes, 1), from the moments */
    double residual = 0, least = 0;
    for (size_t a = 0; a < q; a++) {
        double va = a == 0 ? -*level : a == d ? 1 : -w->slope[a - 1], sum = 0;
        for (size_t b = 0; b < q; b++)
            sum += m[a * q + b] * (b == 0 ? -*level : b == d ? 1 : -w->slope[b - 1]);
        residual += va * sum;
        least -= SCANT_I_ROUNDING * va * va * fabs(m[a * q + a]);
    }
    *s2 = residual / N;
    return possible && residual >= least && isfinite(*s2);
}

static void store(scant_i_factor *factor, size_t j, const workspace *w, double level, double s2)
{
    size_t d = factor->ncolumns, target = factor->settings.target;
    double *b = factor->theta + j * d, unit = factor->scale[target];
    b[0] = factor->centre[target] + unit * level;
    for (size_t k = 0; k + 1 < d; k++) {
        size_t c = scant_i_regression_input(factor, k);
        b[k + 1] = w->slope[k] * (unit / factor->scale[c]);
        b[0] -= b[k + 1] * factor->centre[c];
    }
    scant_i_regression_variances(factor)[j] = s2 * unit * unit;
}

/* In the units of u. */
static double least_variance(const scant_i_factor *factor)
{
    return fmax(VARIANCE_LEAST, factor->settings.min_variance);
}

static scant_status within(const scant_i_factor *factor)
{
    double unit = factor->scale[factor->settings.target];
    double least = least_variance(factor) * unit * unit * (1 - SCANT_I_SLACK);
    for (size_t j = 0; j < factor->ncomponents; j++)
        if (!(scant_i_regression_variances(factor)[j] >= least))
            return SCANT_ERR_INPUT;
    return SCANT_OK;
}

static scant_status maximise(scant_i_factor *factor, const double *statistics)
{
    scant_status status = SCANT_OK;
    size_t d = factor->ncolumns, q = d + 1, stride = factor->stride;
    double least = least_variance(factor);
    workspace w = {0};
    SCANT_I_TRY(SCANT_I_NEW(&w.moment, q * q));
    SCANT_I_TRY(SCANT_I_NEW(&w.correlation, d * d));
    SCANT_I_TRY(SCANT_I_NEW(&w.spread, d));
    SCANT_I_TRY(SCANT_I_NEW(&w.slope, d));
    SCANT_I_TRY(SCANT_I_NEW(&w.order, d));
    for (size_t j = 0; j < factor->ncomponents; j++) {
        const double *s = statistics + j;
        factor->at_floor[j] = 0;
        if (fabs(s[0]) <= DBL_MIN)
            continue;
        for (size_t a = 0; a < q; a++)
            for (size_t b = a; b < q; b++, s += stride)
                w.moment[a * q + b] = w.moment[b * q + a] = *s;
        double level = 0, s2 = 0;
        if (!(statistics[j] > 0) || !solve(&w, d, statistics[j], &level, &s2))
            SCANT_I_TRY(scant_i_fail(SCANT_ERR_INPUT,
                                     "regression of component %zu: no rows have such statistics",
                                     j + 1));
        factor->at_floor[j] = !(s2 > least);
        store(factor, j, &w, level, fmax(s2, least));
    }
done:
    scant_i_free(w.moment);
    scant_i_free(w.correlation);
    scant_i_free(w.spread);
    scant_i_free(w.slope);
    scant_i_free(w.order);
    return status;
}

static size_t nnatural(const scant_i_factor *factor)
{
    return factor->ncolumns + 1;
}

static scant_status natural(const scant_i_factor *factor, size_t component, double *eta)
{
    size_t d = factor->ncolumns;
    double s2 = scant_i_regression_variances(factor)[component];
    for (size_t c = 0; c < d; c++)
        eta[c] = factor->theta[component * d + c] / s2;
    eta[d] = -0.5 / s2;
    return SCANT_OK;
}

static scant_status from_natural(scant_i_factor *factor, size_t component, const double *eta)
{
    size_t d = factor->ncolumns;
    if (!(eta[d] < 0))
        return scant_i_fail(SCANT_ERR_INPUT,
                            "regression: natural parameter %g is outside the domain", eta[d]);
    double s2 = scant_i_regression_variances(factor)[component] = -0.5 / eta[d];
    for (size_t c = 0; c < d; c++)
        factor->theta[component * d + c] = eta[c] * s2;
    return SCANT_OK;
}

static double z(const scant_i_factor *factor, const double *x, size_t k)
{
    return k == 0 ? 1 : x[scant_i_regression_input(factor, k - 1)];
}

static void sufficient(const scant_i_factor *factor, const double *x, double *T)
{
    double y = x[factor->settings.target];
    for (size_t k = 0; k < factor->ncolumns; k++)
        T[k] = y * z(factor, x, k);
    T[factor->ncolumns] = y * y;
}

static scant_status cumulant(const scant_i_factor *factor, const double *eta, const double *x,
                             double *K, double *K1, double *K2)
{
    size_t d = factor->ncolumns, n = d + 1;
    if (!(eta[d] < 0))
        return scant_i_fail(SCANT_ERR_INPUT,
                            "regression: natural parameter %g is outside the domain", eta[d]);
    double s2 = -0.5 / eta[d], a = 0;
    for (size_t k = 0; k < d; k++)
        a += eta[k] * z(factor, x, k);
    double mean = s2 * a;
    *K = 0.5 * mean * a + 0.5 * log(s2);
    for (size_t k = 0; K1 && k < d; k++)
        K1[k] = mean * z(factor, x, k);
    if (K1)
        K1[d] = mean * mean + s2;
    for (size_t k = 0; K2 && k < d; k++) {
        for (size_t l = 0; l < d; l++)
            K2[k * n + l] = s2 * z(factor, x, k) * z(factor, x, l);
        K2[k * n + d] = K2[d * n + k] = 2 * s2 * mean * z(factor, x, k);
    }
    if (K2)
        K2[d * n + d] = 4 * s2 * mean * mean + 2 * s2 * s2;
    return SCANT_OK;
}

static double expect_target(const scant_i_factor *factor, size_t component, const double *x)
{
    size_t d = factor->ncolumns;
    double y = 0;
    for (size_t k = 0; k < d; k++)
        y += factor->theta[component * d + k] * z(factor, x, k);
    return y;
}

/* x holds the inputs on entry; the target is drawn. */
static scant_status sample(const scant_i_factor *factor, size_t component, scant_i_random *random,
                           double *x)
{
    size_t d = factor->ncolumns;
    double y =
        sqrt(scant_i_regression_variances(factor)[component]) * scant_i_random_normal(random);
    for (size_t k = 0; k < d; k++)
        y += factor->theta[component * d + k] * z(factor, x, k);
    x[factor->settings.target] = y;
    return SCANT_OK;
}

/* An intercept depends on where the inputs lie. */
static bool shifts(const scant_i_factor *factor, size_t column)
{
    return column == factor->settings.target;
}

static const scant_i_family_pass pass = {
    .prepare = prepare,
    .release = release,
    .scratch = scratch,
    .log_density = log_density,
    .nstatistics = nstatistics,
    .accumulate = accumulate,
    .maximise = maximise,
    .within = within,
};

static const scant_i_family_natural natural_form = {
    .nnatural = nnatural,
    .eta = natural,
    .sufficient = sufficient,
    .cumulant = cumulant,
    .from_natural = from_natural,
    .standardise = scant_i_regression_standardise,
    .shifts = shifts,
    .nfeatures = scant_i_regression_nfeatures,
    .begins_with_one = true,
    .features = scant_i_regression_features,
    .score = scant_i_regression_score,
    .information = scant_i_regression_information,
};

const scant_i_family scant_i_regression = {
    .name = "regression",
    .summary = "one column as a linear function of the others, with normal noise",
    .needs_all_cells = true,
    .has_target = true,
    .configure = configure,
    .parameters = parameters,
    .degrees = degrees,
    .validate = validate,
    .check = check,
    .sample = sample,
    .expect_target = expect_target,
    .pass = &pass,
    .natural = &natural_form,
};
