/* SPDX-License-Identifier: MIT */
/* bytes.h: sequential access to the bytes of a file or pipe, decompressed if necessary. Private to
 * lib/formats. A format asks for a record of n bytes or for the next line and gets it in one piece.
 * Regular files are read ahead on another thread if more than one thread is allowed. */
#ifndef MBF_BYTES_H
#define MBF_BYTES_H

#include <string.h>

#include "base/ahead.h"
#include "base/conveyor.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BYTES_SHARED = 1 << 18,   /* bytes of a shared block, which fits into a CPU cache */
    BYTES_SLACK = AHEAD_SLACK /* bytes after the data that may be read but are undefined */
};

/* Analyses n bytes at p before the bytes in front of them are parsed, on any thread. On entry
 * *result is NULL or the malloc'ed result of an earlier block, which may be reused. */
typedef void bytes_work(void *ctx, void **result, const unsigned char *p, size_t n);

struct bytes {
    struct input in;
    const char *path;    /* path for opening a regular file again */
    struct ahead *ahead; /* reads ahead; NULL: bytes are read on request */
    size_t block;        /* bytes per read of ahead */
    size_t whole;        /* n of bytes_whole; 0: unset */
    bool alone;          /* bytes_alone: read n bytes and no more */
    size_t longest;      /* maximum bytes of the next line; 0: default limit */
    struct ahead_block spare;
    /* shared blocks (bytes_share); conveyor is NULL while sharing is inactive */
    struct conveyor *conveyor;
    bytes_work *work; /* NULL: no sharing */
    void *work_ctx;
    struct bytes_block *blocks; /* [nblocks] */
    int nblocks;
    uint64_t fetch_from; /* offset of the first block in a plain file */
    bool fetches, blocks_end;
    ssize_t end;        /* end of other inputs, as input_read returns it */
    const void *result; /* result of the block in buf, or NULL */
    size_t result_at;   /* index in buf where that block begins */
    int threads;        /* total number of threads */
    uint64_t done;      /* bytes of the file moved into buf */
    unsigned char *buf;
    size_t from, have, cap; /* buf[from..have) is read but not taken */
    uint64_t offset;        /* decompressed offset of buf[from] */
    uint64_t line;          /* number of lines taken by bytes_line */
    bool eof;
    bool torn;                 /* the last line has no newline */
    bool cut;                  /* the last error was an early end of file */
    size_t max_mem;            /* 0: no limit */
    const struct fdio *source; /* input used instead of stdin, or NULL */
    /* called before waiting for a paused input; may be NULL */
    void (*idle)(void *ctx);
    void *ctx;
};

/* Opens path (NULL: stdin) and keeps b->threads, max_mem, source, idle and ctx. Returns 0 or -1. */
int bytes_open(struct bytes *b, const char *path, input_foreign *foreign, struct err *e)
    __attribute__((warn_unused_result));
void bytes_close(struct bytes *b); /* keeps the buffer for the next file */
void bytes_free(struct bytes *b);

/* Makes the next n bytes available at *p without taking them; they stay valid until the next call.
 * Returns 1, 0 at the end of the file, or -1. A file that ends inside the n bytes sets b->cut. */
int bytes_peek(struct bytes *b, size_t n, const char *what, const unsigned char **p, struct err *e)
    __attribute__((warn_unused_result));
/* Takes the next n bytes; the end of the file is an error. Returns 0 or -1. */
int bytes_get(struct bytes *b, size_t n, const char *what, const unsigned char **p, struct err *e)
    __attribute__((warn_unused_result));
/* Makes up to n bytes available at *p to recognise the format. Returns their number. */
size_t bytes_head(struct bytes *b, size_t n, const unsigned char **p, struct err *e);
/* Skips n bytes. Returns 0 or -1. */
int bytes_skip(struct bytes *b, uint64_t n, const char *what, struct err *e)
    __attribute__((warn_unused_result));
/* Skips blanks. Returns whether anything follows the blanks. */
bool bytes_more(struct bytes *b);
/* Takes the next line, without its LF or CR LF. Returns 1, 0 at the end of the file, or -1. */
int bytes_line(struct bytes *b, const char **s, size_t *len, struct err *e)
    __attribute__((warn_unused_result));

/* Finds the complete lines in the buffer. Sets *s to the first line and returns the bytes of all
 * lines, newlines included, or 0. */
size_t bytes_lines(const struct bytes *b, const char **s);
/* Announces that records of n bytes follow one another and are requested as a whole. Each read
 * then holds complete records only, as many as fit into a CPU cache. */
void bytes_whole(struct bytes *b, size_t n);
/* Limits reads from a pipe to the next n bytes, so that bytes_into can follow. Returns false,
 * without effect, for regular files and shared input. */
bool bytes_alone(struct bytes *b, size_t n);
/* Reads n bytes directly into `to`, after bytes_alone. Returns as bytes_get. */
int bytes_into(struct bytes *b, void *to, size_t n, const char *what, struct err *e)
    __attribute__((warn_unused_result));
/* Lets several threads read blocks of up to BYTES_SHARED bytes and call work for each block, until
 * bytes_unshare. Small inputs and single-threaded readers are not shared. */
void bytes_share(struct bytes *b, bytes_work *work, void *ctx);
void bytes_unshare(struct bytes *b);
/* Returns the result of the block that contains the next byte, or NULL, and sets *at to the offset
 * of that byte in the block; a negative offset lies before the block. */
static inline const void *bytes_result(const struct bytes *b, ptrdiff_t *at)
{
    *at = (ptrdiff_t)b->from - (ptrdiff_t)b->result_at;
    return b->result;
}
/* Takes n bytes found by bytes_lines, which hold `lines` lines. */
static inline void bytes_take_lines(struct bytes *b, size_t n, size_t lines)
{
    b->from += n;
    b->offset += n;
    b->line += lines;
}

/* Set *e to "byte N: ..." (the next byte) or "line N: ..." (the last line). Both return -1. */
int bytes_bad(const struct bytes *b, struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int bytes_bad_line(const struct bytes *b, struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static inline void bytes_take(struct bytes *b, size_t n)
{
    b->from += n;
    b->offset += n;
}

/* Number at p in little-endian byte order, or big-endian if swap is set. */
static inline uint32_t bytes_u32(const void *p, bool swap)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t bytes_u64(const void *p, bool swap)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return swap ? __builtin_bswap64(v) : v;
}

static inline float bytes_f32(const void *p, bool swap)
{
    uint32_t v = bytes_u32(p, swap);
    float f;
    memcpy(&f, &v, sizeof f);
    return f;
}

static inline double bytes_f64(const void *p, bool swap)
{
    uint64_t v = bytes_u64(p, swap);
    double f;
    memcpy(&f, &v, sizeof f);
    return f;
}

#ifdef __cplusplus
}
#endif
#endif
