#include "problem.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_A_PARAMETER = 100, TRIES_MAX = 100000 };

const scenario scenarios[SCENARIOS] = {
    [MEANS] = {"means", &law_normal, 2, 1, true, {0.1, 3}, {0.1, 3}},
    [TWO] = {"two", &law_normal, 2, 2, false, {0.1, 3}, {0.1, 3}},
    [THREE] = {"three", &law_normal, 3, 2, false, {3, 20}, {0.1, 1}},
    [PLANE] = {"plane", &law_plane, 2, 5, false, {0.1, 3}, {0.1, 3}},
    [MAXWELL] = {"maxwell", &law_maxwell, 2, 1, false, {0.1, 3}, {0.1, 3}},
    [LINES] = {"lines", &law_line, 2, 3, false, {0}, {0}},
};

size_t scenario_parameters(const scenario *s)
{
    return s->nclasses * s->nfree + (s->known_shares ? 0 : s->nclasses - 1);
}

/* --- components --- */

/* Components lie in a row, each to the right of (Maxwell: wider than) the one before; where the
 * spreads drawn leave no place, all are drawn again. */
static bool draw_actual(mixture *m, const scenario *s, const reading *as, draws *d)
{
    for (size_t j = 0; j < s->nclasses; j++) {
        s->law->spread(m->theta[j], d);
        if (j == 0 || !s->law->place)
            continue;
        double apart = draw_between(d, s->apart[0], s->apart[1]);
        if (!s->law->place(m->theta[j], m->theta[j - 1], as->divergence, apart, 1, d))
            return false;
    }
    return true;
}

static bool draw_start(double *theta, const double *actual, const scenario *s, const reading *as,
                       draws *d)
{
    s->law->spread(theta, d);
    for (size_t t = s->nfree; t < s->law->ntheta; t++)
        theta[t] = actual[t]; /* known */
    if (!s->law->place)
        return true;
    double astray = draw_between(d, s->astray[0], s->astray[1]);
    double side = draw_sign(d);
    if (as->side == ONE || (as->side == USUAL && !s->law->either_side))
        side = 1;
    return s->law->place(theta, actual, as->divergence, astray, side, d);
}

static bool draw_mixtures(problem *p, const reading *as, draws *d)
{
    const scenario *s = p->scenario;
    size_t tries = 0;
    while (!draw_actual(&p->actual, s, as, d))
        if (++tries > TRIES_MAX)
            return false;
    for (size_t j = 0; j < s->nclasses; j++)
        while (!draw_start(p->start.theta[j], p->actual.theta[j], s, as, d))
            if (++tries > TRIES_MAX)
                return false;
    return true;
}

/* --- rows --- */

/* Class sizes are exact, not drawn; what rounding leaves goes to the first ones. */
static void share_rows(problem *p, double first_share)
{
    size_t M = p->scenario->nclasses, i = 0;
    for (size_t j = 0; j < M; j++) {
        double share = first_share > 0 ? (j ? 1 - first_share : first_share) : 1 / (double)M;
        size_t rest = (p->nrows - i) / (M - j) + ((p->nrows - i) % (M - j) > 0);
        size_t end = i + (first_share > 0 ? (size_t)lround(share * (double)p->nrows) : rest);
        p->actual.share[j] = share;
        p->start.share[j] = 1 / (double)M;
        while (i < end)
            p->label[i++] = j;
    }
}

static void mark_wrong(problem *p, double share, draws *d)
{
    size_t left = (size_t)lround(share * (double)p->nrows);
    for (size_t i = 0; i < p->nrows; i++) { /* a sample of fixed size, in one walk */
        p->wrong[i] = draw_between(d, 0, (double)(p->nrows - i)) < (double)left;
        left -= p->wrong[i];
    }
}

static bool make_room(problem *p, const scenario *s, size_t nrows)
{
    size_t columns = s->law->ncolumns;
    *p = (problem){.scenario = s, .nrows = nrows};
    p->label = calloc(nrows, sizeof *p->label);
    p->x = calloc(nrows * columns, sizeof *p->x);
    p->test = calloc(nrows * columns, sizeof *p->test);
    p->wrong = calloc(nrows, sizeof *p->wrong);
    return p->label && p->x && p->test && p->wrong;
}

static void draw_rows(problem *p, draws *d)
{
    const law *own = p->scenario->law;
    for (size_t i = 0; i < p->nrows; i++) {
        const double *theta = p->actual.theta[p->label[i]];
        own->draw(theta, d, p->x + i * own->ncolumns);
        own->draw(theta, d, p->test + i * own->ncolumns);
    }
}

bool problem_new(problem *p, const scenario *s, const reading *as, double first_share, double wrong,
                 draws *d)
{
    if (!make_room(p, s, ROWS_A_PARAMETER * scenario_parameters(s)) || !draw_mixtures(p, as, d)) {
        problem_free(p);
        return false;
    }
    share_rows(p, first_share);
    draw_rows(p, d);
    mark_wrong(p, wrong, d);
    return true;
}

bool problem_of(problem *p, const scenario *s, const mixture *actual, const mixture *start,
                size_t nrows, draws *d)
{
    if (!make_room(p, s, nrows)) {
        problem_free(p);
        return false;
    }
    p->actual = *actual;
    p->start = *start;
    for (size_t i = 0; i < nrows; i++) {
        double at = draw_between(d, 0, 1);
        while (p->label[i] + 1 < s->nclasses && at > actual->share[p->label[i]])
            at -= actual->share[p->label[i]++];
    }
    draw_rows(p, d);
    return true;
}

void problem_free(problem *p)
{
    free(p->label);
    free(p->x);
    free(p->test);
    free(p->wrong);
    *p = (problem){0};
}

/* --- context --- */

static double plogp(double p)
{
    return p > 0 ? p * log(p) : 0;
}

/* p of a row: `top` for the favoured class, what is left shared out as `rest` says */
static double negentropy_of(double top, const double *rest, size_t n)
{
    double sum = plogp(top);
    for (size_t j = 0; j < n; j++)
        sum += plogp((1 - top) * rest[j]);
    return 1 + sum / log((double)n + 1);
}

/* The probability of the favoured class that makes the negentropy; below 0 where another class
 * would have to have more. */
static double find_top(double negentropy, const double *rest, size_t n)
{
    double most = 0;
    for (size_t j = 0; j < n; j++)
        most = fmax(most, rest[j]);
    double low = most / (1 + most), high = 1; /* at `low` the favoured class has no lead */
    if (negentropy_of(low, rest, n) > negentropy)
        return -1;
    for (int step = 0; step < 60; step++) {
        double middle = (low + high) / 2;
        *(negentropy_of(middle, rest, n) < negentropy ? &low : &high) = middle;
    }
    return high;
}

double context_top(double negentropy)
{
    static const double rest = 1;
    return negentropy > 0 ? find_top(negentropy, &rest, 1) : 0.5;
}

/* The other classes share what is left at random. */
static void draw_context(double *p, size_t M, size_t favoured, double negentropy, draws *d)
{
    double rest[CLASSES_MAX], top = -1;
    if (negentropy <= 0) { /* the only one */
        for (size_t j = 0; j < M; j++)
            p[j] = 1 / (double)M;
        return;
    }
    while (top < 0) {
        rest[0] = M == 2 ? 1 : draw_between(d, 0, 1);
        rest[1] = 1 - rest[0];
        top = find_top(negentropy, rest, M - 1);
    }
    for (size_t j = 0, k = 0; j < M; j++)
        p[j] = j == favoured ? top : (1 - top) * rest[k++];
}

static size_t favoured_class(const problem *p, size_t row, draws *d)
{
    size_t M = p->scenario->nclasses;
    return p->wrong[row] ? (p->label[row] + 1 + draw_below(d, M - 1)) % M : p->label[row];
}

void problem_context(const problem *p, double negentropy, draws *d, double *out)
{
    problem_mixed_context(p, negentropy, negentropy, d, out);
}

void problem_mixed_context(const problem *p, double low, double high, draws *d, double *out)
{
    size_t M = p->scenario->nclasses;
    for (size_t i = 0; i < p->nrows; i++) {
        double negentropy = low < high ? draw_between(d, low, high) : low;
        draw_context(out + i * M, M, favoured_class(p, i, d), negentropy, d);
    }
}
