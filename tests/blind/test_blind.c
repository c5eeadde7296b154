/* Blind training: the gradient against finite differences, known classes found again, and the same
 * answer however rows are stored and threads share the starts. */
#include <math.h>
#include <stdlib.h>

#include <scant/scant.h>
#include "base/random.h"
#include "check.h"
#include "failing.h"
#include "blind/blind.h"
#include "scratch.h"

enum { N = 600, D = 5 };
static const double SHARE = 0.3;
static const double APART[D] = {1.6, -1.1, 0, 0.4, 0};

typedef struct sample {
    double x[N * D], w[N];
    bool second[N];
} sample;

/* Normal rows with equal covariances: the best classifier is linear and scores are normal. */
static void draw(sample *s, uint64_t seed)
{
    scant_i_random random = scant_i_random_new(seed, 0);
    for (size_t i = 0; i < N; i++) {
        s->second[i] = scant_i_random_uniform(&random) < SHARE;
        s->w[i] = 0.5 + (double)(i % 4);
        for (size_t c = 0; c < D; c++)
            s->x[i * D + c] =
                3 + (double)c + (s->second[i] ? 1 : -1) * APART[c] + scant_i_random_normal(&random);
    }
}

static scant_rows *rows_of(const sample *s, bool sparse)
{
    scant_rows *rows = NULL;
    if (!sparse) {
        assert_ok(scant_rows_new(&rows, N, D, s->x, NULL));
        return rows;
    }
    size_t start[N + 1];
    int32_t column[N * D];
    for (size_t i = 0; i <= N; i++)
        start[i] = i * D;
    for (size_t e = 0; e < N * D; e++)
        column[e] = (int32_t)(e % D);
    assert_ok(scant_rows_new_sparse(&rows, N, D, start, column, s->x));
    return rows;
}

static scant_blind_options preset(void)
{
    scant_blind_options options;
    scant_blind_options_preset(&options);
    options.prior = "0.3";
    options.starts = 6;
    options.threads = 1;
    return options;
}

static double error_of(const scant_model *model, const sample *s)
{
    const scant_score *score = scant_model_score(model);
    double wrong = 0;
    for (size_t i = 0; i < N; i++) {
        double f = score->offset;
        for (size_t c = 0; c < D; c++)
            f += score->weight[c] * s->x[i * D + c];
        wrong += (f > 0) != s->second[i];
    }
    return wrong / N;
}

/* A run that stands at theta, its normals fitted. */
static void run_open(scant_i_blind_run *run, scant_i_blind *b, const scant_rows *rows,
                     const scant_blind_options *options, const double *theta)
{
    *b = (scant_i_blind){.options = options, .rows = rows, .d = D, .prior = {1 - SHARE, SHARE}};
    b->loss = scant_i_loss_find(options->loss);
    b->centre = calloc(D, sizeof(double));
    b->factor = calloc(D, sizeof(double));
    for (size_t c = 0; c < D; c++) {
        b->centre[c] = 2 + (double)c;
        b->factor[c] = 1 / (1 + 0.2 * (double)c);
    }
    *run = (scant_i_blind_run){.blind = b, .margin.prior = {1 - SHARE, SHARE}};
    run->u = calloc(D, sizeof(double));
    run->f = calloc(N, sizeof(double));
    run->c = calloc(N, sizeof(double));
    scant_i_blind_scores(run, theta);
    assert_ok(scant_i_margin_split(&run->margin, &(scant_i_scores){run->f, rows->weight, N}));
}

static void run_close(scant_i_blind_run *run, scant_i_blind *b)
{
    free(run->u);
    free(run->f);
    free(run->c);
    free(b->centre);
    free(b->factor);
}

static void test_gradient(void **state)
{
    (void)state;
    static const char *const losses[] = {"log", "hinge", "exp"};
    static const double theta[D + 1] = {0.8, -0.5, 0.1, 0.3, -0.2, 0.4};
    sample s;
    draw(&s, 1);
    for (int kind = 0; kind < 12; kind++) {
        scant_blind_options options = preset();
        options.loss = losses[kind % 3];
        scant_rows *rows = rows_of(&s, kind / 3 % 2);
        if (kind / 6)
            assert_ok(scant_rows_set_weights(rows, s.w));
        scant_i_blind b;
        scant_i_blind_run run;
        double g[D + 1], unused[D + 1], value, up, down, at[D + 1];
        const double h = 1e-5;
        run_open(&run, &b, rows, &options, theta);
        assert_ok(scant_i_blind_objective(&value, g, theta, &run));
        for (size_t c = 0; c <= D; c++) {
            memcpy(at, theta, sizeof at);
            at[c] = theta[c] + h;
            assert_ok(scant_i_blind_objective(&up, unused, at, &run));
            at[c] = theta[c] - h;
            assert_ok(scant_i_blind_objective(&down, unused, at, &run));
            assert_true(fabs((up - down) / (2 * h) - g[c]) < 1e-7);
        }
        run_close(&run, &b);
        scant_rows_free(rows);
    }
}

/* On a walk to where the classes are told apart half as well, a run keeps the order of its classes:
 * the risk is as smooth as the gradients say, without a jump. */
static void test_order_is_kept(void **state)
{
    (void)state;
    enum { STEPS = 200 };
    static const double to[D + 1] = {0.3, -0.1, 0.9, 0, 0.2, 0.1};
    static const double from[D + 1] = {0.9, -0.6, 0.1, 0.2, 0, 0};
    sample s;
    draw(&s, 2);
    scant_rows *rows = rows_of(&s, false);
    scant_blind_options options = preset();
    scant_i_blind b;
    scant_i_blind_run run;
    double theta[D + 1], g[D + 1], value, before = 0, slope = 0;
    run_open(&run, &b, rows, &options, from);
    for (int t = 0; t <= STEPS; t++) {
        double along = 0;
        for (size_t c = 0; c <= D; c++)
            theta[c] = from[c] + (to[c] - from[c]) * t / STEPS;
        assert_ok(scant_i_blind_objective(&value, g, theta, &run));
        for (size_t c = 0; c <= D; c++)
            along += g[c] * (to[c] - from[c]) / STEPS;
        assert_true(run.margin.mean[1] > run.margin.mean[0]);
        if (t > 0) /* the trapezoidal rule along the way */
            assert_true(fabs(value - before - (slope + along) / 2) < 1e-5);
        before = value;
        slope = along;
    }
    run_close(&run, &b);
    scant_rows_free(rows);
}

static void test_finds_the_classes(void **state)
{
    (void)state;
    static const char *const losses[] = {"log", "hinge", "exp"};
    sample s;
    draw(&s, 3);
    scant_rows *rows = rows_of(&s, false);
    double square = 0;
    for (size_t c = 0; c < D; c++)
        square += APART[c] * APART[c];
    for (int l = 0; l < 3; l++) {
        scant_blind_options options = preset();
        scant_model *model = NULL;
        options.loss = losses[l];
        assert_ok(scant_blind(&model, rows, &options));
        double error = error_of(model, &s), along = 0, length = 0;
        const scant_score *score = scant_model_score(model);
        for (size_t c = 0; c < D; c++) {
            along += score->weight[c] * APART[c];
            length += score->weight[c] * score->weight[c];
        }
        assert_true(error < 0.04); /* the best rule errs by 2 % */
        assert_true(fabs(score->error - error) < 0.02);
        assert_true(along / sqrt(length * square) > 0.95);
        assert_true(fabs(score->share - SHARE) < 0.05);
        assert_int_equal(scant_model_warnings(model), 0);
        scant_model_free(model);
    }
    scant_rows_free(rows);
}

static void assert_same_models(const scant_model *a, const scant_model *b, double tolerance)
{
    const scant_score *x = scant_model_score(a), *y = scant_model_score(b);
    assert_int_equal(x->count, y->count);
    for (size_t c = 0; c < x->count; c++)
        assert_true(fabs(x->weight[c] - y->weight[c]) <= tolerance);
    assert_true(fabs(x->offset - y->offset) <= tolerance);
}

static void test_threads_and_storage(void **state)
{
    (void)state;
    sample s;
    draw(&s, 4);
    scant_rows *dense = rows_of(&s, false), *sparse = rows_of(&s, true);
    scant_blind_options options = preset();
    scant_model *one = NULL, *three = NULL, *stored = NULL;
    assert_ok(scant_blind(&one, dense, &options));
    assert_ok(scant_blind(&stored, sparse, &options));
    options.threads = 3;
    assert_ok(scant_blind(&three, dense, &options));
    assert_same_models(one, three, 0);
    assert_same_models(one, stored, 1e-3); /* other orders of sums lead to other last steps */
    scant_model_free(one);
    scant_model_free(three);
    scant_model_free(stored);
    scant_rows_free(dense);
    scant_rows_free(sparse);
}

/* Large L1 leaves the columns that tell most; the objective is what it says. */
/* Rows that are mostly zeros have equal scores: on one side or the other a start may have nothing to split, and the
 * others go on; where all are lost that is said. */
static void test_equal_rows(void **state)
{
    (void)state;
    enum { ROWS = 40, COLUMNS = 3, TABLES = 20 };
    size_t found = 0;
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        double x[ROWS * COLUMNS];
        scant_rows *rows = NULL;
        scant_model *model = NULL;
        scant_blind_options options;
        scant_i_random random = scant_i_random_new(seed, 0);
        for (size_t t = 0; t < ROWS * COLUMNS; t++)
            x[t] = fmax(0, scant_i_random_uniform(&random) - 0.8);
        scant_blind_options_preset(&options);
        options.prior = "0.3";
        options.threads = 1;
        assert_ok(scant_rows_new(&rows, ROWS, COLUMNS, x, NULL));
        scant_status status = scant_blind(&model, rows, &options);
        assert_true(status == SCANT_OK || status == SCANT_ERR_UNIDENTIFIED);
        found += status == SCANT_OK;
        scant_model_free(model);
        scant_rows_free(rows);
    }
    assert_true(found > TABLES / 2);
}

static void test_l1(void **state)
{
    (void)state;
    sample s;
    draw(&s, 5);
    scant_rows *rows = rows_of(&s, false);
    scant_blind_options options = preset();
    scant_model *model = NULL;
    options.l1 = 0.05;
    options.l2 = 0;
    assert_ok(scant_blind(&model, rows, &options));
    const scant_score *score = scant_model_score(model);
    assert_true(score->weight[2] == 0 && score->weight[4] == 0);
    assert_true(score->weight[0] != 0 && score->weight[1] != 0);
    assert_true(error_of(model, &s) < 0.06);
    scant_model_free(model);
    scant_rows_free(rows);
}

/* The paper's algorithms go down to where the exact one goes, in their own time. */
static void test_published(void **state)
{
    (void)state;
    sample s;
    draw(&s, 3);
    scant_rows *rows = rows_of(&s, false);
    scant_blind_options options = preset();
    scant_model *exact = NULL, *descent = NULL, *grid = NULL;
    assert_ok(scant_blind(&exact, rows, &options));
    options.algorithm = "descent";
    options.step = 2;
    options.max_iter = 2000;
    options.starts = 4;
    assert_ok(scant_blind(&descent, rows, &options));
    options.algorithm = "grid";
    options.grid = 41;
    options.reach = 1;
    assert_ok(scant_blind(&grid, rows, &options));
    double best = -scant_model_summary(exact)->objective;
    double by_descent = -scant_model_summary(descent)->objective;
    double by_grid = -scant_model_summary(grid)->objective;
    assert_true(by_descent > best - 1e-6 && by_descent < best * 1.02);
    assert_true(by_grid > best - 1e-6 && by_grid < best * 1.1);
    scant_model_free(exact);
    scant_model_free(descent);
    scant_model_free(grid);
    scant_rows_free(rows);
}

static void test_warnings(void **state)
{
    (void)state;
    sample s;
    draw(&s, 6);
    scant_rows *rows = rows_of(&s, false);
    scant_blind_options options = preset();
    scant_model *model = NULL;
    options.prior = "0.52";
    assert_ok(scant_blind(&model, rows, &options));
    assert_non_null(strstr(scant_model_warning(model, 0), "nearly alike"));
    double off = fabs(scant_model_score(model)->share - 0.52);
    bool told = false;
    for (size_t i = 0; i < scant_model_warnings(model); i++)
        told |= strstr(scant_model_warning(model, i), "do not trust") != NULL;
    assert_true(told == (off > 0.05));
    scant_model_free(model);
    scant_rows_free(rows);
}

typedef struct patience {
    size_t calls, most;
} patience;

static int run_out(const scant_progress_event *event, void *payload)
{
    patience *p = payload;
    (void)event;
    return ++p->calls > p->most;
}

/* Starts, or folds held out, that were not made are told, and are no reason to mistrust the winner. */
static void test_cut_short(void **state)
{
    (void)state;
    sample s;
    draw(&s, 5);
    scant_rows *rows = rows_of(&s, false);
    scant_blind_options options = preset();
    patience p = {0, SIZE_MAX};
    options.progress = run_out;
    options.payload = &p;
    size_t most[3] = {SIZE_MAX};
    for (size_t t = 0; t < 3; t++) {
        scant_model *model = NULL;
        p = (patience){0, most[t]};
        assert_ok(scant_blind(&model, rows, &options));
        assert_int_equal(scant_model_summary(model)->stop,
                         t ? SCANT_STOP_INTERRUPTED : SCANT_STOP_CONVERGED);
        assert_int_equal(scant_model_warnings(model), 0);
        assert_true(error_of(model, &s) < 0.05);
        assert_true(isnan(scant_model_score(model)->error_low) == (t > 0));
        if (t == 0) {
            most[1] = p.calls - 1; /* within the last fold */
            most[2] = p.calls / 2; /* among the starts */
        }
        scant_model_free(model);
    }
    scant_rows_free(rows);
}

static void test_refused(void **state)
{
    (void)state;
    sample s;
    draw(&s, 7);
    scant_rows *rows = rows_of(&s, false);
    scant_blind_options options = preset();
    scant_model *model = NULL;
    options.prior = NULL;
    assert_fails(scant_blind(&model, rows, &options), SCANT_ERR_ARGUMENT, "proportions");
    options.prior = "0.5";
    assert_fails(scant_blind(&model, rows, &options), SCANT_ERR_UNIDENTIFIED, "one half");
    options.prior = "1";
    assert_fails(scant_blind(&model, rows, &options), SCANT_ERR_ARGUMENT, "above 0");
    options.prior = "spam=0.2,ham=0.9";
    assert_fails(scant_blind(&model, rows, &options), SCANT_ERR_ARGUMENT, "add up to 1.1");
    options.prior = "a=0.2,b=0.3,c=0.5";
    assert_fails(scant_blind(&model, rows, &options), SCANT_ERR_ARGUMENT, "'c' is not a class");
    options.prior = "0.3";
    rows->dense[7 * D + 2] = NAN;
    assert_fails(scant_blind(&model, rows, &options), SCANT_ERR_INPUT, "needs every column");
    assert_null(model);
    scant_rows_free(rows);
}

static scant_status train(void *payload)
{
    scant_blind_options options = preset();
    scant_model *model = NULL;
    options.starts = 2;
    options.max_iter = 3;
    options.l1 = 0.01;
    scant_status status = scant_blind(&model, payload, &options);
    scant_model_free(model);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    sample s;
    draw(&s, 8);
    scant_rows *rows = rows_of(&s, false);
    assert_true(failing_sweep(train, rows) > 20);
    scant_rows_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_order_is_kept),
        cmocka_unit_test(test_finds_the_classes),
        cmocka_unit_test(test_threads_and_storage),
        cmocka_unit_test(test_equal_rows),
        cmocka_unit_test(test_l1),
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
