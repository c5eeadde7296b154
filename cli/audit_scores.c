#include "command.h"

int cli_audit_scores(int argc, char **argv)
{
    cli_call call;
    (void)argc;
    cli_call_begin(&call, argv[0]);
    return cli_usage_error(&call, "--scores is not built yet");
}
