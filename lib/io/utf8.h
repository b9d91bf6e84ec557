/* SPDX-License-Identifier: MIT */
/* utf8.h: checks that text from outside is valid UTF-8, and finds characters that control a
 * terminal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Returns the length of the UTF-8 sequence at s (RFC 3629), or 0 if the bytes are not UTF-8. At
 * most n bytes up to a NUL are examined. */
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

/* Returns true if the n bytes form one word of UTF-8 text, with no blanks, no control characters
 * and no character in the string `but`. */
static inline bool utf8_is_word(const char *s, size_t n, const char *but)
{
    const unsigned char *p = (const unsigned char *)s;
    size_t k = 0;
    for (size_t len; k < n && p[k] > ' ' && p[k] != 127 && !strchr(but, p[k]); k += len)
        if ((len = utf8_length(p + k, n - k)) == 0)
            return false;
    return n > 0 && k == n;
}

/* Returns true if a terminal interprets the character of len bytes as a command, such as ESC, BEL
 * and the C1 control characters. The characters U+061C, U+200E, U+200F, U+2028 to U+202E and U+2066
 * to U+2069 also count as commands, because these characters change the order of the text or start
 * a new line (UAX #9). */
static inline bool utf8_obeyed(const unsigned char *s, size_t len)
{
    unsigned last = len == 3 ? s[2] : 0;
    return (len == 1 && (s[0] < 32 || s[0] == 127)) || (len == 2 && s[0] == 0xc2 && s[1] < 0xa0) ||
           (len == 2 && s[0] == 0xd8 && s[1] == 0x9c) ||
           (len == 3 && s[0] == 0xe2 && s[1] == 0x80 &&
            (last == 0x8e || last == 0x8f || (last >= 0xa8 && last <= 0xae))) ||
           (len == 3 && s[0] == 0xe2 && s[1] == 0x81 && last >= 0xa6 && last <= 0xa9);
}

/* Replaces bytes that are not UTF-8, and characters that a terminal would interpret as commands, by
 * '?'. Control characters in the string `but` are not replaced. */
static inline void utf8_tame(char *text, size_t n, const char *but)
{
    unsigned char *p = (unsigned char *)text;
    for (size_t k = 0, len; k < n; k += len) {
        unsigned char c = p[k];
        len = utf8_length(p + k, n - k);
        if (len == 0 || (utf8_obeyed(p + k, len) && (c == 0 || !strchr(but, c))))
            memset(p + k, '?', len = len ? len : 1);
    }
}
