/* Held-out rows (held.h). A task is one fold under one choice of settings; tasks write to their own rows of one table, so
 * that any number of threads gives the same bytes.
 *
 * Probabilities are p_k ~ exp(a score_k): one slope a >= 0, which minimises the held-out log loss
 *
 *   sum_t w_t [log sum_k exp(a s_tk) - a sum_k tau_tk s_tk],   tau_tk = (n_k + 1) / (n_k + 2) for the row's class,
 *
 * the rest of tau spread evenly over the other classes (Platt's targets, so that separable rows leave a finite slope). It is
 * convex in a; Newton's method with halving. The likeliest class is the one with the best score, whatever a is. */
#include "med/held.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct holding {
    const scant_i_med_folds *folds;
    const scant_i_med_settings *settings;
    size_t width; /* numbers a row: classes, or 1 */
    double *score;
} holding;

static bool two_classes(const scant_i_med_truth *truth, const int32_t *class_of, size_t n)
{
    if (truth->nclasses == 0)
        return n > 0;
    int32_t first = -1;
    for (size_t i = 0; i < n; i++) {
        bool known = class_of[i] >= 0 && class_of[i] < (int32_t)truth->nclasses;
        if (known && first >= 0 && class_of[i] != first)
            return true;
        first = known ? class_of[i] : first;
    }
    return false;
}

typedef struct part {
    size_t *row, n;
    int32_t *class_of;
    double *target, *weight;
} part;

static scant_status take_part(part *p, const holding *h, int32_t fold, bool inside)
{
    scant_status status = SCANT_OK;
    const scant_i_med_truth *truth = h->folds->truth;
    size_t n = h->folds->table->n;
    SCANT_I_TRY(SCANT_I_NEW(&p->row, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&p->class_of, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&p->target, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&p->weight, n + 1));
    for (size_t t = 0; t < n; t++) {
        if ((h->folds->fold[t] == fold) != inside)
            continue;
        p->row[p->n] = t;
        p->class_of[p->n] = truth->class_of ? truth->class_of[t] : 0;
        p->target[p->n] = truth->target ? truth->target[t] : 0;
        p->weight[p->n++] = truth->weight ? truth->weight[t] : 1;
    }
done:
    return status;
}

static void part_clear(part *p)
{
    scant_i_free(p->row);
    scant_i_free(p->class_of);
    scant_i_free(p->target);
    scant_i_free(p->weight);
}

/* Rows of the fold as a precomputed kernel has them: their columns are the training rows. */
static scant_status take_held(scant_i_med_table *out, const scant_i_med_table *from,
                              const part *held, const part *kept)
{
    scant_status status = SCANT_OK;
    *out = (scant_i_med_table){.n = held->n, .d = kept->n};
    SCANT_I_TRY(SCANT_I_NEW(&out->x, held->n * kept->n + 1));
    for (size_t t = 0; t < held->n; t++)
        for (size_t i = 0; i < kept->n; i++)
            out->x[t * kept->n + i] = from->x[held->row[t] * from->d + kept->row[i]];
done:
    return status;
}

static scant_status put_scores(const holding *h, const scant_i_med_discriminants *d,
                               const double *f, const part *held)
{
    for (size_t t = 0; t < held->n; t++) {
        double *to = h->score + held->row[t] * h->width;
        if (d->nclasses)
            scant_i_med_scores(to, d, f + t * d->count);
        else
            *to = f[t];
    }
    return SCANT_OK;
}

static scant_status run_fold(const holding *all, const scant_i_med_settings *settings, int32_t fold)
{
    scant_status status = SCANT_OK;
    const scant_i_med_table *table = all->folds->table;
    part kept = {0}, held = {0};
    scant_i_med_table in = {0}, out = {0}, support = {0};
    scant_i_med_discriminants d = {0};
    double *f = NULL;
    bool square = settings->has_kernel && settings->kernel.type == SCANT_I_MED_PRECOMPUTED;
    SCANT_I_TRY(take_part(&kept, all, fold, false));
    SCANT_I_TRY(take_part(&held, all, fold, true));
    if (!two_classes(all->folds->truth, kept.class_of, kept.n) ||
        scant_i_med_halted(&settings->control, NULL) != SCANT_STOP_CONVERGED)
        goto done;
    SCANT_I_TRY(scant_i_med_table_take(&in, table, kept.row, kept.n, square));
    const scant_i_med_truth truth = {all->folds->truth->nclasses,
                                     kept.class_of,
                                     kept.target,
                                     all->folds->truth->weight ? kept.weight : NULL,
                                     all->folds->truth->positive,
                                     all->folds->truth->soft};
    SCANT_I_TRY(scant_i_med_fit(&d, &in, &truth, settings));
    if (d.stop == SCANT_STOP_TIME || d.stop == SCANT_STOP_INTERRUPTED)
        goto done;
    SCANT_I_TRY(SCANT_I_NEW(&f, held.n * d.count + 1));
    if (square)
        SCANT_I_TRY(take_held(&out, table, &held, &kept));
    else
        SCANT_I_TRY(scant_i_med_table_take(&out, table, held.row, held.n, false));
    if (d.coefficient)
        SCANT_I_TRY(scant_i_med_table_take(&support, &in, d.row, d.nsupport, false));
    SCANT_I_TRY(scant_i_med_decide(f, &d, &settings->kernel, &support, &out));
    SCANT_I_TRY(put_scores(all, &d, f, &held));
done:
    part_clear(&kept);
    part_clear(&held);
    scant_i_med_table_clear(&in);
    scant_i_med_table_clear(&out);
    scant_i_med_table_clear(&support);
    scant_i_med_discriminants_clear(&d);
    scant_i_free(f);
    return status;
}

static scant_status run_task(size_t task, size_t worker, void *payload)
{
    const holding *h = payload;
    size_t choice = task / h->folds->nfolds;
    holding one = *h;
    (void)worker;
    one.score += choice * h->folds->table->n * h->width;
    return run_fold(&one, &h->settings[choice], (int32_t)(task % h->folds->nfolds));
}

/* --- measures --- */

/* Value, slope and curvature in a of the log loss of one row; `tau` is Platt's target of its class. */
static void row_loss(double out[3], const double *s, size_t K, size_t own, double tau, double a)
{
    double most = -INFINITY, sum = 0, mean = 0, square = 0, wanted = 0;
    double rest = (1 - tau) / (double)(K - 1);
    for (size_t k = 0; k < K; k++)
        most = fmax(most, a * s[k]);
    for (size_t k = 0; k < K; k++) {
        double p = exp(a * s[k] - most);
        sum += p;
        mean += p * s[k];
        square += p * s[k] * s[k];
        wanted += (k == own ? tau : rest) * s[k];
    }
    mean /= sum;
    out[0] = most + log(sum) - a * wanted;
    out[1] = mean - wanted;
    out[2] = fmax(0, square / sum - mean * mean);
}

typedef struct slope_task {
    const double *score, *weight, *tau;
    const int32_t *class_of;
    size_t n, K;
} slope_task;

static void all_losses(double out[3], const slope_task *t, double a)
{
    double one[3];
    out[0] = out[1] = out[2] = 0;
    for (size_t i = 0; i < t->n; i++) {
        const double *s = t->score + i * t->K;
        if (isnan(s[0]))
            continue;
        size_t own = (size_t)t->class_of[i];
        row_loss(one, s, t->K, own, t->tau[own], a);
        for (int k = 0; k < 3; k++)
            out[k] += (t->weight ? t->weight[i] : 1) * one[k];
    }
}

static double best_slope(const slope_task *t)
{
    enum { STEPS = 60, HALVINGS = 40 };
    double now[3], next[3], a = 1;
    all_losses(now, t, a);
    for (int k = 0; k < STEPS; k++) {
        double step = now[2] > 0 ? -now[1] / now[2] : 0;
        int h = 0;
        for (; h < HALVINGS; h++, step *= 0.5) {
            double trial = fmax(0, a + step);
            all_losses(next, t, trial);
            if (next[0] <= now[0])
                break;
        }
        double moved = fabs(step);
        if (h == HALVINGS || moved <= 1e-10 * (1 + a))
            break;
        a = fmax(0, a + step);
        memcpy(now, next, sizeof now);
    }
    return a;
}

scant_status scant_i_med_measure(scant_i_med_measures *out, const double *score,
                                 const int32_t *class_of, const double *weight, size_t n, size_t K)
{
    scant_status status = SCANT_OK;
    double *tau = NULL, total = 0, right = 0, one[3];
    *out = (scant_i_med_measures){NAN, NAN, 1, 0};
    SCANT_I_TRY(SCANT_I_NEW(&tau, K));
    for (size_t i = 0; i < n; i++)
        if (!isnan(score[i * K])) {
            tau[class_of[i]]++;
            out->rows++;
        }
    if (out->rows == 0)
        goto done;
    for (size_t k = 0; k < K; k++)
        tau[k] = (tau[k] + 1) / (tau[k] + 2);
    slope_task task = {score, weight, tau, class_of, n, K};
    out->slope = best_slope(&task);
    out->loss = 0;
    for (size_t i = 0; i < n; i++) {
        const double *s = score + i * K;
        if (isnan(s[0]))
            continue;
        size_t best = 0, own = (size_t)class_of[i];
        for (size_t k = 1; k < K; k++)
            best = s[k] > s[best] ? k : best;
        double w = weight ? weight[i] : 1;
        row_loss(one, s, K, own, 1, out->slope);
        out->loss += w * one[0];
        right += best == own ? w : 0;
        total += w;
    }
    out->loss /= total;
    out->accuracy = right / total;
done:
    scant_i_free(tau);
    return status;
}

static void measure_targets(scant_i_med_measures *out, const double *f,
                            const scant_i_med_truth *truth, size_t n)
{
    double sum = 0, total = 0;
    *out = (scant_i_med_measures){NAN, NAN, 1, 0};
    for (size_t t = 0; t < n; t++) {
        if (isnan(f[t]) || isnan(truth->target[t]))
            continue;
        double w = truth->weight ? truth->weight[t] : 1;
        sum += w * (f[t] - truth->target[t]) * (f[t] - truth->target[t]);
        total += w;
        out->rows++;
    }
    if (out->rows)
        out->loss = sum / total;
}

scant_status scant_i_med_hold_out(scant_i_med_measures *out, const scant_i_med_folds *folds,
                                  const scant_i_med_settings *settings, size_t count)
{
    scant_status status = SCANT_OK;
    size_t n = folds->table->n, K = folds->truth->nclasses;
    holding h = {.folds = folds, .settings = settings, .width = K ? K : 1};
    SCANT_I_TRY(SCANT_I_NEW(&h.score, count * n * h.width + 1));
    for (size_t i = 0; i < count * n * h.width; i++)
        h.score[i] = NAN;
    SCANT_I_TRY(scant_i_parallel(folds->threads, count * folds->nfolds, run_task, &h));
    for (size_t s = 0; s < count; s++) {
        const double *score = h.score + s * n * h.width;
        if (K)
            SCANT_I_TRY(scant_i_med_measure(&out[s], score, folds->truth->class_of,
                                            folds->truth->weight, n, K));
        else
            measure_targets(&out[s], score, folds->truth, n);
    }
done:
    scant_i_free(h.score);
    return status;
}

/* --- the grid --- */

scant_status scant_i_med_grid(scant_i_med_settings **out, size_t *count,
                              const scant_i_med_settings *base, const scant_i_med_search *search,
                              size_t d)
{
    static const double C[] = {1.5, 3, 10, 100}, V[] = {1e-3, 1e-2, 0.1, 1, 10},
                        WIDTH[] = {0.1, 0.3, 1, 3};
    enum {
        NC = sizeof C / sizeof *C,
        NV = sizeof V / sizeof *V,
        NW = sizeof WIDTH / sizeof *WIDTH
    };
    size_t nc = search->c ? NC : 1, nv = search->variance ? NV : 1, nw = search->gamma ? NW : 1;
    scant_status status = SCANT_OK;
    *count = 0;
    SCANT_I_TRY(SCANT_I_NEW(out, nc * nv * nw));
    for (size_t v = 0; v < nv; v++) /* the tightest first: of equals the first wins */
        for (size_t w = 0; w < nw; w++)
            for (size_t c = 0; c < nc; c++) {
                scant_i_med_settings *s = &(*out)[(*count)++];
                *s = *base;
                s->scale.c = search->c ? C[c] : base->scale.c;
                s->variance = search->variance ? V[v] : base->variance;
                s->kernel.gamma =
                    search->gamma ? WIDTH[w] / (double)scant_i_max(d, 1) : base->kernel.gamma;
            }
done:
    return status;
}
