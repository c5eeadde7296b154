/* scant audit --ask: the answers that are worth asking for. */
#include "audit.h"

#include <stdlib.h>
#include <string.h>

/* "judge=5": the predictor before the last equals sign, its cost behind. */
static int read_cost(double *cost, const cli_call *call, const char *text, const scant_votes *votes)
{
    const char *equals = strrchr(text, '=');
    char *end = NULL;
    double value = equals ? strtod(equals + 1, &end) : 0;
    if (!equals || end == equals + 1 || *end || !(value > 0))
        return cli_usage_error(call, "--cost: '%s' is not of the form predictor=cost, above 0",
                               text);
    for (size_t c = 0; c < scant_votes_predictors(votes); c++) {
        const char *name = scant_votes_predictor_name(votes, c);
        if (strlen(name) == (size_t)(equals - text) &&
            memcmp(name, text, (size_t)(equals - text)) == 0) {
            cost[c] = value;
            return GO_ON;
        }
    }
    return cli_usage_error(call, "--cost: no predictor is called '%.*s'", (int)(equals - text),
                           text);
}

int cli_audit_ask(scant_ask **out, size_t *count, const cli_call *call, const audit_options *o,
                  const scant_audit *audit, const scant_votes *votes)
{
    size_t k = scant_votes_predictors(votes);
    int code = GO_ON;
    *out = NULL;
    *count = 0;
    if (!o->ask)
        return o->cost.count ? cli_usage_error(call, "--cost is for --ask") : GO_ON;
    double *cost = calloc(k, sizeof *cost);
    *out = calloc(o->ask, sizeof **out);
    if (!cost || !*out)
        code = cli_out_of_memory(call);
    for (size_t c = 0; code == GO_ON && c < k; c++)
        cost[c] = 1;
    for (size_t t = 0; code == GO_ON && t < o->cost.count; t++)
        code = read_cost(cost, call, o->cost.item[t], votes);
    *count = o->ask;
    scant_status status =
        code == GO_ON ? scant_audit_ask(*out, count, audit, votes, cost) : SCANT_OK;
    if (status != SCANT_OK)
        code = cli_failed(call, status);
    free(cost);
    return code;
}

/* The item's name, or its number. */
static const char *item_name(const scant_votes *votes, size_t item, char number[32])
{
    const char *name = scant_votes_item_name(votes, item);
    if (!name)
        (void)snprintf(number, 32, "%zu", item + 1);
    return name ? name : number;
}

void cli_print_ask(const scant_ask *ask, size_t count, const scant_votes *votes)
{
    char number[32];
    cli_table *t = cli_table_new(5, 2);
    const char *head[] = {"ask about", "predictor", "bits", "cost", "bits/cost"};
    printf("\n");
    for (size_t h = 0; h < sizeof head / sizeof *head; h++)
        cli_table_add(t, "%s", head[h]);
    for (size_t i = 0; i < count; i++) {
        cli_table_add(t, "%s", item_name(votes, ask[i].item, number));
        cli_table_add(t, "%s", scant_votes_predictor_name(votes, ask[i].predictor));
        cli_table_number(t, ask[i].gain);
        cli_table_number(t, ask[i].cost);
        cli_table_number(t, ask[i].worth);
    }
    cli_table_print(t, stdout);
}

json_t *cli_json_ask(const scant_ask *ask, size_t count, const scant_votes *votes)
{
    char number[32];
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:o, s:o}", "item",
                            cli_json_text(item_name(votes, ask[i].item, number)), "predictor",
                            cli_json_text(scant_votes_predictor_name(votes, ask[i].predictor)),
                            "bits", cli_json_real(ask[i].gain), "cost", cli_json_real(ask[i].cost),
                            "worth", cli_json_real(ask[i].worth)));
    return list;
}
