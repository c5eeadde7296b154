/* The kernels of this layer, against the same loops written down, with each table. */
#include <math.h>

#include "latent/kernels.h"
#include "tables.h"

enum { MOST = 21 };

static void rows_are_counted(void **state)
{
    (void)state;
    double top[MOST], kept[MOST], w[MOST], sum[MOST], log_sum[MOST], product[MOST];
    const double beta = 0.5;
    for (size_t n = 0; n <= MOST; n++)
        for (int lost = 0; lost < 2; lost++) {
            double objective = 0, weight = 0, entropy = 0, without = 0;
            for (size_t i = 0; i < n; i++) {
                bool mass = !lost || i % 5 != 2;
                top[i] = kept[i] = mass ? -cos((double)i) : i % 2 ? -INFINITY : NAN;
                w[i] = 0.5 * (double)(1 + i % 3);
                sum[i] = 1 + (double)(i % 4);
                log_sum[i] = log(sum[i]);
                product[i] = sin((double)i);
                weight += w[i];
                without += mass ? 0 : w[i];
                objective += mass ? w[i] * (top[i] + log_sum[i]) / beta : 0;
                entropy += mass ? w[i] * (log_sum[i] - product[i] / sum[i]) : 0;
            }
            scant_i_row_totals total;
            scant_i_latent_kernels_now()->count_rows(&total, top, w, sum, log_sum, product, n,
                                                     beta);
            assert_true(fabs(total.objective - objective) <= 1e-12);
            assert_true(fabs(total.entropy - entropy) <= 1e-12);
            assert_true(total.weight == weight && total.lost == without);
            for (size_t i = 0; i < n; i++)
                if (isfinite(kept[i]))
                    assert_true(fabs(top[i] - (kept[i] + log_sum[i]) / beta) <= 1e-14);
                else
                    assert_true(top[i] == -INFINITY);
        }
}

static void missing_cells_are_not_surveyed(void **state)
{
    (void)state;
    enum { ROWS, WEIGHT, SUM, LEAST, LARGEST, SQUARES, FIELDS };
    const scant_i_latent_kernels *kernels = scant_i_latent_kernels_now();
    for (size_t d = 1; d <= MOST; d++) {
        double x[MOST], from[MOST], inverse[MOST], got[FIELDS][MOST] = {{0}};
        double want[FIELDS][MOST] = {{0}};
        const scant_i_cell_sums sums = {got[ROWS], got[WEIGHT], got[SUM], got[LEAST], got[LARGEST]};
        for (size_t row = 0; row < 3; row++) {
            double w = 1 + (double)row;
            for (size_t c = 0; c < d; c++) {
                x[c] = (row + c) % 4 ? 5 * sin((double)(row + 2 * c)) : NAN;
                from[c] = cos((double)c);
                inverse[c] = 1 / (1 + (double)c);
                if (isnan(x[c]))
                    continue;
                double far = x[c] - from[c];
                want[ROWS][c]++;
                want[WEIGHT][c] += w;
                want[SUM][c] += w * far;
                want[LEAST][c] = fmin(want[LEAST][c], x[c]);
                want[LARGEST][c] = fmax(want[LARGEST][c], x[c]);
                want[SQUARES][c] += w * far * inverse[c] * far * inverse[c];
            }
            kernels->survey_cells(&sums, x, w, from, d);
            kernels->survey_squares(got[SQUARES], x, w, from, inverse, d);
        }
        for (size_t f = 0; f < FIELDS; f++)
            for (size_t c = 0; c < d; c++)
                assert_true(fabs(got[f][c] - want[f][c]) <= 1e-13 * fmax(1, fabs(want[f][c])));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_counted),
                                       cmocka_unit_test(missing_cells_are_not_surveyed)};
    return RUN_WITH_EACH_TABLE(tests);
}
