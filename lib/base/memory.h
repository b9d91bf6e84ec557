/* SPDX-License-Identifier: MIT */
/* memory.h: how much memory this process may still take, and in which pages. */
#ifndef MBF_MEMORY_H
#define MBF_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Bytes; 0: unknown. The least of what the system says is available, what the control groups of
 * this process leave (version 1 and 2, the group and all above it; its cached pages can be had),
 * and what RLIMIT_AS and RLIMIT_DATA leave. root: what stands before /proc and /sys, "" but in tests.
 */
uint64_t memory_free(const char *root);

/* Ask for large pages where they fit into p[0..bytes-1], which nobody has touched yet; the system may
 * say no. */
#define MEMORY_LARGE_PAGE ((size_t)2 << 20)
void memory_large_pages(void *p, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
