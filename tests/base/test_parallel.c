/* Threads: every task once, workers in range, the first failure in task order with its message;
 * what they made put together in order. */
#include "base/base.h"

#include <omp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#if defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZER
#endif
#endif

enum { TASKS = 1000 };

typedef struct work {
    atomic_int runs[TASKS];
    atomic_bool bad_worker;
    size_t threads;
    size_t fails[3]; /* tasks that fail */
    bool slow_first; /* the earlier failure comes later in time */
} work;

static scant_status count_run(size_t task, size_t worker, void *payload)
{
    work *w = payload;
    atomic_fetch_add(&w->runs[task], 1);
    if (worker >= w->threads)
        atomic_store(&w->bad_worker, true);
    for (size_t i = 0; i < 3; i++)
        if (task == w->fails[i]) {
            struct timespec wait = {0, w->slow_first ? 2000000 * (long)(3 - i) : 0};
            (void)nanosleep(&wait, NULL);
            return scant_i_fail(i ? SCANT_ERR_INPUT : SCANT_ERR_IO, "task %zu failed", task);
        }
    return SCANT_OK;
}

static work none_fails(size_t threads)
{
    return (work){.threads = threads, .fails = {TASKS, TASKS, TASKS}};
}

static void every_task_runs_once(void **state)
{
    (void)state;
    static const size_t threads[] = {1, 2, 3, 7, 32};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        work w = none_fails(threads[t]);
        assert_int_equal(scant_i_parallel(threads[t], TASKS, count_run, &w), SCANT_OK);
        for (size_t k = 0; k < TASKS; k++)
            assert_int_equal(atomic_load(&w.runs[k]), 1);
        assert_false(atomic_load(&w.bad_worker));
    }
    work w = none_fails(scant_i_threads(0));
    assert_int_equal(scant_i_parallel(0, TASKS, count_run, &w), SCANT_OK);
    assert_false(atomic_load(&w.bad_worker));
    assert_int_equal(scant_i_parallel(4, 0, count_run, &w), SCANT_OK);
    assert_true(scant_i_threads(0) >= 1);
    assert_int_equal(scant_i_threads(5), 5);
}

static void the_first_failure_in_task_order_wins(void **state)
{
    (void)state;
    static const size_t threads[] = {1, 2, 7};
    for (size_t t = 0; t < 3; t++)
        for (int repeat = 0; repeat < 20; repeat++) {
            work w = none_fails(threads[t]);
            w.slow_first = true;
            w.fails[0] = 5; /* slowest, and yet the one to be told */
            w.fails[1] = 6;
            w.fails[2] = 7;
            assert_int_equal(scant_i_parallel(threads[t], TASKS, count_run, &w), SCANT_ERR_IO);
            assert_string_equal(scant_message(), "task 5 failed");
            for (size_t k = 0; k <= 5; k++)
                assert_int_equal(atomic_load(&w.runs[k]), 1);
        }
}

/* Work inside work runs in order on the thread that asked. */
static scant_status inner(size_t task, size_t worker, void *payload)
{
    size_t *sum = payload;
    if (worker != 0)
        return scant_i_fail(SCANT_ERR_INTERNAL, "a worker inside a worker");
    *sum += task;
    return task == 90 ? scant_i_fail(SCANT_ERR_INPUT, "inner %zu", task) : SCANT_OK;
}

static scant_status outer(size_t task, size_t worker, void *payload)
{
    size_t *sums = payload;
    (void)worker;
    return scant_i_parallel(4, task == 3 ? 100 : 10, inner, &sums[task]);
}

static void nested_work_keeps_its_failure(void **state)
{
    (void)state;
    size_t sums[8] = {0};
    assert_int_equal(scant_i_parallel(2, 8, outer, sums), SCANT_ERR_INPUT);
    assert_string_equal(scant_message(), "inner 90");
    for (size_t k = 0; k < 3; k++)
        assert_int_equal(sums[k], 45);
}

static scant_status long_failure(size_t task, size_t worker, void *payload)
{
    (void)worker;
    (void)payload;
    char text[2000];
    memset(text, 'a' + (int)task, sizeof text - 1);
    text[sizeof text - 1] = '\0';
    return scant_i_fail(SCANT_ERR_INPUT, "%.*s", task ? (int)(sizeof text) - 1 : 10, text);
}

static void a_long_message_leaves_no_tail(void **state)
{
    (void)state;
    for (int repeat = 0; repeat < 50; repeat++) {
        assert_int_equal(scant_i_parallel(2, 2, long_failure, NULL), SCANT_ERR_INPUT);
        assert_string_equal(scant_message(), "aaaaaaaaaa");
    }
}

/* OpenMP takes OMP_NUM_THREADS for its own number, and what a program says to it. */
static void openmp_says_how_many_threads_are_usual(void **state)
{
    (void)state;
    int usual = omp_get_max_threads();
    omp_set_num_threads(usual + 5);
    assert_int_equal(scant_i_threads(0), usual + 5);
    assert_int_equal(scant_i_threads(1), 1);
    omp_set_num_threads(usual);
}

static void *call_often(void *payload)
{
    for (int repeat = 0; repeat < 20; repeat++) {
        work w = none_fails(3);
        if (scant_i_parallel(3, TASKS, count_run, &w) != SCANT_OK || atomic_load(&w.bad_worker))
            return payload;
        for (size_t k = 0; k < TASKS; k++)
            if (atomic_load(&w.runs[k]) != 1)
                return payload;
    }
    return NULL;
}

static void threads_of_a_program_share_the_helpers(void **state)
{
    (void)state;
    enum { CALLERS = 4 };
    pthread_t caller[CALLERS];
    for (size_t t = 0; t < CALLERS; t++)
        assert_int_equal(pthread_create(&caller[t], NULL, call_often, "failed"), 0);
    for (size_t t = 0; t < CALLERS; t++) {
        void *failed = NULL;
        (void)pthread_join(caller[t], &failed);
        assert_null(failed);
    }
}

static scant_status see_flag(size_t task, size_t worker, void *payload)
{
    struct timespec moment = {0, 1000000};
    (void)task;
    (void)worker;
    (void)nanosleep(&moment, NULL); /* so that helpers get some */
    if (scant_i_interrupted())
        atomic_fetch_add((atomic_int *)payload, 1);
    return SCANT_OK;
}

static void *look_elsewhere(void *payload)
{
    return scant_i_interrupted() ? payload : NULL;
}

static void a_flag_is_for_one_callers_work(void **state)
{
    (void)state;
    const int flag = 1;
    atomic_int seen = 0;
    void *elsewhere = NULL;
    pthread_t other;
    assert_null(scant_interrupt_heed(&flag));
    assert_int_equal(scant_i_parallel(4, 40, see_flag, &seen), SCANT_OK);
    assert_int_equal(atomic_load(&seen), 40);
    assert_int_equal(pthread_create(&other, NULL, look_elsewhere, "seen"), 0);
    (void)pthread_join(other, &elsewhere);
    assert_null(elsewhere);
    assert_ptr_equal(scant_interrupt_heed(NULL), &flag);
    atomic_store(&seen, 0);
    assert_int_equal(scant_i_parallel(4, 40, see_flag, &seen), SCANT_OK);
    assert_int_equal(atomic_load(&seen), 0);
}

static scant_status sleep_some(size_t task, size_t worker, void *payload)
{
    struct timespec some = {0, task == 1 ? 100000000 : 0};
    (void)worker;
    (void)payload;
    (void)nanosleep(&some, NULL);
    return SCANT_OK;
}

static double processor_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Whoever waits takes no processor from others: of 0.3 s that two wait for one, hardly any. */
static void waiting_is_sleep(void **state)
{
    (void)state;
    double before = processor_seconds();
    for (int repeat = 0; repeat < 3; repeat++)
        assert_int_equal(scant_i_parallel(3, 3, sleep_some, NULL), SCANT_OK);
    assert_true(processor_seconds() - before < 0.02);
}

/* Threads are not there after a fork; others are made. */
static void a_child_process_works_on(void **state)
{
    (void)state;
#ifdef THREAD_SANITIZER
    skip(); /* it allows no threads after the fork of a program that has some */
#else
    int how = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(call_often(&child) ? 1 : 0);
    assert_true(child > 0 && waitpid(child, &how, 0) == child);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once),
        cmocka_unit_test(the_first_failure_in_task_order_wins),
        cmocka_unit_test(nested_work_keeps_its_failure),
        cmocka_unit_test(a_long_message_leaves_no_tail),
        cmocka_unit_test(openmp_says_how_many_threads_are_usual),
        cmocka_unit_test(threads_of_a_program_share_the_helpers),
        cmocka_unit_test(a_flag_is_for_one_callers_work),
        cmocka_unit_test(waiting_is_sleep),
        cmocka_unit_test(a_child_process_works_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
