/* scant factor: nonnegative factors of a tensor. */
#define _GNU_SOURCE /* asprintf */
#include "command.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "factor.h"

typedef struct own_options {
    const char *output, *start;
    scant_texts names, fix;
    size_t top;
    bool allow_negative;
} own_options;

#define OWN(field) offsetof(own_options, field)
static const scant_option table[] = {
    {"output", 'o', SCANT_OPTION_TEXT, OWN(output), "DIR", NULL, 0, 0, NULL,
     "write mode-1.csv, mode-2.csv, ... and weights.csv here"},
    {"top", 0, SCANT_OPTION_COUNT, OWN(top), "N", "0", 0, 1e6, NULL,
     "print the N strongest entries of every component and mode"},
    {"names", 0, SCANT_OPTION_LIST, OWN(names), "FILE,...", NULL, 0, 0, NULL,
     "names of the entries, a file a mode: a name a line, or FILE:COLUMN of a table; - for a mode "
     "that has none"},
    {"fix", 0, SCANT_OPTION_LIST, OWN(fix), "MODE=FILE", NULL, 0, 0, NULL,
     "keep a mode, by its number, at the factor in a mode-N.csv: new slices in terms of known "
     "components"},
    {"start", 0, SCANT_OPTION_TEXT, OWN(start), "DIR", NULL, 0, 0, NULL,
     "start from the factors in this folder"},
    {"allow-negative", 0, SCANT_OPTION_FLAG, OWN(allow_negative), NULL, NULL, 0, 0, NULL,
     "set cells below 0 to 0, and tell how many"},
};

static const cli_manual manual = {
    "TENSOR --rank R [options] [-o DIR]",
    "Writes a tensor of nonnegative numbers (.tns, or .npy; order 2 is a matrix) as a sum of R "
    "components, each a product of one nonnegative column a mode. A range of ranks is compared by "
    "fit, core consistency and, over --starts, stability. The factors are written even "
    "when the fit stops early (exit 4).",
    "scant factor examples/data/purchases.tns --rank 2 --top 3 --names "
    "-,examples/data/purchases_goods.txt,-",
    1, 1};

/* Everything of a call that must be freed. */
typedef struct factoring {
    own_options own;
    scant_factor_options options;
    scant_tensor *tensor;
    cli_names *names;        /* order */
    double **start, **fixed; /* order */
    scant_factors *factors;
    scant_factor_sweep_result sweep;
    size_t order, negative;
    cli_bar bar;
} factoring;

static void free_all(factoring *f)
{
    for (size_t m = 0; m < f->order; m++) {
        if (f->names)
            cli_names_clear(&f->names[m]);
        if (f->start)
            free(f->start[m]);
        if (f->fixed)
            free(f->fixed[m]);
    }
    free(f->names);
    free((void *)f->start);
    free((void *)f->fixed);
    scant_factors_free(f->factors);
    scant_factor_sweep_clear(&f->sweep);
    scant_tensor_free(f->tensor);
}

/* --- what goes in --- */

static int read_tensor(factoring *f, const cli_call *call)
{
    scant_status status = scant_tensor_read(&f->tensor, call->operand[0]);
    if (status != SCANT_OK)
        return cli_failed(call, status);
    f->order = scant_tensor_order(f->tensor);
    if (f->own.allow_negative && (f->negative = scant_tensor_clip(f->tensor)) > 0)
        cli_say(call, "%zu cells below 0 are set to 0", f->negative);
    return GO_ON;
}

static int read_names(factoring *f, const cli_call *call)
{
    const scant_texts *files = &f->own.names;
    if (files->count == 0)
        return GO_ON;
    if (files->count != f->order)
        return cli_usage_error(call, "--names: %zu files for %zu modes", files->count, f->order);
    f->names = calloc(f->order, sizeof *f->names);
    if (!f->names)
        return cli_out_of_memory(call);
    for (size_t m = 0; m < f->order; m++) {
        int code =
            cli_names_read(&f->names[m], call, files->item[m], scant_tensor_size(f->tensor, m));
        if (code != GO_ON)
            return code;
    }
    return GO_ON;
}

/* The rank, 0 where a range is asked for: it has no factors to start from. */
static size_t single_rank(const factoring *f)
{
    return strchr(f->options.rank, ':') ? 0 : strtoull(f->options.rank, NULL, 10);
}

static int read_fixed(factoring *f, const cli_call *call)
{
    if (f->own.fix.count == 0)
        return GO_ON;
    f->fixed = (double **)calloc(f->order, sizeof *f->fixed);
    if (!f->fixed)
        return cli_out_of_memory(call);
    for (size_t k = 0; k < f->own.fix.count; k++) {
        const char *text = f->own.fix.item[k];
        char *end;
        size_t mode = strtoull(text, &end, 10);
        if (*end != '=' || mode < 1 || mode > f->order)
            return cli_usage_error(call, "--fix: '%s' is not MODE=FILE with a mode from 1 to %zu",
                                   text, f->order);
        if (f->fixed[mode - 1])
            return cli_usage_error(call, "--fix: mode %zu is given twice", mode);
        int code = cli_factor_read(&f->fixed[mode - 1], call, end + 1,
                                   scant_tensor_size(f->tensor, mode - 1), single_rank(f));
        if (code != GO_ON)
            return code;
    }
    f->options.fixed = (const double *const *)f->fixed;
    return GO_ON;
}

/* The weights go to the first mode. */
static int read_weights(factoring *f, const cli_call *call, size_t rank)
{
    char *path = cli_factor_path(f->own.start, 0);
    double *weight = NULL;
    int code = path ? cli_factor_read(&weight, call, path, rank, 1) : cli_out_of_memory(call);
    for (size_t t = 0; code == GO_ON && t < scant_tensor_size(f->tensor, 0) * rank; t++)
        f->start[0][t] *= weight[t % rank];
    free(weight);
    free(path);
    return code;
}

static int read_start(factoring *f, const cli_call *call)
{
    size_t rank = single_rank(f);
    if (!f->own.start)
        return GO_ON;
    f->start = (double **)calloc(f->order, sizeof *f->start);
    if (!f->start)
        return cli_out_of_memory(call);
    for (size_t m = 0; m < f->order; m++) {
        char *path = cli_factor_path(f->own.start, m + 1);
        int code =
            path ? cli_factor_read(&f->start[m], call, path, scant_tensor_size(f->tensor, m), rank)
                 : cli_out_of_memory(call);
        free(path);
        if (code != GO_ON)
            return code;
    }
    f->options.start = (const double *const *)f->start;
    return read_weights(f, call, rank);
}

/* --- what comes out --- */

static int write_factors(const factoring *f, const cli_call *call)
{
    const char *folder = f->own.output;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cli_error(call, CLI_OUTPUT, "%s could not be made: %s", folder, strerror(errno));
    size_t rank = scant_factors_summary(f->factors)->rank;
    int code = EXIT_OK;
    for (size_t m = 0; m < f->order && code == EXIT_OK; m++)
        code = cli_factor_write(call, folder, m + 1, scant_factors_mode(f->factors, m),
                                scant_factors_size(f->factors, m), rank,
                                f->names ? &f->names[m] : NULL);
    if (code == EXIT_OK)
        code = cli_factor_remove(call, folder, f->order + 1);
    if (code == EXIT_OK)
        code = cli_factor_write(call, folder, 0, scant_factors_weights(f->factors), rank, 1, NULL);
    return code;
}

static json_t *sizes_json(const factoring *f)
{
    json_t *sizes = json_array();
    for (size_t m = 0; m < f->order; m++)
        (void)json_array_append_new(sizes,
                                    json_integer((json_int_t)scant_tensor_size(f->tensor, m)));
    return sizes;
}

static json_t *summary_json(const scant_factor_summary *s)
{
    return json_pack("{s:I, s:o, s:o, s:o, s:I, s:s, s:I, s:I, s:I, s:o, s:o, s:o}", "rank",
                     (json_int_t)s->rank, "rssr", cli_json_real(s->rssr), "loss",
                     cli_json_real(s->loss), "kkt", cli_json_real(s->kkt), "iterations",
                     (json_int_t)s->iterations, "stop", scant_stop_name(s->stop), "starts",
                     (json_int_t)s->starts, "best_start", (json_int_t)s->best_start, "vanished",
                     (json_int_t)s->vanished, "stability", cli_json_real(s->stability),
                     "core_consistency", cli_json_real(s->core_consistency), "seconds",
                     cli_json_real(s->seconds));
}

static json_t *trace_json(const scant_factors *factors)
{
    json_t *list = json_array();
    const scant_factor_step *step = scant_factors_trace(factors);
    for (size_t t = 0; t < scant_factors_summary(factors)->iterations; t++)
        (void)json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:o}", "rssr", cli_json_real(step[t].rssr), "loss",
                            cli_json_real(step[t].loss), "kkt", cli_json_real(step[t].kkt),
                            "seconds", cli_json_real(step[t].seconds)));
    return list;
}

static json_t *starts_json(const scant_factors *factors)
{
    json_t *list = json_array();
    const scant_factor_start *start = scant_factors_starts(factors);
    for (size_t s = 0; s < scant_factors_summary(factors)->starts; s++)
        (void)json_array_append_new(
            list, json_pack("{s:o, s:o, s:I, s:s, s:o}", "rssr", cli_json_real(start[s].rssr),
                            "kkt", cli_json_real(start[s].kkt), "iterations",
                            (json_int_t)start[s].iterations, "stop", scant_stop_name(start[s].stop),
                            "congruence", cli_json_real(start[s].congruence)));
    return list;
}

static json_t *to_json(const factoring *f, const char *folder)
{
    json_t *object = summary_json(scant_factors_summary(f->factors));
    cli_json_set(object, "sizes", sizes_json(f));
    cli_json_set(object, "entries", json_integer((json_int_t)scant_tensor_entries(f->tensor)));
    cli_json_set(object, "sparse", json_boolean(scant_tensor_is_sparse(f->tensor)));
    cli_json_set(object, "negative", json_integer((json_int_t)f->negative));
    cli_json_set(object, "missing",
                 json_integer((json_int_t)scant_factors_summary(f->factors)->missing));
    cli_json_set(object, "seed", cli_json_seed(f->options.seed));
    cli_json_set(object, "trace", trace_json(f->factors));
    if (scant_factors_summary(f->factors)->starts > 1)
        cli_json_set(object, "all_starts", starts_json(f->factors));
    if (f->own.top)
        cli_json_set(object, "components", cli_components_json(f->factors, f->names, f->own.top));
    if (f->sweep.count) {
        json_t *ranks = json_array();
        for (size_t k = 0; k < f->sweep.count; k++)
            (void)json_array_append_new(ranks, summary_json(&f->sweep.summary[k]));
        cli_json_set(object, "ranks", ranks);
        cli_json_set(object, "best_rank",
                     f->sweep.best < f->sweep.count
                         ? json_integer((json_int_t)f->sweep.summary[f->sweep.best].rank)
                         : json_null());
    }
    if (folder)
        cli_json_set(object, "output", cli_json_text(folder));
    return object;
}

static void print_sweep(const scant_factor_sweep_result *sweep)
{
    cli_table *t = cli_table_new(7, 1);
    static const char *const heads[] = {"",          "rank",       "fit", "core",
                                        "stability", "iterations", "stop"};
    for (size_t k = 0; k < 7; k++)
        cli_table_add(t, "%s", heads[k]);
    for (size_t k = 0; k < sweep->count; k++) {
        const scant_factor_summary *s = &sweep->summary[k];
        cli_table_add(t, "%s", k == sweep->best ? "*" : "");
        cli_table_add(t, "%zu", s->rank);
        cli_table_number(t, 1 - s->rssr);
        cli_table_number(t, s->core_consistency);
        cli_table_number(t, s->stability);
        cli_table_add(t, "%zu", s->iterations);
        cli_table_add(t, "%s", scant_stop_name(s->stop));
    }
    cli_table_print(t, stdout);
    putchar('\n');
}

static void print_summary(const factoring *f)
{
    const scant_factor_summary *s = scant_factors_summary(f->factors);
    if (f->sweep.count)
        print_sweep(&f->sweep);
    printf("%-18s ", "sizes");
    for (size_t m = 0; m < f->order; m++)
        printf("%s%zu", m ? " x " : "", scant_tensor_size(f->tensor, m));
    putchar('\n');
    cli_line(stdout, "entries", "%zu%s", scant_tensor_entries(f->tensor),
             scant_tensor_is_sparse(f->tensor) ? " (sparse)" : "");
    if (s->missing)
        cli_line(stdout, "missing", "%zu", s->missing);
    cli_line(stdout, "rank", "%zu", s->rank);
    cli_line(stdout, "rssr", "%.10g", s->rssr);
    if (strcmp(f->options.loss, "kl") == 0)
        cli_line(stdout, "divergence", "%.10g", s->loss);
    cli_line(stdout, "kkt", "%.3g", s->kkt);
    cli_line(stdout, "iterations", "%zu (start %zu of %zu)", s->iterations, s->best_start + 1,
             s->starts);
    cli_line(stdout, "stop", "%s", scant_stop_name(s->stop));
    if (!isnan(s->core_consistency))
        cli_line(stdout, "core consistency", "%.4g", s->core_consistency);
    if (!isnan(s->stability))
        cli_line(stdout, "stability", "%.4g", s->stability);
    if (s->vanished)
        cli_line(stdout, "warning", "%zu components vanished: a lower rank does as well",
                 s->vanished);
    cli_line(stdout, "seconds", "%.3g", s->seconds);
    if (f->own.top)
        cli_components_print(f->factors, f->names, f->own.top);
}

/* --- the command --- */

/* Can the files be made, in a folder that need not be there yet? */
static int check_output(const factoring *f, const cli_call *call)
{
    int code = cli_file_check(call, f->options.checkpoint);
    const char *folder = f->own.output;
    if (code != GO_ON || !folder)
        return code;
    if (access(folder, F_OK) != 0)
        return cli_file_check(call, folder);
    char *path = cli_factor_path(folder, 1);
    code = path ? cli_file_check(call, path) : cli_out_of_memory(call);
    free(path);
    return code;
}

static int read_all(factoring *f, const cli_call *call)
{
    if (!f->options.rank)
        return cli_usage_error(call, "--rank R is needed: how many components");
    if (f->options.resume && !f->options.checkpoint)
        return cli_usage_error(call, "--resume wants --checkpoint FILE to resume from");
    if ((f->own.start || f->own.fix.count) && single_rank(f) == 0)
        return cli_usage_error(call, "--start and --fix want a single rank");
    int code = check_output(f, call);
    if (code == GO_ON)
        code = read_tensor(f, call);
    if (code == GO_ON)
        code = read_names(f, call);
    if (code == GO_ON)
        code = read_fixed(f, call);
    return code == GO_ON ? read_start(f, call) : code;
}

/* A range that was cut short has compared some of its ranks only, however well the best one ended. */
static int tell_stop(const factoring *f, const cli_call *call)
{
    size_t n = f->sweep.count;
    scant_stop stop = scant_factors_summary(f->factors)->stop,
               last = n ? f->sweep.summary[n - 1].stop : stop;
    bool cut = n && (last == SCANT_STOP_TIME || last == SCANT_STOP_INTERRUPTED);
    if (cut)
        cli_say(call, "ranks were cut short at %zu (stop: %s)", f->sweep.summary[n - 1].rank,
                scant_stop_name(last));
    if (stop != SCANT_STOP_CONVERGED)
        cli_say(call, "the fit did not converge (stop: %s)", scant_stop_name(stop));
    return cli_stop_code(cut ? last : stop);
}

static int run(factoring *f, const cli_call *call)
{
    int code = read_all(f, call);
    if (code != GO_ON)
        return code;
    bool sweep = strchr(f->options.rank, ':') != NULL;
    if (!cli_call_given(call, "seed"))
        cli_say(call, "seed %llu (the default)", (unsigned long long)f->options.seed);
    cli_bar_begin(&f->bar, call);
    f->options.progress = cli_bar_progress;
    f->options.payload = &f->bar;
    scant_status status = sweep ? scant_factor_sweep(&f->sweep, &f->factors, f->tensor, &f->options)
                                : scant_factor(&f->factors, f->tensor, &f->options);
    cli_bar_end(&f->bar);
    if (status != SCANT_OK)
        return cli_failed(call, status);
    int written = f->own.output ? write_factors(f, call) : EXIT_OK;
    code = EXIT_OK;
    if (call->json)
        code = cli_json_print(call, to_json(f, written == EXIT_OK ? f->own.output : NULL));
    else
        print_summary(f);
    code = written == EXIT_OK ? code : written;
    return code == EXIT_OK ? tell_stop(f, call) : code;
}

int cli_factor(int argc, char **argv)
{
    cli_call call;
    factoring f = {.options.size = sizeof f.options};
    size_t count;
    const scant_option *options = scant_factor_option_table(&count);
    cli_call_begin(&call, argv[0]);
    cli_call_add(&call, "Result", table, sizeof table / sizeof *table, &f.own);
    cli_call_add(&call, "The factorization", options, count, &f.options);
    int code = cli_call_parse(&call, &manual, argc, argv);
    if (code == GO_ON)
        code = run(&f, &call);
    free_all(&f);
    cli_call_end(&call);
    return code;
}
