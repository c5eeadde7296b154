/* Members of words against what is true of them: tf-idf and naive Bayes written out, EM and its objective, a zero gradient,
 * directions that join synonyms, and models of sparse rows that survive a file and any number of threads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <scant/scant.h>
#include "base/random.h"
#include "check.h"
#include "train/stack.h"

enum { N = 200, LABELED = 12, W = 60, K = 3, LONGEST = 40 };

/* Texts of three topics, each with words of its own in most of its places; the last columns are in one text or none. */
typedef struct texts {
    size_t start[N + 1], truth[N];
    int32_t column[N * W];
    double value[N * W], count[N][W], weight[N], target[LABELED * K];
    scant_rows *rows;
    scant_i_vocabulary *words;
    scant_i_word_rows store;
    scant_i_spaces spaces;
    scant_i_training task;
} texts;

static int setup(void **state)
{
    texts *t = calloc(1, sizeof *t);
    scant_i_random random = scant_i_random_new(31, 0);
    size_t use[N], at = 0;
    for (size_t i = 0; i < N; i++) {
        size_t length = 5 + scant_i_random_below(&random, LONGEST);
        t->truth[i] = i % K;
        t->weight[i] = i % 7 == 0 ? 2 : 1;
        use[i] = i;
        for (size_t l = 0; l < length; l++) {
            size_t word = scant_i_random_below(&random, W - 6);
            if (scant_i_random_uniform(&random) < 0.3)
                word = word / K * K + t->truth[i];
            t->count[i][word]++;
        }
        if (i == 3)
            t->count[i][W - 1] = 2; /* in no other text: no word */
        for (size_t j = 0; j < W; j++)
            if (t->count[i][j] > 0) {
                t->column[at] = (int32_t)j;
                t->value[at++] = t->count[i][j];
            }
        t->start[i + 1] = at;
    }
    for (size_t i = 0; i < LABELED; i++)
        t->target[i * K + t->truth[i]] = t->weight[i];
    assert_ok(scant_rows_new_sparse(&t->rows, N, W, t->start, t->column, t->value));
    assert_ok(scant_i_words_new(&t->words, t->rows, use, N));
    t->spaces.words = t->words;
    t->spaces.ncolumns = W;
    t->task.rows.nrows = N;
    assert_ok(scant_i_spaces_map_words(&t->task.rows, &t->store, &t->spaces, t->rows, NULL, 0, N));
    t->task.nlabeled = LABELED;
    t->task.nclasses = K;
    t->task.weight = t->weight;
    t->task.seed = 1;
    t->task.threads = 1;
    *state = t;
    return 0;
}

static int teardown(void **state)
{
    texts *t = *state;
    scant_i_word_rows_clear(&t->store);
    scant_i_words_free(t->words);
    scant_rows_free(t->rows);
    free(t);
    return 0;
}

static void unpack(double *to, const scant_i_csr *rows, const scant_i_vocabulary *w, size_t i)
{
    memset(to, 0, W * sizeof *to);
    for (size_t e = rows->start[i]; e < rows->start[i + 1]; e++)
        to[w->column[rows->column[e]]] = rows->value[e];
}

/* --- spaces --- */

static void test_words_by_hand(void **state)
{
    const texts *t = *state;
    double idf[W], c[W], z[W];
    size_t words = 0;
    for (size_t j = 0; j < W; j++) {
        size_t having = 0;
        for (size_t i = 0; i < N; i++)
            having += t->count[i][j] > 0;
        idf[j] = having > 1 ? log((1.0 + N) / (1.0 + (double)having)) + 1 : 0;
        words += having > 1;
        assert_true((t->words->place[j] >= 0) == (having > 1));
    }
    assert_int_equal(t->words->width, words);
    assert_true(words < W); /* the last one is in one text */
    for (size_t i = 0; i < N; i++) {
        double all = 0, square = 0, wanted[W];
        for (size_t j = 0; j < W; j++) {
            wanted[j] = t->count[i][j] > 0 ? (1 + log(t->count[i][j])) * idf[j] : 0;
            square += wanted[j] * wanted[j];
            all += idf[j] > 0 ? t->count[i][j] : 0;
        }
        unpack(c, &t->store.counts, t->words, i);
        unpack(z, &t->store.tfidf, t->words, i);
        for (size_t j = 0; j < W; j++) {
            assert_true(fabs(z[j] - wanted[j] / sqrt(square)) < 1e-12);
            assert_true(fabs(c[j] - (idf[j] > 0 ? 100 * t->count[i][j] / all : 0)) < 1e-10);
        }
    }
}

/* Numbers below one do not turn negative, and what is no count makes no words. */
static void test_what_is_no_count(void **state)
{
    size_t start[3] = {0, 2, 3}, use[2] = {0, 1};
    int32_t column[3] = {0, 1, 0};
    double value[3] = {0.01, 0.5, 3};
    (void)state;
    for (size_t bad = 0; bad < 3; bad++) {
        scant_rows *rows;
        scant_i_vocabulary *words;
        value[1] = bad == 1 ? -1 : bad == 2 ? NAN : 0.5;
        assert_ok(scant_rows_new_sparse(&rows, 2, 2, start, column, value));
        assert_ok(scant_i_words_new(&words, rows, use, 2));
        assert_true((words == NULL) == (bad > 0));
        if (words) {
            scant_i_word_rows store;
            assert_ok(scant_i_words_map(&store, words, rows, NULL, 0, 2));
            for (size_t e = 0; e < 3; e++)
                assert_true(store.tfidf.value[e] > 0);
            scant_i_word_rows_clear(&store);
        }
        scant_i_words_free(words);
        scant_rows_free(rows);
    }
}

/* --- naive Bayes --- */

static double *dense_counts(const texts *t)
{
    double *c = calloc(N * W, sizeof *c);
    for (size_t i = 0; i < N; i++)
        unpack(c + i * W, &t->store.counts, t->words, i);
    return c;
}

static void naive_estimate(double log_theta[K][W], const texts *t, const double *c, const double *r)
{
    for (size_t k = 0; k < K; k++) {
        double total = 0;
        for (size_t j = 0; j < W; j++) {
            double sum = 0;
            for (size_t i = 0; i < N; i++)
                sum += r[i * K + k] * c[i * W + j];
            log_theta[k][j] = sum + 0.1;
            total += t->words->place[j] >= 0 ? log_theta[k][j] : 0;
        }
        for (size_t j = 0; j < W; j++)
            log_theta[k][j] = log(log_theta[k][j] / total);
    }
}

/* log sum_k p(x, k), and the shares */
static double naive_posterior(double *p, const double *c, double log_theta[K][W], const double *pi)
{
    double logp[K], most = -INFINITY, sum = 0;
    for (size_t k = 0; k < K; k++) {
        logp[k] = log(pi[k]);
        for (size_t j = 0; j < W; j++)
            logp[k] += c[j] * log_theta[k][j];
        most = fmax(most, logp[k]);
    }
    for (size_t k = 0; k < K; k++)
        sum += p[k] = exp(logp[k] - most);
    for (size_t k = 0; k < K; k++)
        p[k] /= sum;
    return most + log(sum);
}

/* What EM is to raise, written out. */
static double objective(const texts *t, const double *c, double log_theta[K][W], const double *pi,
                        double unlabeled)
{
    double value = 0, p[K];
    for (size_t i = 0; i < N; i++) {
        double all = naive_posterior(p, c + i * W, log_theta, pi);
        value += i < LABELED ? t->weight[i] * (all + log(p[t->truth[i]]))
                             : unlabeled * t->weight[i] * all;
    }
    for (size_t k = 0; k < K; k++)
        for (size_t j = 0; j < W; j++)
            value += t->words->place[j] >= 0 ? 0.1 * log_theta[k][j] : 0;
    return value;
}

static void check_bayes(texts *t, const scant_i_member *member, double unlabeled, size_t steps)
{
    double log_theta[K][W], pi[K] = {0}, wanted[K], all = 0, before = -INFINITY;
    double *c = dense_counts(t), *r = calloc(N * K, sizeof *r), *p = calloc(N * K, sizeof *p);
    void *fitted = NULL;
    scant_i_lesson lesson = {t->target, true};
    for (size_t i = 0; i < LABELED; i++) {
        pi[t->truth[i]] += t->weight[i];
        all += t->weight[i];
    }
    for (size_t k = 0; k < K; k++)
        pi[k] /= all;
    memcpy(r, t->target, sizeof t->target);
    naive_estimate(log_theta, t, c, r);
    for (size_t s = 0; s < steps; s++) {
        double value = objective(t, c, log_theta, pi, unlabeled);
        assert_true(value > before);
        before = value;
        for (size_t i = LABELED; i < N; i++) {
            (void)naive_posterior(r + i * K, c + i * W, log_theta, pi);
            for (size_t k = 0; k < K; k++)
                r[i * K + k] *= unlabeled * t->weight[i];
        }
        naive_estimate(log_theta, t, c, r);
    }
    assert_ok(member->fit(&fitted, &t->task, &lesson, NULL));
    assert_ok(member->probabilities(p, fitted, &t->task.rows));
    for (size_t i = 0; i < N; i++) {
        (void)naive_posterior(wanted, c + i * W, log_theta, pi);
        for (size_t k = 0; k < K; k++)
            assert_true(fabs(p[i * K + k] - wanted[k]) < 1e-7);
    }
    member->free(fitted);
    free(c);
    free(r);
    free(p);
}

static void test_bayes(void **state)
{
    check_bayes(*state, &scant_i_member_bayes, 0, 0);
}

static void test_bayes_em(void **state)
{
    check_bayes(*state, &scant_i_member_bayes_em, 1, 10);
    check_bayes(*state, &scant_i_member_bayes_em_weak, 0.1, 10);
}

/* --- logistic --- */

/* At the optimum B = -C sum_i z_i (w_i p_i - t_i)', and the residuals of each class sum to 0. */
static void test_tfidf_is_stationary(void **state)
{
    texts *t = *state;
    double *p = calloc(N * K, sizeof *p), *q = calloc(N * K, sizeof *q), z[N][W], bias[K] = {0};
    void *fitted = NULL;
    scant_i_lesson lesson = {t->target, true};
    assert_ok(scant_i_member_tfidf.fit(&fitted, &t->task, &lesson, NULL));
    assert_ok(scant_i_member_tfidf.probabilities(p, fitted, &t->task.rows));
    for (size_t i = 0; i < N; i++)
        unpack(z[i], &t->store.tfidf, t->words, i);
    for (size_t k = 0; k < K; k++) {
        for (size_t i = 0; i < LABELED; i++)
            bias[k] += t->weight[i] * p[i * K + k] - t->target[i * K + k];
        assert_true(fabs(bias[k]) < 1e-3);
    }
    double shift[K]; /* the intercepts, from the first row; then all others follow */
    for (size_t i = 0; i < N; i++) {
        double eta[K] = {0};
        for (size_t k = 0; k < K; k++)
            for (size_t l = 0; l < LABELED; l++)
                for (size_t j = 0; j < W; j++)
                    eta[k] -= 10 * (t->weight[l] * p[l * K + k] - t->target[l * K + k]) * z[l][j] *
                              z[i][j];
        for (size_t k = 0; k < K; k++) {
            double odds = log(p[i * K + k] / p[i * K]) - (eta[k] - eta[0]);
            if (i == 0)
                shift[k] = odds;
            assert_true(fabs(odds - shift[k]) < 0.02);
        }
    }
    scant_i_member_tfidf.free(fitted);
    free(p);
    free(q);
}

/* Words of a topic that no labeled text has are told by those they stand beside. */
static void test_topics(void **state)
{
    texts *t = *state;
    double *p = calloc(N * K, sizeof *p);
    size_t right = 0;
    void *prepared = NULL, *fitted = NULL;
    scant_i_lesson lesson = {t->target, true};
    assert_ok(scant_i_member_topics.prepare(&prepared, &t->task));
    assert_ok(scant_i_member_topics.fit(&fitted, &t->task, &lesson, prepared));
    scant_i_member_topics.release(prepared);
    assert_ok(scant_i_member_topics.probabilities(p, fitted, &t->task.rows));
    for (size_t i = LABELED; i < N; i++) {
        size_t best = 0;
        for (size_t k = 1; k < K; k++)
            best = p[i * K + k] > p[i * K + best] ? k : best;
        right += best == t->truth[i];
    }
    assert_true(right > (N - LABELED) * 6 / 10); /* chance has a third */
    scant_i_member_topics.free(fitted);
    free(p);
}

/* --- the whole --- */

static void set_labels(texts *t)
{
    static const char *const NAME[K] = {"a", "b", "c"};
    const char *cell[N];
    for (size_t i = 0; i < N; i++)
        cell[i] = i < LABELED ? NAME[t->truth[i]] : NULL;
    assert_ok(scant_rows_set_labels(t->rows, cell, NULL, 0, NULL));
}

static void test_file_and_threads(void **state)
{
    texts *t = *state;
    double *p = calloc(3 * N * K, sizeof *p);
    set_labels(t);
    for (size_t run = 0; run < 2; run++) {
        scant_train_options options;
        scant_model *model = NULL, *again = NULL;
        scant_train_options_preset(&options);
        options.threads = run ? 3 : 1;
        assert_ok(scant_train(&model, t->rows, &options));
        assert_ok(scant_model_predict(model, t->rows, NULL, p + run * N * K, NULL, NULL, NULL));
        size_t words = 0;
        const scant_headline *h = scant_model_headline(model);
        for (size_t m = 0; m < h->members; m++)
            words += scant_i_member_find(h->name[m])->words;
        assert_true(words >= 3);
        if (run == 0) {
            assert_ok(scant_model_write(model, "train_words.json"));
            assert_ok(scant_model_read(&again, "train_words.json"));
            assert_ok(scant_model_predict(again, t->rows, NULL, p + 2 * N * K, NULL, NULL, NULL));
            for (size_t i = 0; i < N * K; i++)
                assert_true(fabs(p[i] - p[2 * N * K + i]) < 1e-12);
            scant_model_free(again);
            (void)remove("train_words.json");
        }
        scant_model_free(model);
    }
    assert_memory_equal(p, p + N * K, N * K * sizeof *p);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_by_hand),
        cmocka_unit_test(test_what_is_no_count),
        cmocka_unit_test(test_bayes),
        cmocka_unit_test(test_bayes_em),
        cmocka_unit_test(test_tfidf_is_stationary),
        cmocka_unit_test(test_topics),
        cmocka_unit_test(test_file_and_threads),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
