/* What the files of `scant audit` share. */
#ifndef SCANT_CLI_AUDIT_H
#define SCANT_CLI_AUDIT_H

#include "command.h"

typedef struct audit_options {
    bool is_long;
    const char *item, *worker, *answer, *truth, *combine,
        *scores;      /* scores: for the help; see cli_audit */
    const char *more; /* votes that came later */
    size_t ask;
    scant_texts cost;
    bool regression, channel;
    double prior_mean, prior_sd, noise_sd; /* NaN: not given */
    scant_audit_options audit;
    cli_input input;
} audit_options;

/* ask.c: what to ask next, as many as wanted. `*count` 0 and *out NULL: nothing was asked. GO_ON or an
 * exit code; the caller frees. */
int cli_audit_ask(scant_ask **out, size_t *count, const cli_call *call,
                  const audit_options *options, const scant_audit *audit, const scant_votes *votes);
void cli_print_ask(const scant_ask *ask, size_t count, const scant_votes *votes);
json_t *cli_json_ask(const scant_ask *ask, size_t count, const scant_votes *votes);
/* The test of independence, with the predictors' names. */
typedef const char *cli_namer(const void *of, size_t index);
json_t *cli_json_dependence(const scant_dependence *dependence, cli_namer *name, const void *of);
void cli_print_dependence(const scant_dependence *dependence, cli_namer *name, const void *of);
/* numbers.c: --regression and --channel, predictors of a number. */
int cli_audit_numbers(const cli_call *call, const audit_options *options);

#endif
