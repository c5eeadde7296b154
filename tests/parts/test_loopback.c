/* Rows dealt out to parts whose answers come late, twice and in random order: the same model file as
 * one part, byte for byte, for any number of threads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <scant/scant.h>
#include "base/random.h"
#include "check.h"
#include "dealing.h"
#include "model/model.h"
#include "parts/tiles.h"
#include "user_families.h"

/* Nine tiles of 32 rows, the last one of a single row. Scenarios with rows of their own have tiles as they
 * are chosen; of more than 20 000 rows starts take a sample. */
enum { LOG2 = 5, ROWS = 8 * 32 + 1, CHOSEN = 8 * 512 + 1, SAMPLED = 20501, D = 3, CLASSES = 3 };
/* Of rows that are sorted, those of the middle group are all in one tile, so that a class, a level and a
 * pattern of missing cells of theirs are in one part alone, however rows are dealt out. */
enum { MIDDLE = 4 * 32 + 3, MIDDLE_END = 4 * 32 + 29 };

typedef enum kind { REALS, POSITIVE, COUNTS, BITS, LEVELS } kind;
typedef enum evidence { NONE, LABELS, SETS, DEGREES } evidence;

typedef struct scenario {
    const char *name, *family, *covariance;
    kind kind;
    evidence evidence;
    bool sparse, missing, weighted, sorted;
    const char *components, *init, *noise, *unlabeled, *sharing, *target, *mode, *accelerate,
        *prior;
    double unlabeled_weight; /* 0: 1 */
    bool from_model, fixed, anneal;
    size_t rows; /* 0: ROWS */
} scenario;

static const scenario scenarios[] = {
    /* evidence */
    {"nothing known", "gaussian", "full", REALS, NONE, .components = "3"},
    {"labels, missing, weights", "gaussian", "full", REALS, LABELS, .missing = true,
     .weighted = true, .components = "2/class"},
    {"sorted: class and pattern in one part", "gaussian", "diag", REALS, LABELS, .missing = true,
     .sorted = true, .components = "2/class", .init = "random"},
    {"sets", "gaussian", "tied", REALS, SETS, .components = "1/class", .weighted = true},
    {"probabilities", "gaussian", "spherical", REALS, DEGREES, .components = "2/class",
     .init = "labels", .sorted = true},
    {"probabilities as prior", "gaussian", "diag", REALS, DEGREES, .components = "2/class",
     .mode = "prior"},
    {"probabilities as posterior", "gaussian", "diag", REALS, DEGREES, .components = "2/class",
     .mode = "posterior"},
    {"estimated noise", "gaussian", "diag", REALS, LABELS, .components = "1/class",
     .noise = "estimate", .sorted = true},
    {"given noise, sets", "gaussian", "full", REALS, SETS, .components = "2/class", .noise = "0.1"},
    {"given proportions", "gaussian", "diag", REALS, LABELS, .components = "2/class",
     .prior = "x=0.5,y=0.3,z=0.2"},
    {"unlabeled count for less", "gaussian", "diag", REALS, LABELS, .components = "2/class",
     .weighted = true, .unlabeled_weight = 0.25},
    {"own class", "gaussian", "full", REALS, LABELS, .components = "4", .unlabeled = "em3",
     .sharing = "common", .sorted = true},
    {"components by classes", "gaussian", "diag", REALS, LABELS, .components = "4",
     .unlabeled = "em1", .sharing = "common"},
    {"dropped labels", "gaussian", "diag", REALS, LABELS, .components = "4", .unlabeled = "em0",
     .sharing = "common"},
    {"sharing by lambda", "gaussian", "tied-diag", REALS, LABELS, .components = "1/class",
     .sharing = "lambda=0.2"},
    {"learned sharing", "gaussian", "diag", REALS, LABELS, .components = "4", .sharing = "auto"},
    /* starts */
    {"from a model", "gaussian", "diag", REALS, LABELS, .components = "2/class",
     .from_model = true},
    {"fixed covariances", "gaussian", "full", REALS, LABELS, .components = "2/class",
     .from_model = true, .fixed = true},
    {"SQUAREM, annealing", "gaussian", "full", REALS, LABELS, .components = "2/class",
     .accelerate = "squarem", .anneal = true, .init = "random", .weighted = true},
    {"a sample for a start", "gaussian", "diag", REALS, LABELS, .components = "2/class",
     .weighted = true, .rows = SAMPLED},
    /* families */
    {"bernoulli", "bernoulli", NULL, BITS, LABELS, .components = "2/class", .missing = true},
    {"bernoulli, sparse", "bernoulli", NULL, BITS, LABELS, .sparse = true, .components = "2/class",
     .sorted = true},
    {"categorical: level in one part", "categorical", NULL, LEVELS, LABELS, .components = "1/class",
     .sorted = true, .missing = true},
    {"exponential", "exponential", NULL, POSITIVE, LABELS, .components = "1/class",
     .missing = true},
    {"exponential, sparse", "exponential", NULL, POSITIVE, SETS, .sparse = true,
     .components = "1/class", .weighted = true},
    {"gamma", "gamma", NULL, POSITIVE, NONE, .components = "2", .weighted = true},
    {"maxwell", "maxwell", NULL, POSITIVE, LABELS, .components = "1/class", .sorted = true},
    {"multinomial", "multinomial", NULL, COUNTS, DEGREES, .components = "2/class"},
    {"multinomial, sparse", "multinomial", NULL, COUNTS, LABELS, .sparse = true,
     .components = "2/class", .weighted = true},
    {"poisson", "poisson", NULL, COUNTS, SETS, .components = "1/class", .missing = true},
    {"poisson, sparse", "poisson", NULL, COUNTS, LABELS, .sparse = true, .components = "2/class",
     .sorted = true},
    {"regression", "regression", NULL, REALS, NONE, .components = "2", .target = "c",
     .weighted = true},
    {"a program's own", "waiting", NULL, POSITIVE, LABELS, .components = "1/class",
     .missing = true},
    {"a program's own, sorted", "pair", NULL, REALS, LABELS, .components = "1/class",
     .sorted = true},
    /* tiles as they are chosen */
    {"full, chosen tiles", "gaussian", "full", REALS, LABELS, .components = "2/class",
     .rows = CHOSEN},
    {"missing, chosen tiles", "gaussian", "full", REALS, LABELS, .components = "2/class",
     .missing = true, .rows = CHOSEN},
    {"sparse, chosen tiles", "multinomial", NULL, COUNTS, LABELS, .sparse = true,
     .components = "2/class", .rows = CHOSEN},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

/* --- rows --- */

static size_t size_of(const scenario *s)
{
    return s->rows ? s->rows : ROWS;
}

static double cell(const scenario *s, size_t group, size_t c, scant_i_random *random)
{
    double centre = group == c ? 2.5 : 0.5;
    switch (s->kind) {
    case POSITIVE: return (0.2 + centre) * scant_i_random_gamma(random, 2);
    case COUNTS: return floor(centre * scant_i_random_gamma(random, 2));
    case BITS: return scant_i_random_uniform(random) < centre / 3;
    case LEVELS: return (double)group;
    default: return centre + scant_i_random_normal(random);
    }
}

/* A cell that tells levels of the other groups apart would do so of the middle one, too. */
static size_t group_of(const scenario *s, size_t i, scant_i_random *random)
{
    if (!s->sorted)
        return scant_i_random_below(random, CLASSES);
    return i < MIDDLE ? 0 : i < MIDDLE_END ? 1 : 2;
}

static bool is_missing(const scenario *s, size_t group, size_t c, scant_i_random *random)
{
    if (!s->missing)
        return false;
    return s->sorted ? group == 1 && c == 1 : scant_i_random_uniform(random) < 0.2;
}

static const char *label(evidence known, size_t group, scant_i_random *random)
{
    static const char *const exact[] = {"x", "y", "z"}, *const set[] = {"x|y", "y|z", "x|z"};
    static const char *const degrees[] = {"x:0.6;y:0.3;z:0.1", "x:0.2;y:0.7;z:0.1",
                                          "x:0.25;y:0.25;z:0.5"};
    double u = scant_i_random_uniform(random);
    if (known == NONE || u < 0.6)
        return "";
    return known == LABELS || u < 0.7 ? exact[group] : known == SETS ? set[group] : degrees[group];
}

static scant_rows *sparse_of(const double *x, size_t nrows)
{
    scant_rows *rows = NULL;
    size_t *start = calloc(nrows + 1, sizeof *start), n = 0;
    int32_t *column = calloc(nrows * D, sizeof *column);
    double *value = calloc(nrows * D, sizeof *value);
    for (size_t i = 0; i < nrows; i++) {
        for (size_t c = 0; c < D; c++)
            if (x[i * D + c] > 0 && (i + c) % 4) {
                column[n] = (int32_t)c;
                value[n++] = x[i * D + c];
            }
        start[i + 1] = n;
    }
    assert_ok(scant_rows_new_sparse(&rows, nrows, D, start, column, value));
    free(start);
    free(column);
    free(value);
    return rows;
}

static scant_rows *make_rows(const scenario *s)
{
    static const char *const names[D] = {"a", "b", "c"}, *const levels[] = {"l", "m", "n"};
    scant_rows *rows = NULL;
    scant_i_random random = scant_i_random_new(11, (uint64_t)s->kind);
    size_t n = size_of(s);
    double *x = calloc(n * D, sizeof *x), *w = calloc(n, sizeof *w);
    const char **cells = calloc(n, sizeof *cells);
    for (size_t i = 0; i < n; i++) {
        size_t group = group_of(s, i, &random);
        for (size_t c = 0; c < D; c++) {
            x[i * D + c] = cell(s, group, c, &random);
            if (s->kind == LEVELS && c > 0) /* the first column alone tells groups for sure */
                x[i * D + c] = (double)scant_i_random_below(&random, CLASSES);
            if (is_missing(s, group, c, &random))
                x[i * D + c] = NAN;
        }
        w[i] = floor(4 * scant_i_random_uniform(&random)) / 2;
        cells[i] = label(s->evidence, group, &random);
    }
    if (s->sparse)
        rows = sparse_of(x, n);
    else
        assert_ok(scant_rows_new(&rows, n, D, x, names));
    for (size_t c = 0; c < D && s->kind == LEVELS; c++)
        assert_ok(scant_rows_set_levels(rows, c, levels, CLASSES));
    if (s->evidence != NONE)
        assert_ok(scant_rows_set_labels(rows, cells, NULL, 0, NULL));
    if (s->weighted)
        assert_ok(scant_rows_set_weights(rows, w));
    free(x);
    free(w);
    free(cells);
    return rows;
}

/* --- fits --- */

/* The model's file, but for how long it took. */
static char *file_of(scant_model *model)
{
    char path[] = "/tmp/scant-loopback-XXXXXX";
    int handle = mkstemp(path);
    assert_true(handle >= 0);
    (void)close(handle);
    model->summary.seconds = 0;
    assert_ok(scant_model_write(model, path));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1 << 20, 1);
    assert_non_null(text);
    size_t n = fread(text, 1, (1 << 20) - 1, file);
    assert_true(n > 100 && n < (1 << 20) - 1);
    (void)fclose(file);
    (void)remove(path);
    return text;
}

static char *fit(const scenario *s, scant_rows *rows, const scant_model *start, size_t threads)
{
    scant_fit_options options;
    scant_model *model = NULL;
    scant_fit_options_preset(&options);
    options.model.components = start ? NULL : s->components;
    const char *family[] = {s->family};
    options.model.families = (scant_texts){family, 1};
    options.model.covariance = s->covariance ? s->covariance : options.model.covariance;
    options.model.fixed = s->fixed ? "covariances" : options.model.fixed;
    options.run.init = s->init ? s->init : options.run.init;
    options.run.accelerate = s->accelerate ? s->accelerate : options.run.accelerate;
    options.run.anneal = s->anneal;
    options.evidence.label_noise = s->noise;
    options.model.prior = s->prior;
    options.evidence.unlabeled = s->unlabeled ? s->unlabeled : options.evidence.unlabeled;
    options.evidence.unlabeled_weight = s->unlabeled_weight > 0 ? s->unlabeled_weight : 1;
    options.model.sharing = s->sharing ? s->sharing : options.model.sharing;
    options.evidence.context_mode = s->mode ? s->mode : options.evidence.context_mode;
    options.model.target = s->target;
    options.run.start = start;
    options.run.starts = start ? 0 : s->rows == SAMPLED ? 1 : 4; /* one of each recipe */
    options.run.max_iter = s->accelerate ? 4 : 2;
    options.run.tol = 0;
    options.run.threads = threads;
    if (scant_fit(&model, rows, &options) != SCANT_OK)
        fail_msg("%s: %s", s->name, scant_message());
    /* standard errors, or why there are none: the model says so in the same words */
    scant_status status = s->rows ? SCANT_OK : scant_model_inform(model, rows, threads);
    if (status != SCANT_OK && status != SCANT_ERR_UNIDENTIFIED && status != SCANT_ERR_ARGUMENT)
        fail_msg("%s: %s", s->name, scant_message());
    char *text = file_of(model);
    scant_model_free(model);
    return text;
}

static scant_model *start_of(const scenario *s, const scant_rows *rows)
{
    scant_fit_options options;
    scant_model *model = NULL;
    if (!s->from_model)
        return NULL;
    scant_fit_options_preset(&options);
    options.model.components = s->components;
    options.model.covariance = s->covariance;
    options.run.starts = 1;
    options.run.max_iter = 2;
    assert_ok(scant_fit(&model, rows, &options));
    return model;
}

static void try_scenario(const scenario *s)
{
    scant_rows *rows = make_rows(s);
    scant_i_tiles_use(s->rows ? 0 : LOG2);
    scant_model *start = start_of(s, rows);
    char *one = fit(s, rows, start, 1);
    for (uint64_t seed = 0; seed < DEALINGS; seed += s->rows ? 7 : 1) {
        dealing d;
        dealing_open(&d, seed);
        rows->carrier = &d.loopback.carrier;
        char *many = fit(s, rows, start, d.threads);
        rows->carrier = NULL;
        if (strcmp(one, many) != 0)
            fail_msg("%s: seed %d, %zu parts, %zu threads: another model", s->name, (int)seed,
                     d.nparts, d.threads);
        dealing_close(&d);
        free(many);
    }
    for (size_t threads = 2; threads <= 7; threads += 5) {
        char *again = fit(s, rows, start, threads);
        if (strcmp(one, again) != 0)
            fail_msg("%s: %zu threads: another model", s->name, threads);
        free(again);
    }
    scant_i_tiles_use(0);
    free(one);
    scant_model_free(start);
    scant_rows_free(rows);
}

static void parts_and_threads_make_the_same_model(void **state)
{
    (void)state;
    for (size_t k = 0; k < SCENARIOS; k++)
        try_scenario(&scenarios[k]);
}

/* Of several cells that are in no domain the first is named, whichever parts they are in. */
static void parts_find_the_same_fault(void **state)
{
    (void)state;
    static const scenario cells = {"bad cells", "poisson", NULL,
                                   COUNTS,      LABELS,    .components = "1/class"};
    scant_rows *rows = make_rows(&cells);
    scant_fit_options options;
    scant_model *model = NULL;
    char said[1024];
    rows->dense[100 * D + 1] = rows->dense[250 * D] = -1;
    scant_fit_options_preset(&options);
    options.model.components = "1/class";
    const char *family[] = {cells.family};
    options.model.families = (scant_texts){family, 1};
    scant_i_tiles_use(LOG2);
    assert_int_equal(scant_fit(&model, rows, &options), SCANT_ERR_INPUT);
    (void)snprintf(said, sizeof said, "%s", scant_message());
    assert_non_null(strstr(said, "101"));
    for (uint64_t seed = 0; seed < DEALINGS; seed++) {
        dealing d;
        dealing_open(&d, seed);
        rows->carrier = &d.loopback.carrier;
        options.run.threads = d.threads;
        assert_int_equal(scant_fit(&model, rows, &options), SCANT_ERR_INPUT);
        assert_string_equal(scant_message(), said);
        rows->carrier = NULL;
        dealing_close(&d);
    }
    scant_i_tiles_use(0);
    scant_rows_free(rows);
}

static int register_families(void **state)
{
    (void)state;
    return scant_family_register(&waiting) != SCANT_OK || scant_family_register(&pair) != SCANT_OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_and_threads_make_the_same_model),
        cmocka_unit_test(parts_find_the_same_fault),
    };
    return cmocka_run_group_tests(tests, register_families, NULL);
}
