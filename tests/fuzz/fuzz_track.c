/* SPDX-License-Identifier: MIT */
/*
 * fuzz_track.c: any bytes as a part of codec 2 or 3, and any floats packed and unpacked. Byte 0
 * chooses: bit 0 packing, bit 1 codes that are complete (few mutations of lengths are), bits 2 to 5
 * the row, bit 6 the codec; byte 1 how many numbers there are.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stream/frame_track.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static void unpack(int codec, const uint8_t *p, size_t n, size_t row, size_t count, int mend)
{
    unsigned char *part = malloc(n + 1), *out = malloc(4 * count + 1),
                  *scratch = malloc(track_room(4 * count));
    struct err e;
    memcpy(part, p, n);
    for (size_t at = codec == 2 ? 32 : TRACK_HEAD; mend && at + 120 <= n;
         at += codec == 2 ? n : 152) {
        memset(part + at, 0x77, 8); /* 16 codes of seven bits, 224 of eight */
        memset(part + at + 8, 0x88, 112);
    }
    if (track_unpack(codec, row, n, part, n, out, 4 * count, scratch, &e) &&
        (!e.text[0] || e.status != ERR_BAD))
        abort();
    free(part);
    free(out);
    free(scratch);
}

static void pack(const uint8_t *p, size_t n, size_t row)
{
    size_t len = n & ~(size_t)3;
    float edge[3] = {n > 12 ? (float)p[8] : 0, 9, 0};
    unsigned char *in = malloc(len + 1), *out = malloc(len + 1), *scratch = malloc(track_room(len)),
                  *back = malloc(len + 1);
    struct err e;
    memcpy(in, p, len);
    size_t stored = track_pack(edge, row, n, in, len, out, scratch);
    if (stored > len || (stored && (track_unpack(3, row, n, out, stored, back, len, scratch, &e) ||
                                    memcmp(in, back, len) != 0)))
        abort();
    free(in);
    free(out);
    free(scratch);
    free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    if (n < 2)
        return 0;
    size_t row = 3 * (p[0] >> 2 & 15) + 1;
    if (p[0] & 1)
        pack(p + 2, n - 2, row);
    else
        unpack(p[0] & 64 ? 2 : 3, p + 2, n - 2, row, 4 * (size_t)p[1] + 1, p[0] & 2);
    return 0;
}
