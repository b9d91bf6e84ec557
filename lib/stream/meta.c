/* SPDX-License-Identifier: MIT */
/* meta.c: the key-value store, and its text. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/decimal.h"
#include "io/utf8.h"
#include "stream/meta.h"

#define META_KEY_MAX 64

struct meta_entry {
    char *key, *value;
};

struct meta {
    struct meta_entry *e; /* sorted by key */
    size_t n, cap;
};

struct meta *meta_new(void)
{
    return calloc(1, sizeof(struct meta));
}

void meta_free(struct meta *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->n; i++) {
        free(m->e[i].key);
        free(m->e[i].value);
    }
    free(m->e);
    free(m);
}

/* Returns the position of the key, or where it must be inserted. Sets *found if the key exists. */
static size_t find(const struct meta *m, const char *key, int *found)
{
    size_t lo = 0, hi = m->n;
    *found = 0;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int c = strcmp(m->e[mid].key, key);
        if (c == 0) {
            *found = 1;
            return mid;
        }
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static int key_ok(const char *key, size_t len)
{
    if (len < 1 || len > META_KEY_MAX)
        return 0;
    for (size_t i = 0; i < len; i++) {
        char c = key[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.'))
            return 0;
    }
    return 1;
}

/* Returns a copy in UTF-8, in which every invalid byte is '?', so that text from the user of a
 * program never makes a stream invalid. */
static char *clean_copy(const char *value)
{
    char *s = strdup(value);
    for (unsigned char *p = (unsigned char *)s; p && *p;) {
        size_t n = utf8_length(p, 4);
        if (n == 0)
            *p = '?';
        p += n ? n : 1;
    }
    return s;
}

static void remove_at(struct meta *m, size_t i)
{
    free(m->e[i].key);
    free(m->e[i].value);
    memmove(m->e + i, m->e + i + 1, (m->n - i - 1) * sizeof *m->e);
    m->n--;
}

int meta_set(struct meta *m, const char *key, const char *value)
{
    int found;
    if (!key_ok(key, strlen(key)))
        return -1;
    size_t i = find(m, key, &found);
    if (!value) {
        if (found)
            remove_at(m, i);
        return 0;
    }
    char *v = clean_copy(value);
    if (!v)
        return -1;
    if (found) {
        free(m->e[i].value);
        m->e[i].value = v;
        return 0;
    }
    if (m->n == m->cap) {
        size_t cap = m->cap ? 2 * m->cap : 32;
        struct meta_entry *e = realloc(m->e, cap * sizeof *e);
        if (!e) {
            free(v);
            return -1;
        }
        m->e = e;
        m->cap = cap;
    }
    char *k = strdup(key);
    if (!k) {
        free(v);
        return -1;
    }
    memmove(m->e + i + 1, m->e + i, (m->n - i) * sizeof *m->e);
    m->e[i] = (struct meta_entry){k, v};
    m->n++;
    return 0;
}

int meta_setf(struct meta *m, const char *key, const char *fmt, ...)
{
    va_list ap;
    char *s = NULL;
    va_start(ap, fmt);
    int n = vasprintf(&s, fmt, ap);
    va_end(ap);
    if (n < 0)
        return -1;
    int rc = meta_set(m, key, s);
    free(s);
    return rc;
}

int meta_set_f64(struct meta *m, const char *key, const double *v, size_t n)
{
    char *s = malloc(n * (DECIMAL_TEXT + 1) + 1), *p = s;
    if (!s)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (i)
            *p++ = ' ';
        p += decimal_put_f64(p, v[i], 0);
    }
    *p = '\0';
    int rc = meta_set(m, key, s);
    free(s);
    return rc;
}

uint64_t meta_sum(uint64_t sum, const void *bytes, size_t n)
{
    for (const unsigned char *b = bytes; n--; b++)
        sum = (sum ^ *b) * 1099511628211u;
    return sum;
}

const char *meta_get(const struct meta *m, const char *key)
{
    int found;
    size_t i = find(m, key, &found);
    return found ? m->e[i].value : NULL;
}

int meta_get_f64(const struct meta *m, const char *key, double *v, size_t n)
{
    const char *s = meta_get(m, key);
    if (!s)
        return 0;
    for (size_t i = 0; i < n; i++) {
        s += strspn(s, " ");
        size_t len = strcspn(s, " ");
        if (decimal_get_f64(s, len, DECIMAL_OURS, &v[i]) != 0)
            return -1;
        s += len;
    }
    s += strspn(s, " ");
    return *s ? -1 : 1;
}

int meta_get_u64(const struct meta *m, const char *key, unsigned long long *v)
{
    const char *s = meta_get(m, key);
    uint64_t x;
    if (!s)
        return 0;
    if (decimal_get_u64(s, strlen(s), UINT64_MAX, &x) != 0)
        return -1;
    *v = x;
    return 1;
}

int meta_at(const struct meta *m, size_t i, const char **key, const char **value)
{
    if (i >= m->n)
        return 0;
    *key = m->e[i].key;
    *value = m->e[i].value;
    return 1;
}

struct meta *meta_copy(const struct meta *m)
{
    struct meta *c = meta_new();
    for (size_t i = 0; c && i < m->n; i++)
        if (meta_set(c, m->e[i].key, m->e[i].value)) {
            meta_free(c);
            return NULL;
        }
    return c;
}

int meta_copy_keys(struct meta *m, const struct meta *from, const char *prefix)
{
    for (size_t i = 0; i < from->n; i++)
        if (strncmp(from->e[i].key, prefix, strlen(prefix)) == 0 &&
            meta_set(m, from->e[i].key, from->e[i].value))
            return -1;
    return 0;
}

/* ---- text */

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
        err_bad(e, "META needs %zu bytes, more than the limit of %d", n, META_MAX_BYTES);
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

/* Copies s[0..n) to `out` without its escapes. Returns NULL, or a phrase that states the error. */
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
        size_t n = utf8_length(p, 4);
        if (n == 0)
            return "a value that is not UTF-8";
        p += n;
    }
    return NULL;
}

static const char NO_MEMORY[] = "no memory";

/* Parses one line (without LF) and adds it to `m`, in order. Returns NULL, or a phrase that states
 * the error. */
static const char *parse_line(struct meta *m, const char *line, size_t n, char *value)
{
    char key[META_KEY_MAX + 1];
    const char *tab = memchr(line, '\t', n);
    size_t klen = tab ? (size_t)(tab - line) : 0;
    if (!tab)
        return "no TAB after the key";
    if (!key_ok(line, klen))
        return "a key that is not 1 to 64 characters from a-z 0-9 _ .";
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
            return c == 0 ? "a repeated key" : "a key out of order";
    }
    return meta_set(m, key, value) ? NO_MEMORY : NULL;
}

struct meta *meta_parse(const char *text, size_t len, struct err *e)
{
    if (len > META_MAX_BYTES) {
        err_bad(e, "META has %zu bytes, more than the limit of %d", len, META_MAX_BYTES);
        return NULL;
    }
    struct meta *m = meta_new();
    char *value = malloc(len + 1);
    const char *bad = m && value ? NULL : NO_MEMORY;
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
    if (bad == NO_MEMORY)
        err_memory(e, "META");
    else
        err_bad(e, "META line %zu: expected KEY TAB VALUE with sorted, unique keys, found %s", line,
                bad);
    meta_free(m);
    return NULL;
}
