/* SPDX-License-Identifier: MIT */
#include "g4/g4_gpu_posn.cuh"

cudaError_t posn_table_pieces(int is64, const gram_args &a, dim3 grid, cudaStream_t stream)
{
    return is64 ? run_table<double, true>(a, grid, stream)
                : run_table<float, true>(a, grid, stream);
}
