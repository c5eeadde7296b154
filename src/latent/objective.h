/* An objective: what a fit raises.
 *
 * It turns what the structure says of rows into coefficients of the families' statistics and of the
 * counts. Coefficients may have either sign, and an anchor adds w_j E_theta[T] to the same sums, so that
 * bounds on other objectives come to the likelihood's M-step. Its value is without the log prior,
 * which the engine adds. Adding an objective is one file that ends in one descriptor. */
#ifndef SCANT_I_LATENT_OBJECTIVE_H
#define SCANT_I_LATENT_OBJECTIVE_H

#include "latent/structure.h"

typedef struct scant_i_latent_objective scant_i_latent_objective;

/* An objective at work on a problem. */
typedef struct scant_i_aim {
    const scant_i_latent_objective *objective;
    const scant_i_posterior *posterior; /* of the mixture in question, prepared */
    void *state;                        /* the objective's own, or NULL */
} scant_i_aim;

struct scant_i_latent_objective {
    const char *name;
    const void *settings; /* the objective's own, or NULL */
    /* An M-step never lowers it. Where one may, a fit stops when the value hardly moves, up or down. */
    bool monotone;

    /* Optional: makes and frees `state`, and readies it for a question about posterior->mixture. */
    scant_status (*open)(scant_i_aim *aim);
    void (*close)(scant_i_aim *aim);
    scant_status (*prepare)(const scant_i_aim *aim);

    /* Optional: numbers of its own among the sums, from scant_i_aim_own on. */
    size_t (*nstatistics)(const scant_i_posterior *posterior);
    /* Optional: doubles of room in addition to the structure's, from scant_i_aim_own_room on. */
    size_t (*room)(const scant_i_posterior *posterior, size_t nrows);
    /* L (nrows x stride) holds log densities on entry and the statistics' coefficients on return, 0 in
     * the padding; adds to the sums. Runs in any thread. */
    scant_status (*coefficients)(const scant_i_aim *aim, const scant_i_block *block, double *L,
                                 double *sums, double *room);

    /* Of all rows: the counts of the coupling, with the coefficients' signs
     * (scant_i_posterior_counts). */
    scant_status (*counts)(const scant_i_aim *aim, const double *sums, double *N);
    /* Optional: w (M) of a factor's anchor (family.h). A family that has none is SCANT_ERR_ARGUMENT. */
    scant_status (*anchor)(const scant_i_aim *aim, const double *sums, const scant_i_factor *factor,
                           double *w);
    /* Optional: the factor's M-step, where sums of the objective's own enter it. NULL: the family's. */
    scant_status (*maximise)(const scant_i_aim *aim, const double *sums, scant_i_factor *factor,
                             const double *statistics);
    /* Optional, where not monotone: 1, or by how much more than usual steps are held back from now on. The
     * engine doubles it for a step that has lowered the value, until it does not. */
    void (*be_cautious)(const scant_i_aim *aim, double caution);
    double (*value)(const scant_i_aim *aim, const double *sums);
};

/* sum_i w_i log p(x_i, e_i): coefficients are the structure's responsibilities. Monotone. */
extern const scant_i_latent_objective scant_i_objective_likelihood;

scant_status scant_i_aim_open(scant_i_aim *out, const scant_i_latent_objective *objective,
                              const scant_i_posterior *posterior);
void scant_i_aim_close(scant_i_aim *aim);
/* Length of the sums before the families', and where the objective's own numbers are among them. */
size_t scant_i_aim_nstatistics(const scant_i_aim *aim);
size_t scant_i_aim_own(const scant_i_aim *aim);
/* Room for so many rows, and where the objective's own begins in that of a block; both it and the own
 * numbers are aligned as kernels want them. */
size_t scant_i_aim_room(const scant_i_aim *aim, size_t nrows);
double *scant_i_aim_own_room(const scant_i_aim *aim, size_t nrows, double *room);
/* A visitor of a pass (pass.h): the coefficients, with the aim as payload. */
scant_status scant_i_aim_visit(const scant_i_block *block, double *L, double *own, double *room,
                               void *aim);

#endif
