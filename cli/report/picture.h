/* Pictures, drawn by gnuplot. A picture is a text of commands and numbers; gnuplot reads it from a file
 * of ours, no shell is asked, and its own settings files are not read. Names of users come in only
 * through the two functions that quote them. */
#ifndef SCANT_CLI_PICTURE_H
#define SCANT_CLI_PICTURE_H

#include "command.h"

typedef enum cli_format { CLI_SVG, CLI_PNG, CLI_PDF } cli_format;

typedef struct cli_picture {
    FILE *script; /* commands go here; lines of numbers as cli_plot_data has them */
    int height;   /* of 520 across; a drawer may change it */
    char *text;
    size_t length;
    char fault[512]; /* why it could not be drawn */
} cli_picture;

/* The look that all share is in the script already. false: out of memory. */
bool cli_picture_begin(cli_picture *picture);
/* Ends the script and has it drawn; *out is the caller's. On failure nothing has been told yet: with `*absent` there is no
 * gnuplot, else picture->fault says what is wrong. */
bool cli_picture_draw(char **out, size_t *size, bool *absent, cli_picture *picture,
                      cli_format format);
void cli_picture_clear(cli_picture *picture);
/* The same into a file, of the format that its name ends in; an exit code. */
int cli_picture_write(const cli_call *call, cli_picture *picture, const char *path);
/* GO_ON where the name ends in a format, else a usage error. */
int cli_picture_check(const cli_call *call, const char *path);
/* What to say where there is none. */
#define CLI_NO_GNUPLOT                                                                             \
    "there is no gnuplot on the PATH, which draws the pictures; Debian has it as gnuplot-nox"

/* A text as gnuplot quotes it, cut where it is too long for a picture. */
void cli_plot_text(FILE *script, const char *text);
/* The same for the name of a tick, in which gnuplot looks for formats. */
void cli_plot_tick(FILE *script, const char *text);
/* Colours that colour-blind people tell apart, over again after the last; and signs of points. */
const char *cli_plot_colour(size_t index);
int cli_plot_sign(size_t index);

/* A bar for each of a list: a name and a number with its interval (NaN: none). */
typedef struct cli_bar_of {
    const char *name;
    double value, low, high;
} cli_bar_of;
/* Bars from the top down. `across`: what the numbers are. */
void cli_draw_bars(cli_picture *picture, const cli_bar_of *bar, size_t count, const char *across);

#endif
