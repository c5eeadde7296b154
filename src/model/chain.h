/* Chains among models: their start and transitions in a file, and a check that a model is none. */
#ifndef SCANT_I_MODEL_CHAIN_H
#define SCANT_I_MODEL_CHAIN_H

#include "io/document.h"
#include "model/model.h"

bool scant_i_is_chain(const scant_model *model);
/* SCANT_ERR_ARGUMENT where the model is a chain: `what` ("a stream") is of independent rows. */
scant_status scant_i_model_needs_rows(const scant_model *model, const char *what);
/* Start and transitions as an object; NULL: out of memory. */
json_t *scant_i_chain_to_json(const scant_i_mixture *mixture);
/* Makes the model's mixture a chain where the document has one. */
scant_status scant_i_chain_from_json(scant_model *model, const scant_i_place *outer,
                                     const json_t *root);

#endif
