/* SPDX-License-Identifier: MIT */
/* frame_track_simd.c: the loops of frame_track.h. Columns are processed in tiles, so that the steps
 * needed for a prediction stay in the first-level cache. */
#include <stdbool.h>
#include <string.h>

#include "base/simd_vec.h"
#include "stream/frame_track.h"

enum { ATOMS = 80, TILE = 3 * ATOMS }; /* atoms and columns in a tile */

/* Adding this number leaves the nearest integer (ties to even) in the low bits of a double. */
#define MAGIC 0x1.8p52

/* With links, the columns of a tile are the x components of its atoms, then y, then z. */
struct tile {
    _Alignas(64) float edge[TILE]; /* edge of the component of the column */
    float half[TILE];              /* half edge, infinite without periodicity */
    float start[TILE];             /* prediction of the first row without links */
    float last[TILE], next[TILE], way[TRACK_ORDER][TILE];
    float base[TILE];      /* positions of the atoms to which the atoms are linked */
    float length2[ATOMS];  /* expected squares of the lengths of links */
    float atom[4 * ATOMS]; /* one atom after the other, with a fourth number */
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

/* ---- indices, compiled for fixed numbers of levels; unused levels begin at infinity. Without
 * levels, the index is the rank among all floats. */

HOT uint32_t index_of(const struct track *t, float x, unsigned levels)
{
    if (levels == 0)
        return order_of(bits_of(x));
    if (levels == 1)
        return low_bits((double)x * t->per + MAGIC);
    double a = (double)__builtin_fabsf(x), per = t->per, ahead = 0;
    for (unsigned l = 1; l < levels; l++) {
        double from = t->from[l], coarser = t->per_of[l], more = t->ahead[l];
        per = a >= from ? coarser : per;
        ahead = a >= from ? more : ahead;
    }
    uint32_t m = low_bits(a * per + MAGIC + ahead), sign = (uint32_t)((int32_t)bits_of(x) >> 31);
    return (m ^ sign) - sign;
}

HOT float value_of(const struct track *t, uint32_t index, unsigned levels)
{
    if (levels == 0)
        return float_of(order_of(index));
    if (levels == 1)
        return (float)((double)(int32_t)index * t->unit[0]);
    double m = __builtin_fabs((double)(int32_t)index), unit = t->unit[0], ahead = 0;
    for (unsigned l = 1; l < levels; l++) {
        double first = t->first[l], coarser = t->unit[l], more = t->ahead[l];
        unit = m >= first ? coarser : unit;
        ahead = m >= first ? more : ahead;
    }
    return float_of(bits_of((float)((m - ahead) * unit)) | (index & 0x80000000));
}

/* Calls `of(0)`, `of(1)`, `of(4)` or `of(8)`, whichever has enough levels. */
#define ENOUGH(t, of)                                                                              \
    do {                                                                                           \
        if ((t)->levels == 0) {                                                                    \
            of(0);                                                                                 \
        } else if ((t)->levels == 1) {                                                             \
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

/* Returns the length of row r of the tile at column c. The length is w, or less at the end of the
 * part. */
static size_t width(const struct track *t, size_t r, size_t c, size_t w)
{
    size_t at = r * t->row + c, n = t->count;
    return at >= n ? 0 : n - at < w ? n - at : w;
}

/* Sets the arrays that are the same in all tiles. Without links, tiles begin at columns that are
 * multiples of 3. */
static void tile_begin(const struct track *t, struct tile *s, bool linked)
{
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < TILE; i++) {
        size_t axis = linked ? i / ATOMS : (t->phase + i) % 3;
        s->edge[i] = t->edge[axis];
        s->half[i] = s->edge[i] > 0 ? 0.5f * s->edge[i] : __builtin_inff();
        s->start[i] = t->middle[axis];
    }
}

/* Returns the shortest of the periodic images of d. */
static inline float shortest(float d, float edge, float half)
{
    return d - (__builtin_fabsf(d) > half ? __builtin_copysignf(edge, d) : 0);
}

/* The number of the displacement k steps before row r in s->way. The oldest one has the number of
 * the next one, k = 0. */
static unsigned way_of(size_t r, unsigned k)
{
    return (unsigned)(r + TRACK_ORDER - k) % TRACK_ORDER;
}

/* Predicts w numbers of row r into s->next, from q displacements. The sum begins with the newest
 * and is rounded at every step. */
HOT void predict_from(const struct track_model *m, struct tile *s, size_t r, unsigned q,
                      bool linked, size_t w)
{
    const float *d[TRACK_ORDER], *c = m->coef[q ? q - 1 : 0], stay = m->stay[q];
    for (unsigned k = 0; k < TRACK_ORDER; k++)
        d[k] = s->way[way_of(r, k + 1)];
    for (size_t i = 0; i < w; i++) {
        float y = s->last[i], far = q ? c[0] * d[0][i] : stay * y;
        for (unsigned k = 1; k < q; k++)
            far += c[k] * d[k][i];
        far = q && linked ? far + stay * y : far;
        y = q || linked ? y + far : y;
        s->next[i] = linked ? s->base[i] + y : y;
    }
}

static void predict(const struct track_model *m, struct tile *s, size_t r, bool linked, size_t w)
{
#define PREDICT(q)                                                                                 \
    case q: predict_from(m, s, r, q, linked, w); break
    switch (r < 2 ? 0 : r - 1 < m->order ? r - 1 : m->order) {
        PREDICT(0);
        PREDICT(1);
        PREDICT(2);
        PREDICT(3);
        PREDICT(4);
        PREDICT(5);
        PREDICT(6);
    }
}

/* Stores the displacements of w numbers s->next to row r. Positions and links, but not their
 * changes, are the shortest through any face. */
static void moved_row(struct tile *s, size_t r, bool linked, size_t w)
{
    float *way = s->way[way_of(r, 0)];
#ifndef __clang__
#pragma GCC ivdep /* the arrays of a tile are separate */
#endif
    for (size_t i = 0; i < w; i++) {
        float e = s->edge[i], h = s->half[i], x = s->next[i];
        x = linked ? shortest(x - s->base[i], e, h) : x;
        way[i] = linked ? x - s->last[i] : shortest(x - s->last[i], e, h);
        s->last[i] = x;
    }
}

/* Computes the residuals v of x, and in s->next the numbers that a reader will restore. */
static void take(const struct track *t, struct tile *s, const float *x, uint32_t *v, size_t w)
{
    float *next = s->next;
#define TAKE(levels)                                                                               \
    for (size_t i = 0; i < w; i++) {                                                               \
        uint32_t index = index_of(t, x[i], levels);                                                \
        v[i] = zigzag(index - index_of(t, next[i], levels));                                       \
        next[i] = value_of(t, index, levels);                                                      \
    }
    ENOUGH(t, TAKE);
}

/* Restores the numbers s->next from their predictions and the residuals v. */
static void give(const struct track *t, struct tile *s, const uint32_t *v, size_t w)
{
    float *next = s->next;
#define GIVE(levels)                                                                               \
    for (size_t i = 0; i < w; i++)                                                                 \
    next[i] = value_of(t, index_of(t, next[i], levels) + unzigzag(v[i]), levels)
    ENOUGH(t, GIVE);
}

void SIMD_NAME(track_alone)(const struct track *t, const float *x, float *y, uint32_t *v)
{
    struct tile s;
    tile_begin(t, &s, false);
    for (size_t c = 0; c < t->row; c += TILE) {
        size_t w = t->row - c < TILE ? t->row - c : TILE, m;
        memcpy(s.last, s.start, sizeof s.last);
        for (size_t r = 0; (m = width(t, r, c, w)) > 0; r++) {
            size_t at = r * t->row + c;
            predict(t->model, &s, r, false, m);
            if (x)
                take(t, &s, x + at, v + at, m);
            else
                give(t, &s, v + at, m);
            moved_row(&s, r, false, m);
            memcpy(y + at, s.next, m * sizeof *y);
        }
    }
}

/* ---- linked atoms */

SIMD_VECTOR(vec, float, 4);

/* Linked atoms of a tile, and the first numbers of their positions in a row. */
struct places {
    size_t n;
    uint32_t own[ATOMS], other[ATOMS]; /* other: the atom to which it is linked */
};

static void places(const struct track *t, size_t from, size_t to, struct places *p)
{
    p->n = to - from < ATOMS ? to - from : ATOMS;
    for (size_t k = 0; k < p->n; k++) {
        uint32_t atom = t->atom[from + k];
        p->own[k] = (uint32_t)t->lead + 3 * atom;
        p->other[k] = p->own[k] - 3u * t->link[atom];
    }
}

/* Returns the number of atoms of the tile in row r. They are the first ones. */
static size_t present(const struct track *t, const struct places *p, size_t r)
{
    size_t left = t->count > r * t->row ? t->count - r * t->row : 0, n = p->n;
    while (n > 0 && p->own[n - 1] + 3 > left)
        n--;
    return n;
}

/* Copies the positions of n > 0 atoms. All but the last are copied with the number that follows. */
static __attribute__((noinline)) void gather(struct tile *s, float *to, const float *row,
                                             const uint32_t *place, size_t n)
{
#pragma GCC unroll 4
    for (size_t k = 0; k + 1 < n; k++)
        memcpy(s->atom + 4 * k, row + place[k], 4 * sizeof *to);
    memcpy(s->atom + 4 * (n - 1), row + place[n - 1], 3 * sizeof *to);
    for (size_t k = 0; k < ATOMS; k++) {
        to[k] = s->atom[4 * k];
        to[k + ATOMS] = s->atom[4 * k + 1];
        to[k + 2 * ATOMS] = s->atom[4 * k + 2];
    }
}

/* Stores the positions s->next of n > 0 atoms. All but the last are stored with the number that
 * follows, as it is. */
static __attribute__((noinline)) void scatter(struct tile *s, float *row, const uint32_t *place,
                                              size_t n)
{
    for (size_t k = 0; k < ATOMS; k++) {
        s->atom[4 * k] = s->next[k];
        s->atom[4 * k + 1] = s->next[k + ATOMS];
        s->atom[4 * k + 2] = s->next[k + 2 * ATOMS];
        s->atom[4 * k + 3] = s->next[k + 2 * ATOMS];
    }
#pragma GCC unroll 4
    for (size_t k = 0; k + 1 < n; k++) {
        float *to = row + place[k];
        vec xyz = LOAD(s->atom + 4 * k);
        xyz[3] = to[3];
        STORE(to) = xyz;
    }
    memcpy(row + place[n - 1], s->atom + 4 * (n - 1), 12);
}

/* Copies the residuals of n atoms from s->v to their stored order, v and z, or back. An atom has
 * `each` residuals in v. */
HOT void reorder(struct tile *s, uint32_t *v, uint32_t *z, size_t each, bool store, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        uint32_t *stored[] = {v + each * k, v + each * k + 1, each == 3 ? v + 3 * k + 2 : z + k};
        for (size_t a = 0; a < 3; a++) {
            uint32_t *own = &s->v[k + a * ATOMS];
            *(store ? stored[a] : own) = *(store ? own : stored[a]);
        }
    }
}

/* ---- lengths of links */

/* Computes the residuals of z from `now`, or restores z from its residuals if `now` is NULL. The
 * length leaves two z, of which the one nearer to the number is used. The lowest bit of a residual
 * states whether this is the predicted one. */
HOT void z_of(const struct track *t, struct tile *s, const float *now, unsigned levels)
{
    float *next = s->next, *z = next + 2 * ATOMS, *base = s->base + 2 * ATOMS;
    uint32_t *v = s->v + 2 * ATOMS;
    float xe = s->edge[0], xh = s->half[0], ye = s->edge[ATOMS], yh = s->half[ATOMS];
    for (size_t k = 0; k < ATOMS; k++) {
        float dx = shortest(next[k] - s->base[k], xe, xh),
              dy = shortest(next[k + ATOMS] - s->base[k + ATOMS], ye, yh),
              z2 = s->length2[k] - dx * dx - dy * dy,
              dz = __builtin_copysignf(__builtin_sqrtf(z2 > 0 ? z2 : 0), z[k] - base[k]);
        float near = base[k] + dz, far = base[k] - dz;
        uint32_t u = v[k];
        if (now) {
            uint32_t index = index_of(t, now[k + 2 * ATOMS], levels),
                     a = zigzag(index - index_of(t, near, levels)),
                     b = zigzag(index_of(t, far, levels) - index);
            u = v[k] = b < a ? b << 1 | 1 : a << 1;
        }
        uint32_t away = unzigzag(u >> 1), sign = -(u & 1);
        z[k] =
            value_of(t, index_of(t, u & 1 ? far : near, levels) + ((away ^ sign) - sign), levels);
    }
}

/* Computes the residuals s->v of the atoms `now` in row r, or restores the atoms from the residuals
 * if `now` is NULL. */
static void linked_row(const struct track *t, const struct track_model *m, struct tile *s, size_t r,
                       const float *now, bool linked)
{
    const float *x = s->last, *y = x + ATOMS, *z = y + ATOMS,
                part = 1.0f / (float)(r < TRACK_LENGTHS ? r + 1 : TRACK_LENGTHS);
    bool lengths = m->length2 != 0;
    size_t w = lengths ? 2 * ATOMS : TILE;
    predict(m, s, r, linked, TILE);
    if (now)
        take(t, s, now, s->v, w);
    else
        give(t, s, s->v, w);
    for (size_t k = 0; r == 0 && k < ATOMS; k++)
        s->length2[k] = m->length2;
#define Z_FROM(levels) z_of(t, s, now, levels)
#define Z_BACK(levels) z_of(t, s, NULL, levels)
    if (lengths && now)
        ENOUGH(t, Z_FROM);
    else if (lengths)
        ENOUGH(t, Z_BACK);
    moved_row(s, r, linked, TILE);
    for (size_t k = 0; lengths && k < ATOMS; k++)
        s->length2[k] += part * (x[k] * x[k] + y[k] * y[k] + z[k] * z[k] - s->length2[k]);
}

/* Returns the generation of the next tile, or the number of generations at the end. Tiles follow
 * soon after those of the atoms to which they are linked, which are then still in the cache. */
static unsigned next_tile(const struct track *t, const size_t at[TRACK_GENERATIONS])
{
    for (unsigned g = t->generations; g-- > 0;) {
        size_t end = t->begin[g + 1];
        if (at[g] < end &&
            (g == 0 || at[g - 1] >= t->begin[g] ||
             t->atom[at[g - 1]] > t->atom[at[g] + ATOMS < end ? at[g] + ATOMS - 1 : end - 1]))
            return g;
    }
    return t->generations;
}

void SIMD_NAME(track_linked)(const struct track *t, const float *x, float *y,
                             uint32_t *v[TRACK_GENERATIONS][TRACK_SECTIONS])
{
    struct tile s;
    struct places p;
    float now[TILE];
    size_t at[TRACK_GENERATIONS];
    memcpy(at, t->begin, sizeof at);
    tile_begin(t, &s, true);
    for (unsigned g; (g = next_tile(t, at)) < t->generations; at[g] += ATOMS) {
        const struct track_model *model = &t->model[g];
        bool lengths = model->length2 != 0;
        for (size_t i = 0; i < TILE; i++)
            s.last[i] = g > 0 ? 0 : s.start[i];
        places(t, at[g], t->begin[g + 1], &p);
        for (size_t r = 0, m; (m = present(t, &p, r)) > 0; r++) {
            uint32_t **first = &v[g][r > 0], **z = first + 2;
#define REORDER(store)                                                                             \
    lengths ? reorder(&s, *first, *z, 2, store, m) : reorder(&s, *first, *z, 3, store, m)
            if (x)
                gather(&s, now, x + r * t->row, p.own, m);
            else
                REORDER(false);
            if (g > 0)
                gather(&s, s.base, y + r * t->row, p.other, m);
            linked_row(t, model, &s, r, x ? now : NULL, g > 0);
            if (x)
                REORDER(true);
            scatter(&s, y + r * t->row, p.own, m);
            *first += (lengths ? 2 : 3) * m;
            *z += lengths ? m : 0;
        }
    }
}
