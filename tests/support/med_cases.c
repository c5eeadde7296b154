#include "med_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <scant/scant.h>
#include "check.h"

void med_near_at(double found, double wanted, double tolerance, const char *file, int line)
{
    if (!(fabs(found - wanted) <= tolerance))
        fail_msg("%s:%d: found %.12g, wanted %.12g within %.3g", file, line, found, wanted,
                 tolerance);
}

void med_standardise(double *x, size_t n, size_t d)
{
    for (size_t i = 0; i < d; i++) {
        double mean = 0, square = 0;
        for (size_t t = 0; t < n; t++)
            mean += x[t * d + i] / (double)n;
        for (size_t t = 0; t < n; t++)
            square += (x[t * d + i] - mean) * (x[t * d + i] - mean) / (double)n;
        for (size_t t = 0; t < n; t++)
            x[t * d + i] = square > 0 ? (x[t * d + i] - mean) / sqrt(square) : 0;
    }
}

bool med_table_read(med_table *out, const char *path, const char *features, const char *label,
                    const char *positive, size_t first, size_t n)
{
    if (access(path, R_OK) != 0)
        return false;
    char names[256] = "";
    const char *wanted[32];
    size_t nwanted = 0;
    (void)snprintf(names, sizeof names, "%s", features ? features : "");
    for (char *word = strtok(names, ","); word; word = strtok(NULL, ","))
        wanted[nwanted++] = word;
    scant_read_options options = {.size = sizeof options,
                                  .label = positive ? label : NULL,
                                  .features = nwanted ? wanted : NULL,
                                  .nfeatures = nwanted};
    scant_rows *rows = NULL;
    assert_ok(scant_rows_read(&rows, path, &options));
    size_t columns = scant_rows_columns(rows), target = columns;
    n = n ? n : scant_rows_count(rows) - first;
    for (size_t c = 0; c < columns && !positive; c++)
        if (strcmp(scant_rows_column_name(rows, c), label) == 0)
            target = c;
    *out = (med_table){.n = n, .d = columns - (target < columns)};
    out->x = calloc(n * out->d + 1, sizeof *out->x);
    out->y = calloc(n + 1, sizeof *out->y);
    out->side = calloc(n + 1, sizeof *out->side);
    for (size_t t = 0; t < n; t++) {
        for (size_t c = 0, i = 0; c < columns; c++)
            if (c != target)
                out->x[t * out->d + i++] = scant_rows_value(rows, first + t, c);
            else
                out->y[t] = scant_rows_value(rows, first + t, c);
        if (positive) {
            const char *name =
                scant_rows_class_name(rows, (size_t)scant_rows_label(rows, first + t));
            out->side[t] = strcmp(name, positive) == 0 ? 1 : -1;
            out->y[t] = out->side[t];
        }
    }
    med_standardise(out->x, n, out->d);
    if (!positive)
        med_standardise(out->y, n, 1);
    scant_rows_free(rows);
    return true;
}

void med_table_clear(med_table *table)
{
    free(table->x);
    free(table->y);
    free(table->side);
}

void med_case_new(med_case *out, const med_table *table, const char *margin, double c,
                  double epsilon, double rho, double bias_variance,
                  const scant_i_med_kernel *kernel)
{
    *out = (med_case){.features = {table->n, table->d, table->x, {0}, rho, 1}};
    const scant_i_med_margin *prior = scant_i_med_margin_find(margin);
    assert_non_null(prior);
    out->problem = (scant_i_med_problem){
        .potential =
            {prior, {c, epsilon}, table->n, table->y, prior->tube ? NULL : table->side, NULL},
        .space = &out->space,
        .bias = {bias_variance < 0, 0, fmax(bias_variance, 0)}};
    if (kernel)
        assert_ok(scant_i_med_gram_space(&out->space, &out->features, kernel, 1 << 26));
    else
        assert_ok(scant_i_med_linear(&out->space, &out->features, 1));
    assert_ok(scant_i_med_solution_new(&out->solution, table->n));
}

void med_case_clear(med_case *c)
{
    scant_i_med_solution_clear(&c->solution);
    scant_i_med_space_clear(&c->space);
}

void med_case_solve(med_case *c, double tol, const char *solver)
{
    scant_i_med_control control = {.tol = tol, .seed = 1};
    assert_ok(scant_i_med_solve(&c->solution, &c->problem, &control, solver));
    const scant_i_med_certificate *found = &c->solution.certificate;
    if (c->solution.stop != SCANT_STOP_CONVERGED)
        fail_msg("%s stopped (%d) at J %.9g, gap %g, after %zu", c->solution.solver,
                 (int)c->solution.stop, found->dual, found->gap, c->solution.iterations);
    double scale = fmax(1, fabs(found->dual));
    assert_true(found->gap >= -1e-12 * scale && found->gap <= tol * scale);
}

/* --- written out --- */

static double inner(const med_table *table, size_t s, size_t t, const scant_i_med_kernel *kernel)
{
    double dot = 0, distance = 0;
    for (size_t i = 0; i < table->d; i++) {
        double a = table->x[s * table->d + i], b = table->x[t * table->d + i];
        dot += a * b;
        distance += (a - b) * (a - b);
    }
    return kernel && kernel->type == SCANT_I_MED_RBF ? exp(-kernel->gamma * distance) : dot;
}

static double log_Z(double l, double c, double e)
{
    double first = l > 1e-8 ? expm1(l * e) / l : e;
    return log(first + exp(l * e) / (c - l));
}

/* max over the multiplier by ternary search, which needs nothing but the potential. */
static double loss_tube(double r, double c, double e)
{
    double low = 0, high = c;
    for (int k = 0; k < 200; k++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (a * r - log_Z(a, c, e) < b * r - log_Z(b, c, e))
            low = a;
        else
            high = b;
    }
    double l = 0.5 * (low + high);
    return l * r - log_Z(l, c, e) - log(e + 1 / c);
}

static double losses(const med_table *table, const double *f, double b, double c, double e)
{
    double sum = 0;
    for (size_t t = 0; t < table->n; t++) {
        double m = table->side[t] * (f[t] + b);
        if (table->side[t] == 0)
            sum += loss_tube(fabs(table->y[t] - f[t] - b), c, e);
        else if (m < 1 - 1 / c)
            sum += c * (1 - m) - 1 - log(c * (1 - m));
    }
    return sum;
}

void med_naive(double *J, double *P, const med_table *table, const double *beta, double c,
               double epsilon, double rho, double bias_variance, const scant_i_med_kernel *kernel)
{
    size_t n = table->n, d = table->d;
    double *f = calloc(n, sizeof *f), omega = 0, energy = 0, S = 0, potential = 0;
    if (kernel || rho == 1) {
        for (size_t s = 0; s < n; s++)
            for (size_t t = 0; t < n; t++)
                f[s] += beta[t] * inner(table, s, t, kernel);
        for (size_t s = 0; s < n; s++)
            omega += 0.5 * beta[s] * f[s];
        energy = omega;
    } else {
        for (size_t i = 0; i < d; i++) {
            double W = 0;
            for (size_t t = 0; t < n; t++)
                W += beta[t] * table->x[t * d + i];
            double g = log(1 - rho + rho * exp(W * W / 2));
            double C = rho * W / (rho + (1 - rho) * exp(-W * W / 2));
            omega += g;
            energy += W * C - g;
            for (size_t t = 0; t < n; t++)
                f[t] += table->x[t * d + i] * C;
        }
    }
    for (size_t t = 0; t < n; t++) {
        double l = fabs(beta[t]);
        S += beta[t];
        potential += table->side[t]
                         ? l + log(1 - l / c)
                         : table->y[t] * beta[t] - log_Z(l, c, epsilon) - log(epsilon + 1 / c);
    }
    *J = potential - omega;
    if (bias_variance >= 0) {
        double b = bias_variance * S;
        *J -= 0.5 * bias_variance * S * S;
        *P = energy + 0.5 * bias_variance * S * S + losses(table, f, b, c, epsilon);
    } else {
        double low = -1e3, high = 1e3; /* convex in b */
        for (int k = 0; k < 200; k++) {
            double a = low + (high - low) / 3, b = high - (high - low) / 3;
            if (losses(table, f, a, c, epsilon) > losses(table, f, b, c, epsilon))
                low = a;
            else
                high = b;
        }
        *P = energy + losses(table, f, 0.5 * (low + high), c, epsilon);
    }
    free(f);
}
