/* In the place of hdf5.c where scant is built without HDF5. */
#include "io/format.h"

#include <string.h>

static bool sniff(const unsigned char *head, size_t n)
{
    return n >= 8 && memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0;
}

static scant_status read(scant_rows **out, scant_i_source *source,
                         const scant_read_options *options)
{
    (void)options;
    *out = NULL;
    return scant_i_fail_in(SCANT_ERR_INPUT, scant_i_source_name(source),
                           "this build of scant does not read HDF5");
}

static scant_status write(const scant_rows *rows, scant_i_sink *sink, const char *path)
{
    (void)rows;
    (void)sink;
    return scant_i_fail_in(SCANT_ERR_ARGUMENT, path, "this build of scant does not write HDF5");
}

static const char *const endings[] = {".h5", ".hdf5", NULL};
const scant_i_file_format scant_i_format_hdf5 = {
    .name = "HDF5", .endings = endings, .sniff = sniff, .read = read, .write = write};
