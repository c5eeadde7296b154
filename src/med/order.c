/* Orders of axes.
 *
 *   random     any, with the same probability
 *   cyclic     0, 1, ..., n - 1, and again
 *   shuffled   all, in a new order every time
 *   skip-idle  shuffled; an axis that gained less than half of what axes gained in the mean sleeps for 1, 2, 4, ... sweeps
 *   greedy     the steepest
 *   learned    gains dJ_k of steps k decay as alpha exp(-rate k), a line through log dJ_k by least squares; what a step
 *              gained in units of it is the worth of going from the last axis to this one (G), and of this one wherever from
 *              (where G is not known). The best next one, at random in a fifth of the steps (section 10.1.3). The thesis has
 *              differences in place of ratios, by which what gained nothing lately is better than what gained nothing long
 *              ago; and here axes rest for n / 2 steps, since a gain that was just made is not made again. O(n) a step, n^2
 *              numbers. */
#include "med/order.h"

#include <math.h>
#include <string.h>

static scant_status no_state(void **state, size_t n)
{
    (void)n;
    *state = NULL;
    return SCANT_OK;
}

static size_t next_random(void *state, const scant_i_med_ascent *a)
{
    (void)state;
    return scant_i_random_below(a->random, a->n);
}

static size_t next_cyclic(void *state, const scant_i_med_ascent *a)
{
    (void)state;
    return a->step % a->n;
}

static size_t next_greedy(void *state, const scant_i_med_ascent *a)
{
    size_t best = 0;
    (void)state;
    for (size_t t = 1; t < a->n; t++)
        best = fabs(a->slopes[t]) > fabs(a->slopes[best]) ? t : best;
    return best;
}

/* --- sweeps --- */

enum { LONGEST = 6 };           /* sleeps of at most 2^6 sweeps */
static const double IDLE = 0.5; /* of the mean gain: less is */

typedef struct sweeps {
    size_t at, sweep, seen;
    double sum;            /* of the gains that were seen in this sweep and the one before */
    size_t *order, *awake; /* n: the sweep from which an axis is awake */
    unsigned char *dozes;  /* n: how often it was idle in a row */
} sweeps;

static scant_status start_sweeps(void **state, size_t n)
{
    char *room = NULL;
    scant_status status = SCANT_I_NEW(&room, sizeof(sweeps) + 2 * n * sizeof(size_t) + n);
    if (status != SCANT_OK)
        return status;
    sweeps *s = (sweeps *)(void *)room;
    s->order = (size_t *)(void *)(room + sizeof *s);
    s->awake = s->order + n;
    s->dozes = (unsigned char *)(s->awake + n);
    for (size_t t = 0; t < n; t++)
        s->order[t] = t;
    *state = room;
    return SCANT_OK;
}

static size_t next_shuffled(void *state, const scant_i_med_ascent *a)
{
    sweeps *s = state;
    if (s->at % a->n == 0)
        scant_i_random_shuffle(a->random, s->order, a->n);
    return s->order[s->at++ % a->n];
}

static void doze(sweeps *s, const scant_i_med_ascent *a)
{
    double mean = s->seen ? s->sum / (double)s->seen : 0;
    if (a->gain > IDLE * mean) {
        s->dozes[a->last] = 0;
    } else {
        s->awake[a->last] = s->sweep + 1 + ((size_t)1 << s->dozes[a->last]);
        s->dozes[a->last] = (unsigned char)scant_i_min(s->dozes[a->last] + 1, LONGEST);
    }
    s->sum += a->gain;
    s->seen++;
}

static size_t next_awake(void *state, const scant_i_med_ascent *a)
{
    sweeps *s = state;
    if (a->last < a->n)
        doze(s, a);
    for (;;) {
        if (s->at == a->n) {
            s->at = 0;
            s->sweep++;
            s->sum *= 0.5;
            s->seen = (s->seen + 1) / 2;
        }
        if (s->at == 0)
            scant_i_random_shuffle(a->random, s->order, a->n);
        size_t t = s->order[s->at++];
        if (s->awake[t] <= s->sweep)
            return t;
    }
}

/* --- learned transitions --- */

typedef struct learned {
    double count, k, kk, y, ky; /* sums of a line through (k, log gain) */
    size_t from;                /* the axis before the last */
    double *worth;              /* n x n; NaN: was not tried */
    double *own;                /* n: of an axis, wherever from */
    size_t *rests;              /* n: the step until which an axis does */
} learned;

static const double AT_RANDOM = 0.2;

static scant_status start_learned(void **state, size_t n)
{
    char *room = NULL;
    scant_status status =
        SCANT_I_NEW(&room, sizeof(learned) + (n + 1) * n * sizeof(double) + n * sizeof(size_t));
    if (status != SCANT_OK)
        return status;
    learned *s = (learned *)(void *)room;
    s->worth = (double *)(void *)(room + sizeof *s);
    s->own = s->worth + n * n;
    s->rests = (size_t *)(void *)(s->own + n);
    s->from = n;
    for (size_t i = 0; i < n * n; i++)
        s->worth[i] = NAN;
    *state = room;
    return SCANT_OK;
}

/* The decay's value at step k. */
static double usual(const learned *s, double k)
{
    double spread = s->count * s->kk - s->k * s->k;
    if (s->count < 2 || !(spread > 0))
        return s->count > 0 ? exp(s->y / s->count) : 0;
    double slope = fmin(0, (s->count * s->ky - s->k * s->y) / spread);
    return exp((s->y - slope * s->k) / s->count + slope * k);
}

static void learn(learned *s, const scant_i_med_ascent *a)
{
    double k = (double)a->step, y = log(a->gain);
    if (isfinite(y)) {
        s->count++;
        s->k += k;
        s->kk += k * k;
        s->y += y;
        s->ky += k * y;
    }
    double now = usual(s, k);
    s->own[a->last] = now > 0 ? a->gain / now - 1 : 0;
    s->rests[a->last] = a->step + a->n / 2;
    if (s->from < a->n)
        s->worth[s->from * a->n + a->last] = s->own[a->last];
    s->from = a->last;
}

static double worth_of(const learned *s, const scant_i_med_ascent *a, size_t next)
{
    double worth = s->worth[a->last * a->n + next];
    if (s->rests[next] > a->step)
        return -INFINITY;
    return isnan(worth) ? s->own[next] : worth;
}

static size_t next_learned(void *state, const scant_i_med_ascent *a)
{
    learned *s = state;
    if (a->last < a->n)
        learn(s, a);
    size_t any = scant_i_random_below(a->random, a->n);
    if (a->last == a->n || scant_i_random_uniform(a->random) < AT_RANDOM)
        return any;
    size_t best = any;
    double most = worth_of(s, a, any);
    for (size_t t = 0; t < a->n; t++) { /* of equals the one that was drawn */
        double worth = worth_of(s, a, t);
        if (worth > most) {
            most = worth;
            best = t;
        }
    }
    return best;
}

static const scant_i_med_order by_chance = {"random", "any axis", false, no_state, next_random},
                               cyclic = {"cyclic", "one after the other", false, no_state,
                                         next_cyclic},
                               shuffled = {"shuffled", "all, in a new order every time", false,
                                           start_sweeps, next_shuffled},
                               skip_idle = {"skip-idle", "shuffled, without those that gain little",
                                            false, start_sweeps, next_awake},
                               greedy = {"greedy", "the steepest", true, no_state, next_greedy},
                               by_transitions = {"learned", "by the gains of earlier transitions",
                                                 false, start_learned, next_learned};
const scant_i_med_order *const scant_i_med_orders[] = {
    &by_chance, &cyclic, &shuffled, &skip_idle, &greedy, &by_transitions, NULL};

const scant_i_med_order *scant_i_med_order_find(const char *name)
{
    for (size_t i = 0; scant_i_med_orders[i]; i++)
        if (strcmp(scant_i_med_orders[i]->name, name) == 0)
            return scant_i_med_orders[i];
    return NULL;
}
