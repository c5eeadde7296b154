/* The best step along one axis or along a pair of axes. */
#ifndef SCANT_I_MED_LINE_H
#define SCANT_I_MED_LINE_H

#include "med/med.h"

enum { SCANT_I_MED_NONE = -1 };

/* beta of `up` grows and that of `down` falls by delta >= 0; either may be SCANT_I_MED_NONE. The slope of J is
 *
 *   h'(delta) = phi'_up - phi'_down - rest(delta),   rest falls nowhere: dOmega and the bias
 *
 * rest is `at_0` + `eta` delta, or what `rest` says. */
typedef struct scant_i_med_line {
    const scant_i_med_potential *potential;
    ptrdiff_t up, down;
    double beta_up, beta_down;
    double at_0, eta;
    double (*rest)(double *curvature, double delta, void *payload); /* or NULL */
    void *payload;
} scant_i_med_line;

/* The delta that maximises J; where a multiplier becomes 0, exactly that. INFINITY: J has no end. */
double scant_i_med_line_best(const scant_i_med_line *line);

#endif
