/* SPDX-License-Identifier: MIT */
/* mesh_gpu_fft.cu: transforms meshes with cuFFT, which is loaded when the first mesh is made.
 * Programs without a mesh therefore neither need cuFFT nor wait for it. */
#include <cufft.h>
#include <dlfcn.h>
#include <pthread.h>

#include "mesh/mesh_gpu.h"

#ifndef CUFFT_LIBRARY
#define CUFFT_TEXT(x) #x
#define CUFFT_NAME(major) "libcufft.so." CUFFT_TEXT(major)
#define CUFFT_LIBRARY CUFFT_NAME(CUFFT_VER_MAJOR)
#endif

static struct {
    decltype(cufftCreate) *create;
    decltype(cufftDestroy) *destroy;
    decltype(cufftSetAutoAllocation) *manual;
    decltype(cufftMakePlanMany64) *plan;
    decltype(cufftSetWorkArea) *area;
    decltype(cufftSetStream) *stream;
    decltype(cufftExecD2Z) *forth;
    decltype(cufftExecZ2D) *back;
} lib;

template <class F> static int find(void *h, const char *name, F **f)
{
    *f = (F *)dlsym(h, name);
    return *f == NULL;
}

static int find_all(struct err *e)
{
    if (lib.back)
        return 0;
    const char *name = CUFFT_LIBRARY;
    void *h = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!h)
        return err_set(e, ERR_MACHINE,
                       "a sum on a mesh needs cuFFT from the CUDA Toolkit, which was not found: "
                       "%.200s (use --sum ewald:pairs instead)",
                       dlerror());
    if (find(h, "cufftCreate", &lib.create) || find(h, "cufftDestroy", &lib.destroy) ||
        find(h, "cufftSetAutoAllocation", &lib.manual) ||
        find(h, "cufftMakePlanMany64", &lib.plan) || find(h, "cufftSetWorkArea", &lib.area) ||
        find(h, "cufftSetStream", &lib.stream) || find(h, "cufftExecD2Z", &lib.forth) ||
        find(h, "cufftExecZ2D", &lib.back))
        return err_set(e, ERR_MACHINE, "%.200s", dlerror());
    return 0;
}

/* The threads of several devices call this function. */
static int open_library(struct err *e)
{
    static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&opening);
    int rc = find_all(e);
    pthread_mutex_unlock(&opening);
    return rc;
}

static int tried(struct err *e, const char *call, cufftResult rc)
{
    return rc == CUFFT_SUCCESS ? 0
           : rc == CUFFT_ALLOC_FAILED
               ? err_set(e, ERR_MEMORY, "%s: GPU memory is used up", call)
               : err_set(e, ERR_MACHINE, "%s: cuFFT error %d", call, (int)rc);
}

static int plan(struct err *e, cufftHandle *h, const int n[3], int batch, cufftType type,
                size_t *work)
{
    long long points[3] = {n[0], n[1], n[2]}, waves[3] = {n[0], n[1], n[2] / 2 + 1},
              reals[3] = {n[0], n[1], 2 * waves[2]}, size = waves[0] * waves[1] * waves[2];
    int forth = type == CUFFT_D2Z;
    if (tried(e, "cufftCreate", lib.create(h)))
        return -1;
    return tried(e, "cufftSetAutoAllocation", lib.manual(*h, 0)) ||
                   tried(e, "cufftMakePlanMany64",
                         lib.plan(*h, 3, points, forth ? reals : waves, 1, forth ? 2 * size : size,
                                  forth ? waves : reals, 1, forth ? size : 2 * size, type, batch,
                                  work))
               ? -1
               : 0;
}

size_t mesh_values(const int n[3])
{
    return gpu_mul(gpu_mul((size_t)n[0], (size_t)n[1]), (size_t)mesh_pitch(n));
}

void mesh_fft_close(struct mesh_fft *f)
{
    if (f->have > 0)
        lib.destroy(f->forth);
    if (f->have > 1)
        lib.destroy(f->back);
    memset(f, 0, sizeof *f);
}

int mesh_fft_plan(struct err *e, struct mesh_fft *f, struct mesh_work *w, const int n[3], int batch)
{
    size_t forth = 0, back = 0;
    mesh_fft_close(f);
    memcpy(f->n, n, sizeof f->n);
    f->batch = batch;
    if (open_library(e) || plan(e, &f->forth, n, batch, CUFFT_D2Z, &forth))
        return -1;
    f->have = 1;
    if (plan(e, &f->back, n, batch, CUFFT_Z2D, &back))
        return -1;
    f->have = 2;
    forth = forth > back ? forth : back;
    if (forth <= w->bytes)
        return 0;
    cudaFree(w->d);
    w->bytes = 0;
    if (gpu_alloc(e, &w->d, forth, "transforms"))
        return -1;
    w->bytes = forth;
    return 0;
}

static int ready(struct err *e, cufftHandle h, const struct mesh_work *w, cudaStream_t stream)
{
    return tried(e, "cufftSetStream", lib.stream(h, stream)) ||
           tried(e, "cufftSetWorkArea", lib.area(h, w->d));
}

int mesh_fft_forth(struct err *e, const struct mesh_fft *f, const struct mesh_work *w, double *mesh,
                   cudaStream_t stream)
{
    return ready(e, f->forth, w, stream) ||
                   tried(e, "cufftExecD2Z", lib.forth(f->forth, mesh, (cufftDoubleComplex *)mesh))
               ? -1
               : 0;
}

int mesh_fft_back(struct err *e, const struct mesh_fft *f, const struct mesh_work *w, double *mesh,
                  cudaStream_t stream)
{
    return ready(e, f->back, w, stream) ||
                   tried(e, "cufftExecZ2D", lib.back(f->back, (cufftDoubleComplex *)mesh, mesh))
               ? -1
               : 0;
}
