/* Likelihood, and what all objectives share. See objective.h. */
#include "latent/objective.h"

/* --- likelihood --- */

static scant_status coefficients(const scant_i_aim *aim, const scant_i_block *block, double *L,
                                 double *sums, double *room)
{
    return scant_i_structure_expect(aim->posterior, block, L, sums, NULL, room);
}

static scant_status counts(const scant_i_aim *aim, const double *sums, double *N)
{
    aim->posterior->mixture->structure->counts(aim->posterior, sums, N);
    return SCANT_OK;
}

static double value(const scant_i_aim *aim, const double *sums)
{
    (void)aim;
    return scant_i_posterior_read(sums).objective;
}

const scant_i_latent_objective scant_i_objective_likelihood = {
    .name = "likelihood",
    .monotone = true,
    .coefficients = coefficients,
    .counts = counts,
    .value = value,
};

/* --- aims --- */

scant_status scant_i_aim_open(scant_i_aim *out, const scant_i_latent_objective *objective,
                              const scant_i_posterior *posterior)
{
    *out = (scant_i_aim){.objective = objective, .posterior = posterior};
    return objective->open ? objective->open(out) : SCANT_OK;
}

void scant_i_aim_close(scant_i_aim *aim)
{
    if (aim->objective && aim->objective->close)
        aim->objective->close(aim);
    *aim = (scant_i_aim){0};
}

size_t scant_i_aim_own(const scant_i_aim *aim)
{
    return scant_i_round_up(scant_i_posterior_nstatistics(aim->posterior), SCANT_I_LANES);
}

size_t scant_i_aim_nstatistics(const scant_i_aim *aim)
{
    const scant_i_latent_objective *objective = aim->objective;
    return scant_i_aim_own(aim) +
           (objective->nstatistics ? objective->nstatistics(aim->posterior) : 0);
}

static size_t structure_room(const scant_i_aim *aim, size_t nrows)
{
    const scant_i_mixture *mixture = aim->posterior->mixture;
    return scant_i_round_up(mixture->structure->room(nrows, mixture->stride), SCANT_I_LANES);
}

size_t scant_i_aim_room(const scant_i_aim *aim, size_t nrows)
{
    size_t own = aim->objective->room ? aim->objective->room(aim->posterior, nrows) : 0;
    return structure_room(aim, nrows) + own;
}

double *scant_i_aim_own_room(const scant_i_aim *aim, size_t nrows, double *room)
{
    return room + structure_room(aim, nrows);
}

scant_status scant_i_aim_visit(const scant_i_block *block, double *L, double *own, double *room,
                               void *payload)
{
    const scant_i_aim *aim = payload;
    return aim->objective->coefficients(aim, block, L, own, room);
}
