/* SPDX-License-Identifier: MIT */
/*
 * Fuzz base/inflate.h: any bytes as gzip data. What zlib takes it takes, with the same bytes, and
 * what it takes has zlib's bytes; from anywhere, without what came before, it ends and stays within
 * its bounds.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/inflate.h"

#define MOST ((size_t)1 << 22)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "fuzz_inflate: %s\n", what);
        abort();
    }
}

/* All members by zlib: bytes into out, whether all was well, trailers included. */
static int by_zlib(const uint8_t *data, size_t size, unsigned char *out, size_t *n)
{
    z_stream z = {0};
    int rc = Z_STREAM_END;
    must(inflateInit2(&z, 15 + 16) == Z_OK, "memory");
    z.next_in = (unsigned char *)(uintptr_t)data;
    z.avail_in = (unsigned)size;
    z.next_out = out;
    z.avail_out = (unsigned)MOST;
    while (rc == Z_STREAM_END && z.avail_in > 0 && *z.next_in) {
        must(inflateReset(&z) == Z_OK, "reset");
        rc = inflate(&z, Z_FINISH);
    }
    *n = MOST - z.avail_out;
    for (size_t k = 0; k < z.avail_in; k++)
        rc = z.next_in[k] ? Z_DATA_ERROR : rc;
    inflateEnd(&z);
    return rc == Z_STREAM_END && size > 0 && data[0] != 0; /* zeros alone are no member */
}

/* Do the trailers say what came out? */
static int checked(const struct inflate_part *part, const unsigned char *bytes)
{
    size_t from = 0;
    for (size_t k = 0; k < part->nmembers; from = part->members[k++].at)
        if (crc32_z(0, bytes + from, part->members[k].at - from) != part->members[k].crc ||
            (uint32_t)(part->members[k].at - from) != part->members[k].size)
            return 0;
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned char want[MOST], got[MOST + 1024];
    struct inflate_part part = {.out = NULL};
    bool header;
    unsigned char *p = calloc(size + INFLATE_PAD, 1);
    size_t n;
    must(p != NULL, "memory");
    if (size)
        memcpy(p, data, size);
    if (size >= 18) {
        int good = by_zlib(data, size, want, &n);
        enum inflate_status rc =
            inflate_part(&part, p, size, true, 0, true, UINT64_MAX, p, 0, MOST);
        for (size_t k = 0; rc == INFLATE_END && k < part.n; k++) {
            must(part.out[INFLATE_WINDOW + k] < 256, "a mark without a window");
            got[k] = (unsigned char)part.out[INFLATE_WINDOW + k];
        }
        int ours = rc == INFLATE_END && checked(&part, got);
        must(!good || n > MOST - 1024 || rc == INFLATE_END, "zlib takes it");
        must(!good || !ours || (n == part.n && memcmp(got, want, n) == 0), "other bytes");
        must(good || !ours || part.n > MOST - 1024 || (p[3] & 2), "zlib does not take it");
    }
    for (uint64_t bit = 0;
         (bit = inflate_find(p, size, bit, 8 * (uint64_t)size, &header)) < 8 * size; bit++)
        (void)inflate_part(&part, p, size, bit & 1, bit, header, bit + 8 * 4096, NULL, 0, MOST);
    inflate_free(&part);
    free(p);
    return 0;
}
