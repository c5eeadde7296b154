/* Problems of maximum entropy discrimination on small tables. */
#ifndef SCANT_T_MED_CASES_H
#define SCANT_T_MED_CASES_H

#include "med/gram.h"

typedef struct med_table {
    size_t n, d;
    double *x, *y; /* n x d; n: +-1, or a number */
    int8_t *side;
} med_table;

/* Columns `features` (NULL: all but the label) of rows first .. first + n - 1 (n 0: all) of a CSV file in standard units
 * (population standard deviation); `positive` is the class called +1, NULL: the label is a number, standardised too.
 * false: there is no such file. */
bool med_table_read(med_table *out, const char *path, const char *features, const char *label,
                    const char *positive, size_t first, size_t n);
void med_table_clear(med_table *table);
void med_standardise(double *x, size_t n, size_t d);

/* A problem on the table; spaces are the caller's to clear. `kernel` NULL: linear features. */
typedef struct med_case {
    scant_i_med_features features;
    scant_i_med_space space;
    scant_i_med_problem problem;
    scant_i_med_solution solution;
} med_case;
void med_case_new(med_case *out, const med_table *table, const char *margin, double c,
                  double epsilon, double rho, double bias_variance, /* < 0: flat */
                  const scant_i_med_kernel *kernel);
/* Solves to a tolerance; asserts that it converged, and that the gap agrees with one that naive formulas give. */
void med_case_solve(med_case *c, double tol, const char *solver);
void med_case_clear(med_case *c);

/* J, and P at the best of many b, written out from the multipliers alone: exponential margins and the tube. */
void med_naive(double *J, double *P, const med_table *table, const double *beta, double c,
               double epsilon, double rho, double bias_variance, const scant_i_med_kernel *kernel);

/* |found - wanted| <= tolerance, or the test fails and says both. */
#define med_near(found, wanted, tolerance)                                                         \
    med_near_at((found), (wanted), (tolerance), __FILE__, __LINE__)
void med_near_at(double found, double wanted, double tolerance, const char *file, int line);

#endif
