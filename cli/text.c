/* Text of users' files on its way to a page or a picture: whole UTF-8, no control characters. */
#include "report/html.h"

/* Bytes of the character at `c` if it is whole, shortest UTF-8, else 0. */
static size_t whole(const unsigned char *c)
{
    size_t size = c[0] < 0x80                   ? 1
                  : c[0] >= 0xc2 && c[0] < 0xe0 ? 2
                  : c[0] >= 0xe0 && c[0] < 0xf0 ? 3
                  : c[0] >= 0xf0 && c[0] < 0xf5 ? 4
                                                : 0;
    for (size_t i = 1; i < size; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    bool surrogate = c[0] == 0xed && c[1] >= 0xa0, beyond = c[0] == 0xf4 && c[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : size;
}

/* C0, DEL and C1: they have no picture, and terminals and browsers may obey them. */
static bool is_control(const unsigned char *c)
{
    return c[0] < 0x20 || c[0] == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0);
}

const char *cli_next_character(char character[5], const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (!*c)
        return NULL;
    size_t size = whole(c);
    bool shown = size && !is_control(c);
    for (size_t i = 0; i < size; i++)
        character[i] = text[i];
    character[size] = '\0';
    if (!shown) {
        character[0] = size ? ' ' : '?';
        character[1] = '\0';
    }
    return text + (size ? size : 1);
}
