#include "family/family.h"

#include <string.h>

scant_status scant_i_factor_outline(scant_i_factor **out, const scant_i_family *family,
                                    const scant_i_family_settings *settings, size_t ncomponents,
                                    const size_t *columns, const size_t *nlevels, size_t ncolumns)
{
    scant_status status = SCANT_OK;
    scant_i_factor *factor = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&factor, 1));
    factor->family = family;
    factor->settings = *settings;
    factor->ncomponents = ncomponents;
    factor->stride = scant_i_round_up(ncomponents, SCANT_I_LANES);
    factor->ncolumns = ncolumns;
    SCANT_I_TRY(SCANT_I_NEW(&factor->columns, ncolumns));
    SCANT_I_TRY(SCANT_I_NEW(&factor->nlevels, ncolumns));
    SCANT_I_TRY(SCANT_I_NEW(&factor->centre, ncolumns));
    SCANT_I_TRY(SCANT_I_NEW(&factor->scale, ncolumns));
    SCANT_I_TRY(SCANT_I_NEW(&factor->at_floor, ncomponents));
    for (size_t c = 0; c < ncolumns; c++) {
        factor->columns[c] = columns[c];
        factor->nlevels[c] = nlevels ? nlevels[c] : 0;
        factor->scale[c] = 1;
    }
    SCANT_I_TRY(family->configure(factor));
    *out = factor;
    factor = NULL;
done:
    scant_i_factor_free(factor);
    return status;
}

scant_status scant_i_factor_new(scant_i_factor **out, const scant_i_family *family,
                                const scant_i_family_settings *settings, size_t ncomponents,
                                const size_t *columns, const size_t *nlevels, size_t ncolumns)
{
    scant_status status =
        scant_i_factor_outline(out, family, settings, ncomponents, columns, nlevels, ncolumns);
    if (status == SCANT_OK)
        status = SCANT_I_NEW(&(*out)->theta, (*out)->ntheta);
    if (status != SCANT_OK) {
        scant_i_factor_free(*out);
        *out = NULL;
    }
    return status;
}

scant_status scant_i_factor_copy(scant_i_factor **out, const scant_i_factor *factor)
{
    scant_status status =
        scant_i_factor_new(out, factor->family, &factor->settings, factor->ncomponents,
                           factor->columns, factor->nlevels, factor->ncolumns);
    if (status != SCANT_OK)
        return status;
    memcpy((*out)->theta, factor->theta, factor->ntheta * sizeof *factor->theta);
    memcpy((*out)->centre, factor->centre, factor->ncolumns * sizeof *factor->centre);
    memcpy((*out)->scale, factor->scale, factor->ncolumns * sizeof *factor->scale);
    memcpy((*out)->at_floor, factor->at_floor, factor->ncomponents * sizeof *factor->at_floor);
    if (factor->target &&
        (status = scant_i_factor_aim(*out, factor->target, factor->ntarget)) != SCANT_OK) {
        scant_i_factor_free(*out);
        *out = NULL;
    }
    return status;
}

scant_status scant_i_factor_aim(scant_i_factor *factor, const double *target, size_t n)
{
    scant_i_free(factor->target);
    factor->ntarget = 0;
    scant_status status = SCANT_I_NEW(&factor->target, n);
    if (status != SCANT_OK)
        return status;
    memcpy(factor->target, target, n * sizeof *target);
    factor->ntarget = n;
    return SCANT_OK;
}

void scant_i_factor_free(scant_i_factor *factor)
{
    if (!factor)
        return;
    if (factor->tables)
        factor->family->pass->release(factor);
    scant_i_free(factor->columns);
    scant_i_free(factor->nlevels);
    scant_i_free(factor->centre);
    scant_i_free(factor->scale);
    scant_i_free(factor->target);
    scant_i_free(factor->at_floor);
    scant_i_free(factor->theta);
    scant_i_free(factor);
}

void scant_i_block_gather(const scant_i_block *block, size_t i, const size_t *columns, size_t n,
                          double *x)
{
    const scant_i_batch_sparse *sparse = &block->batch->sparse;
    size_t row = scant_i_block_place(block, i);
    if (block->batch->dense) {
        for (size_t c = 0; c < n; c++)
            x[c] = scant_i_block_cells(block, i)[columns[c]];
        return;
    }
    for (size_t c = 0; c < n; c++) {
        size_t low = scant_i_batch_start(block->batch, row),
               end = low + scant_i_batch_count(block->batch, row);
        size_t high = end;
        while (low < high) { /* columns ascend within a row */
            size_t middle = low + (high - low) / 2;
            if ((size_t)sparse->column[middle] < columns[c])
                low = middle + 1;
            else
                high = middle;
        }
        bool listed = low < end && (size_t)sparse->column[low] == columns[c];
        x[c] = listed ? sparse->value[low] : 0;
    }
}
