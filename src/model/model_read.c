#include "model/chain.h"
#include "model/machine.h"
#include "model/model_file.h"
#include "base/number.h"
#include "data/types.h"
#include "model/noise.h"

#include <math.h>
#include <string.h>

enum { COUNT_MAX = 1 << 24 }; /* no file speaks of more columns, components or classes */

static scant_status read_texts(char ***out, size_t *count, const scant_i_place *place,
                               const json_t *array)
{
    size_t n = json_array_size(array);
    scant_status status = SCANT_I_NEW(out, n);
    if (status != SCANT_OK)
        return status;
    *count = n;
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(array, i);
        scant_i_place at = scant_i_place_at(place, i);
        if (!json_is_string(item))
            return scant_i_place_fail(&at, "is not a text");
        (*out)[i] = scant_i_strdup(json_string_value(item));
        if (!(*out)[i])
            return SCANT_ERR_MEMORY;
    }
    return SCANT_OK;
}

static scant_status check_distinct(const scant_i_place *place, char *const *names, size_t n)
{
    /* files are small where names are many: compare neighbours of a sorted copy only past a few */
    for (size_t i = 0; i < n && n <= 1000; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(names[i], names[j]) == 0)
                return scant_i_place_fail(place, "'%s' occurs twice", names[i]);
    return SCANT_OK;
}

static scant_status read_columns(scant_model *model, const scant_i_place *place, const json_t *root)
{
    scant_status status = SCANT_OK;
    const json_t *array, *levels;
    const char *name;
    SCANT_I_TRY(scant_i_get_array(&array, place, root, "columns"));
    scant_i_place list = scant_i_place_in(place, "columns");
    size_t n = json_array_size(array);
    if (n == 0 || n > COUNT_MAX)
        return scant_i_place_fail(&list, "has %zu columns", n);
    SCANT_I_TRY(SCANT_I_NEW(&model->columns, n));
    SCANT_I_TRY(SCANT_I_NEW(&model->levels, n));
    SCANT_I_TRY(SCANT_I_NEW(&model->nlevels, n));
    model->ncolumns = n;
    for (size_t c = 0; c < n; c++) {
        const json_t *column = json_array_get(array, c);
        scant_i_place at = scant_i_place_at(&list, c);
        SCANT_I_TRY(scant_i_get_text(&name, &at, column, "name"));
        model->columns[c] = scant_i_strdup(name);
        if (!model->columns[c])
            return SCANT_ERR_MEMORY;
        levels = json_object_get(column, "levels");
        if (levels) {
            scant_i_place inner = scant_i_place_in(&at, "levels");
            if (!json_is_array(levels) || json_array_size(levels) == 0)
                return scant_i_place_fail(&inner, "is not an array of texts");
            SCANT_I_TRY(read_texts(&model->levels[c], &model->nlevels[c], &inner, levels));
        }
    }
    SCANT_I_TRY(check_distinct(&list, model->columns, n));
done:
    return status;
}

/* --- words of older schemas --- */

typedef struct older_word {
    const char *setting, *before, *now; /* NULL `setting`: the word is a setting's name */
} older_word;

static const older_word older_words[] = {
    {NULL, "restarts", "starts"},         {"unlabeled", "latent", "em1"},
    {"unlabeled", "latent-both", "em2"},  {"unlabeled", "own-class", "em3"},
    {"unlabeled", "drop-labels", "em0"},  {"context-mode", "weigh", "likelihood"},
    {"context-mode", "replace", "prior"}, {"context-mode", "fix", "posterior"},
};

static const char *word_now(const char *setting, const char *word)
{
    for (size_t w = 0; w < sizeof older_words / sizeof *older_words; w++) {
        const older_word *older = &older_words[w];
        bool same = setting && older->setting ? strcmp(setting, older->setting) == 0
                                              : setting == older->setting;
        if (same && strcmp(word, older->before) == 0)
            return older->now;
    }
    return word;
}

const char *scant_i_setting_now(const char *name)
{
    return word_now(NULL, name);
}

const char *scant_i_value_now(const char *name, const char *value)
{
    return word_now(name, value);
}

static bool is_older(const json_t *root)
{
    return json_integer_value(json_object_get(root, "schema")) < SCANT_I_MIXTURE_SCHEMA;
}

static scant_status read_coupling(scant_model *model, const scant_i_place *place,
                                  const json_t *root, size_t nfactors)
{
    scant_status status = SCANT_OK;
    const json_t *array;
    size_t M;
    double *table = NULL;
    SCANT_I_TRY(scant_i_get_count(&M, place, root, "components"));
    scant_i_place at = scant_i_place_in(place, "coupling");
    const char *smoothing = is_older(root) ? "doubt" : "unlabeled_smoothing";
    if (json_object_get(root,
                        smoothing)) { /* unlabeled rows have a column of their own, the last */
        model->own_class = model->nclasses > 0;
        SCANT_I_TRY(scant_i_get_real(&model->unlabeled_smoothing, place, root, smoothing));
    }
    size_t dim[2] = {M, scant_i_max(model->nclasses, 1) + model->own_class};
    SCANT_I_TRY(scant_i_get_array(&array, place, root, "coupling"));
    if (M == 0 || M != json_array_size(array)) {
        status = scant_i_place_fail(&at, "is not an array of %zu components", M);
        goto done;
    }
    SCANT_I_TRY(scant_i_get_table(&table, place, root, "coupling", dim[0], dim[1]));
    SCANT_I_TRY(scant_i_mixture_new(&model->mixture, M, dim[1], nfactors));
    double sum = 0;
    for (size_t j = 0; j < M; j++)
        for (size_t k = 0; k < dim[1]; k++) {
            double w = table[j * dim[1] + k];
            if (w < 0) {
                status = scant_i_place_fail(&at, "component %zu has a negative entry %g", j + 1, w);
                goto done;
            }
            model->mixture->coupling.W[k * model->mixture->stride + j] = w;
            sum += w;
        }
    if (!(sum > 1 - 1e-6 && sum < 1 + 1e-6)) {
        status = scant_i_place_fail(&at, "adds up to %.17g, not 1", sum);
        goto done;
    }
    if (json_object_get(root, "label_noise")) {
        at = scant_i_place_in(place, "label_noise");
        SCANT_I_TRY(scant_i_noise_read(model->mixture, &at, json_object_get(root, "label_noise")));
    }
    if (json_object_get(root, "prior")) {
        scant_i_place prior = scant_i_place_in(place, "prior");
        SCANT_I_TRY(SCANT_I_NEW(&model->mixture->coupling.prior, dim[1]));
        SCANT_I_TRY(scant_i_get_numbers(model->mixture->coupling.prior, &prior,
                                        json_object_get(root, "prior"), dim + 1, 1));
        for (size_t k = 0; k < dim[1]; k++)
            if (!(model->mixture->coupling.prior[k] > 0 &&
                  model->mixture->coupling.prior[k] <= 1)) {
                status = scant_i_place_fail(&prior, "share %g of class %zu is not in (0, 1]",
                                            model->mixture->coupling.prior[k], k + 1);
                goto done;
            }
    }
done:
    scant_i_free(table);
    return status;
}

/* Its own estimates, absent where a check spoke against them, and what rows held out said. */
static scant_status read_held(scant_score *s, const scant_i_place *outer, const json_t *from)
{
    static const size_t two = 2;
    double interval[] = {NAN, NAN};
    const json_t *array = json_object_get(from, "error_interval");
    scant_i_place place = scant_i_place_in(outer, "error_interval");
    scant_status status = SCANT_OK;
    s->likeliest = s->risk = s->error = NAN;
    if (array)
        SCANT_I_TRY(scant_i_get_numbers(interval, &place, array, &two, 1));
    if (array || json_object_get(from, "likeliest_share"))
        SCANT_I_TRY(scant_i_get_real(&s->likeliest, outer, from, "likeliest_share"));
    if (json_object_get(from, "error")) {
        SCANT_I_TRY(scant_i_get_real(&s->risk, outer, from, "risk"));
        SCANT_I_TRY(scant_i_get_real(&s->error, outer, from, "error"));
    }
    s->error_low = interval[0];
    s->error_high = interval[1];
done:
    return status;
}

static scant_status read_score(scant_model *model, const scant_i_place *outer, const json_t *root)
{
    scant_status status = SCANT_OK;
    const json_t *from, *array;
    scant_i_place place = scant_i_place_in(outer, "score"),
                  columns = scant_i_place_in(&place, "columns"),
                  weights = scant_i_place_in(&place, "weights");
    if (!json_object_get(root, "score"))
        return SCANT_OK;
    if (model->ncolumns != 1 || model->nclasses != 2 || !model->mixture->coupling.prior)
        return scant_i_place_fail(&place, "goes with one column, two classes and a prior");
    SCANT_I_TRY(scant_i_get_object(&from, outer, root, "score"));
    SCANT_I_TRY(SCANT_I_NEW(&model->score, 1));
    scant_i_score *score = model->score;
    scant_score *s = &score->view;
    SCANT_I_TRY(scant_i_get_array(&array, &place, from, "columns"));
    SCANT_I_TRY(read_texts(&score->columns, &s->count, &columns, array));
    SCANT_I_TRY(check_distinct(&columns, score->columns, s->count));
    SCANT_I_TRY(SCANT_I_NEW(&score->weight, s->count));
    s->weight = score->weight;
    SCANT_I_TRY(scant_i_get_numbers(score->weight, &weights, json_object_get(from, "weights"),
                                    &s->count, 1));
    SCANT_I_TRY(scant_i_get_real(&s->offset, &place, from, "offset"));
    SCANT_I_TRY(scant_i_get_real(&s->slope, &place, from, "slope"));
    SCANT_I_TRY(scant_i_get_real(&s->share, &place, from, "share"));
    SCANT_I_TRY(scant_i_get_real(&s->distance, &place, from, "distance"));
    SCANT_I_TRY(read_held(s, &place, from));
done:
    return status;
}

static size_t column_index(const scant_model *model, const char *name, size_t guess)
{
    if (guess < model->ncolumns && strcmp(model->columns[guess], name) == 0)
        return guess;
    size_t c = 0;
    while (c < model->ncolumns && strcmp(model->columns[c], name) != 0)
        c++;
    return c;
}

static scant_status read_factor_columns(const scant_model *model, const scant_i_place *place,
                                        const json_t *from, size_t **columns, size_t **nlevels,
                                        size_t *count)
{
    scant_status status = SCANT_OK;
    const json_t *array;
    SCANT_I_TRY(scant_i_get_array(&array, place, from, "columns"));
    scant_i_place list = scant_i_place_in(place, "columns");
    size_t n = json_array_size(array);
    if (n == 0 || n > model->ncolumns)
        return scant_i_place_fail(&list, "names %zu columns", n);
    SCANT_I_TRY(SCANT_I_NEW(columns, n));
    SCANT_I_TRY(SCANT_I_NEW(nlevels, n));
    *count = n;
    for (size_t c = 0; c < n; c++) {
        const json_t *item = json_array_get(array, c);
        scant_i_place at = scant_i_place_at(&list, c);
        if (!json_is_string(item))
            return scant_i_place_fail(&at, "is not a text");
        size_t index = column_index(model, json_string_value(item), c);
        if (index == model->ncolumns)
            return scant_i_place_fail(&at, "'%s' is not a column", json_string_value(item));
        (*columns)[c] = index;
        (*nlevels)[c] = model->nlevels[index];
    }
done:
    return status;
}

static scant_status read_settings_of(scant_i_family_settings *settings, const scant_model *model,
                                     const scant_i_place *place, const json_t *from,
                                     const scant_i_family *family, const size_t *columns, size_t n)
{
    const char *text;
    scant_status status = SCANT_OK;
    *settings = (scant_i_family_settings){.covariance = "full", .min_variance = 1e-6, .smooth = 0};
    if (family->has_covariances)
        SCANT_I_TRY(scant_i_get_text(&settings->covariance, place, from, "covariance"));
    if (family->has_target) {
        SCANT_I_TRY(scant_i_get_text(&text, place, from, "target"));
        for (settings->target = 0; settings->target < n; settings->target++)
            if (strcmp(model->columns[columns[settings->target]], text) == 0)
                break;
        if (settings->target == n)
            return scant_i_place_fail(place, "target '%s' is not among the columns", text);
    }
done:
    return status;
}

scant_status scant_i_parameters_from_json(double *theta, const scant_i_factor *f,
                                          const scant_i_place *place, const json_t *from)
{
    scant_status status = SCANT_OK;
    scant_i_parameter list[SCANT_I_PARAMETERS_MAX];
    size_t n = f->family->parameters(f, list);
    for (size_t p = 0; p < n; p++) {
        scant_i_place at = scant_i_place_in(place, list[p].name);
        SCANT_I_TRY(scant_i_get_numbers(theta ? theta + list[p].offset : NULL, &at,
                                        json_object_get(from, list[p].name), list[p].dim,
                                        list[p].ndim));
    }
done:
    return status;
}

static scant_status read_theta(scant_i_factor *f, const scant_i_place *place, const json_t *from)
{
    scant_status status = SCANT_OK;
    const json_t *parameters;
    SCANT_I_TRY(scant_i_get_object(&parameters, place, from, "parameters"));
    scant_i_place inner = scant_i_place_in(place, "parameters");
    SCANT_I_TRY(scant_i_parameters_from_json(NULL, f, &inner, parameters));
    SCANT_I_TRY(SCANT_I_NEW(&f->theta, f->ntheta));
    SCANT_I_TRY(scant_i_parameters_from_json(f->theta, f, &inner, parameters));
    const json_t *standard = json_object_get(from, "standard");
    if (standard) {
        scant_i_place at = scant_i_place_in(place, "standard");
        SCANT_I_TRY(scant_i_get_numbers(f->centre, &at, json_object_get(standard, "centre"),
                                        &f->ncolumns, 1));
        SCANT_I_TRY(scant_i_get_numbers(f->scale, &at, json_object_get(standard, "scale"),
                                        &f->ncolumns, 1));
        for (size_t c = 0; c < f->ncolumns; c++)
            if (!(f->scale[c] > 0))
                return scant_i_place_fail(&at, "scale %zu is not above 0", c + 1);
    }
    status = f->family->check(f);
    if (status == SCANT_ERR_INPUT)
        return scant_i_fail_in(status, place->file, "%s: %s", place->path, scant_message());
done:
    return status;
}

/* Every column belongs to one factor. */
static scant_status check_cover(const scant_model *model, const scant_i_place *list)
{
    const scant_i_mixture *m = model->mixture;
    uint8_t *used = NULL;
    scant_status status = SCANT_I_NEW(&used, model->ncolumns);
    for (size_t f = 0; f < m->nfactors && status == SCANT_OK; f++)
        for (size_t c = 0; c < m->factor[f]->ncolumns && status == SCANT_OK; c++) {
            size_t column = m->factor[f]->columns[c];
            if (used[column]++)
                status = scant_i_place_fail(list, "column %s belongs to two factors",
                                            model->columns[column]);
        }
    for (size_t c = 0; c < model->ncolumns && status == SCANT_OK; c++)
        if (!used[c])
            status = scant_i_place_fail(list, "column %s belongs to no factor", model->columns[c]);
    scant_i_free(used);
    return status;
}

static scant_status read_factors(scant_model *model, const scant_i_place *place,
                                 const json_t *array)
{
    scant_status status = SCANT_OK;
    size_t *columns = NULL, *nlevels = NULL, n = 0;
    scant_i_place list = scant_i_place_in(place, "factors");
    for (size_t f = 0; f < json_array_size(array); f++) {
        const json_t *from = json_array_get(array, f);
        scant_i_place at = scant_i_place_at(&list, f);
        scant_i_family_settings settings;
        const char *name;
        SCANT_I_TRY(scant_i_get_text(&name, &at, from, "family"));
        const scant_i_family *family = scant_i_family_find(name);
        if (!family) {
            status = scant_i_place_fail(
                &at, "family '%s' is unknown: not of this version, nor registered by the program",
                name);
            goto done;
        }
        SCANT_I_TRY(read_factor_columns(model, &at, from, &columns, &nlevels, &n));
        SCANT_I_TRY(read_settings_of(&settings, model, &at, from, family, columns, n));
        for (size_t c = 0; c < n; c++)
            if (family->categorical != (nlevels[c] > 0)) {
                status = scant_i_place_fail(&at, "column %s does not suit family %s",
                                            model->columns[columns[c]], name);
                goto done;
            }
        SCANT_I_TRY(scant_i_factor_outline(&model->mixture->factor[f], family, &settings,
                                           model->mixture->ncomponents, columns, nlevels, n));
        SCANT_I_TRY(read_theta(model->mixture->factor[f], &at, from));
        scant_i_free(columns);
        scant_i_free(nlevels);
        columns = nlevels = NULL;
    }
    SCANT_I_TRY(check_cover(model, &list));
done:
    scant_i_free(columns);
    scant_i_free(nlevels);
    return status;
}

/* Settings that a model is fitted on with (streams, plans, information) are numbers of the fit's own ranges. */
static scant_status check_setting(const scant_i_place *place, const char *name, const char *text)
{
    static const struct {
        const char *name;
        double low, high;
    } ranges[] = {{"smooth", 0, 1e6}, {"min-variance", 1e-10, 1}, {"unlabeled-weight", 0, 1e6}};
    double number;
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
        if (strcmp(name, ranges[r].name) == 0 &&
            !(scant_i_number_parse(&number, text, strlen(text)) && number >= ranges[r].low &&
              number <= ranges[r].high)) {
            scant_i_place at = scant_i_place_in(place, name);
            return scant_i_place_fail(&at, "'%s' is not a number from %.15g to %.15g", text,
                                      ranges[r].low, ranges[r].high);
        }
    return SCANT_OK;
}

static scant_status read_words(scant_model *model, const scant_i_place *place, const json_t *root)
{
    scant_status status = SCANT_OK;
    const json_t *settings, *value, *warnings = json_object_get(root, "warnings");
    const char *key;
    bool older = is_older(root);
    scant_i_place inner = scant_i_place_in(place, "settings");
    SCANT_I_TRY(scant_i_get_object(&settings, place, root, "settings"));
    json_object_foreach((json_t *)settings, key, value)
    {
        if (!json_is_string(value))
            continue;
        const char *name = older ? scant_i_setting_now(key) : key, *word = json_string_value(value);
        SCANT_I_TRY(check_setting(&inner, key, word));
        SCANT_I_TRY(scant_i_model_add_setting(model, name, "%s",
                                              older ? scant_i_value_now(name, word) : word));
    }
    if (json_is_array(warnings)) {
        scant_i_place at = scant_i_place_in(place, "warnings");
        SCANT_I_TRY(read_texts(&model->warnings, &model->nwarnings, &at, warnings));
    }
done:
    return status;
}

/* A file made by hand may leave the word out. */
static scant_status check_method(const scant_i_place *place, const json_t *root)
{
    const char *method, *known = json_object_get(root, "score") ? "blind" : "em";
    if (!json_object_get(root, "method") || json_object_get(root, "machine"))
        return SCANT_OK;
    scant_status status = scant_i_get_text(&method, place, root, "method");
    if (status == SCANT_OK && strcmp(method, known) != 0)
        return scant_i_place_fail(
            place, "method is '%s', not %s: this scant does not understand it", method, known);
    return status;
}

static scant_status check_head(const scant_i_place *place, const json_t *root)
{
    const char *format;
    size_t schema;
    if (!json_is_object(root))
        return scant_i_fail(SCANT_ERR_INPUT, "%s:1:1: not a scant model", place->file);
    scant_status status = scant_i_get_text(&format, place, root, "format");
    if (status == SCANT_OK && strcmp(format, "scant-model") != 0)
        return scant_i_place_fail(place, "format is '%s', not scant-model", format);
    if (status == SCANT_OK)
        status = scant_i_get_count(&schema, place, root, "schema");
    if (status == SCANT_OK && (schema == 0 || schema > SCANT_I_MODEL_SCHEMA))
        return scant_i_place_fail(place, "schema %zu is newer than this scant understands (%d)",
                                  schema, SCANT_I_MODEL_SCHEMA);
    return status == SCANT_OK ? check_method(place, root) : status;
}

/* Models that were fitted to plain numbers, and older ones, have none. */
static scant_status read_reading(scant_i_reading *out, const scant_i_place *outer,
                                 const json_t *root)
{
    scant_status status = SCANT_OK;
    const json_t *object, *array;
    const char *text;
    if (!json_object_get(root, "reading"))
        return SCANT_OK;
    SCANT_I_TRY(scant_i_get_object(&object, outer, root, "reading"));
    scant_i_place place = scant_i_place_in(outer, "reading");
    SCANT_I_TRY(scant_i_get_array(&array, &place, object, "types"));
    scant_i_place list = scant_i_place_in(&place, "types");
    SCANT_I_TRY(read_texts(&out->types, &out->ntypes, &list, array));
    for (size_t t = 0; t < out->ntypes; t++) {
        scant_i_type type;
        size_t length;
        if (scant_i_type_read(&type, &length, out->types[t]) != SCANT_OK)
            return scant_i_place_fail(&list, "'%s' is no type of a column", out->types[t]);
    }
    if (json_object_get(object, "missing_values")) {
        SCANT_I_TRY(scant_i_get_array(&array, &place, object, "missing_values"));
        list = scant_i_place_in(&place, "missing_values");
        SCANT_I_TRY(read_texts(&out->missing_values, &out->nmissing_values, &list, array));
    }
    if (json_object_get(object, "terms")) {
        SCANT_I_TRY(scant_i_get_array(&array, &place, object, "terms"));
        list = scant_i_place_in(&place, "terms");
        SCANT_I_TRY(read_texts(&out->terms, &out->nterms, &list, array));
        SCANT_I_TRY(check_distinct(&list, out->terms, out->nterms));
    }
    if (json_object_get(object, "id")) {
        SCANT_I_TRY(scant_i_get_text(&text, &place, object, "id"));
        if (!(out->id = scant_i_strdup(text)))
            status = SCANT_ERR_MEMORY;
    }
done:
    return status;
}

scant_status scant_i_model_from_json(scant_model **out, const scant_i_place *place,
                                     const json_t *root)
{
    scant_status status = SCANT_OK;
    scant_model *model = NULL;
    const json_t *array;
    *out = NULL;
    SCANT_I_TRY(check_head(place, root));
    SCANT_I_TRY(SCANT_I_NEW(&model, 1));
    SCANT_I_TRY(read_columns(model, place, root));
    SCANT_I_TRY(read_reading(&model->reading, place, root));
    SCANT_I_TRY(scant_i_get_array(&array, place, root, "classes"));
    scant_i_place classes = scant_i_place_in(place, "classes");
    SCANT_I_TRY(read_texts(&model->classes, &model->nclasses, &classes, array));
    SCANT_I_TRY(check_distinct(&classes, model->classes, model->nclasses));
    if (json_object_get(root, "machine")) {
        SCANT_I_TRY(scant_i_machine_from_json(model, place, root));
    } else {
        SCANT_I_TRY(scant_i_get_array(&array, place, root, "factors"));
        SCANT_I_TRY(read_coupling(model, place, root, json_array_size(array)));
        SCANT_I_TRY(read_score(model, place, root));
        SCANT_I_TRY(scant_i_chain_from_json(model, place, root));
        SCANT_I_TRY(read_factors(model, place, array));
    }
    SCANT_I_TRY(read_words(model, place, root));
    SCANT_I_TRY(scant_i_training_from_json(model, place, root));
    SCANT_I_TRY(scant_i_information_from_json(model, place, root));
    SCANT_I_TRY(scant_i_baseline_from_json(model, place, root));
    scant_i_model_make_schema(model);
    *out = model;
    model = NULL;
done:
    scant_model_free(model);
    return status;
}

scant_status scant_model_read(scant_model **out, const char *path)
{
    json_t *root;
    scant_i_place place = {.file = path};
    *out = NULL;
    scant_status status = scant_i_document_read(&root, path);
    if (status == SCANT_OK)
        status = scant_i_model_from_json(out, &place, root);
    json_decref(root);
    return status;
}
