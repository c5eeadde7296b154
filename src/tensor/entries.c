/* Objectives that look at entries one by one, each mode from a tree of fibres of its own.
 *
 * With w_e the product of the other factors' rows at entry e, for row i of a mode:
 *
 *   observed cells  G_i = sum_e w_e w_e', b_i = sum_e x_e w_e: a least squares problem with a
 *                   matrix of its own. Cells that are missing are in no sum.
 *   divergence      sum x log(x / y) - x + y, y the model, falls under
 *                   A[i,q] <- A[i,q] (sum_e x_e / y_e w_eq) / (sum of w_q), where the last sum is
 *                   over observed cells, or over all: then it is a product of column sums.
 *
 * Cost of a round: order entries rank^2 and 2 order entries rank multiply-adds. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "math/linear.h"
#include "tensor/fibres.h"
#include "tensor/objective.h"

enum {
    BLOCK = 64, /* entries taken at once */
    ROWS = 8,   /* rows of a mode a task works on */
    LANES = 8
};
static const double TINY = 1e-300; /* what a model that is 0 is divided by */
/* A component of which so much less is left than of the largest has vanished: quotients of what underflow left would be anything. */
static const double VANISHED = 1e-150;

typedef struct entries {
    scant_i_objective objective;
    size_t order, rank, lanes;
    scant_i_fibres **tree; /* order */
    bool all;              /* cells that are not listed are 0, rather than not observed */
    double cells_total;    /* divergence: sum over entries of x log x - x */
} entries;

typedef struct call {
    entries *e;
    scant_i_kruskal *k;
    size_t mode;
    const double *sums;  /* rank: what w_q sums to over all cells; NULL: over observed ones */
    double *squared;     /* a task's projected gradient, */
    double *cross;       /* the square of what it is measured by, */
    double *loss, *rssr; /* and sums of losses */
    double *M;
} call;

static void entries_free(scant_i_objective *o)
{
    entries *e = (entries *)o;
    for (size_t m = 0; e->tree && m < e->order; m++)
        scant_i_fibres_free(e->tree[m]);
    scant_i_free(e->tree);
    scant_i_free(e);
}

static void entries_renew(scant_i_objective *o, const scant_i_kruskal *k)
{
    (void)o;
    (void)k;
}

static size_t tasks_of(const scant_i_fibres *f)
{
    return (f->count[0] + ROWS - 1) / ROWS;
}

/* W'v, and W'W where `gram` is not NULL; both are added to. */
static void accumulate(double *cross, double *gram, const double *W, const double *v, size_t n,
                       const entries *e)
{
    for (size_t t = 0; t < n; t++)
        for (size_t q = 0; q < e->lanes; q++)
            cross[q] += v[t] * W[t * e->lanes + q];
    if (gram)
        scant_i_product(gram, W, e->lanes, W, e->rank, n, e->lanes);
}

/* --- least squares over observed cells --- */

typedef struct rows {
    scant_i_cursor cursor;
    double *W, *gram, *cross, *x, *model;
} rows;

static void rows_free(rows *r)
{
    scant_i_cursor_free(&r->cursor);
    void *blocks[] = {r->W, r->gram, r->cross, r->x, r->model};
    for (size_t t = 0; t < sizeof blocks / sizeof *blocks; t++)
        scant_i_free(blocks[t]);
}

static scant_status rows_new(rows *r, const call *c)
{
    scant_status status = SCANT_OK;
    const entries *e = c->e;
    *r = (rows){0};
    SCANT_I_TRY(scant_i_cursor_new(&r->cursor, e->tree[c->mode], c->k));
    SCANT_I_TRY(SCANT_I_NEW(&r->W, BLOCK * e->lanes));
    SCANT_I_TRY(SCANT_I_NEW(&r->gram, ROWS * e->rank * e->lanes));
    SCANT_I_TRY(SCANT_I_NEW(&r->cross, ROWS * e->lanes));
    SCANT_I_TRY(SCANT_I_NEW(&r->x, ROWS * e->lanes));
    SCANT_I_TRY(SCANT_I_NEW(&r->model, BLOCK));
done:
    return status;
}

static double *factor_row(const call *c, size_t node)
{
    return c->k->mode[c->mode] + c->e->tree[c->mode]->index[0][node] * c->e->lanes;
}

static scant_status least_squares_task(size_t task, size_t worker, void *payload)
{
    (void)worker;
    scant_status status = SCANT_OK;
    const call *c = payload;
    const entries *e = c->e;
    const scant_i_factoring *how = e->objective.how;
    size_t matrix = e->rank * e->lanes, first = task * ROWS, n = 0;
    size_t last = scant_i_min(first + ROWS, e->tree[c->mode]->count[0]);
    const double *value = NULL;
    rows r;
    SCANT_I_TRY(rows_new(&r, c));
    for (size_t node = first; node < last; node++) {
        double *gram = r.gram + (node - first) * matrix,
               *cross = r.cross + (node - first) * e->lanes;
        scant_i_cursor_begin(&r.cursor, node);
        while ((n = scant_i_cursor_take(&r.cursor, r.W, &value, BLOCK)) > 0)
            accumulate(cross, gram, r.W, value, n, e);
        scant_i_penalise(gram, how, c->k, c->mode);
        memcpy(r.x + (node - first) * e->lanes, factor_row(c, node), e->lanes * sizeof *r.x);
    }
    scant_i_nnls problem = {.rank = e->rank,
                            .lanes = e->lanes,
                            .gram = r.gram,
                            .gram_stride = matrix,
                            .cross = r.cross,
                            .x = r.x,
                            .nrows = last - first};
    SCANT_I_TRY(scant_i_nnls_residual(&c->squared[task], &problem, 1));
    for (size_t t = 0; t < (last - first) * e->lanes; t++)
        c->cross[task] += r.cross[t] * r.cross[t];
    SCANT_I_TRY(scant_i_nnls_solve(&problem, how->solver, 1));
    for (size_t node = first; node < last; node++)
        memcpy(factor_row(c, node), r.x + (node - first) * e->lanes, e->lanes * sizeof *r.x);
done:
    rows_free(&r);
    return status;
}

/* --- multiplicative updates of the divergence --- */

/* The model at n entries of a row. */
static void model_of(double *model, const double *W, const double *row, size_t n, size_t lanes)
{
    for (size_t t = 0; t < n; t++) {
        double sum = 0;
        for (size_t q = 0; q < lanes; q++)
            sum += W[t * lanes + q] * row[q];
        model[t] = sum;
    }
}

static scant_status divergence_task(size_t task, size_t worker, void *payload)
{
    (void)worker;
    scant_status status = SCANT_OK;
    const call *c = payload;
    const entries *e = c->e;
    size_t first = task * ROWS, n = 0;
    size_t last = scant_i_min(first + ROWS, e->tree[c->mode]->count[0]);
    const double *value = NULL;
    rows r;
    SCANT_I_TRY(rows_new(&r, c));
    for (size_t node = first; node < last; node++) {
        double *up = r.cross, *down = r.x, *row = factor_row(c, node);
        memset(up, 0, e->lanes * sizeof *up);
        memset(down, 0, e->lanes * sizeof *down);
        scant_i_cursor_begin(&r.cursor, node);
        while ((n = scant_i_cursor_take(&r.cursor, r.W, &value, BLOCK)) > 0) {
            model_of(r.model, r.W, row, n, e->lanes);
            for (size_t t = 0; t < n; t++) {
                r.model[t] = value[t] / fmax(r.model[t], TINY);
                for (size_t q = 0; q < e->lanes && !c->sums; q++)
                    down[q] += r.W[t * e->lanes + q];
            }
            accumulate(up, NULL, r.W, r.model, n, e);
        }
        const double *sums = c->sums ? c->sums : down;
        double most = 0;
        for (size_t q = 0; q < e->rank; q++)
            most = fmax(most, sums[q]);
        for (size_t q = 0; q < e->rank; q++) {
            double sum = sums[q], gradient = sum - up[q];
            c->squared[task] += row[q] > 0 || gradient < 0 ? gradient * gradient : 0;
            c->cross[task] += sum * sum;
            row[q] = sum > VANISHED * most ? row[q] * up[q] / sum : 0;
        }
    }
done:
    rows_free(&r);
    return status;
}

/* --- goodness --- */

static scant_status evaluate_task(size_t task, size_t worker, void *payload)
{
    (void)worker;
    scant_status status = SCANT_OK;
    const call *c = payload;
    const entries *e = c->e;
    size_t first = task * ROWS, n = 0;
    size_t last = scant_i_min(first + ROWS, e->tree[c->mode]->count[0]);
    const double *value = NULL;
    rows r;
    SCANT_I_TRY(rows_new(&r, c));
    for (size_t node = first; node < last; node++) {
        scant_i_cursor_begin(&r.cursor, node);
        while ((n = scant_i_cursor_take(&r.cursor, r.W, &value, BLOCK)) > 0) {
            model_of(r.model, r.W, factor_row(c, node), n, e->lanes);
            for (size_t t = 0; t < n; t++) {
                double x = value[t], y = r.model[t];
                c->rssr[task] += e->all ? x * x - 2 * x * y : (x - y) * (x - y);
                c->loss[task] += (x > 0 ? -x * log(fmax(y, TINY)) : 0) + (e->all ? 0 : y);
            }
        }
    }
done:
    rows_free(&r);
    return status;
}

static double total(const double *part, size_t n)
{
    double sum = 0;
    for (size_t t = 0; t < n; t++)
        sum += part[t];
    return sum;
}

static scant_status run(call *c, size_t n, scant_i_task task, double **first, double **second)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(first, n));
    SCANT_I_TRY(SCANT_I_NEW(second, n));
    SCANT_I_TRY(scant_i_parallel(c->e->objective.how->threads, n, task, c));
done:
    return status;
}

/* The sum, and the sum of squares, of the model over all cells. */
static scant_status model_totals(double *sum, double *squares, const scant_i_kruskal *k)
{
    *sum = 0;
    for (size_t q = 0; q < k->rank; q++) {
        double part = 1;
        for (size_t m = 0; m < k->order; m++) {
            double column = 0;
            for (size_t i = 0; i < k->size[m]; i++)
                column += k->mode[m][i * k->lanes + q];
            part *= column;
        }
        *sum += part;
    }
    return scant_i_kruskal_squares(squares, k);
}

static scant_status measure(double *squares, double *divergence, scant_i_objective *o,
                            const scant_i_kruskal *k)
{
    scant_status status = SCANT_OK;
    entries *e = (entries *)o;
    /* evaluation changes nothing; the cast lets it share the walk with updates */
    call c = {.e = e, .k = (scant_i_kruskal *)(uintptr_t)k};
    size_t n = tasks_of(e->tree[0]);
    double sum = 0, model = 0;
    SCANT_I_TRY(run(&c, n, evaluate_task, &c.loss, &c.rssr));
    if (e->all)
        SCANT_I_TRY(model_totals(&sum, &model, k));
    *squares = scant_i_clip(total(c.rssr, n) + model);
    *divergence = total(c.loss, n) + sum + e->cells_total;
done:
    scant_i_free(c.loss);
    scant_i_free(c.rssr);
    return status;
}

static scant_status observed_evaluate(scant_i_goodness *out, scant_i_objective *o,
                                      const scant_i_kruskal *k)
{
    double squares, divergence;
    scant_status status = measure(&squares, &divergence, o, k);
    if (status != SCANT_OK)
        return status;
    out->rssr = o->squares > 0 ? squares / o->squares : 0;
    out->loss = squares + scant_i_penalty(o->how, k);
    return SCANT_OK;
}

static scant_status divergence_evaluate(scant_i_goodness *out, scant_i_objective *o,
                                        const scant_i_kruskal *k)
{
    double squares;
    scant_status status = measure(&squares, &out->loss, o, k);
    if (status == SCANT_OK)
        out->rssr = o->squares > 0 ? squares / o->squares : 0;
    return status;
}

/* --- updates --- */

static scant_status update(scant_i_objective *o, scant_i_kruskal *k, size_t mode, double *kkt,
                           scant_i_task task, const double *sums)
{
    scant_status status = SCANT_OK;
    entries *e = (entries *)o;
    call c = {.e = e, .k = k, .mode = mode, .sums = sums};
    size_t n = tasks_of(e->tree[mode]);
    SCANT_I_TRY(run(&c, n, task, &c.squared, &c.cross));
    double cross = total(c.cross, n);
    *kkt = cross > 0 ? sqrt(total(c.squared, n) / cross) : 0;
done:
    scant_i_free(c.squared);
    scant_i_free(c.cross);
    return status;
}

/* Rows of which nothing is observed are in no tree, and 0. */
static void clear_empty(const entries *e, scant_i_kruskal *k, size_t mode)
{
    const scant_i_fibres *f = e->tree[mode];
    for (size_t i = 0, node = 0; i < k->size[mode]; i++) {
        if (node < f->count[0] && f->index[0][node] == i)
            node++;
        else
            memset(k->mode[mode] + i * k->lanes, 0, k->lanes * sizeof(double));
    }
}

static scant_status observed_update(scant_i_objective *o, scant_i_kruskal *k, size_t mode,
                                    double *kkt)
{
    clear_empty((entries *)o, k, mode);
    return update(o, k, mode, kkt, least_squares_task, NULL);
}

static scant_status divergence_update(scant_i_objective *o, scant_i_kruskal *k, size_t mode,
                                      double *kkt)
{
    scant_status status = SCANT_OK;
    double *sums = NULL;
    clear_empty((entries *)o, k, mode);
    if (((entries *)o)->all) {
        SCANT_I_TRY(SCANT_I_NEW(&sums, k->lanes));
        for (size_t q = 0; q < k->rank; q++) {
            sums[q] = 1;
            for (size_t m = 0; m < k->order; m++) {
                double column = 0;
                for (size_t i = 0; i < k->size[m]; i++)
                    column += k->mode[m][i * k->lanes + q];
                sums[q] *= m == mode ? 1 : column;
            }
        }
    }
    SCANT_I_TRY(update(o, k, mode, kkt, divergence_task, sums));
done:
    scant_i_free(sums);
    return status;
}

/* --- products, for starts --- */

static scant_status multiply_task(size_t task, size_t worker, void *payload)
{
    (void)worker;
    scant_status status = SCANT_OK;
    const call *c = payload;
    const entries *e = c->e;
    const scant_i_fibres *f = e->tree[c->mode];
    size_t first = task * ROWS, n = 0;
    const double *value = NULL;
    rows r;
    SCANT_I_TRY(rows_new(&r, c));
    for (size_t node = first; node < scant_i_min(first + ROWS, f->count[0]); node++) {
        scant_i_cursor_begin(&r.cursor, node);
        while ((n = scant_i_cursor_take(&r.cursor, r.W, &value, BLOCK)) > 0)
            accumulate(c->M + f->index[0][node] * e->lanes, NULL, r.W, value, n, e);
    }
done:
    rows_free(&r);
    return status;
}

static scant_status entries_multiply(double *M, scant_i_objective *o, const scant_i_kruskal *k,
                                     size_t mode)
{
    entries *e = (entries *)o;
    call c = {.e = e, .k = (scant_i_kruskal *)(uintptr_t)k, .mode = mode, .M = M};
    memset(M, 0, k->size[mode] * k->lanes * sizeof *M);
    return scant_i_parallel(o->how->threads, tasks_of(e->tree[mode]), multiply_task, &c);
}

static const scant_i_objective_kind observed_kind = {observed_update, observed_evaluate,
                                                     entries_multiply, entries_renew, entries_free};
static const scant_i_objective_kind divergence_kind = {
    divergence_update, divergence_evaluate, entries_multiply, entries_renew, entries_free};

/* --- making --- */

static scant_status entries_new(entries **out, const scant_i_tensor *tensor,
                                const scant_i_factoring *how, size_t rank, bool zeros)
{
    scant_status status = SCANT_OK;
    entries *e = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&e, 1));
    e->objective.how = how;
    e->order = tensor->order;
    e->rank = rank;
    e->lanes = scant_i_round_up(rank, LANES);
    SCANT_I_TRY(SCANT_I_NEW(&e->tree, tensor->order));
    for (size_t m = 0; m < tensor->order; m++)
        SCANT_I_TRY(scant_i_fibres_new(&e->tree[m], tensor, m, zeros));
    const scant_i_fibres *f = e->tree[0];
    for (size_t t = 0; t < f->count[f->order - 1]; t++) {
        double x = f->value[t];
        e->objective.squares += x * x;
        e->cells_total += x > 0 ? x * log(x) - x : 0;
        e->objective.scale += x;
    }
    *out = e;
    e = NULL;
done:
    if (e)
        entries_free(&e->objective);
    return status;
}

scant_status scant_i_objective_observed(scant_i_objective **out, const scant_i_tensor *tensor,
                                        const scant_i_factoring *how, size_t rank)
{
    entries *e = NULL;
    scant_status status = entries_new(&e, tensor, how, rank, true);
    *out = NULL;
    if (status != SCANT_OK)
        return status;
    e->objective.kind = &observed_kind;
    e->objective.scale = e->objective.squares;
    *out = &e->objective;
    return SCANT_OK;
}

scant_status scant_i_objective_divergence(scant_i_objective **out, const scant_i_tensor *tensor,
                                          const scant_i_factoring *how, size_t rank, bool all)
{
    entries *e = NULL;
    scant_status status = entries_new(&e, tensor, how, rank, !all);
    *out = NULL;
    if (status != SCANT_OK)
        return status;
    e->objective.kind = &divergence_kind;
    e->all = all;
    *out = &e->objective;
    return SCANT_OK;
}
