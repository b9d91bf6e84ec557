/* SPDX-License-Identifier: MIT */
/*
 * input.h: bytes of a file or of stdin, inflated when the content is gzip or zstd (whatever the name
 * says).
 *
 * Concatenated members are one file, as gzip -d has it. A cut or damaged member is an error, never
 * an end.
 */
#ifndef MBF_INPUT_H
#define MBF_INPUT_H

#include "base/err.h"
#include "base/fdio.h"
#include "base/gunzip.h"
#include "base/zstd.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { INPUT_SNIFF = 512 }; /* bytes that are looked at, where there are so many */

/*
 * What these first bytes are, in words ("is a zip archive: unzip -p FILE writes its content"), if
 * they cannot be what is expected; NULL: go on. It sees the raw bytes, and again the inflated ones.
 */
typedef const char *input_foreign(const void *bytes, size_t n);

struct input {
    struct fdio io; /* io.bytes: taken so far; io.size: of a regular file, else 0 */
    bool packed;    /* gzip or zstd; known after the first read */
    bool cut;       /* the error is that the compressed data ends too early */
    struct err err; /* what is wrong, without the file's name */

    /* own */
    bool sniffed, eof, looked_inside;
    bool member_open; /* within a gzip member */
    input_foreign *foreign;
    size_t raw_at, raw_len; /* raw[raw_at..raw_len) was read, but not yet handed out or inflated */
    unsigned char *raw;     /* NULL: not open */
    struct gunzip *gunzip;  /* of what is packed: one of the two */
    struct zstd *zstd;
};

/* Open path (NULL or "-": stdin); foreign may be NULL. 0, or -1 with the error in in->err. Close it
 * in any case. */
int input_open(struct input *in, const char *path, input_foreign *foreign)
    __attribute__((warn_unused_result));
/* The same of what is open already, and not closed here. */
int input_take(struct input *in, const struct fdio *io, input_foreign *foreign)
    __attribute__((warn_unused_result));
void input_close(struct input *in);

/* Are the bytes that come next those of a regular file from io.bytes on, as they stand? */
bool input_plain(const struct input *in);

/*
 * Up to n bytes into buf. Returns their number, FDIO_END, FDIO_ERROR (in->err), or
 * FDIO_NOTHING_YET when nothing came within `wait` seconds (negative: wait for ever).
 */
ssize_t input_read(struct input *in, void *buf, size_t n, double wait)
    __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#endif
