/* SPDX-License-Identifier: MIT */
/* mesh_gpu.h: Fourier transforms of meshes (mesh/mesh.h) on a GPU. A mesh is a real array
 * [n0][n1][pitch], which is transformed in place to Fourier coefficients [n0][n1][pitch/2]. Several
 * meshes with the same number of points are stored one after another and transformed together. Each
 * module that uses a mesh has separate kernels that spread values onto the mesh and gather values
 * from it, with the stencil of mesh_gpu.cuh. */
#pragma once

#include "base/gpu.h"
#include "mesh/mesh.h"

/* Returns 2 (n2/2 + 1), the number of doubles per row. */
static inline int mesh_pitch(const int n[3])
{
    return 2 * (n[2] / 2 + 1);
}
/* Returns the number of doubles per mesh, or SIZE_MAX if this number overflows. */
size_t mesh_values(const int n[3]);

/* Plans for the Fourier transforms of `batch` meshes, initially all zero. */
struct mesh_fft {
    int n[3], batch;
    int forth, back, have; /* cuFFT handles; have: number of open handles */
};
/* Device memory for the transforms of one stream, initially zero; the owner frees d. */
struct mesh_work {
    void *d;
    size_t bytes;
};
/* Replaces the cuFFT plans in f, and enlarges w if necessary. No transform that uses w may be
 * running. The first call loads the library cuFFT. Returns 0, or -1 and sets *e. */
int mesh_fft_plan(struct err *e, struct mesh_fft *f, struct mesh_work *w, const int n[3],
                  int batch);
void mesh_fft_close(struct mesh_fft *f);
/* Each function transforms all meshes of a batch in place, and returns 0, or -1 and sets *e. The
 * inverse transform is not normalised. */
int mesh_fft_forth(struct err *e, const struct mesh_fft *f, const struct mesh_work *w, double *mesh,
                   cudaStream_t stream);
int mesh_fft_back(struct err *e, const struct mesh_fft *f, const struct mesh_work *w, double *mesh,
                  cudaStream_t stream);
