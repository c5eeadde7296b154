/* Exact optima of small problems, known to nine digits from another solver; the gap is taken again from the multipliers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "med_cases.h"

typedef struct optimum {
    double c, bias_variance, J, b;
} optimum;

static const char CRABS[] = SCANT_EXAMPLES "/crabs.csv", IRIS[] = SCANT_TEST_DATA "/iris.csv";
static const char *const COLUMNS = "FL,RW,CL,CW,BD";

static void same(double found, double wanted, double relative)
{
    if (!(fabs(found - wanted) <= relative * fmax(1, fabs(wanted))))
        fail_msg("found %.10g, wanted %.10g", found, wanted);
}

static void check(const med_table *table, const optimum *o, const char *margin, double epsilon,
                  double rho, const scant_i_med_kernel *kernel, const char *solver, double tol)
{
    med_case c;
    double J, P;
    med_case_new(&c, table, margin, o->c, epsilon, rho, o->bias_variance, kernel);
    med_case_solve(&c, tol, solver);
    same(c.solution.certificate.dual, o->J, 1e-6);
    if (!isnan(o->b) && tol < 1e-8) /* the bias is known to the root of the gap */
        same(c.solution.certificate.bias, o->b, 2e-6);
    med_naive(&J, &P, table, c.solution.beta, o->c, epsilon, rho, o->bias_variance, kernel);
    same(J, o->J, 1e-6);
    double scale = fmax(1, fabs(J));
    if (!(P - J >= -1e-12 * scale && P - J <= tol * scale + 1e-12 * scale))
        fail_msg("gap %g at J %.9g (said: %g)", P - J, J, c.solution.certificate.gap);
    med_case_clear(&c);
}

static void test_iris(void **state)
{
    static const optimum known[] = {{10, -1, .499748683, -.217366},
                                    {100, -1, .606689196, -.240680}};
    const scant_i_med_kernel linear = {.type = SCANT_I_MED_LINEAR};
    med_table table;
    (void)state;
    assert_true(med_table_read(&table, IRIS, NULL, "species", "setosa", 0, 100));
    for (size_t k = 0; k < 2; k++) {
        check(&table, &known[k], "exponential", 0, 1, NULL, NULL, 1e-11);
        check(&table, &known[k], "exponential", 0, 1, NULL, "newton", 1e-8);
        check(&table, &known[k], "exponential", 0, 1, &linear, "pairs", 1e-8);
    }
    med_table_clear(&table);
}

static void test_crabs(void **state)
{
    static const optimum flat[] = {{2, -1, 10.2752532, .024794},
                                   {10, -1, 149.6815462, .315198},
                                   {100, -1, 1305.1366368, .968247}};
    static const optimum variance[] = {
        {2, 1, 10.2755570, NAN}, {10, 1, 149.7308166, NAN}, {100, 1, 1305.6053103, NAN}};
    static const optimum rbf = {10, -1, 241.5050584, .186161};
    const scant_i_med_kernel kernel = {.type = SCANT_I_MED_RBF, .gamma = 0.1};
    const scant_i_med_kernel linear = {.type = SCANT_I_MED_LINEAR};
    med_table table;
    (void)state;
    assert_true(med_table_read(&table, CRABS, COLUMNS, "sex", "M", 0, 0));
    for (size_t k = 0; k < 3; k++) {
        check(&table, &flat[k], "exponential", 0, 1, NULL, NULL, 1e-11);
        check(&table, &variance[k], "exponential", 0, 1, NULL, NULL, 1e-11);
    }
    check(&table, &flat[0], "exponential", 0, 1, &linear, "pairs", 1e-8);
    check(&table, &variance[0], "exponential", 0, 1, NULL, "axis", 1e-8);
    check(&table, &variance[0], "exponential", 0, 1, &linear, "axis", 1e-8);
    check(&table, &rbf, "exponential", 0, 1, &kernel, NULL, 1e-11);
    med_table_clear(&table);
}

/* Letters of DNA as four fractions of A, C, G, T. */
static void encode(double *x, char letter)
{
    static const char *const bases[] = {"A", "C", "G", "T", "DAGT", "NACGT", "RAG", "SCG"};
    for (size_t k = 0; k < sizeof bases / sizeof *bases; k++)
        if (bases[k][0] == letter)
            for (size_t i = 0; i < 4; i++) {
                const char *set = bases[k][1] ? bases[k] + 1 : bases[k];
                x[i] = strchr(set, "ACGT"[i]) ? 1 / (double)strlen(set) : 0;
            }
}

enum { BASES = 60, EACH = 100 };

static bool read_splice(med_table *out)
{
    FILE *file = fopen(SCANT_SHARED_DATA "/dna_splice/splice_raw60.csv", "r");
    char line[2048];
    size_t seen[2] = {0};
    if (!file)
        return false;
    *out = (med_table){.d = 4 * BASES};
    out->x = calloc((size_t)2 * EACH * out->d, sizeof *out->x);
    out->y = calloc((size_t)2 * EACH, sizeof *out->y);
    out->side = calloc((size_t)2 * EACH, sizeof *out->side);
    while (fgets(line, sizeof line, file)) {
        const char *name = strrchr(line, ',') + 1;
        size_t which = strncmp(name, "IE", 2) == 0;
        if ((!which && strncmp(name, "EI", 2) != 0) || seen[which]++ >= EACH)
            continue;
        for (size_t i = 0; i < BASES; i++)
            encode(out->x + out->n * out->d + 4 * i, line[2 * i]);
        out->side[out->n] = which ? -1 : 1;
        out->y[out->n] = out->side[out->n];
        out->n++;
    }
    (void)fclose(file);
    return true;
}

static void test_splice(void **state)
{
    static const double known[][2] = {
        {1, .1069950}, {.1, .8826477}, {.01, 3.0501037}, {1e-3, 5.0295214}, {1e-5, 7.1571823}};
    med_table table;
    (void)state;
    if (!read_splice(&table))
        skip();
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const optimum o = {1.5, -1, known[k][1], NAN};
        check(&table, &o, "exponential", 0, known[k][0], NULL, NULL, 1e-8);
    }
    med_table_clear(&table);
}

/* The columns, and all their products, standardised again. */
static void expand(med_table *table)
{
    size_t n = table->n, d = table->d, wide = d + d * (d + 1) / 2;
    double *x = calloc(n * wide, sizeof *x);
    for (size_t t = 0; t < n; t++) {
        const double *from = table->x + t * d;
        double *to = x + t * wide;
        for (size_t i = 0; i < d; i++)
            *to++ = from[i];
        for (size_t i = 0; i < d; i++)
            for (size_t j = i; j < d; j++)
                *to++ = from[i] * from[j];
    }
    med_standardise(x, n, wide);
    free(table->x);
    table->x = x;
    table->d = wide;
}

static void test_boston(void **state)
{
    static const double plain[][2] = {{1, 1140.299333}, {.01, 1143.965893}, {1e-5, 1148.709455}};
    static const double products[][2] = {{1, 968.418180}, {.01, 982.720444}, {1e-5, 998.873867}};
    med_table table;
    (void)state;
    if (!med_table_read(&table, SCANT_SHARED_DATA "/boston/boston.csv", NULL, "medv", NULL, 0, 0))
        skip();
    for (size_t k = 0; k < 6; k++) {
        const double *known = k < 3 ? plain[k] : products[k - 3];
        const optimum o = {5, 1, known[1], NAN};
        if (k == 3)
            expand(&table);
        check(&table, &o, "tube", .2, known[0], NULL, NULL, 1e-8);
    }
    med_table_clear(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_iris), cmocka_unit_test(test_crabs),
                                       cmocka_unit_test(test_splice),
                                       cmocka_unit_test(test_boston)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
