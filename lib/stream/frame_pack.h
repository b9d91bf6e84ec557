/* SPDX-License-Identifier: MIT */
/* frame_pack.h: hashes one part of an array, and compresses it with the codec that gives the
 * smallest result. Different parts are independent of each other. Only the files of lib/stream use
 * this header. */
#pragma once

#include "stream/frame_wire.h"

enum { PACK_STORE = -1, PACK_CHOOSE = -2 }; /* special values of the member `filter` */

/* A part in progress. The pointers refer to the array of the caller or, if the part is queued, to
 * `mem`. */
struct part {
    struct wire_header h;
    int filter;
    const unsigned char *raw;
    unsigned char *packed, *scratch; /* buffers of h.raw and track_room(h.raw) bytes */
    unsigned char *unpacked;         /* buffer of h.raw bytes to verify a packed part */
    const unsigned char *stored;     /* bytes to write */
    unsigned char *mem;
    size_t cap;
};

/* Returns true if arrays like d are stored with codec 3 at this compression level. */
bool pack_predicts(int level, const struct frame_desc *d);
/* Sets p->stored and the other members of p->h, from p->raw and from the description and the offset
 * in p->h. The argument edge[3] contains the edges of the cell, for track_pack. */
void pack_part(struct part *p, int level, const float edge[3]);
