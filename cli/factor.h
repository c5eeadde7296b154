/* Files and lists of `scant factor`: names, factors as tables, the strongest entries. */
#ifndef SCANT_CLI_FACTOR_H
#define SCANT_CLI_FACTOR_H

#include "command.h"

/* Names of a mode's entries; none: they are called by their numbers. */
typedef struct cli_names {
    char **item;
    size_t count;
} cli_names;

/* A name a line, or FILE:COLUMN of a table; "-": none. As many as `wanted`, else an exit code. */
int cli_names_read(cli_names *out, const cli_call *call, const char *what, size_t wanted);
bool cli_names_add(cli_names *names, const char *text); /* copied; false: out of memory */
void cli_names_clear(cli_names *names);

/* FOLDER/mode-N.csv, for N = 0 FOLDER/weights.csv; the caller frees it. NULL: out of memory. */
char *cli_factor_path(const char *folder, size_t mode);
/* nrows x ncolumns from such a file; the caller frees it. */
int cli_factor_read(double **out, const cli_call *call, const char *path, size_t nrows,
                    size_t ncolumns);
int cli_factor_write(const cli_call *call, const char *folder, size_t mode, const double *value,
                     size_t nrows, size_t ncolumns, const cli_names *names);
/* Removes the file of a mode and of those behind it, which an earlier tensor may have left. */
int cli_factor_remove(const cli_call *call, const char *folder, size_t mode);

typedef struct cli_entry {
    size_t index;
    double value;
} cli_entry;
/* The entries of a component in a mode (n x rank numbers), strongest first; *count of them are above
 * 0 and among the `top`. The caller frees them; NULL: out of memory. */
cli_entry *cli_strongest(size_t *count, const double *value, size_t n, size_t rank,
                         size_t component, size_t top);

/* The `top` strongest entries of every component and mode; names may be NULL. */
void cli_components_print(const scant_factors *factors, const cli_names *names, size_t top);
json_t *cli_components_json(const scant_factors *factors, const cli_names *names, size_t top);

#endif
