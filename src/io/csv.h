/* The CSV reader's parts. The file is read in chunks; a chunk is cut at ends of records into
 * pieces, which threads parse side by side, each into its own place; then pieces are joined in the
 * file's order. So results, and the first error, are the same for any number of threads. */
#ifndef SCANT_I_CSV_H
#define SCANT_I_CSV_H

#include "base/number.h"
#include "data/names.h"
#include "io/format.h"
#include "io/plan.h"

/* The fuzz targets make these tiny, so that small inputs have many chunks and pieces. */
#ifndef SCANT_CSV_FIRST
#define SCANT_CSV_FIRST (64 << 10)
#define SCANT_CSV_CHUNK (4 << 20)
#define SCANT_CSV_PIECE (256 << 10)
#endif

enum {
    SCANT_I_CSV_FIRST = SCANT_CSV_FIRST, /* bytes read at first: most files are small */
    SCANT_I_CSV_CHUNK = SCANT_CSV_CHUNK, /* bytes read at once from then on */
    SCANT_I_CSV_PIECE = SCANT_CSV_PIECE, /* bytes a thread takes at once, about */
    SCANT_I_CSV_PIECES = 2 + SCANT_I_CSV_CHUNK / SCANT_I_CSV_PIECE,
    SCANT_I_CSV_RECORD = 1 << 28 /* bytes of the longest record; more is an open quote */
};

/* Texts, each ended by a zero byte. */
typedef struct scant_i_csv_bytes {
    char *text;
    size_t used, room;
} scant_i_csv_bytes;

/* A part of the chunk that is whole records, and what was found in it. */
typedef struct scant_i_csv_piece {
    char *begin, *end; /* end is behind a newline */
    size_t line;       /* of begin */
    size_t most;       /* rows there can be: newlines */
    size_t first;      /* row of the arrays that its rows start at */
    size_t nrows;
    scant_i_names *names;    /* ntexts: texts of the fields that have some, coded as they appear */
    scant_i_csv_bytes ids;   /* identifiers */
    scant_i_csv_bytes words; /* cells of texts, field after field, row after row */
} scant_i_csv_piece;

typedef struct scant_i_csv {
    scant_i_source *source;
    const char *file;
    const scant_read_options *options;
    char separator;
    /* the chunk */
    char *buffer;
    size_t room, used; /* bytes that there can be, and are */
    bool ended;
    size_t line;         /* of the buffer's first byte */
    size_t lines_before; /* lines ahead of the buffer when the header is looked for */
    size_t checked;      /* bytes of the buffer that are UTF-8 */
    size_t *copies;      /* of each name: the number its last namesake got, 0: it has none */
    size_t copies_room, nrenamed;
    bool foreign;         /* some were not */
    scant_i_names *notes; /* borrowed; NULL: they are logged */
    /* columns */
    scant_i_names header;
    const char **names; /* nfields, into header */
    size_t nfields;
    scant_i_plan plan;
    size_t *text_of; /* nfields: which of the text tables a field has */
    size_t ntexts;
    scant_i_names *texts; /* ntexts: as in the pieces, but of the whole file */
    /* rows */
    scant_rows *rows; /* rows->nrows grows */
    size_t rows_room;
    int32_t *label; /* codes of texts, -1 missing; NULL: no such column. The same for the others: */
    size_t *id;     /* offsets in ids */
    scant_i_csv_bytes ids, words; /* as in the pieces */
    size_t *piece_line;           /* lines of the rows under way, from row rows->nrows on */
    size_t piece_line_room;
    scant_i_csv_piece pieces[SCANT_I_CSV_PIECES];
    size_t npieces;
} scant_i_csv;

/* A cell: its text without quotes and blanks around it, and where its end was. */
typedef struct scant_i_csv_cell {
    char *text;
    size_t length;
    char *after;     /* at the separator or newline */
    size_t newlines; /* within the cell */
    bool torn;       /* text behind the closing quote, or no closing quote */
} scant_i_csv_cell;

/* Unquotes in place; `at` is in a record that ends in a newline. */
scant_i_csv_cell scant_i_csv_take(char *at, char separator);

/* Reads the header; what there is to say of the file is added to `notes` (borrowed), or logged. */
scant_status scant_i_csv_open(scant_i_csv **out, scant_i_source *source,
                              const scant_read_options *options, scant_i_names *notes);
/* Reads the header and plans the columns; `source` and `options` are borrowed. */
scant_status scant_i_csv_new(scant_i_csv **out, scant_i_source *source,
                             const scant_read_options *options);
void scant_i_csv_free(scant_i_csv *csv);
/* The row in the one line from `begin` to `end`, which is behind its newline, has
 * SCANT_I_NUMBER_PAD bytes behind it and is written over; NULL where the line is blank. A quote
 * must close within the line. */
scant_status scant_i_csv_one(scant_rows **out, scant_i_csv *csv, char *begin, char *end,
                             size_t line);

/* Fills the buffer behind what is left from before; cuts it into pieces (csv_chunk.c). */
scant_status scant_i_csv_fill(scant_i_csv *csv);
scant_status scant_i_csv_cut(scant_i_csv *csv, size_t *taken);
void scant_i_csv_drop(scant_i_csv *csv, size_t taken); /* lets go of what was parsed */
/* Bytes that are no UTF-8 become the letters they are in Windows-1252, which has Latin-1 within it
 * (csv_text.c). Looks at whole lines that are new in the buffer. */
scant_status scant_i_csv_to_utf8(scant_i_csv *csv);
/* The field, from 1, in which the last quote of an unfinished record was opened. */
size_t scant_i_csv_open_field(const char *begin, const char *end, char separator);
/* End of the record at `begin`, behind its newline, NULL if it is not before `end`. A separator of
 * 0 stands for all that may be one. */
char *scant_i_csv_record(char *begin, char *end, char separator);

/* Reads the header line from the filled buffer; plans the columns by the options (csv_header.c). */
scant_status scant_i_csv_header(scant_i_csv *csv);
scant_status scant_i_csv_plan(scant_i_csv *csv);
/* Something to know about the file: kept in csv->notes, or logged as a warning. */
scant_status scant_i_csv_note(scant_i_csv *csv, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* Parses piece k: a scant_i_task whose payload is the scant_i_csv (csv_cells.c). */
scant_status scant_i_csv_parse(size_t k, size_t worker, void *payload);

scant_status scant_i_csv_write(const scant_rows *rows, scant_i_sink *sink, const char *path);

#endif
