/* SPDX-License-Identifier: MIT */
/* mend.h: makes the hashes of any bytes valid as a frame stream, so that the code after their
 * verification is reached. */
#include <stdint.h>

#include "../unit/forge.h"

static uint64_t get64(const unsigned char *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}

static void put64(unsigned char *p, uint64_t v)
{
    memcpy(p, &v, 8);
}

/* Reads from header to header as far as lengths allow, and makes the hashes of headers valid. With
 * `payloads`, also those of stored data and of the totals in END. */
static void mend(struct forge *f, bool payloads)
{
    for (size_t at = 0; at + WIRE_HEADER <= f->n;) {
        unsigned char *h = f->p + at;
        uint64_t stored = get64(h + 96), left = f->n - at - WIRE_HEADER;
        memcpy(h, WIRE_MAGIC, 8);
        if (payloads && stored <= left) {
            if (memcmp(h + 12, "META", 4) == 0)
                f->segment_at = at;
            if (memcmp(h + 12, "END ", 4) == 0 && stored == WIRE_END) {
                struct forge part = *f;
                part.n = at;
                forge_totals(&part);
                part.end.status = (enum frame_status)(h[WIRE_HEADER + 96] % 3);
                memcpy(h + WIRE_HEADER, &part.end, WIRE_END);
            }
            put64(h + 112, wire_hash(h + WIRE_HEADER, (size_t)stored));
            if (h[22] == WIRE_STORED)
                put64(h + 104, get64(h + 112));
        }
        put64(h + 120, wire_hash(h, 120));
        uint64_t next = stored + wire_padding(stored);
        if (next < stored || next > left)
            break;
        at += WIRE_HEADER + (size_t)next;
    }
}
