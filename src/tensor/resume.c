#include "tensor/resume.h"

#include <math.h>
#include <string.h>

#include "io/checkpoint.h"

struct scant_i_factor_resumption {
    scant_i_checkpoint checkpoint;
    double every, last;
    size_t starts, max_iter;
    double squares; /* of the tensor's cells */
};

/* --- out --- */

static json_t *put_factors(const scant_i_kruskal *k)
{
    json_t *modes = json_array();
    bool whole = modes != NULL;
    for (size_t m = 0; m < k->order && whole; m++) {
        size_t n = k->size[m] * k->lanes;
        whole = json_array_append_new(modes, scant_i_put_numbers(k->mode[m], &n, 1)) == 0;
    }
    if (!whole) {
        json_decref(modes);
        modes = NULL;
    }
    return modes;
}

static json_t *put_extrapolation(const scant_i_extrapolation *extrapolation)
{
    return json_pack("{s:o, s:o, s:o, s:b}", "beta", json_real(extrapolation->beta), "most",
                     json_real(extrapolation->most), "before", put_factors(extrapolation->before),
                     "ready", extrapolation->ready);
}

static json_t *put_run(const scant_i_alternation *run)
{
    json_t *trace = json_array();
    bool whole = trace != NULL;
    for (size_t t = 0; t < run->iterations && whole; t++) {
        const scant_factor_step *s = &run->trace[t];
        const double step[] = {s->rssr, s->loss, s->kkt, s->seconds};
        size_t four = 4;
        whole = json_array_append_new(trace, scant_i_put_numbers(step, &four, 1)) == 0;
    }
    /* a limit that ended a start does not end it for good */
    bool ended = run->ended && run->stop == SCANT_STOP_CONVERGED;
    if (!whole) {
        json_decref(trace);
        trace = NULL;
    }
    json_t *out = json_pack("{s:b, s:o, s:o}", "ended", ended, "factors", put_factors(run->factors),
                            "trace", trace);
    if (out &&
        ((run->extrapolation &&
          json_object_set_new(out, "extrapolation", put_extrapolation(run->extrapolation)) != 0) ||
         (run->best && json_object_set_new(out, "best", put_factors(run->best)) != 0))) {
        json_decref(out);
        out = NULL;
    }
    return out;
}

scant_status scant_i_factor_save(scant_i_factor_resumption *c, scant_i_alternation *const *run,
                                 size_t n)
{
    double now = scant_i_seconds();
    if (now - c->last < c->every && !run[n - 1]->ended)
        return SCANT_OK;
    c->last = now;
    json_t *runs = json_array();
    bool whole = runs != NULL;
    for (size_t s = 0; s < n && whole; s++)
        whole = json_array_append_new(runs, put_run(run[s])) == 0;
    if (!whole) {
        json_decref(runs);
        runs = NULL;
    }
    return scant_i_checkpoint_write(&c->checkpoint, json_pack("{s:o}", "starts", runs));
}

/* --- in --- */

static scant_status get_factors(scant_i_kruskal *k, const scant_i_place *place, const json_t *from,
                                const char *name)
{
    scant_status status = SCANT_OK;
    const json_t *modes;
    SCANT_I_TRY(scant_i_get_array(&modes, place, from, name));
    for (size_t m = 0; m < k->order; m++) {
        size_t n = k->size[m] * k->lanes;
        scant_i_place here = scant_i_place_at(place, m);
        SCANT_I_TRY(scant_i_get_numbers(k->mode[m], &here, json_array_get(modes, m), &n, 1));
        for (size_t t = 0; t < n; t++)
            if (!(k->mode[m][t] >= 0) || (t % k->lanes >= k->rank && k->mode[m][t] != 0)) {
                status = scant_i_place_fail(&here, "%g is no factor", k->mode[m][t]);
                goto done;
            }
    }
done:
    return status;
}

static scant_status get_extrapolation(scant_i_alternation *run, const scant_i_place *place,
                                      const json_t *from)
{
    scant_status status = SCANT_OK;
    if (!from)
        return SCANT_OK;
    SCANT_I_TRY(scant_i_extrapolation_new(&run->extrapolation, run->factors));
    SCANT_I_TRY(scant_i_get_real(&run->extrapolation->beta, place, from, "beta"));
    SCANT_I_TRY(scant_i_get_real(&run->extrapolation->most, place, from, "most"));
    SCANT_I_TRY(get_factors(run->extrapolation->before, place, from, "before"));
    run->extrapolation->ready = json_is_true(json_object_get(from, "ready"));
    if (!(run->extrapolation->beta >= 0 && run->extrapolation->beta <= run->extrapolation->most &&
          run->extrapolation->most <= 1))
        status = scant_i_place_fail(place, "%g of at most %g is no extrapolation",
                                    run->extrapolation->beta, run->extrapolation->most);
done:
    return status;
}

/* No fit is as far from its tensor, in squares; in the next round gradients' squares, which are
 * those of the model's, would be no numbers. */
static const double FAR = 1e100;

static scant_status check_size(const scant_i_kruskal *k, const scant_i_place *place, double squares)
{
    double model = 0;
    scant_status status = scant_i_kruskal_squares(&model, k);
    if (status == SCANT_OK && !(model <= FAR * squares))
        status = scant_i_place_fail(place, "these factors are far too large for the tensor");
    return status;
}

static scant_status get_trace(scant_i_alternation *run, const scant_i_place *place,
                              const json_t *from)
{
    scant_status status = SCANT_OK;
    const json_t *trace, *item;
    size_t at;
    SCANT_I_TRY(scant_i_get_array(&trace, place, from, "trace"));
    json_array_foreach(trace, at, item)
    {
        double step[4];
        size_t four = 4;
        scant_i_place here = scant_i_place_at(place, at);
        SCANT_I_TRY(scant_i_get_numbers(step, &here, item, &four, 1));
        for (size_t k = 0; k < four; k++)
            if (step[k] < 0) {
                status = scant_i_place_fail(&here, "%g is below 0", step[k]);
                goto done;
            }
        SCANT_I_TRY(
            scant_i_alternation_add(run, (scant_factor_step){step[0], step[1], step[2], step[3]}));
        run->goodness = (scant_i_goodness){.loss = step[1], .rssr = step[0]};
        run->kkt = step[2];
        run->seconds = step[3];
    }
    if (run->iterations == 0)
        status = scant_i_place_fail(place, "a start without an iteration is not kept");
done:
    return status;
}

/* After the trace, which tells whose factors they are. */
static scant_status get_best(scant_i_alternation *run, const scant_i_place *place,
                             const json_t *from, double squares)
{
    scant_status status = SCANT_OK;
    const scant_i_kruskal *k = run->factors;
    if (!json_object_get(from, "best"))
        return SCANT_OK;
    SCANT_I_TRY(scant_i_kruskal_new(&run->best, k->order, k->size, k->rank));
    SCANT_I_TRY(get_factors(run->best, place, from, "best"));
    SCANT_I_TRY(check_size(run->best, place, squares));
    run->least = scant_i_alternation_least(run);
done:
    return status;
}

static scant_status get_run(scant_i_alternation *run, const scant_i_place *place,
                            const json_t *from, const scant_i_factor_resumption *c)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(get_factors(run->factors, place, from, "factors"));
    SCANT_I_TRY(check_size(run->factors, place, c->squares));
    SCANT_I_TRY(get_extrapolation(run, place, json_object_get(from, "extrapolation")));
    SCANT_I_TRY(get_trace(run, place, from));
    SCANT_I_TRY(get_best(run, place, from, c->squares));
    bool converged = json_is_true(json_object_get(from, "ended"));
    run->ended = converged || run->iterations >= c->max_iter;
    run->stop = converged ? SCANT_STOP_CONVERGED : SCANT_STOP_ITERATIONS;
done:
    return status;
}

static scant_status get_runs(scant_i_factor_resumption *c, scant_i_alternation **run,
                             const scant_i_tensor *tensor, size_t rank)
{
    scant_status status = SCANT_OK;
    json_t *root = NULL;
    const json_t *runs, *item;
    size_t s;
    scant_i_place place = {.file = c->checkpoint.path};
    SCANT_I_TRY(scant_i_checkpoint_read(&root, &c->checkpoint));
    if (!root)
        return SCANT_OK;
    SCANT_I_TRY(scant_i_get_array(&runs, &place, root, "starts"));
    if (json_array_size(runs) > c->starts) {
        status = scant_i_place_fail(&place, "starts: %zu of %zu", json_array_size(runs), c->starts);
        goto done;
    }
    json_array_foreach(runs, s, item)
    {
        scant_i_place here = scant_i_place_at(&place, s);
        SCANT_I_TRY(scant_i_alternation_new(&run[s], tensor->order, tensor->size, rank));
        run[s]->start = s;
        SCANT_I_TRY(get_run(run[s], &here, item, c));
    }
done:
    json_decref(root);
    return status;
}

/* --- what it is of --- */

static uint64_t mix_texts(uint64_t h, const scant_texts *texts)
{
    for (size_t k = 0; k < texts->count; k++)
        h = scant_i_checkpoint_mix(h, texts->item[k], strlen(texts->item[k]));
    return scant_i_checkpoint_mix(h, &texts->count, sizeof texts->count);
}

static uint64_t hash_of(const scant_i_tensor *t, const scant_factor_options *o, size_t rank)
{
    const char *const words[] = {o->solver, o->loss, o->missing, o->init, o->accelerate};
    uint64_t h = scant_i_checkpoint_mix(o->seed, t->size, t->order * sizeof *t->size);
    h = scant_i_checkpoint_mix(h, &rank, sizeof rank);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        h = scant_i_checkpoint_mix(h, words[k], strlen(words[k]));
    h = scant_i_checkpoint_mix(h, t->value, t->nentries * sizeof *t->value);
    if (t->index)
        h = scant_i_checkpoint_mix(h, t->index, t->nentries * t->order * sizeof *t->index);
    h = mix_texts(mix_texts(h, &o->l2), &o->l1);
    for (size_t m = 0; m < t->order; m++) {
        size_t bytes = t->size[m] * rank * sizeof(double);
        if (o->start)
            h = scant_i_checkpoint_mix(h, o->start[m], bytes);
        if (o->fixed && o->fixed[m])
            h = scant_i_checkpoint_mix(h, o->fixed[m], bytes);
        h = scant_i_checkpoint_mix(h, &m, sizeof m);
    }
    return h;
}

static double squares_of(const scant_i_tensor *t)
{
    double sum = 0;
    for (size_t k = 0; k < t->nentries; k++)
        sum += isnan(t->value[k]) ? 0 : t->value[k] * t->value[k];
    return sum;
}

scant_status scant_i_factor_resume(scant_i_factor_resumption **out, scant_i_alternation **run,
                                   const scant_i_tensor *tensor,
                                   const scant_factor_options *options, size_t rank)
{
    scant_status status = SCANT_OK;
    scant_i_factor_resumption *c = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&c, 1));
    *c = (scant_i_factor_resumption){.every = options->checkpoint_every,
                                     .last = scant_i_seconds(),
                                     .starts = options->starts,
                                     .max_iter = options->max_iter,
                                     .squares = squares_of(tensor)};
    c->checkpoint = scant_i_checkpoint_of(options->checkpoint, "scant-factor-checkpoint",
                                          hash_of(tensor, options, rank));
    if (options->resume)
        SCANT_I_TRY(get_runs(c, run, tensor, rank));
    *out = c;
    c = NULL;
done:
    scant_i_free(c);
    return status;
}

void scant_i_factor_resumption_free(scant_i_factor_resumption *checkpoint)
{
    scant_i_free(checkpoint);
}
