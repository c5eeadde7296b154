/* What several commands say of comparisons and of label noise. */
#include "command.h"

#include <math.h>
#include <string.h>

json_t *cli_json_comparison(const scant_comparison *c, const char *rival)
{
    json_t *object = json_pack("{s:s, s:I, s:I}", "rival", rival, "labeled", (json_int_t)c->labeled,
                               "folds", (json_int_t)c->nfolds);
    if (c->nfolds == 0) {
        cli_json_set(object, "why", cli_json_text(c->why));
        return object;
    }
    cli_json_set(object, "accuracy", cli_json_real(c->accuracy[1]));
    cli_json_set(object, "log_loss", cli_json_real(c->log_loss[1]));
    cli_json_set(object, "fit_accuracy", cli_json_real(c->accuracy[0]));
    cli_json_set(object, "fit_log_loss", cli_json_real(c->log_loss[0]));
    cli_json_set(object, "difference", cli_json_real(c->difference));
    cli_json_set(object, "standard_error", cli_json_real(c->error));
    cli_json_set(object, "hurts", json_boolean(c->worse));
    return object;
}

void cli_print_baseline(const scant_comparison *c, const scant_model *model)
{
    if (c->labeled && c->nfolds == 0)
        cli_line(stdout, "baseline", "none: %s", c->why);
    else if (c->labeled)
        cli_line(stdout, "baseline",
                 "accuracy %.4g from the %zu labelled rows alone, %.4g with the others (held out, "
                 "%zu folds)",
                 c->accuracy[1], c->labeled, c->accuracy[0], c->nfolds);
    char text[CLI_WORDS_OF_HURT];
    if (c->worse && !cli_is_of_labels(model))
        cli_line(stdout, "warning", "%s", cli_tell_hurt(text, c));
}

bool cli_is_of_labels(const scant_model *model)
{
    const char *weight = model ? scant_model_setting(model, "unlabeled-weight") : NULL;
    return weight && strcmp(weight, "0") == 0;
}

const char *cli_tell_hurt(char text[CLI_WORDS_OF_HURT], const scant_comparison *c)
{
    (void)snprintf(text, CLI_WORDS_OF_HURT,
                   "unlabelled rows hurt: accuracy is %.2g +- %.2g lower with them; try other "
                   "components or families, or --unlabeled-weight below 1",
                   -c->difference, c->error);
    return text;
}

json_t *cli_json_guess(const scant_guess *guess, const char *name)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:b}", "class", cli_json_text(name), "accuracy",
                     cli_json_real(guess->accuracy), "difference", cli_json_real(guess->difference),
                     "standard_error", cli_json_real(guess->error), "better", (int)guess->better);
}

void cli_print_guess(const scant_guess *guess, const char *name)
{
    if (guess->better)
        cli_line(stdout, "warning",
                 "always naming %s would be right in %.4g of the rows, %.2g +- %.2g more: the "
                 "model does not suit them; try another covariance, family or number of components",
                 name, guess->accuracy, -guess->difference, guess->error);
}

bool cli_knows_noise(const scant_model *model)
{
    return scant_model_classes(model) && !isnan(scant_model_label_noise(model, 0, 0));
}

json_t *cli_json_noise(const scant_model *model)
{
    json_t *table = json_array();
    for (size_t k = 0; k < scant_model_classes(model); k++) {
        json_t *row = json_array();
        for (size_t y = 0; y < scant_model_classes(model); y++)
            (void)json_array_append_new(row, cli_json_real(scant_model_label_noise(model, k, y)));
        (void)json_array_append_new(table, row);
    }
    return table;
}

void cli_print_noise(const scant_model *model)
{
    size_t K = scant_model_classes(model);
    if (!cli_knows_noise(model))
        return;
    cli_table *out = cli_table_new(K + 1, 1);
    cli_table_add(out, "class");
    for (size_t y = 0; y < K; y++)
        cli_table_add(out, "seen as %s", scant_model_class_name(model, y));
    for (size_t k = 0; k < K; k++) {
        cli_table_add(out, "%s", scant_model_class_name(model, k));
        for (size_t y = 0; y < K; y++)
            cli_table_number(out, scant_model_label_noise(model, k, y));
    }
    printf("\n");
    cli_table_print(out, stdout);
}
