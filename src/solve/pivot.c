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

#include <float.h>
#include <math.h>
#include <string.h>

enum { WORD = 64, PATIENCE = 3, DIGIT = 8, DIGITS = 1 << DIGIT };

/* Signs are judged to TOLERANCE of the right-hand side, and to the rounding error of G x. */
static const double TOLERANCE = 1e-12, ROUNDING = 4 * DBL_EPSILON;

typedef struct pivot {
    const scant_i_nnls *problem; /* its x is in the units of `scale` meanwhile */
    scant_i_batch *batch;
    double *gram;           /* rank x lanes, in the units of `scale`; NULL: a matrix a row */
    scant_i_vector8 *scale; /* rank: 1 / sqrt(diagonal), 0 where that is 0 */
    size_t words;
    uint64_t *passive;  /* nrows x words */
    uint64_t *factored; /* SCANT_I_BATCH x words: sets of the factors at hand */
    bool has_factors;
    size_t *pending, *spare; /* rows not yet solved, in the order of `key` */
    uint64_t *key;           /* nrows: rows with equal sets have equal keys */
    size_t npending;
    uint32_t *fewest, *patience; /* of the block rule: nrows each */
    double *z, *y;               /* rank: one lane of the batch */
} pivot;

/* Changes a row's set; true: the row is solved and its x in place. */
typedef bool (*rule)(pivot *p, size_t row, double tolerance);

static void pivot_free(pivot *p)
{
    scant_i_batch_free(p->batch);
    void *blocks[] = {p->gram, p->scale,  p->passive,  p->factored, p->pending, p->spare,
                      p->key,  p->fewest, p->patience, p->z,        p->y};
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

static const double *gram_of(const scant_i_nnls *problem, size_t row)
{
    return problem->gram + row * problem->gram_stride;
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

/* x into the units of `scale`, or back. */
static void change_units(const pivot *p, bool back)
{
    const scant_i_nnls *problem = p->problem;
    for (size_t i = 0; i < problem->nrows; i++)
        for (size_t j = 0; j < problem->rank; j++) {
            double diagonal = gram_of(problem, i)[j * problem->lanes + j];
            problem->x[i * problem->lanes + j] *= back ? unit_of(diagonal) : sqrt(diagonal);
        }
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

static void group(pivot *p)
{
    uint64_t common = ~(uint64_t)0, any = 0;
    for (size_t k = 0; k < p->npending; k++) {
        size_t row = p->pending[k];
        p->key[row] = key_of(p->passive + row * p->words, p->words);
        common &= p->key[row];
        any |= p->key[row];
    }
    for (size_t shift = 0; shift < WORD; shift += DIGIT)
        if ((common ^ any) >> shift % WORD & (DIGITS - 1)) /* the digit is not the same in all */
            sort_by_digit(p, shift);
}

/* --- eight rows --- */

static void list_unknowns(pivot *p, const size_t *row, size_t n)
{
    scant_i_batch *b = p->batch;
    b->nlist = 0;
    memset(b->in, 0, b->rank * sizeof *b->in);
    for (size_t j = 0; j < b->rank; j++) {
        bool any = false;
        for (size_t l = 0; l < n; l++) {
            bool in = is_passive(p, row[l], j);
            b->in[j][l] = in;
            any = any || in;
        }
        if (any)
            b->list[b->nlist++] = j;
    }
}

/* Factors for these rows' sets, unless the last eight rows had the same. */
static void factor(pivot *p, const size_t *row, size_t n)
{
    size_t bytes = p->words * sizeof *p->passive;
    bool same = p->has_factors && p->gram != NULL;
    for (size_t l = 0; l < n; l++) {
        uint64_t *old = p->factored + l * p->words;
        const uint64_t *new = p->passive + row[l] * p->words;
        same = same && memcmp(old, new, bytes) == 0;
        memcpy(old, new, bytes);
    }
    if (same)
        return;
    if (!p->gram)
        scale_own(p, row, n);
    list_unknowns(p, row, n);
    scant_i_batch_factor(p->batch, ROUNDING * (double)p->batch->rank);
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

/* Takes a lane out of the batch, and returns the size below which a sign means nothing. */
static double take_lane(pivot *p, size_t l)
{
    const scant_i_batch *b = p->batch;
    double largest = 0, sum = 0;
    for (size_t j = 0; j < b->rank; j++) {
        p->z[j] = b->x[j][l];
        p->y[j] = b->y[j][l];
        largest = fmax(largest, fabs(b->b[j][l]));
        sum += fabs(p->z[j]);
    }
    return TOLERANCE * largest + ROUNDING * sum;
}

static void keep_solution(pivot *p, size_t row)
{
    double *x = p->problem->x + row * p->problem->lanes;
    for (size_t j = 0; j < p->problem->rank; j++)
        x[j] = fmax(p->z[j], 0);
}

/* --- the two rules --- */

static bool breaks_sign(const pivot *p, size_t row, size_t j, double tolerance)
{
    return (is_passive(p, row, j) ? p->z[j] : p->y[j]) < -tolerance;
}

static bool exchange_blocks(pivot *p, size_t row, double tolerance)
{
    size_t rank = p->problem->rank, last = rank;
    uint32_t broken = 0;
    for (size_t j = 0; j < rank; j++)
        if (breaks_sign(p, row, j, tolerance)) {
            broken++;
            last = j;
        }
    if (broken == 0) {
        keep_solution(p, row);
        return true;
    }
    bool fewer = broken < p->fewest[row], only_last = !fewer && p->patience[row] == 0;
    p->patience[row] = fewer ? PATIENCE : p->patience[row] - !only_last;
    if (fewer)
        p->fewest[row] = broken;
    for (size_t j = only_last ? last : 0; j < rank; j++)
        if (breaks_sign(p, row, j, tolerance))
            flip(p, row, j);
    return false;
}

/* x moves towards z until an unknown reaches 0; those at 0 leave. */
static void move(pivot *p, size_t row, double tolerance)
{
    double *x = p->problem->x + row * p->problem->lanes, step = 1;
    size_t rank = p->problem->rank;
    for (size_t j = 0; j < rank; j++)
        if (is_passive(p, row, j) && p->z[j] < -tolerance)
            step = fmin(step, x[j] / (x[j] - p->z[j]));
    for (size_t j = 0; j < rank; j++) {
        if (!is_passive(p, row, j))
            continue;
        bool leaves = p->z[j] < -tolerance && x[j] / (x[j] - p->z[j]) <= step;
        x[j] = leaves ? 0 : fmax(x[j] + step * (p->z[j] - x[j]), 0);
        if (leaves)
            flip(p, row, j);
    }
}

static bool exchange_one(pivot *p, size_t row, double tolerance)
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
        return false;
    }
    keep_solution(p, row);
    if (steepest == rank)
        return true;
    flip(p, row, steepest);
    return false;
}

/* --- all rows --- */

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
            for (size_t l = 0; l < n; l++)
                if (!exchange(p, row[l], take_lane(p, l)))
                    p->pending[left++] = row[l];
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
            if (problem->x[i * problem->lanes + j] > 0)
                flip(p, i, j);
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
    SCANT_I_TRY(SCANT_I_NEW(&p->factored, SCANT_I_BATCH * p->words));
    SCANT_I_TRY(SCANT_I_NEW(&p->pending, n));
    SCANT_I_TRY(SCANT_I_NEW(&p->spare, n));
    SCANT_I_TRY(SCANT_I_NEW(&p->key, n));
    SCANT_I_TRY(SCANT_I_NEW(&p->fewest, n));
    SCANT_I_TRY(SCANT_I_NEW(&p->patience, n));
    SCANT_I_TRY(SCANT_I_NEW(&p->z, rank));
    SCANT_I_TRY(SCANT_I_NEW(&p->y, rank));
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
    change_units(&p, false);
    begin_rows(&p);
    run(&p, exchange, round_limit(problem->rank));
    begin_again(&p);
    run(&p, exchange_one, round_limit(problem->rank));
    change_units(&p, true);
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
