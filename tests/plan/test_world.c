/* Worlds of normal classes with covariances of their own, whose domain a pull apart soon leaves. */
#include "plan/world.h"

#include <math.h>
#include "base/random.h"
#include "check.h"
#include <scant/scant.h>

enum { ROWS = 120, COLUMNS = 2 };

/* Two classes around 0 and (2, 0), the second twice as wide. */
static scant_rows *draw(void)
{
    static double x[ROWS * COLUMNS];
    static const char *cells[ROWS];
    static const char *const names[] = {"a", "b"};
    scant_rows *rows = NULL;
    scant_i_random random = scant_i_random_new(5, 1);
    for (size_t i = 0; i < ROWS; i++) {
        size_t k = i % 2;
        for (size_t c = 0; c < COLUMNS; c++)
            x[i * COLUMNS + c] =
                (k ? 2 : 1) * scant_i_random_normal(&random) + (k == 1 && c == 0 ? 2 : 0);
        cells[i] = names[k];
    }
    assert_ok(scant_rows_new(&rows, ROWS, COLUMNS, x, NULL));
    assert_ok(scant_rows_set_labels(rows, cells, names, 2, NULL));
    return rows;
}

static double limit_at(const scant_i_ground *ground, double pull, double *went)
{
    scant_i_world world;
    assert_ok(scant_i_world_new(&world, ground, pull));
    double limit = world.limit;
    *went = world.pull;
    scant_i_world_clear(&world);
    return limit;
}

static void pulls_stay_in_the_domain(void **state)
{
    (void)state;
    scant_rows *rows = draw();
    scant_model *model = NULL;
    scant_fit_options fit;
    scant_fit_options_preset(&fit);
    fit.covariance = "full";
    fit.threads = 1;
    assert_ok(scant_fit(&model, rows, &fit));
    const scant_i_ground ground = {model, rows, 4000, 1, 1};
    double went, nearer = limit_at(&ground, 0.5, &went);
    assert_true(went == 0.5);
    double own = limit_at(&ground, 1, &went);
    assert_true(went == 1);
    double apart = limit_at(&ground, 10, &went); /* a precision would be negative */
    if (!(went > 1 && went < 10))
        fail_msg("pulled by %g", went);
    if (!(nearer > own && own > apart))
        fail_msg("limits %g, %g, %g", nearer, own, apart);
    scant_model_free(model);
    scant_rows_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pulls_stay_in_the_domain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
