/* SPDX-License-Identifier: MIT */
#include "base/inflate.h"

#include <stdlib.h>
#include <string.h>

enum {
    LIT_BITS = 11,
    DIST_BITS = 9,
    LIT_SYMBOLS = 288,
    DIST_SYMBOLS = 32,
    TABLE = 1 << 13, /* at least the largest two-level table */
    ROOM = 258 + 16, /* symbols that one match may write */
    FIRST_ROOM = 1 << 20
};

/* An entry: bits of the code, extra bits << 8, kind, value << 16. */
enum { LITERAL = 1 << 12, END = 1 << 13, SUB = 1 << 14, INVALID = 1 << 15 };

struct tables {
    uint32_t lit[TABLE], dist[TABLE];
};

struct bits {
    const unsigned char *p;
    size_t len, at; /* at: of the next byte to load */
    uint64_t buf;
    unsigned have;
};

/* At least 56 bits; behind the end there are zeros, or whatever. */
static inline void refill(struct bits *b)
{
    uint64_t v;
    if (b->at > b->len + 8)
        return; /* past(): who looks stops */
    memcpy(&v, b->p + b->at, sizeof v);
    b->buf |= v << b->have;
    b->at += (63 - b->have) >> 3;
    b->have |= 56;
}

static inline uint32_t take(struct bits *b, unsigned n)
{
    uint32_t v = (uint32_t)(b->buf & (((uint64_t)1 << n) - 1));
    b->buf >>= n;
    b->have -= n;
    return v;
}

static inline uint64_t place(const struct bits *b)
{
    return 8 * (uint64_t)b->at - b->have;
}

static inline bool past(const struct bits *b)
{
    return place(b) > 8 * (uint64_t)b->len;
}

static void seek(struct bits *b, uint64_t bit)
{
    b->at = (size_t)(bit >> 3);
    b->buf = 0;
    b->have = 0;
    refill(b);
    take(b, bit & 7);
}

/* ---- tables */

static const uint16_t length_base[29] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                         15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                         67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t length_extra[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                         2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const uint16_t dist_base[30] = {
    1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
    193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};

static uint32_t lit_entry(int s)
{
    if (s < 256)
        return LITERAL | (uint32_t)s << 16;
    if (s == 256)
        return END;
    return s < 286 ? (uint32_t)length_extra[s - 257] << 8 | (uint32_t)length_base[s - 257] << 16
                   : (uint32_t)INVALID;
}

static uint32_t dist_entry(int s)
{
    return s < 30 ? (s < 2 ? 0u : (uint32_t)(s / 2 - 1) << 8) | (uint32_t)dist_base[s] << 16
                  : (uint32_t)INVALID;
}

static uint32_t plain_entry(int s)
{
    return (uint32_t)s << 16;
}

static uint32_t reversed(uint32_t code, int n)
{
    uint32_t r = 0;
    for (; n > 0; n--, code >>= 1)
        r = r << 1 | (code & 1);
    return r;
}

/* Codes of these lengths (0: none) into a table looked up with `root` bits, longer ones in tables
 * behind it. Is it complete (or, sparse, of one code or none)? */
static bool build(uint32_t *table, int root, const uint8_t *len, int n, uint32_t (*entry)(int),
                  bool sparse)
{
    uint32_t count[16] = {0}, next[16] = {0}, used = 0, top = 1u << root, sub = 0, sub_at = 0;
    for (int s = 0; s < n; s++)
        count[len[s]]++;
    for (int l = 1; l < 16; l++) {
        next[l] = used;
        used = (used + count[l]) << 1;
        if (used > 2u << l)
            return false;
    }
    bool complete = used == 1u << 16;
    if (!complete && (!sparse || (uint32_t)n - count[0] != count[1] || count[1] > 1))
        return false;
    for (uint32_t k = 0; k < 1u << root; k++)
        table[k] = INVALID;
    uint32_t more = 1u << (15 - root);
    for (int l = 1; l < 16; l++)
        for (int s = 0; s < n; s++) {
            if (len[s] != l)
                continue;
            uint32_t code = reversed(next[l]++, l), e = entry(s) | (uint32_t)l;
            if (l <= root) {
                for (uint32_t k = code; k < 1u << root; k += 1u << l)
                    table[k] = e;
                continue;
            }
            uint32_t low = code & ((1u << root) - 1);
            if (!sub ||
                sub_at != low) { /* codes that share their first bits come one after the other */
                if (top + more > TABLE)
                    return false;
                table[low] = SUB | (uint32_t)root | top << 16;
                sub_at = low;
                sub = top;
                top += more;
                for (uint32_t k = 0; k < more; k++)
                    table[sub + k] = INVALID;
            }
            for (uint32_t k = code >> root; k < more; k += 1u << (l - root))
                table[sub + k] = e;
        }
    return true;
}

/* The tables of a block, behind its first three bits. */
static bool read_tables(struct bits *b, struct tables *t)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint8_t len[LIT_SYMBOLS + DIST_SYMBOLS + 138] = {0}, first[19] = {0};
    refill(b);
    int nlit = 257 + (int)take(b, 5), ndist = 1 + (int)take(b, 5), ncode = 4 + (int)take(b, 4);
    if (nlit > 286 || ndist > 30)
        return false;
    for (int k = 0; k < ncode; k++) {
        refill(b);
        first[order[k]] = (uint8_t)take(b, 3);
    }
    if (!build(t->dist, 7, first, 19, plain_entry, false))
        return false;
    for (int n = 0; n < nlit + ndist;) {
        refill(b);
        uint32_t e = t->dist[b->buf & 127];
        if (e & INVALID || past(b))
            return false;
        take(b, e & 255);
        int s = (int)(e >> 16);
        if (s < 16) {
            len[n++] = (uint8_t)s;
            continue;
        }
        int repeat = s == 16   ? 3 + (int)take(b, 2)
                     : s == 17 ? 3 + (int)take(b, 3)
                               : 11 + (int)take(b, 7);
        if ((s == 16 && n == 0) || n + repeat > nlit + ndist)
            return false;
        memset(len + n, s == 16 ? len[n - 1] : 0, (size_t)repeat);
        n += repeat;
    }
    return len[256] && build(t->lit, LIT_BITS, len, nlit, lit_entry, true) &&
           build(t->dist, DIST_BITS, len + nlit, ndist, dist_entry, true);
}

static void fixed_tables(struct tables *t)
{
    uint8_t len[LIT_SYMBOLS];
    memset(len, 8, 144);
    memset(len + 144, 9, 112);
    memset(len + 256, 7, 24);
    memset(len + 280, 8, 8);
    (void)build(t->lit, LIT_BITS, len, LIT_SYMBOLS, lit_entry, false);
    memset(len, 5, DIST_SYMBOLS);
    (void)build(t->dist, DIST_BITS, len, DIST_SYMBOLS, dist_entry, false);
}

/* ---- blocks */

struct work {
    struct inflate_part *part;
    struct bits b;
    size_t floor; /* matches reach back to this symbol (of the window and out) at most */
    size_t most;
    struct tables t;
};

/* Room for `more` symbols. */
static enum inflate_status room(struct work *w, size_t more)
{
    struct inflate_part *part = w->part;
    if (part->n + more <= part->cap)
        return INFLATE_OK;
    if (part->n + more > w->most + ROOM)
        return INFLATE_LARGE;
    size_t cap = part->cap ? 2 * part->cap : FIRST_ROOM;
    while (cap < part->n + more)
        cap *= 2;
    uint16_t *out = realloc(part->out, (INFLATE_WINDOW + cap) * sizeof *out);
    if (!out)
        return INFLATE_MEMORY;
    part->out = out;
    part->cap = cap;
    return INFLATE_OK;
}

/* len symbols from dist back, to to[0..len) and up to 8 more. */
static inline void copy(uint16_t *to, size_t dist, size_t len)
{
    const uint16_t *from = to - dist;
    if (dist >= 8) {
        for (size_t k = 0; k < len; k += 8)
            memcpy(to + k, from + k, 16);
        return;
    }
    for (size_t k = 0; k < len; k++)
        to[k] = from[k];
}

/* Symbols up to the end of the block. */
static enum inflate_status symbols(struct work *w)
{
    struct inflate_part *part = w->part;
    struct bits b = w->b;
    const uint32_t *lit = w->t.lit, *dist = w->t.dist;
    enum inflate_status rc;
    for (;;) {
        if ((rc = room(w, ROOM)) != INFLATE_OK)
            return rc;
        uint16_t *out = part->out + INFLATE_WINDOW, *to = out + part->n,
                 *end = out + part->cap - ROOM;
        uint32_t e = 0;
        while (to <= end && b.at <= b.len + 8) {
            refill(&b);
            e = lit[b.buf & ((1 << LIT_BITS) - 1)];
            for (int k = 0; k < 2 && e & LITERAL; k++) { /* 11 bits each at most */
                take(&b, e & 255);
                *to++ = (uint16_t)(e >> 16);
                e = lit[b.buf & ((1 << LIT_BITS) - 1)];
            }
            if (e & SUB)
                e = lit[(e >> 16) + (b.buf >> LIT_BITS & ((1 << (15 - LIT_BITS)) - 1))];
            take(&b, e & 255);
            if (e & LITERAL) {
                *to++ = (uint16_t)(e >> 16);
                continue;
            }
            if (e & (END | INVALID))
                break;
            size_t len = (e >> 16) + take(&b, e >> 8 & 15);
            refill(&b);
            uint32_t d = dist[b.buf & ((1 << DIST_BITS) - 1)];
            if (d & SUB)
                d = dist[(d >> 16) + (b.buf >> DIST_BITS & ((1 << (15 - DIST_BITS)) - 1))];
            take(&b, d & 255);
            size_t back = (d >> 16) + take(&b, d >> 8 & 15);
            if (d & INVALID || back > (size_t)(to - part->out) - w->floor) {
                e = INVALID;
                break;
            }
            copy(to, back, len);
            to += len;
        }
        part->n = (size_t)(to - out);
        w->b = b;
        if (to <= end || past(&b))
            return e & END && !past(&b) ? INFLATE_OK : INFLATE_BAD;
    }
}

static enum inflate_status stored(struct work *w)
{
    struct bits *b = &w->b;
    uint64_t at = (place(b) + 7) / 8;
    if (at + 4 > b->len)
        return INFLATE_BAD;
    const unsigned char *p = b->p + at;
    size_t n = p[0] | (size_t)p[1] << 8, check = p[2] | (size_t)p[3] << 8;
    if ((n ^ check) != 0xffff || n > b->len - at - 4)
        return INFLATE_BAD;
    enum inflate_status rc = room(w, n + ROOM);
    if (rc != INFLATE_OK)
        return rc;
    uint16_t *to = w->part->out + INFLATE_WINDOW + w->part->n;
    for (size_t k = 0; k < n; k++)
        to[k] = p[4 + k];
    w->part->n += n;
    seek(b, 8 * (at + 4 + n));
    return INFLATE_OK;
}

/* One block; *final: it is the last one of its member. */
static enum inflate_status block(struct work *w, bool *final)
{
    refill(&w->b);
    *final = take(&w->b, 1);
    uint32_t kind = take(&w->b, 2);
    if (kind == 3 || past(&w->b))
        return INFLATE_BAD;
    if (kind == 0)
        return stored(w);
    if (kind == 1)
        fixed_tables(&w->t);
    else if (!read_tables(&w->b, &w->t))
        return INFLATE_BAD;
    return symbols(w);
}

/* ---- members */

/* Behind the header of a member at byte `at`: its first block's byte; 0: there is none. */
static size_t behind_header(const unsigned char *p, size_t len, size_t at)
{
    if (len - at < 18 || p[at] != 0x1f || p[at + 1] != 0x8b || p[at + 2] != 8 || p[at + 3] & 0xe0)
        return 0;
    unsigned flags = p[at + 3];
    size_t k = at + 10;
    if (flags & 4)
        k += 2 + (p[k] | (size_t)p[k + 1] << 8);
    for (unsigned f = 8; f <= 16; f *= 2) { /* name, comment */
        const unsigned char *nul = !(flags & f) ? NULL : k < len ? memchr(p + k, 0, len - k) : NULL;
        if (flags & f && !nul)
            return 0;
        k = nul ? (size_t)(nul - p) + 1 : k;
    }
    k += flags & 2 ? 2 : 0;
    return k < len ? k : 0;
}

/* The trailer, and the header of the next member. */
static enum inflate_status next_member(struct work *w, bool last)
{
    struct inflate_part *part = w->part;
    const unsigned char *p = w->b.p;
    size_t at = (size_t)((place(&w->b) + 7) / 8), len = w->b.len;
    if (len < 8 || at > len - 8)
        return INFLATE_BAD;
    if (part->nmembers == part->cap_members) {
        size_t cap = part->cap_members ? 2 * part->cap_members : 16;
        struct inflate_member *m = realloc(part->members, cap * sizeof *m);
        if (!m)
            return INFLATE_MEMORY;
        part->members = m;
        part->cap_members = cap;
    }
    struct inflate_member *m = &part->members[part->nmembers++];
    m->at = part->n;
    memcpy(&m->crc, p + at, 4);
    memcpy(&m->size, p + at + 4, 4);
    w->floor = INFLATE_WINDOW + part->n;
    at += 8;
    seek(&w->b, 8 * (uint64_t)at);
    size_t zeros = at;
    while (zeros < len && p[zeros] == 0)
        zeros++;
    if (zeros == len)
        return last ? INFLATE_END : INFLATE_BAD;
    size_t k = behind_header(p, len, at);
    if (k)
        seek(&w->b, 8 * (uint64_t)k);
    return k ? INFLATE_OK : INFLATE_BAD;
}

enum inflate_status inflate_part(struct inflate_part *part, const unsigned char *p, size_t len,
                                 bool last, uint64_t start, bool header, uint64_t stop,
                                 const unsigned char *window, size_t have, size_t most)
{
    struct work *w = malloc(sizeof *w);
    enum inflate_status rc;
    if (!w)
        return INFLATE_MEMORY;
    *w = (struct work){.part = part, .b = {.p = p, .len = len}, .most = most};
    part->n = part->nmembers = 0;
    part->start = start;
    rc = room(w, ROOM);
    for (size_t k = 0; rc == INFLATE_OK && k < INFLATE_WINDOW; k++)
        part->out[k] = window ? 0 : (uint16_t)(256 + k);
    for (size_t k = 0; rc == INFLATE_OK && window && k < have; k++)
        part->out[INFLATE_WINDOW - have + k] = window[k];
    w->floor = header ? INFLATE_WINDOW : window ? INFLATE_WINDOW - have : 0;
    if (header) {
        size_t k = behind_header(p, len, (size_t)(start / 8));
        start = 8 * (uint64_t)k;
        rc = k ? rc : INFLATE_BAD;
    }
    seek(&w->b, start);
    while (rc == INFLATE_OK) {
        bool final;
        rc = block(w, &final);
        if (rc == INFLATE_OK && final)
            rc = next_member(w, last);
        if (rc == INFLATE_OK && place(&w->b) >= stop)
            break;
    }
    part->end = place(&w->b);
    free(w);
    return rc;
}

void inflate_free(struct inflate_part *part)
{
    free(part->out);
    free(part->members);
    *part = (struct inflate_part){.out = NULL};
}

/* ---- finding */

/* Of four lengths of three bits: what their codes take of 128. */
static void shares(uint16_t share[4096])
{
    for (unsigned k = 0; k < 4096; k++) {
        share[k] = 0;
        for (unsigned v = k; v; v >>= 3)
            share[k] += v & 7 ? 128u >> (v & 7) : 0;
    }
}

/* Are n lengths from `bit` on those of a complete code? */
static bool code_fits(const uint16_t share[4096], const unsigned char *p, uint64_t bit, unsigned n)
{
    uint64_t v;
    memcpy(&v, p + (bit >> 3), 8); /* 57 bits are 19 lengths */
    v = v >> (bit & 7) & (((uint64_t)1 << 3 * n) - 1);
    return share[v & 4095] + share[v >> 12 & 4095] + share[v >> 24 & 4095] + share[v >> 36 & 4095] +
               share[v >> 48] ==
           128;
}

uint64_t inflate_find(const unsigned char *p, size_t len, uint64_t from, uint64_t to, bool *header)
{
    struct tables *t = malloc(sizeof *t);
    uint16_t share[4096];
    shares(share);
    *header = false;
    for (uint64_t bit = from; t && bit < to && (bit >> 3) + 16 < len; bit++) {
        uint64_t v;
        memcpy(&v, p + (bit >> 3), 8);
        if ((bit & 7) == 0 && (v & 0xe0ffffff) == 0x00088b1f && behind_header(p, len, bit >> 3)) {
            *header = true;
            to = bit;
            break;
        }
        v >>= bit & 7;
        if ((v & 7) != 4 || (v >> 3 & 31) > 29 || (v >> 8 & 31) > 29 ||
            !code_fits(share, p, bit + 17, 4 + (unsigned)(v >> 13 & 15)))
            continue;
        struct bits b = {.p = p, .len = len};
        seek(&b, bit + 3);
        if (read_tables(&b, t)) {
            to = bit;
            break;
        }
    }
    free(t);
    return to;
}
