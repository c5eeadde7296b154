/* Which rows to label next: drawn without replacement with chances that follow their gain, not sorted by it, since the
 * rows of most gain are alike, and where the model is wrong they are its outliers. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "plan/plan.h"

const double *scant_plan_gains(const scant_plan *plan)
{
    return plan->gain;
}

/* The error with labels of these rows, and of as many by chance. A curve is of labels by chance, and knows nothing of
 * single rows. */
static scant_status promise(scant_plan_choice *out, const scant_plan *plan, const size_t *index,
                            size_t count)
{
    const scant_i_forecast *o = &plan->forecast;
    if (plan->learned) {
        scant_plan_point point;
        scant_plan_forecast(&point, plan, plan->told.labeled + count, plan->told.rows);
        *out = (scant_plan_choice){.chosen = NAN, .random = point.error};
        return SCANT_OK;
    }
    double excess, by_chance = scant_i_forecast_excess(o, o->labels + (double)count,
                                                       o->unlabelled - (double)count);
    scant_status status = scant_i_forecast_excess_with(&excess, o, plan->model, plan->rows, index,
                                                       count, plan->threads);
    if (status == SCANT_OK)
        *out = (scant_plan_choice){
            .chosen = scant_i_limit_raised(&plan->limit, SCANT_I_MIDDLE, excess),
            .random = scant_i_limit_raised(&plan->limit, SCANT_I_MIDDLE, by_chance)};
    return status;
}

typedef struct ticket {
    double key;
    size_t row;
} ticket;

static int largest_first(const void *a, const void *b)
{
    double x = ((const ticket *)a)->key, y = ((const ticket *)b)->key;
    return (x < y) - (x > y);
}

/* Drawing without replacement with chances g_i: the rows of the largest log g_i + Gumbel. */
scant_status scant_plan_choose(scant_plan_choice *out, const scant_plan *plan, size_t count,
                               size_t *index)
{
    scant_status status = SCANT_OK;
    size_t n = 0;
    ticket *drawn = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&drawn, plan->rows->nrows));
    for (size_t i = 0; i < plan->rows->nrows; i++) {
        scant_i_random random = scant_i_random_new(plan->seed, i);
        double gumbel = -log(scant_i_random_exponential(&random));
        if (!isnan(plan->gain[i]))
            drawn[n++] = (ticket){log(plan->gain[i]) + gumbel, i};
    }
    if (count > n) {
        status =
            scant_i_fail(SCANT_ERR_ARGUMENT, "%zu rows to label, but %zu have no label", count, n);
        goto done;
    }
    qsort(drawn, n, sizeof *drawn, largest_first);
    for (size_t i = 0; i < count; i++)
        index[i] = drawn[i].row;
    SCANT_I_TRY(promise(out, plan, index, count));
    out->count = count;
done:
    scant_i_free(drawn);
    return status;
}
