/* One HTML page without anything from elsewhere: text is escaped here and nowhere else. */
#ifndef SCANT_CLI_HTML_H
#define SCANT_CLI_HTML_H

#include "command.h"

/* The first character of a text, terminated, and what follows it; NULL behind the last. Control
 * characters come out as a space, bytes that are no UTF-8 as `?`. */
const char *cli_next_character(char character[5], const char *text);

/* Text of an element or of an attribute. */
void cli_html_text(FILE *out, const char *text);
/* A paragraph of a format, escaped as a whole. `kind`: its class, or NULL. */
void cli_html_say(FILE *out, const char *kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The cells that were added, the first line as heads; frees the table. */
void cli_html_table(FILE *out, cli_table *table);
/* The same of pairs, a name and what it is (cli_fact); there is no line of heads. */
void cli_html_facts(FILE *out, cli_table *table);
/* An SVG of gnuplot's as part of the page: it takes the page's ink, and what it calls things is made
 * its own by `name`. */
void cli_html_svg(FILE *out, const char *svg, const char *name);

/* Sections are written into `body` first, so that the list of them can come before. */
typedef struct cli_page {
    FILE *body, *contents;
    char *text[2];
    size_t size[2];
} cli_page;

bool cli_page_begin(cli_page *page);
void cli_page_section(cli_page *page, const char *id, const char *title); /* its head */
void cli_page_section_end(cli_page *page);
/* The whole page, and frees what was gathered. */
void cli_page_end(cli_page *page, FILE *out, const char *title, const char *subtitle);
void cli_page_clear(cli_page *page);

#endif
