/* SPDX-License-Identifier: MIT */
/* Before and beside the Gram kernels: wrapped positions, A_i and S of every step. */
#include "g4_gpu.h"

#define SIDE 32 /* atoms and columns of a transposed tile */
#define ROWS 8
#define ATOMS_A_THREAD 4

/*
 * Thread block (32, 8): a tile of 32 atoms x 32 columns, read along atoms, wrapped in double, written along columns. Pad
 * columns and pad rows get NaN, so that beta is 0 there (g4_gpu_beta.cuh).
 */
template <class T>
__global__ void sums_wrap_kernel(const __grid_constant__ sums_args s, size_t rows, int out_cols)
{
    typedef typename vec4<T>::type V;
    __shared__ V tile[SIDE][SIDE + 1];
    const T *raw = (const T *)s.raw;
    V *p = (V *)s.p;
    size_t atom0 = (size_t)blockIdx.y * SIDE;
    int col0 = blockIdx.x * SIDE;
    for (int c = threadIdx.y; c < SIDE; c += ROWS) {
        size_t atom = atom0 + threadIdx.x;
        int col = col0 + c;
        V v = {(T)NAN, (T)NAN, (T)NAN, (T)0};
        if (atom < s.natoms && col < s.cols) {
            const T *r = raw + (size_t)col * s.step + 3 * atom;
            double w[3] = {(double)r[0], (double)r[1], (double)r[2]};
            box_wrap(s.box + (s.fixed ? 0 : col), w);
            v.x = (T)w[0];
            v.y = (T)w[1];
            v.z = (T)w[2];
        }
        tile[c][threadIdx.x] = v;
    }
    __syncthreads();
    for (int k = threadIdx.y; k < SIDE; k += ROWS)
        if (atom0 + k < rows && col0 + (int)threadIdx.x < out_cols)
            p[(atom0 + k) * s.ld + col0 + threadIdx.x] = tile[threadIdx.x][k];
}

/* Record of the cell of every column in single precision. */
__global__ void sums_cell_kernel(const struct box *box, int fixed, int cols, int out_cols, struct box_f32 *out)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < out_cols)
        box_round_f32(box + (fixed ? 0 : c < cols ? c : cols - 1), out + c);
}

/* Thread: one column of ATOMS_A_THREAD atoms; sums over j in order, each with its own terms only. */
template <class T, int COMP, int CELL>
__global__ void sums_posn_kernel(const __grid_constant__ sums_args s)
{
    typedef typename vec4<T>::type V;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    size_t i0 = (size_t)blockIdx.y * ATOMS_A_THREAD;
    if (col >= s.cols)
        return;
    const V *p = (const V *)s.p + col;
    V xi[ATOMS_A_THREAD];
    double sum[ATOMS_A_THREAD] = {};
    for (int k = 0; k < ATOMS_A_THREAD; k++)
        xi[k] = p[(i0 + k) * s.ld];
    for (size_t j = 0; j < s.natoms; j++) {
        V xj = p[j * s.ld];
#pragma unroll
        for (int k = 0; k < ATOMS_A_THREAD; k++) {
            T rc2 = i0 + k == j ? (T)-1 : beta_rc2(s.beta, (T)0);
            sum[k] += (double)beta_of<COMP, CELL>(s.beta, xi[k], xj, rc2, col);
        }
    }
    for (int k = 0; k < ATOMS_A_THREAD; k++)
        if (i0 + k < s.natoms)
            s.a[(i0 + k) * s.ld + col] = sum[k];
}

/* Warp: one atom of one step. Lanes take every 32nd partner, then a butterfly: one order whatever the launch. */
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

/* Thread: S of one column, half the sum of all A_i, atoms in order in 8 strands. */
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

int sums_wrap(struct gpu_err *e, const struct sums_args *s, int is64, cudaStream_t stream)
{
    size_t rows = (s->natoms + G4_TILE_ATOMS - 1) / G4_TILE_ATOMS * G4_TILE_ATOMS;
    int out = s->cols + G4_PAD_COLUMNS < (int)s->ld ? s->cols + G4_PAD_COLUMNS : (int)s->ld;
    dim3 grid((unsigned)((out + SIDE - 1) / SIDE), (unsigned)((rows + SIDE - 1) / SIDE)), block(SIDE, ROWS);
    if (is64)
        sums_wrap_kernel<double><<<grid, block, 0, stream>>>(*s, rows, out);
    else
        sums_wrap_kernel<float><<<grid, block, 0, stream>>>(*s, rows, out);
    TRY_LAUNCH(e, "sums_wrap_kernel");
    return 0;
}

int sums_cells(struct gpu_err *e, const struct sums_args *s, struct box_f32 *out, cudaStream_t stream)
{
    int n = s->cols + G4_PAD_COLUMNS < (int)s->ld ? s->cols + G4_PAD_COLUMNS : (int)s->ld;
    sums_cell_kernel<<<(n + 255) / 256, 256, 0, stream>>>(s->box, s->fixed, s->cols, n, out);
    TRY_LAUNCH(e, "sums_cell_kernel");
    return 0;
}

static int sums_total(struct gpu_err *e, const struct sums_args *s, cudaStream_t stream)
{
    sums_total_kernel<<<(s->cols + 31) / 32, dim3(32, 8), 0, stream>>>(s->a, s->natoms, s->ld, s->cols);
    TRY_LAUNCH(e, "sums_total_kernel");
    return 0;
}

int sums_atoms_posn(struct gpu_err *e, const struct sums_args *s, int is64, int cell, cudaStream_t stream)
{
    dim3 grid((unsigned)((s->cols + 127) / 128), (unsigned)((s->natoms + ATOMS_A_THREAD - 1) / ATOMS_A_THREAD));
    if (is64)
        sums_posn_kernel<double, -1, G4_CELL_ANY><<<grid, 128, 0, stream>>>(*s);
    else if (cell == G4_CELL_ANY)
        sums_posn_kernel<float, -1, G4_CELL_ANY><<<grid, 128, 0, stream>>>(*s);
    else if (s->beta.component == BETA_XZ)
        sums_posn_kernel<float, BETA_XZ, G4_CELL_FIXED><<<grid, 128, 0, stream>>>(*s);
    else
        sums_posn_kernel<float, -1, G4_CELL_FIXED><<<grid, 128, 0, stream>>>(*s);
    TRY_LAUNCH(e, "sums_posn_kernel");
    return sums_total(e, s, stream);
}

int sums_atoms_pair(struct gpu_err *e, const struct sums_args *s, int is64, cudaStream_t stream)
{
    dim3 grid((unsigned)s->cols, (unsigned)((s->natoms + 3) / 4));
    if (is64)
        sums_pair_kernel<double><<<grid, 128, 0, stream>>>(*s);
    else
        sums_pair_kernel<float><<<grid, 128, 0, stream>>>(*s);
    TRY_LAUNCH(e, "sums_pair_kernel");
    return sums_total(e, s, stream);
}
