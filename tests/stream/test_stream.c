/* A stream follows its window as a fit would, forgets nothing it needs, and goes on where it was
 * cut. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include <scant/scant.h>
#include "family/gaussian.h"
#include "model/model.h"
#include "stream/reference.h"
#include "scratch.h"
#include "small_rows.h"

enum { N = 60, WINDOW = 24, STEPS = 3 };

static const small_kind numbers[] = {SMALL_NUMBERS, SMALL_NUMBERS, SMALL_NUMBERS};
static const small_kind mixed[] = {SMALL_NUMBERS, SMALL_CATEGORIES, SMALL_COUNTS};
static const char *const modes[] = {"likelihood", "prior", "posterior"};

static scant_model *fit(const scant_rows *rows, const char *components, const char *covariance,
                        size_t steps, const scant_model *start, const char *mode)
{
    scant_fit_options options;
    scant_model *model = NULL;
    scant_fit_options_preset(&options);
    options.model.components = components;
    options.model.covariance = covariance;
    options.evidence.context_mode = mode;
    options.run.max_iter = steps;
    options.run.tol = 0;
    options.run.starts = 1;
    options.run.threads = 1;
    options.run.start = start;
    assert_ok(scant_fit(&model, rows, &options));
    return model;
}

static scant_stream_options preset(size_t window, double prior_rows)
{
    scant_stream_options options;
    scant_stream_options_preset(&options);
    options.window = window;
    options.prior_rows = prior_rows;
    options.iterations = STEPS;
    options.tol = 0;
    options.threads = 1;
    return options;
}

static scant_rows *part(const scant_rows *rows, size_t first, size_t n)
{
    scant_rows *out = NULL;
    size_t index[N];
    for (size_t i = 0; i < n; i++)
        index[i] = first + i;
    assert_ok(scant_rows_subset(&out, rows, index, n));
    return out;
}

static void learn(scant_stream *stream, const scant_rows *rows, size_t row)
{
    scant_rows *one = part(rows, row, 1);
    assert_ok(scant_stream_learn(stream, one));
    scant_rows_free(one);
}

static double difference(const scant_i_mixture *a, const scant_i_mixture *b)
{
    size_t n = scant_i_mixture_size(a);
    double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y), most = 0;
    assert_int_equal(n, scant_i_mixture_size(b));
    scant_i_mixture_flatten(a, x);
    scant_i_mixture_flatten(b, y);
    for (size_t i = 0; i < n; i++)
        most = fmax(most, isnan(x[i] + y[i]) ? INFINITY : fabs(x[i] - y[i]));
    free(x);
    free(y);
    return most;
}

/* --- what it fits --- */

/* Without memory, a full window is fitted as scant_fit would from the same parameters. */
static void follows(const small_plan *plan, const char *components, const char *covariance,
                    const char *mode)
{
    scant_rows *rows = small_rows(plan);
    scant_model *model = fit(rows, components, covariance, 2, NULL, mode);
    scant_stream_options options = preset(WINDOW, 0);
    scant_stream *stream = NULL;
    options.context_mode = mode;
    assert_ok(scant_stream_new(&stream, model, &options));
    for (size_t i = 0; i < N; i++) {
        scant_rows *window = i + 1 >= WINDOW ? part(rows, i + 1 - WINDOW, WINDOW) : NULL;
        scant_model *want = NULL;
        if (window)
            want = fit(window, components, covariance, STEPS, scant_stream_model(stream), mode);
        learn(stream, rows, i);
        if (window)
            assert_true(difference(scant_stream_model(stream)->mixture, want->mixture) < 1e-8);
        scant_model_free(want);
        scant_rows_free(window);
    }
    assert_int_equal(scant_stream_learned(stream), N);
    scant_stream_free(stream);
    scant_model_free(model);
    scant_rows_free(rows);
}

static void test_same_as_a_fit(void **state)
{
    (void)state;
    for (size_t m = 0; m < 3; m++) {
        follows(&(small_plan){N, numbers, 3, .labels = true}, "1/class", "tied", modes[m]);
        follows(&(small_plan){N, numbers, 3, .labels = true, .weights = true, .missing = true},
                "2/class", "diag", modes[m]);
    }
    follows(&(small_plan){.n = N, .kind = numbers, .ncolumns = 3}, "2", "full", "likelihood");
}

/* --- what it remembers --- */

static void test_reference_has_the_moments(void **state)
{
    (void)state;
    scant_rows *rows = small_rows(&(small_plan){N, numbers, 3, .labels = true});
    scant_model *model = fit(rows, "2/class", "full", 5, NULL, "likelihood");
    const scant_i_factor *gaussian = model->mixture->factor[0];
    scant_i_reference reference;
    assert_ok(scant_i_reference_new(&reference, model, 30));
    size_t each = reference.nrows / 4;
    for (size_t j = 0; j < 4; j++) { /* separate classes: a pair is a component */
        const double *mean = gaussian->theta + j * 3, *covariance = gaussian->theta + 12 + j * 9;
        double weight = 0, m[3] = {0}, s[9] = {0};
        for (size_t i = j * each; i < (j + 1) * each; i++) {
            const double *x = reference.cells + i * 3;
            assert_int_equal(reference.component[reference.pair[i]], j);
            assert_int_equal(reference.class_of[reference.pair[i]], j / 2);
            weight += reference.weight[i];
            for (size_t a = 0; a < 3; a++) {
                m[a] += x[a] / (double)each;
                for (size_t b = 0; b < 3; b++)
                    s[a * 3 + b] += (x[a] - mean[a]) * (x[b] - mean[b]) / (double)each;
            }
        }
        assert_float_equal(weight, scant_model_coupling(model, j, j / 2), 1e-12);
        for (size_t a = 0; a < 3; a++)
            assert_float_equal(m[a], mean[a], 1e-12);
        for (size_t a = 0; a < 9; a++)
            assert_float_equal(s[a], covariance[a], 1e-12);
    }
    scant_i_reference_clear(&reference);
    scant_model_free(model);
    scant_rows_free(rows);
}

/* Before any row the start is its own best fit: so many of its rows change nothing. */
static void test_memory_alone_is_the_start(void **state)
{
    (void)state;
    scant_rows *rows = small_rows(&(small_plan){N, numbers, 3, .labels = true});
    scant_model *model = fit(rows, "1/class", "full", 5, NULL, "likelihood");
    scant_stream_options options = preset(WINDOW, 1e9);
    scant_stream *stream = NULL;
    assert_ok(scant_stream_new(&stream, model, &options));
    for (size_t i = 0; i < 10; i++)
        learn(stream, rows, i);
    assert_true(difference(scant_stream_model(stream)->mixture, model->mixture) < 1e-6);
    scant_stream_free(stream);
    scant_model_free(model);
    scant_rows_free(rows);
}

static void check_alive(const scant_stream *stream, const scant_model *start)
{
    const scant_i_mixture *m = scant_stream_model(stream)->mixture;
    double sum = 0;
    assert_true(difference(m, m) < 1); /* every parameter is a number */
    for (size_t t = 0; t < m->nclasses * m->stride; t++) {
        assert_true((m->coupling.W[t] > 0) == (start->mixture->coupling.W[t] > 0));
        sum += m->coupling.W[t];
    }
    assert_float_equal(sum, 1, 1e-9);
    for (size_t f = 0; f < m->nfactors; f++)
        assert_ok(m->factor[f]->family->check(m->factor[f]));
}

/* A window of three rows, all the same, all of one class. */
static void test_nothing_collapses(void **state)
{
    (void)state;
    static const double memories[] = {1, 1e-3};
    for (size_t k = 0; k < 2; k++)
        for (size_t t = 0; t < 2; t++) {
            scant_rows *rows = small_rows(&(small_plan){N, k ? mixed : numbers, 3, .labels = true});
            scant_model *model = fit(rows, "2/class", t ? "tied" : "full", 5, NULL, "likelihood");
            for (size_t m = 0; m < 2; m++) {
                scant_stream_options options = preset(3, memories[m]);
                scant_stream *stream = NULL;
                assert_ok(scant_stream_new(&stream, model, &options));
                for (size_t i = 0; i < 3 * N; i++) {
                    learn(stream, rows, i < 2 * N ? 0 : i - 2 * N);
                    check_alive(stream, model);
                }
                scant_stream_free(stream);
            }
            scant_model_free(model);
            scant_rows_free(rows);
        }
}

/* Memory bounds a covariance from below by s W0 / (N + s W0) of the start's. */
static void test_the_bound(void **state)
{
    (void)state;
    scant_rows *rows = small_rows(&(small_plan){N, numbers, 3, .labels = true});
    scant_model *model = fit(rows, "1/class", "full", 5, NULL, "likelihood");
    scant_stream_options options = preset(10, 2);
    scant_stream *stream = NULL;
    options.iterations = 50;
    assert_ok(scant_stream_new(&stream, model, &options));
    for (size_t i = 0; i < 40; i++)
        learn(stream, rows, 0); /* "a", always the same cells */
    double P0 = scant_model_coupling(model, 0, 0);
    const double *start = model->mixture->factor[0]->theta + 6;
    const double *now = scant_stream_model(stream)->mixture->factor[0]->theta + 6;
    double least = 2 * P0 / (10 + 2 * P0);
    for (size_t a = 0; a < 3; a++)
        assert_true(now[a * 4] >= least * start[a * 4] * (1 - 1e-9));
    for (size_t a = 0; a < 9; a++) /* class b had no row, and is the start's */
        assert_float_equal(now[9 + a], start[9 + a], 1e-9);
    scant_stream_free(stream);
    scant_model_free(model);
    scant_rows_free(rows);
}

/* Where rows of unknown class count for nothing, a window of them leaves the model as it is. */
static void test_a_window_of_no_weight(void **state)
{
    (void)state;
    static const double cells[] = {0, 1, 2};
    scant_rows *rows = small_rows(&(small_plan){N, numbers, 3, .labels = true}), *unknown = NULL;
    scant_fit_options fitting;
    scant_model *model = NULL;
    scant_stream_options options = preset(2, 0);
    scant_stream *stream = NULL;
    scant_fit_options_preset(&fitting);
    fitting.evidence.unlabeled_weight = 0;
    assert_ok(scant_fit(&model, rows, &fitting));
    assert_ok(scant_rows_new(&unknown, 1, 3, cells, NULL));
    assert_ok(scant_stream_new(&stream, model, &options));
    for (size_t i = 0; i < 4; i++)
        assert_ok(scant_stream_learn(stream, unknown));
    assert_true(difference(scant_stream_model(stream)->mixture, model->mixture) < 1e-12);
    assert_ok(scant_stream_write(stream, scratch_path("stream.json")));
    scant_stream_free(stream);
    scant_model_free(model);
    scant_rows_free(unknown);
    scant_rows_free(rows);
}

/* --- what it refuses --- */

static void test_a_row_that_cannot_be(void **state)
{
    (void)state;
    static const small_kind counts[] = {SMALL_COUNTS, SMALL_COUNTS};
    static const double bad[] = {-1, 2};
    scant_rows *rows = small_rows(&(small_plan){N, counts, 2, .labels = true}), *wrong = NULL;
    const char *item[] = {"poisson"};
    scant_fit_options fitting;
    scant_model *model = NULL;
    scant_fit_options_preset(&fitting);
    fitting.model.families = (scant_texts){item, 1};
    assert_ok(scant_fit(&model, rows, &fitting));
    scant_stream_options options = preset(5, 1);
    scant_stream *stream = NULL;
    assert_ok(scant_stream_new(&stream, model, &options));
    learn(stream, rows, 0);
    assert_ok(scant_rows_new(&wrong, 1, 2, bad, NULL));
    assert_fails(scant_stream_learn(stream, wrong), SCANT_ERR_INPUT, "x1");
    assert_int_equal(scant_stream_learned(stream), 1);
    learn(stream, rows, 1);
    options.window = 0;
    scant_stream *none = NULL;
    assert_fails(scant_stream_new(&none, model, &options), SCANT_ERR_ARGUMENT,
                 "window: '0' is not a whole number");
    scant_rows_free(wrong);
    scant_stream_free(stream);
    scant_model_free(model);
    scant_rows_free(rows);
}

/* --- where it goes on --- */

static void resumes(const small_plan *plan, const char *mode, size_t cut)
{
    scant_rows *rows = small_rows(plan);
    scant_model *model = fit(rows, "2/class", "full", 5, NULL, mode);
    scant_stream_options options = preset(WINDOW, 1);
    scant_stream *whole = NULL, *first = NULL, *second = NULL;
    options.context_mode = mode;
    assert_ok(scant_stream_new(&whole, model, &options));
    assert_ok(scant_stream_new(&first, model, &options));
    for (size_t i = 0; i < N; i++)
        learn(whole, rows, i);
    for (size_t i = 0; i < cut; i++)
        learn(first, rows, i);
    assert_ok(scant_stream_write(first, scratch_path("stream.json")));
    assert_ok(scant_stream_read(&second, scratch_path("stream.json"), 1));
    for (size_t i = cut; i < N; i++)
        learn(second, rows, i);
    assert_int_equal(scant_stream_learned(second), N);
    assert_true(
        difference(scant_stream_model(whole)->mixture, scant_stream_model(second)->mixture) == 0);
    scant_stream_free(whole);
    scant_stream_free(first);
    scant_stream_free(second);
    scant_model_free(model);
    scant_rows_free(rows);
}

static void test_same_bits(void **state)
{
    (void)state;
    const small_plan plans[] = {
        {N, numbers, 3, .labels = true, .weights = true, .missing = true},
        {N, mixed, 3, .labels = true},
    };
    for (size_t p = 0; p < 2; p++)
        for (size_t m = 0; m < 3; m++)
            for (size_t cut = 0; cut <= N; cut += 15)
                resumes(&plans[p], modes[m], cut);
    scratch_clear();
}

static void test_other_files(void **state)
{
    (void)state;
    scant_rows *rows = small_rows(&(small_plan){N, numbers, 3, .labels = true});
    scant_model *model = fit(rows, "1/class", "full", 5, NULL, "likelihood");
    scant_stream *stream = NULL;
    assert_ok(scant_model_write(model, scratch_path("model.json")));
    assert_fails(scant_stream_read(&stream, scratch_path("model.json"), 1), SCANT_ERR_INPUT,
                 "no stream was saved");
    scant_model_free(model);
    scant_rows_free(rows);
    scratch_clear();
}

/* What a fit was told to leave as it is a stream leaves, too. */
static void test_fixed_covariances_stay(void **state)
{
    (void)state;
    static const char *const shapes[] = {"full", "tied", "diag"};
    for (size_t c = 0; c < 3; c++) {
        scant_rows *rows = small_rows(&(small_plan){N, numbers, 3, .labels = true});
        scant_model *start = fit(rows, "1/class", shapes[c], 2, NULL, "likelihood"), *model = NULL;
        scant_fit_options options;
        scant_stream_options how = preset(WINDOW, 0);
        scant_stream *stream = NULL;
        scant_fit_options_preset(&options);
        options.model.components = "1/class";
        options.model.covariance = shapes[c];
        options.run.start = start;
        options.model.fixed = "covariances";
        options.run.max_iter = 2;
        options.run.tol = 0;
        assert_ok(scant_fit(&model, rows, &options));
        assert_ok(scant_stream_new(&stream, model, &how));
        for (size_t i = 0; i < N; i++)
            learn(stream, rows, i);
        const scant_i_factor *was = model->mixture->factor[0],
                             *is = scant_stream_model(stream)->mixture->factor[0];
        size_t size = shapes[c][0] == 'd' ? 3 : 9, count = shapes[c][0] == 't' ? 1 : 2;
        for (size_t j = 0; j < count; j++)
            assert_memory_equal(scant_i_gaussian_covariance(is, j),
                                scant_i_gaussian_covariance(was, j), size * sizeof(double));
        assert_true(scant_i_gaussian_mean(is, 0)[0] != scant_i_gaussian_mean(was, 0)[0]);
        scant_stream_free(stream);
        scant_model_free(model);
        scant_model_free(start);
        scant_rows_free(rows);
    }
}

/* A stream from a model in memory learns as one from its file does: what a fit was told of a prior of covariances ends
 * with it. */
static void test_a_file_makes_no_difference(void **state)
{
    (void)state;
    scant_rows *rows = small_rows(&(small_plan){N, numbers, 3, .labels = true});
    scant_fit_options options;
    scant_stream_options how = preset(WINDOW, 0);
    scant_model *model[2] = {0};
    scant_stream *stream[2] = {0};
    scant_fit_options_preset(&options);
    options.model.components = "1/class";
    options.model.shrinkage = 20;
    options.run.max_iter = 2;
    assert_ok(scant_fit(&model[0], rows, &options));
    assert_ok(scant_model_write(model[0], scratch_path("model.json")));
    assert_ok(scant_model_read(&model[1], scratch_path("model.json")));
    for (size_t s = 0; s < 2; s++) {
        assert_ok(scant_stream_new(&stream[s], model[s], &how));
        for (size_t i = 0; i < N; i++)
            learn(stream[s], rows, i);
    }
    assert_true(difference(scant_stream_model(stream[0])->mixture,
                           scant_stream_model(stream[1])->mixture) == 0);
    for (size_t s = 0; s < 2; s++) {
        scant_stream_free(stream[s]);
        scant_model_free(model[s]);
    }
    scant_rows_free(rows);
    scratch_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_a_fit),
        cmocka_unit_test(test_reference_has_the_moments),
        cmocka_unit_test(test_memory_alone_is_the_start),
        cmocka_unit_test(test_nothing_collapses),
        cmocka_unit_test(test_the_bound),
        cmocka_unit_test(test_a_window_of_no_weight),
        cmocka_unit_test(test_a_row_that_cannot_be),
        cmocka_unit_test(test_fixed_covariances_stay),
        cmocka_unit_test(test_a_file_makes_no_difference),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_other_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
