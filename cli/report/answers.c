/* Of a model and rows whose classes are known: calibration and errors. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>

static const char *answers_lack(const cli_subject *s)
{
    if (s->sort != CLI_OF_MODEL || scant_model_classes(s->model) == 0)
        return "there are no classes";
    if (!s->rows)
        return "DATA is needed";
    return s->compared ? NULL : "true classes are needed (--label COL or --truth COL)";
}

/* A 95 % interval of a share of `right` in `all` (Wilson's), also where it is 0 or 1. */
static cli_bar_of share_of(const char *name, double right, double all)
{
    double z2 = cli_normal_95 * cli_normal_95, p = right / all;
    double centre = (p + z2 / (2 * all)) / (1 + z2 / all);
    double half = cli_normal_95 * sqrt(p * (1 - p) / all + z2 / (4 * all * all)) / (1 + z2 / all);
    return (cli_bar_of){name, p, fmax(0, centre - half), fmin(1, centre + half)};
}

static void tell_whose(FILE *out, const cli_subject *s)
{
    if (s->held_back)
        fprintf(out, " Of the %zu rows whose label the fit did not see.", s->compared);
    else
        fprintf(out,
                " Of %zu rows with a label; where the model was fitted to these very rows, this "
                "flatters it.",
                s->compared);
}

/* --- calibration --- */

/* Answers in bins of equal width by the probability of the class that was answered, which is from
 * 1/K to 1. */
enum { BINS = 10 };
typedef struct bin {
    double weight, said, right; /* sums */
} bin;

static void fill_bins(bin bins[BINS], const cli_subject *s)
{
    size_t K = scant_model_classes(s->model);
    double least = 1 / (double)K;
    for (size_t i = 0; i < scant_rows_count(s->rows); i++) {
        const double *p = s->answers.classes + i * K;
        size_t answer = cli_best_of(p, K);
        double w = scant_rows_weight(s->rows, i), place = (p[answer] - least) / (1 - least);
        if (s->truth[i] < 0)
            continue;
        bin *b = &bins[place >= 1 || K == 1 ? BINS - 1 : place > 0 ? (size_t)(place * BINS) : 0];
        b->weight += w;
        b->said += w * p[answer];
        b->right += w * ((size_t)s->truth[i] == answer);
    }
}

static bool calibration_draw(cli_picture *p, const cli_subject *s)
{
    bin bins[BINS] = {{0}};
    double most = 0, least = 1 / (double)scant_model_classes(s->model);
    fill_bins(bins, s);
    for (size_t b = 0; b < BINS; b++)
        most = fmax(most, bins[b].weight);
    fputs("$bin << EOD\n", p->script);
    for (size_t b = 0; b < BINS; b++)
        if (bins[b].weight > 0) {
            cli_bar_of share = share_of("", bins[b].right, bins[b].weight);
            fprintf(p->script, "%.6g %.6g %.6g %.6g %.3g\n", bins[b].said / bins[b].weight,
                    share.value, share.low, share.high, 0.5 + 1.5 * sqrt(bins[b].weight / most));
        }
    fprintf(p->script,
            "EOD\nset xrange [%.3f:1.02]\nset yrange [0:1.02]\n"
            "set xlabel 'probability of the answer'\nset ylabel 'share of right answers'\n"
            "plot x with lines dt 2 lc black title 'calibrated', "
            "$bin using 1:3:(0):($4-$3) with vectors nohead lw 1.5 lc rgb '%s' notitle, "
            "$bin using 1:2:5 with points pt 7 ps variable lc rgb '%s' title 'answers'\n",
            least - 0.02, cli_plot_colour(0), cli_plot_colour(0));
    return true;
}

static void calibration_caption(FILE *out, const cli_subject *s)
{
    fputs(
        "How often answers are right, against how sure the model was of them, with 95 % intervals "
        "of shares; larger discs hold more rows. Below the line the model is too sure.",
        out);
    tell_whose(out, s);
}

static void tell_calibration(FILE *out, const cli_subject *s)
{
    bin bins[BINS] = {{0}};
    fill_bins(bins, s);
    cli_table *t = cli_table_new(4, 0);
    cli_table_add(t, "probability said");
    cli_table_add(t, "rows");
    cli_table_add(t, "right");
    cli_table_add(t, "95 %% interval");
    for (size_t b = 0; b < BINS; b++) {
        if (!(bins[b].weight > 0))
            continue;
        cli_bar_of share = share_of("", bins[b].right, bins[b].weight);
        cli_table_add(t, "%.3f", bins[b].said / bins[b].weight);
        cli_table_add(t, "%.6g", bins[b].weight);
        cli_table_add(t, "%.3f", share.value);
        cli_table_add(t, "%.3f to %.3f", share.low, share.high);
    }
    cli_html_table(out, t);
}

const cli_kind cli_calibration = {"calibration",
                                  "a model and rows of known classes: is it as sure "
                                  "as it is right?",
                                  answers_lack,
                                  calibration_draw,
                                  calibration_caption,
                                  tell_calibration};

/* --- errors --- */

/* K x K weights, true class by answer; the caller frees it. */
static double *confusion_of(const cli_subject *s)
{
    size_t K = scant_model_classes(s->model);
    double *table = calloc(K * K, sizeof *table);
    for (size_t i = 0; table && i < scant_rows_count(s->rows); i++)
        if (s->truth[i] >= 0)
            table[(size_t)s->truth[i] * K + cli_best_of(s->answers.classes + i * K, K)] +=
                scant_rows_weight(s->rows, i);
    return table;
}

static bool errors_draw(cli_picture *p, const cli_subject *s)
{
    enum { MOST = 30 };
    size_t K = scant_model_classes(s->model), count = 0;
    cli_bar_of bar[MOST];
    double *table = confusion_of(s);
    for (size_t k = 0; table && k < K && count < MOST; k++) {
        double all = 0;
        for (size_t a = 0; a < K; a++)
            all += table[k * K + a];
        if (all > 0)
            bar[count++] =
                share_of(scant_model_class_name(s->model, k), all - table[k * K + k], all);
    }
    if (table)
        cli_draw_bars(p, bar, count, "share of wrong answers");
    free(table);
    return table != NULL;
}

static void errors_caption(FILE *out, const cli_subject *s)
{
    fputs("Share of each true class that is answered wrongly, with 95 % intervals.", out);
    tell_whose(out, s);
}

static void tell_errors(FILE *out, const cli_subject *s)
{
    size_t K = scant_model_classes(s->model);
    double *table = confusion_of(s), right = 0, all = 0;
    cli_table *t = cli_table_new(K + 1, 1);
    cli_table_add(t, "true class");
    for (size_t k = 0; k < K; k++)
        cli_table_add(t, "answered %s", scant_model_class_name(s->model, k));
    for (size_t k = 0; table && k < K; k++) {
        cli_table_add(t, "%s", scant_model_class_name(s->model, k));
        for (size_t a = 0; a < K; a++) {
            cli_table_add(t, "%.6g", table[k * K + a]);
            all += table[k * K + a];
        }
        right += table[k * K + k];
    }
    cli_bar_of accuracy = share_of("", right, all);
    cli_html_say(out, NULL, "Accuracy %.3f (95 %% interval %.3f to %.3f).", accuracy.value,
                 accuracy.low, accuracy.high);
    cli_html_table(out, t);
    free(table);
}

const cli_kind cli_errors = {
    "errors",       "a model and rows of known classes: errors of each class",
    answers_lack,   errors_draw,
    errors_caption, tell_errors};

/* --- the receiver operating characteristic --- */

static const char *roc_lacks(const cli_subject *s)
{
    const char *why = answers_lack(s);
    if (why)
        return why;
    return scant_model_classes(s->model) == 2 ? NULL : "there are not two classes";
}

typedef struct ranked {
    double p, weight;
    bool second;
} ranked;

static int falling(const void *a, const void *b)
{
    double x = ((const ranked *)a)->p, y = ((const ranked *)b)->p;
    return (x < y) - (x > y);
}

/* Rows of known class by falling probability of the second class; the caller frees them. */
static ranked *ranked_of(size_t *count, const cli_subject *s)
{
    size_t n = scant_rows_count(s->rows);
    ranked *row = calloc(n + 1, sizeof *row);
    *count = 0;
    for (size_t i = 0; row && i < n; i++)
        if (s->truth[i] >= 0)
            row[(*count)++] = (ranked){s->answers.classes[2 * i + 1], scant_rows_weight(s->rows, i),
                                       s->truth[i] == 1};
    if (row)
        qsort(row, *count, sizeof *row, falling);
    return row;
}

/* Points of the curve, one a distinct probability, to the script (or nowhere); the area under it. */
static double curve(FILE *script, const ranked *row, size_t count)
{
    double all[2] = {0}, seen[2] = {0}, area = 0, x = 0, y = 0;
    for (size_t i = 0; i < count; i++)
        all[row[i].second] += row[i].weight;
    for (size_t i = 0; i < count; i++) {
        seen[row[i].second] += row[i].weight;
        if (i + 1 < count && row[i + 1].p == row[i].p)
            continue;
        double to_x = all[0] > 0 ? seen[0] / all[0] : 0, to_y = all[1] > 0 ? seen[1] / all[1] : 0;
        area += 0.5 * (to_x - x) * (to_y + y);
        x = to_x;
        y = to_y;
        if (script)
            fprintf(script, "%.6g %.6g\n", x, y);
    }
    return area;
}

static bool roc_draw(cli_picture *p, const cli_subject *s)
{
    size_t count;
    ranked *row = ranked_of(&count, s);
    fputs("$curve << EOD\n0 0\n", p->script);
    if (row)
        (void)curve(p->script, row, count);
    fprintf(p->script,
            "EOD\nset xrange [0:1]\nset yrange [0:1.02]\nset xlabel 'share of the other class "
            "that is taken along'\nset ylabel 'share of the class that is found'\nunset key\n"
            "plot x with lines dt 2 lc black, $curve using 1:2 with lines lw 2 lc rgb '%s'\n",
            cli_plot_colour(0));
    free(row);
    return row != NULL;
}

static void roc_caption(FILE *out, const cli_subject *s)
{
    size_t count;
    ranked *row = ranked_of(&count, s);
    fprintf(out,
            "Receiver operating characteristic of class %s, wherever the line between the classes "
            "is drawn; area %.4f.",
            scant_model_class_name(s->model, 1), row ? curve(NULL, row, count) : (double)NAN);
    free(row);
    tell_whose(out, s);
}

const cli_kind cli_roc = {"roc",       "a model of two classes and rows of known classes",
                          roc_lacks,   roc_draw,
                          roc_caption, NULL};

const cli_part cli_part_answers = {"answers",
                                   "Answers compared with known classes",
                                   NULL,
                                   NULL,
                                   {&cli_errors, &cli_calibration, &cli_roc, NULL}};
