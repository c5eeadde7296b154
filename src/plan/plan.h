/* A plan from the inside. */
#ifndef SCANT_I_PLAN_H
#define SCANT_I_PLAN_H

#include <scant/plan.h>

#include "plan/curve.h"
#include "plan/forecast.h"
#include "plan/limit.h"

enum { SCANT_I_PLAN_WARNINGS = 3, SCANT_I_PLAN_WORDS = 320 };

struct scant_plan {
    const scant_model *model; /* borrowed */
    scant_rows *rows;         /* dense for a mixture; with `learned` as they came */
    bool learned; /* the model is no mixture, but learns again: the curve is all there is */
    double *gain; /* of each row; NaN where it has a label */
    scant_i_forecast forecast;
    scant_i_limit limit;
    scant_i_curve curve;
    scant_plan_summary told;
    double wider
        [SCANT_I_CASES]; /* how much further the ends of intervals are than who forecasts says */
    double label_cost, row_cost;
    size_t most; /* rows in the end */
    uint64_t seed;
    size_t threads;
    size_t nwarnings;
    char warning[SCANT_I_PLAN_WARNINGS][SCANT_I_PLAN_WORDS];
};

#endif
