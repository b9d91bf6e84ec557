/* SPDX-License-Identifier: MIT */
/* frame_pack.h: hashes a part of an array, and compresses the part with the codec that gives the
 * smallest result. Parts are independent of each other. Private to lib/stream. */
#pragma once

#include "stream/frame_wire.h"

enum { PACK_STORE = -1, PACK_CHOOSE = -2 }; /* for the member `filter` */

/* The pointers refer to the array of the caller or, if the part is queued, to `mem`. */
struct part {
    struct wire_header h;
    int filter;
    const unsigned char *raw;
    unsigned char *packed, *scratch; /* [h.raw], [track_room(h.raw)] */
    unsigned char *unpacked;         /* [h.raw], to verify */
    const unsigned char *stored;
    unsigned char *mem;
    size_t cap;
};

/* Returns true if arrays like d are stored with codec 3 at this compression level. */
bool pack_predicts(int level, const struct frame_desc *d);
/* Sets p->stored and completes p->h, from p->raw and from the description and the offset in p->h.
 * The array edge[3] contains the edges of the cell, for track_pack. */
void pack_part(struct part *p, int level, const float edge[3]);
