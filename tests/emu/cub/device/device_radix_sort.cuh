/* SPDX-License-Identifier: MIT */
/*
 * device_radix_sort.cuh: for the emulated machine (tests/emu), the one sort of CUB that the engines
 * use: by bits [begin, end) of the keys, stable. NULL for scratch: how many bytes it wants.
 */
#ifndef EMU_DEVICE_RADIX_SORT_CUH
#define EMU_DEVICE_RADIX_SORT_CUH

#include <algorithm>
#include <vector>

namespace cub
{
struct DeviceRadixSort {
    template <class K, class V>
    static cudaError_t SortPairs(void *scratch, size_t &bytes, const K *key, K *key_out,
                                 const V *value, V *value_out, int n, int begin = 0,
                                 int end = 8 * sizeof(K), cudaStream_t s = nullptr)
    {
        const size_t wants = (size_t)n * 4 + 1;
        if (!scratch) {
            bytes = wants;
            return cudaSuccess;
        }
        if (bytes < wants)
            emu_die("a sort with too little scratch");
        for (const void *p : {(const void *)scratch, (const void *)key, (const void *)key_out,
                              (const void *)value, (const void *)value_out})
            emu_check(&p, sizeof p, s);
        const K mask = (K)((end < 64 ? ((uint64_t)1 << end) : 0) - ((uint64_t)1 << begin));
        std::vector<int> order(n);
        for (int k = 0; k < n; k++)
            order[k] = k;
        std::stable_sort(order.begin(), order.end(),
                         [=](int a, int b) { return (key[a] & mask) < (key[b] & mask); });
        for (int k = 0; k < n; k++) {
            key_out[k] = key[order[k]];
            value_out[k] = value[order[k]];
        }
        return cudaSuccess;
    }
};
} // namespace cub

#endif
