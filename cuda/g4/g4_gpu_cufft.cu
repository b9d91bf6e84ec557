/* SPDX-License-Identifier: MIT */
#include "g4/g4_gpu_cufft.h"

#include <dlfcn.h>

#define CUFFT_Z2Z 0x69 /* of cufft.h, stable since CUDA 3 */

static struct {
    void *lib;
    int (*create)(int *);
    int (*make)(int, int, long long *, long long *, long long, long long, long long *, long long,
                long long, int, long long, size_t *);
    int (*stream)(int, cudaStream_t);
    int (*exec)(int, void *, void *, int);
    int (*destroy)(int);
} fft;

int cufft_load(struct err *e)
{
    static const char *const names[] = {"libcufft.so.12", "libcufft.so.11", "libcufft.so.10",
                                        "libcufft.so", "/usr/local/cuda/lib64/libcufft.so"};
    for (size_t k = 0; !fft.lib && k < sizeof names / sizeof *names; k++)
        fft.lib = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
    if (!fft.lib)
        return err_set(
            e, ERR_MACHINE,
            "method fft needs cuFFT, but libcufft.so.12, .11 or .10 was not found: put it on "
            "LD_LIBRARY_PATH, or use --method factored");
    *(void **)&fft.create = dlsym(fft.lib, "cufftCreate");
    *(void **)&fft.make = dlsym(fft.lib, "cufftMakePlanMany64");
    *(void **)&fft.stream = dlsym(fft.lib, "cufftSetStream");
    *(void **)&fft.exec = dlsym(fft.lib, "cufftExecZ2Z");
    *(void **)&fft.destroy = dlsym(fft.lib, "cufftDestroy");
    if (!fft.create || !fft.make || !fft.stream || !fft.exec || !fft.destroy)
        return err_set(e, ERR_MACHINE,
                       "the cuFFT library that was found lacks a function; use --method factored");
    return 0;
}

int cufft_plan(struct err *e, int *plan, size_t m, int batch, cudaStream_t stream, size_t *work)
{
    long long n = (long long)m;
    *plan = -1;
    int rc = fft.create(plan);
    if (!rc)
        rc = fft.make(*plan, 1, &n, NULL, 1, n, NULL, 1, n, CUFFT_Z2Z, batch, work);
    if (!rc)
        rc = fft.stream(*plan, stream);
    return rc ? err_set(e, ERR_MEMORY, "cuFFT: no plan for %d transforms of length %zu (code %d%s)",
                        batch, m, rc, rc == 2 ? ", out of GPU memory" : "")
              : 0;
}

int cufft_run(struct err *e, int plan, void *d_z, int inverse)
{
    int rc = fft.exec(plan, d_z, d_z, inverse ? 1 : -1);
    return rc ? err_set(e, ERR_MACHINE, "cuFFT: a transform failed (code %d)", rc) : 0;
}

void cufft_free(int plan)
{
    if (plan >= 0)
        fft.destroy(plan);
}
