/* Structs of options at the door: which version of the struct the caller has, and whether its
 * values are such as the table allows. */
#ifndef SCANT_I_OPTIONS_H
#define SCANT_I_OPTIONS_H

#include <scant/options.h>

/* One of the library's structs of options, whose first member is its size. */
typedef struct scant_i_options_kind {
    const char *preset; /* name of the function that presets it */
    size_t size;        /* of the struct as this library knows it */
    const scant_option *table;
    size_t count;
} scant_i_options_kind;

/* Presets a struct of `size` bytes, which is the caller's own idea of it. */
void scant_i_options_preset(void *options, size_t size, const scant_i_options_kind *kind);
/* `out` becomes what the caller gave, as this library knows it: what lies behind the end of an older
 * struct has its presets, lists apart, which are empty there. SCANT_ERR_ARGUMENT: none was given, it was not preset,
 * it is a newer one, or a value is none that its table has. Texts and lists stay the caller's. */
scant_status scant_i_options_take(void *out, const void *given, const scant_i_options_kind *kind);
/* The value as a text that scant_option_set takes. False: it has none (no text, a list), or `size` is not enough. */
bool scant_i_option_tell(char *out, size_t size, const void *options, const scant_option *option);
/* Only whether there is such a struct: for those without a table. */
scant_status scant_i_options_check_size(size_t size, const scant_i_options_kind *kind);

#endif
