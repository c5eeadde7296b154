/* Known covariances: `fixed` leaves them as the start has them, and EM goes on around them. */
#include <math.h>
#include <string.h>

#include <scant/scant.h>
#include "base/random.h"
#include "check.h"
#include "model/model.h"

enum { ROWS = 300, STEPS = 7 };
static const double SD[2] = {0.5, 1.5}, MEAN[2] = {0.2, 2.5};

static void draw(double *x, size_t columns)
{
    scant_i_random random = scant_i_random_new(5, 1);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t c = 0; c < columns; c++)
            x[i * columns + c] = MEAN[i % 2] + SD[i % 2] * scant_i_random_normal(&random);
}

static scant_fit_options preset(const char *covariance)
{
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.components = "2";
    options.model.covariance = covariance;
    options.run.starts = 1;
    options.run.tol = 0;
    options.run.max_iter = 0;
    return options;
}

static scant_model *start_of(const scant_rows *rows, const char *covariance)
{
    scant_fit_options options = preset(covariance);
    scant_model *start = NULL;
    assert_ok(scant_fit(&start, rows, &options));
    return start;
}

/* One step of EM for two normal components of one column whose deviations are known. */
static void naive_step(const double *x, double *weight, double *mean, const double *deviation)
{
    double N[2] = {0}, sum[2] = {0};
    for (size_t i = 0; i < ROWS; i++) {
        double f[2];
        for (size_t j = 0; j < 2; j++) {
            double u = (x[i] - mean[j]) / deviation[j];
            f[j] = weight[j] * exp(-0.5 * u * u) / deviation[j];
        }
        for (size_t j = 0; j < 2; j++) {
            double r = f[j] / (f[0] + f[1]);
            N[j] += r;
            sum[j] += r * x[i];
        }
    }
    for (size_t j = 0; j < 2; j++) {
        weight[j] = N[j] / ROWS;
        mean[j] = sum[j] / N[j];
    }
}

static void test_steps_are_those_of_a_naive_loop(void **state)
{
    (void)state;
    double x[ROWS];
    scant_rows *rows = NULL;
    scant_model *model = NULL;
    draw(x, 1);
    assert_ok(scant_rows_new(&rows, ROWS, 1, x, NULL));
    scant_model *start = start_of(rows, "full");
    double *theta = start->mixture->factor[0]->theta;
    double weight[2], mean[2] = {theta[0], theta[1]}, deviation[2] = {SD[0], SD[1]};
    for (size_t j = 0; j < 2; j++) {
        theta[2 + j] = SD[j] * SD[j];
        weight[j] = scant_model_coupling(start, j, 0);
    }
    scant_fit_options options = preset("full");
    options.run.start = start;
    options.model.fixed = "covariances";
    options.run.max_iter = STEPS;
    assert_ok(scant_fit(&model, rows, &options));
    for (size_t s = 0; s < STEPS; s++)
        naive_step(x, weight, mean, deviation);
    const double *fitted = model->mixture->factor[0]->theta;
    for (size_t j = 0; j < 2; j++) {
        assert_true(fabs(fitted[j] - mean[j]) < 1e-12);
        assert_true(fabs(scant_model_coupling(model, j, 0) - weight[j]) < 1e-12);
        assert_true(fitted[2 + j] == SD[j] * SD[j]);
    }
    assert_int_equal(scant_model_summary(model)->parameters, 3);
    assert_string_equal(scant_model_setting(model, "fixed"), "covariances");
    scant_model_free(model);
    scant_model_free(start);
    scant_rows_free(rows);
}

static void test_every_shape_stays_and_the_objective_rises(void **state)
{
    (void)state;
    static const char *const shapes[] = {"full", "diag",      "spherical",
                                         "tied", "tied-diag", "tied-spherical"};
    double x[ROWS * 2];
    scant_rows *rows = NULL;
    draw(x, 2);
    assert_ok(scant_rows_new(&rows, ROWS, 2, x, NULL));
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        scant_model *start = start_of(rows, shapes[s]), *model = NULL;
        scant_fit_options options = preset(shapes[s]);
        options.run.start = start;
        options.model.fixed = "covariances";
        options.run.max_iter = 100;
        assert_ok(scant_fit(&model, rows, &options));
        const scant_i_factor *before = start->mixture->factor[0],
                             *after = model->mixture->factor[0];
        size_t means = 4, count;
        assert_memory_equal(before->theta + means, after->theta + means,
                            (before->ntheta - means) * sizeof(double));
        assert_true(fabs(before->theta[0] - after->theta[0]) > 1e-6);
        const double *trace = scant_model_trace(model, &count);
        for (size_t t = 1; t < count; t++)
            assert_true(trace[t] >= trace[t - 1] - 1e-12 * fabs(trace[t]));
        assert_int_equal(scant_model_summary(model)->parameters, 5);
        scant_model_free(model);
        scant_model_free(start);
    }
    scant_rows_free(rows);
}

static void test_refused_where_nothing_could_be_fixed(void **state)
{
    (void)state;
    double x[ROWS];
    scant_rows *rows = NULL;
    scant_model *model = NULL, *start = NULL;
    draw(x, 1);
    for (size_t i = 0; i < ROWS; i++)
        x[i] = 1 + fabs(x[i]);
    assert_ok(scant_rows_new(&rows, ROWS, 1, x, NULL));
    scant_fit_options options = preset("full");
    options.model.fixed = "covariances";
    assert_fails(scant_fit(&model, rows, &options), SCANT_ERR_ARGUMENT, "init FILE");
    const char *gamma = "gamma";
    options.model.families = (scant_texts){.item = &gamma, .count = 1};
    options.model.fixed = "none";
    assert_ok(scant_fit(&start, rows, &options));
    options.model.fixed = "covariances";
    options.run.start = start;
    assert_fails(scant_fit(&model, rows, &options), SCANT_ERR_ARGUMENT, "gaussian");
    scant_model_free(start);
    scant_rows_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_are_those_of_a_naive_loop),
        cmocka_unit_test(test_every_shape_stays_and_the_objective_rises),
        cmocka_unit_test(test_refused_where_nothing_could_be_fixed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
