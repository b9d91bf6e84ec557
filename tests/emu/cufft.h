/* SPDX-License-Identifier: MIT */
/* cufft.h: the functions of cuFFT that mesh_gpu_fft.cu uses, implemented with FFTW (mesh/cufft.cc)
 * and found in the program itself. */
#ifndef EMU_CUFFT_H
#define EMU_CUFFT_H

#include "cuda_runtime.h"

#define CUFFT_LIBRARY NULL

typedef enum { CUFFT_SUCCESS, CUFFT_INVALID_PLAN, CUFFT_ALLOC_FAILED } cufftResult;
typedef enum { CUFFT_D2Z = 0x6a, CUFFT_Z2D = 0x6c } cufftType;
typedef int cufftHandle;
typedef double cufftDoubleReal;
typedef double2 cufftDoubleComplex;

extern "C" {
cufftResult cufftCreate(cufftHandle *h);
cufftResult cufftDestroy(cufftHandle h);
cufftResult cufftSetAutoAllocation(cufftHandle h, int on);
cufftResult cufftMakePlanMany64(cufftHandle h, int rank, long long *n, long long *inembed,
                                long long istride, long long idist, long long *onembed,
                                long long ostride, long long odist, cufftType type, long long batch,
                                size_t *work);
cufftResult cufftSetWorkArea(cufftHandle h, void *work);
cufftResult cufftSetStream(cufftHandle h, cudaStream_t stream);
cufftResult cufftExecD2Z(cufftHandle h, cufftDoubleReal *from, cufftDoubleComplex *to);
cufftResult cufftExecZ2D(cufftHandle h, cufftDoubleComplex *from, cufftDoubleReal *to);
}

#endif
