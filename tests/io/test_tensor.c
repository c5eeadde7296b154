#include "check.h"

#include <math.h>
#include <stdlib.h>
#include "data/tensor.h"
#include "scratch.h"

static scant_i_tensor *load(const char *path)
{
    scant_i_tensor *tensor = NULL;
    assert_ok(scant_i_tensor_read(&tensor, path));
    return tensor;
}

static void refuse(const char *text, const char *message)
{
    scant_i_tensor *tensor = NULL;
    assert_fails(scant_i_tensor_read(&tensor, scratch_text("t.tns", text)), SCANT_ERR_INPUT,
                 message);
    assert_null(tensor);
}

static void test_tns(void **state)
{
    (void)state;
    scant_i_tensor *t =
        load(scratch_text("t.tns", "# a comment\n2 1 3 -1.5\n\n1 2 1 2 # note\n1 1 1 nan\n"));
    assert_int_equal(t->order, 3);
    assert_int_equal(t->nentries, 3);
    static const size_t size[] = {2, 2, 3};
    static const uint32_t index[] = {0, 0, 0, 0, 1, 0, 1, 0, 2};
    static const double value[] = {NAN, 2, -1.5};
    assert_memory_equal(t->size, size, sizeof size);
    assert_memory_equal(t->index, index, sizeof index); /* put in order */
    for (size_t k = 0; k < 3; k++)
        assert_same(t->value[k], value[k]);
    scant_i_tensor_free(t);
    refuse("1 1 5\n1 1 1 5\n", "t.tns:2:1: '1 1 1 5': more words");
    refuse("1 1 1 5\n1 1 5\n", "t.tns:2:1: '1 1 5':");
    refuse("0 1 5\n", "an index is 1 or more");
    refuse("1 1 x\n", "the value is not a finite number");
    refuse("5\n", "a line is");
    refuse("# none\n", "there is no entry");
    refuse("1 99999999999 1\n", "less than 2^32");
}

/* Entries of one cell are added up, wherever they stand. */
static void test_twins(void **state)
{
    (void)state;
    scant_i_tensor *t =
        load(scratch_text("t.tns", "1 70000 2\n2 2 1\n1 70000 3\n2 2 0.5\n1 1 7\n"));
    static const uint32_t index[] = {0, 0, 0, 69999, 1, 1};
    static const double value[] = {7, 5, 1.5};
    assert_int_equal(t->nentries, 3);
    assert_memory_equal(t->index, index, sizeof index);
    for (size_t k = 0; k < 3; k++)
        assert_same(t->value[k], value[k]);
    scant_i_tensor_free(t);
}

static void test_convert(void **state)
{
    (void)state;
    const char *tns = "1 1 1 2.5\n2 1 2 0.1\n2 3 2 0\n";
    assert_ok(scant_tensor_convert(scratch_text("a.tns", tns), scratch_path("a.npy")));
    scant_i_tensor *t = load(scratch_path("a.npy"));
    static const double want[] = {2.5, 0, 0, 0, 0, 0, 0, 0.1, 0, 0, 0, 0};
    assert_int_equal(t->order, 3);
    assert_null(t->index);
    assert_int_equal(t->nentries, 12);
    for (size_t k = 0; k < 12; k++)
        assert_same(t->value[k], want[k]);
    scant_i_tensor_free(t);
    assert_ok(scant_tensor_convert(scratch_path("a.npy"), scratch_path("b.tns.gz")));
    assert_ok(scant_tensor_convert(scratch_path("b.tns.gz"), scratch_path("b.tns")));
    char *text = scratch_load(scratch_path("b.tns"));
    assert_string_equal(text, tns); /* the zero in the corner keeps the size */
    free(text);
    assert_fails(scant_tensor_convert(scratch_path("b.tns"), scratch_path("b.csv")),
                 SCANT_ERR_ARGUMENT, ".tns or .npy");
    scant_rows *rows = NULL;
    assert_fails(scant_rows_read(&rows, scratch_path("b.tns"), NULL), SCANT_ERR_INPUT,
                 "holds a tensor");
}

static void test_fortran(void **state)
{
    (void)state;
    static const char head[] = "\x93NUMPY\1\0\x48\0{'descr': '<u1', 'fortran_order': True, "
                               "'shape': (2, 3, 2), }          ";
    unsigned char file[200];
    memcpy(file, head, 10 + 0x48);
    for (unsigned char k = 0; k < 12; k++)
        file[10 + 0x48 + k] = k;
    scant_i_tensor *t = load(scratch_bytes("f.npy", file, 10 + 0x48 + 12));
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 3; j++)
            for (size_t k = 0; k < 2; k++)
                assert_same(t->value[(i * 3 + j) * 2 + k], (double)(i + 2 * j + 6 * k));
    scant_i_tensor_free(t);
}

static int clean(void **state)
{
    (void)state;
    scratch_clear();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tns), cmocka_unit_test(test_twins),
                                       cmocka_unit_test(test_convert),
                                       cmocka_unit_test(test_fortran)};
    return cmocka_run_group_tests(tests, NULL, clean);
}
