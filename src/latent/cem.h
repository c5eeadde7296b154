/* Conditional likelihood as an objective: by bounds, with an M-step, or for methods that go by the gradient. See cem.c. */
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
/* The same without bounds: statistics have the gradient (coordinates.h), and there is no M-step. */
scant_i_latent_objective scant_i_objective_conditional(const scant_i_cem_settings *settings);

/* NULL, or what of rows and coupling the objective is not made for: "estimated label noise". */
const char *scant_i_conditional_refuses(const scant_i_mixture *mixture,
                                        const scant_i_evidence *evidence);
/* NULL, or what the mixture has that no bound is known for: "gamma". With missing cells or without. */
const char *scant_i_cem_refuses(const scant_i_mixture *mixture, const scant_i_evidence *evidence,
                                bool missing);
/* Names of the families with a bound, with commas. */
void scant_i_cem_families(char *out, size_t size);

#endif
