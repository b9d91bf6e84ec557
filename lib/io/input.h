/* SPDX-License-Identifier: MIT */
/* input.h: reads the bytes of a file or of stdin. Data in gzip or zstd format are decompressed,
 * whatever the name of the file. Concatenated members are read as one file, as by gzip -d.
 * Truncated or damaged data are reported as an error and never treated as the end of the input. */
#pragma once

#include "base/err.h"
#include "io/fdio.h"
#include "io/gunzip.h"
#include "io/zstd.h"

enum { INPUT_SNIFF = 512 }; /* leading bytes examined */

/* Returns NULL if the first bytes of an input are acceptable, and otherwise a phrase that describes
 * the input, such as "is a zip archive: unzip -p FILE writes its content". The function is called
 * with the first bytes of the file, and again with the decompressed bytes. */
typedef const char *input_foreign(const void *bytes, size_t n);

struct input {
    /* The bytes read so far are counted in io.bytes, and io.size is the size of the file, or 0 if
     * the size is unknown. */
    struct fdio io;
    bool packed;    /* gzip or zstd */
    bool cut;       /* packed data truncated */
    struct err err; /* without a file name */

    /* private */
    bool sniffed, eof, looked_inside;
    bool member_open; /* inside a gzip member */
    input_foreign *foreign;
    /* The bytes raw[raw_at..raw_len) have been read, but not yet returned or decompressed. */
    size_t raw_at, raw_len;
    unsigned char *raw;    /* NULL: not open */
    struct gunzip *gunzip; /* if `packed`, either gunzip or zstd is set */
    struct zstd *zstd;
};

/* Opens the file `path`, or stdin if `path` is NULL or "-", and checks its first bytes with
 * `foreign`, unless `foreign` is NULL. Returns 0 on success, or -1 with the error in in->err. Call
 * input_close afterwards, even if input_open fails. */
int input_open(struct input *in, const char *path, input_foreign *foreign) MUST_USE;
/* Works like input_open, but reads from `io`, which the caller has opened and must close. */
int input_take(struct input *in, const struct fdio *io, input_foreign *foreign) MUST_USE;
void input_close(struct input *in);

/* Returns true if the next bytes are the unchanged bytes of a regular file at the offset
 * io.bytes. */
bool input_plain(const struct input *in);

/* Reads up to n bytes into `buf`. Returns the number of bytes, FDIO_END at the end, or FDIO_ERROR
 * after setting in->err. Returns FDIO_NOTHING_YET if no data arrive within `wait` seconds, unless
 * `wait` is negative. */
ssize_t input_read(struct input *in, void *buf, size_t n, double wait) MUST_USE;
