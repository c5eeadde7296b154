/* Sums over tiles: the same bytes whatever comes first, twice, or together. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>
#include "base/random.h"
#include "parts/tree.h"

enum { TILES_MOST = 37, LENGTH = 5 };

static double number(size_t tile, size_t s)
{
    scant_i_random random = scant_i_random_new(tile, s);
    return scant_i_random_normal(&random) * (tile % 5 == 0 ? 1e8 : 1);
}

/* The definition: node(l, i) = node(l - 1, 2 i) + node(l - 1, 2 i + 1). */
static void naive(size_t ntiles, size_t level, size_t index, double *sum)
{
    if (level == 0) {
        for (size_t s = 0; s < LENGTH; s++)
            sum[s] = number(index, s);
        return;
    }
    double more[LENGTH];
    naive(ntiles, level - 1, 2 * index, sum);
    if ((2 * index + 1) << (level - 1) >= ntiles)
        return;
    naive(ntiles, level - 1, 2 * index + 1, more);
    for (size_t s = 0; s < LENGTH; s++)
        sum[s] += more[s];
}

static size_t root_level(size_t ntiles)
{
    size_t level = 0;
    while ((size_t)1 << level < ntiles)
        level++;
    return level;
}

static void shuffle(size_t *order, size_t n, scant_i_random *random)
{
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t i = n; i > 1; i--) {
        size_t j = scant_i_random_below(random, i), kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

static void give_tile(scant_i_tree *tree, size_t tile)
{
    double *room = scant_i_tree_take(tree);
    assert_non_null(room);
    for (size_t s = 0; s < LENGTH; s++) {
        assert_true(room[s] == 0);
        room[s] = number(tile, s);
    }
    scant_i_tree_give(tree, 0, tile, room);
}

static void any_order_gives_the_naive_sum(void **state)
{
    (void)state;
    scant_i_random random = scant_i_random_new(1, 0);
    for (size_t ntiles = 1; ntiles <= TILES_MOST; ntiles++) {
        scant_i_tree *tree = NULL;
        double want[LENGTH];
        size_t order[TILES_MOST];
        naive(ntiles, root_level(ntiles), 0, want);
        assert_int_equal(scant_i_tree_new(&tree, ntiles, LENGTH), SCANT_OK);
        for (int again = 0; again < 4; again++) {
            scant_i_tree_restart(tree);
            shuffle(order, ntiles, &random);
            for (size_t k = 0; k < ntiles; k++) {
                assert_null(scant_i_tree_root(tree));
                give_tile(tree, order[k]);
                if (again == 3 && k) /* doubled: it is there already */
                    give_tile(tree, order[scant_i_random_below(&random, k)]);
            }
            assert_memory_equal(scant_i_tree_root(tree), want, sizeof want);
        }
        scant_i_tree_free(tree);
    }
}

/* Tiles first to end - 1 of a part, as the nodes that cover them, go into the driver's tree. */
static void answer(scant_i_tree *driver, size_t ntiles, size_t first, size_t end)
{
    scant_i_tree *part = NULL;
    scant_i_node nodes[2 * TILES_MOST];
    assert_int_equal(scant_i_tree_new(&part, ntiles, LENGTH), SCANT_OK);
    for (size_t tile = end; tile-- > first;)
        give_tile(part, tile);
    size_t n = scant_i_tree_nodes(part, nodes, 2 * TILES_MOST), at = first;
    for (size_t k = 0; k < n; k++) {
        assert_true(nodes[k].index << nodes[k].level == at);
        at = scant_i_min((nodes[k].index + 1) << nodes[k].level, ntiles);
        double want[LENGTH];
        naive(ntiles, nodes[k].level, nodes[k].index, want);
        assert_memory_equal(nodes[k].sum, want, sizeof want);
        assert_int_equal(scant_i_tree_put(driver, &nodes[k]), SCANT_OK);
    }
    assert_int_equal(at, end);
    scant_i_tree_free(part);
}

static void parts_give_the_same_bytes(void **state)
{
    (void)state;
    scant_i_random random = scant_i_random_new(2, 0);
    for (int turn = 0; turn < 300; turn++) {
        size_t ntiles = 1 + scant_i_random_below(&random, TILES_MOST);
        size_t a = scant_i_random_below(&random, ntiles + 1),
               b = a + scant_i_random_below(&random, ntiles - a + 1);
        size_t cut[4] = {0, a, b, ntiles}, order[3];
        double want[LENGTH];
        scant_i_tree *driver = NULL;
        naive(ntiles, root_level(ntiles), 0, want);
        assert_int_equal(scant_i_tree_new(&driver, ntiles, LENGTH), SCANT_OK);
        shuffle(order, 3, &random);
        if (turn % 3 == 0) /* rows that moved: some tiles come from two parts */
            answer(driver, ntiles, a / 2, scant_i_min(ntiles, b + 1));
        for (size_t k = 0; k < 3; k++)
            answer(driver, ntiles, cut[order[k]], cut[order[k] + 1]);
        assert_memory_equal(scant_i_tree_root(driver), want, sizeof want);
        scant_i_tree_free(driver);
    }
}

/* --- threads --- */

static scant_status work(size_t tile, size_t worker, void *payload)
{
    (void)worker;
    give_tile(payload, tile);
    return SCANT_OK;
}

static void threads_give_the_same_bytes(void **state)
{
    (void)state;
    double want[LENGTH];
    naive(TILES_MOST, root_level(TILES_MOST), 0, want);
    for (size_t threads = 1; threads <= 7; threads += 3) {
        scant_i_tree *tree = NULL;
        assert_int_equal(scant_i_tree_new(&tree, TILES_MOST, LENGTH), SCANT_OK);
        for (int again = 0; again < 50; again++) {
            scant_i_tree_restart(tree);
            assert_int_equal(scant_i_parallel(threads, TILES_MOST, work, tree), SCANT_OK);
            assert_memory_equal(scant_i_tree_root(tree), want, sizeof want);
        }
        scant_i_tree_free(tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order_gives_the_naive_sum),
        cmocka_unit_test(parts_give_the_same_bytes),
        cmocka_unit_test(threads_give_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
