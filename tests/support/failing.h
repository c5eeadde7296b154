/* An allocator that fails at the n-th request, and counts the blocks that live. */
#ifndef SCANT_T_FAILING_H
#define SCANT_T_FAILING_H

#include <stdbool.h>
#include <stddef.h>
#include <scant/status.h>

/* From here on scant's n-th request for memory fails (0: none does), and those after it succeed. */
void failing_begin(size_t n);
/* Back to malloc; the blocks taken since failing_begin and not given back. */
size_t failing_end(void);
bool failing_happened(void); /* the n-th request was reached */

/* Runs `work` with the first, second, ... request failing, until it succeeds without reaching the
 * failure. Every failed run must say SCANT_ERR_MEMORY and leave no block behind; asserts so.
 * Returns the runs. */
typedef scant_status (*failing_work)(void *payload);
size_t failing_sweep(failing_work work, void *payload);
/* The same, jansson's requests included, and no failure may be passed over: each must come out as
 * SCANT_ERR_MEMORY with a message that says so. */
size_t failing_sweep_strictly(failing_work work, void *payload);
/* The same with every `step`-th request only, for work that asks for thousands. */
size_t failing_sweep_sparsely(failing_work work, void *payload, size_t step);

#endif
