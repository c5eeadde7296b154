/* Sparse kernels by vectors of four doubles. */
#include "math/vector.h"

enum { VECTOR = 4, COLUMNS = 16 };
typedef scant_i_vector4 vector;

#include "math/sparse_walk.h"

SCANT_I_CLONES
void scant_i_sparse_gather_by_4(double *L, const double *C, size_t lanes,
                                const scant_i_sparse_entries *ones,
                                const scant_i_sparse_entries *others)
{
    gather(L, C, lanes, ones, others);
}

SCANT_I_CLONES
void scant_i_sparse_scatter_by_4(double *S, const double *R, size_t lanes, size_t first,
                                 size_t last, const scant_i_sparse_entries *all)
{
    scatter(S, R, lanes, first, last, all);
}

SCANT_I_CLONES
void scant_i_sparse_collect_by_4(double *S, const double *R, size_t lanes,
                                 const scant_i_sparse_columns *x)
{
    collect(S, R, lanes, x);
}

SCANT_I_CLONES
void scant_i_sparse_spread_by_4(double *L, const double *C, size_t lanes,
                                const scant_i_sparse_columns *x, size_t nruns)
{
    spread(L, C, lanes, x, nruns);
}
