/* SPDX-License-Identifier: MIT */
/* hd.h: the macro HD marks a function that is compiled for the CPU and, under nvcc, also for the
 * GPU. The macros C_LINKAGE_BEGIN and C_LINKAGE_END enclose functions that have C linkage also in
 * C++ and CUDA. The macro MUST_USE marks a function whose result must be used. */
#pragma once

#ifdef __CUDACC__
#define HD static __host__ __device__ __forceinline__
#elif defined(__GNUC__)
#define HD static inline __attribute__((always_inline, unused))
#else
#define HD static inline
#endif

#define MUST_USE __attribute__((warn_unused_result))

#ifdef __cplusplus
#define C_LINKAGE_BEGIN extern "C" {
#define C_LINKAGE_END }
#else
#define C_LINKAGE_BEGIN
#define C_LINKAGE_END
#endif
