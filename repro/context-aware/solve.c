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
    (void)fprintf(out, "{\"format\": \"scant-model\", \"schema\": 1, \"method\": \"em\", "
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

scant_status bench_fit(scant_model **out, const bench *b, algorithm how, size_t max_iter,
                       double tol)
{
    static const char *const modes[] = {
        [S] = "weigh", [US] = "weigh", [CA] = "replace", [WCA] = "weigh", [DCA] = "fix"};
    const scenario *s = b->problem->scenario;
    const char *family = s->law->family;
    char prior[64];
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.families = (scant_texts){&family, 1};
    if (s->law->setting && strcmp(s->law->setting, "covariance") == 0)
        options.covariance = s->law->value;
    else
        options.target = s->law->value;
    if (s->nfree < s->law->ntheta)
        options.fixed = "covariances";
    if (s->known_shares) {
        (void)snprintf(prior, sizeof prior, "a=%.17g,b=%.17g", b->problem->actual.share[0],
                       b->problem->actual.share[1]);
        options.prior = prior;
    }
    options.context_mode = modes[how];
    options.start = b->start;
    options.tol = tol;
    options.max_iter = max_iter;
    options.threads = 1;
    return scant_fit(out, b->rows, &options);
}

void bench_read(mixture *out, const bench *b, const scant_model *model)
{
    for (size_t j = 0; j < b->problem->scenario->nclasses; j++) {
        out->share[j] = scant_model_coupling(model, j, j);
        b->problem->scenario->law->read(out->theta[j], model, j);
    }
}

/* --- information --- */

typedef struct view {
    const bench *bench;
    const mixture *mixture;
    algorithm how;
    size_t nshares; /* free ones: the last class has what they leave */
} view;

/* log c_ij = log(share of j, and what is known of row i) + log f_j(x_i) */
static double complete(double *score, double *hessian, size_t row, size_t j, const void *payload)
{
    const view *v = payload;
    const problem *p = v->bench->problem;
    const scenario *s = p->scenario;
    size_t M = s->nclasses, n = v->nshares, P = n + M * s->nfree, at = n + j * s->nfree;
    double own_score[THETA_MAX], own_hessian[THETA_MAX * THETA_MAX];
    double share = v->mixture->share[j];
    if (v->how == S && p->label[row] != j)
        return -INFINITY;
    double log_c = s->law->log_density(v->mixture->theta[j], p->x + row * s->law->ncolumns,
                                       own_score, own_hessian);
    for (size_t a = 0; a < s->nfree; a++) {
        score[at + a] = own_score[a];
        for (size_t b = 0; b < s->nfree; b++)
            hessian[(at + a) * P + at + b] = own_hessian[a * s->law->ntheta + b];
    }
    if (v->how == CA || v->how == WCA)
        log_c += log(v->bench->context[row * M + j]);
    if (v->how == CA)
        return log_c;
    for (size_t a = 0; a < n; a++) {
        if (j < n && a != j)
            continue;
        score[a] = (j < n ? 1 : -1) / share;
        for (size_t b = 0; b < n; b++)
            if (j == n || a == b)
                hessian[a * P + b] = -1 / (share * share);
    }
    return log_c + log(share);
}

void bench_inform(information *out, const bench *b, algorithm how, const mixture *m)
{
    const scenario *s = b->problem->scenario;
    view v = {b, m, how, how == CA || s->known_shares ? 0 : s->nclasses - 1};
    inform_source source = {b->problem->nrows, s->nclasses, v.nshares + s->nclasses * s->nfree,
                            complete, &v};
    inform(out, &source);
}

/* --- measures --- */

static double component_distance2(const bench *b, const mixture *m, size_t j)
{
    double sum = 0;
    for (size_t a = 0; a < b->problem->scenario->nfree; a++) {
        double off = m->theta[j][a] - b->problem->actual.theta[j][a];
        sum += off * off;
    }
    return sum;
}

static double distance(const bench *b, const mixture *m)
{
    const scenario *s = b->problem->scenario;
    double sum = 0;
    for (size_t j = 0; j < s->nclasses; j++)
        sum += component_distance2(b, m, j);
    for (size_t j = 0; j + 1 < s->nclasses && !s->known_shares; j++)
        sum += pow(m->share[j] - b->problem->actual.share[j], 2);
    return sqrt(sum);
}

/* Standard errors, their mean. CA's shares are those of the favoured classes, which counts as if
 * the labels were seen (the paper's footnote 8). */
static double mean_error(const bench *b, const double *errors, size_t n, const mixture *m)
{
    size_t L = scenario_parameters(b->problem->scenario);
    double sum = 0;
    for (size_t a = 0; a < n; a++)
        sum += errors[a];
    for (size_t j = 0; j < L - n; j++)
        sum += sqrt(m->share[j] * (1 - m->share[j]) / (double)b->problem->nrows);
    return sum / (double)L;
}

static void measure_information(float *out, const bench *b, algorithm how, const mixture *m)
{
    information info;
    double errors[PARAMETERS_MAX], step[PARAMETERS_MAX], rate = NAN, length = 0;
    bench_inform(&info, b, how, m);
    bool regular = inform_errors(errors, &info) && inform_rate(&rate, &info);
    bool stepped = inform_step(step, &info);
    for (size_t a = 0; stepped && a < info.nparameters; a++)
        length += step[a] * step[a];
    out[REGULAR] = regular;
    out[CONVERGED] = regular && stepped && sqrt(length) < STEP_MAX;
    out[RATE] = regular ? (float)(1 - rate) : NAN;
    out[ERROR] = regular ? (float)mean_error(b, errors, info.nparameters, m) : NAN;
}

/* Mean of the classes' recalls; rows whose most likely classes tie count in part. */
static scant_status measure_accuracy(float *out, const bench *b, const scant_model *model)
{
    const problem *p = b->problem;
    size_t M = p->scenario->nclasses;
    double right[CLASSES_MAX] = {0}, rows[CLASSES_MAX] = {0}, sum = 0;
    scant_predict_options options = {.threads = 1};
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
    mixture m;
    bool one_step = how == S || how == DCA;
    for (size_t k = 0; k < MEASURES; k++)
        out[k] = NAN;
    scant_status status = bench_fit(&model, b, how, one_step ? 1 : ITERATIONS_MAX, TOLERANCE);
    if (status != SCANT_OK)
        return status;
    bench_read(&m, b, model);
    out[ITERATIONS] = (float)scant_model_summary(model)->iterations;
    out[DISTANCE] = (float)distance(b, &m);
    out[BIAS] = (float)(sqrt(component_distance2(b, &m, 0)) - sqrt(component_distance2(b, &m, 1)));
    if (how == DCA)
        out[CONVERGED] = out[REGULAR] = 1; /* nothing is missing, nothing is iterated */
    else
        measure_information(out, b, how, &m);
    if (b->problem->scenario->law == &law_line)
        measure_squares(out, b, &m);
    else
        status = measure_accuracy(out, b, model);
    scant_model_free(model);
    return status;
}
