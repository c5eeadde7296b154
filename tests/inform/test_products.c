/* Products of features: as many as there are monomials, and each where its value is. */
#include <math.h>
#include "check.h"
#include "family_cases.h"
#include "inform/products.h"

enum { D = 8, COMPONENTS = 2, ROWS = 16 };

typedef struct shape {
    const scant_i_family *family;
    const char *covariance;
    size_t features, products;
} shape;

/* 145 = 1 + 8 + 36 of degree 0 to 2, 64 z_a z_b^2, 36 z_a^2 z_b^2; 495 = C(12, 4). */
static const shape shapes[] = {
    {&scant_i_gaussian, "diag", 17, 145},
    {&scant_i_gaussian, "full", 45, 495},
    {&scant_i_gaussian, "spherical", 10, 55},
    {&scant_i_poisson, NULL, 9, 45},
};

static scant_i_factor *new_factor(const shape *s, size_t first)
{
    scant_i_family_settings settings = {.covariance = s->covariance};
    scant_i_factor *factor = NULL;
    size_t columns[D];
    for (size_t c = 0; c < D; c++)
        columns[c] = first + c;
    assert_ok(scant_i_factor_new(&factor, s->family, &settings, COMPONENTS, columns, NULL, D));
    return factor;
}

/* Every product's value, at drawn cells, is that of the features which stand for it. */
static void check_values(const scant_i_products *p, const double *phi, size_t ld)
{
    for (size_t a = 0; a < p->m; a++)
        for (size_t b = 0; b < p->m; b++) {
            size_t at = scant_i_products_at(p, a, b);
            assert_true(at < p->n);
            const double *x = phi + p->of[2 * at] * ld, *y = phi + p->of[2 * at + 1] * ld;
            for (size_t i = 0; i < ROWS; i++) {
                double want = phi[a * ld + i] * phi[b * ld + i];
                assert_true(fabs(x[i] * y[i] - want) <= 1e-14 * fabs(want));
            }
        }
}

/* A mixture of one or two factors, and the number of products it should have. */
static void check_mixture(const shape *const *of, size_t nfactors, size_t want)
{
    enum { CELLS = 2 * D, LD = ROWS };
    double x[ROWS * CELLS], *phi = NULL, room[64];
    scant_i_mixture *mixture = NULL;
    scant_rows *rows = NULL;
    scant_i_products products;
    scant_i_random random = scant_i_random_new(7, 0);
    for (size_t i = 0; i < ROWS * CELLS; i++)
        x[i] = (double)scant_i_random_below(&random, 9);
    assert_ok(scant_rows_new(&rows, ROWS, CELLS, x, NULL));
    assert_ok(scant_i_mixture_new(&mixture, COMPONENTS, 1, nfactors));
    for (size_t f = 0; f < nfactors; f++)
        mixture->factor[f] = new_factor(of[f], f * D);
    assert_ok(scant_i_products_new(&products, mixture));
    assert_int_equal(products.n, want);
    assert_ok(SCANT_I_NEW(&phi, products.m * LD));
    scant_i_block block = {.batch = ALL_ROWS(rows), .nrows = ROWS};
    double *to = phi;
    for (size_t f = 0; f < nfactors; f++) {
        of[f]->family->natural->features(mixture->factor[f], &block, to, LD, room);
        to += of[f]->features * LD;
    }
    assert_int_equal(to - phi, products.m * LD);
    check_values(&products, phi, LD);
    scant_i_products_clear(&products);
    scant_i_mixture_free(mixture);
    scant_rows_free(rows);
    scant_i_free(phi);
}

static void test_one_factor(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const shape *of[] = {&shapes[k]};
        check_mixture(of, 1, shapes[k].products);
    }
}

/* Both have a 1, which is the same; all else that mixes them is distinct. */
static void test_two_factors(void **state)
{
    (void)state;
    const shape *of[] = {&shapes[0], &shapes[3]};
    check_mixture(of, 2, 145 + 45 - 1 + 16 * 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_factor),
                                       cmocka_unit_test(test_two_factors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
