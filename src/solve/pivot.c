/* Nonnegative least squares by exchanging unknowns between two sets, for many rows at once.
 *
 * Unknowns are passive (free, gradient 0) or active (0, gradient y). Given the passive sets, x and
 * y follow by linear equations; where x >= 0 and y >= 0 the row is solved, elsewhere a rule changes
 * its set:
 *
 *   block principal pivoting  all unknowns that break their sign change sides. Where that does not
 *                             bring their number to a new low for PATIENCE times, only the last
 *                             one does, until it does: this is finite.
 *   active set                one unknown enters, and x moves only as far as it stays nonnegative.
 *
 * Rows with equal passive sets are worked on together, so each set's matrix is factored once, and
 * eight rows are worked on at a time whatever their sets (batch.h). Unknowns are measured in units
 * that make the Gram matrix's diagonal 1: so one tolerance does for all.
 *
 * Cost: sets x n^3 / 6 + rows x (n^2 + rank n) a round, n passive unknowns; a few rounds.
 * Kim and Park's algorithm; chapter 5 of the thesis, eqs. 101 to 104. */
#include "solve/batch.h"

#include <math.h>
#include <string.h>

enum { WORD = 64, PATIENCE = 3, DIGIT = 8, DIGITS = 1 << DIGIT };

typedef struct pivot {
    const scant_i_nnls *problem;
    scant_i_batch *batch;
    double *gram;           /* rank x lanes, in the units of `scale`; NULL: a matrix a row */
    scant_i_vector8 *scale; /* rank: 1 / sqrt(diagonal), 0 where that is 0 */
    size_t words;
    uint64_t *passive;  /* nrows x words */
    uint64_t *broken;   /* words: of the row at hand */
    uint64_t *factored; /* SCANT_I_BATCH x words: sets of the factors at hand */
    bool has_factors;
    size_t *pending, *spare; /* rows not yet solved, those with equal sets next to each other */
    uint64_t *key;           /* nrows: what they are sorted by */
    size_t npending;
    uint32_t *fewest, *patience; /* of the block rule: nrows each */
    double *z, *y, *unit;        /* rank: one lane of x, y and `scale` */
} pivot;

/* Changes the set of a row in which some unknown breaks its sign. */
typedef void (*rule)(pivot *p, size_t row, double tolerance);

static void pivot_free(pivot *p)
{
    scant_i_batch_free(p->batch);
    void *blocks[] = {p->broken,  p->gram,  p->scale, p->passive, p->factored,
                      p->pending, p->spare, p->key,   p->fewest,  p->patience,
                      p->z,       p->y,     p->unit};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        scant_i_free(blocks[k]);
}

static bool is_passive(const pivot *p, size_t row, size_t j)
{
    return p->passive[row * p->words + j / WORD] >> j % WORD & 1;
}

static void flip(pivot *p, size_t row, size_t j)
{
    p->passive[row * p->words + j / WORD] ^= (uint64_t)1 << j % WORD;
}

/* --- units --- */

static double unit_of(double diagonal)
{
    return diagonal > 0 ? 1 / sqrt(diagonal) : 0;
}

static scant_status scale_common(pivot *p)
{
    const scant_i_nnls *problem = p->problem;
    size_t rank = problem->rank, lanes = problem->lanes;
    scant_status status = SCANT_I_NEW(&p->gram, rank * lanes);
    if (status != SCANT_OK)
        return status;
    for (size_t j = 0; j < rank; j++)
        p->scale[j] = unit_of(problem->gram[j * lanes + j]) - (scant_i_vector8){0};
    for (size_t j = 0; j < rank; j++)
        for (size_t k = 0; k < rank; k++)
            p->gram[j * lanes + k] = problem->gram[j * lanes + k] * p->scale[j][0] * p->scale[k][0];
    p->batch->gram = p->gram;
    return SCANT_OK;
}

static void scale_own(pivot *p, const size_t *row, size_t n)
{
    scant_i_batch *b = p->batch;
    size_t rank = p->problem->rank;
    scant_i_batch_own(b, p->problem, row, n);
    for (size_t j = 0; j < rank; j++)
        for (size_t l = 0; l < SCANT_I_BATCH; l++)
            p->scale[j][l] = unit_of(b->own[j * rank + j][l]);
    for (size_t j = 0; j < rank; j++)
        for (size_t k = 0; k < rank; k++)
            b->own[j * rank + k] *= p->scale[j] * p->scale[k];
}

/* --- groups --- */

/* A set of up to 64 unknowns is its own key; larger ones are folded, and sets that then share a
 * key are still told apart where factors are reused. */
static uint64_t key_of(const uint64_t *set, size_t words)
{
    uint64_t key = 0;
    for (size_t w = 0; w < words; w++)
        key = (key << 17 | key >> (WORD - 17)) ^ set[w];
    return key;
}

static void sort_by_digit(pivot *p, size_t shift)
{
    size_t start[DIGITS + 1] = {0};
    for (size_t k = 0; k < p->npending; k++)
        start[(p->key[p->pending[k]] >> shift) % DIGITS + 1]++;
    for (size_t d = 0; d < DIGITS; d++)
        start[d + 1] += start[d];
    for (size_t k = 0; k < p->npending; k++)
        p->spare[start[(p->key[p->pending[k]] >> shift) % DIGITS]++] = p->pending[k];
    size_t *sorted = p->spare;
    p->spare = p->pending;
    p->pending = sorted;
}

static uint64_t size_of(const uint64_t *set, size_t words)
{
    uint64_t size = 0;
    for (size_t w = 0; w < words; w++)
        size += (uint64_t)__builtin_popcountll(set[w]);
    return size;
}

/* Stable: what was in some order before stays so among equal keys. */
static void sort_by(pivot *p, uint64_t (*key)(const uint64_t *set, size_t words))
{
    uint64_t common = ~(uint64_t)0, any = 0;
    for (size_t k = 0; k < p->npending; k++) {
        size_t row = p->pending[k];
        p->key[row] = key(p->passive + row * p->words, p->words);
        common &= p->key[row];
        any |= p->key[row];
    }
    for (size_t shift = 0; shift < WORD; shift += DIGIT)
        if ((common ^ any) >> shift & (DIGITS - 1)) /* the digit is not the same in all */
            sort_by_digit(p, shift);
}

/* Equal sets next to each other, and those of like size, which eight rows' systems are best of. */
static void group(pivot *p)
{
    sort_by(p, key_of);
    sort_by(p, size_of);
}

/* --- eight rows --- */

/* Factors for these rows' sets, unless the last eight rows had the same. */
static void factor(pivot *p, const size_t *row, size_t n)
{
    size_t bytes = p->words * sizeof *p->passive;
    bool same = p->has_factors && p->gram != NULL;
    const uint64_t *set[SCANT_I_BATCH];
    for (size_t l = 0; l < n; l++) {
        uint64_t *old = p->factored + l * p->words;
        set[l] = p->passive + row[l] * p->words;
        same = same && memcmp(old, set[l], bytes) == 0;
        memcpy(old, set[l], bytes);
    }
    if (same)
        return;
    if (!p->gram)
        scale_own(p, row, n);
    scant_i_batch_list(p->batch, set, n);
    scant_i_batch_factor(p->batch);
    p->has_factors = n == SCANT_I_BATCH;
}

static void solve_lanes(pivot *p, const size_t *row, size_t n)
{
    scant_i_batch *b = p->batch;
    factor(p, row, n);
    scant_i_batch_gather(b->b, p->problem->cross, p->problem->lanes, row, n, b->rank);
    for (size_t j = 0; j < b->rank; j++)
        b->b[j] *= p->scale[j];
    scant_i_batch_solve(b);
    scant_i_batch_gradient(b);
}

/* Takes a lane out of the batch. */
static void take_lane(pivot *p, size_t l)
{
    const scant_i_batch *b = p->batch;
    for (size_t j = 0; j < b->rank; j++) {
        p->z[j] = b->x[j][l];
        p->y[j] = b->y[j][l];
        p->unit[j] = p->scale[j][l];
    }
}

static void keep_solution(pivot *p, size_t row)
{
    double *x = p->problem->x + row * p->problem->lanes;
    for (size_t j = 0; j < p->problem->rank; j++)
        x[j] = fmax(p->z[j], 0) * p->unit[j];
}

/* --- the two rules --- */

static bool breaks_sign(const pivot *p, size_t row, size_t j, double tolerance)
{
    return (is_passive(p, row, j) ? p->z[j] : p->y[j]) < -tolerance;
}

/* The unknowns that break their sign, as a set; how many, and the last of them. */
static uint32_t broken_set(pivot *p, size_t row, double tolerance, size_t *last)
{
    uint32_t count = 0;
    for (size_t w = 0; w < p->words; w++) {
        size_t first = w * WORD, n = scant_i_min(WORD, p->problem->rank - first);
        uint64_t passive = p->passive[row * p->words + w], broken = 0;
        for (size_t j = 0; j < n; j++) {
            double judged = passive >> j & 1 ? p->z[first + j] : p->y[first + j];
            broken |= (uint64_t)(judged < -tolerance) << j;
        }
        p->broken[w] = broken;
        count += (uint32_t)__builtin_popcountll(broken);
        if (broken)
            *last = first + WORD - 1 - (size_t)__builtin_clzll(broken);
    }
    return count;
}

static void exchange_blocks(pivot *p, size_t row, double tolerance)
{
    size_t last = 0;
    uint32_t broken = broken_set(p, row, tolerance, &last);
    bool fewer = broken < p->fewest[row], only_last = !fewer && p->patience[row] == 0;
    p->patience[row] = fewer ? PATIENCE : p->patience[row] - !only_last;
    if (fewer)
        p->fewest[row] = broken;
    if (only_last)
        flip(p, row, last);
    else
        for (size_t w = 0; w < p->words; w++)
            p->passive[row * p->words + w] ^= p->broken[w];
}

/* The share of the way from x to z at which an unknown that goes below 0 meets it. */
static double meets_zero(double x, double z)
{
    return x / (x - z);
}

/* x moves towards z until an unknown reaches 0; those at 0 leave. */
static void move(pivot *p, size_t row, double tolerance)
{
    double *x = p->problem->x + row * p->problem->lanes, step = 1;
    size_t rank = p->problem->rank;
    for (size_t j = 0; j < rank; j++)
        if (is_passive(p, row, j) && p->z[j] < -tolerance)
            step = fmin(step, meets_zero(x[j], p->z[j] * p->unit[j]));
    for (size_t j = 0; j < rank; j++) {
        if (!is_passive(p, row, j))
            continue;
        double z = p->z[j] * p->unit[j];
        bool leaves = p->z[j] < -tolerance && meets_zero(x[j], z) <= step;
        x[j] = leaves ? 0 : fmax(x[j] + step * (z - x[j]), 0);
        if (leaves)
            flip(p, row, j);
    }
}

static void exchange_one(pivot *p, size_t row, double tolerance)
{
    size_t rank = p->problem->rank, steepest = rank;
    bool feasible = true;
    for (size_t j = 0; j < rank; j++) {
        bool broken = breaks_sign(p, row, j, tolerance);
        if (is_passive(p, row, j))
            feasible = feasible && !broken;
        else if (broken && (steepest == rank || p->y[j] < p->y[steepest]))
            steepest = j;
    }
    if (!feasible) {
        move(p, row, tolerance);
        return;
    }
    keep_solution(p, row);
    flip(p, row, steepest);
}

/* --- all rows --- */

/* Rows that are solved get their x; the others another set, and stay pending. */
static size_t settle(pivot *p, rule exchange, const size_t *row, size_t n, size_t left)
{
    scant_i_batch *b = p->batch;
    scant_i_vector8 tolerance, broken;
    size_t solved[SCANT_I_BATCH];
    scant_i_batch_broken(&broken, &tolerance, b);
    for (size_t l = 0; l < n; l++) {
        solved[l] = broken[l] == 0 ? row[l] : SIZE_MAX;
        if (broken[l] == 0)
            continue;
        take_lane(p, l);
        exchange(p, row[l], tolerance[l]);
        p->pending[left++] = row[l];
    }
    scant_i_batch_keep(p->problem->x, p->problem->lanes, solved, n, b, p->scale);
    return left;
}

static void run(pivot *p, rule exchange, size_t rounds)
{
    for (size_t round = 0; round < rounds && p->npending; round++) {
        size_t left = 0;
        group(p);
        p->has_factors = false;
        for (size_t k = 0; k < p->npending; k += SCANT_I_BATCH) {
            size_t row[SCANT_I_BATCH], n = scant_i_min(SCANT_I_BATCH, p->npending - k);
            memcpy(row, p->pending + k, n * sizeof *row);
            solve_lanes(p, row, n);
            left = settle(p, exchange, row, n, left);
        }
        p->npending = left;
    }
}

/* Passive is what the start has above 0. */
static void begin_rows(pivot *p)
{
    const scant_i_nnls *problem = p->problem;
    p->npending = problem->nrows;
    for (size_t i = 0; i < problem->nrows; i++) {
        p->pending[i] = i;
        p->fewest[i] = UINT32_MAX;
        for (size_t j = 0; j < problem->rank; j++)
            p->passive[i * p->words + j / WORD] |=
                (uint64_t)(problem->x[i * problem->lanes + j] > 0) << j % WORD;
    }
}

static scant_status pivot_new(pivot *p, const scant_i_nnls *problem)
{
    scant_status status = SCANT_OK;
    size_t rank = problem->rank, n = problem->nrows;
    *p = (pivot){.problem = problem, .words = (rank + WORD - 1) / WORD};
    SCANT_I_TRY(scant_i_batch_new(&p->batch, problem));
    SCANT_I_TRY(SCANT_I_NEW(&p->scale, rank));
    SCANT_I_TRY(SCANT_I_NEW(&p->passive, n * p->words));
    SCANT_I_TRY(SCANT_I_NEW(&p->broken, p->words));
    SCANT_I_TRY(SCANT_I_NEW(&p->factored, SCANT_I_BATCH * p->words));
    SCANT_I_TRY(SCANT_I_NEW(&p->pending, n));
    SCANT_I_TRY(SCANT_I_NEW(&p->spare, n));
    SCANT_I_TRY(SCANT_I_NEW(&p->key, n));
    SCANT_I_TRY(SCANT_I_NEW(&p->fewest, n));
    SCANT_I_TRY(SCANT_I_NEW(&p->patience, n));
    SCANT_I_TRY(SCANT_I_NEW(&p->z, rank));
    SCANT_I_TRY(SCANT_I_NEW(&p->y, rank));
    SCANT_I_TRY(SCANT_I_NEW(&p->unit, rank));
    if (problem->gram_stride == 0)
        SCANT_I_TRY(scale_common(p));
done:
    return status;
}

/* Exact arithmetic needs no limit; a matrix that is singular to working precision may. */
static size_t round_limit(size_t rank)
{
    return 50 + 10 * rank;
}

/* Rows on which blocks went round in circles start again from nothing, one unknown at a time,
 * where the objective falls with every exchange. */
static void begin_again(pivot *p)
{
    const scant_i_nnls *problem = p->problem;
    for (size_t k = 0; k < p->npending; k++) {
        size_t row = p->pending[k];
        memset(p->passive + row * p->words, 0, p->words * sizeof *p->passive);
        memset(problem->x + row * problem->lanes, 0, problem->rank * sizeof *problem->x);
    }
}

static scant_status solve_by(const scant_i_nnls *problem, rule exchange)
{
    scant_status status = SCANT_OK;
    pivot p;
    SCANT_I_TRY(pivot_new(&p, problem));
    begin_rows(&p);
    run(&p, exchange, round_limit(problem->rank));
    begin_again(&p);
    run(&p, exchange_one, round_limit(problem->rank));
done:
    pivot_free(&p);
    return status;
}

static scant_status solve_blocks(const scant_i_nnls *problem)
{
    return solve_by(problem, exchange_blocks);
}

static scant_status solve_active_set(const scant_i_nnls *problem)
{
    return solve_by(problem, exchange_one);
}

const scant_i_nnls_solver scant_i_nnls_bpp = {"bpp", true, true, solve_blocks};
const scant_i_nnls_solver scant_i_nnls_active_set = {"active-set", true, true, solve_active_set};
