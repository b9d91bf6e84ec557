/* SPDX-License-Identifier: MIT */
/*
 * preload_gpu.c: imitates a GPU whose n-th allocation, launch or call fails, once or from then on,
 * for LD_PRELOAD. The statically linked cudart asks the driver for its functions by name, and gets
 * them from this file. Memory shared with nth.c, with the descriptor NTH_FD, states what fails and
 * when.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nth.h"

enum { OUT_OF_MEMORY = 2, UNKNOWN = 999, LAUNCH_FAILED = 719, SLOTS = 128 }; /* CUresult */

/* The functions of the driver that a run may call. Some of them are allocations or launches. */
static const struct {
    const char *name;
    enum nth_kind kind;
} CALLS[] = {{"cuMemAlloc", NTH_GPU_MALLOC},
             {"cuMemAllocHost", NTH_GPU_MALLOC},
             {"cuMemHostAlloc", NTH_GPU_MALLOC},
             {"cuMemAllocPitch", NTH_GPU_MALLOC},
             {"cuLaunchKernel", NTH_GPU_LAUNCH},
             {"cuLaunchKernelEx", NTH_GPU_LAUNCH},
             {"cuLaunchCooperativeKernel", NTH_GPU_LAUNCH},
             {"cuGraphLaunch", NTH_GPU_LAUNCH},
             {"cuInit", NTH_GPU_CALL},
             {"cuDevicePrimaryCtxRetain", NTH_GPU_CALL},
             {"cuCtxSetCurrent", NTH_GPU_CALL},
             {"cuCtxSynchronize", NTH_GPU_CALL},
             {"cuModuleLoadData", NTH_GPU_CALL},
             {"cuModuleGetFunction", NTH_GPU_CALL},
             {"cuLibraryLoadData", NTH_GPU_CALL},
             {"cuLibraryGetModule", NTH_GPU_CALL},
             {"cuLibraryGetKernel", NTH_GPU_CALL},
             {"cuKernelGetFunction", NTH_GPU_CALL},
             {"cuFuncSetAttribute", NTH_GPU_CALL},
             {"cuFuncGetAttribute", NTH_GPU_CALL},
             {"cuKernelSetAttribute", NTH_GPU_CALL},
             {"cuKernelGetAttribute", NTH_GPU_CALL},
             {"cuMemGetInfo", NTH_GPU_CALL},
             {"cuMemFree", NTH_GPU_CALL},
             {"cuMemFreeHost", NTH_GPU_CALL},
             {"cuMemcpy", NTH_GPU_CALL},
             {"cuMemcpyAsync", NTH_GPU_CALL},
             {"cuMemcpyHtoD", NTH_GPU_CALL},
             {"cuMemcpyDtoH", NTH_GPU_CALL},
             {"cuMemcpyDtoD", NTH_GPU_CALL},
             {"cuMemcpyHtoDAsync", NTH_GPU_CALL},
             {"cuMemcpyDtoHAsync", NTH_GPU_CALL},
             {"cuMemcpyDtoDAsync", NTH_GPU_CALL},
             {"cuMemcpyPeerAsync", NTH_GPU_CALL},
             {"cuMemsetD8", NTH_GPU_CALL},
             {"cuMemsetD32", NTH_GPU_CALL},
             {"cuMemsetD8Async", NTH_GPU_CALL},
             {"cuMemsetD32Async", NTH_GPU_CALL},
             {"cuStreamCreate", NTH_GPU_CALL},
             {"cuStreamCreateWithPriority", NTH_GPU_CALL},
             {"cuStreamSynchronize", NTH_GPU_CALL},
             {"cuStreamWaitEvent", NTH_GPU_CALL},
             {"cuStreamBeginCapture", NTH_GPU_CALL},
             {"cuStreamEndCapture", NTH_GPU_CALL},
             {"cuGraphInstantiate", NTH_GPU_CALL},
             {"cuGraphInstantiateWithFlags", NTH_GPU_CALL},
             {"cuEventCreate", NTH_GPU_CALL},
             {"cuEventRecord", NTH_GPU_CALL},
             {"cuEventSynchronize", NTH_GPU_CALL},
             {"cuOccupancyMaxActiveBlocksPerMultiprocessor", NTH_GPU_CALL},
             {"cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", NTH_GPU_CALL}};

typedef int driver_call(long, long, long, long, long, long, long, long, long, long, long, long);
static struct {
    driver_call *real;
    const char *name;
    enum nth_kind kind;
} slot[SLOTS];
static int nslots;
static struct nth *shared; /* NULL before main */

__attribute__((constructor)) static void begin(void)
{
    const char *fd = getenv("NTH_FD");
    void *p = fd ? mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, atoi(fd), 0)
                 : MAP_FAILED;
    if (p != MAP_FAILED)
        shared = p;
}

/* With NTH_TRACE, prints a line on stderr for each call. */
static int fails(const char *name, enum nth_kind kind)
{
    if (getenv("NTH_TRACE"))
        fprintf(stderr, "NTH %s\n", name);
    if (!shared || (shared->kind != (int)kind && shared->kind != NTH_GPU_CALL))
        return 0;
    long k = __atomic_add_fetch(&shared->seen, 1, __ATOMIC_RELAXED);
    if (k != shared->at && !(k > shared->at && shared->for_good))
        return 0;
    return shared->kind == NTH_GPU_MALLOC   ? OUT_OF_MEMORY
           : shared->kind == NTH_GPU_LAUNCH ? LAUNCH_FAILED
                                            : UNKNOWN;
}

/* Functions of the driver take integers and pointers. Twelve words suffice for the arguments of any
 * of them. */
#define WRAP(k)                                                                                    \
    static int wrap_##k(long a, long b, long c, long d, long e, long f, long g, long h, long i,    \
                        long j, long l, long m)                                                    \
    {                                                                                              \
        int rc = fails(slot[0x##k].name, slot[0x##k].kind);                                        \
        return rc ? rc : slot[0x##k].real(a, b, c, d, e, f, g, h, i, j, l, m);                     \
    }
/* clang-format off */
#define ROW(X, n) \
    X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9) \
    X(n##a) X(n##b) X(n##c) X(n##d) X(n##e) X(n##f)
/* clang-format on */
#define ALL(X) ROW(X, 0) ROW(X, 1) ROW(X, 2) ROW(X, 3) ROW(X, 4) ROW(X, 5) ROW(X, 6) ROW(X, 7)
ALL(WRAP)
#define NAME(k) wrap_##k,
static driver_call *const WRAPPED[SLOTS] = {ALL(NAME)};

static void *dressed(const char *name, void *real);

/* Both versions of cuGetProcAddress. The second one has one more argument. */
static driver_call *lookup;
static int look(long name, long pfn, long version, long flags, long how, long a, long b, long c,
                long d, long e, long f, long g)
{
    int rc = lookup(name, pfn, version, flags, how, a, b, c, d, e, f, g);
    void **p = (void **)pfn;
    if (rc == 0 && p && *p)
        *p = dressed((const char *)name, *p);
    return rc;
}

/* Returns the function that the program gets when it asks for a function of the driver. */
static void *dressed(const char *name, void *real)
{
    if (strncmp(name, "cuGetProcAddress", 16) == 0) {
        lookup = (driver_call *)real;
        return (void *)look;
    }
    for (size_t k = 0; k < sizeof CALLS / sizeof *CALLS; k++) {
        size_t n = strlen(CALLS[k].name);
        if (strncmp(name, CALLS[k].name, n) != 0 || (name[n] && name[n] != '_'))
            continue;
        for (int s = 0; s < nslots; s++)
            if (slot[s].real == (driver_call *)real)
                return (void *)WRAPPED[s];
        if (nslots == SLOTS)
            return real;
        slot[nslots].real = (driver_call *)real;
        slot[nslots].name = CALLS[k].name;
        slot[nslots].kind = CALLS[k].kind;
        return (void *)WRAPPED[nslots++];
    }
    return real;
}

void *dlsym(void *handle, const char *name)
{
    static void *(*real)(void *, const char *);
    if (!real)
        real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    if (!real)
        real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    void *p = real(handle, name);
    return p && strncmp(name, "cu", 2) == 0 ? dressed(name, p) : p;
}
