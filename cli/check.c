/* scant check: a table looked over before it is fitted: what each column is, what may give trouble, and
 * the command that comes next. It describes every file that can be opened. */
#include "command.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

typedef struct check_options {
    bool all;
} check_options;

static const scant_option table[] = {
    {"all", 0, SCANT_OPTION_FLAG, offsetof(check_options, all), NULL, NULL, 0, 0, NULL,
     "all columns, not the first forty"},
};

static const cli_manual manual = {
    "DATA [--label COL] [options]",
    "Says what each column of a table is (a number, a count, 0/1, a category, a date, text, an "
    "identifier or a constant), how sure that is and why; then what may give trouble; then the "
    "whole "
    "command to paste. A file that a fit would refuse is described all the same, with the reason.",
    "scant check examples/data/crabs.csv --label sex --ignore sp", 1, 1};

enum {
    MANY_COLUMNS = 40,
    FEW_ROWS = 5 /* a class with fewer labelled rows is worth a word */
};
static const double DOUBTFUL = 0.7; /* a guess that is less sure is worth a word */

/* What the report is made of. */
typedef struct subject {
    const cli_call *call;
    const cli_input *input;
    const char *path;
    scant_types *types; /* NULL: sparse rows, whose columns are numbers */
    scant_rows *rows;   /* NULL: they cannot be read */
    char refusal[512];  /* why not */
    json_t *warnings;   /* of reading */
} subject;

/* --- problems: sentences, gathered and then told --- */

typedef struct problems {
    json_t *list;
} problems;

static void add_problem(problems *found, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add_problem(problems *found, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)json_array_append_new(found->list, cli_json_text(text));
}

static bool is_listed(const scant_texts *list, const char *name)
{
    for (size_t k = 0; k < list->count; k++)
        if (strcmp(list->item[k], name) == 0)
            return true;
    return false;
}

/* The feature column of that name among the rows that were read, or their number. */
static size_t column_of(const scant_rows *rows, const char *name)
{
    size_t c = 0, d = rows ? scant_rows_columns(rows) : 0;
    while (c < d && strcmp(scant_rows_column_name(rows, c), name) != 0)
        c++;
    return c;
}

static const char *role_of(const subject *s, const scant_type *type)
{
    const cli_input *in = s->input;
    const char *const role[][2] = {
        {in->label, "label"}, {in->weight, "weight"},     {in->id, "id"},
        {in->group, "group"}, {in->sequence, "sequence"}, {in->time, "time"}};
    for (size_t k = 0; k < sizeof role / sizeof *role; k++)
        if (role[k][0] && strcmp(role[k][0], type->name) == 0)
            return role[k][1];
    if (type->kind == SCANT_KIND_TEXT)
        return "text";
    if (!s->rows)
        return type->kind == SCANT_KIND_IDENTIFIER || type->kind == SCANT_KIND_CONSTANT ? "left out"
                                                                                        : "feature";
    return column_of(s->rows, type->name) < scant_rows_columns(s->rows) ? "feature" : "left out";
}

static const char *other_kind(const scant_type *type)
{
    switch (type->kind) {
    case SCANT_KIND_NUMBER:
    case SCANT_KIND_COUNT:
    case SCANT_KIND_BINARY: return "category";
    case SCANT_KIND_CATEGORY: return type->most == type->most ? "number" : "text";
    case SCANT_KIND_DATE:
    case SCANT_KIND_TEXT:
    case SCANT_KIND_IDENTIFIER:
    case SCANT_KIND_CONSTANT:
    case SCANT_KIND_IGNORE:
    case SCANT_KINDS: break;
    }
    return "category";
}

static void judge_type(problems *found, const subject *s, const scant_type *type)
{
    char room[256];
    const char *name = type->name, *role = role_of(s, type);
    const char *word = scant_shell_word(room, sizeof room, name);
    size_t n = type->count + type->missing;
    bool out = strcmp(role, "left out") == 0, feature = strcmp(role, "feature") == 0;
    if (n == 0 || (!out && !feature))
        return;
    if (type->kind == SCANT_KIND_CONSTANT && type->count == 0)
        add_problem(found, "column '%s' has no values at all and is left out", name);
    else if (type->kind == SCANT_KIND_CONSTANT)
        add_problem(found, "column '%s' is constant and is left out", name);
    else if (type->kind == SCANT_KIND_IDENTIFIER && out && !is_listed(&s->input->ignore, name))
        add_problem(
            found,
            "column '%s' is taken for an identifier (%s) and is left out; --id %s carries it to "
            "predictions",
            name, type->reason, word);
    else if (feature && 2 * type->missing > n)
        add_problem(found, "column '%s' is missing in %zu of %zu rows", name, type->missing, n);
    else if (feature && type->sure < DOUBTFUL && !is_listed(&s->input->categorical, name) &&
             s->input->types.count == 0)
        add_problem(found, "column '%s' is taken for a %s (%s), %.0f %% sure; else --types %s=%s",
                    name, scant_kind_name(type->kind), type->reason, 100 * type->sure, word,
                    other_kind(type));
}

static void judge_rows(problems *found, const scant_rows *rows)
{
    size_t n = scant_rows_count(rows), d = scant_rows_columns(rows), empty = 0, weightless = 0;
    for (size_t i = 0; i < n; i++) {
        size_t c = 0;
        while (!scant_rows_is_sparse(rows) && c < d && isnan(scant_rows_value(rows, i, c)))
            c++;
        empty += d > 0 && c == d;
        weightless += scant_rows_weight(rows, i) == 0;
    }
    if (empty)
        add_problem(found, "%zu rows have no values at all", empty);
    if (weightless)
        add_problem(found, "%zu rows have weight 0 and count for nothing", weightless);
    if (n > 0 && n <= d && !scant_rows_is_sparse(rows))
        add_problem(found, "%zu rows are few for %zu columns: full covariances will need the floor",
                    n, d);
}

/* --- classes --- */

/* A name that mostly means that there is none. */
static bool means_unknown(const char *name)
{
    static const char *const word[] = {"n/a",       "#n/a",       "<na>", "null",
                                       "none",      "-",          "nil",  "unknown",
                                       "unlabeled", "unlabelled", ".",    "missing"};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (strcasecmp(name, word[i]) == 0)
            return true;
    return false;
}

/* Classes that are numbers are in their order. */
static bool is_same_number(const char *name, const char *other)
{
    char *end, *other_end;
    double value = strtod(name, &end), other_value = strtod(other, &other_end);
    return end > name && *end == '\0' && other_end > other && *other_end == '\0' &&
           value == other_value;
}

static void judge_class(problems *found, const scant_rows *rows, size_t k)
{
    const char *name = scant_rows_class_name(rows, k);
    const char *before = k ? scant_rows_class_name(rows, k - 1) : "";
    char room[256];
    if (means_unknown(name))
        add_problem(found, "class '%s' is one of its own: if it means unknown, --missing-label %s",
                    name, scant_shell_word(room, sizeof room, name));
    if (is_same_number(before, name))
        add_problem(found, "classes '%s' and '%s' are the same number, but two classes", before,
                    name);
}

static json_t *look_at_classes(problems *found, const scant_rows *rows)
{
    size_t K = scant_rows_classes(rows), n = scant_rows_count(rows), exact = 0;
    size_t *count = calloc(K + 1, sizeof *count);
    for (size_t i = 0; count && i < n; i++) {
        int32_t k = scant_rows_label(rows, i);
        if (k >= 0 && (size_t)k < K) {
            count[k]++;
            exact++;
        }
    }
    json_t *classes = json_object();
    for (size_t k = 0; count && k < K; k++) {
        const char *name = scant_rows_class_name(rows, k);
        cli_json_set(classes, name, json_integer((json_int_t)count[k]));
        judge_class(found, rows, k);
        if (count[k] < FEW_ROWS)
            add_problem(found, "class '%s' has %zu labelled row%s", name, count[k],
                        count[k] == 1 ? "" : "s");
    }
    size_t labeled = scant_rows_labeled(rows);
    if (K == 1)
        add_problem(found, "there is only one class");
    if (labeled == 0)
        add_problem(found,
                    "no row has a label, so there are no classes to fit; for a plain mixture "
                    "leave --label out");
    free(count);
    return json_pack("{s:o, s:I, s:I, s:I}", "classes", classes, "exact", (json_int_t)exact,
                     "partial", (json_int_t)(labeled - exact), "unlabeled",
                     (json_int_t)(n - labeled));
}

/* --- the command that comes next --- */

/* A column that may well be the label, where none is given: by its name, else the last if it is a
 * category. */
static const char *likely_label(const subject *s)
{
    static const char *const word[] = {"label",   "class",   "target",   "y",
                                       "outcome", "species", "diagnosis"};
    size_t d = s->types ? scant_types_count(s->types) : 0;
    for (size_t k = 0; k < sizeof word / sizeof *word; k++)
        for (size_t c = 0; c < d; c++)
            if (strcasecmp(scant_types_at(s->types, c)->name, word[k]) == 0)
                return scant_types_at(s->types, c)->name;
    const scant_type *last = d > 1 ? scant_types_at(s->types, d - 1) : NULL;
    return last && (last->kind == SCANT_KIND_CATEGORY || last->kind == SCANT_KIND_BINARY)
               ? last->name
               : NULL;
}

static void append(char *text, size_t size, const char *word)
{
    char room[CLI_WORD];
    size_t used = strlen(text);
    (void)snprintf(text + used, size - used, "%s%s", used ? " " : "",
                   scant_shell_word(room, sizeof room, word));
}

/* As it was typed, with train in place of check, and a label and a model. */
static void make_command(char *text, size_t size, const subject *s, int argc, char **argv)
{
    static const char *const own[] = {"--json", "--all", "-q", "--quiet", "-v", "--verbose"};
    const char *label = s->input->label ? NULL : likely_label(s);
    text[0] = '\0';
    append(text, size, "scant");
    append(text, size, cli_command_find("train") && (s->input->label || label) ? "train" : "fit");
    for (int a = 1; a < argc; a++) {
        bool mine = false;
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            mine = mine || strcmp(argv[a], own[k]) == 0;
        if (!mine)
            append(text, size, argv[a]);
    }
    if (label) {
        append(text, size, "--label");
        append(text, size, label);
    }
    append(text, size, "-o");
    append(text, size, "model.json");
}

/* --- telling --- */

static void print_columns(const json_t *columns, size_t total)
{
    static const char *const name[] = {"column",  "type",     "why", "sure",
                                       "missing", "distinct", "min", "max"};
    cli_table *out = cli_table_new(8, 3);
    for (size_t i = 0; i < 8; i++)
        cli_table_add(out, "%s", name[i]);
    size_t index;
    json_t *column;
    json_array_foreach(columns, index, column)
    {
        cli_table_add(out, "%s", json_string_value(json_object_get(column, "name")));
        cli_table_add(out, "%s", json_string_value(json_object_get(column, "type")));
        const char *role = json_string_value(json_object_get(column, "role"));
        cli_table_add(out, "%s%s%s", json_string_value(json_object_get(column, "reason")),
                      strcmp(role, "feature") == 0 ? "" : "; ",
                      strcmp(role, "feature") == 0 ? "" : role);
        for (size_t i = 3; i < 8; i++) {
            const json_t *cell = json_object_get(column, name[i]);
            cli_table_number(out, json_is_number(cell) ? json_number_value(cell) : NAN);
        }
    }
    cli_table_print(out, stdout);
    if (json_array_size(columns) < total)
        printf("... %zu more columns (--all)\n", total - json_array_size(columns));
}

static void print_classes(const json_t *labels)
{
    const char *name;
    json_t *count;
    printf("\n");
    cli_table *out = cli_table_new(2, 1);
    cli_table_add(out, "class");
    cli_table_add(out, "rows");
    json_object_foreach(json_object_get(labels, "classes"), name, count)
    {
        cli_table_add(out, "%s", name);
        cli_table_add(out, "%lld", (long long)json_integer_value(count));
    }
    cli_table_add(out, "(partial)");
    cli_table_add(out, "%lld", (long long)json_integer_value(json_object_get(labels, "partial")));
    cli_table_add(out, "(unlabeled)");
    cli_table_add(out, "%lld", (long long)json_integer_value(json_object_get(labels, "unlabeled")));
    cli_table_print(out, stdout);
}

static void print_report(const json_t *report)
{
    size_t total = (size_t)json_integer_value(json_object_get(report, "columns_in_all")), index;
    printf("%lld rows, %zu columns%s\n\n",
           (long long)json_integer_value(json_object_get(report, "rows")), total,
           json_is_true(json_object_get(report, "sparse")) ? ", sparse" : "");
    print_columns(json_object_get(report, "columns"), total);
    const json_t *labels = json_object_get(report, "labels");
    if (labels)
        print_classes(labels);
    const json_t *found = json_object_get(report, "problems");
    json_t *problem;
    printf("\n%s\n", json_array_size(found) ? "to look at:" : "no problems found");
    json_array_foreach(found, index, problem) printf("- %s\n", json_string_value(problem));
    printf("\nnext: %s\n", json_string_value(json_object_get(report, "command")));
}

static json_t *real(double value)
{
    return isnan(value) ? json_null() : cli_json_real(value);
}

static double mean_of(const scant_rows *rows, size_t column)
{
    double mean = 0;
    size_t count = 0;
    for (size_t i = 0; i < scant_rows_count(rows); i++) {
        double x = scant_rows_value(rows, i, column);
        if (!isnan(x))
            mean += (x - mean) / (double)++count; /* never overflows */
    }
    return count ? mean : NAN;
}

static json_t *column_json(const subject *s, const scant_type *type)
{
    size_t c = column_of(s->rows, type->name);
    bool number =
        s->rows && c < scant_rows_columns(s->rows) && !scant_rows_column_is_category(s->rows, c);
    json_t *examples = json_array();
    for (size_t k = 0; k < 3 && type->example[k]; k++)
        (void)json_array_append_new(examples, cli_json_text(type->example[k]));
    return json_pack("{s:o, s:s, s:o, s:o, s:s, s:o, s:I, s:I, s:o, s:o, s:o, s:I, s:b, s:o}",
                     "name", cli_json_text(type->name), "type", scant_kind_name(type->kind), "sure",
                     cli_json_real(type->sure), "reason", cli_json_text(type->reason), "role",
                     role_of(s, type), "option", cli_json_text(type->as_option), "count",
                     (json_int_t)type->count, "missing", (json_int_t)type->missing, "min",
                     real(type->least), "mean", real(number ? mean_of(s->rows, c) : NAN), "max",
                     real(type->most), "distinct", (json_int_t)type->distinct, "more_distinct",
                     type->distinct_is_most, "examples", examples);
}

/* A column of sparse rows: a number, of which only a look is taken, as each costs a search in every row. */
static json_t *sparse_json(const subject *s, size_t column)
{
    size_t n = scant_rows_count(s->rows), missing = scant_rows_missing(s->rows, column);
    double least = NAN, most = NAN;
    for (size_t i = 0; i < n; i++) {
        least = fmin(least, scant_rows_value(s->rows, i, column));
        most = fmax(most, scant_rows_value(s->rows, i, column));
    }
    return json_pack("{s:o, s:s, s:f, s:s, s:s, s:o, s:I, s:I, s:o, s:o, s:o, s:I, s:b, s:o}",
                     "name", cli_json_text(scant_rows_column_name(s->rows, column)), "type",
                     "number", "sure", 1.0, "reason", "of sparse rows", "role", "feature", "option",
                     cli_json_text(""), "count", (json_int_t)(n - missing), "missing",
                     (json_int_t)missing, "min", real(least), "mean",
                     real(mean_of(s->rows, column)), "max", real(most), "distinct", (json_int_t)0,
                     "more_distinct", true, "examples", json_array());
}

static bool is_told(const json_t *list, const char *text)
{
    for (size_t k = 0; k < json_array_size(list); k++)
        if (strcmp(json_string_value(json_array_get(list, k)), text) == 0)
            return true;
    return false;
}

static json_t *make_report(const subject *s, bool all, const char *command)
{
    size_t d = s->types ? scant_types_count(s->types) : scant_rows_columns(s->rows);
    size_t n = s->types ? scant_types_rows(s->types) : scant_rows_count(s->rows);
    size_t shown = all || d <= MANY_COLUMNS ? d : MANY_COLUMNS;
    problems found = {json_array()};
    json_t *columns = json_array();
    if (!s->rows)
        add_problem(&found, "a fit would refuse it: %s", s->refusal);
    if (n == 0)
        add_problem(&found, "there are no rows");
    if (s->rows)
        judge_rows(&found, s->rows);
    for (size_t k = 0; k < json_array_size(s->warnings); k++)
        add_problem(&found, "%s", json_string_value(json_array_get(s->warnings, k)));
    for (size_t k = 0; s->types && k < scant_types_notes(s->types); k++)
        if (!is_told(s->warnings, scant_types_note(s->types, k)))
            add_problem(&found, "%s", scant_types_note(s->types, k));
    for (size_t c = 0; c < d; c++) {
        if (s->types)
            judge_type(&found, s, scant_types_at(s->types, c));
        if (c < shown)
            (void)json_array_append_new(columns, s->types
                                                     ? column_json(s, scant_types_at(s->types, c))
                                                     : sparse_json(s, c));
    }
    json_t *report = json_pack("{s:I, s:I, s:b, s:o}", "rows", (json_int_t)n, "columns_in_all",
                               (json_int_t)d, "sparse", s->types == NULL, "columns", columns);
    if (s->input->label && s->rows)
        (void)json_object_set_new(report, "labels", look_at_classes(&found, s->rows));
    (void)json_object_set_new(report, "problems", found.list);
    (void)json_object_set_new(report, "command", cli_json_text(command));
    return report;
}

/* --- the command --- */

/* Is it a column of the file, so that a refusal is of the cells and not of the option? */
static bool has_column(const scant_types *types, const char *name)
{
    for (size_t c = 0; c < scant_types_count(types); c++)
        if (strcmp(scant_types_at(types, c)->name, name) == 0)
            return true;
    return false;
}

/* What reading warns of is part of the report, but for what the list of columns says. */
static void take_warning(scant_log_level level, const char *text, void *payload)
{
    subject *s = payload;
    const char *behind = strstr(text, ": ");
    (void)level;
    text = behind && strncmp(text, s->path, strlen(s->path)) == 0 ? behind + 2 : text;
    if (is_told(s->warnings, text))
        return;
    if (!strstr(text, "is left out: ") && !strstr(text, "columns in all are left out"))
        (void)json_array_append_new(s->warnings, cli_json_text(text));
}

/* Standard input is read twice, so it becomes a file without a name. */
static int keep_stdin(const cli_call *call)
{
    char piece[1 << 16];
    FILE *kept = tmpfile();
    if (!kept)
        return cli_error(call, CLI_OUTPUT, "standard input: no temporary file to keep it in");
    size_t n = 0;
    bool whole = true;
    while (whole && (n = fread(piece, 1, sizeof piece, stdin)) > 0)
        whole = fwrite(piece, 1, n, kept) == n;
    whole = whole && fflush(kept) == 0 && dup2(fileno(kept), STDIN_FILENO) >= 0;
    (void)fclose(kept);
    return whole ? GO_ON
                 : cli_error(call, CLI_OUTPUT,
                             "standard input: no room to keep it for a second look");
}

/* From its beginning, for whoever reads it next. */
static void begin_again(const subject *s)
{
    if (strcmp(s->path, "-") == 0) {
        rewind(stdin);
        (void)lseek(STDIN_FILENO, 0, SEEK_SET);
    }
}

static int look(subject *s)
{
    scant_read_options options;
    int code = cli_input_options(&options, s->call, s->input, NULL);
    if (code == GO_ON && strcmp(s->path, "-") == 0)
        code = keep_stdin(s->call);
    if (code != GO_ON)
        return code;
    begin_again(s);
    scant_log_set(SCANT_LOG_WARNING, take_warning, s);
    scant_status status = scant_rows_read(&s->rows, s->path, &options);
    cli_log_start(s->call);
    if (status != SCANT_OK)
        (void)snprintf(s->refusal, sizeof s->refusal, "%s", scant_message());
    if (status != SCANT_OK && status != SCANT_ERR_INPUT)
        return cli_failed(s->call, status);
    begin_again(s);
    scant_status guessed = scant_types_guess(&s->types, s->path, &options);
    if (guessed != SCANT_OK)
        return cli_failed(s->call, guessed);
    if (scant_types_count(s->types) == 0 && s->rows) { /* sparse rows */
        scant_types_free(s->types);
        s->types = NULL;
        return GO_ON;
    }
    if (status != SCANT_OK && s->input->label && !has_column(s->types, s->input->label))
        return cli_error(s->call, CLI_INPUT, "%s", s->refusal);
    return GO_ON;
}

int cli_check(int argc, char **argv)
{
    cli_call call;
    cli_input input;
    check_options options = {0};
    char command[2 * CLI_WORD];
    cli_call_begin(&call, argv[0]);
    cli_call_add(&call, "Looking", table, sizeof table / sizeof *table, &options);
    cli_input_add(&call, &input);
    int code = cli_call_parse(&call, &manual, argc, argv);
    subject s = {.call = &call, .input = &input, .path = call.operand[0], .warnings = json_array()};
    input.guess = input.keep_text = input.chains = true;
    if (code == GO_ON)
        code = look(&s);
    if (code == GO_ON) {
        make_command(command, sizeof command, &s, argc, argv);
        json_t *report = make_report(&s, options.all, command);
        code = EXIT_OK;
        if (call.json) {
            code = cli_json_print(&call, report);
        } else {
            print_report(report);
            json_decref(report);
        }
    }
    json_decref(s.warnings);
    scant_types_free(s.types);
    scant_rows_free(s.rows);
    cli_call_end(&call);
    return code;
}
