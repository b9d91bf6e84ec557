/* SPDX-License-Identifier: MIT */
/*
 * g4_gpu_beta.cuh: beta of a pair on the device, from positions in the layout of the engine.
 *
 * Positions lie as [atom / 4][column][atom % 4] of four numbers (x, y, z, not used); a column is a
 * step of the chunk. Rows past the last atom and columns past the last step hold NaN: there r2 <=
 * rc2 is false and beta is 0, with no test of its own. So rc2 must be finite (G4_NO_CUTOFF stands
 * for none). The bits of beta are those of beta.h on the host.
 */
#ifndef MBF_G4_GPU_BETA_CUH
#define MBF_G4_GPU_BETA_CUH

#include <cfloat>

#include "base/box.h"
#include "g4/beta.h"

/*
 * How the minimum image is taken: one orthorhombic cell for all columns, or any cell, a record a
 * column.
 */
enum g4_cell { G4_CELL_FIXED, G4_CELL_ANY };

struct __align__(16) double4_16
{
    double x, y, z, w;
};
template <class T> struct vec4;
template <> struct vec4<float> {
    typedef float4 type;
};
template <> struct vec4<double> {
    typedef double4_16 type;
};

/*
 * Everything that beta needs beside the positions. Single precision numbers are rounded as in
 * box_round_f32.
 */
struct beta_args {
    double coef, rc2;
    float coef_f, rc2_f, len[3];
    float half
        [3]; /* largest difference that stays: box_nint_f32(half * inv) is 0 there and 1 above */
    int component;
    const void *cell; /* G4_CELL_ANY: struct box_f32 or struct box of each column */
};

/*
 * COMP >= 0: known when compiled; -1: from a.component. rc2: a.rc2_f, or -1 for a pair that does
 * not count.
 */
template <int COMP, int CELL>
__device__ __forceinline__ float beta_of(const beta_args &a, float4 p, float4 q, float rc2,
                                         size_t col)
{
    float x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
    if (CELL == G4_CELL_FIXED) { /* wrapped positions: the shift is -1, 0 or 1 edges */
        if (fabsf(x) > a.half[0])
            x -= copysignf(a.len[0], x);
        if (fabsf(y) > a.half[1])
            y -= copysignf(a.len[1], y);
        if (fabsf(z) > a.half[2])
            z -= copysignf(a.len[2], z);
    } else {
        const struct box_f32 *b = (const struct box_f32 *)a.cell + col;
        if (b->h[0][1] == 0 && b->h[0][2] == 0 && b->h[1][0] == 0 && b->h[1][2] == 0 &&
            b->h[2][0] == 0 && b->h[2][1] == 0) {
            x = box_image_f32(x, b->h[0][0], b->inv[0][0]);
            y = box_image_f32(y, b->h[1][1], b->inv[1][1]);
            z = box_image_f32(z, b->h[2][2], b->inv[2][2]);
        } else {
            box_image_tri_f32(b, &x, &y, &z);
        }
    }
    return beta_f32(COMP < 0 ? a.component : COMP, a.coef_f, x, y, z, rc2);
}

template <int COMP, int CELL>
__device__ __forceinline__ double beta_of(const beta_args &a, double4_16 p, double4_16 q,
                                          double rc2, size_t col)
{
    double d[3] = {p.x - q.x, p.y - q.y, p.z - q.z};
    box_image((const struct box *)a.cell + col, d);
    return beta_f64(COMP < 0 ? a.component : COMP, a.coef, d[0], d[1], d[2], rc2);
}

__device__ __forceinline__ float beta_rc2(const beta_args &a, float)
{
    return a.rc2_f;
}
__device__ __forceinline__ double beta_rc2(const beta_args &a, double)
{
    return a.rc2;
}

#endif
