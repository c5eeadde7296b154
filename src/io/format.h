/* The formats: one descriptor each, one table of them (format.c). */
#ifndef SCANT_I_FORMAT_H
#define SCANT_I_FORMAT_H

#include "data/rows.h"
#include "data/tensor.h"
#include "io/atomic.h"
#include "io/source.h"

typedef struct scant_i_file_format {
    const char *name;
    const char *const *endings; /* of file names, with the dot, NULL-terminated */
    /* The first bytes are this format's for certain. NULL: it cannot be told by them. */
    bool (*sniff)(const unsigned char *head, size_t n);
    scant_status (*read)(scant_rows **out, scant_i_source *source,
                         const scant_read_options *options);
    scant_status (*write)(const scant_rows *rows, scant_i_sink *sink, const char *path);
    scant_status (*read_tensor)(scant_i_tensor **out, scant_i_source *source);
    scant_status (*write_tensor)(const scant_i_tensor *tensor, scant_i_sink *sink);
} scant_i_file_format; /* NULL where a format has no such thing */

extern const scant_i_file_format scant_i_format_csv, scant_i_format_npy, scant_i_format_svmlight,
    scant_i_format_matrix_market, scant_i_format_tns, scant_i_format_hdf5;

/* As scant_rows_read, from an open source. */
scant_status scant_i_rows_read_source(scant_rows **out, scant_i_source *source,
                                      const scant_i_file_format *format,
                                      const scant_read_options *options);

/* Class probabilities, from columns that were read or from a file of their own, become evidence. */
scant_status scant_i_rows_take_context(scant_rows *rows, const scant_read_options *options);

/* --- what the formats of plain numbers share (matrix.c) --- */

/* Rows as read, all columns numbers, become what the options ask for: columns are chosen, put in
 * the schema's order, and those with a role leave the matrix. Inf is refused. Takes names from
 * rows->columns, else x1, x2, ...; `reach_is_open`: a schema's x<number> that is absent is zero. */
scant_status scant_i_matrix_finish(scant_rows *rows, const scant_read_options *options,
                                   bool reach_is_open);
/* Rows, columns and modes cost memory though they may be empty, and a few bytes can claim billions: so many are free, and so
 * many more for each entry in the file. SCANT_ERR_INPUT where `size` is more than that and more than `known`, what a schema
 * has. */
enum { SCANT_I_FREE_ROWS = 1 << 20, SCANT_I_FREE_COLUMNS = 1 << 18 };
scant_status scant_i_check_claim(const char *file, const char *what, size_t size, size_t entries,
                                 size_t free, size_t known);
/* Warns of what a format without names cannot keep. */
void scant_i_matrix_warn(const scant_rows *rows, const char *format, bool keeps_labels,
                         bool keeps_names);
/* An array that grows as bytes arrive, so that no header can make it large. */
typedef struct scant_i_doubles {
    double *value;
    size_t count, room;
} scant_i_doubles;
scant_status scant_i_doubles_reserve(scant_i_doubles *doubles, size_t more);
/* Column-major to row-major; the old array is freed. */
scant_status scant_i_doubles_transpose(scant_i_doubles *doubles, size_t nrows, size_t ncolumns);

#endif
