/* SPDX-License-Identifier: MIT */
/* frame_track_bits_simd.c: the loops of frame_track.h that write and read the bit strings. */
#include <stdbool.h>
#include <string.h>

#include "base/simd_vec.h"
#include "stream/frame_track.h"

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
HOT unsigned char *write_values(const struct track_code *c, const uint32_t *v, size_t n,
                                size_t group, unsigned char *p, uint64_t *word, unsigned *have)
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
static uint64_t peek(const unsigned char *p, size_t size, uint64_t at)
{
    uint64_t w = 0;
    size_t byte = (size_t)(at >> 3);
    if (byte < size)
        memcpy(&w, p + byte, size - byte < 8 ? size - byte : 8);
    return w >> (at & 7);
}

/* Decodes the value in the low bits of *w, shifts *w past it, and adds the number of its bits to
 * the low 6 bits of *bits. Loads replace shifts, which few ports of a processor execute. */
HOT uint32_t value(const struct track_table *t, uint64_t *w, unsigned *bits, bool brief)
{
    uint32_t code = t->of[*w & ((1 << TRACK_BITS) - 1)], v = code >> 8;
    if (!brief || __builtin_expect(code & TRACK_LONG, 0))
        v = t->first[v] + ((uint32_t)(*w >> (t->length[v] & 63)) & t->mask[v]);
    *w >>= code & 63;
    *bits += code;
    return v;
}

/* Decodes n values of a string, one at a time. Returns the position after them. */
static __attribute__((noinline)) uint64_t read_slowly(const struct track_table *t,
                                                      const unsigned char *p, size_t size,
                                                      uint64_t at, uint32_t *v, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        uint64_t w = peek(p, size, at);
        unsigned bits = 0;
        v[k] = value(t, &w, &bits, t->brief);
        at += bits & 63;
    }
    return at;
}

/* Values at a time, and the bytes that these may touch. */
enum { RUN = 12, MAX = RUN * TRACK_LONGEST / 8 + 8 };

/* Decodes at most `count` values of each string, `group` of them from 57 bits. If `brief`, bit 63
 * marks the end of a word. It falls below bit 6 if the values did not fit. Returns the number of
 * values. */
HOT size_t read_groups(const struct track_table *t, const unsigned char *p, size_t size,
                       uint64_t b[8], uint32_t *const v[9], size_t count, size_t group, bool brief)
{
    size_t k = 0;
    for (; k + RUN <= count; k += RUN) {
        uint64_t far = 0;
        for (int j = 0; j < 8; j++)
            far = b[j] > far ? b[j] : far;
        if ((far >> 3) + MAX > size)
            break;
        for (size_t i = k; i < k + RUN; i += group) {
            uint64_t w[8];
            unsigned bits[8] = {0};
#pragma GCC unroll 8
            for (int j = 0; j < 8; j++) {
                memcpy(&w[j], p + (b[j] >> 3), sizeof w[j]);
                w[j] = w[j] >> (b[j] & 7) | (uint64_t)brief << 63;
            }
#pragma GCC unroll 4
            for (size_t l = 0; l < group; l++)
#pragma GCC unroll 8
                for (int j = 0; j < 8; j++)
                    v[j][i + l] = value(t, &w[j], &bits[j], brief);
#pragma GCC unroll 8
            for (int j = 0; j < 8; j++)
                if (!brief)
                    b[j] += bits[j] & 63;
                else if (__builtin_expect(w[j] >= 1 << 6, 1))
                    b[j] += (unsigned)__builtin_clzll(w[j]);
                else
                    b[j] = read_slowly(t, p, size, b[j], v[j] + i, group);
        }
    }
    return k;
}

void SIMD_NAME(track_read)(const struct track_table *t, const unsigned char *p, size_t size,
                           uint64_t at[8], uint32_t *const v[9])
{
    uint64_t b[8];
    size_t n = (size_t)(v[8] - v[0]) / 8;
    memcpy(b, at, sizeof b);
    n = t->brief           ? read_groups(t, p, size, b, v, n, 4, true)
        : t->longest <= 19 ? read_groups(t, p, size, b, v, n, 3, false)
        : t->longest <= 28 ? read_groups(t, p, size, b, v, n, 2, false)
                           : read_groups(t, p, size, b, v, n, 1, false);
    for (int j = 0; j < 8; j++)
        at[j] = read_slowly(t, p, size, b[j], v[j] + n, (size_t)(v[j + 1] - v[j]) - n);
}
