/* Real files, where the folder of shared data is there; their shapes are known. */
#include "check.h"

#include <stdio.h>
#include <unistd.h>
#include "data/rows.h"
#include "data/tensor.h"

static const char *path_of(const char *name)
{
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", SCANT_SHARED_DATA, name);
    return path;
}

static void test_rows(void **state)
{
    (void)state;
    static const struct {
        const char *name, *label;
        size_t rows, columns, classes;
        const char *categorical;
    } files[] = {{"iris/iris.csv", "Species", 150, 4, 3, NULL},
                 {"letter/letter.csv", "lettr", 20000, 16, 26, NULL},
                 {"housevotes84/housevotes84.csv", "Class", 435, 16, 2, "*"}};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        scant_rows *rows = NULL;
        scant_read_options options = {.size = sizeof options,
                                      .label = files[k].label,
                                      .categorical = &files[k].categorical,
                                      .ncategorical = files[k].categorical != NULL};
        if (access(path_of(files[k].name), R_OK) != 0) {
            print_message("%s is not there: skipped\n", files[k].name);
            continue;
        }
        assert_ok(scant_rows_read(&rows, path_of(files[k].name), &options));
        assert_int_equal(scant_rows_count(rows), files[k].rows);
        assert_int_equal(scant_rows_columns(rows), files[k].columns);
        assert_int_equal(scant_rows_classes(rows), files[k].classes);
        scant_rows_free(rows);
    }
}

static void test_tensor(void **state)
{
    (void)state;
    scant_i_tensor *sparse = NULL, *dense = NULL;
    if (access(path_of("amino_acid_fluorescence/amino.tns.gz"), R_OK) != 0) {
        print_message("the amino acids are not there: skipped\n");
        skip();
    }
    assert_ok(scant_i_tensor_read(&sparse, path_of("amino_acid_fluorescence/amino.tns.gz")));
    assert_ok(
        scant_i_tensor_read(&dense, path_of("amino_acid_fluorescence/amino_5x201x61_f64.npy")));
    assert_int_equal(dense->nentries, 5 * 201 * 61);
    assert_memory_equal(sparse->size, dense->size, 3 * sizeof(size_t));
    for (size_t k = 0; k < sparse->nentries; k++) {
        const uint32_t *index = sparse->index + 3 * k;
        double other = dense->value[(index[0] * 201 + index[1]) * 61 + index[2]];
        if (sparse->value[k] == sparse->value[k])
            assert_true(other - sparse->value[k] < 1e-3 && sparse->value[k] - other < 1e-3);
    }
    scant_i_tensor_free(sparse);
    scant_i_tensor_free(dense);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_tensor)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
