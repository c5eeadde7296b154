/* A survey: what has to be known of all rows before a fit, by one question to their parts.
 *
 * Tiles answer with counts, weights, and of each column its mean, deviation and range; answers of two
 * tiles are merged into that of both (Chan, Golub and LeVeque 1983), in the tree over all tiles. So
 * neither threads nor parts change a byte. Squares are taken in units of the range: no column overflows
 * whose range is a number, and none vanishes. Cost: one walk over the cells, and one over the evidence. */
#ifndef SCANT_I_SURVEY_H
#define SCANT_I_SURVEY_H

#include "latent/evidence.h"

/* Of the cells that are there, in rows of weight. A category's cells are its levels' numbers, so that
 * `most` is the last level there is. */
typedef struct scant_i_column_survey {
    double rows, weight;
    double mean, deviation; /* weighted; 0 where no cell is there */
    double least, most;
} scant_i_column_survey;

typedef struct scant_i_survey {
    scant_i_counts counts;
    bool missing;                  /* cells are, in a row of any weight */
    size_t ncolumns;               /* 0: nobody asked, or rows are sparse */
    scant_i_column_survey *column; /* ncolumns */
    double *listed; /* of sparse rows, where asked: how many rows of weight list a column */
    double empty;   /* and how many list none */
    /* By entry of the evidence; without evidence all rows are of one entry. */
    size_t nentries;
    double *rows;   /* of weight, whatever factor the unlabelled have */
    double *weight; /* with that factor */
} scant_i_survey;

/* What is looked at beside the evidence: columns if rows are dense, or what sparse rows list. */
typedef enum scant_i_survey_of {
    SCANT_I_NO_CELLS,
    SCANT_I_COLUMNS,
    SCANT_I_LISTS
} scant_i_survey_of;

/* `evidence` may be NULL: nothing is asked about it. */
scant_status scant_i_survey_new(scant_i_survey *out, const scant_rows *rows,
                                const scant_i_evidence *evidence, scant_i_survey_of what,
                                size_t threads);
void scant_i_survey_clear(scant_i_survey *survey);
double scant_i_survey_total_rows(const scant_i_survey *survey);   /* of weight */
double scant_i_survey_total_weight(const scant_i_survey *survey); /* all entries' together */
/* No cell is further than that from the mean. */
double scant_i_survey_reach(const scant_i_column_survey *column);

#endif
