/* SPDX-License-Identifier: MIT */
#include "g4/g4_gpu_posn.cuh"

cudaError_t posn_taper_function(int cell, const gram_args &a, dim3 grid, cudaStream_t stream)
{
    return function_run<SUM_TAPERED, false>(cell, a, grid, stream);
}
