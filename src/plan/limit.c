#include "plan/limit.h"

#include <math.h>

#include "math/tails.h"
#include "plan/world.h"

/* The first world, the model itself, says about where to look. Two follow in the middle, and one on
 * each side of it. */
enum { WORLDS = 5, FIRST = 1 };
static const double ASIDE[WORLDS] = {0, 0, 0, -2, 2}; /* in standard deviations of z(hope) */

enum { PIECES = 15 }; /* samples more for the limit itself, which no difference makes surer */

/* Half of a 95 % interval, in standard deviations. */
static const double HALF = 1.959963984540054;

/* What was seen in a world. */
typedef struct seen {
    double pull, limit;                 /* z */
    double count, sum, squares;         /* of z(hope), over pilots */
    double fits[SCANT_I_LIMIT_SIZES];   /* at each size */
    double excess[SCANT_I_LIMIT_SIZES]; /* their sums, in multiples of the formula's */
} seen;

typedef struct search {
    scant_i_ground ground;
    const scant_i_limit_options *options;
    double formula[SCANT_I_LIMIT_SIZES]; /* the forecast's excess */
    double chance;                       /* error of guessing */
    double pilot;                        /* z(hope) of the real one */
    seen world[WORLDS];
    size_t done;           /* worlds */
    size_t pilots;         /* drawn so far: their seeds */
    double *drift, *shift; /* n of the chart: the sum over fits, and what takes its mean back */
    size_t fits;
    double estimate; /* z(limit), from the worlds so far */
    double slope, deviation;
} search;

/* --- the scale --- */

static const double LEAST = 1e-12;   /* an error that is none */
static const double HIGHEST = -1e-3; /* z of chance is 0; an estimate stays below */

static double or_none(double error)
{
    return error > 2 * LEAST ? error : 0;
}

static double to_z(const search *s, double error)
{
    double share = fmax(error, LEAST) / (2 * s->chance);
    return scant_i_normal_quantile(fmin(share, 0.499)); /* chance itself is 1/2: z stays below 0 */
}

static double from_z(const search *s, double z)
{
    return or_none(s->chance * erfc(-z / sqrt(2)));
}

/* --- looking --- */

static scant_status draw_pilot(search *s, scant_i_world *world, size_t size)
{
    seen *w = &s->world[s->done];
    double hope = 0, excess = 0;
    scant_status status = scant_i_world_pilot(&excess, size ? NULL : &hope, world,
                                              (size_t)1 << size, s->options->seed + ++s->pilots);
    w->fits[size]++;
    w->excess[size] += excess / s->formula[size];
    if (size == 0) {
        double z = to_z(s, hope);
        w->count++;
        w->sum += z;
        w->squares += z * z;
    }
    return status;
}

/* Pilots of the real one's size, and as every 2nd and 4th one of twice and four times its labels. */
static scant_status look(search *s, scant_i_world *world, size_t pilots)
{
    scant_status status = SCANT_OK;
    s->world[s->done].limit = to_z(s, world->limit);
    for (size_t b = 0; b < pilots; b++) {
        for (size_t size = 0; size < SCANT_I_LIMIT_SIZES; size++)
            if (b % ((size_t)1 << size) == 0)
                SCANT_I_TRY(draw_pilot(s, world, size));
        SCANT_I_TRY(scant_i_steps_count(s->options->steps));
    }
done:
    return status;
}

/* z(hope) over z(limit), in the end without the first world, from where the line may be bent. Its
 * slope is taken for 1 while worlds are too alike to tell. */
static void draw_line(search *s)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0, inside = 0, degrees = 0;
    for (size_t w = s->done == WORLDS ? FIRST : 0; w < s->done; w++) {
        const seen *of = &s->world[w];
        n += of->count;
        x += of->count * of->limit;
        y += of->sum;
        xx += of->count * of->limit * of->limit;
        xy += of->sum * of->limit;
        inside += fmax(0, of->squares - of->sum * of->sum / of->count);
        degrees += of->count - 1;
    }
    s->deviation = sqrt(inside / degrees);
    double spread = xx - x * x / n;
    bool apart = spread > n * s->deviation * s->deviation / 4;
    s->slope = apart ? fmax(0.25, (xy - x * y / n) / spread) : 1;
    s->estimate = fmin(HIGHEST, x / n + (s->pilot - y / n) / s->slope);
}

/* How far to pull for a limit at z: z is about in proportion. */
static double aim(const search *s, double z)
{
    const seen *last = &s->world[s->done - 1];
    return fmin(10, fmax(0.01, last->pull * z / last->limit));
}

/* The next world is shifted back by the mean drift of the fits so far, without the first world's as
 * soon as there are others: there all is less extreme, and drifts less. */
static scant_status correct(search *s, const scant_i_world *world)
{
    size_t n = world->chart.n;
    if (!s->drift) {
        scant_status status = SCANT_I_NEW(&s->drift, n);
        if (status == SCANT_OK)
            status = SCANT_I_NEW(&s->shift, n);
        if (status != SCANT_OK)
            return status;
    }
    bool anew = s->done == FIRST;
    s->fits = world->fits + (anew ? 0 : s->fits);
    for (size_t e = 0; e < n && s->fits > 0; e++) {
        s->drift[e] = world->drift[e] + (anew ? 0 : s->drift[e]);
        s->shift[e] = -s->drift[e] / (double)s->fits;
    }
    s->ground.shift = s->shift;
    return SCANT_OK;
}

static scant_status visit(search *s, double pull, size_t pilots)
{
    scant_i_world world;
    scant_status status = scant_i_world_new(&world, &s->ground, pull);
    if (status != SCANT_OK)
        return status;
    s->world[s->done].pull = world.pull;
    if (s->done == 0)
        s->pilot = to_z(s, world.limit);
    status = look(s, &world, pilots);
    if (status == SCANT_OK)
        status = correct(s, &world);
    scant_i_world_clear(&world);
    s->done++;
    draw_line(s);
    return status;
}

/* By how much a large sample moves z(limit): samples of one seed are off together. */
static scant_status find_shift(double *shift, const search *s)
{
    scant_i_world world;
    double limit = 0;
    scant_status status = scant_i_world_new(&world, &s->ground, s->world[FIRST + 1].pull);
    if (status == SCANT_OK)
        status = scant_i_world_limit(&limit, &world, PIECES);
    if (status == SCANT_OK)
        *shift = to_z(s, limit) - to_z(s, world.limit);
    scant_i_world_clear(&world);
    return status;
}

/* --- telling --- */

/* log of the multiple of the formula's excess where the limit is at z: a line through the worlds,
 * each of which has the mean over its fits of all sizes. */
static double level_at(const search *s, double z)
{
    double n = WORLDS - FIRST, x = 0, y = 0, xx = 0, xy = 0, level[WORLDS];
    for (size_t w = FIRST; w < WORLDS; w++) {
        double sum = 0, fits = 0;
        for (size_t size = 0; size < SCANT_I_LIMIT_SIZES; size++) {
            sum += s->world[w].excess[size];
            fits += s->world[w].fits[size];
        }
        level[w] = log(fmax(sum / fits, LEAST));
        x += s->world[w].limit / n;
        y += level[w] / n;
    }
    for (size_t w = FIRST; w < WORLDS; w++) {
        double from = s->world[w].limit - x;
        xx += from * from;
        xy += from * (level[w] - y);
    }
    return y + (xx > 0 ? xy / xx * (z - x) : 0);
}

/* log(multiple) over log(formula), by all fits. A fit's excess scatters by about a third, and the
 * slope is expected within a quarter of 0: where sizes hardly differ, as with many unlabelled rows,
 * it stays there. */
static void find_bend(scant_i_limit *out, const search *s)
{
    static const double SCATTER = 1.0 / 3, EXPECTED = 0.25;
    double fits[SCANT_I_LIMIT_SIZES] = {0}, y[SCANT_I_LIMIT_SIZES] = {0};
    double n = 0, x = 0, xx = 0, xy = 0;
    for (size_t size = 0; size < SCANT_I_LIMIT_SIZES; size++) {
        for (size_t w = FIRST; w < WORLDS; w++) {
            fits[size] += s->world[w].fits[size];
            y[size] += s->world[w].excess[size];
        }
        y[size] = log(fmax(y[size] / fits[size], LEAST));
        n += fits[size];
        x += fits[size] * log(s->formula[size]);
    }
    x /= n;
    for (size_t size = 0; size < SCANT_I_LIMIT_SIZES; size++) {
        double from = log(s->formula[size]) - x;
        xx += fits[size] * from * from;
        xy += fits[size] * from * y[size];
    }
    out->middle = exp(x);
    out->bend = xy / (xx + SCATTER * SCATTER / (EXPECTED * EXPECTED));
    out->bend = fmax(-0.5, out->bend); /* more labels are no worse in any case */
}

static void tell(scant_i_limit *out, const search *s, double shift)
{
    static const double SIDE[SCANT_I_CASES] = {0, -1, 1};
    double count = 0;
    for (size_t w = FIRST; w < WORLDS; w++)
        count += s->world[w].count;
    /* the line itself is known to the deviation over sqrt(count) */
    double half = HALF * s->deviation * sqrt(1 + 1 / count) / s->slope;
    for (size_t c = 0; c < SCANT_I_CASES; c++) {
        double z = fmin(HIGHEST, s->estimate + SIDE[c] * half);
        out->error[c] = from_z(s, z + shift);
        out->level[c] = exp(level_at(s, z));
    }
    out->hope = from_z(s, s->pilot + shift);
    find_bend(out, s);
}

/* The error of guessing the largest class. */
static double chance_of(const scant_i_mixture *mixture)
{
    double largest = 0;
    for (size_t k = 0; k < mixture->nclasses; k++) {
        double P = 0;
        for (size_t j = 0; j < mixture->ncomponents; j++)
            P += mixture->coupling.W[k * mixture->stride + j];
        largest = fmax(largest, P);
    }
    return fmax(1 - largest, 1e-6);
}

scant_status scant_i_limit_find(scant_i_limit *out, const scant_model *model,
                                const scant_rows *rows, const scant_i_forecast *forecast,
                                const scant_i_limit_options *options)
{
    scant_status status = SCANT_OK;
    size_t pilots = scant_i_max(options->replicates, SCANT_I_LIMIT_LEAST);
    double all = forecast->labels + forecast->unlabelled, pull = 1, shift = 0;
    search s = {.options = options,
                .chance = chance_of(model->mixture),
                .ground = {model, rows, options->drawn, options->seed, options->threads, NULL}};
    *out = (scant_i_limit){0};
    for (size_t size = 0; size < SCANT_I_LIMIT_SIZES; size++) {
        double labels = (double)((size_t)1 << size) * forecast->labels;
        s.formula[size] =
            fmax(LEAST, scant_i_forecast_excess(forecast, labels, fmax(0, all - labels)));
    }
    for (size_t w = 0; w < WORLDS; w++) {
        SCANT_I_TRY(visit(&s, pull, pilots * (w + 1) / WORLDS - pilots * w / WORLDS));
        if (w + 1 < WORLDS)
            pull = aim(&s, s.estimate + ASIDE[w + 1] * s.deviation);
    }
    SCANT_I_TRY(find_shift(&shift, &s));
    tell(out, &s, shift);
done:
    scant_i_free(s.drift);
    scant_i_free(s.shift);
    return status;
}

double scant_i_limit_excess(const scant_i_limit *limit, scant_i_case which, double formula)
{
    formula = fmax(LEAST, formula);
    return or_none(limit->level[which] * formula * pow(formula / limit->middle, limit->bend));
}

static double raised(const scant_i_limit *limit, scant_i_case which, double formula)
{
    return fmin(1, limit->error[which] + scant_i_limit_excess(limit, which, formula));
}

/* Levels are known up to chance, which must not turn the interval inside out. */
double scant_i_limit_raised(const scant_i_limit *limit, scant_i_case which, double formula)
{
    double error = raised(limit, which, formula), middle = raised(limit, SCANT_I_MIDDLE, formula);
    return which == SCANT_I_BEST    ? fmin(error, middle)
           : which == SCANT_I_WORST ? fmax(error, middle)
                                    : error;
}
