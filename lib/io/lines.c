/* SPDX-License-Identifier: MIT */
#include "io/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io/final_line.h"
#include "io/magic.h"
#include "io/rows.h"

enum { LINES_FIRST = 1 << 16, LINES_MAX = 1 << 26 };

int lines_open(struct lines *l, const char *path, const char *name, input_foreign *foreign,
               struct err *e)
{
    *l = (struct lines){.name = name};
    if (input_open(&l->in, path, foreign) == 0)
        return 0;
    *e = l->in.err;
    if (l->in.io.error == ENOENT)
        err_bad(e, "%s", strerror(ENOENT));
    return err_file(e, name);
}

void lines_close(struct lines *l)
{
    input_close(&l->in);
    free(l->buf);
    l->buf = NULL;
}

/* Checks that s[0..n), a line or its beginning, is text. Returns 0 or -1. */
static int check(const struct lines *l, const char *s, size_t n, struct err *e)
{
    size_t bad = SIMD_PICK(rows_control)(s, n);
    const char *cr = memchr(s, '\r', n);
    if (bad < n)
        return err_in(e, ERR_BAD, l->name, l->at, "column %zu: expected text, found byte 0x%02x",
                      bad + 1, (unsigned char)s[bad]);
    return cr ? err_in(e, ERR_BAD, l->name, l->at,
                       "expected lines that end in newlines, found a carriage return in the line "
                       "(" MAGIC_CR ")")
              : 0;
}

/* Reads more bytes, if any are left. Returns 0 or -1. */
static int fill(struct lines *l, struct err *e)
{
    if (l->have > l->from)
        memmove(l->buf, l->buf + l->from, l->have - l->from);
    l->have -= l->from;
    l->from = 0;
    if (l->have + 2 > l->capacity) {
        size_t capacity = l->capacity ? 2 * l->capacity : LINES_FIRST;
        char *buf = capacity > LINES_MAX ? NULL : realloc(l->buf, capacity);
        if (capacity > LINES_MAX)
            return err_in(e, ERR_BAD, l->name, l->at,
                          "expected a line of at most %d bytes, found more", LINES_MAX);
        if (!buf)
            return err_memory(e, "a line");
        l->buf = buf;
        l->capacity = capacity;
    }
    ssize_t got = input_read(&l->in, l->buf + l->have, l->capacity - l->have - 1, -1.0);
    if (got == FDIO_ERROR)
        return *e = l->in.err, err_file(e, l->name);
    l->ended = got == FDIO_END;
    l->have += got > 0 ? (size_t)got : 0;
    return 0;
}

int lines_next(struct lines *l, struct err *e)
{
    char *nl = NULL;
    l->at++;
    while (!l->buf || !(nl = memchr(l->buf + l->from, '\n', l->have - l->from))) {
        size_t part = l->have - l->from;
        if (l->ended || (l->buf && SIMD_PICK(rows_control)(l->buf + l->from, part) < part))
            break;
        if (fill(l, e) != 0)
            return -1;
    }
    l->line = l->buf + l->from;
    l->len = (size_t)((nl ? nl : l->buf + l->have) - l->line);
    if (!nl && l->len == 0)
        return l->at--, 0;
    l->from += l->len + (nl != NULL);
    l->line[l->len] = '\0';
    if (nl && l->len && nl[-1] == '\r')
        l->line[--l->len] = '\0';
    if (l->at == 1 && strncmp(l->line, "\xef\xbb\xbf", 3) == 0)
        l->line += 3, l->len -= 3; /* a byte-order mark */
    if (check(l, l->line, l->len, e) != 0)
        return -1;
    if (nl || (l->whole && strcmp(l->line, l->whole) == 0))
        return 1;
    return err_in(e, ERR_BAD, l->name, l->at, "%s", final_line_torn(&l->in));
}
