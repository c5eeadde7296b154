/* Text to double and back. Results are those of strtod in the C locale, bit for bit, whatever
 * locale the program has; only decimal numbers count: no hexadecimal, no "inf", no "nan". */
#ifndef SCANT_I_NUMBER_H
#define SCANT_I_NUMBER_H

#include <string.h>
#include "base/base.h"

enum {
    SCANT_I_NUMBER_PAD = 8,   /* bytes that may be read behind a number by scant_i_number_scan */
    SCANT_I_NUMBER_TEXT = 32, /* room for the text of any double */
    SCANT_I_FAST_DIGITS = 19, /* 10^19 - 1 < 2^64 */
    SCANT_I_FAST_POWER = 22   /* 10^22 is the last power of ten that is a double */
};

extern const double scant_i_power10[SCANT_I_FAST_POWER + 1];
extern const uint64_t scant_i_power10_integer[9]; /* 10^0 .. 10^8 */

/* max(x, 0) where rounding may have made a sum of squares negative. NaN stays: fmax would make a perfect fit of it. */
static inline double scant_i_clip(double x)
{
    return x < 0 ? 0 : x;
}

/* The whole of text[0..length-1] is a decimal number; text[length] must be readable, and such as no
 * number contains. A number that is too large gives an infinite *out. */
bool scant_i_number_parse(double *out, const char *text, size_t length);
/* The shortest of %.15g, %.16g and %.17g that reads back as `value`; NaN is "nan". Returns the
 * length. */
size_t scant_i_number_format(char text[SCANT_I_NUMBER_TEXT], double value);

/* The rest of scant_i_number_scan: any number of digits, any exponent. */
const char *scant_i_number_scan_slowly(double *out, const char *text);
/* mantissa * 10^exponent, correctly rounded; false if out of the range done here. */
bool scant_i_number_round(double *out, uint64_t mantissa, int exponent);

/* Eight characters as one word, the first in the lowest byte. */
static inline uint64_t scant_i_number_word(const char *text)
{
    uint64_t word;
    memcpy(&word, text, sizeof word);
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(word) : word;
}

/* Appends up to eight digits at `text` to *mantissa and says how many there were. */
static inline size_t scant_i_number_eight(uint64_t *mantissa, const char *text)
{
    const uint64_t ones = 0x0101010101010101u;
    uint64_t digits = scant_i_number_word(text) ^ (ones * '0'); /* a digit becomes its value */
    uint64_t other = ((digits + ones * 0x76) | digits) & (ones * 0x80); /* high bit: not a digit */
    size_t count = other ? (size_t)__builtin_ctzll(other) / 8 : 8;
    if (count == 0)
        return 0;
    digits <<= 8 * (8 - count); /* zeros come in as leading digits */
    /* neighbours are joined into pairs, pairs into fours, fours into the eight */
    digits = (digits * 10 + (digits >> 8)) & 0x00ff00ff00ff00ffu;
    digits = (digits * 100 + (digits >> 16)) & 0x0000ffff0000ffffu;
    digits = (digits * 10000 + (digits >> 32)) & 0xffffffffu;
    *mantissa = *mantissa * scant_i_power10_integer[count] + digits;
    return count;
}

/* Adds the exponent at `at`, which is on its `e`, to *exponent; what follows it, or NULL. */
static inline const char *scant_i_number_exponent(int *exponent, const char *at)
{
    enum { CAP = 100000 }; /* far out of what is done fast */
    bool negative = *++at == '-';
    at += negative || *at == '+';
    if ((unsigned char)(*at - '0') >= 10)
        return NULL;
    int power = 0;
    for (; (unsigned char)(*at - '0') < 10; at++)
        power = power < CAP ? power * 10 + (*at - '0') : power;
    *exponent += negative ? -power : power;
    return at;
}

/* Reads a number at `text` and returns what follows it, or NULL if there is none. The text must end
 * in some byte that belongs to no number, with SCANT_I_NUMBER_PAD readable bytes behind it. */
static inline const char *scant_i_number_scan(double *out, const char *text)
{
    const char *at = text;
    bool negative = *at == '-';
    at += negative || *at == '+';
    uint64_t mantissa = 0;
    const char *first = at;
    while ((unsigned char)(*at - '0') < 10)
        mantissa = mantissa * 10 + (uint64_t)(*at++ - '0');
    size_t digits = (size_t)(at - first);
    int exponent = 0;
    if (*at == '.') {
        const char *point = ++at;
        size_t count;
        do {
            count = scant_i_number_eight(&mantissa, at);
            at += count;
        } while (count == 8);
        digits += (size_t)(at - point);
        exponent = digits > SCANT_I_FAST_DIGITS ? 0 : -(int)(at - point);
    }
    if (digits - 1 >= SCANT_I_FAST_DIGITS)
        return digits ? scant_i_number_scan_slowly(out, text) : NULL;
    if ((*at | 32) == 'e' && !(at = scant_i_number_exponent(&exponent, at)))
        return NULL;
    double value; /* from two exact doubles by one rounding, or from integers, or by strtod */
    if (mantissa <= (uint64_t)1 << 53 && exponent <= 0 && exponent >= -SCANT_I_FAST_POWER)
        value = (double)mantissa / scant_i_power10[-exponent];
    else if (mantissa <= (uint64_t)1 << 53 && exponent > 0 && exponent <= SCANT_I_FAST_POWER)
        value = (double)mantissa * scant_i_power10[exponent];
    else if (!scant_i_number_round(&value, mantissa, exponent))
        return scant_i_number_scan_slowly(out, text);
    *out = negative ? -value : value;
    return at;
}

#endif
