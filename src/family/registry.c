/* The one file that knows every family: those of the library, then those of the program. */
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
    return index < NFAMILIES ? families[index] : scant_i_user_family_at(index - NFAMILIES);
}

const scant_i_family *scant_i_family_default(bool sparse, bool categorical)
{
    return sparse ? &scant_i_multinomial : categorical ? &scant_i_categorical : &scant_i_gaussian;
}

const scant_i_family *scant_i_family_find(const char *name)
{
    return scant_i_family_named(name, strlen(name));
}

const scant_i_family *scant_i_family_named(const char *name, size_t length)
{
    const scant_i_family *family;
    for (size_t f = 0; (family = scant_i_family_at(f)); f++)
        if (strlen(family->name) == length && memcmp(family->name, name, length) == 0)
            break;
    return family;
}
