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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fdio.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xyz_input;

enum {
    XYZ_INPUT_END = FDIO_END,
    XYZ_INPUT_ERROR = FDIO_ERROR,
    XYZ_INPUT_NOTHING_YET = FDIO_NOTHING_YET
};

/* Open path (NULL or "-": stdin). NULL with err and *status: 2 there is no such file, 3 the machine
 * failed. */
struct xyz_input *xyz_input_open(const char *path, int *status, char *err, size_t errlen);
void xyz_input_close(struct xyz_input *in);

/*
 * Up to n bytes of text into buf. Returns their number, XYZ_INPUT_END, XYZ_INPUT_ERROR
 * (xyz_input_error), or XYZ_INPUT_NOTHING_YET when nothing came within `wait` seconds (negative:
 * wait for ever).
 */
ssize_t xyz_input_read(struct xyz_input *in, char *buf, size_t n, double wait)
    __attribute__((warn_unused_result));

const char *
xyz_input_error(const struct xyz_input *in);      /* what is wrong, without the file's name */
int xyz_input_status(const struct xyz_input *in); /* of the error: 2 or 3 */
bool xyz_input_cut(
    const struct xyz_input *in); /* the error is that the compressed data ends too early */
uint64_t xyz_input_bytes(const struct xyz_input *in); /* taken from the descriptor so far */
uint64_t xyz_input_size(const struct xyz_input *in);  /* of a regular file, else 0 */
bool xyz_input_gzip(const struct xyz_input *in);      /* known after the first read */

#ifdef __cplusplus
}
#endif
#endif
