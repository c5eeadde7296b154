#include "solve/nnls.h"

#include <string.h>

#include "math/linear.h"
#include "solve/batch.h"
#include "solve/kernels.h"

/* Rows a task takes: enough of them to share passive sets, few enough to keep all threads busy. */
enum { LEAST_ROWS = 64, MOST_ROWS = 2048, TASKS = 16 };

enum { MEASURED_ROWS = 48 }; /* at once: their gradients fit the first-level cache */

static const scant_i_nnls_solver *const solvers[] = {&scant_i_nnls_bpp, &scant_i_nnls_active_set,
                                                     &scant_i_nnls_als, &scant_i_nnls_mu,
                                                     &scant_i_nnls_hals};

const scant_i_nnls_solver *scant_i_nnls_find(const char *name)
{
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++)
        if (strcmp(solvers[k]->name, name) == 0)
            return solvers[k];
    return NULL;
}

typedef struct work {
    const scant_i_nnls *problem;
    const scant_i_nnls_solver *solver;
    size_t chunk;
    double *squared; /* a sum a chunk */
} work;

static scant_i_nnls part(const work *w, size_t task)
{
    scant_i_nnls p = *w->problem;
    size_t first = task * w->chunk;
    p.nrows = scant_i_min(w->chunk, p.nrows - first);
    p.gram += first * p.gram_stride;
    p.cross += first * p.lanes;
    p.x += first * p.lanes;
    return p;
}

static work cut(const scant_i_nnls *problem, const scant_i_nnls_solver *solver)
{
    size_t even = scant_i_round_up(problem->nrows / TASKS + 1, SCANT_I_BATCH);
    return (work){problem, solver, scant_i_min(MOST_ROWS, scant_i_max(LEAST_ROWS, even)), NULL};
}

static size_t chunks(const work *w)
{
    return (w->problem->nrows + w->chunk - 1) / w->chunk;
}

static scant_status solve_chunk(size_t task, size_t worker, void *payload)
{
    (void)worker;
    const work *w = payload;
    scant_i_nnls p = part(w, task);
    return w->solver->solve(&p);
}

scant_status scant_i_nnls_solve(const scant_i_nnls *problem, const scant_i_nnls_solver *solver,
                                size_t threads)
{
    work w = cut(problem, solver);
    return scant_i_parallel(threads, chunks(&w), solve_chunk, &w);
}

/* --- how far from a solution --- */

static scant_status measure_chunk(size_t task, size_t worker, void *payload)
{
    (void)worker;
    const work *w = payload;
    scant_i_nnls p = part(w, task);
    double *y = NULL; /* gradients of a few rows, which one product makes where they share G */
    scant_status status = SCANT_I_NEW(&y, MEASURED_ROWS * p.lanes);
    if (status != SCANT_OK)
        return status;
    size_t together = p.gram_stride ? 1 : MEASURED_ROWS;
    for (size_t i = 0; i < p.nrows; i += together) {
        size_t n = scant_i_min(together, p.nrows - i);
        for (size_t t = 0; t < n * p.lanes; t++)
            y[t] = -p.cross[i * p.lanes + t];
        scant_i_product_transposed(y, p.x + i * p.lanes, p.lanes, p.gram + i * p.gram_stride,
                                   p.rank, n, p.lanes);
        w->squared[task] +=
            scant_i_solve_kernels_now()->projected(p.x + i * p.lanes, y, n * p.lanes);
    }
    scant_i_free(y);
    return SCANT_OK;
}

scant_status scant_i_nnls_residual(double *squared, const scant_i_nnls *problem, size_t threads)
{
    scant_status status = SCANT_OK;
    work w = cut(problem, NULL);
    *squared = 0;
    SCANT_I_TRY(SCANT_I_NEW(&w.squared, chunks(&w)));
    SCANT_I_TRY(scant_i_parallel(threads, chunks(&w), measure_chunk, &w));
    for (size_t k = 0; k < chunks(&w); k++)
        *squared += w.squared[k];
done:
    scant_i_free(w.squared);
    return status;
}
