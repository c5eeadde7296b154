/* Dependence between pairs of predictors: a log-linear model of second order for each class
 * (learning-without-labels eq. 34-35).
 *
 *   log p(x|y) = sum_c b_cy(x_c) + sum_(c<d) g_cdy(x_c, x_d) - log Z_y,  p(x, y) = P_y p(x|y)
 * b and g sum to 0 over every answer: b(l-1) = - sum of the others, likewise g in both arguments. With
 * margins M of a table D over cells, the derivatives of sum_x D(x) log p(x|y) are
 *   d/db_a   = M_c(a) - M_c(l-1),
 *   d/dg_ab  = M_cd(a,b) - M_cd(a,l-1) - M_cd(l-1,b) + M_cd(l-1,l-1),
 * and those of the log-likelihood have D(x) = N(x,y) - N_y p(x|y), N the expected full answers given
 * what was seen: an answer that is missing is summed over. A weak penalty, PAIR_PENALTY/2 g^2 and
 * smooth/2 b^2, keeps pairs finite that never differ.
 *
 * Cells are numbered by the answers as digits, the first predictor's the lowest. Tables and margins
 * are built a predictor at a time, so an evaluation costs O(l^k k l) and a row with m missing answers
 * O(l^m k). Curvature is by differences of the gradient. */
#include "audit/loglinear.h"
#include "audit/distinct.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "math/tails.h"
#include "solve/minimise.h"

/* More classes than this are always more parameters than frequencies, within the cells allowed. */
enum { CLASSES_MOST = 32 };
static const double PAIR_PENALTY = 1;
static const double DIFFERENCE = 1e-4; /* step of differences, in coordinates of size 1 */
/* Work that intervals may take: gradients, times cells. */
static const double INTERVAL_WORK = 2e8;

typedef struct model {
    size_t k, l, cells;
    size_t nsingle, npair; /* coordinates of one class: k (l-1) and k (k-1)/2 (l-1)^2 */
    size_t n;              /* of all classes, and of the prior where it is free */
    bool free_prior;
    double prior[CLASSES_MOST]; /* where it is not */
    double smooth;
    scant_i_distinct rows;
    double *p; /* l x cells: p(x, y) */
    double *N; /* l x cells: expected answers, then D */
    double loglik;
} model;

static size_t power(size_t l, size_t k)
{
    size_t cells = 1;
    for (size_t c = 0; c < k && cells <= SCANT_I_CELLS_MOST; c++)
        cells *= l;
    return cells;
}

/* --- coordinates --- */

/* Full tables from coordinates with the sums' constraint: b has l entries, g has l x l. */
static void unfold_single(double *b, const double *x, size_t l)
{
    b[l - 1] = 0;
    for (size_t a = 0; a + 1 < l; a++) {
        b[a] = x[a];
        b[l - 1] -= x[a];
    }
}

static void unfold_pair(double *g, const double *x, size_t l)
{
    memset(g, 0, l * l * sizeof *g);
    for (size_t a = 0; a + 1 < l; a++)
        for (size_t b = 0; b + 1 < l; b++) {
            double v = x[a * (l - 1) + b];
            g[a * l + b] += v;
            g[a * l + l - 1] -= v;
            g[(l - 1) * l + b] -= v;
            g[(l - 1) * l + l - 1] += v;
        }
}

static void fold_single(double *x, const double *M, size_t l)
{
    for (size_t a = 0; a + 1 < l; a++)
        x[a] = M[a] - M[l - 1];
}

static void fold_pair(double *x, const double *M, size_t l)
{
    for (size_t a = 0; a + 1 < l; a++)
        for (size_t b = 0; b + 1 < l; b++)
            x[a * (l - 1) + b] =
                M[a * l + b] - M[a * l + l - 1] - M[(l - 1) * l + b] + M[(l - 1) * l + l - 1];
}

static size_t class_at(const model *m, size_t y)
{
    return y * (m->nsingle + m->npair);
}

static size_t pair_at(const model *m, size_t c, size_t d) /* c > d */
{
    return m->nsingle + (c * (c - 1) / 2 + d) * (m->l - 1) * (m->l - 1);
}

/* --- tables --- */

/* table[x] = sum of b and g over the predictors, one after the other: those before make the first
 * `done` cells, and each answer of the next a copy of them with more added. */
static void fill(double *table, const model *m, const double *x)
{
    size_t l = m->l, done = 1;
    double b[CLASSES_MOST], g[CLASSES_MOST * CLASSES_MOST];
    table[0] = 0;
    for (size_t c = 0; c < m->k; c++, done *= l) {
        unfold_single(b, x + c * (l - 1), l);
        for (size_t a = l; a-- > 0;)
            for (size_t e = 0; e < done; e++)
                table[a * done + e] = table[e] + b[a];
        for (size_t d = 0, digit = 1; d < c; d++, digit *= l) {
            unfold_pair(g, x + pair_at(m, c, d), l);
            for (size_t e = 0; e < done * l; e++)
                table[e] += g[e / done * l + e / digit % l];
        }
    }
}

/* Margins of D into the gradient, the last predictor first; it is then summed out. D is used up. */
static void margins(double *gradient, const model *m, double *D)
{
    size_t l = m->l, done = m->cells;
    double M[CLASSES_MOST * CLASSES_MOST];
    for (size_t c = m->k; c-- > 0;) {
        done /= l;
        memset(M, 0, l * sizeof *M);
        for (size_t e = 0; e < done * l; e++)
            M[e / done] += D[e];
        fold_single(gradient + c * (l - 1), M, l);
        for (size_t d = 0, digit = 1; d < c; d++, digit *= l) {
            memset(M, 0, l * l * sizeof *M);
            for (size_t e = 0; e < done * l; e++)
                M[e / done * l + e / digit % l] += D[e];
            fold_pair(gradient + pair_at(m, c, d), M, l);
        }
        for (size_t e = done; e < done * l; e++)
            D[e % done] += D[e];
    }
}

/* Shares of the classes at a point. */
static void shares(double *P, const model *m, const double *x)
{
    double sum = 1;
    const double *free_part = x + class_at(m, m->l);
    P[m->l - 1] = 1;
    for (size_t y = 0; y + 1 < m->l && m->free_prior; y++)
        sum += P[y] = exp(free_part[y]);
    for (size_t y = 0; y < m->l; y++)
        P[y] = m->free_prior ? P[y] / sum : m->prior[y];
}

/* p(x, y) for all cells and classes. */
static void tabulate(const model *m, const double *x)
{
    double P[CLASSES_MOST];
    shares(P, m, x);
    for (size_t y = 0; y < m->l; y++) {
        double *p = m->p + y * m->cells, most = -INFINITY, sum = 0;
        fill(p, m, x + class_at(m, y));
        for (size_t e = 0; e < m->cells; e++)
            most = fmax(most, p[e]);
        for (size_t e = 0; e < m->cells; e++)
            sum += p[e] = exp(p[e] - most);
        for (size_t e = 0; e < m->cells; e++)
            p[e] *= P[y] / sum;
    }
}

/* --- rows --- */

typedef struct completion {
    size_t base;                       /* the cell with missing answers 0 */
    size_t digit[SCANT_I_PAIRED_MOST]; /* of those missing */
    size_t missing, count;             /* l^missing */
} completion;

static completion complete(const model *m, const int32_t *seen)
{
    completion r = {.count = 1};
    for (size_t c = 0, digit = 1; c < m->k; c++, digit *= m->l) {
        if (seen[c] >= 0)
            r.base += (size_t)seen[c] * digit;
        else {
            r.digit[r.missing++] = digit;
            r.count *= m->l;
        }
    }
    return r;
}

static size_t cell_of(const model *m, const completion *r, size_t t)
{
    size_t cell = r->base;
    for (size_t c = 0; c < r->missing; c++, t /= m->l)
        cell += t % m->l * r->digit[c];
    return cell;
}

/* p(what was seen, y), given what is known of y. */
static double mass(const model *m, const completion *r, size_t y, int32_t truth)
{
    double sum = 0;
    for (size_t t = 0; t < r->count && (truth < 0 || (size_t)truth == y); t++)
        sum += m->p[y * m->cells + cell_of(m, r, t)];
    return sum;
}

/* N(x, y) and the log-likelihood. */
static void expect(model *m)
{
    memset(m->N, 0, m->l * m->cells * sizeof *m->N);
    m->loglik = 0;
    for (size_t i = 0; i < m->rows.n; i++) {
        const int32_t *item = m->rows.item + i * (m->k + 1), truth = item[m->k];
        completion r = complete(m, item);
        double total = 0;
        for (size_t y = 0; y < m->l; y++)
            total += mass(m, &r, y, truth);
        m->loglik += m->rows.weight[i] * log(total);
        for (size_t y = 0; y < m->l; y++)
            for (size_t t = 0; t < r.count && (truth < 0 || (size_t)truth == y); t++) {
                size_t at = y * m->cells + cell_of(m, &r, t);
                m->N[at] += m->rows.weight[i] * m->p[at] / total;
            }
    }
}

/* --- the objective --- */

static double penalty(const model *m, const double *x, double *gradient)
{
    double sum = 0;
    for (size_t y = 0; y < m->l; y++)
        for (size_t e = 0; e < m->nsingle + m->npair; e++) {
            size_t at = class_at(m, y) + e;
            double strength = e < m->nsingle ? m->smooth : PAIR_PENALTY;
            sum += strength * x[at] * x[at] / 2;
            gradient[at] += strength * x[at];
        }
    return sum;
}

/* Minus the penalised log-likelihood. */
static scant_status objective(double *value, double *gradient, const double *x, void *payload)
{
    model *m = payload;
    double P[CLASSES_MOST], N[CLASSES_MOST], all = 0;
    tabulate(m, x);
    expect(m);
    shares(P, m, x);
    for (size_t y = 0; y < m->l; y++) {
        double *D = m->N + y * m->cells;
        const double *p = m->p + y * m->cells;
        N[y] = 0;
        for (size_t e = 0; e < m->cells; e++)
            N[y] += D[e];
        for (size_t e = 0; e < m->cells; e++)
            D[e] -= N[y] / P[y] * p[e];
        margins(gradient + class_at(m, y), m, D);
        all += N[y];
    }
    for (size_t y = 0; y + 1 < m->l && m->free_prior; y++)
        gradient[class_at(m, m->l) + y] = N[y] - all * P[y];
    for (size_t e = 0; e < m->n; e++)
        gradient[e] = -gradient[e];
    *value = -m->loglik + penalty(m, x, gradient);
    return SCANT_OK;
}

/* --- building --- */

static void free_model(model *m)
{
    scant_i_distinct_clear(&m->rows);
    scant_i_free(m->p);
    scant_i_free(m->N);
}

static scant_status build(model *m, const scant_i_question *q)
{
    scant_status status = SCANT_OK;
    size_t k = q->votes->npredictors, l = q->votes->nclasses, cells = power(l, k);
    double parameters, frequencies;
    if (cells > SCANT_I_CELLS_MOST)
        return scant_i_fail(SCANT_ERR_INPUT,
                            "%zu predictors of %zu classes make more than %d cells: --model "
                            "loglinear is for fewer; leave predictors out, or audit groups of them",
                            k, l, SCANT_I_CELLS_MOST);
    *m = (model){.k = k, .l = l, .cells = cells, .smooth = q->options.smooth};
    m->nsingle = k * (l - 1);
    m->npair = k * (k - 1) / 2 * (l - 1) * (l - 1);
    m->free_prior = !q->prior;
    m->n = class_at(m, l) + (m->free_prior ? l - 1 : 0);
    parameters = (double)m->n;
    frequencies = (double)cells - 1;
    if (parameters > frequencies)
        return scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                            "dependence between all pairs has %.0f free parameters, and answers of "
                            "%zu predictors have %.0f frequencies: it takes more predictors",
                            parameters, k, frequencies);
    if (q->prior)
        memcpy(m->prior, q->prior, l * sizeof *m->prior);
    SCANT_I_TRY(scant_i_distinct_new(&m->rows, q->votes));
    SCANT_I_TRY(SCANT_I_NEW(&m->p, l * cells));
    SCANT_I_TRY(SCANT_I_NEW(&m->N, l * cells));
done:
    return status;
}

/* The independent fit's coordinates: b is log p, centred. */
static void start(double *x, const model *m, const scant_i_mixture *from)
{
    for (size_t y = 0; y < m->l; y++)
        for (size_t c = 0; c < m->k; c++) {
            const double *p = scant_i_audit_table(from, c, y);
            double mean = 0;
            for (size_t a = 0; a < m->l; a++)
                mean += log(fmax(p[a], 1e-6)) / (double)m->l;
            for (size_t a = 0; a + 1 < m->l; a++)
                x[class_at(m, y) + c * (m->l - 1) + a] = log(fmax(p[a], 1e-6)) - mean;
        }
    for (size_t y = 0; y + 1 < m->l && m->free_prior; y++)
        x[class_at(m, m->l) + y] =
            log(scant_i_audit_share(from, y) / scant_i_audit_share(from, m->l - 1));
}

/* --- results: confusion tables are margins --- */

/* out: k x l x l tables P(c answers a | y), then the k error rates, then the l shares. */
static size_t nresults(const model *m)
{
    return m->k * m->l * m->l + m->k + m->l;
}

static void read_results(double *out, const model *m, const double *x)
{
    size_t l = m->l;
    double *error = out + m->k * l * l, *P = error + m->k;
    memset(out, 0, nresults(m) * sizeof *out);
    tabulate(m, x);
    shares(P, m, x);
    for (size_t y = 0; y < l; y++)
        for (size_t e = 0; e < m->cells; e++)
            for (size_t c = 0, rest = e; c < m->k; c++, rest /= l)
                out[(c * l + y) * l + rest % l] += m->p[y * m->cells + e] / P[y];
    for (size_t c = 0; c < m->k; c++) {
        error[c] = 1;
        for (size_t y = 0; y < l; y++)
            error[c] -= P[y] * out[(c * l + y) * l + y];
    }
}

/* Variances of the results: slopes' C slopes, with curvature and slopes by central differences. */
static scant_status variances(double *variance, bool *known, model *m, double *x)
{
    scant_status status = SCANT_OK;
    size_t n = m->n, r = nresults(m);
    double *H = NULL, *slope = NULL, *up = NULL, *down = NULL, value;
    *known = false;
    if ((double)n * (double)(m->cells * m->l) * (double)m->k > INTERVAL_WORK)
        return SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&H, n * n));
    SCANT_I_TRY(SCANT_I_NEW(&slope, n * r));
    SCANT_I_TRY(SCANT_I_NEW(&up, n + r));
    SCANT_I_TRY(SCANT_I_NEW(&down, n + r));
    for (size_t a = 0; a < n; a++) {
        double at = x[a];
        x[a] = at + DIFFERENCE;
        SCANT_I_TRY(objective(&value, up, x, m));
        read_results(up + n, m, x);
        x[a] = at - DIFFERENCE;
        SCANT_I_TRY(objective(&value, down, x, m));
        read_results(down + n, m, x);
        x[a] = at;
        for (size_t b = 0; b < n; b++)
            H[a * n + b] += (up[b] - down[b]) / (4 * DIFFERENCE);
        for (size_t b = 0; b < n; b++) /* the mean of both orders: symmetric */
            H[b * n + a] += (up[b] - down[b]) / (4 * DIFFERENCE);
        for (size_t b = 0; b < r; b++)
            slope[b * n + a] = (up[n + b] - down[n + b]) / (2 * DIFFERENCE);
    }
    *known = scant_i_cholesky(H, n);
    for (size_t b = 0; *known && b < r; b++) {
        double *s = slope + b * n;
        scant_i_forward_solve(H, n, s);
        for (size_t a = 0; a < n; a++)
            variance[b] += s[a] * s[a];
    }
done:
    scant_i_free(H);
    scant_i_free(slope);
    scant_i_free(up);
    scant_i_free(down);
    return status;
}

static scant_status report(scant_audit *audit, model *m, double *x, double ci)
{
    scant_status status = SCANT_OK;
    size_t l = m->l, r = nresults(m);
    double *result = NULL, *variance = NULL, normal = scant_i_normal_quantile(0.5 + ci / 2);
    bool known;
    SCANT_I_TRY(SCANT_I_NEW(&result, r));
    SCANT_I_TRY(SCANT_I_NEW(&variance, r));
    SCANT_I_TRY(variances(variance, &known, m, x));
    read_results(result, m, x);
    for (size_t b = 0; b < r; b++) {
        scant_estimate e = scant_i_estimate(result[b], known ? variance[b] : NAN, normal);
        size_t at = b < m->k * l * l ? b : b - m->k * l * l;
        if (b < m->k * l * l)
            audit->confusion[at] = e;
        else if (at < m->k)
            audit->judged[at].error = e;
        else
            audit->prior[at - m->k] = e;
    }
    if (!known)
        SCANT_I_TRY(scant_i_audit_warn(audit, "the log-linear model is too large for intervals, or "
                                              "its information is singular"));
done:
    scant_i_free(result);
    scant_i_free(variance);
    return status;
}

enum { ITERATIONS_MOST = 2000 };

scant_status scant_i_audit_loglinear(scant_audit *audit, const scant_i_question *question,
                                     const scant_i_mixture *from)
{
    scant_status status = SCANT_OK;
    model m = {0};
    double *x = NULL;
    scant_i_minimum found;
    scant_i_minimise_options how = {.max_iter = ITERATIONS_MOST, .tol = 1e-13};
    SCANT_I_TRY(build(&m, question));
    SCANT_I_TRY(SCANT_I_NEW(&x, m.n));
    start(x, &m, from);
    SCANT_I_TRY(scant_i_minimise(&found, x, m.n, &how, objective, &m));
    audit->summary.iterations = found.iterations;
    audit->summary.stop = found.converged ? SCANT_STOP_CONVERGED : SCANT_STOP_ITERATIONS;
    audit->summary.parameters = m.n;
    SCANT_I_TRY(report(audit, &m, x, question->options.ci));
    tabulate(&m, x);
    expect(&m);
    audit->summary.loglik = m.loglik;
    audit->cells = m.p;
    audit->ncells = m.cells;
    m.p = NULL;
done:
    free_model(&m);
    scant_i_free(x);
    return status;
}

void scant_i_audit_look_up(double *p, const scant_audit *audit, const int32_t *answer)
{
    model m = {
        .k = audit->npredictors, .l = audit->nclasses, .cells = audit->ncells, .p = audit->cells};
    completion r = complete(&m, answer);
    for (size_t y = 0; y < m.l; y++)
        p[y] = mass(&m, &r, y, -1);
}
