#include "model/model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "data/names.h"
#include "model/machine.h"
#include "model/score.h"

void scant_model_free(scant_model *model)
{
    if (!model)
        return;
    scant_i_mixture_free(model->mixture);
    if (model->kind && model->machine)
        model->kind->free(model->machine);
    scant_i_score_free(model->score);
    scant_i_texts_free(model->columns, model->ncolumns);
    for (size_t c = 0; model->levels && c < model->ncolumns; c++)
        scant_i_texts_free(model->levels[c], model->nlevels[c]);
    scant_i_free(model->levels);
    scant_i_free(model->nlevels);
    scant_i_texts_free(model->classes, model->nclasses);
    for (size_t s = 0; s < model->nsettings; s++) {
        scant_i_free(model->settings[s].name);
        scant_i_free(model->settings[s].value);
    }
    scant_i_free(model->settings);
    scant_i_reading_free(&model->reading);
    scant_i_free(model->component_rows);
    scant_i_free(model->component_labelled);
    scant_i_free(model->composition);
    scant_i_free(model->trace);
    scant_i_free(model->information);
    scant_i_free(model->errors);
    scant_i_free(model->baseline);
    scant_i_texts_free(model->warnings, model->nwarnings);
    scant_i_free(model);
}

void scant_i_model_make_schema(scant_model *model)
{
    model->schema = (scant_schema){
        .ncolumns = model->ncolumns,
        .names = (const char *const *)model->columns,
        .levels = (const char *const *const *)model->levels,
        .nlevels = model->nlevels,
        .nclasses = model->nclasses,
        .classes = (const char *const *)model->classes,
        .types = (const char *const *)model->reading.types,
        .ntypes = model->reading.ntypes,
        .missing_values = (const char *const *)model->reading.missing_values,
        .nmissing_values = model->reading.nmissing_values,
        .id = model->reading.id,
        .terms = (const char *const *)model->reading.terms,
        .nterms = model->reading.nterms,
    };
    if (model->score) { /* rows have what the score is made of, and all of it are numbers */
        model->schema.ncolumns = model->score->view.count;
        model->schema.names = (const char *const *)model->score->columns;
        model->schema.levels = NULL;
        model->schema.nlevels = NULL;
    }
    /* new rows need no target: it is what they are asked for */
    size_t target = scant_i_machine_target_column(model);
    if (target != SIZE_MAX)
        model->schema.optional = model->columns[target];
    for (size_t f = 0; model->mixture && f < model->mixture->nfactors; f++) {
        const scant_i_factor *factor = model->mixture->factor[f];
        if (factor->family->has_target)
            model->schema.optional = model->columns[factor->columns[factor->settings.target]];
    }
}

/* Models are kept as JSON: better to tell before a long fit than after it. */
static scant_status check_text(const char *what, const char *text)
{
    if (scant_i_is_utf8(text))
        return SCANT_OK;
    return scant_i_fail(SCANT_ERR_INPUT,
                        "%s '%s' is not UTF-8, as a model file must be; convert the data first",
                        what, text);
}

static scant_status check_texts(const scant_model *model)
{
    scant_status status = SCANT_OK;
    for (size_t c = 0; c < model->ncolumns && status == SCANT_OK; c++) {
        status = check_text("column", model->columns[c]);
        for (size_t l = 0; l < model->nlevels[c] && status == SCANT_OK; l++)
            status = check_text("level", model->levels[c][l]);
    }
    for (size_t k = 0; k < model->nclasses && status == SCANT_OK; k++)
        status = check_text("class", model->classes[k]);
    for (size_t t = 0; t < model->reading.nterms && status == SCANT_OK; t++)
        status = check_text("word", model->reading.terms[t]);
    return status;
}

scant_status scant_i_model_new(scant_model **out, const scant_rows *rows)
{
    scant_status status = SCANT_OK;
    scant_model *model = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&model, 1));
    size_t d = rows->ncolumns;
    SCANT_I_TRY(SCANT_I_NEW(&model->columns, d));
    SCANT_I_TRY(SCANT_I_NEW(&model->levels, d));
    SCANT_I_TRY(SCANT_I_NEW(&model->nlevels, d));
    model->ncolumns = d;
    SCANT_I_TRY(scant_i_reading_of(&model->reading, rows));
    for (size_t c = 0; c < d; c++) {
        char made[SCANT_I_MADE_NAME];
        model->columns[c] = scant_i_strdup(scant_i_column_name(rows, c, made));
        if (!model->columns[c]) {
            status = SCANT_ERR_MEMORY;
            goto done;
        }
        if (rows->columns && rows->columns[c].kind == SCANT_I_CATEGORY) {
            model->nlevels[c] = rows->columns[c].nlevels;
            SCANT_I_TRY(
                scant_i_texts_copy(&model->levels[c], rows->columns[c].levels, model->nlevels[c]));
        }
    }
    if (rows->labels.code) {
        model->nclasses = rows->labels.nclasses;
        SCANT_I_TRY(scant_i_texts_copy(&model->classes, rows->labels.classes, model->nclasses));
    }
    SCANT_I_TRY(check_texts(model));
    scant_i_model_make_schema(model);
    *out = model;
    model = NULL;
done:
    scant_model_free(model);
    return status;
}

/* The whole text, however long: cut short it might end within a letter, which no file could hold.
 */
static char *format_text(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : scant_i_alloc((size_t)length + 1, 1);
    if (text)
        (void)vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

scant_status scant_i_model_add_setting(scant_model *model, const char *name, const char *format,
                                       ...)
{
    scant_status status =
        scant_i_resize(&model->settings, model->nsettings + 1, sizeof *model->settings);
    if (status != SCANT_OK)
        return status;
    scant_i_setting *setting = &model->settings[model->nsettings++];
    va_list arguments;
    va_start(arguments, format);
    setting->value = format_text(format, arguments);
    va_end(arguments);
    setting->name = scant_i_strdup(name);
    return setting->name && setting->value ? SCANT_OK : SCANT_ERR_MEMORY;
}

scant_status scant_i_model_add_number(scant_model *model, const char *name, double value)
{
    char text[SCANT_I_NUMBER_TEXT];
    (void)scant_i_number_format(text, value);
    return scant_i_model_add_setting(model, name, "%s", text);
}

scant_status scant_i_model_add_warning(scant_model *model, const char *format, ...)
{
    scant_status status =
        scant_i_resize(&model->warnings, model->nwarnings + 1, sizeof *model->warnings);
    if (status != SCANT_OK)
        return status;
    va_list arguments;
    va_start(arguments, format);
    model->warnings[model->nwarnings] = format_text(format, arguments);
    va_end(arguments);
    return model->warnings[model->nwarnings++] ? SCANT_OK : SCANT_ERR_MEMORY;
}

void scant_i_model_summarise(scant_model *model, const scant_i_run *run)
{
    scant_summary *s = &model->summary;
    s->parameters = scant_i_mixture_degrees(run->mixture);
    s->weight = run->weight;
    s->loglik = run->loglik;
    s->objective = run->objective;
    s->iterations = run->iterations;
    s->best_start = run->start;
    s->stop = run->stop;
    double p = (double)s->parameters;
    s->aic = -2 * run->loglik + 2 * p;
    s->bic = -2 * run->loglik + p * log(run->weight);
    s->icl = s->bic + 2 * run->entropy;
}

scant_status scant_i_model_take_run(scant_model *model, scant_i_run *run)
{
    scant_status status = SCANT_OK;
    const scant_i_mixture *m = run->mixture;
    size_t M = m->ncomponents, K = model->nclasses;
    SCANT_I_TRY(SCANT_I_NEW(&model->component_rows, M));
    SCANT_I_TRY(SCANT_I_NEW(&model->component_labelled, M * K));
    for (size_t j = 0; j < M; j++)
        for (size_t k = 0; k < m->nclasses; k++) {
            model->component_rows[j] += run->N[k * m->stride + j];
            if (k < K)
                model->component_labelled[j * K + k] = run->labelled[k * m->stride + j];
        }
    scant_i_model_summarise(model, run);
    model->trace = run->trace;
    model->ntrace = run->ntrace;
    run->trace = NULL;
    model->mixture = run->mixture;
    run->mixture = NULL;
    scant_i_model_make_schema(model);
done:
    return status;
}

scant_status scant_i_rows_for(const scant_i_mixture *mixture, const scant_rows *rows,
                              scant_rows **owned, const scant_rows **use)
{
    bool as_it_is = !scant_rows_is_sparse(rows);
    *owned = NULL;
    *use = rows;
    if (!as_it_is) {
        as_it_is = true;
        for (size_t f = 0; f < mixture->nfactors; f++)
            as_it_is &= mixture->factor[f]->family->sparse;
    }
    if (as_it_is)
        return SCANT_OK;
    scant_status status = SCANT_OK;
    size_t *all = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&all, rows->nrows));
    for (size_t i = 0; i < rows->nrows; i++)
        all[i] = i;
    SCANT_I_TRY(scant_rows_subset(owned, rows, all, rows->nrows));
    SCANT_I_TRY(scant_i_rows_densify(*owned));
    (*owned)->carrier = rows->carrier;
    *use = *owned;
done:
    scant_i_free(all);
    return status;
}

/* --- looking --- */

const scant_summary *scant_model_summary(const scant_model *model)
{
    return &model->summary;
}

size_t scant_model_components(const scant_model *model)
{
    return model->mixture->ncomponents;
}

size_t scant_model_classes(const scant_model *model)
{
    return model->nclasses;
}

const char *scant_model_class_name(const scant_model *model, size_t class_index)
{
    return class_index < model->nclasses ? model->classes[class_index] : NULL;
}

size_t scant_model_columns(const scant_model *model)
{
    return model->ncolumns;
}

const char *scant_model_column_name(const scant_model *model, size_t column)
{
    return column < model->ncolumns ? model->columns[column] : NULL;
}

const scant_schema *scant_model_schema(const scant_model *model)
{
    return &model->schema;
}

double scant_model_coupling(const scant_model *model, size_t component, size_t class_index)
{
    return model->mixture->coupling.W[class_index * model->mixture->stride + component];
}

double scant_model_component_weight(const scant_model *model, size_t component)
{
    double weight = 0;
    for (size_t k = 0; k < model->mixture->nclasses; k++)
        weight += scant_model_coupling(model, component, k);
    return weight;
}

double scant_model_component_unlabeled(const scant_model *model, size_t component)
{
    double weight = scant_model_component_weight(model, component);
    if (!model->own_class)
        return NAN;
    return weight > 0 ? scant_model_coupling(model, component, model->nclasses) / weight : 0;
}

/* B_jk = W[k][j] / W_j., and of the column of unlabelled rows an even part, weighed by the smoothing
 * (partial labels eq. 11). */
double scant_i_class_share(const scant_model *model, const scant_i_mixture *mixture,
                           double smoothing, double weight, size_t component, size_t class_index)
{
    size_t K = scant_i_max(model->nclasses, 1);
    const double *W = mixture->coupling.W + component;
    double fake = model->own_class ? smoothing / (double)K * W[K * mixture->stride] : 0;
    return weight > 0 ? (W[class_index * mixture->stride] + fake) / weight : 0;
}

double scant_model_component_class(const scant_model *model, size_t component, size_t class_index)
{
    return scant_i_class_share(model, model->mixture, model->unlabeled_smoothing,
                               scant_model_component_weight(model, component), component,
                               class_index);
}

double scant_model_component_rows(const scant_model *model, size_t component)
{
    return model->component_rows ? model->component_rows[component] : 0;
}

double scant_model_component_labeled(const scant_model *model, size_t component, size_t class_index)
{
    return model->component_labelled
               ? model->component_labelled[component * model->nclasses + class_index]
               : 0;
}

double scant_model_component_composition(const scant_model *model, size_t component,
                                         size_t class_index)
{
    return model->composition ? model->composition[component * (model->nclasses + 1) + class_index]
                              : 0;
}

double scant_model_component_purity(const scant_model *model, size_t component)
{
    double most = 0, total = 0;
    for (size_t k = 0; k < model->nclasses; k++) {
        double rows = scant_model_component_composition(model, component, k);
        most = fmax(most, rows);
        total += rows;
    }
    return total > 0 ? most / total : NAN;
}

double scant_model_label_noise(const scant_model *model, size_t class_index, size_t label)
{
    const scant_i_mixture *m = model->mixture;
    return m->coupling.noise ? m->coupling.noise[class_index * m->nclasses + label] : NAN;
}

const double *scant_model_trace(const scant_model *model, size_t *count)
{
    *count = model->ntrace;
    return model->trace;
}

size_t scant_model_warnings(const scant_model *model)
{
    return model->nwarnings;
}

const char *scant_model_warning(const scant_model *model, size_t index)
{
    return index < model->nwarnings ? model->warnings[index] : NULL;
}

const char *scant_model_setting(const scant_model *model, const char *name)
{
    for (size_t s = 0; s < model->nsettings; s++)
        if (strcmp(model->settings[s].name, name) == 0)
            return model->settings[s].value;
    return NULL;
}

double scant_i_setting_number(const scant_model *model, const char *name, double otherwise)
{
    const char *text = scant_model_setting(model, name);
    double number;
    return text && scant_i_number_parse(&number, text, strlen(text)) ? number : otherwise;
}

bool scant_model_setting_at(const scant_model *model, size_t index, const char **name,
                            const char **value)
{
    if (index >= model->nsettings)
        return false;
    *name = model->settings[index].name;
    *value = model->settings[index].value;
    return true;
}

size_t scant_model_factors(const scant_model *model)
{
    return model->mixture->nfactors;
}

const char *scant_model_factor_family(const scant_model *model, size_t factor)
{
    return model->mixture->factor[factor]->family->name;
}

const char *scant_model_factor_covariance(const scant_model *model, size_t factor)
{
    const scant_i_factor *of = model->mixture->factor[factor];
    return of->family->has_covariances ? of->settings.covariance : NULL;
}

const double *scant_model_prior(const scant_model *model)
{
    return model->nclasses ? model->mixture->coupling.prior : NULL;
}

double scant_model_unlabeled_smoothing(const scant_model *model)
{
    return model->own_class ? model->unlabeled_smoothing : NAN;
}

size_t scant_model_factor_columns(const scant_model *model, size_t factor)
{
    return model->mixture->factor[factor]->ncolumns;
}

size_t scant_model_factor_column(const scant_model *model, size_t factor, size_t index)
{
    return model->mixture->factor[factor]->columns[index];
}

bool scant_model_parameter(const scant_model *model, size_t factor, size_t index,
                           scant_parameter_view *out)
{
    const scant_i_factor *f = model->mixture->factor[factor];
    scant_i_parameter list[SCANT_I_PARAMETERS_MAX];
    if (index >= f->family->parameters(f, list))
        return false;
    *out = (scant_parameter_view){
        .name = list[index].name,
        .ndim = list[index].ndim,
        .tied = list[index].tied,
        .value = f->theta + list[index].offset,
    };
    memcpy(out->dim, list[index].dim, sizeof out->dim);
    return true;
}
