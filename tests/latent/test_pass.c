/* A pass over sparse rows: its sums do not depend on threads, and but for rounding neither on what
 * families keep nor on how rows are cut. */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>
#include "family_cases.h"
#include "latent/problem.h"

enum { ROWS = 6100, COLUMNS = 150, COMPONENTS = 20 };

/* Log weights to responsibilities; counts rows and adds up their numbers. */
static scant_status normalise(const scant_i_block *block, double *L, double *own, double *room,
                              void *payload)
{
    const scant_i_mixture *mixture = payload;
    (void)room;
    for (size_t i = 0; i < block->nrows; i++) {
        double *row = L + i * mixture->stride, top = -INFINITY, sum = 0;
        for (size_t j = 0; j < mixture->ncomponents; j++)
            top = fmax(top, row[j]);
        for (size_t j = 0; j < mixture->stride; j++)
            sum += row[j] = j < mixture->ncomponents ? exp(row[j] - top) : 0;
        for (size_t j = 0; j < mixture->stride; j++)
            row[j] /= sum;
        own[0] += 1;
        own[1] += (double)scant_i_block_row(block, i);
        own[2] += top + log(sum);
    }
    return SCANT_OK;
}

/* A visitor that fails half way. */
static scant_status fail_later(const scant_i_block *block, double *L, double *own, double *room,
                               void *payload)
{
    scant_status status = normalise(block, L, own, room, payload);
    return scant_i_block_row(block, 0) > ROWS / 2 ? scant_i_fail(SCANT_ERR_INPUT, "later") : status;
}

/* Sums of three passes, the second cut short, the third with other responsibilities than the first: own (8) and the
 * factor's. */
static double *sums(const scant_rows *rows, scant_i_mixture *mixture, size_t threads, bool keep,
                    size_t *count)
{
    scant_i_problem problem = {0};
    scant_i_evidence evidence = {0};
    const scant_i_evidence_settings settings = {.unlabelled_weight = 1};
    scant_i_pass_plan plan = {normalise, mixture, true, true};
    scant_i_factor *factor = mixture->factor[0];
    size_t n = factor->family->pass->nstatistics(factor);
    double *out = scant_i_calloc(8 + n, sizeof *out);
    assert_non_null(out);
    assert_int_equal(scant_i_evidence_new(&evidence, rows, 1, &settings), SCANT_OK);
    assert_int_equal(scant_i_problem_new(&problem, rows, &evidence, mixture, 0, threads), SCANT_OK);
    if (keep)
        assert_int_equal(scant_i_problem_keep(&problem, mixture), SCANT_OK);
    for (int again = 0; again < 3; again++) { /* nothing of one is left in the next */
        plan.visitor = again == 1 ? fail_later : normalise;
        assert_int_equal(scant_i_problem_run(&problem, mixture, &plan),
                         again == 1 ? SCANT_ERR_INPUT : SCANT_OK);
    }
    memcpy(out, scant_i_problem_own(&problem), 8 * sizeof *out);
    memcpy(out + 8, scant_i_problem_factor(&problem, 0), n * sizeof *out);
    scant_i_problem_clear(&problem);
    scant_i_evidence_clear(&evidence);
    *count = 8 + n;
    return out;
}

static bool is_told(const void *payload)
{
    return *(const bool *)payload;
}

/* A question is given up when its token says so, or without one at an interrupt; and asked again it is answered. */
static void expect_cancelled(const scant_rows *rows, scant_i_mixture *mixture)
{
    bool told = true;
    const scant_i_cancel token = {is_told, &told};
    const scant_i_evidence_settings settings = {.unlabelled_weight = 1};
    scant_i_problem problem = {0};
    scant_i_evidence evidence = {0};
    assert_int_equal(scant_i_evidence_new(&evidence, rows, 1, &settings), SCANT_OK);
    assert_int_equal(scant_i_problem_new(&problem, rows, &evidence, mixture, 0, 2), SCANT_OK);
    problem.cancel = &token;
    assert_int_equal(scant_i_problem_expect(&problem, mixture, true), SCANT_ERR_INTERRUPTED);
    told = false;
    scant_interrupt(); /* none of the token's business */
    assert_int_equal(scant_i_problem_expect(&problem, mixture, true), SCANT_OK);
    problem.cancel = &scant_i_never;
    assert_int_equal(scant_i_problem_expect(&problem, mixture, true), SCANT_OK);
    problem.cancel = NULL;
    assert_int_equal(scant_i_problem_expect(&problem, mixture, true), SCANT_ERR_INTERRUPTED);
    scant_interrupt_clear();
    assert_int_equal(scant_i_problem_expect(&problem, mixture, true), SCANT_OK);
    scant_i_problem_clear(&problem);
    scant_i_evidence_clear(&evidence);
}

static void test_sparse_sums(void **state)
{
    (void)state;
    scant_i_random random = scant_i_random_new(3, 0);
    double *x = scant_i_calloc(ROWS * COLUMNS, sizeof *x), total = 0;
    assert_non_null(x);
    for (size_t k = 0; k < ROWS * COLUMNS; k++)
        if (scant_i_random_uniform(&random) < 3.0 / (double)(3 + k % COLUMNS))
            total += x[k] = 1 + floor(1.3 * scant_i_random_uniform(&random));
    scant_rows rows = sparse_rows(x, ROWS, COLUMNS);
    scant_i_mixture *mixture = NULL;
    size_t columns[COLUMNS], n = 0;
    for (size_t c = 0; c < COLUMNS; c++)
        columns[c] = c;
    assert_int_equal(scant_i_mixture_new(&mixture, COMPONENTS, 1, 1), SCANT_OK);
    scant_i_family_settings settings = {.smooth = 1};
    assert_int_equal(scant_i_factor_new(&mixture->factor[0], &scant_i_multinomial, &settings,
                                        COMPONENTS, columns, NULL, COLUMNS),
                     SCANT_OK);
    for (size_t j = 0; j < COMPONENTS; j++) {
        mixture->coupling.W[j] = 1.0 / COMPONENTS;
        double sum = 0, *p = mixture->factor[0]->theta + j * COLUMNS;
        for (size_t c = 0; c < COLUMNS; c++)
            sum += p[c] = 0.2 + scant_i_random_uniform(&random);
        for (size_t c = 0; c < COLUMNS; c++)
            p[c] /= sum;
    }
    double *plain = sums(&rows, mixture, 1, false, &n), *one = sums(&rows, mixture, 1, true, &n);
    double *three = sums(&rows, mixture, 3, true, &n), all = 0;
    assert_memory_equal(one, three, n * sizeof *one);
    assert_true(one[0] == ROWS && one[1] == ROWS * (ROWS - 1.0) / 2);
    for (size_t k = 0; k < n; k++)
        assert_true(fabs(one[k] - plain[k]) <= 1e-11 * fmax(1, fabs(plain[k])));
    for (size_t k = 8; k < n; k++)
        all += one[k];
    assert_true(fabs(all - total - ROWS) <= 1e-10 * total); /* counts, and weights of rows */
    expect_cancelled(&rows, mixture);
    scant_i_free(plain);
    scant_i_free(one);
    scant_i_free(three);
    scant_i_mixture_free(mixture);
    free_sparse(&rows);
    scant_i_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sparse_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
