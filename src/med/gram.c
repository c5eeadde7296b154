/* Kernels, and the matrix v K behind a cache of columns.
 *
 *   linear x'z,   polynomial (gamma x'z + offset)^degree,   rbf exp(-gamma |x - z|^2),   precomputed
 *
 * Columns are made when they are asked for, at O(n d), and the one that was asked for longest ago makes room. */
#include "med/gram.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "med/kernels.h"

/* --- rows that columns are made from --- */

void scant_i_med_basis_clear(scant_i_med_basis *basis)
{
    scant_i_free(basis->columns);
    scant_i_free(basis->square);
    *basis = (scant_i_med_basis){0};
}

static void take_dense(scant_i_med_basis *b, const double *x)
{
    for (size_t t = 0; t < b->n; t++)
        for (size_t i = 0; i < b->d; i++) {
            double cell = x[t * b->d + i];
            b->columns[i * b->ld + t] = cell;
            b->square[t] += cell * cell;
        }
}

scant_status scant_i_med_basis_new(scant_i_med_basis *out, const double *x,
                                   const scant_i_csr *sparse, size_t n, size_t d)
{
    scant_status status = SCANT_OK;
    *out = (scant_i_med_basis){.n = n, .d = d, .ld = scant_i_round_up(n, 8)};
    SCANT_I_TRY(SCANT_I_NEW(&out->square, out->ld + 8));
    if (x) {
        SCANT_I_TRY(SCANT_I_NEW(&out->columns, d * out->ld + 8));
        take_dense(out, x);
        return SCANT_OK;
    }
    out->rows = *sparse;
    for (size_t t = 0; t < n; t++)
        for (size_t e = sparse->start[t]; e < sparse->start[t + 1]; e++)
            out->square[t] += sparse->value[e] * sparse->value[e];
done:
    return status;
}

static double power(double x, size_t degree)
{
    double product = 1;
    for (; degree; degree >>= 1, x *= x)
        product *= degree & 1 ? x : 1;
    return product;
}

double scant_i_med_kernel_diagonal(const scant_i_med_kernel *kernel, double square)
{
    switch (kernel->type) {
    case SCANT_I_MED_POLYNOMIAL:
        return power(kernel->gamma * square + kernel->offset, kernel->degree);
    case SCANT_I_MED_RBF: return 1;
    default: return square;
    }
}

double scant_i_med_square(const scant_i_med_table *table, size_t t,
                          const scant_i_med_kernel *kernel)
{
    double sum = 0;
    if (kernel && kernel->type == SCANT_I_MED_PRECOMPUTED)
        return table->x[t * table->d + t];
    if (table->x)
        sum = scant_i_dot_fixed(table->x + t * table->d, table->x + t * table->d, table->d);
    else
        for (size_t e = table->sparse.start[t]; e < table->sparse.start[t + 1]; e++)
            sum += table->sparse.value[e] * table->sparse.value[e];
    return kernel ? scant_i_med_kernel_diagonal(kernel, sum) : sum;
}

void scant_i_med_kernel_column(double *out, const scant_i_med_kernel *kernel,
                               const scant_i_med_basis *b, const double *z)
{
    if (b->columns)
        scant_i_med_kernels_now()->gram_dots(out, b->columns, b->ld, b->d, z);
    else
        for (size_t t = 0; t < b->n; t++) {
            double sum = 0;
            for (size_t e = b->rows.start[t]; e < b->rows.start[t + 1]; e++)
                sum += z[b->rows.column[e]] * b->rows.value[e];
            out[t] = sum;
        }
    if (kernel->type == SCANT_I_MED_POLYNOMIAL)
        for (size_t t = 0; t < b->n; t++)
            out[t] = power(kernel->gamma * out[t] + kernel->offset, kernel->degree);
    if (kernel->type == SCANT_I_MED_RBF) {
        double own = 0;
        for (size_t i = 0; i < b->d; i++)
            own += z[i] * z[i];
        scant_i_med_kernels_now()->gram_rbf(out, b->square, own, kernel->gamma, b->ld);
    }
}

/* --- the cache --- */

typedef struct cache {
    scant_i_med_gram gram; /* first: the cache is a gram */
    scant_i_med_kernel kernel;
    const scant_i_med_features *features;
    scant_i_med_basis basis;
    double *diagonal, *z; /* n; d: a row, dense */
    double **store;       /* slots: ld numbers each, from the first time that it is wanted */
    size_t slots, used, ld;
    size_t *slot, *owner; /* n: slot + 1 of each column; slots: its column */
    uint64_t *touched;    /* slots: when it was asked for last */
    uint64_t clock;
} cache;

static void spread_row(cache *c, size_t t, bool add)
{
    const scant_i_csr *s = &c->basis.rows;
    for (size_t e = s->start[t]; e < s->start[t + 1]; e++)
        c->z[s->column[e]] = add ? s->value[e] : 0;
}

static void make_column(double *out, cache *c, size_t t)
{
    const scant_i_med_features *x = c->features;
    if (c->kernel.type == SCANT_I_MED_PRECOMPUTED) {
        memcpy(out, x->x + t * x->d, x->n * sizeof *out);
    } else if (x->x) {
        scant_i_med_kernel_column(out, &c->kernel, &c->basis, x->x + t * x->d);
    } else {
        spread_row(c, t, true);
        scant_i_med_kernel_column(out, &c->kernel, &c->basis, c->z);
        spread_row(c, t, false);
    }
    if (x->variance != 1)
        for (size_t s = 0; s < x->n; s++)
            out[s] *= x->variance;
}

static size_t free_slot(cache *c)
{
    size_t oldest = 0;
    if (c->used < c->slots)
        return c->used++;
    for (size_t s = 1; s < c->slots; s++)
        oldest = c->touched[s] < c->touched[oldest] ? s : oldest;
    c->slot[c->owner[oldest]] = 0;
    return oldest;
}

static scant_status column(const double **out, scant_i_med_gram *gram, size_t t)
{
    cache *c = (cache *)gram;
    if (c->slot[t] == 0) {
        size_t s = free_slot(c);
        if (!c->store[s] && !(c->store[s] = scant_i_alloc(c->ld + 8, sizeof(double)))) {
            c->used--; /* slots without a column are the last */
            return SCANT_ERR_MEMORY;
        }
        make_column(c->store[s], c, t);
        c->owner[s] = t;
        c->slot[t] = s + 1;
    }
    c->touched[c->slot[t] - 1] = ++c->clock;
    *out = c->store[c->slot[t] - 1];
    return SCANT_OK;
}

static scant_status add(double *f, scant_i_med_gram *gram, size_t t, double delta)
{
    const double *k;
    scant_status status = column(&k, gram, t);
    scant_i_add_multiple(f, delta, k, gram->n);
    return status;
}

/* --- the space --- */

static scant_status value(double *omega, double *f, scant_i_med_space *space, const double *beta)
{
    scant_status status = SCANT_OK;
    memset(f, 0, space->n * sizeof *f);
    for (size_t t = 0; t < space->n; t++)
        if (beta[t] != 0)
            SCANT_I_TRY(space->gram->add(f, space->gram, t, beta[t]));
    *omega = 0.5 * scant_i_dot_fixed(beta, f, space->n);
done:
    return status;
}

static void free_cache(scant_i_med_space *space)
{
    cache *c = space->state;
    if (!c)
        return;
    scant_i_med_basis_clear(&c->basis);
    scant_i_free(c->diagonal);
    scant_i_free(c->z);
    for (size_t s = 0; c->store && s < c->slots; s++)
        scant_i_free(c->store[s]);
    scant_i_free(c->store);
    scant_i_free(c->slot);
    scant_i_free(c->owner);
    scant_i_free(c->touched);
    scant_i_free(c);
}

static const scant_i_med_space_kind kind = {"kernel", value, free_cache};

static scant_status check_symmetric(const double *k, size_t n)
{
    const double SLACK = 1e-8; /* of the larger diagonal: what printing seven digits leaves */
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double scale = fmax(fabs(k[i * n + i]), fabs(k[j * n + j]));
            if (fabs(k[i * n + j] - k[j * n + i]) > SLACK * scale)
                return scant_i_fail(SCANT_ERR_INPUT,
                                    "the kernel matrix is not symmetric: K(%zu,%zu) = %g, "
                                    "K(%zu,%zu) = %g",
                                    i + 1, j + 1, k[i * n + j], j + 1, i + 1, k[j * n + i]);
            if (i == j && k[i * n + i] < 0)
                return scant_i_fail(SCANT_ERR_INPUT,
                                    "the kernel matrix is not positive: K(%zu,%zu) = %g", i + 1,
                                    i + 1, k[i * n + i]);
        }
    return SCANT_OK;
}

scant_status scant_i_med_check_positive(const double *k, size_t n)
{
    const double SLACK = 1e-8; /* of the largest diagonal */
    scant_status status = SCANT_OK;
    double *copy = NULL, most = 0;
    SCANT_I_TRY(check_symmetric(k, n));
    SCANT_I_TRY(SCANT_I_NEW(&copy, n * n));
    memcpy(copy, k, n * n * sizeof *copy);
    for (size_t i = 0; i < n; i++)
        most = fmax(most, k[i * n + i]);
    for (size_t i = 0; i < n; i++)
        copy[i * n + i] += SLACK * most + 1e-300;
    if (!scant_i_cholesky(copy, n))
        status = scant_i_fail(SCANT_ERR_INPUT, "the kernel matrix is not positive: it has a "
                                               "negative eigenvalue, so it is no kernel");
done:
    scant_i_free(copy);
    return status;
}

scant_status scant_i_med_gram_space(scant_i_med_space *out, const scant_i_med_features *x,
                                    const scant_i_med_kernel *kernel, size_t bytes)
{
    scant_status status = SCANT_OK;
    cache *c = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&c, 1));
    *out = (scant_i_med_space){
        .kind = &kind, .n = x->n, .quadratic = true, .gram = &c->gram, .state = c};
    c->kernel = *kernel;
    c->features = x;
    c->ld = scant_i_round_up(x->n, 8);
    c->slots = scant_i_min(x->n, bytes / (c->ld * sizeof(double) + 1));
    c->slots = scant_i_max(c->slots, scant_i_min(x->n, 2));
    SCANT_I_TRY(SCANT_I_NEW(&c->diagonal, x->n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&c->z, x->d + 1));
    SCANT_I_TRY(SCANT_I_NEW(&c->store, c->slots + 1));
    SCANT_I_TRY(SCANT_I_NEW(&c->slot, x->n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&c->owner, c->slots + 1));
    SCANT_I_TRY(SCANT_I_NEW(&c->touched, c->slots + 1));
    if (kernel->type == SCANT_I_MED_PRECOMPUTED)
        SCANT_I_TRY(check_symmetric(x->x, x->n));
    else
        SCANT_I_TRY(scant_i_med_basis_new(&c->basis, x->x, &x->sparse, x->n, x->d));
    for (size_t t = 0; t < x->n; t++)
        c->diagonal[t] =
            x->variance * (kernel->type == SCANT_I_MED_PRECOMPUTED
                               ? x->x[t * x->d + t]
                               : scant_i_med_kernel_diagonal(kernel, c->basis.square[t]));
    c->gram = (scant_i_med_gram){x->n, c->diagonal, column, add};
done:
    if (status != SCANT_OK)
        scant_i_med_space_clear(out);
    return status;
}
