/* a = Q T Q' by Householder reflections, T tridiagonal, then implicit QR steps on T with Wilkinson's shift
 * (Golub and Van Loan, Matrix Computations, 8.3).
 *
 *   reflection k   H = I - beta v v' makes a[k+2 .. n-1][k] zero; the rest becomes a - v u' - u v' with
 *                  u = p - (beta/2) (p'v) v, p = beta a v
 *   QR step        the rotation of rows and columns i, i+1 that makes x, z into r, 0, where x, z are the first
 *                  column of T - shift I, then the bulge that the last rotation made
 *
 * Rows of `a` hold the vectors, so that a rotation works on two contiguous rows. A reflection's row is
 * scaled by a power of two where it is small: entries may differ by more orders than their squares have room for. H does
 * not depend on the length of v.
 *
 * The least eigenvalue alone is found by bisection: T - x I = L D L' has a negative pivot where x is above it (Sturm).
 *
 * Cost: 4/3 n^3 flop for T, as many for Q, and about 6 n^3 for the rotations; the least eigenvalue takes O(n) after T. */
#include "math/symmetric.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/kernels.h"
#include "math/linear.h"

enum { STEPS = 60, PATIENCE = 10 }; /* an eigenvalue takes two or three */
/* the square of such a number is still normal, and so is epsilon times that */
static const double SQUARES_SAFE = 0x1p-256;

/* The largest of the entries, and NaN where one is. */
static double largest(const double *a, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n && !isnan(most); i++)
        most = fabs(a[i]) <= most ? most : fabs(a[i]);
    return most;
}

/* Brings the largest entry of v into [1/2, 1) where squares might be lost, by a power of two whose exponent it returns. */
static int normalise(double *v, size_t n)
{
    int exponent = 0;
    double size = largest(v, n);
    if (size >= SQUARES_SAFE)
        return 0;
    (void)frexp(size, &exponent);
    for (size_t i = 0; i < n; i++)
        v[i] = ldexp(v[i], -exponent);
    return exponent;
}

/* Makes a tridiagonal, d and e its diagonals. Row k of `v` keeps reflection k from column k + 1 on, beta[k] its factor. */
static void tridiagonal(double *a, size_t n, double *d, double *e, double *v, double *beta,
                        double *u)
{
    for (size_t k = 0; k + 1 < n; k++) {
        size_t m = n - k - 1;
        double *rest = a + (k + 1) * n + k + 1, *vk = v + k * n + k + 1;
        d[k] = a[k * n + k];
        memcpy(vk, a + k * n + k + 1, m * sizeof *vk); /* row k is column k */
        e[k] = vk[0];
        beta[k] = 0;
        int exponent = normalise(vk, m);
        double tail = m > 1 ? scant_i_dot(vk + 1, vk + 1, m - 1) : 0;
        if (!(tail > 0))
            continue;
        double image = -copysign(sqrt(vk[0] * vk[0] + tail), vk[0]);
        e[k] = ldexp(image, exponent);
        vk[0] -= image;
        beta[k] = 2 / (vk[0] * vk[0] + tail);
        for (size_t i = 0; i < m; i++)
            u[i] = beta[k] * scant_i_dot(rest + i * n, vk, m);
        double half = 0.5 * beta[k] * scant_i_dot(u, vk, m);
        for (size_t i = 0; i < m; i++)
            u[i] -= half * vk[i];
        scant_i_kernels_now()->subtract_pair(rest, n, m, vk, u);
    }
    d[n - 1] = a[n * n - 1];
}

/* a = Q', the last reflection first: outside of the rows and columns reached so far it is the identity */
static void accumulate(double *a, size_t n, const double *v, const double *beta)
{
    memset(a, 0, n * n * sizeof *a);
    for (size_t i = 0; i < n; i++)
        a[i * n + i] = 1;
    for (size_t k = n - 1; k-- > 0;) {
        const double *vk = v + k * n + k + 1;
        size_t m = n - k - 1;
        for (size_t i = k + 1; i < n && beta[k] > 0; i++) {
            double *row = a + i * n + k + 1, factor = beta[k] * scant_i_dot(row, vk, m);
            for (size_t j = 0; j < m; j++)
                row[j] -= factor * vk[j];
        }
    }
}

/* The eigenvalue of the last 2 x 2 block [a b; b d] that is nearer to d. */
static double wilkinson(double a, double b, double d)
{
    double half = (a - d) / 2;
    return d - b * b / (half + copysign(hypot(half, b), half));
}

/* c, s of the rotation that makes x, z into r, 0, and r. Of numbers next to nothing few digits are left, so these are
 * scaled by a power of two. */
static double rotation(double x, double z, double *c, double *s)
{
    int exponent = 0;
    double size = fmax(fabs(x), fabs(z));
    if (size < SQUARES_SAFE) {
        (void)frexp(size, &exponent);
        x = ldexp(x, -exponent);
        z = ldexp(z, -exponent);
    }
    double r = hypot(x, z);
    *c = r > 0 ? x / r : 1;
    *s = r > 0 ? z / r : 0;
    return exponent ? ldexp(r, exponent) : r;
}

/* One QR step on the rows first .. last of T, all e between them nonzero. */
static void step(double *d, double *e, size_t first, size_t last, double *vectors, size_t n)
{
    double x = d[first] - wilkinson(d[last - 1], e[last - 1], d[last]), z = e[first];
    for (size_t i = first; i < last; i++) {
        double c, s, r = rotation(x, z, &c, &s);
        double a = d[i], b = e[i], f = d[i + 1];
        if (i > first)
            e[i - 1] = r;
        d[i] = c * c * a + 2 * c * s * b + s * s * f;
        d[i + 1] = s * s * a - 2 * c * s * b + c * c * f;
        e[i] = x = c * s * (f - a) + (c * c - s * s) * b;
        if (i + 1 < last) {
            z = s * e[i + 1];
            e[i + 1] *= c;
        }
        scant_i_kernels_now()->rotate(vectors + i * n, vectors + (i + 1) * n, n, c, s);
    }
}

/* Is e[i] negligible compared with its neighbours, or below `least`? */
static bool is_split(const double *d, const double *e, size_t i, double least)
{
    return fabs(e[i]) <= fmax(least, DBL_EPSILON * (fabs(d[i]) + fabs(d[i + 1])));
}

/* T becomes diagonal, from its end. Where entries differ by many orders, rounding of the large ones may keep a
 * small one from ever getting small compared with its neighbours; it is then measured by the largest. */
static bool diagonalise(double *d, double *e, size_t n, double *vectors)
{
    double size = fmax(largest(d, n), largest(e, n - 1));
    size_t last = n - 1;
    for (size_t steps = 0; last > 0;) {
        double least = steps > PATIENCE ? DBL_EPSILON * size : DBL_MIN;
        if (is_split(d, e, last - 1, least)) {
            last--;
            steps = 0;
            continue;
        }
        size_t first = last - 1;
        while (first > 0 && !is_split(d, e, first - 1, least))
            first--;
        if (++steps > STEPS)
            return false;
        step(d, e, first, last, vectors, n);
    }
    return true;
}

static void sort(double *w, double *vectors, size_t n)
{
    for (size_t i = 0; i + 1 < n; i++) {
        size_t least = i;
        for (size_t j = i + 1; j < n; j++)
            least = w[j] < w[least] ? j : least;
        double kept = w[i];
        w[i] = w[least];
        w[least] = kept;
        if (least != i)
            scant_i_kernels_now()->rotate(vectors + i * n, vectors + least * n, n, 0,
                                          1); /* a swap, but for a sign */
    }
}

/* What T takes: reflections, and its second diagonal. */
typedef struct reduction {
    double *v, *beta, *e, *u;
    double scale; /* that a was divided by */
} reduction;

scant_status scant_i_eigen_not_found(size_t n)
{
    return scant_i_fail(SCANT_ERR_INTERNAL, "eigenvalues of a %zu x %zu matrix not found", n, n);
}

/* a becomes tridiagonal, d its diagonal. The caller frees r->v. */
static scant_status reduce(reduction *r, double *a, size_t n, double *d)
{
    scant_status status = SCANT_I_NEW(&r->v, n * n + 3 * n);
    if (status != SCANT_OK)
        return status;
    r->beta = r->v + n * n;
    r->e = r->beta + n;
    r->u = r->e + n;
    r->scale = largest(a, n * n);
    if (!isfinite(r->scale))
        return scant_i_eigen_not_found(n);
    for (size_t i = 0; i < n * n && r->scale > 0; i++)
        a[i] /= r->scale; /* squares neither overflow nor vanish */
    tridiagonal(a, n, d, r->e, r->v, r->beta, r->u);
    return SCANT_OK;
}

scant_status scant_i_symmetric_eigen(double *a, size_t n, double *w)
{
    scant_status status = SCANT_OK;
    reduction r = {0};
    SCANT_I_TRY(reduce(&r, a, n, w));
    accumulate(a, n, r.v, r.beta);
    if (!diagonalise(w, r.e, n, a))
        SCANT_I_TRY(scant_i_eigen_not_found(n));
    sort(w, a, n);
    for (size_t i = 0; i < n; i++)
        w[i] *= r.scale;
done:
    scant_i_free(r.v);
    return status;
}

/* Is an eigenvalue of T below x? */
static bool is_any_below(const double *d, const double *e, size_t n, double x)
{
    double pivot = 1;
    for (size_t i = 0; i < n; i++) {
        pivot = d[i] - x - (i > 0 ? e[i - 1] * e[i - 1] / pivot : 0);
        if (pivot < 0)
            return true;
        pivot = fmax(pivot, DBL_MIN);
    }
    return false;
}

/* Between Gershgorin's bound and the least entry of the diagonal. */
static double bisect(const double *d, const double *e, size_t n)
{
    double low = d[0], high = d[0], size = 0;
    for (size_t i = 0; i < n; i++) {
        double beside = (i > 0 ? fabs(e[i - 1]) : 0) + (i + 1 < n ? fabs(e[i]) : 0);
        low = fmin(low, d[i] - beside);
        high = fmin(high, d[i]);
        size = fmax(size, fabs(d[i]) + beside);
    }
    while (high - low > DBL_EPSILON / 2 * size) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        if (is_any_below(d, e, n, middle))
            high = middle;
        else
            low = middle;
    }
    return low + (high - low) / 2;
}

scant_status scant_i_symmetric_least(double *a, size_t n, double *least)
{
    scant_status status = SCANT_OK;
    reduction r = {0};
    double *d = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&d, n));
    SCANT_I_TRY(reduce(&r, a, n, d));
    *least = r.scale * bisect(d, r.e, n);
done:
    scant_i_free(r.v);
    scant_i_free(d);
    return status;
}
