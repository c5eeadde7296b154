/* The survey of any bytes must end with a guess or a message; what it guesses must be a file's own options:
 * rows that are read by them hold up, for one thread and for three alike. */
#include "read.h"

#include "io/column_types.h"

enum { MOST = 256 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    scant_i_source *source = NULL;
    scant_types *types = NULL;
    const char *option[MOST], *const *words;
    scant_read_options options = {
        .size = sizeof options, .guess = true, .threads = 1, .keep_text = n % 2};
    if (scant_i_source_memory(&source, data, n, "fuzz") != SCANT_OK)
        return 0;
    if (scant_i_types_of_csv(&types, source, &options) == SCANT_OK &&
        scant_types_count(types) <= MOST) {
        for (size_t c = 0; c < scant_types_count(types); c++) {
            const scant_type *type = scant_types_at(types, c);
            if (!(type->sure >= 0 && type->sure <= 1) || !*type->reason)
                abort();
            option[options.ntypes++] = type->as_option;
        }
        options.types = option;
        options.nmissing_values = scant_i_types_words(types, &words);
        options.missing_values = words;
        scant_rows *one = read_rows(data, n, &scant_i_format_csv, &options);
        options.threads = 3;
        scant_rows *three = read_rows(data, n, &scant_i_format_csv, &options);
        if (!one != !three ||
            (one && one->dense &&
             memcmp(one->dense, three->dense, one->nrows * one->ncolumns * sizeof(double)) != 0))
            abort();
        if (one)
            look_at(one);
        scant_rows_free(one);
        scant_rows_free(three);
    }
    scant_types_free(types);
    scant_i_source_free(source);
    return 0;
}
