#include "model/score.h"

#include <math.h>

#include "data/multiply.h"

void scant_i_score_free(scant_i_score *score)
{
    if (!score)
        return;
    for (size_t c = 0; score->columns && c < score->view.count; c++)
        scant_i_free(score->columns[c]);
    scant_i_free(score->columns);
    scant_i_free(score->weight);
    scant_i_free(score);
}

scant_status scant_i_score_new(scant_model *model)
{
    scant_status status = SCANT_OK;
    scant_i_score *score = NULL;
    char **columns = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&score, 1));
    SCANT_I_TRY(SCANT_I_NEW(&score->weight, model->ncolumns));
    SCANT_I_TRY(SCANT_I_NEW(&columns, 1));
    columns[0] = scant_i_strdup("score");
    if (!columns[0]) {
        status = SCANT_ERR_MEMORY;
        goto done;
    }
    score->columns = model->columns;
    score->view.count = model->ncolumns;
    score->view.weight = score->weight;
    model->columns = columns;
    model->ncolumns = 1;
    model->score = score;
    score = NULL;
    columns = NULL;
    scant_i_model_make_schema(model);
done:
    scant_i_free(columns);
    scant_i_score_free(score);
    return status;
}

scant_status scant_i_score_rows(scant_rows **out, const scant_i_score *score,
                                const scant_rows *rows)
{
    static const char *const name[] = {"score"};
    double *f = NULL;
    *out = NULL;
    scant_status status = SCANT_I_NEW(&f, rows->nrows);
    if (status != SCANT_OK)
        return status;
    scant_i_rows_times(f, rows, score->weight, &score->view.offset, 1);
    status = scant_rows_new(out, rows->nrows, 1, f, name);
    scant_i_free(f);
    return status;
}

void scant_i_score_classes(double *classes, const scant_i_score *score, const double *f, size_t n,
                           const double *given, const double *prior)
{
    prior = prior ? prior : given;
    double shift = log(prior[1] / prior[0]) - log(given[1] / given[0]);
    for (size_t i = 0; i < n; i++) {
        double odds = score->view.slope * f[i] + shift;
        classes[2 * i + 1] = isnan(odds) ? prior[1] : 1 / (1 + exp(-odds));
        classes[2 * i] = isnan(odds) ? prior[0] : 1 / (1 + exp(odds));
    }
}

const scant_score *scant_model_score(const scant_model *model)
{
    return model->score ? &model->score->view : NULL;
}
