/* SPDX-License-Identifier: MIT */
/* frame_reader.h: defines the members of struct frame_reader, for frame_read.c and frame_part.c. */
#pragma once

#include "io/fdio.h"
#include "stream/frame_codec.h"
#include "stream/frame_prefetch.h"
#include "stream/frame_wire.h"
#include "stream/window.h"

enum reader_state { READER_START, READER_SEGMENT, READER_AFTER_END, READER_OVER, READER_FAILED };

struct frame_reader {
    struct wire_sums sums; /* sums over this segment so far */
    XXH3_state_t part;     /* hash of stored bytes */
    struct fdio io;
    uint64_t offset; /* number of bytes that have been consumed */
    size_t have, at; /* The bytes [at, have) of the buffer have not been used. */
    unsigned char ahead[16384];
    struct frame_reader_opts opts;
    struct window window; /* copy of *opts.window */
    char *name;
    enum reader_state state;
    bool announced;          /* whether the payload of `head` has not been read yet */
    bool jumped;             /* whether frames of this segment were skipped */
    bool landing;            /* whether no frame has been read since frames were skipped */
    bool walking;            /* whether the file is being read again to find the damaged place */
    struct meta *meta;       /* META of this segment */
    struct meta *received;   /* ERR frame that the preceding program has sent */
    struct wire_header head; /* last header that was read */
    unsigned char wire[WIRE_HEADER];
    uint64_t head_at;        /* byte offset of head */
    uint64_t frames;         /* number of frames in all segments so far */
    uint64_t segment_at;     /* byte offset of META */
    bool left_out;           /* whether the function opts.left_out was called */
    struct frame_totals end; /* result of frame_totals */
    bool have_end;
    struct buffer data, stored, scratch;
    size_t held;                 /* bytes of all buffers */
    struct frame_prefetch *fore; /* reads ahead, or NULL as long as nothing is read ahead */
    struct prefetch_limits limits;
    bool finite; /* whether all floats so far are finite */
    struct err err;
    enum frame_damage damage; /* kind of damage that the error reports */
};

/* Records the first failure, and returns -1. */
#define reader_fail(r, code, ...)                                                                  \
    ((r)->state == READER_FAILED                                                                   \
         ? -1                                                                                      \
         : ((r)->state = READER_FAILED, err_in(&(r)->err, code, (r)->name, 0, __VA_ARGS__)))
/* The following functions report a failure. The message of a failure contains TRUNCATED or CORRUPT,
 * the position in the stream, and the name of the preceding program. */
int reader_truncated(struct frame_reader *r, const char *what, uint64_t want, uint64_t got);
int reader_corrupt(struct frame_reader *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Enlarges the buffer b to at least n bytes, and keeps its first `keep` bytes. Returns 0 or -1. */
int reader_reserve(struct frame_reader *r, struct buffer *b, size_t n, size_t keep);

/* Reads the next header into r->head, and checks the order, the sequence number and the grammar.
 * Returns 1 if there is a header, 0 at the end of the input, or -1 on failure. */
int reader_header(struct frame_reader *r);

/* The following functions handle the payload of r->head, and return 0 or -1. The function
 * reader_raw verifies the payload, and decompresses it into dst. The function reader_stored
 * verifies the payload and, unless w is NULL, copies its stored bytes to w. The last piece of the
 * payload is copied only if the hash is correct. If the writer w fails, reader_stored returns -2.
 * The function reader_skip skips the payload in a regular file without reading it. */
int reader_raw(struct frame_reader *r, unsigned char *dst);
/* Verifies the payload if it was read ahead, and also stores it in r->data if `keep` is true.
 * Returns 1 on success, 0 if the payload was not read ahead, or -1 on an error. */
int reader_prefetch(struct frame_reader *r, bool keep);
int reader_stored(struct frame_reader *r, struct frame_writer *w);
int reader_skip(struct frame_reader *r);
/* Continues at the byte `to` of a regular file. */
void reader_jump(struct frame_reader *r, uint64_t to);
