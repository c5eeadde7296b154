/* How far a plan is: counted, told to whoever watches, and ended when they ask for it. */
#ifndef SCANT_I_STEPS_H
#define SCANT_I_STEPS_H

#include "base/base.h"

typedef struct scant_i_steps {
    scant_progress progress; /* NULL: nobody watches */
    void *payload;
    size_t done, total;
} scant_i_steps;

/* SCANT_ERR_INTERRUPTED where the work is to end. Both take NULL: only an interrupt counts then. */
scant_status scant_i_steps_look(const scant_i_steps *steps);
scant_status scant_i_steps_count(scant_i_steps *steps); /* one more is done; then looks */

#endif
