/* The door that the options of reading rows come in by. */
#ifndef SCANT_I_IO_OPTIONS_H
#define SCANT_I_IO_OPTIONS_H

#include <scant/data.h>

/* The caller's options, checked, become `taken`; NULL: the presets. */
scant_status scant_i_read_options_take(scant_read_options *taken,
                                       const scant_read_options *options);

#endif
