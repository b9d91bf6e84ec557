/* SPDX-License-Identifier: MIT */
#include "stream/scalars.h"

#include <stdbool.h>
#include <string.h>

/* Copies the len bytes of a name or unit. Returns false if they are not a valid name or unit. */
static bool take(char to[SCALARS_NAME], const char *s, size_t len)
{
    bool good = len > 0 && len < SCALARS_NAME;
    for (size_t k = 0; good && k < len; k++)
        good = s[k] > ' ' && s[k] <= '~' && !strchr(",:=\"", s[k]);
    if (good)
        memcpy(to, s, len);
    to[good ? len : 0] = '\0';
    return good;
}

/* Reads a scalar such as "NAME:UNIT". */
static bool read_word(struct scalar *s, const char *word, size_t len)
{
    const char *colon = memchr(word, ':', len);
    size_t name = colon ? (size_t)(colon - word) : len;
    return colon && take(s->name, word, name) && take(s->unit, colon + 1, len - name - 1);
}

int scalars_read(const struct meta *m, struct scalar *s, struct err *e)
{
    struct scalar own[SCALARS_MAX];
    const char *p = meta_get(m, "data.scalars");
    int n = 0;
    s = s ? s : own;
    while (p && *(p += strspn(p, " "))) {
        size_t len = strcspn(p, " ");
        int same = 0;
        bool good = n < SCALARS_MAX && read_word(&s[n], p, len);
        while (good && same < n && strcmp(s[same].name, s[n].name) != 0)
            same++;
        if (!good || same < n)
            return err_bad(
                e,
                "data.scalars: expected at most %d entries NAME:UNIT, each with a different NAME, "
                "found '%.*s'",
                SCALARS_MAX, (int)(len < 80 ? len : 80), p);
        p += len;
        n++;
    }
    return n;
}

int scalars_add(struct meta *m, const char *name, const char *unit, struct err *e)
{
    const char *old = meta_get(m, "data.scalars");
    if (meta_setf(m, "data.scalars", "%s%s%s:%s", old ? old : "", old ? " " : "", name, unit) != 0)
        return err_memory(e, "META");
    return scalars_read(m, NULL, e) < 0 ? -1 : 0;
}
