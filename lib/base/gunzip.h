/* SPDX-License-Identifier: MIT */
/*
 * gunzip.h: a large gzip file inflated on several threads, of one member or many.
 *
 * Pieces of the file are inflated from where a block seems to begin (inflate.h), and count only
 * where the piece before ends at that bit; else a piece is done again from there. Each member is
 * held against its checksum and length. What is not so is left to zlib, from the last good bit on:
 * its words, and no byte that it would not give.
 */
#ifndef MBF_GUNZIP_H
#define MBF_GUNZIP_H

#include <sys/types.h>

#include "base/fdio.h"
#include "base/inflate.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gunzip;

/* Where zlib has to go on, in a member. */
struct gunzip_place {
    uint64_t bit;       /* of the file, from where it stood when opened */
    uint32_t crc, size; /* of the member so far */
    unsigned char window[INFLATE_WINDOW];
    unsigned have; /* bytes of the window, at its end */
};

/* NULL: not worth it (a small file, a pipe, one thread, too little memory; max_mem 0: no limit). io
 * must outlive it, and is only peeked at. */
struct gunzip *gunzip_new(struct fdio *io, int threads, size_t max_mem);
void gunzip_free(struct gunzip *g); /* NULL is allowed */

enum { GUNZIP_GO_ON = -3 };

/* Up to n bytes into buf: their number, 0 at the end, or GUNZIP_GO_ON: gunzip_stopped says where. */
ssize_t gunzip_read(struct gunzip *g, void *buf, size_t n);
const struct gunzip_place *gunzip_stopped(const struct gunzip *g);
/* Bytes of the file that what was read came from, about. */
uint64_t gunzip_done(const struct gunzip *g);

#ifdef __cplusplus
}
#endif
#endif
