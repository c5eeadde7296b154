/* Streams: a model that follows rows as they come. */
#ifndef SCANT_STREAM_H
#define SCANT_STREAM_H

#include <scant/data.h>
#include <scant/model.h>
#include <scant/options.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A model, the last rows it was shown, and the model it began as. A stack (scant_train) is trained again on the window
 * after every `refit` labels, and taken where it loses less on held-out labels than answers did. Of other models, each row it learns takes the
 * place of the oldest in the window, and EM goes on from the present parameters for a few
 * iterations. Not for several threads at once. */
typedef struct scant_stream scant_stream;

/* Preset it with scant_stream_options_preset; every field has a row in the table. */
typedef struct scant_stream_options {
    size_t size;       /* by the preset */
    size_t window;     /* rows that the model is fitted to */
    double prior_rows; /* rows that the start model counts as; it also stands in for the rows that a
                          window still lacks. 0: a full window stands alone */
    size_t iterations; /* of EM for each row, at most */
    double budget_ms;  /* time for them, 0: no limit; answers then depend on the machine */
    double tol;        /* stop earlier when the objective rises by less per unit weight; 0: never */
    const char *context_mode; /* how class probabilities are taken: likelihood, prior, posterior */
    size_t threads;           /* 0: OMP_NUM_THREADS, else all cores */
    size_t refit;             /* of a stack: labels after which it is trained again */
} scant_stream_options;

SCANT_API const scant_option *scant_stream_option_table(size_t *count);
SCANT_API void scant_stream_options_preset(scant_stream_options *options, size_t size);
#define scant_stream_options_preset(options)                                                       \
    (scant_stream_options_preset)(options, sizeof *(options))

/* A stream that begins as `model`, which is copied; the rest of its settings (unlabelled rows,
 * floors, smoothing, fixed proportions) are the model's own. Models fitted with em0, stacks of texts and
 * linear classifiers are SCANT_ERR_ARGUMENT. Memory: two windows and two models, however many rows come. */
SCANT_API scant_status scant_stream_new(scant_stream **out, const scant_model *model,
                                        const scant_stream_options *options);
SCANT_API void scant_stream_free(scant_stream *stream);

/* The model as it is now; borrowed until the next row is learned. */
SCANT_API const scant_model *scant_stream_model(const scant_stream *stream);
SCANT_API const scant_stream_options *scant_stream_settings(const scant_stream *stream);
SCANT_API size_t scant_stream_learned(const scant_stream *stream); /* rows, since it was new */

/* What the model says of rows, as scant_model_predict (and scant_model_predict_target where
 * `target` is not NULL), and learning the first of `rows` with what
 * is known of its class. Ask before you learn:
 *
 *     while (scant_reader_next(&row, reader) == SCANT_OK && row) {
 *         if (scant_stream_predict(stream, row, NULL, p, NULL, NULL, NULL, NULL) == 0)
 *             ... use p at once ...
 *         (void)scant_stream_learn(stream, row);
 *         scant_rows_free(row);
 *     }
 *
 * SCANT_ERR_INPUT: the row is not one the model can make; it is left out and the model stays as it
 * was (a full window may have lost its oldest row). An interrupt waits until the work on the row is
 * done, so that a stream is always between two rows. O((window + reference rows) components
 * columns^2) an iteration, independent of rows learned before. */
SCANT_API scant_status scant_stream_predict(const scant_stream *stream, const scant_rows *rows,
                                            const scant_predict_options *options, double *classes,
                                            double *components, double *support, double *loglik,
                                            double *target);
SCANT_API scant_status scant_stream_learn(scant_stream *stream, const scant_rows *rows);

/* A model file that holds the window and the start besides, so that a stream that is read back
 * goes on with the same bits, and any other command takes it as a model. Atomic. */
SCANT_API scant_status scant_stream_write(const scant_stream *stream, const char *path);
SCANT_API scant_status scant_stream_read(scant_stream **out, const char *path, size_t threads);

#ifdef __cplusplus
}
#endif
#endif
