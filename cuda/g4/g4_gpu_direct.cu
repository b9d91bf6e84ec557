/* SPDX-License-Identifier: MIT */
/* The method `direct`. For every pair of pairs (p, q), it sums b_p(tau) b_q(tau + t) over the
 * origins, and classifies the sum by the number of atoms that p and q share (Dawid 2019, Algorithm
 * 1). It does not use the identity. The sums for 128 x 128 pairs are a matrix product over the
 * origins, in fp64 on the matrix unit (products of two f32 are exact). The mask is applied to the
 * entries, which stay in registers. */
#include "base/gpu_mma.cuh"
#include "g4/g4_gpu_gram.cuh"

#define SIDE 128 /* pairs on each side of a tile */
#define GROUP 16 /* tiles of p that a block takes in turn */
#define THREADS 512

/* Uses one thread per pair of a column. Padding pairs and columns are 0. */
template <class T, int CELL>
__global__ void direct_table_kernel(const __grid_constant__ struct direct_args d)
{
    typedef typename vec4<T>::type V;
    size_t p = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y;
    if (p >= d.ld)
        return;
    T v = 0;
    if (p < d.npairs) {
        size_t i, j;
        triangle(p, d.natoms - 1, &i, &j);
        j++;
        if (d.posn) {
            const V *x = (const V *)d.src;
            v = beta_ordered<-1, CELL>(d.beta, i, j, x[(i / 4 * d.src_ld + col) * 4 + i % 4],
                                       x[(j / 4 * d.src_ld + col) * 4 + j % 4],
                                       beta_rc2(d.beta, (T)0), (size_t)col);
        } else {
            v = ((const T *)d.src)[col * d.src_ld + p];
        }
    }
    ((T *)d.table)[col * d.ld + p] = v;
}

__global__ void direct_atoms_kernel(size_t natoms, size_t npairs, size_t ld, int2 *atoms)
{
    size_t p = (size_t)blockIdx.x * blockDim.x + threadIdx.x, i = 0, j = 0;
    if (p < npairs)
        triangle(p, natoms - 1, &i, &j);
    if (p < ld)
        atoms[p] = p < npairs ? make_int2((int)i, (int)j + 1)
                              : make_int2(-1, -1); /* padding, whose products are 0 */
}

/* Copies steps [tau, tau + K) of SIDE pairs from global memory through registers to shared memory.
 * Rows are padded, so that loads of operands have no bank conflicts. */
template <class T> struct strip {
    static const int K = 64 / sizeof(T), ROW = SIDE + 32 / sizeof(T), VALUES = K * SIDE / THREADS;
    T v[VALUES];
    __device__ __forceinline__ void load(const T *table, size_t ld, size_t pair, int tau, int end)
    {
#pragma unroll
        for (int m = 0; m < VALUES; m++) {
            int k = threadIdx.x + m * THREADS, t = tau + k / SIDE;
            v[m] = t < end ? table[(size_t)t * ld + pair + k % SIDE] : (T)0;
        }
    }
    __device__ __forceinline__ void store(T *s) const
    {
#pragma unroll
        for (int m = 0; m < VALUES; m++) {
            int k = threadIdx.x + m * THREADS;
            s[k / SIDE * ROW + k % SIDE] = v[m];
        }
    }
};

/* Adds K steps to the 32 x 32 entries of the tile that belong to the warp. The strips sp and sq are
 * in shared memory. */
template <class T>
__device__ __forceinline__ void direct_step(const T *sp, const T *sq, double (&acc)[2][4][4])
{
    const int ROW = strip<T>::ROW, K = strip<T>::K;
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    sp += lane % 4 * ROW + 32 * (warp / 4) + lane / 4;
    sq += lane % 4 * ROW + 32 * (warp % 4) + lane / 4;
#pragma unroll
    for (int k = 0; k < K; k += 4) {
        double a[4], b[4];
#pragma unroll
        for (int m = 0; m < 4; m++) {
            a[m] = (double)sp[k * ROW + 8 * m];
            b[m] = (double)sq[k * ROW + 8 * m];
        }
#pragma unroll
        for (int m = 0; m < 2; m++)
#pragma unroll
            for (int n = 0; n < 4; n++)
                mma_16x8x4(acc[m][n], a[2 * m], a[2 * m + 1], b[n]);
    }
}

/* Adds each entry in the part of a warp to the sum of its class: two, one or no shared atoms. */
__device__ __forceinline__ void direct_sort(const int2 *atoms, size_t p0, size_t q0,
                                            const double (&acc)[2][4][4], double (&sum)[3])
{
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    p0 += 32 * (warp / 4) + lane / 4;
    q0 += 32 * (warp % 4) + lane % 4 * 2;
#pragma unroll
    for (int m = 0; m < 4; m++) {
        int2 p = atoms[p0 + 8 * m];
#pragma unroll
        for (int n = 0; n < 8; n++) {
            int2 q = atoms[q0 + n / 2 * 8 + n % 2];
            int shared = (p.x == q.x) + (p.y == q.y) + (p.x == q.y) + (p.y == q.x);
            double v = acc[m / 2][n / 2][m % 2 * 2 + n % 2];
            sum[0] += shared == 2 ? v : 0.0;
            sum[1] += shared == 1 ? v : 0.0;
            sum[2] += shared == 0 ? v : 0.0;
        }
    }
}

/* Block (x, y, z) processes tile column x / groups and the tiles of p in group x % groups, for task
 * y and lag z. The output is part[task][x][3][lags]. 16 warps divide the tile 4 x 4. All sums are
 * in a fixed order: entries, tiles, lanes, warps. */
template <class T>
__global__ __launch_bounds__(THREADS,
                             1) void direct_kernel(const __grid_constant__ struct direct_args d)
{
    __shared__ __align__(16) T sp[2][strip<T>::K * strip<T>::ROW],
        sq[2][strip<T>::K * strip<T>::ROW];
    __shared__ double s_sum[16][3];
    struct g4_task task = d.tasks[blockIdx.y];
    int lag = blockIdx.z, last = task.last < d.cols - lag ? task.last : d.cols - lag;
    size_t q0 = blockIdx.x / d.groups * SIDE, p = blockIdx.x % d.groups * GROUP,
           tiles = d.ld / SIDE;
    const T *table = (const T *)d.table;
    double sum[3] = {};
    for (size_t end = p + GROUP < tiles ? p + GROUP : tiles; p < end && task.first < last; p++) {
        double acc[2][4][4] = {};
        strip<T> vp, vq;
        int turn = 0;
        vp.load(table, d.ld, p * SIDE, task.first, last);
        vq.load(table, d.ld, q0, task.first + lag, last + lag);
        for (int tau = task.first; tau < last; tau += strip<T>::K, turn ^= 1) {
            vp.store(sp[turn]);
            vq.store(sq[turn]);
            /* the other buffer may still be read, and is written only after the next barrier */
            __syncthreads();
            vp.load(table, d.ld, p * SIDE, tau + strip<T>::K, last);
            vq.load(table, d.ld, q0, tau + strip<T>::K + lag, last + lag);
            direct_step<T>(sp[turn], sq[turn], acc);
        }
        __syncthreads();
        direct_sort(d.atoms, p * SIDE, q0, acc, sum);
    }
    for (int f = 0; f < 3; f++) {
        for (int k = 16; k; k /= 2)
            sum[f] += __shfl_xor_sync(~0u, sum[f], k);
        if (threadIdx.x % 32 == 0)
            s_sum[threadIdx.x / 32][f] = sum[f];
    }
    __syncthreads();
    if (threadIdx.x < 3) {
        double total = 0.0;
        for (int w = 0; w < 16; w++)
            total += s_sum[w][threadIdx.x];
        d.part[(((size_t)blockIdx.y * gridDim.x + blockIdx.x) * 3 + threadIdx.x) * d.lags + lag] =
            total;
    }
}

size_t direct_ld(size_t npairs)
{
    return (npairs + SIDE - 1) / SIDE * SIDE;
}

size_t direct_slots(size_t npairs)
{
    size_t tiles = direct_ld(npairs) / SIDE;
    return tiles * ((tiles + GROUP - 1) / GROUP);
}

template <class T> static void (*direct_table(int cell))(struct direct_args)
{
#define G4_EACH(CELL)                                                                              \
    case CELL: return direct_table_kernel<T, CELL>;
    switch (cell) {
        G4_EACH_FIXED
        G4_EACH_ANY
    default: return direct_table_kernel<T, G4_WEIGHED>;
    }
#undef G4_EACH
}

int direct_launch(struct err *e, struct direct_args d, int is64, int cell, int ntasks,
                  cudaStream_t stream)
{
    dim3 fill((unsigned)((d.ld + 255) / 256), (unsigned)d.cols);
    dim3 grid((unsigned)direct_slots(d.npairs), (unsigned)ntasks, (unsigned)d.lags);
    d.groups = (d.ld / SIDE + GROUP - 1) / GROUP;
    auto table = is64 ? direct_table<double>(cell) : direct_table<float>(cell);
    table<<<fill, 256, 0, stream>>>(d);
    if (TRY_LAUNCH(e, "direct_table_kernel"))
        return -1;
    direct_atoms_kernel<<<(unsigned)((d.ld + 255) / 256), 256, 0, stream>>>(d.natoms, d.npairs,
                                                                            d.ld, d.atoms);
    if (TRY_LAUNCH(e, "direct_atoms_kernel"))
        return -1;
    if (is64)
        direct_kernel<double><<<grid, THREADS, 0, stream>>>(d);
    else
        direct_kernel<float><<<grid, THREADS, 0, stream>>>(d);
    return TRY_LAUNCH(e, "direct_kernel");
}
