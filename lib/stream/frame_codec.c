/* SPDX-License-Identifier: MIT */
/* frame_codec.c: byte shuffle, delta along axis 0, and zlib. Codecs 2 and 3: frame_track.c. */
#include <string.h>
#include <zlib.h>

#include "stream/frame_codec.h"
#include "stream/frame_track.h"

enum { TRIAL_BYTES = 256 * 1024 };

static void shuffle(const unsigned char *in, unsigned char *out, size_t n, size_t size)
{
    size_t count = n / size;
    for (size_t b = 0; b < size; b++)
        for (size_t i = 0; i < count; i++)
            out[b * count + i] = in[i * size + b];
}

static void unshuffle(const unsigned char *in, unsigned char *out, size_t n, size_t size)
{
    size_t count = n / size;
    for (size_t i = 0; i < count; i++)
        for (size_t b = 0; b < size; b++)
            out[i * size + b] = in[b * count + i];
}

static uint64_t element(const unsigned char *p, size_t size)
{
    uint64_t v = 0;
    memcpy(&v, p, size);
    return v;
}

/* The bits are subtracted as integers modulo 2^(8 size), so that the result is exact for every
 * type. */
static void delta_shuffle(const unsigned char *in, unsigned char *out, size_t n, size_t size,
                          size_t row)
{
    size_t count = n / size;
    for (size_t i = 0; i < count; i++) {
        uint64_t v = element(in + i * size, size);
        if (i >= row)
            v -= element(in + (i - row) * size, size);
        for (size_t b = 0; b < size; b++)
            out[b * count + i] = (unsigned char)(v >> (8 * b));
    }
}

static void undo_delta(unsigned char *p, size_t n, size_t size, size_t row)
{
    size_t count = n / size;
    for (size_t i = row; i < count; i++) {
        uint64_t v = element(p + i * size, size) + element(p + (i - row) * size, size);
        memcpy(p + i * size, &v, size);
    }
}

void wire_apply(enum wire_filter f, const void *in, void *out, size_t n, size_t size, size_t row)
{
    if (f == WIRE_DELTA)
        delta_shuffle(in, out, n, size, row);
    else if (f == WIRE_SHUFFLE)
        shuffle(in, out, n, size);
    else
        memcpy(out, in, n);
}

void wire_undo(enum wire_filter f, const void *in, void *out, size_t n, size_t size, size_t row)
{
    if (f == WIRE_PLAIN) {
        memcpy(out, in, n);
        return;
    }
    unshuffle(in, out, n, size);
    if (f == WIRE_DELTA)
        undo_delta(out, n, size, row);
}

size_t codec_room(const struct wire_header *h)
{
    return h->codec == WIRE_LINK     ? track_room((size_t)h->raw)
           : h->filter != WIRE_PLAIN ? h->raw
                                     : 0;
}

size_t codec_deflate(const struct frame_desc *d, enum wire_filter f, int level, const void *raw,
                     size_t n, void *out, void *scratch)
{
    size_t size = frame_dtype_size(d->dtype);
    uLongf len = n - n / 20; /* a saving below 5 % is not worth the time of inflating */
    const void *from = raw;
    if (f != WIRE_PLAIN) {
        wire_apply(f, raw, scratch, n, size, wire_row(d));
        from = scratch;
    }
    if (n == 0 || len == 0 || compress2(out, &len, from, n, level) != Z_OK)
        return 0;
    return len;
}

int codec_choose(const struct frame_desc *d, int level, const void *raw, size_t n, void *out,
                 void *scratch)
{
    size_t size = frame_dtype_size(d->dtype), best_len = SIZE_MAX;
    int best = -1;
    if (n > TRIAL_BYTES)
        n = TRIAL_BYTES;
    for (enum wire_filter f = WIRE_PLAIN; f <= (size > 1 ? WIRE_DELTA : WIRE_PLAIN); f++) {
        size_t len = codec_deflate(d, f, level, raw, n, out, scratch);
        if (len > 0 && len < best_len) {
            best_len = len;
            best = (int)f;
        }
    }
    return best;
}

int codec_inflate(const struct wire_header *h, const void *stored, void *out, void *scratch,
                  struct err *e)
{
    if (h->codec >= WIRE_TRACK)
        return track_unpack((int)h->codec, wire_row(&h->desc), h->offset / 4, stored,
                            (size_t)h->stored, out, (size_t)h->raw, scratch, e);
    unsigned char *to = h->filter == WIRE_PLAIN ? out : scratch;
    z_stream z = {.next_in = (Bytef *)(uintptr_t)stored,
                  .avail_in = (uInt)h->stored,
                  .next_out = to,
                  .avail_out = (uInt)h->raw};
    if (inflateInit(&z) != Z_OK)
        return err_memory(e, "inflating");
    int rc = inflate(&z, Z_FINISH);
    uint64_t left = z.avail_in, got = z.total_out;
    inflateEnd(&z);
    const char *found = rc == Z_STREAM_END                ? left ? "bytes after its end" : "fewer"
                        : rc == Z_BUF_ERROR || rc == Z_OK ? "more bytes, or no end of the data"
                                                          : "data that is not zlib";
    if (rc != Z_STREAM_END || left != 0 || got != h->raw)
        return err_bad(e, "expected zlib data that inflates to exactly %llu bytes, found %s",
                       (unsigned long long)h->raw, found);
    if (h->filter != WIRE_PLAIN)
        wire_undo((enum wire_filter)h->filter, to, out, (size_t)h->raw,
                  frame_dtype_size(h->desc.dtype), wire_row(&h->desc));
    return 0;
}
