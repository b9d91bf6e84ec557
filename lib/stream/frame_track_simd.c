/* SPDX-License-Identifier: MIT */
/* frame_track_simd.c: the loops of frame_track.h. Columns are processed in tiles, so that the steps
 * needed for a prediction stay in the first-level cache. */
#include <stdbool.h>
#include <string.h>

#include "stream/frame_track.h"

enum { ATOMS = 80, TILE = 3 * ATOMS }; /* atoms and columns in a tile */

/* Adding this number leaves the nearest integer (ties to even) in the low bits of a double. */
#define MAGIC 0x1.8p52

struct tile {
    float edge[TILE], half[TILE]; /* edge and half edge of the component of the column (half is
                                   * infinite without periodicity) */
    float start[TILE]; /* prediction of the first row: the middle, or for links the vector 0 */
    float last[TILE], next[TILE], way[TRACK_ORDER][TILE];
    float base[TILE]; /* positions of the atoms to which the atoms are linked */
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

/* Returns the length of row r of the tile at column c. The length is w, or less at the end of the
 * part. */
static size_t width(const struct track *t, size_t r, size_t c, size_t w)
{
    size_t at = r * t->row + c, n = t->count;
    return at >= n ? 0 : n - at < w ? n - at : w;
}

/* Sets the arrays that are the same in all tiles. The tiles begin at column `lead`, or at columns a
 * multiple of 3 later. */
static void tile_begin(const struct track *t, struct tile *s, size_t lead, bool linked)
{
    size_t axis = (t->phase + lead) % 3;
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < TILE; i++, axis = axis == 2 ? 0 : axis + 1) {
        s->edge[i] = t->edge[axis];
        s->half[i] = s->edge[i] > 0 ? 0.5f * s->edge[i] : __builtin_inff();
        s->start[i] = linked ? 0 : t->middle[axis];
    }
}

/* Returns the shortest of the periodic images of d. */
static inline float shortest(float d, float edge, float half)
{
    return d > half ? d - edge : d < -half ? d + edge : d;
}

/* The displacements of a tile before row r, from the newest on, and their number. */
struct ways {
    const float *d[TRACK_ORDER];
    unsigned q, slot; /* slot: the row of tile.way that the next displacement replaces */
};

static struct ways ways(const struct track_model *m, const struct tile *s, size_t r)
{
    unsigned slot = TRACK_ORDER - 1 - (unsigned)(r % TRACK_ORDER);
    struct ways o = {.q = r < 2 ? 0 : r - 1 < m->order ? (unsigned)r - 1 : m->order, .slot = slot};
    for (unsigned k = 0; k < TRACK_ORDER; k++)
        o.d[k] = s->way[(slot + 1 + k) % TRACK_ORDER];
    return o;
}

/* Predicts number i of a row from q displacements. The sum begins with the newest and is rounded at
 * every step. */
static inline __attribute__((always_inline)) float predicted(const struct track_model *m,
                                                             const struct tile *s,
                                                             const float *const *d, unsigned q,
                                                             bool linked, size_t i)
{
    const float *c = m->coef[q ? q - 1 : 0];
    float y = s->last[i], far = q ? c[0] * d[0][i] : 0;
    for (unsigned k = 1; k < q; k++)
        far += c[k] * d[k][i];
    if (linked)
        far = q ? far + m->stay[q] * y : m->stay[0] * y;
    float p = q || linked ? y + far : y;
    return linked ? s->base[i] + p : p;
}

/* Stores the displacement to x in way[i]. Positions and links, but not their changes, are the
 * shortest through any face. */
static inline __attribute__((always_inline)) void moved(struct tile *s, float *way, float x,
                                                        bool linked, size_t i)
{
    float e = s->edge[i], h = s->half[i];
    x = linked ? shortest(x - s->base[i], e, h) : x;
    way[i] = linked ? x - s->last[i] : shortest(x - s->last[i], e, h);
    s->last[i] = x;
}

/* Calls `of(q, linked)` with constants. */
#define WITH_ORDER(q, of)                                                                          \
    case q: of(q, false); break;                                                                   \
    case q + TRACK_ORDER + 1:                                                                      \
        of(q, true);                                                                               \
        break;
#define EACH_ORDER(q, linked, of)                                                                  \
    switch ((q) + ((linked) ? TRACK_ORDER + 1 : 0)) {                                              \
        WITH_ORDER(0, of)                                                                          \
        WITH_ORDER(1, of)                                                                          \
        WITH_ORDER(2, of)                                                                          \
        WITH_ORDER(3, of)                                                                          \
        WITH_ORDER(4, of)                                                                          \
        WITH_ORDER(5, of)                                                                          \
        WITH_ORDER(6, of)                                                                          \
    }

/* Predicts w numbers of row r into s->next. */
static void predict(const struct track_model *m, struct tile *s, size_t r, bool linked, size_t w)
{
    struct ways o = ways(m, s, r);
#define PREDICT(q, by_link)                                                                        \
    for (size_t i = 0; i < w; i++)                                                                 \
    s->next[i] = predicted(m, s, o.d, q, by_link, i)
    EACH_ORDER(o.q, linked, PREDICT)
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

/* Computes the residuals s->v of w numbers x of row r. */
static void apply_row(const struct track *t, const struct track_model *m, struct tile *s, size_t r,
                      const float *x, bool linked, size_t w)
{
    float *way = s->way[ways(m, s, r).slot];
    predict(m, s, r, linked, w);
    take(t, s, x, w);
    for (size_t i = 0; i < w; i++)
        moved(s, way, s->next[i], linked, i);
}

/* Replaces the residuals v by the numbers of row r on a grid of several levels. */
static void undo_levels(const struct track *t, const struct track_model *m, struct tile *s,
                        size_t r, uint32_t *v, bool linked, size_t w)
{
    float *next = s->next, *way = s->way[ways(m, s, r).slot];
    predict(m, s, r, linked, w);
#define GIVE(levels)                                                                               \
    for (size_t i = 0; i < w; i++)                                                                 \
    next[i] = value_of(t, index_of(t, next[i], levels) + unzigzag(v[i]), levels)
    ENOUGH(t, GIVE);
    memcpy(v, next, w * sizeof *v);
    for (size_t i = 0; i < w; i++)
        moved(s, way, next[i], linked, i);
}

/* Does the same in one loop, for constant q and a grid of at most one level. */
static inline __attribute__((always_inline)) void step(const struct track *t,
                                                       const struct track_model *m, struct tile *s,
                                                       const struct ways *o, unsigned q, bool grid,
                                                       bool linked, uint32_t *v, size_t w)
{
    float *way = s->way[o->slot];
#ifndef __clang__
#pragma GCC ivdep /* in place: the oldest displacement becomes the newest */
#endif
    for (size_t i = 0; i < w; i++) {
        float p = predicted(m, s, o->d, q, linked, i), x;
        if (grid)
            x = value_of(t, index_of(t, p, 1) + unzigzag(v[i]), 1);
        else
            x = float_of(order_of(order_of(bits_of(p)) + unzigzag(v[i])));
        moved(s, way, x, linked, i);
        v[i] = bits_of(x);
    }
}

/* Replaces the residuals v by the numbers of row r. */
static void undo_row(const struct track *t, const struct track_model *m, struct tile *s, size_t r,
                     uint32_t *v, bool linked, size_t w)
{
    struct ways o = ways(m, s, r);
#define ON_FLOATS(q, by_link) step(t, m, s, &o, q, false, by_link, v, w)
#define ON_GRID_1(q, by_link) step(t, m, s, &o, q, true, by_link, v, w)
    if (t->levels > 1)
        undo_levels(t, m, s, r, v, linked, w);
    else if (t->kind == TRACK_GRID)
        EACH_ORDER(o.q, linked, ON_GRID_1)
    else
        EACH_ORDER(o.q, linked, ON_FLOATS)
}

void SIMD_NAME(track_apply)(const struct track *t, const float *x, float *y, uint32_t *v)
{
    struct tile s;
    tile_begin(t, &s, 0, false);
    for (size_t c = 0; c < t->row; c += TILE) {
        size_t w = t->row - c < TILE ? t->row - c : TILE, m;
        memcpy(s.last, s.start, sizeof s.last);
        for (size_t r = 0; (m = width(t, r, c, w)) > 0; r++) {
            size_t at = r * t->row + c;
            apply_row(t, t->model, &s, r, x + at, false, m);
            memcpy(v + at, s.v, m * sizeof *v);
            memcpy(y + at, s.next, m * sizeof *y);
        }
    }
}

void SIMD_NAME(track_undo)(const struct track *t, uint32_t *v)
{
    struct tile s;
    tile_begin(t, &s, 0, false);
    for (size_t c = 0; c < t->row; c += TILE) {
        size_t w = t->row - c < TILE ? t->row - c : TILE, m;
        memcpy(s.last, s.start, sizeof s.last);
        for (size_t r = 0; (m = width(t, r, c, w)) > 0; r++)
            undo_row(t, t->model, &s, r, v + r * t->row + c, false, m);
    }
}

/* ---- linked atoms */

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
static void gather(float *to, const float *row, const uint32_t *place, size_t n)
{
    for (size_t k = 0; k + 1 < n; k++)
        memcpy(to + 3 * k, row + place[k], 4 * sizeof *to);
    memcpy(to + 3 * (n - 1), row + place[n - 1], 3 * sizeof *to);
}

static void scatter(float *row, const void *from, const uint32_t *place, size_t n)
{
    for (size_t k = 0; k < n; k++)
        memcpy(row + place[k], (const char *)from + 12 * k, 12);
}

uint32_t *SIMD_NAME(track_apply_linked)(const struct track *t, unsigned g, const float *x, float *y,
                                        uint32_t *v)
{
    struct tile s;
    struct places p;
    float now[TILE];
    uint32_t *first = v;
    v += 3 * (t->begin[g + 1] - t->begin[g]);
    tile_begin(t, &s, t->lead, g > 0);
    for (size_t a = t->begin[g]; a < t->begin[g + 1]; a += ATOMS) {
        memcpy(s.last, s.start, sizeof s.last);
        places(t, a, t->begin[g + 1], &p);
        for (size_t r = 0, m; (m = present(t, &p, r)) > 0; r++) {
            uint32_t **to = r ? &v : &first;
            gather(now, x + r * t->row, p.own, m);
            if (g > 0)
                gather(s.base, y + r * t->row, p.other, m);
            apply_row(t, &t->model[g], &s, r, now, g > 0, 3 * m);
            memcpy(*to, s.v, 3 * m * sizeof *v);
            scatter(y + r * t->row, s.next, p.own, m);
            *to += 3 * m;
        }
    }
    return v;
}

uint32_t *SIMD_NAME(track_undo_linked)(const struct track *t, unsigned g, uint32_t *v, float *y)
{
    struct tile s;
    struct places p;
    uint32_t *first = v;
    v += 3 * (t->begin[g + 1] - t->begin[g]);
    tile_begin(t, &s, t->lead, g > 0);
    for (size_t a = t->begin[g]; a < t->begin[g + 1]; a += ATOMS) {
        memcpy(s.last, s.start, sizeof s.last);
        places(t, a, t->begin[g + 1], &p);
        for (size_t r = 0, m; (m = present(t, &p, r)) > 0; r++) {
            uint32_t **from = r ? &v : &first;
            if (g > 0)
                gather(s.base, y + r * t->row, p.other, m);
            undo_row(t, &t->model[g], &s, r, *from, g > 0, 3 * m);
            scatter(y + r * t->row, *from, p.own, m);
            *from += 3 * m;
        }
    }
    return v;
}

/* ---- bits */

static inline unsigned class_of(uint32_t u)
{
    unsigned octave = 28 - (unsigned)__builtin_clz(u | 8);
    return octave * 8 + (u >> octave);
}

void SIMD_NAME(track_count)(const uint32_t *v, size_t n, uint32_t of[TRACK_CLASSES])
{
    uint32_t four[4][TRACK_CLASSES] = {0}; /* four tables, so that equal classes in a row do not
                                              wait for each other */
    for (size_t k = 0; k < n; k++)
        four[k % 4][class_of(v[k])]++;
    for (int c = 0; c < TRACK_CLASSES; c++)
        of[c] = four[0][c] + four[1][c] + four[2][c] + four[3][c];
}

/* Writes n values, `group` at a time, after the *have bits of *word. */
static inline __attribute__((always_inline)) unsigned char *
write_values(const struct track_code *c, const uint32_t *v, size_t n, size_t group,
             unsigned char *p, uint64_t *word, unsigned *have)
{
    uint64_t w = *word;
    unsigned bits = *have;
    for (size_t k = 0; k + group <= n; k += group) {
        for (size_t i = k; i < k + group; i++) {
            unsigned of = class_of(v[i]);
            w |= (c->bits[of] | (uint64_t)(v[i] & c->mask[of]) << c->length[of]) << bits;
            bits += c->all[of];
        }
        memcpy(p, &w, sizeof w);
        p += bits / 8;
        w >>= bits & ~7u;
        bits %= 8;
    }
    *word = w;
    *have = bits;
    return p;
}

unsigned char *SIMD_NAME(track_write)(const struct track_code *c, const uint32_t *v, size_t n,
                                      unsigned char *p)
{
    size_t group = c->longest <= 18 ? 3 : c->longest <= 28 ? 2 : 1, whole = n - n % group;
    uint64_t w = 0;
    unsigned have = 0;
    p = group == 3   ? write_values(c, v, whole, 3, p, &w, &have)
        : group == 2 ? write_values(c, v, whole, 2, p, &w, &have)
                     : write_values(c, v, whole, 1, p, &w, &have);
    p = write_values(c, v + whole, n - whole, 1, p, &w, &have);
    if (have)
        *p++ = (unsigned char)w;
    return p;
}

/* Returns 64 bits from bit `at` on, at least 57 of which are valid, with zeros after the end. */
static uint64_t peek(const unsigned char *p, size_t n, uint64_t at)
{
    uint64_t w = 0;
    size_t byte = (size_t)(at >> 3);
    if (byte < n)
        memcpy(&w, p + byte, n - byte < 8 ? n - byte : 8);
    return w >> (at & 7);
}

/* Decodes the value in the low bits of *w, shifts *w past it, and adds the number of its bits to
 * the low 6 bits of *bits. Loads replace shifts, which few ports of a processor execute. */
static inline uint32_t value(const struct track_table *t, uint64_t *w, unsigned *bits)
{
    unsigned code = t->of[*w & ((1 << TRACK_BITS) - 1)], k = code >> 8;
    uint32_t v = t->first[k] + ((uint32_t)(*w >> (t->length[k] & 63)) & t->mask[k]);
    *w >>= code & 63;
    *bits += code;
    return v;
}

enum { RUN = 6, MAX = RUN * 5 + 8 }; /* values at a time, and bytes that these may touch */

/* Decodes at most `count` values, `group` of them from 57 bits. Returns their number. */
static inline __attribute__((always_inline)) size_t read_groups(const struct track_table *t,
                                                                const unsigned char *p, size_t n,
                                                                uint64_t b[8], uint32_t *const v[8],
                                                                size_t count, size_t group)
{
    size_t k = 0;
    for (; k + RUN <= count; k += RUN) {
        uint64_t far = 0;
        for (int j = 0; j < 8; j++)
            far = b[j] > far ? b[j] : far;
        if ((far >> 3) + MAX > n)
            break;
        for (size_t i = 0; i < RUN; i += group) {
            uint64_t w[8];
            unsigned bits[8] = {0};
#pragma GCC unroll 8
            for (int j = 0; j < 8; j++) {
                memcpy(&w[j], p + (b[j] >> 3), sizeof w[j]);
                w[j] >>= b[j] & 7;
            }
#pragma GCC unroll 3
            for (size_t l = 0; l < group; l++)
#pragma GCC unroll 8
                for (int j = 0; j < 8; j++)
                    v[j][k + i + l] = value(t, &w[j], &bits[j]);
#pragma GCC unroll 8
            for (int j = 0; j < 8; j++)
                b[j] += bits[j] & 63;
        }
    }
    return k;
}

void SIMD_NAME(track_read)(const struct track_table *t, const unsigned char *p, size_t n,
                           uint64_t at[8], uint32_t *const v[8], size_t count)
{
    uint64_t b[8];
    memcpy(b, at, sizeof b);
    size_t k = t->longest <= 19   ? read_groups(t, p, n, b, v, count, 3)
               : t->longest <= 28 ? read_groups(t, p, n, b, v, count, 2)
                                  : read_groups(t, p, n, b, v, count, 1);
    for (; k < count; k++)
        for (int j = 0; j < 8; j++) {
            uint64_t w = peek(p, n, b[j]);
            unsigned bits = 0;
            v[j][k] = value(t, &w, &bits);
            b[j] += bits & 63;
        }
    memcpy(at, b, sizeof b);
}
