/* Losses of a margin classifier, and what is expected of them where margins are normal. */
#ifndef SCANT_I_LOSS_H
#define SCANT_I_LOSS_H

#include <scant/margin.h>
#include "base/base.h"

typedef struct scant_i_loss {
    const char *name;
    /* The loss at margin a: y times the score. */
    double (*value)(double a);
    /* E L(m + s Z), Z standard normal, and its slopes in m and in s > 0 (eq. 69). */
    double (*expected)(double m, double s, double slope[2]);
} scant_i_loss;

extern const scant_i_loss scant_i_losses[SCANT_LOSSES];
/* The loss called so, or NULL. */
const scant_i_loss *scant_i_loss_find(const char *name);

#endif
