/* SPDX-License-Identifier: MIT */
/*
 * inflate.h: a stretch of gzip data from any bit on, without what came before it.
 *
 * A match may reach back 32 KiB. Where those bytes are not known, what it takes from them comes out
 * as a mark (which of them), to be filled in when they are: so stretches of one file are inflated
 * side by side. Source: RFC 1951, RFC 1952; the idea of marks is that of pugz (Kerbiriou and
 * Chikhi, 2019) and rapidgzip.
 */
#ifndef MBF_INFLATE_H
#define MBF_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { INFLATE_WINDOW = 32768, INFLATE_PAD = 16 };

enum inflate_status {
    INFLATE_OK,    /* it ends between two blocks */
    INFLATE_END,   /* it ends with the data: nothing follows but zeros */
    INFLATE_BAD,   /* no such data, or cut, */
    INFLATE_LARGE, /* or too much comes out */
    INFLATE_MEMORY
};

struct inflate_member {
    size_t at;          /* it ends before symbol at, */
    uint32_t crc, size; /* and its trailer says so */
};

struct inflate_part {
    uint16_t *out;       /* INFLATE_WINDOW symbols before, then [n]: a byte, or 256 + which byte of
                            the window */
    size_t n, cap;       /* cap: without the window */
    uint64_t start, end; /* bits of the data */
    struct inflate_member *members;
    size_t nmembers, cap_members;
};

/*
 * Inflate p[0..len) (and INFLATE_PAD bytes that may be read; last: the file ends there) from bit
 * `start`, where a block begins (or, header: a member), up to the first block that begins at bit
 * `stop` or later. window: the `have` bytes before (at most INFLATE_WINDOW); NULL: not known.
 * At most `most` symbols. part is used again; free it with inflate_free.
 */
enum inflate_status inflate_part(struct inflate_part *part, const unsigned char *p, size_t len,
                                 bool last, uint64_t start, bool header, uint64_t stop,
                                 const unsigned char *window, size_t have, size_t most);
void inflate_free(struct inflate_part *part);

/* The first bit from `from` on, before `to`, where a block with tables, or a member (*header),
 * could begin; `to`: there is none. */
uint64_t inflate_find(const unsigned char *p, size_t len, uint64_t from, uint64_t to, bool *header);

#ifdef __cplusplus
}
#endif
#endif
