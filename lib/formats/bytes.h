/* SPDX-License-Identifier: MIT */
/* bytes.h: reads the bytes of a file or pipe in order, and decompresses them if necessary. Private
 * to lib/formats. The reader of a format asks for n bytes or for the next line, and gets one
 * contiguous piece. If more than one thread is allowed, another thread reads ahead in regular
 * files. */
#pragma once

#include <inttypes.h>
#include <string.h>

#include "formats/formats.h"
#include "io/prefetch.h"

enum {
    BYTES_SHARED = 1 << 18,      /* fits in a CPU cache */
    BYTES_SLACK = PREFETCH_SLACK /* undefined bytes that may be read after the end */
};

struct bytes {
    const struct formats_opts *o; /* only `source`, `threads`, `max_mem`, `idle`, `ctx` are used */
    struct input in;
    const char *path;       /* name with which a regular file is opened again */
    struct prefetch *ahead; /* NULL: no read-ahead */
    size_t block;           /* bytes that `ahead` reads at a time */
    size_t whole;           /* n of bytes_whole(), or 0 */
    bool alone;             /* set by bytes_alone */
    size_t longest;         /* of a line, or 0: default */
    struct prefetch_block spare;
    prefetch_work *work; /* processes shared blocks (bytes_share), or NULL */
    void *work_ctx;
    const void *result; /* result of work() for buf, or NULL */
    size_t result_at;   /* start of the block of `result` in buf */
    uint64_t done;      /* bytes moved to buf */
    unsigned char *buf;
    size_t from, have, cap; /* buf[from..have) was read but not returned */
    uint64_t offset;        /* position of buf[from] after decompression */
    uint64_t line;          /* lines that bytes_line has returned */
    bool eof;
    bool torn; /* The last line has no newline. */
    bool cut;  /* The last error was that the file ended too early. */
};

/* Opens the file `path` or, if `path` is NULL, the source b->o->source or stdin. The caller must
 * set b->o before. Returns 0 or -1. */
int bytes_open(struct bytes *b, const char *path, input_foreign *foreign, struct err *e) MUST_USE;
void bytes_close(struct bytes *b); /* keeps the buffer */
void bytes_free(struct bytes *b);

/* Sets *p to the next n bytes of the input without consuming them. The bytes stay valid until the
 * next call of a function in bytes.h. Returns 1, 0 at the end of the file, or -1 on failure. If the
 * file ends within the n bytes, b->cut is set. */
int bytes_peek(struct bytes *b, size_t n, const char *what, const unsigned char **p,
               struct err *e) MUST_USE;
/* Sets *p to the next n bytes, of which `len` bytes from byte `at` on are undefined, because they
 * are read directly into `to`. Returns false if the n bytes cannot be read from a plain file at
 * once; the caller then calls bytes_peek. */
bool bytes_peek_around(struct bytes *b, size_t n, size_t at, size_t len, void *to,
                       const unsigned char **p);
/* Sets *p to the next n bytes and consumes them, or sets *e if the file ends first. Returns 0 or
 * -1. */
int bytes_get(struct bytes *b, size_t n, const char *what, const unsigned char **p,
              struct err *e) MUST_USE;
/* Sets *p to up to n bytes, which show the format, and returns their number. */
size_t bytes_head(struct bytes *b, size_t n, const unsigned char **p, struct err *e);
/* Skips n bytes. Returns 0 or -1. */
int bytes_skip(struct bytes *b, uint64_t n, const char *what, struct err *e) MUST_USE;
/* Skips blanks, and returns whether the input contains anything else. */
bool bytes_more(struct bytes *b);
/* Sets *s to the next line without LF or CR LF. Returns 1, 0 at the end, or -1 on failure. */
int bytes_line(struct bytes *b, const char **s, size_t *len, struct err *e) MUST_USE;

/* Sets *s to the first complete line in the buffer. Returns the total size in bytes of the complete
 * lines, with newlines, or 0 without a complete line. */
size_t bytes_lines(const struct bytes *b, const char **s);
/* Announces that the caller will ask for whole records of n bytes, so that each read from the file
 * returns as many whole records as fit into a CPU cache. */
void bytes_whole(struct bytes *b, size_t n);
/* Ensures that only the next n bytes are read from a pipe, so that the caller may call
 * bytes_into(). For regular files and shared input, nothing is changed and the result is false. */
bool bytes_alone(struct bytes *b, size_t n);
/* Reads n bytes from the input directly into `to`, after a call of bytes_alone(). Returns 0 or
 * -1. */
int bytes_into(struct bytes *b, void *to, size_t n, const char *what, struct err *e) MUST_USE;
/* Lets several threads read blocks of up to BYTES_SHARED bytes and call work() for each block,
 * until bytes_unshare is called. For small inputs, or with a single thread, blocks are not
 * shared. */
void bytes_share(struct bytes *b, prefetch_work *work, void *ctx);
void bytes_unshare(struct bytes *b);
/* Returns the result of work() for the current block, or NULL. Sets *at to the offset of the next
 * byte in the current block, which is negative if the byte precedes the block. */
static inline const void *bytes_result(const struct bytes *b, ptrdiff_t *at)
{
    *at = (ptrdiff_t)b->from - (ptrdiff_t)b->result_at;
    return b->result;
}
/* Consumes n bytes with `lines` lines that bytes_lines has found. */
static inline void bytes_take_lines(struct bytes *b, size_t n, size_t lines)
{
    b->from += n;
    b->offset += n;
    b->line += lines;
}

/* Sets *e to a message that begins with the number of the next byte, and returns -1. The macro
 * bytes_bad_line gives the number of the last line instead. */
#define bytes_bad(b, e, fmt, ...) err_bad(e, "byte %" PRIu64 ": " fmt, (b)->offset, ##__VA_ARGS__)
#define bytes_bad_line(b, e, ...) (err_bad(e, __VA_ARGS__), err_line(e, (b)->line))
/* The macros bytes_cut and bytes_cut_line also record in b->cut that the file ends too early. */
#define bytes_cut(b, e, ...) ((b)->cut = true, bytes_bad(b, e, __VA_ARGS__))
#define bytes_cut_line(b, e, ...) ((b)->cut = true, bytes_bad_line(b, e, __VA_ARGS__))

static inline void bytes_take(struct bytes *b, size_t n)
{
    b->from += n;
    b->offset += n;
}

/* Returns the number at p, which is big-endian if `swap` is set and otherwise little-endian. */
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
