/* What a model of two densities says besides classes: how likely rows are, what their missing cells are, rows like them. In the
 * rows' own units: cells are z spread + centre, so a density has -log spread of each cell that is there. */
#include <math.h>

#include "base/random.h"
#include "med/machine.h"

static scant_status generator_of(scant_i_med_generator *g, const scant_i_med_machine **machine,
                                 const scant_model *model)
{
    if (model->kind != &scant_i_machine_med)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "the model was not made by med");
    const scant_i_med_machine *m = model->machine;
    const scant_i_med_discriminants *d = &m->discriminants;
    bool numbers = !m->inputs.sparse && d->nclasses == 2;
    for (size_t i = 0; numbers && i < m->inputs.d; i++)
        numbers = m->inputs.level[i] == -1;
    if (!d->family || !numbers || !(m->result.share > 0 && m->result.share < 1))
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "the model has no densities of two classes over columns of numbers: "
                            "--generative makes them");
    *g = (scant_i_med_generator){d->family,  m->inputs.d,
                                 d->chi,     d->chi + d->family->size(m->inputs.d),
                                 d->bias[0], m->result.share};
    *machine = m;
    return SCANT_OK;
}

/* Row t in standard units; NaN: missing. Returns the sum of log spreads of the cells that are there. */
static double take(double *z, const scant_i_med_machine *m, const scant_rows *rows, size_t t)
{
    double sum = 0;
    for (size_t i = 0; i < m->inputs.d; i++) {
        double cell = scant_rows_value(rows, t, m->inputs.column[i]);
        z[i] = (cell - m->inputs.centre[i]) / m->inputs.spread[i];
        sum += isnan(cell) ? 0 : log(m->inputs.spread[i]);
    }
    return sum;
}

static scant_status check_rows(const scant_model *model, const scant_rows *rows)
{
    return rows->ncolumns == model->ncolumns && rows->dense
               ? SCANT_OK
               : scant_i_fail(SCANT_ERR_INPUT, "the rows have %zu columns, the model %zu",
                              rows->ncolumns, model->ncolumns);
}

scant_status scant_med_density(const scant_model *model, const scant_rows *rows, double *density)
{
    scant_status status = SCANT_OK;
    const scant_i_med_machine *m;
    scant_i_med_generator g;
    double *z = NULL;
    SCANT_I_TRY(generator_of(&g, &m, model));
    SCANT_I_TRY(check_rows(model, rows));
    SCANT_I_TRY(SCANT_I_NEW(&z, g.d + 1));
    for (size_t t = 0; t < rows->nrows; t++) {
        double spreads = take(z, m, rows, t);
        SCANT_I_TRY(scant_i_med_generator_density(&density[t], NULL, &g, z));
        density[t] -= spreads;
    }
done:
    scant_i_free(z);
    return status;
}

scant_status scant_med_fill(const scant_model *model, const scant_rows *rows, double *cells)
{
    scant_status status = SCANT_OK;
    const scant_i_med_machine *m;
    scant_i_med_generator g;
    double *z = NULL;
    SCANT_I_TRY(generator_of(&g, &m, model));
    SCANT_I_TRY(check_rows(model, rows));
    SCANT_I_TRY(SCANT_I_NEW(&z, g.d + 1));
    for (size_t t = 0; t < rows->nrows; t++) {
        double *to = cells + t * rows->ncolumns;
        (void)take(z, m, rows, t);
        SCANT_I_TRY(scant_i_med_generator_fill(z, &g));
        for (size_t c = 0; c < rows->ncolumns; c++)
            to[c] = scant_rows_value(rows, t, c);
        for (size_t i = 0; i < g.d; i++)
            if (isnan(to[m->inputs.column[i]]))
                to[m->inputs.column[i]] = m->inputs.centre[i] + m->inputs.spread[i] * z[i];
    }
done:
    scant_i_free(z);
    return status;
}

scant_status scant_med_sample(const scant_model *model, size_t n, uint64_t seed, double *cells,
                              int32_t *classes)
{
    scant_status status = SCANT_OK;
    const scant_i_med_machine *m;
    scant_i_med_generator g;
    double *z = NULL;
    scant_i_random random = scant_i_random_new(seed, 0);
    SCANT_I_TRY(generator_of(&g, &m, model));
    SCANT_I_TRY(SCANT_I_NEW(&z, g.d + 1));
    if (g.family == &scant_i_med_multinomial_family) {
        status = scant_i_fail(SCANT_ERR_ARGUMENT, "the multinomial says nothing of rows' totals, "
                                                  "so that rows cannot be drawn from it");
        goto done;
    }
    for (size_t t = 0; t < n; t++) {
        int8_t side;
        SCANT_I_TRY(scant_i_med_generator_sample(z, &side, &g, NULL, &random));
        for (size_t i = 0; i < g.d; i++)
            cells[t * model->ncolumns + m->inputs.column[i]] =
                m->inputs.centre[i] + m->inputs.spread[i] * z[i];
        classes[t] = (side > 0) == (m->discriminants.code[1] > 0);
    }
done:
    scant_i_free(z);
    return status;
}
