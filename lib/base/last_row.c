/* SPDX-License-Identifier: MIT */
#include "base/last_row.h"

#include <string.h>

static bool between(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == '\r';
}

/* Words of s[0..n), and FNV-1a of the characters that each has behind its point; *point: has the
 * last one a point? */
static size_t look_at(const char *s, size_t n, uint64_t *look, bool *point)
{
    size_t words = 0, at = 0;
    *look = 0xcbf29ce484222325;
    *point = false;
    for (;;) {
        while (at < n && between(s[at]))
            at++;
        if (at == n)
            return words;
        size_t end = at, dot = n;
        for (; end < n && !between(s[end]); end++)
            dot = s[end] == '.' && dot == n ? end : dot;
        *point = dot < n;
        *look = (*look ^ (*point ? end - dot : 0)) * 0x100000001b3;
        words++;
        at = end;
    }
}

void last_row_add(struct last_row *r, const char *s, size_t n)
{
    uint64_t look;
    bool point;
    if (r->rows == LAST_ROW_ENOUGH)
        return;
    size_t words = look_at(s, n, &look, &point);
    r->ragged |= r->rows > 0 && words != r->words;
    r->varies |= r->rows > 0 && look != r->look;
    r->words = words;
    r->look = look;
    r->rows++;
}

bool last_row_whole(const struct last_row *r, const char *s, size_t n)
{
    uint64_t look;
    bool point;
    size_t words = look_at(s, n, &look, &point);
    if (r->rows == 0 || r->ragged || words != r->words || words == 0)
        return false;
    return between(s[n - 1]) || (point && !r->varies && look == r->look);
}
