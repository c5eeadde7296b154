/* Tensors of any order: coordinates and values, or dense. */
#ifndef SCANT_I_TENSOR_H
#define SCANT_I_TENSOR_H

#include <scant/data.h>
#include <scant/factor.h>
#include "base/base.h"

typedef struct scant_tensor scant_i_tensor;

struct scant_tensor {
    size_t order;
    size_t *size;    /* order */
    size_t nentries; /* sparse: entries; dense: product of size */
    uint32_t *index; /* sparse: nentries x order, from 0; NULL where dense */
    double *value;   /* nentries; dense: last index fastest */
};

void scant_i_tensor_free(scant_i_tensor *tensor);
/* Entries in the order of their indices, those of one cell added up; how many were joined. */
scant_status scant_i_tensor_sort(scant_i_tensor *tensor, size_t *joined);
/* "2 5 1": the place of an entry, from 1, in a message. */
enum { SCANT_I_TENSOR_PLACE = 32 * 12 };
const char *scant_i_tensor_place(char text[SCANT_I_TENSOR_PLACE], const scant_i_tensor *tensor,
                                 size_t entry);
scant_status scant_i_tensor_read(scant_i_tensor **out, const char *path);
scant_status scant_i_tensor_write(const scant_i_tensor *tensor, const char *path);

#endif
