/* SPDX-License-Identifier: MIT */
#include "g4/g4_gpu_posn.cuh"

cudaError_t posn_mic_function_pieces(int cell, const gram_args &a, dim3 grid, cudaStream_t stream)
{
    return function_run<SUM_NEAREST, true>(cell, a, grid, stream);
}
