// SPDX-License-Identifier: MIT
// cufft.cc: the transforms of cufft.h by FFTW. Plans belong to a device, and work on its memory.
#include "cufft.h"

#include <fftw3.h>

#include <mutex>
#include <vector>

struct emu_plan {
    int device, rank, batch, n[3], in[3], out[3], in_dist, out_dist;
    cufftType type;
    cudaStream_t stream;
    size_t work;
    void *area;
};
static std::vector<emu_plan> plans;
static std::recursive_mutex planning; // of plans, and of FFTW's planner
#define ALONE std::lock_guard<std::recursive_mutex> alone(planning)

static emu_plan &plan_at(cufftHandle h)
{
    int device;
    bool known = cudaGetDevice(&device) == cudaSuccess; // not where the GPU is to fail
    if (h < 0 || (size_t)h >= plans.size() || (known && plans[(size_t)h].device != device))
        emu_die("a transform of another device, or none");
    return plans[(size_t)h];
}

cufftResult cufftCreate(cufftHandle *h)
{
    ALONE;
    emu_plan p = {};
    cudaGetDevice(&p.device);
    *h = (cufftHandle)plans.size();
    plans.push_back(p);
    return CUFFT_SUCCESS;
}

cufftResult cufftDestroy(cufftHandle h)
{
    ALONE;
    plan_at(h).device = -1;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetAutoAllocation(cufftHandle h, int on)
{
    ALONE;
    plan_at(h);
    if (on)
        emu_die("transforms take their memory from the engine");
    return CUFFT_SUCCESS;
}

cufftResult cufftMakePlanMany64(cufftHandle h, int rank, long long *n, long long *inembed,
                                long long istride, long long idist, long long *onembed,
                                long long ostride, long long odist, cufftType type, long long batch,
                                size_t *work)
{
    ALONE;
    emu_plan &p = plan_at(h);
    if (rank > 3 || istride != 1 || ostride != 1)
        return CUFFT_INVALID_PLAN;
    for (int k = 0; k < rank; k++) {
        p.n[k] = (int)n[k];
        p.in[k] = (int)inembed[k];
        p.out[k] = (int)onembed[k];
    }
    p.rank = rank;
    p.batch = (int)batch;
    p.in_dist = (int)idist;
    p.out_dist = (int)odist;
    p.type = type;
    p.work = *work = 64;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetWorkArea(cufftHandle h, void *work)
{
    ALONE;
    plan_at(h).area = work;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetStream(cufftHandle h, cudaStream_t stream)
{
    ALONE;
    plan_at(h).stream = stream;
    return CUFFT_SUCCESS;
}

static void run(cufftHandle h, double *reals, double2 *waves)
{
    emu_plan &p = plan_at(h);
    fftw_complex *z = (fftw_complex *)waves;
    if (!p.area)
        emu_die("a transform without its memory");
    emu_check(&reals, sizeof reals, p.stream);
    emu_check(&waves, sizeof waves, p.stream);
    memset(p.area, 0xff, p.work);
    fftw_plan f = p.type == CUFFT_D2Z
                      ? fftw_plan_many_dft_r2c(p.rank, p.n, p.batch, reals, p.in, 1, p.in_dist, z,
                                               p.out, 1, p.out_dist, FFTW_ESTIMATE)
                      : fftw_plan_many_dft_c2r(p.rank, p.n, p.batch, z, p.in, 1, p.in_dist, reals,
                                               p.out, 1, p.out_dist, FFTW_ESTIMATE);
    fftw_execute(f);
    fftw_destroy_plan(f);
}

cufftResult cufftExecD2Z(cufftHandle h, cufftDoubleReal *from, cufftDoubleComplex *to)
{
    ALONE;
    run(h, from, to);
    return CUFFT_SUCCESS;
}

cufftResult cufftExecZ2D(cufftHandle h, cufftDoubleComplex *from, cufftDoubleReal *to)
{
    ALONE;
    run(h, to, from);
    return CUFFT_SUCCESS;
}
