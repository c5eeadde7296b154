/* HDF5: one data set of numbers with one or two axes. Names of the columns are the attribute
 * `columns` of the data set, or a data set `columns` next to it: an array of strings. All bytes come from the file itself:
 * HDF5 can have numbers in other files, by external storage, external links and virtual data sets, and whoever sends a file
 * could have others read in that way what is none of their business. */
#include "io/format.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "data/names.h"

enum {
    /* A data set that claims more than this for one stored byte is damaged, was never filled, or is made to take all memory:
     * as much as gzip may make of one (source.c). */
    MOST_RATIO = 200,
    SMALL = 8 << 20, /* bytes that need no such check */
    MOST_LISTED = 8, /* data sets that a message names */
    LONGEST_NAME = 4096
};

static bool sniff(const unsigned char *head, size_t n)
{
    return n >= 8 && memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0;
}

typedef struct quiet {
    H5E_auto2_t print;
    void *payload;
} quiet;

/* The library would print its own errors on stderr. */
static quiet hush(void)
{
    quiet old = {NULL, NULL};
    (void)H5Eget_auto2(H5E_DEFAULT, &old.print, &old.payload);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return old;
}

static void unhush(quiet old)
{
    (void)H5Eset_auto2(H5E_DEFAULT, old.print, old.payload);
}

/* --- what is not read --- */

/* An external link leads to another file: *payload says that there was one. */
static herr_t refuse_link(const char *file, const char *path, const char *target_file,
                          const char *target, unsigned *flags, hid_t access, void *payload)
{
    (void)file;
    (void)path;
    (void)target_file;
    (void)target;
    (void)flags;
    (void)access;
    *(bool *)payload = true;
    return -1;
}

/* Opens a data set of this file; -1: there is none, and *leads_out says whether for its link. */
static hid_t open_inside(hid_t place, const char *name, bool *leads_out)
{
    *leads_out = false;
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS), set = -1;
    if (access >= 0 && H5Pset_elink_cb(access, refuse_link, leads_out) >= 0)
        set = H5Dopen2(place, name, access);
    if (access >= 0)
        (void)H5Pclose(access);
    return set;
}

/* Where the numbers of a data set lie, asked before anything else is, since to ask a virtual one for its extent opens
 * other files; and how much room a chunk needs, which the library makes as a whole. NULL: it may be read. */
static const char *refuse_storage(hid_t set)
{
    hid_t how = H5Dget_create_plist(set);
    const char *why = NULL;
    H5D_layout_t layout = how < 0 ? H5D_LAYOUT_ERROR : H5Pget_layout(how);
    if (layout < 0)
        why = "is damaged";
    else if (layout == H5D_VIRTUAL)
        why = "is virtual: its numbers are in other files, and those are not read";
    else if (H5Pget_external_count(how) != 0)
        why = "is stored externally: its numbers are in other files, and those are not read";
    if (how >= 0)
        (void)H5Pclose(how);
    return why;
}

/* Bytes of a chunk; 0: there are none. */
static double chunk_bytes(hid_t set, size_t width)
{
    hid_t how = H5Dget_create_plist(set);
    hsize_t side[H5S_MAX_RANK];
    double bytes = 0;
    if (how >= 0 && H5Pget_layout(how) == H5D_CHUNKED) {
        int axes = H5Pget_chunk(how, H5S_MAX_RANK, side);
        bytes = (double)width;
        for (int a = 0; a < axes; a++)
            bytes *= (double)side[a];
    }
    if (how >= 0)
        (void)H5Pclose(how);
    return bytes;
}

/* Can the file hold so many entries of a data set, by what is stored of it? */
static bool can_hold(hid_t set, double entries, size_t width)
{
    hsize_t whole = 0;
    hid_t file = H5Iget_file_id(set);
    if (file < 0 || H5Fget_filesize(file, &whole) < 0)
        whole = 0;
    if (file >= 0)
        (void)H5Fclose(file);
    double stored = fmin((double)H5Dget_storage_size(set), (double)whole);
    double claimed = fmax(entries * (double)width, chunk_bytes(set, width));
    return claimed <= SMALL || claimed <= MOST_RATIO * stored;
}

/* --- which data set --- */

typedef struct finding {
    size_t count;
    char first[256];
    char list[512];
    size_t used;
} finding;

/* A damaged file may have numbers of gigabytes each, which libhdf5 would make room for. */
static bool is_numeric(hid_t set)
{
    enum { WIDEST = 16 }; /* bytes: a quadruple */
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    H5T_class_t class = H5Tget_class(type);
    size_t width = H5Tget_size(type);
    int axes = H5Sget_simple_extent_ndims(space);
    (void)H5Tclose(type);
    (void)H5Sclose(space);
    return (class == H5T_FLOAT || class == H5T_INTEGER) && width >= 1 && width <= WIDEST &&
           (axes == 1 || axes == 2);
}

static herr_t visit(hid_t root, const char *name, const H5O_info_t *info, void *payload)
{
    finding *found = payload;
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    bool leads_out;
    hid_t set = open_inside(root, name, &leads_out);
    if (set < 0)
        return 0;
    bool fits = refuse_storage(set) || is_numeric(set);
    (void)H5Dclose(set);
    if (!fits)
        return 0;
    if (found->count == 0)
        (void)snprintf(found->first, sizeof found->first, "%s", name);
    if (found->count < MOST_LISTED && found->used < sizeof found->list)
        found->used += (size_t)snprintf(found->list + found->used, sizeof found->list - found->used,
                                        "%s%s", found->count ? ", " : "", name);
    found->count++;
    return 0;
}

static scant_status open_set(hid_t *set, hid_t file, const char *name, const char *path)
{
    finding found = {0};
    if (!name) {
        if (H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, &found) < 0)
            return scant_i_fail_in(SCANT_ERR_INPUT, path, "the HDF5 file is damaged");
        if (found.count == 0)
            return scant_i_fail_in(SCANT_ERR_INPUT, path,
                                   "there is no data set of numbers with one or two axes");
        if (found.count > 1)
            return scant_i_fail_in(SCANT_ERR_INPUT, path,
                                   "there are %zu data sets (%s%s); say which with --dataset NAME",
                                   found.count, found.list,
                                   found.count > MOST_LISTED ? ", ..." : "");
        name = found.first;
    }
    bool leads_out;
    *set = open_inside(file, name, &leads_out);
    if (*set < 0 && leads_out)
        return scant_i_fail_in(SCANT_ERR_INPUT, path,
                               "'%s' is a link to another file, and those are not read", name);
    if (*set < 0)
        return scant_i_fail_in(SCANT_ERR_INPUT, path, "there is no data set '%s'", name);
    const char *why = refuse_storage(*set);
    if (why)
        return scant_i_fail_in(SCANT_ERR_INPUT, path, "data set '%s' %s", name, why);
    if (!is_numeric(*set))
        return scant_i_fail_in(SCANT_ERR_INPUT, path,
                               "data set '%s' does not hold numbers with one or two axes", name);
    return SCANT_OK;
}

/* --- names --- */

typedef struct strings {
    hid_t owner; /* attribute or data set */
    bool attribute, refused;
    hid_t type, space;
} strings;

static herr_t read_strings(const strings *s, hid_t type, void *buffer)
{
    return s->attribute ? H5Aread(s->owner, type, buffer)
                        : H5Dread(s->owner, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer);
}

static strings open_strings(hid_t set)
{
    strings s = {-1, true, false, -1, -1};
    bool leads_out;
    char path[512];
    if (H5Aexists(set, "columns") > 0) {
        s.owner = H5Aopen(set, "columns", H5P_DEFAULT);
    } else {
        ssize_t length = H5Iget_name(set, path, sizeof path - sizeof "columns");
        char *slash = length > 0 ? strrchr(path, '/') : NULL;
        s.attribute = false;
        if (slash) {
            strcpy(slash + 1, "columns");
            if (H5Lexists(set, path, H5P_DEFAULT) > 0) {
                s.owner = open_inside(set, path, &leads_out);
                s.refused = s.owner < 0 ? leads_out : refuse_storage(s.owner) != NULL;
            }
        }
    }
    if (s.owner >= 0 && !s.refused) {
        s.type = s.attribute ? H5Aget_type(s.owner) : H5Dget_type(s.owner);
        s.space = s.attribute ? H5Aget_space(s.owner) : H5Dget_space(s.owner);
    }
    return s;
}

static void close_strings(strings *s)
{
    if (s->type >= 0)
        (void)H5Tclose(s->type);
    if (s->space >= 0)
        (void)H5Sclose(s->space);
    if (s->owner >= 0)
        (void)(s->attribute ? H5Aclose(s->owner) : H5Dclose(s->owner));
}

static scant_status keep_name(scant_rows *rows, size_t j, const char *text, size_t length)
{
    rows->columns[j].field = j + 1;
    rows->columns[j].name = scant_i_strndup(text, length);
    return rows->columns[j].name ? SCANT_OK : SCANT_ERR_MEMORY;
}

static scant_status take_names(scant_rows *rows, const strings *s)
{
    scant_status status = SCANT_OK;
    size_t n = rows->ncolumns;
    bool variable = H5Tis_variable_str(s->type) > 0;
    size_t width = variable ? sizeof(char *) : H5Tget_size(s->type);
    char *block = NULL;
    bool filled = false;
    if (width == 0 || width > LONGEST_NAME ||
        (!s->attribute && !can_hold(s->owner, (double)n, width)))
        return SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&rows->columns, n));
    SCANT_I_TRY(SCANT_I_NEW(&block, n * width));
    if (read_strings(s, s->type, block) < 0) {
        status = scant_i_fail_in(SCANT_ERR_INPUT, rows->source, "the columns' names are damaged");
        goto done;
    }
    filled = true;
    for (size_t j = 0; j < n; j++) {
        const char *text = variable ? ((char **)(void *)block)[j] : block + j * width;
        size_t length = !text ? 0 : variable ? strlen(text) : strnlen(text, width);
        while (!variable && length > 0 && text[length - 1] == ' ')
            length--;
        if (length == 0) {
            status =
                scant_i_fail_in(SCANT_ERR_INPUT, rows->source, "column %zu has no name", j + 1);
            goto done;
        }
        SCANT_I_TRY(keep_name(rows, j, text, length));
    }
done:
    if (filled && variable)
        (void)H5Dvlen_reclaim(s->type, s->space, H5P_DEFAULT, block);
    scant_i_free(block);
    return status;
}

static scant_status check_names(const scant_rows *rows)
{
    scant_status status = SCANT_OK;
    scant_i_names seen = {0};
    for (size_t j = 0; rows->columns && j < rows->ncolumns; j++) {
        int32_t code = 0;
        const char *name = rows->columns[j].name;
        SCANT_I_TRY(scant_i_names_add(&code, &seen, name, strlen(name)));
        if ((size_t)code < j) {
            status =
                scant_i_fail_in(SCANT_ERR_INPUT, rows->source,
                                "columns %d and %zu are both named '%s'", code + 1, j + 1, name);
            goto done;
        }
    }
done:
    scant_i_names_free(&seen);
    return status;
}

/* Names of another number than the columns, or that are no strings, are left alone. */
static scant_status read_names(scant_rows *rows, hid_t set)
{
    scant_status status = SCANT_OK;
    strings s = open_strings(set);
    if (s.refused)
        status = scant_i_fail_in(SCANT_ERR_INPUT, rows->source,
                                 "the columns' names are in another file, and those are not read");
    else if (s.type >= 0 && s.space >= 0 && H5Tget_class(s.type) == H5T_STRING &&
             H5Sget_simple_extent_npoints(s.space) == (hssize_t)rows->ncolumns)
        status = take_names(rows, &s);
    close_strings(&s);
    return status == SCANT_OK ? check_names(rows) : status;
}

/* --- the numbers --- */

static scant_status read_set(scant_rows **out, hid_t set, const char *path)
{
    scant_status status = SCANT_OK;
    hsize_t size[2] = {0, 1};
    hid_t space = H5Dget_space(set);
    size_t cells = 0;
    *out = NULL;
    int axes = H5Sget_simple_extent_dims(space, size, NULL);
    (void)H5Sclose(space);
    if (axes < 1 || size[0] == 0 || size[1] == 0)
        return scant_i_fail_in(SCANT_ERR_INPUT, path, "the data set is empty");
    hid_t type = H5Dget_type(set);
    size_t width = H5Tget_size(type);
    (void)H5Tclose(type);
    if (__builtin_mul_overflow(size[0], size[1], &cells) || cells > SIZE_MAX / sizeof(double) ||
        size[1] > INT32_MAX || !can_hold(set, (double)cells, width))
        return scant_i_fail_in(
            SCANT_ERR_INPUT, path,
            "%llu x %llu numbers, or a chunk of them, are more than %d times the "
            "bytes that the file has for them; if that is meant, unpack it first, "
            "with h5repack -f NONE -l CONTI",
            (unsigned long long)size[0], (unsigned long long)size[1], MOST_RATIO);
    SCANT_I_TRY(scant_i_rows_new(out, (size_t)size[0], (size_t)size[1]));
    if (!((*out)->source = scant_i_strdup(path)) ||
        !((*out)->dense = scant_i_alloc(cells, sizeof(double)))) {
        status = SCANT_ERR_MEMORY;
        goto done;
    }
    if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, (*out)->dense) < 0) {
        status = scant_i_fail_in(SCANT_ERR_INPUT, path, "the data set cannot be read");
        goto done;
    }
    SCANT_I_TRY(read_names(*out, set));
done:
    if (status != SCANT_OK) {
        scant_rows_free(*out);
        *out = NULL;
    }
    return status;
}

/* Bytes that are no file of their own are opened as an image in memory. */
static scant_status open_file(hid_t *file, unsigned char **image, scant_i_source *source)
{
    const char *path = scant_i_source_path(source);
    size_t n = 0;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    scant_status status = SCANT_OK;
    (void)H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    if (!path) {
        enum { STEP = 64 << 10 };
        SCANT_I_TRY(scant_i_source_slurp(source, image, &n));
        if (H5Pset_fapl_core(access, STEP, 0) < 0 || H5Pset_file_image(access, *image, n) < 0) {
            status =
                scant_i_fail_in(SCANT_ERR_MEMORY, scant_i_source_name(source), "out of memory");
            goto done;
        }
    }
    *file = H5Fopen(path ? path : "image", H5F_ACC_RDONLY, access);
    if (*file < 0)
        status =
            scant_i_fail_in(SCANT_ERR_INPUT, scant_i_source_name(source), "not a sound HDF5 file");
done:
    (void)H5Pclose(access);
    return status;
}

static scant_status read(scant_rows **out, scant_i_source *source,
                         const scant_read_options *options)
{
    scant_status status = SCANT_OK;
    hid_t file = -1, set = -1;
    unsigned char *image = NULL;
    scant_rows *rows = NULL;
    quiet old = hush();
    *out = NULL;
    SCANT_I_TRY(open_file(&file, &image, source));
    SCANT_I_TRY(open_set(&set, file, options->dataset, scant_i_source_name(source)));
    SCANT_I_TRY(read_set(&rows, set, scant_i_source_name(source)));
    SCANT_I_TRY(scant_i_matrix_finish(rows, options, false));
    *out = rows;
    rows = NULL;
done:
    scant_rows_free(rows);
    if (set >= 0)
        (void)H5Dclose(set);
    if (file >= 0)
        (void)H5Fclose(file);
    scant_i_free(image);
    unhush(old);
    return status;
}

/* --- writing --- */

static bool put_names(hid_t set, const scant_rows *rows, const char **names)
{
    hsize_t count = rows->ncolumns;
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &count, NULL), attribute = -1;
    bool good = H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    if (good)
        attribute = H5Acreate2(set, "columns", type, space, H5P_DEFAULT, H5P_DEFAULT);
    good = good && attribute >= 0 && H5Awrite(attribute, type, names) >= 0;
    if (attribute >= 0)
        good = H5Aclose(attribute) >= 0 && good;
    (void)H5Tclose(type);
    (void)H5Sclose(space);
    return good;
}

/* Rows go in blocks, so that sparse ones are not all dense at once. */
static bool put_rows(hid_t set, hid_t space, const scant_rows *rows, double *block, size_t most)
{
    for (size_t i = 0; i < rows->nrows; i += most) {
        if (scant_i_interrupted())
            return false;
        size_t n = scant_i_min(most, rows->nrows - i), width = rows->ncolumns;
        hsize_t start[2] = {i, 0}, count[2] = {n, width};
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < width; j++)
                block[k * width + j] = scant_rows_value(rows, i + k, j);
        hid_t part = H5Screate_simple(2, count, NULL);
        bool good = part >= 0 &&
                    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                    H5Dwrite(set, H5T_NATIVE_DOUBLE, part, space, H5P_DEFAULT, block) >= 0;
        if (part >= 0)
            (void)H5Sclose(part);
        if (!good)
            return false;
    }
    return true;
}

static bool put_file(const char *path, const scant_rows *rows, double *block, size_t most,
                     const char **names)
{
    hsize_t size[2] = {rows->nrows, rows->ncolumns};
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0)
        return false;
    hid_t space = H5Screate_simple(2, size, NULL), set = -1;
    if (space >= 0)
        set =
            H5Dcreate2(file, "rows", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = set >= 0 && put_rows(set, space, rows, block, most) && put_names(set, rows, names);
    if (set >= 0)
        good = H5Dclose(set) >= 0 && good;
    if (space >= 0)
        (void)H5Sclose(space);
    return H5Fclose(file) >= 0 && good;
}

static scant_status write(const scant_rows *rows, scant_i_sink *sink, const char *path)
{
    enum { BLOCK = 1 << 17 }; /* numbers: a megabyte */
    scant_status status = SCANT_OK;
    double *block = NULL;
    const char **names = NULL;
    size_t most = scant_i_max(1, BLOCK / rows->ncolumns);
    const char *temporary = NULL;
    SCANT_I_TRY(scant_i_sink_path(&temporary, sink));
    if (!temporary || scant_i_names_gzip(path))
        return scant_i_fail_in(SCANT_ERR_ARGUMENT, path, "HDF5 is written to ordinary files only");
    scant_i_matrix_warn(rows, path, false, true);
    SCANT_I_TRY(SCANT_I_NEW(&block, most * rows->ncolumns));
    SCANT_I_TRY(SCANT_I_NEW(&names, rows->ncolumns));
    for (size_t j = 0; j < rows->ncolumns; j++) {
        bool own = rows->columns && rows->columns[j].name;
        names[j] = scant_rows_column_name(rows, j);
        if (!own && !*names[j]) { /* one that could not be made */
            status = SCANT_ERR_MEMORY;
            goto done;
        }
    }
    quiet old = hush();
    bool good = put_file(temporary, rows, block, most, names);
    unhush(old);
    if (!good && scant_i_interrupted())
        status = scant_i_fail_in(SCANT_ERR_INTERRUPTED, path, "interrupted while writing");
    else if (!good)
        status = scant_i_fail_writing(path, "cannot write");
done:
    scant_i_free(block);
    scant_i_free(names);
    return status;
}

static const char *const endings[] = {".h5", ".hdf5", NULL};
const scant_i_file_format scant_i_format_hdf5 = {
    .name = "HDF5", .endings = endings, .sniff = sniff, .read = read, .write = write};
