/* Files for tests: a folder of their own that goes away, and rows from text. */
#ifndef SCANT_T_SCRATCH_H
#define SCANT_T_SCRATCH_H

#include <stddef.h>
#include <scant/data.h>

/* A path in the test's own folder; borrowed until the next eight calls. */
const char *scratch_path(const char *name);
/* Writes the bytes there and returns the path. */
const char *scratch_bytes(const char *name, const void *bytes, size_t n);
const char *scratch_text(const char *name, const char *text);
const char *scratch_gzip(const char *name, const char *text);
/* The file's contents with a zero byte behind; the caller frees it with free(). */
char *scratch_load(const char *path);
size_t scratch_count(void); /* files in the folder */
void scratch_clear(void);   /* removes the folder */

#endif
