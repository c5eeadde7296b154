/* Encoding: rows of any kind become rows of d finite numbers (table.h). O(cells). */
#include "med/table.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double LARGEST = 1e140; /* squares, and sums of a few of them, stay finite */

void scant_i_med_inputs_clear(scant_i_med_inputs *in)
{
    scant_i_free(in->column);
    scant_i_free(in->level);
    scant_i_free(in->centre);
    scant_i_free(in->spread);
    scant_i_free(in->fill);
    for (size_t c = 0; in->bases && c < in->ncolumns; c++)
        scant_i_free(in->bases[c]);
    scant_i_free(in->bases);
    scant_i_free(in->nbases);
    *in = (scant_i_med_inputs){0};
}

static scant_status room_for(scant_i_med_inputs *in, size_t d)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&in->column, d + 1));
    SCANT_I_TRY(SCANT_I_NEW(&in->level, d + 1));
    SCANT_I_TRY(SCANT_I_NEW(&in->centre, d + 1));
    SCANT_I_TRY(SCANT_I_NEW(&in->spread, d + 1));
    SCANT_I_TRY(SCANT_I_NEW(&in->fill, d + 1));
done:
    return status;
}

static size_t levels_of(const scant_rows *rows, size_t c)
{
    return rows->columns && rows->columns[c].kind == SCANT_I_CATEGORY ? rows->columns[c].nlevels
                                                                      : 0;
}

static size_t indicators(size_t nlevels)
{
    return nlevels == 0 || nlevels == 2 ? 1 : nlevels;
}

/* --- letters of DNA --- */

enum { BASES = 4 };
static const char LETTERS[] = "ACGTUMRWSYKVHDBN";
static const uint8_t STANDS_FOR[] = {1, 2, 4, 8, 8, 3, 5, 9, 6, 10, 12, 7, 11, 13, 14, 15};

/* Bits of the bases; 0: it is no letter. */
static uint8_t bases_of(const char *level)
{
    const char *at =
        level[0] && !level[1] ? strchr(LETTERS, toupper((unsigned char)level[0])) : NULL;
    return at ? STANDS_FOR[at - LETTERS] : 0;
}

static bool is_dna(const scant_rows *rows, size_t c)
{
    size_t n = levels_of(rows, c);
    for (size_t l = 0; l < n; l++)
        if (!bases_of(rows->columns[c].levels[l]))
            return false;
    return n > 0;
}

static scant_status keep_bases(scant_i_med_inputs *in, const scant_rows *rows, size_t c)
{
    scant_status status = SCANT_OK;
    in->nbases[c] = levels_of(rows, c);
    SCANT_I_TRY(SCANT_I_NEW(&in->bases[c], in->nbases[c] + 1));
    for (size_t l = 0; l < in->nbases[c]; l++)
        in->bases[c][l] = bases_of(rows->columns[c].levels[l]);
done:
    return status;
}

static double share_of(const scant_i_med_inputs *in, size_t i, double cell)
{
    size_t c = in->column[i], base = (size_t)(-2 - in->level[i]);
    if (!(cell >= 0 && cell < (double)in->nbases[c]))
        return NAN;
    unsigned letters = in->bases[c][(size_t)cell];
    return (letters >> base & 1) / (double)__builtin_popcount(letters);
}

/* A cell as input i has it, before scaling; NaN: missing. */
static double raw(const scant_i_med_inputs *in, size_t i, double cell)
{
    if (in->level[i] < -1 && !isnan(cell))
        return share_of(in, i, cell);
    return in->level[i] < 0 || isnan(cell) ? cell : cell == (double)in->level[i];
}

/* Mean and population standard deviation, in units of the largest cell so that squares stay finite. A column that does
 * not vary has a spread of 1, and becomes 0. */
static scant_status measure(scant_i_med_inputs *in, size_t i, const scant_rows *rows,
                            const size_t *use, size_t n, bool standardize)
{
    double most = 0, count = 0, mean = 0, square = 0;
    for (size_t t = 0; t < n; t++) {
        double x = raw(in, i, scant_rows_value(rows, use[t], in->column[i]));
        if (isinf(x))
            return scant_i_fail_cell(rows, use[t], in->column[i], "an infinite number");
        most = isnan(x) ? most : fmax(most, fabs(x));
        count += !isnan(x);
    }
    in->missing += n - (size_t)count;
    double unit = most > 0 ? most : 1;
    for (size_t t = 0; t < n; t++) {
        double x = raw(in, i, scant_rows_value(rows, use[t], in->column[i])) / unit;
        mean += isnan(x) ? 0 : x / count;
    }
    for (size_t t = 0; t < n; t++) {
        double x = raw(in, i, scant_rows_value(rows, use[t], in->column[i])) / unit - mean;
        square += isnan(x) ? 0 : x * x / count;
    }
    double deviation = sqrt(square);
    in->fill[i] = mean * unit;
    in->centre[i] = standardize ? mean * unit : 0;
    in->spread[i] = 1;
    /* what rounding leaves of a constant is no variation */
    if (standardize && deviation > 8 * DBL_EPSILON * fabs(mean) && deviation * unit >= DBL_MIN)
        in->spread[i] = deviation * unit;
    if (!standardize && most > LARGEST)
        return scant_i_fail(SCANT_ERR_INPUT,
                            "column %s has cells as large as %g, whose squares are no numbers: "
                            "standardize it, or give it another unit",
                            rows->columns ? rows->columns[in->column[i]].name : "", most);
    return SCANT_OK;
}

/* A missing category is the most frequent one. */
static void fill_levels(scant_i_med_inputs *in, size_t first, size_t count)
{
    size_t best = first;
    for (size_t i = first; i < first + count; i++)
        best = in->fill[i] > in->fill[best] ? i : best;
    for (size_t i = first; i < first + count; i++)
        in->fill[i] = count == 1 ? (double)(in->fill[i] > 0.5) : (double)(i == best);
}

scant_status scant_i_med_inputs_new(scant_i_med_inputs *out, const scant_rows *rows,
                                    const size_t *use, size_t n, const scant_i_med_reading *how)
{
    size_t target = how->target;
    scant_status status = SCANT_OK;
    scant_i_med_inputs in = {
        .ncolumns = rows->ncolumns, .d = rows->ncolumns, .sparse = !rows->dense};
    *out = (scant_i_med_inputs){0};
    if (in.sparse) {
        *out = in;
        return SCANT_OK;
    }
    in.d = 0;
    SCANT_I_TRY(SCANT_I_NEW(&in.bases, rows->ncolumns + 1));
    SCANT_I_TRY(SCANT_I_NEW(&in.nbases, rows->ncolumns + 1));
    for (size_t c = 0; c < rows->ncolumns; c++) {
        if (how->dna && c != target && is_dna(rows, c))
            SCANT_I_TRY(keep_bases(&in, rows, c));
        in.d += c == target ? 0 : in.bases[c] ? BASES : indicators(levels_of(rows, c));
    }
    SCANT_I_TRY(room_for(&in, in.d));
    for (size_t c = 0, i = 0; c < rows->ncolumns; c++) {
        bool dna = in.bases[c] != NULL;
        size_t nlevels = levels_of(rows, c), count = c == target ? 0
                                                     : dna       ? BASES
                                                                 : indicators(nlevels);
        for (size_t l = 0; l < count; l++) {
            in.column[i + l] = c;
            in.level[i + l] = dna            ? -2 - (int32_t)l
                              : nlevels == 0 ? -1
                              : count == 1   ? 1
                                             : (int32_t)l;
            SCANT_I_TRY(measure(&in, i + l, rows, use, n, how->standardize));
        }
        if (nlevels && count && !dna)
            fill_levels(&in, i, count);
        i += count;
    }
    *out = in;
    in = (scant_i_med_inputs){0};
done:
    scant_i_med_inputs_clear(&in);
    return status;
}

/* --- tables --- */

void scant_i_med_table_clear(scant_i_med_table *t)
{
    scant_i_free(t->x);
    scant_i_free(t->sparse.start);
    scant_i_free(t->sparse.column);
    scant_i_free(t->sparse.value);
    *t = (scant_i_med_table){0};
}

static scant_status take_sparse(scant_i_csr *to, const scant_i_csr *from, const size_t *index,
                                size_t first, size_t n)
{
    scant_status status = SCANT_OK;
    size_t entries = 0;
    for (size_t t = 0; t < n; t++) {
        size_t row = index ? index[t] : first + t;
        entries += from->start[row + 1] - from->start[row];
    }
    SCANT_I_TRY(SCANT_I_NEW(&to->start, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&to->column, entries + 1));
    SCANT_I_TRY(SCANT_I_NEW(&to->value, entries + 1));
    for (size_t t = 0, at = 0; t < n; t++) {
        size_t row = index ? index[t] : first + t;
        for (size_t e = from->start[row]; e < from->start[row + 1]; e++, at++) {
            to->column[at] = from->column[e];
            to->value[at] = from->value ? from->value[e] : 1;
        }
        to->start[t + 1] = at;
    }
done:
    return status;
}

/* Halves keep differences of the largest doubles finite. */
static double scaled(const scant_i_med_inputs *in, size_t i, double cell)
{
    double x = raw(in, i, cell);
    x = isnan(x) ? in->fill[i] : x;
    double z = (x / 2 - in->centre[i] / 2) / (in->spread[i] / 2);
    return fmax(-LARGEST, fmin(z, LARGEST));
}

static scant_status check_sparse(const scant_rows *rows, const size_t *use, size_t first, size_t n)
{
    for (size_t t = 0; t < n; t++) {
        size_t row = use ? use[t] : first + t;
        for (size_t e = rows->sparse.start[row]; e < rows->sparse.start[row + 1]; e++) {
            double x = rows->sparse.value ? rows->sparse.value[e] : 1;
            if (!(fabs(x) <= LARGEST))
                return scant_i_fail_cell(rows, row, (size_t)rows->sparse.column[e],
                                         "%g: sparse cells are numbers up to %g", x, LARGEST);
        }
    }
    return SCANT_OK;
}

scant_status scant_i_med_table_map(scant_i_med_table *out, const scant_i_med_inputs *in,
                                   const scant_rows *rows, const size_t *use, size_t first,
                                   size_t n)
{
    scant_status status = SCANT_OK;
    *out = (scant_i_med_table){.n = n, .d = in->d};
    if (in->sparse && !rows->dense) {
        SCANT_I_TRY(check_sparse(rows, use, first, n));
        SCANT_I_TRY(take_sparse(&out->sparse, &rows->sparse, use, first, n));
        return SCANT_OK;
    }
    SCANT_I_TRY(SCANT_I_NEW(&out->x, n * in->d + 1));
    for (size_t t = 0; t < n; t++)
        for (size_t i = 0; i < in->d; i++) {
            double cell =
                scant_rows_value(rows, use ? use[t] : first + t, in->sparse ? i : in->column[i]);
            out->x[t * in->d + i] = in->sparse ? (isnan(cell) ? 0 : cell) : scaled(in, i, cell);
        }
done:
    if (status != SCANT_OK)
        scant_i_med_table_clear(out);
    return status;
}

scant_status scant_i_med_table_take(scant_i_med_table *out, const scant_i_med_table *from,
                                    const size_t *index, size_t n, bool square)
{
    scant_status status = SCANT_OK;
    *out = (scant_i_med_table){.n = n, .d = square ? n : from->d};
    if (!from->x) {
        SCANT_I_TRY(take_sparse(&out->sparse, &from->sparse, index, 0, n));
        return SCANT_OK;
    }
    SCANT_I_TRY(SCANT_I_NEW(&out->x, n * out->d + 1));
    for (size_t t = 0; t < n; t++)
        for (size_t i = 0; i < out->d; i++)
            out->x[t * out->d + i] = from->x[index[t] * from->d + (square ? index[i] : i)];
done:
    if (status != SCANT_OK)
        scant_i_med_table_clear(out);
    return status;
}

void scant_i_med_table_row(double *to, const scant_i_med_table *t, size_t row)
{
    if (t->x) {
        memcpy(to, t->x + row * t->d, t->d * sizeof *to);
        return;
    }
    memset(to, 0, t->d * sizeof *to);
    for (size_t e = t->sparse.start[row]; e < t->sparse.start[row + 1]; e++)
        to[t->sparse.column[e]] = t->sparse.value[e];
}

/* --- documents --- */

/* Of columns that are letters of DNA, the bases of each level. */
static scant_status put_bases(json_t *to, const scant_i_med_inputs *in)
{
    scant_status status = SCANT_OK;
    json_t *all = NULL, *list;
    for (size_t c = 0; in->bases && c < in->ncolumns; c++) {
        char key[32];
        if (!in->bases[c])
            continue;
        if (!all)
            SCANT_I_TRY(scant_i_put(to, "bases", all = json_object()));
        (void)snprintf(key, sizeof key, "%zu", c);
        SCANT_I_TRY(scant_i_put(all, key, list = json_array()));
        for (size_t l = 0; l < in->nbases[c]; l++)
            if (json_array_append_new(list, json_integer(in->bases[c][l])))
                return scant_i_fail(SCANT_ERR_MEMORY, "out of memory in a model file");
    }
done:
    return status;
}

static scant_status get_bases(scant_i_med_inputs *in, const scant_i_place *place,
                              const json_t *from)
{
    scant_status status = SCANT_OK;
    const json_t *all = json_object_get(from, "bases");
    SCANT_I_TRY(SCANT_I_NEW(&in->bases, in->ncolumns + 1));
    SCANT_I_TRY(SCANT_I_NEW(&in->nbases, in->ncolumns + 1));
    for (size_t c = 0; all && c < in->ncolumns; c++) {
        char key[32];
        (void)snprintf(key, sizeof key, "%zu", c);
        const json_t *list = json_object_get(all, key);
        if (!list)
            continue;
        in->nbases[c] = json_array_size(list);
        SCANT_I_TRY(SCANT_I_NEW(&in->bases[c], in->nbases[c] + 1));
        for (size_t l = 0; l < in->nbases[c]; l++) {
            size_t bits;
            SCANT_I_TRY(scant_i_get_index(&bits, place, json_array_get(list, l), 1 << BASES));
            if (bits == 0)
                return scant_i_place_fail(place, "a letter of column %zu stands for no base", c);
            in->bases[c][l] = (uint8_t)bits;
        }
    }
done:
    return status;
}

scant_status scant_i_med_inputs_to_json(json_t *to, const scant_i_med_inputs *in)
{
    scant_status status = SCANT_OK;
    json_t *column, *level;
    SCANT_I_TRY(scant_i_put(to, "sparse", json_boolean(in->sparse)));
    SCANT_I_TRY(scant_i_put(to, "inputs", json_integer((json_int_t)in->d)));
    if (in->sparse)
        return SCANT_OK;
    SCANT_I_TRY(scant_i_put(to, "column", column = json_array()));
    SCANT_I_TRY(scant_i_put(to, "level", level = json_array()));
    for (size_t i = 0; i < in->d; i++)
        if (json_array_append_new(column, json_integer((json_int_t)in->column[i])) ||
            json_array_append_new(level, json_integer(in->level[i])))
            return scant_i_fail(SCANT_ERR_MEMORY, "out of memory in a model file");
    SCANT_I_TRY(put_bases(to, in));
    SCANT_I_TRY(scant_i_put_table(to, "center", in->centre, 1, in->d));
    SCANT_I_TRY(scant_i_put_table(to, "spread", in->spread, 1, in->d));
    SCANT_I_TRY(scant_i_put_table(to, "fill", in->fill, 1, in->d));
done:
    return status;
}

static scant_status read_columns(scant_i_med_inputs *in, const scant_i_place *place,
                                 const json_t *from)
{
    scant_status status = SCANT_OK;
    const json_t *column, *level;
    SCANT_I_TRY(scant_i_get_array(&column, place, from, "column"));
    SCANT_I_TRY(scant_i_get_array(&level, place, from, "level"));
    if (json_array_size(column) != in->d || json_array_size(level) != in->d)
        return scant_i_place_fail(place, "column and level want %zu numbers", in->d);
    SCANT_I_TRY(SCANT_I_NEW(&in->column, in->d + 1));
    SCANT_I_TRY(SCANT_I_NEW(&in->level, in->d + 1));
    for (size_t i = 0; i < in->d; i++) {
        const json_t *which = json_array_get(level, i);
        SCANT_I_TRY(
            scant_i_get_index(&in->column[i], place, json_array_get(column, i), in->ncolumns));
        if (!json_is_integer(which) || json_integer_value(which) < -1 - BASES ||
            json_integer_value(which) > INT32_MAX)
            return scant_i_place_fail(place, "level %zu is no level", i);
        in->level[i] = (int32_t)json_integer_value(which);
        if (in->level[i] < -1 && !in->bases[in->column[i]])
            return scant_i_place_fail(place, "column %zu is no letter of DNA", in->column[i]);
    }
done:
    return status;
}

scant_status scant_i_med_inputs_from_json(scant_i_med_inputs *out, const scant_i_place *place,
                                          const json_t *from, size_t ncolumns)
{
    scant_status status = SCANT_OK;
    scant_i_med_inputs in = {.ncolumns = ncolumns,
                             .sparse = json_is_true(json_object_get(from, "sparse"))};
    *out = (scant_i_med_inputs){0};
    SCANT_I_TRY(scant_i_get_count(&in.d, place, from, "inputs"));
    if (in.sparse && in.d != ncolumns) {
        status = scant_i_place_fail(place, "%zu inputs of %zu sparse columns", in.d, ncolumns);
        goto done;
    }
    if (!in.sparse) {
        SCANT_I_TRY(get_bases(&in, place, from));
        SCANT_I_TRY(read_columns(&in, place, from));
        SCANT_I_TRY(scant_i_get_table(&in.centre, place, from, "center", 1, in.d));
        SCANT_I_TRY(scant_i_get_table(&in.spread, place, from, "spread", 1, in.d));
        SCANT_I_TRY(scant_i_get_table(&in.fill, place, from, "fill", 1, in.d));
        for (size_t i = 0; i < in.d; i++)
            if (!(in.spread[i] > 0)) {
                status = scant_i_place_fail(place, "spread %g is not above 0", in.spread[i]);
                goto done;
            }
    }
    *out = in;
    in = (scant_i_med_inputs){0};
done:
    scant_i_med_inputs_clear(&in);
    return status;
}
