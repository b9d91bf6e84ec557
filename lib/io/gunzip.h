/* SPDX-License-Identifier: MIT */
/* gunzip.h: decompresses gzip data with ISA-L (github.com/intel/isa-l) if the build found it, and
 * otherwise with zlib. ISA-L and zlib check the CRC-32 and the length of each member. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct gunzip;

struct gunzip *gunzip_open(struct err *e); /* NULL: no memory */
void gunzip_close(struct gunzip *g);       /* NULL is allowed */

/* Decompresses in[*at..n) into out[capacity], where capacity > 0, and advances *at. Stops at the
 * end of a gzip member, and then sets *ended. Returns the number of bytes written to `out`, even
 * after all input has been used. If no bytes are written and *ended is false, more input is needed.
 * If the data are damaged (ERR_BAD) or memory runs out, returns -1 with an error message in e. */
long gunzip_inflate(struct gunzip *g, const void *in, size_t n, size_t *at, void *out,
                    size_t capacity, bool *ended, struct err *e);

/* Returns the gzip library for --version, such as "gzip by ISA-L 2.30.0". */
const char *gunzip_by(void);
