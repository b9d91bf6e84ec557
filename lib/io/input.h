/* SPDX-License-Identifier: MIT */
/* input.h: reads the bytes of a file or of stdin. Data in gzip or zstd format are decompressed,
 * whatever the name of the file. Concatenated members are read as one file, as by gzip -d.
 * Truncated or damaged data are an error, never the end of the input. */
#pragma once

#include "base/err.h"
#include "io/fdio.h"
#include "io/gunzip.h"
#include "io/zstd.h"

enum { INPUT_SNIFF = 512 }; /* leading bytes examined */

/* Type of a function that checks the first bytes of an input. The function returns NULL to accept
 * the bytes, or a phrase that describes the bytes, such as "is a zip archive: unzip -p FILE writes
 * its content". The function is called with the raw bytes, and again with the decompressed
 * bytes. */
typedef const char *input_foreign(const void *bytes, size_t n);

struct input {
    struct fdio io; /* The member io.bytes counts the bytes read so far, and io.size is the size of
                     * the file, or 0 if unknown. */
    bool packed;    /* Whether the content is gzip or zstd, as found by the first read. */
    bool cut;       /* Whether the compressed data end too early. */
    struct err err; /* The error message, without the file name. */

    /* private */
    bool sniffed, eof, looked_inside;
    bool member_open; /* inside a gzip member */
    input_foreign *foreign;
    size_t raw_at, raw_len; /* The bytes raw[raw_at..raw_len) were read, but not yet returned or
                             * decompressed. */
    unsigned char *raw;     /* NULL: not open */
    struct gunzip *gunzip;  /* If `packed` is set, either `gunzip` or `zstd` is set. */
    struct zstd *zstd;
};

/* Opens `path`, or stdin if `path` is NULL or "-". The argument `foreign` may be NULL. Returns 0 on
 * success, or -1 with the error in in->err. Call input_close afterwards, also if this function
 * failed. */
int input_open(struct input *in, const char *path, input_foreign *foreign) MUST_USE;
/* Works like input_open, but reads from `io`, which the caller has opened. The function input_close
 * does not close `io`. */
int input_take(struct input *in, const struct fdio *io, input_foreign *foreign) MUST_USE;
void input_close(struct input *in);

/* Returns true if the next bytes are the unchanged bytes of a regular file at offset io.bytes. */
bool input_plain(const struct input *in);

/* Reads up to n bytes into `buf`. Returns the number of bytes, FDIO_END, or FDIO_ERROR with in->err
 * set. Returns FDIO_NOTHING_YET if no data arrive within `wait` seconds. A negative `wait` means no
 * time limit. */
ssize_t input_read(struct input *in, void *buf, size_t n, double wait) MUST_USE;
