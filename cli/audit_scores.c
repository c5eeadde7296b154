/* scant audit --scores: risks of margin classifiers from their scores alone. */
#include "command.h"

#include <stdlib.h>
#include <string.h>

typedef struct scores_options {
    const char *scores, *prior, *loss;
    double level;
} scores_options;

#define SCORES(field) offsetof(scores_options, field)
static const scant_option table[] = {
    {"scores", 0, SCANT_OPTION_TEXT, SCORES(scores), "FILE", NULL, 0, 0, NULL,
     "a column of scores a classifier, a row an example; above 0 means the second class"},
    {"prior", 0, SCANT_OPTION_TEXT, SCORES(prior), "P", NULL, 0, 0, NULL,
     "the second class's share, or a=0.3,b=0.7"},
    {"loss", 0, SCANT_OPTION_CHOICE, SCORES(loss), "L", "all", 0, 0, "all|log|hinge|exp|zero-one",
     "which risk to tell"},
    {"ci", 0, SCANT_OPTION_REAL, SCORES(level), "L", "0.95", 0.01, 0.9999, NULL,
     "level of the intervals"},
};

static const cli_manual manual = {
    "--scores FILE --prior P [--loss L] [options]",
    "Estimates the expected loss of margin classifiers without labels: given the class, scores are "
    "taken to be normal, and unlabelled scores with the classes' proportions tell the two normals. "
    "Each column is a classifier. A column that cannot be told is left out with its reason.",
    "scant audit --scores examples/data/scores.csv --prior 0.3 --loss zero-one", 0, 0};

/* One classifier: its name, what was found, or why nothing was. */
typedef struct finding {
    const char *name;
    scant_status status;
    char reason[256];
    scant_margin_audit audit;
} finding;

static bool is_asked(const scores_options *o, size_t loss)
{
    return strcmp(o->loss, "all") == 0 || strcmp(o->loss, scant_loss_name((scant_loss)loss)) == 0;
}

static json_t *risk_json(const scant_risk *r)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "value", cli_json_real(r->value), "stderr",
                     cli_json_real(r->error), "low", cli_json_real(r->low), "high",
                     cli_json_real(r->high));
}

static json_t *finding_json(const finding *f, const scores_options *o)
{
    json_t *object = json_pack("{s:o}", "name", cli_json_text(f->name));
    if (f->status != SCANT_OK) {
        cli_json_set(object, "refused", cli_json_text(f->reason));
        return object;
    }
    const scant_margin_audit *a = &f->audit;
    const char *text[SCANT_MARGIN_WARNINGS];
    const size_t two = 2, n = scant_margin_audit_warnings(text, a);
    json_t *risks = json_object(), *warnings = json_array();
    for (size_t l = 0; l < SCANT_LOSSES; l++)
        if (is_asked(o, l))
            cli_json_set(risks, scant_loss_name((scant_loss)l), risk_json(&a->risk[l]));
    for (size_t i = 0; i < n; i++)
        (void)json_array_append_new(warnings, json_string(text[i]));
    cli_json_set(object, "rows", json_integer((json_int_t)a->rows));
    cli_json_set(object, "risk", risks);
    cli_json_set(object, "mean", cli_json_nested(a->mean, &two, 1));
    cli_json_set(object, "sd", cli_json_nested(a->sd, &two, 1));
    cli_json_set(object, "loglik", cli_json_real(a->loglik));
    cli_json_set(object, "share", cli_json_real(a->share));
    cli_json_set(object, "distance", cli_json_real(a->distance));
    cli_json_set(object, "normal", json_boolean(a->normal));
    cli_json_set(object, "reversed", json_boolean(a->reversed));
    cli_json_set(object, "warnings", warnings);
    return object;
}

static void print(const finding *found, size_t count, const scores_options *o)
{
    cli_table *out = cli_table_new(7, 2);
    static const char *const head[] = {"scores", "loss", "risk",    "stderr",
                                       "low",    "high", "distance"};
    for (size_t h = 0; h < sizeof head / sizeof *head; h++)
        cli_table_add(out, "%s", head[h]);
    for (size_t c = 0; c < count; c++) {
        const finding *f = &found[c];
        for (size_t l = 0; f->status == SCANT_OK && l < SCANT_LOSSES; l++) {
            const scant_risk *r = &f->audit.risk[l];
            if (!is_asked(o, l))
                continue;
            cli_table_add(out, "%s", f->name);
            cli_table_add(out, "%s", scant_loss_name((scant_loss)l));
            cli_table_number(out, r->value);
            cli_table_number(out, r->error);
            cli_table_number(out, r->low);
            cli_table_number(out, r->high);
            cli_table_number(out, f->audit.distance);
        }
    }
    cli_table_print(out, stdout);
    for (size_t c = 0; c < count; c++) {
        const char *text[SCANT_MARGIN_WARNINGS];
        const finding *f = &found[c];
        size_t n = f->status == SCANT_OK ? scant_margin_audit_warnings(text, &f->audit) : 0;
        for (size_t i = 0; i < n; i++)
            printf("warning: %s: %s\n", f->name, text[i]);
        if (f->status != SCANT_OK)
            printf("refused: %s: %s\n", f->name, f->reason);
    }
}

static int tell(const cli_call *call, const finding *found, size_t count, const scores_options *o,
                const double prior[2])
{
    if (!call->json) {
        print(found, count, o);
        return EXIT_OK;
    }
    const size_t two = 2;
    json_t *list = json_array();
    for (size_t c = 0; c < count; c++)
        (void)json_array_append_new(list, finding_json(&found[c], o));
    return cli_json_print(call,
                          json_pack("{s:o, s:f, s:o}", "prior", cli_json_nested(prior, &two, 1),
                                    "level", o->level, "classifiers", list));
}

/* Audits every column; the code is that of the columns that were refused only if all were. */
static int audit(const cli_call *call, const scant_rows *rows, const scores_options *o,
                 const double prior[2])
{
    size_t count = scant_rows_columns(rows), refused = 0;
    finding *found = calloc(count, sizeof *found);
    if (!found)
        return cli_out_of_memory(call);
    for (size_t c = 0; c < count; c++) {
        finding *f = &found[c];
        f->name = scant_rows_column_name(rows, c);
        f->status = scant_margin_audit_scores(&f->audit, rows, c, prior[1], o->level, call->seed,
                                              call->threads);
        (void)snprintf(f->reason, sizeof f->reason, "%s", scant_message());
        refused += f->status != SCANT_OK;
    }
    int code =
        refused < count ? tell(call, found, count, o, prior) : cli_failed(call, found[0].status);
    free(found);
    return code;
}

int cli_audit_scores(int argc, char **argv)
{
    cli_call call;
    cli_input input;
    scores_options options = {0};
    scant_rows *rows = NULL;
    double prior[2];
    cli_call_begin(&call, argv[0]);
    cli_call_add(&call, "Scores", table, sizeof table / sizeof *table, &options);
    cli_input_add(&call, &input);
    int code = cli_call_parse(&call, &manual, argc, argv);
    if (code == GO_ON && !options.scores)
        code = cli_usage_error(&call, "--scores FILE is needed");
    if (code == GO_ON && !options.prior)
        code = cli_usage_error(&call, "--prior P is needed: the second class's share");
    if (code == GO_ON)
        code = scant_prior_read_pair(prior, options.prior) == SCANT_OK
                   ? GO_ON
                   : cli_usage_error(&call, "%s", scant_message());
    if (code == GO_ON)
        code = cli_input_read(&rows, &call, &input, options.scores, NULL);
    if (code == GO_ON)
        code = audit(&call, rows, &options, prior);
    scant_rows_free(rows);
    cli_call_end(&call);
    return code;
}
