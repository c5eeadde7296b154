/* The stack as a kind of model. */
#ifndef SCANT_I_TRAIN_MACHINE_H
#define SCANT_I_TRAIN_MACHINE_H

#include "model/machine.h"

extern const scant_i_machine_kind scant_i_machine_stack;

#endif
