/* The one file that knows every kind of model that is no mixture (model/machine.h). */
#include "med/machine.h"
#include "model/machine.h"
#include "train/machine.h"

const scant_i_machine_kind *const scant_i_machine_kinds[] = {&scant_i_machine_stack,
                                                             &scant_i_machine_med, NULL};
