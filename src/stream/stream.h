/* Streams from the inside. */
#ifndef SCANT_I_STREAM_H
#define SCANT_I_STREAM_H

#include <scant/stream.h>
#include "model/method.h"
#include "model/model.h"
#include "stream/reference.h"

/* What is known of a row's class: the class itself, or one of these. */
enum { SCANT_I_KNOWN_NOTHING = -1, SCANT_I_KNOWN_SET = -2, SCANT_I_KNOWN_PROBABILITIES = -3 };

struct scant_stream {
    scant_stream_options options;
    const scant_i_method *method;
    scant_i_evidence_settings evidence;
    scant_model *start;            /* as it began: what the prior rows are of */
    scant_model *model;            /* as it is */
    scant_i_mixture *layout;       /* the model's mixture, on its way into a fit */
    scant_i_reference pseudo_rows; /* rows that stand for the start */
    size_t nrows;                  /* of the window, at most options.window */
    size_t learned;
    /* pseudo_rows's rows, then the window's from the oldest on; labels are made for each fit */
    scant_rows *rows;
    int32_t *known; /* as many; of the window's rows alone, as is v */
    double *v;      /* as many x classes: of sets and probabilities */
    double
        *loss; /* as many: -log p of the label when the row was answered, NaN without (again.c) */
    size_t pending; /* labels since a stack was trained */
};

/* The caller's options, checked; their words outlive the caller's. */
scant_status scant_i_stream_options_take(scant_stream_options *taken,
                                         const scant_stream_options *options);
/* A stream that began as `start` and is `now`. */
scant_status scant_i_stream_new(scant_stream **out, const scant_model *start,
                                const scant_model *now, const scant_stream_options *options);
/* Room for one more row behind the window's; the oldest leaves a full one. Returns its place. */
size_t scant_i_stream_slide(scant_stream *stream);
/* The rows of a fit, as a view that lasts until the next row: pseudo-rows only where they have any weight. */
scant_rows scant_i_stream_rows(scant_stream *stream);

/* Of models that are no mixture (again.c): can they follow; what the first row's label costs before it is learned; and
 * the work after it, or of a file that was written before it was done. */
scant_status scant_i_stream_check_machine(const scant_model *model);
scant_status scant_i_stream_loss(double *loss, const scant_stream *stream, const scant_rows *row);
scant_status scant_i_stream_again(scant_stream *stream);

/* The word for a context mode that outlives the options; NULL: there is none such. */
const char *scant_i_context_mode(const char *word);

#endif
