/* Solvers that go a step towards the solution, eight rows at a time.
 *
 *   als   x = max(0, G^-1 b): least squares cut off at zero (Andersson and Bro). May overshoot:
 *         the objective can rise.
 *   mu    x_j <- x_j b_j / (G x)_j (Lee and Seung). What is 0 stays 0.
 *   hals  x_j <- max(0, x_j - (G x - b)_j / G_jj), j in turn, SWEEPS times (Cichocki and Phan).
 *
 * Cost for a row: rank^2 multiply-adds a sweep. */
#include "solve/batch.h"
#include "solve/kernels.h"

enum { WIDE = SCANT_I_WIDE };

/* Rows i .. i + n - 1 of `rows`, or back: row i + t in lane t of `wide`. */
static void turn(scant_i_vector8 *wide, double *rows, const scant_i_nnls *problem, size_t i,
                 size_t n, bool back)
{
    double *flat = (double *)wide;
    for (size_t t = 0; t < n; t++)
        for (size_t j = 0; j < problem->rank; j++) {
            double *one = rows + (i + t) * problem->lanes + j;
            double *lane = flat + j * WIDE * SCANT_I_BATCH + t;
            if (back)
                *one = *lane;
            else
                *lane = *one;
        }
}

static scant_status descend_wide(const scant_i_nnls *problem)
{
    scant_status status = SCANT_OK;
    scant_i_vector8 *x = NULL, *b = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&x, problem->rank * WIDE));
    SCANT_I_TRY(SCANT_I_NEW(&b, problem->rank * WIDE));
    for (size_t i = 0; i < problem->nrows; i += WIDE * SCANT_I_BATCH) {
        size_t n = scant_i_min(WIDE * SCANT_I_BATCH, problem->nrows - i);
        turn(x, problem->x, problem, i, n, false);
        turn(b, (double *)(uintptr_t)problem->cross, problem, i, n, false);
        scant_i_solve_kernels_now()->step_hals_wide(x, b, problem);
        turn(x, problem->x, problem, i, n, true);
    }
done:
    scant_i_free(x);
    scant_i_free(b);
    return status;
}

/* `factored`: the step wants the matrix factored. */
static scant_status descend(const scant_i_nnls *problem, void (*step)(scant_i_batch *),
                            bool factored)
{
    scant_i_batch *b = NULL;
    scant_status status = scant_i_batch_new(&b, problem);
    if (status != SCANT_OK)
        return status;
    scant_i_batch_list_all(b);
    for (size_t j = 0; j < b->rank; j++)
        b->in[j] = 1 - (scant_i_vector8){0};
    for (size_t i = 0; i < problem->nrows; i += SCANT_I_BATCH) {
        size_t row[SCANT_I_BATCH], n = scant_i_min(SCANT_I_BATCH, problem->nrows - i);
        for (size_t l = 0; l < n; l++)
            row[l] = i + l;
        if (problem->gram_stride)
            scant_i_batch_own(b, problem, row, n);
        if (factored && (i == 0 || problem->gram_stride))
            scant_i_batch_factor(b);
        scant_i_batch_gather(b->b, problem->cross, problem->lanes, row, n, b->rank);
        scant_i_batch_gather(b->x, problem->x, problem->lanes, row, n, b->rank);
        step(b);
        scant_i_batch_scatter(problem->x, problem->lanes, row, n, b->x, b->rank);
    }
    scant_i_batch_free(b);
    return SCANT_OK;
}

static scant_status solve_als(const scant_i_nnls *problem)
{
    return descend(problem, scant_i_solve_kernels_now()->step_als, true);
}

static scant_status solve_mu(const scant_i_nnls *problem)
{
    return descend(problem, scant_i_solve_kernels_now()->step_mu, false);
}

static scant_status solve_hals(const scant_i_nnls *problem)
{
    return problem->gram_stride ? descend(problem, scant_i_solve_kernels_now()->step_hals, false)
                                : descend_wide(problem);
}

const scant_i_nnls_solver scant_i_nnls_als = {"als", false, false, solve_als};
const scant_i_nnls_solver scant_i_nnls_mu = {"mu", false, true, solve_mu};
const scant_i_nnls_solver scant_i_nnls_hals = {"hals", false, true, solve_hals};
