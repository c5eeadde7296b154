/* How many components for which class, from the words of `-k`. */
#ifndef SCANT_I_COMPONENTS_H
#define SCANT_I_COMPONENTS_H

#include "data/rows.h"

/* count[k] components for each of the K classes of the rows (K = 1 without labels), by `text`: "4"
 * in all (equally over classes, the remainder to the largest), "2/class", "male=3,female=1", or
 * NULL: one each. weight[k]: the classes' weights in the rows. */
scant_status scant_i_components_parse(size_t *count, const char *text, char *const *classes,
                                      size_t K, const double *weight);

#endif
