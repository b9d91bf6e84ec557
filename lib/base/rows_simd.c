/* SPDX-License-Identifier: MIT */
/*
 * rows_simd.c: atom lines as vectors, built for three levels. One look at 64 bytes gives four bit masks
 * (blank, newline, point, digit); words, their ends and their validity are then bit tricks, and the
 * up to 15 digits of a number become an integer by a shuffle and three multiply-adds (of three
 * numbers and an id at once, with AVX-512: 1.35 times the rows a second). Dividing by
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

/* The word number k of those that begin at starts, as a bit; 0: there are not so many. */
static inline uint64_t word(uint64_t starts, int k)
{
#ifdef __BMI2__
    return _pdep_u64((uint64_t)1 << k, starts);
#else
    while (k-- > 0)
        starts &= starts - 1;
    return starts & (0 - starts);
#endif
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

/* The words that begin at starts as x, y and z; the word that begins at id_at as an id, unless id is
 * NULL. 0 or -1. */
static inline __attribute__((always_inline)) int three_words(const char *p, const struct look *l,
                                                             uint64_t starts, int f64, void *out,
                                                             int id_at, int64_t *id)
{
    if (id && id_of(p, l, id_at, id) != 0)
        return -1;
    for (int k = 0; k < 3; k++, starts &= starts - 1) {
        if (starts == 0)
            return -1;
        int s = lowest(starts);
        uint64_t rest = l->blank >> s;
        if (rest == 0 || number(p, l, s, lowest(rest), f64, (char *)out + k * (f64 ? 8 : 4)) != 0)
            return -1;
    }
    return 0;
}

#if SIMD_LEVEL >= 4
/* In each lane of text, digits from byte skip + 16 on, the last `fraction` of which stand behind a
 * point, as an integer. */
static inline __attribute__((always_inline)) __m256i integers(__m512i text, __m256i skip,
                                                              __m256i digits, __m256i fraction)
{
    const __m512i iota = _mm512_broadcast_i32x4(
                      _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)),
                  pairs = _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3), byte0 = _mm512_setzero_si512();
#define LANES(x)                                                                                   \
    _mm512_shuffle_epi8(_mm512_permutexvar_epi64(pairs, _mm512_castsi256_si512(x)), byte0)
    __m512i end = _mm512_add_epi8(iota, LANES(digits)), at = _mm512_add_epi8(end, LANES(skip));
    __mmask64 digit = _mm512_cmpgt_epi8_mask(end, _mm512_set1_epi8(15));
    __mmask64 behind =
        _mm512_cmpgt_epi8_mask(_mm512_add_epi8(iota, LANES(fraction)), _mm512_set1_epi8(15));
#undef LANES
    at = _mm512_mask_add_epi8(at, behind, at, _mm512_set1_epi8(1));
    __m512i v = _mm512_maskz_shuffle_epi8(digit, _mm512_sub_epi8(text, _mm512_set1_epi8('0')), at);
    v = _mm512_maddubs_epi16(v, _mm512_set1_epi16(10 | 1 << 8));
    v = _mm512_madd_epi16(v, _mm512_set1_epi32(100 | 1 << 16));
    v = _mm512_packus_epi32(v, v);
    v = _mm512_madd_epi16(v, _mm512_set1_epi32(10000 | 1 << 16));
    __m256i both = _mm512_castsi512_si256(_mm512_maskz_compress_epi64(0x55, v));
    return _mm256_add_epi64(_mm256_mul_epu32(both, _mm256_set1_epi64x(100000000)),
                            _mm256_srli_epi64(both, 32));
}

/* The same as number() for all three at once, in lanes, and in a fourth the id that begins at byte
 * s3 (id NULL: the first number again). */
static inline __attribute__((always_inline)) int
three(const char *p, const struct look *l, uint64_t starts, int f64, void *out, int s3, int64_t *id)
{
    uint64_t more = starts & (starts - 1), last = more & (more - 1);
    if (__builtin_expect(last == 0 || l->blank >> lowest(last) == 0, 0))
        return -1;
    if (__builtin_expect(id && l->blank >> s3 == 0, 0))
        return -1;
    int s0 = lowest(starts), s1 = lowest(more), s2 = lowest(last);
    s3 = id ? s3 : s0;
    __m256i one = _mm256_set1_epi64x(1), s = _mm256_set_epi64x(s3, s2, s1, s0),
            len = _mm256_set_epi64x(lowest(l->blank >> s3), lowest(l->blank >> s2),
                                    lowest(l->blank >> s1), lowest(l->blank >> s0));
    __m512i text = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(p + s0)));
    text = _mm512_inserti32x4(text, _mm_loadu_si128((const __m128i *)(p + s1)), 1);
    text = _mm512_inserti32x4(text, _mm_loadu_si128((const __m128i *)(p + s2)), 2);
    text = _mm512_inserti32x4(text, _mm_loadu_si128((const __m128i *)(p + s3)), 3);
    /* the first byte of each: a sign? */
    __mmask64 minus = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('-')),
              plus = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('+'));
    const uint64_t first = 0x0001000100010001; /* of each lane */
    __mmask8 neg = (__mmask8)_pext_u64(minus, first),
             sign = (__mmask8)_pext_u64(minus | plus, first);
    __m256i t = _mm256_mask_add_epi64(s, sign, s, one),
            n = _mm256_mask_sub_epi64(len, sign, len, one),
            in = _mm256_sub_epi64(_mm256_sllv_epi64(one, n), one),
            point =
                _mm256_and_si256(_mm256_srlv_epi64(_mm256_set1_epi64x((int64_t)l->point), t), in),
            other =
                _mm256_and_si256(_mm256_srlv_epi64(_mm256_set1_epi64x((int64_t)~l->digit), t), in);
    __mmask8 has = _mm256_test_epi64_mask(point, point);
    __m256i digits = _mm256_mask_sub_epi64(n, has, n, one),
            fraction = _mm256_maskz_add_epi64(has, _mm256_sub_epi64(n, _mm256_set1_epi64x(64)),
                                              _mm256_lzcnt_epi64(point)),
            single = _mm256_and_si256(point, _mm256_sub_epi64(_mm256_setzero_si256(), point));
    if (__builtin_expect(_mm256_cmpgt_epi64_mask(len, _mm256_set1_epi64x(16)) |
                             _mm256_cmpgt_epi64_mask(digits, _mm256_set1_epi64x(15)) |
                             _mm256_cmplt_epi64_mask(digits, one) |
                             _mm256_cmpneq_epi64_mask(other, single),
                         0))
        return three_words(p, l, starts, f64, out, s3, id);
    __m256i skip = _mm256_sub_epi64(t, _mm256_add_epi64(s, _mm256_set1_epi64x(16))),
            both = integers(text, skip, digits, fraction);
    __m256d ten = _mm512_castpd512_pd256(
        _mm512_permutex2var_pd(_mm512_loadu_pd(decimal_pow10), _mm512_castsi256_si512(fraction),
                               _mm512_loadu_pd(decimal_pow10 + 8)));
    __m256d x = _mm256_div_pd(_mm256_cvtepi64_pd(both), ten);
    __m256i bits = _mm256_castpd_si256(x);
    if (!f64 && __builtin_expect(
                    _mm256_cmpeq_epi64_mask(_mm256_and_si256(bits, _mm256_set1_epi64x(0x1fffffff)),
                                            _mm256_set1_epi64x(0x10000000)),
                    0))
        return three_words(p, l, starts, f64, out, s3, id);
    if (id) {
        if (__builtin_expect((has | sign) & 8, 0))
            return -1;
        *id = _mm256_extract_epi64(both, 3);
    }
    bits = _mm256_mask_xor_epi64(bits, neg, bits, _mm256_set1_epi64x(INT64_MIN));
    if (f64)
        _mm256_mask_storeu_pd(out, 7, _mm256_castsi256_pd(bits));
    else
        _mm_mask_storeu_ps(out, 7, _mm256_cvtpd_ps(_mm256_castsi256_pd(bits)));
    return 0;
}
#else
#define three three_words
#endif

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

/* One line; starts: first byte of each word. 0, or -1: it needs care. */
static inline __attribute__((always_inline)) int line(const struct rows *r, const char *p,
                                                      const struct look *l, uint64_t starts,
                                                      size_t row, int f64, void *out)
{
    int pos = r->layout.pos;
    if (r->columns && (!l->newline || __builtin_popcountll(starts) != r->columns))
        return -1;
    uint64_t name = r->names8 ? word(starts, r->layout.name) : 1,
             id = r->ids ? word(starts, r->layout.id) : 1, x = word(starts, pos);
    if (!name || !id || !x)
        return -1;
    if (r->names8 && !name_is(p, l->blank, lowest(name), r->names8[row]))
        return -1;
    return three(p, l, starts & (0 - x), f64, out, lowest(id), r->ids ? &r->ids[row] : NULL);
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
