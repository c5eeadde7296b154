/* Contexts: what is known of rows in addition to their columns, turned into class probabilities.
 *
 * A context c (the place, the time, the word before) depends on the class z in a known way. A table
 * p(z|c) has a row a context and a column a class, a table p(c|z) a row a class and a column a
 * context; identifiers name the rows, and columns are called `p_<name>` or `<name>`. The result has
 * a column `p_<class>` a class and goes into scant_rows_set_context. */
#ifndef SCANT_CONTEXT_H
#define SCANT_CONTEXT_H

#include <scant/data.h>
#include <scant/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Latent contexts: p_i(z) = sum_c p_i(c) p(z|c). `prior` has a column a context and holds each
 * row's p_i(c); a row of NaN stays one. Where `given` has no identifiers its rows are the contexts
 * in the order of the columns of `prior`. O(rows contexts classes). */
SCANT_API scant_status scant_context_latent(scant_rows **out, const scant_rows *prior,
                                            const scant_rows *given);
/* Observed contexts: p_i(z) = p(z|c_i). `observed` has one column, a category; missing cells give
 * rows of NaN. O(rows classes). */
SCANT_API scant_status scant_context_observed(scant_rows **out, const scant_rows *observed,
                                              const scant_rows *given);
/* The table p(z|c) = p(c|z) q(z) / sum over classes, with `prior` the text of the class shares q as
 * scant_prior_read takes it. NULL: all alike, which leaves p(c|z) up to a factor of the context's:
 * what weighs the proportions (context-aware mixtures eq. 18) and does not replace them. */
SCANT_API scant_status scant_context_invert(scant_rows **out, const scant_rows *likelihood,
                                            const char *prior);

/* 1 + sum_k p_k log_K p_k: how much a row's probabilities tell, from 0 (all alike, or NaN: nothing)
 * to 1 (certain; so is the only class of one). */
SCANT_API double scant_negentropy(const double *p, size_t nclasses);

#ifdef __cplusplus
}
#endif
#endif
