/* SPDX-License-Identifier: MIT */
/*
 * forge.h: builds frame streams byte by byte in memory, valid or deliberately wrong, and reads
 * them. The reader of the library needs a file or a pipe, and forge_read tries both.
 */
#ifndef MBF_FORGE_H
#define MBF_FORGE_H

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/portable.h"
#include "stream/frame_codec.h"

struct forge {
    unsigned char *p;
    size_t n, cap, segment_at;
    uint64_t seq;
    struct frame_totals end;
};

static void forge_bytes(struct forge *f, const void *p, size_t n)
{
    if (f->n + n > f->cap) {
        f->cap = 2 * (f->n + n) + 4096;
        f->p = realloc(f->p, f->cap);
    }
    if (n)
        memcpy(f->p + f->n, p, n);
    f->n += n;
}

/* A frame as h says, sequence number and hashes filled in. */
static void forge_frame(struct forge *f, struct wire_header *h, const void *stored)
{
    static const unsigned char zero[64];
    unsigned char wire[WIRE_HEADER];
    h->seq = f->seq++;
    h->stored_hash = wire_hash(stored, (size_t)h->stored);
    if (h->codec == WIRE_STORED)
        h->raw_hash = h->stored_hash;
    wire_pack(h, wire);
    forge_bytes(f, wire, WIRE_HEADER);
    forge_bytes(f, stored, (size_t)h->stored);
    forge_bytes(f, zero, wire_padding(h->stored));
}

static void forge_control(struct forge *f, enum frame_type type, const void *p, size_t n)
{
    struct wire_header h = {.raw = n, .stored = n};
    h.desc = (struct frame_desc){.type = type,
                                 .dtype = type == FRAME_END ? FRAME_U8 : FRAME_UTF8,
                                 .ndim = 1,
                                 .dims = {n},
                                 .time = NAN,
                                 .flags = FRAME_CRITICAL | WIRE_LAST};
    forge_frame(f, &h, p);
}

static void forge_meta(struct forge *f, const char *text)
{
    f->segment_at = f->n;
    f->seq = 0;
    memset(&f->end, 0, sizeof f->end);
    forge_control(f, FRAME_META, text, strlen(text));
}

/* An array in parts of `part` bytes; codec and filter as told. */
static void forge_array(struct forge *f, const struct frame_desc *d, const void *data, size_t part,
                        unsigned codec, unsigned filter)
{
    size_t total = frame_bytes(d), size = frame_dtype_size(d->dtype), at = 0;
    do {
        size_t n = total - at < part ? total - at : part;
        const unsigned char *raw = (const unsigned char *)data + at;
        struct wire_header h = {.desc = *d, .offset = at, .raw = n, .stored = n};
        unsigned char *filtered = malloc(n + 1), *packed = malloc(n + 1);
        uLongf len = n;
        wire_apply((enum wire_filter)filter, raw, filtered, n, size, wire_row(d));
        if (codec && compress2(packed, &len, filtered, n, 6) == Z_OK) {
            h.codec = codec;
            h.filter = filter;
            h.stored = len;
            h.raw_hash = wire_hash(raw, n);
        }
        h.desc.flags |= at + n == total ? WIRE_LAST : 0;
        forge_frame(f, &h, h.codec ? packed : raw);
        free(filtered);
        free(packed);
        at += n;
    } while (at < total);
}

/* Totals of the frames from segment_at on, as the reader will find them. */
static void forge_totals(struct forge *f)
{
    struct frame_totals *t = &f->end;
    struct wire_sums sums;
    struct wire_header h;
    bool damaged;
    wire_sums_begin(&sums);
    for (size_t at = f->segment_at;
         at + WIRE_HEADER <= f->n && wire_unpack(f->p + at, &h, &damaged, NULL) == 0;
         at += WIRE_HEADER + (size_t)h.stored + wire_padding(h.stored))
        wire_sums_add(&sums, &h, f->p + at);
    wire_sums_end(&sums);
    sums.totals.status = t->status;
    memcpy(sums.totals.parent_hash, t->parent_hash, sizeof t->parent_hash);
    *t = sums.totals;
    t->wire_bytes = f->n - f->segment_at;
}

static void forge_end(struct forge *f, enum frame_status status)
{
    forge_totals(f);
    f->end.status = status;
    forge_control(f, FRAME_END, &f->end, WIRE_END);
}

/* What came out of a stream. */
struct forge_seen {
    int rc;          /* of the last frame_next */
    uint64_t digest; /* over everything that was handed out */
    unsigned events, segments;
    struct err err;
};

static void forge_consume(struct frame_reader *r, struct forge_seen *s)
{
    struct frame f;
    memset(s, 0, sizeof *s);
    while ((s->rc = frame_next(r, &f)) > 0) {
        s->events++;
        s->segments += f.desc.type == FRAME_META;
        s->digest = XXH3_64bits_withSeed(f.desc.code, 4, s->digest);
        s->digest = XXH3_64bits_withSeed(f.desc.dims, sizeof f.desc.dims, s->digest);
        s->digest = XXH3_64bits_withSeed(&f.desc.index, 8, s->digest);
        if (f.data)
            s->digest = XXH3_64bits_withSeed(f.data, f.bytes, s->digest);
        if (f.desc.type == FRAME_META) {
            size_t n;
            char *text = meta_text(frame_meta(r), &n, NULL);
            s->digest = XXH3_64bits_withSeed(text, n, s->digest);
            free(text);
        }
    }
    s->err = *frame_error(r);
}

/* Read n bytes (at most 1 MiB for a pipe) as a file or through a pipe. */
__attribute__((unused)) static struct forge_seen forge_read(const void *p, size_t n,
                                                            bool through_pipe)
{
    struct forge_seen s;
    char path[64];
    int fd[2] = {-1, -1};
    if (through_pipe) {
        if (pipe(fd) != 0)
            abort();
        portable_grow_pipe(fd[1]);
        if (n && write(fd[1], p, n) != (ssize_t)n)
            abort();
        close(fd[1]);
    } else {
        fd[0] = portable_memory_file();
        if (fd[0] < 0 || (n && pwrite(fd[0], p, n, 0) != (ssize_t)n))
            abort();
    }
    snprintf(path, sizeof path, "/dev/fd/%d", fd[0]);
    struct frame_reader_opts o = {.max_mem = (size_t)256 << 20};
    struct frame_reader *r = frame_open(path, &o);
    close(fd[0]); /* the reader has its own */
    forge_consume(r, &s);
    frame_close_reader(r);
    return s;
}

#define FORGE_META "sys.cell\t9 0 0 0 9 0 0 0 9\nsys.dt_ps\t0.5\nsys.natoms\t4\nsys.pbc\tTTT\n"

/* A segment with every feature: parts, filters, CELL, TIME, an unknown copy-safe array. About 3 kB.
 */
__attribute__((unused)) static void forge_sample(struct forge *f, enum frame_status status)
{
    float pos[3][4][3];
    double cell[3][9], time[3] = {0, 0.5, 1};
    for (int k = 0; k < 36; k++)
        ((float *)pos)[k] = 0.25f * (float)k;
    for (int k = 0; k < 27; k++)
        ((double *)cell)[k] = k % 9 % 4 == 0 ? 9 + 0.125 * (k / 9) : 0;
    struct frame_desc d = {.type = FRAME_POSN,
                           .dtype = FRAME_F32,
                           .ndim = 3,
                           .dims = {3, 4, 3},
                           .time = 0,
                           .flags = FRAME_CRITICAL};
    struct frame_desc t = {
        .type = FRAME_TIME, .dtype = FRAME_F64, .ndim = 1, .dims = {3}, .time = 0};
    struct frame_desc c = {
        .type = FRAME_CELL, .dtype = FRAME_F64, .ndim = 2, .dims = {3, 9}, .time = 0};
    struct frame_desc u = {.type = FRAME_OTHER,
                           .code = "XTRA",
                           .dtype = FRAME_U8,
                           .ndim = 1,
                           .dims = {5},
                           .time = NAN,
                           .flags = FRAME_COPYSAFE};
    forge_meta(f, FORGE_META);
    forge_array(f, &t, time, 1 << 20, 0, 0);
    forge_array(f, &c, cell, 1 << 20, 1, 1);
    forge_array(f, &d, pos, 64, 0, 0);
    d.index = 3;
    d.time = 1.5;
    forge_array(f, &d, pos, 1 << 20, 1, 2);
    forge_array(f, &u, "extra", 1 << 20, 0, 0);
    forge_end(f, status);
}

#endif
