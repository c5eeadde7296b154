#include "report/plane.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 3000 };
const double cli_plane_95 = 5.991464547107979;

/* --- which columns --- */

/* The Gaussian factor of most columns; factors() where there is none. */
static size_t find_factor(const scant_model *model)
{
    size_t best = scant_model_factors(model), most = 1;
    for (size_t f = 0; f < scant_model_factors(model); f++)
        if (strcmp(scant_model_factor_family(model, f), "gaussian") == 0 &&
            scant_model_factor_columns(model, f) > most) {
            most = scant_model_factor_columns(model, f);
            best = f;
        }
    return best;
}

/* The place of a column in the factor; d where it is not there. */
static size_t find_column(const scant_model *model, size_t factor, const char *name)
{
    size_t d = scant_model_factor_columns(model, factor), c = 0;
    while (c < d && strcmp(name, scant_model_column_name(
                                     model, scant_model_factor_column(model, factor, c))) != 0)
        c++;
    return c;
}

const char *cli_plane_lacks(const cli_subject *s)
{
    if (s->sort != CLI_OF_MODEL)
        return "it is no model";
    size_t f = find_factor(s->model);
    if (f == scant_model_factors(s->model))
        return "the model has no two Gaussian columns";
    size_t d = scant_model_factor_columns(s->model, f);
    for (size_t i = 0; i < s->axes.count; i++)
        if (find_column(s->model, f, s->axes.item[i]) == d)
            return "--axes names a column that is not among the Gaussian ones";
    if (!s->rows && s->axes.count == 0 && d > 2)
        return "principal axes want DATA; --axes A,B would do without";
    return NULL;
}

/* --- the plane --- */

/* Rows of the factor's columns that lack no cell, thinned: n x d, which the caller frees. */
static double *take_rows(cli_plane *p, const cli_subject *s)
{
    size_t n = s->rows ? scant_rows_count(s->rows) : 0, step = n / MOST_ROWS + 1;
    double *x = calloc((n / step + 1) * p->d, sizeof *x);
    p->index = calloc(n / step + 1, sizeof *p->index);
    for (size_t i = 0; x && p->index && i < n; i += step) {
        double *to = x + p->nrows * p->d;
        bool whole = true;
        for (size_t c = 0; c < p->d; c++) {
            to[c] = scant_rows_value(s->rows, i, scant_model_factor_column(s->model, p->factor, c));
            whole &= !isnan(to[c]);
        }
        if (whole)
            p->index[p->nrows++] = i;
    }
    if (!p->index) {
        free(x);
        return NULL;
    }
    return x;
}

/* Means go to centre, standard deviations to scale (1 where a column does not vary). */
static void measure(double *centre, double *scale, const double *x, size_t n, size_t d)
{
    for (size_t c = 0; c < d; c++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < n; i++)
            sum += x[i * d + c];
        centre[c] = n ? sum / (double)n : 0;
        for (size_t i = 0; i < n; i++)
            squares += (x[i * d + c] - centre[c]) * (x[i * d + c] - centre[c]);
        scale[c] = n > 1 && squares > 0 ? sqrt(squares / (double)(n - 1)) : 1;
    }
}

/* v becomes (Z' Z) v made of length 1, Z the rows in standard units and without their part along
 * `before` (NULL: none). */
static void power_step(double *v, double *room, const double *x, const double *centre,
                       const double *scale, size_t n, size_t d, const double *before)
{
    double length = 0, along = 0;
    memset(room, 0, d * sizeof *room);
    for (size_t i = 0; i < n; i++) {
        double score = 0;
        for (size_t c = 0; c < d; c++)
            score += (x[i * d + c] - centre[c]) / scale[c] * v[c];
        for (size_t c = 0; c < d; c++)
            room[c] += score * (x[i * d + c] - centre[c]) / scale[c];
    }
    for (size_t c = 0; before && c < d; c++)
        along += room[c] * before[c];
    for (size_t c = 0; c < d; c++) {
        room[c] -= before ? along * before[c] : 0;
        length += room[c] * room[c];
    }
    for (size_t c = 0; length > 0 && c < d; c++)
        v[c] = room[c] / sqrt(length);
}

/* The largest entry of an axis is positive, so that the picture does not turn about by chance. */
static void orient(double *v, size_t d)
{
    size_t most = 0;
    for (size_t c = 1; c < d; c++)
        if (fabs(v[c]) > fabs(v[most]))
            most = c;
    double sign = v[most] < 0 ? -1 : 1;
    for (size_t c = 0; c < d; c++)
        v[c] *= sign;
}

static bool find_principal(cli_plane *p, const double *x)
{
    enum { STEPS = 300 };
    size_t d = p->d;
    double *room = calloc(2 * d, sizeof *room), *scale = room + d;
    if (!room)
        return false;
    measure(p->centre, scale, x, p->nrows, d);
    for (size_t axis = 0; axis < 2; axis++) {
        double *v = p->a + axis * d;
        for (size_t c = 0; c < d; c++) /* a start that no axis is likely to be square to */
            v[c] = 1 + (double)(c * (axis + 1) % 7);
        for (size_t step = 0; step < STEPS; step++)
            power_step(v, room, x, p->centre, scale, p->nrows, d, axis ? p->a : NULL);
        orient(v, d);
        (void)snprintf(p->label[axis], sizeof p->label[axis], "principal axis %zu", axis + 1);
    }
    for (size_t t = 0; t < 2 * d; t++)
        p->a[t] /= scale[t % d];
    free(room);
    return true;
}

static void take_axes(cli_plane *p, const cli_subject *s)
{
    for (size_t axis = 0; axis < 2; axis++) {
        size_t c = s->axes.count ? find_column(s->model, p->factor, s->axes.item[axis]) : axis;
        p->a[axis * p->d + c] = 1;
        (void)snprintf(
            p->label[axis], sizeof p->label[axis], "%s",
            scant_model_column_name(s->model, scant_model_factor_column(s->model, p->factor, c)));
    }
}

bool cli_plane_is_principal(const cli_subject *s)
{
    return s->axes.count == 0 && scant_model_factor_columns(s->model, find_factor(s->model)) > 2;
}

/* --- components on it --- */

/* Sigma_j[c, e] of any shape of covariances (docs/families.md). */
double cli_covariance_at(const scant_parameter_view *v, size_t d, size_t j, size_t c, size_t e)
{
    bool full = v->ndim == (v->tied ? 2 : 3);
    size_t own = v->tied ? 0 : j;
    if (full)
        return v->value[(own * d + c) * d + e];
    bool spherical = v->tied ? v->ndim == 0 || v->dim[0] == 1 : v->ndim == 1;
    return c != e ? 0 : spherical ? v->value[own] : v->value[own * d + c];
}

/* Mean and covariance of component j on the plane, and the logarithm of what its density there is
 * multiplied by. */
static void project(cli_plane *p, const cli_subject *s, size_t j)
{
    scant_parameter_view mean = {0}, spread = {0};
    size_t d = p->d;
    cli_lump *to = &p->lump[j];
    (void)scant_model_parameter(s->model, p->factor, 0, &mean);
    (void)scant_model_parameter(s->model, p->factor, 1, &spread);
    for (size_t c = 0; c < d; c++) {
        double from = mean.value[j * d + c] - p->centre[c];
        to->mean[0] += p->a[c] * from;
        to->mean[1] += p->a[d + c] * from;
        for (size_t e = 0; e < d; e++) {
            double v = cli_covariance_at(&spread, d, j, c, e);
            to->var[0] += p->a[c] * v * p->a[e];
            to->cov += p->a[c] * v * p->a[d + e];
            to->var[1] += p->a[d + c] * v * p->a[d + e];
        }
    }
    double weight = scant_model_component_weight(s->model, j);
    to->log_weight = log(weight) - 0.5 * log(to->var[0] * to->var[1] - to->cov * to->cov);
}

/* Squared distance from a component's mean, in its own spread. */
static double distance2(const cli_lump *q, double u, double v)
{
    double x = u - q->mean[0], y = v - q->mean[1], det = q->var[0] * q->var[1] - q->cov * q->cov;
    return (q->var[1] * x * x - 2 * q->cov * x * y + q->var[0] * y * y) / det;
}

static void widen(cli_plane *p, double u, double v)
{
    p->low[0] = fmin(p->low[0], u);
    p->high[0] = fmax(p->high[0], u);
    p->low[1] = fmin(p->low[1], v);
    p->high[1] = fmax(p->high[1], v);
}

/* All rows, and the ellipses of all components but the faintest. */
static void frame(cli_plane *p, const scant_model *model)
{
    static const double FAINT = 0.01, MARGIN = 0.03;
    p->low[0] = p->low[1] = INFINITY;
    p->high[0] = p->high[1] = -INFINITY;
    for (size_t i = 0; i < p->nrows; i++)
        widen(p, p->row[2 * i], p->row[2 * i + 1]);
    for (size_t j = 0; j < scant_model_components(model); j++) {
        const cli_lump *q = &p->lump[j];
        double x = sqrt(cli_plane_95 * q->var[0]), y = sqrt(cli_plane_95 * q->var[1]);
        if (scant_model_component_weight(model, j) < FAINT)
            continue;
        widen(p, q->mean[0] - x, q->mean[1] - y);
        widen(p, q->mean[0] + x, q->mean[1] + y);
    }
    for (size_t axis = 0; axis < 2; axis++) {
        double pad = MARGIN * (p->high[axis] - p->low[axis]);
        p->low[axis] -= pad;
        p->high[axis] += pad;
    }
}

void cli_plane_free(cli_plane *p)
{
    free(p->a);
    free(p->centre);
    free(p->row);
    free(p->index);
    free(p->lump);
}

bool cli_plane_new(cli_plane *p, const cli_subject *s)
{
    size_t M = scant_model_components(s->model);
    *p = (cli_plane){.factor = find_factor(s->model)};
    p->d = scant_model_factor_columns(s->model, p->factor);
    p->a = calloc(2 * p->d, sizeof *p->a);
    p->centre = calloc(p->d, sizeof *p->centre);
    p->lump = calloc(M, sizeof *p->lump);
    double *x = take_rows(p, s);
    p->row = calloc(2 * p->nrows + 1, sizeof *p->row);
    bool good = p->a && p->centre && p->lump && x && p->row;
    if (good && cli_plane_is_principal(s))
        good = find_principal(p, x);
    else if (good)
        take_axes(p, s);
    for (size_t i = 0; good && i < p->nrows; i++)
        for (size_t t = 0; t < 2 * p->d; t++)
            p->row[2 * i + t / p->d] += p->a[t] * (x[i * p->d + t % p->d] - p->centre[t % p->d]);
    free(x);
    for (size_t j = 0; good && j < M; j++)
        project(p, s, j);
    if (good)
        frame(p, s->model);
    return good;
}

/* --- what would be answered --- */

/* P(class | u), or of components where there are no classes, into share[0 .. sorts-1]. */
void cli_plane_answer(double *share, double *log_r, const cli_plane *p, const scant_model *model,
                      double u, double v)
{
    size_t M = scant_model_components(model), K = scant_model_classes(model), sorts = K ? K : M;
    double most = -INFINITY, total = 0;
    for (size_t j = 0; j < M; j++) {
        log_r[j] = p->lump[j].log_weight - 0.5 * distance2(&p->lump[j], u, v);
        most = fmax(most, log_r[j]);
    }
    memset(share, 0, sorts * sizeof *share);
    for (size_t j = 0; j < M; j++) {
        double r = exp(log_r[j] - most);
        for (size_t k = 0; k < K; k++)
            share[k] += r * scant_model_component_class(model, j, k);
        if (!K)
            share[j] = r;
    }
    for (size_t k = 0; k < sorts; k++)
        total += share[k];
    for (size_t k = 0; k < sorts; k++)
        share[k] = total > 0 ? share[k] / total : 1 / (double)sorts;
}
