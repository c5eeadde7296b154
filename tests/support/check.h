/* What every test file includes: cmocka with what it needs, and assertions on statuses and
 * messages. */
#ifndef SCANT_T_CHECK_H
#define SCANT_T_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <scant/status.h>

#define assert_ok(call)                                                                            \
    do {                                                                                           \
        scant_status check_status = (call);                                                        \
        if (check_status != SCANT_OK)                                                              \
            fail_msg("%s: status %d: %s", #call, (int)check_status, scant_message());              \
    } while (0)

/* The call fails with that status, and the message holds the text. */
#define assert_fails(call, status, text)                                                           \
    do {                                                                                           \
        scant_status check_status = (call);                                                        \
        if (check_status != (status) || !strstr(scant_message(), (text)))                          \
            fail_msg("%s: status %d, wanted %d; message '%s', wanted '%s'", #call,                 \
                     (int)check_status, (int)(status), scant_message(), (text));                   \
    } while (0)

/* Bit for bit, NaN included. */
#define assert_same(a, b)                                                                          \
    do {                                                                                           \
        double check_a = (a), check_b = (b);                                                       \
        if (memcmp(&check_a, &check_b, sizeof check_a) != 0 &&                                     \
            !(check_a != check_a && check_b != check_b))                                           \
            fail_msg("%s is %.17g, not %.17g", #a, check_a, check_b);                              \
    } while (0)

#endif
