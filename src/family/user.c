/* Families that a program brings along (scant/family.h), adapted to the descriptor of family.h.
 *
 *   theta       the arrays of the table one after another, each with all components
 *   tables      M x P: the parameters of each component in one piece, as callbacks see them
 *   statistics  of each component its weight, then the family's own sums
 *
 * Registered families are kept in a table that only grows. Who looks one up reads the count and then
 * entries below it, which never change again; so only those who register wait for each other. */
#include <scant/family.h>

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "family/family.h"

enum { USER_MOST = 64, NAME_MOST = 31 };

typedef struct user_family {
    scant_i_family family; /* first: a factor's family is also the address of this */
    scant_family given;
} user_family;

struct scant_random {
    scant_i_random *from;
};

double scant_random_uniform(scant_random *random)
{
    return scant_i_random_uniform(random->from);
}

double scant_random_normal(scant_random *random)
{
    return scant_i_random_normal(random->from);
}

static const scant_family *given_of(const scant_i_factor *factor)
{
    return &((const user_family *)factor->family)->given;
}

static scant_family_use use_of(const scant_i_factor *factor)
{
    return (scant_family_use){given_of(factor)->payload, factor->ncolumns, factor->centre,
                              factor->scale, factor->settings.min_variance};
}

/* NULL is no reason to fail. */
static scant_status because(const char *reason, const scant_i_factor *factor, size_t component)
{
    return reason ? scant_i_fail(SCANT_ERR_INPUT, "family %s, component %zu: %s",
                                 factor->family->name, component + 1, reason)
                  : SCANT_OK;
}

/* --- parameters --- */

static size_t extent(scant_family_shape shape, size_t d)
{
    return shape == SCANT_FAMILY_SQUARE ? d * d : shape == SCANT_FAMILY_COLUMNS ? d : 1;
}

/* P: numbers of one component */
static size_t count_numbers(const scant_i_factor *factor)
{
    const scant_family *given = given_of(factor);
    size_t n = 0;
    for (size_t a = 0; a < given->nparameters; a++)
        n += extent(given->parameters[a].shape, factor->ncolumns);
    return n;
}

static void get(const scant_i_factor *factor, size_t component, double *parameters)
{
    const scant_family *given = given_of(factor);
    const double *array = factor->theta;
    for (size_t a = 0; a < given->nparameters; a++) {
        size_t n = extent(given->parameters[a].shape, factor->ncolumns);
        memcpy(parameters, array + component * n, n * sizeof *parameters);
        parameters += n;
        array += factor->ncomponents * n;
    }
}

static void set(scant_i_factor *factor, size_t component, const double *parameters)
{
    const scant_family *given = given_of(factor);
    double *array = factor->theta;
    for (size_t a = 0; a < given->nparameters; a++) {
        size_t n = extent(given->parameters[a].shape, factor->ncolumns);
        memcpy(array + component * n, parameters, n * sizeof *parameters);
        parameters += n;
        array += factor->ncomponents * n;
    }
}

static scant_status configure(scant_i_factor *factor)
{
    factor->ntheta = factor->ncomponents * count_numbers(factor);
    return SCANT_OK;
}

static size_t list_parameters(const scant_i_factor *factor, scant_i_parameter *out)
{
    const scant_family *given = given_of(factor);
    size_t M = factor->ncomponents, d = factor->ncolumns, offset = 0;
    for (size_t a = 0; a < given->nparameters; a++) {
        scant_family_shape shape = given->parameters[a].shape;
        size_t ndim = shape == SCANT_FAMILY_SQUARE ? 3 : shape == SCANT_FAMILY_COLUMNS ? 2 : 1;
        out[a] = (scant_i_parameter){given->parameters[a].name, offset, ndim, {M, d, d}, false};
        offset += M * extent(shape, d);
    }
    return given->nparameters;
}

static size_t degrees(const scant_i_factor *factor)
{
    const scant_family *given = given_of(factor);
    return factor->ncomponents *
           (given->degrees ? given->degrees(factor->ncolumns) : count_numbers(factor));
}

static const char *unfit(const scant_i_factor *factor, const double *parameters)
{
    const scant_family *given = given_of(factor);
    scant_family_use use = use_of(factor);
    for (size_t a = 0; a < count_numbers(factor); a++)
        if (!isfinite(parameters[a]))
            return "a parameter is not finite";
    return given->unfit ? given->unfit(&use, parameters) : NULL;
}

static scant_status check(const scant_i_factor *factor)
{
    double *parameters = NULL;
    scant_status status = SCANT_I_NEW(&parameters, count_numbers(factor));
    for (size_t j = 0; j < factor->ncomponents && status == SCANT_OK; j++) {
        get(factor, j, parameters);
        status = because(unfit(factor, parameters), factor, j);
    }
    scant_i_free(parameters);
    return status;
}

static scant_status prepare(scant_i_factor *factor)
{
    scant_status status = check(factor);
    size_t P = count_numbers(factor);
    double *tables = factor->tables;
    if (status == SCANT_OK && !tables)
        status = SCANT_I_NEW(&tables, factor->ncomponents * P);
    for (size_t j = 0; j < factor->ncomponents && status == SCANT_OK; j++)
        get(factor, j, tables + j * P);
    factor->tables = tables;
    return status;
}

static void release(scant_i_factor *factor)
{
    scant_i_free(factor->tables);
    factor->tables = NULL;
}

/* NULL before the first M-step. */
static const double *parameters_of(const scant_i_factor *factor, size_t component)
{
    const double *tables = factor->tables;
    return tables ? tables + component * count_numbers(factor) : NULL;
}

/* --- rows --- */

static scant_status validate_cell(const scant_i_factor *factor, const scant_i_batch *batch,
                                  size_t row, size_t c)
{
    const scant_family *given = given_of(factor);
    scant_family_use use = use_of(factor);
    size_t column = factor->columns[c];
    double x = batch->dense[row * batch->ncolumns + column];
    if (isnan(x))
        return given->takes_missing
                   ? SCANT_OK
                   : scant_i_batch_fail_cell(batch, row, column, "family %s takes no missing cells",
                                             factor->family->name);
    const char *expected = given->expected ? given->expected(&use, c, x) : NULL;
    return expected ? scant_i_batch_fail_cell(batch, row, column, "%s, not %g", expected, x)
                    : SCANT_OK;
}

static scant_status validate(const scant_i_factor *factor, const scant_i_batch *batch)
{
    scant_status status = SCANT_OK;
    if (!batch->dense)
        return scant_i_fail(SCANT_ERR_INPUT, "family %s does not take sparse rows",
                            factor->family->name);
    for (size_t i = 0; i < batch->nrows && status == SCANT_OK; i++)
        for (size_t c = 0; c < factor->ncolumns && status == SCANT_OK; c++)
            status = validate_cell(factor, batch, i, c);
    return status;
}

/* Scratch of a worker. */
typedef struct scratchpad {
    double *column; /* nrows: of one component */
    double *value;  /* nrows x d */
    bool *present;  /* d */
} scratchpad;

static size_t scratch(const scant_i_factor *factor, size_t nrows, bool missing)
{
    (void)missing;
    return (1 + factor->ncolumns) * nrows * sizeof(double) + factor->ncolumns * sizeof(bool);
}

/* The factor's cells of a block, as callbacks see them. */
static scant_family_cells gather(const scant_i_factor *factor, const scant_i_block *block,
                                 void *memory, scratchpad *pad)
{
    size_t n = block->nrows, d = factor->ncolumns;
    pad->column = memory;
    pad->value = pad->column + n;
    pad->present = (bool *)(pad->value + n * d);
    for (size_t i = 0; i < n; i++)
        scant_i_block_gather(block, i, factor->columns, d, pad->value + i * d);
    for (size_t c = 0; c < d; c++)
        pad->present[c] = scant_i_block_has(block, factor->columns[c]);
    return (scant_family_cells){n, pad->value, block->present ? pad->present : NULL};
}

static scant_status log_density(const scant_i_factor *factor, const scant_i_block *block, double *L,
                                void *memory)
{
    scratchpad pad;
    scant_family_use use = use_of(factor);
    scant_family_cells cells = gather(factor, block, memory, &pad);
    for (size_t j = 0; j < factor->ncomponents; j++) {
        const char *reason =
            given_of(factor)->log_density(&use, parameters_of(factor, j), &cells, pad.column);
        for (size_t i = 0; i < block->nrows && !reason; i++) {
            L[i * factor->stride + j] += pad.column[i];
            if (!(pad.column[i] < INFINITY))
                reason = "a log density is neither finite nor minus infinity";
        }
        if (reason)
            return because(reason, factor, j);
    }
    return SCANT_OK;
}

/* A component's weight and its sums. */
static size_t count_sums(const scant_i_factor *factor)
{
    return 1 + given_of(factor)->statistics(factor->ncolumns);
}

static size_t nstatistics(const scant_i_factor *factor)
{
    return factor->ncomponents * count_sums(factor);
}

static scant_status accumulate(const scant_i_factor *factor, const scant_i_block *block,
                               const double *R, double *statistics, void *memory)
{
    scratchpad pad;
    scant_family_use use = use_of(factor);
    scant_family_cells cells = gather(factor, block, memory, &pad);
    for (size_t j = 0; j < factor->ncomponents; j++) {
        double *weight = statistics + j * count_sums(factor), *sums = weight + 1;
        for (size_t i = 0; i < block->nrows; i++) {
            pad.column[i] = R[i * factor->stride + j];
            *weight += pad.column[i];
        }
        const char *reason =
            given_of(factor)->accumulate(&use, parameters_of(factor, j), &cells, pad.column, sums);
        if (reason)
            return because(reason, factor, j);
    }
    return SCANT_OK;
}

static scant_status maximise_component(scant_i_factor *factor, size_t component, double weight,
                                       const double *sums, double *parameters)
{
    scant_family_use use = use_of(factor);
    bool bounded = false;
    get(factor, component, parameters);
    const char *reason = given_of(factor)->maximise(&use, weight, sums, parameters, &bounded);
    if (!reason)
        set(factor, component, parameters);
    factor->at_floor[component] = bounded;
    return because(reason, factor, component);
}

static scant_status maximise(scant_i_factor *factor, const double *statistics)
{
    double *parameters = NULL;
    scant_status status = SCANT_I_NEW(&parameters, count_numbers(factor));
    memset(factor->at_floor, 0, factor->ncomponents);
    for (size_t j = 0; j < factor->ncomponents && status == SCANT_OK; j++) {
        const double *weight = statistics + j * count_sums(factor);
        if (!(*weight >= 0))
            status = because("its weight is below 0, which no rows have", factor, j);
        else if (*weight > 0)
            status = maximise_component(factor, j, *weight, weight + 1, parameters);
    }
    scant_i_free(parameters);
    return status;
}

static scant_status sample(const scant_i_factor *factor, size_t component, scant_i_random *random,
                           double *x)
{
    const scant_family *given = given_of(factor);
    scant_family_use use = use_of(factor);
    scant_random source = {random};
    double *parameters = NULL;
    if (!given->sample)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "family %s was registered without a way to draw rows", given->name);
    scant_status status = SCANT_I_NEW(&parameters, count_numbers(factor));
    if (status == SCANT_OK) {
        get(factor, component, parameters);
        status = because(given->sample(&use, parameters, &source, x), factor, component);
    }
    scant_i_free(parameters);
    return status;
}

static const scant_i_family_pass pass = {
    .prepare = prepare,
    .release = release,
    .scratch = scratch,
    .log_density = log_density,
    .nstatistics = nstatistics,
    .accumulate = accumulate,
    .maximise = maximise,
};

/* --- the table --- */

static user_family registered[USER_MOST];
static atomic_size_t nregistered;
static atomic_flag registering = ATOMIC_FLAG_INIT;

const scant_i_family *scant_i_user_family_at(size_t index)
{
    return index < atomic_load_explicit(&nregistered, memory_order_acquire)
               ? &registered[index].family
               : NULL;
}

static bool is_name(const char *text)
{
    size_t length = text ? strlen(text) : 0;
    return length > 0 && length <= NAME_MOST &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

/* What a descriptor lacks, or NULL. */
static const char *lacking(const scant_family *given)
{
    if (!given->statistics || !given->log_density || !given->accumulate || !given->maximise)
        return "statistics, log_density, accumulate and maximise must be there";
    if (!given->parameters || given->nparameters < 1 || given->nparameters > SCANT_I_PARAMETERS_MAX)
        return "there must be one to four arrays of parameters";
    for (size_t a = 0; a < given->nparameters; a++) {
        if (!given->parameters[a].name || !*given->parameters[a].name)
            return "an array of parameters has no name";
        for (size_t b = 0; b < a; b++)
            if (strcmp(given->parameters[a].name, given->parameters[b].name) == 0)
                return "two arrays of parameters have the same name";
    }
    return NULL;
}

static scant_status add(const scant_family *given)
{
    size_t n = atomic_load_explicit(&nregistered, memory_order_relaxed);
    if (scant_i_family_find(given->name))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "family %s: the name is taken", given->name);
    if (n == USER_MOST)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "family %s: %d families are registered already",
                            given->name, USER_MOST);
    registered[n] = (user_family){
        .family =
            {
                .name = given->name,
                .summary = "registered by the program",
                .needs_all_cells = !given->takes_missing,
                .configure = configure,
                .parameters = list_parameters,
                .degrees = degrees,
                .validate = validate,
                .check = check,
                .sample = sample,
                .pass = &pass,
            },
        .given = *given,
    };
    atomic_store_explicit(&nregistered, n + 1, memory_order_release);
    return SCANT_OK;
}

scant_status scant_family_register(const scant_family *family)
{
    if (!is_name(family->name))
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "'%s' is no name for a family: 1 to %d small letters, digits, hyphens",
                            family->name ? family->name : "", NAME_MOST);
    const char *lack = lacking(family);
    if (lack)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "family %s: %s", family->name, lack);
    while (atomic_flag_test_and_set_explicit(&registering, memory_order_acquire))
        continue;
    scant_status status = add(family);
    atomic_flag_clear_explicit(&registering, memory_order_release);
    return status;
}
