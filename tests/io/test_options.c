/* Options of reading that no table has set: what they may not be is refused wherever they are given. */
#include <stddef.h>

#include <scant/scant.h>
#include "check.h"
#include "scratch.h"

static const char *path;

/* Every function that reads refuses them, and makes nothing. */
static void refused(const scant_read_options *options, const char *message)
{
    scant_rows *rows = NULL;
    scant_reader *reader = NULL;
    scant_types *types = NULL;
    assert_fails(scant_rows_read(&rows, path, options), SCANT_ERR_ARGUMENT, message);
    assert_fails(scant_reader_open(&reader, path, options), SCANT_ERR_ARGUMENT, message);
    assert_fails(scant_types_guess(&types, path, options), SCANT_ERR_ARGUMENT, message);
    assert_true(!rows && !reader && !types);
}

static void values_are_checked(void **state)
{
    (void)state;
    const char *holes[] = {"a", ""};
    scant_read_options options;
    path = scratch_text("t.csv", "a,b\n1,2\n");

    scant_read_options_preset(&options);
    options.threads = 5000;
    refused(&options, "threads: '5000' is not a whole number from 0 to 4096");
    scant_read_options_preset(&options);
    options.decimal = ';';
    refused(&options, "decimal: ';' is neither . nor ,");
    scant_read_options_preset(&options);
    options.separator = '"';
    refused(&options, "'\"' cannot be a separator");
    scant_read_options_preset(&options);
    options.nignore = 1; /* of a list that is not there */
    refused(&options, "ignore: piece 1 of 1 is empty");
    options.ignore = holes;
    options.nignore = 2;
    refused(&options, "ignore: piece 2 of 2 is empty");
    scant_read_options_preset(&options);
    memset(&options.guess, 7, sizeof options.guess);
    refused(&options, "guess: 7 is neither true nor false");
}

static void what_was_not_preset_is_refused(void **state)
{
    (void)state;
    scant_read_options never = {0}, newer = {.size = sizeof newer + sizeof(size_t)};
    path = scratch_text("t.csv", "a,b\n1,2\n");
    refused(&never, "call scant_read_options_preset() first");
    refused(&newer, "scant_read_options_preset()");

    scant_votes *votes = NULL;
    scant_votes_options of_votes = {0};
    assert_fails(scant_votes_read(&votes, path, &of_votes), SCANT_ERR_ARGUMENT,
                 "call scant_votes_options_preset() first");
    of_votes.size = sizeof of_votes;
    assert_fails(scant_votes_read(&votes, path, &of_votes), SCANT_ERR_ARGUMENT,
                 "a part of the options was not set; call scant_votes_options_preset() first");
    scant_votes_options_preset(&of_votes);
    of_votes.nclasses = 1;
    assert_fails(scant_votes_read(&votes, path, &of_votes), SCANT_ERR_ARGUMENT,
                 "classes: piece 1 of 1 is empty");
    scant_votes_options_preset(&of_votes);
    of_votes.read.decimal = 'x';
    assert_fails(scant_votes_read(&votes, path, &of_votes), SCANT_ERR_ARGUMENT, "decimal");
    assert_null(votes);
}

/* A program that was compiled before the last members came. */
static void older_structs_are_read(void **state)
{
    (void)state;
    enum { OLD = offsetof(scant_read_options, missing_values) };
    _Static_assert(OLD % sizeof(size_t) == 0, "a member that older structs end before");
    scant_read_options options;
    scant_rows *rows = NULL;
    memset(&options, 0x5a, sizeof options);
    (scant_read_options_preset)(&options, OLD);
    options.label = "b";
    path = scratch_text("t.csv", "a,b\n1,x\n");
    assert_ok(scant_rows_read(&rows, path, &options));
    assert_int_equal(scant_rows_classes(rows), 1);
    scant_rows_free(rows);

    enum { OLD_VOTES = offsetof(scant_votes_options, read) + OLD };
    scant_votes_options of_votes;
    scant_votes *votes = NULL;
    memset(&of_votes, 0x5a, sizeof of_votes);
    (scant_votes_options_preset)(&of_votes, OLD_VOTES);
    assert_ok(scant_votes_read(&votes, path, &of_votes));
    assert_int_equal(scant_votes_predictors(votes), 2);
    scant_votes_free(votes);
}

/* Presets are all zero, so that an initializer with the size is as good; NULL is the presets, too. */
static void presets_are_zero_but_for_the_size(void **state)
{
    (void)state;
    scant_read_options preset, zero = {.size = sizeof zero};
    scant_votes_options of_votes, nothing;
    scant_predict_options predict, none = {.size = sizeof none};
    memset(&nothing, 0, sizeof nothing);
    nothing.size = sizeof nothing;
    nothing.read.size = sizeof nothing.read;
    scant_read_options_preset(&preset);
    scant_votes_options_preset(&of_votes);
    scant_predict_options_preset(&predict);
    assert_memory_equal(&preset, &zero, sizeof zero);
    assert_memory_equal(&of_votes, &nothing, sizeof nothing);
    assert_memory_equal(&predict, &none, sizeof none);

    scant_rows *rows = NULL;
    scant_votes *votes = NULL;
    path = scratch_text("t.csv", "a,b\n1,2\n");
    assert_ok(scant_rows_read(&rows, path, NULL));
    assert_ok(scant_votes_read(&votes, path, NULL));
    scant_rows_free(rows);
    scant_votes_free(votes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_checked),
        cmocka_unit_test(what_was_not_preset_is_refused),
        cmocka_unit_test(older_structs_are_read),
        cmocka_unit_test(presets_are_zero_but_for_the_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
