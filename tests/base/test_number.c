#include "check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/random.h"
#include "base/number.h"

static void check_text(const char *text)
{
    double ours = -12345;
    if (!scant_i_number_parse(&ours, text, strlen(text)))
        fail_msg("'%s' was not read", text);
    double theirs = strtod(text, NULL);
    if (memcmp(&ours, &theirs, sizeof ours) != 0)
        fail_msg("'%s': %a, strtod has %a", text, ours, theirs);
}

static void test_plain(void **state)
{
    (void)state;
    static const char *const texts[] = {"0",
                                        "-0",
                                        "+1",
                                        "1.",
                                        ".5",
                                        "-.5e1",
                                        "12.345678",
                                        "1e22",
                                        "1e23",
                                        "1E-5",
                                        "9007199254740993",
                                        "9007199254740992.5",
                                        "123456789012345678901234567890",
                                        "0.1",
                                        "1e308",
                                        "1.7976931348623157e308",
                                        "1.7976931348623159e308",
                                        "4.9e-324",
                                        "2.4703282292062327e-324",
                                        "2.4703282292062328e-324",
                                        "2.2250738585072011e-308",
                                        "1e-400",
                                        "-1e-400",
                                        "1e400",
                                        "0e999999999999",
                                        "1e-999999999999",
                                        "00000000000000000000000000000000001.5",
                                        "0.00000000000000000000000000000000000000012345",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "9999999999999999999",
                                        "0.3e-27",
                                        "7e27",
                                        "1.00000000000000011102230246251565404236316680908203125",
                                        "1.00000000000000011102230246251565404236316680908203124",
                                        "1.00000000000000011102230246251565404236316680908203126"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        check_text(texts[k]);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",    "-",   ".",     "e5",   "1e",  "1e+",  "inf",
                                        "nan", "0x1", "1.2.3", "1 ",   " 1",  "--1",  "1,5",
                                        "abc", "1d5", "+",     "-.e1", "1_0", "1e5.0"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        double value = 0;
        if (scant_i_number_parse(&value, texts[k], strlen(texts[k])))
            fail_msg("'%s' was read as %g", texts[k], value);
    }
}

/* A million texts of all kinds, as strtod reads them. */
static void test_random(void **state)
{
    (void)state;
    scant_i_random random = scant_i_random_new(7, 1);
    char text[1200];
    for (size_t k = 0; k < 1000000; k++) {
        uint64_t word = scant_i_random_word(&random);
        double value;
        memcpy(&value, &word, sizeof value);
        uint64_t digits = scant_i_random_word(&random) >> scant_i_random_below(&random, 64);
        int exponent = (int)scant_i_random_below(&random, 60) - 30;
        switch (k % 8) {
        case 0: (void)snprintf(text, sizeof text, "%.17g", isfinite(value) ? value : 1.5); break;
        case 1:
            (void)snprintf(text, sizeof text, "%.*g", 1 + (int)(k % 25),
                           isfinite(value) ? value : 0);
            break;
        case 2: (void)snprintf(text, sizeof text, "%" PRIu64 "e%d", digits, exponent); break;
        case 3:
            (void)snprintf(text, sizeof text, "-%" PRIu64 ".%" PRIu64, digits >> 32, digits);
            break;
        case 4:
            (void)snprintf(text, sizeof text, "%.*f", (int)(k % 20),
                           (double)(int64_t)digits / 1e12);
            break;
        case 5: /* denormals */
            word &= 0x000fffffffffffffu;
            memcpy(&value, &word, sizeof value);
            (void)snprintf(text, sizeof text, "%.17g", value);
            break;
        case 6: (void)snprintf(text, sizeof text, "%" PRIu64 "e%d", digits, exponent * 12); break;
        default:
            (void)snprintf(text, sizeof text, "0.%0*d%" PRIu64, (int)(k % 30), 0, digits);
            break;
        }
        check_text(text);
    }
}

/* Halfway between neighbours, and a hair to either side: the hardest texts there are. */
static void test_ties(void **state)
{
    (void)state;
    scant_i_random random = scant_i_random_new(8, 1);
    char text[1300];
    for (size_t k = 0; k < 20000; k++) {
        uint64_t word = scant_i_random_word(&random) & 0x7fffffffffffffffu;
        double low;
        memcpy(&low, &word, sizeof low);
        if (k % 2) /* near 1, where the fast ways work */
            low = ldexp(1 + scant_i_random_uniform(&random), (int)(k % 64) - 32);
        double high = nextafter(low, INFINITY);
        if (!isfinite(high) || !isfinite(low))
            continue;
        long double middle = ((long double)low + (long double)high) / 2;
        (void)snprintf(text, sizeof text, "%.1100Lg", middle);
        check_text(text);
        size_t length = strlen(text);
        if (length < 900 && strchr(text, '.') && !strchr(text, 'e')) {
            strcpy(text + length, "000000000000000000001");
            check_text(text);
        }
    }
}

static void test_format(void **state)
{
    (void)state;
    scant_i_random random = scant_i_random_new(9, 1);
    char text[SCANT_I_NUMBER_TEXT];
    static const struct {
        double value;
        const char *text;
    } known[] = {{0, "0"},
                 {-0.0, "-0"},
                 {1, "1"},
                 {-1.2345, "-1.2345"},
                 {0.1, "0.1"},
                 {1e15, "1e+15"},
                 {123456789, "123456789"},
                 {1e-5, "1e-05"},
                 {0.25, "0.25"},
                 {NAN, "nan"},
                 {1.0 / 3, "0.3333333333333333"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {100, "100"},
                 {0.0001, "0.0001"}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        assert_int_equal(scant_i_number_format(text, known[k].value), strlen(known[k].text));
        assert_string_equal(text, known[k].text);
    }
    for (size_t k = 0; k < 200000; k++) {
        uint64_t word = scant_i_random_word(&random);
        double value, back = 0;
        memcpy(&value, &word, sizeof value);
        if (k % 2)
            value = round(scant_i_random_normal(&random) * 1e4) / pow(10, (double)(k % 9));
        if (!isfinite(value))
            continue;
        size_t n = scant_i_number_format(text, value);
        assert_true(scant_i_number_parse(&back, text, n));
        assert_same(back, value);
        char shorter[40]; /* none of fewer digits would do */
        (void)snprintf(shorter, sizeof shorter, "%.15g", value);
        if (strtod(shorter, NULL) == value)
            assert_string_equal(text, shorter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_random), cmocka_unit_test(test_ties),
                                       cmocka_unit_test(test_format)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
