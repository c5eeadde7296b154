#define _GNU_SOURCE
#include "solve.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CELL_ROOM = 96, ITERATIONS_MAX = 300 };
static const double STEP_MAX = 1e-5; /* the paper's rule */
/* Rise of the objective per row at which the library stops. A step of length e raises it by at
 * least e^2 times half the least eigenvalue of I_c / n, here hardly below 0.02, so that this is
 * stricter than the paper's rule. */
static const double TOLERANCE = 1e-12;
static const double TIE = 1e-9; /* class probabilities closer than this are equal */

static const char *const class_names[CLASSES_MAX] = {"a", "b", "c"};

/* --- start --- */

static void write_start(FILE *out, const problem *p)
{
    const scenario *s = p->scenario;
    size_t M = s->nclasses;
    mixture start = p->start;
    (void)fprintf(out, "{\"format\": \"scant-model\", \"schema\": 3, \"method\": \"em\", "
                       "\"settings\": {}, \"columns\": [");
    for (size_t c = 0; c < s->law->ncolumns; c++)
        (void)fprintf(out, "%s{\"name\": \"x%zu\"}", c ? ", " : "", c + 1);
    (void)fprintf(out, "], \"classes\": [");
    for (size_t j = 0; j < M; j++)
        (void)fprintf(out, "%s\"%s\"", j ? ", " : "", class_names[j]);
    (void)fprintf(out, "], \"components\": %zu, \"coupling\": [", M);
    for (size_t j = 0; j < M; j++) {
        (void)fprintf(out, "%s[", j ? ", " : "");
        for (size_t k = 0; k < M; k++)
            (void)fprintf(out, "%s%.17g", k ? ", " : "", j == k ? start.share[j] : 0);
        (void)fprintf(out, "]");
    }
    (void)fprintf(out, "], \"factors\": [{\"family\": \"%s\", \"columns\": [", s->law->family);
    for (size_t c = 0; c < s->law->ncolumns; c++)
        (void)fprintf(out, "%s\"x%zu\"", c ? ", " : "", c + 1);
    (void)fprintf(out, "]");
    if (s->law->setting)
        (void)fprintf(out, ", \"%s\": \"%s\"", s->law->setting, s->law->value);
    (void)fprintf(out, ", \"parameters\": {");
    s->law->write(out, start.theta, M);
    (void)fprintf(out, "}}]}\n");
}

/* A model is made of a file; this one never leaves memory. */
static scant_status make_start(scant_model **out, const problem *p)
{
    char path[64];
    int memory = memfd_create("start", 0);
    FILE *file = memory < 0 ? NULL : fdopen(memory, "w");
    if (!file)
        return SCANT_ERR_IO;
    write_start(file, p);
    scant_status status = fflush(file) == 0 ? SCANT_OK : SCANT_ERR_IO;
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    if (status == SCANT_OK)
        status = scant_model_read(out, path);
    (void)fclose(file);
    return status;
}

/* --- the bench --- */

scant_status bench_new(bench *b, const problem *p)
{
    size_t M = p->scenario->nclasses, columns = p->scenario->law->ncolumns;
    *b = (bench){.problem = p};
    b->context = calloc(p->nrows * M, sizeof *b->context);
    b->cells = calloc(p->nrows, sizeof *b->cells);
    b->text = calloc(p->nrows, CELL_ROOM);
    b->predicted = calloc(p->nrows * M, sizeof *b->predicted);
    scant_status status =
        b->context && b->cells && b->text && b->predicted ? SCANT_OK : SCANT_ERR_MEMORY;
    if (status == SCANT_OK)
        status = scant_rows_view(&b->rows, p->nrows, columns, p->x, NULL);
    if (status == SCANT_OK)
        status = scant_rows_view(&b->test, p->nrows, columns, p->test, NULL);
    if (status == SCANT_OK)
        status = make_start(&b->start, p);
    if (status != SCANT_OK)
        bench_clear(b);
    return status;
}

void bench_clear(bench *b)
{
    scant_model_free(b->start);
    scant_rows_free(b->rows);
    scant_rows_free(b->test);
    free(b->context);
    free(b->cells);
    free(b->text);
    free(b->predicted);
    *b = (bench){0};
}

/* "a:0.7;b:0.3". Rows often have what the row before had: then its cell is theirs. */
static const char *context_cell(const bench *b, size_t row)
{
    size_t M = b->problem->scenario->nclasses;
    const double *p = b->context + row * M;
    if (row && memcmp(p, p - M, M * sizeof *p) == 0)
        return b->cells[row - 1];
    char *text = b->text + row * CELL_ROOM;
    int at = 0;
    for (size_t j = 0; j < M; j++)
        at += snprintf(text + at, CELL_ROOM - (size_t)at, "%s%s:%.17g", j ? ";" : "",
                       class_names[j], p[j]);
    return text;
}

scant_status bench_show(bench *b, algorithm how)
{
    const problem *p = b->problem;
    for (size_t i = 0; i < p->nrows; i++)
        b->cells[i] = how == US ? NULL : how == S ? class_names[p->label[i]] : context_cell(b, i);
    return scant_rows_set_labels(b->rows, b->cells, class_names, p->scenario->nclasses, NULL);
}

/* --- fitting --- */

/* Over what bench_show showed: at most `max_iter` steps, and until the objective rises by less than
 * `tol` a row. */
static scant_status fit(scant_model **out, const bench *b, algorithm how, const scant_model *start,
                        size_t max_iter, double tol)
{
    static const char *const modes[] = {[S] = "likelihood",
                                        [US] = "likelihood",
                                        [CA] = "prior",
                                        [WCA] = "likelihood",
                                        [DCA] = "posterior"};
    const scenario *s = b->problem->scenario;
    const char *family = s->law->family;
    char prior[64];
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.families = (scant_texts){&family, 1};
    if (s->law->setting && strcmp(s->law->setting, "covariance") == 0)
        options.model.covariance = s->law->value;
    else
        options.model.target = s->law->value;
    if (s->nfree < s->law->ntheta)
        options.model.fixed = "covariances";
    if (s->known_shares) {
        (void)snprintf(prior, sizeof prior, "a=%.17g,b=%.17g", b->problem->actual.share[0],
                       b->problem->actual.share[1]);
        options.model.prior = prior;
    }
    options.evidence.context_mode = modes[how];
    options.run.start = start;
    options.run.tol = tol;
    options.run.max_iter = max_iter;
    options.run.threads = 1;
    return scant_fit(out, b->rows, &options);
}

/* The mixture a fit found. */
static void read_mixture(mixture *out, const bench *b, const scant_model *model)
{
    const law *own = b->problem->scenario->law;
    const double *array[ARRAYS_MAX];
    scant_parameter_view view;
    for (size_t a = 0; a < own->narrays && scant_model_parameter(model, 0, a, &view); a++)
        array[a] = view.value;
    for (size_t j = 0; j < b->problem->scenario->nclasses; j++) {
        out->share[j] = scant_model_coupling(model, j, j);
        own->read(out->theta[j], array, j);
        if (own->deviation < THETA_MAX)
            out->theta[j][own->deviation] = sqrt(out->theta[j][own->deviation]);
    }
}

/* CA's shares are those of the favoured classes, which counts as if the labels were seen (the
 * paper's footnote 8). */
static double share_error(const bench *b, algorithm how, const scant_model *model, double share,
                          size_t j)
{
    return how == CA ? sqrt(share * (1 - share) / (double)b->problem->nrows)
                     : scant_model_coupling_error(model, j, j);
}

/* Standard errors of the mixture `at`, from a model that has them. */
static void read_errors(mixture *out, const bench *b, algorithm how, const scant_model *model,
                        const mixture *at)
{
    const law *own = b->problem->scenario->law;
    const double *array[ARRAYS_MAX];
    for (size_t a = 0; a < own->narrays; a++)
        array[a] = scant_model_parameter_errors(model, 0, a);
    for (size_t j = 0; j < b->problem->scenario->nclasses; j++) {
        out->share[j] = share_error(b, how, model, at->share[j], j);
        own->read(out->theta[j], array, j);
        if (own->deviation < THETA_MAX) /* d s = d s^2 / (2 s) */
            out->theta[j][own->deviation] /= 2 * at->theta[j][own->deviation];
    }
}

static double component_distance2(const bench *b, const mixture *m, const mixture *n, size_t j)
{
    double sum = 0;
    for (size_t a = 0; a < b->problem->scenario->nfree; a++)
        sum += pow(m->theta[j][a] - n->theta[j][a], 2);
    return sum;
}

static double distance(const bench *b, const mixture *m, const mixture *n)
{
    const scenario *s = b->problem->scenario;
    double sum = 0;
    for (size_t j = 0; j < s->nclasses; j++)
        sum += component_distance2(b, m, n, j);
    for (size_t j = 0; j + 1 < s->nclasses && !s->known_shares; j++)
        sum += pow(m->share[j] - n->share[j], 2);
    return sqrt(sum);
}

static scant_status measure_step(estimate *out, const bench *b, algorithm how,
                                 const scant_model *model)
{
    scant_model *next = NULL;
    mixture to;
    scant_status status = fit(&next, b, how, model, 1, 0);
    if (status != SCANT_OK)
        return status;
    read_mixture(&to, b, next);
    out->step = distance(b, &to, &out->at);
    scant_model_free(next);
    return SCANT_OK;
}

scant_status bench_estimate(estimate *out, scant_model **model, const bench *b, algorithm how,
                            size_t max_iter)
{
    *out = (estimate){.rate = NAN};
    scant_status status = fit(model, b, how, b->start, max_iter, TOLERANCE);
    if (status != SCANT_OK)
        return status;
    read_mixture(&out->at, b, *model);
    out->iterations = scant_model_summary(*model)->iterations;
    if (how == DCA)
        return SCANT_OK;
    status = scant_model_inform(*model, b->rows, 1);
    if (status == SCANT_ERR_UNIDENTIFIED)
        return SCANT_OK;
    if (status == SCANT_OK)
        status = measure_step(out, b, how, *model);
    if (status != SCANT_OK)
        return status;
    out->regular = true;
    out->rate = scant_model_information(*model)->rate;
    read_errors(&out->errors, b, how, *model, &out->at);
    return SCANT_OK;
}

/* --- measures --- */

static double mean_error(const bench *b, const mixture *errors)
{
    const scenario *s = b->problem->scenario;
    double sum = 0;
    for (size_t j = 0; j < s->nclasses; j++)
        for (size_t a = 0; a < s->nfree; a++)
            sum += errors->theta[j][a];
    for (size_t j = 0; j + 1 < s->nclasses && !s->known_shares; j++)
        sum += errors->share[j];
    return sum / (double)scenario_parameters(s);
}

/* Mean of the classes' recalls; rows whose most likely classes tie count in part. */
static scant_status measure_accuracy(float *out, const bench *b, const scant_model *model)
{
    const problem *p = b->problem;
    size_t M = p->scenario->nclasses;
    double right[CLASSES_MAX] = {0}, rows[CLASSES_MAX] = {0}, sum = 0;
    scant_predict_options options = {.size = sizeof options, .threads = 1};
    scant_status status =
        scant_model_predict(model, b->test, &options, b->predicted, NULL, NULL, NULL);
    for (size_t i = 0; i < p->nrows; i++) {
        const double *q = b->predicted + i * M;
        double most = 0, tied = 0;
        for (size_t j = 0; j < M; j++)
            most = fmax(most, q[j]);
        for (size_t j = 0; j < M; j++)
            tied += q[j] >= most - TIE;
        rows[p->label[i]]++;
        right[p->label[i]] += q[p->label[i]] >= most - TIE ? 1 / tied : 0;
    }
    for (size_t j = 0; j < M; j++)
        sum += right[j] / rows[j];
    out[ACCURACY] = (float)(100 * sum / (double)M);
    return status;
}

/* Lines: each test row is predicted by the line of its own class. */
static void measure_squares(float *out, const bench *b, const mixture *m)
{
    const problem *p = b->problem;
    double sum = 0;
    for (size_t i = 0; i < p->nrows; i++) {
        const double *theta = m->theta[p->label[i]], *x = p->test + 2 * i;
        sum += pow(x[1] - theta[0] - theta[1] * x[0], 2);
    }
    out[ACCURACY] = (float)(sum / (double)p->nrows);
}

scant_status bench_solve(float *out, const bench *b, algorithm how)
{
    scant_model *model = NULL;
    estimate e;
    const mixture *actual = &b->problem->actual;
    bool one_step = how == S || how == DCA;
    for (size_t k = 0; k < MEASURES; k++)
        out[k] = NAN;
    scant_status status = bench_estimate(&e, &model, b, how, one_step ? 1 : ITERATIONS_MAX);
    if (status != SCANT_OK)
        goto done;
    out[ITERATIONS] = (float)e.iterations;
    out[DISTANCE] = (float)distance(b, &e.at, actual);
    out[BIAS] = (float)(sqrt(component_distance2(b, &e.at, actual, 0)) -
                        sqrt(component_distance2(b, &e.at, actual, 1)));
    out[REGULAR] = how == DCA || e.regular;
    out[CONVERGED] = how == DCA || (e.regular && e.step < STEP_MAX);
    if (e.regular) {
        out[RATE] = (float)e.rate;
        out[ERROR] = (float)mean_error(b, &e.errors);
    }
    if (b->problem->scenario->law == &law_line)
        measure_squares(out, b, &e.at);
    else
        status = measure_accuracy(out, b, model);
done:
    scant_model_free(model);
    return status;
}
