/* Audits of predictors of a number, for figure 6 (learning-without-labels eq. 21, 33).
 *
 * A line of standard input is an experiment:
 *   name n runs seed k theta
 * n numbers y ~ N(0, 1), and of each the predictions theta (y - e), e ~ N(0, 1), of k predictors; the
 * audit knows both normals. A line of output is a predictor of a run:
 *   name run predictor theta low high */
#include <stdio.h>
#include <stdlib.h>
#include <scant/scant.h>

#include "draws.h"

typedef struct experiment {
    size_t name, n, runs, k;
    uint64_t seed;
    double theta;
} experiment;

static int read_experiment(experiment *e)
{
    return scanf("%zu %zu %zu %lu %zu %lf", &e->name, &e->n, &e->runs, &e->seed, &e->k,
                 &e->theta) == 6;
}

/* x[n x k] */
static void make(double *x, const experiment *e, size_t run)
{
    draws d = draws_new(e->seed, e->n, e->k, run);
    for (size_t i = 0; i < e->n; i++) {
        double y = draw_normal(&d);
        for (size_t c = 0; c < e->k; c++)
            x[i * e->k + c] = e->theta * (y - draw_normal(&d));
    }
}

static scant_status run_one(const experiment *e, size_t run, double *x)
{
    const scant_regression_options known = {.size = sizeof known, .sd = 1, .noise = 1, .ci = 0.95};
    scant_regression found = {0};
    scant_rows *rows = NULL;
    make(x, e, run);
    scant_status status = scant_rows_new(&rows, e->n, e->k, x, NULL);
    if (status == SCANT_OK)
        status = scant_audit_regression(&found, rows, &known);
    for (size_t c = 0; status == SCANT_OK && c < e->k; c++) {
        const scant_estimate *theta = &found.predictor[c].theta;
        printf("%zu %zu %zu %.17g %.17g %.17g\n", e->name, run, c, theta->value, theta->low,
               theta->high);
    }
    scant_regression_clear(&found);
    scant_rows_free(rows);
    return status;
}

int main(void)
{
    experiment e;
    scant_status status = SCANT_OK;
    while (status == SCANT_OK && read_experiment(&e)) {
        double *x = calloc(e.n * e.k, sizeof *x);
        status = x ? SCANT_OK : SCANT_ERR_MEMORY;
        for (size_t run = 0; status == SCANT_OK && run < e.runs; run++)
            status = run_one(&e, run, x);
        free(x);
    }
    if (status != SCANT_OK)
        fprintf(stderr, "%s\n", scant_message());
    return status != SCANT_OK;
}
