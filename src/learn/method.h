/* Methods: rows of one table of settings. The engine knows the settings and no names. */
#ifndef SCANT_I_METHOD_H
#define SCANT_I_METHOD_H

#include <scant/fit.h>
#include "latent/evidence.h"

typedef struct scant_i_method {
    const char *name;     /* of --unlabeled */
    bool own_class;       /* unlabelled rows are a class of their own */
    bool component_major; /* the coupling's M-step */
    bool after;           /* labels are left out of the fit and name the components afterwards */
} scant_i_method;

/* The method the options ask for, and how it takes evidence. Pairs of settings that exclude each
 * other are SCANT_ERR_ARGUMENT with the reason. */
scant_status scant_i_method_choose(const scant_i_method **out, scant_i_evidence_settings *evidence,
                                   const scant_fit_options *options);

#endif
