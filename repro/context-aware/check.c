/* Is the information right? Against finite differences of the observed log-likelihood, for every
 * scenario and algorithm; and EM's rate against the steps that EM makes. Prints what differs. */
#include <stdlib.h>
#include <string.h>

#include "solve.h"

static const char *const names[] = {[S] = "S", [US] = "US", [CA] = "CA", [WCA] = "WCA"};
static size_t faults;

static void expect(double found, double wanted, double tolerance, const char *name, algorithm how,
                   const char *what, size_t a, size_t b)
{
    if (fabs(found - wanted) <= tolerance)
        return;
    faults++;
    (void)fprintf(stderr, "%s, %s: %s[%zu, %zu] is %.9g, differences say %.9g\n", name, names[how],
                  what, a, b, found, wanted);
}

/* Adds `by` to the a-th free parameter: shares first, the last class has what they leave. */
static void shift(mixture *m, const scenario *s, size_t nshares, size_t a, double by)
{
    if (a < nshares) {
        m->share[a] += by;
        m->share[nshares] -= by;
        return;
    }
    m->theta[(a - nshares) / s->nfree][(a - nshares) % s->nfree] += by;
}

static double loglik_at(const bench *b, algorithm how, mixture m, size_t nshares, size_t a,
                        double by_a, size_t c, double by_c)
{
    information info;
    shift(&m, b->problem->scenario, nshares, a, by_a);
    shift(&m, b->problem->scenario, nshares, c, by_c);
    bench_inform(&info, b, how, &m);
    return info.loglik;
}

static void check_differences(const bench *b, algorithm how, const mixture *m)
{
    const scenario *s = b->problem->scenario;
    const double h = 1e-4;
    information at;
    bench_inform(&at, b, how, m);
    size_t P = at.nparameters, nshares = P - s->nclasses * s->nfree;
    for (size_t a = 0; a < P; a++) {
        double size = 0;
        for (size_t c = 0; c < P; c++)
            size = fmax(size, fabs(at.complete[a * P + c]));
        double up = loglik_at(b, how, *m, nshares, a, h, 0, 0);
        double down = loglik_at(b, how, *m, nshares, a, -h, 0, 0);
        expect(at.score[a], (up - down) / (2 * h), 1e-4 * size, s->name, how, "score", a, 0);
        for (size_t c = 0; c < P; c++) {
            double bend = loglik_at(b, how, *m, nshares, a, h, c, h) -
                          loglik_at(b, how, *m, nshares, a, h, c, -h) -
                          loglik_at(b, how, *m, nshares, a, -h, c, h) +
                          loglik_at(b, how, *m, nshares, a, -h, c, -h);
            expect(at.complete[a * P + c] - at.missing[a * P + c], -bend / (4 * h * h), 1e-4 * size,
                   s->name, how, "information", a, c);
        }
    }
}

static double step_length(const mixture *from, const mixture *to, const scenario *s)
{
    double sum = 0;
    for (size_t j = 0; j < s->nclasses; j++) {
        for (size_t a = 0; a < s->nfree; a++)
            sum += pow(to->theta[j][a] - from->theta[j][a], 2);
        if (j + 1 < s->nclasses)
            sum += pow(to->share[j] - from->share[j], 2);
    }
    return sqrt(sum);
}

/* Three mixtures, a step apart, after `steps` steps; the length of the first step between them. */
static double walk(mixture *m, const bench *b, algorithm how, size_t steps)
{
    for (size_t k = 0; k < 3; k++) {
        scant_model *model = NULL;
        if (bench_fit(&model, b, how, steps + k, 0) != SCANT_OK) {
            (void)fprintf(stderr, "%s\n", scant_message());
            exit(1);
        }
        bench_read(&m[k], b, model);
        scant_model_free(model);
    }
    return step_length(&m[0], &m[1], b->problem->scenario);
}

/* Near the maximum each step is `rate` times the one before, and inform_step foretells it. */
static void check_rate(const bench *b, algorithm how)
{
    enum { FEWEST = 8, MOST = 300 };
    const double near = 1e-7, far = 1e-11; /* in between one direction is left, and digits are */
    const scenario *s = b->problem->scenario;
    mixture m[3];
    information info;
    double rate = NAN, step[PARAMETERS_MAX], length = 0, first = INFINITY;
    for (size_t steps = FEWEST; steps <= MOST && first > near; steps += steps / 2)
        first = walk(m, b, how, steps);
    if (first > near || first < far)
        return;
    double second = step_length(&m[1], &m[2], s);
    bench_inform(&info, b, how, &m[1]);
    if (!inform_rate(&rate, &info) || !inform_step(step, &info)) {
        faults++;
        return;
    }
    for (size_t a = 0; a < info.nparameters; a++)
        length += step[a] * step[a];
    expect(rate, second / first, 1e-2, s->name, how, "rate", 0, 0);
    expect(sqrt(length) / second, 1, 2e-2, s->name, how, "step", 0, 0);
    (void)printf("%s, %s: rate %.4f, steps shrink by %.4f\n", s->name, names[how], rate,
                 second / first);
}

int main(void)
{
    const reading as = {FORWARD, USUAL};
    for (size_t k = 0; k < SCENARIOS; k++)
        for (uint64_t number = 0; number < 3; number++) {
            draws d = draws_new(7, k, 0, number);
            problem p;
            bench b;
            if (!problem_new(&p, &scenarios[k], &as, 0, 0, &d) || bench_new(&b, &p) != SCANT_OK)
                return 1;
            problem_context(&p, 0.2, &d, b.context);
            for (algorithm a = S; a <= WCA; a++) {
                check_differences(&b, a, &p.actual);
                if (bench_show(&b, a) != SCANT_OK)
                    return 1;
                if (a != S)
                    check_rate(&b, a);
            }
            bench_clear(&b);
            problem_free(&p);
        }
    (void)printf("%zu differ\n", faults);
    return faults > 0;
}
