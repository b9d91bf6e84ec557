/* SPDX-License-Identifier: MIT */
/*
 * gpu.h: common services of the CUDA engines: device choice and probe, errors, memory, and pinned
 * double buffers.
 *
 * The functions do not print or exit; they report failures in a struct err. They are host code;
 * kernels belong to the engines. The interface has C linkage and plain structs.
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
 * Returns 0, or -1 with "call: error string" (ERR_MACHINE, ERR_MEMORY) in *e if a runtime call
 * fails. Example:
 *     if (TRY(e, cudaMemcpy(...)))
 *         return -1;
 */
#define TRY(e, call) gpu_tried((e), #call, (call))

/* Checks a kernel launch in the same way; name is the name of the kernel. */
#define TRY_LAUNCH(e, name) gpu_tried((e), (name), cudaGetLastError())

int gpu_tried(struct err *e, const char *call, cudaError_t rc);

/* Finds the devices to use. NULL or "" is device 0, "all" is every visible device, and a list "0,2"
 * names visible devices (see CUDA_VISIBLE_DEVICES). A device named twice gets two engines. Each
 * device gets a context, and the program is checked for code for it. Fills list[<= GPU_MAX_DEVICES]
 * (may be NULL) and returns the number of devices, or -1 and sets e (ERR_MACHINE): no driver,
 * driver too old, no device, no such device, or no code for it. The call starts CUDA, which takes
 * time. */
int gpu_probe(const char *devices, int *list, struct err *e);

/* Returns "NVIDIA H200, CUDA 13.0" for a device, or "no usable GPU", in static text that the next
 * call overwrites. */
const char *gpu_name(int device);

/* Gets the free bytes of the current device. Returns 0 or -1. */
int gpu_free_bytes(struct err *e, size_t *avail);

/* Return a * b and a + b, or SIZE_MAX on overflow or if an operand is SIZE_MAX. */
size_t gpu_mul(size_t a, size_t b);
size_t gpu_add(size_t a, size_t b);

/* Call cudaMalloc or cudaMallocHost; an error message names the purpose. bytes = 0 gives NULL.
 * Return 0 or -1. */
int gpu_alloc(struct err *e, void **p, size_t bytes, const char *what);
int gpu_alloc_host(struct err *e, void **p, size_t bytes, const char *what);
/* Releases pinned memory (NULL is allowed), which is kept for the next engine of this process. */
void gpu_free_host(void *p);

/* Copies memory with the threads of a pool (NULL: only the caller), because one core cannot keep up
 * with a GPU. */
#define GPU_COPY_THREADS 4 /* with eight threads, waking takes as long as copying a block */
void gpu_fill(struct pool *pool, void *to, const void *from, size_t bytes);

/* Two alternating pinned buffers: one is filled while the device copies the other. gpu_pair_next
 * waits until the next buffer has been copied and returns it, or NULL and sets e. gpu_pair_copy
 * sends the first bytes of the filled buffer to d_dst in stream and switches buffers. */
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
