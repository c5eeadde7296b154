#include "data/prior.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

static const double ROUNDING = 1e-6; /* shares are typed with few digits */

static scant_status read_share(double *out, const char *text, size_t length)
{
    if (scant_i_number_parse(out, text, length) && *out >= 0 && *out <= 1)
        return SCANT_OK;
    return scant_i_fail(SCANT_ERR_ARGUMENT, "'%.*s' is not a share from 0 to 1", (int)length, text);
}

/* "name=share"; the last equals sign counts. */
static scant_status read_pair(double *prior, const char *text, size_t length,
                              const char *const *classes, size_t nclasses)
{
    size_t name = length, k = 0;
    while (name > 0 && text[name - 1] != '=')
        name--;
    if (name == 0)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "'%.*s' is not of the form class=share",
                            (int)length, text);
    int shown = (int)name - 1;
    while (k < nclasses &&
           (strlen(classes[k]) != name - 1 || memcmp(classes[k], text, name - 1) != 0))
        k++;
    if (k == nclasses)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "'%.*s' is not a class here", shown, text);
    if (!isnan(prior[k]))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "class '%.*s' is there twice", shown, text);
    return read_share(&prior[k], text + name, length - name);
}

static scant_status check_sum(double *prior, const char *const *classes, size_t nclasses)
{
    double sum = 0;
    for (size_t k = 0; k < nclasses; k++) {
        if (isnan(prior[k]))
            return scant_i_fail(SCANT_ERR_ARGUMENT, "class '%s' has no share", classes[k]);
        sum += prior[k];
    }
    if (!(fabs(sum - 1) <= ROUNDING))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "the shares add up to %.10g, not 1", sum);
    for (size_t k = 0; k < nclasses; k++)
        prior[k] /= sum;
    return SCANT_OK;
}

scant_status scant_prior_read(double *prior, const char *text, const char *const *classes,
                              size_t nclasses)
{
    double alone;
    if (nclasses == 2 && scant_i_number_parse(&alone, text, strlen(text))) {
        scant_status status = read_share(&prior[1], text, strlen(text));
        prior[0] = 1 - prior[1];
        return status;
    }
    for (size_t k = 0; k < nclasses; k++)
        prior[k] = NAN;
    for (const char *item = text; *item;) {
        size_t length = strcspn(item, ",");
        scant_status status = read_pair(prior, item, length, classes, nclasses);
        if (status != SCANT_OK)
            return status;
        item += length + (item[length] == ',');
    }
    return check_sum(prior, classes, nclasses);
}

scant_status scant_i_prior_read(double *prior, const char *text, char *const *classes,
                                size_t nclasses, const char *option)
{
    scant_status status = scant_prior_read(prior, text, (const char *const *)classes, nclasses);
    for (size_t k = 0; status == SCANT_OK && k < nclasses; k++)
        if (!(prior[k] > 0))
            status = scant_i_fail(SCANT_ERR_ARGUMENT, "class '%s' must have a share above 0",
                                  classes[k]);
    return status == SCANT_OK ? status : scant_i_fail_within(status, "%s", option);
}

scant_status scant_i_prior_name(char *names[2], const char *text)
{
    static const char *const plain[2] = {"0", "1"};
    bool named = strchr(text, '=') != NULL;
    names[0] = names[1] = NULL;
    for (size_t k = 0; k < 2; k++) {
        size_t item = strcspn(text, ","), length = item;
        while (length > 0 && text[length - 1] != '=')
            length--;
        names[k] =
            named ? scant_i_strndup(text, length ? length - 1 : item) : scant_i_strdup(plain[k]);
        if (!names[k])
            return SCANT_ERR_MEMORY;
        text += item + (text[item] == ',');
    }
    return SCANT_OK;
}

scant_status scant_prior_read_pair(double prior[2], const char *text)
{
    char *names[2];
    scant_status status = scant_i_prior_name(names, text);
    if (status == SCANT_OK)
        status = scant_i_prior_read(prior, text, names, 2, "--prior");
    scant_i_free(names[0]);
    scant_i_free(names[1]);
    return status;
}
