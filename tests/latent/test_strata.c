/* The sample that starts are made from: every kind of evidence has its part, however rare it is. */
#include <stdlib.h>

#include <scant/scant.h>
#include "base/random.h"
#include "check.h"
#include "latent/sample.h"

/* The sample's size, and the kinds of rows: labelled a, labelled b, with a set, unknown. */
enum { MOST = 20000, CLASSES = 2, KINDS = CLASSES + 2, UNKNOWN = KINDS - 1 };
static const char *const cell_of[KINDS] = {"a", "b", "a|b", NULL};

typedef struct sample {
    size_t *row, count;
} sample;

/* Kinds in turn while there are any left, so that each is spread over the rows; every fourth row
 * of `without` has weight 0. */
static sample draw(uint8_t *kind, const size_t counts[KINDS], size_t n, bool without, uint64_t seed)
{
    static const char *const names[] = {"a", "b"};
    size_t left[KINDS];
    const char **cells = calloc(n, sizeof *cells);
    double *x = calloc(n, sizeof *x), *w = calloc(n, sizeof *w);
    memcpy(left, counts, sizeof left);
    for (size_t i = 0, k = 0; i < n; i++, k++) {
        while (left[k % KINDS] == 0)
            k++;
        kind[i] = (uint8_t)(k % KINDS);
        left[kind[i]]--;
        cells[i] = cell_of[kind[i]];
        w[i] = without && i % 4 == 0 ? 0 : 1;
    }
    scant_rows *rows = NULL;
    scant_i_evidence evidence;
    scant_i_evidence_settings settings = {.unlabelled_weight = 1};
    assert_ok(scant_rows_view(&rows, n, 1, x, NULL));
    assert_ok(scant_rows_set_labels(rows, cells, names, CLASSES, NULL));
    assert_ok(scant_rows_set_weights(rows, w));
    assert_ok(scant_i_evidence_new(&evidence, rows, CLASSES, &settings));

    sample s = {0};
    scant_i_random random = scant_i_random_new(seed, 0);
    scant_i_survey survey;
    scant_i_sample drawn;
    scant_i_part all = scant_i_part_of_all(rows, evidence.code, evidence.weight);
    assert_ok(scant_i_survey_new(&survey, rows, &evidence, SCANT_I_NO_CELLS, 1));
    assert_ok(scant_i_sample_new(&drawn, NULL, &all, &evidence, &survey, &random));
    s = (sample){drawn.place, drawn.n};
    drawn.place = NULL;
    scant_i_sample_clear(&drawn);
    scant_i_survey_clear(&survey);
    for (size_t t = 0; t < s.count; t++) {
        assert_true(s.row[t] < n && w[s.row[t]] > 0);
        assert_true(t == 0 || s.row[t] > s.row[t - 1]);
    }
    scant_i_evidence_clear(&evidence);
    scant_rows_free(rows);
    free(cells);
    free(x);
    free(w);
    return s;
}

static void few_rows_are_taken_whole(void **state)
{
    (void)state;
    enum { N = MOST };
    static const size_t counts[KINDS] = {7, 1, 30, N - 38};
    static uint8_t kind[N];
    sample s = draw(kind, counts, N, false, 1);
    assert_int_equal(s.count, N);
    scant_i_free(s.row);
    s = draw(kind, counts, N, true, 1);
    assert_int_equal(s.count, N - N / 4);
    scant_i_free(s.row);
}

/* A kind has all its rows, or its part of the sample, but at least an even part, which a rare kind's rows
 * are then all in; those that are drawn have smaller keys than those that are not. */
static void rare_kinds_have_more_than_their_part(void **state)
{
    (void)state;
    enum { N = 100000 };
    static const size_t counts[KINDS] = {7000, 40, 4000, N - 11040};
    static uint8_t kind[N];
    size_t even = MOST / KINDS + 1;
    size_t expected[KINDS] = {even, 40, 4000, (size_t)((double)MOST * (N - 11040) / N)};
    for (uint64_t seed = 0; seed < 3; seed++) {
        sample s = draw(kind, counts, N, false, seed);
        scant_i_random random = scant_i_random_new(seed, 0);
        size_t drawn[KINDS] = {0};
        uint64_t last[KINDS] = {0}, next[KINDS];
        memset(next, 0xff, sizeof next);
        for (size_t i = 0, t = 0; i < N; i++) {
            size_t k = kind[i];
            uint64_t key = scant_i_strata_key(&random, i);
            if (t < s.count && s.row[t] == i) {
                last[k] = key > last[k] ? key : last[k];
                drawn[k]++;
                t++;
            } else {
                next[k] = key < next[k] ? key : next[k];
            }
        }
        assert_memory_equal(drawn, expected, sizeof drawn);
        assert_true(last[0] < next[0] && last[3] < next[3]);
        scant_i_free(s.row);
    }
}

/* Which rows are drawn is chance: none is preferred. */
static void rows_are_equally_likely(void **state)
{
    (void)state;
    enum { N = 40000, SEEDS = 4 }; /* half of the rows */
    static const size_t counts[KINDS] = {0, 0, 0, N};
    static uint8_t kind[N];
    size_t odd = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        sample s = draw(kind, counts, N, false, seed);
        assert_int_equal(s.count, N / 2);
        for (size_t t = 0; t < s.count; t++)
            odd += s.row[t] % 2;
        scant_i_free(s.row);
    }
    /* 40000 of 80000 are expected, and five standard deviations of 141 */
    assert_in_range(odd, SEEDS * N / 4 - 705, SEEDS * N / 4 + 705);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_rows_are_taken_whole),
        cmocka_unit_test(rare_kinds_have_more_than_their_part),
        cmocka_unit_test(rows_are_equally_likely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
