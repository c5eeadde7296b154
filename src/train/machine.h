/* The stack as a kind of model. */
#ifndef SCANT_I_TRAIN_MACHINE_H
#define SCANT_I_TRAIN_MACHINE_H

#include "model/machine.h"

extern const scant_i_machine_kind scant_i_machine_stack;

/* Trains as `model` was trained (train.c). */
scant_status scant_i_train_again(scant_model **out, const scant_model *model,
                                 const scant_rows *rows, const scant_i_machine_run *run);

#endif
