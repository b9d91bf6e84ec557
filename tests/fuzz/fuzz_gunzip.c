/* SPDX-License-Identifier: MIT */
/*
 * Fuzz io/gunzip.h: any bytes as members of gzip data, in pieces of any length. It must accept
 * exactly the data that zlib accepts at once, and give the same bytes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "io/gunzip.h"

#define MAX ((size_t)1 << 22)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "fuzz_gunzip: %s\n", what);
        abort();
    }
}

/* Decompresses all members with zlib to *n bytes in `out`. Returns whether all are valid, including
 * trailers. */
static bool by_zlib(const uint8_t *data, size_t size, unsigned char *out, size_t *n)
{
    z_stream z = {0};
    int rc = Z_STREAM_END;
    must(inflateInit2(&z, 15 + 16) == Z_OK, "memory");
    z.next_in = (unsigned char *)(uintptr_t)data;
    z.avail_in = (unsigned)size;
    z.next_out = out;
    z.avail_out = (unsigned)MAX;
    while (rc == Z_STREAM_END && z.avail_in > 0) {
        must(inflateReset(&z) == Z_OK, "reset");
        rc = inflate(&z, Z_FINISH);
    }
    *n = MAX - z.avail_out;
    inflateEnd(&z);
    return rc == Z_STREAM_END;
}

/* Decompresses the same from pieces of `piece` bytes into buffers of `capacity` bytes. */
static bool by_pieces(const uint8_t *data, size_t size, size_t piece, size_t capacity,
                      unsigned char *out, size_t *n)
{
    struct err e = {0};
    struct gunzip *g = gunzip_open(&e);
    bool ended = true;
    long made = 1;
    size_t at = 0, given = 0;
    must(g != NULL, "memory");
    *n = 0;
    while (made >= 0 && *n < MAX && !(ended && at == size) && (made > 0 || ended || given < size)) {
        if (at == given || made == 0)
            given = size - given < piece ? size : given + piece;
        capacity = MAX - *n < capacity ? MAX - *n : capacity;
        made = gunzip_inflate(g, data, given, &at, out + *n, capacity, &ended, &e);
        must(at <= given && made <= (long)capacity, "more than there is");
        must(made >= 0 || (e.status == ERR_BAD && e.text[0]), "an error without words");
        *n += made > 0 ? (size_t)made : 0;
    }
    gunzip_close(g);
    return made >= 0 && ended && at == size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned char want[MAX], got[MAX];
    static const size_t pieces[][2] = {{SIZE_MAX / 2, MAX}, {1, 3}, {7, 100}, {300, 1}};
    size_t n, m;
    bool good = by_zlib(data, size, want, &n);
    for (size_t k = 0; n < MAX && k < sizeof pieces / sizeof *pieces; k++) {
        bool ours = by_pieces(data, size, pieces[k][0], pieces[k][1], got, &m);
        must(ours || !good, "zlib takes it");
        must(good || !ours || m == MAX, "zlib does not take it");
        must(!good || (n == m && memcmp(got, want, n) == 0), "other bytes");
    }
    return 0;
}
