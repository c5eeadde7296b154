/* Of a model: how sure its parameters are. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>

static const char *weights_lack(const cli_subject *s)
{
    const scant_information *i = s->model ? scant_model_information(s->model) : NULL;
    return i && i->identified ? NULL : "the model has no standard errors (fit --stderr)";
}

/* Pairs of component and class that are in the model. */
static size_t list_weights(cli_bar_of *bar, char (*name)[320], size_t most,
                           const scant_model *model)
{
    size_t K = scant_model_classes(model), count = 0;
    for (size_t m = 0; m < scant_model_components(model); m++)
        for (size_t k = 0; k < (K ? K : 1) && count < most; k++) {
            double value = scant_model_coupling(model, m, k);
            double half = cli_normal_95 * scant_model_coupling_error(model, m, k);
            if (isnan(half) && value == 0)
                continue;
            (void)snprintf(name[count], sizeof name[count], K ? "%zu, %s" : "%zu", m + 1,
                           K ? scant_model_class_name(model, k) : "");
            bar[count] = (cli_bar_of){name[count], value, fmax(0, value - half), value + half};
            count++;
        }
    return count;
}

static bool weights_draw(cli_picture *p, const cli_subject *s)
{
    enum { MOST = 40 };
    cli_bar_of bar[MOST];
    char(*name)[320] = calloc(MOST, sizeof *name);
    if (name)
        cli_draw_bars(p, bar, list_weights(bar, name, MOST, s->model), "share of all rows");
    free(name);
    return name != NULL;
}

static void weights_caption(FILE *out, const cli_subject *s)
{
    fprintf(out, "Share of each component%s with its 95 %% interval, by %s.",
            scant_model_classes(s->model) ? " and class" : "",
            scant_errors_by_name(scant_model_information(s->model)->by));
}

const cli_kind cli_weights = {"weights",       "a model with standard errors: components' shares",
                              weights_lack,    weights_draw,
                              weights_caption, NULL};

static bool has_information(const cli_subject *s)
{
    return s->model && scant_model_information(s->model);
}

static void tell_information(FILE *out, const cli_subject *s)
{
    const scant_information *i = scant_model_information(s->model);
    cli_table *t = cli_table_new(2, 2);
    cli_fact(t, "free parameters", "%zu", i->parameters);
    if (i->identified)
        cli_fact(t, "standard errors", "by %s", scant_errors_by_name(i->by));
    else
        cli_fact(t, "standard errors", "there are none: see the warnings");
    if (i->draws)
        cli_fact(t, "fits drawn", "%zu, of which %zu failed", i->draws, i->failed);
    if (isfinite(i->missing))
        cli_fact(t, "missing information", "%.1f %% at most", 100 * i->missing);
    if (isfinite(i->digit))
        cli_fact(t, "EM's pace", "%.3g steps for a decimal digit", i->digit);
    cli_html_facts(out, t);
    cli_html_say(out, "soft",
                 "Missing information is the share of what complete data would report about some "
                 "parameter that labels and components, being unknown, take away. Near 100 %% the "
                 "data hardly tell that parameter.");
}

const cli_part cli_part_delta = {"certainty",
                                 "How the fit went, how sure it is",
                                 has_information,
                                 tell_information,
                                 {&cli_convergence, &cli_weights, NULL}};
