/* SPDX-License-Identifier: MIT */
#include "g4/g4_gpu_posn.cuh"

cudaError_t posn_mic_function(int cell, const gram_args &a, dim3 grid, cudaStream_t stream)
{
    return function_run<SUM_NEAREST, false>(cell, a, grid, stream);
}
