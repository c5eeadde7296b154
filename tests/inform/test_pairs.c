/* Pairs of components, for numbers of components that fill vectors or do not: missing information of counts against
 * a loop over rows and components. */
#include "inform/information.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "inform/chart.h"

enum { ROWS = 300, FEW_ROWS = 12, MOST = 130 };

static scant_rows *draw(size_t n)
{
    static double x[ROWS], weight[ROWS];
    scant_rows *rows = NULL;
    scant_i_random random = scant_i_random_new(3, 1);
    for (size_t i = 0; i < ROWS; i++) {
        x[i] = (double)scant_i_random_below(&random, 30);
        weight[i] = 0.5 + scant_i_random_uniform(&random);
    }
    assert_ok(scant_rows_new(&rows, n, 1, x, NULL));
    assert_ok(scant_rows_set_weights(rows, weight));
    return rows;
}

/* Rates 1, 2, ..., weights that differ. */
static scant_i_mixture *mixture_of(size_t M)
{
    static const size_t column[] = {0};
    scant_i_mixture *m = NULL;
    const scant_i_family_settings settings = {0};
    assert_ok(scant_i_mixture_new(&m, M, 1, 1));
    assert_ok(scant_i_factor_new(&m->factor[0], &scant_i_poisson, &settings, M, column, NULL, 1));
    for (size_t j = 0; j < M; j++) {
        m->factor[0]->theta[j] = (double)(j + 1);
        m->coupling.W[j] = 2 * (double)(j + 1) / (double)(M * (M + 1));
    }
    return m;
}

/* Scores of component j: log weights against the last one's, and log rates. */
static void score(double *s, const scant_i_chart *chart, const scant_i_mixture *m, size_t j,
                  double x)
{
    memset(s, 0, chart->n * sizeof *s);
    for (size_t a = 0; a + 1 < m->ncomponents; a++)
        s[chart->pi[a]] = (a == j) - m->coupling.W[a];
    s[scant_i_chart_eta(chart, 0, j)[0]] = x - m->factor[0]->theta[j];
}

/* missing += w Cov(s) of a row */
static void add_row(double *missing, const scant_i_chart *chart, const scant_i_mixture *m, double x,
                    double w)
{
    static double s[MOST][2 * MOST], r[MOST], mean[2 * MOST];
    double total = 0;
    size_t n = chart->n, M = m->ncomponents;
    for (size_t j = 0; j < M; j++) {
        double rate = m->factor[0]->theta[j];
        total += r[j] = m->coupling.W[j] * exp(x * log(rate) - rate - lgamma(x + 1));
        score(s[j], chart, m, j, x);
    }
    for (size_t a = 0; a < n; a++) {
        mean[a] = 0;
        for (size_t j = 0; j < M; j++)
            mean[a] += r[j] / total * s[j][a];
    }
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            for (size_t j = 0; j < M; j++)
                missing[a * n + b] += w * r[j] / total * (s[j][a] - mean[a]) * (s[j][b] - mean[b]);
}

static void check_components(const scant_rows *rows, size_t M)
{
    const scant_i_evidence_settings settings = {
        .probabilities = SCANT_I_LIKELIHOOD, .unlabelled_weight = 1, .own_class = false};
    scant_i_mixture *m = mixture_of(M);
    scant_i_evidence evidence;
    scant_i_information info;
    assert_ok(scant_i_evidence_new(&evidence, rows, 1, &settings));
    assert_ok(scant_i_information_new(&info, m, rows, &evidence, 1));
    size_t n = info.chart.n;
    double *missing = calloc(n * n, sizeof *missing);
    for (size_t i = 0; i < rows->nrows; i++)
        add_row(missing, &info.chart, m, rows->dense[i], scant_rows_weight(rows, i));
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            double unit = sqrt(info.complete[a * n + a] * info.complete[b * n + b]);
            if (!(fabs(missing[a * n + b] - info.missing[a * n + b]) <= 1e-11 * unit))
                fail_msg("%zu components: missing[%zu][%zu] %.15g, naive %.15g", M, a, b,
                         info.missing[a * n + b], missing[a * n + b]);
        }
    free(missing);
    scant_i_information_clear(&info);
    scant_i_evidence_clear(&evidence);
    scant_i_mixture_free(m);
}

static void any_number_of_components(void **state)
{
    (void)state;
    static const size_t numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 16, 17, 18, 24, 25, 33, 40};
    scant_rows *rows = draw(ROWS);
    for (size_t t = 0; t < sizeof numbers / sizeof *numbers; t++)
        check_components(rows, numbers[t]);
    scant_rows_free(rows);
}

/* So many that the entry of rows without labels has no table of its own. */
static void components_beyond_tables(void **state)
{
    (void)state;
    scant_rows *rows = draw(FEW_ROWS);
    check_components(rows, MOST);
    scant_rows_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_number_of_components),
                                       cmocka_unit_test(components_beyond_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
