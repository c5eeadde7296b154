/* Columns in standard units as rows, bit for bit as written down. */
#include "base/random.h"
#include "math/linear.h"
#include "tables.h"

enum { EIGHT = 8, ROWS_MOST = 67, STRIDE_MOST = 13 };

static void test_transpose(void **state)
{
    (void)state;
    scant_i_random random = scant_i_random_new(1, 0);
    size_t ld = scant_i_round_up(ROWS_MOST, EIGHT);
    double *to = scant_i_calloc(EIGHT * ld, sizeof *to), centre[EIGHT], factor[EIGHT];
    double *from = scant_i_calloc(ROWS_MOST * STRIDE_MOST + 1, sizeof *from);
    assert_true(to && from);
    for (size_t stride = EIGHT; stride <= STRIDE_MOST; stride++)
        for (size_t nrows = 0; nrows <= ROWS_MOST; nrows++) {
            size_t offset = nrows % 2; /* rows need not be aligned */
            for (size_t k = 0; k < nrows * stride + offset; k++)
                from[k] = scant_i_random_normal(&random);
            for (size_t c = 0; c < EIGHT; c++) {
                centre[c] = scant_i_random_normal(&random);
                factor[c] = scant_i_random_normal(&random);
            }
            for (size_t k = 0; k < EIGHT * ld; k++)
                to[k] = 9;
            scant_i_transpose_eight(to, ld, from + offset, stride, nrows, centre, factor);
            for (size_t c = 0; c < EIGHT; c++)
                for (size_t i = 0; i < ld; i++) {
                    double x = i < nrows ? from[offset + i * stride + c] : 0;
                    double want = i < nrows ? (x - centre[c]) * factor[c] : 9;
                    assert_true(memcmp(&want, &to[c * ld + i], sizeof want) == 0);
                }
        }
    scant_i_free(to);
    scant_i_free(from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_transpose)};
    return RUN_WITH_EACH_TABLE(tests);
}
