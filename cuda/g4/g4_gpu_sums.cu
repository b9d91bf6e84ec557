/* SPDX-License-Identifier: MIT */
/* Kernels that run before and in addition to the Gram kernels, for wrapped positions and for A_i
 * and S of every step. */
#include "g4/g4_gpu.h"

#define SIDE 32 /* atoms and columns per transposed tile */
#define ROWS 8

/* A block of (32, 8) threads processes a tile of 32 atoms x 32 columns. It reads along atoms, wraps
 * in double, and writes along columns. Padding columns and rows are NaN, so that beta is 0 there
 * (pair_gpu_beta.cuh). */
template <class T>
__global__ void sums_wrap_kernel(const __grid_constant__ sums_args s, size_t rows, int out_cols)
{
    typedef typename vec4<T>::type V;
    __shared__ V tile[SIDE][SIDE + 1];
    const T *raw = (const T *)s.raw;
    V *p = (V *)s.p;
    size_t atom0 = (size_t)blockIdx.x * SIDE;
    int col0 = blockIdx.y * SIDE;
    for (int c = threadIdx.y; c < SIDE; c += ROWS) {
        size_t atom = atom0 + threadIdx.x;
        int col = col0 + c;
        V v = {(T)NAN, (T)NAN, (T)NAN, (T)0};
        int from = atom < s.natoms ? s.perm ? s.perm[atom] : (int)atom : -1;
        if (from >= 0 && col < s.cols) {
            const T *r = raw + (size_t)col * s.step + 3 * (size_t)from;
            double w[3] = {(double)r[0], (double)r[1], (double)r[2]};
            box_wrap(&s.cell[s.fixed ? 0 : col].d, w);
            v.x = (T)w[0];
            v.y = (T)w[1];
            v.z = (T)w[2];
        }
        tile[c][threadIdx.x] = v;
    }
    __syncthreads();
    for (int k = threadIdx.y; s.plain && k < SIDE; k += ROWS)
        if (atom0 + k < s.natoms && col0 + (int)threadIdx.x < out_cols)
            p[(atom0 + k) * s.ld + col0 + threadIdx.x] = tile[threadIdx.x][k];
    for (int k = threadIdx.y; !s.plain && k < SIDE;
         k += ROWS) { /* 4 atoms of 8 columns at a time */
        size_t atom = atom0 + 4 * (k / 4) + threadIdx.x % 4;
        int c = 8 * (k % 4) + threadIdx.x / 4;
        if (atom < rows && col0 + c < out_cols)
            p[(atom / 4 * s.ld + col0 + c) * 4 + atom % 4] = tile[c][atom - atom0];
    }
}

/* Uses one warp per atom and step. Each lane sums every 32nd partner, and a butterfly sum then adds
 * the lanes. The order does not depend on the launch. */
template <class T> __global__ void sums_pair_kernel(const __grid_constant__ sums_args s)
{
    int lane = threadIdx.x & 31, col = blockIdx.x;
    size_t i = (size_t)blockIdx.y * (blockDim.x / 32) + threadIdx.x / 32, n = s.natoms;
    if (i >= n)
        return;
    const T *b = (const T *)s.raw + (size_t)col * s.step;
    double sum = 0.0;
    for (size_t j = lane; j < n; j += 32) {
        size_t lo = i < j ? i : j, hi = i < j ? j : i;
        if (i != j)
            sum += (double)b[lo * (2 * n - lo - 1) / 2 + hi - lo - 1];
    }
    for (int k = 16; k; k /= 2)
        sum += __shfl_xor_sync(~0u, sum, k);
    if (lane == 0)
        s.a[i * s.ld + col] = sum;
}

/* Computes S as half the sum of all A_i, with one thread per column. Atoms are summed in order, in
 * 8 separate sums. */
__global__ void sums_total_kernel(double *a, size_t natoms, size_t ld, int cols)
{
    __shared__ double s[8][33];
    int col = blockIdx.x * 32 + threadIdx.x;
    double sum = 0.0;
    if (col < cols)
        for (size_t i = threadIdx.y; i < natoms; i += 8)
            sum += a[i * ld + col];
    s[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && col < cols) {
        for (int y = 1; y < 8; y++)
            sum += s[y][threadIdx.x];
        a[natoms * ld + col] = 0.5 * sum;
    }
}

int sums_wrap(struct err *e, const struct sums_args *s, int is64, cudaStream_t stream)
{
    size_t rows = (s->natoms + G4_TILE_ATOMS - 1) / G4_TILE_ATOMS * G4_TILE_ATOMS;
    int out = (int)s->ld;
    dim3 grid((unsigned)((rows + SIDE - 1) / SIDE), (unsigned)((out + SIDE - 1) / SIDE)),
        block(SIDE, ROWS);
    if (is64)
        sums_wrap_kernel<double><<<grid, block, 0, stream>>>(*s, rows, out);
    else
        sums_wrap_kernel<float><<<grid, block, 0, stream>>>(*s, rows, out);
    return TRY_LAUNCH(e, "sums_wrap_kernel");
}

int sums_total(struct err *e, const struct sums_args *s, cudaStream_t stream)
{
    sums_total_kernel<<<(s->cols + 31) / 32, dim3(32, 8), 0, stream>>>(s->a, s->natoms, s->ld,
                                                                       s->cols);
    return TRY_LAUNCH(e, "sums_total_kernel");
}

int sums_atoms(struct err *e, const struct sums_args *s, int is64, cudaStream_t stream)
{
    dim3 grid((unsigned)s->cols, (unsigned)((s->natoms + 3) / 4));
    if (is64)
        sums_pair_kernel<double><<<grid, 128, 0, stream>>>(*s);
    else
        sums_pair_kernel<float><<<grid, 128, 0, stream>>>(*s);
    return TRY_LAUNCH(e, "sums_pair_kernel");
}
