/* SPDX-License-Identifier: MIT */
/* frame_hash.h: computes the hash XXH3-64 at the highest SIMD level. Private to frame*.c. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/simd.h"

/* Returns the hash of n bytes with the seed 0. */
SIMD_DECLARE(uint64_t, frame_hash_once, (const void *p, size_t n));
/* Calls XXH3_64bits_update on an XXH3_state_t, with the same result at every SIMD level. */
SIMD_DECLARE(void, frame_hash_update, (void *state, const void *p, size_t n));
