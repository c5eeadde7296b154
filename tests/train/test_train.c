/* Training a stack as programs do: known classes found, the same bytes for any number of threads and after a file, labels of
 * every kind, limits of time, and what is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <scant/scant.h>
#include "base/random.h"
#include "check.h"
#include "scratch.h"

enum { N = 600, D = 5, K = 3, EACH = 8 };

typedef struct data {
    double x[N * D];
    size_t truth[N];
    const char *cell[N];
} data;

static const char *const NAME[K] = {"a", "b", "c"};

/* Three overlapping classes; EACH labels of every one. */
static void draw(data *s)
{
    size_t seen[K] = {0};
    scant_i_random random = scant_i_random_new(12, 0);
    for (size_t i = 0; i < N; i++) {
        size_t k = s->truth[i] = scant_i_random_below(&random, K);
        for (size_t c = 0; c < D; c++)
            s->x[i * D + c] = (c == k ? 2.5 : 0) + scant_i_random_normal(&random);
        s->cell[i] = seen[k]++ < EACH ? NAME[k] : NULL;
    }
}

static scant_rows *rows_of(const data *s)
{
    scant_rows *rows = NULL;
    assert_ok(scant_rows_new(&rows, N, D, s->x, NULL));
    assert_ok(scant_rows_set_labels(rows, s->cell, NULL, 0, NULL));
    return rows;
}

static scant_train_options preset(void)
{
    scant_train_options options;
    scant_train_options_preset(&options);
    options.threads = 1;
    return options;
}

static double accuracy(const scant_model *model, const scant_rows *rows, const data *s)
{
    double *p = calloc(N * K, sizeof *p), right = 0;
    assert_ok(scant_model_predict(model, rows, NULL, p, NULL, NULL, NULL));
    for (size_t i = 0; i < N; i++) {
        size_t best = 0;
        double sum = 0;
        for (size_t k = 0; k < K; k++) {
            best = p[i * K + k] > p[i * K + best] ? k : best;
            sum += p[i * K + k];
        }
        assert_true(fabs(sum - 1) < 1e-12);
        right += best == s->truth[i];
    }
    free(p);
    return right / N;
}

static void test_recovery(void **state)
{
    data s;
    (void)state;
    draw(&s);
    scant_rows *rows = rows_of(&s);
    scant_train_options options = preset();
    scant_model *model = NULL;
    assert_ok(scant_train(&model, rows, &options));
    const scant_headline *h = scant_model_headline(model);
    double right = accuracy(model, rows, &s), weights = 0;
    assert_true(right > 0.85); /* the Bayes rule has 0.92 */
    assert_true(h->low <= h->accuracy && h->accuracy <= h->high);
    assert_true(h->low < right && right < h->high + 0.1);
    assert_true(h->accuracy > h->majority && h->log_loss > 0 && h->log_loss < log(K));
    assert_true(h->gain >= 0 && h->gain < 0.1);
    assert_int_equal(h->folds, 5);
    assert_int_equal(h->held_out, K * EACH);
    assert_int_equal(h->members, 5);
    for (size_t m = 0; m < h->members; m++) {
        weights += h->weight[m];
        assert_true(m == 0 || h->weight[m] <= h->weight[m - 1]);
    }
    assert_true(fabs(weights - 1) < 1e-9);
    assert_true(h->asks > 0);
    for (size_t i = 0; i < h->asks; i++)
        assert_null(s.cell[h->ask[i]]);
    assert_int_equal(scant_model_components(model), 0);
    assert_int_equal(scant_model_summary(model)->stop, SCANT_STOP_CONVERGED);
    scant_model_free(model);
    scant_rows_free(rows);
}

static void read_all(char **text, size_t *size, const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    *text = calloc(1 << 23, 1);
    *size = fread(*text, 1, 1 << 23, file);
    (void)fclose(file);
}

static void test_same_bytes(void **state)
{
    data s;
    char *text[2];
    size_t size[2];
    (void)state;
    draw(&s);
    scant_rows *rows = rows_of(&s);
    for (size_t t = 0; t < 2; t++) {
        scant_train_options options = preset();
        scant_model *model = NULL;
        options.threads = t ? 4 : 1;
        assert_ok(scant_train(&model, rows, &options));
        assert_ok(scant_model_write(model, "train_same.json"));
        read_all(&text[t], &size[t], "train_same.json");
        scant_model_free(model);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(text[0], text[1], size[0]);
    free(text[0]);
    free(text[1]);
    (void)remove("train_same.json");
    scant_rows_free(rows);
}

static void test_file(void **state)
{
    data s;
    (void)state;
    draw(&s);
    scant_rows *rows = rows_of(&s);
    scant_train_options options = preset();
    scant_model *model = NULL, *read = NULL;
    double *p = calloc(2 * N * K, sizeof *p), *again = p + N * K;
    assert_ok(scant_train(&model, rows, &options));
    assert_ok(scant_model_write(model, "train_file.json"));
    assert_ok(scant_model_read(&read, "train_file.json"));
    assert_ok(scant_model_predict(model, rows, NULL, p, NULL, NULL, NULL));
    assert_ok(scant_model_predict(read, rows, NULL, again, NULL, NULL, NULL));
    for (size_t i = 0; i < N * K; i++)
        assert_true(fabs(p[i] - again[i]) < 1e-12);
    const scant_headline *h = scant_model_headline(model), *g = scant_model_headline(read);
    assert_same(h->accuracy, g->accuracy);
    assert_same(h->gain, g->gain);
    assert_int_equal(h->members, g->members);
    assert_string_equal(h->name[0], g->name[0]);
    assert_memory_equal(h->ask, g->ask, h->asks * sizeof *h->ask);
    assert_int_equal(scant_model_summary(read)->labeled, K * EACH);

    /* other proportions: probabilities follow the odds */
    double prior[K] = {0.8, 0.1, 0.1};
    scant_predict_options moved = {.size = sizeof moved, .prior = prior, .threads = 1};
    assert_ok(scant_model_predict(read, rows, &moved, again, NULL, NULL, NULL));
    for (size_t i = 0; i < N; i++)
        assert_true(fabs(again[i * K] / again[i * K + 1] - 8 * p[i * K] / p[i * K + 1]) <
                    1e-9 * again[i * K] / again[i * K + 1]);
    free(p);
    (void)remove("train_file.json");
    scant_model_free(model);
    scant_model_free(read);
    scant_rows_free(rows);
}

/* Sets that name the truth and another class help less than exact labels, and more than none. */
static void test_soft_labels(void **state)
{
    static const char *const PAIR[K] = {"a|b", "b|c", "c|a"}, *const LIKELY[K] = {
                                                                  "a:0.8;b:0.1;c:0.1",
                                                                  "a:0.1;b:0.8;c:0.1",
                                                                  "a:0.1;b:0.1;c:0.8"};
    data s;
    (void)state;
    draw(&s);
    for (size_t kind = 0; kind < 2; kind++) {
        for (size_t i = 0; i < N; i++)
            if (s.cell[i] && i % 2)
                s.cell[i] = kind ? LIKELY[s.truth[i]] : PAIR[s.truth[i]];
        scant_rows *rows = rows_of(&s);
        scant_train_options options = preset();
        scant_model *model = NULL;
        assert_ok(scant_train(&model, rows, &options));
        assert_true(accuracy(model, rows, &s) > 0.8);
        assert_true(scant_model_headline(model)->held_out < K * EACH); /* exact ones are measured */
        scant_model_free(model);
        scant_rows_free(rows);
        draw(&s);
    }
}

/* A row of weight 2 is two rows: the same members, up to the order of sums. */
static void test_weights(void **state)
{
    data s;
    double weight[N];
    (void)state;
    draw(&s);
    for (size_t i = 0; i < N; i++)
        weight[i] = i % 7 ? 1 : 0;
    scant_rows *rows = rows_of(&s);
    assert_ok(scant_rows_set_weights(rows, weight));
    scant_train_options options = preset();
    scant_model *model = NULL;
    assert_ok(scant_train(&model, rows, &options));
    size_t labeled = 0;
    for (size_t i = 0; i < N; i++)
        labeled += s.cell[i] && weight[i] > 0;
    assert_int_equal(scant_model_summary(model)->labeled, labeled);
    scant_model_free(model);
    scant_rows_free(rows);
}

static int stop_at_once(const scant_progress_event *event, void *payload)
{
    ++*(size_t *)payload;
    assert_string_equal(event->what, "train");
    assert_true(event->done <= event->total);
    return 1;
}

static void test_stops(void **state)
{
    data s;
    size_t calls = 0;
    (void)state;
    draw(&s);
    scant_rows *rows = rows_of(&s);
    scant_train_options options = preset();
    scant_model *model = NULL;
    options.time_limit = 1e-6;
    assert_ok(scant_train(&model, rows, &options));
    assert_int_equal(scant_model_summary(model)->stop, SCANT_STOP_TIME);
    assert_true(accuracy(model, rows, &s) > 0.6);
    scant_model_free(model);
    options = preset();
    options.progress = stop_at_once;
    options.payload = &calls;
    assert_ok(scant_train(&model, rows, &options));
    assert_int_equal(scant_model_summary(model)->stop, SCANT_STOP_INTERRUPTED);
    assert_true(calls > 0 && accuracy(model, rows, &s) > 0.6);
    scant_model_free(model);
    scant_rows_free(rows);
}

static void train_cells(scant_model **model, const data *s, size_t n)
{
    scant_rows *rows = NULL;
    scant_train_options options = preset();
    assert_ok(scant_rows_new(&rows, n, D, s->x, NULL));
    assert_ok(scant_rows_set_labels(rows, s->cell, NULL, 0, NULL));
    assert_ok(scant_train(model, rows, &options));
    scant_rows_free(rows);
}

static bool warns(const scant_model *model, const char *text)
{
    for (size_t w = 0; w < scant_model_warnings(model); w++)
        if (strstr(scant_model_warning(model, w), text))
            return true;
    return false;
}

static void test_bad_input(void **state)
{
    data s;
    scant_rows *rows = NULL;
    scant_model *model = NULL;
    scant_train_options options = preset();
    (void)state;
    draw(&s);
    assert_ok(scant_rows_new(&rows, N, D, s.x, NULL));
    assert_fails(scant_train(&model, rows, &options), SCANT_ERR_INPUT, "label");
    scant_rows_free(rows);

    for (size_t i = 0; i < N; i++) /* one class */
        s.cell[i] = i < 5 ? "a" : NULL;
    rows = rows_of(&s);
    assert_fails(scant_train(&model, rows, &options), SCANT_ERR_INPUT,
                 "all labels are of one class, 'a'");
    scant_rows_free(rows);

    for (size_t i = 0; i < N; i++) /* no label */
        s.cell[i] = NULL;
    rows = rows_of(&s);
    assert_fails(scant_train(&model, rows, &options), SCANT_ERR_INPUT, "no row has a label");
    scant_rows_free(rows);

    s.cell[0] = "a"; /* a label each: nothing to hold out */
    s.cell[1] = "b";
    train_cells(&model, &s, N);
    assert_true(warns(model, "equal weights") && isnan(scant_model_headline(model)->accuracy));
    scant_model_free(model);

    for (size_t i = 2; i < 8; i++) /* one class with a single label */
        s.cell[i] = "b";
    train_cells(&model, &s, N);
    assert_true(warns(model, "class a has one label"));
    scant_model_free(model);

    train_cells(&model, &s, 3); /* hardly a row */
    scant_model_free(model);

    for (size_t i = 0; i < N * D; i++)
        s.x[i] = 1;
    train_cells(&model, &s, N);
    assert_true(warns(model, "no column varies"));
    scant_model_free(model);
}

/* Cells at the end of what doubles hold: probabilities stay probabilities. */
static void test_absurd_cells(void **state)
{
    data s;
    scant_model *model = NULL;
    (void)state;
    draw(&s);
    s.x[3 * D] = 1e300;
    s.x[4 * D] = -1e300;
    for (size_t i = 0; i < N; i++)
        s.x[i * D + 1] *= 1e300;
    for (size_t i = 0; i < N; i++)
        s.x[i * D + 2] *= 1e-300;
    train_cells(&model, &s, N);
    scant_rows *rows = rows_of(&s);
    assert_true(accuracy(model, rows, &s) > 0.6);
    scant_rows_free(rows);
    scant_model_free(model);
}

/* Wrong labels: the headline says that nothing is learned. */
static void test_wrong_labels(void **state)
{
    data s;
    scant_model *model = NULL;
    size_t seen = 0;
    (void)state;
    draw(&s);
    scant_i_random random = scant_i_random_new(99, 0);
    for (size_t i = 0; i < N; i++)
        if (s.cell[i] || seen < 120) {
            s.cell[i] = NAME[scant_i_random_below(&random, K)];
            seen++;
        }
    train_cells(&model, &s, N);
    assert_true(scant_model_headline(model)->low < 0.4);
    scant_model_free(model);
}

static void test_missing_and_categories(void **state)
{
    static const char *const LEVEL[] = {"r", "g", "b", "never"};
    data s;
    scant_rows *rows = NULL;
    scant_model *model = NULL, *read = NULL;
    scant_train_options options = preset();
    (void)state;
    draw(&s);
    for (size_t i = 0; i < N; i++) {
        s.x[i * D + 4] = (double)(s.truth[i] + (i % 10 == 0)); /* nearly tells the class; 0 .. 3 */
        if (s.x[i * D + 4] == 3)
            s.x[i * D + 4] = 0;
        if (i % 5 == 0)
            s.x[i * D + i % D] = NAN;
    }
    assert_ok(scant_rows_new(&rows, N, D, s.x, NULL));
    assert_ok(scant_rows_set_levels(rows, 4, LEVEL, 4));
    assert_ok(scant_rows_set_labels(rows, s.cell, NULL, 0, NULL));
    assert_ok(scant_train(&model, rows, &options));
    assert_true(warns(model, "missing cells"));
    assert_true(accuracy(model, rows, &s) > 0.85);
    assert_ok(scant_model_write(model, "train_levels.json"));
    assert_ok(scant_model_read(&read, "train_levels.json"));
    assert_same(accuracy(model, rows, &s), accuracy(read, rows, &s));
    (void)remove("train_levels.json");
    scant_model_free(model);
    scant_model_free(read);
    scant_rows_free(rows);
}

/* What is trained again on the same rows is the same; folds leave their labels out; a stream begins as the stack. */
static void test_again(void **state)
{
    data s;
    scant_model *model = NULL;
    scant_rows *rows;
    scant_stream *stream = NULL;
    scant_stream_options options;
    scant_cv one, two;
    double own[N * K], streamed[N * K];
    (void)state;
    draw(&s);
    rows = rows_of(&s);
    train_cells(&model, &s, N);
    assert_ok(scant_cv_model(&one, model, rows, 3, false, 0, 1));
    assert_ok(scant_cv_model(&two, model, rows, 3, false, 0, 2));
    assert_int_equal(one.nfolds, 3);
    assert_same(one.log_loss, two.log_loss);
    assert_true(one.accuracy > 0.6 && one.accuracy <= 1);
    scant_cv_clear(&one);
    scant_cv_clear(&two);
    scant_stream_options_preset(&options);
    assert_ok(scant_stream_new(&stream, model, &options));
    assert_ok(scant_model_predict(model, rows, NULL, own, NULL, NULL, NULL));
    assert_ok(scant_stream_predict(stream, rows, NULL, streamed, NULL, NULL, NULL, NULL));
    assert_memory_equal(own, streamed, N * scant_model_classes(model) * sizeof *own);
    scant_stream_free(stream);
    scant_model_free(model);
    scant_rows_free(rows);
}

static void test_other_uses_are_refused(void **state)
{
    data s;
    scant_model *model = NULL;
    scant_rows *rows, *drawn = NULL;
    scant_scores scores;
    (void)state;
    draw(&s);
    rows = rows_of(&s);
    train_cells(&model, &s, N);
    assert_fails(scant_model_sample(&drawn, model, 3, 1, false), SCANT_ERR_ARGUMENT, "components");
    assert_fails(scant_model_inform(model, rows, 1), SCANT_ERR_ARGUMENT, "components");
    assert_fails(scant_model_scores(&scores, model, rows, NULL, NULL), SCANT_ERR_ARGUMENT,
                 "components");
    scant_model_free(model);
    scant_rows_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recovery),     cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_file),         cmocka_unit_test(test_soft_labels),
        cmocka_unit_test(test_weights),      cmocka_unit_test(test_stops),
        cmocka_unit_test(test_bad_input),    cmocka_unit_test(test_absurd_cells),
        cmocka_unit_test(test_wrong_labels), cmocka_unit_test(test_missing_and_categories),
        cmocka_unit_test(test_again),        cmocka_unit_test(test_other_uses_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
