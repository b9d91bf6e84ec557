/* SPDX-License-Identifier: MIT */
/*
 * Waves of a mesh: transforms by cuFFT, their weights, and the self term of an atom. cuFFT is
 * loaded when the first mesh is made, so that nothing else needs it or waits for it.
 */
#include <cufft.h>
#include <dlfcn.h>
#include <pthread.h>

#include "pair/pair_gpu.h"

#define THREADS 128

/* ---- cuFFT */

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
                       "a mesh needs cuFFT from the CUDA Toolkit, which was not found: %.200s "
                       "(--sum ewald:pairs works without)",
                       dlerror());
    if (find(h, "cufftCreate", &lib.create) || find(h, "cufftDestroy", &lib.destroy) ||
        find(h, "cufftSetAutoAllocation", &lib.manual) ||
        find(h, "cufftMakePlanMany64", &lib.plan) || find(h, "cufftSetWorkArea", &lib.area) ||
        find(h, "cufftSetStream", &lib.stream) || find(h, "cufftExecD2Z", &lib.forth) ||
        find(h, "cufftExecZ2D", &lib.back))
        return err_set(e, ERR_MACHINE, "%.200s", dlerror());
    return 0;
}

/* Called by the threads of several devices. */
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

void waves_close(struct mesh_shape *s)
{
    if (s->have > 0)
        lib.destroy(s->forth);
    if (s->have > 1)
        lib.destroy(s->back);
    cudaFree(s->d_axis);
    memset(s, 0, sizeof *s);
}

int waves_plan(struct err *e, struct g4_mesh *m, struct mesh_shape *s)
{
    size_t forth = 0, back = 0;
    if (open_library(e) || plan(e, &s->forth, s->n, s->batch, CUFFT_D2Z, &forth))
        return -1;
    s->have = 1;
    if (plan(e, &s->back, s->n, s->batch, CUFFT_Z2D, &back))
        return -1;
    s->have = 2;
    forth = forth > back ? forth : back;
    if (forth <= m->work)
        return 0;
    cudaFree(m->d_work);
    m->work = 0;
    if (gpu_alloc(e, &m->d_work, forth, "transforms"))
        return -1;
    m->work = forth;
    return 0;
}

int waves_forth(struct err *e, const struct g4_mesh *m, const struct mesh_shape *s,
                const struct mesh_args *a, cudaStream_t stream)
{
    return tried(e, "cufftSetStream", lib.stream(s->forth, stream)) ||
                   tried(e, "cufftSetWorkArea", lib.area(s->forth, m->d_work)) ||
                   tried(e, "cufftExecD2Z",
                         lib.forth(s->forth, a->mesh, (cufftDoubleComplex *)a->mesh))
               ? -1
               : 0;
}

int waves_back(struct err *e, const struct g4_mesh *m, const struct mesh_shape *s,
               const struct mesh_args *a, cudaStream_t stream)
{
    return tried(e, "cufftSetStream", lib.stream(s->back, stream)) ||
                   tried(e, "cufftSetWorkArea", lib.area(s->back, m->d_work)) ||
                   tried(e, "cufftExecZ2D",
                         lib.back(s->back, (cufftDoubleComplex *)a->back, a->back))
               ? -1
               : 0;
}

/* ---- weights */

/* Wave number `at` of a mesh, with n2 / 2 + 1 along the third axis: data of mesh_axis for its
 * place; which: 0 filter, 1 self. Returns false for the wave 0. */
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

/* One thread per wave, in all columns of the batch. */
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

/* Block: part x of the waves, column y, if this is the first with its cell. */
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
    for (int c = 0; c < BETA_NCOMPONENTS; c++)
        s[me][c] = sum[c];
    __syncthreads();
    if (me < BETA_NCOMPONENTS) {
        double all = 0.0;
        for (int t = 0; t < THREADS; t++)
            all += s[t][me];
        a.part[((size_t)blockIdx.y * WAVES_PARTS + blockIdx.x) * BETA_NCOMPONENTS + me] = all;
    }
}

/* One thread per component of column x. */
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
