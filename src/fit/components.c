#include "fit/components.h"

#include <stdlib.h>
#include <string.h>

#include "data/prior.h"

enum { COMPONENTS_MAX = 100000 };

static bool whole(const char *text, const char *end, size_t *out)
{
    char *stop;
    if (text == end || *text < '0' || *text > '9')
        return false;
    unsigned long value = strtoul(text, &stop, 10);
    *out = value;
    return stop == end && value >= 1 && value <= COMPONENTS_MAX;
}

static scant_status refuse(const char *text)
{
    return scant_i_fail(
        SCANT_ERR_ARGUMENT,
        "--components: '%s' is neither a number of components, nor N/class, nor class=N,...", text);
}

/* N in all: equally, and the remainder to the classes of most weight */
static scant_status share(size_t *count, size_t total, size_t K, const double *weight)
{
    if (total < K)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--components: %zu components cannot serve %zu classes that share "
                            "none; give at least one "
                            "each, or --sharing common",
                            total, K);
    size_t rest = total % K;
    for (size_t k = 0; k < K; k++) {
        size_t heavier = 0; /* classes that come before k */
        for (size_t l = 0; l < K; l++)
            heavier += weight[l] > weight[k] || (weight[l] == weight[k] && l < k);
        count[k] = total / K + (heavier < rest);
    }
    return SCANT_OK;
}

/* What stands where a class should. */
static scant_status fail_at(const char *item)
{
    size_t length = strcspn(item, ","), equals = length;
    while (equals > 0 && item[equals] != '=')
        equals--;
    return item[equals] == '='
               ? scant_i_fail(SCANT_ERR_ARGUMENT,
                              "--components: '%.*s' is not a class of these rows", (int)equals,
                              item)
               : scant_i_fail(SCANT_ERR_ARGUMENT, "--components: '%.*s' is not of the form class=N",
                              (int)length, item);
}

static scant_status named(size_t *count, const char *text, char *const *classes, size_t K)
{
    memset(count, 0, K * sizeof *count);
    for (const char *item = text; *item;) {
        size_t k = scant_i_class_at(item, (const char *const *)classes, K), n = 0;
        if (k == K)
            return fail_at(item);
        const char *number = item + strlen(classes[k]) + 1, *end = number + strcspn(number, ",");
        if (!whole(number, end, &n))
            return refuse(text);
        if (count[k])
            return scant_i_fail(SCANT_ERR_ARGUMENT, "--components: '%s' names class %s twice", text,
                                classes[k]);
        count[k] = n;
        item = *end ? end + 1 : end;
    }
    for (size_t k = 0; k < K; k++)
        if (count[k] == 0)
            return scant_i_fail(SCANT_ERR_ARGUMENT,
                                "--components: '%s' gives class %s no component", text, classes[k]);
    return SCANT_OK;
}

scant_status scant_i_components_parse(size_t *count, const char *text, char *const *classes,
                                      size_t K, const double *weight)
{
    size_t n = 1;
    const char *slash = text ? strchr(text, '/') : NULL;
    if (text && strchr(text, '=') && classes)
        return named(count, text, classes, K);
    if (text && !slash)
        return whole(text, text + strlen(text), &n) ? share(count, n, K, weight) : refuse(text);
    if (text && (strcmp(slash, "/class") != 0 || !whole(text, slash, &n)))
        return refuse(text);
    if (text && !classes)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--components: '%s', but these rows have no classes (--label)", text);
    for (size_t k = 0; k < K; k++)
        count[k] = n;
    return SCANT_OK;
}
