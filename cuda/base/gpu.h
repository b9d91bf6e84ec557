/* SPDX-License-Identifier: MIT */
/* gpu.h: checks GPUs, reports CUDA errors and allocates memory, for all CUDA engines. */
#pragma once

#include <cuda_runtime.h>
#include <stddef.h>

#include "base/err.h"
#include "base/pool.h"

#define GPU_MAX_DEVICES 64

/* Returns 0 if a call of the CUDA runtime succeeds, or -1 and sets *e to "call: error string" with
 * the status ERR_MACHINE or ERR_MEMORY. Example:
 *     if (TRY(e, cudaMemcpy(...)))
 *         return -1; */
#define TRY(e, call) gpu_tried((e), #call, (call))

/* Returns 0 if the kernel `name` was launched without an error, or -1 and sets *e. */
#define TRY_LAUNCH(e, name) gpu_tried((e), (name), cudaGetLastError())

int gpu_tried(struct err *e, const char *call, cudaError_t rc);

/* The argument `devices` is NULL or "" for device 0, "all" for all visible devices, or a list such
 * as "0,2". Device numbers follow the environment variable CUDA_VISIBLE_DEVICES. A device that is
 * listed twice gets two engines. Creates a CUDA context on each of the devices, and stores their
 * numbers in list[GPU_MAX_DEVICES] unless `list` is NULL. Returns the number of devices. Returns -1
 * and sets *e with the status ERR_MACHINE if the driver is missing or too old, a device does not
 * exist, or the program contains no code for a device. The first call starts the CUDA runtime. */
int gpu_probe(const char *devices, int *list, struct err *e);

/* Sets *avail to the free memory in bytes of the current device. Returns 0 or -1. */
int gpu_free_bytes(struct err *e, size_t *avail);

/* Return the product and the sum of two sizes, or SIZE_MAX if an operand is SIZE_MAX or on
 * overflow. */
size_t gpu_mul(size_t a, size_t b);
size_t gpu_add(size_t a, size_t b);

/* Each function allocates device memory, or pinned host memory if `host` is set, and returns 0, or
 * -1 and sets *e. The text `what` names the memory in error messages. If `bytes` is 0, *p is set to
 * NULL. */
int gpu_alloc_any(struct err *e, void **p, size_t bytes, const char *what, int host);
template <class T> int gpu_alloc(struct err *e, T **p, size_t bytes, const char *what)
{
    return gpu_alloc_any(e, (void **)p, bytes, what, 0);
}
template <class T> int gpu_alloc_host(struct err *e, T **p, size_t bytes, const char *what)
{
    return gpu_alloc_any(e, (void **)p, bytes, what, 1);
}
/* Keeps the released pinned memory p for the next engine of this process. NULL is allowed. */
void gpu_free_host(void *p);

/* Copies host memory with several threads, because one core cannot copy as fast as a GPU reads. If
 * `pool` is NULL, the calling thread copies. */
#define GPU_COPY_THREADS 4 /* Eight are not faster with one device. */
void gpu_fill(struct pool *pool, void *to, const void *from, size_t bytes);

/* Two pinned buffers: the host fills one buffer while the device reads the other. The function
 * gpu_pair_next waits for a free buffer and returns the buffer, or returns NULL and sets *e. The
 * function gpu_pair_copy copies `bytes` bytes of the filled buffer to the device, and switches
 * buffers. */
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
