/* Of an audit: how often each predictor errs, with intervals, and its confusion. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_audit(const cli_subject *s)
{
    return s->sort == CLI_OF_AUDIT || s->sort == CLI_OF_NUMBERS || s->sort == CLI_OF_SCORES;
}

static const json_t *predictors(const cli_subject *s)
{
    return json_object_get(s->told, s->sort == CLI_OF_SCORES ? "classifiers" : "predictors");
}

static double item_of(const json_t *list, size_t index)
{
    const json_t *value = json_array_get(list, index);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* What a predictor is judged by: its error rate, its mean squared error, or its risk under the loss
 * that comes first. */
static cli_bar_of judge(const cli_subject *s, const json_t *predictor)
{
    const json_t *risks = json_object_get(predictor, "risk"),
                 *risk = json_object_iter_value(json_object_iter((json_t *)(uintptr_t)risks)),
                 *of = s->sort == CLI_OF_NUMBERS ? json_object_get(predictor, "mse") : predictor,
                 *interval = json_object_get(of, "interval");
    const char *name = cli_told_text(predictor, "name");
    if (s->sort == CLI_OF_SCORES)
        return (cli_bar_of){name, cli_told(risk, "value"), cli_told(risk, "low"),
                            cli_told(risk, "high")};
    return (cli_bar_of){name, cli_told(of, s->sort == CLI_OF_NUMBERS ? "value" : "error"),
                        item_of(interval, 0), item_of(interval, 1)};
}

static void measure_name(char text[64], const cli_subject *s)
{
    json_t *risks = json_object_get(json_array_get(predictors(s), 0), "risk");
    const char *loss = json_object_iter_key(json_object_iter(risks));
    if (s->sort == CLI_OF_SCORES)
        (void)snprintf(text, 64, "risk (%s loss)", loss ? loss : "");
    else
        (void)snprintf(text, 64, "%s",
                       s->sort == CLI_OF_NUMBERS ? "mean squared error" : "error rate");
}

/* --- bars --- */

static const char *predictors_lack(const cli_subject *s)
{
    if (!is_audit(s))
        return "it is no audit";
    for (size_t i = 0; i < json_array_size(predictors(s)); i++)
        if (isfinite(judge(s, json_array_get(predictors(s), i)).value))
            return NULL;
    return "no predictor could be judged";
}

/* Best first; those that could not be judged last. */
static int compare(const void *left, const void *right)
{
    const cli_bar_of *a = left, *b = right;
    if (isnan(a->value) || isnan(b->value))
        return isnan(a->value) - isnan(b->value);
    return (a->value > b->value) - (a->value < b->value);
}

enum { MOST_BARS = 40 };

static bool predictors_draw(cli_picture *p, const cli_subject *s)
{
    const json_t *list = predictors(s);
    size_t count = json_array_size(list);
    char across[64];
    cli_bar_of *bar = calloc(count, sizeof *bar);
    for (size_t i = 0; bar && i < count; i++)
        bar[i] = judge(s, json_array_get(list, i));
    if (bar) {
        qsort(bar, count, sizeof *bar, compare);
        measure_name(across, s);
        cli_draw_bars(p, bar, count < MOST_BARS ? count : MOST_BARS, across);
    }
    free(bar);
    return bar != NULL;
}

static void predictors_caption(FILE *out, const cli_subject *s)
{
    double level = cli_told(s->told, "level");
    size_t count = json_array_size(predictors(s));
    fputs("Estimated from answers alone, without labels, the best predictor first; whiskers are ",
          out);
    if (isnan(level))
        fputs("intervals.", out);
    else
        fprintf(out, "%.4g %% intervals.", 100 * level);
    fputs(" Predictors whose intervals overlap widely are not told apart by these data.", out);
    if (count > MOST_BARS)
        fprintf(out, " Shown are the first %d of %zu.", MOST_BARS, count);
}

/* --- words and tables --- */

static void tell_classes(cli_table *t, const cli_subject *s)
{
    const char *name;
    json_t *prior = json_object_get(s->told, "prior"), *of;
    bool estimated = json_is_true(json_object_get(s->told, "prior_estimated")), first = true;
    if (!json_is_object(prior))
        return;
    json_object_foreach(prior, name, of)
    {
        cli_fact(t, first ? "classes" : "", "%s, share %.3f%s", name, cli_told(of, "value"),
                 estimated ? " (estimated)" : "");
        first = false;
    }
}

static void tell_dependence(FILE *out, const cli_subject *s)
{
    const json_t *d = json_object_get(s->told, "independence"),
                 *worst = json_object_get(d, "worst");
    const char *first = json_string_value(json_array_get(worst, 0)),
               *second = json_string_value(json_array_get(worst, 1));
    if (!d)
        return;
    cli_html_say(out, NULL,
                 "That predictors err independently, given the class: %s (%.0f of %.0f pairs "
                 "rejected).",
                 cli_told_text(d, "verdict"), cli_told(d, "rejected"), cli_told(d, "pairs"));
    if (first && second)
        cli_html_say(out, "soft", "The pair that agrees least with it: %s and %s, z = %.2f.", first,
                     second, cli_told(d, "z"));
}

static void tell_audit(FILE *out, const cli_subject *s)
{
    cli_table *t = cli_table_new(2, 2);
    cli_fact(t, "audit", "%s", s->path);
    if (*cli_told_text(s->told, "model"))
        cli_fact(t, "model", "%s", cli_told_text(s->told, "model"));
    if (!isnan(cli_told(s->told, "items")))
        cli_fact(t, "items", "%.0f", cli_told(s->told, "items"));
    if (!isnan(cli_told(s->told, "votes")))
        cli_fact(t, "answers", "%.0f", cli_told(s->told, "votes"));
    cli_fact(t, s->sort == CLI_OF_SCORES ? "classifiers" : "predictors", "%zu",
             json_array_size(predictors(s)));
    tell_classes(t, s);
    cli_html_facts(out, t);
    tell_dependence(out, s);
}

static void tell_predictors(FILE *out, const cli_subject *s)
{
    const json_t *list = predictors(s);
    char head[64];
    cli_table *t = cli_table_new(4, 1);
    measure_name(head, s);
    cli_table_add(t, "predictor");
    cli_table_add(t, "answers");
    cli_table_add(t, "%s", head);
    cli_table_add(t, "interval");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        cli_bar_of bar = judge(s, one);
        double answers = cli_told(one, s->sort == CLI_OF_SCORES ? "rows" : "answers");
        cli_table_add(t, "%s", bar.name);
        cli_table_number(t, answers);
        if (isnan(bar.value))
            cli_table_add(t, "not known");
        else
            cli_table_add(t, "%.4g", bar.value);
        if (isnan(bar.low))
            cli_table_add(t, "-");
        else
            cli_table_add(t, "%.3g to %.3g", bar.low, bar.high);
    }
    cli_html_table(out, t);
}

const cli_kind cli_predictors = {
    "predictors",       "an audit: errors of predictors, with intervals",
    predictors_lack,    predictors_draw,
    predictors_caption, tell_predictors};
const cli_part cli_part_audit = {
    "predictors", "Predictors", is_audit, tell_audit, {&cli_predictors, NULL}};

/* --- confusion --- */

static bool has_confusion(const cli_subject *s)
{
    return s->sort == CLI_OF_AUDIT &&
           json_object_get(json_array_get(predictors(s), 0), "confusion");
}

static void tell_confusion_of(FILE *out, const json_t *one, const json_t *classes)
{
    const json_t *rows = json_object_get(one, "confusion");
    size_t l = json_array_size(classes);
    cli_table *t = cli_table_new(l + 1, 1);
    cli_table_add(t, "true class");
    for (size_t a = 0; a < l; a++)
        cli_table_add(t, "answers %s", json_string_value(json_array_get(classes, a)));
    for (size_t k = 0; k < l; k++) {
        cli_table_add(t, "%s", json_string_value(json_array_get(classes, k)));
        for (size_t a = 0; a < l; a++) {
            double p = item_of(json_array_get(rows, k), a);
            if (isnan(p))
                cli_table_add(t, "-");
            else
                cli_table_add(t, "%.3f", p);
        }
    }
    fputs("<details><summary>", out);
    cli_html_text(out, cli_told_text(one, "name"));
    fputs("</summary>\n", out);
    cli_html_table(out, t);
    fputs("</details>\n", out);
}

static void tell_confusion(FILE *out, const cli_subject *s)
{
    const json_t *list = predictors(s), *classes = json_object_get(s->told, "classes");
    cli_html_say(out, "soft", "What each predictor answers, given the true class.");
    for (size_t i = 0; i < json_array_size(list); i++)
        tell_confusion_of(out, json_array_get(list, i), classes);
}

const cli_part cli_part_confusion = {
    "confusion", "Confusion of each predictor", has_confusion, tell_confusion, {NULL}};
