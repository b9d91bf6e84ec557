/* SPDX-License-Identifier: MIT */
/* memory.h: amount of memory that this process may still allocate, and large pages. */
#ifndef MBF_MEMORY_H
#define MBF_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the number of free bytes, or 0 if unknown: the smallest of the available memory of the
 * system, what the control groups of this process allow (versions 1 and 2, the group and all its
 * parents; their cached pages count as free), and what RLIMIT_AS and RLIMIT_DATA allow. `root` is
 * prefixed to /proc and /sys; it is "" except in tests. */
uint64_t memory_free(const char *root);

/* Requests large pages for p[0..bytes-1], which must be untouched memory; the system may refuse. */
#define MEMORY_LARGE_PAGE ((size_t)2 << 20)
void memory_large_pages(void *p, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
