/* Parametric bootstrap: how far estimates scatter when rows are drawn from the fitted model.
 *
 *   errors^2 = sum_b (theta_b - mean)^2 / (B - 1)      over the B fits that succeeded
 * Fits start from the model. Draws are dealt out in groups of fixed size that add up one after the
 * other, so that threads, which take groups, do not change a bit. Fits that a time limit leaves out or cuts are not of
 * the B. Cost: B fits. */
#include <math.h>
#include <string.h>

#include "model/method.h"
#include "model/predict.h"
#include "validate/redraw.h"
#include "math/assign.h"

enum { GROUPS = 32 };

typedef struct group {
    double *sum, *square;  /* of theta_b - theta */
    size_t good, untimely; /* fits; those that there was no time for */
    char why[256];         /* the first failure */
} group;

typedef struct bootstrap {
    const scant_model *model;
    scant_i_redraw redraw;
    scant_fit_options options;
    size_t draws, size;
    double began;
    double *theta; /* size: the model's */
    group group[GROUPS];
} bootstrap;

/* --- matching --- */

/* Components that could change places: those that serve the same classes. */
static bool alike(const scant_i_mixture *m, size_t j, size_t l)
{
    for (size_t k = 0; k < m->nclasses; k++)
        if ((m->coupling.W[k * m->stride + j] > 0) != (m->coupling.W[k * m->stride + l] > 0))
            return false;
    return true;
}

static bool any_alike(const scant_i_mixture *m)
{
    for (size_t j = 0; j < m->ncomponents; j++)
        for (size_t l = j + 1; l < m->ncomponents; l++)
            if (alike(m, j, l))
                return true;
    return false;
}

/* place[j]: the component of `other` that has most of the rows of the model's j. */
static scant_status match(size_t *place, const bootstrap *b, const scant_model *other,
                          const scant_rows *rows)
{
    scant_status status = SCANT_OK;
    const scant_i_mixture *m = b->model->mixture;
    size_t M = m->ncomponents;
    double *r[2] = {NULL, NULL}, *gain = NULL;
    const scant_model *models[2] = {b->model, other};
    scant_predict_options alone = {.size = sizeof alone, .threads = 1};
    for (size_t j = 0; j < M; j++)
        place[j] = j;
    if (!any_alike(m))
        return SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&gain, M * M));
    for (size_t side = 0; side < 2; side++) {
        SCANT_I_TRY(SCANT_I_NEW(&r[side], rows->nrows * M));
        scant_i_answers answers = {.components = r[side], .without = SIZE_MAX};
        SCANT_I_TRY(scant_i_predict(models[side], rows, &alone, &answers));
    }
    for (size_t i = 0; i < rows->nrows; i++)
        for (size_t t = 0; t < M * M; t++)
            gain[t] += r[0][i * M + t / M] * r[1][i * M + t % M];
    for (size_t t = 0; t < M * M; t++) /* no row is worth a change of class */
        gain[t] -= alike(m, t / M, t % M) ? 0 : (double)(rows->nrows * M);
    status = scant_i_assign(place, gain, M);
done:
    scant_i_free(r[0]);
    scant_i_free(r[1]);
    scant_i_free(gain);
    return status;
}

/* to = the mixture's vector with component place[j] in the place of j */
static void flatten_matched(const scant_i_mixture *m, const size_t *place, double *to)
{
    scant_i_parameter list[SCANT_I_PARAMETERS_MAX];
    scant_i_mixture_flatten(m, to);
    for (size_t k = 0; k < m->nclasses; k++)
        for (size_t j = 0; j < m->ncomponents; j++)
            to[k * m->stride + j] = m->coupling.W[k * m->stride + place[j]];
    to += m->nclasses * m->stride;
    for (size_t f = 0; f < m->nfactors; to += m->factor[f++]->ntheta) {
        size_t count = m->factor[f]->family->parameters(m->factor[f], list);
        for (size_t p = 0; p < count; p++) {
            size_t each = 1;
            for (size_t d = 1; d < list[p].ndim; d++)
                each *= list[p].dim[d];
            for (size_t j = 0; !list[p].tied && j < m->ncomponents; j++)
                memcpy(to + list[p].offset + j * each,
                       m->factor[f]->theta + list[p].offset + place[j] * each, each * sizeof *to);
        }
    }
}

/* --- one draw --- */

/* Did all components of the model survive? */
static bool is_whole(const bootstrap *b, const scant_model *other)
{
    for (size_t j = 0; j < b->model->mixture->ncomponents; j++)
        if (b->model->component_rows[j] > 0.5 && !(other->component_rows[j] > 0.5))
            return false;
    return true;
}

/* Adds a fit to the group, or a reason. Only memory and interrupts stop it all. */
static scant_status add_draw(const bootstrap *b, size_t draw, group *to, double *theta,
                             size_t *place)
{
    scant_status status = SCANT_OK;
    scant_rows *rows = NULL;
    scant_model *model = NULL;
    scant_fit_options options = b->options;
    if (scant_i_time_is_up(options.run.time_limit, b->began)) {
        to->untimely++;
        goto done;
    }
    options.run.time_limit = scant_i_time_left(options.run.time_limit, b->began);
    SCANT_I_TRY(scant_i_redraw_rows(&rows, &b->redraw, options.run.seed, draw));
    status = scant_fit(&model, rows, &options);
    if (status == SCANT_ERR_MEMORY || scant_i_interrupted())
        goto done;
    if (status == SCANT_OK && model->summary.stop == SCANT_STOP_TIME) {
        to->untimely++;
        goto done;
    }
    if (status == SCANT_OK && model->summary.stop != SCANT_STOP_CONVERGED)
        status = scant_i_fail(SCANT_ERR_INPUT, "the fit did not converge (stop: %s)",
                              scant_stop_name(model->summary.stop));
    if (status == SCANT_OK && !is_whole(b, model))
        status = scant_i_fail(SCANT_ERR_INPUT, "a component ran empty");
    if (status != SCANT_OK) {
        if (!to->why[0])
            strncpy(to->why, scant_message(), sizeof to->why - 1);
        status = SCANT_OK;
        goto done;
    }
    SCANT_I_TRY(match(place, b, model, rows));
    flatten_matched(model->mixture, place, theta);
    for (size_t t = 0; t < b->size; t++) {
        double far = theta[t] - b->theta[t];
        to->sum[t] += far;
        to->square[t] += far * far;
    }
    to->good++;
done:
    scant_rows_free(rows);
    scant_model_free(model);
    return scant_i_interrupted() ? scant_i_fail(SCANT_ERR_INTERRUPTED, "interrupted") : status;
}

static scant_status run_group(size_t g, size_t worker, void *payload)
{
    (void)worker;
    scant_status status = SCANT_OK;
    bootstrap *b = payload;
    group *to = &b->group[g];
    double *theta = NULL;
    size_t *place = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&theta, b->size));
    SCANT_I_TRY(SCANT_I_NEW(&place, b->model->mixture->ncomponents));
    SCANT_I_TRY(SCANT_I_NEW(&to->sum, b->size));
    SCANT_I_TRY(SCANT_I_NEW(&to->square, b->size));
    for (size_t draw = b->draws * g / GROUPS; draw < b->draws * (g + 1) / GROUPS; draw++)
        SCANT_I_TRY(add_draw(b, draw, to, theta, place));
done:
    scant_i_free(theta);
    scant_i_free(place);
    return status;
}

/* --- all of them --- */

/* The fit's own options, but for what concerns starting and telling. */
static void set_options(bootstrap *b, const scant_fit_options *options)
{
    double lambda;
    b->options = *options;
    b->options.run.start = b->model;
    b->options.run.init = "kmeans"; /* not a file to be read again */
    if (scant_i_sharing_of(options->model.sharing, &lambda) != SCANT_I_BY_LAMBDA) {
        b->options.model.sharing = "separate"; /* as the model has it, whatever led there */
        b->options.model.sharing_table = NULL;
        b->options.model.components = NULL;
    }
    b->options.run.starts = 1;
    b->options.run.threads = 1;
    b->options.run.anneal = false;
    b->options.run.checkpoint = NULL;
    b->options.run.resume = false;
    b->options.run.progress = NULL;
}

static scant_status settle(scant_model *model, const bootstrap *b)
{
    scant_status status = SCANT_OK;
    scant_information *i = model->information;
    static const double ROUNDING = 1e-12; /* of a parameter that no fit moves */
    const char *why = "";
    size_t good = 0, made = b->draws;
    double *errors = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&errors, b->size));
    for (size_t g = 0; g < GROUPS; g++) {
        good += b->group[g].good;
        made -= b->group[g].untimely;
        why = why[0] ? why : b->group[g].why;
    }
    i->by = SCANT_ERRORS_BY_BOOTSTRAP;
    i->draws = made;
    i->failed = made - good;
    if (made < b->draws)
        SCANT_I_TRY(scant_i_model_add_warning(
            model, "bootstrap: the time limit was reached after %zu of %zu fits", made, b->draws));
    if (2 * made < b->draws) {
        status = scant_i_fail(SCANT_ERR_INTERRUPTED, "%s", model->warnings[model->nwarnings - 1]);
        goto done;
    }
    if (i->failed)
        SCANT_I_TRY(scant_i_model_add_warning(model,
                                              "bootstrap: %zu of %zu fits failed; the first: "
                                              "%s",
                                              i->failed, i->draws, why));
    if (good < 2 || 2 * good < made) {
        status = scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                              "%zu of %zu fits to rows drawn from the model failed", i->failed,
                              i->draws);
        goto done;
    }
    for (size_t t = 0; t < b->size; t++) {
        double sum = 0, square = 0, n = (double)good;
        for (size_t g = 0; g < GROUPS; g++) {
            sum += b->group[g].sum[t];
            square += b->group[g].square[t];
        }
        double error = sqrt(fmax(0, square - sum * sum / n) / (n - 1));
        errors[t] = error > ROUNDING * fabs(b->theta[t]) ? error : 0;
    }
    model->errors = errors;
    i->identified = true;
    errors = NULL;
done:
    scant_i_free(errors);
    return status;
}

scant_status scant_i_bootstrap(scant_model *model, const scant_i_fitted *fitted,
                               const scant_fit_options *options, size_t draws)
{
    scant_status status = SCANT_OK;
    bootstrap b = {.model = model, .draws = draws, .size = scant_i_mixture_size(model->mixture)};
    b.began = scant_i_seconds();
    set_options(&b, options);
    SCANT_I_TRY(SCANT_I_NEW(&b.theta, b.size));
    scant_i_mixture_flatten(model->mixture, b.theta);
    SCANT_I_TRY(scant_i_redraw_new(&b.redraw, fitted));
    SCANT_I_TRY(scant_i_parallel(options->run.threads, GROUPS, run_group, &b));
    status = settle(model, &b);
done:
    for (size_t g = 0; g < GROUPS; g++) {
        scant_i_free(b.group[g].sum);
        scant_i_free(b.group[g].square);
    }
    scant_i_redraw_clear(&b.redraw);
    scant_i_free(b.theta);
    return status;
}
