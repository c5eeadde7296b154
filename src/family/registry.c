/* The one file that knows every family. */
#include "family/family.h"

#include <string.h>

static const scant_i_family *const families[] = {
    &scant_i_gaussian,    &scant_i_multinomial, &scant_i_bernoulli,
    &scant_i_categorical, &scant_i_poisson,     &scant_i_exponential,
    &scant_i_gamma,       &scant_i_maxwell,     &scant_i_regression,
};
enum { NFAMILIES = sizeof families / sizeof *families };

const scant_i_family *scant_i_family_at(size_t index)
{
    return index < NFAMILIES ? families[index] : NULL;
}

const scant_i_family *scant_i_family_find(const char *name)
{
    for (size_t f = 0; f < NFAMILIES; f++)
        if (strcmp(families[f]->name, name) == 0)
            return families[f];
    return NULL;
}
