/* The communicator: how the parts of a run that sit on different machines add up. Here there is one
 * part; a library of its own may bring others, with the same sums in the same order. */
#ifndef SCANT_I_COMM_H
#define SCANT_I_COMM_H

#include "base/base.h"

typedef struct scant_i_comm {
    size_t rank, size;
    /* x[0..n-1] becomes the sum over ranks, added in order of rank */
    scant_status (*sum)(const struct scant_i_comm *comm, double *x, size_t n);
    void *payload;
} scant_i_comm;

extern const scant_i_comm scant_i_comm_serial;

#endif
