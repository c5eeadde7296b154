/* These layers' tables of kernels are those of the target in use. */
#include "solve/kernels.h"
#include "tables.h"
#include "tensor/kernels.h"

static void test_layers(void **state)
{
    (void)state;
    ASSERT_LAYER_FOLLOWS(solve);
    ASSERT_LAYER_FOLLOWS(tensor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_layers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
