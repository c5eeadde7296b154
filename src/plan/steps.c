#include "plan/steps.h"

#include <math.h>

scant_status scant_i_steps_look(const scant_i_steps *steps)
{
    bool end = scant_i_interrupted();
    if (!end && steps && steps->progress) {
        const scant_progress_event event = {.what = "plan",
                                            .done = steps->done,
                                            .total = steps->total,
                                            .starts = 1,
                                            .iteration = steps->done,
                                            .objective = NAN};
        end = steps->progress(&event, steps->payload) != 0;
    }
    return end ? scant_i_fail(SCANT_ERR_INTERRUPTED, "interrupted while planning") : SCANT_OK;
}

scant_status scant_i_steps_count(scant_i_steps *steps)
{
    if (steps && steps->done < steps->total) /* sizes too small for a curve leave some out */
        steps->done++;
    return scant_i_steps_look(steps);
}
