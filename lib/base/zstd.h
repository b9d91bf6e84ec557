/* SPDX-License-Identifier: MIT */
/*
 * zstd.h: zstd data inflated by libzstd.so.1, which is looked for when such data comes, and not
 * before: nothing is built or linked with it. Memory is bounded by the library's limit of the
 * window, 128 MiB.
 */
#ifndef MBF_ZSTD_H
#define MBF_ZSTD_H

#include <stddef.h>

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Do these bytes begin zstd data (a frame, or one that is skipped)? */
int zstd_begins(const unsigned char *p, size_t n);

struct zstd;

/* NULL with e: there is no library (ERR_BAD: other data would do), or no memory. */
struct zstd *zstd_open(struct err *e);
void zstd_close(struct zstd *z); /* NULL is allowed */

/*
 * Inflate from in[*at..n), moving *at, into out[room]. Returns the bytes made, or -1 with e:
 * damaged. Frames that follow each other are one; *whole: all that was begun has come to its end.
 */
long zstd_inflate(struct zstd *z, const void *in, size_t n, size_t *at, void *out, size_t room,
                  int *whole, struct err *e) __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#endif
