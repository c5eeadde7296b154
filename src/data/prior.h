/* Shares of the classes as they are typed. scant_prior_read (scant/data.h) is the public part. */
#ifndef SCANT_I_PRIOR_H
#define SCANT_I_PRIOR_H

#include <scant/data.h>
#include "base/base.h"

/* The class with the longest name that the text begins with, and then an equals sign; nclasses where
 * there is none. Names may have commas and equals signs. */
size_t scant_i_class_at(const char *text, const char *const *classes, size_t nclasses);

/* As scant_prior_read, and every share above 0; messages begin with the option's name. */
scant_status scant_i_prior_read(double *prior, const char *text, char *const *classes,
                                size_t nclasses, const char *option);

/* Names of two classes where no labels give them: those of "a=0.3,b=0.7", or 0 and 1. The caller
 * frees each; what could not be made is NULL. */
scant_status scant_i_prior_name(char *names[2], const char *text);

#endif
