/* Blind training from the inside: what its algorithms share. */
#ifndef SCANT_I_BLIND_H
#define SCANT_I_BLIND_H

#include <scant/blind.h>
#include "audit/margin.h"
#include "data/rows.h"
#include "model/model.h"
#include "solve/minimise.h"

/* What all starts share. Weights theta are of columns in standard units z = (x - centre) factor, and
 * theta[d] is the offset there. */
typedef struct scant_i_blind {
    const scant_blind_options *options;
    const scant_rows *rows;
    const scant_i_loss *loss;
    double prior[2];
    size_t d;
    double *centre, *factor; /* d; factor 0: the column does not vary */
    size_t nbasis;
    double *basis; /* nbasis x d: directions of large variance, in standard units, whitened */
    double began;  /* seconds */
} scant_i_blind;

/* One start. */
typedef struct scant_i_blind_run {
    const scant_i_blind *blind;
    size_t start, worker;
    double *theta;         /* d + 1 */
    double *u;             /* d: theta in the columns' own units */
    double *f, *c;         /* n: scores, and the risk's slope in each */
    double *gradient;      /* d + 1, where an algorithm wants it */
    scant_i_margin margin; /* at theta; class 1 stays class 1 from one theta to the next */
    double loglik;         /* of the scores, per unit weight */
    scant_i_minimum minimum;
    double share; /* of rows with a score above 0 */
    scant_stop stop;
    bool good; /* it has a result */
} scant_i_blind_run;

/* The start number `task` of the runs `payload`; a scant_i_task. Leaves theta, margin and minimum. */
scant_status scant_i_blind_run_make(size_t task, size_t worker, void *payload);
/* Frees all but theta. */
void scant_i_blind_run_clear(scant_i_blind_run *run);
/* Down once more from the weights of `from`, on the run's own rows. Leaves run->f, the scores of all of
 * them. */
scant_status scant_i_blind_run_again(scant_i_blind_run *run, const scant_i_blind_run *from);
/* The run that wins, or NULL: none has a result. */
const scant_i_blind_run *scant_i_blind_best(const scant_i_blind_run *runs, size_t count);
/* Fills the model, which has the rows' columns and two classes. */
scant_status scant_i_blind_result(scant_model *model, const scant_i_blind_run *best,
                                  scant_i_blind_run *runs);

/* blind_held.c: what rows that were not trained on say of the winner. */
typedef struct scant_i_held {
    bool asked,
        told; /* false: training on some of the rows came to nothing, and there is no more */
    scant_i_margin margin;  /* the two normals of held-out scores */
    scant_risk risk, error; /* the loss that was minimised, and the share of wrong answers */
    double distance;        /* of the scores from the normals */
    double share, gain; /* the second class's likeliest share, and log-likelihood a row it gains */
} scant_i_held;
/* *stop changes where time or an interrupt cut it short; out->asked is then false. */
scant_status scant_i_blind_hold_out(scant_i_held *out, scant_stop *stop,
                                    const scant_i_blind_run *best);

/* f = rows theta. */
void scant_i_blind_scores(scant_i_blind_run *run, const double *theta);
/* Follows the maximum of the likelihood from run->margin to the scores at hand, and gives the risk
 * there without penalties. false: the maximum was lost, and run->margin is as before. */
bool scant_i_blind_risk(scant_i_blind_run *run, double *risk, scant_i_slopes *at);
/* L2 and L1 of theta. */
double scant_i_blind_penalty(const scant_i_blind *blind, const double *theta);
/* Risk with its L2 penalty, and the exact gradient; a scant_i_objective whose payload is a run. */
scant_status scant_i_blind_objective(double *value, double *gradient, const double *theta,
                                     void *run);
/* Time, interrupt and progress between two iterations; true: stop, run->stop says why. */
bool scant_i_blind_enough(size_t iteration, double value, void *run);

/* The algorithms of the paper, from run->theta (blind_published.c). */
scant_status scant_i_blind_descend(scant_i_blind_run *run);
scant_status scant_i_blind_search(scant_i_blind_run *run);

/* A direction to start from: the leading nbasis directions (blind_start.c). */
scant_status scant_i_blind_basis(scant_i_blind *blind);
void scant_i_blind_start(scant_i_blind_run *run);

#endif
