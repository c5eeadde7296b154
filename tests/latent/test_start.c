/* Starts, by fits of no iteration: groups that are plain to see are found at once, labels decide where they can,
 * and evidence is never contradicted. */
#include <math.h>
#include <stdlib.h>

#include <scant/scant.h>
#include "base/random.h"
#include "check.h"

enum { N = 900, M = 3 };
static const double centre[M][2] = {{0, 0}, {20, 0}, {0, 20}};

/* Three tight groups; labels of the groups' classes for every tenth row, or for none. */
static scant_rows *draw(const char *const class_of[M])
{
    static double x[N * 2];
    static const char *cells[N];
    scant_i_random random = scant_i_random_new(14, 1);
    for (size_t i = 0; i < N; i++) {
        for (size_t c = 0; c < 2; c++)
            x[2 * i + c] = centre[i % M][c] + scant_i_random_normal(&random);
        cells[i] = class_of && i % 10 == 0 ? class_of[i % M] : NULL;
    }
    scant_rows *rows = NULL;
    assert_ok(scant_rows_new(&rows, N, 2, x, NULL));
    if (class_of)
        assert_ok(scant_rows_set_labels(rows, cells, NULL, 0, NULL));
    return rows;
}

static scant_model *start(const scant_rows *rows, const char *init, const char *components,
                          uint64_t seed)
{
    scant_fit_options options;
    scant_model *model = NULL;
    scant_fit_options_preset(&options);
    options.model.components = components;
    options.run.init = init;
    options.run.starts = 1;
    options.run.max_iter = 0;
    options.run.seed = seed;
    assert_ok(scant_fit(&model, rows, &options));
    return model;
}

/* The group whose centre is within 1 of the component's mean, or M. */
static size_t group_at(const scant_model *model, size_t component)
{
    scant_parameter_view means;
    assert_true(scant_model_parameter(model, 0, 0, &means));
    const double *mu = means.value + 2 * component;
    for (size_t g = 0; g < M; g++)
        if (hypot(mu[0] - centre[g][0], mu[1] - centre[g][1]) < 1)
            return g;
    return M;
}

static void kmeans_finds_plain_groups(void **state)
{
    (void)state;
    scant_rows *rows = draw(NULL);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        scant_model *model = start(rows, "kmeans", "3", seed);
        bool found[M + 1] = {false};
        for (size_t j = 0; j < M; j++) {
            found[group_at(model, j)] = true;
            assert_true(fabs(scant_model_component_weight(model, j) - 1. / M) < 0.01);
        }
        assert_true(found[0] && found[1] && found[2]);
        scant_model_free(model);
    }
    scant_rows_free(rows);
}

/* Class a is two of the groups, b the third: a component starts only where its class has labels. */
static void labels_say_where_components_start(void **state)
{
    (void)state;
    static const char *const class_of[M] = {"a", "b", "a"};
    static const char *const inits[] = {"kmeans", "labels"};
    scant_rows *rows = draw(class_of);
    for (size_t t = 0; t < 2; t++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            scant_model *model = start(rows, inits[t], "a=2,b=1", seed);
            size_t first = group_at(model, 0), second = group_at(model, 1);
            assert_true(first != second && first != 1 && second != 1);
            assert_true(first < M && second < M);
            assert_int_equal(group_at(model, 2), 1);
            for (size_t j = 0; j < M; j++)
                assert_true(scant_model_coupling(model, j, j < 2 ? 1 : 0) == 0);
            scant_model_free(model);
        }
    scant_rows_free(rows);
}

/* One seed is one start, bit for bit; another seed is another one. */
static void seeds_decide(void **state)
{
    (void)state;
    scant_rows *rows = draw(NULL);
    double mean[3];
    for (size_t t = 0; t < 3; t++) {
        scant_parameter_view means;
        scant_model *model = start(rows, "random", "2", t < 2 ? 5 : 6);
        assert_true(scant_model_parameter(model, 0, 0, &means));
        mean[t] = means.value[0];
        scant_model_free(model);
    }
    assert_same(mean[0], mean[1]);
    assert_true(mean[0] != mean[2]);
    scant_rows_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kmeans_finds_plain_groups),
        cmocka_unit_test(labels_say_where_components_start),
        cmocka_unit_test(seeds_decide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
