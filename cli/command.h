/* What the commands share: the call, options, input, output. A command is one file with one
 * function `int cli_<name>(int argc, char **argv)`, argv[0] its name, that returns an exit code. */
#ifndef SCANT_CLI_COMMAND_H
#define SCANT_CLI_COMMAND_H

#include <stdbool.h>
#include <stdio.h>
#include <jansson.h>
#include <scant/scant.h>

enum {
    EXIT_OK = 0,
    EXIT_OTHER = 1,
    EXIT_USAGE = 2,
    EXIT_INPUT = 3,
    EXIT_STOPPED = 4,
    EXIT_UNIDENTIFIED = 5,
    GO_ON = -1 /* not an exit code: nothing has been decided yet */
};

/* --- the table of commands --- */

typedef struct cli_command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *group;
    const char *summary;
} cli_command;

extern const cli_command cli_commands[]; /* ends with a NULL name */
const cli_command *cli_command_find(const char *name);

int cli_fit(int argc, char **argv);
int cli_train(int argc, char **argv);
int cli_med(int argc, char **argv);
int cli_select(int argc, char **argv);
int cli_predict(int argc, char **argv);
int cli_evaluate(int argc, char **argv);
int cli_cv(int argc, char **argv);
int cli_stream(int argc, char **argv);
int cli_show(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_plot(int argc, char **argv);
int cli_context(int argc, char **argv);
int cli_plan(int argc, char **argv);
int cli_audit(int argc, char **argv);
int cli_audit_scores(int argc, char **argv); /* audit --scores */
int cli_blind(int argc, char **argv);
int cli_factor(int argc, char **argv);
int cli_simulate(int argc, char **argv);
int cli_convert(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_help(int argc, char **argv);
int cli_completion(int argc, char **argv);

/* --- a call: what was typed --- */

/* What a command's help says in addition to its options. */
typedef struct cli_manual {
    const char *usage;   /* after the name: "DATA [options] -o MODEL" */
    const char *about;   /* a paragraph */
    const char *example; /* one line that runs from the top of the source tree */
    size_t least, most;  /* operands */
} cli_manual;

typedef struct cli_section {
    const char *title;
    const scant_option *table;
    size_t count;
    void *options; /* the struct that the table's offsets are of */
} cli_section;

/* A word that an operand can be, for the help. */
typedef struct cli_topic {
    const char *name, *about;
} cli_topic;

enum { CLI_SECTIONS = 6, CLI_OPERANDS = 3 };

typedef struct cli_call {
    const char *name;
    bool json, quiet, verbose, help;
    uint64_t seed; /* where the command has no options of its own for these two */
    size_t threads;
    cli_section section[CLI_SECTIONS];
    size_t nsections;
    const char *operand[CLI_OPERANDS];
    size_t noperands;
    const scant_option **given; /* options that were typed */
    size_t ngiven;
    const char *topics; /* title of the list that follows, or NULL */
    const cli_topic *topic;
    size_t ntopics;
} cli_call;

/* An option is looked for in the order in which sections were added; one that an earlier section
 * has hides its namesakes. `cli_call_add` presets the struct. */
void cli_call_begin(cli_call *call, const char *name);
void cli_call_add(cli_call *call, const char *title, const scant_option *table, size_t count,
                  void *options);
/* GO_ON, or the exit code (help was asked for, or there was an error, which has been told). */
int cli_call_parse(cli_call *call, const cli_manual *manual, int argc, char **argv);
bool cli_call_given(const cli_call *call, const char *name);
void cli_call_end(cli_call *call);
/* Two names of one ordinary file. Options that name a file to be written are checked when they are parsed. */
bool cli_is_same_file(const char *a, const char *b);
/* Is the word among the arguments, before any `--`? For what must be known before they are parsed. */
bool cli_has_word(int argc, char **argv, const char *word);
/* The row and section that answers to a name, or to a letter where `name` is NULL. */
const scant_option *cli_call_option(const cli_call *call, const char *name, char letter,
                                    const cli_section **section);

/* What a parse is for: a command to run, or its documentation. */
typedef enum cli_purpose { CLI_RUN, CLI_MAN, CLI_WORDS } cli_purpose;
extern cli_purpose cli_now;

int cli_print_help(const cli_call *call, const cli_manual *manual);
int cli_print_man(const cli_call *call, const cli_manual *manual);
int cli_print_main_man(void);
int cli_print_words(const cli_call *call); /* a command's part of the completion script */

/* --- talk (stderr) --- */

void cli_say(const cli_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
enum { CLI_WORD = 4096 }; /* room of scant_shell_word for a path */
/* How the model written to `path` is used on the first operand. */
void cli_say_predict(const cli_call *call, const char *path);
/* What went wrong, by the word of schemas/error.json. */
typedef enum cli_fault {
    CLI_USAGE,
    CLI_INPUT,
    CLI_UNIDENTIFIED,
    CLI_INTERRUPTED, /* before there was a result */
    CLI_OUTPUT,      /* a file or standard output cannot be written */
    CLI_MEMORY,
    CLI_INTERNAL
} cli_fault;
/* Tells an error, in one line of JSON with --json, and gives its exit code. */
int cli_error(const cli_call *call, cli_fault fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int cli_usage_error(const cli_call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Tells the library's message and gives the exit code of the status. A file that cannot be read is
 * bad input; one that cannot be written is not. */
int cli_failed(const cli_call *call, scant_status status);
int cli_out_of_memory(const cli_call *call);
/* Exit code of a fit that ended so. */
int cli_stop_code(scant_stop stop);
/* The candidate nearest to `word` if it is near enough to be meant, else NULL. */
const char *cli_nearest(const char *word, const char *const *candidates, size_t count);
/* Sends the library's log to stderr as -q and -v ask. */
void cli_log_start(const cli_call *call);

/* --- progress (stderr, if it is a terminal) --- */

typedef struct cli_bar {
    bool enabled, drawn;
    double begun, last;
    size_t start, iteration; /* where the work was at `last` */
} cli_bar;

double cli_seconds(void); /* of a clock that only goes forward */
void cli_bar_begin(cli_bar *bar, const cli_call *call);
int cli_bar_progress(const scant_progress_event *event, void *bar);
void cli_bar_end(cli_bar *bar);

/* --- reading --- */

typedef struct cli_input {
    scant_texts features, ignore, categorical;
    const char *label, *weight, *id, *group, *sequence, *time;
    const char *missing_label, *dataset, *separator, *decimal;
    scant_texts types, text, missing_values;
    bool strict;
    scant_texts context;
    const char *context_prior, *context_mode;
    bool label_is_truth;  /* with a context, labels are not evidence */
    bool keep_weightless; /* rows of weight 0 make classes and levels, too */
    bool id_optional;     /* a column of identifiers that is absent is no error */
    bool numbers_stay;    /* whatever is guessed: a family has been named for them */
    bool guess;           /* types of columns, where no model says them */
    bool keep_text;       /* texts next to numbers are wanted */
    bool chains;          /* sequences are of use as such; else they are groups */
} cli_input;

void cli_input_add(cli_call *call, cli_input *input);
/* After cli_input_add: the options of rows' class probabilities. */
void cli_context_add(cli_call *call, cli_input *input);
/* --context-prior makes likelihoods of posteriors, which only weighing wants. */
int cli_context_check(const cli_call *call, const cli_input *input, const char *mode);
/* Do class probabilities replace the proportions? By --context-mode, else as the model was fitted.
 */
bool cli_context_replaces(const cli_input *input, const scant_model *model);
/* The file that --context names; NULL: there is none, or it names columns. */
const char *cli_context_file(const cli_input *input);
/* What the options say to a reader, their texts borrowed. GO_ON or an exit code. */
int cli_input_options(scant_read_options *out, const cli_call *call, const cli_input *input,
                      const scant_schema *schema);
/* GO_ON with rows, or an exit code. `schema` NULL: the file decides. */
int cli_input_read(scant_rows **out, const cli_call *call, const cli_input *input, const char *path,
                   const scant_schema *schema);
/* Where --features lists columns, `name`, which has a role in the fit, is one of them. GO_ON or an exit code. */
int cli_input_add_feature(const cli_call *call, cli_input *input, const char *name);
int cli_model_read(scant_model **out, const cli_call *call, const char *path);

/* --- chains (chain.c) --- */

/* Sequences are by the column that a chain was fitted with, where no other is named. */
void cli_chain_input(cli_input *input, const scant_model *model);
/* Sequences, states, start, transitions and dwell times; nothing of other models. */
void cli_json_chain(json_t *object, const scant_model *model);
void cli_print_chain(const scant_model *model);
/* The chain compared with independent rows. */
json_t *cli_json_row_model(const scant_comparison *c);
void cli_print_row_model(const scant_comparison *c);

/* Class proportions from "a=0.3,b=0.7" or one number for the second of two classes; caller frees.
 */
int cli_prior_read(double **out, const cli_call *call, const scant_model *model, const char *text);

/* --- fitting: what fit, select and cv share --- */

typedef struct cli_fitting {
    cli_input input;
    scant_fit_options options;
    struct {
        const char *start; /* model file to start from */
    } more;
    scant_model *start;
    scant_rows *rows;
    cli_bar bar;
} cli_fitting;

/* The whole of such a command: its own options and those of a fit, then `run`, which calls
 * cli_fitting_begin. `single`: one fit, which can have checkpoints. */
int cli_fitting_main(int argc, char **argv, const cli_manual *manual, const cli_section *own,
                     bool single, int (*run)(cli_call *, cli_fitting *, const void *options));
/* Reads the rows and the files that options name; says a default seed. GO_ON or an exit code. */
int cli_fitting_begin(cli_call *call, cli_fitting *fitting);
/* The options of a further fit, for which there is what is left of the time limit since then. */
scant_fit_options cli_fitting_rest(const cli_fitting *fitting);
int cli_model_write(const cli_call *call, const scant_model *model, const char *path);

/* --- results (stdout) --- */

/* From here on control characters of what is printed on a terminal are `?`. Before anything is printed. */
void cli_guard_terminal(void);

/* A table for people: cells are added row by row, columns are aligned when it is printed. */
typedef struct cli_table cli_table;
cli_table *cli_table_new(size_t ncolumns, size_t nleft); /* the first nleft columns align left */
void cli_table_add(cli_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_table_number(cli_table *table, double value); /* six digits; NaN is "-" */
void cli_table_print(cli_table *table, FILE *file);    /* and frees it */
/* For other ways to show it: how many cells, and each, line after line. */
size_t cli_table_cells(const cli_table *table, size_t *ncolumns, size_t *nleft);
const char *cli_table_cell(const cli_table *table, size_t index);
void cli_table_free(cli_table *table);

/* "name  value" lines of a summary. */
void cli_line(FILE *file, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reals that are not finite are null. */
json_t *cli_json_real(double value);
/* Names of files, columns and classes can be any bytes; those that are not UTF-8 become `?`. */
json_t *cli_json_text(const char *text);
void cli_json_set(json_t *object, const char *name,
                  json_t *value);     /* the name is such a text too */
json_t *cli_json_seed(uint64_t seed); /* as text where an integer of JSON cannot hold it */
/* Numbers as arrays within arrays. */
json_t *cli_json_nested(const double *value, const size_t *dim, size_t ndim);
json_t *cli_json_names(size_t count, const char *(*name)(const void *, size_t), const void *object);
/* The numbers of an evaluation, in the order they are shown; NaN where there is no such thing. */
enum { CLI_MEASURES = 10 };
extern const char *const cli_measure_name[CLI_MEASURES];
double cli_measure(const scant_evaluation *evaluation, size_t m);
/* From parameters to why the fit stopped. */
void cli_print_training(const scant_summary *summary);
json_t *cli_json_evaluation(const scant_evaluation *evaluation, const scant_model *model,
                            const scant_rows *rows);
/* A fit compared with a simpler rival, whose numbers come first. */
json_t *cli_json_comparison(const scant_comparison *comparison, const char *rival);
/* And when unlabelled rows hurt, but for a model (or NULL) that they had no part in. */
void cli_print_baseline(const scant_comparison *comparison, const scant_model *model);
bool cli_is_of_labels(const scant_model *model);
/* The words for that. */
enum { CLI_WORDS_OF_HURT = 256 };
const char *cli_tell_hurt(char text[CLI_WORDS_OF_HURT], const scant_comparison *comparison);
json_t *cli_json_guess(const scant_guess *guess, const char *name);
void cli_print_guess(const scant_guess *guess, const char *name); /* where it is better */
/* Small pictures of a fit on stderr, where the call is verbose. */
void cli_sketch_fit(const cli_call *call, const scant_model *model);
/* The table of labels seen for each class, where labels are not simply right. */
bool cli_knows_noise(const scant_model *model);
json_t *cli_json_noise(const scant_model *model);
void cli_print_noise(const scant_model *model);
/* What a model knows of its own certainty; the model must have been asked (scant_model_inform). */
json_t *cli_json_information(const scant_model *model);
void cli_print_information(const scant_model *model); /* nothing where it was not */
/* A standard error, and the 95 % interval of an estimate that has it; 0 or NaN: there is none. */
void cli_table_error(cli_table *table, double error);
void cli_table_interval(cli_table *table, double value, double error);
/* A linear classifier's estimates of itself; the model must be one (scant_model_score). */
void cli_json_score(json_t *object, const scant_model *model); /* adds them */
void cli_print_score(const scant_model *model);
/* What a stack expects of itself; the model must be one (scant_model_headline). */
void cli_json_headline(json_t *object, const scant_model *model); /* adds it */
void cli_print_headline(const scant_model *model);
void cli_tell_accuracy(FILE *out, const scant_headline *headline);
void cli_tell_baselines(FILE *out, const scant_headline *headline);
void cli_tell_members(FILE *out, const scant_headline *headline);
void cli_tell_gain(FILE *out, const scant_headline *headline);
void cli_tell_next(FILE *out, const scant_headline *headline);
/* What discrimination found; the model must be one of scant_med's (scant_model_med). */
void cli_json_med(json_t *object, const scant_model *model); /* adds it */
json_t *cli_json_med_weights(const scant_model *model);
void cli_print_med(const scant_model *model);
void cli_print_med_weights(const scant_model *model, bool all);
void cli_tell_med_fit(FILE *out, const scant_med_result *result);
void cli_tell_med_settings(FILE *out, const scant_med_result *result);
void cli_tell_med_divergence(FILE *out, const scant_med_result *r);
void cli_tell_med_bounds(FILE *out, const scant_med_result *r);
void cli_print_med_bounds(const scant_model *model);
void cli_tell_med_held_out(FILE *out, const scant_med_result *result);
json_t *cli_json_warnings(const scant_model *model);
/* Entry i of a dimension of a factor's parameter: a column where the dimension counts columns,
 * column=level where it counts levels, else a number. */
const char *cli_entry_name(char *text, size_t size, const scant_model *model, size_t factor,
                           size_t dimension, size_t i);
/* What the rows that fall to each component are labelled with; `rounded` for a look at it. */
cli_table *cli_composition_table(const scant_model *model, bool rounded);
/* Half of a 95 % interval of a normal, in standard errors. */
extern const double cli_normal_95;
/* Prints the object and lets go of it; an exit code. */
int cli_json_print(const cli_call *call, json_t *object);

/* Answers for rows: arrays as scant_model_predict fills them, NULL where the model has no such. */
typedef struct cli_answers {
    size_t n, nclasses, ncomponents;
    double *classes, *components, *support, *loglik, *target;
    scant_scores scores; /* count 0: none */
    int digits;          /* of probabilities, 4 more of the rest; 0: all there are */
} cli_answers;
bool cli_answers_new(cli_answers *p, const scant_model *model, size_t n, bool components);
void cli_answers_free(cli_answers *p);
void cli_answers_header(FILE *out, const cli_answers *p, const scant_model *model, const char *id);
/* Returns how many rows were left empty. */
size_t cli_answers_write(FILE *out, const cli_answers *p, const scant_model *model,
                         const scant_rows *rows, bool id, double reject);
/* A line of empty cells, for a row that has no answer. */
void cli_answers_skip(FILE *out, const cli_answers *p, bool id);
size_t cli_best_of(const double *probability, size_t count);

const char *cli_rows_class(const void *rows, size_t index);
const char *cli_model_class(const void *model, size_t index);

/* A file that appears whole when it is closed well (scant/file.h); NULL or "-": stdout. It stays
 * where it is while it is open. */
typedef struct cli_file {
    FILE *stream;
    scant_file *file; /* NULL: stdout */
    scant_status status;
} cli_file;
/* Is the folder there, and can a file be made in it? GO_ON or an exit code; to be asked before long
 * work. */
int cli_file_check(const cli_call *call, const char *path);
int cli_file_open(cli_file *file, const cli_call *call, const char *path);
/* `code` is returned unless it is EXIT_OK and closing fails; other codes drop the file. */
int cli_file_close(cli_file *file, const cli_call *call, int code);

void cli_csv_text(FILE *stream, const char *text); /* quoted where it must be */
void cli_csv_number(FILE *stream, double value); /* shortest that reads back the same; NaN: empty */
const char *cli_shortest(double value, char text[32]);

#endif
