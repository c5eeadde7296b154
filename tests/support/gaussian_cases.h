#ifndef TEST_GAUSSIAN_CASES_H
#define TEST_GAUSSIAN_CASES_H

#include "family/family.h"

/* See family_cases.h for what these are. */
void draw_gaussian(scant_i_factor *factor, scant_i_random *random);
void perturb_gaussian(scant_i_factor *factor, scant_i_random *random, double size);
double gaussian_density(const scant_i_factor *factor, size_t j, const double *x,
                        const uint8_t *present);

#endif
