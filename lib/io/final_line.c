/* SPDX-License-Identifier: MIT */
#include "io/final_line.h"

static bool between(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == '\r';
}

struct row {
    uint64_t look;        /* FNV-1a hash of the number of characters after the point of each word */
    size_t words, blanks; /* blanks: number before the last word */
    bool point;           /* the last word has a point */
};

static struct row look_at(const char *s, size_t n)
{
    struct row r = {.look = 0xcbf29ce484222325};
    for (size_t at = 0, before = 0;; before = at) {
        while (at < n && between(s[at]))
            at++;
        if (at == n)
            return r;
        size_t end = at, dot = n;
        for (; end < n && !between(s[end]); end++)
            dot = s[end] == '.' && dot == n ? end : dot;
        r.look = (r.look ^ (dot < n ? end - dot : 0)) * 0x100000001b3;
        r.blanks = at - before;
        r.point = dot < n;
        r.words++;
        at = end;
    }
}

void final_line_add(struct final_line *r, const char *s, size_t n)
{
    if (r->rows == FINAL_LINE_ENOUGH)
        return;
    struct row now = look_at(s, n);
    r->ragged |= r->rows > 0 && now.words != r->words;
    r->varies |= r->rows > 0 && now.look != r->look;
    r->uneven |= r->rows > 0 && n != r->width;
    r->justified |= r->rows > 0 && now.blanks != r->blanks;
    r->words = now.words;
    r->look = now.look;
    r->width = n;
    r->blanks = now.blanks;
    r->rows++;
}

bool final_line_whole(const struct final_line *r, const char *s, size_t n)
{
    struct row now = look_at(s, n);
    if (r->rows == 0 || r->ragged || now.words != r->words || now.words == 0)
        return false;
    return between(s[n - 1]) || (now.point && !r->varies && now.look == r->look) ||
           (r->justified && !r->uneven && n == r->width);
}

const char *final_line_torn(const struct input *in)
{
#define TORN                                                                                       \
    "the last line has no newline and may be incomplete (if it is complete, add a newline: "
    return in->gunzip       ? TORN "(gzip -dc FILE; echo) >NEW)"
           : in->zstd       ? TORN "(zstd -dc FILE; echo) >NEW)"
           : in->io.regular ? TORN "echo >>FILE)"
                            : TORN "put '(cat; echo) |' in front)";
#undef TORN
}
