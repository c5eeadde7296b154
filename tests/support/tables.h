/* Tests of kernels run with every table that the processor supports. */
#ifndef SCANT_T_TABLES_H
#define SCANT_T_TABLES_H

#include "check.h"
#include "math/kernels.h"

/* Runs the tests with one table after the other; the number of failures. */
#define RUN_WITH_EACH_TABLE(tests)                                                                 \
    __extension__({                                                                                \
        int failures = 0;                                                                          \
        const scant_i_kernels *each = NULL;                                                        \
        for (size_t k = 0; (each = scant_i_kernels_supported(k)); k++)                             \
            failures += scant_i_kernels_use(each->name) != SCANT_OK ||                             \
                        cmocka_run_group_tests_name(each->name, tests, NULL, NULL);                \
        failures;                                                                                  \
    })

/* The layer's table is that of the target in use, whichever that is. */
#define LAYER_IS(target, layer)                                                                    \
    if (strcmp(each->name, #target) == 0)                                                          \
        assert_ptr_equal(scant_i_##layer##_kernels_now(), &SCANT_I_LAYER_TABLE(target, layer));
#define ASSERT_LAYER_FOLLOWS(layer)                                                                \
    do {                                                                                           \
        const scant_i_kernels *each = NULL;                                                        \
        for (size_t k = 0; (each = scant_i_kernels_supported(k)); k++) {                           \
            assert_ok(scant_i_kernels_use(each->name));                                            \
            SCANT_I_EACH_TARGET(LAYER_IS, layer)                                                   \
        }                                                                                          \
    } while (0)

#endif
