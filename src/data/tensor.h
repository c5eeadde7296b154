/* Tensors of any order: coordinates and values, or dense. */
#ifndef SCANT_I_TENSOR_H
#define SCANT_I_TENSOR_H

#include <scant/data.h>
#include "base/base.h"

typedef struct scant_i_tensor {
    size_t order;
    size_t *size;    /* order */
    size_t nentries; /* sparse: entries; dense: product of size */
    uint32_t *index; /* sparse: nentries x order, from 0; NULL where dense */
    double *value;   /* nentries; dense: last index fastest */
} scant_i_tensor;

void scant_i_tensor_free(scant_i_tensor *tensor);
scant_status scant_i_tensor_read(scant_i_tensor **out, const char *path);
scant_status scant_i_tensor_write(const scant_i_tensor *tensor, const char *path);

#endif
