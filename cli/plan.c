/* scant plan: what labels are worth, how many, and which. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct asked {
    double budget, target, trade;
    const char *output, *plot;
} asked;

#define ASKED(field) offsetof(asked, field)
static const scant_option table[] = {
    {"budget", 0, SCANT_OPTION_REAL, ASKED(budget), "N", NULL, 0, 1e15, NULL,
     "the least error that further labels and rows of this cost can buy"},
    {"target-error", 0, SCANT_OPTION_REAL, ASKED(target), "E", NULL, 0, 1, NULL,
     "the least cost that brings the error down to E"},
    {"trade", 0, SCANT_OPTION_REAL, ASKED(trade), "A", NULL, 0, 1e15, NULL,
     "the least of cost + A times error"},
    {"output", 'o', SCANT_OPTION_TEXT, ASKED(output), "ROWS", NULL, 0, 0, NULL,
     "write the rows to label next here (CSV), drawn by their gain"},
    {"plot", 0, SCANT_OPTION_TEXT, ASKED(plot), "PICTURE", NULL, 0, 0, NULL,
     "draw what can be reached here (.svg, .png or .pdf)"},
};
enum { QUESTIONS = 3 };

static const cli_manual manual = {
    "MODEL DATA --label COL --budget N | --target-error E | --trade A [options]",
    "Says from a pilot, a model with the rows it was fitted to, how the error falls with further "
    "labels and rows, and answers one of three questions: the least error for a budget, the least "
    "cost for an error, or the least of both together. The error is forecast by the information "
    "in the model, or by the pilot's own learning curve where that forecast the pilot better; of a "
    "stack (scant train) by the curve alone. "
    "Labels and rows at hand cost nothing.",
    "scant plan crabs.json examples/data/crabs.csv --label sex --budget 50", 2, 2};

/* --- results --- */

static json_t *point_json(const scant_plan_point *p)
{
    json_t *object = json_pack("{s:I, s:I, s:o, s:o, s:o, s:o}", "labels", (json_int_t)p->labels,
                               "rows", (json_int_t)p->rows, "cost", cli_json_real(p->cost), "error",
                               cli_json_real(p->error), "low", cli_json_real(p->low), "high",
                               cli_json_real(p->high));
    if (!isnan(p->labels_low)) {
        cli_json_set(object, "labels_low", cli_json_real(p->labels_low));
        cli_json_set(object, "labels_high", cli_json_real(p->labels_high));
    }
    return object;
}

/* The least error for costs up to twice the plan's: what can be reached lies above it. */
static json_t *frontier_json(const scant_plan *plan, const scant_plan_point *chosen)
{
    enum { STEPS = 40 };
    double most = chosen->cost > 0 ? 2 * chosen->cost : 1;
    json_t *list = json_array();
    for (size_t i = 0; i <= STEPS; i++) {
        scant_plan_point point;
        if (scant_plan_answer(&point, plan, SCANT_PLAN_BUDGET, most * (double)i / STEPS) ==
            SCANT_OK)
            (void)json_array_append_new(list, point_json(&point));
    }
    return list;
}

static const char *method_name(scant_plan_method method)
{
    return method == SCANT_PLAN_BY_CURVE ? "curve" : "model";
}

static json_t *summary_json(const scant_plan_summary *s)
{
    json_t *object = json_pack(
        "{s:I, s:I, s:I, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "rows", (json_int_t)s->rows,
        "labeled", (json_int_t)s->labeled, "parameters", (json_int_t)s->parameters, "method",
        method_name(s->method), "limit", cli_json_real(s->limit), "limit_error",
        cli_json_real(s->limit_error), "excess", cli_json_real(s->excess), "drawn_excess",
        cli_json_real(s->drawn_excess), "trace", cli_json_real(s->trace), "unlabeled_worth",
        cli_json_real(s->unlabeled_worth), "too_small", s->too_small);
    if (s->too_small)
        cli_json_set(object, "why", cli_json_text(s->why));
    if (s->curve)
        cli_json_set(object, "curve",
                     json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "asymptote",
                               cli_json_real(s->asymptote), "factor", cli_json_real(s->factor),
                               "power", cli_json_real(s->power), "measured",
                               cli_json_real(s->measured), "measured_error",
                               cli_json_real(s->measured_error), "by_model",
                               cli_json_real(s->by_model), "by_curve", cli_json_real(s->by_curve)));
    return object;
}

static void print_summary(const scant_plan_summary *s)
{
    cli_line(stdout, "pilot", "%zu rows, %zu labelled", s->rows, s->labeled);
    if (!isnan(s->limit)) { /* a stack has none */
        cli_line(stdout, "limit", "%.4g +- %.2g, the error if parameters were known", s->limit,
                 s->limit_error);
        cli_line(stdout, "excess now", "%.4g (pilots drawn from the model: %.4g)", s->excess,
                 s->drawn_excess);
    }
    if (!isnan(s->unlabeled_worth)) /* where nothing is to be gained by either */
        cli_line(stdout, "unlabelled row", "is worth %.3g labels", s->unlabeled_worth);
    if (s->curve) {
        cli_line(stdout, "learning curve", "%.4g + %.4g labels^-%.2f", s->asymptote, s->factor,
                 s->power);
        if (isnan(s->limit))
            cli_line(stdout, "on the pilot", "error %.4g; the curve forecast %.4g", s->measured,
                     s->by_curve);
        else if (isnan(s->by_model))
            cli_line(stdout, "on the pilot",
                     "error %.4g; the curve forecast %.4g, the model could not", s->measured,
                     s->by_curve);
        else
            cli_line(stdout, "on the pilot", "error %.4g; the model forecast %.4g, the curve %.4g",
                     s->measured, s->by_model, s->by_curve);
    }
    cli_line(stdout, "forecast by",
             isnan(s->limit)                    ? "the learning curve"
             : s->method == SCANT_PLAN_BY_CURVE ? "the learning curve, which was nearer"
                                                : "the model");
}

static void print_point(const char *name, const scant_plan_point *p)
{
    cli_line(stdout, name, "%zu labels of %zu rows, cost %.6g: error %.4g (%.4g to %.4g)",
             p->labels, p->rows, p->cost, p->error, p->low, p->high);
    if (isfinite(p->labels_high))
        cli_line(stdout, "", "between %.0f and %.0f labels", p->labels_low, p->labels_high);
    else if (!isnan(p->labels_low))
        cli_line(stdout, "", "%.0f labels or more", p->labels_low);
}

static void print_choice(const scant_plan_choice *c)
{
    if (c->count && isnan(c->chosen))
        cli_line(stdout, "which rows", "%zu chosen; as many by chance: error %.4g", c->count,
                 c->random);
    else if (c->count)
        cli_line(stdout, "which rows", "%zu chosen: error %.4g, by chance %.4g", c->count,
                 c->chosen, c->random);
}

static int draw(const cli_call *call, const json_t *told, const char *path)
{
    cli_picture picture;
    int code = cli_picture_begin(&picture) && cli_region_draw(&picture, told)
                   ? cli_picture_write(call, &picture, path)
                   : cli_out_of_memory(call);
    cli_picture_clear(&picture);
    return code;
}

/* --- which rows --- */

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static int write_rows(const cli_call *call, const char *path, const scant_rows *rows,
                      const size_t *index, size_t count, const double *gain)
{
    cli_file file;
    int code = cli_file_open(&file, call, path);
    if (code != GO_ON)
        return code;
    bool id = scant_rows_count(rows) && scant_rows_id(rows, 0);
    fprintf(file.stream, id ? "row,id,gain\n" : "row,gain\n");
    for (size_t i = 0; i < count; i++) {
        fprintf(file.stream, "%zu,", index[i] + 1);
        if (id) {
            cli_csv_text(file.stream, scant_rows_id(rows, index[i]));
            fputc(',', file.stream);
        }
        cli_csv_number(file.stream, gain[index[i]]);
        fputc('\n', file.stream);
    }
    return cli_file_close(&file, call, EXIT_OK);
}

static json_t *choice_json(const scant_plan_choice *c, const size_t *index)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->count; i++)
        (void)json_array_append_new(list, json_integer((json_int_t)index[i] + 1));
    return json_pack("{s:o, s:o, s:o}", "rows", list, "chosen", cli_json_real(c->chosen), "random",
                     cli_json_real(c->random));
}

/* --- the call --- */

/* Exactly one question, or a usage error. */
static int find_question(const cli_call *call, const asked *options, scant_plan_question *question,
                         double *amount)
{
    static const scant_plan_question which[QUESTIONS] = {SCANT_PLAN_BUDGET, SCANT_PLAN_TARGET,
                                                         SCANT_PLAN_TRADE};
    const double value[QUESTIONS] = {options->budget, options->target, options->trade};
    size_t count = 0;
    for (size_t q = 0; q < QUESTIONS; q++)
        if (cli_call_given(call, table[q].name)) {
            *question = which[q];
            *amount = value[q];
            count++;
        }
    return count == 1 ? GO_ON
                      : cli_usage_error(call, "one of --budget, --target-error and --trade is "
                                              "needed: what is to be planned");
}

static int answer(const cli_call *call, const scant_plan *plan, const scant_rows *rows,
                  const asked *options, scant_plan_question question, double amount)
{
    const scant_plan_summary *s = scant_plan_told(plan);
    scant_plan_point now, then;
    scant_plan_choice choice = {.chosen = NAN, .random = NAN}; /* none */
    scant_plan_forecast(&now, plan, s->labeled, s->rows);
    scant_status status = scant_plan_answer(&then, plan, question, amount);
    if (status != SCANT_OK)
        return cli_failed(call, status);
    size_t unlabelled = s->rows - s->labeled;
    size_t count = then.labels - s->labeled < unlabelled ? then.labels - s->labeled : unlabelled;
    size_t *index = calloc(count + 1, sizeof *index);
    if (!index)
        return cli_out_of_memory(call);
    if (count)
        status = scant_plan_choose(&choice, plan, count, index);
    int code = status == SCANT_OK ? EXIT_OK : cli_failed(call, status);
    if (code == EXIT_OK && options->output)
        code = write_rows(call, options->output, rows, index, count, scant_plan_gains(plan));
    json_t *told = NULL;
    if (code == EXIT_OK && (call->json || options->plot)) {
        told = summary_json(s);
        cli_json_set(told, "now", point_json(&now));
        cli_json_set(told, "plan", point_json(&then));
        cli_json_set(told, "choice", choice_json(&choice, index));
        cli_json_set(told, "frontier", frontier_json(plan, &then));
    }
    if (code == EXIT_OK && options->plot)
        code = draw(call, told, options->plot);
    if (code == EXIT_OK && call->json) {
        code = cli_json_print(call, json_incref(told));
    } else if (code == EXIT_OK && !is_stdout(options->output)) {
        print_summary(s);
        print_point("now", &now);
        print_point("plan", &then);
        print_choice(&choice);
    }
    json_decref(told);
    free(index);
    return code;
}

static int plan_rows(const cli_call *call, const scant_model *model, const scant_rows *rows,
                     const asked *options, scant_plan_options *how)
{
    cli_bar bar;
    scant_plan_question question = SCANT_PLAN_BUDGET;
    scant_plan *plan = NULL;
    double amount = 0;
    int code = find_question(call, options, &question, &amount);
    if (code == GO_ON && options->plot)
        code = cli_picture_check(call, options->plot);
    if (code == GO_ON)
        code = cli_file_check(call, options->output);
    if (code == GO_ON)
        code = cli_file_check(call, options->plot);
    if (code != GO_ON)
        return code;
    if (!cli_call_given(call, "seed"))
        cli_say(call, "seed %llu (the default)", (unsigned long long)how->seed);
    cli_bar_begin(&bar, call);
    how->progress = cli_bar_progress;
    how->payload = &bar;
    scant_status status = scant_plan_new(&plan, model, rows, how);
    cli_bar_end(&bar);
    if (status != SCANT_OK)
        return cli_failed(call, status);
    for (size_t i = 0; scant_plan_warning(plan, i); i++)
        cli_say(call, "%s", scant_plan_warning(plan, i));
    code = answer(call, plan, rows, options, question, amount);
    scant_plan_free(plan);
    return code;
}

int cli_plan(int argc, char **argv)
{
    cli_call call;
    cli_input input;
    asked options = {0};
    scant_plan_options how = {.size = sizeof how};
    size_t count;
    const scant_option *of_plan = scant_plan_option_table(&count);
    cli_call_begin(&call, argv[0]);
    cli_call_add(&call, "Question", table, sizeof table / sizeof *table, &options);
    cli_call_add(&call, "Planning", of_plan, count, &how);
    cli_input_add(&call, &input);
    int code = cli_call_parse(&call, &manual, argc, argv);
    scant_model *model = NULL;
    scant_rows *rows = NULL;
    if (code == GO_ON && !input.label)
        code = cli_usage_error(&call, "--label COL is needed: which rows are labelled");
    if (code == GO_ON && call.json && is_stdout(options.output))
        code = cli_usage_error(&call, "-o - and --json both want standard output");
    if (code == GO_ON && strcmp(call.operand[0], "-") == 0 && strcmp(call.operand[1], "-") == 0)
        code = cli_usage_error(&call, "MODEL and DATA cannot both be standard input");
    if (code == GO_ON)
        code = cli_model_read(&model, &call, call.operand[0]);
    if (code == GO_ON && scant_model_classes(model) == 0)
        code = cli_usage_error(&call, "--label: the model has no classes");
    if (code == GO_ON)
        code = cli_input_read(&rows, &call, &input, call.operand[1], scant_model_schema(model));
    if (code == GO_ON)
        code = plan_rows(&call, model, rows, &options, &how);
    scant_rows_free(rows);
    scant_model_free(model);
    cli_call_end(&call);
    return code;
}
