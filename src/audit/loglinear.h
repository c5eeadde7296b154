/* Predictors that depend on each other: learning-without-labels eq. 34-35. */
#ifndef SCANT_I_AUDIT_LOGLINEAR_H
#define SCANT_I_AUDIT_LOGLINEAR_H

#include "audit/question.h"
#include "audit/result.h"

/* Tables of all l^k answers that predictors can give together; so many predictors at most. */
enum { SCANT_I_CELLS_MOST = 1 << 20, SCANT_I_PAIRED_MOST = 20 };

/* log p(x | y) = a_y + sum_c b_cy(x_c) + sum_(c<d) g_cdy(x_c, x_d), started from the independent
 * fit `from`. Fills the audit's estimates and its table of cells. SCANT_ERR_INPUT: too many cells;
 * SCANT_ERR_UNIDENTIFIED: more parameters than frequencies. */
scant_status scant_i_audit_loglinear(scant_audit *audit, const scant_i_question *question,
                                     const scant_i_mixture *from);

/* p (l) = P(class, answers of an item) by the table of cells; an answer of -1 is missing. */
void scant_i_audit_look_up(double *p, const scant_audit *audit, const int32_t *answer);

#endif
