/* scant stream: answers rows as they come and learns from each. */
#include "command.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

typedef struct state_options {
    const char *save, *resume;
    double save_every;
    bool use_labels;
    size_t digits;
} state_options;

#define STATE(field) offsetof(state_options, field)
static const scant_option table[] = {
    {"use-labels", 0, SCANT_OPTION_FLAG, STATE(use_labels), NULL, NULL, 0, 0, NULL,
     "take the evidence of a row into account in its own answer, too"},
    {"digits", 0, SCANT_OPTION_COUNT, STATE(digits), "N", "6", 1, 17, NULL,
     "significant digits of probabilities, 4 more of other numbers; 17: all"},
    {"save", 0, SCANT_OPTION_TEXT, STATE(save), "FILE", NULL, 0, 0, NULL,
     "keep model and window here: at the end, at an interrupt and now and then"},
    {"save-every", 0, SCANT_OPTION_REAL, STATE(save_every), "S", "60", 0, 1e9, NULL,
     "seconds between two saves"},
    {"resume", 0, SCANT_OPTION_TEXT, STATE(resume), "FILE", NULL, 0, 0, NULL,
     "go on from what was saved, where it is there, in place of MODEL"},
};

static const cli_manual manual = {
    "MODEL [DATA] [options]",
    "Reads rows of CSV from standard input (or DATA), answers each at once with a line as predict "
    "writes it, then goes on fitting the model to the last --window rows; a stack of scant train "
    "is "
    "trained on them again after every --refit labels. The --label column says "
    "what is known of a row's class once it has been answered: cat, cat|dog, cat:0.7;dog:0.3 or "
    "nothing. A bad row is told on stderr and answered with empty cells. Without --budget-ms the "
    "same rows give the same answers. Ctrl-C ends the stream as the end of its input does.",
    "scant stream crabs.json examples/data/crabs.csv --label sex --window 60", 1, 2};

typedef struct session {
    const cli_call *call;
    const state_options *state;
    const cli_input *input;
    scant_stream *stream;
    scant_reader *reader;
    cli_answers answer;
    double began, saved;
    size_t answered, unlearned, bad;
    bool interrupted;
} session;

/* --- beginning --- */

/* A stream goes on as it was begun: what is typed must agree with what was saved. */
static int check_settings(const cli_call *call, const scant_stream_options *typed,
                          const scant_stream_options *saved)
{
    const struct {
        const char *name;
        double typed, saved;
    } number[] = {
        {"window", (double)typed->window, (double)saved->window},
        {"prior-rows", typed->prior_rows, saved->prior_rows},
        {"iterations", (double)typed->iterations, (double)saved->iterations},
        {"budget-ms", typed->budget_ms, saved->budget_ms},
        {"refit", (double)typed->refit, (double)saved->refit},
        {"tol", typed->tol, saved->tol},
    };
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if (cli_call_given(call, number[i].name) && number[i].typed != number[i].saved)
            return cli_usage_error(call, "--%s is %.10g, but the stream was saved with %.10g",
                                   number[i].name, number[i].typed, number[i].saved);
    if (cli_call_given(call, "context-mode") &&
        strcmp(typed->context_mode, saved->context_mode) != 0)
        return cli_usage_error(call, "--context-mode is %s, but the stream was saved with %s",
                               typed->context_mode, saved->context_mode);
    return GO_ON;
}

static int resume(session *s, const scant_stream_options *options)
{
    scant_status status = scant_stream_read(&s->stream, s->state->resume, options->threads);
    if (status != SCANT_OK)
        return cli_failed(s->call, status);
    cli_say(s->call, "going on behind row %zu", scant_stream_learned(s->stream));
    return check_settings(s->call, options, scant_stream_settings(s->stream));
}

static int begin_anew(session *s, const scant_stream_options *options)
{
    scant_model *model = NULL;
    scant_status status = SCANT_OK;
    int code = cli_model_read(&model, s->call, s->call->operand[0]);
    if (code == GO_ON)
        status = scant_stream_new(&s->stream, model, options);
    scant_model_free(model);
    return status == SCANT_OK ? code : cli_failed(s->call, status);
}

static int open_reader(session *s, scant_read_options *reading)
{
    const char *path = s->call->noperands > 1 ? s->call->operand[1] : "-";
    const scant_model *model = scant_stream_model(s->stream);
    int code = cli_input_options(reading, s->call, s->input, scant_model_schema(model));
    if (code != GO_ON)
        return code;
    scant_status status = scant_reader_open(&s->reader, path, reading);
    s->interrupted = status == SCANT_ERR_INTERRUPTED;
    return status == SCANT_OK || s->interrupted ? GO_ON : cli_failed(s->call, status);
}

static int save(session *s)
{
    s->saved = cli_seconds();
    if (!s->state->save)
        return GO_ON;
    scant_status status = scant_stream_write(s->stream, s->state->save);
    return status == SCANT_OK ? GO_ON : cli_failed(s->call, status);
}

/* --- a row --- */

/* Everybody who waits for an answer gets one, if only empty cells. */
static void refuse_row(session *s)
{
    s->bad++;
    fprintf(stderr, "scant %s: %s\n", s->call->name, scant_message());
    if (s->call->json)
        return;
    cli_answers_skip(stdout, &s->answer, s->input->id != NULL);
    (void)fflush(stdout);
}

static scant_status answer_row(session *s, const scant_rows *row)
{
    const scant_stream_options *settings = scant_stream_settings(s->stream);
    scant_predict_options how = {.size = sizeof how,
                                 .replace = strcmp(settings->context_mode, "prior") == 0,
                                 .use_labels = s->state->use_labels,
                                 .threads = settings->threads};
    scant_status status =
        scant_stream_predict(s->stream, row, &how, s->answer.classes, s->answer.components,
                             s->answer.support, s->answer.loglik, s->answer.target);
    if (status != SCANT_OK)
        return status;
    s->answered++;
    if (!s->call->json) {
        (void)cli_answers_write(stdout, &s->answer, scant_stream_model(s->stream), row,
                                s->input->id != NULL, 0);
        (void)fflush(stdout); /* whoever waits for the answer may have no row before it */
    }
    return SCANT_OK;
}

static int take_row(session *s, const scant_rows *row)
{
    scant_status status = answer_row(s, row);
    if (status == SCANT_ERR_INPUT) {
        refuse_row(s);
        return GO_ON;
    }
    if (status == SCANT_OK && ferror(stdout))
        return EXIT_OTHER; /* nobody listens; told when stdout is closed */
    if (status == SCANT_OK)
        status = scant_stream_learn(s->stream, row);
    if (status == SCANT_ERR_INPUT) {
        s->unlearned++;
        cli_say(s->call, "%s; the row is not learned", scant_message());
        status = SCANT_OK;
    }
    return status == SCANT_OK ? GO_ON : cli_failed(s->call, status);
}

static int take_rows(session *s)
{
    int code = GO_ON;
    while (code == GO_ON && !s->interrupted) {
        scant_rows *row = NULL;
        scant_status status = scant_reader_next(&row, s->reader);
        if (status == SCANT_OK && !row)
            break;
        s->interrupted = status == SCANT_ERR_INTERRUPTED;
        if (status == SCANT_ERR_INPUT)
            refuse_row(s);
        else if (status == SCANT_OK)
            code = take_row(s, row);
        else if (!s->interrupted)
            code = cli_failed(s->call, status);
        scant_rows_free(row);
        if (code == GO_ON && cli_seconds() - s->saved > s->state->save_every)
            code = save(s);
    }
    return code;
}

/* --- ending --- */

static int tell(const session *s)
{
    size_t learned = scant_stream_learned(s->stream);
    if (!s->call->json) {
        cli_say(s->call, "%zu rows answered, %zu bad, %zu not learned; %zu learned in all",
                s->answered, s->bad, s->unlearned, learned);
        return EXIT_OK;
    }
    json_t *object =
        json_pack("{s:I, s:I, s:I, s:I, s:s, s:o}", "rows", (json_int_t)s->answered, "bad",
                  (json_int_t)s->bad, "unlearned", (json_int_t)s->unlearned, "learned",
                  (json_int_t)learned, "stop", s->interrupted ? "interrupted" : "end", "seconds",
                  cli_json_real(cli_seconds() - s->began));
    if (s->state->save)
        cli_json_set(object, "saved", cli_json_text(s->state->save));
    return cli_json_print(s->call, object);
}

static int run(session *s, scant_stream_options *options)
{
    const char *path = s->state->resume;
    scant_read_options reading;
    if (options->budget_ms > 0 && !cli_call_given(s->call, "iterations"))
        options->iterations = 1000000000; /* time alone sets the limit */
    bool there = path && access(path, F_OK) == 0;
    if (path && !there)
        cli_say(s->call, "there is no %s yet: beginning with %s", path, s->call->operand[0]);
    int code = there ? resume(s, options) : begin_anew(s, options);
    if (code == GO_ON)
        code = open_reader(s, &reading);
    if (code != GO_ON)
        return code;
    const scant_model *model = scant_stream_model(s->stream);
    if (!cli_answers_new(&s->answer, model, 1, false))
        return cli_out_of_memory(s->call);
    s->answer.digits = (int)s->state->digits;
    if (!s->call->json)
        cli_answers_header(stdout, &s->answer, model, s->input->id);
    (void)fflush(stdout);
    code = take_rows(s);
    int written = save(s);
    code = code == GO_ON ? written : code;
    if (code == GO_ON && s->answered == 0 && !s->interrupted)
        return cli_error(s->call, CLI_INPUT, "no row could be read");
    return code == GO_ON ? tell(s) : code;
}

/* Standard input has the rows and standard output the answers: nothing else goes through them. */
static int check_streams(const cli_call *call, const state_options *state)
{
    bool rows = call->noperands < 2 || strcmp(call->operand[1], "-") == 0;
    if (rows && strcmp(call->operand[0], "-") == 0)
        return cli_usage_error(call, "MODEL and the rows cannot both be standard input");
    if (state->save && strcmp(state->save, "-") == 0)
        return cli_usage_error(call, "--save wants a file: answers go to standard output");
    return cli_file_check(call, state->save);
}

int cli_stream(int argc, char **argv)
{
    cli_call call;
    cli_input input;
    state_options state = {0};
    scant_stream_options options = {.size = sizeof options};
    size_t count;
    const scant_option *following = scant_stream_option_table(&count);
    cli_call_begin(&call, argv[0]);
    cli_call_add(&call, "Following the rows", following, count, &options);
    cli_call_add(&call, "Answers and state", table, sizeof table / sizeof *table, &state);
    cli_input_add(&call, &input);
    cli_context_add(&call, &input);
    int code = cli_call_parse(&call, &manual, argc, argv);
    session s = {.call = &call, .state = &state, .input = &input, .began = cli_seconds()};
    s.saved = s.began;
    call.threads = options.threads;
    (void)signal(SIGPIPE, SIG_IGN); /* the state is saved even where nobody reads the answers */
    if (code == GO_ON)
        code = check_streams(&call, &state);
    if (code == GO_ON)
        code = run(&s, &options);
    cli_answers_free(&s.answer);
    scant_reader_free(s.reader);
    scant_stream_free(s.stream);
    cli_call_end(&call);
    return code;
}
