/* Messages, words for stops, log, interrupt. */
#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <pthread.h>
#include <cmocka.h>

static void words_can_be_pasted(void **state)
{
    (void)state;
    char room[16];
    static const char *const word[][2] = {{"a_b-c.csv", "a_b-c.csv"},
                                          {"body mass", "'body mass'"},
                                          {"it's", "'it'\\''s'"},
                                          {"", "''"},
                                          {"$x", "'$x'"},
                                          {"gr\xc3\xb6\xc3\x9f", "gr\xc3\xb6\xc3\x9f"},
                                          {"13 characters", "'13 characters'"}};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        assert_string_equal(scant_shell_word(room, sizeof room, word[i][0]), word[i][1]);
    static const char longer[] = "14 characters!"; /* comes as it is */
    assert_ptr_equal(scant_shell_word(room, sizeof room, longer), longer);
}

static void messages_are_kept(void **state)
{
    (void)state;
    assert_int_equal(scant_i_fail(SCANT_ERR_INPUT, "%s:%d: '%s'", "a.csv", 3, "x"),
                     SCANT_ERR_INPUT);
    assert_string_equal(scant_message(), "a.csv:3: 'x'");
    assert_int_equal(scant_i_fail_within(SCANT_ERR_INPUT, "fold %d", 2), SCANT_ERR_INPUT);
    assert_string_equal(scant_message(), "fold 2: a.csv:3: 'x'");
    /* a message may quote itself */
    (void)scant_i_fail(SCANT_ERR_IO, "again: %s", scant_message());
    assert_string_equal(scant_message(), "again: fold 2: a.csv:3: 'x'");
}

/* `--name` of a format is an option; what is quoted is not, whatever it looks like. */
static void options_are_spelled_as_the_program_likes(void **state)
{
    (void)state;
    (void)scant_i_fail(SCANT_ERR_ARGUMENT, "--max-iter: '%s' of --%s (--l1)", "--odd.csv", "x-y");
    assert_string_equal(scant_message(), "max_iter: '--odd.csv' of x_y (l1)");
    assert_string_equal(scant_message_option(), "max-iter");
    (void)scant_i_fail_within(SCANT_ERR_ARGUMENT, "row %d", 3);
    assert_string_equal(scant_message_option(), "max-iter");

    scant_message_spell(SCANT_SPELL_COMMAND);
    (void)scant_i_fail(SCANT_ERR_ARGUMENT, "--max-iter: '%s' of --%s (--l1)", "--odd.csv", "x-y");
    assert_string_equal(scant_message(), "--max-iter: '--odd.csv' of --x-y (--l1)");
    (void)scant_i_fail_words(SCANT_ERR_ARGUMENT, "100 %d of --prior --; a--b");
    assert_string_equal(scant_message(), "100 %d of --prior --; a--b");
    assert_string_equal(scant_message_option(), "prior");
    scant_message_spell(SCANT_SPELL_FIELD);

    (void)scant_i_fail(SCANT_ERR_INPUT, "'%s' is no file", "--prior");
    assert_string_equal(scant_message(), "'--prior' is no file");
    assert_string_equal(scant_message_option(), "");
}

static void faults_have_a_place(void **state)
{
    (void)state;
    (void)scant_i_fail_at(SCANT_ERR_INPUT, "a.csv", 3, 2, "'%s'", "x");
    assert_string_equal(scant_message(), "a.csv:3:2: 'x'");
    assert_string_equal(scant_fault()->file, "a.csv");
    assert_int_equal(scant_fault()->line, 3);
    assert_int_equal(scant_fault()->column, 2);
    (void)scant_i_fail_within(SCANT_ERR_INPUT, "fold 2"); /* a prefix moves nothing */
    assert_string_equal(scant_message(), "fold 2: a.csv:3:2: 'x'");
    assert_int_equal(scant_fault()->line, 3);
    (void)scant_i_fail_at(SCANT_ERR_INPUT, scant_fault()->file, 4, 0, "no column");
    assert_string_equal(scant_message(), "a.csv:4: no column");
    assert_int_equal(scant_fault()->column, 0);
    (void)scant_i_fail_in(SCANT_ERR_IO, "b.json", "%s", scant_message());
    assert_string_equal(scant_message(), "b.json: a.csv:4: no column");
    assert_string_equal(scant_fault()->file, "b.json");
    assert_false(scant_fault()->written);
    assert_int_equal(scant_i_fail_writing("c.json", "no room"), SCANT_ERR_IO);
    assert_string_equal(scant_message(), "c.json: no room");
    assert_true(scant_fault()->written);
    (void)scant_i_fail_in(SCANT_ERR_IO, "b.json", "cannot open");
    assert_false(scant_fault()->written);
    assert_int_equal(scant_fault()->line, 0);
    (void)scant_i_fail(SCANT_ERR_ARGUMENT, "no file's fault");
    assert_string_equal(scant_fault()->file, "");
}

static void long_messages_are_cut(void **state)
{
    (void)state;
    char text[5000];
    memset(text, 'y', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    (void)scant_i_fail(SCANT_ERR_INPUT, "%s", text);
    size_t length = strlen(scant_message());
    assert_true(length > 500 && length < 5000);
    (void)scant_i_fail_within(SCANT_ERR_INPUT, "%s", "front");
    assert_int_equal(strlen(scant_message()), length);
    assert_memory_equal(scant_message(), "front: yyy", 10);
    (void)scant_i_fail_within(SCANT_ERR_INPUT, "%s", text);
    assert_int_equal(strlen(scant_message()), length);
}

static void *other_thread(void *seen)
{
    *(bool *)seen = scant_message()[0] == '\0';
    (void)scant_i_fail(SCANT_ERR_IO, "elsewhere");
    return NULL;
}

static void messages_are_of_a_thread(void **state)
{
    (void)state;
    bool empty = false;
    pthread_t thread;
    (void)scant_i_fail(SCANT_ERR_INPUT, "here");
    assert_int_equal(pthread_create(&thread, NULL, other_thread, &empty), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(empty);
    assert_string_equal(scant_message(), "here");
}

static void stops_have_words(void **state)
{
    (void)state;
    assert_string_equal(scant_stop_name(SCANT_STOP_CONVERGED), "converged");
    assert_string_equal(scant_stop_name(SCANT_STOP_ITERATIONS), "iterations");
    assert_string_equal(scant_stop_name(SCANT_STOP_TIME), "time");
    assert_string_equal(scant_stop_name(SCANT_STOP_INTERRUPTED), "interrupted");
    assert_string_equal(scant_stop_name((scant_stop)99), "unknown");
    int major, minor, patch;
    assert_int_equal(sscanf(scant_version(), "%d.%d.%d", &major, &minor, &patch), 3);
}

typedef struct heard {
    int count;
    scant_log_level level;
    char text[64];
} heard;

static void listen(scant_log_level level, const char *text, void *payload)
{
    heard *h = payload;
    h->count++;
    h->level = level;
    (void)snprintf(h->text, sizeof h->text, "%s", text);
}

static void the_log_keeps_to_its_level(void **state)
{
    (void)state;
    heard h = {0};
    scant_i_log(SCANT_LOG_WARNING, "nobody hears");
    scant_log_set(SCANT_LOG_INFO, listen, &h);
    scant_i_log(SCANT_LOG_DETAIL, "too fine");
    assert_int_equal(h.count, 0);
    scant_i_log(SCANT_LOG_INFO, "row %d", 7);
    assert_int_equal(h.count, 1);
    assert_int_equal(h.level, SCANT_LOG_INFO);
    assert_string_equal(h.text, "row 7");
    scant_log_set(SCANT_LOG_INFO, NULL, NULL);
    scant_i_log(SCANT_LOG_WARNING, "nobody hears");
    assert_int_equal(h.count, 1);
}

static void interrupts_are_armed_again(void **state)
{
    (void)state;
    assert_false(scant_i_interrupted());
    scant_interrupt();
    assert_true(scant_i_interrupted());
    scant_interrupt_clear();
    assert_false(scant_i_interrupted());
}

static void time_goes_on(void **state)
{
    (void)state;
    double before = scant_i_seconds();
    while (scant_i_seconds() <= before)
        ;
    assert_true(scant_i_seconds() > before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_can_be_pasted),
        cmocka_unit_test(options_are_spelled_as_the_program_likes),
        cmocka_unit_test(messages_are_kept),
        cmocka_unit_test(faults_have_a_place),
        cmocka_unit_test(long_messages_are_cut),
        cmocka_unit_test(messages_are_of_a_thread),
        cmocka_unit_test(stops_have_words),
        cmocka_unit_test(the_log_keeps_to_its_level),
        cmocka_unit_test(interrupts_are_armed_again),
        cmocka_unit_test(time_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
