/* SPDX-License-Identifier: MIT */
/* frame_input.c: exact reads through a small buffer. */
#include "stream/frame_input.h"

#include <string.h>

size_t input_read(struct input *in, void *p, size_t n)
{
    unsigned char *to = p;
    size_t done = 0;
    while (done < n) {
        if (in->at < in->have) {
            size_t k = in->have - in->at < n - done ? in->have - in->at : n - done;
            memcpy(to + done, in->buf + in->at, k);
            in->at += k;
            done += k;
            continue;
        }
        bool direct = n - done >= sizeof in->buf;
        ssize_t got = fdio_read(&in->io, direct ? to + done : in->buf,
                                direct ? n - done : sizeof in->buf, -1.0);
        if (got <= 0)
            break;
        if (direct) {
            done += (size_t)got;
        } else {
            in->at = 0;
            in->have = (size_t)got;
        }
    }
    in->offset += done;
    return done;
}

uint64_t input_skip(struct input *in, uint64_t n)
{
    uint64_t left = in->io.size > in->offset ? in->io.size - in->offset : 0;
    if (n > left)
        n = left;
    in->offset += n;
    if (n <= in->have - in->at) {
        in->at += (size_t)n;
        return n;
    }
    in->at = in->have = 0;
    (void)!fdio_seek(&in->io, in->offset); /* io.error tells */
    return n;
}
