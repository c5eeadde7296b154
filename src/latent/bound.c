/* The coefficient r / T of a reverse-Jensen weight, by gamma = sum h zz / (2 T) (thesis, 5.10 and 10.3).
 *
 *   G = gamma + 1 / (4 log 6) + (25/36) / log(6)^2 - 1/6     gamma >= 1/6
 *     = 1 / (4 L) + ((1 - gamma) / L)^2,  L = -log gamma      below
 *
 * By log gamma: as h underflows r falls only like 1 / log(1 / h), and 0 in its place is no bound. */
#include "latent/bound.h"

#include <math.h>

/* Steps of a search on a line; a golden section then narrows it down to some 1e-12 of its length. */
enum { GRID = 400, GOLDEN_STEPS = 60 };
static const double GOLDEN = 0.6180339887498949;

typedef struct line {
    double (*f)(double x, double parameter);
    double parameter, low, high;
} line;

/* The largest f on a line: the best of a grid, and the peak about it. */
static double most_on(const line *l)
{
    double best = -INFINITY, step = (l->high - l->low) / GRID, at = l->low;
    for (size_t k = 0; k <= GRID; k++) {
        double f = l->f(l->low + (double)k * step, l->parameter);
        if (f > best) {
            best = f;
            at = l->low + (double)k * step;
        }
    }
    double low = fmax(l->low, at - step), high = fmin(l->high, at + step);
    for (size_t k = 0; k < GOLDEN_STEPS; k++) {
        double a = high - GOLDEN * (high - low), b = low + GOLDEN * (high - low);
        double fa = l->f(a, l->parameter), fb = l->f(b, l->parameter);
        best = fmax(best, fmax(fa, fb));
        if (fa > fb)
            high = b;
        else
            low = a;
    }
    return best;
}

/* log(e^omega + e^-omega - 2) */
static double log_lift(double omega)
{
    return omega + 2 * log(-expm1(-omega));
}

/* log(1 + gamma (e^omega + e^-omega - 2)) / omega^2, at omega = e^s */
static double growth(double s, double log_gamma)
{
    double omega = exp(s), lift = log_gamma + log_lift(omega);
    return (lift > 0 ? lift + log1p(exp(-lift)) : log1p(exp(lift))) / (omega * omega);
}

double scant_i_bound_exact(double log_gamma)
{
    if (log_gamma == -INFINITY)
        return 0;
    if (log_gamma >= -log(6)) /* omega -> 0 */
        return exp(log_gamma);
    line l = {growth, log_gamma, log(1e-3), log(4 - 4 * log_gamma)};
    return fmax(exp(log_gamma), most_on(&l));
}

double scant_i_bound_G(double log_gamma)
{
    double gamma = exp(log_gamma), L = -log_gamma, log6 = log(6);
    if (log_gamma >= -log6)
        return gamma + 1 / (4 * log6) + 25.0 / 36 / (log6 * log6) - 1.0 / 6;
    if (log_gamma == -INFINITY)
        return 0;
    return 1 / (4 * L) + (1 - gamma) * (1 - gamma) / (L * L);
}

/* g(gamma) - a gamma at the gamma that is best for omega = e^s: with c = e^omega + e^-omega - 2 that is
 * gamma = 1 / (a omega^2) - 1 / c, within 0 .. 1. */
static double excess(double s, double a)
{
    double omega = exp(s), log_c = log_lift(omega), c = exp(log_c);
    double gamma = fmin(1, fmax(0, 1 / (a * omega * omega) - 1 / c));
    return gamma > 0 ? growth(s, log(gamma)) - a * gamma : 0;
}

double scant_i_bound_offset(double a)
{
    line l = {excess, a, log(1e-3), log(600)};
    return most_on(&l);
}

/* Made by scant_i_bound_offset, rounded up. Those printed in table 10.1 are up to 0.04 % too low, since its gamma are on
 * a grid. */
const scant_i_bound_line scant_i_bound_lines[SCANT_I_BOUND_LINES] = {
    {1, 4.4770329e-02},
    {6.1917364223999973, 3.0109404e-02},
    {38.337599924474723, 2.3448552e-02},
    {237.37631379976955, 1.9405117e-02},
    {1469.7715679690843, 1.6636331e-02},
    {9100.4381500021336, 1.4602160e-02},
    {56347.514353166662, 1.3035780e-02},
    {348888.95693220868, 1.1788011e-02},
    {2160228.4620103007, 1.0768117e-02},
    {13375565.248934308, 9.9174016e-03},
    {82817974.522014245, 9.1960465e-03},
    {512787069.2773506, 8.5760065e-03},
    {3175042373.780323, 8.0369126e-03},
    {19659025508.398972, 7.5635855e-03},
    {121723504269.24455, 7.1444657e-03},
    {753679854846.04309, 6.7705869e-03},
    {4666587008079.3887, 6.4348798e-03},
    {28894276746223.781, 6.1316913e-03},
    {178905745728499.09, 5.8564449e-03},
    {1107737222003780.6, 5.6053929e-03},
    {6858816903929000, 5.3754350e-03},
    {42467986438629976, 5.1639846e-03},
    {2.629505784180544e+17, 4.9688660e-03},
    {1.6281206736822141e+18, 4.7882341e-03},
    {1.0080894075300588e+19, 4.6205135e-03},
    {6.241823901639499e+19, 4.4643518e-03},
    {3.8647728393988145e+20, 4.3185810e-03},
    {2.3929654754007895e+21, 4.1821862e-03},
    {1.4816611491584795e+22, 4.0542808e-03},
};

static double by_table(double log_gamma)
{
    double gamma = exp(log_gamma), least = INFINITY;
    for (size_t k = 0; k < SCANT_I_BOUND_LINES; k++)
        least = fmin(least, scant_i_bound_lines[k].a * gamma + scant_i_bound_lines[k].b);
    return 4 * least;
}

double scant_i_bound_coefficient(scant_i_bound_rule rule, double log_gamma, bool single)
{
    double most = single ? 0.5 : 1;
    if (log_gamma == -INFINITY)
        return 0;
    switch (rule) {
    case SCANT_I_BOUND_PROVED: return 4 * scant_i_bound_G(log_gamma);
    case SCANT_I_BOUND_TABLE: return by_table(log_gamma);
    case SCANT_I_BOUND_SIMPLE: return most;
    case SCANT_I_BOUND_LOCAL: return 2 * exp(log_gamma);
    case SCANT_I_BOUND_BARE: return scant_i_bound_G(log_gamma);
    case SCANT_I_BOUND_LAZY: /* is not of T */ return 0;
    case SCANT_I_BOUND_BEST:
    case SCANT_I_BOUND_MATRIX: break;
    }
    return fmin(2 * scant_i_bound_G(log_gamma), most);
}

bool scant_i_bound_guarantees(scant_i_bound_rule rule)
{
    return rule != SCANT_I_BOUND_LOCAL && rule != SCANT_I_BOUND_LAZY && rule != SCANT_I_BOUND_BARE;
}

const char *scant_i_bound_rule_name(scant_i_bound_rule rule)
{
    static const char *const names[SCANT_I_BOUND_RULES] = {
        "best", "proved", "table", "simple", "matrix", "local", "lazy", "bare",
    };
    return names[rule];
}
