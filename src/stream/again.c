/* A stream of a model that is no mixture but learns again, such as a stack.
 *
 * After every `refit` labels the machine is trained on the window as it was trained before. What came of it is taken where
 *     held-out loss of the new one, over the window's labels  <  mean of -log p(label) when the window's rows were answered:
 * both are of labels that the answers had not seen. Until then, and after it where labels are too few to hold any out, the
 * model stays as it is: a window of a few labels is no reason to forget many.
 * Cost: a training every `refit` labels, a prediction of one row for each. */
#include <math.h>
#include <string.h>

#include "model/machine.h"
#include "stream/stream.h"

scant_status scant_i_stream_check_machine(const scant_model *model)
{
    if (!model->kind->again || !model->kind->loss || model->nclasses == 0)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "a stream needs a model with components ('scant fit') or a stack "
                            "('scant train'); this one was made by %s",
                            model->kind->method);
    if (model->reading.nterms)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "a stack of texts does not follow a stream: its words are those of "
                            "the rows it was trained on");
    return SCANT_OK;
}

scant_status scant_i_stream_loss(double *loss, const scant_stream *s, const scant_rows *row)
{
    scant_status status = SCANT_OK;
    const scant_predict_options how = {.size = sizeof how, .threads = 1};
    size_t *first = NULL;
    scant_rows *one = NULL;
    double *p = NULL;
    int32_t k = scant_rows_label(row, 0);
    *loss = NAN;
    if (k < 0)
        return SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&first, 1));
    SCANT_I_TRY(SCANT_I_NEW(&p, s->model->nclasses));
    SCANT_I_TRY(scant_rows_subset(&one, row, first, 1));
    SCANT_I_TRY(scant_model_predict(s->model, one, &how, p, NULL, NULL, NULL));
    *loss = -log(fmax(p[k], 1e-300)); /* no stack says less than 0.02 / K */
done:
    scant_i_free(first);
    scant_i_free(p);
    scant_rows_free(one);
    return status;
}

/* The window under the model's names, levels and reading, all borrowed. */
static scant_status name_rows(scant_rows *rows, const scant_model *model)
{
    scant_i_column *columns = NULL;
    scant_status status = SCANT_I_NEW(&columns, model->ncolumns);
    if (status != SCANT_OK)
        return status;
    memcpy(columns, rows->columns, model->ncolumns * sizeof *columns);
    for (size_t c = 0; c < model->ncolumns; c++)
        if (model->nlevels[c]) {
            columns[c].kind = SCANT_I_CATEGORY;
            columns[c].levels = model->levels[c];
            columns[c].nlevels = model->nlevels[c];
        }
    rows->columns = columns;
    rows->labels.classes = model->classes;
    rows->reading = model->reading;
    return SCANT_OK;
}

static double mean_loss(const scant_stream *s)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < s->nrows; i++)
        if (!isnan(s->loss[i])) {
            sum += s->loss[i];
            count++;
        }
    return sum / count;
}

/* The machine and what is said of it; names stay, which readers borrow. */
static void adopt(scant_model *model, scant_model *next)
{
    scant_model was = *model;
    model->machine = next->machine;
    model->summary = next->summary;
    model->warnings = next->warnings;
    model->nwarnings = next->nwarnings;
    next->machine = was.machine;
    next->warnings = was.warnings;
    next->nwarnings = was.nwarnings;
}

scant_status scant_i_stream_again(scant_stream *s)
{
    scant_model *next = NULL;
    const scant_i_machine_run run = {s->options.budget_ms / 1000, s->options.threads};
    if (s->pending < s->options.refit || s->options.iterations == 0)
        return SCANT_OK;
    scant_rows rows = scant_i_stream_rows(s);
    scant_status status = name_rows(&rows, s->model);
    if (status != SCANT_OK)
        return status;
    status = scant_i_machine_again(&next, s->model, &rows, &run, "a stream");
    scant_i_free(rows.columns);
    if (status == SCANT_OK &&
        scant_i_interrupted()) { /* half a stack: the next one to read on does it */
        scant_model_free(next);
        return SCANT_OK;
    }
    if (status == SCANT_OK || status == SCANT_ERR_INPUT) /* of one class only */
        s->pending = 0;
    if (status == SCANT_OK && next->kind->loss(next->machine) < mean_loss(s))
        adopt(s->model, next);
    scant_model_free(next);
    return status == SCANT_ERR_INPUT ? SCANT_OK : status;
}
