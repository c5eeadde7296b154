#include "check.h"

#include <math.h>
#include <stdlib.h>
#include "base/random.h"
#include "data/rows.h"
#include "failing.h"

enum { ROWS = 3000, WIDTH = 5 };

static double cells[ROWS * WIDTH];

static void fill(double share)
{
    scant_i_random random = scant_i_random_new(3, 1);
    for (size_t k = 0; k < ROWS * WIDTH; k++)
        cells[k] = scant_i_random_uniform(&random) < share ? NAN : (double)k;
}

/* What a pattern must be, row by row. */
static void check(const scant_i_patterns *p, const scant_rows *rows)
{
    static bool seen[ROWS];
    memset(seen, 0, sizeof seen);
    assert_int_equal(p->start[p->npatterns], ROWS);
    for (size_t k = 0; k < p->npatterns; k++) {
        const uint8_t *present = p->present + k * WIDTH;
        for (size_t other = 0; other < k; other++)
            assert_memory_not_equal(present, p->present + other * WIDTH, WIDTH);
        for (size_t at = p->start[k]; at < p->start[k + 1]; at++) {
            size_t i = p->order ? p->order[at] : at;
            assert_false(seen[i]);
            seen[i] = true;
            if (at > p->start[k])
                assert_true(i > (p->order ? p->order[at - 1] : at - 1));
            for (size_t j = 0; j < WIDTH; j++)
                assert_int_equal(present[j], !isnan(scant_rows_value(rows, i, j)));
        }
    }
}

static void test_complete(void **state)
{
    (void)state;
    scant_rows *rows;
    scant_i_patterns p;
    fill(0);
    assert_ok(scant_rows_view(&rows, ROWS, WIDTH, cells, NULL));
    assert_ok(scant_i_patterns_new(&p, rows, false));
    assert_int_equal(p.npatterns, 1);
    assert_null(p.order);
    check(&p, rows);
    scant_i_patterns_free(&p);
    scant_rows_free(rows);
}

static void test_missing(void **state)
{
    (void)state;
    for (int share = 1; share < 10; share += 4) {
        scant_rows *rows;
        scant_i_patterns p;
        fill(share / 10.0);
        assert_ok(scant_rows_view(&rows, ROWS, WIDTH, cells, NULL));
        assert_ok(scant_i_patterns_new(&p, rows, 2));
        assert_true(p.npatterns > 5 && p.npatterns <= 32);
        check(&p, rows);
        scant_i_patterns_free(&p);
        scant_rows_free(rows);
    }
}

static void test_sparse(void **state)
{
    (void)state;
    static size_t start[ROWS + 1];
    static int32_t column[ROWS * WIDTH];
    scant_rows *rows;
    scant_i_patterns p;
    fill(0.3);
    for (size_t k = 0; k < ROWS * WIDTH; k++)
        column[k] = (int32_t)(k % WIDTH);
    for (size_t i = 0; i <= ROWS; i++)
        start[i] = i * WIDTH;
    assert_ok(scant_rows_new_sparse(&rows, ROWS, WIDTH, start, column, cells));
    assert_ok(scant_i_patterns_new(&p, rows, 2));
    check(&p, rows);
    scant_i_patterns_free(&p);
    scant_rows_free(rows);
}

static scant_status work(void *payload)
{
    scant_i_patterns p;
    scant_status status = scant_i_patterns_new(&p, payload, 2);
    scant_i_patterns_free(&p);
    return status;
}

static void test_allocation(void **state)
{
    (void)state;
    scant_rows *rows;
    fill(0.3);
    assert_ok(scant_rows_view(&rows, ROWS, WIDTH, cells, NULL));
    assert_true(failing_sweep(work, rows) > 5);
    scant_rows_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complete), cmocka_unit_test(test_missing),
        cmocka_unit_test(test_sparse), cmocka_unit_test(test_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
