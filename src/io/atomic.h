/* Where bytes go. A file appears whole or not at all: it is written without a name, or beside its
 * place under another where the file system cannot do that, and takes its place when all of it is
 * on the disk. */
#ifndef SCANT_I_ATOMIC_H
#define SCANT_I_ATOMIC_H

#include "base/base.h"
#include <scant/file.h>

typedef struct scant_file scant_i_sink;

/* Does the name end in .gz, in letters of either case? */
bool scant_i_names_gzip(const char *path);

/* "-" is standard output; what names gzip is compressed. Links are followed and stay
 * links. What is there and is no ordinary file (a pipe, a terminal, /dev/null) is written to
 * directly, and so is a descriptor of this process (/dev/stdout, /dev/fd/3). */
scant_status scant_i_sink_open(scant_i_sink **out, const char *path);
/* From here on an interrupt fails what is written: for tables, which are long and half of which is nothing. */
void scant_i_sink_heed_interrupts(scant_i_sink *sink);
scant_status scant_i_sink_write(scant_i_sink *sink, const void *bytes, size_t n);
scant_status scant_i_sink_text(scant_i_sink *sink, const char *text);
scant_status scant_i_sink_format(scant_i_sink *sink, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Path of the file under way, which has a name from here on, for a library that writes it itself;
 * NULL if the sink writes directly. */
scant_status scant_i_sink_path(const char **out, scant_i_sink *sink);
/* Puts the file in its place. Without it, free leaves no trace. */
scant_status scant_i_sink_commit(scant_i_sink *sink);
void scant_i_sink_free(scant_i_sink *sink);

#endif
