/* SPDX-License-Identifier: MIT */
/*
 * simd_image.h: box_image_f32 in fewer instructions, for X_simd.c files and wrapped positions:
 * there the shift is -1, 0 or 1 edges, so its product is exact and a fused subtraction gives the
 * same bits; rintf rounds ties to even, as box_nint_f32 does.
 */
#ifndef MBF_SIMD_IMAGE_H
#define MBF_SIMD_IMAGE_H

#include "base/box.h"

HD float simd_image_f32(float d, float len, float inv)
{
#if SIMD_LEVEL >= 3
    return __builtin_fmaf(-len, __builtin_rintf(d * inv), d);
#else
    return box_image_f32(d, len, inv);
#endif
}

#endif
