/* From cells to types. A column's facts are sums that every cell is added to once; a guess is a list of
 * rules over them, the first that holds (docs/types.md). */
#include "data/types.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "base/number.h"

static const char *const kind_name[SCANT_KINDS] = {
    "number", "count", "0/1", "category", "date", "text", "identifier", "constant", "ignore"};

const char *scant_kind_name(scant_kind kind)
{
    return kind_name[kind];
}

/* --- dates --- */

const char *const scant_i_part_suffix[SCANT_I_PARTS] = {
    "", ".year_sin", ".year_cos", ".week_sin", ".week_cos", ".day_sin", ".day_cos"};

void scant_i_date_parts(double part[SCANT_I_PARTS], double days)
{
    static const double period[SCANT_I_CYCLES] = {365.2425, 7, 1}; /* in days */
    part[0] = days;
    for (size_t c = 0; c < SCANT_I_CYCLES; c++) {
        double at = c == 2 ? days : floor(days); /* time of day is a cycle of its own */
        double angle = 2 * acos(-1) * (at / period[c] - floor(at / period[c]));
        part[2 * c + 1] = sin(angle);
        part[2 * c + 2] = cos(angle);
    }
}

/* --- facts --- */

void scant_i_facts_free(scant_i_facts *facts)
{
    scant_i_names_free(&facts->values);
    scant_i_names_free(&facts->strange);
    *facts = (scant_i_facts){0};
}

static scant_status add_value(scant_i_facts *facts, const char *text, size_t length)
{
    int32_t code = 0;
    if (facts->full)
        return SCANT_OK;
    if (facts->values.count >= SCANT_I_DISTINCT) {
        code = scant_i_names_find(&facts->values, text, length);
        facts->full = code < 0;
        if (code < 0)
            return SCANT_OK;
    } else {
        scant_status status = scant_i_names_add(&code, &facts->values, text, length);
        if (status != SCANT_OK)
            return status;
    }
    facts->seen++;
    return SCANT_OK;
}

static void add_number(scant_i_facts *facts, const scant_i_shape *shape, const char *text,
                       size_t length)
{
    double value[SCANT_I_READINGS] = {0};
    facts->plain += shape->plain;
    facts->decimal_comma += shape->decimal_comma;
    facts->decimal_point += shape->decimal_point;
    facts->thousands_comma += shape->thousands_comma;
    facts->thousands_point += shape->thousands_point;
    facts->thousands_blank += shape->thousands_blank;
    facts->either_comma += shape->either_comma;
    facts->either_point += shape->either_point;
    facts->percent += shape->percent;
    facts->currency += shape->currency;
    facts->leading_zero += shape->leading_zero;
    bool same = !shape->either_point && scant_i_number_parse(&value[0], text, length);
    value[1] = value[0];
    for (size_t r = 0; r < SCANT_I_READINGS && !same; r++) {
        static const scant_i_notation plain[SCANT_I_READINGS] = {{'.', ','}, {',', '.'}};
        scant_i_notation notation = plain[r];
        notation.thousands = shape->thousands_blank ? ' ' : notation.thousands;
        if (!scant_i_cell_number(&value[r], text, length, notation))
            value[r] = NAN;
    }
    facts->whole[0] += value[0] == floor(value[0]) && !shape->either_point && !shape->percent;
    facts->whole[1] += value[1] == floor(value[1]) && !shape->either_comma && !shape->percent;
    for (size_t r = 0; r < SCANT_I_READINGS; r++) { /* fmin and fmax pass over NaN */
        facts->least[r] = facts->numbers ? fmin(facts->least[r], value[r]) : value[r];
        facts->most[r] = facts->numbers ? fmax(facts->most[r], value[r]) : value[r];
    }
    facts->infinite += isinf(value[0]) != 0;
    facts->negative += value[0] < 0 || value[1] < 0;
    facts->stepped = facts->numbers == 0 || (facts->stepped && value[0] == facts->last + 1);
    facts->last = value[0];
    facts->numbers++;
}

/* 0: Thursday, which 1970-01-01 was. */
static unsigned weekday_of(double days)
{
    double rest = floor(days) - 7 * floor(floor(days) / 7);
    return (unsigned)rest;
}

static void add_date(scant_i_facts *facts, const char *text, size_t length, bool number)
{
    scant_i_date date;
    bool any = false;
    if (number && length != 8)
        return;
    if (memchr(text, '-', length) == text)
        return;
    for (int order = 0; order < SCANT_I_ORDERS; order++) {
        if (!scant_i_cell_date(&date, text, length, (scant_i_order)order) || (number && order > 0))
            continue;
        size_t before = facts->dates[0] + facts->dates[1] + facts->dates[2];
        facts->dates[order]++;
        facts->weekdays[order] |= 1u << weekday_of(date.days);
        if (!any) {
            facts->times += date.has_time;
            facts->days += date.has_day;
        }
        facts->earliest = before ? fmin(facts->earliest, date.days) : date.days;
        facts->latest = before ? fmax(facts->latest, date.days) : date.days;
        any = true;
    }
    facts->compact += any && number;
}

static size_t count_words(const char *text, size_t length)
{
    size_t count = 0;
    bool inside = false;
    for (size_t i = 0; i < length; i++) {
        bool letter = (text[i] | 32) >= 'a' ? (text[i] | 32) <= 'z' : (signed char)text[i] < 0;
        count += letter && !inside;
        inside = letter || (inside && text[i] == '\'');
    }
    return count;
}

static bool is_infinite(const char *text, size_t length)
{
    size_t sign = length && (*text == '-' || *text == '+');
    text += sign;
    length -= sign;
    return (length == 3 && strncasecmp(text, "inf", 3) == 0) ||
           (length == 8 && strncasecmp(text, "infinity", 8) == 0);
}

scant_status scant_i_facts_add(scant_i_facts *facts, const char *text, size_t length)
{
    scant_i_shape shape;
    int32_t code;
    if (scant_i_is_missing(text, length)) {
        facts->missing++;
        return SCANT_OK;
    }
    scant_status status = add_value(facts, text, length);
    facts->count++;
    bool number = scant_i_cell_shape(&shape, text, length);
    if (number) {
        add_number(facts, &shape, text, length);
    } else if (is_infinite(text, length)) { /* which a reader refuses, as a number */
        facts->numbers++;
        facts->plain++;
        facts->infinite++;
    } else if (scant_i_number_parse(&(double){0}, text, length)) { /* longer than people write */
        shape = (scant_i_shape){.plain = true, .decimal_point = true};
        add_number(facts, &shape, text, length);
        number = true;
    } else {
        facts->unknown += scant_i_cell_is_unknown(text, length, false);
        if (facts->strange.count < SCANT_I_STRANGE && status == SCANT_OK)
            status = scant_i_names_add(&code, &facts->strange, text, length);
        else if (status == SCANT_OK && scant_i_names_find(&facts->strange, text, length) < 0)
            facts->stranger = true;
        facts->words += count_words(text, length);
    }
    if (facts->dates[0] + facts->dates[1] + facts->dates[2] > 0 || facts->count <= 20)
        add_date(facts, text, length, number);
    facts->bytes += length;
    return status;
}

char scant_i_facts_decimal(const scant_i_facts *facts)
{
    size_t comma = facts->decimal_comma + facts->thousands_point;
    size_t point = facts->decimal_point + facts->thousands_comma;
    return comma && !point ? ',' : point && !comma ? '.' : 0;
}

/* --- rules --- */

enum { FEW = 10 /* values that may be codes */ };
static const double MOST_OF = 0.97; /* of the cells, where a few strange ones may be words */

typedef struct ruling {
    const scant_i_facts *facts;
    const char *name;
    scant_i_guess *out;
    size_t known; /* cells that are neither missing nor words for that */
    size_t values;
    char decimal, separator;
} ruling;

static bool say(const ruling *r, scant_kind kind, double sure, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static bool say(const ruling *r, scant_kind kind, double sure, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(r->out->reason, sizeof r->out->reason, format, arguments);
    va_end(arguments);
    r->out->type.kind = kind;
    r->out->sure = sure;
    return true;
}

/* id, index, key, row, ..., or a name that ends in id as a word. */
static bool is_called_identifier(const char *name)
{
    static const char *const word[] = {"id",      "key",        "uuid",       "guid",
                                       "rowid",   "row",        "row number", "index",
                                       "unnamed", "unnamed: 0", "identifier"};
    size_t n = strlen(name);
    for (size_t k = 0; k < sizeof word / sizeof *word; k++)
        if (strcasecmp(word[k], name) == 0)
            return true;
    if (strncmp(name, "unnamed_", 8) == 0)
        return true;
    if (n < 3 || strcasecmp(name + n - 2, "id") != 0)
        return false;
    char before = name[n - 3];
    return strchr("_-. #", before) || (name[n - 2] == 'I' && before >= 'a' && before <= 'z');
}

static bool all_differ(const ruling *r)
{
    return r->facts->full ? r->facts->seen == r->facts->values.count : r->values == r->known;
}

static bool mostly_differ(const ruling *r, double share)
{
    const scant_i_facts *f = r->facts;
    return f->full ? (double)f->values.count >= share * (double)f->seen
                   : (double)r->values >= share * (double)r->known;
}

/* The notation that all numbers of the column are in. False: there is none. */
static bool find_notation(scant_i_notation *out, double *sure, const ruling *r)
{
    const scant_i_facts *f = r->facts;
    char decimal = scant_i_facts_decimal(f);
    *out = (scant_i_notation){0};
    *sure = 1;
    if (!decimal && (f->decimal_comma || f->thousands_point))
        return false; /* both, for certain */
    if (!decimal && (f->either_comma || f->either_point)) {
        /* 1,234 in all cells: by the rest of the file, else by the separator of cells */
        decimal = r->decimal ? r->decimal : f->either_comma && r->separator == ';' ? ',' : '.';
        *sure = f->either_comma || r->decimal == ',' ? 0.6 : 1;
    }
    if (decimal == ',')
        *out = (scant_i_notation){',', f->thousands_point || f->either_point ? '.' : 0};
    else if (f->thousands_comma || f->either_comma)
        *out = (scant_i_notation){'.', ','};
    if (f->thousands_blank && out->thousands)
        return false;
    if (f->thousands_blank)
        *out = (scant_i_notation){decimal == ',' ? ',' : '.', ' '};
    if (!out->decimal && f->plain < f->numbers)
        out->decimal = '.'; /* percent or money: not plain */
    return true;
}

/* Two, or a few that are far apart, are codes. */
static bool guess_codes(const ruling *r, bool whole)
{
    const scant_i_facts *f = r->facts;
    double range = f->most[0] - f->least[0] + 1;
    if (r->values == 2 && f->least[0] == 0 && f->most[0] == 1)
        return say(r, SCANT_KIND_BINARY, 1, "only 0 and 1");
    if (r->values == 2)
        return say(r, SCANT_KIND_CATEGORY, 0.9, "two values");
    if (whole && r->values <= FEW && r->known >= 10 * r->values && range >= (double)r->values + 2 &&
        f->negative == 0)
        return say(r, SCANT_KIND_CATEGORY, 0.6, "%zu whole numbers with gaps between them: codes",
                   r->values);
    return false;
}

/* Of numbers among the cells. One word alone among many values says that there is none, however often it is there. */
static double least_share(const ruling *r)
{
    enum { MANY_VALUES = 6 };
    const scant_i_facts *f = r->facts;
    size_t words = 0;
    for (size_t w = 0; w < f->strange.count; w++) {
        const char *text = scant_i_names_text(&f->strange, w);
        words += !scant_i_cell_is_unknown(text, strlen(text), false);
    }
    return words == 1 && !f->stranger && r->values > MANY_VALUES ? 0.7 : MOST_OF;
}

static bool guess_number(const ruling *r)
{
    const scant_i_facts *f = r->facts;
    double sure = 1;
    size_t strange = r->known - f->numbers;
    if (f->numbers == 0 || (double)f->numbers < least_share(r) * (double)r->known ||
        (strange && f->stranger) || !find_notation(&r->out->type.notation, &sure, r))
        return false;
    size_t reading = r->out->type.notation.decimal == ',';
    bool whole = f->whole[reading] == f->numbers;
    if (f->leading_zero && whole)
        return all_differ(r)
                   ? say(r, SCANT_KIND_IDENTIFIER, 0.9, "codes with leading zeros, all different")
                   : say(r, SCANT_KIND_CATEGORY, 0.7, "codes with leading zeros");
    if (f->dates[SCANT_I_YMD] == f->numbers && f->compact == f->numbers)
        return say(r, SCANT_KIND_DATE, 0.8, "eight digits that are days: yyyymmdd");
    if (whole && f->stepped && f->numbers >= 5)
        return say(r, SCANT_KIND_IDENTIFIER, 0.9, "counts the rows");
    if (whole && is_called_identifier(r->name) && r->known > FEW && mostly_differ(r, 0.9))
        return say(r, SCANT_KIND_IDENTIFIER, 0.95,
                   "whole numbers, nearly all different, by its name");
    if (guess_codes(r, whole))
        return true;
    if (strange)
        sure = fmin(sure, 0.8);
    const char *how = r->out->type.notation.decimal == ',' ? ", decimal commas"
                      : f->percent                         ? ", percent"
                      : f->currency                        ? ", money"
                      : r->out->type.notation.thousands    ? ", separators between thousands"
                                                           : "";
    if (!whole)
        return say(r, SCANT_KIND_NUMBER, sure, "decimals%s", how);
    if (f->negative)
        return say(r, SCANT_KIND_NUMBER, sure, "whole numbers, some negative%s", how);
    return say(r, SCANT_KIND_COUNT, r->values <= FEW ? fmin(sure, 0.6) : sure,
               "whole numbers from %.15g to %.15g%s", f->least[reading], f->most[reading], how);
}

/* A cycle is worth two columns where the dates go round it, or on it. */
static void choose_cycles(bool cycle[SCANT_I_CYCLES], const scant_i_facts *f, scant_i_order order)
{
    static const double YEAR = 366;
    unsigned days = f->weekdays[order];
    cycle[0] = f->days && f->latest - f->earliest > YEAR;
    cycle[1] = f->days && (days & (days - 1)) != 0;
    cycle[2] = f->times > 0;
}

/* Where the order of day and month cannot be told, 1.2.2024 is a day first and 1/2/2024 a month. */
static bool guess_date(const ruling *r)
{
    const scant_i_facts *f = r->facts;
    double sure = 1;
    scant_i_order order = SCANT_I_YMD;
    if (f->dates[SCANT_I_DMY] > f->dates[order])
        order = SCANT_I_DMY;
    if (f->dates[SCANT_I_MDY] > f->dates[order])
        order = SCANT_I_MDY;
    if (f->dates[order] == 0 || (double)f->dates[order] < MOST_OF * (double)r->known ||
        (f->dates[order] < r->known && f->stranger && f->dates[order] + f->unknown < f->count))
        return false;
    if (order == SCANT_I_DMY && f->dates[SCANT_I_MDY] == f->dates[SCANT_I_DMY]) {
        bool slash = memchr(scant_i_names_text(&f->values, 0), '/',
                            strlen(scant_i_names_text(&f->values, 0)));
        order = slash ? SCANT_I_MDY : SCANT_I_DMY;
        sure = slash ? 0.6 : 0.8;
    }
    static const char *const words[] = {"year, month, day", "day, month, year", "month, day, year"};
    r->out->type.order = order;
    choose_cycles(r->out->type.cycle, f, order);
    return f->days == 0 ? say(r, SCANT_KIND_DATE, 1, "times of day")
                        : say(r, SCANT_KIND_DATE, sure, "dates (%s)%s", words[order],
                              f->times ? " with times" : "");
}

static void guess_words(const ruling *r)
{
    const scant_i_facts *f = r->facts;
    double words = (double)f->words / (double)r->known, bytes = (double)f->bytes / (double)f->count;
    bool long_cells = words >= 4 || (words >= 2 && bytes >= 40);
    if (r->values == 2)
        (void)say(r, SCANT_KIND_CATEGORY, 1, "two values");
    else if (long_cells && r->known >= 5 && mostly_differ(r, 0.5))
        (void)say(r, SCANT_KIND_TEXT, words >= 6 ? 0.95 : 0.8,
                  "%.1f words a cell, most of them different", words);
    else if (all_differ(r) && r->known >= 5)
        (void)say(r, SCANT_KIND_IDENTIFIER, 0.9, "every cell is different");
    else if (mostly_differ(r, 0.9) && is_called_identifier(r->name))
        (void)say(r, SCANT_KIND_IDENTIFIER, 0.9, "nearly every cell is different, by its name");
    else if (mostly_differ(r, 0.5) && r->known > 2 * FEW)
        (void)say(r, SCANT_KIND_IDENTIFIER, 0.7, "%zu names in %zu cells", r->values, r->known);
    else if (f->full)
        (void)say(r, SCANT_KIND_IDENTIFIER, 0.6, "more than %d names", SCANT_I_DISTINCT);
    else
        (void)say(r, SCANT_KIND_CATEGORY, r->values <= 50 ? 1 : 0.8, "%zu names", r->values);
}

/* Words for unknown count as missing where the others are numbers or dates, and n/a and the like
 * everywhere. */
static size_t unknown_values(const scant_i_facts *facts, bool certain)
{
    size_t count = 0;
    for (size_t v = 0; v < facts->strange.count; v++) {
        const char *text = scant_i_names_text(&facts->strange, v);
        count += scant_i_cell_is_unknown(text, strlen(text), certain);
    }
    return count;
}

void scant_i_facts_guess(scant_i_guess *out, const scant_i_facts *facts, const char *name,
                         char decimal, char separator)
{
    ruling r = {
        .facts = facts, .name = name, .out = out, .decimal = decimal, .separator = separator};
    *out = (scant_i_guess){.sure = 0};
    r.known = facts->count - facts->unknown;
    r.values = facts->values.count - scant_i_min(facts->values.count, unknown_values(facts, false));
    if (facts->infinite) {
        (void)say(&r, SCANT_KIND_NUMBER, 0.5, "some are infinite, which a fit refuses");
        return;
    }
    if (r.known > 0 && r.values > 1 && (guess_number(&r) || guess_date(&r)))
        return;
    if (facts->numbers == r.known && r.known > 0 && r.values == 1) {
        (void)say(&r, SCANT_KIND_CONSTANT, 1, "one value");
        return;
    }
    out->type = (scant_i_type){0};
    r.known = facts->count;
    r.values = facts->values.count;
    if (r.values == 0)
        (void)say(&r, SCANT_KIND_CONSTANT, 1, "no values");
    else if (r.values == 1)
        (void)say(&r, SCANT_KIND_CONSTANT, 1, "one value");
    else
        guess_words(&r);
}

/* --- types as options --- */

static bool read_kind(scant_kind *out, const char *text, size_t length)
{
    for (int k = 0; k < SCANT_KINDS; k++)
        if (strlen(kind_name[k]) == length && memcmp(kind_name[k], text, length) == 0) {
            *out = (scant_kind)k;
            return true;
        }
    if (length == 6 && memcmp(text, "binary", 6) == 0)
        *out = SCANT_KIND_BINARY;
    else
        return false;
    return true;
}

static const char cycle_letter[] = "ywd"; /* year, week, day */
static const char *const order_name[SCANT_I_ORDERS] = {"ymd", "dmy", "mdy"};

/* dmy:ywd: the order, and the cycles. */
static bool read_date(scant_i_type *out, const char *how)
{
    int order = 0;
    while (order < SCANT_I_ORDERS && strncmp(how, order_name[order], 3) != 0)
        order++;
    if (order == SCANT_I_ORDERS || (how[3] && how[3] != ':'))
        return false;
    out->order = (scant_i_order)order;
    for (const char *letter = how[3] ? how + 4 : how + 3; *letter; letter++) {
        const char *found = strchr(cycle_letter, *letter);
        if (!found)
            return false;
        out->cycle[found - cycle_letter] = true;
    }
    return true;
}

/* comma: decimal commas; comma-point: and points between thousands. Words, as lists of options are parted
 * by commas. */
static const char *const mark_name[] = {"point", "comma", "blank"};
static const char mark[] = {'.', ',', ' '};
enum { MARKS = 3 };

static bool read_notation(scant_i_notation *out, const char *how)
{
    size_t n = strcspn(how, "-");
    for (size_t k = 0; k < MARKS - 1; k++)
        if (strlen(mark_name[k]) == n && memcmp(mark_name[k], how, n) == 0)
            out->decimal = mark[k];
    for (size_t k = 0; how[n] && k < MARKS; k++)
        if (strcmp(how + n + 1, mark_name[k]) == 0)
            out->thousands = mark[k];
    return out->decimal && out->decimal != out->thousands && (!how[n] || out->thousands);
}

static void write_notation(char *how, size_t size, scant_i_notation notation)
{
    const char *decimal = mark_name[notation.decimal == ','];
    const char *thousands = notation.thousands == '.'   ? "-point"
                            : notation.thousands == ',' ? "-comma"
                            : notation.thousands        ? "-blank"
                                                        : "";
    (void)snprintf(how, size, ":%s%s", decimal, thousands);
}

static bool read_how(scant_i_type *out, const char *how)
{
    if (out->kind == SCANT_KIND_DATE)
        return read_date(out, how);
    if (out->kind == SCANT_KIND_TEXT) {
        if (strlen(how) != 3 || how[0] < '1' || how[0] > '9' || how[1] != '-' || how[2] < how[0] ||
            how[2] > '9')
            return false;
        out->shortest = (size_t)(how[0] - '0');
        out->longest = (size_t)(how[2] - '0');
        return true;
    }
    return out->kind <= SCANT_KIND_BINARY && read_notation(&out->notation, how);
}

scant_status scant_i_type_read(scant_i_type *out, size_t *length, const char *text)
{
    const char *equals = strrchr(text, '=');
    *out = (scant_i_type){0};
    *length = 0;
    if (!equals || equals == text)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--types: '%.80s' is not COL=KIND", text);
    const char *kind = equals + 1, *how = strchr(kind, ':');
    size_t n = how ? (size_t)(how - kind) : strlen(kind);
    *length = (size_t)(equals - text);
    if (!read_kind(&out->kind, kind, n))
        return scant_i_fail(
            SCANT_ERR_ARGUMENT,
            "--types: '%.80s': '%.*s' is none of number, count, 0/1, category, date, "
            "text, identifier, constant, ignore",
            text, (int)n, kind);
    if (how && !read_how(out, how + 1))
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--types: '%.80s': behind the colon stands how it is written: point, "
                            "comma, point-comma, "
                            "comma-point or comma-blank for numbers (decimals, thousands); ymd, "
                            "dmy or mdy for dates; "
                            "3-5 for texts with character n-grams of that length",
                            text);
    return SCANT_OK;
}

static void write_date(char *how, size_t size, const scant_i_type *type)
{
    bool any = type->cycle[0] || type->cycle[1] || type->cycle[2];
    if (!any && type->order == SCANT_I_YMD)
        return;
    size_t used = (size_t)snprintf(how, size, any ? ":%s:" : ":%s", order_name[type->order]);
    for (size_t c = 0; c < SCANT_I_CYCLES; c++)
        if (type->cycle[c])
            how[used++] = cycle_letter[c];
    how[used] = '\0';
}

char *scant_i_type_text(const char *name, const scant_i_type *type)
{
    char how[24] = "";
    if (type->kind <= SCANT_KIND_BINARY && type->notation.decimal)
        write_notation(how, sizeof how, type->notation);
    else if (type->kind == SCANT_KIND_DATE)
        write_date(how, sizeof how, type);
    else if (type->kind == SCANT_KIND_TEXT && type->longest)
        (void)snprintf(how, sizeof how, ":%zu-%zu", type->shortest % 10, type->longest % 10);
    return scant_i_format("%s=%s%s", name, kind_name[type->kind], how);
}
