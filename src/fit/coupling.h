/* The coupling of components to classes before a fit: which component may serve which class. */
#ifndef SCANT_I_COUPLING_H
#define SCANT_I_COUPLING_H

#include "model/method.h"
#include "latent/mixture.h"

typedef struct scant_i_mask {
    size_t ncomponents, nclasses;
    uint8_t *Z; /* ncomponents x nclasses: 1 where W may differ from 0 */
} scant_i_mask;

/* From the words of --sharing and -k: separate (one class a component), common (all ones), or a
 * file whose columns are the classes and whose rows are the components, of 0 and 1. A component or
 * class that is left with nothing is SCANT_ERR_INPUT. Rows without labels have one class. */
scant_status scant_i_mask_new(scant_i_mask *out, const scant_rows *rows,
                              const scant_fit_options *options, const scant_i_method *method);
void scant_i_mask_clear(scant_i_mask *mask);
/* A start brings its own coupling, in W of a mixture for the rows: -k and --sharing that ask for
 * another are SCANT_ERR_ARGUMENT. `separate`, which is not told from nothing said, and `auto` go
 * with any; so do classes that the start gives no share. */
scant_status scant_i_mask_agree(const scant_i_mixture *start, const scant_rows *rows,
                                const scant_fit_options *options);

/* W of a mixture of mask->ncomponents: class proportions as among the exactly labelled rows (or the
 * mixture's prior), spread evenly over the class's components. With a class of their own for
 * unlabelled rows, the last one, every component serves it too. */
scant_status scant_i_mask_lay(scant_i_mixture *mixture, const scant_i_mask *mask,
                              const scant_rows *rows, bool own_class);

/* The mixture's R for --sharing lambda= and auto (component-sharing §4); nothing otherwise. */
scant_status scant_i_sharing_lay(scant_i_mixture *mixture, const scant_rows *rows,
                                 const scant_fit_options *options);
/* The mask that a learned R (K x stride) stands for, put into W: components a class does not use
 * are taken from it, and each keeps at least the one it uses most. */
void scant_i_sharing_settle(scant_i_mixture *mixture, const double *R);

#endif
