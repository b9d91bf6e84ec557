/* SPDX-License-Identifier: MIT */
/* rdf_gpu_sort.cu: the one call of CUB, in its own file because it takes long to compile. */
#include <cub/device/device_radix_sort.cuh>

#include "rdf/rdf_gpu.h"

size_t rdf_gpu_sort_bytes(uint32_t n)
{
    size_t bytes = 0;
    uint32_t *p = NULL;
    if (cub::DeviceRadixSort::SortPairs(NULL, bytes, p, p, p, p, (int)n) != cudaSuccess)
        return 0;
    return bytes + 256;
}

int rdf_gpu_sort(struct err *e, void *d_scratch, size_t bytes, uint32_t *const key[2],
                 uint32_t *const index[2], uint32_t n, int bits, cudaStream_t s)
{
    return TRY(e, cub::DeviceRadixSort::SortPairs(d_scratch, bytes, key[0], key[1], index[0],
                                                  index[1], (int)n, 0, bits, s));
}
