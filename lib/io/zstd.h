/* SPDX-License-Identifier: MIT */
/* zstd.h: decompresses zstd data with libzstd.so.1, which is loaded when zstd data are read for the
 * first time. The window of the decompression, and thus its memory, is limited to 128 MiB. */
#pragma once

#include <stddef.h>

#include "base/err.h"

/* Returns true if the data begin with a zstd frame or a skippable frame. */
int zstd_begins(const unsigned char *p, size_t n);

struct zstd;

/* Returns NULL with an error message in e if the library or memory is not available. If the library
 * is missing, the status is ERR_BAD, because the program could still read other input. */
struct zstd *zstd_open(struct err *e);
void zstd_close(struct zstd *z); /* NULL is allowed */

/* Decompresses in[*at..n) into out[capacity], and advances *at. Returns the number of bytes written
 * to out[], or -1 with an error message in e if the data are damaged. Consecutive zstd frames are
 * read as one file. Sets *whole to 1 if the input so far ends with a complete zstd frame, and
 * otherwise to 0. */
long zstd_inflate(struct zstd *z, const void *in, size_t n, size_t *at, void *out, size_t capacity,
                  int *whole, struct err *e) MUST_USE;
