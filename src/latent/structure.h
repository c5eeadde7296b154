/* A structure: what ties rows to each other.
 *
 * From the log densities of rows and what is known of their classes it makes responsibilities,
 * log-likelihoods and counts of components and classes. Rows that are tied are consecutive: a
 * sequence. It belongs to the tile of its first row, and is never cut. Adding a structure is one file
 * that ends in one descriptor. */
#ifndef SCANT_I_STRUCTURE_H
#define SCANT_I_STRUCTURE_H

#include "latent/posterior.h"

/* What responsibilities say of classes in a prediction. */
typedef struct scant_i_naming {
    size_t nclasses;     /* that predictions name: K, or those that labels speak of */
    const double *share; /* nclasses x stride: of a component's mass that is a class's */
    const double *prior; /* nclasses: shares of rows that no component can make */
} scant_i_naming;

struct scant_i_structure {
    const char *name;

    /* Does a sequence begin at the batch's row? It depends on what the batch says of rows, not on
     * where the batch begins. NULL: every row is one. `expect` and visitors then see blocks of one
     * pattern of missing cells; else they see whole sequences, rows in order, patterns mixed
     * (block->present is NULL), so that memory grows with the longest sequence. */
    bool (*begins)(const scant_i_batch *batch, size_t row);

    /* Optional: numbers of its own, after the posterior's statistics. */
    size_t (*nstatistics)(const scant_i_mixture *mixture);
    /* Doubles of room that `expect` needs for so many rows. */
    size_t (*room)(size_t nrows, size_t stride);
    /* The contract of scant_i_posterior_block. */
    scant_status (*expect)(const scant_i_posterior *posterior, const scant_i_block *block,
                           double *L, double *statistics, double *loglik, double *room);
    /* Optional: the same for the first sharing-out of a start, whose shares `expect` may find no way
     * through. */
    scant_status (*share)(const scant_i_posterior *posterior, const scant_i_block *block, double *L,
                          double *statistics, double *loglik, double *room);
    /* The contract of scant_i_posterior_counts. */
    void (*counts)(const scant_i_posterior *posterior, const double *statistics, double *N);
    /* P(class | all that is known), row i of the block at out + number of row i * nclasses, from
     * what `expect` made of rows of weight 1. */
    void (*classes)(const scant_i_posterior *posterior, const scant_i_block *block,
                    const scant_i_naming *naming, const double *r, const double *loglik,
                    double *out);

    /* Optional: the M-step of the mixture's `ties`, from the numbers of its own; and free parameters
     * of ties and coupling, where W is not one table that adds up to 1. */
    void (*maximise)(scant_i_mixture *mixture, const double *own);
    size_t (*degrees)(const scant_i_mixture *mixture);
};

/* Rows are independent. */
extern const scant_i_structure scant_i_structure_rows;

static inline scant_status scant_i_structure_expect(const scant_i_posterior *posterior,
                                                    const scant_i_block *block, double *L,
                                                    double *statistics, double *loglik,
                                                    double *room)
{
    return posterior->mixture->structure->expect(posterior, block, L, statistics, loglik, room);
}

#endif
