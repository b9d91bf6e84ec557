/* SPDX-License-Identifier: MIT */
/* frame_track_code.c: the prefix codes of codecs 2 and 3, and the tables that decode them. */
#include <string.h>

#include "stream/frame_track.h"

enum { FEW = 400 }; /* of 2^TRACK_BITS entries of a table */

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

/* Returns the number of additional bits of class k. */
static unsigned more_bits(unsigned k)
{
    return k < 16 ? 0 : (k - 8) / 8;
}

/* Assigns codes, first bit lowest, ascending by length, then by class, and lists the classes in
 * this order. Returns their number, or 0 if the lengths do not make a complete code. */
static unsigned codes(const unsigned char *length, uint16_t *code, unsigned char *order)
{
    unsigned end[TRACK_BITS + 1] = {0}, all = 0, next = 0, n;
    for (int k = 0; k < TRACK_CLASSES; k++) {
        if (length[k] > TRACK_BITS)
            return 0;
        end[length[k]] += length[k] > 0;
    }
    for (unsigned len = 1; len <= TRACK_BITS; len++) {
        all += end[len] << (TRACK_BITS - len);
        end[len] += end[len - 1];
    }
    n = end[TRACK_BITS];
    for (int k = TRACK_CLASSES; k-- > 0;)
        if (length[k])
            order[--end[length[k]]] = (unsigned char)k;
    for (unsigned i = 0, bit; i < n; i++, next |= bit) {
        code[order[i]] = (uint16_t)next;
        for (bit = 1u << (length[order[i]] - 1); next & bit; bit >>= 1)
            next ^= bit;
    }
    return all == 1u << TRACK_BITS ? n : 0;
}

int track_make_table(const unsigned char *length, struct track_table *table, struct err *e)
{
    uint16_t code[TRACK_CLASSES];
    unsigned char order[TRACK_CLASSES];
    unsigned n = codes(length, code, order), few = 0;
    if (!n)
        return err_bad(
            e, "expected code lengths that make a complete prefix code, found other lengths");
    table->longest = 0;
    for (unsigned k = 0; k < TRACK_CLASSES; k++) {
        unsigned more = more_bits(k), all = length[k] + more;
        table->first[k] = (k < 16 ? k : 8 + k % 8) << more;
        table->mask[k] = (1u << more) - 1;
        table->length[k] = length[k];
        table->longest = length[k] && all > table->longest ? all : table->longest;
        few += length[k] && all > TRACK_BITS ? 1u << (TRACK_BITS - length[k]) : 0;
    }
    table->brief = few <= FEW;
    for (unsigned o = 0; o < n; o++) {
        unsigned k = order[o], len = length[k], all = len + more_bits(k);
        bool direct = table->brief && all <= TRACK_BITS;
        unsigned bits = direct ? all : len,
                 entry = direct ? table->first[k] << 8 : TRACK_LONG | k << 8;
        for (unsigned x = 0; x < 1u << (bits - len); x++)
            for (unsigned i = code[k] | x << len; i < 1u << TRACK_BITS; i += 1u << bits)
                table->of[i] = entry + (all | x << 8);
    }
    return 0;
}

uint64_t track_make_code(const uint32_t *classes, struct track_code *c)
{
    uint64_t bits = 0;
    unsigned char order[TRACK_CLASSES];
    memset(c, 0, sizeof *c);
    choose_code(classes, c->length);
    (void)codes(c->length, c->bits, order);
    for (unsigned k = 0; k < TRACK_CLASSES; k++) {
        unsigned more = more_bits(k), all = c->length[k] + more;
        c->all[k] = (unsigned char)all;
        c->mask[k] = (1u << more) - 1;
        c->longest = c->length[k] && all > c->longest ? all : c->longest;
        bits += (uint64_t)classes[k] * all;
    }
    return bits;
}
