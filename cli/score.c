/* What a linear classifier says of itself, for blind and show. */
#include "command.h"

#include <math.h>

void cli_json_score(json_t *object, const scant_model *model)
{
    const scant_score *s = scant_model_score(model);
    cli_json_set(object, "loss", cli_json_text(scant_model_setting(model, "loss")));
    cli_json_set(object, "risk", cli_json_real(s->risk));
    cli_json_set(object, "error", cli_json_real(s->error));
    cli_json_set(object, "error_interval",
                 json_pack("[o, o]", cli_json_real(s->error_low), cli_json_real(s->error_high)));
    cli_json_set(object, "share", cli_json_real(s->share));
    cli_json_set(object, "likeliest_share", cli_json_real(s->likeliest));
    cli_json_set(object, "distance", cli_json_real(s->distance));
}

void cli_print_score(const scant_model *model)
{
    const scant_score *s = scant_model_score(model);
    if (!isnan(s->error))
        cli_line(stdout, "risk", "%.6g (%s loss, estimated without labels)", s->risk,
                 scant_model_setting(model, "loss"));
    if (isnan(s->error))
        cli_line(stdout, "error", "no estimate: %s",
                 scant_model_warnings(model) > 0 ? scant_model_warning(model, 0)
                                                 : "a check speaks against it");
    else if (isnan(s->error_low))
        cli_line(stdout, "error", "%.6g (of the training rows, without labels: too low)", s->error);
    else
        cli_line(stdout, "error", "%.6g, %.4g to %.4g (estimated without labels on rows held out)",
                 s->error, s->error_low, s->error_high);
    cli_line(stdout, "share", "%.6g of the rows are answered %s", s->share,
             scant_model_class_name(model, 1));
    cli_line(stdout, "distance", "%.6g between the scores and two normals", s->distance);
}
