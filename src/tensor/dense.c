/* Dense tensors, by a dimension tree of two halves. With P the product of the first half's sizes
 * and Q that of the others, the tensor is a matrix X of P rows and Q columns, and
 *
 *   Y = X (A_s+1 * ... * A_N)    P x rank   serves the modes 1 .. s,
 *   Z = X' (A_1 * ... * A_s)     Q x rank   serves the modes s+1 .. N,
 *
 * where * multiplies all rows with all rows. From Y or Z a mode's product is a sum over the other
 * modes of its half, which is small. A half stays valid until a factor of the other half changes,
 * so a round over all modes reads the tensor twice, in the order in which it lies there, for any
 * number of modes: 4 P Q rank flop. Rows of * are made a block at a time, in the cache. */
#include <string.h>

#include "math/linear.h"
#include "tensor/kernels.h"
#include "tensor/layout.h"

enum {
    ROWS = 64,       /* of Y a task computes at least */
    COLUMNS = 512,   /* of X that a block has at most */
    FACTORS = 32768, /* doubles that the factors of a block's columns take */
    BLOCK =
        65536, /* doubles of X in a block, unless its rows are long: they stay in the second-level cache */
    DEEP = 32,         /* rows of X added to Z at once: more are too many places to read from */
    WIDE = 512,        /* columns of X a task goes through on the way to Z */
    MOST_PARTS = 16,   /* of the rows that are added to Zs of their own */
    PART_ROWS = 256,   /* the least that a part is worth */
    COLLECT_ROWS = 32, /* of a mode's product a task makes */
};

typedef struct dense {
    scant_i_layout layout;
    const scant_i_tensor *tensor;
    size_t lanes, split;
    size_t count[2]; /* P, Q */
    double *half[2]; /* Y, Z: count x lanes; Z is followed by the parts' own */
    bool valid[2];
    size_t nparts, part_rows;
} dense;

typedef struct call {
    const dense *d;
    const scant_i_kruskal *factors;
    /* of the last step */
    size_t mode, before, after; /* products of the sizes before and after it in its half */
    const double *left, *right; /* products of the factors there */
    const double *half;
    double *M;
} call;

static void dense_free(scant_i_layout *layout)
{
    dense *d = (dense *)layout;
    scant_i_free(d->half[0]);
    scant_i_free(d->half[1]);
    scant_i_free(d);
}

static void dense_touch(scant_i_layout *layout, size_t mode)
{
    dense *d = (dense *)layout;
    d->valid[mode < d->split] = false; /* the other half contains it */
}

/* The block of X, as large as this one, that starts `step` doubles further on, or this one if that goes beyond X. */
static const double *next_block(const dense *d, const double *X, size_t step, size_t rows,
                                size_t columns)
{
    size_t Q = d->count[1], at = (size_t)(X - d->tensor->value) + step;
    return at + (rows - 1) * Q + columns <= d->tensor->nentries ? X + step : X;
}

/* --- X times the second half's factors --- */

/* Columns of X, and so rows of the second half's products, that are worked on at once. */
static size_t block_columns(const dense *d)
{
    size_t most = scant_i_min(COLUMNS, scant_i_max(128, FACTORS / d->lanes));
    return scant_i_min(most, d->count[1]);
}

/* Rows of a task: an even number of tasks, of equal sizes but for the kernel's eight. */
static size_t task_rows(const dense *d)
{
    size_t P = d->count[0], most = scant_i_max(ROWS, BLOCK / block_columns(d));
    size_t tasks = scant_i_round_up((P + most - 1) / most, 2);
    return scant_i_round_up((P + tasks - 1) / tasks, 8);
}

static scant_status rows_task(size_t task, size_t worker, void *payload)
{
    (void)worker;
    const call *c = payload;
    const dense *d = c->d;
    size_t Q = d->count[1], lanes = d->lanes, first = task * task_rows(d);
    size_t n = scant_i_min(task_rows(d), d->count[0] - first), columns = block_columns(d);
    double *Y = d->half[0] + first * lanes, *scratch = NULL;
    if (!(scratch = scant_i_alloc(columns * lanes, sizeof *scratch)))
        return SCANT_ERR_MEMORY;
    memset(Y, 0, n * lanes * sizeof *Y);
    for (size_t j = 0; j < Q; j += columns) {
        size_t wide = scant_i_min(columns, Q - j);
        size_t step = j + wide < Q ? wide : n * Q - j; /* to the columns or the rows that follow */
        const double *X = d->tensor->value + first * Q + j;
        const double *W =
            scant_i_kruskal_rows(c->factors, d->split, c->factors->order, j, wide, scratch);
        scant_i_product_transposed_far(Y, X, Q, W, wide, n, lanes, next_block(d, X, step, n, wide));
    }
    scant_i_free(scratch);
    return SCANT_OK;
}

/* --- X' times the first half's factors --- */

static size_t stripes(const dense *d)
{
    return (d->count[1] + WIDE - 1) / WIDE;
}

static scant_status columns_task(size_t task, size_t worker, void *payload)
{
    (void)worker;
    const call *c = payload;
    const dense *d = c->d;
    size_t Q = d->count[1], lanes = d->lanes;
    size_t part = task / stripes(d), j = task % stripes(d) * WIDE;
    size_t wide = scant_i_min(WIDE, Q - j), end = (part + 1) * d->part_rows;
    double *Z = d->half[1] + (part * Q + j) * lanes, *scratch = NULL;
    if (!(scratch = scant_i_alloc(DEEP * lanes, sizeof *scratch)))
        return SCANT_ERR_MEMORY;
    memset(Z, 0, wide * lanes * sizeof *Z);
    end = scant_i_min(end, d->count[0]);
    for (size_t i = part * d->part_rows; i < end; i += DEEP) {
        size_t deep = scant_i_min(DEEP, end - i);
        const double *W = scant_i_kruskal_rows(c->factors, 0, d->split, i, deep, scratch);
        const double *X = d->tensor->value + i * Q + j;
        scant_i_product_far(Z, X, Q, W, wide, deep, lanes, next_block(d, X, deep * Q, deep, wide));
    }
    scant_i_free(scratch);
    return SCANT_OK;
}

static void add_parts(const dense *d)
{
    size_t n = d->count[1] * d->lanes;
    for (size_t part = 1; part < d->nparts; part++)
        for (size_t t = 0; t < n; t++)
            d->half[1][t] += d->half[1][part * n + t];
}

static scant_status refresh(dense *d, const scant_i_kruskal *factors, size_t half, size_t threads)
{
    call c = {.d = d, .factors = factors};
    scant_status status =
        half == 0 ? scant_i_parallel(threads, (d->count[0] + task_rows(d) - 1) / task_rows(d),
                                     rows_task, &c)
                  : scant_i_parallel(threads, d->nparts * stripes(d), columns_task, &c);
    if (status == SCANT_OK && half == 1)
        add_parts(d);
    d->valid[half] = status == SCANT_OK;
    return status;
}

/* --- a mode's product from its half --- */

static scant_status collect_task(size_t task, size_t worker, void *payload)
{
    (void)worker;
    const call *c = payload;
    size_t first = task * COLLECT_ROWS, n = c->factors->size[c->mode];
    scant_i_collect_operands o = {c->M,      c->half,  c->left,     c->right,
                                  c->before, c->after, c->d->lanes, n};
    scant_i_tensor_kernels_now()->collect(&o, first, scant_i_min(first + COLLECT_ROWS, n));
    return SCANT_OK;
}

static scant_status dense_multiply(double *M, scant_i_layout *layout,
                                   const scant_i_kruskal *factors, size_t mode, size_t threads)
{
    scant_status status = SCANT_OK;
    dense *d = (dense *)layout;
    size_t half = mode >= d->split;
    size_t lo = half ? d->split : 0, hi = half ? factors->order : d->split;
    double *left = NULL, *right = NULL;
    if (!d->valid[half])
        SCANT_I_TRY(refresh(d, factors, half, threads));
    call c = {.d = d, .factors = factors, .mode = mode, .half = d->half[half], .M = M};
    c.before = scant_i_kruskal_count(factors, lo, mode);
    c.after = scant_i_kruskal_count(factors, mode + 1, hi);
    SCANT_I_TRY(SCANT_I_NEW(&left, c.before * d->lanes));
    SCANT_I_TRY(SCANT_I_NEW(&right, c.after * d->lanes));
    c.left = scant_i_kruskal_rows(factors, lo, mode, 0, c.before, left);
    c.right = scant_i_kruskal_rows(factors, mode + 1, hi, 0, c.after, right);
    SCANT_I_TRY(scant_i_parallel(threads, (factors->size[mode] + COLLECT_ROWS - 1) / COLLECT_ROWS,
                                 collect_task, &c));
done:
    scant_i_free(left);
    scant_i_free(right);
    return status;
}

static const scant_i_layout_kind dense_kind = {dense_multiply, dense_touch, dense_free};

/* --- the halves --- */

/* The split that makes Y and Z smallest together. */
static void choose_split(dense *d)
{
    const scant_i_tensor *t = d->tensor;
    size_t left = 1, least = SIZE_MAX;
    for (size_t s = 1; s < t->order; s++) {
        left *= t->size[s - 1];
        size_t right = t->nentries / left;
        if (left + right <= least) {
            least = left + right;
            d->split = s;
            d->count[0] = left;
            d->count[1] = right;
        }
    }
}

/* The parts' own Zs take an eighth of the tensor at most. */
static void choose_parts(dense *d)
{
    size_t P = d->count[0], parts = scant_i_min(MOST_PARTS, P / PART_ROWS);
    parts = scant_i_max(1, scant_i_min(parts, P / (8 * d->lanes)));
    d->part_rows = scant_i_round_up((P + parts - 1) / parts, DEEP);
    d->nparts = (P + d->part_rows - 1) / d->part_rows;
}

scant_status scant_i_layout_dense(scant_i_layout **out, const scant_i_tensor *tensor, size_t lanes)
{
    scant_status status = SCANT_OK;
    dense *d = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&d, 1));
    d->layout.kind = &dense_kind;
    d->tensor = tensor;
    d->lanes = lanes;
    choose_split(d);
    choose_parts(d);
    SCANT_I_TRY(SCANT_I_NEW(&d->half[0], d->count[0] * lanes));
    SCANT_I_TRY(SCANT_I_NEW(&d->half[1], d->nparts * d->count[1] * lanes));
    for (size_t t = 0; t < tensor->nentries; t++)
        d->layout.squares += tensor->value[t] * tensor->value[t];
    *out = &d->layout;
    d = NULL;
done:
    if (d)
        dense_free(&d->layout);
    return status;
}
