/* SPDX-License-Identifier: MIT */
/* hd.h: HD marks a small function that is compiled for the host and, under nvcc, also for the
 * device. */
#pragma once

#ifdef __CUDACC__
#define HD static __host__ __device__ __forceinline__
#elif defined(__GNUC__)
#define HD static inline __attribute__((always_inline, unused))
#else
#define HD static inline
#endif
