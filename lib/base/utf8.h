/* SPDX-License-Identifier: MIT */
/* utf8.h: text of others: is it UTF-8, and would a terminal obey it? */
#ifndef MBF_UTF8_H
#define MBF_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Length of the sequence at s, of which at most n bytes are looked at, and none behind a NUL; 0: it
 * is none (RFC 3629). */
static inline size_t utf8_length(const unsigned char *s, size_t n)
{
    if (s[0] < 0x80)
        return 1;
    size_t len = s[0] >= 0xc2 && s[0] < 0xe0   ? 2
                 : (s[0] & 0xf0) == 0xe0       ? 3
                 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                               : 0;
    for (size_t k = 1; k < len; k++)
        if (k == n || (s[k] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return len;
}

/* Are these n bytes, one at least, UTF-8 that one column of a text can hold: no blanks or controls,
 * and none of `but`? */
static inline bool utf8_is_word(const char *s, size_t n, const char *but)
{
    const unsigned char *p = (const unsigned char *)s;
    size_t k = 0;
    for (size_t len; k < n && p[k] > ' ' && p[k] != 127 && !strchr(but, p[k]); k += len)
        if ((len = utf8_length(p + k, n - k)) == 0)
            return false;
    return n > 0 && k == n;
}

/* What a terminal would obey (ESC, BEL, C1 and the like, but for those in `but`), and what is no
 * UTF-8, becomes '?'. */
static inline void utf8_tame(char *text, size_t n, const char *but)
{
    unsigned char *p = (unsigned char *)text;
    for (size_t k = 0, len; k < n; k += len) {
        unsigned char c = p[k];
        len = utf8_length(p + k, n - k);
        bool obeyed = (c < 32 && (c == 0 || !strchr(but, c))) || c == 127 ||
                      (len == 2 && c == 0xc2 && p[k + 1] < 0xa0);
        if (len == 0 || obeyed)
            memset(p + k, '?', len = len ? len : 1);
    }
}

#endif
