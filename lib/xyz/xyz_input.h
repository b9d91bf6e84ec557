/* SPDX-License-Identifier: MIT */
/*
 * xyz_input.h: bytes of a text file or of stdin, inflated when the content is gzip (whatever the
 * name says).
 *
 * Concatenated gzip members are one text, as gzip -d has it. A cut or damaged member is an error,
 * never an end.
 */
#ifndef MBF_XYZ_INPUT_H
#define MBF_XYZ_INPUT_H

#include <zlib.h>

#include "base/err.h"
#include "base/fdio.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xyz_input {
    struct fdio io; /* io.bytes: taken so far; io.size: of a regular file, else 0 */
    bool gzip;      /* known after the first read */
    bool cut;       /* the error is that the compressed data ends too early */
    struct err err; /* what is wrong, without the file's name */

    /* own */
    bool sniffed, eof, member_open;
    size_t raw_at, raw_len; /* raw[raw_at..raw_len) was read, but not yet handed out or inflated */
    unsigned char *raw;     /* NULL: not open */
    z_stream z;
};

/* Open path (NULL or "-": stdin). 0, or -1 with the error in in->err. Close it in any case. */
int xyz_input_open(struct xyz_input *in, const char *path) __attribute__((warn_unused_result));
void xyz_input_close(struct xyz_input *in);

/*
 * Up to n bytes of text into buf. Returns their number, FDIO_END, FDIO_ERROR (in->err), or
 * FDIO_NOTHING_YET when nothing came within `wait` seconds (negative: wait for ever).
 */
ssize_t xyz_input_read(struct xyz_input *in, char *buf, size_t n, double wait)
    __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#endif
