#include "data/cell.h"

#include <math.h>
#include <string.h>
#include <strings.h>
#include "base/number.h"

enum { LONGEST = 64 }; /* bytes of a number or a date */

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* --- numbers --- */

/* A number without what stands around it: digits and the separators between them. */
typedef struct body {
    char text[LONGEST]; /* blanks of all kinds and apostrophes between thousands are ' ' */
    size_t length;
    bool negative, percent, currency;
    int exponent; /* where there is one: 1,5e3 */
    bool has_exponent;
} body;

/* Bytes of a sign or a code of money at `text`, or 0. */
static size_t currency_length(const char *text, size_t length)
{
    static const char *const sign[] = {
        "$",   "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5", "\xe2\x82\xb9", "US$",
        "USD", "EUR",          "GBP",      "CHF",      "JPY",          "kr"};
    for (size_t k = 0; k < sizeof sign / sizeof *sign; k++) {
        size_t n = strlen(sign[k]);
        if (n <= length && memcmp(sign[k], text, n) == 0)
            return n;
    }
    return 0;
}

/* Bytes of a blank: space, tab, no-break space, narrow no-break space; or 0. */
static size_t blank_length(const char *text, size_t length)
{
    if (length && (*text == ' ' || *text == '\t'))
        return 1;
    if (length >= 2 && memcmp(text, "\xc2\xa0", 2) == 0)
        return 2;
    return length >= 3 &&
                   (memcmp(text, "\xe2\x80\xaf", 3) == 0 || memcmp(text, "\xe2\x80\x89", 3) == 0)
               ? 3
               : 0;
}

static void skip_blanks(const char **text, size_t *length)
{
    for (size_t n; (n = blank_length(*text, *length)); *length -= n)
        *text += n;
}

static bool take_sign(const char **text, size_t *length, bool *negative)
{
    size_t n = 0;
    if (*length && (**text == '-' || **text == '+'))
        n = 1;
    else if (*length >= 3 && memcmp(*text, "\xe2\x88\x92", 3) == 0) /* the minus of typesetting */
        n = 3;
    *negative ^= n && **text != '+';
    *text += n;
    *length -= n;
    return n > 0;
}

/* What may stand before the digits: signs and money, each once. */
static bool take_front(body *out, const char **text, size_t *length)
{
    bool sign = false, bracket = false;
    for (;;) {
        size_t n = currency_length(*text, *length);
        skip_blanks(text, length);
        if (*length && **text == '(' && !bracket && !sign) {
            bracket = out->negative = true;
            ++*text;
            --*length;
        } else if (!sign && !bracket && take_sign(text, length, &out->negative)) {
            sign = true;
        } else if (!out->currency && (n = currency_length(*text, *length))) {
            out->currency = true;
            *text += n;
            *length -= n;
        } else {
            return bracket;
        }
    }
}

/* What may stand behind them: money, percent, the closing bracket. */
static bool is_back(body *out, const char *text, size_t length, bool bracket)
{
    for (size_t n;;) {
        skip_blanks(&text, &length);
        if (length == 0)
            return !bracket;
        if (*text == '%' && !out->percent) {
            out->percent = true;
            n = 1;
        } else if (*text == ')' && bracket) {
            bracket = false;
            n = 1;
        } else if (!out->currency && (n = currency_length(text, length))) {
            out->currency = true;
        } else {
            return false;
        }
        text += n;
        length -= n;
    }
}

static void take_exponent(body *out, const char **text, size_t *length)
{
    size_t at = 1;
    if (*length < 2 || (**text | 32) != 'e')
        return;
    bool negative = (*text)[at] == '-';
    at += negative || (*text)[at] == '+';
    size_t first = at;
    int power = 0;
    for (; at < *length && is_digit((*text)[at]) && power < 10000; at++)
        power = power * 10 + ((*text)[at] - '0');
    if (at == first)
        return;
    out->exponent = negative ? -power : power;
    out->has_exponent = true;
    *text += at;
    *length -= at;
}

static bool take_body(body *out, const char *text, size_t length)
{
    *out = (body){.length = 0};
    if (length == 0 || length >= LONGEST)
        return false;
    bool bracket = take_front(out, &text, &length);
    size_t digits = 0;
    while (length) {
        size_t n = blank_length(text, length);
        if (is_digit(*text) || *text == '.' || *text == ',') {
            digits += is_digit(*text);
            out->text[out->length++] = *text;
            n = 1;
        } else if ((n || *text == '\'' || *text == '_') && digits && length > scant_i_max(n, 1) &&
                   is_digit(text[scant_i_max(n, 1)])) {
            n = scant_i_max(n, 1);
            out->text[out->length++] = ' ';
        } else {
            break;
        }
        text += n;
        length -= n;
    }
    take_exponent(out, &text, &length);
    return digits > 0 && is_back(out, text, length, bracket);
}

/* Do the digits up to `end` stand in groups of three behind separators `c`? */
static bool is_grouped(const body *b, char c, size_t end)
{
    size_t since = 0, seen = 0;
    for (size_t i = 0; i <= end; i++) {
        bool stop = i == end;
        if (!stop && is_digit(b->text[i])) {
            since++;
            continue;
        }
        if (!stop && b->text[i] != c)
            return false;
        if (seen ? since != 3 : since == 0 || since > 3)
            return false;
        seen++;
        since = 0;
    }
    return true;
}

static size_t count_of(const body *b, char c)
{
    size_t count = 0;
    for (size_t i = 0; i < b->length; i++)
        count += b->text[i] == c;
    return count;
}

static size_t last_of(const body *b, char c)
{
    size_t at = b->length;
    while (at > 0 && b->text[at - 1] != c)
        at--;
    return at - 1; /* SIZE_MAX: none */
}

/* One separator of a kind: decimals, or thousands if it could be both. */
static void judge_single(scant_i_shape *out, const body *b, size_t at, bool comma)
{
    bool either = b->length - at == 4 && at >= 1 && at <= 3 && b->text[0] != '0';
    *(comma ? &out->either_comma : &out->either_point) = either;
    *(comma ? &out->decimal_comma : &out->decimal_point) = !either;
    out->whole = either;
}

bool scant_i_cell_shape(scant_i_shape *out, const char *text, size_t length)
{
    body b;
    double value;
    *out = (scant_i_shape){.whole = true};
    if (!take_body(&b, text, length))
        return false;
    out->percent = b.percent;
    out->currency = b.currency;
    out->plain = scant_i_number_parse(&value, text, length);
    size_t points = count_of(&b, '.'), commas = count_of(&b, ','), blanks = count_of(&b, ' ');
    out->leading_zero =
        b.length > 1 && b.text[0] == '0' && is_digit(b.text[1]) && !points && !commas;
    size_t end = b.length; /* of what stands before decimals */
    if (points && commas) {
        char decimal = last_of(&b, '.') > last_of(&b, ',') ? '.' : ',';
        char thousands = decimal == '.' ? ',' : '.';
        if (count_of(&b, decimal) != 1 || blanks ||
            !is_grouped(&b, thousands, last_of(&b, decimal)))
            return false;
        *(decimal == ',' ? &out->decimal_comma : &out->decimal_point) = true;
        *(decimal == ',' ? &out->thousands_point : &out->thousands_comma) = true;
        out->whole = false;
        return true;
    }
    if (points == 1 || commas == 1) {
        size_t at = last_of(&b, points ? '.' : ',');
        judge_single(out, &b, at, commas == 1);
        if (blanks) { /* blanks are between thousands, so this is not */
            out->either_comma = out->either_point = out->whole = false;
            *(commas ? &out->decimal_comma : &out->decimal_point) = true;
        }
        end = at;
    } else if (points > 1 || commas > 1) {
        *(points ? &out->thousands_point : &out->thousands_comma) = true;
        if (blanks || !is_grouped(&b, points ? '.' : ',', b.length))
            return false;
    }
    out->thousands_blank = blanks > 0;
    if (b.percent || (b.has_exponent && b.exponent < 0))
        out->whole = false;
    return blanks == 0 || is_grouped(&b, ' ', end);
}

bool scant_i_cell_number(double *out, const char *text, size_t length, scant_i_notation notation)
{
    body b;
    char plain[LONGEST + 16];
    size_t n = 0;
    if (scant_i_number_parse(out, text, length) &&
        (notation.decimal != ',' || !memchr(text, '.', length)))
        return true;
    if (!take_body(&b, text, length))
        return false;
    size_t end = notation.decimal == ',' ? last_of(&b, ',') : last_of(&b, '.');
    if (end == SIZE_MAX)
        end = b.length;
    if (notation.thousands && memchr(b.text, notation.thousands, end) &&
        !is_grouped(&b, notation.thousands, end))
        return false;
    if (b.negative)
        plain[n++] = '-';
    for (size_t i = 0; i < b.length; i++) {
        if (i == end)
            plain[n++] = '.';
        else if (is_digit(b.text[i]))
            plain[n++] = b.text[i];
        else if (b.text[i] != notation.thousands || i > end)
            return false;
    }
    if (b.has_exponent) {
        char digit[12];
        size_t m = 0;
        plain[n++] = 'e';
        if (b.exponent < 0)
            plain[n++] = '-';
        int rest = b.exponent < 0 ? -b.exponent : b.exponent;
        do
            digit[m++] = (char)('0' + rest % 10);
        while ((rest /= 10) > 0);
        while (m > 0)
            plain[n++] = digit[--m];
    }
    plain[n] = '\0';
    if (!scant_i_number_parse(out, plain, n))
        return false;
    *out /= b.percent ? 100 : 1;
    return true;
}

/* --- dates --- */

static size_t read_digits(int *out, const char **text, const char *end)
{
    const char *first = *text;
    *out = 0;
    for (; *text < end && is_digit(**text) && *text - first < 8; ++*text)
        *out = *out * 10 + (**text - '0');
    return (size_t)(*text - first);
}

static bool take_month(int *out, const char **text, const char *end)
{
    static const char *const name[] = {"january",   "february", "march",    "april",
                                       "may",       "june",     "july",     "august",
                                       "september", "october",  "november", "december"};
    size_t n = 0;
    while (*text + n < end && (((*text)[n] | 32) >= 'a' && ((*text)[n] | 32) <= 'z'))
        n++;
    for (int m = 0; m < 12 && n >= 3; m++)
        if (n <= strlen(name[m]) && strncasecmp(name[m], *text, n) == 0) {
            *text += n;
            if (*text < end && **text == '.')
                ++*text;
            *out = m + 1;
            return true;
        }
    return false;
}

/* Days from 1970-01-01 in the calendar of Gregory, by counting from a March (Howard Hinnant). */
static double days_from_civil(int y, int m, int d)
{
    y -= m <= 2;
    int era = (y >= 0 ? y : y - 399) / 400, yoe = y - era * 400;
    int doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    int doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    return (double)era * 146097 + doe - 719468;
}

static bool is_day(int y, int m, int d)
{
    static const int length[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool long_year = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
    return m >= 1 && m <= 12 && d >= 1 && d <= length[m - 1] + (m == 2 && long_year) && y >= 1000 &&
           y <= 2999;
}

static void skip_spaces(const char **text, const char *end)
{
    while (*text < end && (**text == ' ' || **text == ','))
        ++*text;
}

/* A year of two digits is within 1970 to 2069, as POSIX has it nearly (1969 to 2068). */
static int whole_year(int y, size_t digits)
{
    return digits == 2 ? y + (y >= 70 ? 1900 : 2000) : y;
}

/* 1 Mar 2024 and Mar 1, 2024. */
static bool take_named(int date[3], const char **text, const char *end)
{
    const char *at = *text;
    size_t n = read_digits(&date[2], &at, end);
    bool first = n >= 1 && n <= 2;
    if (n > 2)
        return false;
    while (at < end && (*at == ' ' || *at == '-' || *at == '/' || *at == '.'))
        at++;
    if (!take_month(&date[1], &at, end))
        return false;
    while (at < end && (*at == ' ' || *at == '-' || *at == '/'))
        at++;
    if (!first) {
        n = read_digits(&date[2], &at, end);
        if (n == 0 || n > 2)
            return false;
        skip_spaces(&at, end);
    }
    skip_spaces(&at, end);
    n = read_digits(&date[0], &at, end);
    if (n != 2 && n != 4)
        return false;
    date[0] = whole_year(date[0], n);
    *text = at;
    return true;
}

/* Three numbers with the same of - / . between them, in the order asked for, or yyyymmdd. */
static bool take_numbers(int date[3], const char **text, const char *end, scant_i_order order)
{
    static const int place[SCANT_I_ORDERS][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}};
    const char *at = *text;
    char between = 0;
    for (int k = 0; k < 3; k++) {
        int to = place[order][k];
        size_t n = read_digits(&date[to], &at, end);
        if (k == 0 && n == 8 && order == SCANT_I_YMD) {
            int all = date[0];
            date[0] = all / 10000;
            date[1] = all / 100 % 100;
            date[2] = all % 100;
            *text = at;
            return true;
        }
        if (n == 0 || (to == 0 ? n != 4 && (n != 2 || order == SCANT_I_YMD) : n > 2))
            return false;
        if (to == 0)
            date[0] = whole_year(date[0], n);
        if (k == 2)
            break;
        if (at >= end || !strchr("-/.", *at) || (k == 1 && *at != between))
            return false;
        between = *at++;
    }
    *text = at;
    return true;
}

/* 13:45[:30[.5]][ am|pm][Z|+02:00]; a day's fraction. */
static bool take_time(double *out, const char **text, const char *end)
{
    const char *at = *text;
    int hour, minute = 0, second = 0;
    double fraction = 0;
    size_t n = read_digits(&hour, &at, end);
    if (n == 0 || n > 2 || at >= end || *at++ != ':' || read_digits(&minute, &at, end) != 2)
        return false;
    if (at < end && *at == ':') {
        at++;
        if (read_digits(&second, &at, end) != 2)
            return false;
        if (at < end && (*at == '.' || *at == ',')) {
            double unit = 0.1;
            for (at++; at < end && is_digit(*at); at++, unit /= 10)
                fraction += unit * (*at - '0');
        }
    }
    while (at < end && *at == ' ')
        at++;
    if (end - at >= 2 && (at[1] | 32) == 'm' && ((*at | 32) == 'a' || (*at | 32) == 'p')) {
        if (hour < 1 || hour > 12)
            return false;
        hour = hour % 12 + ((*at | 32) == 'p' ? 12 : 0);
        at += 2;
    }
    double offset = 0;
    if (at < end && (*at == 'Z' || *at == 'z')) {
        at++;
    } else if (at < end && (*at == '+' || *at == '-')) {
        int h, m = 0;
        double sign = *at++ == '-' ? -1 : 1;
        if (read_digits(&h, &at, end) != 2 || h > 14)
            return false;
        if (at < end && *at == ':')
            at++;
        if (at < end && (read_digits(&m, &at, end) != 2 || m > 59))
            return false;
        offset = sign * (h * 60 + m);
    }
    if (hour > 23 || minute > 59 || second > 60)
        return false;
    *out = ((hour * 60.0 + minute - offset) * 60 + second + fraction) / 86400;
    *text = at;
    return true;
}

bool scant_i_cell_date(scant_i_date *out, const char *text, size_t length, scant_i_order order)
{
    int date[3];
    double time = 0;
    const char *end = text + length, *at = text;
    *out = (scant_i_date){.days = 0};
    if (length < 4 || length >= LONGEST)
        return false;
    if (take_numbers(date, &at, end, order) || take_named(date, &at, end)) {
        if (!is_day(date[0], date[1], date[2]))
            return false;
        out->has_day = true;
        out->days = days_from_civil(date[0], date[1], date[2]);
        if (at < end && (*at == 'T' || *at == ' ' || *at == ','))
            at++;
        skip_spaces(&at, end);
    }
    if (at < end) {
        if (!take_time(&time, &at, end))
            return false;
        out->has_time = true;
        out->days += time;
    }
    return at == end && (out->has_day || out->has_time);
}

/* --- words --- */

bool scant_i_cell_is_unknown(const char *text, size_t length, bool certain)
{
    static const char *const word[] = {"n/a",     "#n/a",  "<na>", "null", "#null!", "#value!",
                                       "#div/0!", "#ref!", "\\n", /* those up to here are certain */
                                       "-",       "--",    ".",    "none", "nil",    "unknown",
                                       "missing", "n.a.",  "nd",   "n.d.", "*",      "nan"};
    enum { CERTAIN = 9, WORDS = sizeof word / sizeof *word };
    for (size_t k = 0; k < (certain ? (size_t)CERTAIN : (size_t)WORDS); k++)
        if (strlen(word[k]) == length && strncasecmp(word[k], text, length) == 0)
            return true;
    return false;
}
