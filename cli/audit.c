/* scant audit: how good predictors are, without labels. */
#include "command.h"

int cli_audit(int argc, char **argv)
{
    return cli_audit_scores(argc, argv);
}
