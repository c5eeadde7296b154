/* What a model says of rows, as lines of CSV: predict writes them all, stream one at a time. */
#define _GNU_SOURCE /* asprintf */
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool has_target(const scant_model *model)
{
    return scant_model_schema(model)->optional != NULL;
}

void cli_answers_free(cli_answers *p)
{
    free(p->classes);
    free(p->components);
    free(p->support);
    free(p->loglik);
    free(p->target);
    scant_scores_clear(&p->scores);
}

bool cli_answers_new(cli_answers *p, const scant_model *model, size_t n, bool components)
{
    *p = (cli_answers){.n = n,
                       .nclasses = scant_model_classes(model),
                       .ncomponents = scant_model_components(model)};
    bool good = true;
    if (p->nclasses) {
        good &= (p->classes = calloc(n * p->nclasses + 1, sizeof(double))) != NULL;
        good &= (p->support = calloc(n + 1, sizeof(double))) != NULL;
    }
    if (components || !p->nclasses)
        good &= (p->components = calloc(n * p->ncomponents + 1, sizeof(double))) != NULL;
    if (has_target(model))
        good &= (p->target = calloc(n + 1, sizeof(double))) != NULL;
    good &= (p->loglik = calloc(n + 1, sizeof(double))) != NULL;
    return good;
}

size_t cli_best_of(const double *probability, size_t count)
{
    size_t best = 0;
    for (size_t k = 1; k < count; k++)
        if (probability[k] > probability[best])
            best = k;
    return best;
}

enum { LONGEST_NAME = 512 };

/* The i-th column of answers, behind the identifier; NULL behind the last. */
static const char *column_name(char text[LONGEST_NAME], const cli_answers *p,
                               const scant_model *model, size_t i)
{
    size_t K = p->nclasses, M = p->ncomponents, wide = K ? K : M;
    if (i == 0)
        return K ? "label" : "component";
    i--;
    if (i < wide && K)
        (void)snprintf(text, LONGEST_NAME, "p_%.500s", scant_model_class_name(model, i));
    else if (i < wide)
        (void)snprintf(text, LONGEST_NAME, "p_%zu", i + 1);
    if (i < wide)
        return text;
    i -= wide;
    if (p->support && i-- == 0)
        return "support";
    if (i-- == 0)
        return "loglik";
    if (p->target && i-- == 0)
        return "prediction";
    if (K && p->components && i < M) {
        (void)snprintf(text, LONGEST_NAME, "component_%zu", i + 1);
        return text;
    }
    i -= K && p->components ? M : 0;
    return i < p->scores.count ? p->scores.name[i] : NULL;
}

static bool is_taken(const char *name, const cli_answers *p, const scant_model *model)
{
    char text[LONGEST_NAME];
    const char *taken;
    for (size_t i = 0; (taken = column_name(text, p, model, i)); i++)
        if (strcmp(taken, name) == 0)
            return true;
    return false;
}

/* Identifiers whose column is called as an answer is get an underscore, as in tables that the
 * library writes; names that occur twice could not be read back. */
static void put_id_name(FILE *out, const cli_answers *p, const scant_model *model, const char *id)
{
    char *name = strdup(id), *longer;
    while (name && is_taken(name, p, model)) {
        longer = asprintf(&longer, "%s_", name) < 0 ? NULL : longer;
        free(name);
        name = longer;
    }
    cli_csv_text(out, name ? name : id);
    fputc(',', out);
    free(name);
}

void cli_answers_header(FILE *out, const cli_answers *p, const scant_model *model, const char *id)
{
    char text[LONGEST_NAME];
    const char *name;
    if (id)
        put_id_name(out, p, model, id);
    for (size_t i = 0; (name = column_name(text, p, model, i)); i++) {
        if (i)
            fputc(',', out);
        cli_csv_text(out, name);
    }
    fputc('\n', out);
}

enum { ALL_DIGITS = 17, MORE_DIGITS = 4 };

static void write_number(FILE *out, double value, int digits)
{
    char text[64];
    fputc(',', out);
    if (digits <= 0 || digits >= ALL_DIGITS || !isfinite(value)) {
        cli_csv_number(out, value);
        return;
    }
    (void)snprintf(text, sizeof text, "%.*g", digits, value);
    fputs(text, out);
}

static double as_printed(double value, int digits)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%.*g", digits, value);
    return strtod(text, NULL);
}

/* The largest is what the others leave as they are printed, so that a line sums to 1. */
static void write_probabilities(FILE *out, const double *p, size_t count, int digits)
{
    size_t best = cli_best_of(p, count);
    double rest = 1;
    bool few = digits > 0 && digits < ALL_DIGITS && count > 1;
    for (size_t k = 0; few && k < count; k++)
        rest -= k == best ? 0 : as_printed(p[k], digits);
    bool sound = few && fabs(rest - p[best]) < 1e-3 && rest > 0;
    for (size_t k = 0; k < count; k++)
        if (sound && k == best) {
            char text[64];
            (void)snprintf(text, sizeof text, "%.12g", rest);
            fprintf(out, ",%s", text);
        } else {
            write_number(out, p[k], digits);
        }
}

static void write_numbers(FILE *out, const double *value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fputc(',', out);
        cli_csv_number(out, value[i]);
    }
}

size_t cli_answers_write(FILE *out, const cli_answers *p, const scant_model *model,
                         const scant_rows *rows, bool id, double reject)
{
    size_t rejected = 0, K = p->nclasses, M = p->ncomponents;
    for (size_t i = 0; i < p->n; i++) {
        const double *probability = K ? p->classes + i * K : p->components + i * M;
        size_t best = cli_best_of(probability, K ? K : M);
        bool doubtful = probability[best] < reject;
        rejected += doubtful;
        if (id) {
            const char *text = scant_rows_id(rows, i);
            cli_csv_text(out, text ? text : "");
            fputc(',', out);
        }
        if (!doubtful && K)
            cli_csv_text(out, scant_model_class_name(model, best));
        else if (!doubtful)
            fprintf(out, "%zu", best + 1);
        int more = p->digits ? p->digits + MORE_DIGITS : 0;
        write_probabilities(out, probability, K ? K : M, p->digits);
        if (p->support)
            write_number(out, p->support[i], p->digits);
        write_number(out, p->loglik[i], more);
        if (p->target)
            write_number(out, p->target[i], more);
        if (K && p->components)
            write_probabilities(out, p->components + i * M, M, p->digits);
        write_numbers(out, p->scores.value + i * p->scores.count, p->scores.count);
        fputc('\n', out);
    }
    return rejected;
}

void cli_answers_skip(FILE *out, const cli_answers *p, bool id)
{
    size_t cells = id + 1 + (p->nclasses ? p->nclasses : p->ncomponents) + (p->support != NULL) +
                   1 + (p->target != NULL) + (p->nclasses && p->components ? p->ncomponents : 0);
    while (--cells > 0)
        fputc(',', out);
    fputc('\n', out);
}
