/* SPDX-License-Identifier: MIT */
/* Reads GROMACS XTC trajectories. In XDR, a frame is a header and packed positions, which are
 * multiples of 1/precision nm. The packing ("3dfcoord", F. van Hoesel) uses integers relative to
 * the minimum of each axis, and stores three integers as one number in the mixed base of the ranges
 * of the axes. An atom may be followed by a run of up to ten atoms, each stored as a small
 * difference from the previous atom. The base of the differences comes from a table of ranges,
 * whose index changes by at most one entry at a time. The first atom of a run is swapped with the
 * atom before it, which shortens the data of water. Bits are filled from the highest bit of each
 * byte. A number for three integers stores its lowest byte first. Source: GROMACS reference manual,
 * "XTC"; D. Spangberg et al., J. Mol. Model. 17, 2669 (2011), on the algorithm; example files. */
#include <inttypes.h>
#include <math.h>

#include "formats/xdr.h"

enum {
    MAGIC = 1995,
    MAGIC_LARGE = 2023, /* the number of packed bytes has 64 bits */
    PLAIN = 9,          /* positions of up to 9 atoms are not packed */
    HEAD = 56,          /* magic, atoms, step, time, cell, atoms */
    PACKED = HEAD + 32, /* plus precision, ranges, index (the byte count follows) */
    FIRST = 9,
    LAST = 72 /* FIRST to LAST: entries of the table in use */
};

/* Ranges of differences, about 2^(k/3). Three entries keep the values of the first XTC writer. */
static const int32_t ranges[LAST + 1] = {
    0,        0,        0,       0,       0,       0,       0,       0,       0,       8,
    10,       12,       16,      20,      25,      32,      40,      50,      64,      80,
    101,      128,      161,     203,     256,     322,     406,     512,     645,     812,
    1024,     1290,     1625,    2048,    2580,    3250,    4096,    5060,    6501,    8192,
    10321,    13003,    16384,   20642,   26007,   32768,   41285,   52015,   65536,   82570,
    104031,   131072,   165140,  208063,  262144,  330280,  416127,  524287,  660561,  832255,
    1048576,  1321122,  1664510, 2097152, 2642245, 3329021, 4194304, 5284491, 6658042, 8388607,
    10568983, 13316085, 16777216};

struct xtc {
    FORMAT_READER;
    /* properties of the current frame */
    size_t natoms, head, packed; /* bytes before the positions; bytes of the positions, padded */
    uint64_t data;               /* bytes of the positions without padding */
    int64_t step;
    float time, precision;
};

/* ---- packed numbers */

/* A divisor of at most 2^32 with its reciprocal, floor(2^64 / d). */
struct divisor {
    uint64_t d, inverse;
};

static struct divisor divisor(uint64_t d)
{
    return (struct divisor){d, d > 1 ? (uint64_t)(((unsigned __int128)1 << 64) / d) : UINT64_MAX};
}

/* Sets *n to the quotient and returns the remainder. The quotient from the reciprocal is at most
 * one too small. */
static inline uint32_t divide(uint64_t *n, struct divisor v)
{
    uint64_t q = (uint64_t)((unsigned __int128)*n * v.inverse >> 64), r = *n - q * v.d;
    if (r >= v.d) {
        r -= v.d;
        q++;
    }
    *n = q;
    return (uint32_t)r;
}

struct bits {
    const unsigned char *p; /* BYTES_SLACK bytes after the data may be read */
    uint64_t at, end;       /* in bits */
};

/* Takes the next n bits, 0 <= n <= 32, highest bit first. */
static inline uint32_t take_bits(struct bits *s, unsigned n)
{
    uint64_t w = bytes_u64(s->p + (s->at >> 3), true) << (s->at & 7);
    s->at += n;
    return n ? (uint32_t)(w >> (64 - n)) : 0;
}

/* Takes the next n <= 56 bits as a number, lowest byte first. */
static inline uint64_t take_number(struct bits *s, unsigned n)
{
    uint64_t w = bytes_u64(s->p + (s->at >> 3), true) << (s->at & 7);
    unsigned whole = n & ~7u, rest = n & 7;
    s->at += n;
    w = __builtin_bswap64(w);
    uint64_t low = w & ((UINT64_C(1) << whole) - 1);
    uint64_t high = (w >> whole & 0xff) >> (8 - rest);
    return low | high << whole;
}

/* Takes the next 57 to 72 bits as a number, lowest byte first. */
static unsigned __int128 take_large(struct bits *s, unsigned n)
{
    unsigned __int128 v = take_number(s, 56);
    return v | (unsigned __int128)take_number(s, n - 56) << 56;
}

/* Takes three numbers in the base v from n bits. The last number is the lowest digit. */
static inline void take_three(struct bits *s, unsigned n, const struct divisor v[3], int32_t to[3])
{
    if (n <= 56) {
        uint64_t w = take_number(s, n);
        to[2] = (int32_t)divide(&w, v[2]);
        to[1] = (int32_t)divide(&w, v[1]);
        to[0] = (int32_t)w;
        return;
    }
    unsigned __int128 w = take_large(s, n);
    to[2] = (int32_t)(w % v[2].d);
    w /= v[2].d;
    to[1] = (int32_t)(w % v[1].d);
    to[0] = (int32_t)(w / v[1].d);
}

static unsigned bit_length(unsigned __int128 v)
{
    unsigned n = 0;
    for (; v; v >>= 1)
        n++;
    return n;
}

/* How the first atom of a run is packed. */
struct range {
    int32_t low[3];
    struct divisor size[3];
    unsigned bits, each[3]; /* if bits is 0, each axis is packed separately */
};

static int read_range(struct xtc *x, const unsigned char *p, struct range *r, struct err *e)
{
    unsigned __int128 product = 1;
    bool large = false;
    for (int a = 0; a < 3; a++) {
        int32_t low = xdr_i32(p + 4 * a), high = xdr_i32(p + 12 + 4 * a);
        uint64_t size = (uint64_t)((int64_t)high - low + 1);
        if (high < low || size > UINT32_MAX)
            return bytes_bad(
                x->b, e,
                "damaged frame: expected a valid range of packed coordinates, found %d to %d", low,
                high);
        r->low[a] = low;
        r->size[a] = divisor(size);
        r->each[a] = bit_length(size);
        large = large || size > 0xffffff;
        product *= size;
    }
    r->bits = large ? 0 : bit_length(product);
    return 0;
}

/* Destination of positions. */
struct sink {
    float *f;
    double *d;                 /* NULL for f32 */
    double per_angstrom, step; /* step: 1 / per_angstrom */
};

static inline void sink_put(struct sink *s, const int32_t c[3])
{
    if (s->d) {
        for (int a = 0; a < 3; a++)
            *s->d++ = (double)c[a] / s->per_angstrom;
        return;
    }
    for (int a = 0; a < 3; a++) /* computed as in codec 2, so that codec 2 finds the grid */
        *s->f++ = (float)((double)c[a] * s->step);
}

static inline void add(int32_t c[3], const int32_t to[3], int32_t less)
{
    for (int a = 0; a < 3; a++)
        c[a] = (int32_t)((uint32_t)c[a] + (uint32_t)to[a] - (uint32_t)less);
}

/* Unpacks all atoms. Returns 0, or -1 if the bits are invalid. */
static int unpack(struct bits s, const struct range *r, int index, size_t natoms, struct sink *out)
{
    int32_t small = ranges[index] / 2, run = 0;
    struct divisor base[3];
    base[1] = base[2] = divisor((uint64_t)ranges[index]);
    for (size_t i = 0; i < natoms;) {
        int32_t now[3], prev[3];
        int move = 0;
        if (r->bits)
            take_three(&s, r->bits, r->size, now);
        else
            for (int a = 0; a < 3; a++)
                now[a] = (int32_t)take_bits(&s, r->each[a]);
        add(now, r->low, 0);
        i++;
        if (take_bits(&s, 1)) {
            run = (int32_t)take_bits(&s, 5);
            move = run % 3 - 1;
            run /= 3;
        }
        if (s.at > s.end || (size_t)run > natoms - i)
            return -1;
        if (run == 0)
            sink_put(out, now);
        memcpy(prev, now, sizeof prev);
        for (int k = 0; k < run; k++) {
            int32_t d[3];
            if (s.at > s.end)
                return -1;
            take_three(&s, (unsigned)index, base, d);
            add(d, prev, small);
            sink_put(out, d);
            if (k == 0)
                sink_put(out, now);
            memcpy(prev, d, sizeof prev);
        }
        i += (size_t)run;
        if (move) {
            index += move;
            if (index < FIRST || index > LAST)
                return -1;
            small = ranges[index] / 2;
            base[1] = base[2] = divisor((uint64_t)ranges[index]);
        }
    }
    return s.at <= s.end ? 0 : -1;
}

/* ---- frames */

/* Reads the header of a frame without taking it. Returns 1, 0 at the end of the file, or -1. */
static int peek_header(struct xtc *x, struct err *e)
{
    const unsigned char *p;
    int got = bytes_peek(x->b, HEAD, "a frame's header", &p, e);
    if (got != 1)
        return got;
    int32_t magic = xdr_i32(p), n = xdr_i32(p + 4), again = xdr_i32(p + 52);
    if (magic != MAGIC && magic != MAGIC_LARGE)
        return bytes_bad(x->b, e, "expected the magic number %d or %d of an XTC frame, found %d",
                         MAGIC, MAGIC_LARGE, magic);
    if (n <= 0 || n != again)
        return bytes_bad(x->b, e, "expected two equal numbers of atoms, found %d and %d", n, again);
    x->natoms = (size_t)n;
    x->step = xdr_i32(p + 8);
    x->time = xdr_f32(p + 12);
    x->precision = 0.0f;
    x->head = HEAD;
    x->packed = (size_t)n * 12;
    if (!isfinite(x->time))
        return bytes_bad(x->b, e, "expected a time, found %g", (double)x->time);
    if (n <= PLAIN)
        return 1;
    x->head = PACKED + (magic == MAGIC_LARGE ? 8 : 4);
    if ((got = bytes_peek(x->b, x->head, "a frame's header", &p, e)) != 1)
        return got;
    x->precision = xdr_f32(p + HEAD);
    x->data = magic == MAGIC_LARGE ? bytes_u64(p + PACKED, true) : bytes_u32(p + PACKED, true);
    if (!(x->precision > 0.0f) || !isfinite(x->precision))
        return bytes_bad(x->b, e, "expected a positive precision, found %g", (double)x->precision);
    if (x->data > (uint64_t)n * 30 + 64) /* an atom takes at most 72 or 3 * 32 bits, plus 6 bits */
        return bytes_bad(x->b, e, "damaged frame: %zu packed atoms cannot need %llu bytes",
                         x->natoms, (unsigned long long)x->data);
    x->packed = (size_t)(x->data + 3) / 4 * 4;
    return 1;
}

static int open_xtc(void *self, struct err *e)
{
    struct xtc *x = self;
    if (peek_header(x, e) != 1)
        return -1;
    x->info->natoms = x->natoms;
    x->info->counts_steps = x->info->step32 = true;
    if (x->precision > 0.0f)
        x->info->precision = format_few_digits(XDR_NM_A / format_f32_decimal(x->precision), 0.0);
    return 0;
}

static int decode(struct xtc *x, const unsigned char *p, struct format_frame *f, struct err *e)
{
    struct range r;
    if (x->natoms <= PLAIN) {
        xdr_numbers(p + HEAD, 3 * x->natoms, 4, f->pos, x->o->given.f64);
        return 0;
    }
    int32_t index = xdr_i32(p + HEAD + 28);
    if (read_range(x, p + HEAD + 4, &r, e) != 0)
        return -1;
    if (index < FIRST || index > LAST)
        return bytes_bad(x->b, e, "damaged frame: the table of differences has no index %d", index);
    struct sink out = {.f = f->pos,
                       .d = x->o->given.f64 ? f->pos : NULL,
                       .per_angstrom = (double)x->precision / XDR_NM_A,
                       .step = XDR_NM_A / (double)x->precision};
    struct bits s = {.p = p + x->head, .end = x->data * 8};
    if (unpack(s, &r, index, x->natoms, &out) != 0)
        return bytes_bad(x->b, e,
                         "damaged frame: %llu bytes of data do not contain %zu packed atoms",
                         (unsigned long long)x->data, x->natoms);
    return 0;
}

static int next_frame(void *self, struct format_frame *f, struct err *e)
{
    struct xtc *x = self;
    const unsigned char *p;
    int got = peek_header(x, e);
    if (got != 1)
        return got;
    if (x->natoms != x->info->natoms)
        return bytes_bad(x->b, e, "expected %zu atoms as in the first frame, found %zu",
                         x->info->natoms, x->natoms);
    if ((got = bytes_peek(x->b, x->head + x->packed, "a frame", &p, e)) != 1)
        return got;
    xdr_cell(p + 16, 4, f);
    f->step = x->step;
    f->time = (double)x->time;
    f->off = format_f32_off(x->time);
    if (f->decode && decode(x, p, f, e) != 0)
        return -1;
    bytes_take(x->b, x->head + x->packed);
    return 1;
}

FORMAT_MAGIC("xtc", 0, "\0\0\007\313", "is an XTC trajectory");
FORMAT_MAGIC("xtc", 0, "\0\0\007\347", "is an XTC trajectory");
FORMAT(xtc, "xtc", ".xtc", "XTC") = {
    .title = "an XTC trajectory",
    .size = sizeof(struct xtc),
    .open = open_xtc,
    .next = next_frame,
};
