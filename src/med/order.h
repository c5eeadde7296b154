/* Orders of axes: which multiplier is next (section 10.1.3 of the thesis). */
#ifndef SCANT_I_MED_ORDER_H
#define SCANT_I_MED_ORDER_H

#include "base/random.h"
#include "med/med.h"

/* How an ascent has gone so far. */
typedef struct scant_i_med_ascent {
    size_t n;             /* axes */
    size_t step;          /* from 0 */
    size_t last;          /* the axis of the last step; n: there was none */
    double gain;          /* of J by the last step */
    const double *slopes; /* n: how far each is out of order, where the order wants them */
    scant_i_random *random;
} scant_i_med_ascent;

struct scant_i_med_order {
    const char *name, *summary;
    bool slopes; /* wants the slopes of all axes: O(cells) a step */
    scant_status (*start)(void **state, size_t n);
    size_t (*next)(void *state, const scant_i_med_ascent *ascent);
};

/* random, cyclic, shuffled, skip-idle, greedy, learned; ends with NULL. State is freed with scant_i_free. */
extern const scant_i_med_order *const scant_i_med_orders[];
/* NULL: there is none of that name. */
const scant_i_med_order *scant_i_med_order_find(const char *name);

/* J after each of `*steps` single steps from multipliers of 0, fewer once J is `enough`; the bias prior is not flat and
 * discriminants are linear. */
scant_status scant_i_med_axis_trace(double *J, size_t *steps, const scant_i_med_problem *problem,
                                    const scant_i_med_order *order, double enough, uint64_t seed);

#endif
