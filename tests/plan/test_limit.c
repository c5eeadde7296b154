/* The limit that pilots find beside the one that is known: two normal classes a gap apart have the
 * error Phi(-gap / 2), whatever the number of columns. */
#include "plan/limit.h"

#include <math.h>
#include "base/random.h"
#include "check.h"
#include <scant/scant.h>

enum { N = 80, D = 48, PILOTS = 20, REPLICATES = 8, DRAWN = 2000 };

static const double GAP = 2.5;

/* A pilot whose columns but the first tell nothing: a fit pulls the classes apart along them. */
static scant_rows *draw(uint64_t seed)
{
    static double x[N * D];
    static const char *cells[N];
    static const char *const names[2] = {"a", "b"};
    scant_rows *rows = NULL;
    scant_i_random random = scant_i_random_new(seed, 1);
    for (size_t i = 0; i < N; i++) {
        for (size_t c = 0; c < D; c++)
            x[i * D + c] = scant_i_random_normal(&random) + (c == 0 && i % 2 ? GAP : 0);
        cells[i] = names[i % 2];
    }
    assert_ok(scant_rows_new(&rows, N, D, x, NULL));
    assert_ok(scant_rows_set_labels(rows, cells, names, 2, NULL));
    return rows;
}

static void pilots_find_the_limit(void **state)
{
    (void)state;
    double truth = erfc(GAP / 2 / sqrt(2)) / 2, sum = 0, squares = 0, hope = 0, said = 0;
    for (uint64_t seed = 0; seed < PILOTS; seed++) {
        scant_rows *rows = draw(100 + seed);
        scant_model *model = NULL;
        scant_i_limit limit;
        scant_fit_options options;
        scant_fit_options_preset(&options);
        options.covariance = "tied-spherical";
        options.threads = 1;
        assert_ok(scant_fit(&model, rows, &options));
        scant_i_limit_options how = {
            .replicates = REPLICATES, .drawn = DRAWN, .seed = 1, .threads = 1};
        assert_ok(scant_i_limit_find(&limit, model, rows, &how));
        assert_true(limit.scale > 1 && limit.deviation > 0 && limit.excess > 0);
        sum += limit.error / PILOTS;
        squares += limit.error * limit.error / PILOTS;
        hope += limit.error / limit.scale / PILOTS;
        said += limit.deviation / PILOTS;
        scant_model_free(model);
        scant_rows_free(rows);
    }
    double spread = sqrt(squares - sum * sum);
    /* the mean of the pilots is known to spread / sqrt(PILOTS), about 5 % of the truth;
     * taking off a difference, not a factor, would leave it 10 % too low */
    if (!(fabs(sum / truth - 1) < 0.1))
        fail_msg("limit %g (spread %g), truth %g, hope %g", sum, spread, truth, hope);
    assert_true(hope < 0.8 * truth);
    if (!(said > 0.6 * spread && said < 1.6 * spread))
        fail_msg("standard error %g, spread %g", said, spread);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pilots_find_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
