/* The space of all classes at once (joint.h): a kernel over pairs of a row and a class, made of columns of the rows' own.
 *
 *   K((t, k), (s, l)) = (vK_ts + s2) ([y_t = y_s] - [y_t = l] - [k = y_s] + [k = l])
 *
 * Adding a column is O(n classes). */
#include "med/joint.h"

#include <string.h>

#include "math/linear.h"

typedef struct joint {
    scant_i_med_gram gram; /* first: this is a gram */
    scant_i_med_gram *base;
    const int32_t *class_of;
    size_t K;
    double bias_variance;
    double *diagonal;
} joint;

/* The class that constraint t (K - 1) + j compares with. */
static int32_t rival(const int32_t *class_of, size_t t, size_t j)
{
    return (int32_t)j + ((int32_t)j >= class_of[t]);
}

static scant_status add(double *f, scant_i_med_gram *gram, size_t variable, double delta)
{
    joint *s = (joint *)gram;
    size_t others = s->K - 1, t = variable / others;
    int32_t own = s->class_of[t], against = rival(s->class_of, t, variable % others);
    const double *k;
    scant_status status = s->base->column(&k, s->base, t);
    for (size_t r = 0; r < s->base->n && status == SCANT_OK; r++) {
        double step = delta * (k[r] + s->bias_variance);
        int32_t y = s->class_of[r];
        double all = y == own ? step : y == against ? -step : 0;
        for (size_t j = 0; j < others; j++) {
            int32_t l = rival(s->class_of, r, j);
            f[r * others + j] += all + (l == against ? step : l == own ? -step : 0);
        }
    }
    return status;
}

static scant_status value(double *omega, double *f, scant_i_med_space *space, const double *beta)
{
    scant_status status = SCANT_OK;
    memset(f, 0, space->n * sizeof *f);
    for (size_t t = 0; t < space->n; t++)
        if (beta[t] != 0)
            SCANT_I_TRY(add(f, space->gram, t, beta[t]));
    *omega = 0.5 * scant_i_dot_fixed(beta, f, space->n);
done:
    return status;
}

static void free_joint(scant_i_med_space *space)
{
    joint *s = space->state;
    if (s)
        scant_i_free(s->diagonal);
    scant_i_free(s);
}

static const scant_i_med_space_kind kind = {"joint", value, free_joint};

scant_status scant_i_med_joint_space(scant_i_med_space *out, scant_i_med_gram *base,
                                     const int32_t *class_of, size_t nclasses, double bias_variance)
{
    scant_status status = SCANT_OK;
    size_t n = base->n * (nclasses - 1);
    joint *s = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&s, 1));
    *out =
        (scant_i_med_space){.kind = &kind, .n = n, .quadratic = true, .gram = &s->gram, .state = s};
    *s = (joint){.base = base, .class_of = class_of, .K = nclasses, .bias_variance = bias_variance};
    SCANT_I_TRY(SCANT_I_NEW(&s->diagonal, n + 1));
    for (size_t t = 0; t < n; t++)
        s->diagonal[t] = 2 * (base->diagonal[t / (nclasses - 1)] + bias_variance);
    s->gram = (scant_i_med_gram){n, s->diagonal, NULL, add};
done:
    if (status != SCANT_OK)
        scant_i_med_space_clear(out);
    return status;
}

void scant_i_med_joint_weights(double *w, const double *lambda, const int32_t *class_of, size_t n,
                               size_t nclasses)
{
    memset(w, 0, nclasses * n * sizeof *w);
    for (size_t t = 0; t < n; t++)
        for (size_t j = 0; j + 1 < nclasses; j++) {
            double l = lambda[t * (nclasses - 1) + j];
            w[(size_t)class_of[t] * n + t] += l;
            w[(size_t)rival(class_of, t, j) * n + t] -= l;
        }
}
