/* SPDX-License-Identifier: MIT */
/* frame_reader.h: inside of struct frame_reader: frame_read.c on top of frame_part.c. */
#ifndef MBF_FRAME_READER_H
#define MBF_FRAME_READER_H

#include "base/fdio.h"
#include "stream/frame_ahead.h"
#include "stream/frame_codec.h"
#include "stream/frame_wire.h"
#include "stream/window.h"

enum reader_state { READER_START, READER_SEGMENT, READER_AFTER_END, READER_OVER, READER_FAILED };

struct frame_reader {
    struct wire_sums sums; /* of this segment so far */
    XXH3_state_t part;     /* hash of the stored bytes that are being read */
    struct fdio io;
    uint64_t offset; /* bytes consumed */
    size_t have, at; /* of what was read ahead: ahead[at..have) is left */
    unsigned char ahead[16384];
    struct frame_reader_opts opts;
    struct window window; /* where opts has one */
    char *name;
    enum reader_state state;
    bool announced;          /* head is the first part of an array whose payload is still to come */
    bool jumped;             /* frames of this segment were left out: its sums are not known */
    bool landing;            /* the next frame is the first behind those */
    bool walking;            /* looking for the reason why a file's tail is bad */
    struct meta *meta;       /* of the current segment */
    struct meta *received;   /* ERR of upstream */
    struct wire_header head; /* last header read */
    unsigned char wire[WIRE_HEADER];
    uint64_t head_at;        /* its offset */
    uint64_t frames;         /* whole ones, over all segments */
    uint64_t segment_at;     /* offset of META */
    bool left_out;           /* an array of unknown type, and said so */
    struct frame_totals end; /* of the last END, or of the file's tail */
    bool have_end;
    struct buffer data, stored, scratch;
    size_t held;              /* bytes of the three buffers */
    struct frame_ahead *fore; /* NULL: nothing is read ahead (yet) */
    struct ahead_limits limits;
    bool finite; /* all floats of the array in data, as far as it is there */
    struct err err;
};

/* Record a failure (once) and return -1. */
int reader_fail(struct frame_reader *r, int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* "TRUNCATED" and "CORRUPT", with the place and the upstream tool. */
int reader_truncated(struct frame_reader *r, const char *what, uint64_t want, uint64_t got);
int reader_corrupt(struct frame_reader *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Room for n bytes, of which the first `keep` stay. 0 or -1. */
int reader_reserve(struct frame_reader *r, struct buffer *b, size_t n, size_t keep);

/* Next header into r->head: 1, 0 at the end of the input, -1. Order, sequence and grammar are
 * checked. */
int reader_header(struct frame_reader *r);

/*
 * What follows r->head. reader_raw: verified and inflated, into dst. reader_stored: as it is
 * stored, verified, to w (its last piece only when the hash was right), or nowhere for NULL; -2
 * when w failed. reader_skip: passed over unread, in a regular file. 0 or -1.
 */
int reader_raw(struct frame_reader *r, unsigned char *dst);
/* What was read ahead of it: 1, 0 where nothing was, -1. keep: into r->data, else verified only. */
int reader_ahead(struct frame_reader *r, bool keep);
int reader_stored(struct frame_reader *r, struct frame_writer *w);
int reader_skip(struct frame_reader *r);
/* Go on at byte `to` of a regular file. */
void reader_jump(struct frame_reader *r, uint64_t to);

#endif
