/* Each member against what is true of it: zero gradients, naive densities, an EM step written out, a rule found again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <scant/scant.h>
#include "base/random.h"
#include "check.h"
#include "math/linear.h"
#include "train/classwise.h"
#include "train/ridge.h"
#include "train/sharpen.h"
#include "train/stack.h"

enum { N = 400, LABELED = 60, D = 6, K = 3 };

/* Three Gaussian classes in six columns; the first LABELED rows have labels. */
typedef struct cases {
    scant_rows *rows;
    scant_i_spaces *spaces;
    double *cells, target[LABELED * K], weight[N];
    size_t truth[N];
    scant_i_training task;
} cases;

static int setup(void **state)
{
    cases *c = calloc(1, sizeof *c);
    double *x = calloc(N * D, sizeof *x);
    size_t use[N];
    scant_i_random random = scant_i_random_new(7, 0);
    for (size_t i = 0; i < N; i++) {
        c->truth[i] = i % K;
        c->weight[i] = 1;
        use[i] = i;
        for (size_t j = 0; j < D; j++)
            x[i * D + j] = 10 * (double)j + (j % K == c->truth[i] ? 2.5 : 0) +
                           scant_i_random_normal(&random) * (1 + (double)j);
    }
    for (size_t i = 0; i < LABELED; i++)
        c->target[i * K + c->truth[i]] = 1;
    assert_ok(scant_rows_new(&c->rows, N, D, x, NULL));
    free(x);
    assert_ok(scant_i_spaces_new(&c->spaces, c->rows, use, N));
    c->cells = calloc(N * scant_i_spaces_row(c->spaces), sizeof *c->cells);
    assert_ok(scant_i_spaces_map(&c->task.rows, c->cells, c->spaces, c->rows, NULL, 0, N));
    c->task.nlabeled = LABELED;
    c->task.nclasses = K;
    c->task.weight = c->weight;
    c->task.threads = 1;
    c->task.seed = 3;
    *state = c;
    return 0;
}

static int teardown(void **state)
{
    cases *c = *state;
    scant_rows_free(c->rows);
    scant_i_spaces_free(c->spaces);
    free(c->cells);
    free(c);
    return 0;
}

/* --- spaces --- */

static void test_spaces_are_standard(void **state)
{
    const cases *c = *state;
    const scant_i_view *v = &c->task.rows;
    for (size_t s = 0; s < SCANT_I_SPACES; s++)
        for (size_t j = 0; j < v->width[s]; j++) {
            double mean = 0, square = 0;
            for (size_t i = 0; i < N; i++) {
                double cell = v->x[s][i * v->width[s] + j];
                mean += cell / N;
                square += cell * cell / N;
            }
            double wanted = 1;
            if (s == SCANT_I_WHITE)
                wanted = c->spaces->variance[j] * 1.1 / (c->spaces->variance[j] + 0.1);
            assert_true(fabs(mean) < 1e-8 + (s == SCANT_I_RANKS ? 0.01 : 0));
            assert_true(fabs(square - wanted) < (s == SCANT_I_RANKS ? 0.03 : 1e-8));
        }
}

/* Ranks do not change when a column is bent. */
static void test_ranks_are_of_ranks(void **state)
{
    const cases *c = *state;
    double x[200], bent[200], cells[2][200 * 8];
    size_t use[200];
    scant_rows *rows[2];
    scant_i_spaces *spaces[2];
    scant_i_view view[2];
    (void)c;
    scant_i_random random = scant_i_random_new(11, 0);
    for (size_t i = 0; i < 200; i++) {
        use[i] = i;
        x[i] = scant_i_random_normal(&random);
        bent[i] = exp(x[i]);
    }
    for (size_t b = 0; b < 2; b++) {
        assert_ok(scant_rows_new(&rows[b], 200, 1, b ? bent : x, NULL));
        assert_ok(scant_i_spaces_new(&spaces[b], rows[b], use, 200));
        assert_ok(scant_i_spaces_map(&view[b], cells[b], spaces[b], rows[b], NULL, 0, 200));
    }
    for (size_t i = 0; i < 200; i++)
        assert_true(fabs(view[0].x[SCANT_I_RANKS][i] - view[1].x[SCANT_I_RANKS][i]) < 1e-12);
    for (size_t b = 0; b < 2; b++) {
        scant_i_spaces_free(spaces[b]);
        scant_rows_free(rows[b]);
    }
}

/* More columns than rows: axes come from the matrix of the other side, and are the same. */
static void test_axes_of_both_sides(void **state)
{
    enum { ROWS = 12, WIDE = 30 };
    double x[ROWS * WIDE], cells[ROWS * 4 * WIDE];
    size_t use[ROWS];
    scant_rows *rows;
    scant_i_spaces *s;
    scant_i_view v;
    (void)state;
    scant_i_random random = scant_i_random_new(5, 0);
    for (size_t i = 0; i < ROWS * WIDE; i++)
        x[i] = scant_i_random_normal(&random);
    for (size_t i = 0; i < ROWS; i++)
        use[i] = i;
    assert_ok(scant_rows_new(&rows, ROWS, WIDE, x, NULL));
    assert_ok(scant_i_spaces_new(&s, rows, use, ROWS));
    assert_ok(scant_i_spaces_map(&v, cells, s, rows, NULL, 0, ROWS));
    assert_int_equal(s->width[SCANT_I_WHITE], ROWS - 1); /* rows are centered */
    for (size_t a = 0; a < s->width[SCANT_I_WHITE]; a++) {
        const double *axis = s->axis + a * WIDE;
        double image[WIDE] = {0}; /* S'S axis / n = variance axis */
        for (size_t i = 0; i < ROWS; i++) {
            double dot = scant_i_dot(v.x[SCANT_I_STANDARD] + i * WIDE, axis, WIDE);
            for (size_t j = 0; j < WIDE; j++)
                image[j] += dot * v.x[SCANT_I_STANDARD][i * WIDE + j] / ROWS;
        }
        for (size_t j = 0; j < WIDE; j++)
            assert_true(fabs(image[j] - s->variance[a] * axis[j]) < 1e-8);
    }
    scant_i_spaces_free(s);
    scant_rows_free(rows);
}

/* --- ridge --- */

static void test_ridge_gradient(void **state)
{
    const cases *c = *state;
    const double *x = c->task.rows.x[SCANT_I_STANDARD];
    double B[(D + 1) * K], g[(D + 1) * K], room[(D + 1) * K], t[LABELED * K];
    scant_i_random random = scant_i_random_new(1, 0);
    for (size_t i = 0; i < (D + 1) * K; i++)
        B[i] = scant_i_random_normal(&random);
    for (size_t i = 0; i < LABELED * K; i++) /* soft and weighted targets, and a row held out */
        t[i] = i < K ? 0 : scant_i_random_uniform(&random);
    (void)scant_i_ridge_objective(g, B, x, LABELED, D, t, K, 0.7);
    for (size_t i = 0; i < (D + 1) * K; i++) {
        static const double STEP = 1e-6;
        double at = B[i];
        B[i] = at + STEP;
        double up = scant_i_ridge_objective(room, B, x, LABELED, D, t, K, 0.7);
        B[i] = at - STEP;
        double down = scant_i_ridge_objective(room, B, x, LABELED, D, t, K, 0.7);
        B[i] = at;
        assert_true(fabs((up - down) / (2 * STEP) - g[i]) < 1e-6);
    }
    assert_ok(scant_i_ridge_fit(B, x, LABELED, D, t, K, 0.7));
    (void)scant_i_ridge_objective(g, B, x, LABELED, D, t, K, 0.7);
    for (size_t i = 0; i < (D + 1) * K; i++)
        assert_true(fabs(g[i]) < 1e-4);
}

/* With more columns than rows the optimum is the same as that found by brute force. */
static void test_ridge_in_span(void **state)
{
    enum { ROWS = 8, WIDE = 20 };
    double x[ROWS * WIDE], t[ROWS * 2] = {0}, B[(WIDE + 1) * 2], g[(WIDE + 1) * 2];
    (void)state;
    scant_i_random random = scant_i_random_new(2, 0);
    for (size_t i = 0; i < ROWS * WIDE; i++)
        x[i] = scant_i_random_normal(&random);
    for (size_t i = 0; i < ROWS; i++)
        t[i * 2 + i % 2] = 1;
    assert_ok(scant_i_ridge_fit(B, x, ROWS, WIDE, t, 2, 3));
    (void)scant_i_ridge_objective(g, B, x, ROWS, WIDE, t, 2, 3);
    for (size_t i = 0; i < (WIDE + 1) * 2; i++)
        assert_true(fabs(g[i]) < 1e-4);
}

/* --- Gaussians --- */

/* Covariances of classwise.h, written out. */
static void naive_covariances(double sigma[K][D * D], double mean[K][D], const double *x,
                              const double *r, size_t n)
{
    double tied[D * D] = {0}, scatter[K][D * D] = {{0}}, count[K] = {0}, total = 0;
    for (size_t k = 0; k < K; k++) {
        for (size_t a = 0; a < D; a++)
            mean[k][a] = 0;
        for (size_t i = 0; i < n; i++) {
            count[k] += r[i * K + k];
            for (size_t a = 0; a < D; a++)
                mean[k][a] += r[i * K + k] * x[i * D + a];
        }
        for (size_t a = 0; a < D; a++)
            mean[k][a] /= count[k];
        for (size_t i = 0; i < n; i++)
            for (size_t a = 0; a < D; a++)
                for (size_t b = 0; b < D; b++)
                    scatter[k][a * D + b] +=
                        r[i * K + k] * (x[i * D + a] - mean[k][a]) * (x[i * D + b] - mean[k][b]);
        total += count[k];
    }
    for (size_t e = 0; e < D * D; e++) {
        for (size_t k = 0; k < K; k++)
            tied[e] += scatter[k][e];
        tied[e] = (tied[e] + (e % (D + 1) == 0 ? D : 0)) / (total + D);
        for (size_t k = 0; k < K; k++)
            sigma[k][e] = (scatter[k][e] + D * tied[e]) / (count[k] + D);
    }
}

static double naive_log_density(const double *x, const double *mean, const double *sigma)
{
    double l[D * D], y[D], square = 0;
    memcpy(l, sigma, sizeof l);
    assert_true(scant_i_cholesky(l, D));
    for (size_t a = 0; a < D; a++)
        y[a] = x[a] - mean[a];
    scant_i_forward_solve(l, D, y);
    for (size_t a = 0; a < D; a++)
        square += y[a] * y[a];
    return -(square + scant_i_cholesky_logdet(l, D) + D * log(2 * acos(-1.0))) / 2;
}

static void naive_posterior(double *p, const double *x, double sigma[K][D * D], double mean[K][D],
                            const double *pi)
{
    double sum = 0;
    for (size_t k = 0; k < K; k++)
        sum += p[k] = pi[k] * exp(naive_log_density(x, mean[k], sigma[k]));
    for (size_t k = 0; k < K; k++)
        p[k] /= sum;
}

static void test_gaussian(void **state)
{
    const cases *c = *state;
    const double *x = c->task.rows.x[SCANT_I_STANDARD];
    double sigma[K][D * D], mean[K][D], pi[K] = {1.0 / 3, 1.0 / 3, 1.0 / 3}, wanted[K];
    double *p = calloc(N * K, sizeof *p);
    void *fitted = NULL;
    scant_i_lesson lesson = {c->target, true};
    assert_ok(scant_i_member_gaussian.fit(&fitted, &c->task, &lesson, NULL));
    assert_ok(scant_i_member_gaussian.probabilities(p, fitted, &c->task.rows));
    naive_covariances(sigma, mean, x, c->target, LABELED);
    for (size_t i = 0; i < N; i++) {
        naive_posterior(wanted, x + i * D, sigma, mean, pi);
        for (size_t k = 0; k < K; k++)
            assert_true(fabs(p[i * K + k] - wanted[k]) < 1e-10);
    }
    scant_i_member_gaussian.free(fitted);
    free(p);
}

/* The answer is a fixed point: one more step, written out, moves no probability by much; and labeled rows keep theirs. */
static void test_gaussian_em(void **state)
{
    cases *c = *state;
    assert_int_equal(c->task.rows.width[SCANT_I_LEADING], D); /* at least eight, or all */
    const double *x = c->task.rows.x[SCANT_I_LEADING];
    double sigma[K][D * D], mean[K][D], pi[K] = {1.0 / 3, 1.0 / 3, 1.0 / 3}, wanted[K], worst = 0;
    double *p = calloc(N * K, sizeof *p), *start = calloc(N * K, sizeof *start), moved = 0;
    void *fitted = NULL;
    scant_i_lesson lesson = {c->target, true};
    assert_ok(scant_i_member_gaussian_em.fit(&fitted, &c->task, &lesson, NULL));
    assert_ok(scant_i_member_gaussian_em.probabilities(p, fitted, &c->task.rows));
    naive_covariances(sigma, mean, x, c->target, LABELED);
    for (size_t i = 0; i < N; i++)
        naive_posterior(start + i * K, x + i * D, sigma, mean, pi);
    double *r = calloc(N * K, sizeof *r);
    memcpy(r, p, N * K * sizeof *r);
    memcpy(r, c->target, sizeof c->target);
    naive_covariances(sigma, mean, x, r, N);
    for (size_t i = 0; i < N; i++) {
        naive_posterior(wanted, x + i * D, sigma, mean, pi);
        for (size_t k = 0; k < K; k++) {
            worst = fmax(worst, fabs(p[i * K + k] - wanted[k]));
            moved = fmax(moved, fabs(p[i * K + k] - start[i * K + k]));
        }
    }
    assert_true(worst < 0.05 && moved > 0.2); /* the tolerance is of the log-likelihood */
    scant_i_member_gaussian_em.free(fitted);
    free(p);
    free(r);
    free(start);
}

/* --- trees --- */

/* A threshold in one of six columns is found from 60 labels. */
static void test_trees_find_a_rule(void **state)
{
    cases *c = *state;
    const double *x = c->task.rows.x[SCANT_I_STANDARD];
    double target[LABELED * K] = {0}, *p = calloc(N * K, sizeof *p),
                            *again = calloc(N * K, sizeof *p);
    void *fitted = NULL, *other = NULL;
    size_t right = 0, seen = 0;
    for (size_t i = 0; i < LABELED; i++)
        target[i * K + (x[i * D + 2] > 0.1)] = 1;
    scant_i_lesson lesson = {target, true};
    assert_ok(scant_i_member_trees.fit(&fitted, &c->task, &lesson, NULL));
    assert_ok(scant_i_member_trees.fit(&other, &c->task, &lesson, NULL));
    assert_ok(scant_i_member_trees.probabilities(p, fitted, &c->task.rows));
    assert_ok(scant_i_member_trees.probabilities(again, other, &c->task.rows));
    for (size_t i = 0; i < N; i++) {
        size_t truth = x[i * D + 2] > 0.1;
        right += i >= LABELED && p[i * K + truth] > 0.5;
        seen += i < LABELED && p[i * K + truth] > 1 - 1e-9; /* leaves are pure */
        assert_true(fabs(scant_i_sum(p + i * K, K) - 1) < 1e-12 && p[i * K + 2] == 0);
    }
    assert_memory_equal(p, again, N * K * sizeof *p);
    assert_int_equal(seen, LABELED);
    assert_true(right > (N - LABELED) * 9 / 10);
    scant_i_member_trees.free(fitted);
    scant_i_member_trees.free(other);
    free(p);
    free(again);
}

/* --- clusters --- */

/* Two far groups and one label each: every other row is nearer to the label of its group. */
static void test_clusters_spread_labels(void **state)
{
    enum { ROWS = 200 };
    double x[ROWS * 2], target[2 * 2] = {1, 0, 0, 1}, weight[ROWS],
                                   *p = calloc(ROWS * 2, sizeof *p);
    size_t use[ROWS];
    scant_rows *rows;
    scant_i_spaces *s;
    scant_i_training task = {
        .nlabeled = 2, .nclasses = 2, .weight = weight, .seed = 1, .threads = 1};
    double *cells;
    (void)state;
    scant_i_random random = scant_i_random_new(9, 0);
    for (size_t i = 0; i < ROWS; i++) {
        use[i] = i;
        weight[i] = 1;
        for (size_t j = 0; j < 2; j++)
            x[i * 2 + j] = scant_i_random_normal(&random) + (i % 2 ? 8 : 0);
    }
    assert_ok(scant_rows_new(&rows, ROWS, 2, x, NULL));
    assert_ok(scant_i_spaces_new(&s, rows, use, ROWS));
    cells = calloc(ROWS * scant_i_spaces_row(s), sizeof *cells);
    assert_ok(scant_i_spaces_map(&task.rows, cells, s, rows, NULL, 0, ROWS));
    void *prepared = NULL, *fitted = NULL;
    scant_i_lesson lesson = {target, true};
    assert_null(scant_i_member_clusters.refuses(&task));
    assert_ok(scant_i_member_clusters.prepare(&prepared, &task));
    assert_ok(scant_i_member_clusters.fit(&fitted, &task, &lesson, prepared));
    scant_i_member_clusters.release(prepared); /* the last fit has all it needs */
    assert_ok(scant_i_member_clusters.probabilities(p, fitted, &task.rows));
    for (size_t i = 0; i < ROWS; i++)
        assert_true(p[i * 2 + i % 2] > 0.5);
    scant_i_member_clusters.free(fitted);
    scant_i_spaces_free(s);
    scant_rows_free(rows);
    free(cells);
    free(p);
}

/* --- weights --- */

/* Weights are a maximum: no step towards a member raises the penalized log-likelihood. */
static void test_weights_are_a_maximum(void **state)
{
    enum { ROWS = 40, M = 3 };
    const cases *c = *state;
    double held[M][ROWS * K], *of[M] = {held[0], held[1], held[2]}, w[M];
    int32_t fold[ROWS];
    scant_i_crossed crossed = {.nmembers = M, .nfolds = 2, .fold = fold, .held = of};
    scant_i_random random = scant_i_random_new(4, 0);
    for (size_t i = 0; i < ROWS; i++) {
        fold[i] = (int32_t)(i % 2);
        for (size_t m = 0; m < M; m++) {
            double sum = 0;
            for (size_t k = 0; k < K; k++)
                sum += held[m][i * K + k] =
                    scant_i_random_exponential(&random) * (k == c->truth[i] ? 1 + (double)m : 1);
            for (size_t k = 0; k < K; k++)
                held[m][i * K + k] /= sum;
        }
    }
    assert_ok(scant_i_stack_weigh(w, &crossed, c->target, ROWS, K, NULL, -1));
    assert_true(fabs(scant_i_sum(w, M) - 1) < 1e-12);
    double slope[M], mean = 0;
    for (size_t m = 0; m < M; m++) {
        slope[m] = 0.3 / w[m];
        for (size_t i = 0; i < ROWS; i++) {
            double all = 0;
            for (size_t o = 0; o < M; o++)
                all += w[o] * held[o][i * K + c->truth[i]];
            slope[m] += held[m][i * K + c->truth[i]] / all;
        }
        mean += w[m] * slope[m];
    }
    for (size_t m = 0; m < M; m++) /* Lagrange: all slopes are the same */
        assert_true(fabs(slope[m] / mean - 1) < 1e-2);
}

/* --- sharpness --- */

enum { HELD = 4000, FOLDS = 4 };

typedef struct sharpening {
    double p[HELD * K], t[HELD * K];
    int32_t fold[HELD];
} sharpening;

/* Answers are drawn from p; what a member says is p^(1 / s), so that s is the truth. Row 0 is in no fold. */
static void draw_sharpening(sharpening *d, double s)
{
    scant_i_random random = scant_i_random_new(8, 0);
    memset(d->t, 0, sizeof d->t);
    for (size_t i = 0; i < HELD; i++) {
        double *p = d->p + i * K, sum = 0, u = scant_i_random_uniform(&random);
        size_t truth = 0;
        for (size_t k = 0; k < K; k++)
            sum += p[k] = exp(1.5 * scant_i_random_normal(&random));
        for (double below = p[0] / sum; truth + 1 < K && u > below; below += p[truth] / sum)
            truth++;
        d->t[i * K + truth] = 1;
        d->fold[i] = (int32_t)(i % (FOLDS + 1)) - 1;
        for (size_t k = 0; k < K; k++)
            p[k] = pow(p[k] / sum, 1 / s);
        sum = scant_i_sum(p, K);
        for (size_t k = 0; k < K; k++)
            p[k] /= sum;
    }
}

static void test_sharpness_is_found(void **state)
{
    static const double TRUTH[] = {0.25, 1, 4};
    sharpening *d = malloc(sizeof *d);
    double s[FOLDS + 1], again[FOLDS + 1];
    (void)state;
    for (size_t j = 0; j < 3; j++) {
        draw_sharpening(d, TRUTH[j]);
        scant_i_held held = {d->p, d->t, d->fold, HELD, K, FOLDS};
        assert_ok(scant_i_find_sharpness(s, &held));
        for (size_t f = 0; f <= FOLDS; f++)
            assert_true(fabs(log2(s[f] / TRUTH[j])) < 0.3); /* a step of the search is 0.25 */

        for (size_t i = 0; i < HELD; i++) /* a fold's labels have no part in its number */
            for (size_t k = 0; k < K && d->fold[i] == 2; k++)
                d->t[i * K + k] = k == 0;
        assert_ok(scant_i_find_sharpness(again, &held));
        assert_true(again[2] == s[2]);
        for (size_t i = 0; i < HELD; i++) /* nor have rows that were not held out */
            for (size_t k = 0; k < K && d->fold[i] < 0; k++)
                d->p[i * K + k] = NAN;
        assert_ok(scant_i_find_sharpness(s, &held));
        assert_memory_equal(again, s, sizeof s);
    }
    free(d);
}

/* A few labels move it little, and impossible ones leave numbers. */
static void test_sharpness_of_few(void **state)
{
    double p[4] = {0.6, 0.4, 0, 1}, s[2], q[4];
    const double t[4] = {1, 0, 1, 0};
    const int32_t fold[2] = {0, 0};
    (void)state;
    scant_i_held held = {p, t, fold, 1, 2, 1};
    assert_ok(scant_i_find_sharpness(s, &held));
    assert_true(s[1] >= 1 && s[1] < 1.5 && s[0] == 1); /* without its only fold: the prior alone */
    held.n = 2;
    assert_ok(scant_i_find_sharpness(s, &held));
    assert_true(s[1] >= 0.5 && s[1] < 1.5);
    for (size_t j = 0; j < 3; j++) {
        double size = exp2((double)j - 1);
        memcpy(q, p, sizeof q);
        scant_i_sharpen(q, 2, 2, size);
        double odds = pow(0.6 / 0.4, size);
        assert_true(fabs(q[0] - 0.98 * odds / (1 + odds) - 0.01) < 1e-14);
        assert_true(fabs(q[2] - 0.01) < 1e-14 && fabs(q[2] + q[3] - 1) < 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spaces_are_standard),
        cmocka_unit_test(test_ranks_are_of_ranks),
        cmocka_unit_test(test_axes_of_both_sides),
        cmocka_unit_test(test_ridge_gradient),
        cmocka_unit_test(test_ridge_in_span),
        cmocka_unit_test(test_gaussian),
        cmocka_unit_test(test_gaussian_em),
        cmocka_unit_test(test_trees_find_a_rule),
        cmocka_unit_test(test_clusters_spread_labels),
        cmocka_unit_test(test_weights_are_a_maximum),
        cmocka_unit_test(test_sharpness_is_found),
        cmocka_unit_test(test_sharpness_of_few),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
