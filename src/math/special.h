/* Special functions and vector elementary functions. */
#ifndef SCANT_I_SPECIAL_H
#define SCANT_I_SPECIAL_H

#include "base/base.h"

double scant_i_digamma(double x);  /* x > 0 */
double scant_i_trigamma(double x); /* x > 0 */
double scant_i_lgamma(double x);   /* x > 0; safe in threads, unlike lgamma */
/* log n! = log Gamma(n + 1), n >= 0; whole n below SCANT_I_FACTORIALS come from a table */
enum { SCANT_I_FACTORIALS = 256 };
extern const double scant_i_log_factorials[SCANT_I_FACTORIALS]; /* factorial.c */
double scant_i_log_factorial(double n);
/* sum of scant_i_log_factorial over x; *total: sum of x */
double scant_i_log_factorial_sum(const double *x, size_t n, double *total);
/* log(sum exp(x)); -inf for an empty sum */
double scant_i_logsumexp(const double *x, size_t n);

/* y[i] = log(x[i]); vectorised, at most 4 ulp off; x may be y. exp is in math/simd.h. */
void scant_i_vector_log(double *y, const double *x, size_t n);

#endif
