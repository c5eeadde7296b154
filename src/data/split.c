/* Without groups the rows of a class are shuffled and dealt out like cards; dealing goes on where
 * the class before stopped, so that folds differ by at most one row. With groups the largest come
 * first, and each goes where it raises the sum over folds and classes of (share of the class)^2
 * least, of such folds to the one with the fewest rows: an empty one before all others, so that
 * none stays empty where groups are of one class. */
#include "data/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/random.h"

typedef struct splitter {
    int32_t *fold;
    const scant_rows *rows;
    size_t nfolds;
    size_t nclasses;
    bool labeled; /* some label is exact: only such rows get a fold */
    scant_i_random random;
} splitter;

/* Class of a row that is dealt out, -1 for one that is not. */
static int32_t class_of(const splitter *s, size_t row)
{
    if (!(scant_rows_weight(s->rows, row) > 0))
        return -1;
    return s->labeled ? scant_rows_label(s->rows, row) : 0;
}

static scant_status deal_rows(splitter *s)
{
    scant_status status = SCANT_OK;
    size_t *member = NULL, *start = NULL, next = 0;
    SCANT_I_TRY(SCANT_I_NEW(&member, s->rows->nrows));
    SCANT_I_TRY(SCANT_I_NEW(&start, s->nclasses + 2));
    for (size_t i = 0; i < s->rows->nrows; i++)
        start[class_of(s, i) + 1 < 1 ? 0 : (size_t)class_of(s, i) + 2]++;
    start[0] = 0; /* rows without a fold were counted there */
    for (size_t k = 1; k < s->nclasses + 2; k++)
        start[k] += start[k - 1];
    /* start[k + 1] is where class k begins; it moves to its end while rows are put in */
    for (size_t i = 0; i < s->rows->nrows; i++)
        if (class_of(s, i) >= 0)
            member[start[class_of(s, i) + 1]++] = i;
    for (size_t k = 0, begin = 0; k < s->nclasses; k++) {
        size_t n = start[k + 1] - begin;
        scant_i_random_shuffle(&s->random, member + begin, n);
        for (size_t i = 0; i < n; i++)
            s->fold[member[begin + i]] = (int32_t)(next++ % s->nfolds);
        begin = start[k + 1];
    }
done:
    scant_i_free(member);
    scant_i_free(start);
    return status;
}

typedef struct bundle {
    size_t group, rank; /* rank: place after shuffling */
    size_t nrows;       /* that get a fold */
} bundle;

static int by_size(const void *a, const void *b)
{
    const bundle *left = a, *right = b;
    if (left->nrows != right->nrows)
        return left->nrows < right->nrows ? 1 : -1;
    return (left->rank > right->rank) - (left->rank < right->rank);
}

/* Rows of each group, one group after another: start is ngroups + 1, member nrows. */
static void list_members(const splitter *s, size_t *start, size_t *member)
{
    const scant_rows *rows = s->rows;
    for (size_t i = 0; i < rows->nrows; i++)
        if (class_of(s, i) >= 0)
            start[rows->group[i] + 1]++;
    for (size_t g = 0; g < rows->ngroups; g++)
        start[g + 1] += start[g];
    for (size_t i = rows->nrows; i-- > 0;)
        if (class_of(s, i) >= 0)
            member[--start[rows->group[i] + 1]] = i;
    /* the loop above moved each end to its group's start, one place too high */
    memmove(start, start + 1, rows->ngroups * sizeof *start);
}

/* What putting the group's rows into the fold adds to the sum of squared shares; counts are left as
 * they were unless `keep`. */
static double place(const splitter *s, double *count, const double *total, const size_t *member,
                    size_t n, bool keep)
{
    double before = 0, rise = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t k = class_of(s, member[i]);
        before = count[k];
        count[k] += 1;
        rise += (count[k] * count[k] - before * before) / (total[k] * total[k]);
    }
    for (size_t i = 0; i < n && !keep; i++)
        count[class_of(s, member[i])] -= 1;
    return rise;
}

/* `count` is of the folds' rows of each class, `rows` of all. */
static void deal_bundles(const splitter *s, const bundle *bundles, size_t n, const size_t *start,
                         const size_t *member, double *count, const double *total, size_t *rows)
{
    for (size_t b = 0; b < n && bundles[b].nrows > 0; b++) {
        const size_t *mine = member + start[bundles[b].group];
        size_t size = bundles[b].nrows, best = 0;
        double least = -1;
        for (size_t f = 0; f < s->nfolds; f++) {
            double rise = place(s, count + f * s->nclasses, total, mine, size, false);
            bool tie = least >= 0 && fabs(rise - least) <= 1e-12;
            if (least < 0 || (tie ? rows[f] < rows[best] : rise < least)) {
                least = rise;
                best = f;
            }
        }
        (void)place(s, count + best * s->nclasses, total, mine, size, true);
        rows[best] += size;
        for (size_t i = 0; i < size; i++)
            s->fold[mine[i]] = (int32_t)best;
    }
}

/* The other rows of a group follow those that were dealt out. */
static scant_status join_groups(const splitter *s)
{
    const scant_rows *rows = s->rows;
    int32_t *of = NULL; /* the groups' folds, from 1; 0: none */
    scant_status status = SCANT_I_NEW(&of, rows->ngroups);
    for (size_t i = 0; i < rows->nrows && status == SCANT_OK; i++)
        if (s->fold[i] >= 0)
            of[rows->group[i]] = s->fold[i] + 1;
    for (size_t i = 0; i < rows->nrows && status == SCANT_OK; i++)
        s->fold[i] = of[rows->group[i]] - 1;
    scant_i_free(of);
    return status;
}

static scant_status deal_groups(splitter *s)
{
    scant_status status = SCANT_OK;
    size_t n = s->rows->ngroups, used = 0;
    size_t *start = NULL, *member = NULL, *order = NULL, *dealt = NULL;
    bundle *bundles = NULL;
    double *count = NULL, *total = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&start, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&member, s->rows->nrows));
    SCANT_I_TRY(SCANT_I_NEW(&order, n));
    SCANT_I_TRY(SCANT_I_NEW(&bundles, n));
    SCANT_I_TRY(SCANT_I_NEW(&count, s->nfolds * s->nclasses));
    SCANT_I_TRY(SCANT_I_NEW(&total, s->nclasses));
    SCANT_I_TRY(SCANT_I_NEW(&dealt, s->nfolds));
    list_members(s, start, member);
    for (size_t i = 0; i < s->rows->nrows; i++)
        if (class_of(s, i) >= 0)
            total[class_of(s, i)] += 1;
    for (size_t g = 0; g < n; g++)
        order[g] = g;
    scant_i_random_shuffle(&s->random, order, n);
    size_t counted = 0;
    for (size_t i = 0; i < s->rows->nrows; i++)
        counted += class_of(s, i) >= 0;
    for (size_t k = 0; k < n; k++) {
        size_t g = order[k];
        bundles[k] = (bundle){g, k, (g + 1 < n ? start[g + 1] : counted) - start[g]};
        used += bundles[k].nrows > 0;
    }
    if (used < s->nfolds) {
        status = scant_i_fail(SCANT_ERR_ARGUMENT, "%zu folds cannot be made of %zu groups",
                              s->nfolds, used);
        goto done;
    }
    qsort(bundles, n, sizeof *bundles, by_size);
    deal_bundles(s, bundles, n, start, member, count, total, dealt);
    SCANT_I_TRY(join_groups(s));
done:
    scant_i_free(start);
    scant_i_free(member);
    scant_i_free(order);
    scant_i_free(bundles);
    scant_i_free(count);
    scant_i_free(total);
    scant_i_free(dealt);
    return status;
}

scant_status scant_i_split_folds(int32_t *fold, const scant_rows *rows, size_t nfolds,
                                 uint64_t seed)
{
    enum { STREAM = 0x666f6c64 }; /* "fold": apart from other uses of the seed */
    splitter s = {
        .fold = fold, .rows = rows, .nfolds = nfolds, .random = scant_i_random_new(seed, STREAM)};
    size_t exact = 0, there = 0;
    for (size_t i = 0; i < rows->nrows; i++) {
        bool weighs = scant_rows_weight(rows, i) > 0;
        fold[i] = -1;
        there += weighs;
        exact += weighs && scant_rows_label(rows, i) >= 0;
    }
    s.labeled = exact > 0;
    s.nclasses = s.labeled ? rows->labels.nclasses : 1;
    size_t available = s.labeled ? exact : there;
    if (nfolds < 2 || nfolds > INT32_MAX)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "%zu folds: there must be two or more", nfolds);
    if (available < nfolds)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "%zu folds cannot be made of %zu %srows", nfolds,
                            available, s.labeled ? "labelled " : "");
    return rows->group ? deal_groups(&s) : deal_rows(&s);
}
