/* The page: escaping, tables, pictures, and the frame around them. */
#define _GNU_SOURCE /* open_memstream, vasprintf */
#include "report/html.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --- text --- */

static void put_character(FILE *out, const char *c)
{
    switch (c[0]) {
    case '&': fputs("&amp;", out); break;
    case '<': fputs("&lt;", out); break;
    case '>': fputs("&gt;", out); break;
    case '"': fputs("&quot;", out); break;
    case '\'': fputs("&#39;", out); break;
    default: fputs(c, out);
    }
}

void cli_html_text(FILE *out, const char *text)
{
    char c[5];
    while ((text = cli_next_character(c, text)))
        put_character(out, c);
}

void cli_html_say(FILE *out, const char *kind, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int size = vasprintf(&text, format, arguments);
    va_end(arguments);
    fprintf(out, kind ? "<p class=\"%s\">" : "<p>", kind);
    if (size >= 0) {
        cli_html_text(out, text);
        free(text);
    }
    fputs("</p>\n", out);
}

/* `facts`: heads stand in the first column, not in the first line. */
static void put_table(FILE *out, cli_table *table, bool facts)
{
    size_t ncolumns = 1, nleft = 0, count = cli_table_cells(table, &ncolumns, &nleft);
    fputs("<div class=\"wide\"><table>\n", out);
    for (size_t i = 0; i < count; i++) {
        size_t column = i % ncolumns;
        const char *element = (facts ? column == 0 : i < ncolumns) ? "th" : "td";
        if (column == 0)
            fputs("<tr>", out);
        fprintf(out, "<%s%s>", element, column < nleft ? " class=\"left\"" : "");
        cli_html_text(out, cli_table_cell(table, i));
        fprintf(out, "</%s>", element);
        if (column + 1 == ncolumns)
            fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
    cli_table_free(table);
}

void cli_html_table(FILE *out, cli_table *table)
{
    put_table(out, table, false);
}

void cli_html_facts(FILE *out, cli_table *table)
{
    put_table(out, table, true);
}

/* --- pictures --- */

/* What is changed inside the tags of an SVG. Black is gnuplot's ink: the page has its own, light or
 * dark. Names of parts are the same in all its pictures, and a page may hold a name once. */
typedef struct change {
    const char *from, *to;
    bool named; /* the picture's name goes behind */
} change;

static const change changes[] = {
    {" color=\"black\"", "", false},
    {"\"black\"", "\"currentColor\"", false},
    {"'black'", "'currentColor'", false},
    {" id=\"", " id=\"", true},
    {" id='", " id='", true},
    {"href='#", "href='#", true},
    {"url(#", "url(#", true},
};

/* How many characters of the tag were changed and written; 0: none, and nothing was. */
static size_t put_changed(FILE *out, const char *at, const char *name)
{
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        size_t length = strlen(changes[i].from);
        if (strncmp(at, changes[i].from, length) != 0)
            continue;
        fputs(changes[i].to, out);
        if (changes[i].named)
            fprintf(out, "%s-", name);
        return length;
    }
    return 0;
}

/* Behind an element that holds gnuplot's own names of parts, which a browser would show as a tip; the
 * caption says more. */
static const char *skip_names(const char *at)
{
    static const char *const elements[][2] = {{"<title>", "</title>"}, {"<desc>", "</desc>"}};
    for (size_t i = 0; i < 2; i++)
        if (strncmp(at, elements[i][0], strlen(elements[i][0])) == 0) {
            const char *end = strstr(at, elements[i][1]);
            return end ? end + strlen(elements[i][1]) : at;
        }
    return at;
}

void cli_html_svg(FILE *out, const char *svg, const char *name)
{
    bool inside = false;
    const char *at = strstr(svg, "<svg"); /* behind the prologue of a file */
    while (at && *(at = inside ? at : skip_names(at))) {
        size_t length = inside ? put_changed(out, at, name) : 0;
        if (length == 0) {
            inside = *at == '<' || (inside && *at != '>');
            fputc(*at, out);
            length = 1;
        }
        at += length;
    }
}

/* --- the frame --- */

static const char STYLE[] =
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1c2024;--soft:#5b6470;--line:#d9dde2;"
    "--card:#f6f7f9;--accent:#0b63a5;--warn:#8a4b00;--warn-card:#fff6e8;--warn-line:#e9b35a}\n"
    "@media (prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e6e9ed;--soft:#a3acb8;"
    "--line:#353b44;--card:#1d2127;--accent:#7cc0f5;--warn:#f3c67f;--warn-card:#2b2416;"
    "--warn-line:#7a5a22}figure svg{filter:brightness(1.4)}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);"
    "font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif}\n"
    "main,header,nav,footer{max-width:76rem;margin:0 auto;padding:0 1.25rem}\n"
    "header{padding-top:2.5rem}\n"
    "h1{font-size:1.75rem;line-height:1.2;margin:0 0 .25rem;overflow-wrap:anywhere}\n"
    "h2{font-size:1.25rem;margin:0 0 .75rem;padding-top:1.5rem;border-top:1px solid var(--line)}\n"
    "p{margin:.5rem 0;max-width:48rem;overflow-wrap:anywhere}\n"
    ".soft,figcaption,footer{color:var(--soft);font-size:.9rem}\n"
    "nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.4rem 1.1rem;padding:0;margin:1rem 0}\n"
    "a{color:var(--accent);text-decoration:none}a:hover,a:focus{text-decoration:underline}\n"
    "section{margin:2rem 0}\n"
    ".wide{overflow-x:auto;margin:.75rem 0}\n"
    "table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.3rem .8rem .3rem 0;text-align:right;border-bottom:1px solid var(--line);"
    "white-space:nowrap}\n"
    "th{color:var(--soft);font-weight:600}.left{text-align:left}\n"
    ".left{white-space:normal;min-width:7rem;vertical-align:top}td.left{overflow-wrap:anywhere}\n"
    ".figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,27rem),1fr));"
    "gap:1.25rem;align-items:start}\n"
    "figure{margin:.75rem 0;padding:1rem;background:var(--card);border:1px solid var(--line);"
    "border-radius:.5rem;max-width:44rem}\n"
    "figure svg{display:block;width:100%;height:auto}\n"
    "figcaption{margin-top:.6rem;overflow-wrap:anywhere}\n"
    ".warning{background:var(--warn-card);border-left:.3rem solid var(--warn-line);"
    "color:var(--warn);padding:.5rem .9rem;border-radius:.25rem}\n"
    "details summary{cursor:pointer;color:var(--accent);padding:.25rem 0}\n"
    "footer{padding-top:1rem;padding-bottom:3rem}\n"
    "@media (max-width:30rem){main,header,nav,footer{padding-left:.75rem;padding-right:.75rem}"
    "figure{padding:.5rem}}\n"
    "@media print{figure "
    "svg{filter:none}:root{--paper:#fff;--ink:#000;--soft:#444;--line:#ccc;--card:#fff;--accent:#"
    "000;"
    "--warn:#000;--warn-card:#fff;--warn-line:#888}body{font-size:10.5pt}nav{display:none}"
    "main,header,footer{max-width:none;padding:0}figure,tr{break-inside:avoid}"
    "h2{break-after:avoid}.figures{grid-template-columns:repeat(2,minmax(0,1fr))}.wide{overflow:"
    "visible}"
    "table{font-size:8.5pt}td,th{white-space:normal}}\n";

bool cli_page_begin(cli_page *page)
{
    *page = (cli_page){0};
    page->body = open_memstream(&page->text[0], &page->size[0]);
    page->contents = open_memstream(&page->text[1], &page->size[1]);
    return page->body && page->contents;
}

void cli_page_section(cli_page *page, const char *id, const char *title)
{
    fprintf(page->contents, "<li><a href=\"#%s\">%s</a></li>\n", id, title);
    fprintf(page->body, "<section id=\"%s\">\n<h2>%s</h2>\n", id, title);
}

void cli_page_section_end(cli_page *page)
{
    fputs("</section>\n", page->body);
}

void cli_page_end(cli_page *page, FILE *out, const char *title, const char *subtitle)
{
    (void)fflush(page->body);
    (void)fflush(page->contents);
    fputs(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'; img-src data:\">\n<link rel=\"icon\" href=\"data:,\">\n<title>",
        out);
    cli_html_text(out, title);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<header>\n<h1>", STYLE);
    cli_html_text(out, title);
    fputs("</h1>\n", out);
    cli_html_say(out, "soft", "%s", subtitle);
    fprintf(out, "</header>\n<nav aria-label=\"Contents\"><ul>\n%s</ul></nav>\n<main>\n%s</main>\n",
            page->text[1], page->text[0]);
    fprintf(out, "<footer>Made by scant %s.</footer>\n</body>\n</html>\n", scant_version());
}

void cli_page_clear(cli_page *page)
{
    if (page->body)
        (void)fclose(page->body);
    if (page->contents)
        (void)fclose(page->contents);
    free(page->text[0]);
    free(page->text[1]);
    *page = (cli_page){0};
}
