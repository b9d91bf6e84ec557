/* SPDX-License-Identifier: MIT */
/* input.h: reads the bytes of a file or of stdin. Data in gzip or zstd format are decompressed,
 * whatever the name of the file is. Concatenated members are read as one file, as by gzip -d.
 * Truncated or damaged data are reported as an error and never treated as the end of the input. */
#pragma once

#include "base/err.h"
#include "io/fdio.h"
#include "io/gunzip.h"
#include "io/zstd.h"

enum { INPUT_SNIFF = 512 }; /* leading bytes examined */

/* Type of a function that checks the first bytes of an input. The function returns NULL if it
 * accepts the bytes. If the function does not accept the bytes, it returns a phrase that describes
 * them, such as "is a zip archive: unzip -p FILE writes its content". The function is called with
 * the bytes of the file, and again with the decompressed bytes. */
typedef const char *input_foreign(const void *bytes, size_t n);

struct input {
    struct fdio io; /* The member io.bytes counts the bytes read so far, and io.size is the size of
                     * the file, or 0 if it is unknown. */
    bool packed;    /* Whether the content is gzip or zstd, which the first read finds out. */
    bool cut;       /* Whether the compressed data end too early. */
    struct err err; /* The error message, without the name of the file. */

    /* private */
    bool sniffed, eof, looked_inside;
    bool member_open; /* inside a gzip member */
    input_foreign *foreign;
    size_t raw_at, raw_len; /* The bytes raw[raw_at..raw_len) have been read, but have not been
                             * returned or decompressed. */
    unsigned char *raw;     /* NULL: not open */
    struct gunzip *gunzip;  /* If `packed` is set, one of the members `gunzip` and `zstd` is set. */
    struct zstd *zstd;
};

/* Opens the file `path`, or stdin if `path` is NULL or "-". The argument `foreign` is a function
 * that checks the first bytes, or NULL. Returns 0 on success, or -1 with the error in in->err. Call
 * input_close afterwards, even if this function fails. */
int input_open(struct input *in, const char *path, input_foreign *foreign) MUST_USE;
/* Works like input_open, but reads from `io`, which the caller has opened. The function input_close
 * does not close `io`. */
int input_take(struct input *in, const struct fdio *io, input_foreign *foreign) MUST_USE;
void input_close(struct input *in);

/* Returns true if the next bytes are the unchanged bytes of a regular file at the offset
 * io.bytes. */
bool input_plain(const struct input *in);

/* Reads up to n bytes into `buf`. Returns the number of bytes, FDIO_END at the end, or FDIO_ERROR
 * after setting in->err. Returns FDIO_NOTHING_YET if no data arrive within `wait` seconds. If
 * `wait` is negative, there is no time limit. */
ssize_t input_read(struct input *in, void *buf, size_t n, double wait) MUST_USE;
