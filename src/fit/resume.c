#include "fit/resume.h"

#include <math.h>
#include <string.h>

#include "model/noise.h"

/* --- runs as documents --- */

static const double SHARE_TOLERANCE = 1e-6;

/* What of the coupling is learned in addition to W, where it is. */
static json_t *put_learned(const scant_i_mixture *m)
{
    size_t table = m->nclasses * m->stride, square[2] = {m->nclasses, m->nclasses};
    json_t *learned = json_object();
    bool whole = learned != NULL;
    if (m->coupling.R && m->coupling.R_free)
        whole = whole && json_object_set_new(learned, "R",
                                             scant_i_put_numbers(m->coupling.R, &table, 1)) == 0;
    if (m->coupling.noise && m->coupling.noise_free)
        whole =
            whole && json_object_set_new(learned, "noise",
                                         scant_i_put_numbers(m->coupling.noise, square, 2)) == 0;
    if (!whole) {
        json_decref(learned);
        return NULL;
    }
    return learned;
}

/* W and R are K x stride and 0 in the padding; shares are from 0 to 1. */
static scant_status get_shares(double *to, const scant_i_place *at, const json_t *from,
                               const scant_i_mixture *m)
{
    size_t table = m->nclasses * m->stride;
    scant_status status = scant_i_get_numbers(to, at, from, &table, 1);
    for (size_t t = 0; t < table && status == SCANT_OK; t++)
        if (!(to[t] >= 0 && to[t] <= (t % m->stride < m->ncomponents ? 1 + SHARE_TOLERANCE : 0)))
            status = scant_i_place_fail(at, "%g is not a share", to[t]);
    return status;
}

static scant_status get_coupling(scant_i_mixture *m, const scant_i_place *place, const json_t *from)
{
    scant_i_place at = scant_i_place_in(place, "coupling");
    scant_status status = get_shares(m->coupling.W, &at, json_object_get(from, "coupling"), m);
    double sum = 0;
    for (size_t t = 0; t < m->nclasses * m->stride; t++)
        sum += m->coupling.W[t];
    if (status == SCANT_OK && !(fabs(sum - 1) <= SHARE_TOLERANCE))
        status = scant_i_place_fail(&at, "adds up to %.17g, not 1", sum);
    return status;
}

static scant_status get_learned(scant_i_mixture *m, const scant_i_place *place, const json_t *from)
{
    scant_status status = SCANT_OK;
    scant_i_place at = scant_i_place_in(place, "learned");
    const json_t *learned = json_object_get(from, "learned");
    if (m->coupling.R && m->coupling.R_free)
        SCANT_I_TRY(get_shares(m->coupling.R, &at, json_object_get(learned, "R"), m));
    if (m->coupling.noise && m->coupling.noise_free)
        SCANT_I_TRY(scant_i_noise_read(m, &at, json_object_get(learned, "noise")));
done:
    return status;
}

static json_t *run_to_json(const scant_i_run *run)
{
    const scant_i_mixture *m = run->mixture;
    size_t table = m->nclasses * m->stride;
    json_t *theta = json_array(), *floor = json_array();
    bool whole = true;
    for (size_t f = 0; f < m->nfactors && whole; f++) {
        const scant_i_factor *factor = m->factor[f];
        json_t *held = json_array();
        whole = json_array_append_new(floor, held) == 0;
        for (size_t j = 0; j < factor->ncomponents && whole; j++)
            whole = json_array_append_new(held, json_boolean(factor->at_floor[j])) == 0;
        whole = whole && json_array_append_new(
                             theta, scant_i_put_numbers(factor->theta, &factor->ntheta, 1)) == 0;
    }
    if (!whole) { /* json_pack takes nothing that is NULL, and frees the rest */
        json_decref(theta);
        theta = NULL;
    }
    return json_pack(
        "{s:I, s:I, s:i, s:f, s:f, s:f, s:f, s:f, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "start",
        (json_int_t)run->start, "iterations", (json_int_t)run->iterations, "stop", (int)run->stop,
        "objective", run->objective, "loglik", run->loglik, "weight", run->weight, "entropy",
        run->entropy, "error_growth", run->error_growth, "healthy", run->healthy, "coupling",
        scant_i_put_numbers(m->coupling.W, &table, 1), "learned", put_learned(m), "theta", theta,
        "at_floor", floor, "N", scant_i_put_numbers(run->N, &table, 1), "labelled",
        scant_i_put_numbers(run->labelled, &table, 1), "trace",
        scant_i_put_numbers(run->trace, &run->ntrace, 1));
}

static scant_status read_parameters(scant_i_mixture *m, const scant_i_place *place,
                                    const json_t *from)
{
    scant_status status = SCANT_OK;
    const json_t *theta, *floor;
    SCANT_I_TRY(scant_i_get_array(&theta, place, from, "theta"));
    SCANT_I_TRY(scant_i_get_array(&floor, place, from, "at_floor"));
    scant_i_place at = scant_i_place_in(place, "theta");
    for (size_t f = 0; f < m->nfactors; f++) {
        scant_i_factor *factor = m->factor[f];
        SCANT_I_TRY(
            scant_i_get_numbers(factor->theta, &at, json_array_get(theta, f), &factor->ntheta, 1));
        for (size_t j = 0; j < factor->ncomponents; j++)
            factor->at_floor[j] = json_is_true(json_array_get(json_array_get(floor, f), j));
        SCANT_I_TRY(factor->family->check(factor));
    }
done:
    return status;
}

static scant_status run_from_json(scant_i_run **out, const scant_i_place *place, const json_t *from,
                                  const scant_i_mixture *layout)
{
    scant_status status = SCANT_OK;
    scant_i_run *run = NULL;
    const json_t *trace;
    size_t table = layout->nclasses * layout->stride, stop;
    scant_i_place at = scant_i_place_in(place, "tables");
    SCANT_I_TRY(scant_i_run_new(&run, layout, 0));
    SCANT_I_TRY(scant_i_get_count(&run->start, place, from, "start"));
    SCANT_I_TRY(scant_i_get_count(&run->iterations, place, from, "iterations"));
    SCANT_I_TRY(scant_i_get_count(&stop, place, from, "stop"));
    run->stop = (scant_stop)scant_i_min(stop, SCANT_STOP_INTERRUPTED);
    SCANT_I_TRY(scant_i_get_real(&run->objective, place, from, "objective"));
    SCANT_I_TRY(scant_i_get_real(&run->loglik, place, from, "loglik"));
    SCANT_I_TRY(scant_i_get_real(&run->weight, place, from, "weight"));
    SCANT_I_TRY(scant_i_get_real(&run->entropy, place, from, "entropy"));
    if (json_object_get(from, "error_growth"))
        SCANT_I_TRY(scant_i_get_real(&run->error_growth, place, from, "error_growth"));
    run->error_growth = fmax(run->error_growth, 1);
    run->healthy = json_is_true(json_object_get(from, "healthy"));
    SCANT_I_TRY(get_coupling(run->mixture, place, from));
    SCANT_I_TRY(get_learned(run->mixture, place, from));
    SCANT_I_TRY(scant_i_get_numbers(run->N, &at, json_object_get(from, "N"), &table, 1));
    SCANT_I_TRY(
        scant_i_get_numbers(run->labelled, &at, json_object_get(from, "labelled"), &table, 1));
    SCANT_I_TRY(read_parameters(run->mixture, place, from));
    SCANT_I_TRY(scant_i_get_array(&trace, place, from, "trace"));
    run->ntrace = run->trace_room = json_array_size(trace);
    SCANT_I_TRY(SCANT_I_NEW(&run->trace, run->ntrace));
    SCANT_I_TRY(scant_i_get_numbers(run->trace, &at, trace, &run->ntrace, 1));
    *out = run;
    run = NULL;
done:
    scant_i_run_free(run);
    return status;
}

/* --- the file --- */

static scant_status save(const scant_i_progress_state *state, void *payload)
{
    const scant_i_resumption *r = payload;
    return scant_i_checkpoint_write(
        &r->checkpoint, json_pack("{s:o, s:o}", "current", run_to_json(state->current), "best",
                                  state->best ? run_to_json(state->best) : json_null()));
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t n)
{
    return scant_i_checkpoint_mix(hash, bytes, n);
}

/* What makes a fit the same fit: its settings, but for limits that only cut it short, and its rows.
 */
static uint64_t hash_of(const scant_i_mixture *layout, const scant_fit_options *options,
                        const scant_model *model, const scant_rows *rows)
{
    uint64_t hash = options->run.seed;
    for (size_t s = 0; s < model->nsettings; s++)
        if (strcmp(model->settings[s].name, "max-iter") != 0)
            hash = mix(hash, model->settings[s].value, strlen(model->settings[s].value));
    for (size_t f = 0; f < layout->nfactors; f++) {
        const scant_i_factor *factor = layout->factor[f];
        hash = mix(hash, factor->family->name, strlen(factor->family->name));
        hash = mix(hash, factor->columns, factor->ncolumns * sizeof *factor->columns);
        hash = mix(hash, &factor->ntheta, sizeof factor->ntheta);
        if (factor->family->has_covariances) /* shapes may have as many parameters */
            hash = mix(hash, factor->settings.covariance, strlen(factor->settings.covariance));
        if (factor->family->has_target)
            hash = mix(hash, &factor->settings.target, sizeof factor->settings.target);
    }
    size_t K = layout->nclasses, table = K * layout->stride;
    hash = mix(hash, layout->coupling.W, table * sizeof *layout->coupling.W);
    if (layout->coupling.R)
        hash = mix(hash, layout->coupling.R, table * sizeof *layout->coupling.R);
    if (layout->coupling.noise) /* its file may have changed */
        hash = mix(hash, layout->coupling.noise, K * K * sizeof *layout->coupling.noise);
    if (rows->dense) {
        hash = mix(hash, rows->dense, rows->nrows * rows->ncolumns * sizeof *rows->dense);
    } else {
        size_t entries = rows->sparse.start[rows->nrows];
        hash = mix(hash, rows->sparse.start, (rows->nrows + 1) * sizeof *rows->sparse.start);
        hash = mix(hash, rows->sparse.column, entries * sizeof *rows->sparse.column);
        hash = mix(hash, rows->sparse.value, entries * sizeof *rows->sparse.value);
    }
    if (rows->weight)
        hash = mix(hash, rows->weight, rows->nrows * sizeof *rows->weight);
    if (rows->labels.code)
        hash = mix(hash, rows->labels.code, rows->nrows * sizeof *rows->labels.code);
    if (rows->labels.nsoft)
        hash = mix(hash, rows->labels.soft,
                   rows->labels.nsoft * rows->labels.nclasses * sizeof *rows->labels.soft);
    return hash;
}

static scant_status load(const scant_i_resumption *r, scant_i_engine_options *engine)
{
    scant_status status = SCANT_OK;
    json_t *root = NULL;
    const json_t *current;
    scant_i_place place = {.file = r->checkpoint.path};
    SCANT_I_TRY(scant_i_checkpoint_read(&root, &r->checkpoint));
    if (!root)
        return SCANT_OK;
    SCANT_I_TRY(scant_i_get_object(&current, &place, root, "current"));
    SCANT_I_TRY(run_from_json(&engine->resume_current, &place, current, r->layout));
    if (engine->resume_current->start >= engine->starts) {
        status = scant_i_place_fail(&place, "current: start %zu of %zu",
                                    engine->resume_current->start + 1, engine->starts);
        goto done;
    }
    const json_t *best = json_object_get(root, "best");
    if (json_is_object(best))
        SCANT_I_TRY(run_from_json(&engine->resume_best, &place, best, r->layout));
done:
    json_decref(root);
    if (status != SCANT_OK) {
        scant_i_run_free(engine->resume_current);
        engine->resume_current = NULL;
    }
    return status;
}

scant_status scant_i_resume_open(scant_i_resumption *out, scant_i_engine_options *engine,
                                 const scant_fit_options *options, const scant_model *model,
                                 const scant_i_mixture *layout, const scant_rows *rows)
{
    const char *path = options->run.checkpoint;
    *out = (scant_i_resumption){.layout = layout};
    if (!path)
        return options->run.resume
                   ? scant_i_fail(SCANT_ERR_ARGUMENT, "--resume needs --checkpoint FILE")
                   : SCANT_OK;
    out->checkpoint =
        scant_i_checkpoint_of(path, "scant-checkpoint", hash_of(layout, options, model, rows));
    engine->save = save;
    engine->save_payload = out;
    engine->save_every = options->run.checkpoint_every;
    return options->run.resume ? load(out, engine) : SCANT_OK;
}
