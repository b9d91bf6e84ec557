/* SPDX-License-Identifier: MIT */
/* frame_track_simd.c: the loops of frame_track.h. Columns are processed in tiles, so that the steps
 * needed for a prediction stay in the first-level cache. */
#include <stdbool.h>
#include <string.h>

#include "stream/frame_track.h"

enum { TILE = 256 };

/* Adding this number leaves the nearest integer (ties to even) in the low bits of a double. */
#define MAGIC 0x1.8p52

struct tile {
    float edge[TILE], half[TILE]; /* edge and half edge of the component of the column (half is
                                   * infinite without periodicity) */
    float last[TILE], next[TILE], way[TRACK_ORDER][TILE];
    uint32_t v[TILE];
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

/* Converts a float to its rank among all floats, and back. */
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

/* ---- the grid, compiled for fixed numbers of levels; unused levels begin at infinity */

static inline __attribute__((always_inline)) uint32_t index_of(const struct track *t, float x,
                                                               unsigned levels)
{
    double a = (double)__builtin_fabsf(x), per = t->per_of[0], ahead = 0;
    for (unsigned l = 1; l < levels; l++) {
        double from = t->from[l], coarser = t->per_of[l], more = t->ahead[l];
        per = a >= from ? coarser : per;
        ahead = a >= from ? more : ahead;
    }
    uint32_t m = low_bits(a * per + MAGIC + ahead), sign = (uint32_t)((int32_t)bits_of(x) >> 31);
    return (m ^ sign) - sign;
}

static inline __attribute__((always_inline)) float value_of(const struct track *t, uint32_t index,
                                                            unsigned levels)
{
    double m = __builtin_fabs((double)(int32_t)index), unit = t->unit[0], ahead = 0;
    for (unsigned l = 1; l < levels; l++) {
        double first = t->first[l], coarser = t->unit[l], more = t->ahead[l];
        unit = m >= first ? coarser : unit;
        ahead = m >= first ? more : ahead;
    }
    return float_of(bits_of((float)((m - ahead) * unit)) | (index & 0x80000000));
}

/* Calls `of(1)`, `of(4)` or `of(8)`, whichever has enough levels. */
#define ENOUGH(t, of)                                                                              \
    do {                                                                                           \
        if ((t)->levels <= 1) {                                                                    \
            of(1);                                                                                 \
        } else if ((t)->levels <= 4) {                                                             \
            of(4);                                                                                 \
        } else {                                                                                   \
            of(8);                                                                                 \
        }                                                                                          \
    } while (0)

void SIMD_NAME(track_on_grid)(const struct track *t, const float *x, float *y, size_t n)
{
#define ON_GRID(levels)                                                                            \
    for (size_t i = 0; i < n; i++)                                                                 \
    y[i] = value_of(t, index_of(t, x[i], levels), levels)
    ENOUGH(t, ON_GRID);
}

/* ---- prediction */

/* Returns the length of row r of the tile at column c, in a part of n numbers. The length is w, or
 * less at the end of the part. */
static size_t width(size_t n, size_t row, size_t r, size_t c, size_t w)
{
    size_t at = r * row + c;
    return at >= n ? 0 : n - at < w ? n - at : w;
}

static void tile_begin(const struct track *t, struct tile *s, size_t column)
{
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < TILE; i++) {
        s->edge[i] = t->edge[(t->phase + column + i) % 3];
        s->half[i] = s->edge[i] > 0 ? 0.5f * s->edge[i] : __builtin_inff();
    }
}

/* Predicts s->next from the previous positions and the displacements of q steps, of which
 * way[newest] is the newest. The sum begins with the newest and is rounded at every step. */
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

/* Stores the displacement from the previous positions to s->next, through the nearest face, as the
 * newest one. */
static void moved(struct tile *s, unsigned newest, size_t w)
{
    float *way = s->way[newest];
    for (size_t i = 0; i < w; i++) {
        float d = s->next[i] - s->last[i], e = s->edge[i], h = s->half[i];
        way[i] = d > h ? d - e : d < -h ? d + e : d;
        s->last[i] = s->next[i];
    }
}

/* Computes the residuals s->v of x, and in s->next the numbers that a reader will restore. */
static void take(const struct track *t, struct tile *s, const float *x, size_t w)
{
    float *next = s->next;
    if (t->kind == TRACK_FLOATS) {
        for (size_t i = 0; i < w; i++) {
            s->v[i] = zigzag(order_of(bits_of(x[i])) - order_of(bits_of(next[i])));
            next[i] = x[i];
        }
        return;
    }
#define TAKE(levels)                                                                               \
    for (size_t i = 0; i < w; i++) {                                                               \
        uint32_t index = index_of(t, x[i], levels);                                                \
        s->v[i] = zigzag(index - index_of(t, next[i], levels));                                    \
        next[i] = value_of(t, index, levels);                                                      \
    }
    ENOUGH(t, TAKE);
}

/* Replaces the residuals v by the numbers, and stores these also in s->next. */
static void give(const struct track *t, struct tile *s, uint32_t *v, size_t w)
{
    float *next = s->next;
#define GIVE(levels)                                                                               \
    for (size_t i = 0; i < w; i++)                                                                 \
    next[i] = value_of(t, index_of(t, next[i], levels) + unzigzag(v[i]), levels)
    ENOUGH(t, GIVE);
    memcpy(v, next, w * sizeof *v);
}

void SIMD_NAME(track_apply)(const struct track *t, const float *x, uint32_t *v, size_t n,
                            size_t row)
{
    struct tile s;
    float now[TILE] = {0};
    for (size_t c = 0; c < row && c < n; c += TILE) {
        size_t w = row - c < TILE ? row - c : TILE, m;
        tile_begin(t, &s, c);
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

/* Combines predict(), give() and moved() in one loop, for constant q and a grid of at most one
 * level. */
static inline __attribute__((always_inline)) void step(const struct track *t, struct tile *s,
                                                       unsigned q, bool grid, unsigned slot,
                                                       uint32_t *v, size_t w)
{
    const float *c = t->coef[q ? q - 1 : 0], *d[TRACK_ORDER], *edge = s->edge, *half = s->half;
    float *y = s->last, *way = s->way[slot];
    for (unsigned k = 0; k < TRACK_ORDER; k++)
        d[k] = s->way[(slot + 1 + k) % TRACK_ORDER];
#ifndef __clang__
#pragma GCC ivdep /* in place: the oldest displacement becomes the newest */
#endif
    for (size_t i = 0; i < w; i++) {
        float p = y[i], far = q ? c[0] * d[0][i] : 0, x;
        for (unsigned k = 1; k < q; k++)
            far += c[k] * d[k][i];
        p = q ? p + far : p;
        if (grid)
            x = value_of(t, index_of(t, p, 1) + unzigzag(v[i]), 1);
        else
            x = float_of(order_of(order_of(bits_of(p)) + unzigzag(v[i])));
        float now = x - y[i], e = edge[i], h = half[i];
        way[i] = now > h ? now - e : now < -h ? now + e : now;
        y[i] = x;
        v[i] = bits_of(x);
    }
}

static void undo_row(const struct track *t, struct tile *s, size_t r, uint32_t *v, size_t w)
{
    unsigned slot = TRACK_ORDER - 1 - (unsigned)(r % TRACK_ORDER), q = r < 2 ? 0
                                                                       : r - 1 < t->order
                                                                           ? (unsigned)r - 1
                                                                           : t->order;
    if (t->kind == TRACK_GRID && t->levels > 1) {
        predict(t, s, r, (slot + 1) % TRACK_ORDER, w);
        give(t, s, v, w);
        moved(s, slot, w);
        return;
    }
    switch (q + (t->kind == TRACK_GRID) * (TRACK_ORDER + 1)) {
    case 0: step(t, s, 0, false, slot, v, w); break;
    case 1: step(t, s, 1, false, slot, v, w); break;
    case 2: step(t, s, 2, false, slot, v, w); break;
    case 3: step(t, s, 3, false, slot, v, w); break;
    case 4: step(t, s, 4, false, slot, v, w); break;
    case 5: step(t, s, 5, false, slot, v, w); break;
    case 6: step(t, s, 6, false, slot, v, w); break;
    case 7: step(t, s, 0, true, slot, v, w); break;
    case 8: step(t, s, 1, true, slot, v, w); break;
    case 9: step(t, s, 2, true, slot, v, w); break;
    case 10: step(t, s, 3, true, slot, v, w); break;
    case 11: step(t, s, 4, true, slot, v, w); break;
    case 12: step(t, s, 5, true, slot, v, w); break;
    default: step(t, s, 6, true, slot, v, w);
    }
}

void SIMD_NAME(track_undo)(const struct track *t, uint32_t *v, size_t n, size_t row)
{
    struct tile s;
    for (size_t c = 0; c < row && c < n; c += TILE) {
        size_t w = row - c < TILE ? row - c : TILE, m;
        tile_begin(t, &s, c);
        for (size_t r = 0; (m = width(n, row, r, c, w)) > 0; r++)
            undo_row(t, &s, r, v + r * row + c, m);
    }
}

/* ---- bits */

/* Returns 64 bits from bit `at` on, at least 57 of which are valid, with zeros after the end. */
static uint64_t peek(const unsigned char *p, size_t n, uint64_t at)
{
    uint64_t w = 0;
    size_t byte = (size_t)(at >> 3);
    if (byte < n)
        memcpy(&w, p + byte, n - byte < 8 ? n - byte : 8);
    return w >> (at & 7);
}

/* Decodes the value in the low bits of `w` and moves *at past its code. */
static inline uint32_t value(const struct track_table *t, uint64_t w, uint64_t *at)
{
    uint32_t code = t->of[w & ((1 << TRACK_BITS) - 1)], low;
    unsigned more = code >> 16;
#ifdef __BMI2__
    low = __builtin_ia32_bzhi_si((uint32_t)(w >> (code & 63)), more); /* uses 8 bits of `more` */
#else
    low = (uint32_t)(w >> (code & 63)) & ((1u << (more & 31)) - 1);
#endif
    *at += code >> 8 & 255;
    return code >> 24 << (more & 31) | low;
}

void SIMD_NAME(track_read)(const struct track_table *t, const unsigned char *p, size_t n,
                           uint64_t at[8], uint32_t *const v[8], size_t count)
{
    enum { RUN = 8, MAX = RUN * 5 + 8 }; /* values at a time, and bytes that these may touch */
    uint64_t b[8];
    size_t k = 0;
    memcpy(b, at, sizeof b);
    for (; k + RUN <= count; k += RUN) {
        uint64_t far = 0;
        for (int j = 0; j < 8; j++)
            far = b[j] > far ? b[j] : far;
        if ((far >> 3) + MAX > n)
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
