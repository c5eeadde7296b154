/* Spaces from rows: standardizing, normal scores, principal axes (space.h has the definitions).
 *
 * With S the n x D standardized rows, the axes are eigenvectors of S'S / n; where D > n they come from the n x n matrix
 * S S' / n, whose eigenvectors u give S'u. Past MOST_SIDE rows and columns only MOST_SIDE rows, evenly spaced, are used
 * for that matrix.
 * Cost: O(n D min(n, D)) once, O(D naxes) for each row that is mapped. */
#include "train/space.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/linear.h"
#include "math/tails.h"
#include "train/member.h"

static const double RIDGE = 0.1, LEAST = 0.7, REACH = 20;
enum {
    FEWEST_LEADING = 8,
    MOST_LEADING = 64, /* their number squared is the price of a step of EM */
    MOST_AXES = 256,   /* a model file has axes x columns numbers */
    MOST_SIDE = 1500   /* of an eigenproblem */
};

void scant_i_spaces_free(scant_i_spaces *s)
{
    if (!s)
        return;
    scant_i_free(s->column);
    scant_i_free(s->level);
    scant_i_free(s->centre);
    scant_i_free(s->spread);
    scant_i_free(s->fill);
    scant_i_free(s->nknots);
    scant_i_free(s->knot);
    scant_i_free(s->score);
    scant_i_free(s->axis);
    scant_i_free(s->variance);
    scant_i_words_free(s->words);
    scant_i_free(s);
}

size_t scant_i_spaces_row(const scant_i_spaces *s)
{
    size_t numbers = 0;
    for (size_t i = 0; i < SCANT_I_SPACES; i++)
        numbers += s->width[i];
    return numbers;
}

/* --- standard --- */

static scant_status room_for(scant_i_spaces *s, size_t D)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&s->column, D));
    SCANT_I_TRY(SCANT_I_NEW(&s->level, D));
    SCANT_I_TRY(SCANT_I_NEW(&s->centre, D));
    SCANT_I_TRY(SCANT_I_NEW(&s->spread, D));
    SCANT_I_TRY(SCANT_I_NEW(&s->fill, D));
    SCANT_I_TRY(SCANT_I_NEW(&s->nknots, D));
    SCANT_I_TRY(SCANT_I_NEW(&s->knot, D * SCANT_I_KNOTS));
    SCANT_I_TRY(SCANT_I_NEW(&s->score, D * SCANT_I_KNOTS));
done:
    return status;
}

static size_t levels_of(const scant_rows *rows, size_t c)
{
    return rows->columns && rows->columns[c].kind == SCANT_I_CATEGORY ? rows->columns[c].nlevels
                                                                      : 0;
}

/* A category of two levels has one indicator: the other says nothing more. */
static size_t indicators(size_t nlevels)
{
    return nlevels == 0 || nlevels == 2 ? 1 : nlevels;
}

/* Column j of the space before standardizing: a number, or 0 and 1; NaN: missing. */
static double raw(const scant_i_spaces *s, size_t j, double cell)
{
    if (s->level[j] < 0 || isnan(cell))
        return cell;
    return cell == (double)s->level[j];
}

/* Mean and standard deviation of the cells that are there, in units of their largest, so that squares stay finite.
 * False: the column does not vary. */
static bool spread_of(double *centre, double *spread, const double *x, size_t n)
{
    double most = 0, sum = 0, square = 0, count = 0;
    for (size_t i = 0; i < n; i++)
        most = isnan(x[i]) ? most : fmax(most, fabs(x[i]));
    if (!(most > 0))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i])) {
            sum += x[i] / most;
            count++;
        }
    double mean = sum / count;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i]))
            square += (x[i] / most - mean) * (x[i] / most - mean);
    double deviation = sqrt(square / count);
    *centre = mean * most;
    *spread = deviation * most;
    /* what rounding leaves of a constant is no variation */
    return deviation > 8 * DBL_EPSILON * fabs(mean) && deviation > 0 && *spread > DBL_MIN;
}

static double most_frequent(const double *x, size_t n, size_t nlevels, size_t *count)
{
    size_t best = 0;
    memset(count, 0, nlevels * sizeof *count);
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i]))
            count[(size_t)x[i]]++;
    for (size_t l = 1; l < nlevels; l++)
        best = count[l] > count[best] ? l : best;
    return (double)best;
}

/* Halves keep differences of the largest doubles finite. */
static double standardize(const scant_i_spaces *s, size_t j, double cell)
{
    double x = raw(s, j, cell);
    x = isnan(x) ? s->fill[j] : x;
    double z = (x / 2 - s->centre[j] / 2) / (s->spread[j] / 2);
    return fmax(-REACH, fmin(z, REACH));
}

/* --- ranks --- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Knots of column j: distinct values with the normal score of their mean rank. Past SCANT_I_KNOTS of them: the first, the
 * last, and between them those at even distances in rank. x, n standardized cells, is sorted in place. */
static void make_ranks(scant_i_spaces *s, size_t j, double *x, size_t n)
{
    double *knot = s->knot + j * SCANT_I_KNOTS, *score = s->score + j * SCANT_I_KNOTS;
    size_t distinct = 0, kept = 0;
    qsort(x, n, sizeof *x, compare);
    for (size_t i = 0; i < n; i++)
        distinct += i == 0 || x[i] > x[i - 1];

    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && !(x[next] > x[i]);)
            next++;
        /* `next` < n passes fewer than SCANT_I_KNOTS - 2 marks, which leaves a place for the last value */
        if (distinct > SCANT_I_KNOTS && next < n && next * (SCANT_I_KNOTS - 2) < kept * n)
            continue;
        knot[kept] = x[i];
        score[kept++] = scant_i_normal_quantile((double)(i + next) / 2 / (double)n);
    }
    s->nknots[j] = kept;
}

static double rank_score(const scant_i_spaces *s, size_t j, double x)
{
    const double *knot = s->knot + j * SCANT_I_KNOTS, *score = s->score + j * SCANT_I_KNOTS;
    size_t low = 0, high = s->nknots[j] - 1;
    if (x <= knot[0])
        return score[0];
    if (x >= knot[high])
        return score[high];
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (knot[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return score[low] + (score[high] - score[low]) * (x - knot[low]) / (knot[high] - knot[low]);
}

/* --- axes --- */

/* a (m x m, full) = B B' / m' for B m x k row-major */
static void gram(double *a, const double *b, size_t m, size_t k, double by)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j <= i; j++)
            a[i * m + j] = a[j * m + i] = scant_i_dot(b + i * k, b + j * k, k) / by;
}

static void transpose(double *to, const double *from, size_t n, size_t D)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < D; j++)
            to[j * n + i] = from[i * D + j];
}

/* Eigenvectors of S'S / n of any of the two sizes into s->axis, largest first. */
static scant_status find_axes(scant_i_spaces *s, const double *S, size_t n)
{
    scant_status status = SCANT_OK;
    size_t D = s->width[SCANT_I_STANDARD], step = 1;
    double *a = NULL, *w = NULL, *B = NULL;
    if (n > MOST_SIDE && D > MOST_SIDE)
        step = (n + MOST_SIDE - 1) / MOST_SIDE;
    size_t m = (n + step - 1) / step, side = scant_i_min(m, D), most = scant_i_min(side, MOST_AXES);
    bool dual = m < D;
    SCANT_I_TRY(SCANT_I_NEW(&B, m * D));
    SCANT_I_TRY(SCANT_I_NEW(&a, side * side));
    SCANT_I_TRY(SCANT_I_NEW(&w, side));
    SCANT_I_TRY(SCANT_I_NEW(&s->axis, most * D));
    SCANT_I_TRY(SCANT_I_NEW(&s->variance, most));
    if (dual) {
        for (size_t i = 0; i < m; i++)
            memcpy(B + i * D, S + i * step * D, D * sizeof *B);
        gram(a, B, m, D, (double)m);
    } else {
        transpose(B, S, n, D);
        gram(a, B, D, n, (double)n);
    }
    SCANT_I_TRY(scant_i_eigen(a, side, w));
    size_t naxes = 0;
    for (size_t e = 0; e < most; e++) {
        size_t from = side - 1 - e;
        if (!(w[from] > 1e-9 * w[side - 1])) /* the columns depend on each other */
            break;
        double *axis = s->axis + e * D, length = 0;
        for (size_t i = 0; dual && i < m; i++)
            for (size_t j = 0; j < D; j++)
                axis[j] += a[from * side + i] * B[i * D + j];
        for (size_t j = 0; !dual && j < D; j++)
            axis[j] = a[from * side + j];
        length = sqrt(scant_i_dot(axis, axis, D));
        /* eigenvectors have no sign: the largest entry is made positive */
        size_t largest = 0;
        for (size_t j = 1; j < D; j++)
            largest = fabs(axis[j]) > fabs(axis[largest]) + 1e-9 ? j : largest;
        length = axis[largest] < 0 ? -length : length;
        for (size_t j = 0; j < D; j++)
            axis[j] /= length;
        s->variance[e] = w[from];
        naxes++;
    }
    s->width[SCANT_I_WHITE] = naxes;
    size_t leading = 0;
    while (leading < scant_i_min(naxes, MOST_LEADING) &&
           (leading < FEWEST_LEADING || s->variance[leading] > LEAST))
        leading++;
    s->width[SCANT_I_LEADING] = leading;
done:
    scant_i_free(B);
    scant_i_free(a);
    scant_i_free(w);
    return status;
}

/* --- all --- */

/* Columns of the space of one column of the rows; x: n cells, count: room for its levels. */
static void add_column(scant_i_spaces *s, const scant_rows *rows, size_t c, const double *x,
                       size_t n, double *room, size_t *count)
{
    size_t L = levels_of(rows, c);
    double common = L ? most_frequent(x, n, L, count) : 0;
    for (size_t l = 0; l < indicators(L); l++) {
        size_t j = s->width[SCANT_I_STANDARD];
        s->column[j] = c;
        s->level[j] = L ? (int32_t)(l + (L == 2)) : -1;
        for (size_t i = 0; i < n; i++)
            room[i] = raw(s, j, L && isnan(x[i]) ? common : x[i]);
        if (!spread_of(&s->centre[j], &s->spread[j], room, n))
            continue;
        s->fill[j] = L ? (double)(common == (double)s->level[j]) : s->centre[j];
        s->width[SCANT_I_STANDARD]++;
    }
}

static void read_column(double *x, const scant_rows *rows, const size_t *use, size_t n, size_t c)
{
    for (size_t i = 0; i < n; i++)
        x[i] = scant_rows_value(rows, use[i], c);
}

scant_status scant_i_spaces_new(scant_i_spaces **out, const scant_rows *rows, const size_t *use,
                                size_t n)
{
    scant_status status = SCANT_OK;
    scant_i_spaces *s = NULL;
    double *x = NULL, *room = NULL, *S = NULL;
    size_t *count = NULL, D = 0, most_levels = 1;
    *out = NULL;
    size_t ncolumns = rows->ncolumns;
    if (scant_rows_is_sparse(rows) && ncolumns > SCANT_I_MOST_SPARSE)
        ncolumns = 0;
    for (size_t c = 0; c < ncolumns; c++) {
        D += indicators(levels_of(rows, c));
        most_levels = scant_i_max(most_levels, levels_of(rows, c));
    }
    SCANT_I_TRY(SCANT_I_NEW(&s, 1));
    s->ncolumns = rows->ncolumns;
    SCANT_I_TRY(room_for(s, D));
    SCANT_I_TRY(SCANT_I_NEW(&x, n));
    SCANT_I_TRY(SCANT_I_NEW(&room, n));
    SCANT_I_TRY(SCANT_I_NEW(&count, most_levels));
    for (size_t c = 0; c < ncolumns; c++) {
        read_column(x, rows, use, n, c);
        add_column(s, rows, c, x, n, room, count);
    }
    D = s->width[SCANT_I_RANKS] = s->width[SCANT_I_STANDARD];
    if (D > 0) {
        SCANT_I_TRY(SCANT_I_NEW(&S, n * D));
        for (size_t j = 0; j < D; j++) {
            for (size_t i = 0; i < n; i++)
                S[i * D + j] = room[i] =
                    standardize(s, j, scant_rows_value(rows, use[i], s->column[j]));
            make_ranks(s, j, room, n);
        }
        SCANT_I_TRY(find_axes(s, S, n));
    }
    SCANT_I_TRY(scant_i_words_new(&s->words, rows, use, n));
    *out = s;
    s = NULL;
done:
    scant_i_spaces_free(s);
    scant_i_free(x);
    scant_i_free(room);
    scant_i_free(count);
    scant_i_free(S);
    return status;
}

scant_status scant_i_spaces_map(scant_i_view *out, double *cells, const scant_i_spaces *s,
                                const scant_rows *rows, const size_t *use, size_t first, size_t n)
{
    size_t D = s->width[SCANT_I_STANDARD], A = s->width[SCANT_I_WHITE],
           P = s->width[SCANT_I_LEADING];
    double *S = cells, *R = S + n * D, *W = R + n * D, *L = W + n * A;
    for (size_t i = 0; i < n; i++) {
        double *standard = S + i * D;
        for (size_t j = 0; j < D; j++) {
            standard[j] =
                standardize(s, j, scant_rows_value(rows, use ? use[i] : first + i, s->column[j]));
            R[i * D + j] = rank_score(s, j, standard[j]);
        }
        for (size_t e = 0; e < A; e++) {
            double l = s->variance[e], at = scant_i_dot(s->axis + e * D, standard, D);
            W[i * A + e] = at / sqrt((l + RIDGE) / (1 + RIDGE));
            if (e < P)
                L[i * P + e] = at / sqrt(l);
        }
    }
    *out = (scant_i_view){.nrows = n, .x = {S, R, W, L}};
    memcpy(out->width, s->width, sizeof out->width);
    return SCANT_OK;
}

scant_status scant_i_spaces_map_words(scant_i_view *out, scant_i_word_rows *store,
                                      const scant_i_spaces *s, const scant_rows *rows,
                                      const size_t *use, size_t first, size_t n)
{
    scant_status status = scant_i_words_map(store, s->words, rows, use, first, n);
    out->counts = store->counts;
    out->tfidf = store->tfidf;
    out->nwords = s->words ? s->words->width : 0;
    out->beside = s->words && s->words->beside;
    return status;
}

scant_i_view scant_i_view_part(const scant_i_view *rows, size_t first, size_t n)
{
    scant_i_view part = *rows;
    part.nrows = n;
    for (size_t s = 0; s < SCANT_I_SPACES; s++)
        part.x[s] = rows->x[s] ? rows->x[s] + first * rows->width[s] : NULL;
    if (rows->counts.start)
        part.counts.start = part.tfidf.start = rows->counts.start + first;
    return part;
}

/* --- documents --- */

scant_status scant_i_spaces_to_json(json_t *to, const scant_i_spaces *s)
{
    scant_status status = SCANT_OK;
    size_t D = s->width[SCANT_I_STANDARD], A = s->width[SCANT_I_WHITE];
    json_t *columns, *knots, *scores;
    SCANT_I_TRY(scant_i_put(to, "columns", columns = json_array()));
    for (size_t j = 0; j < D; j++)
        SCANT_I_TRY(json_array_append_new(columns, json_pack("[I, I]", (json_int_t)s->column[j],
                                                             (json_int_t)s->level[j]))
                        ? scant_i_fail(SCANT_ERR_MEMORY, "out of memory in a model file")
                        : SCANT_OK);
    SCANT_I_TRY(scant_i_put_table(to, "centre", s->centre, 1, D));
    SCANT_I_TRY(scant_i_put_table(to, "spread", s->spread, 1, D));
    SCANT_I_TRY(scant_i_put_table(to, "fill", s->fill, 1, D));
    SCANT_I_TRY(scant_i_put(to, "knots", knots = json_array()));
    SCANT_I_TRY(scant_i_put(to, "scores", scores = json_array()));
    for (size_t j = 0; j < D; j++)
        if (json_array_append_new(
                knots, scant_i_put_numbers(s->knot + j * SCANT_I_KNOTS, &s->nknots[j], 1)) ||
            json_array_append_new(
                scores, scant_i_put_numbers(s->score + j * SCANT_I_KNOTS, &s->nknots[j], 1)))
            return scant_i_fail(SCANT_ERR_MEMORY, "out of memory in a model file");
    SCANT_I_TRY(scant_i_put(to, "leading", json_integer((json_int_t)s->width[SCANT_I_LEADING])));
    SCANT_I_TRY(scant_i_put_table(to, "variance", s->variance, 1, A));
    SCANT_I_TRY(scant_i_put_table(to, "axes", s->axis, A, D));
    if (s->words) {
        json_t *words;
        SCANT_I_TRY(scant_i_put(to, "words", words = json_object()));
        SCANT_I_TRY(scant_i_words_to_json(words, s->words));
    }
done:
    return status;
}

static scant_status read_ranks(scant_i_spaces *s, const scant_i_place *place, const json_t *from)
{
    scant_status status = SCANT_OK;
    const json_t *knots, *scores;
    SCANT_I_TRY(scant_i_get_array(&knots, place, from, "knots"));
    SCANT_I_TRY(scant_i_get_array(&scores, place, from, "scores"));
    for (size_t j = 0; j < s->width[SCANT_I_RANKS]; j++) {
        const json_t *knot = json_array_get(knots, j), *score = json_array_get(scores, j);
        scant_i_place list = scant_i_place_in(place, "knots"), at = scant_i_place_at(&list, j);
        s->nknots[j] = json_array_size(knot);
        if (s->nknots[j] == 0 || s->nknots[j] > SCANT_I_KNOTS)
            return scant_i_place_fail(&at, "does not have 1 to %d numbers", SCANT_I_KNOTS);
        double *x = s->knot + j * SCANT_I_KNOTS;
        SCANT_I_TRY(scant_i_get_numbers(x, &at, knot, &s->nknots[j], 1));
        SCANT_I_TRY(
            scant_i_get_numbers(s->score + j * SCANT_I_KNOTS, &at, score, &s->nknots[j], 1));
        for (size_t i = 1; i < s->nknots[j]; i++)
            if (!(x[i] > x[i - 1]))
                return scant_i_place_fail(&at, "does not increase");
    }
done:
    return status;
}

static scant_status read_columns(scant_i_spaces *s, const scant_i_place *place, const json_t *list)
{
    scant_i_place in = scant_i_place_in(place, "columns");
    for (size_t j = 0; j < s->width[SCANT_I_STANDARD]; j++) {
        scant_i_place at = scant_i_place_at(&in, j);
        double pair[2];
        static const size_t two = 2;
        scant_status status = scant_i_get_numbers(pair, &at, json_array_get(list, j), &two, 1);
        if (status != SCANT_OK)
            return status;
        if (!(pair[0] >= 0 && pair[0] < (double)s->ncolumns && pair[1] >= -1 &&
              pair[1] < INT32_MAX))
            return scant_i_place_fail(&at, "is not a column and a level");
        s->column[j] = (size_t)pair[0];
        s->level[j] = (int32_t)pair[1];
    }
    return SCANT_OK;
}

static scant_status check_spaces(const scant_i_spaces *s, const scant_i_place *place)
{
    for (size_t j = 0; j < s->width[SCANT_I_STANDARD]; j++)
        if (!(s->spread[j] > 0))
            return scant_i_place_fail(place, "spread %zu is not above 0", j + 1);
    for (size_t e = 0; e < s->width[SCANT_I_WHITE]; e++)
        if (!(s->variance[e] > 0))
            return scant_i_place_fail(place, "variance %zu is not above 0", e + 1);
    return SCANT_OK;
}

scant_status scant_i_spaces_from_json(scant_i_spaces **out, const scant_i_place *place,
                                      const json_t *from, size_t ncolumns, size_t nterms)
{
    scant_status status = SCANT_OK;
    scant_i_spaces *s = NULL;
    const json_t *columns, *variance;
    *out = NULL;
    SCANT_I_TRY(scant_i_get_array(&columns, place, from, "columns"));
    SCANT_I_TRY(scant_i_get_array(&variance, place, from, "variance"));
    SCANT_I_TRY(SCANT_I_NEW(&s, 1));
    size_t D = json_array_size(columns), A = json_array_size(json_array_get(variance, 0));
    s->ncolumns = ncolumns;
    s->width[SCANT_I_STANDARD] = s->width[SCANT_I_RANKS] = D;
    s->width[SCANT_I_WHITE] = A;
    SCANT_I_TRY(scant_i_get_count(&s->width[SCANT_I_LEADING], place, from, "leading"));
    if (s->width[SCANT_I_LEADING] > A) {
        status = scant_i_place_fail(place, "has more leading axes than axes");
        goto done;
    }
    SCANT_I_TRY(room_for(s, D));
    SCANT_I_TRY(read_columns(s, place, columns));
    scant_i_free(s->centre);
    scant_i_free(s->spread);
    scant_i_free(s->fill);
    s->centre = s->spread = s->fill = NULL;
    SCANT_I_TRY(scant_i_get_table(&s->centre, place, from, "centre", 1, D));
    SCANT_I_TRY(scant_i_get_table(&s->spread, place, from, "spread", 1, D));
    SCANT_I_TRY(scant_i_get_table(&s->fill, place, from, "fill", 1, D));
    SCANT_I_TRY(read_ranks(s, place, from));
    SCANT_I_TRY(scant_i_get_table(&s->variance, place, from, "variance", 1, A));
    SCANT_I_TRY(scant_i_get_table(&s->axis, place, from, "axes", A, D));
    SCANT_I_TRY(check_spaces(s, place));
    if (json_object_get(from, "words")) {
        const json_t *words;
        scant_i_place at = scant_i_place_in(place, "words");
        SCANT_I_TRY(scant_i_get_object(&words, place, from, "words"));
        SCANT_I_TRY(scant_i_words_from_json(&s->words, &at, words, ncolumns, nterms));
    }
    *out = s;
    s = NULL;
done:
    scant_i_spaces_free(s);
    return status;
}
