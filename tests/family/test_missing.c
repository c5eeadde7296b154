/* Gaussians with missing cells against the conditional distribution, written down with inverses: log
 * densities and the statistics of completed rows, for every pattern of missing cells, number of rows
 * (few are completed one by one) and table of kernels; and that components of nearly dependent columns keep
 * their digits on either side of the limit between products and factors. */
#include <math.h>
#include "check.h"
#include "family_cases.h"
#include "family/gaussian.h"
#include "math/kernels.h"
#include "math/linear.h"

enum { D = 4, FEATURES = 1 + D + D * (D + 1) / 2, ROWS_MOST = 20 };
static const double LOG_2PI = 1.8378770664093453;

/* Covariances whose first two columns differ by about `gap`. */
static scant_i_factor *draw_factor(size_t M, double gap, scant_i_random *random)
{
    const size_t columns[D] = {0, 1, 2, 3};
    scant_i_family_settings settings = {.covariance = "full"};
    scant_i_factor *factor = NULL;
    assert_ok(scant_i_factor_new(&factor, &scant_i_gaussian, &settings, M, columns, NULL, D));
    for (size_t j = 0; j < M; j++) {
        double root[D * D], *S = scant_i_gaussian_covariance(factor, j);
        for (size_t a = 0; a < D * D; a++)
            root[a] = scant_i_random_normal(random) * 0.3 + (a % (D + 1) == 0);
        for (size_t b = 0; b < D; b++)
            root[D + b] = root[b] + gap * root[D + b];
        for (size_t a = 0; a < D; a++) {
            scant_i_gaussian_mean(factor, j)[a] = scant_i_random_normal(random);
            for (size_t b = 0; b < D; b++)
                S[a * D + b] = scant_i_dot(root + a * D, root + b * D, D);
        }
    }
    assert_ok(factor->family->pass->prepare(factor));
    return factor;
}

/* The log density of z, and z completed into y, V added to the products' V (D x D). */
static double complete(const scant_i_factor *factor, size_t j, const double *z,
                       const uint8_t *present, double *y, double *V)
{
    const scant_i_gaussian_tables *t = factor->tables;
    const double *m = t->mean + j * D, *S = t->covariance + j * D * D;
    double L[D * D], inverse[D * D], B[D], log_density = 0;
    size_t of[D], o = 0;
    for (size_t c = 0; c < D; c++)
        if (present[c])
            of[o++] = c;
    for (size_t a = 0; a < o; a++)
        for (size_t b = 0; b < o; b++)
            L[a * o + b] = S[of[a] * D + of[b]];
    assert_true(scant_i_cholesky(L, o));
    scant_i_cholesky_inverse(inverse, L, o);
    log_density = -0.5 * ((double)o * LOG_2PI + scant_i_cholesky_logdet(L, o));
    for (size_t a = 0; a < o; a++) {
        log_density -= log(t->unit[of[a]]);
        for (size_t b = 0; b < o; b++)
            log_density -= 0.5 * (z[of[a]] - m[of[a]]) * inverse[a * o + b] * (z[of[b]] - m[of[b]]);
    }
    memset(V, 0, D * D * sizeof *V);
    for (size_t c = 0; c < D; c++) {
        y[c] = present[c] ? z[c] : m[c];
        for (size_t b = 0; b < o && !present[c]; b++) {
            B[b] = 0;
            for (size_t a = 0; a < o; a++)
                B[b] += S[c * D + of[a]] * inverse[a * o + b];
            y[c] += B[b] * (z[of[b]] - m[of[b]]);
        }
        for (size_t e = 0; e < D && !present[c]; e++) {
            V[c * D + e] = present[e] ? 0 : S[c * D + e];
            for (size_t b = 0; b < o && !present[e]; b++)
                V[c * D + e] -= B[b] * S[of[b] * D + e];
        }
    }
    return log_density;
}

static void add_row(const scant_i_factor *factor, size_t j, double w, const double *y,
                    const double *V, double *sum)
{
    const scant_i_gaussian_tables *t = factor->tables;
    size_t stride = factor->stride, at = 1 + D;
    sum[j] += w;
    for (size_t a = 0; a < D; a++) {
        double from[2] = {t->exact[j] ? t->mean[j * D + a] : 0, 0};
        sum[(1 + a) * stride + j] += w * (y[a] - from[0]);
        for (size_t b = a; b < D; b++, at++) {
            from[1] = t->exact[j] ? t->mean[j * D + b] : 0;
            sum[at * stride + j] += w * ((y[a] - from[0]) * (y[b] - from[1]) + V[a * D + b]);
        }
    }
}

static void assert_near(double got, double want, double scale, double tolerance)
{
    if (!(fabs(got - want) <= tolerance * (1 + scale)))
        fail_msg("%.17g, not %.17g", got, want);
}

/* One block of n rows under one pattern. */
static void check_block(const scant_i_factor *factor, const scant_rows *rows, const double *R,
                        size_t n, const uint8_t *present, double tolerance)
{
    const scant_i_family_pass *pass = factor->family->pass;
    size_t M = factor->ncomponents, stride = factor->stride;
    scant_i_block block = {.batch = ALL_ROWS(rows), .nrows = n, .present = present};
    double *L = scant_i_calloc(n * stride, sizeof *L), weight = 0;
    double *sum = scant_i_calloc(2 * FEATURES * stride, sizeof *sum);
    double *want = sum + FEATURES * stride;
    void *scratch = scant_i_calloc(1, pass->scratch(factor, n, true));
    assert_true(L && sum && scratch && pass->nstatistics(factor) == FEATURES * stride);
    assert_ok(pass->log_density(factor, &block, L, scratch));
    assert_ok(pass->accumulate(factor, &block, R, sum, scratch));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < M; j++) {
            double y[D], V[D * D], z[D];
            for (size_t c = 0; c < D; c++) /* centre 0, scale 1: the rows are in standard units */
                z[c] = rows->dense[i * D + c];
            double density = complete(factor, j, z, present, y, V);
            assert_near(L[i * stride + j], density, fabs(density), tolerance);
            add_row(factor, j, R[i * stride + j], y, V, want);
            weight += R[i * stride + j];
        }
    for (size_t k = 0; k < FEATURES * stride; k++)
        assert_near(sum[k], want[k], fmax(10 * weight, fabs(want[k])), tolerance);
    scant_i_free(scratch);
    scant_i_free(sum);
    scant_i_free(L);
}

static void check_factor(const scant_i_factor *factor, double tolerance, scant_i_random *random)
{
    static const size_t counts[] = {1, 2, 3, 4, 9, ROWS_MOST};
    size_t stride = factor->stride;
    double x[ROWS_MOST * D];
    double *R = scant_i_calloc(ROWS_MOST * stride, sizeof *R);
    assert_non_null(R);
    for (size_t i = 0; i < ROWS_MOST; i++) {
        double *row = x + i * D;
        for (size_t c = 0; c < D; c++)
            row[c] = scant_i_random_normal(random);
        for (size_t j = 0; j < factor->ncomponents; j++)
            R[i * stride + j] = scant_i_random_uniform(random);
    }
    scant_rows rows = {.nrows = ROWS_MOST, .ncolumns = D, .dense = x};
    for (size_t pattern = 0; pattern < 1 << D; pattern++) {
        uint8_t present[D];
        for (size_t c = 0; c < D; c++)
            present[c] = pattern >> c & 1;
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
            check_block(factor, &rows, R, counts[k], present, tolerance);
    }
    scant_i_free(R);
}

static void test_patterns(void **state)
{
    (void)state;
    const scant_i_kernels *table = NULL;
    for (size_t k = 0; (table = scant_i_kernels_supported(k)); k++) {
        assert_ok(scant_i_kernels_use(table->name));
        for (size_t M = 1; M <= 17; M += 8) {
            scant_i_random random = scant_i_random_new(1, M);
            scant_i_factor *factor = draw_factor(M, 1, &random);
            check_factor(factor, 1e-11, &random);
            scant_i_factor_free(factor);
        }
    }
    assert_ok(scant_i_kernels_use(NULL));
}

/* Gaps at which all components are swept, some, and none. */
static void test_near_the_limit(void **state)
{
    (void)state;
    size_t some = 0, all = 0, none = 0;
    for (double gap = 1; gap > 1e-5; gap /= 4) {
        scant_i_random random = scant_i_random_new(2, 0);
        scant_i_factor *factor = draw_factor(5, gap, &random);
        const scant_i_gaussian_tables *t = factor->tables;
        check_factor(factor, 1e-8, &random);
        none += t->nexact == factor->ncomponents;
        all += t->nexact == 0;
        some += t->nexact && t->nexact < factor->ncomponents;
        scant_i_factor_free(factor);
    }
    assert_true(some && all && none);
}

/* Rows here and there, whose columns are put into standard units eight at a time, those that lie otherwise one by one. */
static void standard_units_of_scattered_rows(void **state)
{
    (void)state;
    enum { COLUMNS = 21, OF = 19, ROWS = 300, TAKEN = 131, LD = 136 };
    static double x[ROWS * COLUMNS], z[OF * LD] __attribute__((aligned(64)));
    size_t columns[OF], row[TAKEN];
    uint8_t present[COLUMNS];
    scant_i_random random = scant_i_random_new(3, 0);
    scant_i_factor *factor = NULL;
    scant_i_family_settings settings = {.covariance = "diag"};
    for (size_t c = 0; c < OF; c++)
        columns[c] = c < 9 ? c + 2 : c + 1;
    columns[9] = 0; /* the others are neighbours */
    for (size_t c = 0; c < COLUMNS; c++)
        present[c] = c % 3 != 1;
    for (size_t t = 0; t < ROWS * COLUMNS; t++)
        x[t] = present[t % COLUMNS] ? scant_i_random_normal(&random) : NAN;
    for (size_t i = 0; i < TAKEN; i++)
        row[i] = 2 * i + i % 2;
    assert_ok(scant_i_factor_new(&factor, &scant_i_gaussian, &settings, 2, columns, NULL, OF));
    for (size_t c = 0; c < OF; c++) {
        factor->centre[c] = scant_i_random_normal(&random);
        factor->scale[c] = 0.5 + scant_i_random_uniform(&random);
    }
    scant_i_batch batch = {.nrows = ROWS, .ncolumns = COLUMNS, .dense = x};
    scant_i_block block = {.batch = &batch, .nrows = TAKEN, .row = row, .present = present};

    const scant_i_kernels *each = NULL;
    for (size_t k = 0; (each = scant_i_kernels_supported(k)); k++) {
        assert_ok(scant_i_kernels_use(each->name));
        memset(z, 0xff, sizeof z);
        scant_i_gaussian_standardise(factor, &block, z, LD);
        for (size_t c = 0; c < OF; c++)
            for (size_t i = 0; i < TAKEN; i++) {
                double cell = x[row[i] * COLUMNS + columns[c]];
                double want = isnan(cell) ? 0 : (cell - factor->centre[c]) * (1 / factor->scale[c]);
                assert_same(z[c * LD + i], want);
            }
    }
    scant_i_factor_free(factor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_near_the_limit),
        cmocka_unit_test(standard_units_of_scattered_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
