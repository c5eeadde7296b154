/* A world: a truth that the pilot's rows may have come from, and pilots drawn there.
 *
 * The model itself is no such truth: fitted parameters pull classes apart, so pilots drawn from it
 * look easier than the pilot does. A world is the model with its components pulled together: in
 * natural parameters, of which each family's domain is a convex set,
 *     eta_j  ->  mean + pull (eta_j - mean),     mean = sum_j W_j eta_j,   0 < pull,
 * factor by factor; what components share stays, and so do their weights. For two normal classes
 * this moves the distance of the means alone, on which their error depends alone.
 *
 * Fits are biased: pseudo-counts, for one, draw rare answers towards even ones, in the model and
 * again in what is fitted to rows drawn from it. Pilots tell how far the components' mean drifts;
 * worlds that are shifted back by as much have fits whose mean is the model's. */
#ifndef SCANT_I_WORLD_H
#define SCANT_I_WORLD_H

#include "inform/chart.h"
#include "model/model.h"

/* What all worlds of a plan have in common. */
typedef struct scant_i_ground {
    const scant_model *model;
    const scant_rows *rows; /* the pilot's, dense: how many, and which are labelled */
    size_t drawn;           /* rows of a sample that errors are means over */
    uint64_t seed;          /* the same for all samples: their differences are surer than they */
    size_t threads;
    const double *shift; /* of the components' means, a coordinate of the chart each; NULL: none */
} scant_i_ground;

typedef struct scant_i_world {
    const scant_i_ground *ground; /* borrowed */
    double pull;                  /* as far as it went */
    scant_i_mixture *mixture;
    scant_i_chart chart; /* the mixture's */
    double *weight;      /* M: of components */
    double *mean;        /* n of the chart: mean over components, or 0 */
    double *drift;       /* n: how far fits' means were from it, the sum over `fits` */
    size_t fits;
    scant_rows *rows; /* the sample */
    double *classes;  /* drawn x K: P(k | x) in this world */
    double limit;     /* E[1 - p_best], the error where the world is known */
} scant_i_world;

/* A pull above 1 is followed as far as the domain goes. SCANT_ERR_UNIDENTIFIED: a parameter sits at
 * the edge of its domain. */
scant_status scant_i_world_new(scant_i_world *out, const scant_i_ground *ground, double pull);
void scant_i_world_clear(scant_i_world *world);

/* The limit, over `pieces` samples more. */
scant_status scant_i_world_limit(double *limit, const scant_i_world *world, size_t pieces);

/* A pilot drawn here with `times` the labels of the real one, and fitted: what it gives away by its
 * rule, and, unless NULL, the error that it expects of itself. Labels are those of the pilot's
 * labelled rows, then of the others, then of rows more. */
scant_status scant_i_world_pilot(double *excess, double *hope, scant_i_world *world, size_t times,
                                 uint64_t seed);

#endif
