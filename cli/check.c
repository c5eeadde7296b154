/* scant check: a table looked over before it is fitted, with its problems in plain words. */
#include "command.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct check_options {
    bool all;
} check_options;

static const scant_option table[] = {
    {"all", 0, SCANT_OPTION_FLAG, offsetof(check_options, all), NULL, NULL, 0, 0, NULL,
     "all columns, not the first forty"},
};

static const cli_manual manual = {
    "DATA [--label COL] [options]",
    "Reads a table as a fit would and tells, column by column, what is in it; then what may give "
    "trouble: "
    "constant or empty columns, numbers that look like categories, classes with few rows or none. "
    "A table that cannot be read is exit 3, with file, line and column.",
    "scant check examples/data/crabs.csv --label sex --ignore sp", 1, 1};

enum {
    MANY_COLUMNS = 40,
    FEW_VALUES = 10, /* so few distinct whole numbers over many rows may be categories */
    FEW_ROWS = 5     /* a class with fewer labelled rows is worth a word */
};

typedef struct column_facts {
    size_t count, missing, distinct;
    double least, mean, most;
    bool whole; /* all values are whole numbers */
} column_facts;

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* `value` has room for a column. O(n log n). */
static column_facts look_at(const scant_rows *rows, size_t column, double *value)
{
    size_t n = scant_rows_count(rows);
    column_facts facts = {.least = NAN, .mean = NAN, .most = NAN, .whole = true};
    for (size_t i = 0; i < n; i++) {
        double x = scant_rows_value(rows, i, column);
        if (isnan(x))
            facts.missing++;
        else
            value[facts.count++] = x;
    }
    if (facts.count == 0)
        return facts;
    qsort(value, facts.count, sizeof *value, compare_doubles);
    facts.least = value[0];
    facts.most = value[facts.count - 1];
    facts.mean = 0;
    for (size_t i = 0; i < facts.count; i++) {
        facts.mean += (value[i] - facts.mean) / (double)(i + 1); /* never overflows */
        facts.distinct += i == 0 || value[i] != value[i - 1];
        facts.whole = facts.whole && value[i] == floor(value[i]);
    }
    return facts;
}

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

static void judge_column(problems *found, const scant_rows *rows, size_t column,
                         const column_facts *facts)
{
    const char *name = scant_rows_column_name(rows, column);
    char room[256];
    const char *word = scant_shell_word(room, sizeof room, name);
    size_t n = scant_rows_count(rows);
    bool category = scant_rows_column_is_category(rows, column);
    if (n > 0 && facts->count == 0)
        add_problem(found, "column '%s' has no values at all; --ignore %s", name, word);
    else if (facts->distinct == 1 && n > 1)
        add_problem(found, "column '%s' is constant and tells nothing; --ignore %s", name, word);
    else if (2 * facts->missing > n)
        add_problem(found, "column '%s' is missing in %zu of %zu rows", name, facts->missing, n);
    else if (category && 2 * facts->distinct > facts->count && facts->count > FEW_VALUES)
        add_problem(found,
                    "column '%s' has %zu names in %zu rows: if it is an identifier, --id %s, else "
                    "--ignore %s",
                    name, facts->distinct, facts->count, word, word);
    else if (!category && !scant_rows_is_sparse(rows) && facts->whole && facts->distinct > 2 &&
             facts->distinct <= FEW_VALUES && facts->count >= 10 * facts->distinct)
        add_problem(found,
                    "column '%s' has only %zu whole numbers: if they are names, --categorical %s",
                    name, facts->distinct, word);
    else if (!category && facts->whole && facts->distinct == n && n > FEW_VALUES &&
             facts->most - facts->least == (double)(n - 1))
        add_problem(found, "column '%s' counts the rows: if it is an identifier, --id %s", name,
                    word);
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
    if (n == 0)
        add_problem(found, "there are no rows");
    if (d == 0)
        add_problem(found, "there are no feature columns");
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

/* --- telling --- */

static void print_columns(const json_t *columns, size_t total)
{
    static const char *const name[] = {"column", "type", "count", "missing",
                                       "min",    "mean", "max",   "distinct"};
    cli_table *out = cli_table_new(8, 2);
    for (size_t i = 0; i < 8; i++)
        cli_table_add(out, "%s", name[i]);
    size_t index;
    json_t *column;
    json_array_foreach(columns, index, column)
    {
        cli_table_add(out, "%s", json_string_value(json_object_get(column, "name")));
        cli_table_add(out, "%s", json_string_value(json_object_get(column, "type")));
        for (size_t i = 2; i < 8; i++) {
            const json_t *cell = json_object_get(column, name[i]);
            cli_table_number(out, json_is_number(cell) ? json_number_value(cell) : NAN);
        }
    }
    cli_table_print(out, stdout);
    if (json_array_size(columns) < total)
        printf("... %zu more columns (--all)\n", total - json_array_size(columns));
}

static void print_report(const json_t *report)
{
    size_t total = (size_t)json_integer_value(json_object_get(report, "columns_in_all")), index;
    printf("%lld rows, %zu columns%s\n\n",
           (long long)json_integer_value(json_object_get(report, "rows")), total,
           json_is_true(json_object_get(report, "sparse")) ? ", sparse" : "");
    print_columns(json_object_get(report, "columns"), total);
    const json_t *labels = json_object_get(report, "labels");
    if (labels) {
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
        cli_table_add(out, "%lld",
                      (long long)json_integer_value(json_object_get(labels, "partial")));
        cli_table_add(out, "(unlabelled)");
        cli_table_add(out, "%lld",
                      (long long)json_integer_value(json_object_get(labels, "unlabeled")));
        cli_table_print(out, stdout);
    }
    const json_t *found = json_object_get(report, "problems");
    json_t *problem;
    printf("\n%s\n", json_array_size(found) ? "to look at:" : "nothing to complain about");
    json_array_foreach(found, index, problem) printf("- %s\n", json_string_value(problem));
}

static json_t *column_json(const scant_rows *rows, size_t column, const column_facts *facts)
{
    bool category = scant_rows_column_is_category(rows, column);
    return json_pack("{s:o, s:s, s:I, s:I, s:o, s:o, s:o, s:I}", "name",
                     cli_json_text(scant_rows_column_name(rows, column)), "type",
                     category ? "category" : "number", "count", (json_int_t)facts->count, "missing",
                     (json_int_t)facts->missing, "min",
                     category ? json_null() : cli_json_real(facts->least), "mean",
                     category ? json_null() : cli_json_real(facts->mean), "max",
                     category ? json_null() : cli_json_real(facts->most), "distinct",
                     (json_int_t)facts->distinct);
}

/* Dense tables are judged whole; of sparse ones only the columns that are shown, for each costs a
 * search in every row. */
static json_t *make_report(const scant_rows *rows, bool all, bool labels)
{
    size_t n = scant_rows_count(rows), d = scant_rows_columns(rows);
    size_t shown = all || d <= MANY_COLUMNS ? d : MANY_COLUMNS;
    bool sparse = scant_rows_is_sparse(rows);
    problems found = {json_array()};
    json_t *columns = json_array();
    double *value = malloc((n + 1) * sizeof *value);
    if (!value) {
        json_decref(found.list);
        json_decref(columns);
        return NULL;
    }
    judge_rows(&found, rows);
    for (size_t c = 0; c < (sparse ? shown : d); c++) {
        column_facts facts = look_at(rows, c, value);
        judge_column(&found, rows, c, &facts);
        if (c < shown)
            (void)json_array_append_new(columns, column_json(rows, c, &facts));
    }
    free(value);
    json_t *report = json_pack("{s:I, s:I, s:b, s:o}", "rows", (json_int_t)n, "columns_in_all",
                               (json_int_t)d, "sparse", sparse, "columns", columns);
    if (labels)
        (void)json_object_set_new(report, "labels", look_at_classes(&found, rows));
    (void)json_object_set_new(report, "problems", found.list);
    return report;
}

int cli_check(int argc, char **argv)
{
    cli_call call;
    cli_input input;
    check_options options = {0};
    cli_call_begin(&call, argv[0]);
    cli_call_add(&call, "Looking", table, sizeof table / sizeof *table, &options);
    cli_input_add(&call, &input);
    int code = cli_call_parse(&call, &manual, argc, argv);
    scant_rows *rows = NULL;
    if (code == GO_ON)
        code = cli_input_read(&rows, &call, &input, call.operand[0], NULL);
    if (code == GO_ON) {
        json_t *report = make_report(rows, options.all, input.label != NULL);
        code = EXIT_OK;
        if (!report) {
            code = cli_out_of_memory(&call);
        } else if (call.json) {
            code = cli_json_print(&call, report);
        } else {
            print_report(report);
            json_decref(report);
        }
    }
    scant_rows_free(rows);
    cli_call_end(&call);
    return code;
}
