/* SPDX-License-Identifier: MIT */
/* frame_reader.h: inside of struct frame_reader. Internal to lib/frame*.c. */
#ifndef MBF_FRAME_READER_H
#define MBF_FRAME_READER_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "stream/frame_codec.h"
#include "stream/frame_input.h"
#include "stream/frame_wire.h"

enum reader_state { READER_START, READER_SEGMENT, READER_AFTER_END, READER_OVER, READER_FAILED };

struct buffer {
    unsigned char *p; /* 64-byte aligned */
    size_t cap;
};

struct frame_reader {
    struct input in;
    struct frame_reader_opts opts;
    char *name;
    enum reader_state state;
    bool announced;          /* head is the first part of an array whose payload is still to come */
    bool walking;            /* looking for the reason why a file's tail is bad */
    struct meta *meta;       /* of the current segment */
    struct meta *received;   /* ERR of upstream */
    struct wire_header head; /* last header read */
    unsigned char wire[WIRE_HEADER];
    uint64_t head_at;    /* its offset */
    uint64_t seq;        /* of the next frame */
    uint64_t frames;     /* whole ones, over all segments */
    uint64_t segment_at; /* offset of META */
    bool left_out;       /* an array of unknown type, and said so */
    XXH3_state_t *stream, *content, *part;
    struct frame_totals sum; /* of this segment so far */
    struct frame_totals end; /* of the last END, or of the file's tail */
    bool have_end, have_tail;
    struct buffer data, stored, scratch;
    size_t held; /* bytes of the three buffers */
    struct err err;
};

struct frame_writer;

/* Record a failure (once) and return -1. */
int reader_fail(struct frame_reader *r, int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* "TRUNCATED" and "CORRUPT", with the place and the upstream tool. */
int reader_truncated(struct frame_reader *r, const char *what, uint64_t want, uint64_t got);
int reader_corrupt(struct frame_reader *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The first n bytes of the input, p, are no frame: say what they look like. */
int reader_wrong_magic(struct frame_reader *r, const unsigned char *p, size_t n);

/* Room for n bytes, of which the first `keep` stay. 0 or -1 (status 3, or 2 beyond max_mem). */
int reader_reserve(struct frame_reader *r, struct buffer *b, size_t n, size_t keep);

/* Next header into r->head: 1, 0 at the end of the input, -1. Order, sequence and grammar are
 * checked. */
int reader_header(struct frame_reader *r);

/* Payload of r->head into dst (verified, inflated). 0 or -1. */
int reader_part(struct frame_reader *r, unsigned char *dst);

/* The rest of the announced array. */
int reader_keep(struct frame_reader *r, size_t *bytes); /* into r->data */
int reader_drop(struct frame_reader *r, bool verify);   /* nowhere; verify: every hash */
int reader_pass(struct frame_reader *r, struct frame_writer *w,
                const struct frame_desc *d); /* to w, as stored */

/* Account for the data frame r->head, whose payload is over. */
void reader_count(struct frame_reader *r);

/* The writer's side of reader_pass: header of a part, then its stored bytes in pieces that add up
 * to h->stored. */
int writer_part_begin(struct frame_writer *w, const struct wire_header *h);
int writer_part_bytes(struct frame_writer *w, const void *p, size_t n);
int writer_part_end(struct frame_writer *w, const struct wire_header *h);

#endif
