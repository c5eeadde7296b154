/* Votes as families: answers of predictors, independent given the class.
 *
 * The rows are those of data/votes.h, a column for each answer of each predictor; the factor's
 * columns are the predictors, each with l levels. Component j is class j. */
#ifndef SCANT_I_FAMILY_VOTES_H
#define SCANT_I_FAMILY_VOTES_H

#include "family/family.h"

/* A table of its own for each predictor, and one number each. Not in the registry: their rows are
 * not a user's columns. */
extern const scant_i_family scant_i_confusion, scant_i_symmetric;
/* A table each where saying nothing is an answer, too (rules.c). */
extern const scant_i_family scant_i_rules;

#endif
