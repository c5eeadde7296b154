/* Powers and products (expand.h). O(d) a row. */
#include "med/expand.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 1 << 20 }; /* columns */

static size_t added(scant_i_med_expand type, size_t base, size_t degree)
{
    if (type == SCANT_I_MED_POWERS)
        return base * (degree - 1);
    return type == SCANT_I_MED_PRODUCTS ? base * (base + 1) / 2 : 0;
}

/* What is added to a row of `base` numbers, unscaled. */
static void grow(double *to, const double *x, const scant_i_med_expansion *e)
{
    if (e->type == SCANT_I_MED_POWERS)
        for (size_t i = 0; i < e->base * (e->degree - 1); i++)
            to[i] = (i < e->base ? x[i] : to[i - e->base]) * x[i % e->base];
    else
        for (size_t i = 0; i < e->base; i++)
            for (size_t j = i; j < e->base; j++)
                *to++ = x[i] * x[j];
}

void scant_i_med_expansion_clear(scant_i_med_expansion *e)
{
    scant_i_free(e->centre);
    scant_i_free(e->spread);
    *e = (scant_i_med_expansion){0};
}

static scant_status measure(scant_i_med_expansion *e, const scant_i_med_table *table)
{
    scant_status status = SCANT_OK;
    size_t more = e->d - e->base;
    double *row = NULL, n = (double)table->n;
    SCANT_I_TRY(SCANT_I_NEW(&row, more + 1));
    for (size_t t = 0; t < table->n; t++) {
        grow(row, table->x + t * table->d, e);
        for (size_t i = 0; i < more; i++)
            e->centre[i] += row[i] / n;
    }
    for (size_t i = 0; i < more; i++)
        e->spread[i] = 0;
    for (size_t t = 0; t < table->n; t++) {
        grow(row, table->x + t * table->d, e);
        for (size_t i = 0; i < more; i++)
            e->spread[i] += (row[i] - e->centre[i]) * (row[i] - e->centre[i]) / n;
    }
    for (size_t i = 0; i < more; i++) { /* what rounding leaves of a constant is no variation */
        double deviation = sqrt(e->spread[i]);
        e->spread[i] = deviation > 8 * DBL_EPSILON * fabs(e->centre[i]) && deviation >= DBL_MIN &&
                               isfinite(deviation)
                           ? deviation
                           : 1;
        if (!isfinite(e->centre[i]))
            status = scant_i_fail(SCANT_ERR_INPUT, "--expand: powers or products of the cells are "
                                                   "no finite numbers: standardize them");
    }
done:
    scant_i_free(row);
    return status;
}

scant_status scant_i_med_expansion_new(scant_i_med_expansion *out, scant_i_med_expand type,
                                       size_t degree, const scant_i_med_table *table,
                                       bool standardize)
{
    scant_status status = SCANT_OK;
    *out = (scant_i_med_expansion){type, table->d, table->d, degree, NULL, NULL};
    if (type == SCANT_I_MED_AS_IS)
        return SCANT_OK;
    if (!table->x)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--expand wants dense rows");
    out->d += added(type, table->d, degree);
    if (out->d > MOST)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--expand makes %zu columns, more than %d", out->d,
                            MOST);
    SCANT_I_TRY(SCANT_I_NEW(&out->centre, out->d - out->base + 1));
    SCANT_I_TRY(SCANT_I_NEW(&out->spread, out->d - out->base + 1));
    for (size_t i = 0; i < out->d - out->base; i++)
        out->spread[i] = 1;
    if (standardize)
        SCANT_I_TRY(measure(out, table));
done:
    if (status != SCANT_OK)
        scant_i_med_expansion_clear(out);
    return status;
}

scant_status scant_i_med_expand_table(scant_i_med_table *table, const scant_i_med_expansion *e)
{
    scant_status status = SCANT_OK;
    double *wide = NULL;
    if (e->type == SCANT_I_MED_AS_IS)
        return SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&wide, table->n * e->d + 1));
    for (size_t t = 0; t < table->n; t++) {
        double *row = wide + t * e->d;
        memcpy(row, table->x + t * e->base, e->base * sizeof *row);
        grow(row + e->base, row, e);
        for (size_t i = e->base; i < e->d; i++)
            row[i] = (row[i] - e->centre[i - e->base]) / e->spread[i - e->base];
    }
    scant_i_free(table->x);
    table->x = wide;
    table->d = e->d;
done:
    return status;
}

char *scant_i_med_expansion_name(const scant_i_med_expansion *e, size_t i, char *const *names)
{
    size_t at = i - e->base, first = 0;
    if (e->type == SCANT_I_MED_POWERS)
        return scant_i_format("%s^%zu", names[at % e->base], 2 + at / e->base);
    for (; at >= e->base - first; first++)
        at -= e->base - first;
    return scant_i_format("%s*%s", names[first], names[first + at]);
}

/* --- documents --- */

scant_status scant_i_med_expansion_to_json(json_t *to, const scant_i_med_expansion *e)
{
    scant_status status = SCANT_OK;
    json_t *expansion;
    if (e->type == SCANT_I_MED_AS_IS)
        return SCANT_OK;
    SCANT_I_TRY(scant_i_put(to, "expansion", expansion = json_object()));
    SCANT_I_TRY(scant_i_put(expansion, "type", json_integer(e->type)));
    SCANT_I_TRY(scant_i_put(expansion, "degree", json_integer((json_int_t)e->degree)));
    SCANT_I_TRY(scant_i_put_table(expansion, "center", e->centre, 1, e->d - e->base));
    SCANT_I_TRY(scant_i_put_table(expansion, "spread", e->spread, 1, e->d - e->base));
done:
    return status;
}

scant_status scant_i_med_expansion_from_json(scant_i_med_expansion *out, const scant_i_place *place,
                                             const json_t *from, size_t base)
{
    scant_status status = SCANT_OK;
    const json_t *expansion = json_object_get(from, "expansion");
    size_t type;
    *out = (scant_i_med_expansion){.base = base, .d = base};
    if (!expansion)
        return SCANT_OK;
    SCANT_I_TRY(scant_i_get_count(&type, place, expansion, "type"));
    SCANT_I_TRY(scant_i_get_count(&out->degree, place, expansion, "degree"));
    if ((type != SCANT_I_MED_POWERS && type != SCANT_I_MED_PRODUCTS) || out->degree < 1 ||
        out->degree > MOST || base > MOST)
        return scant_i_place_fail(place, "the expansion is of no known type");
    out->type = (scant_i_med_expand)type;
    out->d = base + added(out->type, base, out->degree);
    if (out->d > MOST)
        return scant_i_place_fail(place, "the expansion makes %zu columns", out->d);
    SCANT_I_TRY(scant_i_get_table(&out->centre, place, expansion, "center", 1, out->d - out->base));
    SCANT_I_TRY(scant_i_get_table(&out->spread, place, expansion, "spread", 1, out->d - out->base));
    for (size_t i = 0; i < out->d - out->base; i++)
        if (!(out->spread[i] > 0))
            return scant_i_place_fail(place, "spread %g is not above 0", out->spread[i]);
done:
    return status;
}
