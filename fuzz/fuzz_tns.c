#include "read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    scant_i_source *source = NULL;
    scant_i_tensor *tensor = NULL;
    if (scant_i_source_memory(&source, data, n, "fuzz") == SCANT_OK)
        (void)scant_i_format_tns.read_tensor(&tensor, source);
    for (size_t k = 0; tensor && k < tensor->nentries; k++)
        for (size_t m = 0; m < tensor->order; m++)
            if (tensor->index[k * tensor->order + m] >= tensor->size[m])
                abort();
    scant_i_source_free(source);
    scant_i_tensor_free(tensor);
    return 0;
}
