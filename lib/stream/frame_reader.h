/* SPDX-License-Identifier: MIT */
/* frame_reader.h: internals of struct frame_reader, for frame_read.c and frame_part.c. */
#ifndef MBF_FRAME_READER_H
#define MBF_FRAME_READER_H

#include "base/fdio.h"
#include "stream/frame_ahead.h"
#include "stream/frame_codec.h"
#include "stream/frame_wire.h"
#include "stream/window.h"

enum reader_state { READER_START, READER_SEGMENT, READER_AFTER_END, READER_OVER, READER_FAILED };

struct frame_reader {
    struct wire_sums sums; /* sums of this segment so far */
    XXH3_state_t part;     /* hash of the stored bytes being read */
    struct fdio io;
    uint64_t offset; /* bytes consumed */
    size_t have, at; /* unread bytes are ahead[at..have) */
    unsigned char ahead[16384];
    struct frame_reader_opts opts;
    struct window window; /* copy of the window of opts */
    char *name;
    enum reader_state state;
    bool announced;          /* head is the first part of an array whose payload is still to come */
    bool jumped;             /* frames of this segment were skipped: its sums are unknown */
    bool landing;            /* the next frame is the first after the skipped frames */
    bool walking;            /* searching for the reason why the end of the file is bad */
    struct meta *meta;       /* META of the current segment */
    struct meta *received;   /* ERR from upstream */
    struct wire_header head; /* last header read */
    unsigned char wire[WIRE_HEADER];
    uint64_t head_at;        /* byte offset of head */
    uint64_t frames;         /* whole frames in all segments */
    uint64_t segment_at;     /* byte offset of META */
    bool left_out;           /* an array of unknown type was skipped and reported */
    struct frame_totals end; /* totals of the last END, or of the file's last segment */
    bool have_end;
    struct buffer data, stored, scratch;
    size_t held;              /* bytes of the three buffers */
    struct frame_ahead *fore; /* read-ahead; NULL if not (yet) in use */
    struct ahead_limits limits;
    bool finite; /* all floats of the array in data so far are finite */
    struct err err;
};

/* Records a failure (only the first) and returns -1. */
int reader_fail(struct frame_reader *r, int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Fail with "TRUNCATED" or "CORRUPT", the place and the upstream program. */
int reader_truncated(struct frame_reader *r, const char *what, uint64_t want, uint64_t got);
int reader_corrupt(struct frame_reader *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Makes room for n bytes and preserves the first `keep`. Returns 0 or -1. */
int reader_reserve(struct frame_reader *r, struct buffer *b, size_t n, size_t keep);

/* Reads the next header into r->head and checks order, sequence and grammar. Returns 1, 0 at the
 * end of the input, or -1. */
int reader_header(struct frame_reader *r);

/* Functions for the payload of r->head, which return 0 or -1. The function reader_raw verifies and
 * inflates the payload into dst. The function reader_stored verifies the payload and copies its
 * stored bytes to w (the last piece only if the hash is right), or nowhere if w is NULL, and
 * returns -2 if w failed. The function reader_skip passes over the payload unread in a regular
 * file. */
int reader_raw(struct frame_reader *r, unsigned char *dst);
/* Takes the payload from read-ahead, into r->data if keep is true, else only for verification.
 * Returns 1, 0 if the payload was not read ahead, or -1. */
int reader_ahead(struct frame_reader *r, bool keep);
int reader_stored(struct frame_reader *r, struct frame_writer *w);
int reader_skip(struct frame_reader *r);
/* Continues at byte `to` of a regular file. */
void reader_jump(struct frame_reader *r, uint64_t to);

#endif
