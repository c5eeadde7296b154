/* What people write into cells: numbers with commas, units and signs of money, dates, and words for
 * a value that is not known. */
#ifndef SCANT_I_CELL_H
#define SCANT_I_CELL_H

#include "base/base.h"

/* How the numbers of a column are written. Zeroed is the plain form: a point, nothing between
 * thousands, no percent, no currency. */
typedef struct scant_i_notation {
    char decimal;   /* '.' or ',', 0: plain */
    char thousands; /* '.', ',', ' ' (a blank or an apostrophe), or 0: none */
} scant_i_notation;

/* What a cell says of the notation of its column. */
typedef struct scant_i_shape {
    bool plain;                        /* a decimal number as the C locale has it */
    bool decimal_comma, decimal_point; /* for certain */
    bool thousands_comma, thousands_point, thousands_blank; /* for certain */
    bool either_comma, either_point;                        /* 1,234: thousands or three decimals */
    bool percent, currency;
    bool leading_zero; /* 007: a code rather than a number */
    bool whole;        /* no separator but perhaps of thousands, no percent */
} scant_i_shape;

/* Is it a number in some notation? */
bool scant_i_cell_shape(scant_i_shape *out, const char *text, size_t length);
/* The number in a given notation; 12% is 0.12, (12) is -12, signs of money do not count. */
bool scant_i_cell_number(double *out, const char *text, size_t length, scant_i_notation notation);

typedef enum scant_i_order { SCANT_I_YMD, SCANT_I_DMY, SCANT_I_MDY, SCANT_I_ORDERS } scant_i_order;

/* A date, a time or both: days since 1970-01-01 with the time of day as a fraction; of a time alone
 * the fraction. 2024-03-01, 1.3.2024, 03/01/24, 1 Mar 2024, Mar 1, 2024, each with 13:45[:30[.5]],
 * am or pm, Z or an offset behind it. */
typedef struct scant_i_date {
    double days;
    bool has_day, has_time;
} scant_i_date;
bool scant_i_cell_date(scant_i_date *out, const char *text, size_t length, scant_i_order order);

/* Words that other programs write for a value that is not known: n/a, null, none, -, ... `certain`:
 * only those that are no name either. */
bool scant_i_cell_is_unknown(const char *text, size_t length, bool certain);

#endif
