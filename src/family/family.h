/* Families: how a hidden component makes a row.
 *
 * A *family* is a const descriptor of functions, in parts: who it is, what a pass asks of it, its
 * natural form, and its reach (for bounds). Some have not the last two. A *factor* is one family over
 * some columns with the parameters of all components of a model. A model is a product of factors: given the
 * component, its factors are independent. Adding a distribution is one file that ends in one
 * descriptor, and one line in the registry.
 *
 * Engine and family meet in blocks of rows. For a block the family adds each component's log
 * density to a table, and later adds the block's sufficient statistics, weighed by
 * responsibilities, to one flat vector, whose sum over all blocks determines the M-step. Statistics
 * only ever add, so blocks, threads and machines reduce them in any fixed order.
 *
 * Tables of rows by components are row-major with the row stride `factor->stride`, the number of
 * components rounded up to SCANT_I_LANES; columns past ncomponents are padding: log density may put
 * anything finite there, and responsibilities are zero there.
 *
 * Parameters (`theta`) are the user's, in the data's own units, and are all there is: `prepare`
 * turns them into whatever tables the kernels want. So a model file is a checkpoint. */
#ifndef SCANT_I_FAMILY_H
#define SCANT_I_FAMILY_H

#include "base/base.h"
#include "base/random.h"
#include "data/batch.h"

enum { SCANT_I_LANES = 8 };

typedef struct scant_i_family scant_i_family;

/* By how much rounding may pass a bound, as a share of it. */
#define SCANT_I_SLACK 1e-9
/* By how much rounding may take a variance below 0, as a share of the mean square it came from:
 * sums of n terms of either sign are good to n 1e-16 at worst. */
#define SCANT_I_ROUNDING 1e-8

/* Settings that families share; each reads what concerns it. */
typedef struct scant_i_family_settings {
    const char *covariance; /* gaussian: "full", "diag", "spherical", "tied", "tied-diag", ... */
    bool fixed_covariances; /* gaussian: the M-step leaves them as they are */
    double min_variance; /* floor of a variance, as a share of the column's variance in the data */
    double shrinkage;    /* gaussian: rows that the prior of covariances is worth; 0: no prior */
    double smooth;       /* pseudo-count added to each count or category (Dirichlet(1 + smooth)) */
    size_t target;       /* regression: which of the factor's columns is the target */
} scant_i_family_settings;

/* One array of parameters within theta, for files and people. Dimensions of 1 are left out. */
typedef struct scant_i_parameter {
    const char *name;
    size_t offset; /* in theta */
    size_t ndim;
    size_t dim[3]; /* components first, unless tied */
    bool tied;     /* one for all components */
} scant_i_parameter;
enum { SCANT_I_PARAMETERS_MAX = 4 };
enum { SCANT_I_MONOMIAL = 2 }; /* columns that a feature may be a product of */

typedef struct scant_i_factor {
    const scant_i_family *family;
    scant_i_family_settings settings;
    size_t ncomponents; /* M */
    size_t stride;      /* M rounded up to SCANT_I_LANES */
    size_t ncolumns;    /* d */
    size_t *columns;    /* d: positions in the rows */
    size_t *nlevels;    /* d: levels of a category, 0 for a number */
    double
        *centre;   /* d: mean of each column over the data or the model, where `prepare` wants it */
    double *scale; /* d: standard deviation, > 0 */
    double
        *target; /* gaussian: what its prior shrinks to, one covariance in standard units; NULL: the
                       data's variances */
    size_t ntarget;
    size_t ntheta;
    double *theta;     /* ntheta: the parameters, laid out as `parameters` says */
    uint8_t *at_floor; /* M: set by `maximise` where a floor or a bound of the family held */
    void *tables;      /* made by `prepare` from theta, the family's own */
    size_t threads;    /* that `prepare` and `maximise` may use; 0: the calling one alone */
} scant_i_factor;

/* Rows of a batch for a family to look at: some that share a pattern of missing cells. Row i is row
 * `row[i]` of the batch (row NULL: first + i). */
typedef struct scant_i_block {
    const scant_i_batch *batch;
    size_t nrows;
    size_t first;
    const size_t *row;
    const uint8_t *present; /* one flag a column of the data: the pattern all rows of the block
                               share; NULL: nothing is missing */
    size_t pattern;   /* a number for it; tables of patterns go by `present`, whatever the number */
    const void *kept; /* what the family kept of the block, or NULL */
    bool blank;       /* L holds nothing yet; only families that set it are told */
} scant_i_block;

/* Where the block's i-th row is in the batch, and its number among all rows. */
static inline size_t scant_i_block_place(const scant_i_block *block, size_t i)
{
    return block->row ? block->row[i] : block->first + i;
}
static inline size_t scant_i_block_row(const scant_i_block *block, size_t i)
{
    return block->batch->first + scant_i_block_place(block, i);
}
/* The dense cells of the block's i-th row (all columns of the data). */
static inline const double *scant_i_block_cells(const scant_i_block *block, size_t i)
{
    return block->batch->dense + scant_i_block_place(block, i) * block->batch->ncolumns;
}
/* Cells of the block's i-th row at some columns; those that a sparse row does not list are 0
 * (factor.c). */
void scant_i_block_gather(const scant_i_block *block, size_t i, const size_t *columns, size_t n,
                          double *x);
static inline bool scant_i_block_has(const scant_i_block *block, size_t column)
{
    return !block->present || block->present[column];
}

/* What is known of all rows before a pass cuts them into blocks. */
typedef struct scant_i_counts {
    size_t nrows;
    bool sparse;
    size_t entries; /* of sparse rows */
} scant_i_counts;

/* What EM asks of a family: densities, statistics, and the parameters that they determine. */
typedef struct scant_i_family_pass {
    /* theta -> tables, before a pass; SCANT_ERR_INPUT where theta is not in the domain. */
    scant_status (*prepare)(scant_i_factor *factor);
    void (*release)(scant_i_factor *factor); /* frees tables */
    /* Bytes of scratch a worker needs for blocks of up to nrows rows, with or without missing
     * cells. Zeroed before the first block of a pass, then handed to each call unchanged. */
    size_t (*scratch)(const scant_i_factor *factor, size_t nrows, bool missing);
    /* L[i][j] += log f_j(observed part of row i), for j < M; where `sets` is true and the block blank,
     * L[i][j] = that for all lanes, whatever L held. */
    bool sets;
    scant_status (*log_density)(const scant_i_factor *factor, const scant_i_block *block, double *L,
                                void *scratch);

    /* Optional. Rows that a block of these rows should have at most, where the cache is not what
     * limits it; 0: no wish. */
    size_t (*block_rows)(const scant_i_factor *factor, const scant_i_counts *counts);
    /* Optional, all three: another form of a block's rows, made once for many passes and handed
     * back in block->kept. It depends on the factor's shape and the rows, never on theta. The
     * kernels work without it, to the same result up to rounding. keep_bytes: what it takes at
     * most; 0: none for this block. */
    size_t (*keep_bytes)(const scant_i_factor *factor, const scant_i_block *block);
    scant_status (*keep)(const scant_i_factor *factor, const scant_i_block *block, void **kept);
    void (*drop)(void *kept);

    /* Length of the flat vector of statistics. */
    size_t (*nstatistics)(const scant_i_factor *factor);
    /* statistics += sum over the block's rows of R[i][j] E[T(x_i) | observed, j]; R carries weights.
     * Coefficients may have either sign: nothing but sums is made of them, so whoever takes rows
     * away again, or bounds another objective than the likelihood, adds to the same vector. Called
     * after log_density on the same block with the same scratch, and alone on starts: then the
     * statistics are those of the present theta's conditional expectations. */
    scant_status (*accumulate)(const scant_i_factor *factor, const scant_i_block *block,
                               const double *R, double *statistics, void *scratch);
    /* Optional: statistics += w[j] E_theta[T(x)] for each component j, of whole rows x, with the
     * present tables; w (M) may have either sign. It is what rows of weight w[j] would add in the
     * mean if they were drawn from the component, so the anchor alone has the present theta as its
     * maximum, bounds and priors apart. Where rows have a total (has_total), it is of rows with a
     * total of 1: rows i with totals n_i are w[j] = sum_i w_ij n_i. NULL: what T has in the mean is
     * not the component's to say (the inputs of a regression, a user's T). */
    scant_status (*anchor)(const scant_i_factor *factor, const double *w, double *statistics);
    /* theta = argmax of the expected complete log-likelihood plus log_prior, from statistics that
     * were accumulated with the present tables. A component of no weight keeps its parameters. Sets
     * at_floor. SCANT_ERR_INPUT: signed coefficients came to what no rows could have (a weight, a
     * variance or a share below 0 by more than rounding), so that there is no maximum; theta is
     * then to be thrown away. */
    scant_status (*maximise)(scant_i_factor *factor, const double *statistics);
    /* Optional. SCANT_ERR_INPUT: theta is beyond what `maximise` keeps it to, by more than rounding. NULL:
     * there are no bounds. */
    scant_status (*within)(const scant_i_factor *factor);
    /* Log prior density of the prepared theta, up to a constant: what MAP adds to the objective.
     * NULL: 0. */
    double (*log_prior)(const scant_i_factor *factor);
} scant_i_family_pass;

/* Exponential form of one component: log f_j(x) = A(x) + eta . T(x) - K(eta). x is one row of the
 * factor's own d columns; K may depend on it (number of trials, inputs of a regression). */
typedef struct scant_i_family_natural {
    size_t (*nnatural)(const scant_i_factor *factor); /* length of eta and T */
    scant_status (*eta)(const scant_i_factor *factor, size_t component, double *eta);
    void (*sufficient)(const scant_i_factor *factor, const double *x, double *T);
    /* K1 and K2 (n x n) may be NULL. The score with respect to eta is T(x) - K1. */
    scant_status (*cumulant)(const scant_i_factor *factor, const double *eta, const double *x,
                             double *K, double *K1, double *K2);
    /* The inverse of `eta`: theta of the component, and what is shared. SCANT_ERR_INPUT where eta is
     * outside the domain. */
    scant_status (*from_natural)(scant_i_factor *factor, size_t component, const double *eta);
    /* The last so many entries of eta are one parameter of all components. NULL: none. */
    size_t (*nshared)(const scant_i_factor *factor);
    /* The last so many entries of eta stay as they are in a fit. NULL: none. */
    size_t (*nfixed)(const scant_i_factor *factor);
    /* theta between the data's units and the factor's standard ones, (x - centre) / scale: there
     * (`to`) and back. NULL: the family's parameters do not mind units. */
    void (*standardise)(scant_i_factor *factor, bool to);
    /* Do parameters move by as much as the column does, if at all? Then it does not matter for their errors where it
     * lies. NULL: no column is like that. */
    bool (*shifts)(const scant_i_factor *factor, size_t column);

    /* Scores and information about eta, with theta in standard units. The score of component j,
     * E[T | observed] - K1, is linear in features phi of a row that all components share: it is
     * A phi, with an A (nnatural x nfeatures) for each component and pattern of columns present
     * (a flag a column of the data; NULL: all). */
    size_t (*nfeatures)(const scant_i_factor *factor);
    bool begins_with_one; /* the first feature of every row is 1 */
    /* Features that are products of columns: which, counted from 1, and 0 for none. Then sums of
     * products of features that come to the same columns are made once. NULL: they are not. */
    void (*monomial)(const scant_i_factor *factor, size_t feature, size_t column[SCANT_I_MONOMIAL]);
    /* phi (nfeatures x ld, ld a multiple of SCANT_I_LANES) of a block; absent cells are 0. `room`
     * has ncolumns + nnatural doubles. */
    void (*features)(const scant_i_factor *factor, const scant_i_block *block, double *phi,
                     size_t ld, double *room);
    scant_status (*score)(const scant_i_factor *factor, size_t component, const uint8_t *present,
                          double *A);
    /* Of rows whose weighted features add up to S: the information about eta that the cells would
     * carry if none that the M-step completes were missing, and Cov(T | observed), what is missing
     * of it (nnatural x nnatural each). */
    scant_status (*information)(const scant_i_factor *factor, size_t component,
                                const uint8_t *present, const double *S, double *complete,
                                double *missing);
    /* Families that the functions of score.h serve: the column that an entry of eta is about. */
    size_t (*column_of)(const scant_i_factor *factor, size_t entry);
} scant_i_family_natural;

/* How far rows are from what a component expects: what an upper bound of log sum_j a_j f_j(x) asks of a
 * family (latent/bound.h). With Z = E[T | observed] - K', over the cells present. */
typedef struct scant_i_family_reach {
    /* Optional: has the factor no bound of rows with missing cells? */
    bool (*needs_all_cells)(const scant_i_factor *factor);
    size_t (*room)(const scant_i_factor *factor, size_t nrows); /* doubles */
    /* Of the prepared component: distance[i][j] = Z' K''^-1 Z; slack[i][j], the least t with K' - Z / t
     * in the closure of the range of K', so that K' - h Z / w is for w = h t; and total[i], by which a
     * row's K exceeds that of the anchor's. Padding is left alone. */
    scant_status (*distances)(const scant_i_factor *factor, const scant_i_block *block,
                              double *distance, double *slack, double *total, double *room);
    /* Optional, all three, of rows without missing cells: in place of distances' bound c/2 (Z . (eta -
     * eta~))^2. Length of its sums, 0: not as the factor is set up; form += those of coefficients c
     * (nrows x stride); and the M-step with them. */
    size_t (*nform)(const scant_i_factor *factor);
    scant_status (*add_form)(const scant_i_factor *factor, const scant_i_block *block,
                             const double *c, double *form, double *room);
    scant_status (*maximise)(scant_i_factor *factor, const double *statistics, const double *form);
} scant_i_family_reach;

/* Coordinates of theta without bounds, for methods that go by the gradient: logarithms of what is
 * positive, Cholesky factors of precisions. */
typedef struct scant_i_family_coordinates {
    size_t (*count)(const scant_i_factor *factor);
    void (*get)(const scant_i_factor *factor, double *x);
    /* SCANT_ERR_INPUT: theta would be past what `maximise` keeps it to, or what numbers hold; it is then to
     * be thrown away. What get found at the edge of its domain stays there. */
    scant_status (*set)(scant_i_factor *factor, const double *x);
    /* d/dx of what `maximise` maximises, at the prepared theta, from statistics that were accumulated
     * with it. Coefficients may have either sign. */
    scant_status (*slope)(const scant_i_factor *factor, const double *statistics, double *slope);
} scant_i_family_coordinates;

/* Who a family is: what it takes, its parameters in files, and drawing rows. */
struct scant_i_family {
    const char *name;
    const char *summary;  /* one line for help */
    bool sparse;          /* takes sparse rows as they are */
    bool categorical;     /* its columns are categories */
    bool needs_all_cells; /* a missing cell is an error (regression inputs) */
    bool has_covariances; /* heeds settings.covariance and fixed_covariances */
    bool has_target;      /* the density is that of the column settings.target, given the others */
    bool has_total;       /* counts of a row are given their total, x[0] of `sample` on entry */
    const struct scant_i_column_law *law; /* independent columns (columns.h); else NULL */

    /* Sets ntheta for the factor's M, d, nlevels and settings, checking the settings. theta itself
     * is then allocated by the caller. */
    scant_status (*configure)(scant_i_factor *factor);
    /* The arrays within theta; returns how many (at most SCANT_I_PARAMETERS_MAX). */
    size_t (*parameters)(const scant_i_factor *factor, scant_i_parameter *out);
    /* Free parameters, for BIC. */
    size_t (*degrees)(const scant_i_factor *factor);
    /* Are the rows in the family's domain? Names the first cell that is not. */
    scant_status (*validate)(const scant_i_factor *factor, const scant_i_batch *rows);
    /* Are the parameters? The message names the array and the component. */
    scant_status (*check)(const scant_i_factor *factor);
    /* Draws the factor's d cells from a component. Where the family has a target, x holds the inputs
     * on entry; where it has a total, that. */
    scant_status (*sample)(const scant_i_factor *factor, size_t component, scant_i_random *random,
                           double *x);
    /* Mean (d) and covariance (d x d) of a component's rows, of families whose M-step asks no more
     * of its rows than these two. NULL: it asks for other things. */
    void (*moments)(const scant_i_factor *factor, size_t component, double *mean,
                    double *covariance);
    /* Where there is a target: its mean in a component, given the other of the d cells x. */
    double (*expect_target)(const scant_i_factor *factor, size_t component, const double *x);

    const scant_i_family_pass *pass;
    const scant_i_family_natural *natural; /* NULL: it has none, and no information (user.c) */
    const scant_i_family_reach *reach;     /* NULL: no bound is known */
    const scant_i_family_coordinates *coordinates; /* NULL: it has none, and no gradient */
};

/* factor.c: a factor over `columns`, with theta zeroed. `nlevels` may be NULL (no categories). */
scant_status scant_i_factor_new(scant_i_factor **out, const scant_i_family *family,
                                const scant_i_family_settings *settings, size_t ncomponents,
                                const size_t *columns, const size_t *nlevels, size_t ncolumns);
/* The same with theta NULL, for whoever looks at its ntheta and parameters before there is room for them. */
scant_status scant_i_factor_outline(scant_i_factor **out, const scant_i_family *family,
                                    const scant_i_family_settings *settings, size_t ncomponents,
                                    const size_t *columns, const size_t *nlevels, size_t ncolumns);
scant_status scant_i_factor_copy(scant_i_factor **out, const scant_i_factor *factor);
/* What its prior shrinks to: n doubles, copied. */
scant_status scant_i_factor_aim(scant_i_factor *factor, const double *target, size_t n);
void scant_i_factor_free(scant_i_factor *factor);

/* The descriptors, one a file, and the list of them (registry.c): NULL past the end, or where
 * unknown. */
extern const scant_i_family scant_i_gaussian, scant_i_multinomial, scant_i_bernoulli,
    scant_i_categorical, scant_i_poisson, scant_i_exponential, scant_i_gamma, scant_i_maxwell,
    scant_i_regression;
const scant_i_family *scant_i_family_at(size_t index);
const scant_i_family *scant_i_family_find(const char *name);
const scant_i_family *scant_i_family_named(const char *name, size_t length);
/* The one for columns of that kind where nobody says which. */
const scant_i_family *scant_i_family_default(bool sparse, bool categorical);
/* Those that a program registered (user.c), by the order in which it did. */
const scant_i_family *scant_i_user_family_at(size_t index);

#endif
