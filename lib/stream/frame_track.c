/* SPDX-License-Identifier: MIT */
/* frame_track.c: the header of a part, the prefix code, and the bit strings of codec 2. */
#include <string.h>

#include "stream/frame_track.h"

enum { LANE_HEAD = 4 * TRACK_LANES, LANES_AT_ONCE = 8 };

static void put32(unsigned char *p, uint32_t v)
{
    memcpy(p, &v, sizeof v); /* little-endian, as frame_wire.h ensures */
}

static uint32_t get32(const unsigned char *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* ---- the header of a part */

static size_t head_bytes(const struct track *t)
{
    return TRACK_HEAD + 4 * t->order * (t->order + 1) / 2 + LANE_HEAD;
}

/* Packs the header except for the lengths of the lanes. */
static void pack_head(const struct track *t, unsigned char *p)
{
    p[0] = (unsigned char)t->kind;
    p[1] = (unsigned char)t->order;
    p[2] = (unsigned char)t->levels;
    p[3] = 0;
    put32(p + 4, t->exceptions);
    put32(p + 8, t->base);
    memcpy(p + 12, t->edge, 12);
    memcpy(p + 24, &t->per, 8);
    for (int k = 0; k < TRACK_CLASSES / 2; k++)
        p[32 + k] = (unsigned char)(t->length[2 * k] | t->length[2 * k + 1] << 4);
    p += TRACK_HEAD;
    for (unsigned q = 1; q <= t->order; p += 4 * q, q++)
        memcpy(p, t->coef[q - 1], 4 * q);
}

static int unpack_head(struct track *t, const unsigned char *head, size_t n, struct err *e)
{
    const unsigned char *p = head;
    memset(t, 0, sizeof *t);
    if (n < TRACK_HEAD || p[1] > TRACK_ORDER ||
        n < TRACK_HEAD + 2u * p[1] * (p[1] + 1u) + LANE_HEAD)
        return err_bad(e, "expected the header of a predicted part, found %zu bytes", n);
    t->kind = (enum track_kind)p[0];
    t->order = p[1];
    t->levels = p[2];
    t->exceptions = get32(p + 4);
    t->base = get32(p + 8);
    memcpy(t->edge, p + 12, 12);
    memcpy(&t->per, p + 24, 8);
    for (int k = 0; k < TRACK_CLASSES; k++)
        t->length[k] = p[32 + k / 2] >> 4 * (k % 2) & 15;
    p += TRACK_HEAD;
    for (unsigned q = 1; q <= t->order; p += 4 * q, q++)
        memcpy(t->coef[q - 1], p, 4 * q);
    bool grid = t->kind == TRACK_GRID,
         known = grid ? t->levels >= 1 && t->levels <= TRACK_LEVELS && t->per > 0 && t->per <= 1e15
                      : t->kind == TRACK_FLOATS && t->levels == 0 && t->per == 0 && t->base == 0;
    if (!known || head[3] != 0 || t->base > 100000000 || t->base % 10)
        return err_bad(
            e, "expected a valid decimal grid or plain floats, found kind %d with %u levels",
            (int)t->kind, t->levels);
    track_levels(t);
    return 0;
}

/* ---- the prefix code */

static unsigned class_of(uint32_t u)
{
    unsigned octave = 28 - (unsigned)__builtin_clz(u | 8);
    return octave * 8 + (u >> octave);
}

/* Computes the lengths of an optimal code for the counts, without a limit, and returns the longest.
 * Classes that do not occur get a code only if fewer than two classes occur. */
static unsigned code_lengths(const uint32_t *count, unsigned char *length)
{
    uint64_t weight[2 * TRACK_CLASSES];
    int16_t up[2 * TRACK_CLASSES], leaf[TRACK_CLASSES], n = 0;
    unsigned char depth[2 * TRACK_CLASSES];
    for (int k = 0; k < TRACK_CLASSES; k++) {
        int at = n;
        if (count[k] == 0 && !(TRACK_CLASSES - k <= 2 - n))
            continue;
        for (n++; at > 0 && count[leaf[at - 1]] > count[k]; at--)
            leaf[at] = leaf[at - 1];
        leaf[at] = (int16_t)k;
    }
    for (int k = 0; k < n; k++)
        weight[k] = count[leaf[k]];
    /* Leaves and inner nodes are in ascending order, so the smallest are at their starts. */
    for (int a = 0, b = n, node = n; node < 2 * n - 1; node++) {
        weight[node] = 0;
        for (int two = 0; two < 2; two++) {
            int min = a < n && (b == node || weight[a] <= weight[b]) ? a++ : b++;
            weight[node] += weight[min];
            up[min] = (int16_t)node;
        }
    }
    depth[2 * n - 2] = 0;
    for (int k = 2 * n - 3; k >= 0; k--)
        depth[k] = (unsigned char)(depth[up[k]] + 1);
    memset(length, 0, TRACK_CLASSES);
    for (int k = 0; k < n; k++)
        length[leaf[k]] = depth[k];
    return depth[0];
}

/* Limits the code to TRACK_BITS by raising the counts of rare classes. */
static void choose_code(const uint32_t *count, unsigned char *length)
{
    uint32_t c[TRACK_CLASSES];
    memcpy(c, count, sizeof c);
    while (code_lengths(c, length) > TRACK_BITS)
        for (int k = 0; k < TRACK_CLASSES; k++)
            c[k] = c[k] ? c[k] / 2 + 1 : 0;
}

/* Assigns codes, first bit lowest, ascending by length, then by class. Returns true if the lengths
 * make a complete code. */
static bool codes(const unsigned char *length, uint16_t *code)
{
    uint32_t next = 0;
    for (unsigned len = 1; len <= TRACK_BITS; len++, next <<= 1)
        for (int k = 0; k < TRACK_CLASSES; k++) {
            if (length[k] > TRACK_BITS)
                return false;
            if (length[k] != len)
                continue;
            uint32_t mirrored = 0;
            for (unsigned i = 0; i < len; i++)
                mirrored |= (next >> i & 1) << (len - 1 - i);
            code[k] = (uint16_t)mirrored;
            if (next++ >> len)
                return false;
        }
    return next == 2u << TRACK_BITS;
}

static int make_table(const struct track *t, struct track_table *table, struct err *e)
{
    uint16_t code[TRACK_CLASSES];
    if (!codes(t->length, code))
        return err_bad(
            e, "expected code lengths that make a complete prefix code, found other lengths");
    for (unsigned k = 0; k < TRACK_CLASSES; k++) {
        unsigned len = t->length[k], octave = k < 16 ? 0 : (k - 8) / 8,
                 ahead = k < 16 ? k : 8 + k % 8;
        for (unsigned i = code[k]; len && i < 1u << TRACK_BITS; i += 1u << len)
            table->of[i] = len | (len + octave) << 8 | octave << 16 | ahead << 24;
    }
    return 0;
}

/* Returns the first value of lane j, which ends before the first value of lane j + 1. */
static size_t lane_at(size_t count, int j)
{
    return (size_t)((unsigned __int128)count * (unsigned)j / TRACK_LANES);
}

/* ---- packing */

/* Prefix code of a class. */
struct code {
    uint16_t bits;
    unsigned char length, more;
};

static void make_codes(const struct track *t, struct code of[TRACK_CLASSES])
{
    uint16_t bits[TRACK_CLASSES] = {0};
    (void)codes(t->length, bits);
    for (unsigned k = 0; k < TRACK_CLASSES; k++)
        of[k] = (struct code){bits[k], t->length[k], k < 16 ? 0 : (unsigned char)((k - 8) / 8)};
}

/* Returns an upper limit of the bytes of TRACK_LANES strings, with a margin for writing eight at a
 * time. */
static size_t lanes_room(const struct code *code, const uint32_t *classes)
{
    uint64_t bits = 0;
    for (int k = 0; k < TRACK_CLASSES; k++)
        bits += (uint64_t)classes[k] * (code[k].length + code[k].more);
    return (size_t)(bits / 8) + TRACK_LANES + 8;
}

/* Writes TRACK_LANES strings to `p`. Returns the number of bytes. */
static size_t write_lanes(const struct code *code, const uint32_t *v, size_t count,
                          unsigned char *lengths, unsigned char *p)
{
    unsigned char *const begin = p;
    for (int j = 0; j < TRACK_LANES; j++) {
        const uint32_t *to = v + lane_at(count, j + 1);
        unsigned char *begun = p;
        uint64_t w = 0;
        unsigned have = 0;
        for (const uint32_t *u = v + lane_at(count, j); u < to; u++) {
            struct code c = code[class_of(*u)];
            w |= (c.bits | (uint64_t)(*u & ((1u << c.more) - 1)) << c.length) << have;
            have += c.length + c.more;
            memcpy(p, &w, sizeof w);
            p += have / 8;
            w >>= have & ~7u;
            have %= 8;
        }
        if (have)
            *p++ = (unsigned char)w;
        put32(lengths + 4 * j, (uint32_t)(p - begun));
    }
    return (size_t)(p - begin);
}

static void count_classes(const uint32_t *v, size_t count, uint32_t *of)
{
    uint32_t four[4][TRACK_CLASSES] = {0}; /* four tables, so that equal classes in a row do not
                                              wait for each other */
    for (size_t k = 0; k < count; k++)
        four[k % 4][class_of(v[k])]++;
    for (int c = 0; c < TRACK_CLASSES; c++)
        of[c] = four[0][c] + four[1][c] + four[2][c] + four[3][c];
}

static int unpack_lanes(const struct track *t, const unsigned char *p, size_t n,
                        const unsigned char *lengths, uint32_t *v, size_t count, struct err *e);

/* Appends the numbers that differ from x to the lanes at p, in at most `capacity` bytes. Returns
 * their number, or SIZE_MAX if too many. */
static size_t put_exceptions(const uint32_t *found, const void *x, size_t count, unsigned char *p,
                             size_t capacity)
{
    size_t n = 0;
    for (size_t k = 0; k < count; k++) {
        uint32_t want = get32((const unsigned char *)x + 4 * k);
        if (found[k] == want)
            continue;
        if (8 * (n + 1) > capacity || n > 2 * count / TRACK_OFF_GRID)
            return SIZE_MAX;
        put32(p + 8 * n, (uint32_t)k);
        put32(p + 8 * n++ + 4, want);
    }
    return n;
}

/* Packs with the settings of t. Returns 0 if the result is not short enough or does not restore
 * every bit. */
static size_t pack(struct track *t, size_t row, const void *raw, size_t n, unsigned char *out,
                   uint32_t *v)
{
    size_t count = n / 4, max = n - n / 20, head = head_bytes(t), end, off;
    uint32_t classes[TRACK_CLASSES];
    struct code code[TRACK_CLASSES];
    unsigned char *lengths = out + head - LANE_HEAD;
    SIMD_PICK(track_apply)(t, raw, v, count, row);
    count_classes(v, count, classes);
    choose_code(classes, t->length);
    make_codes(t, code);
    if (head + lanes_room(code, classes) > max)
        return 0;
    end = write_lanes(code, v, count, lengths, out + head);
    if (unpack_lanes(t, out + head, end, lengths, v, count, NULL))
        return 0;
    SIMD_PICK(track_undo)(t, v, count, row);
    off = put_exceptions(v, raw, count, out + head + end, max - head - end);
    if (off == SIZE_MAX)
        return 0;
    t->exceptions = (uint32_t)off;
    pack_head(t, out);
    return head + end + 8 * off;
}

size_t track_pack(const float edge[3], size_t row, uint64_t at, const void *raw, size_t n,
                  void *out, void *scratch)
{
    struct track t = {.phase = (unsigned)(at % 3)};
    memcpy(t.edge, edge, sizeof t.edge);
    if (!track_choose(&t, raw, n / 4, row))
        return 0;
    size_t len = pack(&t, row, raw, n, out, scratch);
    if (len || t.kind == TRACK_FLOATS)
        return len;
    t.kind = TRACK_FLOATS;
    t.levels = 0, t.base = 0, t.per = 0;
    return pack(&t, row, raw, n, out, scratch);
}

/* ---- unpacking */

static int unpack_lanes(const struct track *t, const unsigned char *p, size_t n,
                        const unsigned char *lengths, uint32_t *v, size_t count, struct err *e)
{
    struct track_table table;
    uint64_t end = 0;
    if (make_table(t, &table, e))
        return -1;
    for (int j = 0; j < TRACK_LANES; j += LANES_AT_ONCE) {
        uint64_t at[LANES_AT_ONCE], ends[LANES_AT_ONCE];
        uint32_t *to[LANES_AT_ONCE];
        size_t each = count / TRACK_LANES;
        for (int k = 0; k < LANES_AT_ONCE; k++) {
            at[k] = 8 * end;
            end += get32(lengths + 4 * (j + k));
            ends[k] = 8 * end;
            to[k] = v + lane_at(count, j + k);
        }
        SIMD_PICK(track_read)(&table, p, n, at, to, each);
        for (int k = 0; k < LANES_AT_ONCE; k++) {
            uint64_t one[LANES_AT_ONCE] = {0};
            uint32_t none[LANES_AT_ONCE], *last[LANES_AT_ONCE];
            for (int i = 0; i < LANES_AT_ONCE; i++)
                last[i] = &none[i];
            one[0] = at[k];
            last[0] = to[k] + each;
            if (lane_at(count, j + k + 1) > lane_at(count, j + k) + each) {
                SIMD_PICK(track_read)(&table, p, n, one, last, 1);
                at[k] = one[0];
            }
            if ((at[k] + 7) / 8 * 8 != ends[k])
                return err_bad(e, "expected residuals of %llu bits, found %llu",
                               (unsigned long long)ends[k], (unsigned long long)at[k]);
        }
    }
    return end == n ? 0
                    : err_bad(e, "expected %zu bytes of residuals, found %llu", n,
                              (unsigned long long)end);
}

int track_unpack(size_t row, uint64_t at, const void *packed, size_t stored, void *out, size_t n,
                 struct err *e)
{
    struct track t;
    const unsigned char *p = packed;
    size_t count = n / 4;
    if (unpack_head(&t, p, stored, e))
        return -1;
    t.phase = (unsigned)(at % 3);
    size_t head = head_bytes(&t);
    if (t.exceptions > count || 8 * (uint64_t)t.exceptions > stored - head)
        return err_bad(e, "expected at most %zu exceptions from the prediction, found %u", count,
                       t.exceptions);
    size_t end = stored - 8 * (size_t)t.exceptions;
    if (unpack_lanes(&t, p + head, end - head, p + head - LANE_HEAD, out, count, e))
        return -1;
    SIMD_PICK(track_undo)(&t, out, count, row);
    for (p += end; t.exceptions--; p += 8) {
        if (get32(p) >= count)
            return err_bad(e, "expected an exception with an index below %zu, found index %u",
                           count, get32(p));
        memcpy((unsigned char *)out + 4 * (size_t)get32(p), p + 4, 4);
    }
    return 0;
}
