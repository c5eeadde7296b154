/* Which column of a file is what: features, label, weight, identifier, group, time. */
#ifndef SCANT_I_PLAN_H
#define SCANT_I_PLAN_H

#include "data/rows.h"
#include "data/types.h"

typedef enum scant_i_role {
    SCANT_I_UNUSED,
    SCANT_I_FEATURE,
    SCANT_I_LABEL,
    SCANT_I_WEIGHT,
    SCANT_I_ID,
    SCANT_I_GROUP, /* or sequence */
    SCANT_I_TIME
} scant_i_role;

typedef struct scant_i_field {
    scant_i_role role;
    scant_i_kind kind; /* of a feature */
    size_t target;     /* feature: its column in the rows */
    bool probability;  /* a feature for now: class probabilities, or all the table is of that */
    bool fast;         /* a feature of plain numbers: no cell that reads as one is anything else */
    bool typed;        /* by the options or the schema */
    scant_i_type type;
    size_t part[SCANT_I_PARTS]; /* of a date: the columns of its parts, SIZE_MAX: none */
} scant_i_field;

typedef struct scant_i_plan {
    size_t nfields;
    scant_i_field *fields;
    size_t ncolumns; /* features, class probabilities behind them */
    size_t ncontext; /* class probabilities */
    size_t nwords;   /* fields of texts, of which there are words in place of columns */
    bool lenient;    /* types are known, so that words for an unknown value can be told */
    size_t *source; /* ncolumns: the field of each, SIZE_MAX: absent (only where that is allowed) */
} scant_i_plan;

/* `names`: nfields names, all different. Absent columns are SCANT_ERR_INPUT with the nearest name;
 * `reach_is_open`: but for x<number>, which a file of unnamed columns may just not reach. */
scant_status scant_i_plan_new(scant_i_plan *out, const char *file, const char *const *names,
                              size_t nfields, const scant_read_options *options,
                              bool reach_is_open);
void scant_i_plan_free(scant_i_plan *plan);

/* Columns of `rows` after the plan: names, kinds and fields. */
scant_status scant_i_plan_columns(scant_rows *rows, const scant_i_plan *plan,
                                  const char *const *names, const scant_read_options *options);
/* Cells of a category that hold codes of `text`, in order of appearance, get the codes of its
 * sorted levels, or of the schema's. With `weight` given, rows of weight 0 add no level; what they
 * would add is missing. */
scant_status scant_i_plan_levels(scant_rows *rows, size_t column, const char *const *text,
                                 size_t ntext, const scant_read_options *options,
                                 const double *weight);

#endif
