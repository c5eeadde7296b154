/* Conditional likelihood by bounds, as an objective whose M-step is known; see cem.c. */
#ifndef SCANT_I_LATENT_CEM_H
#define SCANT_I_LATENT_CEM_H

#include "latent/bound.h"
#include "latent/objective.h"

typedef struct scant_i_cem_settings {
    double generative;       /* s: the weight of the log-likelihood of all rows */
    scant_i_bound_rule rule; /* of the families' weights */
} scant_i_cem_settings;

/* Settings are borrowed. Monotone where the rule guarantees it. */
scant_i_latent_objective scant_i_objective_cem(const scant_i_cem_settings *settings);

/* NULL, or what the mixture has that no bound is known for: "gamma columns", "estimated label noise". With missing
 * cells or without. */
const char *scant_i_cem_refuses(const scant_i_mixture *mixture, const scant_i_evidence *evidence,
                                bool missing);
/* Names of the families with a bound, with commas. */
void scant_i_cem_families(char *out, size_t size);

#endif
