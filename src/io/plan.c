#include "io/plan.h"

#include <math.h>
#include <string.h>
#include "base/number.h"
#include "data/names.h"

typedef struct planner {
    scant_i_plan *plan;
    const char *file;
    const char *const *names;
    const scant_read_options *options;
} planner;

static scant_status refuse_name(const planner *p, const char *what, const char *name)
{
    const char *near = scant_i_names_nearest(name, p->names, p->plan->nfields);
    return scant_i_fail_in(SCANT_ERR_INPUT, p->file, "there is no %s '%s'%s%s%s", what, name,
                           near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static size_t find_name(const planner *p, const char *name)
{
    size_t j = 0;
    while (j < p->plan->nfields && strcmp(p->names[j], name) != 0)
        j++;
    return j;
}

static bool is_listed(const char *name, const char *const *list, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (strcmp(list[k], name) == 0)
            return true;
    return false;
}

/* A column with a role may be hit by a pattern of other columns; by its name it is meant. */
static scant_status check_role(const planner *p, const char *name, const char *what, bool optional)
{
    const scant_read_options *o = p->options;
    if (!name || optional)
        return SCANT_OK;
    if (is_listed(name, o->features, o->nfeatures))
        return scant_i_fail_in(SCANT_ERR_ARGUMENT, p->file,
                               "--features: column '%s' is the %s already", name, what);
    if (is_listed(name, o->ignore, o->nignore))
        scant_i_log(SCANT_LOG_WARNING, "%s: --ignore: column '%s' is used all the same, as the %s",
                    p->file, name, what);
    return SCANT_OK;
}

static scant_status assign(const planner *p, const char *name, scant_i_role role, const char *what,
                           bool optional)
{
    if (!name)
        return SCANT_OK;
    size_t j = find_name(p, name);
    if (j == p->plan->nfields)
        return optional ? SCANT_OK : refuse_name(p, what, name);
    if (p->plan->fields[j].role != SCANT_I_UNUSED)
        return scant_i_fail_in(SCANT_ERR_ARGUMENT, p->file, "column '%s' is given two roles", name);
    p->plan->fields[j].role = role;
    return check_role(p, name, what, optional);
}

static bool matches_any(const char *name, const char *const *patterns, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (scant_i_matches(patterns[k], name))
            return true;
    return false;
}

/* Every pattern of a list must hit something, else a slip of the pen goes unseen. */
static scant_status check_patterns(const planner *p, const char *const *patterns, size_t n,
                                   const char *what)
{
    for (size_t k = 0; k < n; k++) {
        size_t j = 0;
        while (j < p->plan->nfields && !scant_i_matches(patterns[k], p->names[j]))
            j++;
        if (j == p->plan->nfields)
            return refuse_name(p, what, patterns[k]);
    }
    return SCANT_OK;
}

static bool is_probability(const char *name)
{
    return strncmp(name, "p_", 2) == 0;
}

/* A table of probabilities may have more columns; `p_` then says which they are. */
static bool has_marked(const planner *p)
{
    bool marked = false;
    for (size_t j = 0; j < p->plan->nfields; j++)
        marked =
            marked || (p->plan->fields[j].role == SCANT_I_UNUSED && is_probability(p->names[j]));
    return marked;
}

/* Class probabilities count as features until the rows are there; they stand behind the others. */
static scant_status choose_context(const planner *p)
{
    const scant_read_options *o = p->options;
    scant_status status = check_patterns(p, o->context, o->ncontext, "file or context column");
    for (size_t j = 0; status == SCANT_OK && j < p->plan->nfields; j++) {
        scant_i_field *field = &p->plan->fields[j];
        if (field->role != SCANT_I_UNUSED || !matches_any(p->names[j], o->context, o->ncontext))
            continue;
        field->role = SCANT_I_FEATURE;
        field->probability = true;
        p->plan->ncontext++;
    }
    return status;
}

static void place_context(const planner *p)
{
    scant_i_plan *plan = p->plan;
    for (size_t j = 0; plan->ncontext && j < plan->nfields; j++)
        if (plan->fields[j].probability) {
            plan->fields[j].target = plan->ncolumns;
            plan->source[plan->ncolumns++] = j;
        }
}

/* --- types --- */

static scant_status set_types(const planner *p, const char *const *types, size_t n, bool must_hit)
{
    for (size_t t = 0; t < n; t++) {
        scant_i_type type;
        size_t length;
        bool hit = false;
        scant_status status = scant_i_type_read(&type, &length, types[t]);
        char *pattern = status == SCANT_OK ? scant_i_strndup(types[t], length) : NULL;
        if (!pattern)
            return status == SCANT_OK ? SCANT_ERR_MEMORY : status;
        size_t exact = find_name(p, pattern);
        for (size_t j = 0; j < p->plan->nfields; j++) {
            if (exact < p->plan->nfields ? j != exact : !scant_i_matches(pattern, p->names[j]))
                continue;
            p->plan->fields[j].type = type;
            p->plan->fields[j].typed = hit = true;
        }
        if (!hit && must_hit)
            status = refuse_name(p, "column", pattern);
        scant_i_free(pattern);
        if (status != SCANT_OK)
            return status;
    }
    return SCANT_OK;
}

/* Numbers that look like a value for missing must not be read on the way. */
static bool has_missing_number(const char *const *values, size_t n)
{
    double value;
    for (size_t k = 0; k < n; k++)
        if (scant_i_number_parse(&value, values[k], strlen(values[k])))
            return true;
    return false;
}

static scant_status choose_types(const planner *p)
{
    const scant_read_options *o = p->options;
    const scant_schema *schema = o->schema;
    scant_status status = SCANT_OK;
    p->plan->lenient = o->guess || (schema && schema->ntypes);
    if (schema)
        SCANT_I_TRY(set_types(p, schema->types, schema->ntypes, false));
    SCANT_I_TRY(set_types(p, o->types, o->ntypes, true));
    SCANT_I_TRY(check_patterns(p, o->text, o->ntext, "text column"));
    for (size_t j = 0; j < p->plan->nfields; j++) {
        scant_i_field *field = &p->plan->fields[j];
        bool number = !field->typed || field->type.kind <= SCANT_KIND_BINARY;
        if (matches_any(p->names[j], o->text, o->ntext)) {
            field->type = (scant_i_type){.kind = SCANT_KIND_TEXT};
            field->typed = true;
        } else if (o->decimal && number) {
            char thousands = o->decimal == ',' ? '.' : ',';
            field->type.notation = (scant_i_notation){o->decimal, thousands};
        }
        bool plain = field->type.notation.decimal != ',';
        field->fast =
            number && plain && !has_missing_number(o->missing_values, o->nmissing_values) &&
            !(schema && has_missing_number(schema->missing_values, schema->nmissing_values));
    }
done:
    return status;
}

/* Where a typed column goes. False: it is no feature. */
static bool place_feature(const planner *p, scant_i_field *field, size_t j, size_t *n)
{
    scant_kind kind = field->typed ? field->type.kind : SCANT_KIND_NUMBER;
    bool wanted = is_listed(p->names[j], p->options->categorical, p->options->ncategorical);
    if (!wanted &&
        (kind == SCANT_KIND_IGNORE || kind == SCANT_KIND_IDENTIFIER || kind == SCANT_KIND_CONSTANT))
        return false;
    field->role = SCANT_I_FEATURE;
    field->target = *n;
    if (kind == SCANT_KIND_TEXT) {
        p->plan->nwords++;
        return true;
    }
    if (kind == SCANT_KIND_DATE) {
        for (size_t k = 0; k < SCANT_I_PARTS; k++) {
            bool there = k == 0 || field->type.cycle[(k - 1) / 2];
            field->part[k] = there ? *n : SIZE_MAX;
            if (there)
                p->plan->source[(*n)++] = j;
        }
        return true;
    }
    if (kind == SCANT_KIND_CATEGORY || kind >= SCANT_KIND_IDENTIFIER)
        field->kind = SCANT_I_CATEGORY;
    p->plan->source[(*n)++] = j;
    return true;
}

/* Texts among other columns are for those who ask for them. */
static void drop_texts(const planner *p)
{
    scant_i_plan *plan = p->plan;
    if (plan->nwords == 0 || plan->ncolumns == 0 || p->options->keep_text)
        return;
    for (size_t j = 0; j < plan->nfields; j++)
        if (plan->fields[j].role == SCANT_I_FEATURE && plan->fields[j].typed &&
            plan->fields[j].type.kind == SCANT_KIND_TEXT) {
            plan->fields[j].role = SCANT_I_UNUSED;
            scant_i_log(SCANT_LOG_WARNING,
                        "%s: column '%s' is text and left out, since there are other columns; "
                        "--features COL takes texts alone",
                        p->file, p->names[j]);
        }
    plan->nwords = 0;
}

static scant_status choose_features(const planner *p)
{
    const scant_read_options *o = p->options;
    scant_status status = SCANT_OK;
    size_t n = 0;
    bool marked = o->probabilities && has_marked(p);
    SCANT_I_TRY(check_patterns(p, o->features, o->nfeatures, "feature column"));
    SCANT_I_TRY(check_patterns(p, o->ignore, o->nignore, "column to ignore"));
    SCANT_I_TRY(check_patterns(p, o->categorical, o->ncategorical, "categorical column"));
    for (size_t j = 0; j < p->plan->nfields; j++) {
        scant_i_field *field = &p->plan->fields[j];
        if (field->role != SCANT_I_UNUSED || matches_any(p->names[j], o->ignore, o->nignore) ||
            (o->features && !matches_any(p->names[j], o->features, o->nfeatures)) ||
            (marked && !is_probability(p->names[j])))
            continue;
        if (matches_any(p->names[j], o->categorical, o->ncategorical)) {
            field->type = (scant_i_type){.kind = SCANT_KIND_CATEGORY};
            field->typed = true;
        }
        if (place_feature(p, field, j, &n))
            field->probability = o->probabilities;
    }
    p->plan->ncolumns = n;
    drop_texts(p);
    if (n == 0 && p->plan->nwords == 0)
        status = scant_i_fail_in(SCANT_ERR_INPUT, p->file, "no column is left to be a feature");
done:
    return status;
}

/* A schema says which columns are features: options may say the same once more, and nothing else. */
static scant_status check_choice(const planner *p, size_t j)
{
    const scant_read_options *o = p->options;
    const scant_i_field *field = &p->plan->fields[j];
    const char *name = p->names[j];
    bool used = field->role == SCANT_I_FEATURE, ignored = matches_any(name, o->ignore, o->nignore),
         listed = matches_any(name, o->features, o->nfeatures);
    if (field->probability || (!used && field->role != SCANT_I_UNUSED))
        return SCANT_OK;
    if (used && ignored)
        return scant_i_fail_in(SCANT_ERR_ARGUMENT, p->file,
                               "--ignore: column '%s' is one that the model was fitted with", name);
    if (used && o->nfeatures && !listed)
        return scant_i_fail_in(SCANT_ERR_ARGUMENT, p->file,
                               "--features: column '%s', which the model was fitted with, is not "
                               "among them",
                               name);
    if (!used && listed && !ignored)
        return scant_i_fail_in(SCANT_ERR_ARGUMENT, p->file,
                               "--features: column '%s' is none that the model was fitted with",
                               name);
    if (used && field->kind != SCANT_I_CATEGORY &&
        matches_any(name, o->categorical, o->ncategorical))
        return scant_i_fail_in(SCANT_ERR_ARGUMENT, p->file,
                               "--categorical: the model was fitted with numbers in column '%s'",
                               name);
    return SCANT_OK;
}

/* A name as columns without one have it: x1, x2, ... */
static bool is_made(const char *name)
{
    return name[0] == 'x' && name[1] >= '1' && name[1] <= '9' &&
           name[1 + strspn(name + 1, "0123456789")] == '\0';
}

/* The parts of the schema's dates, by name. */
static bool find_part(const planner *p, const char *name, size_t column)
{
    for (size_t j = 0; j < p->plan->nfields; j++) {
        scant_i_field *field = &p->plan->fields[j];
        size_t n = strlen(p->names[j]);
        if (!field->typed || field->type.kind != SCANT_KIND_DATE ||
            strncmp(name, p->names[j], n) != 0)
            continue;
        for (size_t k = 0; k < SCANT_I_PARTS; k++) {
            if (strcmp(name + n, scant_i_part_suffix[k]) != 0 ||
                (field->role != SCANT_I_UNUSED && field->role != SCANT_I_FEATURE))
                continue;
            for (size_t other = 0; field->role == SCANT_I_UNUSED && other < SCANT_I_PARTS; other++)
                field->part[other] = SIZE_MAX;
            field->role = SCANT_I_FEATURE;
            field->part[k] = column;
            p->plan->source[column] = j;
            return true;
        }
    }
    return false;
}

/* Columns of texts that the schema knows. True: its columns are words and nothing else. */
static scant_status find_texts(bool *alone, const planner *p)
{
    const scant_schema *schema = p->options->schema;
    *alone = false;
    for (size_t t = 0; t < schema->ntypes; t++) {
        scant_i_type type;
        size_t length;
        scant_status status = scant_i_type_read(&type, &length, schema->types[t]);
        if (status != SCANT_OK)
            return status;
        if (type.kind != SCANT_KIND_TEXT)
            continue;
        size_t j = 0;
        while (j < p->plan->nfields && (strlen(p->names[j]) != length ||
                                        memcmp(p->names[j], schema->types[t], length) != 0))
            j++;
        if (j == p->plan->nfields)
            return scant_i_fail_in(SCANT_ERR_INPUT, p->file,
                                   "there is no column '%.*s', which the model's words are of",
                                   (int)length, schema->types[t]);
        if (p->plan->fields[j].role != SCANT_I_UNUSED)
            return scant_i_fail_in(SCANT_ERR_ARGUMENT, p->file, "column '%s' is given two roles",
                                   p->names[j]);
        p->plan->fields[j].role = SCANT_I_FEATURE;
        p->plan->nwords++;
        *alone = schema->nterms == 0;
    }
    return SCANT_OK;
}

static bool has_dates(const scant_i_plan *plan)
{
    for (size_t j = 0; j < plan->nfields; j++)
        if (plan->fields[j].typed && plan->fields[j].type.kind == SCANT_KIND_DATE)
            return true;
    return false;
}

static scant_status follow_schema(const planner *p, bool reach_is_open)
{
    const scant_schema *schema = p->options->schema;
    scant_status status = SCANT_OK;
    scant_i_names table = {0};
    size_t extras = 0;
    int32_t code = 0;
    bool words_alone, dates = has_dates(p->plan);
    SCANT_I_TRY(find_texts(&words_alone, p));
    for (size_t j = 0; j < p->plan->nfields; j++)
        SCANT_I_TRY(scant_i_names_add(&code, &table, p->names[j], strlen(p->names[j])));
    for (size_t k = 0; k < schema->ncolumns && !words_alone; k++) {
        if (dates && find_part(p, schema->names[k], k))
            continue;
        code = scant_i_names_find(&table, schema->names[k], strlen(schema->names[k]));
        p->plan->source[k] = code < 0 ? SIZE_MAX : (size_t)code;
        bool optional = schema->optional && strcmp(schema->optional, schema->names[k]) == 0;
        if (code < 0 && (optional || (reach_is_open && is_made(schema->names[k]))))
            continue;
        if (code < 0) {
            status = refuse_name(p, "column", schema->names[k]);
            goto done;
        }
        scant_i_field *field = &p->plan->fields[code];
        if (field->role != SCANT_I_UNUSED) {
            status = scant_i_fail_in(SCANT_ERR_ARGUMENT, p->file, "column '%s' is given two roles",
                                     schema->names[k]);
            goto done;
        }
        field->role = SCANT_I_FEATURE;
        field->target = k;
        bool category = schema->levels && schema->levels[k];
        field->kind = category ? SCANT_I_CATEGORY : SCANT_I_NUMBER;
        field->fast = field->fast && !category;
    }
    p->plan->ncolumns = words_alone ? 0 : schema->ncolumns;
    for (size_t j = 0; j < p->plan->nfields; j++) {
        SCANT_I_TRY(check_choice(p, j));
        if (p->plan->fields[j].role != SCANT_I_UNUSED)
            continue;
        if (extras++ < 10) /* the first few say enough */
            scant_i_log(SCANT_LOG_INFO, "%s: column '%s' is not used", p->file, p->names[j]);
    }
    if (extras > 10)
        scant_i_log(SCANT_LOG_INFO, "%s: %zu columns in all are not used", p->file, extras);
done:
    scant_i_names_free(&table);
    return status;
}

scant_status scant_i_plan_new(scant_i_plan *out, const char *file, const char *const *names,
                              size_t nfields, const scant_read_options *options, bool reach_is_open)
{
    scant_status status = SCANT_OK;
    planner p = {out, file, names, options};
    size_t most = SCANT_I_PARTS * nfields + (options->schema ? options->schema->ncolumns : 0);
    *out = (scant_i_plan){.nfields = nfields};
    SCANT_I_TRY(SCANT_I_NEW(&out->fields, nfields));
    SCANT_I_TRY(SCANT_I_NEW(&out->source, most + 1));
    SCANT_I_TRY(choose_types(&p));
    SCANT_I_TRY(assign(&p, options->label, SCANT_I_LABEL, "label column", options->label_optional));
    SCANT_I_TRY(assign(&p, options->weight, SCANT_I_WEIGHT, "weight column", false));
    SCANT_I_TRY(assign(&p, options->id, SCANT_I_ID, "identifier column", options->id_optional));
    SCANT_I_TRY(assign(&p, options->group, SCANT_I_GROUP, "group column", false));
    SCANT_I_TRY(assign(&p, options->sequence, SCANT_I_GROUP, "sequence column", false));
    SCANT_I_TRY(assign(&p, options->time, SCANT_I_TIME, "time column", false));
    SCANT_I_TRY(choose_context(&p));
    SCANT_I_TRY(options->schema ? follow_schema(&p, reach_is_open) : choose_features(&p));
    place_context(&p);
    for (size_t j = 0; j < nfields; j++) {
        scant_i_field *field = &out->fields[j];
        field->fast = field->fast && field->role == SCANT_I_FEATURE &&
                      field->kind == SCANT_I_NUMBER && field->type.kind != SCANT_KIND_DATE &&
                      field->type.kind != SCANT_KIND_TEXT;
    }
done:
    if (status != SCANT_OK)
        scant_i_plan_free(out);
    return status;
}

void scant_i_plan_free(scant_i_plan *plan)
{
    scant_i_free(plan->fields);
    scant_i_free(plan->source);
    *plan = (scant_i_plan){0};
}

/* A part of a date has a name of its own. */
static char *column_name(const scant_i_field *field, const char *name, size_t column)
{
    size_t part = 0;
    bool date = field->typed && field->type.kind == SCANT_KIND_DATE;
    while (date && part + 1 < SCANT_I_PARTS && field->part[part] != column)
        part++;
    return scant_i_format("%s%s", name, scant_i_part_suffix[part]);
}

/* How the features were read, for whoever reads others in the same way. */
static scant_status keep_reading(scant_rows *rows, const scant_i_plan *plan,
                                 const char *const *names, const scant_read_options *options)
{
    scant_status status = SCANT_OK;
    scant_i_reading *r = &rows->reading;
    const char *const *words = options->missing_values;
    size_t nwords = options->nmissing_values;
    SCANT_I_TRY(SCANT_I_NEW(&r->types, plan->nfields));
    for (size_t j = 0; j < plan->nfields; j++) {
        if (plan->fields[j].role != SCANT_I_FEATURE || plan->fields[j].probability)
            continue;
        if (!(r->types[r->ntypes] = scant_i_type_text(names[j], &plan->fields[j].type)))
            return SCANT_ERR_MEMORY;
        r->ntypes++;
    }
    SCANT_I_TRY(SCANT_I_NEW(&r->missing_values, nwords));
    for (; r->nmissing_values < nwords; r->nmissing_values++)
        if (!(r->missing_values[r->nmissing_values] = scant_i_strdup(words[r->nmissing_values])))
            return SCANT_ERR_MEMORY;
    if (options->id && !(r->id = scant_i_strdup(options->id)))
        status = SCANT_ERR_MEMORY;
done:
    return status;
}

scant_status scant_i_plan_columns(scant_rows *rows, const scant_i_plan *plan,
                                  const char *const *names, const scant_read_options *options)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&rows->columns, plan->ncolumns));
    rows->ncontext = plan->ncontext;
    for (size_t k = 0; k < plan->ncolumns; k++) {
        size_t j = plan->source[k];
        bool absent = j == SIZE_MAX;
        rows->columns[k].name = absent ? scant_i_strdup(options->schema->names[k])
                                       : column_name(&plan->fields[j], names[j], k);
        if (!rows->columns[k].name) {
            status = SCANT_ERR_MEMORY;
            goto done;
        }
        rows->columns[k].field = absent ? 0 : j + 1;
        rows->columns[k].kind = absent ? SCANT_I_NUMBER : plan->fields[j].kind;
        rows->columns[k].binary =
            !absent && plan->fields[j].typed && plan->fields[j].type.kind == SCANT_KIND_BINARY;
    }
    for (size_t j = 0; j < plan->nfields; j++) {
        char **name = NULL;
        switch (plan->fields[j].role) {
        case SCANT_I_LABEL: name = &rows->labels.column; break;
        case SCANT_I_WEIGHT: name = &rows->weight_name; break;
        case SCANT_I_ID: name = &rows->id_name; break;
        case SCANT_I_GROUP: name = &rows->group_name; break;
        case SCANT_I_TIME: name = &rows->time_name; break;
        case SCANT_I_UNUSED:
        case SCANT_I_FEATURE: continue;
        }
        if (!(*name = scant_i_strdup(names[j]))) {
            status = SCANT_ERR_MEMORY;
            goto done;
        }
        if (name == &rows->labels.column)
            rows->labels.field = j + 1;
        if (name == &rows->group_name)
            rows->group_field = j + 1;
        if (name == &rows->time_name)
            rows->time_field = j + 1;
    }
    if (plan->lenient)
        SCANT_I_TRY(keep_reading(rows, plan, names, options));
done:
    return status;
}
