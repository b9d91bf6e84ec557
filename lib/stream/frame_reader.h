/* SPDX-License-Identifier: MIT */
/* frame_reader.h: defines struct frame_reader, for frame_read.c and frame_part.c. */
#pragma once

#include "io/fdio.h"
#include "stream/frame_codec.h"
#include "stream/frame_prefetch.h"
#include "stream/frame_wire.h"
#include "stream/window.h"

enum reader_state { READER_START, READER_SEGMENT, READER_AFTER_END, READER_OVER, READER_FAILED };

struct frame_reader {
    struct wire_sums sums; /* over this segment so far */
    XXH3_state_t part;     /* hash of stored bytes */
    struct fdio io;
    uint64_t offset; /* bytes consumed */
    size_t have, at; /* [at, have) is unused */
    unsigned char ahead[16384];
    struct frame_reader_opts opts;
    struct window window;
    char *name;
    enum reader_state state;
    bool announced;          /* The payload of `head` has not been read. */
    bool jumped;             /* Frames of the segment were skipped. */
    bool landing;            /* No frame has been read since frames were skipped. */
    bool walking;            /* The file is read again to find the damaged byte. */
    struct meta *meta;       /* of this segment */
    struct meta *received;   /* ERR frame */
    struct wire_header head; /* last header */
    unsigned char wire[WIRE_HEADER];
    uint64_t head_at;        /* of `head` */
    uint64_t frames;         /* in all segments so far */
    uint64_t segment_at;     /* of META */
    bool left_out;           /* opts.left_out was called */
    struct frame_totals end; /* for frame_totals */
    bool have_end;
    struct buffer data, stored, scratch;
    size_t held;
    struct frame_prefetch *fore; /* NULL until reading ahead begins */
    struct prefetch_limits limits;
    bool finite; /* all floats so far */
    struct err err;
    enum frame_damage damage;
};

/* Records the first failure, and returns -1. */
#define reader_fail(r, code, ...)                                                                  \
    ((r)->state == READER_FAILED                                                                   \
         ? -1                                                                                      \
         : ((r)->state = READER_FAILED, err_in(&(r)->err, code, (r)->name, 0, __VA_ARGS__)))
/* Reports a failure. The message contains TRUNCATED or CORRUPT, the position in the stream, and the
 * name of the preceding program. */
int reader_truncated(struct frame_reader *r, const char *what, uint64_t want, uint64_t got);
int reader_corrupt(struct frame_reader *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Enlarges b to at least n bytes, and preserves its first `keep` bytes. Returns 0 or -1. */
int reader_reserve(struct frame_reader *r, struct buffer *b, size_t n, size_t keep);

/* Reads the next header into r->head, and checks the sequence number and the order of frames.
 * Returns 1 after reading a header, 0 at the end of the input, or -1 on failure. */
int reader_header(struct frame_reader *r);

/* The functions for the payload of the frame r->head return 0 or -1. The function reader_raw
 * verifies the payload and decompresses it into dst. The function reader_stored verifies the
 * payload and, unless w is NULL, copies the stored bytes to w, or returns -2 if w fails. The last
 * piece is copied only if the hash is correct. The function reader_skip skips the payload in a
 * regular file. */
int reader_raw(struct frame_reader *r, unsigned char *dst);
/* Verifies a payload that was read ahead, and stores the payload in r->data if `keep` is true.
 * Returns 1 on success, 0 if the payload was not read ahead, or -1 on an error. */
int reader_prefetch(struct frame_reader *r, bool keep);
int reader_stored(struct frame_reader *r, struct frame_writer *w);
int reader_skip(struct frame_reader *r);
void reader_jump(struct frame_reader *r, uint64_t to);
