/* Worlds stay in their domain, and are shifted to where their fits are the model's. */
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
    enum { COORDINATES = 11 }; /* a proportion, two means and three covariances of two classes */
    scant_rows *rows = draw();
    scant_model *model = NULL;
    scant_fit_options fit;
    scant_fit_options_preset(&fit);
    fit.model.covariance = "full";
    fit.run.threads = 1;
    assert_ok(scant_fit(&model, rows, &fit));
    const scant_i_ground ground = {model, rows, 4000, 1, 1, NULL};
    double went, nearer = limit_at(&ground, 0.5, &went);
    assert_true(went == 0.5);
    double own = limit_at(&ground, 1, &went);
    assert_true(went == 1);
    double apart = limit_at(&ground, 10, &went); /* a precision would be negative */
    if (!(went > 1 && went < 10))
        fail_msg("pulled by %g", went);
    if (!(nearer > own && own > apart))
        fail_msg("limits %g, %g, %g", nearer, own, apart);
    double far[COORDINATES]; /* as fits drift whose components are at the floor */
    for (size_t e = 0; e < COORDINATES; e++)
        far[e] = 1e15;
    const scant_i_ground shifted = {model, rows, 4000, 1, 1, far};
    assert_true(limit_at(&shifted, 0.5, &went) == nearer && went == 0.5);
    assert_true(limit_at(&shifted, 10, &went) == own && went == 1);
    scant_model_free(model);
    scant_rows_free(rows);
}

/* Answers of 40 people in two classes to three questions, to which yes is rare, even and frequent. */
static scant_rows *ask(void)
{
    enum { PEOPLE = 40, QUESTIONS = 3 };
    static const double chance[2][QUESTIONS] = {{0.03, 0.4, 0.95}, {0.12, 0.7, 0.99}};
    static double x[PEOPLE * QUESTIONS];
    static const char *cells[PEOPLE];
    static const char *const names[] = {"a", "b"};
    scant_rows *rows = NULL;
    scant_i_random random = scant_i_random_new(9, 1);
    for (size_t i = 0; i < PEOPLE; i++) {
        for (size_t c = 0; c < QUESTIONS; c++)
            x[i * QUESTIONS + c] = scant_i_random_uniform(&random) < chance[i % 2][c];
        cells[i] = names[i % 2];
    }
    assert_ok(scant_rows_new(&rows, PEOPLE, QUESTIONS, x, NULL));
    assert_ok(scant_rows_set_labels(rows, cells, names, 2, NULL));
    return rows;
}

/* A world and 200 fits to pilots of it: the mean of their components, coordinate by coordinate. */
static void fit_pilots(double *fitted, double *own, const scant_i_ground *ground)
{
    enum { PILOTS = 200 };
    scant_i_world world;
    double excess;
    assert_ok(scant_i_world_new(&world, ground, 1));
    for (uint64_t seed = 1; seed <= PILOTS; seed++)
        assert_ok(scant_i_world_pilot(&excess, NULL, &world, 1, seed));
    assert_int_equal(world.fits, PILOTS);
    for (size_t e = 0; e < world.chart.n; e++) {
        own[e] = world.mean[e];
        fitted[e] = world.mean[e] + world.drift[e] / PILOTS;
    }
    scant_i_world_clear(&world);
}

/* Pseudo-counts make fits more even than their world. In one that is shifted back, twice, fits are nearly as even as
 * the model. */
static void fits_of_a_shifted_world_have_the_models_mean(void **state)
{
    (void)state;
    enum { COORDINATES = 7, FIRST = 1 }; /* a proportion, and three questions of two classes */
    scant_rows *rows = ask();
    scant_model *model = NULL;
    scant_fit_options fit;
    const char *item[] = {"bernoulli"};
    scant_fit_options_preset(&fit);
    fit.model.families = (scant_texts){item, 1};
    fit.run.threads = 1;
    assert_ok(scant_fit(&model, rows, &fit));
    double shift[COORDINATES], fitted[COORDINATES], own[COORDINATES], again[COORDINATES],
        moved[COORDINATES];
    scant_i_ground ground = {model, rows, 200, 1, 1, NULL};
    fit_pilots(fitted, own, &ground);
    for (size_t e = 0; e < COORDINATES; e++)
        shift[e] = own[e] - fitted[e];
    ground.shift = shift;
    fit_pilots(again, moved, &ground); /* further out it drifts more */
    for (size_t e = 0; e < COORDINATES; e++)
        shift[e] = moved[e] - again[e];
    fit_pilots(again, moved, &ground);
    double before = 0, after = 0;
    for (size_t e = FIRST; e < COORDINATES; e++) {
        before = fmax(before, fabs(fitted[e] - own[e]));
        after = fmax(after, fabs(again[e] - own[e]));
        assert_true(fabs(moved[e] - own[e] - shift[e]) < 1e-12);
    }
    if (!(before > 0.15 && after < before / 3))
        fail_msg("means are off by %g, after a shift by %g", before, after);
    scant_model_free(model);
    scant_rows_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pulls_stay_in_the_domain),
        cmocka_unit_test(fits_of_a_shifted_world_have_the_models_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
