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
    BYTES_SHARED = 1 << 18,      /* Size in bytes of a block that threads share, which fits in a CPU
                                  * cache. */
    BYTES_SLACK = PREFETCH_SLACK /* Number of bytes after the end of the data that may be read. The
                                  * bytes after the end of the data have undefined values. */
};

struct bytes {
    const struct formats_opts *o; /* options, of which only `source`, `threads`, `max_mem`, `idle`
                                   * and `ctx` are used */
    struct input in;
    const char *path;       /* Path under which a regular file is opened again. */
    struct prefetch *ahead; /* NULL: no read-ahead */
    size_t block;           /* number of bytes that `ahead` reads at a time */
    size_t whole;           /* argument n of bytes_whole(), or 0 if this function was not called */
    bool alone;             /* set by bytes_alone */
    size_t longest;         /* largest length of a line, or 0 for the default length */
    struct prefetch_block spare;
    prefetch_work *work; /* function that processes shared blocks (bytes_share), or NULL without
                          * sharing */
    void *work_ctx;
    const void *result; /* Result of the function `work` for the block in buf, or NULL. */
    size_t result_at;   /* Index in `buf` of the first byte of the block to which `result`
                         * belongs. */
    uint64_t done;      /* Number of bytes of the file that have been moved to buf so far. */
    unsigned char *buf;
    size_t from, have, cap; /* The bytes buf[from..have) have been read from the file but not yet
                             * returned. */
    uint64_t offset;        /* Position of buf[from] in the decompressed file. */
    uint64_t line;          /* Number of lines that bytes_line has returned. */
    bool eof;
    bool torn; /* Whether the last line of the file has no newline. */
    bool cut;  /* Whether the last error was that the file ended too early. */
};

/* Opens the file `path`. If `path` is NULL, opens the source in b->o, or stdin. The caller must set
 * the member b->o first. Returns 0 or -1. */
int bytes_open(struct bytes *b, const char *path, input_foreign *foreign, struct err *e) MUST_USE;
void bytes_close(struct bytes *b); /* keeps the buffer */
void bytes_free(struct bytes *b);

/* Sets *p to the next n bytes of the input without consuming them. The bytes stay valid until the
 * next call of any function of this header. Returns 1 on success, 0 at the end of the file, or -1
 * on failure. If the file ends within the n bytes, sets b->cut. */
int bytes_peek(struct bytes *b, size_t n, const char *what, const unsigned char **p,
               struct err *e) MUST_USE;
/* Works like bytes_peek, but reads the `len` bytes from byte `at` on directly into the buffer `to`,
 * and leaves a gap of `len` undefined bytes at *p. The function reads directly into `to` only if
 * the next n bytes can be read from a plain file at once. If direct reading is not possible,
 * returns false. The caller then calls bytes_peek, which reads the bytes or reports the error. */
bool bytes_peek_around(struct bytes *b, size_t n, size_t at, size_t len, void *to,
                       const unsigned char **p);
/* Takes n bytes. Works like bytes_peek, but reports an error at the end of the file. Returns 0 or
 * -1. */
int bytes_get(struct bytes *b, size_t n, const char *what, const unsigned char **p,
              struct err *e) MUST_USE;
/* Sets *p to up to n bytes, so that the caller can recognise the format. Returns the number of
 * bytes at *p. */
size_t bytes_head(struct bytes *b, size_t n, const unsigned char **p, struct err *e);
/* Skips n bytes. Returns 0 or -1. */
int bytes_skip(struct bytes *b, uint64_t n, const char *what, struct err *e) MUST_USE;
/* Skips blanks. Returns true if the input contains more than blanks from here on. */
bool bytes_more(struct bytes *b);
/* Returns the next line, without its LF or CR LF. The result is 1 for a line, 0 at the end, or -1
 * on failure. */
int bytes_line(struct bytes *b, const char **s, size_t *len, struct err *e) MUST_USE;

/* Finds the complete lines in the buffer. Sets *s to the first complete line, and returns the total
 * size of the lines in bytes, with newlines. Returns 0 if the buffer contains no complete line. */
size_t bytes_lines(const struct bytes *b, const char **s);
/* Announces that the caller will ask for whole records of n bytes. Each read from the file then
 * returns as many whole records as fit into a CPU cache. */
void bytes_whole(struct bytes *b, size_t n);
/* Ensures that no more than the next n bytes are read from a pipe. The caller may then call
 * bytes_into(). For regular files and shared input, this function does nothing and returns
 * false. */
bool bytes_alone(struct bytes *b, size_t n);
/* Reads n bytes from the input directly into the buffer `to`. The caller must call bytes_alone()
 * first. Returns 0 or -1. */
int bytes_into(struct bytes *b, void *to, size_t n, const char *what, struct err *e) MUST_USE;
/* Lets several threads read blocks of up to BYTES_SHARED bytes and call work() for each block,
 * until bytes_unshare is called. For small inputs, or if there is only one thread, this function
 * does nothing. */
void bytes_share(struct bytes *b, prefetch_work *work, void *ctx);
void bytes_unshare(struct bytes *b);
/* Returns the result of work() for the current block, or NULL. Sets *at to the offset of the next
 * byte in the current block. The offset is negative if the next byte precedes the block. */
static inline const void *bytes_result(const struct bytes *b, ptrdiff_t *at)
{
    *at = (ptrdiff_t)b->from - (ptrdiff_t)b->result_at;
    return b->result;
}
/* Consumes n bytes with `lines` lines, which bytes_lines has found. */
static inline void bytes_take_lines(struct bytes *b, size_t n, size_t lines)
{
    b->from += n;
    b->offset += n;
    b->line += lines;
}

/* The macro bytes_bad sets *e to a message about the next byte ("byte N: ..."). The macro
 * bytes_bad_line sets *e to a message about the last line ("line N: ..."). Both return -1. */
#define bytes_bad(b, e, fmt, ...) err_bad(e, "byte %" PRIu64 ": " fmt, (b)->offset, ##__VA_ARGS__)
#define bytes_bad_line(b, e, ...) (err_bad(e, __VA_ARGS__), err_line(e, (b)->line))
/* The macros bytes_cut and bytes_cut_line work like bytes_bad and bytes_bad_line, but also record
 * in b->cut that the file ends too early. */
#define bytes_cut(b, e, ...) ((b)->cut = true, bytes_bad(b, e, __VA_ARGS__))
#define bytes_cut_line(b, e, ...) ((b)->cut = true, bytes_bad_line(b, e, __VA_ARGS__))

static inline void bytes_take(struct bytes *b, size_t n)
{
    b->from += n;
    b->offset += n;
}

/* Returns the number at p, which is big-endian if `swap` is set and little-endian otherwise. */
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
