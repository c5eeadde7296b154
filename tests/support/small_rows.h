/* Small rows of every kind, for tests that repeat one piece of work a thousand times. */
#ifndef SCANT_T_SMALL_ROWS_H
#define SCANT_T_SMALL_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <scant/data.h>

typedef enum small_kind {
    SMALL_NUMBERS,   /* normal, two groups */
    SMALL_POSITIVE,  /* above 0 */
    SMALL_COUNTS,    /* 0, 1, 2, ... */
    SMALL_BITS,      /* 0 and 1 */
    SMALL_CATEGORIES /* of three levels, "r", "g" and "b" */
} small_kind;

typedef struct small_plan {
    size_t n;
    const small_kind *kind; /* one a column; columns are x1, x2, ... */
    size_t ncolumns;
    bool labels;  /* exact, unknown, sets and probabilities of classes a and b */
    bool weights; /* 0.5, 1, 1.5, 2 */
    bool missing; /* some cells are */
    bool sparse;  /* compressed rows */
} small_plan;

/* The rows of a plan, always the same; asserts that they could be made. */
scant_rows *small_rows(const small_plan *plan);

#endif
