#include "audit.h"

int cli_audit_scores(const cli_call *call, const audit_options *options)
{
    (void)options;
    return cli_usage_error(call, "--scores is not built yet");
}
