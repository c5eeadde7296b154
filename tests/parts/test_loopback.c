/* Rows dealt out to parts whose answers come late, twice and in random order: the same model file as
 * one part, byte for byte; likewise audits. Threads likewise. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <scant/scant.h>
#include "base/random.h"
#include "check.h"
#include "data/votes.h"
#include "model/model.h"
#include "parts/loopback.h"
#include "votes_cases.h"

/* Tiles of 512 complete rows or 1024 others: the last one has a single row. */
enum { ROWS = 2049, D = 3, CLASSES = 3, SEEDS = 20, TURNS = 5, PARTS_MOST = 8 };

typedef enum kind { REALS, POSITIVE, COUNTS, SPARSE, BITS, LEVELS } kind;
typedef enum evidence { NONE, LABELS, SETS, DEGREES } evidence;

typedef struct scenario {
    const char *name, *family, *covariance;
    kind kind;
    evidence evidence;
    bool missing, weighted, sorted, errors;
    const char *components, *init, *noise, *unlabeled, *sharing, *target, *mode;
    bool from_model;
} scenario;

static const scenario scenarios[] = {
    {"full", "gaussian", "full", REALS, NONE, .components = "3"},
    {"full, start 1, missing, weights", "gaussian", "full", REALS, LABELS, .missing = true,
     .weighted = true, .components = "2/class", .errors = true},
    {"diag, sorted, missing", "gaussian", "diag", REALS, LABELS, .missing = true, .sorted = true,
     .components = "2/class", .init = "random"},
    {"tied, sets", "gaussian", "tied", REALS, SETS, .components = "1/class", .weighted = true},
    {"spherical, probabilities", "gaussian", "spherical", REALS, DEGREES, .components = "2/class",
     .init = "labels", .sorted = true},
    {"probabilities as posterior", "gaussian", "diag", REALS, DEGREES, .components = "2/class",
     .mode = "posterior", .errors = true},
    {"noise", "gaussian", "diag", REALS, LABELS, .components = "1/class", .noise = "estimate"},
    {"own class", "gaussian", "full", REALS, LABELS, .components = "4", .unlabeled = "own-class",
     .sharing = "common", .sorted = true},
    {"dropped labels", "gaussian", "diag", REALS, LABELS, .components = "4",
     .unlabeled = "ignore-labels", .sharing = "common"},
    {"learned sharing", "gaussian", "diag", REALS, LABELS, .components = "4", .sharing = "auto"},
    {"from a model", "gaussian", "diag", REALS, LABELS, .components = "2/class", .from_model = true,
     .errors = true},
    {"exponential", "exponential", NULL, POSITIVE, LABELS, .components = "1/class",
     .missing = true},
    {"gamma", "gamma", NULL, POSITIVE, NONE, .components = "2", .weighted = true},
    {"maxwell", "maxwell", NULL, POSITIVE, LABELS, .components = "1/class", .sorted = true},
    {"poisson", "poisson", NULL, COUNTS, SETS, .components = "1/class", .errors = true},
    {"multinomial", "multinomial", NULL, SPARSE, LABELS, .components = "2/class", .weighted = true},
    {"bernoulli", "bernoulli", NULL, BITS, LABELS, .components = "2/class", .missing = true},
    {"categorical, a level in one part", "categorical", NULL, LEVELS, LABELS,
     .components = "1/class", .sorted = true, .missing = true},
    {"regression", "regression", NULL, REALS, NONE, .components = "2", .target = "c"},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

/* --- rows --- */

static double cell(const scenario *s, size_t group, size_t c, scant_i_random *random)
{
    double centre = group == c ? 2.5 : 0.5;
    switch (s->kind) {
    case POSITIVE: return (0.2 + centre) * scant_i_random_gamma(random, 2);
    case COUNTS:
    case SPARSE: return floor(centre * scant_i_random_gamma(random, 2));
    case BITS: return scant_i_random_uniform(random) < centre / 3;
    case LEVELS: return (double)((group + (scant_i_random_uniform(random) < 0.3)) % CLASSES);
    default: return centre + scant_i_random_normal(random);
    }
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

static scant_rows *sparse_of(const double *x)
{
    scant_rows *rows = NULL;
    size_t start[ROWS + 1] = {0}, n = 0;
    int32_t *column = calloc(ROWS * D, sizeof *column);
    double *value = calloc(ROWS * D, sizeof *value);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t c = 0; c < D; c++)
            if (x[i * D + c] > 0) {
                column[n] = (int32_t)c;
                value[n++] = x[i * D + c];
            }
        start[i + 1] = n;
    }
    assert_ok(scant_rows_new_sparse(&rows, ROWS, D, start, column, value));
    free(column);
    free(value);
    return rows;
}

/* Sorted: groups one after the other, and cells are missing in the last third alone. */
static scant_rows *make_rows(const scenario *s)
{
    static const char *const names[D] = {"a", "b", "c"}, *const levels[] = {"l", "m", "n"};
    scant_rows *rows = NULL;
    scant_i_random random = scant_i_random_new(11, (uint64_t)s->kind);
    double *x = calloc(ROWS * D, sizeof *x), *w = calloc(ROWS, sizeof *w);
    const char **cells = calloc(ROWS, sizeof *cells);
    for (size_t i = 0; i < ROWS; i++) {
        size_t group = s->sorted ? i * CLASSES / ROWS : scant_i_random_below(&random, CLASSES);
        for (size_t c = 0; c < D; c++) {
            x[i * D + c] = cell(s, group, c, &random);
            bool may = s->missing && (!s->sorted || i > 2 * ROWS / 3);
            if (may && scant_i_random_uniform(&random) < 0.2)
                x[i * D + c] = NAN;
        }
        w[i] = floor(4 * scant_i_random_uniform(&random)) / 2;
        cells[i] = label(s->evidence, group, &random);
    }
    if (s->kind == SPARSE)
        rows = sparse_of(x);
    else
        assert_ok(scant_rows_new(&rows, ROWS, D, x, names));
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
    options.run.init = s->init ? s->init : options.run.init;
    options.evidence.label_noise = s->noise;
    options.evidence.unlabeled = s->unlabeled ? s->unlabeled : options.evidence.unlabeled;
    options.model.sharing = s->sharing ? s->sharing : options.model.sharing;
    options.evidence.context_mode = s->mode ? s->mode : options.evidence.context_mode;
    options.model.target = s->target;
    options.run.start = start;
    options.run.starts = start ? 0 : 4; /* one of each recipe */
    options.run.max_iter = 2;
    options.run.tol = 0;
    options.run.threads = threads;
    assert_ok(scant_fit(&model, rows, &options));
    if (s->errors) { /* or why there are none: the model says so in the same words */
        scant_status status = scant_model_inform(model, rows, threads);
        if (status != SCANT_OK && status != SCANT_ERR_UNIDENTIFIED)
            fail_msg("%s: %s", s->name, scant_message());
    }
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

/* Cuts anywhere: through tiles, and now and then two at one place, which leaves a part empty. */
static void draw_cuts(double *cut, size_t nparts, scant_i_random *random)
{
    for (size_t p = 0; p + 1 < nparts; p++)
        cut[p] = scant_i_random_uniform(random);
    for (size_t i = 1; i + 1 < nparts; i++)
        for (size_t j = i; j > 0 && cut[j] < cut[j - 1]; j--) {
            double kept = cut[j];
            cut[j] = cut[j - 1];
            cut[j - 1] = kept;
        }
    if (nparts > 2 && scant_i_random_uniform(random) < 0.5)
        cut[1] = cut[0];
}

static void parts_make_the_same_model(void **state)
{
    (void)state;
    static const size_t parts[] = {1, 2, 3, 8}, threads[] = {1, 2, 7};
    for (size_t k = 0; k < SCENARIOS; k++) {
        const scenario *s = &scenarios[k];
        scant_rows *rows = make_rows(s);
        scant_model *start = start_of(s, rows);
        char *one = fit(s, rows, start, 1);
        for (uint64_t turn = 0; turn < TURNS; turn++) {
            uint64_t seed = (TURNS * k + turn) % SEEDS;
            scant_i_random random = scant_i_random_new(seed, k);
            scant_i_loopback loopback;
            double cut[PARTS_MOST];
            size_t nparts = parts[turn % 4];
            draw_cuts(cut, nparts, &random);
            scant_i_loopback_open(&loopback, nparts, cut, seed);
            rows->carrier = &loopback.carrier;
            char *many = fit(s, rows, start, threads[turn % 3]);
            rows->carrier = NULL;
            scant_i_loopback_close(&loopback);
            if (strcmp(one, many) != 0)
                fail_msg("%s: seed %d, %zu parts: another model", s->name, (int)seed, nparts);
            free(many);
        }
        for (size_t t = 1; t < 3; t++) {
            char *again = fit(s, rows, start, threads[t]);
            if (strcmp(one, again) != 0)
                fail_msg("%s: %zu threads: another model", s->name, threads[t]);
            free(again);
        }
        free(one);
        scant_model_free(start);
        scant_rows_free(rows);
    }
}

/* --- audits --- */

static void same_estimate(const scant_estimate *a, const scant_estimate *b)
{
    assert_memory_equal(a, b, sizeof *a);
}

static void parts_make_the_same_audit(void **state)
{
    (void)state;
    static const double prior[] = {0.6, 0.4};
    static const char *const models[] = {"symmetric", "confusion"};
    const votes_plan plan = {ROWS, 5, 2, prior, 0.7, 0.04, 0, 0.1, 0, 3};
    scant_votes *votes = votes_draw(&plan);
    for (size_t k = 0; k < 2; k++) {
        scant_audit_options options = votes_options(models[k], NULL);
        scant_audit *one = NULL, *many = NULL;
        assert_ok(scant_audit_votes(&one, votes, &options));
        for (uint64_t seed = 0; seed < 6; seed++) {
            scant_i_random random = scant_i_random_new(seed, 100);
            scant_i_loopback loopback;
            double cut[PARTS_MOST];
            draw_cuts(cut, 3, &random);
            scant_i_loopback_open(&loopback, 3, cut, seed);
            votes->rows->carrier = &loopback.carrier;
            options.threads = 1 + seed % 3;
            assert_ok(scant_audit_votes(&many, votes, &options));
            votes->rows->carrier = NULL;
            scant_i_loopback_close(&loopback);
            for (size_t j = 0; j < 2; j++)
                same_estimate(&scant_audit_summarise(one)->prior[j],
                              &scant_audit_summarise(many)->prior[j]);
            assert_memory_equal(&scant_audit_summarise(one)->loglik,
                                &scant_audit_summarise(many)->loglik, sizeof(double));
            scant_audit_free(many);
        }
        scant_audit_free(one);
    }
    scant_votes_free(votes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_make_the_same_model),
        cmocka_unit_test(parts_make_the_same_audit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
