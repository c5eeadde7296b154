/* Options from text: every type, its bounds and its messages. */
#include "base/base.h"
#include "base/options.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct sample {
    bool flag;
    size_t count, cores;
    uint64_t seed;
    double real, open;
    const char *text, *choice;
    scant_texts list;
} sample;

#define AT(field) offsetof(sample, field)
static const scant_option table[] = {
    {"flag", 'f', SCANT_OPTION_FLAG, AT(flag), NULL, NULL, 0, 0, NULL, ""},
    {"starts", 'r', SCANT_OPTION_COUNT, AT(count), "N", "10", 1, 100000, NULL, ""},
    {"threads", 0, SCANT_OPTION_COUNT, AT(cores), "N", "all cores", 1, 1024, NULL, ""},
    {"seed", 0, SCANT_OPTION_SEED, AT(seed), "N", "1", 0, 0, NULL, ""},
    {"tol", 0, SCANT_OPTION_REAL, AT(real), "T", "1e-8", 0, 1, NULL, ""},
    {"open", 0, SCANT_OPTION_REAL, AT(open), "T", NULL, 0, INFINITY, NULL, ""},
    {"text", 0, SCANT_OPTION_TEXT, AT(text), "COL", NULL, 0, 0, NULL, ""},
    {"choice", 0, SCANT_OPTION_CHOICE, AT(choice), "C", "full", 0, 0, "full|diag|tied-diag", ""},
    {"list", 0, SCANT_OPTION_LIST, AT(list), "COLS", NULL, 0, 0, NULL, ""},
};
enum { COUNT = sizeof table / sizeof *table };

static scant_status set(sample *s, const char *name, const char *text)
{
    const scant_option *option = scant_option_find(table, COUNT, name);
    assert_non_null(option);
    return scant_option_set(s, option, text);
}

static void refused(const char *name, const char *text, const char *message)
{
    sample s = {0};
    assert_int_equal(set(&s, name, text), SCANT_ERR_ARGUMENT);
    assert_string_equal(scant_message(), message);
    scant_options_clear(&s, table, COUNT);
}

static void presets_are_applied(void **state)
{
    (void)state;
    sample s = {0};
    scant_options_preset(&s, table, COUNT);
    assert_int_equal(s.count, 10);
    assert_int_equal(s.cores, 0); /* "all cores" is only shown */
    assert_int_equal(s.seed, 1);
    assert_true(s.real == 1e-8);
    assert_string_equal(s.choice, "full");
    assert_null(s.text);
    assert_false(s.flag);
    assert_int_equal(s.list.count, 0);
}

static void values_are_taken(void **state)
{
    (void)state;
    sample s = {0};
    assert_int_equal(set(&s, "starts", "1"), SCANT_OK);
    assert_int_equal(s.count, 1);
    assert_int_equal(set(&s, "starts", "1e3"), SCANT_OK);
    assert_int_equal(s.count, 1000);
    assert_int_equal(set(&s, "starts", "100000"), SCANT_OK);
    assert_int_equal(set(&s, "seed", "18446744073709551615"), SCANT_OK);
    assert_true(s.seed == UINT64_MAX);
    assert_int_equal(set(&s, "tol", "0"), SCANT_OK);
    assert_int_equal(set(&s, "tol", "2.5e-3"), SCANT_OK);
    assert_true(s.real == 2.5e-3);
    assert_int_equal(set(&s, "open", "1e300"), SCANT_OK);
    assert_int_equal(set(&s, "choice", "diag"), SCANT_OK);
    assert_string_equal(s.choice, "diag");
    assert_int_equal(set(&s, "flag", NULL), SCANT_OK);
    assert_true(s.flag);
    assert_int_equal(set(&s, "flag", "no"), SCANT_OK);
    assert_false(s.flag);
    assert_int_equal(set(&s, "text", ""), SCANT_OK);
    assert_string_equal(s.text, "");
}

static void slips_are_refused(void **state)
{
    (void)state;
    refused("starts", "-3", "starts: '-3' is not a whole number from 1 to 100000");
    refused("starts", "0", "starts: '0' is not a whole number from 1 to 100000");
    refused("starts", "2.5", "starts: '2.5' is not a whole number from 1 to 100000");
    refused("starts", "", "starts: '' is not a whole number from 1 to 100000");
    refused("starts", "0x10", "starts: '0x10' is not a whole number from 1 to 100000");
    refused("starts", "7 ", "starts: '7 ' is not a whole number from 1 to 100000");
    refused("seed", "99999999999999999999",
            "seed: '99999999999999999999' is not a whole number from 0 to 18446744073709551615");
    refused("tol", "2", "tol: '2' is not a number from 0 to 1");
    refused("tol", "nan", "tol: 'nan' is not a number from 0 to 1");
    refused("open", "-1", "open: '-1' is not a number of at least 0");
    refused("open", "inf", "open: 'inf' is not a number of at least 0");
    refused("choice", "dia", "choice: 'dia' is not one of full, diag, tied-diag");
    refused("choice", "", "choice: '' is not one of full, diag, tied-diag");
    refused("choice", "full|diag", "choice: 'full|diag' is not one of full, diag, tied-diag");
    refused("flag", "maybe", "flag: 'maybe' is neither true nor false");
    refused("text", NULL, "text wants a value (COL)");
    refused("list", "a,,b", "list: 'a,,b' has an empty piece");
    refused("list", "", "list: '' has an empty piece");
}

static void a_refusal_leaves_the_value(void **state)
{
    (void)state;
    sample s = {0};
    scant_options_preset(&s, table, COUNT);
    assert_int_equal(set(&s, "starts", "none"), SCANT_ERR_ARGUMENT);
    assert_int_equal(s.count, 10);
    assert_int_equal(set(&s, "list", "a,b"), SCANT_OK);
    assert_int_equal(set(&s, "list", "c,"), SCANT_ERR_ARGUMENT);
    assert_int_equal(s.list.count, 2);
    scant_options_clear(&s, table, COUNT);
}

static void lists_grow(void **state)
{
    (void)state;
    sample s = {0};
    char text[] = "a,bc";
    assert_int_equal(set(&s, "list", text), SCANT_OK);
    memset(text, 'x', sizeof text - 1); /* pieces are copies */
    assert_int_equal(set(&s, "list", "d"), SCANT_OK);
    assert_int_equal(s.list.count, 3);
    assert_string_equal(s.list.item[0], "a");
    assert_string_equal(s.list.item[1], "bc");
    assert_string_equal(s.list.item[2], "d");
    scant_options_clear(&s, table, COUNT);
    assert_int_equal(s.list.count, 0);
    assert_null(s.list.item);
    scant_options_clear(&s, table, COUNT); /* again is harmless */
}

/* Every allocation of a list fails once; nothing leaks and the list stays as it was. */
static void *failing_resize(void *payload, void *block, size_t bytes)
{
    int *left = payload;
    return (*left)-- > 0 ? realloc(block, bytes) : NULL;
}

static void failing_release(void *payload, void *block)
{
    (void)payload;
    free(block);
}

static void lists_survive_a_lack_of_memory(void **state)
{
    (void)state;
    scant_status status = SCANT_ERR_MEMORY;
    for (int allowed = 0; status != SCANT_OK; allowed++) {
        int left = allowed;
        scant_allocator scarce = {failing_resize, failing_release, &left};
        sample s = {0};
        scant_allocator_set(&scarce);
        status = set(&s, "list", "a,b,c");
        assert_int_equal(s.list.count, status == SCANT_OK ? 3 : 0);
        scant_options_clear(&s, table, COUNT);
        assert_true(allowed < 10);
    }
    scant_allocator_set(NULL);
}

/* A value is refused with the words that the text of it would be. */
static void unfit(sample *s, const char *message)
{
    assert_int_equal(scant_options_check(s, table, COUNT), SCANT_ERR_ARGUMENT);
    assert_string_equal(scant_message(), message);
    scant_options_clear(s, table, COUNT);
    memset(s, 0, sizeof *s);
    scant_options_preset(s, table, COUNT);
}

static void values_set_by_hand_are_checked(void **state)
{
    (void)state;
    const char *holes[] = {"a", ""};
    sample s = {0};
    scant_options_preset(&s, table, COUNT);
    assert_int_equal(scant_options_check(&s, table, COUNT), SCANT_OK);
    s.count = 0;
    unfit(&s, "starts: '0' is not a whole number from 1 to 100000");
    s.count = 100001;
    unfit(&s, "starts: '100001' is not a whole number from 1 to 100000");
    s.cores = 1025;
    unfit(&s, "threads: '1025' is not a whole number from 1 to 1024");
    s.real = -1e-300;
    unfit(&s, "tol: '-1e-300' is not a number from 0 to 1");
    s.real = NAN;
    unfit(&s, "tol: 'nan' is not a number from 0 to 1");
    s.open = INFINITY;
    unfit(&s, "open: 'inf' is not a number of at least 0");
    s.choice = "dia";
    unfit(&s, "choice: 'dia' is not one of full, diag, tied-diag");
    s.choice = NULL;
    unfit(&s, "choice is NULL; it wants a value (C)");
    memset(&s.flag, 7, sizeof s.flag);
    unfit(&s, "flag: 7 is neither true nor false");
    s.list = (scant_texts){NULL, 1};
    assert_int_equal(scant_options_check(&s, table, COUNT), SCANT_ERR_ARGUMENT);
    s.list = (scant_texts){holes, 2};
    assert_int_equal(scant_options_check(&s, table, COUNT), SCANT_ERR_ARGUMENT);
    assert_string_equal(scant_message(), "list: piece 2 of 2 is empty");

    s.list = (scant_texts){holes, 1};
    s.cores = 1024;
    s.real = 1;
    s.choice = "tied-diag";
    assert_int_equal(scant_options_check(&s, table, COUNT), SCANT_OK);
}

/* --- versions of a struct --- */

typedef struct grown {
    size_t size;
    double tol;
    size_t starts; /* which an older program does not have */
    const char *shape;
} grown;

#define GROWN(field) offsetof(grown, field)
static const scant_option grown_table[] = {
    {"tol", 0, SCANT_OPTION_REAL, GROWN(tol), "T", "1e-8", 0, 1, NULL, ""},
    {"starts", 0, SCANT_OPTION_COUNT, GROWN(starts), "N", "10", 1, 100, NULL, ""},
    {"shape", 0, SCANT_OPTION_CHOICE, GROWN(shape), "C", "full", 0, 0, "full|diag", ""},
};
static const scant_i_options_kind kind = {"grown_preset", sizeof(grown), grown_table, 3};

static void an_older_struct_takes_presets_for_what_it_lacks(void **state)
{
    (void)state;
    enum { OLD = offsetof(grown, starts) };
    grown old, taken;
    memset(&old, 0x5a, sizeof old);
    scant_i_options_preset(&old, OLD, &kind);
    assert_int_equal(old.size, OLD);
    assert_true(old.tol == 1e-8);
    assert_int_equal(old.starts, 0x5a5a5a5a5a5a5a5a); /* not the program's to be written */

    old.tol = 0.5;
    assert_int_equal(scant_i_options_take(&taken, &old, &kind), SCANT_OK);
    assert_int_equal(taken.size, sizeof taken);
    assert_true(taken.tol == 0.5);
    assert_int_equal(taken.starts, 10);
    assert_string_equal(taken.shape, "full");
}

static void a_struct_that_was_not_preset_is_refused(void **state)
{
    (void)state;
    static const char never[] = "the options were not set; call grown_preset() first";
    grown given = {0}, taken;
    assert_int_equal(scant_i_options_take(&taken, NULL, &kind), SCANT_ERR_ARGUMENT);
    assert_string_equal(scant_message(), never);
    assert_int_equal(scant_i_options_take(&taken, &given, &kind), SCANT_ERR_ARGUMENT);
    assert_string_equal(scant_message(), never);
    memset(&given, 0xff, sizeof given);
    assert_int_equal(scant_i_options_take(&taken, &given, &kind), SCANT_ERR_ARGUMENT);
    assert_non_null(strstr(scant_message(), "grown_preset()"));

    scant_i_options_preset(&given, sizeof given, &kind);
    given.starts = 101;
    assert_int_equal(scant_i_options_take(&taken, &given, &kind), SCANT_ERR_ARGUMENT);
    given.starts = 100;
    assert_int_equal(scant_i_options_take(&taken, &given, &kind), SCANT_OK);
    assert_int_equal(taken.starts, 100);
}

static void names_are_found(void **state)
{
    (void)state;
    assert_ptr_equal(scant_option_find(table, COUNT, "seed"), &table[3]);
    assert_null(scant_option_find(table, COUNT, "see"));
    assert_null(scant_option_find(table, COUNT, "seeds"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_are_applied),
        cmocka_unit_test(values_are_taken),
        cmocka_unit_test(slips_are_refused),
        cmocka_unit_test(a_refusal_leaves_the_value),
        cmocka_unit_test(lists_grow),
        cmocka_unit_test(lists_survive_a_lack_of_memory),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(values_set_by_hand_are_checked),
        cmocka_unit_test(an_older_struct_takes_presets_for_what_it_lacks),
        cmocka_unit_test(a_struct_that_was_not_preset_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
