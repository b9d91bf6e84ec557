/* SPDX-License-Identifier: MIT */
/* pair_gpu_waves.cu: the weights of the waves of a mesh, and the self term of an atom. */
#include "mesh/mesh_gpu.cuh"
#include "pair/pair_gpu.h"

#define THREADS 128

/* Gets the data of mesh_axis() for wave number `at` of a mesh, which has n2 / 2 + 1 waves along the
 * third axis. Set `which` to 0 for filter and 1 for self. Returns false for the wave 0. */
__device__ __forceinline__ bool wave_at(const mesh_args &a, size_t at, int which, int m[3],
                                        double *axes)
{
    int waves = a.n[2] / 2 + 1, l = (int)(at % waves);
    size_t row = at / waves;
    int i = (int)(row / a.n[1]), j = (int)(row % a.n[1]);
    const double *axis = a.axis + (size_t)which * (a.n[0] + a.n[1] + a.n[2]);
    *axes = (axis[i] * axis[a.n[0] + j]) * axis[a.n[0] + a.n[1] + l];
    m[0] = mesh_signed(i, a.n[0]);
    m[1] = mesh_signed(j, a.n[1]);
    m[2] = l;
    return at > 0;
}

/* Uses one thread per wave, in all columns of the batch. */
__global__ void waves_filter_kernel(const __grid_constant__ mesh_args a, int component,
                                    size_t waves)
{
    size_t at = (size_t)blockIdx.x * THREADS + threadIdx.x;
    int m[3], of = -1;
    double axes, k[3], w = 0.0;
    if (at >= waves)
        return;
    bool any = wave_at(a, at, 0, m, &axes);
    for (int c = 0; c < a.count; c++) {
        int first = a.which[a.column[a.first + c]];
        if (first != of && any) {
            of = first;
            const struct box *b = &a.cell[a.fixed ? 0 : of].d;
            mesh_vector(b, m[0], m[1], m[2], k);
            w = (split_weight(&a.plan, k, box_volume(b)) * axes) *
                beta_form_f64(component, k[0], k[1], k[2]);
        }
        double2 *to = (double2 *)(a.back + c * a.values) + at,
                v = ((const double2 *)(a.mesh + c * a.values))[at];
        *to = make_double2(w * v.x, w * v.y);
    }
}

/* Block (x, y) processes part x of the waves for column y, if this column is the first one with its
 * cell. */
__global__ void waves_self_kernel(const __grid_constant__ mesh_args a, size_t waves)
{
    __shared__ double s[THREADS][BETA_NCOMPONENTS];
    int col = a.column[a.first + blockIdx.y], me = threadIdx.x;
    double sum[BETA_NCOMPONENTS] = {};
    if (a.which[col] != col)
        return;
    const struct box *b = &a.cell[a.fixed ? 0 : col].d;
    for (size_t at = (size_t)blockIdx.x * THREADS + me; at < waves; at += WAVES_PARTS * THREADS) {
        int m[3];
        double axes, k[3];
        if (!wave_at(a, at, 1, m, &axes))
            continue;
        mesh_vector(b, m[0], m[1], m[2], k);
        double w = (m[2] ? 2.0 : 1.0) * (split_weight(&a.plan, k, box_volume(b)) * axes);
        for (int c = 0; c < BETA_NCOMPONENTS; c++)
            sum[c] += w * beta_form_f64(c, k[0], k[1], k[2]);
    }
    mesh_block_sum<BETA_NCOMPONENTS, THREADS>(
        sum, s, a.part + ((size_t)blockIdx.y * WAVES_PARTS + blockIdx.x) * BETA_NCOMPONENTS);
}

/* Uses one thread per component of column x. */
__global__ void waves_parts_kernel(const __grid_constant__ mesh_args a)
{
    int col = a.column[a.first + blockIdx.x], c = threadIdx.x;
    size_t to = (size_t)col * BETA_NCOMPONENTS + c;
    double sum = 0.0;
    if (a.which[col] != col)
        return;
    for (int k = 0; k < WAVES_PARTS; k++)
        sum += a.part[((size_t)blockIdx.x * WAVES_PARTS + k) * BETA_NCOMPONENTS + c];
    a.self[to] = sum - a.images[to];
}

int waves_self(struct err *e, const struct mesh_args *a, cudaStream_t stream)
{
    waves_self_kernel<<<dim3(WAVES_PARTS, (unsigned)a->count), THREADS, 0, stream>>>(*a,
                                                                                     a->values / 2);
    if (TRY_LAUNCH(e, "waves_self_kernel"))
        return -1;
    waves_parts_kernel<<<(unsigned)a->count, BETA_NCOMPONENTS, 0, stream>>>(*a);
    return TRY_LAUNCH(e, "waves_parts_kernel");
}

int waves_filter(struct err *e, const struct mesh_args *a, int c, cudaStream_t stream)
{
    size_t waves = a->values / 2;
    waves_filter_kernel<<<(unsigned)((waves + THREADS - 1) / THREADS), THREADS, 0, stream>>>(
        *a, a->component[c], waves);
    return TRY_LAUNCH(e, "waves_filter_kernel");
}
