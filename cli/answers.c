/* What a model says of rows, as lines of CSV: predict writes them all, stream one at a time. */
#define _GNU_SOURCE /* asprintf */
#include "command.h"

#include <stdlib.h>
#include <string.h>

static bool has_target(const scant_model *model)
{
    for (size_t f = 0; f < scant_model_factors(model); f++)
        if (strcmp(scant_model_factor_family(model, f), "regression") == 0)
            return true;
    return false;
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
        write_numbers(out, probability, K ? K : M);
        if (p->support)
            write_numbers(out, p->support + i, 1);
        write_numbers(out, p->loglik + i, 1);
        if (p->target)
            write_numbers(out, p->target + i, 1);
        if (K && p->components)
            write_numbers(out, p->components + i * M, M);
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
