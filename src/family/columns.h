/* Families whose columns are independent numbers, each with a density of one exponential form
 *
 *     log f(x) = A(x) + sum_t eta_t T_t(x) - K
 *
 * A *law* says what one column does; columns.c does the rest for all columns: tables, blocks dense
 * and sparse, missing cells, statistics, files. A family is then its law and one descriptor, and
 * reads as its formulas. Cost: 2 nrows ncolumns nfeatures M flop for either half of a pass. */
#ifndef SCANT_I_COLUMNS_H
#define SCANT_I_COLUMNS_H

#include "family/family.h"
#include "family/score.h"

enum { SCANT_I_LAW_MAX = 2 };

/* What counts as zero and as infinite for a positive number of data: cells outside are refused, so
 * that squares and sums of them stay finite. */
#define SCANT_I_LEAST 1e-100
#define SCANT_I_MOST 1e100

/* What K' may be: all above 0, or all from 0 to 1. */
typedef enum scant_i_range { SCANT_I_RANGE_POSITIVE, SCANT_I_RANGE_SHARES } scant_i_range;

typedef struct scant_i_column_law {
    size_t nfeatures;                        /* of T, and of the parameters: 1 or 2 */
    const char *parameters[SCANT_I_LAW_MAX]; /* names; each is M x d in theta */
    /* NULL, or what a cell should have been: "expected a whole number". */
    const char *(*expected)(double x);
    /* NULL, or what is wrong with the parameters of one column. */
    const char *(*unfit)(const double *parameter);
    /* T[0] holds n cells of column c; replaces it by T_0 and fills T[1]. `base`, unless NULL: +=
     * A(x). A family that takes sparse rows has one feature, T(0) = 0, A(0) = 0 and ignores c. T
     * may be of x shifted or scaled by the factor's centre and scale, so long as `tables` and `fit`
     * agree. */
    void (*features)(const scant_i_factor *factor, size_t c, double *const *T, double *base,
                     size_t n);
    /* Parameters to eta and K of these features. eta may be -inf: f = 0 where T > 0; or +inf, with
     * K = 0: f = 0 but where T = 1. */
    double (*tables)(const scant_i_factor *factor, size_t c, const double *parameter, double *eta);
    /* E[T] under the parameters, of the features as they are above. */
    void (*expect)(const scant_i_factor *factor, size_t c, const double *parameter, double *T);
    /* Could cells of weights that add up to N > 0 have sums S, but for rounding? */
    bool (*possible)(const scant_i_factor *factor, size_t c, double N, const double *S);
    /* The maximum given weight N > 0 and possible sums S of the features; true where a bound
     * held. */
    bool (*fit)(const scant_i_factor *factor, size_t c, double N, const double *S,
                double *parameter);
    /* Are the parameters of column c within the bounds of `fit`, rounding allowed for? NULL: it has none. */
    bool (*within)(const scant_i_factor *factor, size_t c, const double *parameter);
    /* Log prior density of a column's parameters; NULL: 0. */
    double (*log_prior)(const scant_i_factor *factor, const double *parameter);
    /* Its derivative in the coordinate, where there is one; NULL: 0. */
    double (*prior_slope)(const scant_i_factor *factor, const double *parameter);
    /* Coordinates: log of each parameter, of probabilities log(p / (1 - p)). eta_t, as `tables` has it, is the
     * coordinate itself (0), or in proportion to parameter_t to this power. */
    double power[SCANT_I_LAW_MAX];
    /* The textbook's exponential form, free of centre and scale. cumulant: false outside the
     * domain. */
    scant_i_range range; /* of laws whose family has scant_i_columns_reach; they have one feature */
    void (*natural)(const double *parameter, double *eta);
    void (*from_natural)(const double *eta, double *parameter); /* within the domain */
    void (*sufficient)(double x, double *T);
    bool (*cumulant)(const double *eta, double *K, double *K1, double *K2);
    double (*sample)(const double *parameter, scant_i_random *random);
} scant_i_column_law;

/* columns.c: the functions of a descriptor */
scant_status scant_i_columns_configure(scant_i_factor *factor);
size_t scant_i_columns_parameters(const scant_i_factor *factor, scant_i_parameter *out);
size_t scant_i_columns_degrees(const scant_i_factor *factor);
scant_status scant_i_columns_validate(const scant_i_factor *factor, const scant_i_batch *batch);
scant_status scant_i_columns_check(const scant_i_factor *factor);
scant_status scant_i_columns_sample(const scant_i_factor *factor, size_t component,
                                    scant_i_random *random, double *x);
extern const scant_i_family_pass scant_i_columns_pass;
extern const scant_i_family_natural scant_i_columns_natural;
extern const scant_i_family_reach scant_i_columns_reach; /* columns_reach.c; not for all laws */
extern const scant_i_family_coordinates scant_i_columns_coordinates; /* columns_coordinates.c */

#define SCANT_I_COLUMNS_FAMILY                                                                     \
    .configure = scant_i_columns_configure, .parameters = scant_i_columns_parameters,              \
    .degrees = scant_i_columns_degrees, .validate = scant_i_columns_validate,                      \
    .check = scant_i_columns_check, .sample = scant_i_columns_sample,                              \
    .pass = &scant_i_columns_pass, .natural = &scant_i_columns_natural,                            \
    .coordinates = &scant_i_columns_coordinates

#endif
