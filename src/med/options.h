/* Options of maximum entropy discrimination as the numbers of a fit. */
#ifndef SCANT_I_MED_OPTIONS_H
#define SCANT_I_MED_OPTIONS_H

#include <scant/med.h>
#include "med/expand.h"
#include "med/held.h"

scant_status scant_i_med_options_take(scant_med_options *out, const scant_med_options *given);
/* Settings for inputs of d numbers, and what a search has to find instead. */
scant_status scant_i_med_settings_of(scant_i_med_settings *out, scant_i_med_search *search,
                                     const scant_med_options *options, size_t d, double began);

/* What was asked for goes into the model's settings where it differs from the presets; and back, for a model of other rows. */
scant_status scant_i_med_options_keep(scant_model *model, const scant_med_options *options);
scant_status scant_i_med_options_recall(scant_med_options *out, const scant_model *model);

/* none, powers, products */
scant_i_med_expand scant_i_med_expand_of(const char *word);

#endif
