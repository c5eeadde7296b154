#include "read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    scant_rows *rows = read_rows(data, n, &scant_i_format_hdf5, NULL);
    if (rows)
        look_at(rows);
    scant_rows_free(rows);
    return 0;
}
