/* SPDX-License-Identifier: MIT */
/* frame_pack.h: internal to lib/stream: a part of an array, hashed and made short by the codec that is
 * best at it. Each is independent of the others. */
#ifndef MBF_FRAME_PACK_H
#define MBF_FRAME_PACK_H

#include "stream/frame_wire.h"

enum { PACK_STORE = -1, PACK_CHOOSE = -2 }; /* in the place of a filter */

/* One part on its way. Pointers are into the caller's array, or into mem where it waits in a queue.
 */
struct part {
    struct wire_header h;
    int filter;
    const unsigned char *raw;
    unsigned char *packed, *scratch; /* of h.raw bytes each */
    const unsigned char *stored;     /* what goes out */
    unsigned char *mem;
    size_t cap;
};

/* Are arrays like d to be predicted, at this level (frame_writer_opts.compress)? */
bool pack_predicts(int level, const struct frame_desc *d);
/* All of p->h and p->stored from what is described in h.desc, offset and raw; edge: of the cell, as
 * track_pack wants them. */
void pack_part(struct part *p, int level, const float edge[3]);

#endif
