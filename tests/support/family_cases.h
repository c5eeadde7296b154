/* The families as the tests see them: for each a way to draw parameters and rows, and a log density
 * written from the textbook, without the library's tables. */
#ifndef TEST_FAMILY_CASES_H
#define TEST_FAMILY_CASES_H

#include "data/rows.h"
#include "family/family.h"

/* A batch of all rows, for as long as the enclosing block of code. */
#define ALL_ROWS(rows) ((scant_i_batch[]){scant_i_batch_all(rows)})

typedef struct family_case {
    const scant_i_family *family;
    size_t ncolumns;
    const size_t *nlevels;
    scant_i_family_settings settings;
    void (*draw_theta)(scant_i_factor *factor, scant_i_random *random);
    /* Moves theta by about `size`, within the domain and settings' bounds. */
    void (*perturb)(scant_i_factor *factor, scant_i_random *random, double size);
    /* What `sample` wants in x on entry. */
    void (*draw_entry)(const scant_i_factor *factor, scant_i_random *random, double *x);
    /* Log density of x[c] for the columns with present[c] (NULL: all). */
    double (*log_density)(const scant_i_factor *factor, size_t j, const double *x,
                          const uint8_t *present);
} family_case;

/* The first ones keep their parameters one component after another; the Gaussians come last. */
enum { PLAIN_CASES = 8, FAMILY_CASES = 14 };
extern const family_case family_cases[FAMILY_CASES];
const family_case *family_case_of(const scant_i_family *family);

/* A factor of the case over columns 0 .. d-1 (columns NULL) or those given, with drawn parameters.
 */
scant_i_factor *case_factor(const family_case *one, size_t ncomponents, const size_t *columns,
                            scant_i_random *random);
/* n rows (d cells each) drawn from components in turn. The caller frees. */
double *case_rows(const family_case *one, const scant_i_factor *factor, size_t n,
                  scant_i_random *random);
/* Sets the factor's centre and scale to the columns' mean and standard deviation in x (n x d). */
void case_standardise(scant_i_factor *factor, const double *x, size_t n);

/* One pass of the family over a block: L (n x stride, overwritten), or statistics (overwritten). */
void run_log_density(scant_i_factor *factor, const scant_i_block *block, double *L);
void run_statistics(scant_i_factor *factor, const scant_i_block *block, const double *R,
                    double *statistics);
/* Responsibilities (n x stride) drawn at random, rows sum to one; the caller frees. */
double *draw_responsibilities(const scant_i_factor *factor, size_t n, scant_i_random *random);

/* Compressed rows of a dense table; free with free_sparse. */
scant_rows sparse_rows(const double *x, size_t nrows, size_t ncolumns);
void free_sparse(scant_rows *rows);

#endif
