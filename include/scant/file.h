/* Files as the library writes its own: they appear whole or not at all. */
#ifndef SCANT_FILE_H
#define SCANT_FILE_H

#include <stddef.h>
#include <scant/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scant_file scant_file;

/* Begins a file, which is not in its place before it is whole. "-" is standard output; a name that
 * ends in .gz is compressed. Links are followed and stay links. What is there and is no ordinary file (a
 * pipe, a terminal), or is a descriptor of this process (/dev/stdout), is written to directly. */
SCANT_API scant_status scant_file_open(scant_file **out, const char *path);
SCANT_API scant_status scant_file_write(scant_file *file, const void *bytes, size_t n);
/* Puts the file in its place when all of it is on the disk, with the mode of the one it replaces.
 * Without it, scant_file_free leaves no trace. */
SCANT_API scant_status scant_file_commit(scant_file *file);
SCANT_API void scant_file_free(scant_file *file); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
