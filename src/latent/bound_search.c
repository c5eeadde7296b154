/* Searches for points where a bound fails. See bound.h.
 *
 * Sums are drawn to be hard: shares down to 1e-13 and less, rows up to several standard deviations away, and
 * points from near the contact to far away. Uphill: a step by chance is kept if the ratio rises; steps grow
 * when they are, and shrink when they are not. */
#include "latent/bound.h"

#include <math.h>
#include <string.h>

/* Above 1 by less than this is rounding, at points where bound and tangent differ by more than NEAR. */
static const double ROUNDING = 1e-7, NEAR = 1e-5;
static const double GROW = 1.6, SHRINK = 0.7;

typedef struct hunt {
    const scant_i_bound_search *search;
    scant_i_random random;
    scant_i_bound_sum sum;
    scant_i_bound bound;
    double *log_a, *X;
    double *phi, *best, *point; /* a point each; phi is free */
    double *contact;
} hunt;

/* phi to a point: the law's chart of each model, and eta as it is. */
static void chart(const hunt *t, const double *phi, double *point)
{
    const scant_i_bound_sum *s = &t->sum;
    memcpy(point, phi, scant_i_bound_length(s) * sizeof *phi);
    for (size_t m = 0; m < s->models; m++)
        s->law->chart(s->size, phi + m * s->size, point + m * s->size);
}

/* A problem: free parameters of the contact, shares and rows. */
static void draw(hunt *t)
{
    const scant_i_bound_sum *s = &t->sum;
    size_t n = s->size;
    double tilt = 6 * scant_i_random_uniform(&t->random);
    for (size_t d = 0; d < scant_i_bound_length(s); d++)
        t->contact[d] = 1.5 * scant_i_random_normal(&t->random);
    chart(t, t->contact, t->point);
    for (size_t k = 0; k < s->models * s->elements; k++) {
        double spread = exp(scant_i_random_normal(&t->random));
        t->log_a[k] = tilt * scant_i_random_normal(&t->random);
        s->law->draw(n, t->point + k / s->elements * n, spread, &t->random, t->X + k * n);
    }
    if (!s->mixing) /* shares about those of t->log_a, wherever rows lie */
        for (size_t k = 0; k < s->models * s->elements; k++) {
            double K, mean[SCANT_I_BOUND_SIZE];
            const double *Th = t->point + k / s->elements * n;
            (void)s->law->cumulant(n, Th, &K, mean);
            for (size_t d = 0; d < n; d++)
                t->log_a[k] -= Th[d] * t->X[k * n + d];
            t->log_a[k] += K;
        }
}

/* (log p - tangent) / (bound - tangent) at free parameters; 0 where there is nothing to compare. */
static double ratio_at(const hunt *t, const double *phi)
{
    const scant_i_bound_sum *s = &t->sum;
    chart(t, phi, t->point);
    double tangent = t->bound.log_p, size = fabs(tangent) + 1;
    for (size_t d = 0; d < scant_i_bound_length(s); d++) {
        double term = (t->point[d] - t->bound.contact[d]) * t->bound.slope[d];
        tangent += term;
        size += fabs(term);
    }
    double value = scant_i_bound_value(&t->bound, t->point);
    double log_p = scant_i_bound_log_p(s, t->point);
    if (!isfinite(value) || !isfinite(log_p))
        return 0;
    double room = value - tangent;
    if (!(room > NEAR * size)) /* where the bound has no room, log p has none to rise */
        return log_p - value > ROUNDING * size ? INFINITY : 0;
    return (log_p - tangent) / room;
}

static void step_from(hunt *t, const double *from, double length)
{
    for (size_t d = 0; d < scant_i_bound_length(&t->sum); d++)
        t->phi[d] = from[d] + length * scant_i_random_normal(&t->random);
}

static double worst_of(hunt *t)
{
    const scant_i_bound_search *search = t->search;
    size_t bytes = scant_i_bound_length(&t->sum) * sizeof *t->phi;
    double worst = -INFINITY, length = 0.3;
    for (size_t k = 0; k < search->tries; k++) {
        step_from(t, t->contact, 0.3 * exp(1.3 * scant_i_random_normal(&t->random)));
        double ratio = ratio_at(t, t->phi);
        if (ratio > worst) {
            worst = ratio;
            memcpy(t->best, t->phi, bytes);
        }
    }
    for (size_t k = 0; k < search->climbs; k++) {
        step_from(t, t->best, length);
        double ratio = ratio_at(t, t->phi);
        length *= ratio > worst ? GROW : SHRINK;
        if (ratio > worst) {
            worst = ratio;
            memcpy(t->best, t->phi, bytes);
        }
    }
    return worst;
}

static void note(scant_i_bound_finding *out, double ratio)
{
    out->problems++;
    out->worst = fmax(out->worst, ratio);
    out->violations += ratio > 1 + ROUNDING;
}

static scant_status begin(hunt *t, const scant_i_bound_search *search)
{
    scant_status status = SCANT_OK;
    t->search = search;
    t->random = scant_i_random_new(search->seed, 0);
    t->sum = (scant_i_bound_sum){.law = search->law,
                                 .models = search->models,
                                 .elements = search->elements,
                                 .size = search->size,
                                 .mixing = search->mixing};
    size_t cells = search->models * search->elements, length = scant_i_bound_length(&t->sum);
    SCANT_I_TRY(SCANT_I_NEW(&t->log_a, cells));
    SCANT_I_TRY(SCANT_I_NEW(&t->X, cells * search->size));
    SCANT_I_TRY(SCANT_I_NEW(&t->phi, length));
    SCANT_I_TRY(SCANT_I_NEW(&t->best, length));
    SCANT_I_TRY(SCANT_I_NEW(&t->point, length));
    SCANT_I_TRY(SCANT_I_NEW(&t->contact, length));
    t->sum.log_a = t->log_a;
    t->sum.X = t->X;
    SCANT_I_TRY(scant_i_bound_new(&t->bound, &t->sum));
done:
    return status;
}

static void end(hunt *t)
{
    scant_i_bound_clear(&t->bound);
    scant_i_free(t->log_a);
    scant_i_free(t->X);
    scant_i_free(t->phi);
    scant_i_free(t->best);
    scant_i_free(t->point);
    scant_i_free(t->contact);
}

scant_status scant_i_bound_verify(scant_i_bound_finding *out, const scant_i_bound_search *search)
{
    scant_status status = SCANT_OK;
    hunt t = {0};
    *out = (scant_i_bound_finding){0};
    SCANT_I_TRY(begin(&t, search));
    for (size_t k = 0; k < search->problems; k++) {
        draw(&t);
        chart(&t, t.contact, t.point);
        scant_i_bound_above(&t.bound, search->rule, t.point);
        note(out, worst_of(&t));
    }
done:
    end(&t);
    return status;
}

/* --- lemma 2 --- */

void scant_i_bound_lemma(const scant_i_bound_law *law, size_t n, const double *contact,
                         const double *X, const double *Th, double *left, double *right)
{
    double K, at, mean[SCANT_I_BOUND_SIZE], unused[SCANT_I_BOUND_SIZE];
    (void)law->cumulant(n, contact, &at, mean);
    (void)law->cumulant(n, Th, &K, unused);
    double F = K - at, along = 0;
    for (size_t d = 0; d < n; d++) {
        F -= (Th[d] - contact[d]) * mean[d];
        along += (Th[d] - contact[d]) * (X[d] - mean[d]);
    }
    *left = sqrt(2 * fmax(0, F) * (law->plain ? law->plain : law->distance)(n, contact, X));
    *right = along - F;
}

scant_status scant_i_bound_verify_lemma(scant_i_bound_finding *out,
                                        const scant_i_bound_search *search)
{
    scant_status status = SCANT_OK;
    scant_i_bound_search one = *search;
    hunt t = {0};
    *out = (scant_i_bound_finding){0};
    one.models = one.elements = 1;
    one.mixing = false;
    SCANT_I_TRY(begin(&t, &one));
    for (size_t k = 0; k < one.problems; k++) {
        double contact[SCANT_I_BOUND_SIZE], worst = 0, left, right;
        draw(&t);
        chart(&t, t.contact, contact);
        for (size_t i = 0; i < one.tries; i++) {
            step_from(&t, t.contact, exp(1.5 * scant_i_random_normal(&t.random)));
            chart(&t, t.phi, t.point);
            scant_i_bound_lemma(one.law, one.size, contact, t.X, t.point, &left, &right);
            if (isfinite(left) && left > NEAR)
                worst = fmax(worst, right / left);
        }
        note(out, worst);
    }
done:
    end(&t);
    return status;
}
