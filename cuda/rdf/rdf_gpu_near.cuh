/* SPDX-License-Identifier: MIT */
/* rdf_gpu_near.cuh: what two bounding boxes tell about all pairs of atoms in them. */
#ifndef MBF_RDF_GPU_NEAR_CUH
#define MBF_RDF_GPU_NEAR_CUH

#include "rdf/rdf_gpu.h"

#define MARGIN                                                                                     \
    1e-5f   /* of squared distances between boxes: covers all rounding in them and in the pairs */
#define I 4 /* atoms a lane holds: a group is I * 32 */

/* What a cluster needs; 0: nothing, it is out of reach. */
enum { MEET = 1, IMAGE = 2, TEST = 4, DIAGONAL = 8, SHIFT = 16 };

/* Along one axis: nearest and farthest |difference| of two intervals, and the shift (0: none, 1:
 * move i, 2: move j, 3: mixed). */
__device__ static int meet_axis(float ilo, float ihi, float jlo, float jhi, float len,
                                float *nearest, float *farthest)
{
    float lo = ilo - jhi, hi = ihi - jlo, half = 0.5f * len;
    int shift = 0;
    if (lo >= half) {
        lo -= len;
        hi -= len;
        shift = 1;
    } else if (hi <= -half) {
        lo += len;
        hi += len;
        shift = 2;
    } else if (hi > half || lo < -half) {
        float a = fmaxf(0.0f, fmaxf(lo, -hi)), b = fmaxf(fabsf(lo), fabsf(hi));
        *nearest = fmaxf(0.0f, fminf(a, len - b));
        *farthest = half;
        return 3;
    }
    *nearest = fmaxf(0.0f, fmaxf(lo, -hi));
    *farthest = fmaxf(fabsf(lo), fabsf(hi));
    return shift;
}

/* A lane's verdict on one cluster (or super) of side j. */
template <bool PLAIN>
__device__ static int classify(const struct hist_frame &f, float4 ilo, float4 ihi, float4 jlo,
                               float4 jhi, float beyond2, float inside2)
{
    if (!(jhi.w > 0.0f))
        return 0;
    if (!f.ortho)
        return MEET | IMAGE | TEST;
    float n[3], m[3];
    int sx = meet_axis(ilo.x, ihi.x, jlo.x, jhi.x, f.lenf[0], &n[0], &m[0]);
    int sy = meet_axis(ilo.y, ihi.y, jlo.y, jhi.y, f.lenf[1], &n[1], &m[1]);
    int sz = meet_axis(ilo.z, ihi.z, jlo.z, jhi.z, f.lenf[2], &n[2], &m[2]);
    if (n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > beyond2)
        return 0;
    if (PLAIN)
        return MEET | IMAGE | TEST;
    int c = MEET | (sx + 4 * sy + 16 * sz) * SHIFT;
    if (sx == 3 || sy == 3 || sz == 3)
        c |= IMAGE;
    if (m[0] * m[0] + m[1] * m[1] + m[2] * m[2] > inside2 || ihi.w < (float)RDF_GROUP ||
        jhi.w < (float)RDF_CLUSTER)
        c |= TEST;
    return c;
}

#endif
