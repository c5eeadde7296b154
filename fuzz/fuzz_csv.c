/* The first byte chooses the options, the rest is the file; one thread and three must agree. */
#include "read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const char *const categorical[] = {"k*"}, *const ignore[] = {"z*"};
    static const char *const names[] = {"k", "a"}, *const levels_k[] = {"u", "v"},
                             *const classes[] = {"0", "1"};
    static const char *const *const levels[] = {levels_k, NULL};
    static const size_t nlevels[] = {2, 0};
    static const scant_schema schema = {.ncolumns = 2,
                                        .names = names,
                                        .levels = levels,
                                        .nlevels = nlevels,
                                        .nclasses = 2,
                                        .classes = classes};
    if (n == 0)
        return 0;
    scant_read_options options = {.size = sizeof options, .threads = 1};
    if (data[0] & 1)
        options.label = "y";
    if (data[0] & 2)
        options.id = "i";
    if (data[0] & 4)
        options.weight = "w";
    if (data[0] & 8)
        options.group = "g";
    if (data[0] & 16) {
        options.categorical = categorical;
        options.ncategorical = 1;
    }
    if (data[0] & 32)
        options.schema = &schema;
    if (data[0] & 64) {
        options.ignore = ignore;
        options.nignore = 1;
    }
    options.label_optional = (data[0] & 128) != 0;
    scant_rows *one = read_rows(data + 1, n - 1, &scant_i_format_csv, &options);
    options.threads = 3;
    scant_rows *three = read_rows(data + 1, n - 1, &scant_i_format_csv, &options);
    if (!one != !three)
        abort();
    if (one) {
        look_at(one);
        if (one->nrows != three->nrows || one->ncolumns != three->ncolumns ||
            memcmp(one->dense, three->dense, one->nrows * one->ncolumns * sizeof(double)) != 0)
            abort();
    }
    scant_rows_free(one);
    scant_rows_free(three);
    return 0;
}
