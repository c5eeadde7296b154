/* Threads that wait asleep. Whoever asks works, too, and those who help are kept for the next call; between calls and at its
 * end they look for work for some microseconds and then sleep, so that on a busy machine no thread takes the processor from
 * one that has work. (OpenMP's would: libgomp waits by spinning unless the environment says otherwise.)
 *
 * A task's failure is kept with its message, the first in task order wins, so that what the caller is told does not depend
 * on the number of threads. Where a thread cannot be made, there are fewer. */
#include "base/base.h"

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

enum {
    KEPT_MESSAGE = 1024,
    LOOKS = 400 /* before sleep: some ten microseconds, about what waking up takes */
};

/* A call: whoever joins takes the next task until there is none. */
typedef struct job {
    struct job *next;
    scant_i_task task;
    void *payload;
    const int *heeded; /* the caller's flag of interrupts */
    size_t ntasks;
    size_t workers, joined; /* how many may work on it, and how many came */
    atomic_size_t taken;    /* tasks */
    atomic_size_t active;   /* helpers that have not left */
    atomic_size_t first_failed;
    pthread_mutex_t failing; /* for what follows */
    scant_status status;
    char message[KEPT_MESSAGE];
    scant_place place;
} job;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work, left; /* there is a job; a helper has left one */
    job *jobs;                 /* that can be joined */
    size_t nidle;              /* helpers without a job, those that have yet to begin included */
    atomic_uint calls;         /* changes with each job */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .work = PTHREAD_COND_INITIALIZER,
          .left = PTHREAD_COND_INITIALIZER};

static _Thread_local bool at_work; /* within a task: what it asks for is done in order */

static void pause_a_moment(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

size_t scant_i_threads(size_t asked)
{
    int usual = omp_get_max_threads(); /* OpenMP knows OMP_NUM_THREADS, and else the cores */
    return asked ? asked : (size_t)(usual > 0 ? usual : 1);
}

static scant_status run_in_order(size_t ntasks, scant_i_task task, void *payload)
{
    for (size_t k = 0; k < ntasks; k++) {
        scant_status status = task(k, 0, payload);
        if (status != SCANT_OK)
            return status;
    }
    return SCANT_OK;
}

static void keep_failure(job *j, size_t k, scant_status status)
{
    (void)pthread_mutex_lock(&j->failing);
    if (k < atomic_load(&j->first_failed)) {
        atomic_store(&j->first_failed, k);
        j->status = status;
        strncpy(j->message, scant_message(), sizeof j->message - 1);
        j->place = *scant_fault();
    }
    (void)pthread_mutex_unlock(&j->failing);
}

static void work_on(job *j, size_t worker)
{
    const int *before = scant_interrupt_heed(j->heeded);
    at_work = true;
    for (size_t k; (k = atomic_fetch_add(&j->taken, 1)) < j->ntasks;) {
        scant_status status = SCANT_OK;
        if (k < atomic_load(&j->first_failed))
            status = j->task(k, worker, j->payload);
        if (status != SCANT_OK)
            keep_failure(j, k, status);
    }
    at_work = false;
    (void)scant_interrupt_heed(before);
}

/* One that wants helpers still, or NULL. */
static job *find_job(void)
{
    job *j = pool.jobs;
    while (j && (j->joined == j->workers || atomic_load(&j->taken) >= j->ntasks))
        j = j->next;
    return j;
}

static void *help(void *unused)
{
    (void)unused;
    omp_set_num_threads(1); /* for a BLAS that asks OpenMP: its threads would be too many */
    (void)pthread_mutex_lock(&pool.lock);
    pool.nidle--;
    for (;;) {
        job *j = find_job();
        if (j) {
            size_t worker = j->joined++;
            atomic_fetch_add(&j->active, 1);
            (void)pthread_mutex_unlock(&pool.lock);
            work_on(j, worker);
            (void)pthread_mutex_lock(&pool.lock);
            if (atomic_fetch_sub(&j->active, 1) == 1)
                (void)pthread_cond_broadcast(&pool.left);
            continue;
        }
        unsigned seen = atomic_load(&pool.calls);
        pool.nidle++;
        (void)pthread_mutex_unlock(&pool.lock);
        for (int k = 0; k < LOOKS && atomic_load(&pool.calls) == seen; k++)
            pause_a_moment();
        (void)pthread_mutex_lock(&pool.lock);
        if (atomic_load(&pool.calls) == seen)
            (void)pthread_cond_wait(&pool.work, &pool.lock);
        pool.nidle--;
    }
    return NULL;
}

/* A child process has none of the threads, and knows nothing of their jobs. */
static void begin_anew(void)
{
    pool.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pool.work = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool.left = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool.jobs = NULL;
    pool.nidle = 0;
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, begin_anew);
}

/* Signals are for the program's own threads. */
static bool make_helper(void)
{
    pthread_attr_t detached;
    pthread_t thread;
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    bool made = pthread_attr_init(&detached) == 0;
    if (made) {
        made = pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED) == 0 &&
               pthread_create(&thread, &detached, help, NULL) == 0;
        (void)pthread_attr_destroy(&detached);
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return made;
}

/* All of a job, with as many helpers as are to be had. */
static void run_together(job *j)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, watch_forks);
    (void)pthread_mutex_lock(&pool.lock);
    size_t wanted = j->workers - 1;
    j->next = pool.jobs;
    pool.jobs = j;
    atomic_fetch_add(&pool.calls, 1);
    for (size_t k = 0; k < scant_i_min(wanted, pool.nidle); k++)
        (void)pthread_cond_signal(&pool.work);
    while (pool.nidle < wanted && make_helper())
        pool.nidle++;
    (void)pthread_mutex_unlock(&pool.lock);

    work_on(j, 0);

    (void)pthread_mutex_lock(&pool.lock); /* nobody joins from here on */
    job **place = &pool.jobs;
    while (*place != j)
        place = &(*place)->next;
    *place = j->next;
    (void)pthread_mutex_unlock(&pool.lock);
    for (int k = 0; k < LOOKS && atomic_load(&j->active) > 0; k++)
        pause_a_moment();
    (void)pthread_mutex_lock(
        &pool.lock); /* also where they have left: they must have let go of the job */
    while (atomic_load(&j->active) > 0)
        (void)pthread_cond_wait(&pool.left, &pool.lock);
    (void)pthread_mutex_unlock(&pool.lock);
}

scant_status scant_i_parallel(size_t threads, size_t ntasks, scant_i_task task, void *payload)
{
    size_t workers = scant_i_min(scant_i_threads(threads), ntasks);
    if (workers <= 1 || at_work || omp_in_parallel())
        return run_in_order(ntasks, task, payload);
    job j = {.task = task,
             .payload = payload,
             .heeded = scant_i_heeded(),
             .ntasks = ntasks,
             .workers = workers,
             .joined = 1,
             .failing = PTHREAD_MUTEX_INITIALIZER};
    atomic_init(&j.first_failed, ntasks);
    run_together(&j);
    return j.status == SCANT_OK ? SCANT_OK : scant_i_fail_again(j.status, j.message, &j.place);
}
