/* The learning curve: errors on held-out labels after training on parts of the pilot, and a power law
 *     error(L) = a + b L^-c,     a, b >= 0
 * through them. It knows nothing of the model, so it stands where the model is wrong; but it knows
 * only the rows at hand, and needs labels to hold out. */
#ifndef SCANT_I_CURVE_H
#define SCANT_I_CURVE_H

#include "model/model.h"
#include "plan/steps.h"

enum {
    SCANT_I_CURVE_SIZES = 6,
    SCANT_I_CURVE_KNOWN = 4, /* sizes from which the largest is forecast, to see who forecasts it */
    SCANT_I_CURVE_LEAST = 5  /* labels of each class to try at all */
};

typedef struct scant_i_curve {
    double labels[SCANT_I_CURVE_SIZES]; /* ascending */
    double error[SCANT_I_CURVE_SIZES];  /* mean over repetitions, on the same held-out rows */
    double asymptote, factor, power;    /* a, b, c of all sizes */
    double deviation;                   /* of an error: as of so many labelled rows */
    double measured;                    /* error at the largest size */
    double forecast;                    /* of it, by a curve through the first KNOWN sizes */
    double by_model; /* by models fitted to size KNOWN - 1; NaN: none of them could */
    size_t told;     /* repetitions in which one could */
} scant_i_curve;

typedef struct scant_i_curve_options {
    size_t repeats, replicates;
    uint64_t seed;
    size_t threads;
    scant_i_steps *steps; /* fits are, SIZES + replicates a repetition; or NULL */
} scant_i_curve_options;

/* Nested parts of the labelled rows, stratified by class, each with all unlabelled rows; a
 * quarter of the labelled rows is held out. `*made` false: too few labels. Cost: SIZES fits a
 * repetition, and for a mixture a forecast and `replicates` fits. */
scant_status scant_i_curve_new(scant_i_curve *out, bool *made, const scant_model *model,
                               const scant_rows *rows, const scant_i_curve_options *options);
double scant_i_curve_at(const scant_i_curve *curve, double labels);
/* a, b, c through n points (least squares, c over a grid). */
void scant_i_power_law(double *law, const double *x, const double *y, size_t n);

#endif
