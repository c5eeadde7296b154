/* What blind training says of its own error: an estimate from rows that were not trained on.
 *
 * On the rows it was made from, a classifier's scores lie further apart than on any others, and the two
 * normals fitted to them tell an error several times too low. So each fold of the rows is held out in
 * turn, training goes down again from the winning weights on the others, and the fold is scored with
 * what comes out. All held-out scores together get two normals of their own, and eq. 72 with those is the
 * estimate; the sandwich of scores.c gives its interval. One start a fold: a fold's minimum is looked for in
 * the winner's valley, which makes it an estimate for that valley. */
#include <math.h>
#include <string.h>

#include "audit/scores.h"
#include "base/random.h"
#include "blind/blind.h"

enum { FOLDS = 5 };
static const double LEVEL = 0.95;

/* One fold: rows as they are, with weight 0 where they are held out. */
typedef struct fold {
    scant_i_blind blind;
    scant_rows rows;
    double *weight;
    scant_i_blind_run run;
    const scant_i_blind_run *best;
    const size_t *of; /* n: the fold of each row */
    double *held;     /* n: scores, each fold's at its own rows */
} fold;

static scant_status fold_train(size_t task, size_t worker, void *payload)
{
    fold *f = (fold *)payload + task;
    const scant_rows *rows = f->best->blind->rows;
    scant_status status = SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&f->weight, rows->nrows));
    for (size_t i = 0; i < rows->nrows; i++)
        f->weight[i] = f->of[i] == task ? 0 : scant_rows_weight(rows, i);
    f->rows = *rows;
    f->rows.weight = f->weight;
    f->blind = *f->best->blind;
    f->blind.rows = &f->rows;
    f->run = (scant_i_blind_run){.blind = &f->blind, .start = f->best->start, .worker = worker};
    SCANT_I_TRY(scant_i_blind_run_again(&f->run, f->best));
    for (size_t i = 0; i < rows->nrows; i++)
        if (f->of[i] == task)
            f->held[i] = f->run.f[i];
done:
    scant_i_blind_run_clear(&f->run);
    scant_i_free(f->run.theta);
    scant_i_free(f->weight);
    return status;
}

/* Scores of all rows by weights that have not seen them; *whole: every fold came to a minimum, for
 * which *stop is why one had no time. */
static scant_status hold_out(double *held, bool *whole, scant_stop *stop,
                             const scant_i_blind_run *best)
{
    const scant_i_blind *b = best->blind;
    scant_status status = SCANT_OK;
    fold folds[FOLDS] = {0};
    size_t *of = NULL;
    scant_i_random random = scant_i_random_new(b->options->seed, UINT64_MAX - 1);
    SCANT_I_TRY(SCANT_I_NEW(&of, b->rows->nrows));
    for (size_t i = 0; i < b->rows->nrows; i++)
        of[i] = scant_i_random_below(&random, FOLDS);
    for (size_t h = 0; h < FOLDS; h++)
        folds[h] = (fold){.best = best, .of = of, .held = held};
    SCANT_I_TRY(scant_i_parallel(b->options->threads, FOLDS, fold_train, folds));
    *whole = true;
    for (size_t h = 0; h < FOLDS; h++) {
        *whole &= folds[h].run.good && folds[h].run.stop == SCANT_STOP_CONVERGED;
        if (folds[h].run.stop != SCANT_STOP_CONVERGED)
            *stop = folds[h].run.stop;
    }
done:
    scant_i_free(of);
    return status;
}

scant_status scant_i_blind_hold_out(scant_i_held *out, scant_stop *stop,
                                    const scant_i_blind_run *best)
{
    const scant_i_blind *b = best->blind;
    scant_status status = SCANT_OK;
    scant_i_scores s = {NULL, b->rows->weight, b->rows->nrows};
    scant_i_slopes at;
    scant_risk risk[SCANT_LOSSES];
    double *held = NULL;
    bool whole = false;
    *out = (scant_i_held){.asked = true, .margin = best->margin};
    SCANT_I_TRY(SCANT_I_NEW(&held, s.n));
    SCANT_I_TRY(hold_out(held, &whole, stop, best));
    out->asked = *stop == SCANT_STOP_CONVERGED;
    s.f = held;
    if (!whole || !scant_i_margin_fit(&out->margin, &s, &at) ||
        !(out->margin.mean[1] > out->margin.mean[0]))
        goto done;
    scant_i_margin_risks(risk, &out->margin, &at, &s, LEVEL);
    out->told = true;
    out->risk = risk[b->loss - scant_i_losses];
    out->error = risk[SCANT_LOSS_ZERO_ONE];
    scant_i_margin other = out->margin;
    out->gain = scant_i_margin_free(&other, &s) - at.loglik;
    out->share = other.prior[1];
    status = scant_i_margin_distance(&out->distance, &out->margin, &s);
done:
    scant_i_free(held);
    return status;
}
