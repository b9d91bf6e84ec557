/* SPDX-License-Identifier: MIT */
/* memory.h: finds out how much memory this process may still allocate, and requests large pages. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns the number of bytes that this process may still allocate, or 0 if unknown. The result is
 * the minimum of three values: the available memory of the system, the limits of the control
 * groups, and the limits RLIMIT_AS and RLIMIT_DATA. The limits of all parent control groups
 * (versions 1 and 2) also count. Cached pages of a control group count as free. On systems other
 * than Linux, the total memory takes the place of the available memory and of the limits of control
 * groups. The text `root` precedes the paths /proc and /sys, and is empty except in tests. */
uint64_t memory_free(const char *root);

/* Requests large pages for the memory p[0..bytes-1], which must not have been written to yet. The
 * system may refuse the request. */
#define MEMORY_LARGE_PAGE ((size_t)2 << 20)
void memory_large_pages(void *p, size_t bytes);
