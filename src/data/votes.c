#include "data/votes.h"

#include <string.h>

static void free_names(char **name, size_t n)
{
    for (size_t i = 0; name && i < n; i++)
        scant_i_free(name[i]);
    scant_i_free(name);
}

void scant_votes_free(scant_votes *votes)
{
    if (!votes)
        return;
    free_names(votes->predictor, votes->npredictors);
    scant_rows_free(votes->rows);
    scant_i_free(votes);
}

/* Copies of the names, or `prefix`1, `prefix`2, ... */
static scant_status copy_names(char ***out, const char *const *name, size_t n, const char *prefix)
{
    scant_status status = SCANT_I_NEW(out, n);
    for (size_t i = 0; status == SCANT_OK && i < n; i++) {
        (*out)[i] = name ? scant_i_strdup(name[i]) : scant_i_format("%s%zu", prefix, i + 1);
        status = (*out)[i] ? SCANT_OK : SCANT_ERR_MEMORY;
    }
    return status;
}

static scant_status check_vote(const scant_votes *votes, size_t v, size_t item, size_t predictor,
                               size_t answer)
{
    if (item < votes->rows->nrows && predictor < votes->npredictors && answer < votes->nclasses)
        return SCANT_OK;
    return scant_i_fail(SCANT_ERR_ARGUMENT,
                        "vote %zu: item %zu of %zu, predictor %zu of %zu, answer %zu of %zu", v + 1,
                        item + 1, votes->rows->nrows, predictor + 1, votes->npredictors, answer + 1,
                        votes->nclasses);
}

/* Counting sort by predictor and then by item: linear, and rows come out with ascending columns. */
static scant_status sort_votes(scant_votes *votes, size_t nvotes, const size_t *item,
                               const size_t *predictor, const size_t *answer)
{
    scant_status status = SCANT_OK;
    scant_i_csr *sparse = &votes->rows->sparse;
    size_t n = votes->rows->nrows, k = votes->npredictors, *by = NULL, *at = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&sparse->start, n + 2));
    SCANT_I_TRY(SCANT_I_NEW(&sparse->column, nvotes + 1));
    SCANT_I_TRY(SCANT_I_NEW(&at, k + 1));
    SCANT_I_TRY(SCANT_I_NEW(&by, nvotes + 1));
    for (size_t v = 0; v < nvotes; v++) {
        SCANT_I_TRY(check_vote(votes, v, item[v], predictor[v], answer[v]));
        at[predictor[v] + 1]++;
        sparse->start[item[v] + 2]++;
    }
    for (size_t c = 0; c < k; c++)
        at[c + 1] += at[c];
    for (size_t i = 0; i < n; i++)
        sparse->start[i + 2] += sparse->start[i + 1];
    for (size_t v = 0; v < nvotes; v++)
        by[at[predictor[v]]++] = v;
    for (size_t s = 0; s < nvotes; s++) { /* start[i + 1] moves from row i's begin to its end */
        size_t v = by[s], place = sparse->start[item[v] + 1]++;
        sparse->column[place] = (int32_t)(predictor[v] * votes->nclasses + answer[v]);
    }
done:
    scant_i_free(by);
    scant_i_free(at);
    return status;
}

static scant_status refuse_doubles(const scant_votes *votes)
{
    for (size_t i = 0; i < votes->rows->nrows; i++) {
        size_t n, l = votes->nclasses;
        const int32_t *column = scant_i_votes_of(votes, i, &n);
        for (size_t e = 1; e < n; e++)
            if ((size_t)column[e] / l == (size_t)column[e - 1] / l) {
                const char *name = scant_votes_item_name(votes, i);
                return scant_i_fail(SCANT_ERR_INPUT, "predictor '%s' answers twice about %s%s%zu",
                                    votes->predictor[(size_t)column[e] / l], name ? name : "item ",
                                    name ? ", item " : "", i + 1);
            }
    }
    return SCANT_OK;
}

static scant_status check_size(size_t npredictors, size_t nclasses)
{
    if (nclasses < 2)
        return scant_i_fail(SCANT_ERR_INPUT, "the answers name %zu class%s; two are the least",
                            nclasses, nclasses == 1 ? "" : "es");
    if (npredictors < 1 || npredictors > INT32_MAX / nclasses)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "%zu predictors of %zu classes are %s", npredictors,
                            nclasses, npredictors ? "too many" : "too few");
    return SCANT_OK;
}

scant_status scant_votes_new(scant_votes **out, size_t nitems, size_t npredictors, size_t nclasses,
                             size_t nvotes, const size_t *item, const size_t *predictor,
                             const size_t *answer, const char *const *predictors,
                             const char *const *classes)
{
    scant_status status = SCANT_OK;
    scant_votes *votes = NULL;
    *out = NULL;
    SCANT_I_TRY(check_size(npredictors, nclasses));
    SCANT_I_TRY(SCANT_I_NEW(&votes, 1));
    votes->npredictors = npredictors;
    votes->nclasses = nclasses;
    SCANT_I_TRY(copy_names(&votes->predictor, predictors, npredictors, "p"));
    SCANT_I_TRY(scant_i_rows_new(&votes->rows, nitems, npredictors * nclasses));
    votes->rows->labels.nclasses = nclasses;
    SCANT_I_TRY(copy_names(&votes->rows->labels.classes, classes, nclasses, ""));
    SCANT_I_TRY(sort_votes(votes, nvotes, item, predictor, answer));
    SCANT_I_TRY(refuse_doubles(votes));
    *out = votes;
    votes = NULL;
done:
    scant_votes_free(votes);
    return status;
}

scant_status scant_votes_set_truth(scant_votes *votes, const int32_t *truth)
{
    scant_i_labels *labels = &votes->rows->labels;
    size_t n = votes->rows->nrows;
    for (size_t i = 0; i < n; i++)
        if (truth[i] < -1 || (truth[i] >= 0 && (size_t)truth[i] >= votes->nclasses))
            return scant_i_fail(SCANT_ERR_ARGUMENT, "true class %d of item %zu is none of %zu",
                                (int)truth[i], i + 1, votes->nclasses);
    scant_status status = labels->code ? SCANT_OK : SCANT_I_NEW(&labels->code, n + 1);
    if (status == SCANT_OK)
        memcpy(labels->code, truth, n * sizeof *truth);
    return status;
}

scant_status scant_votes_set_weights(scant_votes *votes, const double *weight)
{
    return scant_rows_set_weights(votes->rows, weight);
}

size_t scant_votes_items(const scant_votes *votes)
{
    return votes->rows->nrows;
}

size_t scant_votes_predictors(const scant_votes *votes)
{
    return votes->npredictors;
}

size_t scant_votes_classes(const scant_votes *votes)
{
    return votes->nclasses;
}

size_t scant_votes_count(const scant_votes *votes)
{
    return votes->rows->sparse.start[votes->rows->nrows];
}

const char *scant_votes_predictor_name(const scant_votes *votes, size_t predictor)
{
    return votes->predictor[predictor];
}

const char *scant_votes_class_name(const scant_votes *votes, size_t class_index)
{
    return votes->rows->labels.classes[class_index];
}

const char *scant_votes_item_name(const scant_votes *votes, size_t item)
{
    return votes->rows->id ? votes->rows->id[item] : NULL;
}

double scant_votes_weight(const scant_votes *votes, size_t item)
{
    return scant_rows_weight(votes->rows, item);
}

int32_t scant_votes_truth(const scant_votes *votes, size_t item)
{
    const int32_t *code = votes->rows->labels.code;
    return code ? code[item] : -1;
}

int32_t scant_votes_answer(const scant_votes *votes, size_t item, size_t predictor)
{
    size_t n, low = 0, l = votes->nclasses;
    const int32_t *column = scant_i_votes_of(votes, item, &n);
    for (size_t high = n; low < high;) {
        size_t middle = (low + high) / 2;
        if ((size_t)column[middle] / l < predictor)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < n && (size_t)column[low] / l == predictor;
    return found ? (int32_t)((size_t)column[low] % l) : -1;
}

void scant_votes_tally(const scant_votes *votes, size_t item, double *tally)
{
    size_t n;
    const int32_t *column = scant_i_votes_of(votes, item, &n);
    memset(tally, 0, votes->nclasses * sizeof *tally);
    for (size_t e = 0; e < n; e++)
        tally[(size_t)column[e] % votes->nclasses]++;
}

scant_status scant_i_votes_only(scant_votes **out, const scant_votes *votes, size_t predictor)
{
    scant_status status = SCANT_OK;
    size_t n = votes->rows->nrows, count = 0, *item = NULL, *answer = NULL, *zero = NULL;
    const char *name = votes->predictor[predictor];
    const scant_i_labels *labels = &votes->rows->labels;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&item, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&answer, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&zero, n + 1));
    for (size_t i = 0; i < n; i++) {
        int32_t given = scant_votes_answer(votes, i, predictor);
        if (given < 0)
            continue;
        item[count] = i;
        answer[count++] = (size_t)given;
    }
    SCANT_I_TRY(scant_votes_new(out, n, 1, votes->nclasses, count, item, zero, answer, &name,
                                (const char *const *)labels->classes));
    if (labels->code)
        SCANT_I_TRY(scant_votes_set_truth(*out, labels->code));
    SCANT_I_TRY(scant_rows_set_weights((*out)->rows, votes->rows->weight));
done:
    scant_i_free(item);
    scant_i_free(answer);
    scant_i_free(zero);
    if (status != SCANT_OK) {
        scant_votes_free(*out);
        *out = NULL;
    }
    return status;
}
