/* SPDX-License-Identifier: MIT */
/* rows_simd.c: parses atom lines with vector instructions, built for three levels. 64 bytes are
 * converted to four bit masks (blank, newline, point, digit). Bit operations then find words and
 * their ends, and whether they are valid. A shuffle and three multiply-adds convert the up to 15
 * digits of a number to an integer (with AVX-512, for all words of two lines at once). A division
 * by an exact power of ten rounds the result once (Clinger). */
#include "base/simd_x86.h"
#include <string.h>

#include "io/decimal.h"
#include "io/rows.h"

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
#else
#if SIMD_LEVEL == 3
typedef __m256i vector;
#define OP(name) _mm256_##name
#else
typedef __m128i vector;
#define OP(name) _mm_##name
#endif
static inline struct look look_at(const char *p)
{
    struct look l = {0};
    for (size_t k = 0; k < 64; k += sizeof(vector)) {
        vector v;
        memcpy(&v, p + k, sizeof v);
        vector d = OP(sub_epi8)(v, OP(set1_epi8)('0'));
#define BITS(x) ((uint64_t)(uint32_t)OP(movemask_epi8)(x) << k)
        l.blank |= BITS(OP(cmpeq_epi8)(OP(min_epu8)(v, OP(set1_epi8)(' ')), v));
        l.newline |= BITS(OP(cmpeq_epi8)(v, OP(set1_epi8)('\n')));
        l.point |= BITS(OP(cmpeq_epi8)(v, OP(set1_epi8)('.')));
        l.digit |= BITS(OP(cmpeq_epi8)(OP(min_epu8)(d, OP(set1_epi8)(9)), d));
#undef BITS
    }
    return l;
}
#endif

static inline int lowest(uint64_t bits) /* bits is not 0 */
{
    return __builtin_ctzll(bits);
}

static inline uint64_t below(int n) /* for n < 64 */
{
    return ((uint64_t)1 << n) - 1;
}

/* Tables for shuffles. The table at seq + D moves D digits to the right end of 16 bytes. The table
 * at step + F skips the point before the last F digits. */
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

/* Reads the word of `len` bytes at p + s as a number. An f32 is rounded from the f64 nearest to the
 * decimal. This gives the nearest f32 unless that f64 is exactly halfway between two f32 numbers.
 * (Every such midpoint is an f64, so rounding to f64 cannot cross it.) In that case, the digits
 * decide. Returns 0, or -1 if the word must be parsed separately. */
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

/* Returns the bit of word k among the words that begin at `starts`, or 0 if there are fewer. */
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

/* Reads the words that begin at `starts` as x, y and z. Reads the word at id_at as an id unless
 * `id` is NULL. Returns 0 or -1. */
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

/* Checks that the name at s is the expected name, and stores it if requested. */
static inline __attribute__((always_inline)) int name_suits(const struct rows *r, const char *p,
                                                            uint64_t blank, int s, size_t row)
{
    uint64_t rest = blank >> s, name;
    if (rest == 0)
        return 0;
    int len = lowest(rest);
    if (len > 8)
        return 0;
    memcpy(&name, p + s, 8);
    name &= UINT64_MAX >> (64 - 8 * len);
    if (r->names_found) {
        if (!r->changed)
            r->names_found[row] = name;
        else if (__builtin_expect(r->names_found[row] != name, 0)) {
            r->names_found[row] = name;
            *r->changed = true;
        }
    }
    return !r->names8 || name == r->names8[row];
}

/* Returns the end of the line at p, whose first 64 bytes have no newline. Adds the number of words
 * that begin after them to *count. */
static inline const char *beyond(const char *p, uint64_t blank, int *count)
{
    for (;;) {
        uint64_t before = blank >> 63;
        struct look l = look_at(p += 64);
        blank = l.blank;
        *count +=
            __builtin_popcountll(~blank & (blank << 1 | before) & (l.newline ^ (l.newline - 1)));
        if (l.newline)
            return p + lowest(l.newline) + 1;
    }
}

/* Returns the end of the line at p, and sets *count to its number of words. */
static inline const char *behind(const char *p, const struct look *l, uint64_t starts, int *count)
{
    *count = __builtin_popcountll(starts);
    return l->newline ? p + lowest(l->newline) + 1 : beyond(p, l->blank, count);
}

/* Reads one line. `starts` has the first byte of each word, and *end becomes the start of the next
 * line. Returns 0, or -1 if the line must be parsed separately. */
static inline __attribute__((always_inline)) int line(const struct rows *r, const char *p,
                                                      const struct look *l, uint64_t starts,
                                                      size_t row, int f64, void *out,
                                                      const char **end)
{
    int pos = r->layout.pos, count;
    *end = behind(p, l, starts, &count);
    if (!rows_columns(count, r->columns, r->min))
        return -1;
    int named = r->names8 || r->names_found;
    uint64_t name = named ? word(starts, r->layout.name) : 1,
             id = r->ids ? word(starts, r->layout.id) : 1, x = word(starts, pos);
    if (!name || !id || !x)
        return -1;
    if (named && !name_suits(r, p, l->blank, lowest(name), row))
        return -1;
    return three_words(p, l, starts & (0 - x), f64, out, lowest(id), r->ids ? &r->ids[row] : NULL);
}

/* Returns the first byte of each word of the line, as bits. */
static inline uint64_t words(const struct look *l)
{
    uint64_t this_line = l->newline ^ (l->newline - 1); /* up to the newline, or all 64 bits */
    return ~l->blank & (l->blank << 1 | 1) & this_line;
}

enum { LINES = 32 }; /* number of lines processed together */
#if SIMD_LEVEL >= 4
/* Lines processed in pairs. The positions of the words are found first, in general registers. Then
 * all words of two lines are processed in eight lanes: id, x, y and z (or x twice if there is no
 * id), alternating between the two lines. */
struct glance {
    const char *line[LINES + 1];
    uint64_t blank[LINES], point[LINES], digit[LINES], minus[LINES];
    uint64_t word[LINES / 2][8];   /* first byte of the word, as a bit */
    const char *end[LINES / 2][8]; /* after its last byte */
};

/* Finds the ends of the lines of [p, end) and stores them from line[1] on. Returns their number. */
static inline size_t lines(const char *p, const char *end, size_t max, const char **line)
{
    size_t n = 0;
    for (; n < max && p < end; p += 64) {
        uint64_t nl = look_at(p).newline;
        if (end - p < 64)
            nl &= below((int)(end - p));
        for (; nl && n < max; nl &= nl - 1)
            line[++n] = p + lowest(nl) + 1;
    }
    return n;
}

/* Returns how many lines at p can be read in lanes, which is an even number. */
static inline __attribute__((always_inline)) size_t glance(const struct rows *r, const char *p,
                                                           size_t row, struct glance *g)
{
    size_t n = 0, max = r->nrows - row < LINES ? r->nrows - row : LINES;
    g->line[0] = p;
    if (p < r->text + 16) /* words are loaded from their ends */
        return 0;
    max = lines(p, r->end, max, g->line);
    for (; n < max; n++) {
        p = g->line[n];
        size_t bytes = (size_t)(g->line[n + 1] - p);
        struct look l = look_at(p);
        uint64_t starts = ~l.blank & (l.blank << 1 | 1) &
                          _bzhi_u64(UINT64_MAX, bytes < 64 ? (unsigned)bytes : 64),
                 x = word(starts, r->layout.pos), id = r->ids ? word(starts, r->layout.id) : x,
                 more = starts & ~(x ^ (x - 1)), y = more & (0 - more),
                 z = (more ^ y) & (0 - (more ^ y)), last = z > id ? z : id;
        int count = __builtin_popcountll(starts);
        if (r->columns && bytes > 64)
            beyond(p, l.blank, &count);
        if (!z || !id || !(l.blank & (0 - last)) || !rows_columns(count, r->columns, r->min))
            break;
        if (r->names8 || r->names_found) {
            uint64_t name = word(starts, r->layout.name);
            if (!name || !name_suits(r, p, l.blank, lowest(name), row + n))
                break;
        }
        const uint64_t w[4] = {id, x, y, z};
        for (int k = 0; k < 4; k++) {
            g->word[n / 2][2 * k + n % 2] = w[k];
            g->end[n / 2][2 * k + n % 2] = p + lowest(l.blank & (0 - w[k]));
        }
        g->blank[n] = l.blank;
        g->point[n] = l.point;
        g->digit[n] = l.digit;
        g->minus[n] = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(p), _mm512_set1_epi8('-'));
    }
    return n & ~(size_t)1;
}

/* Converts the words of one of two lines to four numbers of four digits each. Bytes 0 and 8 of
 * `form` hold the number of digits. The bytes after them hold the number of digits after the point,
 * or 16 without a point. */
static inline __m512i digits_of(const char *const *end, __m512i form)
{
    const __m512i iota =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    __m512i text = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(end[0] - 16)));
    text = _mm512_inserti32x4(text, _mm_loadu_si128((const __m128i *)(end[2] - 16)), 1);
    text = _mm512_inserti32x4(text, _mm_loadu_si128((const __m128i *)(end[4] - 16)), 2);
    text = _mm512_inserti32x4(text, _mm_loadu_si128((const __m128i *)(end[6] - 16)), 3);
    __m512i digits = _mm512_shuffle_epi8(form, _mm512_setzero_si512()),
            fraction = _mm512_shuffle_epi8(form, _mm512_set1_epi8(1));
    __mmask64 digit = _mm512_cmpgt_epi8_mask(_mm512_add_epi8(iota, digits), _mm512_set1_epi8(15));
    __mmask64 before =
        _mm512_cmple_epi8_mask(_mm512_add_epi8(iota, fraction), _mm512_set1_epi8(15));
    __m512i at = _mm512_mask_sub_epi8(iota, before, iota, _mm512_set1_epi8(1));
    __m512i v = _mm512_maskz_shuffle_epi8(digit, _mm512_sub_epi8(text, _mm512_set1_epi8('0')), at);
    v = _mm512_maddubs_epi16(v, _mm512_set1_epi16(10 | 1 << 8));
    return _mm512_madd_epi16(v, _mm512_set1_epi32(100 | 1 << 16));
}

/* Returns the masks of the two lines in alternating lanes. */
static inline __m512i by_turns(const uint64_t *mask)
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)mask));
}

/* Reads lines n and n + 1, with even n, as rows. The results equal those of number(). Returns 0, or
 * -1 if one of the lines must be parsed separately. */
static inline __attribute__((always_inline)) int two_lines(const struct glance *g, size_t n,
                                                           int f64, char *out, int64_t *ids)
{
    const __m512i zero = _mm512_setzero_si512(), one = _mm512_set1_epi64(1);
    __m512i b = _mm512_loadu_si512(g->word[n / 2]), point = by_turns(g->point + n),
            digit = by_turns(g->digit + n), minus = _mm512_and_si512(by_turns(g->minus + n), b),
            from = _mm512_and_si512(by_turns(g->blank + n), _mm512_sub_epi64(zero, b)),
            e = _mm512_and_si512(from, _mm512_sub_epi64(zero, from)),
            in = _mm512_andnot_si512(minus, _mm512_sub_epi64(e, b)),
            other = _mm512_andnot_si512(digit, in),
            wrong = _mm512_or_si512(_mm512_andnot_si512(point, other),
                                    _mm512_and_si512(other, _mm512_sub_epi64(other, one)));
    __mmask8 neg = _mm512_test_epi64_mask(minus, minus), has = _mm512_test_epi64_mask(other, other);
    __m512i to_end = _mm512_lzcnt_epi64(e),
            digits = _mm512_sub_epi64(_mm512_lzcnt_epi64(b), to_end);
    digits = _mm512_mask_sub_epi64(digits, neg, digits, one);
    digits = _mm512_mask_sub_epi64(digits, has, digits, one);
    __m512i fraction =
        _mm512_maskz_sub_epi64(has, _mm512_sub_epi64(_mm512_lzcnt_epi64(other), to_end), one);
    /* digits from 1 to 15, so that digits - 1 as an unsigned number is below 15 */
    __mmask8 bad = _mm512_test_epi64_mask(wrong, wrong) |
                   _mm512_cmpge_epu64_mask(_mm512_sub_epi64(digits, one), _mm512_set1_epi64(15));
    if (__builtin_expect(bad | (ids ? (neg | has) & 3 : 0), 0))
        return -1;
    __m512i form = _mm512_or_si512(
        digits, _mm512_slli_epi64(_mm512_mask_mov_epi64(_mm512_set1_epi64(16), has, fraction), 8));
    __m512i v =
        _mm512_packus_epi32(digits_of(g->end[n / 2], _mm512_unpacklo_epi64(form, form)),
                            digits_of(g->end[n / 2] + 1, _mm512_unpackhi_epi64(form, form)));
    v = _mm512_madd_epi16(v, _mm512_set1_epi32(10000 | 1 << 16));
    v = _mm512_add_epi64(_mm512_mul_epu32(v, _mm512_set1_epi64(100000000)),
                         _mm512_srli_epi64(v, 32));
    __m512d ten = _mm512_permutex2var_pd(_mm512_loadu_pd(decimal_pow10), fraction,
                                         _mm512_loadu_pd(decimal_pow10 + 8));
    __m512i bits = _mm512_castpd_si512(_mm512_div_pd(_mm512_cvtepi64_pd(v), ten));
    if (!f64 && __builtin_expect(
                    _mm512_cmpeq_epi64_mask(_mm512_and_si512(bits, _mm512_set1_epi64(0x1fffffff)),
                                            _mm512_set1_epi64(0x10000000)),
                    0))
        return -1;
    bits = _mm512_mask_xor_epi64(bits, neg, bits, _mm512_set1_epi64(INT64_MIN));
    if (ids)
        _mm_storeu_si128((__m128i *)ids, _mm512_castsi512_si128(v));
    __m512d x = _mm512_castsi512_pd(
        _mm512_permutexvar_epi64(_mm512_setr_epi64(2, 4, 6, 3, 5, 7, 0, 0), bits));
    if (f64)
        _mm512_mask_storeu_pd(out, 0x3f, x);
    else
        _mm256_mask_storeu_ps(out, 0x3f, _mm512_cvtpd_ps(x));
    return 0;
}

/* Reads rows from `row` on, whose text begins at *p, until a row must be parsed separately. Returns
 * their number. */
static inline __attribute__((always_inline)) size_t pairs(const struct rows *r, const char **p,
                                                          size_t row, int f64)
{
    struct glance g;
    char *out = (char *)r->pos + row * (f64 ? 24 : 12);
    size_t n = 0, max = glance(r, *p, row, &g);
    while (n < max &&
           two_lines(&g, n, f64, out + n * (f64 ? 24 : 12), r->ids ? r->ids + row + n : NULL) == 0)
        n += 2;
    *p = g.line[n];
    return n;
}
#else
#define pairs(r, p, row, f64) 0 /* without lanes */
#endif

static inline __attribute__((always_inline)) size_t many(const struct rows *r, const char **stop,
                                                         int f64)
{
    const char *p = r->text;
    size_t row = 0,
           alone = 1; /* number of rows for which lanes are not tried, because unsuitable rows
                       * often come together */
    while (row < r->nrows && p < r->end) {
        size_t n = alone ? 0 : pairs(r, &p, row, f64);
        row += n;
        if (n > 0)
            continue;
        alone = alone ? alone - 1 : LINES - 1;
        struct look l = look_at(p);
        char *out = (char *)r->pos + row * (f64 ? 24 : 12);
        const char *end;
        if (__builtin_expect(line(r, p, &l, words(&l), row, f64, out, &end) != 0, 0))
            break;
        p = end;
        row++;
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

const char *SIMD_NAME(rows_skip_lines)(const char *p, const char *end, size_t *lines)
{
    size_t left = *lines;
    while (left > 0 && p < end) {
        uint64_t nl = look_at(p).newline;
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
