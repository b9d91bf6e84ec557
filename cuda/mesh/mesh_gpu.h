/* SPDX-License-Identifier: MIT */
/* mesh_gpu.h: meshes (mesh/mesh.h) on a device, and their transforms. A mesh is a real array
 * [n0][n1][pitch], which is transformed in place to Fourier coefficients [n0][n1][pitch/2]. Several
 * meshes with the same number of points are stored one after another and transformed together. Each
 * module that uses a mesh has its own kernels to spread values onto the mesh and to gather values
 * from it. All modules share the stencil of mesh_gpu.cuh. */
#pragma once

#include "base/gpu.h"
#include "mesh/mesh.h"

/* Returns the number of real numbers per row, 2 (n2/2 + 1). */
static inline int mesh_pitch(const int n[3])
{
    return 2 * (n[2] / 2 + 1);
}
/* Returns the number of real numbers per mesh, or SIZE_MAX if this number overflows. */
size_t mesh_values(const int n[3]);

/* Joint Fourier transforms of `batch` meshes of n points. Initialise to zeros. */
struct mesh_fft {
    int n[3], batch;
    int forth, back, have; /* cuFFT handles for both directions (forth, back), and flags that tell
                            * which handles are open (have) */
};
/* Device memory for the transforms of one stream. Initialise to zeros. The owner frees d. */
struct mesh_work {
    void *d;
    size_t bytes;
};
/* Replaces the plans of f by new plans, and enlarges w if necessary. No transform that uses the
 * memory w may be running. The function also loads the library cuFFT. Returns 0 on success, or -1
 * with an error message in e. */
int mesh_fft_plan(struct err *e, struct mesh_fft *f, struct mesh_work *w, const int n[3],
                  int batch);
void mesh_fft_close(struct mesh_fft *f);
/* The following functions transform all meshes of a batch in place, in the CUDA stream `stream`.
 * The inverse transform is not normalised. The transforms return 0 on success, or -1 with an error
 * message in e. */
int mesh_fft_forth(struct err *e, const struct mesh_fft *f, const struct mesh_work *w, double *mesh,
                   cudaStream_t stream);
int mesh_fft_back(struct err *e, const struct mesh_fft *f, const struct mesh_work *w, double *mesh,
                  cudaStream_t stream);
