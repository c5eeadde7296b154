/* Plain L-BFGS (Nocedal 1980): the direction is -H g, H from the last PAIRS of differences s of x and y of the gradient by
 * the two-loop recursion; steps are halved until the value falls by DECREASE of what the slope promises. A pair is kept
 * where s'y > 0 says that it is positive definite. */
#include "solve/descend.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"

enum { PAIRS = 5, SLOTS = PAIRS + 1, HALVINGS = 30 }; /* one slot for the pair that is looked at */
static const double DECREASE = 1e-4, CURVED = 1e-10;

typedef struct state {
    size_t n, count;                       /* pairs ever kept; the last PAIRS of them are there */
    double *x, *g, *at, *next, *direction; /* `at` and `next`: a trial point and its gradient */
    double *s[SLOTS], *y[SLOTS], curvature[SLOTS];
} state;

static void clear_state(state *d)
{
    scant_i_free(d->g);
    scant_i_free(d->at);
    scant_i_free(d->next);
    scant_i_free(d->direction);
    for (size_t p = 0; p < SLOTS; p++) {
        scant_i_free(d->s[p]);
        scant_i_free(d->y[p]);
    }
}

static scant_status new_state(state *d, double *x, size_t n)
{
    scant_status status = SCANT_OK;
    d->n = n;
    d->x = x;
    SCANT_I_TRY(SCANT_I_NEW(&d->g, n));
    SCANT_I_TRY(SCANT_I_NEW(&d->at, n));
    SCANT_I_TRY(SCANT_I_NEW(&d->next, n));
    SCANT_I_TRY(SCANT_I_NEW(&d->direction, n));
    for (size_t p = 0; p < SLOTS; p++) {
        SCANT_I_TRY(SCANT_I_NEW(&d->s[p], n));
        SCANT_I_TRY(SCANT_I_NEW(&d->y[p], n));
    }
done:
    return status;
}

static void add(double *to, double by, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += by * x[i];
}

/* direction = -H g; the result is its slope. */
static double choose_direction(state *d)
{
    double alpha[SLOTS], *q = d->direction;
    size_t n = d->n, kept = scant_i_min(d->count, PAIRS);
    for (size_t i = 0; i < n; i++)
        q[i] = -d->g[i];
    for (size_t back = 0; back < kept; back++) {
        size_t p = (d->count - 1 - back) % SLOTS;
        alpha[p] = scant_i_dot(d->s[p], q, n) / d->curvature[p];
        add(q, -alpha[p], d->y[p], n);
    }
    size_t last = (d->count + SLOTS - 1) % SLOTS;
    double scale = kept ? d->curvature[last] / scant_i_dot(d->y[last], d->y[last], n)
                        : 1 / fmax(1, sqrt(scant_i_dot(d->g, d->g, n)));
    for (size_t i = 0; i < n; i++)
        q[i] *= scale;
    for (size_t back = kept; back-- > 0;) {
        size_t p = (d->count - 1 - back) % SLOTS;
        add(q, alpha[p] - scant_i_dot(d->y[p], q, n) / d->curvature[p], d->s[p], n);
    }
    return scant_i_dot(q, d->g, n);
}

/* A step along the direction; false: none lowers the value. */
static scant_status step(bool *moved, double *value, state *d, double slope,
                         scant_i_objective objective, void *payload)
{
    scant_status status = SCANT_OK;
    double by = 1, trial;
    *moved = false;
    for (size_t h = 0; h < HALVINGS && !*moved; h++, by /= 2) {
        memcpy(d->at, d->x, d->n * sizeof *d->at);
        add(d->at, by, d->direction, d->n);
        SCANT_I_TRY(objective(&trial, d->next, d->at, payload));
        *moved = trial <= *value + DECREASE * by * slope;
    }
    if (*moved)
        *value = trial;
done:
    return status;
}

static void remember(state *d)
{
    size_t p = d->count % SLOTS;
    for (size_t i = 0; i < d->n; i++) {
        d->s[p][i] = d->at[i] - d->x[i];
        d->y[p][i] = d->next[i] - d->g[i];
    }
    double square = scant_i_dot(d->y[p], d->y[p], d->n);
    d->curvature[p] = scant_i_dot(d->s[p], d->y[p], d->n);
    d->count += d->curvature[p] > CURVED * square;
    memcpy(d->x, d->at, d->n * sizeof *d->x);
    memcpy(d->g, d->next, d->n * sizeof *d->g);
}

scant_status scant_i_descend(scant_i_minimum *out, double *x, size_t n,
                             const scant_i_minimise_options *options, scant_i_objective objective,
                             void *payload)
{
    scant_status status = SCANT_OK;
    state d = {0};
    bool moved = true;
    *out = (scant_i_minimum){0};
    SCANT_I_TRY(new_state(&d, x, n));
    SCANT_I_TRY(objective(&out->value, d.g, x, payload));
    while (!out->converged && out->iterations < options->max_iter) {
        double before = out->value, slope = choose_direction(&d);
        if (!(slope < 0)) {
            out->converged = true;
            break;
        }
        SCANT_I_TRY(step(&moved, &out->value, &d, slope, objective, payload));
        if (moved)
            remember(&d);
        out->iterations++;
        out->converged = !moved || before - out->value <= options->tol * fmax(fabs(before), 1);
        if (options->enough && options->enough(out->iterations, out->value, payload))
            break;
    }
done:
    clear_state(&d);
    return status;
}
