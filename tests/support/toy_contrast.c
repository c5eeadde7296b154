/* Evidence counts, rows alone count against it:
 *
 *   O = sum_i w_i (log p(x_i, e_i) - c log p(x_i))
 *
 * Its gradient is that of sum_ij w_i (r_ij - c q_ij) log F_ij, q the responsibilities without evidence. An
 * anchor of 2 c Q_j, Q_j = sum_i w_i q_ij, keeps the M-step within the families' domain; it does not
 * move the stationary points, but a step may lower O. Cost: two E-steps. */
#include "toys.h"

static double factor_of(const scant_i_aim *aim)
{
    return *(const double *)aim->objective->settings;
}

/* Rows as if nothing were known of them. */
typedef struct blank {
    scant_i_evidence evidence;
    scant_i_posterior posterior;
} blank;

static void close_blank(scant_i_aim *aim)
{
    blank *b = aim->state;
    if (!b)
        return;
    scant_i_posterior_clear(&b->posterior);
    scant_i_free(b->evidence.v);
    scant_i_free(b->evidence.kind);
    scant_i_free(b);
    aim->state = NULL;
}

static scant_status open_blank(scant_i_aim *aim)
{
    scant_status status = SCANT_OK;
    blank *b = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&b, 1));
    aim->state = b;
    b->evidence = *aim->posterior->evidence;
    b->evidence.v = NULL;
    b->evidence.kind = NULL;
    b->evidence.only = NULL;
    size_t n = b->evidence.nentries * b->evidence.nclasses;
    SCANT_I_TRY(SCANT_I_NEW(&b->evidence.v, n));
    SCANT_I_TRY(SCANT_I_NEW(&b->evidence.kind, b->evidence.nentries));
    for (size_t k = 0; k < n; k++)
        b->evidence.v[k] = 1;
    SCANT_I_TRY(scant_i_posterior_new(&b->posterior, aim->posterior->mixture, &b->evidence));
done:
    if (status != SCANT_OK)
        close_blank(aim);
    return status;
}

static scant_status prepare(const scant_i_aim *aim)
{
    blank *b = aim->state;
    b->posterior.mixture = aim->posterior->mixture;
    b->posterior.beta = aim->posterior->beta;
    scant_i_posterior_prepare(&b->posterior);
    return SCANT_OK;
}

/* The second E-step's sums, and its L. */
static size_t room_of(const scant_i_posterior *posterior, size_t nrows)
{
    return nrows * posterior->mixture->stride;
}

static scant_status coefficients(const scant_i_aim *aim, const scant_i_block *block, double *L,
                                 double *sums, double *room)
{
    scant_status status = SCANT_OK;
    const blank *b = aim->state;
    const scant_i_mixture *m = aim->posterior->mixture;
    size_t n = block->nrows * m->stride;
    double *own = scant_i_aim_own_room(aim, block->nrows, room);
    for (size_t t = 0; t < n; t++)
        own[t] = L[t];
    SCANT_I_TRY(scant_i_structure_expect(aim->posterior, block, L, sums, NULL, room));
    SCANT_I_TRY(scant_i_structure_expect(&b->posterior, block, own, sums + scant_i_aim_own(aim),
                                         NULL, room));
    for (size_t t = 0; t < n; t++)
        L[t] -= factor_of(aim) * own[t];
done:
    return status;
}

/* N = those with evidence - c (1 - 2) those without: the anchor's rows fall to classes as W says. */
static scant_status counts(const scant_i_aim *aim, const double *sums, double *N)
{
    scant_status status = SCANT_OK;
    const blank *b = aim->state;
    const scant_i_mixture *m = aim->posterior->mixture;
    size_t table = m->nclasses * m->stride;
    const scant_i_structure *structure = m->structure;
    double *without = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&without, SCANT_I_COUNTS * table));
    structure->counts(aim->posterior, sums, N);
    structure->counts(&b->posterior, sums + scant_i_aim_own(aim), without);
    for (size_t t = 0; t < SCANT_I_COUNTS * table; t++)
        N[t] += factor_of(aim) * without[t];
done:
    scant_i_free(without);
    return status;
}

static scant_status anchor(const scant_i_aim *aim, const double *sums, const scant_i_factor *factor,
                           double *w)
{
    scant_status status = SCANT_OK;
    const blank *b = aim->state;
    const scant_i_mixture *m = aim->posterior->mixture;
    size_t rest = SCANT_I_COUNTS * m->nclasses;
    double *without = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&without, rest * m->stride));
    m->structure->counts(&b->posterior, sums + scant_i_aim_own(aim), without);
    for (size_t j = 0; j < factor->ncomponents; j++) {
        w[j] = 0;
        for (size_t k = 0; k < rest; k++)
            w[j] += 2 * factor_of(aim) * without[k * m->stride + j];
    }
done:
    scant_i_free(without);
    return status;
}

static double value(const scant_i_aim *aim, const double *sums)
{
    return scant_i_posterior_read(sums).objective -
           factor_of(aim) * scant_i_posterior_read(sums + scant_i_aim_own(aim)).objective;
}

const scant_i_latent_objective toy_contrast = {
    .name = "contrast",
    .settings = &(const double){TOY_CONTRAST},
    .open = open_blank,
    .close = close_blank,
    .prepare = prepare,
    .nstatistics = scant_i_posterior_nstatistics,
    .room = room_of,
    .coefficients = coefficients,
    .counts = counts,
    .anchor = anchor,
    .value = value,
};
