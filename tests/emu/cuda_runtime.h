/* SPDX-License-Identifier: MIT */
/*
 * A host that plays a CUDA machine, so that the kernels of cuda/ run (slowly) in tests without a
 * GPU: every thread of a block is a fiber, blocks run one after the other, streams at once. Blocks
 * of a cooperative launch or of a cluster are threads of the host that hand on a baton: one runs
 * until all its fibers wait for other blocks. It checks what a machine with one GPU cannot show:
 * that memory, streams and launches belong to the current device. Memory starts as 0xff. A mistake
 * ends the program with a line on stderr.
 *
 * EMU_DEVICES: how many devices there are (1); EMU_SHARED: KiB a block has (227); EMU_CC: their
 * compute capability, major (9); EMU_SMS: multiprocessors (4); EMU_BACKWARD=1: threads
 * and blocks take turns from the last to the first. Only what the engines use is here.
 * The launch syntax and the inline PTX are rewritten by emu.sed; md/emu_cluster.cuh stands for
 * cuda/md/md_cluster.cuh.
 */
#ifndef EMU_CUDA_RUNTIME_H
#define EMU_CUDA_RUNTIME_H

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ static __thread
#define __restrict__

/* ---- types */
struct float3 {
    float x, y, z;
};
struct float4 {
    float x, y, z, w;
};
struct double2 {
    double x, y;
};
struct int2 {
    int x, y;
};
struct uint2 {
    uint32_t x, y;
};
struct alignas(16) uint4 {
    uint32_t x, y, z, w;
};
struct alignas(16) int4 {
    int x, y, z, w;
};
inline float3 make_float3(float x, float y, float z)
{
    return {x, y, z};
}
inline float4 make_float4(float x, float y, float z, float w)
{
    return {x, y, z, w};
}
inline double2 make_double2(double x, double y)
{
    return {x, y};
}
inline int2 make_int2(int x, int y)
{
    return {x, y};
}
inline uint2 make_uint2(uint32_t x, uint32_t y)
{
    return {x, y};
}
inline int4 make_int4(int x, int y, int z, int w)
{
    return {x, y, z, w};
}
inline uint4 make_uint4(uint32_t x, uint32_t y, uint32_t z, uint32_t w)
{
    return {x, y, z, w};
}
struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z)
    {
    }
};

/* ---- the running thread */
struct emu_thread {
    uint3 thread, block;
    dim3 nthreads, nblocks;
};
extern __thread emu_thread *emu_now;
#define threadIdx (emu_now->thread)
#define blockIdx (emu_now->block)
#define blockDim (emu_now->nthreads)
#define gridDim (emu_now->nblocks)

void emu_die(const char *what);
const char *
emu_exchange(const void *mine,
             size_t bytes); /* what each lane of the warp brings, EMU_BRING bytes apart */
#define EMU_BRING 16
int emu_barrier(int flag);  /* was any thread's flag up? */
void emu_barrier_all(void); /* of all blocks that run at once */
void emu_poll(void);        /* look again later: somebody in another block has to come first */
void *emu_dynamic(void);    /* dynamic shared memory of the block */
void *emu_dynamic_of(unsigned rank); /* of another one of those that run with it */
unsigned emu_together(void);         /* their number */

inline void __syncthreads()
{
    emu_barrier(0);
}
inline int __syncthreads_or(int flag)
{
    return emu_barrier(flag != 0);
}
template <class T> T emu_acquire(const T *p)
{
    emu_poll();
    return *(const volatile T *)p;
}
template <class T> T emu_shfl(T v, int lane)
{
    static_assert(sizeof v <= EMU_BRING, "too large for a shuffle");
    memcpy(&v, emu_exchange(&v, sizeof v) + (lane & 31) * EMU_BRING, sizeof v);
    return v;
}
inline int emu_lane()
{
    return (int)((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31);
}
template <class T> T __shfl_sync(unsigned, T v, int lane)
{
    return emu_shfl(v, lane);
}
template <class T> T __shfl_xor_sync(unsigned, T v, int k)
{
    return emu_shfl(v, emu_lane() ^ k);
}
template <class T> T __shfl_up_sync(unsigned, T v, int k)
{
    return emu_shfl(v, emu_lane() >= k ? emu_lane() - k : emu_lane());
}
template <class T> T __shfl_down_sync(unsigned, T v, int k)
{
    return emu_shfl(v, emu_lane() + k < 32 ? emu_lane() + k : emu_lane());
}
inline int __any_sync(unsigned, int v)
{
    const char *all = emu_exchange(&v, sizeof v);
    for (int k = 0; k < 32 && !v; k++)
        memcpy(&v, all + k * EMU_BRING, sizeof v);
    return v;
}
inline unsigned __ballot_sync(unsigned, int v)
{
    const char *all = emu_exchange(&v, sizeof v);
    unsigned mask = 0;
    for (int k = 0; k < 32; k++) {
        memcpy(&v, all + k * EMU_BRING, sizeof v);
        mask |= (v ? 1u : 0u) << k;
    }
    return mask;
}
inline void __syncwarp(unsigned = ~0u)
{
    emu_shfl(0, 0);
}

/* ---- arithmetic */
inline unsigned __float_as_uint(float x)
{
    unsigned u;
    memcpy(&u, &x, 4);
    return u;
}
inline float __uint_as_float(unsigned u)
{
    float x;
    memcpy(&x, &u, 4);
    return x;
}
inline float __int_as_float(int u)
{
    return __uint_as_float((unsigned)u);
}
/* Of x rounded to nearest, the neighbour on the other side of x, where that is towards `to`. */
inline float emu_towards(double x, float to)
{
    float f = (float)x;
    return to > x ? (f < x ? nextafterf(f, to) : f) : (f > x ? nextafterf(f, to) : f);
}
inline float __double2float_rd(double x)
{
    return emu_towards(x, -HUGE_VALF);
}
inline float __double2float_ru(double x)
{
    return emu_towards(x, HUGE_VALF);
}
inline float __fadd_rz(float x, float y)
{
    return emu_towards((double)x + y, 0.0f);
}
inline float __fmaf_rn(float x, float y, float z)
{
    return fmaf(x, y, z);
}
inline int __float2int_rn(float x)
{
    return x != x               ? 0
           : x >= 2147483648.0f ? 2147483647
           : x < -2147483648.0f ? -2147483647 - 1
                                : (int)nearbyintf(x);
}
inline long long __double2ll_rn(double x)
{
    return x != x                      ? (long long)(1ull << 63)
           : x >= 9223372036854775808. ? 0x7fffffffffffffff
           : x < -9223372036854775808. ? (long long)(1ull << 63)
                                       : (long long)nearbyint(x);
}
inline int __double2loint(double x)
{
    int64_t u;
    memcpy(&u, &x, 8);
    return (int)u;
}
inline float __fsqrt_rn(float x)
{
    return sqrtf(x);
}
inline double rsqrt(double x)
{
    return 1.0 / sqrt(x);
}
inline unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((uint64_t)a * b >> 32);
}
inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
inline int __ffs(int x)
{
    return __builtin_ffs(x);
}
template <class T> T min(T a, T b)
{
    return b < a ? b : a;
}
template <class T> T max(T a, T b)
{
    return a < b ? b : a;
}
inline uint32_t __byte_perm(uint32_t a, uint32_t b, uint32_t s)
{
    uint64_t v = (uint64_t)b << 32 | a;
    uint32_t r = 0;
    for (int k = 0; k < 4; k++)
        r |= (uint32_t)(v >> 8 * (s >> 4 * k & 7) & 0xff) << 8 * k;
    return r;
}
inline int __dp4a(int a, int b, int c)
{
    for (int k = 0; k < 4; k++)
        c += (int)(int8_t)(a >> 8 * k) * (int)(int8_t)(b >> 8 * k);
    return c;
}
template <class T> T atomicMax(T *p, T v)
{
    T old = *p;
    *p = v > old ? v : old;
    return old;
}
template <class T> T atomicMin(T *p, T v)
{
    T old = *p;
    *p = v < old ? v : old;
    return old;
}
template <class T> T atomicOr(T *p, T v)
{
    T old = *p;
    *p |= v;
    return old;
}
template <class T> T atomicAdd(T *p, T v)
{
    T old = *p;
    *p += v;
    return old;
}

/* ---- runtime */
typedef enum {
    cudaSuccess,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidValue = 1,
    cudaErrorInsufficientDriver = 35,
    cudaErrorDevicesUnavailable = 46,
    cudaErrorCooperativeLaunchTooLarge = 82,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorLaunchFailure = 719,
    cudaErrorUnknown = 999
} cudaError_t;
typedef enum {
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3
} cudaMemcpyKind;
typedef enum {
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMultiProcessorCount = 16
} cudaDeviceAttr;
enum { cudaHostRegisterPortable = 1 };
enum { cudaStreamNonBlocking = 1, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2 };
enum {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 14
};
typedef struct emu_stream *cudaStream_t;
typedef struct emu_stream *cudaEvent_t;
struct cudaDeviceProp {
    char name[256];
};
struct cudaFuncAttributes {
    int dummy;
};

cudaError_t cudaSetDevice(int d);
cudaError_t cudaGetDevice(int *d);
cudaError_t cudaGetDeviceCount(int *n);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int d);
cudaError_t cudaDeviceGetAttribute(int *v, cudaDeviceAttr a, int d);
cudaError_t cudaMemGetInfo(size_t *avail, size_t *total);
cudaError_t cudaDriverGetVersion(int *v);
cudaError_t cudaRuntimeGetVersion(int *v);
cudaError_t cudaGetLastError(void);
const char *cudaGetErrorString(cudaError_t e);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t emu_malloc(void **p, size_t bytes, int host);
cudaError_t cudaFree(void *p);
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *p);
template <class T> cudaError_t cudaMalloc(T **p, size_t n)
{
    return emu_malloc((void **)p, n, 0);
}
template <class T> cudaError_t cudaMallocHost(T **p, size_t n)
{
    return emu_malloc((void **)p, n, 1);
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, cudaMemcpyKind kind,
                            cudaStream_t s);
cudaError_t cudaMemcpy(void *to, const void *from, size_t n, cudaMemcpyKind kind);
cudaError_t cudaMemcpyPeerAsync(void *to, int dto, const void *from, int dfrom, size_t n,
                                cudaStream_t s);
cudaError_t cudaMemsetAsync(void *p, int v, size_t n, cudaStream_t s);
cudaError_t cudaMemset(void *p, int v, size_t n);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned flags, int priority);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t s);
cudaError_t cudaStreamSynchronize(cudaStream_t s);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t e);
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s);
cudaError_t cudaEventSynchronize(cudaEvent_t e);
template <class F> cudaError_t cudaFuncSetAttribute(F *, int, int)
{
    return cudaSuccess;
}
template <class F>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, F *, int, size_t)
{
    *n = 1;
    return cudaSuccess;
}
template <class F> cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *, F *)
{
    return cudaSuccess;
}

/*
 * ---- launches: kernel<<<grid, block, shared, stream>>>(args). together: blocks that run at once,
 * 0 where they need not.
 */
void emu_check(const void *arg, size_t bytes, cudaStream_t s);
cudaError_t emu_run(dim3 grid, dim3 block, size_t shared, unsigned together,
                    const std::function<void()> &body);
struct emu_cfg {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    emu_cfg(dim3 g, dim3 b, size_t s = 0, cudaStream_t st = nullptr)
        : grid(g), block(b), shared(s), stream(st)
    {
    }
    template <class K, class... A> void go(K kernel, A... args)
    {
        emu_check(nullptr, 0, stream);
        (emu_check(&args, sizeof args, stream), ...);
        emu_run(grid, block, shared, 0, [&] { kernel(args...); });
    }
};

/* By address: emu.sed makes `(const void *)kernel<...>` an emu_kernel, which keeps how to call
 * it. */
struct emu_known {
    std::function<void(void **)> call;
    std::function<void(void **, cudaStream_t)> check;
};
const void *emu_keep(const void *kernel, const struct emu_known &how);
template <class... A, size_t... K>
const void *emu_know(void (*kernel)(A...), std::index_sequence<K...>)
{
    return emu_keep((const void *)kernel, {[=](void **args) { kernel(*(A *)args[K]...); },
                                           [=](void **args, cudaStream_t s) {
                                               (emu_check(args[K], sizeof(A), s), ...);
                                           }});
}
template <class... A> const void *emu_kernel(void (*kernel)(A...))
{
    return emu_know(kernel, std::index_sequence_for<A...>());
}

enum cudaLaunchAttributeID { cudaLaunchAttributeClusterDimension = 4 };
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    struct {
        uint3 clusterDim;
    } val;
};
struct cudaLaunchConfig_t {
    dim3 emu_gridDim, emu_blockDim; /* these names are macros */
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
};
cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **args,
                                        size_t shared, cudaStream_t s);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *kernel, void **args);
cudaError_t cudaOccupancyMaxActiveClusters(int *n, const void *kernel, const cudaLaunchConfig_t *c);

#endif
