/* A structure and an objective that no program has: examples for docs/extending.md. */
#ifndef SCANT_T_TOYS_H
#define SCANT_T_TOYS_H

#include "latent/objective.h"

/* Rows in bags: consecutive rows of one component and one class. */
extern const scant_i_structure toy_bags;      /* of 3 rows */
extern const scant_i_structure toy_long_bags; /* of 1300: longer than a block and than a tile */
enum { TOY_BAG = 3, TOY_LONG_BAG = 1300 };

/* sum_i w_i (log p(x_i, e_i) - settings log p(x_i)) */
extern const scant_i_latent_objective toy_contrast;
#define TOY_CONTRAST 0.3

#endif
