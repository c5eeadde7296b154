/* Do intervals hold the truth as often as they say?
 *
 *     coverage TRUTH.json COMPONENTS none|likelihood|prior LABELLED RIGHT ROWS FITS STARTS SEED THREADS
 *
 * draws ROWS rows from a model FITS times, shows what the evidence tells of their classes, fits,
 * and counts for each parameter of the truth the intervals of 1.96 standard errors that hold it. A
 * fit that fails, or has no standard errors, is a miss for every parameter. Writes a line a
 * parameter, as CSV.
 *
 * Evidence: the first LABELLED of the rows have their labels. The others have none, or a context c
 * that names a class: the right one with probability RIGHT, any other with equal chances. So
 *     likelihood  p_k = P(c | k)                    weighs the proportions (WCA)
 *     prior       p_k = P(k | c) ~ P_k P(c | k)     stands in their place (CA)
 * are two true accounts of one draw: the likelihood that is maximised is the one rows come from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scant/scant.h>
#include "draws.h"

enum { PARAMETERS_MAX = 64, COMPONENTS_MAX = 8, CLASSES_MAX = 4, CELL_ROOM = 128, NAME_ROOM = 80 };
static const double QUANTILE = 1.959963984540054; /* of a normal law, 97.5 % */
static const double FAR = 6; /* standard errors: not chance, the fit is another maximum */

typedef enum evidence { NONE, WEIGH, REPLACE } evidence;
static const char *const evidence_names[] = {"none", "likelihood", "prior"};

typedef struct design {
    const scant_model *truth;
    const char *components;
    evidence evidence;
    size_t nlabelled, nrows, nfits;
    size_t nstarts; /* 0: the library's choice */
    double right;
    uint64_t seed;
    char cell[CLASSES_MAX][CELL_ROOM]; /* of each context */
} design;

/* Numbers of a model, in the order of the truth's. */
typedef struct told {
    size_t n;
    double value[PARAMETERS_MAX];
    double error[PARAMETERS_MAX]; /* NaN: not estimated */
    char (*name)[NAME_ROOM];      /* NULL: not wanted */
} told;

typedef struct outcome {
    bool fitted, sure, finished; /* there is a model; it has standard errors; it converged */
    told told;                   /* of a sure one */
} outcome;

/* --- numbers of a model --- */

/* Classes of the truth; a plain mixture has one column of weights. */
static size_t columns_of(const scant_model *m)
{
    return scant_model_classes(m) ? scant_model_classes(m) : 1;
}

static double proportion(const scant_model *m, size_t k)
{
    double sum = 0;
    for (size_t j = 0; j < scant_model_components(m); j++)
        sum += scant_model_coupling(m, j, k);
    return sum;
}

/* All rows bring their proportions: what is left of the coupling is each class's own shares. */
static bool is_brought(const design *d)
{
    return d->evidence == REPLACE && d->nlabelled == 0;
}

static size_t size_of(const scant_parameter_view *view)
{
    size_t size = 1;
    for (size_t i = view->tied ? 0 : 1; i < view->ndim; i++)
        size *= view->dim[i];
    return size;
}

/* Entry t of a covariance that its mirror image has told. */
static bool is_mirrored(const scant_parameter_view *view, size_t t)
{
    size_t first = view->tied ? 0 : 1, d = view->dim[view->ndim - 1];
    return view->ndim == first + 2 && t % d < t / d;
}

static void add(told *out, const char *name, size_t j, size_t t, double value, double error)
{
    if (out->name)
        (void)snprintf(out->name[out->n], NAME_ROOM, "%s %zu.%zu", name, j + 1, t + 1);
    out->value[out->n] = value;
    out->error[out->n++] = error > 0 ? error : NAN;
}

/* `order[j]` is the model's component for the truth's j. */
static void tell(told *out, const design *d, const scant_model *m, const size_t *order)
{
    size_t M = scant_model_components(d->truth);
    scant_parameter_view view;
    out->n = 0;
    for (size_t j = 0; j < M; j++)
        for (size_t k = 0; k < columns_of(d->truth); k++) {
            double whole = is_brought(d) ? proportion(m, k) : 1;
            if (scant_model_coupling(d->truth, j, k) > 0)
                add(out, is_brought(d) ? "share in class" : "proportion", j, k,
                    scant_model_coupling(m, order[j], k) / whole,
                    scant_model_coupling_error(m, order[j], k) / whole);
        }
    for (size_t f = 0; f < scant_model_factors(m); f++)
        for (size_t i = 0; scant_model_parameter(m, f, i, &view); i++) {
            const double *errors = scant_model_parameter_errors(m, f, i);
            size_t size = size_of(&view);
            for (size_t j = 0; j < (view.tied ? 1 : M); j++)
                for (size_t t = 0; t < size; t++)
                    if (!is_mirrored(&view, t)) {
                        size_t at = (view.tied ? 0 : order[j]) * size + t;
                        add(out, view.name, j, t, view.value[at], errors ? errors[at] : NAN);
                    }
        }
}

/* --- components have no names of their own --- */

/* A component with a class is one of that class, wherever it lies. */
static bool may_be(const design *d, const scant_model *m, size_t j, size_t l)
{
    for (size_t k = 0; k < columns_of(m); k++)
        if ((scant_model_coupling(d->truth, j, k) > 0) != (scant_model_coupling(m, l, k) > 0))
            return false;
    return true;
}

/* both[j][l]: the rows that fall to component j of the truth and to l of the model */
static scant_status overlap(double (*both)[COMPONENTS_MAX], const design *d, const scant_model *m,
                            const scant_rows *rows)
{
    size_t M = scant_model_components(m);
    const scant_predict_options options = {.size = sizeof options, .threads = 1};
    double *r = calloc(2 * d->nrows * M, sizeof *r), *of_truth = r, *of_model = r + d->nrows * M;
    scant_status status = r ? SCANT_OK : SCANT_ERR_MEMORY;
    if (status == SCANT_OK)
        status = scant_model_predict(d->truth, rows, &options, NULL, of_truth, NULL, NULL);
    if (status == SCANT_OK)
        status = scant_model_predict(m, rows, &options, NULL, of_model, NULL, NULL);
    for (size_t i = 0; status == SCANT_OK && i < d->nrows; i++)
        for (size_t j = 0; j < M; j++)
            for (size_t l = 0; l < M; l++)
                both[j][l] += of_truth[i * M + j] * of_model[i * M + l];
    free(r);
    return status;
}

/* The one of those left that has most rows in common. Components are far apart, so that the order
 * of choice does not matter but where the fit is another maximum. */
static scant_status match(size_t *order, const design *d, const scant_model *m,
                          const scant_rows *rows)
{
    bool taken[COMPONENTS_MAX] = {0};
    double both[COMPONENTS_MAX][COMPONENTS_MAX] = {{0}};
    size_t M = scant_model_components(m);
    scant_status status = overlap(both, d, m, rows);
    for (size_t j = 0; j < M; j++) {
        double most = -1;
        for (size_t l = 0; l < M; l++)
            if (!taken[l] && may_be(d, m, j, l) && both[j][l] > most) {
                most = both[j][l];
                order[j] = l;
            }
        taken[order[j]] = true;
    }
    return status;
}

/* --- rows and what is known of them --- */

static void write_cells(design *d)
{
    size_t K = scant_model_classes(d->truth);
    for (size_t c = 0; c < K; c++) {
        double p[CLASSES_MAX], sum = 0;
        for (size_t k = 0; k < K; k++) {
            p[k] = k == c ? d->right : (1 - d->right) / (double)(K - 1);
            sum += p[k] *= d->evidence == REPLACE ? proportion(d->truth, k) : 1;
        }
        size_t at = 0;
        for (size_t k = 0; k < K; k++)
            at += (size_t)snprintf(d->cell[c] + at, CELL_ROOM - at, "%s%s:%.17g", k ? ";" : "",
                                   scant_model_class_name(d->truth, k), p[k] / sum);
    }
}

static scant_status show(scant_rows *rows, const design *d, uint64_t fit)
{
    size_t K = scant_model_classes(d->truth);
    const char *classes[CLASSES_MAX], **cells = calloc(d->nrows, sizeof *cells);
    draws random = draws_new(d->seed, d->evidence, d->nlabelled, fit);
    if (!cells)
        return SCANT_ERR_MEMORY;
    for (size_t k = 0; k < K; k++)
        classes[k] = scant_model_class_name(d->truth, k);
    for (size_t i = 0; i < d->nrows; i++) {
        size_t label = (size_t)scant_rows_label(rows, i), context = label;
        if (draw_between(&random, 0, 1) > d->right)
            context = (label + 1 + draw_below(&random, K - 1)) % K;
        cells[i] = i < d->nlabelled ? classes[label] : d->evidence ? d->cell[context] : NULL;
    }
    scant_status status = scant_rows_set_labels(rows, cells, classes, K, NULL);
    free(cells);
    return status;
}

/* As a user would: one start where nothing is hidden, several elsewhere. */
static scant_status fit_rows(scant_model **out, const scant_rows *rows, const design *d)
{
    const char *family = scant_model_factor_family(d->truth, 0);
    const char *covariance = scant_model_setting(d->truth, "covariance");
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.families = (scant_texts){&family, 1};
    if (covariance)
        options.model.covariance = covariance;
    options.model.target = scant_model_setting(d->truth, "target");
    options.model.components = d->components;
    options.evidence.context_mode = d->evidence == REPLACE ? "prior" : "likelihood";
    options.run.starts = d->nstarts;
    options.run.threads = 1;
    scant_status status = scant_fit(out, rows, &options);
    return status == SCANT_OK ? scant_model_inform(*out, rows, 1) : status;
}

/* --- all fits --- */

static scant_status run_fit(outcome *out, const design *d, uint64_t number)
{
    scant_rows *rows = NULL;
    scant_model *model = NULL;
    size_t order[COMPONENTS_MAX] = {0};
    scant_status status =
        scant_model_sample(&rows, d->truth, d->nrows, d->seed * 1000000 + number, false);
    if (status == SCANT_OK && scant_model_classes(d->truth))
        status = show(rows, d, number);
    if (status == SCANT_OK) {
        out->sure = fit_rows(&model, rows, d) == SCANT_OK;
        out->fitted = model;
        out->finished = model && scant_model_summary(model)->stop == SCANT_STOP_CONVERGED;
    }
    if (status != SCANT_OK || !out->sure)
        (void)fprintf(stderr, "fit %zu: %s\n", (size_t)number, scant_message());
    if (out->sure)
        status = match(order, d, model, rows);
    if (out->sure && status == SCANT_OK)
        tell(&out->told, d, model, order);
    scant_model_free(model);
    scant_rows_free(rows);
    return status;
}

static bool run(outcome *out, const design *d, int threads)
{
    bool whole = true;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) reduction(&& : whole)
    for (size_t r = 0; r < d->nfits; r++)
        whole = run_fit(&out[r], d, r) == SCANT_OK && whole;
    return whole;
}

/* Fits in which some parameter is too far off for chance. */
static size_t count_astray(const outcome *all, size_t nfits, const told *truth)
{
    size_t sum = 0;
    for (size_t r = 0; r < nfits; r++) {
        bool astray = false;
        for (size_t a = 0; all[r].sure && a < truth->n; a++)
            astray |= fabs(all[r].told.value[a] - truth->value[a]) > FAR * all[r].told.error[a];
        sum += astray;
    }
    return sum;
}

/* Parameters that no fit estimates are none. */
static void print_parameter(const outcome *all, size_t nfits, const told *truth, size_t a)
{
    size_t n = 0, held = 0, below = 0;
    double sum = 0, square = 0, said = 0;
    for (size_t r = 0; r < nfits; r++) {
        double error = all[r].told.error[a], off = all[r].told.value[a] - truth->value[a];
        if (!all[r].sure || isnan(error))
            continue;
        n++;
        held += fabs(off) <= QUANTILE * error;
        below += off < -QUANTILE * error;
        sum += off;
        square += off * off;
        said += error;
    }
    double m = (double)n, bias = sum / m, spread = sqrt((square - sum * bias) / (m - 1));
    if (n)
        (void)printf("%s,%.17g,%zu,%zu,%zu,%.6g,%.6g,%.6g\n", truth->name[a], truth->value[a], n,
                     held, below, bias, spread, said / m);
}

static void print(const outcome *all, const design *d)
{
    static char names[PARAMETERS_MAX][NAME_ROOM];
    static const size_t own[COMPONENTS_MAX] = {0, 1, 2, 3, 4, 5, 6, 7};
    told truth = {.name = names};
    size_t failed = 0, unsure = 0, unfinished = 0;
    tell(&truth, d, d->truth, own);
    for (size_t r = 0; r < d->nfits; r++) {
        failed += !all[r].fitted;
        unsure += all[r].fitted && !all[r].sure;
        unfinished += all[r].fitted && !all[r].finished;
    }
    (void)printf("# fits %zu failed %zu unsure %zu unfinished %zu astray %zu\n", d->nfits, failed,
                 unsure, unfinished, count_astray(all, d->nfits, &truth));
    (void)printf("parameter,truth,estimated,held,below,bias,spread,stderr\n");
    for (size_t a = 0; a < truth.n; a++)
        print_parameter(all, d->nfits, &truth, a);
}

int main(int argc, char **argv)
{
    design d = {0};
    scant_model *truth = NULL;
    if (argc != 11) {
        (void)fprintf(stderr,
                      "usage: coverage TRUTH.json COMPONENTS none|likelihood|prior LABELLED "
                      "RIGHT ROWS FITS STARTS SEED THREADS\n");
        return 2;
    }
    if (scant_model_read(&truth, argv[1]) != SCANT_OK) {
        (void)fprintf(stderr, "%s\n", scant_message());
        return 1;
    }
    d.truth = truth;
    d.components = argv[2];
    for (evidence e = NONE; e <= REPLACE; e++)
        if (strcmp(argv[3], evidence_names[e]) == 0)
            d.evidence = e;
    d.right = strtod(argv[5], NULL);
    d.nrows = strtoul(argv[6], NULL, 10);
    d.nlabelled = (size_t)lround(strtod(argv[4], NULL) * (double)d.nrows);
    d.nfits = strtoul(argv[7], NULL, 10);
    d.nstarts = strtoul(argv[8], NULL, 10);
    d.seed = strtoull(argv[9], NULL, 10);
    write_cells(&d);
    outcome *all = calloc(d.nfits, sizeof *all);
    bool whole = all && run(all, &d, atoi(argv[10]));
    if (whole)
        print(all, &d);
    free(all);
    scant_model_free(truth);
    return whole ? 0 : 1;
}
