/* Audits a table of votes. Arguments: FOLDER ITERATIONS THREADS [whole]. The folder has votes.txt:
 * items, workers and classes, then the answers item by item. Time is that of the iterations, as an
 * audit with one more of them takes longer than one with a single one; or with `whole` that of an
 * audit, intervals and test of dependence included. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <scant/scant.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    return 1;
}

static int read_votes(scant_votes **out, const char *folder)
{
    char path[4096];
    size_t n, k, l;
    snprintf(path, sizeof path, "%s/votes.txt", folder);
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%zu %zu %zu", &n, &k, &l) != 3)
        return fail("no votes.txt");
    size_t *room = malloc(3 * n * k * sizeof *room), *item = room, *worker = item + n * k,
           *answer = worker + n * k;
    for (size_t v = 0; v < n * k; v++) {
        item[v] = v / k;
        worker[v] = v % k;
        if (fscanf(file, "%zu", &answer[v]) != 1)
            return fail("votes.txt is short");
    }
    fclose(file);
    scant_status status = scant_votes_new(out, n, k, l, n * k, item, worker, answer, NULL, NULL);
    free(room);
    return status == SCANT_OK ? 0 : fail(scant_message());
}

/* Seconds of an audit; the log-likelihood of an item goes to *check. */
static double time_audit(double *check, const scant_votes *votes, size_t iterations, size_t threads)
{
    scant_audit *audit = NULL;
    scant_audit_options options;
    scant_audit_options_preset(&options);
    options.max_iter = iterations;
    options.threads = threads;
    options.tol = 0;
    double began = now();
    if (scant_audit_votes(&audit, votes, &options) != SCANT_OK)
        exit(fail(scant_message()));
    double seconds = now() - began;
    *check = scant_audit_summarise(audit)->loglik / (double)scant_votes_items(votes);
    scant_audit_free(audit);
    return seconds;
}

int main(int argc, char **argv)
{
    scant_votes *votes = NULL;
    double check, ignored;
    if (argc < 4 || read_votes(&votes, argv[1]) != 0)
        return 2;
    size_t iterations = (size_t)atol(argv[2]), threads = (size_t)atol(argv[3]);
    int whole = argc > 4;
    double seconds = time_audit(&check, votes, iterations + !whole, threads);
    if (!whole)
        seconds -= time_audit(&ignored, votes, 1, threads);
    printf("{\"seconds\": %.6f, \"iterations\": %zu, \"check\": %.12g}\n", seconds, iterations,
           check);
    scant_votes_free(votes);
    return 0;
}
