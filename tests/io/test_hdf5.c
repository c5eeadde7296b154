/* HDF5 files that are made to read others, or to take all memory: refused by name, and nothing of the other file is seen. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "data/rows.h"
#include "scratch.h"

#if __has_include(<hdf5.h>)
#include <hdf5.h>

static const double secret[] = {12345.5, 2, 3, 4};

static void refuse(const char *path, const char *dataset, const char *message)
{
    scant_read_options options = {.size = sizeof options, .dataset = dataset};
    scant_rows *rows = NULL;
    assert_fails(scant_rows_read(&rows, path, &options), SCANT_ERR_INPUT, message);
    assert_null(rows);
    assert_null(strstr(scant_message(), "12345"));
}

static hid_t make(const char *name)
{
    hid_t file = H5Fcreate(scratch_path(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

/* A data set of 2 x 2 numbers, `how` its creation properties. */
static void put(hid_t file, const char *name, hid_t how, bool filled)
{
    hsize_t size[2] = {2, 2};
    hid_t space = H5Screate_simple(2, size, NULL);
    hid_t set = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(set >= 0);
    if (filled)
        assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, secret) >= 0);
    (void)H5Dclose(set);
    (void)H5Sclose(space);
}

static int make_other(void **state)
{
    (void)state;
    hid_t file = make("other.h5");
    put(file, "rows", H5P_DEFAULT, true);
    (void)H5Fclose(file);
    (void)scratch_bytes("other.bin", secret, sizeof secret);
    return 0;
}

static void external_storage(void **state)
{
    (void)state;
    hid_t file = make("storage.h5"), how = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_external(how, scratch_path("other.bin"), 0, sizeof secret) >= 0);
    put(file, "rows", how, false);
    (void)H5Pclose(how);
    (void)H5Fclose(file);
    refuse(scratch_path("storage.h5"), NULL, "data set 'rows' is stored externally");
    refuse(scratch_path("storage.h5"), "rows", "data set 'rows' is stored externally");
}

static void external_links(void **state)
{
    (void)state;
    hid_t file = make("link.h5");
    put(file, "own", H5P_DEFAULT, true);
    assert_true(H5Lcreate_external(scratch_path("other.h5"), "/rows", file, "lent", H5P_DEFAULT,
                                   H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_external(scratch_path("other.h5"), "/", file, "folder", H5P_DEFAULT,
                                   H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_soft("/folder/rows", file, "soft", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    (void)H5Fclose(file);
    refuse(scratch_path("link.h5"), "lent", "'lent' is a link to another file");
    refuse(scratch_path("link.h5"), "folder/rows", "is a link to another file");
    refuse(scratch_path("link.h5"), "soft", "is a link to another file");

    scant_rows *rows = NULL; /* what is its own is read */
    assert_ok(scant_rows_read(&rows, scratch_path("link.h5"), NULL));
    assert_int_equal(scant_rows_count(rows), 2);
    scant_rows_free(rows);
}

static void virtual_data_sets(void **state)
{
    (void)state;
    hsize_t size[2] = {2, 2};
    hid_t file = make("virtual.h5"), how = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(2, size, NULL);
    assert_true(H5Pset_virtual(how, space, scratch_path("other.h5"), "rows", space) >= 0);
    put(file, "rows", how, false);
    (void)H5Sclose(space);
    (void)H5Pclose(how);
    (void)H5Fclose(file);
    refuse(scratch_path("virtual.h5"), NULL, "data set 'rows' is virtual");
    refuse(scratch_path("virtual.h5"), "rows", "data set 'rows' is virtual");
}

static void names_in_another_file(void **state)
{
    (void)state;
    hid_t file = make("names.h5");
    put(file, "rows", H5P_DEFAULT, true);
    assert_true(H5Lcreate_external(scratch_path("other.h5"), "/rows", file, "columns", H5P_DEFAULT,
                                   H5P_DEFAULT) >= 0);
    (void)H5Fclose(file);
    refuse(scratch_path("names.h5"), "rows", "the columns' names are in another file");
}

/* Two numbers in a chunk of 2^28, which deflate makes a few kilobytes of where they are all alike. */
static void large_chunks(void **state)
{
    (void)state;
    hsize_t size = 2, most = H5S_UNLIMITED, chunk = (hsize_t)1 << 28;
    hid_t file = make("chunk.h5"), how = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(1, &size, &most);
    assert_true(H5Pset_chunk(how, 1, &chunk) >= 0);
    hid_t set = H5Dcreate2(file, "rows", H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(set >= 0);
    (void)H5Dclose(set);
    (void)H5Sclose(space);
    (void)H5Pclose(how);
    (void)H5Fclose(file);
    refuse(scratch_path("chunk.h5"), NULL, "h5repack");
}

/* More numbers than a file of this size can have. */
static void sizes_that_lie(void **state)
{
    (void)state;
    hsize_t size[2] = {1 << 20, 1 << 10}, chunk[2] = {1 << 10, 1 << 10};
    hid_t file = make("size.h5"), how = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(2, size, NULL);
    assert_true(H5Pset_chunk(how, 2, chunk) >= 0 && H5Pset_deflate(how, 9) >= 0);
    (void)H5Dclose(H5Dcreate2(file, "rows", H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT));
    (void)H5Sclose(space);
    (void)H5Pclose(how);
    (void)H5Fclose(file);
    refuse(scratch_path("size.h5"), NULL, "1048576 x 1024 numbers");
}

static int clean(void **state)
{
    (void)state;
    scratch_clear();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(external_storage),  cmocka_unit_test(external_links),
        cmocka_unit_test(virtual_data_sets), cmocka_unit_test(names_in_another_file),
        cmocka_unit_test(large_chunks),      cmocka_unit_test(sizes_that_lie),
    };
    return cmocka_run_group_tests(tests, make_other, clean);
}
#else
int main(void)
{
    return 77; /* a build without HDF5 */
}
#endif
