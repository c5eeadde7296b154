/* The headline of a stack: what it expects of itself, shown by train, show and report. */
#include "command.h"

#include <math.h>

static json_t *interval_json(double low, double high)
{
    return json_pack("[o, o]", cli_json_real(low), cli_json_real(high));
}

void cli_json_headline(json_t *object, const scant_model *model)
{
    const scant_headline *h = scant_model_headline(model);
    json_t *members = json_array(), *ask = json_array();
    for (size_t m = 0; m < h->members; m++)
        (void)json_array_append_new(members, json_pack("{s:s, s:o}", "name", h->name[m], "weight",
                                                       cli_json_real(h->weight[m])));
    for (size_t i = 0; i < h->asks; i++)
        (void)json_array_append_new(ask, json_integer((json_int_t)h->ask[i] + 1));
    cli_json_set(object, "accuracy", cli_json_real(h->accuracy));
    cli_json_set(object, "accuracy_interval", interval_json(h->low, h->high));
    cli_json_set(object, "log_loss", cli_json_real(h->log_loss));
    cli_json_set(object, "baselines",
                 json_pack("{s:o, s:o, s:o}", "majority", cli_json_real(h->majority),
                           "labeled_only", cli_json_real(h->labeled_only), "logistic",
                           cli_json_real(h->logistic)));
    cli_json_set(object, "members", members);
    cli_json_set(object, "gain", cli_json_real(h->gain));
    cli_json_set(object, "held_out", json_integer((json_int_t)h->held_out));
    cli_json_set(object, "folds", json_integer((json_int_t)h->folds));
    cli_json_set(object, "ask", ask);
}

static void print_percent(FILE *out, double value)
{
    if (isnan(value))
        fprintf(out, "unknown");
    else
        fprintf(out, "%.1f %%", 100 * value);
}

void cli_tell_accuracy(FILE *out, const scant_headline *h)
{
    if (isnan(h->accuracy)) {
        fprintf(out, "unknown: no label could be held out");
        return;
    }
    fprintf(
        out,
        "%.1f %% expected on new rows (90 %% interval %.0f to %.0f %%, from %zu held-out labels)",
        100 * h->accuracy, 100 * h->low, 100 * h->high, h->held_out);
}

void cli_tell_baselines(FILE *out, const scant_headline *h)
{
    print_percent(out, h->majority);
    fprintf(out, " majority class, ");
    print_percent(out, h->labeled_only);
    fprintf(out, " labeled rows alone, ");
    print_percent(out, h->logistic);
    fprintf(out, " logistic regression");
}

void cli_tell_members(FILE *out, const scant_headline *h)
{
    for (size_t m = 0; m < h->members; m++)
        fprintf(out, "%s%s %.2f", m ? ", " : "", h->name[m], h->weight[m]);
    if (h->members == 0)
        fprintf(out, "none");
}

static const double WORTH_A_LABEL = 0.001; /* of accuracy, for one label more in each class */

void cli_tell_next(FILE *out, const scant_headline *h)
{
    bool measured = !isnan(h->accuracy);
    if (!measured)
        fprintf(out, "label two rows of each class or more, so that accuracy can be measured");
    else if (h->accuracy <= h->majority)
        fprintf(out, "check the labels; held-out ones are predicted no better than by chance");
    else if (isnan(h->gain) || h->gain >= WORTH_A_LABEL)
        fprintf(out, "label more rows");
    else
        fprintf(out, "more labels bring little; other columns may bring more");
    if (h->asks == 0 || (measured && h->accuracy > h->majority && h->gain < WORTH_A_LABEL))
        return;
    fprintf(out, "; of the unlabeled ones these are worth most (1 is the first row):");
    for (size_t i = 0; i < h->asks; i++)
        fprintf(out, "%s %zu", i ? "," : "", h->ask[i] + 1);
}

void cli_tell_gain(FILE *out, const scant_headline *h)
{
    double points = 100 * h->gain;
    fprintf(out, "one more label in each class brings ");
    if (points < 0.01)
        fprintf(out, "less than 0.01 points of accuracy");
    else
        fprintf(out, "about %.*f points of accuracy",
                points >= 1     ? 1
                : points >= 0.1 ? 2
                                : 3,
                points);
}

static void print_line(const char *name, void (*tell)(FILE *, const scant_headline *),
                       const scant_headline *h)
{
    printf("%-18s ", name); /* as cli_line does */
    tell(stdout, h);
    printf("\n");
}

void cli_print_headline(const scant_model *model)
{
    const scant_headline *h = scant_model_headline(model);
    print_line("accuracy", cli_tell_accuracy, h);
    print_line("compared with", cli_tell_baselines, h);
    if (!isnan(h->log_loss))
        cli_line(stdout, "log loss", "%.3g", h->log_loss);
    print_line("members", cli_tell_members, h);
    if (!isnan(h->gain))
        print_line("gain", cli_tell_gain, h);
    print_line("next", cli_tell_next, h);
}
