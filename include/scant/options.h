/* Options as tables: one row an option, with its type, default, bounds and help. The same table
 * checks values, makes `--help` and the man page, and tells Python what there is.
 *
 * The first member of every struct of options is its size, which its preset writes: the size that the
 * program was compiled with. New fields come at the end, so that a program goes on with a newer library, which
 * presets the fields that the program does not know. A struct that was not preset is refused. `scant_fit_options_preset(&options)` and its like
 * are macros, which give the function of that name the size. */
#ifndef SCANT_OPTIONS_H
#define SCANT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <scant/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a REAL is that was set to auto. */
#define SCANT_AUTO (-1.0)

typedef enum scant_option_type {
    SCANT_OPTION_FLAG,   /* bool, takes no value */
    SCANT_OPTION_COUNT,  /* size_t */
    SCANT_OPTION_SEED,   /* uint64_t */
    SCANT_OPTION_REAL,   /* double */
    SCANT_OPTION_TEXT,   /* const char *, borrowed */
    SCANT_OPTION_CHOICE, /* const char *, one of `choices` */
    SCANT_OPTION_LIST,   /* scant_texts, comma-separated, may be given again; borrowed */
    SCANT_OPTION_WORD    /* const char *, one of `choices`, or "" where given without a value */
} scant_option_type;

typedef struct scant_texts {
    const char **item;
    size_t count;
} scant_texts;

typedef struct scant_option {
    const char *name; /* "max-iter": `--max-iter` on the command line */
    char letter;      /* 'k' for `-k`, or 0 */
    scant_option_type type;
    size_t offset;       /* of the field in the options struct */
    const char *value;   /* placeholder in help: "N", "COL", "FILE" */
    const char *preset;  /* the default as text, shown and applied; NULL: none */
    double low, high;    /* COUNT and REAL: inclusive bounds */
    const char *choices; /* CHOICE, WORD: "a|b|c"; REAL: "auto" where that is a value, too */
    const char *help;    /* one or two lines */
} scant_option;

/* Applies the defaults of a table to a zeroed struct. */
SCANT_API void scant_options_preset(void *options, const scant_option *table, size_t count);
/* Checks the values of a struct by its table, whoever set them: bounds, choices, finite numbers, texts
 * that must be there. SCANT_ERR_ARGUMENT names the option and the value. Every function that takes
 * options does this. */
SCANT_API scant_status scant_options_check(const void *options, const scant_option *table,
                                           size_t count);
/* Sets one option from text, checking type, choices and bounds. SCANT_ERR_ARGUMENT names the option
 * and the text. Lists grow; free them with scant_options_clear. */
SCANT_API scant_status scant_option_set(void *options, const scant_option *option,
                                        const char *text);
/* The choice of a CHOICE or WORD that is `text`, as it stands in the table: at its beginning, to
 * its end or the next bar. NULL: none is. */
SCANT_API const char *scant_option_choice(const scant_option *option, const char *text);
/* The row called `name`, or NULL. */
SCANT_API const scant_option *scant_option_find(const scant_option *table, size_t count,
                                                const char *name);
/* Frees the lists that scant_option_set made. */
SCANT_API void scant_options_clear(void *options, const scant_option *table, size_t count);

#ifdef __cplusplus
}
#endif
#endif
