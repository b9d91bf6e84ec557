/* SPDX-License-Identifier: MIT */
/* frame_input.h: bytes in: a descriptor with a small buffer, an offset and exact reads. Internal to
 * lib/frame*.c. */
#ifndef MBF_FRAME_INPUT_H
#define MBF_FRAME_INPUT_H

#include "base/fdio.h"

#ifdef __cplusplus
extern "C" {
#endif

struct input {
    struct fdio io;
    uint64_t offset; /* bytes consumed */
    size_t have, at; /* buffered bytes, of which [at, have) are left */
    unsigned char buf[16384];
};

/* Read until n bytes or the end. Returns the number read; fewer than n: the end, or io.error is
 * set. */
size_t input_read(struct input *in, void *p, size_t n);

/* Pass over n bytes of a regular file. Returns the number that were there. */
uint64_t input_skip(struct input *in, uint64_t n);

#ifdef __cplusplus
}
#endif
#endif
