/* SPDX-License-Identifier: MIT */
/* gpu_mma.cuh: computes fp64 matrix products. Whole warps must call these functions. */
#pragma once

/* Computes c += a b for matrices 16 x 8 x 4. The elements of a are `upper` in row lane/4 and
 * `lower` in row 8 + lane/4, both with k = lane%4. The element of b has k = lane%4 and column
 * lane/4. The elements c[0..1] are in row lane/4, in column 2 (lane%4) and the next column. The
 * elements c[2..3] are in the same columns, 8 rows below. */
__device__ __forceinline__ void mma_16x8x4(double (&c)[4], double upper, double lower, double b)
{
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, "
        "%1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(upper), "d"(lower), "d"(b));
#elif __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(c[0]), "+d"(c[1])
        : "d"(upper), "d"(b));
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(c[2]), "+d"(c[3])
        : "d"(lower), "d"(b));
#else /* the device has no fp64 matrix unit, and so few fp64 lanes that the shuffles cost nothing */
    int lane = threadIdx.x & 31;
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        double x = __shfl_sync(~0u, upper, (lane & ~3) + k),
               y = __shfl_sync(~0u, lower, (lane & ~3) + k);
        double p = __shfl_sync(~0u, b, 8 * (lane & 3) + k),
               q = __shfl_sync(~0u, b, 8 * (lane & 3) + 4 + k);
        c[0] = fma(x, p, c[0]);
        c[1] = fma(x, q, c[1]);
        c[2] = fma(y, p, c[2]);
        c[3] = fma(y, q, c[3]);
    }
#endif
}

/* Computes c += a b for matrices 16 x 8 x 16, as the sum of four products 16 x 8 x 4, in a single
 * instruction if the device has such an instruction. */
__device__ __forceinline__ void mma_16x8x16(double (&c)[4], const double (&upper)[4],
                                            const double (&lower)[4], const double (&b)[4])
{
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, "
        "%9, %10, %11}, "
        "{%12, %13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(upper[0]), "d"(lower[0]), "d"(upper[1]), "d"(lower[1]), "d"(upper[2]), "d"(lower[2]),
          "d"(upper[3]), "d"(lower[3]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
#else
    for (int q = 0; q < 4; q++)
        mma_16x8x4(c, upper[q], lower[q], b[q]);
#endif
}
