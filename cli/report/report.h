/* What `scant report` and `scant plot` share: what they tell of, and the table of pictures. */
#ifndef SCANT_CLI_REPORT_H
#define SCANT_CLI_REPORT_H

#include "command.h"
#include "factor.h"
#include "report/html.h"
#include "report/picture.h"

/* --- the subject --- */

typedef enum cli_sort {
    CLI_OF_MODEL,
    CLI_OF_AUDIT,   /* the JSON of `scant audit` on votes */
    CLI_OF_SCORES,  /* of `scant audit --scores` */
    CLI_OF_NUMBERS, /* of `scant audit --regression` or --channel */
    CLI_OF_PLAN,    /* of `scant plan` */
    CLI_OF_FACTORS  /* the folder of `scant factor` */
} cli_sort;

/* Factors as their folder has them. */
typedef struct cli_mode {
    size_t size;
    double *value; /* size x rank */
    cli_names names;
} cli_mode;

typedef struct cli_subject {
    cli_sort sort;
    const char *path, *data; /* as typed; data NULL: none */
    scant_texts axes;        /* of the map: two columns, or none */
    /* a model; rows and all that follows from them only with DATA */
    scant_model *model;
    scant_rows *rows;
    cli_answers answers;
    int32_t *truth;  /* true class of each row that is to be compared with, else -1 */
    size_t compared; /* rows with one */
    bool held_back;  /* truth is of rows whose label the model did not see */
    /* the others */
    json_t *told;
    cli_mode *mode;
    double *weight; /* of components */
    size_t order, rank;
} cli_subject;

/* Options that say what to tell of. */
typedef struct cli_subject_options {
    cli_input input;
    const char *truth;
    scant_texts axes;
} cli_subject_options;

void cli_subject_add(cli_call *call, cli_subject_options *options);
/* Finds out what `path` is by what is in it, and reads it. GO_ON or an exit code. */
int cli_subject_read(cli_subject *out, const cli_call *call, const cli_subject_options *options,
                     const char *path, const char *data);
void cli_subject_clear(cli_subject *subject);

/* Numbers of a JSON document; NaN where there is none. */
double cli_told(const json_t *object, const char *name);
const char *cli_told_text(const json_t *object, const char *name); /* "" where there is none */

/* --- pictures --- */

typedef struct cli_kind {
    const char *name, *about;
    /* NULL: it can be drawn. Else why not, as in "there is no picture of it: ...". */
    const char *(*lacks)(const cli_subject *subject);
    bool (*draw)(cli_picture *picture, const cli_subject *subject); /* false: out of memory */
    void (*caption)(FILE *out, const cli_subject *subject);         /* plain words */
    void (*tell)(FILE *out, const cli_subject *subject); /* its numbers as HTML, or NULL */
} cli_kind;

/* All of them, in the order of a page; ends with NULL. */
extern const cli_kind *const cli_kinds[];
const cli_kind *cli_kind_find(const char *name);

/* The picture of a plan's JSON. */
bool cli_region_draw(cli_picture *picture, const json_t *told);
/* Sigma_j[c, e] of a Gaussian's covariances, whatever their shape (docs/families.md). */
double cli_covariance_at(const scant_parameter_view *view, size_t d, size_t j, size_t c, size_t e);

/* --- sections --- */

enum { CLI_PICTURES = 5 };
/* A section is written where it has something to tell, or one of its pictures can be drawn. */
typedef struct cli_part {
    const char *id, *title;
    bool (*tells)(const cli_subject *subject);           /* NULL: it has pictures alone */
    void (*tell)(FILE *out, const cli_subject *subject); /* as HTML */
    const cli_kind *pictures[CLI_PICTURES];              /* the last is NULL */
} cli_part;

/* All of them, in the order of a page; ends with NULL. */
extern const cli_part *const cli_parts[];

/* Rows of a table that say one thing each: "name  value". */
void cli_fact(cli_table *table, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A group of sections a file: report_<group>.c. */
extern const cli_part cli_part_fit, cli_part_warnings, cli_part_components, cli_part_answers;
extern const cli_part cli_part_delta, cli_part_audit, cli_part_confusion, cli_part_plan;
extern const cli_part cli_part_factors, cli_part_switches;
extern const cli_kind cli_convergence, cli_composition, cli_map, cli_profiles, cli_density;
extern const cli_kind cli_calibration, cli_errors, cli_weights, cli_predictors, cli_region;
extern const cli_kind cli_factor_profiles, cli_path, cli_cumulative, cli_roc;

#endif
