/* SPDX-License-Identifier: MIT */
/*
 * input.h: bytes of a file or of stdin, inflated if the content is gzip or zstd (whatever the
 * name).
 *
 * Concatenated members are read as one file, as gzip -d does. A cut or damaged member is an error,
 * never an end.
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

enum { INPUT_SNIFF = 512 }; /* number of leading bytes that are examined */

/* Type of a function that examines the first bytes. Returns what they are, in words ("is a zip
 * archive: unzip -p FILE writes its content"), if they cannot be the expected content, or NULL to
 * accept them. It is called with the raw bytes, and again with the inflated bytes. */
typedef const char *input_foreign(const void *bytes, size_t n);

struct input {
    struct fdio io; /* io.bytes: number of bytes consumed; io.size: size of a regular file, else
                       0 */
    bool packed;    /* content is gzip or zstd; known after the first read */
    bool cut;       /* the error is a premature end of compressed data */
    struct err err; /* error message without the file name */

    /* private */
    bool sniffed, eof, looked_inside;
    bool member_open; /* inside a gzip member */
    input_foreign *foreign;
    size_t raw_at, raw_len; /* raw[raw_at..raw_len) was read but not yet returned or inflated */
    unsigned char *raw;     /* NULL: not open */
    struct gunzip *gunzip;  /* one of gunzip and zstd is set if packed */
    struct zstd *zstd;
};

/* Opens path (NULL or "-": stdin); foreign may be NULL. Returns 0, or -1 with the error in in->err.
 * Call input_close in either case. */
int input_open(struct input *in, const char *path, input_foreign *foreign)
    __attribute__((warn_unused_result));
/* As input_open for io, which is already open and is not closed here. */
int input_take(struct input *in, const struct fdio *io, input_foreign *foreign)
    __attribute__((warn_unused_result));
void input_close(struct input *in);

/* Returns true if the next bytes are those of a regular file from io.bytes on, unchanged. */
bool input_plain(const struct input *in);

/* Reads up to n bytes into buf. Returns their number, FDIO_END, FDIO_ERROR (in->err is set), or
 * FDIO_NOTHING_YET if nothing came within `wait` seconds (negative: wait for ever). */
ssize_t input_read(struct input *in, void *buf, size_t n, double wait)
    __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#endif
