/* Models that see rows through a score: files, predictions, and what is refused. */
#include <math.h>

#include <scant/scant.h>
#include "audit/normals.h"
#include "base/random.h"
#include "check.h"
#include "data/multiply.h"
#include "failing.h"
#include "model/score.h"
#include "scratch.h"

enum { N = 40, D = 11 };
static const double PRIOR[2] = {0.6, 0.4};

static scant_rows *draw(bool sparse)
{
    double x[N * D], value[N * D];
    size_t start[N + 1] = {0}, n = 0;
    int32_t column[N * D];
    scant_rows *rows = NULL;
    scant_i_random random = scant_i_random_new(3, 0);
    for (size_t i = 0; i < N; i++) {
        for (size_t c = 0; c < D; c++) {
            bool there = scant_i_random_uniform(&random) < 0.5;
            x[i * D + c] = there ? scant_i_random_normal(&random) : 0;
            if (there) {
                column[n] = (int32_t)c;
                value[n++] = x[i * D + c];
            }
        }
        start[i + 1] = n;
    }
    if (sparse)
        assert_ok(scant_rows_new_sparse(&rows, N, D, start, column, value));
    else
        assert_ok(scant_rows_new(&rows, N, D, x, NULL));
    return rows;
}

static scant_model *make(const scant_rows *rows)
{
    scant_model *model = NULL;
    scant_i_margin m = {.prior = {0.6, 0.4}, .mean = {-1, 2}, .log_sd = {0.1, -0.2}};
    assert_ok(scant_i_model_new(&model, rows));
    model->nclasses = 2;
    assert_ok(SCANT_I_NEW(&model->classes, 2));
    model->classes[0] = scant_i_strdup("no");
    model->classes[1] = scant_i_strdup("yes");
    assert_ok(scant_i_score_new(model));
    for (size_t c = 0; c < D; c++)
        model->score->weight[c] = 0.3 * (double)c - 1;
    model->score->view.offset = 0.25;
    model->score->view.slope = 1.5;
    model->score->view.error = 0.1;
    assert_ok(scant_i_normals_new(&model->mixture, &m));
    model->mixture->factor[0]->scale[0] = 1;
    scant_i_model_make_schema(model);
    return model;
}

static double naive_score(const scant_rows *rows, size_t i)
{
    double f = 0.25;
    for (size_t c = 0; c < D; c++)
        f += (0.3 * (double)c - 1) * scant_rows_value(rows, i, c);
    return f;
}

static void test_products(void **state)
{
    (void)state;
    scant_rows *rows[2] = {draw(false), draw(true)};
    static const double offset[2] = {0.25, -1};
    double u[2 * D], v[2 * N], f[2 * N], g[2 * D]; /* the second vectors are twice the first */
    for (size_t c = 0; c < D; c++)
        u[D + c] = 2 * (u[c] = 0.3 * (double)c - 1);
    for (size_t i = 0; i < N; i++)
        v[N + i] = 2 * (v[i] = (double)i - 7);
    for (int r = 0; r < 2; r++) {
        scant_i_rows_times(f, rows[r], u, offset, 2);
        scant_i_rows_times_transposed(g, rows[r], v, 2);
        for (size_t i = 0; i < N; i++) {
            assert_true(fabs(f[i] - naive_score(rows[r], i)) < 1e-12);
            assert_true(fabs(f[N + i] - (2 * (f[i] - offset[0]) + offset[1])) < 1e-12);
        }
        for (size_t c = 0; c < D; c++) {
            double sum = 0;
            for (size_t i = 0; i < N; i++)
                sum += v[i] * scant_rows_value(rows[r], i, c);
            assert_true(fabs(g[c] - sum) < 1e-10);
            assert_true(fabs(g[D + c] - 2 * sum) < 1e-10);
        }
        scant_rows_free(rows[r]);
    }
}

/* P(yes) = 1 / (1 + exp(-slope f)); other proportions move the odds; the density is that of f. */
static void test_predictions(void **state)
{
    (void)state;
    static const double other[2] = {0.2, 0.8};
    scant_rows *rows = draw(true);
    scant_model *model = make(rows);
    double p[2 * N], moved[2 * N], loglik[N];
    scant_predict_options how = {.size = sizeof how, .prior = other};
    assert_ok(scant_model_predict(model, rows, NULL, p, NULL, NULL, loglik));
    assert_ok(scant_model_predict(model, rows, &how, moved, NULL, NULL, NULL));
    for (size_t i = 0; i < N; i++) {
        double f = naive_score(rows, i), a = (f + 1) / exp(0.1), b = (f - 2) / exp(-0.2);
        double odds = exp(1.5 * f), shift = other[1] / other[0] / (PRIOR[1] / PRIOR[0]);
        double density =
            (0.6 * exp(-a * a / 2 - 0.1) + 0.4 * exp(-b * b / 2 + 0.2)) / sqrt(2 * M_PI);
        assert_true(fabs(p[2 * i + 1] - odds / (1 + odds)) < 1e-12);
        assert_true(fabs(p[2 * i] + p[2 * i + 1] - 1) < 1e-12);
        assert_true(fabs(moved[2 * i + 1] - odds * shift / (1 + odds * shift)) < 1e-12);
        assert_true(fabs(loglik[i] - log(density)) < 1e-10);
    }
    scant_model_free(model);
    scant_rows_free(rows);
}

static void test_file(void **state)
{
    (void)state;
    scant_rows *rows = draw(false);
    scant_model *model = make(rows), *back = NULL;
    double p[2 * N], q[2 * N];
    assert_ok(scant_model_write(model, scratch_path("m.json")));
    assert_ok(scant_model_read(&back, scratch_path("m.json")));
    assert_int_equal(scant_model_schema(back)->ncolumns, D);
    assert_int_equal(scant_model_score(back)->count, D);
    assert_same(scant_model_score(back)->error, 0.1);
    assert_ok(scant_model_predict(model, rows, NULL, p, NULL, NULL, NULL));
    assert_ok(scant_model_predict(back, rows, NULL, q, NULL, NULL, NULL));
    for (size_t i = 0; i < 2 * N; i++)
        assert_same(p[i], q[i]);
    scant_model_free(model);
    scant_model_free(back);
    scant_rows_free(rows);
    scratch_clear();
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b"};
    static const char *labels[N];
    double x[2 * N] = {0}, p[2 * N];
    scant_rows *rows = draw(false), *others = NULL;
    scant_model *model = make(rows);
    scant_stream *stream = NULL;
    scant_stream_options options;
    scant_predict_options how = {.size = sizeof how, .use_labels = true};
    static const char *const classes[] = {"no", "yes"};
    for (size_t i = 0; i < N; i++)
        labels[i] = i % 2 ? "yes" : "no";
    assert_ok(scant_rows_new(&others, N, 2, x, names));
    assert_fails(scant_model_predict(model, others, NULL, p, NULL, NULL, NULL), SCANT_ERR_INPUT,
                 "2 columns, the model 11");
    scant_stream_options_preset(&options);
    assert_fails(scant_stream_new(&stream, model, &options), SCANT_ERR_ARGUMENT, "stream");
    assert_fails(scant_model_inform(model, rows, 1), SCANT_ERR_ARGUMENT, "linear classifier");
    assert_ok(scant_rows_set_labels(rows, labels, classes, 2, NULL));
    assert_fails(scant_model_predict(model, rows, &how, p, NULL, NULL, NULL), SCANT_ERR_ARGUMENT,
                 "linear classifier");
    scant_rows_free(others);
    scant_model_free(model);
    scant_rows_free(rows);
}

typedef struct job {
    const scant_model *model;
    const scant_rows *rows;
} job;

static scant_status round_trip(void *payload)
{
    const job *j = payload;
    scant_model *back = NULL;
    double p[2 * N];
    scant_status status = scant_model_write(j->model, scratch_path("m.json"));
    if (status == SCANT_OK)
        status = scant_model_read(&back, scratch_path("m.json"));
    if (status == SCANT_OK)
        status = scant_model_predict(back, j->rows, NULL, p, NULL, NULL, NULL);
    scant_model_free(back);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    scant_rows *rows = draw(false);
    scant_model *model = make(rows);
    job j = {model, rows};
    assert_true(failing_sweep_strictly(round_trip, &j) > 20);
    scant_model_free(model);
    scant_rows_free(rows);
    scratch_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products), cmocka_unit_test(test_predictions),
        cmocka_unit_test(test_file),     cmocka_unit_test(test_refused),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
