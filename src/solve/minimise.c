/* L-BFGS-B (Zhu, Byrd, Lu and Nocedal; version 3) behind one function. The library hands control
 * back whenever it wants the function, and keeps all it knows in the arrays it is given, so several
 * minimisations may run at once. */
#include "solve/minimise.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CORRECTIONS = 10, TASK = 60, FREE = 0, FROM_BELOW = 1, SILENT = -1 };

/* The library's one entry; Fortran passes everything by address, lengths of texts last. */
void setulb_(const int *n, const int *m, double *x, const double *low, const double *high,
             const int *bounds, double *f, double *g, const double *factr, const double *pgtol,
             double *wa, int *iwa, char *task, const int *iprint, char *csave, int *lsave,
             int *isave, double *dsave, size_t task_length, size_t csave_length);

/* x of the caller and y of the library: y = x, or where a coordinate has a penalty y = u, and its v
 * stands behind all others. */
typedef struct problem {
    const scant_i_minimise_options *options;
    size_t n, ny;
    double *x, *gx;            /* n */
    double *y, *gy, *low, *wa; /* ny, and the library's room */
    int *bounds, *iwa;
} problem;

static bool has_penalty(const problem *p, size_t i)
{
    return p->options->l1 && p->options->l1[i] > 0;
}

static void problem_clear(problem *p)
{
    scant_i_free(p->gx);
    scant_i_free(p->y);
    scant_i_free(p->gy);
    scant_i_free(p->low);
    scant_i_free(p->wa);
    scant_i_free(p->bounds);
    scant_i_free(p->iwa);
}

static scant_status problem_new(problem *p)
{
    scant_status status = SCANT_OK;
    const size_t m = CORRECTIONS;
    p->ny = p->n;
    for (size_t i = 0; i < p->n; i++)
        p->ny += has_penalty(p, i);
    if (p->ny > INT32_MAX / (2 * CORRECTIONS + 5))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "%zu coordinates are too many to minimise over",
                            p->n);
    SCANT_I_TRY(SCANT_I_NEW(&p->gx, p->n));
    SCANT_I_TRY(SCANT_I_NEW(&p->y, p->ny));
    SCANT_I_TRY(SCANT_I_NEW(&p->gy, p->ny));
    SCANT_I_TRY(SCANT_I_NEW(&p->low, p->ny));
    SCANT_I_TRY(SCANT_I_NEW(&p->bounds, p->ny));
    SCANT_I_TRY(SCANT_I_NEW(&p->wa, (2 * m + 5) * p->ny + 11 * m * m + 8 * m));
    SCANT_I_TRY(SCANT_I_NEW(&p->iwa, 3 * p->ny));
    for (size_t i = 0, v = p->n; i < p->n; i++) {
        p->y[i] = p->x[i];
        if (has_penalty(p, i)) {
            p->bounds[i] = p->bounds[v] = FROM_BELOW;
            p->y[i] = fmax(p->x[i], 0);
            p->y[v++] = fmax(-p->x[i], 0);
        }
    }
done:
    return status;
}

static void to_caller(problem *p)
{
    for (size_t i = 0, v = p->n; i < p->n; i++)
        p->x[i] = has_penalty(p, i) ? p->y[i] - p->y[v++] : p->y[i];
}

static scant_status evaluate(problem *p, double *value, scant_i_objective objective, void *payload)
{
    to_caller(p);
    scant_status status = objective(value, p->gx, p->x, payload);
    for (size_t i = 0, v = p->n; i < p->n && status == SCANT_OK; i++) {
        p->gy[i] = p->gx[i];
        if (has_penalty(p, i)) {
            double l1 = p->options->l1[i];
            *value += l1 * (p->y[i] + p->y[v]);
            p->gy[i] = l1 + p->gx[i];
            p->gy[v++] = l1 - p->gx[i];
        }
    }
    return status;
}

static bool starts_with(const char *task, const char *word)
{
    return strncmp(task, word, strlen(word)) == 0;
}

scant_status scant_i_minimise(scant_i_minimum *out, double *x, size_t n,
                              const scant_i_minimise_options *options, scant_i_objective objective,
                              void *payload)
{
    const int m = CORRECTIONS, quiet = SILENT;
    const double factr = options->tol / DBL_EPSILON, no_gradient_test = 0;
    problem p = {.options = options, .n = n, .x = x};
    char task[TASK], csave[TASK];
    int lsave[4] = {0}, isave[44] = {0};
    double dsave[29] = {0};
    scant_status status = SCANT_OK;
    *out = (scant_i_minimum){.value = INFINITY};
    memset(task, ' ', sizeof task);
    memset(csave, ' ', sizeof csave);
    memcpy(task, "START", strlen("START"));
    SCANT_I_TRY(problem_new(&p));
    const int ny = (int)p.ny;
    for (;;) {
        setulb_(&ny, &m, p.y, p.low, p.low, p.bounds, &out->value, p.gy, &factr, &no_gradient_test,
                p.wa, p.iwa, task, &quiet, csave, lsave, isave, dsave, TASK, TASK);
        if (starts_with(task, "FG")) {
            SCANT_I_TRY(evaluate(&p, &out->value, objective, payload));
        } else if (starts_with(task, "NEW_X")) {
            out->iterations++;
            if (out->iterations >= options->max_iter ||
                (options->enough && options->enough(out->iterations, out->value, payload)))
                break;
        } else {
            /* ABNORMAL: no lower point along the line, which is as low as rounding lets it get */
            out->converged = starts_with(task, "CONV") || starts_with(task, "ABNO");
            break;
        }
    }
    to_caller(&p);
done:
    problem_clear(&p);
    return status;
}
