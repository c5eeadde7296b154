#include "inform/rate.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "latent/start.h"
#include "math/linear.h"

enum {
    VECTORS_MAX = 48, /* of a Krylov space before it starts anew */
    VECTORS_MIN = 4,  /* whatever the memory */
    ROUNDS = 4,       /* spaces in a row */
    STEADY = 3        /* vectors in a row that must leave the answer as it is */
};
static const size_t MEMORY = (size_t)256 << 20; /* bytes for the space */
static const double STEP = 1e-4;                /* of a coordinate, or of 1 where it is less */
static const double PRECISION = 1e-3;           /* of 1 - the factor */

/* --- a step of EM in the chart --- */

typedef struct stepper {
    const scant_i_chart *chart;
    const scant_i_mixture *mixture;
    scant_i_mixture *moved;
    scant_i_problem problem;
    double *point, *from, *there[2]; /* n each */
} stepper;

static scant_status stepper_new(stepper *s, const scant_rows *rows,
                                const scant_i_evidence *evidence, size_t threads)
{
    scant_status status = SCANT_OK;
    size_t n = s->chart->n;
    SCANT_I_TRY(SCANT_I_NEW(&s->point, n));
    SCANT_I_TRY(SCANT_I_NEW(&s->from, n));
    SCANT_I_TRY(SCANT_I_NEW(&s->there[0], n));
    SCANT_I_TRY(SCANT_I_NEW(&s->there[1], n));
    SCANT_I_TRY(scant_i_chart_get(s->chart, s->mixture, s->point));
    SCANT_I_TRY(scant_i_mixture_copy(&s->moved, s->mixture));
    SCANT_I_TRY(scant_i_problem_new(&s->problem, rows, evidence, s->moved, 0, threads));
    SCANT_I_TRY(scant_i_problem_keep(&s->problem, s->moved));
done:
    return status;
}

static void stepper_clear(stepper *s)
{
    scant_i_problem_clear(&s->problem);
    scant_i_mixture_free(s->moved);
    scant_i_free(s->point);
    scant_i_free(s->from);
    scant_i_free(s->there[0]);
    scant_i_free(s->there[1]);
}

/* to = M(from); what has no coordinate starts where it was each time */
static scant_status step(stepper *s, const double *from, double *to)
{
    scant_status status = SCANT_OK;
    scant_i_mixture_assign(s->moved, s->mixture);
    SCANT_I_TRY(scant_i_chart_set(s->chart, s->moved, from));
    SCANT_I_TRY(scant_i_problem_expect(&s->problem, s->moved, true));
    SCANT_I_TRY(scant_i_mixture_maximise(s->moved, &s->problem));
    status = scant_i_chart_get(s->chart, s->moved, to);
done:
    return status;
}

/* out = J v */
static scant_status apply(stepper *s, const double *v, double *out)
{
    size_t n = s->chart->n;
    double furthest = 0;
    for (size_t a = 0; a < n; a++)
        furthest = fmax(furthest, fabs(v[a]) / fmax(1, fabs(s->point[a])));
    double h = furthest > 0 ? STEP / furthest : 0;
    for (int side = 0; side < 2; side++) {
        for (size_t a = 0; a < n; a++)
            s->from[a] = s->point[a] + (side ? -h : h) * v[a];
        scant_status status = step(s, s->from, s->there[side]);
        if (status != SCANT_OK)
            return status;
    }
    for (size_t a = 0; a < n; a++)
        out[a] = h > 0 ? (s->there[0][a] - s->there[1][a]) / (2 * h) : 0;
    return SCANT_OK;
}

/* --- Arnoldi --- */

typedef struct krylov {
    size_t n, most;
    double *V; /* (most + 1) x n, orthonormal */
    double *H; /* most x most: V J V', first index the row */
    double *ritz;
} krylov;

static double normalise(double *v, size_t n)
{
    double length = sqrt(scant_i_dot(v, v, n));
    for (size_t a = 0; a < n && length > 0; a++)
        v[a] /= length;
    return length;
}

/* v loses what it has of the first k vectors, which is added to column k - 1 of H. Twice is enough
 * for orthogonality to rounding. */
static void orthogonalise(krylov *s, double *v, size_t k)
{
    for (int twice = 0; twice < 2; twice++)
        for (size_t i = 0; i < k; i++) {
            double part = scant_i_dot(s->V + i * s->n, v, s->n);
            s->H[i * s->most + k - 1] += part;
            for (size_t a = 0; a < s->n; a++)
                v[a] -= part * s->V[i * s->n + a];
        }
}

/* The largest eigenvalue of J in the space that V[0] spans; V[0] becomes its vector where the space
 * fills up before the value is steady. */
static scant_status expand(krylov *s, stepper *step, double *factor, bool *settled)
{
    scant_status status = SCANT_OK;
    size_t steady = 0, k = 0;
    memset(s->H, 0, s->most * s->most * sizeof *s->H);
    *settled = false;
    while (k < s->most && !*settled) {
        double *next = s->V + (k + 1) * s->n, before = *factor;
        SCANT_I_TRY(apply(step, s->V + k * s->n, next));
        orthogonalise(s, next, ++k);
        double left = normalise(next, s->n);
        SCANT_I_TRY(scant_i_dominant(s->H, s->most, k, factor, s->ritz));
        bool same = fabs(*factor - before) <= PRECISION * fmax(1 - *factor, PRECISION);
        steady = same ? steady + 1 : 0;
        *settled = steady >= STEADY || left <= PRECISION * PRECISION || k == s->n;
        if (k < s->most)
            s->H[k * s->most + k - 1] = left;
    }
    for (size_t a = 0; a < s->n; a++) {
        double sum = 0;
        for (size_t i = 0; i < k; i++)
            sum += s->ritz[i] * s->V[i * s->n + a];
        s->V[a] = sum;
    }
    (void)normalise(s->V, s->n);
done:
    return status;
}

scant_status scant_i_em_factor(double *factor, const scant_i_chart *chart,
                               const scant_i_mixture *mixture, const scant_rows *rows,
                               const scant_i_evidence *evidence, size_t threads)
{
    scant_status status = SCANT_OK;
    stepper step = {.chart = chart, .mixture = mixture};
    size_t n = chart->n, affordable = MEMORY / (scant_i_max(1, n) * sizeof(double));
    krylov s = {.n = n, .most = scant_i_min(VECTORS_MAX, scant_i_max(VECTORS_MIN, affordable))};
    scant_i_random random = scant_i_random_new(1, n);
    bool settled = n == 0;
    *factor = 0;
    SCANT_I_TRY(stepper_new(&step, rows, evidence, threads));
    SCANT_I_TRY(SCANT_I_NEW(&s.V, (s.most + 1) * n));
    SCANT_I_TRY(SCANT_I_NEW(&s.H, s.most * s.most));
    SCANT_I_TRY(SCANT_I_NEW(&s.ritz, s.most));
    for (size_t a = 0; a < n; a++)
        s.V[n + a] = scant_i_random_normal(&random);
    if (n) /* the image of any direction is one that EM knows */
        SCANT_I_TRY(apply(&step, s.V + n, s.V));
    settled |= !(normalise(s.V, n) > 0);
    for (size_t round = 0; round < ROUNDS && !settled; round++)
        SCANT_I_TRY(expand(&s, &step, factor, &settled));
done:
    stepper_clear(&step);
    scant_i_free(s.V);
    scant_i_free(s.H);
    scant_i_free(s.ritz);
    return status;
}
