/* SPDX-License-Identifier: MIT */
/*
 * gunzip.h: members of gzip data inflated: by ISA-L (github.com/intel/isa-l) in a build that found
 * it, else by zlib. Both check each member against its CRC-32 and its length.
 */
#ifndef MBF_GUNZIP_H
#define MBF_GUNZIP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gunzip;

struct gunzip *gunzip_open(struct err *e); /* NULL with e: no memory */
void gunzip_close(struct gunzip *g);       /* NULL is allowed */

/*
 * Inflate from in[*at..n), moving *at, into out[room], room > 0, at most to the end of a member
 * (*ended; what follows is another's). Returns the bytes made, or -1 with e: ERR_BAD, what is wrong
 * with the data, or no memory. Bytes may be made where no input is left; 0 and not *ended: give
 * more of it.
 */
long gunzip_inflate(struct gunzip *g, const void *in, size_t n, size_t *at, void *out, size_t room,
                    bool *ended, struct err *e);

/* "gzip by ISA-L 2.30.0", for --version. */
const char *gunzip_by(void);

#ifdef __cplusplus
}
#endif
#endif
