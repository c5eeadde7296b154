/* The limit and the labels that pilots find, beside those that are known: normal classes of one
 * variance, the centres all equally far from each other, of which all but few columns tell
 * nothing. */
#include "plan/limit.h"

#include <math.h>
#include <stdlib.h>
#include "base/random.h"
#include "check.h"
#include <scant/scant.h>

enum { MOST = 4096 }; /* cells of a pilot */

typedef struct problem {
    size_t classes, columns, rows;
    double gap; /* between any two centres */
} problem;

/* Centre k is at gap / sqrt(2) on axis k. */
static double cell(const problem *p, size_t k, size_t c, scant_i_random *random)
{
    return scant_i_random_normal(random) + (c == k ? p->gap / sqrt(2) : 0);
}

static scant_rows *draw(const problem *p, uint64_t seed)
{
    static double x[MOST];
    static const char *cells[MOST];
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    scant_rows *rows = NULL;
    scant_i_random random = scant_i_random_new(seed, 1);
    for (size_t i = 0; i < p->rows; i++) {
        size_t k = scant_i_random_below(&random, p->classes);
        for (size_t c = 0; c < p->columns; c++)
            x[i * p->columns + c] = cell(p, k, c, &random);
        cells[i] = names[k];
    }
    assert_ok(scant_rows_new(&rows, p->rows, p->columns, x, NULL));
    assert_ok(scant_rows_set_labels(rows, cells, names, p->classes, NULL));
    return rows;
}

/* Centres as fits to `labels` rows find them. */
static void draw_centres(double centre[6][64], const problem *p, size_t labels,
                         scant_i_random *random)
{
    double count[6] = {0};
    for (size_t i = 0; i < labels; i++)
        count[scant_i_random_below(random, p->classes)]++;
    for (size_t k = 0; k < p->classes; k++)
        for (size_t c = 0; c < p->columns; c++)
            centre[k][c] =
                (c == k ? p->gap / sqrt(2) : 0) + scant_i_random_normal(random) / sqrt(count[k]);
}

static size_t nearest(double centre[6][64], const problem *p, const double *x)
{
    size_t best = 0;
    double least = INFINITY;
    for (size_t k = 0; k < p->classes; k++) {
        double square = 0;
        for (size_t c = 0; c < p->columns; c++)
            square += (x[c] - centre[k][c]) * (x[c] - centre[k][c]);
        best = square < least ? k : best;
        least = fmin(least, square);
    }
    return best;
}

/* The error of the nearest centre, over 40 fits and 6000 rows each. */
static double true_error(const problem *p, size_t labels)
{
    enum { FITS = 40, ROWS = 6000 };
    double wrong = 0, centre[6][64], x[64];
    scant_i_random random = scant_i_random_new(7, 3);
    for (size_t t = 0; t < FITS; t++) {
        draw_centres(centre, p, labels, &random);
        for (size_t i = 0; i < ROWS; i++) {
            size_t k = i % p->classes;
            for (size_t c = 0; c < p->columns; c++)
                x[c] = cell(p, k, c, &random);
            wrong += nearest(centre, p, x) != k;
        }
    }
    return wrong / (FITS * ROWS);
}

static void find(scant_i_limit *limit, scant_i_forecast *forecast, const problem *p, uint64_t seed,
                 size_t replicates)
{
    scant_rows *rows = draw(p, seed);
    scant_model *model = NULL;
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.covariance = "tied-spherical";
    options.run.threads = 1;
    assert_ok(scant_fit(&model, rows, &options));
    scant_i_limit_options how = {
        .replicates = replicates, .drawn = 2000, .seed = seed, .threads = 1};
    assert_ok(scant_i_forecast_new(forecast, model, rows, (double)p->rows, 0, 4000, 1, NULL));
    assert_ok(scant_i_limit_find(limit, model, rows, forecast, &how));
    scant_model_free(model);
    scant_rows_free(rows);
}

static void pilots_find_the_limit(void **state)
{
    (void)state;
    enum { PILOTS = 20 };
    static const problem two = {.classes = 2, .columns = 48, .rows = 80, .gap = 2.5};
    double truth = erfc(two.gap / 2 / sqrt(2)) / 2, sum = 0, squares = 0, hope = 0, said = 0;
    for (uint64_t seed = 0; seed < PILOTS; seed++) {
        scant_i_limit limit;
        scant_i_forecast forecast;
        find(&limit, &forecast, &two, 100 + seed, 10);
        scant_i_forecast_clear(&forecast);
        const double *error = limit.error;
        assert_true(error[SCANT_I_BEST] < error[SCANT_I_MIDDLE]);
        assert_true(error[SCANT_I_MIDDLE] < error[SCANT_I_WORST]);
        assert_true(scant_i_limit_excess(&limit, SCANT_I_MIDDLE, 0.01) > 0);
        sum += error[SCANT_I_MIDDLE] / PILOTS;
        squares += error[SCANT_I_MIDDLE] * error[SCANT_I_MIDDLE] / PILOTS;
        hope += limit.hope / PILOTS;
        said += (error[SCANT_I_WORST] - error[SCANT_I_BEST]) / (2 * 1.96) / PILOTS;
    }
    double spread = sqrt(squares - sum * sum);
    /* the mean of the pilots is known to spread / sqrt(PILOTS), about 5 % of the truth */
    if (!(fabs(sum / truth - 1) < 0.12))
        fail_msg("limit %g (spread %g), truth %g, hope %g", sum, spread, truth, hope);
    assert_true(hope < 0.8 * truth);
    if (!(said > 0.6 * spread && said < 1.6 * spread))
        fail_msg("standard error %g, spread %g", said, spread);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Labels for the target, as a share of the pilot's. */
static double labels_for(const scant_i_limit *limit, scant_i_case which,
                         const scant_i_forecast *forecast, double target)
{
    double times = 1;
    while (times < 64 && scant_i_limit_raised(limit, which,
                                              scant_i_forecast_excess(
                                                  forecast, times * forecast->labels, 0)) > target)
        times *= 1.02;
    return times;
}

/* Six classes of about 10 rows each in 64 columns: labels for the error at twice the pilot's must
 * come out right in the median, and the intervals must hold there and for four times. */
static void pilots_find_the_labels(void **state)
{
    (void)state;
    enum { PILOTS = 15 };
    static const problem six = {.classes = 6, .columns = 64, .rows = 60, .gap = 4};
    static const double times[] = {2, 4};
    const double target[] = {true_error(&six, 2 * six.rows), true_error(&six, 4 * six.rows)};
    double labels[PILOTS];
    size_t held = 0;
    for (uint64_t seed = 0; seed < PILOTS; seed++) {
        scant_i_limit limit;
        scant_i_forecast forecast;
        find(&limit, &forecast, &six, 300 + seed, 20);
        labels[seed] = labels_for(&limit, SCANT_I_MIDDLE, &forecast, target[0]) / times[0];
        for (size_t t = 0; t < 2; t++)
            held += labels_for(&limit, SCANT_I_BEST, &forecast, target[t]) <= times[t] &&
                    labels_for(&limit, SCANT_I_WORST, &forecast, target[t]) >= times[t];
        scant_i_forecast_clear(&forecast);
    }
    qsort(labels, PILOTS, sizeof *labels, ascending);
    double median = labels[PILOTS / 2];
    if (!(median > 0.85 && median < 1.15))
        fail_msg("labels / right from %g to %g, median %g", labels[0], labels[PILOTS - 1], median);
    if (held < 2 * PILOTS - 4)
        fail_msg("%zu of %d intervals hold", held, 2 * PILOTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pilots_find_the_limit),
        cmocka_unit_test(pilots_find_the_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
