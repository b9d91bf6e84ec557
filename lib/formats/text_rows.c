/* SPDX-License-Identifier: MIT */
#include "formats/text_rows.h"

#include <stdlib.h>

#include "base/portable.h"

enum { RAW_ROWS = 1 << 14, RUNS = 1 << 13 };

/* Consecutive rows in a block. */
struct run {
    uint32_t at, bytes, first, n; /* at, bytes: place in the block; first, n: rows in the result */
};

/* Result of parsing a block. */
struct result {
    size_t nruns;
    struct run run[RUNS];
    int64_t *ids; /* the ids follow pos */
    uint64_t *names8;
    char pos[] __attribute__((aligned(8)));
};

struct text_rows {
    struct bytes *b;
    text_rows_read *read;
    char *raw;                    /* [RAW_ROWS][3], f64 */
    struct text_rows_kind shared; /* kind of rows in shared blocks */
    bool alone, shares;
    const struct result *result; /* result whose first runs were passed */
    size_t next;
};

struct text_rows *text_rows_new(struct bytes *b, text_rows_read *read, bool alone)
{
    struct text_rows *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->b = b;
    r->read = read;
    r->alone = alone;
    bytes_whole(b, 1);
    return r;
}

void text_rows_free(struct text_rows *r)
{
    if (!r)
        return;
    bytes_unshare(r->b);
    free(r->raw);
    free(r);
}

void text_rows_reopen(struct text_rows *r)
{
    r->shares = false;
    r->result = NULL;
    bytes_whole(r->b, 1);
}

size_t text_rows_fast(const struct rows *r, bool f64, const char **stop)
{
    return f64 ? SIMD_PICK(rows_f64)(r, stop) : SIMD_PICK(rows_f32)(r, stop);
}

static size_t row_bytes(const struct text_rows_kind *k)
{
    return k->f64 ? 24 : 12;
}

/* Returns the end of the complete lines of [s, s + n) in front of the first control byte. */
static const char *text_end(const char *s, size_t n)
{
    const char *nl = portable_memrchr(s, '\n', SIMD_PICK(rows_control)(s, n));
    return nl ? nl + 1 : s;
}

static struct rows rows_of(const struct text_rows_kind *k, const char *s, const char *end, size_t n)
{
    return (struct rows){.text = s,
                         .end = end,
                         .nrows = n,
                         .layout = k->layout,
                         .columns = k->columns,
                         .min = k->min};
}

/* ---- parsing a block of rows in advance */

/* Returns the position after the line at s if the line is an integer, or else s. */
static const char *behind_count(const char *s, const char *end)
{
    const char *p = s, *nl;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    const char *digits = p;
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    if (p == digits || p == end || (unsigned char)*p > ' ' ||
        (nl = memchr(p, '\n', (size_t)(end - p))) == NULL)
        return s;
    while (p < nl && (unsigned char)*p <= ' ')
        p++;
    return p == nl ? nl + 1 : s;
}

/* Allocates the result for a block. */
static struct result *make_result(const struct text_rows_kind *k, size_t max)
{
    size_t bytes = (max * row_bytes(k) + 7) / 8 * 8;
    struct result *t = malloc(sizeof *t + bytes + max * 16);
    if (t) {
        t->ids = (int64_t *)(void *)(t->pos + bytes);
        t->names8 = (uint64_t *)t->ids + max;
    }
    return t;
}

static void read_block(void *ctx, void **result, const unsigned char *p, size_t n)
{
    const struct text_rows *r = ctx;
    const struct text_rows_kind *k = &r->shared;
    const struct rows_layout *l = &k->layout;
    int last = l->name > l->pos + 2 ? l->name : l->pos + 2;
    size_t columns = 1 + (size_t)(k->columns ? k->columns - 1 : l->id > last ? l->id : last);
    size_t max = BYTES_SHARED / (2 * columns) + 1, rows = 0;
    struct result *t = *result;
    if (!t && !(t = *result = make_result(k, max)))
        return;
    t->nruns = 0;
    const char *text = (const char *)p, *end = text_end(text, n), *s = text, *stop;
    while (t->nruns < RUNS && (s = memchr(s, '\n', (size_t)(end - s))) != NULL) {
        s++; /* parsing starts after a line that is not a row */
        struct rows some = rows_of(k, s, end, max - rows);
        some.pos = t->pos + rows * row_bytes(k);
        some.ids = l->id >= 0 ? t->ids + rows : NULL;
        some.names_found = k->names ? t->names8 + rows : NULL;
        size_t done = r->read(&some, k->f64, &stop);
        if (done)
            t->run[t->nruns++] = (struct run){.at = (uint32_t)(s - text),
                                              .bytes = (uint32_t)(stop - s),
                                              .first = (uint32_t)rows,
                                              .n = (uint32_t)done};
        rows += done;
        s = k->heads ? behind_count(stop, end) : stop;
    }
}

/* Returns the run that begins at the next byte, or NULL. */
static const struct run *find(struct text_rows *r, const struct result *t, ptrdiff_t at)
{
    if (t != r->result || r->next > t->nruns ||
        (r->next > 0 && (ptrdiff_t)t->run[r->next - 1].at >= at))
        r->next = 0;
    r->result = t;
    while (r->next < t->nruns && (ptrdiff_t)t->run[r->next].at < at)
        r->next++;
    return r->next < t->nruns && (ptrdiff_t)t->run[r->next].at == at ? &t->run[r->next] : NULL;
}

/* ---- returning rows */

/* Copies a run to its destination. */
static size_t hand_out(struct text_rows *r, const struct result *t, const struct run *run,
                       struct text_rows_to *to)
{
    const struct text_rows_kind *k = &r->shared;
    const char *pos = t->pos + run->first * row_bytes(k);
    if (k->layout.id >= 0)
        memcpy(to->ids, t->ids + run->first, run->n * sizeof *to->ids);
    size_t names = to->names_found ? run->n * sizeof *to->names_found : 0;
    if (names && (!to->changed || memcmp(to->names_found, t->names8 + run->first, names) != 0)) {
        memcpy(to->names_found, t->names8 + run->first, names);
        if (to->changed)
            *to->changed = true;
    }
    if (to->pos)
        memcpy(to->pos, pos, run->n * row_bytes(k));
    else
        to->pos = (void *)pos;
    bytes_take_lines(r->b, run->bytes, run->n);
    return run->n;
}

void text_rows_share(struct text_rows *r, const struct text_rows_kind *k)
{
    if (r->shares || r->alone)
        return;
    r->shares = true;
    r->shared = *k;
    bytes_share(r->b, read_block, r);
}

size_t text_rows(struct text_rows *r, const struct text_rows_kind *k, struct text_rows_to *to)
{
    ptrdiff_t at;
    size_t n = to->n;
    const char *s, *stop;
    text_rows_share(r, k);
    const struct result *t = bytes_result(r->b, &at);
    if (t && memcmp(&r->shared, k, sizeof *k) == 0) {
        const struct run *run = find(r, t, at);
        if (run && run->n <= n &&
            !(to->names8 &&
              memcmp(to->names8, t->names8 + run->first, run->n * sizeof *to->names8) != 0))
            return hand_out(r, t, run, to);
        n = 1; /* the line is between two runs */
    }
    if (!to->pos && !r->raw && !(r->raw = malloc((size_t)RAW_ROWS * 24)))
        return 0;
    if (!to->pos && n > RAW_ROWS)
        n = RAW_ROWS;
    to->pos = to->pos ? to->pos : r->raw;
    size_t bytes = bytes_lines(r->b, &s), done;
    struct rows rows = rows_of(k, s, s + bytes, n);
    rows.names8 = to->names8;
    rows.names = to->names;
    rows.names_found = to->names_found;
    rows.changed = to->changed;
    rows.pos = to->pos;
    rows.ids = k->layout.id >= 0 ? to->ids : NULL;
    do { /* up to a control byte */
        rows.end = s + bytes;
        done = r->read(&rows, k->f64, &stop);
        bytes = (size_t)(text_end(s, (size_t)(stop - s)) - s);
    } while (s + bytes != stop);
    bytes_take_lines(r->b, bytes, done);
    return done;
}

size_t text_rows_skip(struct text_rows *r, size_t n)
{
    const char *s, *stop;
    size_t bytes = bytes_lines(r->b, &s), left;
    do {
        left = n;
        stop = SIMD_PICK(rows_skip_lines)(s, s + bytes, &left);
        bytes = (size_t)(text_end(s, (size_t)(stop - s)) - s);
    } while (s + bytes != stop);
    bytes_take_lines(r->b, (size_t)(stop - s), n - left);
    return n - left;
}
