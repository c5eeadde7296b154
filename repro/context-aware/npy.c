#include "npy.h"

#include <stdio.h>
#include <string.h>

/* Version 1 of the format: the header fills 128 bytes. */
bool npy_write(const char *path, const size_t *shape, const float *values)
{
    enum { HEADER = 128 };
    char header[HEADER + 1];
    size_t n = shape[0] * shape[1] * shape[2] * shape[3];
    int at = snprintf(header, sizeof header,
                      "\x93NUMPY\x01%c\x76%c{'descr': '<f4', 'fortran_order': False, "
                      "'shape': (%zu, %zu, %zu, %zu), }",
                      0, 0, shape[0], shape[1], shape[2], shape[3]);
    memset(header + at, ' ', (size_t)(HEADER - at));
    header[HEADER - 1] = '\n';
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    bool whole =
        fwrite(header, 1, HEADER, file) == HEADER && fwrite(values, sizeof *values, n, file) == n;
    return fclose(file) == 0 && whole;
}
