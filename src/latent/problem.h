/* A problem: rows with evidence, and questions about them.
 *
 * A question is a pass over all rows: log densities under a mixture, what a visitor makes of them,
 * and statistics. The rows are in one part, here, unless they name a carrier (parts/ask.h); each part
 * holds whole tiles, and answers with sums that are added in one tree. So neither threads nor parts
 * change a byte of the result. */
#ifndef SCANT_I_PROBLEM_H
#define SCANT_I_PROBLEM_H

#include "latent/objective.h"
#include "latent/pass.h"
#include "latent/survey.h"
#include "parts/ask.h"
#include "parts/part.h"

typedef struct scant_i_problem {
    const scant_rows *rows;
    scant_i_posterior posterior; /* of the mixture that was asked about last */
    scant_i_survey survey;       /* of the evidence, not of columns */
    scant_i_aim aim;             /* what is raised */
    bool aimed;                  /* the last question was for the aim's coefficients */
    size_t nparts;
    scant_i_part *part;  /* nparts */
    scant_i_pass **pass; /* nparts */
    scant_i_tree *tree;  /* of several parts' answers, or NULL */
    const double *sums;
    double *anchored;             /* sums with the aim's anchor, or NULL */
    const scant_i_cancel *cancel; /* gives questions up; NULL: at an interrupt */
} scant_i_problem;

/* Of a mixture's shape. A visitor's own statistics begin with those of the posterior, and `more`
 * numbers follow. Rows and evidence are borrowed. */
scant_status scant_i_problem_new(scant_i_problem *out, const scant_rows *rows,
                                 const scant_i_evidence *evidence, const scant_i_mixture *mixture,
                                 size_t more, size_t threads);
/* The same for another objective than the likelihood, whose statistics come before the `more`. */
scant_status scant_i_problem_new_for(scant_i_problem *out, const scant_rows *rows,
                                     const scant_i_evidence *evidence,
                                     const scant_i_mixture *mixture,
                                     const scant_i_latent_objective *objective, size_t more,
                                     size_t threads);
void scant_i_problem_clear(scant_i_problem *problem);
/* Before many questions: see scant_i_pass_keep. */
scant_status scant_i_problem_keep(scant_i_problem *problem, const scant_i_mixture *mixture);

/* Asks: with `density` the mixture's tables are made first. Sums are valid until the next question.
 * Of several rows or parts that fail, the first in the order of tiles is reported. */
scant_status scant_i_problem_run(scant_i_problem *problem, scant_i_mixture *mixture,
                                 const scant_i_pass_plan *plan);
/* The E-step: the aim's coefficients, with the factors' statistics (and anchors) or without. */
scant_status scant_i_problem_expect(scant_i_problem *problem, scant_i_mixture *mixture,
                                    bool accumulate);

/* The objective without the log prior, after the E-step. */
double scant_i_problem_value(const scant_i_problem *problem);
/* The M-step of factors and coupling from a problem's sums: of the aim after its E-step, else of what
 * the structure said to a visitor. */
scant_status scant_i_mixture_maximise(scant_i_mixture *mixture, const scant_i_problem *problem);

const double *scant_i_problem_own(const scant_i_problem *problem);
const double *scant_i_problem_factor(const scant_i_problem *problem, size_t factor);

#endif
