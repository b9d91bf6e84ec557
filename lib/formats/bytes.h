/* SPDX-License-Identifier: MIT */
/*
 * bytes.h: private to lib/formats. The bytes of a file, one after the other: a record, or a line,
 * in one piece; from a pipe as well as from a file, inflated where they are gzip. What follows in a
 * file is read on another thread, where there may be one.
 */
#ifndef MBF_BYTES_H
#define MBF_BYTES_H

#include <string.h>

#include "base/ahead.h"
#include "base/conveyor.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BYTES_SHARED = 1 << 18,   /* of a block that is shared: it stays in a cache close by */
    BYTES_SLACK = AHEAD_SLACK /* behind those handed out: they may be read, and mean nothing */
};

/* What can be said of n bytes at p, before those before them are understood. *result: malloc'ed, of
 * another block, or NULL; on any thread. */
typedef void bytes_work(void *ctx, void **result, const unsigned char *p, size_t n);

struct bytes {
    struct input in;
    const char *path;    /* by which it can be opened anew, where in is a regular file */
    struct ahead *ahead; /* reads in; NULL: it is read when it is asked for */
    size_t block;        /* bytes that it reads at a time */
    size_t whole;        /* of bytes_whole; 0: not said */
    bool alone;          /* one of them, and no byte behind it */
    size_t longest;      /* bytes that the next line may have; 0: any that a text has */
    struct ahead_block spare;
    /* blocks that are read by turns, and worked on; conveyor NULL: not yet, or no more */
    struct conveyor *conveyor;
    bytes_work *work; /* NULL: they are not shared */
    void *work_ctx;
    struct bytes_block *blocks; /* [nblocks] */
    int nblocks;
    uint64_t fetch_from; /* of a plain file: the first from there */
    bool fetches, blocks_end;
    ssize_t end;        /* of the others, as input_read */
    const void *result; /* of the block in buf, NULL: there is none; */
    size_t result_at;   /* it begins at buf[result_at] */
    int threads;        /* in all */
    uint64_t done;      /* bytes of the file that were taken for buf */
    unsigned char *buf;
    size_t from, have, cap; /* buf[from..have) is read and not yet taken */
    uint64_t offset;        /* of buf[from], after inflating */
    uint64_t line;          /* lines taken by bytes_line */
    bool eof;
    bool torn;                 /* the last line has no newline */
    bool cut;                  /* the last error is that the file ends too early */
    size_t max_mem;            /* 0: no limit */
    const struct fdio *source; /* read instead of stdin; NULL: stdin */
    /* called before waiting for an input that has paused; NULL: nothing is */
    void (*idle)(void *ctx);
    void *ctx;
};

/* Open path (NULL: stdin). b->threads, max_mem, source, idle and ctx are kept. 0 or -1. */
int bytes_open(struct bytes *b, const char *path, input_foreign *foreign, struct err *e)
    __attribute__((warn_unused_result));
void bytes_close(struct bytes *b); /* its room stays, for the next one */
void bytes_free(struct bytes *b);

/*
 * The next n bytes at *p, not yet taken, valid until the next call. 1; 0: the file ends here; -1:
 * it ends within them ("truncated", b->cut), or an error.
 */
int bytes_peek(struct bytes *b, size_t n, const char *what, const unsigned char **p, struct err *e)
    __attribute__((warn_unused_result));
/* The same, taken; an end is an error. 0 or -1. */
int bytes_get(struct bytes *b, size_t n, const char *what, const unsigned char **p, struct err *e)
    __attribute__((warn_unused_result));
/* Up to n bytes that are there, for recognising: their number. */
size_t bytes_head(struct bytes *b, size_t n, const unsigned char **p, struct err *e);
/* Pass over n bytes. 0 or -1. */
int bytes_skip(struct bytes *b, uint64_t n, const char *what, struct err *e)
    __attribute__((warn_unused_result));
/* Does anything but blanks follow? Those are taken. */
bool bytes_more(struct bytes *b);
/* The next line, taken, without its LF or CR LF. 1, 0: the file ends here, -1. */
int bytes_line(struct bytes *b, const char **s, size_t *len, struct err *e)
    __attribute__((warn_unused_result));

/* Whole lines that are there, each with its newline, not yet taken: their bytes at *s, 0: none. */
size_t bytes_lines(const struct bytes *b, const char **s);
/* From here on whole things of n bytes follow each other, and are asked for whole: so many are read
 * at a time that none is left over, and as few as stay in a cache close by. */
void bytes_whole(struct bytes *b, size_t n);
/* Of what is no file: read the next n, and none behind them, as that is for bytes_into. Else false. */
bool bytes_alone(struct bytes *b, size_t n);
/* n bytes into `to`, behind bytes_alone: without a copy. As bytes_get. */
int bytes_into(struct bytes *b, void *to, size_t n, const char *what, struct err *e)
    __attribute__((warn_unused_result));
/* From now on several threads, where there are and the input is not small, read blocks of up to
 * BYTES_SHARED bytes and work on each; until bytes_unshare. */
void bytes_share(struct bytes *b, bytes_work *work, void *ctx);
void bytes_unshare(struct bytes *b);
/* The result of the block that the next byte is in, and where in it that byte is (negative: before);
 * NULL: there is none. */
static inline const void *bytes_result(const struct bytes *b, ptrdiff_t *at)
{
    *at = (ptrdiff_t)b->from - (ptrdiff_t)b->result_at;
    return b->result;
}
/* They, or those up to byte n, are taken: count of them. */
static inline void bytes_take_lines(struct bytes *b, size_t n, size_t lines)
{
    b->from += n;
    b->offset += n;
    b->line += lines;
}

/* "byte N: ..." with the offset of the next byte; "line N: ..." with the last line. Return -1. */
int bytes_bad(const struct bytes *b, struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int bytes_bad_line(const struct bytes *b, struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static inline void bytes_take(struct bytes *b, size_t n)
{
    b->from += n;
    b->offset += n;
}

/* Numbers at p in the order of this machine (little endian), or swapped. */
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
