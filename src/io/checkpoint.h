/* Checkpoints: where a fit stands, as a document to go on from. It says what it is of, by a hash of rows
 * and settings, and nothing else is gone on with. */
#ifndef SCANT_I_CHECKPOINT_H
#define SCANT_I_CHECKPOINT_H

#include "io/document.h"

typedef struct scant_i_checkpoint {
    const char *path;     /* NULL: none is kept */
    const char *format;   /* what the document is called */
    char fingerprint[17]; /* of what the fit is of */
} scant_i_checkpoint;

/* A hash goes on over more bytes. */
uint64_t scant_i_checkpoint_mix(uint64_t hash, const void *bytes, size_t n);
/* Path and format are borrowed. */
scant_i_checkpoint scant_i_checkpoint_of(const char *path, const char *format, uint64_t hash);

/* `content` is an object to add the head to, and taken; NULL: there was no memory for it. */
scant_status scant_i_checkpoint_write(const scant_i_checkpoint *checkpoint, json_t *content);
/* *out: the caller's, or NULL where there is no file yet. Of another fit: SCANT_ERR_INPUT. */
scant_status scant_i_checkpoint_read(json_t **out, const scant_i_checkpoint *checkpoint);

#endif
