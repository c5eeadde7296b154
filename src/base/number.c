/* Three ways to a correctly rounded double, the first that applies:
 *   mantissa <= 2^53 and |exponent| <= 22: one division or product of exact doubles;
 *   up to 19 digits and |exponent| <= 27: 128-bit integers, as 5^27 < 2^63;
 *   else strtod, on digits without a decimal point, so that the locale does not matter. */
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 wide;

const double scant_i_power10[SCANT_I_FAST_POWER + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
const uint64_t scant_i_power10_integer[9] = {1,      10,      100,      1000,     10000,
                                             100000, 1000000, 10000000, 100000000};

enum {
    WIDE_POWER = 27,   /* 5^27 < 2^63 */
    KEPT_DIGITS = 800, /* no double needs more than 767 digits to be told from its neighbours */
    EXPONENT_CAP = 999999999 /* far past any double and any cell's length */
};

static const uint64_t power5[WIDE_POWER + 1] = {1u,
                                                5u,
                                                25u,
                                                125u,
                                                625u,
                                                3125u,
                                                15625u,
                                                78125u,
                                                390625u,
                                                1953125u,
                                                9765625u,
                                                48828125u,
                                                244140625u,
                                                1220703125u,
                                                6103515625u,
                                                30517578125u,
                                                152587890625u,
                                                762939453125u,
                                                3814697265625u,
                                                19073486328125u,
                                                95367431640625u,
                                                476837158203125u,
                                                2384185791015625u,
                                                11920928955078125u,
                                                59604644775390625u,
                                                298023223876953125u,
                                                1490116119384765625u,
                                                7450580596923828125u};

bool scant_i_number_round(double *out, uint64_t mantissa, int exponent)
{
    if (exponent < -WIDE_POWER || exponent > WIDE_POWER)
        return false;
    if (mantissa == 0) {
        *out = 0.0;
        return true;
    }
    uint64_t five = power5[exponent < 0 ? -exponent : exponent];
    if (exponent >= 0) {
        *out = ldexp((double)((wide)mantissa * five), exponent);
        return true;
    }
    /* mantissa / 5^k with both shifted to the top bit: the quotient has at least 63 bits, and the
     * remainder goes into its last bit, so that rounding to 53 bits sees whether there was one. */
    int up = __builtin_clzll(mantissa), down = __builtin_clzll(five);
    wide over = (wide)(mantissa << up) << 63;
    uint64_t under = five << down;
    wide quotient = over / under;
    quotient |= over % under != 0;
    *out = ldexp((double)quotient, down - up - 63 + exponent);
    return true;
}

/* Digits and exponent of a number as written; leading zeros are not kept. */
typedef struct decimal {
    char digit[KEPT_DIGITS + 32]; /* and room for 'e' and the exponent */
    size_t count;
    long exponent;
    bool negative;
    bool dropped; /* digits other than 0 went past KEPT_DIGITS */
} decimal;

static void take_digit(decimal *number, char digit, bool fraction)
{
    if (number->count < KEPT_DIGITS) {
        if (number->count > 0 || digit != '0')
            number->digit[number->count++] = digit;
        number->exponent -= fraction;
    } else {
        number->dropped |= digit != '0';
        number->exponent += !fraction;
    }
}

static const char *take_exponent(decimal *number, const char *at)
{
    const char *after = at + 1;
    bool negative = *after == '-';
    after += negative || *after == '+';
    if ((unsigned char)(*after - '0') >= 10)
        return NULL;
    long exponent = 0;
    for (; (unsigned char)(*after - '0') < 10; after++)
        exponent = exponent < EXPONENT_CAP ? exponent * 10 + (*after - '0') : exponent;
    number->exponent += negative ? -exponent : exponent;
    return after;
}

static double decimal_value(decimal *number)
{
    if (number->count == 0)
        return 0.0;
    if (number->count <= SCANT_I_FAST_DIGITS && labs(number->exponent) <= WIDE_POWER) {
        uint64_t mantissa = 0;
        double value = 0;
        for (size_t k = 0; k < number->count; k++)
            mantissa = mantissa * 10 + (uint64_t)(number->digit[k] - '0');
        if (scant_i_number_round(&value, mantissa, (int)number->exponent))
            return value;
    }
    if (number->dropped) { /* one more digit tells which side of a tie the number is on */
        number->digit[number->count++] = '1';
        number->exponent--;
    }
    (void)snprintf(number->digit + number->count, sizeof number->digit - number->count, "e%ld",
                   number->exponent);
    return strtod(number->digit, NULL);
}

const char *scant_i_number_scan_slowly(double *out, const char *text)
{
    decimal number;
    number.count = 0;
    number.exponent = 0;
    number.dropped = false;
    const char *at = text;
    number.negative = *at == '-';
    at += number.negative || *at == '+';
    const char *first = at;
    for (; (unsigned char)(*at - '0') < 10; at++)
        take_digit(&number, *at, false);
    size_t digits = (size_t)(at - first);
    if (*at == '.') {
        const char *point = ++at;
        for (; (unsigned char)(*at - '0') < 10; at++)
            take_digit(&number, *at, true);
        digits += (size_t)(at - point);
    }
    if (digits == 0)
        return NULL;
    if (*at == 'e' || *at == 'E')
        at = take_exponent(&number, at);
    if (!at)
        return NULL;
    double value = decimal_value(&number);
    *out = number.negative ? -value : value;
    return at;
}

bool scant_i_number_parse(double *out, const char *text, size_t length)
{
    char room[64 + SCANT_I_NUMBER_PAD] = {0};
    if (length == 0)
        return false;
    if (length < 64) {
        memcpy(room, text, length);
        return scant_i_number_scan(out, room) == room + length;
    }
    return scant_i_number_scan_slowly(out, text) == text + length;
}

/* value = +-n / 10^k with n < 10^15 and small k has n and a point as its shortest text: the
 * division of exact doubles is what reading that text gives. */
static size_t format_short_decimal(char *text, double value)
{
    enum { MOST_DECIMALS = 9 };
    double size = fabs(value);
    if (!(size < 1e15) || (size < 1e-4 && size != 0) || (size == 0 && signbit(value)))
        return 0;
    for (int k = 0; k <= MOST_DECIMALS; k++) {
        double scaled = nearbyint(size * scant_i_power10[k]);
        if (scaled >= 1e15)
            return 0;
        if (scaled / scant_i_power10[k] != size)
            continue;
        char digit[24];
        size_t n = 0, length = 0;
        for (uint64_t rest = (uint64_t)scaled; rest > 0 || n <= (size_t)k; rest /= 10)
            digit[n++] = (char)('0' + rest % 10);
        if (value < 0)
            text[length++] = '-';
        while (n > 0) {
            if (n == (size_t)k)
                text[length++] = '.';
            text[length++] = digit[--n];
        }
        text[length] = '\0';
        return length;
    }
    return 0;
}

size_t scant_i_number_format(char text[SCANT_I_NUMBER_TEXT], double value)
{
    if (isnan(value)) {
        memcpy(text, "nan", 4);
        return 3;
    }
    size_t length = format_short_decimal(text, value);
    for (int digits = 15; length == 0; digits++) {
        int written = snprintf(text, SCANT_I_NUMBER_TEXT, "%.*g", digits, value);
        char *comma = strchr(text, ','); /* another locale's point */
        if (comma)
            *comma = '.';
        double back = 0;
        if (digits == 17 || isinf(value) ||
            (scant_i_number_parse(&back, text, (size_t)written) && back == value))
            length = (size_t)written;
    }
    return length;
}
