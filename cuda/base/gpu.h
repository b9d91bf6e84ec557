/* SPDX-License-Identifier: MIT */
/*
 * gpu.h: what every CUDA engine needs: device choice and probe, errors, memory, pinned double
 * buffers.
 *
 * Nothing here prints or exits: a failure is a struct err. Host code only; kernels live in the
 * engines. C linkage, plain structs, no C++ in the interface.
 */
#ifndef MBF_GPU_H
#define MBF_GPU_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GPU_MAX_DEVICES 64

/*
 * 0, or -1 with "call: error string" (ERR_MACHINE, ERR_MEMORY) in *e when a runtime call fails:
 *     if (TRY(e, cudaMemcpy(...)))
 *         return -1;
 */
#define TRY(e, call) gpu_tried((e), #call, (call))

/* The same after a kernel launch: name is the kernel's. */
#define TRY_LAUNCH(e, name) gpu_tried((e), (name), cudaGetLastError())

int gpu_tried(struct err *e, const char *call, cudaError_t rc);

/*
 * The devices to use: NULL or "" is device 0, "all" every visible one, else a list "0,2" of visible
 * devices (CUDA_VISIBLE_DEVICES counts; a device may be named twice, which makes two engines on
 * it). Each gets its context and is asked whether this program has code for it. Fills list[<=
 * GPU_MAX_DEVICES] (may be NULL) and returns their number, or -1 with e (ERR_MACHINE): no driver,
 * driver too old, no device, no such device, no code for it. Costs the start of CUDA.
 */
int gpu_probe(const char *devices, int *list, struct err *e);

/*
 * "NVIDIA H200, CUDA 13.0" of a device, or "no usable GPU". Static text, overwritten by the next
 * call.
 */
const char *gpu_name(int device);

/* Bytes free on the current device. 0 or -1. */
int gpu_free_bytes(struct err *e, size_t *avail);

/* a * b, a + b: SIZE_MAX on overflow, and SIZE_MAX stays. */
size_t gpu_mul(size_t a, size_t b);
size_t gpu_add(size_t a, size_t b);

/* cudaMalloc / cudaMallocHost with a message that names the need. bytes 0 gives NULL. 0 or -1. */
int gpu_alloc(struct err *e, void **p, size_t bytes, const char *what);
int gpu_alloc_host(struct err *e, void **p, size_t bytes, const char *what);
/* Gives pinned memory back (NULL is allowed): it is kept for the next engine of this start. */
void gpu_free_host(void *p);

/* memcpy by the threads of a pool (NULL: alone): one core does not keep up with a GPU. */
#define GPU_COPY_THREADS 4 /* with eight, waking them takes as long as copying a block */
void gpu_fill(struct pool *pool, void *to, const void *from, size_t bytes);

/*
 * Two pinned buffers that take turns: fill one while the device copies the other. gpu_pair_next
 * waits until the buffer about to be filled has been copied and returns it (NULL: error in e);
 * gpu_pair_copy sends the first bytes of the buffer that was filled to d_dst in stream and changes
 * over.
 */
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

#ifdef __cplusplus
}
#endif
#endif
