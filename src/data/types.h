/* Types of columns: what the cells of a column have shown so far, the guess that follows, and types as
 * options. docs/types.md has the rules. */
#ifndef SCANT_I_TYPES_H
#define SCANT_I_TYPES_H

#include <scant/types.h>
#include "data/cell.h"
#include "data/names.h"

enum {
    SCANT_I_READINGS = 2,    /* of numbers: decimal points, decimal commas */
    SCANT_I_DISTINCT = 2000, /* values of a column that are kept */
    SCANT_I_STRANGE = 8      /* words among numbers that are kept */
};

/* What dates are made into: the number itself, and sine and cosine of each cycle. */
enum { SCANT_I_CYCLES = 3, SCANT_I_PARTS = 1 + 2 * SCANT_I_CYCLES };
extern const char *const scant_i_part_suffix[SCANT_I_PARTS]; /* "", ".year_sin", ... */
/* The parts of a date; those of a cycle are 2 c + 1 and 2 c + 2. */
void scant_i_date_parts(double part[SCANT_I_PARTS], double days);

/* How a column is to be read. */
typedef struct scant_i_type {
    scant_kind kind;
    scant_i_notation notation; /* of numbers */
    scant_i_order order;       /* of dates */
    size_t shortest, longest;  /* of texts: character n-grams, 0: words alone */
    bool
        cycle[SCANT_I_CYCLES]; /* of dates: columns for the time of year, of the week, of the day */
} scant_i_type;

/* Sums over the cells of a column. Zeroed is: none seen. */
typedef struct scant_i_facts {
    size_t count, missing; /* cells that are not missing, and that are */
    scant_i_names values;  /* the first SCANT_I_DISTINCT */
    size_t seen;           /* cells until `values` were full */
    bool full;             /* there may be more values */
    /* numbers */
    size_t numbers, plain, negative, whole[SCANT_I_READINGS], percent, currency, leading_zero;
    size_t decimal_comma, decimal_point, thousands_comma, thousands_point, thousands_blank;
    size_t either_comma, either_point;
    double least[SCANT_I_READINGS], most[SCANT_I_READINGS], last;
    size_t infinite;       /* numbers that a reader refuses */
    bool stepped;          /* every number is the last one and 1 */
    scant_i_names strange; /* cells that are no numbers: the first SCANT_I_STRANGE */
    bool stranger;         /* there are more */
    size_t unknown;        /* cells that are words for an unknown value */
    /* dates */
    size_t dates[SCANT_I_ORDERS], days, times, compact; /* compact: yyyymmdd */
    unsigned weekdays[SCANT_I_ORDERS];                  /* a bit for each that is there */
    double earliest, latest;
    /* texts */
    size_t bytes, words;
} scant_i_facts;

scant_status scant_i_facts_add(scant_i_facts *facts, const char *text, size_t length);
void scant_i_facts_free(scant_i_facts *facts);

/* The guess for a column; reason and example are written to `text`. */
typedef struct scant_i_guess {
    scant_i_type type;
    double sure;
    char reason[160];
} scant_i_guess;
/* `decimal`: of the file, 0 unknown; `rows`: of the file. */
void scant_i_facts_guess(scant_i_guess *out, const scant_i_facts *facts, const char *name,
                         char decimal, char separator);
/* What the column's cells say of decimals: ',' or '.' for certain, 0: nothing or both. */
char scant_i_facts_decimal(const scant_i_facts *facts);

/* COL=KIND[:how], as scant_read_options.types has them. *length is of the name. SCANT_ERR_ARGUMENT with
 * the kinds there are. */
scant_status scant_i_type_read(scant_i_type *out, size_t *length, const char *text);
/* The same as text; the caller frees it. NULL: out of memory. */
char *scant_i_type_text(const char *name, const scant_i_type *type);

#endif
