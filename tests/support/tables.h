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

#endif
