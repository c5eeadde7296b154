/* Column types: what each column of a table is, guessed from its cells. */
#ifndef SCANT_TYPES_H
#define SCANT_TYPES_H

#include <scant/data.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum scant_kind {
    SCANT_KIND_NUMBER,     /* a measurement */
    SCANT_KIND_COUNT,      /* whole, from 0 */
    SCANT_KIND_BINARY,     /* 0/1 */
    SCANT_KIND_CATEGORY,   /* one of a few names or codes */
    SCANT_KIND_DATE,       /* a date, a time, or both */
    SCANT_KIND_TEXT,       /* words */
    SCANT_KIND_IDENTIFIER, /* names a row */
    SCANT_KIND_CONSTANT,   /* one value, or none */
    SCANT_KIND_IGNORE,     /* left out because somebody said so; never guessed */
    SCANT_KINDS
} scant_kind;

/* "number", "count", "0/1", "category", "date", "text", "identifier", "constant", "ignore". */
SCANT_API const char *scant_kind_name(scant_kind kind);

/* A column as guessed. Texts are borrowed from the guess. */
typedef struct scant_type {
    const char *name;
    scant_kind kind;
    double sure;        /* 0 to 1 */
    const char *reason; /* one line */
    /* What scant_read_options.types takes: name=kind, with how it is written (:comma for decimal
     * commas, :dmy for dates) where that is not the usual. */
    const char *as_option;
    size_t count, missing; /* cells */
    size_t distinct;       /* values; `distinct_is_most`: there may be more */
    bool distinct_is_most;
    double least, most;     /* of numbers, NaN for others; dates in days since 1970-01-01 */
    const char *example[3]; /* NULL behind the last */
} scant_type;

typedef struct scant_types scant_types;

/* Reads the whole file once, in a few megabytes, and guesses. `options` say how the file is read, its
 * `types` what is known already; no option is refused because of a cell. Files without cells of text
 * (npy, HDF5, ...) are guessed from their numbers; of sparse rows no column is listed. */
SCANT_API scant_status scant_types_guess(scant_types **out, const char *path,
                                         const scant_read_options *options);
SCANT_API size_t scant_types_count(const scant_types *types);
SCANT_API const scant_type *scant_types_at(const scant_types *types, size_t column);
SCANT_API size_t scant_types_rows(const scant_types *types);
/* What there is to say of the file itself (its encoding, names that occur twice, rows of another
 * width), one line each. */
SCANT_API size_t scant_types_notes(const scant_types *types);
SCANT_API const char *scant_types_note(const scant_types *types, size_t index);
SCANT_API void scant_types_free(scant_types *types);

#ifdef __cplusplus
}
#endif
#endif
