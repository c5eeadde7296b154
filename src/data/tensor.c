#include "data/tensor.h"

void scant_i_tensor_free(scant_i_tensor *tensor)
{
    if (!tensor)
        return;
    scant_i_free(tensor->size);
    scant_i_free(tensor->index);
    scant_i_free(tensor->value);
    scant_i_free(tensor);
}
