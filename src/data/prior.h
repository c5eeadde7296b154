/* Shares of the classes as they are typed. scant_prior_read (scant/data.h) is the public part. */
#ifndef SCANT_I_PRIOR_H
#define SCANT_I_PRIOR_H

#include <scant/data.h>
#include "base/base.h"

/* As scant_prior_read, and every share above 0; messages begin with the option's name. */
scant_status scant_i_prior_read(double *prior, const char *text, char *const *classes,
                                size_t nclasses, const char *option);

#endif
