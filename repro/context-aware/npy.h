/* Arrays for NumPy. */
#ifndef NPY_H
#define NPY_H

#include <stdbool.h>
#include <stddef.h>

enum { NPY_DIMENSIONS = 4 };

/* Writes an array of that shape, row-major; false where that failed. */
bool npy_write(const char *path, const size_t *shape, const float *values);

#endif
