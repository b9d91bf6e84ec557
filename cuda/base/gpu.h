/* SPDX-License-Identifier: MIT */
/* gpu.h: functions that all CUDA engines share. The functions select and check devices, report
 * errors, and allocate memory and pinned double buffers.
 *
 * All functions run on the host and report failures in a struct err. Each engine defines its own
 * kernels. */
#pragma once

#include <cuda_runtime.h>
#include <stddef.h>

#include "base/err.h"
#include "base/pool.h"

#define GPU_MAX_DEVICES 64

/* Returns 0 if a call of the CUDA runtime succeeds. If a call of the CUDA runtime fails, returns -1
 * and sets *e to "call: error string" with the status ERR_MACHINE or ERR_MEMORY. Example:
 *     if (TRY(e, cudaMemcpy(...)))
 *         return -1; */
#define TRY(e, call) gpu_tried((e), #call, (call))

/* Checks whether the kernel named `name` was launched without an error. */
#define TRY_LAUNCH(e, name) gpu_tried((e), (name), cudaGetLastError())

int gpu_tried(struct err *e, const char *call, cudaError_t rc);

/* Finds the devices to use. The argument `devices` is NULL or "" for device 0, "all" for all
 * visible devices, or a list such as "0,2". Device numbers follow CUDA_VISIBLE_DEVICES. A device
 * that is listed twice gets two engines. Creates a context on each device and checks that the
 * program contains code for the device. Unless `list` is NULL, stores the device numbers in the
 * array `list` of GPU_MAX_DEVICES elements. Returns the number of devices. Returns -1 with the
 * status ERR_MACHINE and an error message in e if the driver is missing or too old, a device does
 * not exist, or the program has no code for a device. The first call of this function starts the
 * CUDA runtime. */
int gpu_probe(const char *devices, int *list, struct err *e);

/* Sets *avail to the free memory of the current device in bytes. Returns 0 or -1. */
int gpu_free_bytes(struct err *e, size_t *avail);

/* The functions gpu_mul and gpu_add return the product and the sum of a and b, or SIZE_MAX if an
 * operand is SIZE_MAX or the result overflows. */
size_t gpu_mul(size_t a, size_t b);
size_t gpu_add(size_t a, size_t b);

/* The following functions allocate device memory and pinned host memory. The text `what` names the
 * purpose of the memory, for error messages. If `bytes` is 0, *p is set to NULL. They return 0 or
 * -1. */
int gpu_alloc_any(struct err *e, void **p, size_t bytes, const char *what, int host);
template <class T> int gpu_alloc(struct err *e, T **p, size_t bytes, const char *what)
{
    return gpu_alloc_any(e, (void **)p, bytes, what, 0);
}
template <class T> int gpu_alloc_host(struct err *e, T **p, size_t bytes, const char *what)
{
    return gpu_alloc_any(e, (void **)p, bytes, what, 1);
}
/* Releases pinned memory, which is kept for the next engine of this process. NULL is allowed. */
void gpu_free_host(void *p);

/* Copies memory with the threads of a pool, because one core cannot copy as fast as a GPU reads. If
 * `pool` is NULL, the calling thread copies. */
#define GPU_COPY_THREADS 4 /* largest number of threads; with eight, copying is not faster */
void gpu_fill(struct pool *pool, void *to, const void *from, size_t bytes);

/* Two pinned buffers: the host fills one buffer while the device copies the other. The
 * function gpu_pair_next waits until the next buffer is free and returns this buffer, or returns
 * NULL with an error message in e. The function gpu_pair_copy copies `bytes` bytes of the filled
 * buffer to the device and switches buffers. */
struct gpu_pair {
    void *host[2];
    cudaEvent_t copied[2];
    int turn;
    size_t bytes;
};
int gpu_pair_open(struct err *e, struct gpu_pair *p, size_t bytes);
void *gpu_pair_next(struct err *e, struct gpu_pair *p);
int gpu_pair_copy(struct err *e, struct gpu_pair *p, void *d_dst, size_t bytes,
                  cudaStream_t stream);
void gpu_pair_close(struct gpu_pair *p);
