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

size_t scant_i_class_at(const char *text, const char *const *classes, size_t nclasses)
{
    size_t found = nclasses;
    for (size_t k = 0; k < nclasses; k++) {
        size_t name = strlen(classes[k]);
        if (strncmp(text, classes[k], name) == 0 && text[name] == '=' &&
            (found == nclasses || name > strlen(classes[found])))
            found = k;
    }
    return found;
}

/* What stands where a class should. */
static scant_status fail_at(const char *text)
{
    size_t length = strcspn(text, ","), name = length;
    while (name > 0 && text[name - 1] != '=')
        name--;
    return name == 0 ? scant_i_fail(SCANT_ERR_ARGUMENT, "'%.*s' is not of the form class=share",
                                    (int)length, text)
                     : scant_i_fail(SCANT_ERR_ARGUMENT, "'%.*s' is not a class here", (int)name - 1,
                                    text);
}

/* "name=share" at **text, which moves past it and its comma. Names may have both signs. */
static scant_status read_pair(double *prior, const char **text, const char *const *classes,
                              size_t nclasses)
{
    size_t k = scant_i_class_at(*text, classes, nclasses);
    if (k == nclasses)
        return fail_at(*text);
    const char *share = *text + strlen(classes[k]) + 1;
    size_t length = strcspn(share, ",");
    if (!isnan(prior[k]))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "class '%s' is there twice", classes[k]);
    *text = share + length + (share[length] == ',');
    return read_share(&prior[k], share, length);
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
    while (*text) {
        scant_status status = read_pair(prior, &text, classes, nclasses);
        if (status != SCANT_OK)
            return status;
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
    return status == SCANT_OK ? status : scant_i_fail_within(status, "--%s", option);
}

/* Where the pair ends whose name is not known: at the first comma after an equals sign and a share,
 * or at the first. */
static size_t pair_length(const char *text)
{
    double share;
    for (size_t end = strcspn(text, ","), name = end;;
         name = end += 1 + strcspn(text + end + 1, ",")) {
        while (name > 0 && text[name - 1] != '=')
            name--;
        if (name > 0 && scant_i_number_parse(&share, text + name, end - name))
            return end;
        if (!text[end])
            return strcspn(text, ",");
    }
}

scant_status scant_i_prior_name(char *names[2], const char *text)
{
    static const char *const plain[2] = {"0", "1"};
    bool named = strchr(text, '=') != NULL;
    names[0] = names[1] = NULL;
    for (size_t k = 0; k < 2; k++) {
        size_t item = pair_length(text), length = item;
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
        status = scant_i_prior_read(prior, text, names, 2, "prior");
    scant_i_free(names[0]);
    scant_i_free(names[1]);
    return status;
}
