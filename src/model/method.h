/* Methods: rows of one table of settings. The engine knows the settings and no names. */
#ifndef SCANT_I_METHOD_H
#define SCANT_I_METHOD_H

#include <scant/fit.h>
#include "latent/evidence.h"

typedef struct scant_i_method {
    const char *name;     /* of --unlabeled, and in model files */
    const char *alias;    /* the long word for it */
    bool own_class;       /* unlabelled rows are a class of their own */
    bool component_major; /* the coupling's M-step */
    bool after;           /* labels are left out of the fit and name the components afterwards */
} scant_i_method;

/* What --sharing says in addition to separate, common and a file. */
typedef enum scant_i_sharing {
    SCANT_I_BY_MASK,   /* separate, common or a file: zeros of the coupling */
    SCANT_I_BY_LAMBDA, /* own components fully, those of other classes by a factor lambda */
    SCANT_I_BY_SEARCH  /* which components serve which class is learned, then fitted */
} scant_i_sharing;
/* "lambda=0.3" gives *lambda. */
scant_i_sharing scant_i_sharing_of(const char *text, double *lambda);

/* Neither a word nor a table says that classes share components. */
bool scant_i_sharing_is_separate(const scant_model_options *options);

/* The method the options ask for, and how it takes evidence. Pairs of settings that exclude each
 * other are SCANT_ERR_ARGUMENT with the reason. */
scant_status scant_i_method_choose(const scant_i_method **out, scant_i_evidence_settings *evidence,
                                   const scant_fit_options *options);

#endif
