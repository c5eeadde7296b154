/* The path over rho. Each fit starts from nothing, so that an entry is what a fit with that rho alone would be. */
#include "med/path.h"

#include <math.h>
#include <string.h>

static const double RHO[] = {1, .3, .1, .03, .01, .003, .001, 1e-4, 1e-5};
enum { STEPS = sizeof RHO / sizeof *RHO, NUMBERS = 4 };

void scant_i_med_path_clear(scant_i_med_path *path)
{
    scant_i_free(path->numbers);
    scant_i_free(path->weight);
    scant_i_free(path->probability);
    *path = (scant_i_med_path){0};
}

static scant_status room_for(scant_i_med_path *p, size_t count, size_t discriminants, size_t inputs)
{
    scant_status status = SCANT_OK;
    *p = (scant_i_med_path){.count = count, .discriminants = discriminants, .inputs = inputs};
    SCANT_I_TRY(SCANT_I_NEW(&p->numbers, count * NUMBERS + 1));
    SCANT_I_TRY(SCANT_I_NEW(&p->weight, count * discriminants * inputs + 1));
    SCANT_I_TRY(SCANT_I_NEW(&p->probability, count * discriminants * inputs + 1));
done:
    return status;
}

static scant_status step(scant_i_med_path *p, size_t k, const scant_i_med_folds *folds,
                         const scant_i_med_settings *settings, double unit)
{
    scant_status status = SCANT_OK;
    scant_i_med_settings now = *settings;
    scant_i_med_discriminants d = {0};
    scant_i_med_measures held = {NAN, NAN, 1, 0};
    now.rho = RHO[k];
    SCANT_I_TRY(scant_i_med_fit(&d, folds->table, folds->truth, &now));
    if (k == 0)
        SCANT_I_TRY(room_for(p, STEPS, d.count, d.d));
    if (folds->nfolds)
        SCANT_I_TRY(scant_i_med_hold_out(&held, folds, &now, 1));
    size_t all = d.count * d.d;
    const double numbers[NUMBERS] = {now.rho, d.objective, d.gap,
                                     settings->regress ? held.loss * unit : held.accuracy};
    memcpy(p->numbers + k * NUMBERS, numbers, sizeof numbers);
    memcpy(p->weight + k * all, d.weight, all * sizeof *d.weight);
    for (size_t i = 0; i < all; i++)
        p->probability[k * all + i] = d.probability ? d.probability[i] : 1;
done:
    scant_i_med_discriminants_clear(&d);
    return status;
}

scant_status scant_i_med_path_fit(scant_i_med_path *out, const scant_i_med_folds *folds,
                                  const scant_i_med_settings *settings, double unit)
{
    scant_status status = SCANT_OK;
    *out = (scant_i_med_path){0};
    for (size_t k = 0; k < STEPS; k++) {
        SCANT_I_TRY(step(out, k, folds, settings, unit));
        if (scant_i_med_halted(&settings->control, NULL) != SCANT_STOP_CONVERGED) {
            out->count = k + 1;
            break;
        }
    }
done:
    if (status != SCANT_OK)
        scant_i_med_path_clear(out);
    return status;
}

/* --- documents --- */

static const char *const names[NUMBERS] = {"select", "objective", "gap", "held_out"};

scant_status scant_i_med_path_to_json(json_t *to, const scant_i_med_path *p)
{
    scant_status status = SCANT_OK;
    json_t *path, *list;
    if (p->count == 0)
        return SCANT_OK;
    SCANT_I_TRY(scant_i_put(to, "path", path = json_object()));
    for (size_t i = 0; i < NUMBERS; i++) {
        SCANT_I_TRY(scant_i_put(path, names[i], list = json_array()));
        for (size_t k = 0; k < p->count; k++) {
            double value = p->numbers[k * NUMBERS + i];
            if (json_array_append_new(list, isfinite(value) ? json_real(value) : json_null()))
                return scant_i_fail(SCANT_ERR_MEMORY, "out of memory in a model file");
        }
    }
    size_t rows = p->count * p->discriminants;
    SCANT_I_TRY(scant_i_put_table(path, "weights", p->weight, rows, p->inputs));
    SCANT_I_TRY(scant_i_put_table(path, "switches", p->probability, rows, p->inputs));
done:
    return status;
}

scant_status scant_i_med_path_from_json(scant_i_med_path *out, const scant_i_place *place,
                                        const json_t *from, size_t discriminants, size_t inputs)
{
    scant_status status = SCANT_OK;
    const json_t *path = json_object_get(from, "path");
    size_t count = json_array_size(json_object_get(path, names[0]));
    *out = (scant_i_med_path){0};
    if (!path)
        return SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&out->numbers, count * NUMBERS + 1));
    for (size_t i = 0; i < NUMBERS; i++) {
        const json_t *list = json_object_get(path, names[i]);
        if (json_array_size(list) != count)
            return scant_i_place_fail(place, "path: '%s' has not %zu numbers", names[i], count);
        for (size_t k = 0; k < count; k++) {
            const json_t *value = json_array_get(list, k);
            out->numbers[k * NUMBERS + i] = json_is_number(value) ? json_number_value(value) : NAN;
        }
    }
    size_t rows = count * discriminants;
    SCANT_I_TRY(scant_i_get_table(&out->weight, place, path, "weights", rows, inputs));
    SCANT_I_TRY(scant_i_get_table(&out->probability, place, path, "switches", rows, inputs));
    out->count = count;
    out->discriminants = discriminants;
    out->inputs = inputs;
done:
    return status;
}
