/* SPDX-License-Identifier: MIT */
/*
 * g4_gpu_fft.cuh: kernels of method fft. A batch is `batch` complex series z of length m, two real
 * series each; the products conj(Z_b) Z are added over the series of a batch in order.
 */
#ifndef MBF_G4_GPU_FFT_CUH
#define MBF_G4_GPU_FFT_CUH

#include "g4/g4_gpu_gram.cuh"

struct fft_args {
    const void *src; /* positions [atom][ld], pairs [step][ld] or series [row][ld] of double */
    size_t ld, rows; /* rows: atoms, pairs or series */
    size_t m, first; /* length; first tile (positions) or series of the batch */
    int from, to;    /* steps outside are 0 */
    double2 *z;
    beta_args beta;
};

/*
 * Tiles of 2 x 4 atoms with a pair i < j: row a (atoms 2 a, 2 a + 1) begins at column (2 a + 1) /
 * 4.
 */
__host__ __device__ __forceinline__ size_t fft_tiles(size_t natoms)
{
    size_t a = (natoms + 1) / 2, q = (natoms + 3) / 4, sum = 0;
    for (size_t k = 0; k < a; k++)
        sum += q - (2 * k + 1) / 4;
    return sum;
}

/* Tile -> (row, column): rows come in pairs of equal length q - r, r = row / 2. */
__device__ __forceinline__ void fft_tile(size_t tile, size_t natoms, size_t *row, size_t *column)
{
    size_t q = (natoms + 3) / 4, r, c;
    triangle(tile / 2 < q * (q + 1) / 2 ? tile / 2 : q * (q + 1) / 2 - 1, q, &r, &c);
    size_t begin = r * (2 * q - r + 1); /* twice the triangle's first tile of row r */
    *row = 2 * r + (tile - begin) / (q - r);
    *column = r + (tile - begin) % (q - r);
}

/* Thread: one step of the four series of tile first + y. */
template <class T, int COMP, int CELL>
__global__ void fft_posn_kernel(const __grid_constant__ fft_args f)
{
    typedef typename vec4<T>::type V;
    size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x, a, c;
    if (t >= f.m)
        return;
    double2 *z = f.z + (size_t)blockIdx.y * 4 * f.m + t;
    if ((int)t < f.from || t >= (size_t)f.to) {
        for (int k = 0; k < 4; k++)
            z[k * f.m] = make_double2(0.0, 0.0);
        return;
    }
    fft_tile(f.first + blockIdx.y, f.rows, &a, &c);
    const V *x = (const V *)f.src + t;
    V nan = {(T)NAN, (T)NAN, (T)NAN, (T)0}, i0 = 2 * a < f.rows ? x[2 * a * f.ld] : nan;
    V i1 = 2 * a + 1 < f.rows ? x[(2 * a + 1) * f.ld] : nan;
    T rc2 = beta_rc2(f.beta, (T)0);
    for (int k = 0; k < 4; k++) {
        size_t j = 4 * c + k;
        V xj = j < f.rows ? x[j * f.ld] : nan;
        z[k * f.m] = make_double2(
            (double)beta_of<COMP, CELL>(f.beta, i0, xj, 2 * a < j ? rc2 : (T)-1, t),
            (double)beta_of<COMP, CELL>(f.beta, i1, xj, 2 * a + 1 < j ? rc2 : (T)-1, t));
    }
}

/* Block (32, 8): 32 steps of 16 series, read along pairs, written along time. */
template <class T> __global__ void fft_pair_kernel(const __grid_constant__ fft_args f)
{
    __shared__ double s[32][33];
    size_t t0 = (size_t)blockIdx.x * 32, p0 = 2 * (f.first + (size_t)blockIdx.y * 16);
    for (int k = threadIdx.y; k < 32; k += 8) {
        size_t t = t0 + k, p = p0 + threadIdx.x;
        s[k][threadIdx.x] = (int)t >= f.from && t < (size_t)f.to && p < f.rows
                                ? (double)((const T *)f.src)[t * f.ld + p]
                                : 0.0;
    }
    __syncthreads();
    for (int k = threadIdx.y; k < 16; k += 8)
        if (t0 + threadIdx.x < f.m)
            f.z[((size_t)blockIdx.y * 16 + k) * f.m + t0 + threadIdx.x] =
                make_double2(s[threadIdx.x][2 * k], s[threadIdx.x][2 * k + 1]);
}

/* Thread: one step of series first + y from rows of double. */
__global__ void fft_rows_kernel(const __grid_constant__ fft_args f)
{
    size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x, r = 2 * (f.first + blockIdx.y);
    if (t >= f.m)
        return;
    const double *a = (const double *)f.src;
    bool in = (int)t >= f.from && t < (size_t)f.to;
    f.z[(size_t)blockIdx.y * f.m + t] =
        make_double2(in && r < f.rows ? a[r * f.ld + t] : 0.0,
                     in && r + 1 < f.rows ? a[(r + 1) * f.ld + t] : 0.0);
}

/*
 * Thread: one frequency. sum += conj(part) whole over the batch; part == whole: the power
 * spectrum.
 */
__global__ void fft_power_kernel(const double2 *part, const double2 *whole, size_t m, int batch,
                                 double2 *sum)
{
    size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= m)
        return;
    double2 v = sum[k];
#pragma unroll 8
    for (int b = 0; b < batch; b++) {
        double2 w = whole[(size_t)b * m + k], p = part == whole ? w : part[(size_t)b * m + k];
        v.x += p.x * w.x + p.y * w.y;
        if (part != whole)
            v.y += p.x * w.y - p.y * w.x;
    }
    sum[k] = v;
}

/* Thread: one frequency. z = sum over n groups, in order, of sums[group][stride]. */
__global__ void fft_total_kernel(const double2 *sums, size_t stride, int n, size_t m, double2 *z)
{
    size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= m)
        return;
    double2 v = {0.0, 0.0};
    for (int g = 0; g < n; g++) {
        v.x += sums[g * stride + k].x;
        v.y += sums[g * stride + k].y;
    }
    z[k] = v;
}

#endif
