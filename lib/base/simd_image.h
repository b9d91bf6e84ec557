/* SPDX-License-Identifier: MIT */
/* simd_image.h: computes minimum images of wrapped positions with fused multiply-add, faster than
 * box_image_f32. The vector between two wrapped positions is shifted by exactly -1, 0 or 1 cell
 * edges, so that a fused subtraction gives the same bits. The function rintf rounds ties to even,
 * as box_nint_f32 does. */
#pragma once

#include "base/box.h"

HD float simd_image_f32(float d, float len, float inv)
{
#if SIMD_LEVEL >= 3
    return __builtin_fmaf(-len, __builtin_rintf(d * inv), d);
#else
    return box_image_f32(d, len, inv);
#endif
}

/* Each function replaces the vector between two wrapped positions by its minimum image, in a
 * triclinic cell if `tri` is set. */
HD void simd_cell_f32(int tri, const struct box_f32 *g, float *x, float *y, float *z)
{
    if (tri) {
        box_image_tri_f32(g, x, y, z);
    } else {
        *x = simd_image_f32(*x, g->h[0][0], g->inv[0][0]);
        *y = simd_image_f32(*y, g->h[1][1], g->inv[1][1]);
        *z = simd_image_f32(*z, g->h[2][2], g->inv[2][2]);
    }
}

HD void simd_cell_f64(int tri, const struct box *g, double d[3])
{
    if (tri)
        box_image(g, d);
    else
        for (int c = 0; c < 3; c++)
            d[c] = box_image_f64(d[c], g->h[c][c], g->inv[c][c]);
}
