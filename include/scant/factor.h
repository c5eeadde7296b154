/* Nonnegative factorization of tensors of any order from 2 on (order 2: of matrices). */
#ifndef SCANT_FACTOR_H
#define SCANT_FACTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <scant/options.h>
#include <scant/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- tensors --- */

typedef struct scant_tensor scant_tensor;

/* FROSTT .tns (sparse; .gz too) or .npy (dense). In a .tns cells that are not listed are 0, and
 * entries given more than once are added up, which is logged. NaN is a missing cell. */
SCANT_API scant_status scant_tensor_read(scant_tensor **out, const char *path);
/* A dense tensor, last index fastest; copied. */
SCANT_API scant_status scant_tensor_new(scant_tensor **out, size_t order, const size_t *size,
                                        const double *value);
/* A sparse one: nentries x order indices from 0, and values; copied. Entries of one cell are added
 * up. */
SCANT_API scant_status scant_tensor_new_sparse(scant_tensor **out, size_t order, const size_t *size,
                                               size_t nentries, const uint32_t *index,
                                               const double *value);
SCANT_API void scant_tensor_free(scant_tensor *tensor);
SCANT_API size_t scant_tensor_order(const scant_tensor *tensor);
SCANT_API size_t scant_tensor_size(const scant_tensor *tensor, size_t mode);
SCANT_API size_t scant_tensor_entries(const scant_tensor *tensor); /* listed, or all if dense */
SCANT_API bool scant_tensor_is_sparse(const scant_tensor *tensor);
/* Cells below 0 become 0; how many. Measured data have some, where noise is added to little. */
SCANT_API size_t scant_tensor_clip(scant_tensor *tensor);

/* --- factorization --- */

/* How to factor. Preset it with scant_factor_options_preset; fields with a row in the table can be
 * set from text. Texts and arrays are borrowed. */
typedef struct scant_factor_options {
    size_t size;            /* by the preset */
    const char *rank;       /* components, "3"; scant_factor_sweep: "2:6" as well */
    const char *solver;     /* bpp, active-set, als, mu, hals */
    const char *loss;       /* square, kl */
    const char *missing;    /* error: missing cells are refused; observed: only cells that are there
                            count (in a sparse tensor, those that are listed) */
    scant_texts l2, l1;     /* penalties, one for all modes or one a mode; empty: none */
    const char *init;       /* random, nndsvd */
    const char *accelerate; /* none, extrapolate (solvers that are exact) */
    size_t starts;          /* starts in all; 0: one, or three for each rank of a sweep */
    size_t max_iter;
    double tol;        /* stop when the loss falls by less than this share of the data; 0: never */
    double kkt_tol;    /* or when the relative projected gradient is below this; 0: never */
    double time_limit; /* seconds; 0: none */
    uint64_t seed;
    size_t threads;          /* 0: OMP_NUM_THREADS, else all cores */
    const char *checkpoint;  /* file to keep the state in, or NULL */
    double checkpoint_every; /* seconds between two writes */
    bool resume;             /* go on from the checkpoint, if it is there */

    /* NULL, or for each mode its factor, size x rank: where to start (instead of the first start),
     * and what stays as it is (NULL for a mode that does not). */
    const double *const *start;
    const double *const *fixed;
    scant_progress progress;
    void *payload;
} scant_factor_options;

SCANT_API const scant_option *scant_factor_option_table(size_t *count);
SCANT_API void scant_factor_options_preset(scant_factor_options *options, size_t size);
#define scant_factor_options_preset(options)                                                       \
    (scant_factor_options_preset)(options, sizeof *(options))

/* One iteration: all modes updated once. */
typedef struct scant_factor_step {
    double rssr;    /* squared residuals over squared data */
    double loss;    /* squared residuals or divergence, and penalties */
    double kkt;     /* largest over modes: projected gradient before its update, relative */
    double seconds; /* since the start began */
} scant_factor_step;

/* How one of several starts ended. */
typedef struct scant_factor_start {
    double rssr, loss, kkt;
    size_t iterations;
    scant_stop stop;
    double congruence; /* mean over components of the match with the best start's; 1: the same */
} scant_factor_start;

typedef struct scant_factor_summary {
    size_t order, rank;
    double rssr, loss, kkt; /* of the best start, the one with the least loss */
    size_t iterations;
    scant_stop stop;
    size_t starts, best_start;
    size_t missing;          /* cells left out */
    size_t vanished;         /* components of weight 0: fewer would do */
    double stability;        /* mean congruence of the other starts; NaN with one start */
    double core_consistency; /* 100: the data are of this form; NaN where it is not defined */
    uint64_t seed;
    double seconds; /* all starts */
} scant_factor_summary;

typedef struct scant_factors scant_factors;

/* Factors a tensor:  x[i,j,k,...] is near  sum_q weight[q] A_1[i,q] A_2[j,q] A_3[k,q] ...
 * with nothing negative. Columns have length 1 and fall in weight, unless modes are fixed: then all
 * weights are 1 and factors are as the fixed modes want them. A slice without any data has a row of
 * zeros. An interrupt or a limit is no failure: the summary says why the fit stopped.
 *
 *     scant_factor_options options;
 *     scant_factor_options_preset(&options);
 *     options.rank = "3";
 *     if (scant_factor(&factors, tensor, &options) != SCANT_OK)
 *         fprintf(stderr, "%s\n", scant_message());
 *
 * Negative cells are SCANT_ERR_INPUT, and so are missing ones unless options->missing is observed,
 * and a rank larger than any tensor of these sizes can need. Cost of an iteration: 4 cells rank
 * flop dense, 2 entries rank flop a mode sparse, and the least squares problems. Memory: a dense
 * tensor is not copied; a sparse one is, for each of its long modes, at 14 bytes an entry. Same
 * seed, same result for any threads. */
SCANT_API scant_status scant_factor(scant_factors **out, const scant_tensor *tensor,
                                    const scant_factor_options *options);
SCANT_API void scant_factors_free(scant_factors *factors);
SCANT_API const scant_factor_summary *scant_factors_summary(const scant_factors *factors);
/* Borrowed: size x rank, row-major; rank; trace of the best start (iterations); starts. */
SCANT_API const double *scant_factors_mode(const scant_factors *factors, size_t mode);
SCANT_API size_t scant_factors_size(const scant_factors *factors, size_t mode);
SCANT_API const double *scant_factors_weights(const scant_factors *factors);
SCANT_API const scant_factor_step *scant_factors_trace(const scant_factors *factors);
SCANT_API const scant_factor_start *scant_factors_starts(const scant_factors *factors);
/* Borrowed, rank: each component's mean congruence with its match in the other starts. */
SCANT_API const double *scant_factors_stability(const scant_factors *factors);

/* One factorization for each rank of options->rank. The best rank is the largest whose core
 * consistency is at least 60 and whose starts agree to 0.9, where there are several. */
typedef struct scant_factor_sweep_result {
    size_t count;
    scant_factor_summary *summary; /* count */
    size_t best;                   /* index; count where none meets the rule */
} scant_factor_sweep_result;

/* The factors of the best rank (else of the last) go to *factors, which may be NULL. */
SCANT_API scant_status scant_factor_sweep(scant_factor_sweep_result *out, scant_factors **factors,
                                          const scant_tensor *tensor,
                                          const scant_factor_options *options);
SCANT_API void scant_factor_sweep_clear(scant_factor_sweep_result *sweep);

#ifdef __cplusplus
}
#endif
#endif
