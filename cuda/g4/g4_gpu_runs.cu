/* SPDX-License-Identifier: MIT */
/* Computes sums of lag products on the vector units, in single precision, or in double if shared
 * memory is too small for gram_posn.
 *
 * A lane has one series, and a warp 32. Time is divided into runs of 16 steps. The last four runs
 * are in shared memory, with a column for each lane, so that no barrier is needed. The 16 x 16
 * products of a run of origins with 16 lags are fused multiply-adds in registers: 16 products per
 * lag, and then 5 additions over the lanes, both of type ACC. All other sums are in double. With
 * ACC = float, a product is rounded at most 16 times, and 5 times in the sum over lanes. The error
 * of a sum over runs is therefore below 21 * 2^-24 (1.3e-6) of the sum of |b b'|. The expected
 * error is far smaller, because signs are mixed and runs are independent. Every sum has a fixed
 * order, which depends only on the problem size. */
#include "g4/g4_gpu_gram.cuh"

#define RUN 16   /* steps per run and lags per group, which G4_RUN_ROUNDINGS counts */
#define GROUPS 3 /* groups of lags per pass */
#define PASS (GROUPS * RUN)
#define KEEP (GROUPS + 1) /* number of runs in memory */
#define WARPS 2

/* Sources of values. The function open() sets the series of this lane in a unit and returns false
 * if the warp has no series, and make() returns its value at a column. */
template <class T, int COMP, int CELL> struct runs_posn {
    typedef T value;
    typedef typename vec4<T>::type V;
    const V *i, *j;
    T rc2;

    /* A unit is 4 x 8 pairs, an eighth of a tile. */
    __device__ bool open(const gram_args &a, size_t unit)
    {
        int lane = threadIdx.x & 31, w = (int)(unit % 8);
        size_t bi, bj;
        triangle(unit / 8, (a.rows + G4_TILE_ATOMS - 1) / G4_TILE_ATOMS, &bi, &bj);
        size_t i0 = bi * G4_TILE_ATOMS + 4 * (w / 2), j0 = bj * G4_TILE_ATOMS + 8 * (w % 2);
        if (i0 >= j0 + 7)
            return false;
        size_t atom_i = i0 + lane / 8, atom_j = j0 + lane % 8;
        i = (const V *)a.src + atom_i / 4 * 4 * a.ld + atom_i % 4;
        j = (const V *)a.src + atom_j / 4 * 4 * a.ld + atom_j % 4;
        rc2 = atom_i < atom_j ? beta_rc2(a.beta, (T)0) : (T)-1;
        return true;
    }
    __device__ __forceinline__ T make(const gram_args &a, int col) const
    {
        return beta_of<COMP, CELL>(a.beta, i[4 * (size_t)col], j[4 * (size_t)col], rc2,
                                   (size_t)col);
    }
};

struct runs_pairs {
    typedef float value;
    const float *v;
    bool on;

    __device__ bool open(const gram_args &a, size_t unit)
    {
        size_t pair = 32 * unit + (threadIdx.x & 31);
        v = (const float *)a.src + pair;
        on = pair < a.rows;
        return true;
    }
    __device__ __forceinline__ float make(const gram_args &a, int col) const
    {
        return on && col < a.cols ? v[(size_t)col * a.ld] : 0.0f;
    }
};

__device__ __forceinline__ float runs_fma(float x, float y, float z)
{
    return fmaf(x, y, z);
}
__device__ __forceinline__ double runs_fma(double x, double y, double z)
{
    return fma(x, y, z);
}

/* Returns in lanes l and l + 16 the sum over the series of the warp and a run of origins at lag l.
 * The column of this lane for two runs is w. */
template <class ACC, class T>
__device__ __forceinline__ ACC runs_group(const ACC (&o)[RUN], const T *w0, const T *w1)
{
    ACC s[RUN], w[2 * RUN];
    int lane = threadIdx.x & 31;
#pragma unroll
    for (int k = 0; k < RUN; k++) {
        w[k] = (ACC)w0[32 * k];
        w[RUN + k] = (ACC)w1[32 * k];
    }
#pragma unroll
    for (int l = 0; l < RUN; l++) {
        s[l] = o[0] * w[l];
#pragma unroll
        for (int k = 1; k < RUN; k++)
            s[l] = runs_fma(o[k], w[k + l], s[l]);
    }
#pragma unroll
    for (int m = RUN / 2; m; m /= 2) {
        bool upper = lane & m;
#pragma unroll
        for (int l = 0; l < m; l++) {
            ACC give = upper ? s[l] : s[l + m];
            s[l] = (upper ? s[l + m] : s[l]) + __shfl_xor_sync(~0u, give, m);
        }
    }
    return s[0] + __shfl_xor_sync(~0u, s[0], 16);
}

/* Processes the series of a warp over the origins of a task, and adds lag a.tile0 + 16 g + lane %
 * 16 to sum[g]. The buffer `ring` is [KEEP][RUN][32] at this lane. */
template <class ACC, class SRC>
__device__ __forceinline__ void runs_lag_mma(const gram_args &a, const SRC &src,
                                             struct g4_task task, typename SRC::value *ring,
                                             double (&sum)[GROUPS])
{
    int n = 0;
    for (int k = 0; k < KEEP * RUN; k++)
        ring[32 * k] = src.make(a, task.first + a.tile0 + k);
    for (int t = task.first; t < task.last; t += RUN, n = (n + 1) % KEEP) {
        ACC o[RUN];
        if (a.tile0) { /* the origins have left the ring and are loaded again */
#pragma unroll
            for (int k = 0; k < RUN; k++)
                o[k] = (ACC)src.make(a, t + k);
        } else {
#pragma unroll
            for (int k = 0; k < RUN; k++)
                o[k] = (ACC)ring[32 * (n * RUN + k)];
        }
#pragma unroll
        for (int k = 0; k < RUN; k++)
            o[k] = t + k < task.last ? o[k] : (ACC)0;
#pragma unroll
        for (int g = 0; g < GROUPS; g++)
            sum[g] += (double)runs_group<ACC>(o, ring + 32 * RUN * ((n + g) % KEEP),
                                              ring + 32 * RUN * ((n + g + 1) % KEEP));
        if (t + RUN < task.last)
#pragma unroll 4
            for (int k = 0; k < RUN; k++)
                ring[32 * (n * RUN + k)] = src.make(a, t + a.tile0 + KEEP * RUN + k);
    }
}

/* Block (x, y) processes units WARPS x + warp, and then every unit a whole grid further, for the
 * origins of task y and lags a.tile0 to a.tile0 + PASS - 1. */
template <class ACC, class SRC>
__global__ __launch_bounds__(32 * WARPS) void runs_kernel(const __grid_constant__ gram_args a)
{
    __shared__ typename SRC::value ring[WARPS][KEEP * RUN * 32];
    __shared__ double s[WARPS][PASS];
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    double sum[GROUPS] = {};
    for (size_t unit = (size_t)blockIdx.x * WARPS + warp; unit < a.tiles;
         unit += (size_t)gridDim.x * WARPS) {
        SRC src;
        if (src.open(a, unit))
            runs_lag_mma<ACC>(a, src, a.tasks[blockIdx.y], ring[warp] + lane, sum);
    }
    for (int g = 0; g < GROUPS && lane < RUN; g++)
        s[warp][g * RUN + lane] = sum[g];
    __syncthreads();
    for (int k = threadIdx.x; k < PASS && a.tile0 + k < a.lags; k += 32 * WARPS) {
        double total = 0.0;
        for (int w = 0; w < WARPS; w++)
            total += s[w][k];
        a.part[((size_t)blockIdx.y * gridDim.x + blockIdx.x) * a.lags + a.tile0 + k] = total;
    }
}

/* Computes A with partners in order, with one thread per atom and column. */
template <class T, int COMP, int CELL>
__global__ void runs_atoms_kernel(const __grid_constant__ gram_args a, unsigned groups,
                                  double *atoms)
{
    typedef typename vec4<T>::type V;
    size_t i = blockIdx.x / groups, col = (size_t)(blockIdx.x % groups) * blockDim.x + threadIdx.x;
    if (col >= (size_t)a.cols)
        return;
    const V *p = (const V *)a.src + 4 * col;
    V x = p[i / 4 * 4 * a.ld + i % 4];
    double sum = 0.0;
    for (size_t j = 0; j < a.rows; j++)
        sum += (double)beta_ordered<COMP, CELL>(a.beta, i, j, x, p[j / 4 * 4 * a.ld + j % 4],
                                                i == j ? (T)-1 : beta_rc2(a.beta, (T)0), col);
    atoms[i * a.ld + col] = sum;
}

static size_t runs_units(enum gram_source s, size_t rows)
{
    size_t n = (rows + G4_TILE_ATOMS - 1) / G4_TILE_ATOMS;
    return s == GRAM_PAIR_F32 ? (rows + 31) / 32 : n * (n + 1) / 2 * 8;
}

size_t runs_slots(enum gram_source s, size_t rows)
{
    size_t n = (runs_units(s, rows) + WARPS - 1) / WARPS;
    return n < G4_MAX_BLOCKS ? n : G4_MAX_BLOCKS;
}

template <class T, int COMP, int CELL>
static void launch_posn(const gram_args &a, int f32, dim3 grid, double *atoms, cudaStream_t stream)
{
    if (f32)
        runs_kernel<float, runs_posn<T, COMP, CELL>><<<grid, 32 * WARPS, 0, stream>>>(a);
    else
        runs_kernel<double, runs_posn<T, COMP, CELL>><<<grid, 32 * WARPS, 0, stream>>>(a);
    unsigned groups = (unsigned)((a.cols + 127) / 128);
    if (a.tile0 == 0)
        runs_atoms_kernel<T, COMP, CELL>
            <<<(unsigned)a.rows * groups, 128, 0, stream>>>(a, groups, atoms);
}

typedef void (*posn_launch)(const gram_args &, int, dim3, double *, cudaStream_t);
static posn_launch posn(int is64, int cell, int component)
{
    if (!is64 && cell == G4_CELL_FIXED && component == BETA_XZ)
        return launch_posn<float, BETA_XZ, G4_CELL_FIXED>;
#define G4_EACH(CELL)                                                                              \
    case CELL: return is64 ? launch_posn<double, -1, CELL> : launch_posn<float, -1, CELL>;
    switch (cell) {
        G4_EACH_ANY
    default: break;
    }
#undef G4_EACH
#define G4_EACH(CELL)                                                                              \
    case CELL: return launch_posn<float, -1, CELL>;
    switch (cell) { /* these exist only for f32 */
        G4_EACH_FIXED
    default: return launch_posn<float, -1, G4_CELL_ANY>;
    }
#undef G4_EACH
}

int runs_launch(struct err *e, enum gram_source s, int cell, int f32, struct gram_args a,
                int ntasks, double *atoms, cudaStream_t stream)
{
    dim3 grid((unsigned)runs_slots(s, a.rows), (unsigned)ntasks);
    a.tiles = runs_units(s, a.rows);
    for (a.tile0 = 0; a.tile0 < a.lags; a.tile0 += PASS) {
        if (s == GRAM_PAIR_F32)
            runs_kernel<float, runs_pairs><<<grid, 32 * WARPS, 0, stream>>>(a);
        else
            posn(s == GRAM_POSN_F64, cell, a.beta.component)(a, f32, grid, atoms, stream);
        if (TRY_LAUNCH(e, "runs_kernel"))
            return -1;
    }
    return 0;
}
