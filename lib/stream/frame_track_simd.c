/* SPDX-License-Identifier: MIT */
/* frame_track_simd.c: the loops of frame_track.h. Columns are taken in tiles, so that the steps
 * that a prediction needs stay in the first cache. */
#include <string.h>

#include "stream/frame_track.h"

enum { TILE = 256 };

/* Adding it leaves the nearest whole number (ties to even) in the low bits of a double. */
#define MAGIC 0x1.8p52

struct tile {
    float edge[TILE], half[TILE]; /* of the column's component; no half: infinite */
    float last[TILE], next[TILE], way[TRACK_ORDER][TILE];
    uint32_t v[TILE];
    int32_t index[TILE];
    double scale[TILE], ahead[TILE]; /* of the level of each */
};

static uint32_t bits_of(float x)
{
    uint32_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

static float float_of(uint32_t b)
{
    float x;
    memcpy(&x, &b, sizeof x);
    return x;
}

static uint32_t low_bits(double x)
{
    uint64_t b;
    memcpy(&b, &x, sizeof b);
    return (uint32_t)b;
}

/* The place of a float among all, and back. */
static uint32_t order_of(uint32_t b)
{
    return b ^ ((uint32_t)((int32_t)b >> 31) & 0x7fffffff);
}

static uint32_t zigzag(uint32_t r)
{
    return r << 1 ^ (uint32_t)((int32_t)r >> 31);
}

static uint32_t unzigzag(uint32_t u)
{
    return u >> 1 ^ -(u & 1);
}

/* ---- the grid */

/* Index of x[0..w). */
static void indices(const struct track *t, const float *x, struct tile *s, size_t w)
{
    for (size_t i = 0; i < w; i++) {
        s->scale[i] = t->inv[0];
        s->ahead[i] = 0;
    }
    for (unsigned l = 1; l < t->levels; l++) {
        double from = t->from[l], inv = t->inv[l], ahead = t->ahead[l];
        for (size_t i = 0; i < w; i++) {
            double a = (double)__builtin_fabsf(x[i]);
            s->scale[i] = a >= from ? inv : s->scale[i];
            s->ahead[i] = a >= from ? ahead : s->ahead[i];
        }
    }
    for (size_t i = 0; i < w; i++) {
        double a = (double)__builtin_fabsf(x[i]);
        uint32_t m = low_bits(a * s->scale[i] + MAGIC + s->ahead[i]),
                 sign = (uint32_t)((int32_t)bits_of(x[i]) >> 31);
        s->index[i] = (int32_t)((m ^ sign) - sign);
    }
}

/* What stands at s->index[0..w), to x. */
static void values(const struct track *t, struct tile *s, float *x, size_t w)
{
    for (size_t i = 0; i < w; i++) {
        s->scale[i] = t->unit[0];
        s->ahead[i] = 0;
    }
    for (unsigned l = 1; l < t->levels; l++) {
        double first = t->first[l], unit = t->unit[l], ahead = t->ahead[l];
        for (size_t i = 0; i < w; i++) {
            double m = __builtin_fabs((double)s->index[i]);
            s->scale[i] = m >= first ? unit : s->scale[i];
            s->ahead[i] = m >= first ? ahead : s->ahead[i];
        }
    }
    for (size_t i = 0; i < w; i++) {
        double m = __builtin_fabs((double)s->index[i]);
        float a = (float)((m - s->ahead[i]) * s->scale[i]);
        x[i] = float_of(bits_of(a) | ((uint32_t)s->index[i] & 0x80000000));
    }
}

void SIMD_NAME(track_on_grid)(const struct track *t, const float *x, float *y, size_t n)
{
    struct tile s;
    for (size_t k = 0; k < n; k += TILE) {
        size_t w = n - k < TILE ? n - k : TILE;
        indices(t, x + k, &s, w);
        values(t, &s, y + k, w);
    }
}

/* ---- prediction */

/* Numbers in a row of the tile at column c, of a part of n: w of them, or what is left. */
static size_t width(size_t n, size_t row, size_t r, size_t c, size_t w)
{
    size_t at = r * row + c;
    return at >= n ? 0 : n - at < w ? n - at : w;
}

static void begin(const struct track *t, struct tile *s, size_t column)
{
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < TILE; i++) {
        s->edge[i] = t->edge[(t->phase + column + i) % 3];
        s->half[i] = s->edge[i] > 0 ? 0.5f * s->edge[i] : __builtin_inff();
    }
}

/* s->next, from the step before, where each atom was, and the ways of q steps before, newest at
 * way[newest]. The sum is taken from the newest on, and rounded at every step. */
static void predict(const struct track *t, struct tile *s, size_t r, unsigned newest, size_t w)
{
    unsigned q = r < 2 ? 0 : r - 1 < t->order ? (unsigned)r - 1 : t->order;
    const float *c = t->coef[q ? q - 1 : 0], *d[TRACK_ORDER];
    float *x = s->next;
    const float *y = s->last;
    for (unsigned k = 0; k < TRACK_ORDER; k++)
        d[k] = s->way[(newest + k) % TRACK_ORDER];
    const float *a = d[0], *b = d[1], *e = d[2], *f = d[3], *g = d[4], *h = d[5];
#define EACH(sum)                                                                                  \
    for (size_t i = 0; i < w; i++)                                                                 \
        x[i] = sum;                                                                                \
    break
    switch (q) {
    case 0: EACH(y[i]);
    case 1: EACH(y[i] + c[0] * a[i]);
    case 2: EACH(y[i] + (c[0] * a[i] + c[1] * b[i]));
    case 3: EACH(y[i] + (c[0] * a[i] + c[1] * b[i] + c[2] * e[i]));
    case 4: EACH(y[i] + (c[0] * a[i] + c[1] * b[i] + c[2] * e[i] + c[3] * f[i]));
    case 5: EACH(y[i] + (c[0] * a[i] + c[1] * b[i] + c[2] * e[i] + c[3] * f[i] + c[4] * g[i]));
    default:
        EACH(y[i] +
             (c[0] * a[i] + c[1] * b[i] + c[2] * e[i] + c[3] * f[i] + c[4] * g[i] + c[5] * h[i]));
    }
#undef EACH
}

/* s->next is where the atoms are now: the way from the step before, through the nearest face of the
 * cell, becomes the newest. */
static void moved(struct tile *s, unsigned newest, size_t w)
{
    float *way = s->way[newest];
    for (size_t i = 0; i < w; i++) {
        float d = s->next[i] - s->last[i], e = s->edge[i], h = s->half[i];
        way[i] = d > h ? d - e : d < -h ? d + e : d;
        s->last[i] = s->next[i];
    }
}

/* The residual s->v of x, and what a reader will find there into s->next. */
static void take(const struct track *t, struct tile *s, const float *x, size_t w)
{
    if (t->kind == TRACK_FLOATS) {
        for (size_t i = 0; i < w; i++) {
            s->v[i] = zigzag(order_of(bits_of(x[i])) - order_of(bits_of(s->next[i])));
            s->next[i] = x[i];
        }
        return;
    }
    indices(t, s->next, s, w);
    for (size_t i = 0; i < w; i++)
        s->v[i] = (uint32_t)s->index[i];
    indices(t, x, s, w);
    for (size_t i = 0; i < w; i++)
        s->v[i] = zigzag((uint32_t)s->index[i] - s->v[i]);
    values(t, s, s->next, w);
}

/* The number that the residual s->v tells, into s->next. */
static void give(const struct track *t, struct tile *s, size_t w)
{
    if (t->kind == TRACK_FLOATS) {
        for (size_t i = 0; i < w; i++)
            s->next[i] = float_of(order_of(order_of(bits_of(s->next[i])) + unzigzag(s->v[i])));
        return;
    }
    indices(t, s->next, s, w);
    for (size_t i = 0; i < w; i++)
        s->index[i] = (int32_t)((uint32_t)s->index[i] + unzigzag(s->v[i]));
    values(t, s, s->next, w);
}

void SIMD_NAME(track_apply)(const struct track *t, const float *x, uint32_t *v, size_t n,
                            size_t row)
{
    struct tile s;
    float now[TILE] = {0};
    for (size_t c = 0; c < row && c < n; c += TILE) {
        size_t w = row - c < TILE ? row - c : TILE, m;
        begin(t, &s, c);
        for (size_t r = 0; (m = width(n, row, r, c, w)) > 0; r++) {
            unsigned newest = (unsigned)(r % TRACK_ORDER), slot = TRACK_ORDER - 1 - newest;
            memcpy(now, x + r * row + c, m * sizeof *x);
            predict(t, &s, r, (slot + 1) % TRACK_ORDER, w);
            take(t, &s, now, w);
            memcpy(v + r * row + c, s.v, m * sizeof *v);
            moved(&s, slot, w);
        }
    }
}

void SIMD_NAME(track_undo)(const struct track *t, uint32_t *v, size_t n, size_t row)
{
    struct tile s;
    for (size_t c = 0; c < row && c < n; c += TILE) {
        size_t w = row - c < TILE ? row - c : TILE, m;
        begin(t, &s, c);
        for (size_t r = 0; (m = width(n, row, r, c, w)) > 0; r++) {
            unsigned slot = TRACK_ORDER - 1 - (unsigned)(r % TRACK_ORDER);
            memcpy(s.v, v + r * row + c, m * sizeof *v);
            predict(t, &s, r, (slot + 1) % TRACK_ORDER, w);
            give(t, &s, w);
            memcpy(v + r * row + c, s.next, m * sizeof *v);
            moved(&s, slot, w);
        }
    }
}

/* ---- bits */

/* 64 bits from bit `at` on, of which 57 are there; behind the end come zeros. */
static uint64_t peek(const unsigned char *p, size_t n, uint64_t at)
{
    uint64_t w = 0;
    size_t byte = (size_t)(at >> 3);
    if (byte < n)
        memcpy(&w, p + byte, n - byte < 8 ? n - byte : 8);
    return w >> (at & 7);
}

/* The value whose code begins in the low bits of w; *at goes behind it. */
static inline uint32_t value(const struct track_table *t, uint64_t w, uint64_t *at)
{
    unsigned code = t->of[w & ((1 << TRACK_BITS) - 1)], len = code & 15, more = code >> 4 & 31;
    w >>= len;
    *at += len + more;
    return (uint32_t)(code >> 9) << more | ((uint32_t)w & ((1u << more) - 1));
}

void SIMD_NAME(track_read)(const struct track_table *t, const unsigned char *p, size_t n,
                           uint64_t at[8], uint32_t *const v[8], size_t count)
{
    enum { RUN = 8, MOST = RUN * 5 + 8 }; /* values at a time, bytes that they may touch */
    uint64_t b[8];
    size_t k = 0;
    memcpy(b, at, sizeof b);
    for (; k + RUN <= count; k += RUN) {
        uint64_t far = 0;
        for (int j = 0; j < 8; j++)
            far = b[j] > far ? b[j] : far;
        if ((far >> 3) + MOST > n)
            break;
        for (size_t i = k; i < k + RUN; i++)
            for (int j = 0; j < 8; j++) {
                uint64_t w;
                memcpy(&w, p + (b[j] >> 3), sizeof w);
                v[j][i] = value(t, w >> (b[j] & 7), &b[j]);
            }
    }
    for (; k < count; k++)
        for (int j = 0; j < 8; j++)
            v[j][k] = value(t, peek(p, n, b[j]), &b[j]);
    memcpy(at, b, sizeof b);
}
