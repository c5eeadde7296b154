/* scant audit: how good predictors are, from their answers alone. */
#include "audit.h"
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AUDIT(field) offsetof(audit_options, field)
static const scant_option table[] = {
    {"long", 0, SCANT_OPTION_FLAG, AUDIT(is_long), NULL, NULL, 0, 0, NULL,
     "a row a vote: item, worker, label; else a row an item and a column a predictor"},
    {"item", 0, SCANT_OPTION_TEXT, AUDIT(item), "COL", NULL, 0, 0, NULL,
     "with --long: column of items (item, task)"},
    {"worker", 0, SCANT_OPTION_TEXT, AUDIT(worker), "COL", NULL, 0, 0, NULL,
     "with --long: column of predictors (worker, annotator)"},
    {"answer", 0, SCANT_OPTION_TEXT, AUDIT(answer), "COL", NULL, 0, 0, NULL,
     "with --long: column of answers (label, answer)"},
    {"truth", 0, SCANT_OPTION_TEXT, AUDIT(truth), "COL", NULL, 0, 0, NULL,
     "column of true classes (of numbers: true values), empty where they are not known; used as "
     "evidence"},
    {"combine", 0, SCANT_OPTION_TEXT, AUDIT(combine), "CSV", NULL, 0, 0, NULL,
     "write each item's class by all predictors together, its probabilities, and the majority's"},
    {"more", 0, SCANT_OPTION_TEXT, AUDIT(more), "VOTES", NULL, 0, 0, NULL,
     "votes about further items that came later: error rates move on, without a new fit"},
    {"ask", 0, SCANT_OPTION_COUNT, AUDIT(ask), "N", "0", 0, 1e6, NULL,
     "tell the N answers not yet given that are most worth asking for"},
    {"cost", 0, SCANT_OPTION_LIST, AUDIT(cost), "P=C", NULL, 0, 0, NULL,
     "with --ask: what an answer of a predictor costs (judge=5); 1 if not said"},
    {"regression", 0, SCANT_OPTION_FLAG, AUDIT(regression), NULL, NULL, 0, 0, NULL,
     "instead of votes: predictions of a number, each a multiple of it with noise"},
    {"channel", 0, SCANT_OPTION_FLAG, AUDIT(channel), NULL, NULL, 0, 0, NULL,
     "instead of votes: readings of a number, each with noise of its own"},
    {"prior-mean", 0, SCANT_OPTION_REAL, AUDIT(prior_mean), "M", NULL, -1e300, 1e300, NULL,
     "mean of the number"},
    {"prior-sd", 0, SCANT_OPTION_REAL, AUDIT(prior_sd), "S", NULL, 0, 1e300, NULL,
     "standard deviation of the number"},
    {"noise-sd", 0, SCANT_OPTION_REAL, AUDIT(noise_sd), "T", NULL, 0, 1e300, NULL,
     "with --regression: standard deviation of the noise; else it is estimated"},
    {"scores", 0, SCANT_OPTION_TEXT, AUDIT(scores), "FILE", NULL, 0, 0, NULL,
     "instead of votes: scores of a margin classifier, whose risk is wanted"},
};

static const cli_manual manual = {
    "VOTES [--prior SHARES] [options]",
    "Estimates how often each predictor errs, and in favour of which classes, from the predictors' "
    "answers alone: no labels are used, unless --truth has some. Empty cells are answers that were "
    "not given. Given the class, predictors are taken to be independent; a test of that is always "
    "run and reported, and intervals are withheld where it fails badly. What the answers cannot "
    "tell is refused with the reason (exit code 5).",
    "scant audit examples/data/judges.csv --id answer --prior good=0.6,bad=0.4", 0, 1};

/* --- results --- */

static json_t *estimate_json(const scant_estimate *e)
{
    return json_pack("{s:o, s:o, s:[o, o]}", "value", cli_json_real(e->value), "stderr",
                     cli_json_real(e->error), "interval", cli_json_real(e->low),
                     cli_json_real(e->high));
}

static json_t *confusion_json(const scant_audit_predictor *p, size_t l, bool errors)
{
    json_t *rows = json_array();
    for (size_t j = 0; j < l; j++) {
        json_t *row = json_array();
        for (size_t a = 0; a < l; a++) {
            const scant_estimate *e = &p->confusion[j * l + a];
            json_array_append_new(row, cli_json_real(errors ? e->error : e->value));
        }
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *confusion_intervals(const scant_audit_predictor *p, size_t l)
{
    json_t *rows = json_array();
    for (size_t j = 0; j < l; j++) {
        json_t *row = json_array();
        for (size_t a = 0; a < l; a++) {
            const scant_estimate *e = &p->confusion[j * l + a];
            json_array_append_new(
                row, json_pack("[o, o]", cli_json_real(e->low), cli_json_real(e->high)));
        }
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *predictor_json(const scant_votes *votes, const scant_audit *audit, size_t c)
{
    const scant_audit_predictor *p = scant_audit_predictor_at(audit, c);
    size_t l = scant_votes_classes(votes);
    return json_pack("{s:o, s:I, s:o, s:o, s:[o, o], s:o, s:[o, o], s:o, s:o, s:o}", "name",
                     cli_json_text(scant_votes_predictor_name(votes, c)), "answers",
                     (json_int_t)p->answers, "error", cli_json_real(p->error.value), "stderr",
                     cli_json_real(p->error.error), "interval", cli_json_real(p->error.low),
                     cli_json_real(p->error.high), "wrong", cli_json_real(p->wrong.value),
                     "wrong_interval", cli_json_real(p->wrong.low), cli_json_real(p->wrong.high),
                     "confusion", confusion_json(p, l, false), "confusion_stderr",
                     confusion_json(p, l, true), "confusion_interval", confusion_intervals(p, l));
}

json_t *cli_json_dependence(const scant_dependence *d, cli_namer *name, const void *of)
{
    json_t *object =
        json_pack("{s:s, s:I, s:I, s:I, s:o, s:o, s:o}", "verdict", scant_verdict_name(d->verdict),
                  "possible", (json_int_t)d->possible, "pairs", (json_int_t)d->pairs, "rejected",
                  (json_int_t)d->rejected, "z", cli_json_real(d->z), "p", cli_json_real(d->p),
                  "correlation", cli_json_real(d->correlation));
    if (d->pairs)
        json_object_set_new(object, "worst",
                            json_pack("[o, o]", cli_json_text(name(of, d->first)),
                                      cli_json_text(name(of, d->second))));
    return object;
}

void cli_print_dependence(const scant_dependence *d, cli_namer *name, const void *of)
{
    const char *verdict = scant_verdict_name(d->verdict);
    if (d->pairs == 0 && d->possible > 0)
        cli_line(stdout, "independence", "%s (none of %zu pairs has the answers for it)", verdict,
                 d->possible);
    else if (d->pairs == 0)
        cli_line(stdout, "independence", "%s", verdict);
    else
        cli_line(
            stdout, "independence",
            "%s (%zu of %zu pairs rejected; %zu of %zu could be tested; %s and %s most: z = %.2f)",
            verdict, d->rejected, d->pairs, d->pairs, d->possible, name(of, d->first),
            name(of, d->second), d->z);
}

static const char *predictor_name(const void *votes, size_t index)
{
    return scant_votes_predictor_name(votes, index);
}

static const char *class_name(const void *votes, size_t index)
{
    return scant_votes_class_name(votes, index);
}

static json_t *prior_json(const scant_votes *votes, const scant_audit_summary *s)
{
    json_t *object = json_object();
    for (size_t j = 0; j < scant_votes_classes(votes); j++)
        cli_json_set(object, scant_votes_class_name(votes, j), estimate_json(&s->prior[j]));
    return object;
}

static json_t *warnings_json(const scant_audit_summary *s)
{
    json_t *list = json_array();
    for (size_t w = 0; w < s->nwarnings; w++)
        json_array_append_new(list, cli_json_text(s->warning[w]));
    return list;
}

static json_t *misfit_json(const scant_misfit *m)
{
    return json_pack("{s:s, s:o, s:o, s:o}", "verdict", scant_verdict_name(m->verdict), "statistic",
                     cli_json_real(m->statistic), "degrees", cli_json_real(m->degrees), "p",
                     cli_json_real(m->p));
}

/* Everything that is printed. */
typedef struct answer {
    const scant_votes *votes;
    size_t nitems, nvotes; /* of weight above 0 */
    const scant_audit *audit;
    const scant_ask *ask;
    size_t nasks;
    double seconds;
} answer;

static int print_json(const cli_call *call, const audit_options *o, const answer *a)
{
    const scant_votes *votes = a->votes;
    const scant_audit *audit = a->audit;
    const scant_audit_summary *s = scant_audit_summarise(audit);
    json_t *predictors = json_array();
    for (size_t c = 0; c < scant_votes_predictors(votes); c++)
        json_array_append_new(predictors, predictor_json(votes, audit, c));
    json_t *object = json_pack(
        "{s:I, s:I, s:o, s:s, s:b, s:o, s:b, s:f, s:o, s:o, s:o, s:o, s:I, s:I, s:s, s:o, s:o}",
        "items", (json_int_t)a->nitems, "votes", (json_int_t)a->nvotes, "classes",
        cli_json_names(scant_votes_classes(votes), class_name, votes), "model", s->model,
        "separately", o->audit.separately, "prior", prior_json(votes, s), "prior_estimated",
        s->prior_estimated, "level", o->audit.ci, "predictors", predictors, "independence",
        cli_json_dependence(&s->dependence, predictor_name, votes), "symmetry",
        misfit_json(&s->symmetry), "loglik", cli_json_real(s->loglik), "parameters",
        (json_int_t)s->parameters, "iterations", (json_int_t)s->iterations, "stop",
        scant_stop_name(s->stop), "warnings", warnings_json(s), "seconds",
        cli_json_real(a->seconds));
    if (o->combine)
        cli_json_set(object, "combined", cli_json_text(o->combine));
    if (o->ask)
        cli_json_set(object, "ask", cli_json_ask(a->ask, a->nasks, votes));
    return cli_json_print(call, object);
}

/* Bounds of an interval in a table, or a dash. */
static void add_interval(cli_table *t, const scant_estimate *e)
{
    if (isnan(e->low))
        cli_table_add(t, "-");
    else
        cli_table_add(t, "%.4f to %.4f", e->low, e->high);
}

static void print_predictors(const scant_votes *votes, const scant_audit *audit, double ci)
{
    size_t l = scant_votes_classes(votes), k = scant_votes_predictors(votes);
    cli_table *t = cli_table_new(6 + l, 1);
    cli_table_add(t, "predictor");
    cli_table_add(t, "answers");
    cli_table_add(t, "error");
    cli_table_add(t, "%.4g%% interval", 100 * ci);
    cli_table_add(t, "wrong answers");
    cli_table_add(t, "%.4g%% interval", 100 * ci);
    for (size_t j = 0; j < l; j++)
        cli_table_add(t, "right on %s", scant_votes_class_name(votes, j));
    for (size_t c = 0; c < k; c++) {
        const scant_audit_predictor *p = scant_audit_predictor_at(audit, c);
        cli_table_add(t, "%s", scant_votes_predictor_name(votes, c));
        cli_table_add(t, "%zu", p->answers);
        cli_table_number(t, p->error.value);
        add_interval(t, &p->error);
        cli_table_number(t, p->wrong.value);
        add_interval(t, &p->wrong);
        for (size_t j = 0; j < l; j++)
            cli_table_number(t, p->confusion[j * l + j].value);
    }
    cli_table_print(t, stdout);
}

static void print_people(const audit_options *o, const answer *a)
{
    const scant_votes *votes = a->votes;
    const scant_audit *audit = a->audit;
    const scant_audit_summary *s = scant_audit_summarise(audit);
    cli_line(stdout, "items", "%zu", a->nitems);
    cli_line(stdout, "votes", "%zu", a->nvotes);
    cli_line(stdout, "model", "%s%s", s->model, o->audit.separately ? ", separately" : "");
    for (size_t j = 0; j < scant_votes_classes(votes); j++)
        cli_line(stdout, j ? "" : "prior", "%s %.4f%s", scant_votes_class_name(votes, j),
                 s->prior[j].value, s->prior_estimated ? " (estimated)" : "");
    cli_line(stdout, "loglik", "%.6f", s->loglik);
    cli_line(stdout, "stop", "%s after %zu iterations", scant_stop_name(s->stop), s->iterations);
    cli_print_dependence(&s->dependence, predictor_name, votes);
    printf("\n");
    print_predictors(votes, audit, o->audit.ci);
    if (a->nasks)
        cli_print_ask(a->ask, a->nasks, votes);
}

/* --- combining --- */

/* The class that most predictors say; ties go to the first. */
static size_t majority(const scant_votes *votes, size_t item, double *tally)
{
    scant_votes_tally(votes, item, tally);
    return cli_best_of(tally, scant_votes_classes(votes));
}

static void write_combined(FILE *out, const scant_votes *votes, const double *p, double *tally)
{
    size_t l = scant_votes_classes(votes), n = scant_votes_items(votes);
    fputs("item,label", out);
    for (size_t j = 0; j < l; j++) {
        char name[512];
        (void)snprintf(name, sizeof name, "p_%.500s", scant_votes_class_name(votes, j));
        fputc(',', out);
        cli_csv_text(out, name);
    }
    fputs(",majority\n", out);
    for (size_t i = 0; i < n; i++) {
        const char *name = scant_votes_item_name(votes, i);
        if (name)
            cli_csv_text(out, name);
        else
            fprintf(out, "%zu", i + 1);
        fputc(',', out);
        cli_csv_text(out, scant_votes_class_name(votes, cli_best_of(p + i * l, l)));
        for (size_t j = 0; j < l; j++) {
            fputc(',', out);
            cli_csv_number(out, p[i * l + j]);
        }
        fputc(',', out);
        size_t most = majority(votes, i, tally);
        if (tally[most] > 0)
            cli_csv_text(out, scant_votes_class_name(votes, most));
        fputc('\n', out);
    }
}

static int combine(const cli_call *call, const audit_options *o, const scant_votes *votes,
                   const scant_audit *audit)
{
    size_t l = scant_votes_classes(votes), n = scant_votes_items(votes);
    cli_file file;
    int code = EXIT_OK;
    if (!o->combine)
        return code;
    double *p = calloc(n * l + 1, sizeof *p), *tally = calloc(l, sizeof *tally);
    if (!p || !tally)
        code = cli_out_of_memory(call);
    scant_status status = p && tally ? scant_audit_combine(p, audit, votes) : SCANT_OK;
    if (status != SCANT_OK)
        code = cli_failed(call, status);
    if (code == EXIT_OK && (code = cli_file_open(&file, call, o->combine)) == GO_ON) {
        write_combined(file.stream, votes, p, tally);
        code = cli_file_close(&file, call, EXIT_OK);
    }
    free(p);
    free(tally);
    return code;
}

/* --- the command --- */

static int check(const cli_call *call, const audit_options *o)
{
    if (cli_call_given(call, "prior-mean") || cli_call_given(call, "prior-sd") ||
        cli_call_given(call, "noise-sd"))
        return cli_usage_error(call, "--prior-mean, --prior-sd and --noise-sd are for --regression "
                                     "and --channel");
    if (call->noperands == 0)
        return cli_usage_error(call, "which VOTES?");
    if (o->input.label)
        return cli_usage_error(call, "votes have no --label; true classes are --truth");
    if (!o->is_long && (o->item || o->worker || o->answer))
        return cli_usage_error(call, "--item, --worker and --answer are for --long tables");
    if (o->is_long && (o->input.id || o->input.weight))
        return cli_usage_error(call, "--id and --weight are not for --long tables");
    if (o->combine && strcmp(o->combine, "-") == 0 && call->json)
        return cli_usage_error(call, "--combine - and --json both want standard output");
    return cli_file_check(call, o->combine);
}

/* Where a pair of the prior ends: at the first comma behind an equals sign and a number, since names may have both signs; where
 * there is none such, at the first behind an equals sign. */
static size_t pair_length(const char *item)
{
    size_t least = strcspn(item, "=");
    least += strcspn(item + least, ",");
    for (size_t end = least;; end += 1 + strcspn(item + end + 1, ",")) {
        size_t share = end;
        char *stop;
        while (share > 0 && item[share - 1] != '=')
            share--;
        (void)strtod(item + share, &stop);
        if (stop > item + share && stop == item + end)
            return end;
        if (!item[end])
            return least;
    }
}

/* Classes that the prior names, which need not be anybody's answer; the caller frees. */
static size_t named_classes(char ***out, const char *prior)
{
    size_t n = 0;
    *out = NULL;
    if (!prior || !strchr(prior, '='))
        return 0;
    *out = calloc(strlen(prior), sizeof **out);
    for (const char *item = prior; *out && *item;) {
        size_t length = pair_length(item), name = length;
        while (name > 0 && item[name - 1] != '=')
            name--;
        if (name > 1)
            (*out)[n++] = strndup(item, name - 1);
        item += length + (item[length] == ',');
    }
    return n;
}

/* Those of votes that were read before; the caller frees. */
static size_t classes_of(char ***out, const scant_votes *votes)
{
    size_t n = scant_votes_classes(votes);
    *out = calloc(n, sizeof **out);
    for (size_t j = 0; *out && j < n; j++)
        (*out)[j] = strdup(scant_votes_class_name(votes, j));
    return *out ? n : 0;
}

/* `before`, or NULL: votes whose classes these have, whether or not anybody answers them here. */
static int read_votes(scant_votes **out, const cli_call *call, const audit_options *o,
                      const char *path, const scant_votes *before)
{
    scant_votes_options how = {.size = sizeof how,
                               .is_long = o->is_long,
                               .item = o->item,
                               .worker = o->worker,
                               .answer = o->answer,
                               .truth = o->truth,
                               .missing = o->input.missing_label};
    char **classes = NULL;
    int code = cli_input_options(&how.read, call, &o->input, NULL);
    if (code != GO_ON)
        return code;
    how.nclasses = before ? classes_of(&classes, before) : named_classes(&classes, o->audit.prior);
    how.classes = (const char *const *)classes;
    how.read.threads = o->audit.threads;
    scant_status status = scant_votes_read(out, path, &how);
    for (size_t t = 0; t < how.nclasses; t++)
        free(classes[t]);
    free(classes);
    return status == SCANT_OK ? GO_ON : cli_failed(call, status);
}

/* The fit, with a bar; then what came later. */
static int fit(scant_audit **out, const cli_call *call, audit_options *o, const scant_votes *votes)
{
    cli_bar bar;
    scant_votes *more = NULL;
    cli_bar_begin(&bar, call);
    o->audit.progress = cli_bar_progress;
    o->audit.payload = &bar;
    scant_status status = scant_audit_votes(out, votes, &o->audit);
    cli_bar_end(&bar);
    if (status != SCANT_OK)
        return cli_failed(call, status);
    const scant_audit_summary *s = scant_audit_summarise(*out);
    for (size_t w = 0; w < s->nwarnings; w++)
        cli_say(call, "warning: %s", s->warning[w]);
    int code = o->more ? read_votes(&more, call, o, o->more, votes) : GO_ON;
    if (code == GO_ON && more && (status = scant_audit_update(*out, more)) != SCANT_OK)
        code = cli_failed(call, status);
    scant_votes_free(more);
    return code;
}

static int count(answer *a, const cli_call *call)
{
    size_t l = scant_votes_classes(a->votes);
    double *tally = calloc(l, sizeof *tally);
    if (!tally)
        return cli_out_of_memory(call);
    for (size_t i = 0; i < scant_votes_items(a->votes); i++) {
        if (!(scant_votes_weight(a->votes, i) > 0))
            continue;
        a->nitems++;
        scant_votes_tally(a->votes, i, tally);
        for (size_t j = 0; j < l; j++)
            a->nvotes += (size_t)tally[j];
    }
    free(tally);
    return GO_ON;
}

static int tell(const cli_call *call, const audit_options *o, answer *a)
{
    scant_ask *ask = NULL;
    int code = cli_audit_ask(&ask, &a->nasks, call, o, a->audit, a->votes);
    a->ask = ask;
    if (code == GO_ON)
        code = count(a, call);
    if (code == GO_ON)
        code = combine(call, o, a->votes, a->audit);
    if (code == EXIT_OK && call->json)
        code = print_json(call, o, a);
    else if (code == EXIT_OK && !(o->combine && strcmp(o->combine, "-") == 0))
        print_people(o, a);
    free(ask);
    return code == EXIT_OK ? cli_stop_code(scant_audit_summarise(a->audit)->stop) : code;
}

static int run(const cli_call *call, audit_options *o)
{
    scant_votes *votes = NULL;
    scant_audit *audit = NULL;
    double began = cli_seconds();
    if (o->regression || o->channel)
        return cli_audit_numbers(call, o);
    int code = check(call, o);
    if (code == GO_ON)
        code = read_votes(&votes, call, o, call->operand[0], NULL);
    if (code == GO_ON)
        code = fit(&audit, call, o, votes);
    if (code == GO_ON) {
        answer a = {.votes = votes, .audit = audit, .seconds = cli_seconds() - began};
        code = tell(call, o, &a);
    }
    scant_audit_free(audit);
    scant_votes_free(votes);
    return code;
}

/* Scores are another question with options of its own. */
static bool wants_scores(int argc, char **argv)
{
    for (int a = 1; a < argc; a++)
        if (strcmp(argv[a], "--scores") == 0 || strncmp(argv[a], "--scores=", 9) == 0)
            return true;
    return false;
}

int cli_audit(int argc, char **argv)
{
    if (wants_scores(argc, argv))
        return cli_audit_scores(argc, argv);
    cli_call call;
    audit_options options = {.audit.size = sizeof options.audit};
    size_t count;
    const scant_option *audit_table = scant_audit_option_table(&count);
    cli_call_begin(&call, argv[0]);
    cli_call_add(&call, "Votes", table, sizeof table / sizeof *table, &options);
    cli_call_add(&call, "Audit", audit_table, count, &options.audit);
    cli_input_add(&call, &options.input);
    options.prior_mean = options.prior_sd = options.noise_sd = NAN;
    int code = cli_call_parse(&call, &manual, argc, argv);
    if (code == GO_ON)
        code = run(&call, &options);
    cli_call_end(&call);
    return code;
}
