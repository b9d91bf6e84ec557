/* SPDX-License-Identifier: MIT */
#include "stream/frame_pack.h"

#include <string.h>

#include "stream/frame_codec.h"
#include "stream/frame_track.h"

enum { ONE_STEP = 256 * 1024 };

bool pack_predicts(int level, const struct frame_desc *d)
{
    return level == FRAME_SMALL && d->dtype == FRAME_F32;
}

/* Packs with codec 3, and verifies that unpacking restores every bit. Returns 0 if it does not, or
 * if packing does not save enough. */
static size_t tracked(struct part *p, const float edge[3])
{
    const struct wire_header *h = &p->h;
    struct err e;
    size_t n = (size_t)h->raw, row = wire_row(&h->desc),
           len = track_pack(h->desc.type == FRAME_POSN ? edge : NULL, row, h->offset / 4, p->raw, n,
                            p->packed, p->scratch);
    bool same = len &&
                track_unpack(WIRE_LINK, row, h->offset / 4, p->packed, len, p->unpacked, n,
                             p->scratch, &e) == 0 &&
                memcmp(p->unpacked, p->raw, n) == 0;
    return same ? len : 0;
}

/* Packs with zlib. Returns 0 if packing does not save enough. */
static size_t deflated(struct part *p, int level)
{
    level = level == FRAME_SMALL ? 1 : level;
    struct wire_header *h = &p->h;
    size_t n = (size_t)h->raw;
    if (p->filter == PACK_CHOOSE)
        p->filter = codec_choose(&h->desc, level, p->raw, n, p->packed, p->scratch);
    return p->filter < 0 ? 0
                         : codec_deflate(&h->desc, (enum wire_filter)p->filter, level, p->raw, n,
                                         p->packed, p->scratch);
}

/* Packs a part into p->packed with the codec that makes it shortest. For a short single step, which
 * cannot be predicted, zlib may be better. */
static size_t pack(struct part *p, int level, const float edge[3])
{
    struct wire_header *h = &p->h;
    size_t len = 0, other;
    if (p->filter != PACK_STORE && pack_predicts(level, &h->desc))
        len = tracked(p, edge);
    if (len == 0 || (h->raw <= ONE_STEP && h->raw / 4 <= wire_row(&h->desc))) {
        other = deflated(p, level);
        if (len == 0 || (other > 0 && other < len)) {
            h->codec = other ? WIRE_ZLIB : WIRE_STORED;
            h->filter = other ? (unsigned)p->filter : WIRE_PLAIN;
            return other;
        }
        len = tracked(p, edge); /* packs again, because zlib overwrote the result */
    }
    h->codec = WIRE_LINK;
    h->desc.flags |= WIRE_LINKED;
    return len;
}

void pack_part(struct part *p, int level, const float edge[3])
{
    struct wire_header *h = &p->h;
    size_t n = (size_t)h->raw, len = pack(p, level, edge);
    h->raw_hash = wire_hash(p->raw, n);
    h->stored = len ? len : n;
    h->stored_hash = len ? wire_hash(p->packed, len) : h->raw_hash;
    p->stored = len ? p->packed : p->raw;
}
