/* What components are about: their strongest entries. */
#include "factor.h"

#include <math.h>
#include <stdlib.h>

/* Strongest first; of equals, the first. */
static int compare(const void *left, const void *right)
{
    const cli_entry *a = left, *b = right;
    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

cli_entry *cli_strongest(size_t *count, const double *value, size_t n, size_t rank,
                         size_t component, size_t top)
{
    cli_entry *list = calloc(n + 1, sizeof *list);
    *count = 0;
    if (!list)
        return NULL;
    for (size_t i = 0; i < n; i++)
        list[i] = (cli_entry){i, value[i * rank + component]};
    qsort(list, n, sizeof *list, compare);
    while (*count < n && *count < top && list[*count].value > 0)
        ++*count;
    return list;
}

static cli_entry *strongest(size_t *count, const scant_factors *factors, size_t mode,
                            size_t component, size_t top)
{
    return cli_strongest(count, scant_factors_mode(factors, mode),
                         scant_factors_size(factors, mode), scant_factors_summary(factors)->rank,
                         component, top);
}

static void print_mode(const scant_factors *factors, const cli_names *names, size_t mode,
                       size_t component, size_t top)
{
    size_t count;
    cli_entry *list = strongest(&count, factors, mode, component, top);
    printf("  mode %zu:", mode + 1);
    for (size_t k = 0; k < count; k++) {
        if (names && names[mode].count)
            printf("%s %s (%.3g)", k ? "," : "", names[mode].item[list[k].index], list[k].value);
        else
            printf("%s %zu (%.3g)", k ? "," : "", list[k].index + 1, list[k].value);
    }
    putchar('\n');
    free(list);
}

void cli_components_print(const scant_factors *factors, const cli_names *names, size_t top)
{
    const scant_factor_summary *s = scant_factors_summary(factors);
    for (size_t q = 0; q < s->rank; q++) {
        printf("\ncomponent %zu, weight %.6g", q + 1, scant_factors_weights(factors)[q]);
        if (!isnan(scant_factors_stability(factors)[q]))
            printf(", stability %.3f", scant_factors_stability(factors)[q]);
        putchar('\n');
        for (size_t m = 0; m < s->order; m++)
            print_mode(factors, names, m, q, top);
    }
}

static json_t *mode_json(const scant_factors *factors, const cli_names *names, size_t mode,
                         size_t component, size_t top)
{
    size_t count;
    cli_entry *list = strongest(&count, factors, mode, component, top);
    json_t *entries = json_array();
    for (size_t k = 0; k < count; k++) {
        json_t *one = json_pack("{s:I, s:o}", "index", (json_int_t)list[k].index + 1, "value",
                                cli_json_real(list[k].value));
        if (names && names[mode].count)
            cli_json_set(one, "name", cli_json_text(names[mode].item[list[k].index]));
        (void)json_array_append_new(entries, one);
    }
    free(list);
    return entries;
}

json_t *cli_components_json(const scant_factors *factors, const cli_names *names, size_t top)
{
    const scant_factor_summary *s = scant_factors_summary(factors);
    json_t *list = json_array();
    for (size_t q = 0; q < s->rank; q++) {
        json_t *modes = json_array();
        for (size_t m = 0; m < s->order; m++)
            (void)json_array_append_new(modes, mode_json(factors, names, m, q, top));
        (void)json_array_append_new(
            list, json_pack("{s:o, s:o, s:o}", "weight",
                            cli_json_real(scant_factors_weights(factors)[q]), "stability",
                            cli_json_real(scant_factors_stability(factors)[q]), "modes", modes));
    }
    return list;
}
