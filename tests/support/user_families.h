/* Two built-in families as a program would bring them along: "waiting" is the exponential, "pair" the
 * Gaussian of two columns. */
#ifndef SCANT_T_USER_FAMILIES_H
#define SCANT_T_USER_FAMILIES_H

#include <scant/family.h>

extern const scant_family waiting, pair;

#endif
