/* Checkpoints of factorizations: a fit that was interrupted ends like one that was not, and a file
 * that no fit wrote is refused. */
#include "check.h"

#include <jansson.h>
#include <scant/factor.h>
#include "base/random.h"
#include "scratch.h"

enum { N = 6, M = 5, L = 4, CELLS = N * M * L, STARTS = 3, ITERATIONS = 8 };

static scant_tensor *some_tensor(void)
{
    static const size_t size[] = {N, M, L};
    double x[CELLS];
    scant_tensor *tensor;
    scant_i_random random = scant_i_random_new(21, 0);
    for (size_t k = 0; k < CELLS; k++)
        x[k] = scant_i_random_uniform(&random);
    assert_ok(scant_tensor_new(&tensor, 3, size, x));
    return tensor;
}

/* Of the fits that resume: als has a best iteration that need not be its last. */
static const char *const solvers[] = {"bpp", "als"};
static const char *solver = "bpp";

static scant_factor_options some_options(const char *checkpoint, bool resume)
{
    scant_factor_options options;
    scant_factor_options_preset(&options);
    options.rank = "3";
    options.solver = solver;
    options.starts = STARTS;
    options.max_iter = ITERATIONS;
    options.tol = 0;
    options.threads = 1;
    options.checkpoint = checkpoint;
    options.resume = resume;
    return options;
}

typedef struct place {
    size_t start, iteration;
} place;

static int stop_at(const scant_progress_event *event, void *payload)
{
    const place *at = payload;
    return event->start == at->start && event->iteration == at->iteration;
}

static void assert_same_fit(const scant_factors *a, const scant_factors *b)
{
    const scant_factor_summary *s = scant_factors_summary(a), *t = scant_factors_summary(b);
    assert_int_equal(s->starts, t->starts);
    assert_int_equal(s->iterations, t->iterations);
    assert_int_equal(s->stop, t->stop);
    for (size_t k = 0; k < s->starts; k++) {
        assert_int_equal(scant_factors_starts(a)[k].iterations,
                         scant_factors_starts(b)[k].iterations);
        assert_same(scant_factors_starts(a)[k].loss, scant_factors_starts(b)[k].loss);
    }
    for (size_t m = 0; m < s->order; m++)
        assert_memory_equal(scant_factors_mode(a, m), scant_factors_mode(b, m),
                            scant_factors_size(a, m) * s->rank * sizeof(double));
}

/* Wherever it is interrupted, also behind starts that a limit ended. */
static void resume_everywhere(void)
{
    scant_tensor *tensor = some_tensor();
    scant_factors *whole, *part;
    scant_factor_options options = some_options(NULL, false);
    assert_ok(scant_factor(&whole, tensor, &options));
    for (size_t start = 0; start < STARTS; start++)
        for (size_t iteration = 1; iteration <= ITERATIONS; iteration++) {
            place at = {start, iteration};
            const char *path = scratch_path("savepoint.json");
            options = some_options(path, false);
            options.progress = stop_at;
            options.payload = &at;
            assert_ok(scant_factor(&part, tensor, &options));
            scant_factors_free(part);
            options = some_options(path, true);
            assert_ok(scant_factor(&part, tensor, &options));
            assert_same_fit(whole, part);
            scant_factors_free(part);
        }
    scant_factors_free(whole);
    scant_tensor_free(tensor);
    scratch_clear();
}

/* A limit ends a start for as long as it stands. */
static void raise_limit(void)
{
    scant_tensor *tensor = some_tensor();
    scant_factors *whole, *part;
    const char *path = scratch_path("savepoint.json");
    scant_factor_options options = some_options(path, false);
    assert_ok(scant_factor(&part, tensor, &options));
    scant_factors_free(part);
    options = some_options(path, true);
    options.max_iter = 2 * ITERATIONS;
    assert_ok(scant_factor(&part, tensor, &options));
    options = some_options(NULL, false);
    options.max_iter = 2 * ITERATIONS;
    assert_ok(scant_factor(&whole, tensor, &options));
    assert_same_fit(whole, part);
    scant_factors_free(whole);
    scant_factors_free(part);
    scant_tensor_free(tensor);
    scratch_clear();
}

static void test_resume(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
        solver = solvers[k];
        resume_everywhere();
        raise_limit();
    }
    solver = solvers[0];
}

/* What changes the first start of a checkpoint, and what is said of it. */
typedef struct damage {
    void (*make)(json_t *start);
    const char *complaint;
} damage;

static void set_cell(json_t *start, double value)
{
    json_t *mode = json_array_get(json_object_get(start, "factors"), 0);
    (void)json_array_set_new(mode, 0, json_real(value));
}

static void make_negative(json_t *start)
{
    set_cell(start, -1);
}

static void make_huge(json_t *start)
{
    set_cell(start, 1e200);
}

static void make_large(json_t *start)
{
    set_cell(start, 1e100);
}

static void forget_trace(json_t *start)
{
    (void)json_array_clear(json_object_get(start, "trace"));
}

static void turn_loss(json_t *start)
{
    (void)json_array_set_new(json_array_get(json_object_get(start, "trace"), 0), 1, json_real(-1));
}

static void leap_too_far(json_t *start)
{
    (void)json_object_set_new(json_object_get(start, "extrapolation"), "beta", json_real(1e9));
}

static void test_refusals(void **state)
{
    (void)state;
    static const damage damages[] = {
        {make_negative, "is no factor"}, {make_huge, "far too large"},
        {make_large, "far too large"},   {forget_trace, "without an iteration"},
        {turn_loss, "is below 0"},       {leap_too_far, "is no extrapolation"}};
    scant_tensor *tensor = some_tensor();
    for (size_t k = 0; k < sizeof damages / sizeof *damages; k++) {
        scant_factors *factors;
        const char *path = scratch_path("savepoint.json");
        scant_factor_options options = some_options(path, false);
        assert_ok(scant_factor(&factors, tensor, &options));
        scant_factors_free(factors);
        json_t *root = json_load_file(path, 0, NULL);
        damages[k].make(json_array_get(json_object_get(root, "starts"), 0));
        assert_int_equal(json_dump_file(root, path, JSON_REAL_PRECISION(17)), 0);
        json_decref(root);
        options = some_options(path, true);
        assert_fails(scant_factor(&factors, tensor, &options), SCANT_ERR_INPUT,
                     damages[k].complaint);
        assert_null(factors);
    }
    scant_tensor_free(tensor);
    scratch_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_resume),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
