/* SPDX-License-Identifier: MIT */
/* mesh_gpu.cuh: computes the points and weights of a site on a mesh (mesh_gpu.h). Meshes are in
 * 64-bit fixed point, so that the contributions of the sites may be added in any order. */
#pragma once

#include <cstring>

#include "mesh/mesh_gpu.h"

/* The points of a site and their weights along each axis. */
struct mesh_stencil {
    int at[3]; /* first point; -1: no site */
    double w[3][MESH_ORDER];
    size_t plane[MESH_ORDER]; /* start of the points along the first axis */
};

/* Computes axis k of *s for a site at the fractional coordinate f on a mesh of n points. If there
 * is no site, f is NaN. Returns the distance of the site from the first point. One thread computes
 * an axis, and the caller synchronises. */
static __device__ __forceinline__ double mesh_stencil_axis(struct mesh_stencil *s, int k, double f,
                                                           const int n[3], int pitch, int order)
{
    double past = 0.0;
    int at = f == f ? mesh_place(f, n[k], &past) : -1;
    s->at[k] = at;
    mesh_spline(order, &past, s->w[k]);
    for (int l = 0; k == 0 && l < order; l++)
        s->plane[l] = (size_t)(at + l < n[0] ? at + l : at + l - n[0]) * n[1] * pitch;
    return past;
}

/* Returns the index in a plane of the points l1 and l2 along the other two axes. */
static __device__ __forceinline__ size_t mesh_stencil_row(const struct mesh_stencil *s, int l1,
                                                          int l2, const int n[3], int pitch)
{
    int y = s->at[1] + l1, z = s->at[2] + l2;
    y -= y < n[1] ? 0 : n[1];
    z -= z < n[2] ? 0 : n[2];
    return (size_t)y * pitch + z;
}

static __device__ __forceinline__ long long mesh_bits(double v)
{
    long long bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* Converts n values of a mesh from multiples of `unit` to double. The threads of the grid take
 * values in turn. */
static __device__ __forceinline__ void mesh_to_double(double *mesh, size_t n, double unit)
{
    for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < n;
         k += (size_t)gridDim.x * blockDim.x)
        mesh[k] = (double)mesh_bits(mesh[k]) * unit;
}

/* Sets to[N] to the sums of v[N] over the threads of a block, in the order of the threads. All
 * THREADS threads call this function, with s in shared memory. The function synchronises once,
 * before the sums. Thread c sets to[c]. */
template <int N, int THREADS>
static __device__ __forceinline__ void mesh_block_sum(const double *v, double (*s)[N], double *to)
{
    int me = threadIdx.x;
    for (int c = 0; c < N; c++)
        s[me][c] = v[c];
    __syncthreads();
    if (me >= N)
        return;
    double all = 0.0;
    for (int k = 0; k < THREADS; k++)
        all += s[k][me];
    to[me] = all;
}
