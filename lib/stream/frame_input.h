/* SPDX-License-Identifier: MIT */
/* frame_input.h: bytes in: a descriptor with a small buffer, an offset and exact reads. Internal to
 * lib/frame*.c. */
#ifndef MBF_FRAME_INPUT_H
#define MBF_FRAME_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct input {
    int fd;            /* -1: could not be opened, errno in error */
    bool own, regular; /* close it; can be seeked */
    int error;         /* errno of the first failure */
    uint64_t size;     /* bytes from `start` to the end of a regular file */
    uint64_t start;    /* where the descriptor stood */
    uint64_t offset;   /* bytes consumed since */
    size_t have, at;   /* buffered bytes, of which [at, have) are left */
    unsigned char buf[16384];
};

/* path NULL or "-": descriptor 0. A failure is kept in error and met by the first read. */
void input_open(struct input *in, const char *path);
void input_close(struct input *in);

/* Read until n bytes or the end. Returns the number read; fewer than n: the end, or in->error is
 * set. */
size_t input_read(struct input *in, void *p, size_t n);

/* Pass over n bytes of a regular file. Returns the number that were there. */
uint64_t input_skip(struct input *in, uint64_t n);

/* n bytes that end at the end of a regular file, without moving. 0, or -1 when there are not so
 * many. */
int input_tail(struct input *in, void *p, size_t n);

/* A descriptor that is 3 or more, so that a closed 0, 1 or 2 never becomes a data file; closes fd.
 * -1: errno. */
int input_above_two(int fd);

#ifdef __cplusplus
}
#endif
#endif
