/* gnuplot, asked without a shell: its input and its output are files without a name, so that
 * neither side can wait for the other. */
#define _GNU_SOURCE /* posix_spawnp's environ */
#include "report/picture.h"
#include "report/html.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDTH = 520, HEIGHT = 360, LONGEST = 28, DOTS_PER_INCH = 96 };

/* --- texts --- */

/* In double quotes, where every character can be written by its number: gnuplot takes two apostrophes within single ones
 * for one or for two by what is around them, and hands to a shell what stands between backquotes. */
static void quote(FILE *script, const char *text, char doubled)
{
    char c[5];
    fputc('"', script);
    for (size_t n = 0; (text = cli_next_character(c, text)); n++) {
        if (n == LONGEST && *text) {
            fputs("…", script);
            break;
        }
        if (strchr("\"\\`", c[0])) {
            fprintf(script, "\\%03o", (unsigned)(unsigned char)c[0]);
            continue;
        }
        if (c[0] == doubled)
            fputs(c, script);
        fputs(c, script);
    }
    fputc('"', script);
}

void cli_plot_text(FILE *script, const char *text)
{
    quote(script, text, '\0');
}

void cli_plot_tick(FILE *script, const char *text)
{
    quote(script, text, '%');
}

/* Okabe and Ito's, without black, which is the ink, and yellow, which is lost on white. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73",
                                      "#cc79a7", "#e69f00", "#56b4e9"};
static const int signs[] = {7, 5, 9, 13, 11, 15}; /* filled: disc, square, triangles, ... */

const char *cli_plot_colour(size_t index)
{
    return colours[index % (sizeof colours / sizeof *colours)];
}

int cli_plot_sign(size_t index)
{
    return signs[index % (sizeof signs / sizeof *signs)];
}

/* --- the script --- */

static const char LOOK[] = "set encoding utf8\n"
                           "set border 3 lc black\n"
                           "set tics nomirror out\n"
                           "set key above center horizontal noenhanced\n"
                           "set style fill solid 0.75 noborder\n"
                           "set grid lc rgb '#808080' lw 0.5 dt 3\n";

bool cli_picture_begin(cli_picture *picture)
{
    *picture = (cli_picture){.height = HEIGHT};
    picture->script = open_memstream(&picture->text, &picture->length);
    return picture->script && fputs(LOOK, picture->script) >= 0;
}

void cli_picture_clear(cli_picture *picture)
{
    if (picture->script)
        (void)fclose(picture->script);
    free(picture->text);
    *picture = (cli_picture){0};
}

/* Letters are set for this width, which a telephone shows at two thirds. A PNG has twice as many
 * dots, for sharp screens. */
static void print_terminal(FILE *script, cli_format format, int height)
{
    if (format == CLI_SVG)
        fprintf(script, "set terminal svg size %d,%d dynamic noenhanced font 'sans-serif,14'\n",
                WIDTH, height);
    else if (format == CLI_PNG)
        fprintf(script,
                "set terminal pngcairo size %d,%d noenhanced font 'sans,10.5' fontscale 2 "
                "linewidth 2 pointscale 2\n",
                2 * WIDTH, 2 * height);
    else
        fprintf(script, "set terminal pdfcairo size %.3fin,%.3fin noenhanced font 'sans,10.5'\n",
                (double)WIDTH / DOTS_PER_INCH, (double)height / DOTS_PER_INCH);
}

/* --- gnuplot --- */

enum { IN, OUT, TALK, FILES };

/* Its exit code, or -1 with errno set where it could not be run. */
static int run_gnuplot(FILE *const file[FILES])
{
    char name[] = "gnuplot", defaults[] = "-d", input[] = "-";
    char *const arguments[] = {name, defaults, input, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    (void)unsetenv(
        "GNUTERM"); /* a terminal to begin with, which may be a window that is not there */
    int state = 0, error = posix_spawn_file_actions_init(&actions);
    if (error == 0) {
        for (int i = 0; i < FILES && error == 0; i++)
            error = posix_spawn_file_actions_adddup2(&actions, fileno(file[i]), i);
        if (error == 0)
            error = posix_spawnp(&child, name, &actions, NULL, arguments, environ);
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    errno = error;
    if (error)
        return -1;
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(state) ? WEXITSTATUS(state) : EXIT_OTHER;
}

/* All of a file; the caller frees it. NULL: it could not be read. */
static char *slurp(FILE *file, size_t *size)
{
    if (fseek(file, 0, SEEK_END) != 0)
        return NULL;
    long end = ftell(file);
    char *text = end >= 0 ? malloc((size_t)end + 1) : NULL;
    rewind(file);
    if (!text)
        return NULL;
    *size = fread(text, 1, (size_t)end, file);
    text[*size] = '\0';
    return text;
}

static void complain(cli_picture *picture, const char *why, const char *details)
{
    details += strspn(details, "\n ");
    (void)snprintf(picture->fault, sizeof picture->fault, "gnuplot could not %s: %.*s", why,
                   (int)strcspn(details, "\n"), details);
    (void)scant_plain(picture->fault);
}

bool cli_picture_draw(char **out, size_t *size, bool *absent, cli_picture *picture,
                      cli_format format)
{
    FILE *file[FILES] = {tmpfile(), tmpfile(), tmpfile()};
    char *said = NULL;
    size_t length;
    *out = NULL;
    *absent = false;
    bool whole = picture->script && !ferror(picture->script) && fflush(picture->script) == 0 &&
                 file[IN] && file[OUT] && file[TALK];
    if (whole) {
        print_terminal(file[IN], format, picture->height);
        (void)fwrite(picture->text, 1, picture->length, file[IN]);
        whole = fflush(file[IN]) == 0;
        rewind(file[IN]);
    }
    int result = whole ? run_gnuplot(file) : -1;
    *absent = whole && result < 0 && errno == ENOENT;
    if (result < 0)
        complain(picture, "be asked", strerror(errno));
    else if (result > 0)
        complain(picture, "draw", (said = slurp(file[TALK], &length)) ? said : "");
    else if (!(*out = slurp(file[OUT], size)))
        complain(picture, "be heard", strerror(errno));
    for (int i = 0; i < FILES; i++)
        if (file[i])
            (void)fclose(file[i]);
    free(said);
    return *out != NULL;
}

/* --- files --- */

static const struct {
    const char *ending;
    cli_format format;
} formats[] = {{".svg", CLI_SVG}, {".png", CLI_PNG}, {".pdf", CLI_PDF}};

/* The format that a name ends in; false: none. */
static bool find_format(cli_format *out, const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t ending = strlen(formats[i].ending);
        if (length < ending || strcasecmp(path + length - ending, formats[i].ending) != 0)
            continue;
        *out = formats[i].format;
        return true;
    }
    return false;
}

int cli_picture_check(const cli_call *call, const char *path)
{
    cli_format format;
    return find_format(&format, path)
               ? GO_ON
               : cli_usage_error(call,
                                 "a picture is .svg, .png or .pdf by the end of its name, "
                                 "unlike '%s'",
                                 path);
}

int cli_picture_write(const cli_call *call, cli_picture *picture, const char *path)
{
    cli_format format = CLI_SVG;
    cli_file file;
    char *drawn = NULL;
    size_t size = 0;
    bool absent;
    (void)find_format(&format, path);
    int code = GO_ON;
    if (!cli_picture_draw(&drawn, &size, &absent, picture, format))
        code = cli_error(call, CLI_INTERNAL, "%s", absent ? CLI_NO_GNUPLOT : picture->fault);
    if (code == GO_ON)
        code = cli_file_open(&file, call, path);
    if (code == GO_ON) {
        (void)fwrite(drawn, 1, size, file.stream);
        code = cli_file_close(&file, call, EXIT_OK);
    }
    free(drawn);
    return code;
}

/* --- bars --- */

enum { BAR_HEIGHT = 34, AROUND_BARS = 100 };

void cli_draw_bars(cli_picture *p, const cli_bar_of *bar, size_t count, const char *across)
{
    FILE *out = p->script;
    p->height = AROUND_BARS + BAR_HEIGHT * (int)count;
    fputs("$bar << EOD\n", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%zu %.6g %.6g %.6g\n", i + 1, bar[i].value, bar[i].low, bar[i].high);
    fputs("EOD\nset datafile missing 'nan'\nset ytics scale 0 (", out);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", out);
        cli_plot_tick(out, bar[i].name);
        fprintf(out, " %zu", i + 1);
    }
    fputs(")\nset xlabel ", out);
    cli_plot_text(out, across);
    fprintf(
        out,
        "\nset grid noytics\nset yrange [%zu.5:0.5]\nset xrange [0:*]\nunset key\nset border 1\n"
        "plot $bar using (0):1:(0):2:($1-0.32):($1+0.32) with boxxyerror lc rgb '%s', "
        "$bar using 3:1:($4-$3):(0) with vectors nohead lw 1.5 lc black\n",
        count, cli_plot_colour(0));
}
