/* SPDX-License-Identifier: MIT */
/*
 * The near part of A_i beside a mesh: over the tiles of the lists, each pair for either of its atoms,
 * so that a sum is one thread's and has one order. A thread has some atoms of a group in a column.
 */
#include "g4/g4_gpu_gram.cuh"

#define THREADS 128

/* Near parts of N components of a pair, or, N = 1, of number c, are added to sum. */
template <int CELL, int N>
__device__ __forceinline__ void near_of(const mesh_args &a, int c, float4 p, float4 q, size_t col,
                                        double (&sum)[N])
{
    float x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
    beta_image<CELL>(a.beta, x, y, z, col);
    float rc2 = G4_IS_FIXED(CELL) ? a.beta.rc2_f : a.cell[a.fixed ? 0 : col].taper_f32.rc2;
    if (!(beta_r2_f32(x, y, z) <= rc2))
        return;
#pragma unroll
    for (int k = 0; k < N; k++)
        sum[k] +=
            (double)mesh_beta_f32(&a.plan, N > 1 ? k : a.component[c], (float)a.coef[N > 1 ? k : c],
                                  x, y, z, (float)(2.0 / a.plan.reach), rc2);
}
template <int CELL, int N>
__device__ __forceinline__ void near_of(const mesh_args &a, int c, double4_16 p, double4_16 q,
                                        size_t col, double (&sum)[N])
{
    double d[3] = {p.x - q.x, p.y - q.y, p.z - q.z}, rc2 = a.cell[a.fixed ? 0 : col].taper_f64.rc2;
    box_image(&a.cell[a.fixed ? 0 : col].d, d);
    if (!(beta_r2_f64(d[0], d[1], d[2]) <= rc2))
        return;
#pragma unroll
    for (int k = 0; k < N; k++)
        sum[k] += mesh_beta_f64(&a.plan, N > 1 ? k : a.component[c], a.coef[N > 1 ? k : c], d[0],
                                d[1], d[2], 2.0 / a.plan.reach, rc2);
}

/* Atoms i from row `first` on += near parts of the atoms of group h. */
template <int CELL, int N, int I, class V>
__device__ __forceinline__ void near_tile(const mesh_args &a, int c, size_t first, size_t h,
                                          size_t col, const V *i, double (&sum)[I][N])
{
    const V *p = (const V *)a.pos;
    for (int m = 0; m < 16; m++) {
        size_t j = 16 * h + m;
        V q = p[(j / 4 * a.ld + col) * 4 + j % 4];
#pragma unroll
        for (int k = 0; k < I; k++)
            if (first + k != j)
                near_of<CELL, N>(a, c, i[k], q, col, sum[k]);
    }
}

/*
 * Block: I rows x, threads take columns, component z (N = 1). The row of tiles of their group first,
 * then its column.
 */
template <class T, int CELL, int N, int I>
__global__ void near_kernel(const __grid_constant__ mesh_args a, int cols)
{
    typedef typename vec4<T>::type V;
    size_t first = (size_t)blockIdx.x * I, g = first / 16,
           col = (size_t)blockIdx.y * THREADS + threadIdx.x;
    const size_t *begin = a.list.begin, *column = a.list.begin + a.list.groups + 1;
    const V *p = (const V *)a.pos;
    int c = blockIdx.z;
    V i[I];
    double sum[I][N] = {};
    if (col >= (size_t)cols)
        return;
#pragma unroll
    for (int k = 0; k < I; k++)
        i[k] = p[((first + k) / 4 * a.ld + col) * 4 + (first + k) % 4];
    for (size_t k = begin[g]; k < begin[g + 1]; k++)
        near_tile<CELL, N, I>(a, c, first, (size_t)a.list.tile[k].y, col, i, sum);
    for (size_t k = column[g]; k < column[g + 1]; k++)
        near_tile<CELL, N, I>(a, c, first, (size_t)a.list.tile[a.list.entry[k]].x, col, i, sum);
#pragma unroll
    for (int k = 0; k < I; k++)
#pragma unroll
        for (int n = 0; n < N; n++)
            a.atoms[((size_t)(c + n) * (a.rows + 1) + first + k) * a.ld + col] += sum[k][n];
}

/* All components at once, or one after the other. */
template <class T, int CELL>
static void near_launch(const struct mesh_args *a, int cols, cudaStream_t stream)
{
    dim3 grid((unsigned)(a->rows / 8), (unsigned)((cols + THREADS - 1) / THREADS),
              (unsigned)a->ncomp);
    if (a->ncomp < BETA_NCOMPONENTS)
        near_kernel<T, CELL, 1, 8><<<grid, THREADS, 0, stream>>>(*a, cols);
    else
        near_kernel<T, CELL, BETA_NCOMPONENTS, 4>
            <<<dim3(2 * grid.x, grid.y), THREADS, 0, stream>>>(*a, cols);
}

int near_add(struct err *e, const struct mesh_args *a, int is64, int cell, int cols,
             cudaStream_t stream)
{
    if (is64)
        near_launch<double, G4_TAPER_ANY>(a, cols, stream);
    else if (cell == G4_TAPER_FIXED)
        near_launch<float, G4_TAPER_FIXED>(a, cols, stream);
    else
        near_launch<float, G4_TAPER_ANY>(a, cols, stream);
    return TRY_LAUNCH(e, "near_kernel");
}
