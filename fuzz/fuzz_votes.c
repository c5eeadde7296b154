/* Tables of votes, wide or long: what is read can be audited and combined, or is refused with a
 * reason. The first byte chooses the options, the rest is the file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <scant/scant.h>
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { CELLS_MAX = 1 << 12, SLOTS_MAX = 32 }; /* the information of more takes seconds */

static void check(scant_status status, const void *made)
{
    if ((status == SCANT_OK) != (made != NULL) || status == SCANT_ERR_INTERNAL ||
        (status != SCANT_OK && !*scant_message()))
        abort();
}

static void combine(const scant_audit *audit, const scant_votes *votes)
{
    size_t n = scant_votes_items(votes), K = scant_votes_classes(votes);
    double *p = calloc(n * K, sizeof *p);
    if (p && scant_audit_combine(p, audit, votes) == SCANT_OK)
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            for (size_t k = 0; k < K; k++)
                sum += p[i * K + k];
            if (!(fabs(sum - 1) < 1e-6))
                abort();
        }
    free(p);
}

static void audit(const scant_votes *votes, uint8_t choice)
{
    static const char *const models[] = {NULL, "symmetric", "confusion", "confusion"};
    scant_audit *result = NULL;
    scant_audit_options options;
    scant_audit_options_preset(&options);
    options.model = models[choice & 3];
    options.prior = choice & 4 ? "estimate" : NULL;
    options.separately = (choice & 8) != 0;
    options.max_iter = 5;
    options.threads = 1;
    check(scant_audit_votes(&result, votes, &options), result);
    if (result)
        combine(result, votes);
    scant_audit_free(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    scant_votes *votes = NULL;
    scant_votes_options options = {.size = sizeof options,
                                   .read = {.size = sizeof(scant_read_options), .threads = 1}};
    FILE *file = n ? fopen(path, "wb") : NULL;
    if (!file)
        return 0;
    size_t written = fwrite(data + 1, 1, n - 1, file);
    if (fclose(file) != 0 || written != n - 1)
        return 0;
    options.is_long = (data[0] & 16) != 0;
    options.truth = data[0] & 32 ? "truth" : NULL;
    check(scant_votes_read(&votes, path, &options), votes);
    if (votes && scant_votes_items(votes) * scant_votes_classes(votes) < CELLS_MAX &&
        scant_votes_predictors(votes) * scant_votes_classes(votes) < SLOTS_MAX)
        audit(votes, data[0] & 15);
    scant_votes_free(votes);
    return 0;
}
