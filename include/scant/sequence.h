/* Sequences: chains of hidden states (hidden Markov models) over rows that follow each other. */
#ifndef SCANT_SEQUENCE_H
#define SCANT_SEQUENCE_H

#include <scant/data.h>
#include <scant/model.h>
#include <scant/options.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rows of a sequence are its steps: consecutive, in order, and of one weight, the sequence's. Rows that were read
 * with scant_read_options.sequence have them, and those that are given them here, in place of groups: the first
 * lengths[0] rows are the first sequence, and so on, all rows. scant_fit, scant_select and scant_cv_fit then fit a
 * chain: components are its states, families, labels, sets, probabilities and missing cells are those of a mixture, and
 * folds hold out whole sequences. */
SCANT_API scant_status scant_rows_set_sequences(scant_rows *rows, const size_t *lengths,
                                                size_t count);
SCANT_API size_t scant_rows_sequences(const scant_rows *rows); /* 0: rows are independent */
/* Which sequence a row belongs to, from 0. */
SCANT_API size_t scant_rows_sequence(const scant_rows *rows, size_t row);

/* A chain has as many states as components; 0: the model is no chain. */
SCANT_API size_t scant_model_states(const scant_model *model);
/* P(a sequence begins in the state), and P(state `to` follows `from`); 0 is known, and stays. */
SCANT_API double scant_model_start(const scant_model *model, size_t state);
SCANT_API double scant_model_transition(const scant_model *model, size_t from, size_t to);
/* Mean number of steps that the chain stays in a state once it is there; infinite where it never leaves. */
SCANT_API double scant_model_dwell(const scant_model *model, size_t state);

/* `count` sequences of the given lengths drawn from a chain, as scant_model_sample draws rows (which
 * makes a single sequence of a chain). Each sequence has a random stream of its own. */
SCANT_API scant_status scant_model_sample_sequences(scant_rows **out, const scant_model *model,
                                                    const size_t *lengths, size_t count,
                                                    uint64_t seed, bool with_component);

#ifdef __cplusplus
}
#endif
#endif
