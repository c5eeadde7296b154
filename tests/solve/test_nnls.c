/* Nonnegative least squares: optimality of random and adversarial problems, agreement with a naive
 * Lawson-Hanson on the data themselves, descent, threads, memory. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "failing.h"
#include "solve/nnls.h"

enum { PROBLEMS = 10000 /* right-hand sides */, ROWS = 11, MOST_RANK = 70 };

/* --- problems: D (height x rank) and E (height x ROWS), and their inner products --- */

typedef struct sample {
    size_t height, rank, lanes;
    double *D, *E, *gram, *cross, *x;
} sample;

typedef enum kind {
    DENSE,        /* uniform, well conditioned */
    SIGNED,       /* normal, so that many unknowns are 0 */
    DUPLICATES,   /* columns that are equal */
    DEFICIENT,    /* fewer rows than columns */
    ZEROS,        /* zero columns and zero rows, zero right-hand sides */
    COMBINATIONS, /* columns that are sums of others */
    SCALES,       /* columns of very different size */
    EXACT,        /* E = D x for an x with zeros: degenerate */
    KINDS
} kind;

static double *room(size_t n)
{
    double *block = aligned_alloc(64, (n * sizeof(double) + 63) / 64 * 64);
    assert_non_null(block);
    memset(block, 0, n * sizeof(double));
    return block;
}

static void sample_free(sample *s)
{
    free(s->D);
    free(s->E);
    free(s->gram);
    free(s->cross);
    free(s->x);
}

static void fill(double *to, size_t n, scant_i_random *random, bool normal)
{
    for (size_t k = 0; k < n; k++)
        to[k] = normal ? scant_i_random_normal(random) : scant_i_random_uniform(random);
}

static void spoil(sample *s, kind how)
{
    size_t r = s->rank;
    for (size_t i = 0; i < s->height; i++)
        for (size_t j = 0; j < r; j++) {
            double *cell = s->D + i * r + j;
            if (how == DUPLICATES && j % 2)
                *cell = cell[-1];
            if (how == COMBINATIONS && j >= 2 && j % 3 == 2)
                *cell = cell[-1] + cell[-2];
            if (how == ZEROS && (j % 4 == 1 || i % 3 == 0))
                *cell = 0;
            if (how == SCALES)
                *cell *= pow(10, (double)(j % 7) - 3);
        }
    for (size_t k = 0; k < s->height * ROWS; k++) {
        if (how == ZEROS && k % ROWS == 0)
            s->E[k] = 0;
        if (how == EXACT) {
            s->E[k] = 0;
            for (size_t j = 0; j < r; j++)
                s->E[k] += (j + k % ROWS) % 3 ? 0 : s->D[k / ROWS * r + j];
        }
    }
}

static sample sample_of(kind how, size_t rank, scant_i_random *random)
{
    sample s = {.rank = rank};
    size_t r = s.rank;
    s.height = how == DEFICIENT ? 1 + r / 2 : 2 * r + 3;
    s.lanes = scant_i_round_up(r, 8);
    s.D = room(s.height * r);
    s.E = room(s.height * ROWS);
    s.gram = room(r * s.lanes);
    s.cross = room(ROWS * s.lanes);
    s.x = room(ROWS * s.lanes);
    fill(s.D, s.height * r, random, how == SIGNED || how == DEFICIENT);
    fill(s.E, s.height * ROWS, random, how != DENSE);
    spoil(&s, how);
    for (size_t j = 0; j < r; j++)
        for (size_t i = 0; i < s.height; i++) {
            for (size_t k = 0; k < r; k++)
                s.gram[j * s.lanes + k] += s.D[i * r + j] * s.D[i * r + k];
            for (size_t l = 0; l < ROWS; l++)
                s.cross[l * s.lanes + j] += s.D[i * r + j] * s.E[i * ROWS + l];
        }
    return s;
}

static sample sample_new(kind how, scant_i_random *random)
{
    size_t rank = 1 + scant_i_random_below(random, 20);
    if (scant_i_random_below(random, 100) == 0)
        rank = 40 + scant_i_random_below(random, MOST_RANK - 40);
    return sample_of(how, rank, random);
}

static scant_i_nnls problem_of(const sample *s)
{
    return (scant_i_nnls){.rank = s->rank,
                          .lanes = s->lanes,
                          .gram = s->gram,
                          .cross = s->cross,
                          .x = s->x,
                          .nrows = ROWS};
}

/* --- what must hold --- */

/* The largest breach of x >= 0, y >= 0, x y = 0 in units that make the diagonal 1, as a share of
 * the right-hand side. */
static double breach(const sample *s, size_t row)
{
    const double *x = s->x + row * s->lanes, *b = s->cross + row * s->lanes;
    double worst = 0, size = 0;
    for (size_t j = 0; j < s->rank; j++) {
        double diagonal = s->gram[j * s->lanes + j];
        double unit = diagonal > 0 ? 1 / sqrt(diagonal) : 0, y = -b[j];
        for (size_t k = 0; k < s->rank; k++)
            y += s->gram[j * s->lanes + k] * x[k];
        size = fmax(size, fabs(b[j]) * unit);
        worst = fmax(worst, x[j] > 0 ? fabs(y) * unit : fmax(0, -y) * unit);
        assert_true(x[j] >= 0);
    }
    return size > 0 ? worst / size : worst;
}

static double loss(const sample *s, size_t row, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < s->height; i++) {
        double e = s->E[i * ROWS + row];
        for (size_t j = 0; j < s->rank; j++)
            e -= s->D[i * s->rank + j] * x[j];
        sum += e * e;
    }
    return sum;
}

static double quadratic(const sample *s, size_t row)
{
    const double *x = s->x + row * s->lanes, *b = s->cross + row * s->lanes;
    double sum = 0;
    for (size_t j = 0; j < s->rank; j++) {
        sum -= b[j] * x[j];
        for (size_t k = 0; k < s->rank; k++)
            sum += 0.5 * x[j] * s->gram[j * s->lanes + k] * x[k];
    }
    return sum;
}

/* --- the naive solver: Lawson and Hanson's, on D itself, by Gram-Schmidt --- */

/* Least squares of D's columns in `passive`; columns that depend on others get 0. */
static void least_squares(const sample *s, const bool *passive, const double *e, double *z)
{
    size_t r = s->rank, h = s->height, used = 0;
    double *Q = room(h * r), *R = room(r * r), *c = room(r);
    size_t column[MOST_RANK];
    for (size_t j = 0; j < r; j++) {
        z[j] = 0;
        if (!passive[j])
            continue;
        double *q = Q + used * h, before = 0, after = 0;
        for (size_t i = 0; i < h; i++) {
            q[i] = s->D[i * r + j];
            before += q[i] * q[i];
        }
        for (int twice = 0; twice < 2; twice++)
            for (size_t k = 0; k < used; k++) {
                double dot = 0;
                for (size_t i = 0; i < h; i++)
                    dot += Q[k * h + i] * q[i];
                R[k * r + used] += dot;
                for (size_t i = 0; i < h; i++)
                    q[i] -= dot * Q[k * h + i];
            }
        for (size_t i = 0; i < h; i++)
            after += q[i] * q[i];
        if (after <= 1e-22 * before) {
            for (size_t k = 0; k < used; k++)
                R[k * r + used] = 0;
            continue;
        }
        R[used * r + used] = sqrt(after);
        for (size_t i = 0; i < h; i++) {
            q[i] /= sqrt(after);
            c[used] += q[i] * e[i];
        }
        column[used++] = j;
    }
    for (size_t k = used; k-- > 0;) {
        double sum = c[k];
        for (size_t l = k + 1; l < used; l++)
            sum -= R[k * r + l] * z[column[l]];
        z[column[k]] = sum / R[k * r + k];
    }
    free(Q);
    free(R);
    free(c);
}

static void lawson_hanson(const sample *s, size_t row, double *x)
{
    size_t r = s->rank, h = s->height;
    bool passive[MOST_RANK] = {false};
    double *e = room(h), *z = room(r), size = 0;
    for (size_t i = 0; i < h; i++) {
        e[i] = s->E[i * ROWS + row];
        size += e[i] * e[i];
    }
    memset(x, 0, r * sizeof *x);
    for (size_t round = 0; round < 20 * r; round++) {
        size_t best = r;
        double steepest = 1e-11 * sqrt(size);
        for (size_t j = 0; j < r; j++) {
            double w = 0, norm = 0;
            for (size_t i = 0; i < h; i++) {
                double rest = e[i];
                for (size_t k = 0; k < r; k++)
                    rest -= s->D[i * r + k] * x[k];
                w += s->D[i * r + j] * rest;
                norm += s->D[i * r + j] * s->D[i * r + j];
            }
            if (!passive[j] && norm > 0 && w / sqrt(norm) > steepest) {
                steepest = w / sqrt(norm);
                best = j;
            }
        }
        if (best == r)
            break;
        passive[best] = true;
        for (;;) {
            least_squares(s, passive, e, z);
            double step = 1;
            for (size_t j = 0; j < r; j++)
                if (passive[j] && z[j] < 0)
                    step = fmin(step, x[j] / (x[j] - z[j]));
            bool whole = step == 1;
            for (size_t j = 0; j < r; j++) {
                bool leaves = passive[j] && z[j] < 0 && x[j] / (x[j] - z[j]) <= step;
                x[j] = passive[j] && !leaves ? fmax(0, x[j] + step * (z[j] - x[j])) : 0;
                passive[j] = passive[j] && !leaves;
            }
            if (whole)
                break;
        }
    }
    free(e);
    free(z);
}

/* --- tests --- */

static void check_exact(const scant_i_nnls_solver *solver, size_t stream)
{
    scant_i_random random = scant_i_random_new(7, stream);
    double worst[KINDS] = {0}, apart = 0;
    for (size_t k = 0; k < PROBLEMS / ROWS + 1; k++) {
        kind how = (kind)(k % KINDS);
        sample s = sample_new(how, &random);
        scant_i_nnls problem = problem_of(&s);
        if (k % 3 == 0) /* a start elsewhere must lead to the same end */
            fill(s.x, ROWS * s.lanes, &random, false);
        if (k % 3 == 0)
            for (size_t i = 0; i < ROWS; i++)
                for (size_t j = s.rank; j < s.lanes; j++)
                    s.x[i * s.lanes + j] = 0;
        assert_ok(scant_i_nnls_solve(&problem, solver, 1));
        double naive[MOST_RANK];
        for (size_t row = 0; row < ROWS; row++) {
            worst[how] = fmax(worst[how], breach(&s, row));
            lawson_hanson(&s, row, naive);
            double scale = 0;
            for (size_t i = 0; i < s.height; i++)
                scale += s.E[i * ROWS + row] * s.E[i * ROWS + row];
            apart = fmax(apart, fabs(loss(&s, row, s.x + row * s.lanes) - loss(&s, row, naive)) /
                                    fmax(scale, 1e-300));
        }
        sample_free(&s);
    }
    for (size_t how = 0; how < KINDS; how++)
        if (!(worst[how] <= 1e-10))
            fail_msg("%s: kind %zu breaks optimality by %g", solver->name, how, worst[how]);
    if (!(apart <= 1e-10))
        fail_msg("%s: objective differs from Lawson-Hanson's by %g", solver->name, apart);
}

static void test_bpp_is_optimal(void **state)
{
    (void)state;
    check_exact(&scant_i_nnls_bpp, 1);
}

static void test_active_set_is_optimal(void **state)
{
    (void)state;
    check_exact(&scant_i_nnls_active_set, 2);
}

/* Where the solution is unique the unknowns themselves agree. */
static void test_same_unknowns(void **state)
{
    (void)state;
    scant_i_random random = scant_i_random_new(11, 0);
    for (size_t k = 0; k < 200; k++) {
        sample s = sample_new(k % 2 ? DENSE : SIGNED, &random);
        scant_i_nnls problem = problem_of(&s);
        double naive[MOST_RANK];
        assert_ok(scant_i_nnls_solve(&problem, &scant_i_nnls_bpp, 1));
        for (size_t row = 0; row < ROWS; row++) {
            lawson_hanson(&s, row, naive);
            for (size_t j = 0; j < s.rank; j++)
                assert_true(fabs(s.x[row * s.lanes + j] - naive[j]) <= 1e-7);
        }
        sample_free(&s);
    }
}

/* Steps of the solvers that go downhill never raise the objective, and end at the solution. */
static void check_descent(const scant_i_nnls_solver *solver, size_t steps, double near)
{
    scant_i_random random = scant_i_random_new(13, 0);
    for (size_t k = 0; k < 60; k++) {
        sample s = sample_new((kind)(k % KINDS), &random);
        scant_i_nnls problem = problem_of(&s);
        for (size_t i = 0; i < s.height * ROWS; i++)
            s.E[i] = fabs(s.E[i]); /* multiplicative updates want nonnegative data */
        for (size_t i = 0; i < s.height * s.rank; i++)
            s.D[i] = fabs(s.D[i]);
        memset(s.gram, 0, s.rank * s.lanes * sizeof *s.gram);
        memset(s.cross, 0, ROWS * s.lanes * sizeof *s.cross);
        for (size_t j = 0; j < s.rank; j++)
            for (size_t i = 0; i < s.height; i++) {
                for (size_t l = 0; l < s.rank; l++)
                    s.gram[j * s.lanes + l] += s.D[i * s.rank + j] * s.D[i * s.rank + l];
                for (size_t l = 0; l < ROWS; l++)
                    s.cross[l * s.lanes + j] += s.D[i * s.rank + j] * s.E[i * ROWS + l];
            }
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < s.rank; j++)
                s.x[i * s.lanes + j] = scant_i_random_uniform(&random);
        double before[ROWS];
        for (size_t step = 0; step < steps; step++) {
            for (size_t row = 0; row < ROWS; row++)
                before[row] = quadratic(&s, row);
            assert_ok(scant_i_nnls_solve(&problem, solver, 1));
            for (size_t row = 0; row < ROWS; row++)
                assert_true(quadratic(&s, row) <= before[row] + 1e-12 * fabs(before[row]));
        }
        double x[MOST_RANK];
        for (size_t row = 0; row < ROWS && near > 0; row++) {
            lawson_hanson(&s, row, x);
            double best = loss(&s, row, x), scale = 0;
            for (size_t i = 0; i < s.height; i++)
                scale += s.E[i * ROWS + row] * s.E[i * ROWS + row];
            assert_true(loss(&s, row, s.x + row * s.lanes) <= best + near * scale);
        }
        sample_free(&s);
    }
}

static void test_descent(void **state)
{
    (void)state;
    check_descent(&scant_i_nnls_bpp, 3, 1e-10);
    check_descent(&scant_i_nnls_active_set, 3, 1e-10);
    check_descent(&scant_i_nnls_hals, 300, 1e-3);
    check_descent(&scant_i_nnls_mu, 300, 1e-2);
}

/* What underflow left of a component is no reason to go to infinity; and what is 0 stays 0. */
static void test_vanishing(void **state)
{
    (void)state;
    static const double left[] = {0, 5e-324, 1e-320, 1e-310, 1e-200, 1e-160};
    for (size_t t = 0; t < sizeof left / sizeof *left; t++) {
        double gram[16] = {[0] = 2, [1] = sqrt(left[t]), [8] = sqrt(left[t]), [9] = left[t]};
        double cross[16] = {1, sqrt(left[t]), [8] = 1, [9] = 1}, *x = room(16);
        scant_i_nnls problem = {
            .rank = 2, .lanes = 8, .gram = gram, .cross = cross, .x = x, .nrows = 2};
        x[0] = x[1] = 1;
        x[8] = left[t]; /* of a row of which hardly anything is left */
        x[9] = 0;
        assert_ok(scant_i_nnls_solve(&problem, &scant_i_nnls_mu, 1));
        assert_true(fabs(x[0] - 0.5) < 1e-12 && x[1] == 0);
        assert_true(isfinite(x[8]) && x[8] <= 1 && x[9] == 0);
        free(x);
    }
}

/* Clipped least squares, by hand: G = [2 1; 1 2], b = (1, -1) gives (1, -1), cut to (1, 0). */
static void test_als(void **state)
{
    (void)state;
    double gram[16] = {[0] = 2, [1] = 1, [8] = 1, [9] = 2};
    double cross[8] = {1, -1}, *x = room(8);
    scant_i_nnls problem = {
        .rank = 2, .lanes = 8, .gram = gram, .cross = cross, .x = x, .nrows = 1};
    assert_ok(scant_i_nnls_solve(&problem, &scant_i_nnls_als, 1));
    assert_true(fabs(x[0] - 1) < 1e-14 && x[1] == 0);
    assert_ok(scant_i_nnls_solve(&problem, &scant_i_nnls_bpp, 1));
    assert_true(fabs(x[0] - 0.5) < 1e-14 && x[1] == 0);
    free(x);
}

/* A matrix a row gives what that matrix gives for all rows. */
static void test_own_matrices(void **state)
{
    (void)state;
    static const scant_i_nnls_solver *const all[] = {&scant_i_nnls_bpp, &scant_i_nnls_active_set,
                                                     &scant_i_nnls_als, &scant_i_nnls_mu,
                                                     &scant_i_nnls_hals};
    scant_i_random random = scant_i_random_new(17, 0);
    for (size_t k = 0; k < 45; k++) { /* the last have sets that differ much: lanes apart */
        bool apart = k >= 40;
        sample s[2] = {apart ? sample_of(SIGNED, 50, &random) : sample_new(DENSE, &random), {0}};
        s[1] = s[0];
        size_t matrix = s[0].rank * s[0].lanes;
        s[1].gram = room(ROWS * matrix);
        s[1].x = room(ROWS * s[0].lanes);
        for (size_t i = 0; i < ROWS; i++) {
            memcpy(s[1].gram + i * matrix, s[0].gram, matrix * sizeof *s[0].gram);
            for (size_t j = 0; j < s[0].rank; j++)
                s[0].x[i * s[0].lanes + j] = s[1].x[i * s[0].lanes + j] = 1;
        }
        scant_i_nnls common = problem_of(&s[0]), own = problem_of(&s[1]);
        own.gram_stride = matrix;
        const scant_i_nnls_solver *solver = all[apart ? k % 2 : k % 5];
        assert_ok(scant_i_nnls_solve(&common, solver, 1));
        assert_ok(scant_i_nnls_solve(&own, solver, 1));
        for (size_t t = 0; t < ROWS * s[0].lanes; t++)
            assert_true(fabs(s[0].x[t] - s[1].x[t]) <= 1e-9 * (1 + fabs(s[0].x[t])));
        free(s[1].gram);
        free(s[1].x);
        sample_free(&s[0]);
    }
}

/* Rows are solved alike whatever stands beside them and however many threads there are. */
static void check_threads(size_t rank, size_t nrows)
{
    enum { HEIGHT = 90 };
    size_t lanes = scant_i_round_up(rank, 8);
    scant_i_random random = scant_i_random_new(19, 0);
    double *D = room(HEIGHT * rank), *gram = room(rank * lanes), *cross = room(nrows * lanes);
    double *one = room(nrows * lanes), *two = room(nrows * lanes), *alone = room(lanes);
    fill(D, HEIGHT * rank, &random, true);
    for (size_t j = 0; j < rank; j++)
        for (size_t k = 0; k < rank; k++)
            for (size_t i = 0; i < HEIGHT; i++)
                gram[j * lanes + k] += D[i * rank + j] * D[i * rank + k];
    for (size_t i = 0; i < nrows; i++)
        for (size_t j = 0; j < rank; j++)
            cross[i * lanes + j] = scant_i_random_normal(&random);
    scant_i_nnls p = {
        .rank = rank, .lanes = lanes, .gram = gram, .cross = cross, .x = one, .nrows = nrows};
    double squared[2];
    assert_ok(scant_i_nnls_residual(&squared[0], &p, 1));
    assert_true(squared[0] > 1);
    assert_ok(scant_i_nnls_solve(&p, &scant_i_nnls_bpp, 1));
    assert_ok(scant_i_nnls_residual(&squared[0], &p, 1));
    assert_ok(scant_i_nnls_residual(&squared[1], &p, 4));
    assert_same(squared[0], squared[1]);
    assert_true(squared[0] < 1e-20);
    p.x = two;
    assert_ok(scant_i_nnls_solve(&p, &scant_i_nnls_bpp, 4));
    assert_memory_equal(one, two, nrows * lanes * sizeof *one);
    for (size_t i = 0; i < nrows; i += 611) {
        memset(alone, 0, lanes * sizeof *alone);
        scant_i_nnls single = p;
        single.cross = cross + i * lanes;
        single.x = alone;
        single.nrows = 1;
        assert_ok(scant_i_nnls_solve(&single, &scant_i_nnls_bpp, 1));
        assert_memory_equal(alone, one + i * lanes, lanes * sizeof *one);
    }
    free(D), free(gram), free(cross), free(one), free(two), free(alone);
}

static void test_threads(void **state)
{
    (void)state;
    check_threads(13, 5000);
    check_threads(61, 1500); /* sets that differ much */
}

static scant_status solve_once(void *payload)
{
    const sample *s = payload;
    scant_i_nnls problem = problem_of(s);
    double squared;
    scant_status status = scant_i_nnls_solve(&problem, &scant_i_nnls_bpp, 1);
    if (status == SCANT_OK)
        status = scant_i_nnls_solve(&problem, &scant_i_nnls_hals, 1);
    return status == SCANT_OK ? scant_i_nnls_residual(&squared, &problem, 1) : status;
}

static void test_memory(void **state)
{
    (void)state;
    scant_i_random random = scant_i_random_new(23, 0);
    sample s = sample_new(DENSE, &random);
    assert_true(failing_sweep(solve_once, &s) > 10);
    sample_free(&s);
}

static void test_names(void **state)
{
    (void)state;
    assert_ptr_equal(scant_i_nnls_find("bpp"), &scant_i_nnls_bpp);
    assert_ptr_equal(scant_i_nnls_find("active-set"), &scant_i_nnls_active_set);
    assert_null(scant_i_nnls_find("simplex"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bpp_is_optimal),
                                       cmocka_unit_test(test_active_set_is_optimal),
                                       cmocka_unit_test(test_same_unknowns),
                                       cmocka_unit_test(test_descent),
                                       cmocka_unit_test(test_als),
                                       cmocka_unit_test(test_vanishing),
                                       cmocka_unit_test(test_own_matrices),
                                       cmocka_unit_test(test_threads),
                                       cmocka_unit_test(test_memory),
                                       cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
