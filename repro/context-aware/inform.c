#include "inform.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { COMPONENTS_MAX = 8 };

/* One row: log c_j, and the derivatives, of all components. */
typedef struct row_terms {
    double log_c[COMPONENTS_MAX];
    double score[COMPONENTS_MAX][PARAMETERS_MAX];
    double hessian[COMPONENTS_MAX][PARAMETERS_MAX * PARAMETERS_MAX];
} row_terms;

/* log sum_j c_j; log_c becomes r */
static double normalise(double *log_c, size_t n)
{
    double top = -INFINITY, sum = 0;
    for (size_t j = 0; j < n; j++)
        top = fmax(top, log_c[j]);
    for (size_t j = 0; j < n; j++)
        sum += log_c[j] = exp(log_c[j] - top);
    for (size_t j = 0; j < n; j++)
        log_c[j] /= sum;
    return top + log(sum);
}

static void add_row(information *out, const row_terms *terms, const double *r, size_t ncomponents)
{
    size_t p = out->nparameters;
    double mean[PARAMETERS_MAX] = {0};
    for (size_t j = 0; j < ncomponents; j++)
        for (size_t a = 0; a < p && r[j] > 0; a++)
            mean[a] += r[j] * terms->score[j][a];
    for (size_t j = 0; j < ncomponents; j++) {
        double off[PARAMETERS_MAX];
        for (size_t a = 0; a < p; a++)
            off[a] = terms->score[j][a] - mean[a];
        for (size_t a = 0; a < p && r[j] > 0; a++)
            for (size_t b = 0; b < p; b++) {
                out->complete[a * p + b] -= r[j] * terms->hessian[j][a * p + b];
                out->missing[a * p + b] += r[j] * off[a] * off[b];
            }
    }
    for (size_t a = 0; a < p; a++)
        out->score[a] += mean[a];
}

void inform(information *out, const inform_source *source)
{
    size_t p = source->nparameters, M = source->ncomponents;
    row_terms terms;
    memset(out, 0, sizeof *out);
    out->nparameters = p;
    for (size_t i = 0; i < source->nrows; i++) {
        for (size_t j = 0; j < M; j++) {
            memset(terms.score[j], 0, p * sizeof *terms.score[j]);
            memset(terms.hessian[j], 0, p * p * sizeof *terms.hessian[j]);
            terms.log_c[j] =
                source->complete(terms.score[j], terms.hessian[j], i, j, source->payload);
        }
        out->loglik += normalise(terms.log_c, M);
        add_row(out, &terms, terms.log_c, M);
    }
}

bool inform_errors(double *errors, const information *info)
{
    size_t p = info->nparameters;
    lapack_int n = (lapack_int)p;
    double observed[PARAMETERS_MAX * PARAMETERS_MAX];
    for (size_t a = 0; a < p * p; a++)
        observed[a] = info->complete[a] - info->missing[a];
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'U', n, observed, n) != 0 ||
        LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'U', n, observed, n) != 0)
        return false;
    for (size_t a = 0; a < p; a++)
        errors[a] = sqrt(observed[a * p + a]);
    return true;
}

bool inform_rate(double *rate, const information *info)
{
    size_t p = info->nparameters;
    lapack_int n = (lapack_int)p;
    double missing[PARAMETERS_MAX * PARAMETERS_MAX], complete[PARAMETERS_MAX * PARAMETERS_MAX],
        share[PARAMETERS_MAX];
    memcpy(missing, info->missing, p * p * sizeof *missing);
    memcpy(complete, info->complete, p * p * sizeof *complete);
    /* missing v = share complete v, shares in rising order */
    if (LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'N', 'U', n, missing, n, complete, n, share) != 0)
        return false;
    *rate = share[p - 1];
    return true;
}

bool inform_step(double *step, const information *info)
{
    size_t p = info->nparameters;
    lapack_int n = (lapack_int)p;
    double complete[PARAMETERS_MAX * PARAMETERS_MAX];
    memcpy(complete, info->complete, p * p * sizeof *complete);
    memcpy(step, info->score, p * sizeof *step);
    return LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', n, 1, complete, n, step, 1) == 0;
}
