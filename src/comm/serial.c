#include "comm/comm.h"

static scant_status sum_alone(const scant_i_comm *comm, double *x, size_t n)
{
    (void)comm;
    (void)x;
    (void)n;
    return SCANT_OK;
}

const scant_i_comm scant_i_comm_serial = {.rank = 0, .size = 1, .sum = sum_alone};
