/* SPDX-License-Identifier: MIT */
/*
 * rows_simd.c: atom lines as vectors, built for three levels. One look at 64 bytes gives four bit masks
 * (blank, newline, point, digit); words, their ends and their validity are then bit tricks, and the
 * up to 15 digits of a number become an integer by a shuffle and three multiply-adds. Dividing by
 * an exact power of ten rounds once (Clinger).
 */
#include <immintrin.h>
#include <string.h>

#include "base/decimal.h"
#include "base/rows.h"

struct look {
    uint64_t blank, newline, point, digit;
};

#if SIMD_LEVEL >= 4
static inline struct look look_at(const char *p)
{
    __m512i v = _mm512_loadu_si512(p);
    return (struct look){
        _mm512_cmple_epu8_mask(v, _mm512_set1_epi8(' ')),
        _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\n')),
        _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('.')),
        _mm512_cmple_epu8_mask(_mm512_sub_epi8(v, _mm512_set1_epi8('0')), _mm512_set1_epi8(9))};
}
#elif SIMD_LEVEL == 3
static inline struct look look_at(const char *p)
{
    struct look l = {0};
    for (int k = 0; k < 64; k += 32) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(p + k));
        __m256i d = _mm256_sub_epi8(v, _mm256_set1_epi8('0'));
#define BITS(x) ((uint64_t)(uint32_t)_mm256_movemask_epi8(x) << k)
        l.blank |= BITS(_mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(' ')), v));
        l.newline |= BITS(_mm256_cmpeq_epi8(v, _mm256_set1_epi8('\n')));
        l.point |= BITS(_mm256_cmpeq_epi8(v, _mm256_set1_epi8('.')));
        l.digit |= BITS(_mm256_cmpeq_epi8(_mm256_min_epu8(d, _mm256_set1_epi8(9)), d));
#undef BITS
    }
    return l;
}
#else
static inline struct look look_at(const char *p)
{
    struct look l = {0};
    for (int k = 0; k < 64; k += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(p + k)),
                d = _mm_sub_epi8(v, _mm_set1_epi8('0'));
#define BITS(x) ((uint64_t)(uint32_t)_mm_movemask_epi8(x) << k)
        l.blank |= BITS(_mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(' ')), v));
        l.newline |= BITS(_mm_cmpeq_epi8(v, _mm_set1_epi8('\n')));
        l.point |= BITS(_mm_cmpeq_epi8(v, _mm_set1_epi8('.')));
        l.digit |= BITS(_mm_cmpeq_epi8(_mm_min_epu8(d, _mm_set1_epi8(9)), d));
#undef BITS
    }
    return l;
}
#endif

static inline int lowest(uint64_t bits) /* bits is not 0 */
{
    return __builtin_ctzll(bits);
}

static inline uint64_t below(int n) /* n < 64 */
{
    return ((uint64_t)1 << n) - 1;
}

/* Sliding windows: seq + D puts D digits at the right end of 16 bytes, step + F steps over the
 * point before F of them. */
static const unsigned char seq[32] = {128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
                                      128, 128, 128, 128, 128, 0,   1,   2,   3,   4,   5,
                                      6,   7,   8,   9,   10,  11,  12,  13,  14,  15};
static const unsigned char step[32] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                       1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

static inline uint64_t digits_to_integer(const char *p, int digits, int fraction)
{
    __m128i at = _mm_add_epi8(_mm_loadu_si128((const __m128i *)(seq + digits)),
                              _mm_loadu_si128((const __m128i *)(step + fraction)));
    __m128i v = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)p), _mm_set1_epi8('0'));
    v = _mm_shuffle_epi8(v, at);
    v = _mm_maddubs_epi16(v, _mm_set1_epi16(10 | 1 << 8));
    v = _mm_madd_epi16(v, _mm_set1_epi32(100 | 1 << 16));
    v = _mm_packus_epi32(v, v);
    v = _mm_madd_epi16(v, _mm_set1_epi32(10000 | 1 << 16));
    uint64_t both = (uint64_t)_mm_cvtsi128_si64(v);
    return (both & 0xffffffffu) * 100000000u + (both >> 32);
}

/*
 * The word of len bytes at p + s as a number. f32: by way of the f64 nearest to the decimal, which
 * gives the nearest f32 too, unless that f64 lies exactly between two f32 (every midpoint of two
 * f32 is an f64, so rounding to f64 cannot step over one): then the digits decide. Returns 0 or -1:
 * it needs care.
 */
static inline __attribute__((always_inline)) int number(const char *p, const struct look *l, int s,
                                                        int len, int f64, void *out)
{
    char c = p[s];
    int neg = c == '-', sign = neg | (c == '+'), t = s + sign, n = len - sign;
    uint64_t in = below(n), point = (l->point >> t) & in, other = (~l->digit >> t) & in;
    int has = point != 0, digits = n - has,
        fraction = has ? n - 1 - lowest(point | (uint64_t)1 << 63) : 0;
    if (__builtin_expect(n > 16 || digits > 15 || digits < 1 || other != (point & (0 - point)), 0))
        return f64 ? decimal_get_f64(p + s, (size_t)len, DECIMAL_FORTRAN, out)
                   : decimal_get_f32(p + s, (size_t)len, DECIMAL_FORTRAN, out);
    double v =
        (double)(int64_t)digits_to_integer(p + t, digits, fraction) / decimal_pow10[fraction];
    uint64_t bits;
    memcpy(&bits, &v, 8);
    if (!f64 && __builtin_expect((bits & 0x1fffffff) == 0x10000000, 0))
        return decimal_get_f32(p + s, (size_t)len, DECIMAL_FORTRAN, out);
    bits |= (uint64_t)neg << 63;
    memcpy(&v, &bits, 8);
    if (f64) {
        memcpy(out, &v, 8);
    } else {
        float x = (float)v;
        memcpy(out, &x, 4);
    }
    return 0;
}

static inline __attribute__((always_inline)) int name_is(const char *p, uint64_t blank, int s,
                                                         uint64_t want)
{
    uint64_t rest = blank >> s, name;
    if (rest == 0)
        return 0;
    int len = lowest(rest);
    memcpy(&name, p + s, 8);
    return len == 8 ? name == want : len < 8 && (name & below(8 * len)) == want;
}

static inline __attribute__((always_inline)) int id_of(const char *p, const struct look *l, int s,
                                                       int64_t *id)
{
    uint64_t rest = l->blank >> s;
    int n = rest ? lowest(rest) : 64;
    if (n > 15 || ((~l->digit >> s) & below(n)))
        return -1;
    *id = (int64_t)digits_to_integer(p + s, n, 0);
    return 0;
}

/* One line; starts: first byte of each word. 0, or -1: it needs care. */
static inline __attribute__((always_inline)) int line(const struct rows *r, const char *p,
                                                      const struct look *l, uint64_t starts,
                                                      size_t row, int f64, void *out)
{
    int pos = r->layout.pos, size = f64 ? 8 : 4;
    if (r->columns && (!l->newline || __builtin_popcountll(starts) != r->columns))
        return -1;
    if (r->names8 || r->ids) {
        uint64_t w = starts;
        for (int k = 0; w; k++, w &= w - 1) {
            if (r->names8 && k == r->layout.name &&
                !name_is(p, l->blank, lowest(w), r->names8[row]))
                return -1;
            if (r->ids && k == r->layout.id && id_of(p, l, lowest(w), &r->ids[row]) != 0)
                return -1;
            if (k >= r->layout.name && k >= r->layout.id)
                break;
        }
        if (w == 0)
            return -1;
    }
    for (int k = 0; k < pos; k++)
        starts &= starts - 1;
    for (int k = 0; k < 3; k++) {
        if (starts == 0)
            return -1;
        int s = lowest(starts);
        uint64_t rest = l->blank >> s;
        starts &= starts - 1;
        if (rest == 0 || number(p, l, s, lowest(rest), f64, (char *)out + k * size) != 0)
            return -1;
    }
    return 0;
}

static inline __attribute__((always_inline)) size_t many(const struct rows *r, const char **stop,
                                                         int f64)
{
    const char *p = r->text;
    char *out = r->pos;
    size_t row = 0;
    for (; row < r->nrows && p < r->end; row++, out += f64 ? 24 : 12) {
        struct look l = look_at(p);
        uint64_t this_line = l.newline ^ (l.newline - 1); /* up to its newline, or all 64 */
        uint64_t starts = ~l.blank & (l.blank << 1 | 1) & this_line;
        if (__builtin_expect(line(r, p, &l, starts, row, f64, out) != 0, 0))
            break;
        if (l.newline)
            p += lowest(l.newline) + 1;
        else
            p = (const char *)memchr(p + 64, '\n', (size_t)(r->end - p) - 64) + 1;
    }
    *stop = p;
    return row;
}

size_t SIMD_NAME(rows_f32)(const struct rows *r, const char **stop)
{
    return many(r, stop, 0);
}

size_t SIMD_NAME(rows_f64)(const struct rows *r, const char **stop)
{
    return many(r, stop, 1);
}

static inline uint64_t newlines(const char *p)
{
#if SIMD_LEVEL >= 4
    return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(p), _mm512_set1_epi8('\n'));
#else
    uint64_t bits = 0;
    for (int k = 0; k < 64; k += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(p + k));
        bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('\n'))) << k;
    }
    return bits;
#endif
}

const char *SIMD_NAME(rows_skip_lines)(const char *p, const char *end, size_t *lines)
{
    size_t left = *lines;
    while (left > 0 && p < end) {
        uint64_t nl = newlines(p);
        if (end - p < 64)
            nl &= below((int)(end - p));
        size_t n = (size_t)__builtin_popcountll(nl);
        if (n < left) {
            left -= n;
            p += end - p < 64 ? end - p : 64;
            continue;
        }
        while (--left > 0)
            nl &= nl - 1;
        p += lowest(nl) + 1;
    }
    *lines = left;
    return p;
}

static inline int is_control(unsigned char c)
{
    return (c < ' ') & (c != '\t') & (c != '\n') & (c != '\r');
}

size_t SIMD_NAME(rows_control)(const char *p, size_t n)
{
    enum { STEP = 4096 };
    size_t at = 0;
    for (size_t end; at < n; at = end) {
        unsigned char any = 0;
        end = n - at < STEP ? n : at + STEP;
        for (size_t k = at; k < end; k++)
            any |= (unsigned char)is_control((unsigned char)p[k]);
        if (any)
            break;
    }
    while (at < n && !is_control((unsigned char)p[at]))
        at++;
    return at;
}
