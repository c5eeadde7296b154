#include "io/checkpoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "data/names.h"

uint64_t scant_i_checkpoint_mix(uint64_t hash, const void *bytes, size_t n)
{
    return (hash ^ scant_i_hash(bytes, n)) * UINT64_C(0x9E3779B97F4A7C15) + n;
}

scant_i_checkpoint scant_i_checkpoint_of(const char *path, const char *format, uint64_t hash)
{
    scant_i_checkpoint out = {.path = path, .format = format};
    (void)snprintf(out.fingerprint, sizeof out.fingerprint, "%016" PRIx64, hash);
    return out;
}

scant_status scant_i_checkpoint_write(const scant_i_checkpoint *checkpoint, json_t *content)
{
    scant_status status;
    if (content && json_object_set_new(content, "format", json_string(checkpoint->format)) == 0 &&
        json_object_set_new(content, "schema", json_integer(1)) == 0 &&
        json_object_set_new(content, "fingerprint", json_string(checkpoint->fingerprint)) == 0)
        status = scant_i_document_write(content, checkpoint->path);
    else
        status = scant_i_fail(SCANT_ERR_MEMORY, "out of memory in a checkpoint");
    json_decref(content);
    return status;
}

scant_status scant_i_checkpoint_read(json_t **out, const scant_i_checkpoint *checkpoint)
{
    scant_status status = SCANT_OK;
    const char *format, *of;
    scant_i_place place = {.file = checkpoint->path};
    *out = NULL;
    if (access(checkpoint->path, F_OK) != 0)
        return SCANT_OK;
    SCANT_I_TRY(scant_i_document_read(out, checkpoint->path));
    SCANT_I_TRY(scant_i_get_text(&format, &place, *out, "format"));
    SCANT_I_TRY(scant_i_get_text(&of, &place, *out, "fingerprint"));
    if (strcmp(format, checkpoint->format) != 0 || strcmp(of, checkpoint->fingerprint) != 0)
        status = scant_i_fail_in(SCANT_ERR_INPUT, checkpoint->path,
                                 "this checkpoint belongs to a fit with other data or settings");
done:
    if (status != SCANT_OK) {
        json_decref(*out);
        *out = NULL;
    }
    return status;
}
