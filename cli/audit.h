/* What the files of `scant audit` share. */
#ifndef SCANT_CLI_AUDIT_H
#define SCANT_CLI_AUDIT_H

#include "command.h"

typedef struct audit_options {
    bool is_long;
    const char *item, *worker, *answer, *truth, *combine,
        *scores; /* scores: for the help; see cli_audit */
    bool regression, channel;
    double prior_mean, prior_sd, noise_sd; /* NaN: not given */
    scant_audit_options audit;
    cli_input input;
} audit_options;

/* numbers.c: --regression and --channel, predictors of a number. */
int cli_audit_numbers(const cli_call *call, const audit_options *options);

#endif
