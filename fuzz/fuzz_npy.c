/* Rows and tensors have the header in common. */
#include "read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    scant_rows *rows = read_rows(data, n, &scant_i_format_npy, NULL);
    if (rows)
        look_at(rows);
    scant_rows_free(rows);
    scant_i_source *source = NULL;
    scant_i_tensor *tensor = NULL;
    if (scant_i_source_memory(&source, data, n, "fuzz") == SCANT_OK)
        (void)scant_i_format_npy.read_tensor(&tensor, source);
    scant_i_source_free(source);
    scant_i_tensor_free(tensor);
    return 0;
}
