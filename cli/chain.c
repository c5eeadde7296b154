/* What several commands say of chains. */
#include "command.h"

#include <math.h>

void cli_chain_input(cli_input *input, const scant_model *model)
{
    input->chains = true;
    if (scant_model_states(model) && !input->sequence)
        input->sequence = scant_model_setting(model, "sequence");
}

static json_t *line_of(const scant_model *model, double (*number)(const scant_model *, size_t))
{
    json_t *line = json_array();
    for (size_t j = 0; j < scant_model_states(model); j++)
        (void)json_array_append_new(line, cli_json_real(number(model, j)));
    return line;
}

void cli_json_chain(json_t *object, const scant_model *model)
{
    size_t M = scant_model_states(model);
    if (M == 0)
        return;
    json_t *transitions = json_array();
    for (size_t i = 0; i < M; i++) {
        json_t *line = json_array();
        for (size_t j = 0; j < M; j++)
            (void)json_array_append_new(line, cli_json_real(scant_model_transition(model, i, j)));
        (void)json_array_append_new(transitions, line);
    }
    cli_json_set(object, "sequences",
                 json_integer((json_int_t)scant_model_summary(model)->sequences));
    cli_json_set(object, "states", json_integer((json_int_t)M));
    cli_json_set(object, "start", line_of(model, scant_model_start));
    cli_json_set(object, "transitions", transitions);
    cli_json_set(object, "dwell", line_of(model, scant_model_dwell));
}

/* The class that most of a state's mass is of; NULL: there are no classes. */
static const char *class_of(const scant_model *model, size_t state)
{
    size_t best = 0;
    for (size_t k = 1; k < scant_model_classes(model); k++)
        if (scant_model_coupling(model, state, k) > scant_model_coupling(model, state, best))
            best = k;
    return scant_model_class_name(model, best);
}

static void name_state(cli_table *out, const scant_model *model, size_t state)
{
    const char *name = class_of(model, state);
    if (name)
        cli_table_add(out, "%zu (%s)", state + 1, name);
    else
        cli_table_add(out, "%zu", state + 1);
}

void cli_print_chain(const scant_model *model)
{
    size_t M = scant_model_states(model);
    if (M == 0)
        return;
    printf("\nfrom each state (rows) to the next (columns); steps stayed on average\n");
    cli_table *out = cli_table_new(M + 3, 1);
    cli_table_add(out, "state");
    cli_table_add(out, "start");
    for (size_t j = 0; j < M; j++)
        cli_table_add(out, "%zu", j + 1);
    cli_table_add(out, "steps");
    for (size_t i = 0; i < M; i++) {
        name_state(out, model, i);
        cli_table_number(out, scant_model_start(model, i));
        for (size_t j = 0; j < M; j++)
            cli_table_number(out, scant_model_transition(model, i, j));
        cli_table_number(out, scant_model_dwell(model, i));
    }
    cli_table_print(out, stdout);
}

json_t *cli_json_row_model(const scant_comparison *c)
{
    json_t *object = cli_json_comparison(c, "rows");
    if (c->nfolds == 0)
        return object;
    cli_json_set(object, "loglik", cli_json_real(c->loglik[1]));
    cli_json_set(object, "fit_loglik", cli_json_real(c->loglik[0]));
    return object;
}

void cli_print_row_model(const scant_comparison *c)
{
    if (c->nfolds == 0 && c->why[0])
        cli_line(stdout, "independent rows", "not compared: %s", c->why);
    else if (c->nfolds && c->labeled)
        cli_line(stdout, "independent rows",
                 "accuracy %.4g, the chain %.4g (held-out sequences, %zu folds)", c->accuracy[1],
                 c->accuracy[0], c->nfolds);
    else if (c->nfolds)
        cli_line(stdout, "independent rows",
                 "log-likelihood of a row %.5g, the chain %.5g (held-out sequences, %zu folds)",
                 c->loglik[1], c->loglik[0], c->nfolds);
}
