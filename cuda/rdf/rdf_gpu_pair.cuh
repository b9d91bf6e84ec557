/* SPDX-License-Identifier: MIT */
/* rdf_gpu_pair.cuh: computes positions and distances in bin widths on the device, bit for bit as
 * defined in hist.h. */
#pragma once

#include "rdf/rdf_gpu.h"

/* Converts a position (Å) to bin widths. */
__device__ __forceinline__ void rdf_place(const struct hist_frame &f, const float *p, float *out)
{
    hist_place_f32(&f, p, out);
}

__device__ __forceinline__ void rdf_place(const struct hist_frame &f, const double *p, double *out)
{
    hist_place_f64(&f, p, out);
}

/* Returns sqrtf(x) rounded to nearest, for x in [2^-100, 2^100]. The instructions are the same as
 * in sqrt.rn, but without the test for values outside this range, which x = r² never has. The
 * benchmark compares both functions for all floats in this range. */
__device__ __forceinline__ float rdf_sqrt(float x)
{
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    float g = x * y, h = 0.5f * y;
    return __fmaf_rn(__fmaf_rn(-g, g, x), h, g);
}

/* Returns the distance. If `image` is false, the difference is already the minimum image. */
template <bool TRICLINIC>
__device__ __forceinline__ float rdf_distance(const struct hist_frame &f, float x, float y, float z,
                                              bool image)
{
    if (TRICLINIC) {
        hist_triclinic_f32(&f, &x, &y, &z);
    } else if (image) {
        x = fminf(fabsf(x), f.lenf[0] - fabsf(x));
        y = fminf(fabsf(y), f.lenf[1] - fabsf(y));
        z = fminf(fabsf(z), f.lenf[2] - fabsf(z));
    }
    return rdf_sqrt(hist_r2_f32(x, y, z, f.quarter));
}

template <bool TRICLINIC>
__device__ __forceinline__ double rdf_distance(const struct hist_frame &f, double x, double y,
                                               double z, bool)
{
    if (TRICLINIC) {
        hist_triclinic_f64(&f, &x, &y, &z);
    } else {
        x = box_image_f64(x, f.len[0], f.inv[0]);
        y = box_image_f64(y, f.len[1], f.inv[1]);
        z = box_image_f64(z, f.len[2], f.inv[2]);
    }
    return sqrt(hist_r2_f64(x, y, z));
}
