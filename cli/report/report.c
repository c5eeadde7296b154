/* scant report: one page on a model, an audit, a plan or factors. */
#define _GNU_SOURCE /* vasprintf, open_memstream */
#include "report/report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct report_options {
    const char *output;
    const char *title;
    cli_subject_options what;
} report_options;

#define REPORT(field) offsetof(report_options, field)
static const scant_option table[] = {
    {"output", 'o', SCANT_OPTION_TEXT, REPORT(output), "HTML", "report.html", 0, 0, NULL,
     "write the page here; - is stdout"},
    {"title", 0, SCANT_OPTION_TEXT, REPORT(title), "TEXT", NULL, 0, 0, NULL,
     "head of the page, else by what it is about"},
};

static const cli_manual manual = {
    "MODEL [DATA] [options] [-o HTML]",
    "Writes one self-contained page of tables and pictures: what was fitted on what, warnings, "
    "convergence, components with decision regions, their composition, calibration, errors, "
    "standard errors. MODEL is a model file, what audit --json or plan --json printed, or the "
    "folder "
    "of factor -o; which it is, is found out by what is in it. Pictures are gnuplot's; without "
    "gnuplot (Debian: gnuplot-nox) the page has its tables alone.",
    "scant report crabs.json examples/data/crabs.csv --label sex -o crabs.html", 1, 2};

const cli_part *const cli_parts[] = {&cli_part_fit,
                                     &cli_part_warnings,
                                     &cli_part_components,
                                     &cli_part_switches,
                                     &cli_part_answers,
                                     &cli_part_delta,
                                     &cli_part_plan,
                                     &cli_part_audit,
                                     &cli_part_confusion,
                                     &cli_part_factors,
                                     NULL};

void cli_fact(cli_table *t, const char *name, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    cli_table_add(t, "%s", name);
    cli_table_add(t, "%s", text ? text : "");
    free(text);
}

/* --- pictures on the page --- */

typedef struct writing {
    const cli_call *call;
    const cli_subject *subject;
    cli_page page;
    json_t *sections, *pictures; /* what was written, for --json */
    bool no_gnuplot;
} writing;

static char *caption_of(const cli_kind *kind, const cli_subject *s)
{
    char *text = NULL;
    size_t size;
    FILE *words = open_memstream(&text, &size);
    if (words) {
        kind->caption(words, s);
        (void)fclose(words);
    }
    return text;
}

static void put_figure(FILE *out, const cli_kind *kind, const char *svg, const char *caption)
{
    fprintf(out, "<figure id=\"picture-%s\">\n", kind->name);
    cli_html_svg(out, svg, kind->name);
    fputs("<figcaption>", out);
    cli_html_text(out, caption);
    fputs("</figcaption>\n</figure>\n", out);
}

static int write_picture(writing *w, const cli_kind *kind)
{
    cli_picture picture;
    char *svg = NULL, *caption = caption_of(kind, w->subject);
    size_t size;
    bool good = cli_picture_begin(&picture) && caption && kind->draw(&picture, w->subject);
    int code = good ? GO_ON : cli_out_of_memory(w->call);
    if (good && cli_picture_draw(&svg, &size, &w->no_gnuplot, &picture, CLI_SVG)) {
        put_figure(w->page.body, kind, svg, caption);
        (void)json_array_append_new(w->pictures, json_string(kind->name));
    } else if (
        good &&
        !w->no_gnuplot) { /* where there is none, that is told once, on the page and on stderr */
        cli_say(w->call, "the picture '%s' is left out: %s", kind->name, picture.fault);
        cli_html_say(w->page.body, "soft", "The picture '%s' could not be drawn. %s", kind->name,
                     picture.fault);
    }
    cli_picture_clear(&picture);
    free(svg);
    free(caption);
    return code;
}

/* A picture with its numbers; they are there without gnuplot, too. */
static int write_kind(writing *w, const cli_kind *kind)
{
    fputs("<div>\n", w->page.body);
    int code = w->no_gnuplot ? GO_ON : write_picture(w, kind);
    if (code == GO_ON && kind->tell)
        kind->tell(w->page.body, w->subject);
    fputs("</div>\n", w->page.body);
    return code;
}

/* --- sections --- */

static int write_part(writing *w, const cli_part *part)
{
    FILE *out = w->page.body;
    bool tells = part->tells && part->tells(w->subject), draws = false;
    int code = GO_ON;
    for (size_t i = 0; part->pictures[i]; i++)
        draws |= !part->pictures[i]->lacks(w->subject);
    if (!tells && !draws)
        return GO_ON;
    (void)json_array_append_new(w->sections, json_string(part->id));
    cli_page_section(&w->page, part->id, part->title);
    if (draws) /* words beside pictures where the page is wide */
        fputs("<div class=\"figures\">\n", out);
    if (tells) {
        fputs("<div>\n", out);
        part->tell(out, w->subject);
        fputs("</div>\n", out);
    }
    for (size_t i = 0; part->pictures[i] && code == GO_ON; i++)
        if (!part->pictures[i]->lacks(w->subject))
            code = write_kind(w, part->pictures[i]);
    if (draws)
        fputs("</div>\n", out);
    cli_page_section_end(&w->page);
    return code;
}

static const char *title_of(const cli_subject *s)
{
    switch (s->sort) {
    case CLI_OF_MODEL: break;
    case CLI_OF_AUDIT:
    case CLI_OF_NUMBERS:
    case CLI_OF_SCORES: return "Audit of predictors";
    case CLI_OF_PLAN: return "Plan of labels";
    case CLI_OF_FACTORS: return "Factors of a tensor";
    }
    if (scant_model_score(s->model))
        return "Linear classifier, trained without labels";
    if (scant_model_headline(s->model))
        return "Stack of classifiers";
    if (scant_model_med(s->model))
        return scant_model_classes(s->model) ? "Large-margin classifier"
                                             : "Large-margin regression";
    return scant_model_classes(s->model) ? "Mixture classifier" : "Mixture model";
}

static int write_page(writing *w, const report_options *options)
{
    cli_file file;
    char about[1024];
    const cli_subject *s = w->subject;
    if (!cli_page_begin(&w->page))
        return cli_out_of_memory(w->call);
    int code = GO_ON;
    for (size_t i = 0; cli_parts[i] && code == GO_ON; i++)
        code = write_part(w, cli_parts[i]);
    if (code == GO_ON && w->no_gnuplot) {
        cli_html_say(w->page.body, "warning", "%s", CLI_NO_GNUPLOT);
        cli_say(w->call, "%s", CLI_NO_GNUPLOT);
    }
    if (code == GO_ON)
        code = cli_file_open(&file, w->call, options->output);
    if (code == GO_ON) {
        (void)snprintf(about, sizeof about, "%s%s%s", s->path, s->data ? " on " : "",
                       s->data ? s->data : "");
        cli_page_end(&w->page, file.stream, options->title ? options->title : title_of(s), about);
        code = cli_file_close(&file, w->call, EXIT_OK);
    }
    return code;
}

/* --- the command --- */

static int run(const cli_call *call, const report_options *options)
{
    cli_subject subject = {0};
    bool to_stdout = strcmp(options->output, "-") == 0;
    if (to_stdout && call->json)
        return cli_usage_error(call, "-o - and --json both want standard output");
    int code = cli_file_check(call, options->output);
    if (code == GO_ON)
        code = cli_subject_read(&subject, call, &options->what, call->operand[0],
                                call->noperands > 1 ? call->operand[1] : NULL);
    writing w = {.call = call, .subject = &subject};
    w.sections = json_array();
    w.pictures = json_array();
    if (code == GO_ON)
        code = write_page(&w, options);
    if (code == EXIT_OK && call->json)
        code = cli_json_print(call,
                              json_pack("{s:o, s:O, s:O}", "output", cli_json_text(options->output),
                                        "sections", w.sections, "pictures", w.pictures));
    else if (code == EXIT_OK && !to_stdout)
        cli_line(stdout, "report", "%s", options->output);
    cli_page_clear(&w.page);
    json_decref(w.sections);
    json_decref(w.pictures);
    cli_subject_clear(&subject);
    return code;
}

int cli_report(int argc, char **argv)
{
    cli_call call;
    report_options options = {0};
    cli_call_begin(&call, argv[0]);
    cli_call_add(&call, "The page", table, sizeof table / sizeof *table, &options);
    cli_subject_add(&call, &options.what);
    int code = cli_call_parse(&call, &manual, argc, argv);
    if (code == GO_ON)
        code = run(&call, &options);
    cli_call_end(&call);
    return code;
}
