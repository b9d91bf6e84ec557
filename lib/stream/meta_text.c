/* SPDX-License-Identifier: MIT */
/* meta_text.c: META as text, and back. */
#include <stdlib.h>
#include <string.h>

#include "stream/meta_store.h"

static size_t escaped_length(const char *s)
{
    size_t n = 0;
    for (; *s; s++)
        n += *s == '\t' || *s == '\n' || *s == '\\' ? 2 : 1;
    return n;
}

static char *escape(char *p, const char *s)
{
    for (; *s; s++) {
        if (*s == '\t' || *s == '\n' || *s == '\\')
            *p++ = '\\';
        *p++ = *s == '\t' ? 't' : *s == '\n' ? 'n' : *s;
    }
    return p;
}

char *meta_text(const struct meta *m, size_t *len, struct err *e)
{
    size_t n = 0;
    for (size_t i = 0; i < m->n; i++)
        n += strlen(m->e[i].key) + escaped_length(m->e[i].value) + 2;
    if (n > META_MAX_BYTES) {
        err_set(e, ERR_BAD, "META would take %zu bytes, expected at most %d", n, META_MAX_BYTES);
        return NULL;
    }
    char *text = malloc(n + 1), *p = text;
    if (!text) {
        err_memory(e, "META");
        return NULL;
    }
    for (size_t i = 0; i < m->n; i++) {
        p = stpcpy(p, m->e[i].key);
        *p++ = '\t';
        p = escape(p, m->e[i].value);
        *p++ = '\n';
    }
    *p = '\0';
    *len = n;
    return text;
}

/* Undo the escapes of s[0..n) into out. Returns NULL, or what is wrong. */
static const char *unescape(const char *s, size_t n, char *out)
{
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '\0')
            return "a NUL byte";
        if (s[i] == '\t')
            return "a second TAB";
        if (s[i] == '\\') {
            if (++i == n || !strchr("tn\\", s[i]) || !s[i])
                return "an escape other than \\t \\n \\\\";
            *out++ = s[i] == 't' ? '\t' : s[i] == 'n' ? '\n' : '\\';
        } else {
            *out++ = s[i];
        }
    }
    *out = '\0';
    return NULL;
}

static const char *not_utf8(const char *s)
{
    for (const unsigned char *p = (const unsigned char *)s; *p;) {
        size_t n = meta_utf8_length(p);
        if (n == 0)
            return "a value that is not UTF-8";
        p += n;
    }
    return NULL;
}

/* One line (without its LF) into m, which is filled in order. Returns NULL, or what is wrong with
 * it. */
static const char *parse_line(struct meta *m, const char *line, size_t n, char *value)
{
    char key[META_KEY_MAX + 1];
    const char *tab = memchr(line, '\t', n);
    size_t klen = tab ? (size_t)(tab - line) : 0;
    if (!tab)
        return "no TAB after the key";
    if (!meta_key_ok(line, klen))
        return "a key that is not 1 to 64 of a-z 0-9 _ .";
    memcpy(key, line, klen);
    key[klen] = '\0';
    const char *bad = unescape(tab + 1, n - klen - 1, value);
    if (!bad)
        bad = not_utf8(value);
    if (bad)
        return bad;
    if (m->n > 0) {
        int c = strcmp(m->e[m->n - 1].key, key);
        if (c >= 0)
            return c == 0 ? "a key that is there twice" : "a key out of order";
    }
    return meta_set(m, key, value) ? "out of memory" : NULL;
}

struct meta *meta_parse(const char *text, size_t len, struct err *e)
{
    if (len > META_MAX_BYTES) {
        err_set(e, ERR_BAD, "META of %zu bytes, expected at most %d", len, META_MAX_BYTES);
        return NULL;
    }
    struct meta *m = meta_new();
    char *value = malloc(len + 1);
    const char *bad = m && value ? NULL : "out of memory";
    size_t line = 0;
    for (size_t at = 0; at < len && !bad;) {
        const char *lf = memchr(text + at, '\n', len - at);
        line++;
        if (!lf) {
            bad = "no LF at the end";
            break;
        }
        size_t n = (size_t)(lf - text) - at;
        bad = parse_line(m, text + at, n, value);
        at += n + 1;
    }
    free(value);
    if (!bad)
        return m;
    err_set(e, ERR_BAD, "META line %zu: expected key TAB value, sorted and unique, found %s", line,
            bad);
    meta_free(m);
    return NULL;
}
