/* SPDX-License-Identifier: MIT */
#include "g4/g4_gpu_posn.cuh"

/* Reads values from a table (pair_gpu_table.cu), without code for beta. */
template <bool NEAR, bool PIECES, class T>
__global__ __launch_bounds__(32 * GRAM_WARPS_POSN,
                             1) void gram_table_kernel(const __grid_constant__ gram_args a)
{
    posn_block<NEAR, PIECES, table_source<T, true>, table_source<T, false>>(a);
}

template <class T> static cudaError_t run_table(const gram_args &a, dim3 grid, cudaStream_t stream)
{
    return a.tile0 ? run_tiles<false>(gram_table_kernel<false, false, T>,
                                      gram_table_kernel<false, true, T>, a, grid, stream)
                   : run_tiles<true>(gram_table_kernel<true, false, T>,
                                     gram_table_kernel<true, true, T>, a, grid, stream);
}

cudaError_t posn_table(int is64, const gram_args &a, dim3 grid, cudaStream_t stream)
{
    return is64 ? run_table<double>(a, grid, stream) : run_table<float>(a, grid, stream);
}
