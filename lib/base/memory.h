/* SPDX-License-Identifier: MIT */
/* memory.h: determines how much memory the process may still allocate, and requests large pages. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns the number of bytes that the process may still allocate, or 0 if the number is unknown.
 * The result is the minimum of the available memory of the system, the limits of the control groups
 * (versions 1 and 2) and their parents, RLIMIT_AS and RLIMIT_DATA. Cached pages of a control group
 * count as free. On systems other than Linux, the total memory replaces the available memory and
 * the limits of the control groups. The paths /proc and /sys are looked up under the directory
 * `root`, which is "" except in tests. */
uint64_t memory_free(const char *root);

/* Asks the system for large pages for p[0..bytes-1], which must not have been written to yet. */
#define MEMORY_LARGE_PAGE ((size_t)2 << 20)
void memory_large_pages(void *p, size_t bytes);
