/* SPDX-License-Identifier: MIT */
/*
 * gunzip.h: inflation of gzip members, by ISA-L (github.com/intel/isa-l) if the build found it,
 * otherwise by zlib. Both check the CRC-32 and the length of each member.
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

struct gunzip *gunzip_open(struct err *e); /* returns NULL and sets e if out of memory */
void gunzip_close(struct gunzip *g);       /* NULL is allowed */

/* Inflates in[*at..n) into out[room], room > 0, and advances *at, but not beyond the end of a
 * member (*ended is then set). Returns the number of bytes made, or -1 and sets e: ERR_BAD with
 * what is wrong in the data, or out of memory. Bytes may be made even if no input is left. If 0 is
 * returned and *ended is false, more input is needed. */
long gunzip_inflate(struct gunzip *g, const void *in, size_t n, size_t *at, void *out, size_t room,
                    bool *ended, struct err *e);

/* Returns the name of the library for --version, such as "gzip by ISA-L 2.30.0". */
const char *gunzip_by(void);

#ifdef __cplusplus
}
#endif
#endif
