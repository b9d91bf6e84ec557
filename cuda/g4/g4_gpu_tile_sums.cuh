/* SPDX-License-Identifier: MIT */
/* g4_gpu_tile_sums.cuh: sums of beta over the rows and columns of a pair tile, for A_i. */
#ifndef MBF_G4_GPU_TILE_SUMS_CUH
#define MBF_G4_GPU_TILE_SUMS_CUH

#include "g4/g4_gpu_gram.cuh"
#include "g4/g4_gpu_mma.cuh"

#define SUMS_BLOCK (16 * 64) /* doubles of the sums of a block of steps */
#define SUMS_SHARED(buffers) ((buffers)*4 * SUMS_BLOCK + 128)

/*
 * The matrix unit adds the 4 x 4 pairs of a set over j and over i (put); the 16 sets meet in shared
 * memory after every four blocks of 8 steps (share), and the warps write the sums of 16 + 16 atoms.
 * With two buffers one barrier does.
 */
struct tile_sums {
    double *s;   /* shared [1 or 2][4 blocks][4 i][4 j][8 steps][4 atoms of i, 4 of j], then 2 x 32
                  double2 */
    double *out; /* [32][ld]: atoms of i, then of j */
    size_t ld;
    int end;  /* columns >= end are another task's */
    int flip; /* from one buffer to the other, or 0 */
    int turn; /* the buffer, in double2 */
    double2 *mine,
        *select; /* this lane's place in set 0 of this warp, block 0; which pairs a sum takes */

    __device__ __forceinline__ void open(int buffers)
    {
        int lane = threadIdx.x & 31, warp = threadIdx.x / 32, n = lane / 4;
        flip = buffers == 2 ? 2 * SUMS_BLOCK : 0;
        turn = 0;
        mine = (double2 *)s + (warp / 4 * 8 + warp % 4) * 32 +
               (lane ^ (lane >> 2 & 2)); /* rows take turns with their halves,
                                                                                            against bank conflicts */
        select = (double2 *)(s + buffers * 4 * SUMS_BLOCK) + lane;
        for (int q = 0; q < 4; q++) /* every warp writes the same */
            ((double *)(select + q / 2 * 32))[q % 2] =
                (n < 4 ? q == n : lane % 4 == n - 4) ? 1.0 : 0.0;
        __syncthreads();
    }
    /* Set k of this warp; upper: block `block` + 2 of four, lower: `block`. */
    __device__ __forceinline__ void put(int block, int k, const double (&upper)[4],
                                        const double (&lower)[4])
    {
        double2 x = select[0], y = select[32],
                *to = mine + turn + block * (SUMS_BLOCK / 2) + k * 128;
        double b[4] = {x.x, x.y, y.x, y.y}, c[4] = {};
        mma_16x8x16(c, upper, lower, b);
        to[0] = make_double2(c[2], c[3]);
        to[SUMS_BLOCK] = make_double2(c[0], c[1]);
    }
    __device__ __forceinline__ void put_zero()
    {
        for (int k = 0; k < 8; k++)
            mine[turn + k / 2 * (SUMS_BLOCK / 2) + k % 2 * 128] = make_double2(0.0, 0.0);
    }
    /* Four blocks from column t on are in. A warp sums four atoms of i or of j. */
    __device__ __forceinline__ void share(int t)
    {
        __syncthreads();
        int lane = threadIdx.x & 31, m = threadIdx.x / 32, r = lane / 4;
        int n = (lane % 4 + (m < 4 ? 0 : 4)) ^ (r & 2 ? 4 : 0), stride = m < 4 ? 64 : 256;
        const double *f = s + 2 * turn + (m < 4 ? m * 256 : (m - 4) * 64) + r * 8 + n;
        double *to = out + (size_t)(4 * m + lane % 4) * ld + (t += r);
#pragma unroll
        for (int u = 0; u < 4; u++, f += SUMS_BLOCK)
            if (t + 8 * u < end)
                to[8 * u] = (f[0] + f[stride]) + (f[2 * stride] + f[3 * stride]);
        if (!flip)
            __syncthreads();
        turn ^= flip;
    }
};

#endif
