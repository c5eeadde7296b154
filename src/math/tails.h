/* Tails of the normal and the chi-square distribution. */
#ifndef SCANT_I_TAILS_H
#define SCANT_I_TAILS_H

/* x with P(normal <= x) = p, 0 < p < 1; about 1e-14 off at most */
double scant_i_normal_quantile(double p);
/* P(chi-square with `degrees` > x) */
double scant_i_chi_square_tail(double x, double degrees);

#endif
