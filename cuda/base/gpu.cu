/* SPDX-License-Identifier: MIT */
#include "base/gpu.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/engine.h"

/* A kernel that never runs. Its attributes show whether the program has code for a device. */
__global__ void gpu_probe_kernel(int *p)
{
    if (p)
        *p = 1;
}

int gpu_tried(struct err *e, const char *call, cudaError_t rc)
{
    if (rc == cudaSuccess)
        return 0;
    const char *hint = rc == cudaErrorMemoryAllocation     ? " (GPU memory is used up)"
                       : rc == cudaErrorDevicesUnavailable ? " (another program holds the GPU)"
                                                           : "";
    return err_set(e, rc == cudaErrorMemoryAllocation ? ERR_MEMORY : ERR_MACHINE, "%.200s: %s%s",
                   call, cudaGetErrorString(rc), hint);
}

/* Error of a probe that failed before reaching a device. */
static int probe_failed(cudaError_t rc, struct err *e)
{
    int driver = 0, runtime = 0;
    cudaRuntimeGetVersion(&runtime);
    if (rc == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess &&
        driver > 0)
        return err_set(e, ERR_MACHINE,
                       "no usable GPU: the driver supports CUDA %d.%d, this program needs %d.%d",
                       driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    if (rc == cudaErrorInsufficientDriver)
        return err_set(e, ERR_MACHINE, "no usable GPU: no NVIDIA driver was found");
    return err_set(e, ERR_MACHINE, "no usable GPU: %s", cudaGetErrorString(rc));
}

static int parse_list(const char *s, int count, int *list, struct err *e)
{
    int n = 0;
    for (const char *p = s;; p++) {
        char *end;
        long v = *p >= '0' && *p <= '9' ? strtol(p, &end, 10) : -1;
        if (v < 0 || (*end && *end != ',') || n == GPU_MAX_DEVICES)
            return err_bad(e, "devices: expected all or a list such as 0,2, found %.60s", s);
        if (v >= count)
            return err_set(
                e, ERR_MACHINE,
                "device %ld does not exist: %d devices are visible, and they are counted from 0", v,
                count);
        list[n++] = (int)v;
        if (!*end)
            return n;
        p = end;
    }
}

/* Returns a description such as "NVIDIA H200, CUDA 13.0". The next call overwrites it. */
static const char *gpu_name(int device)
{
    static char text[320];
    struct cudaDeviceProp prop;
    int v = 0;
    if (cudaGetDeviceProperties(&prop, device) != cudaSuccess ||
        cudaRuntimeGetVersion(&v) != cudaSuccess)
        return "no usable GPU";
    snprintf(text, sizeof text, "%s, CUDA %d.%d", prop.name, v / 1000, v % 1000 / 10);
    return text;
}

int gpu_probe(const char *devices, int *list, struct err *e)
{
    int mine[GPU_MAX_DEVICES], count = 0, n;
    /* If kernels are loaded when they are first launched, the first launch on a device waits for
     * the kernels that are running, even on other devices. */
    if (devices && (strchr(devices, ',') || !strcmp(devices, "all")))
        setenv("CUDA_MODULE_LOADING", "EAGER", 0);
    cudaError_t rc = cudaGetDeviceCount(&count);
    if (rc != cudaSuccess)
        return probe_failed(rc, e);
    if (count < 1)
        return probe_failed(cudaErrorNoDevice, e);
    if (!devices || !*devices) {
        mine[0] = 0;
        n = 1;
    } else if (!strcmp(devices, "all")) {
        for (n = 0; n < count && n < GPU_MAX_DEVICES; n++)
            mine[n] = n;
    } else if ((n = parse_list(devices, count, mine, e)) < 0) {
        return -1;
    }
    for (int k = n - 1; k >= 0; k--) { /* the first device is last, so it stays current */
        struct cudaFuncAttributes a;
        if ((rc = cudaSetDevice(mine[k])) != cudaSuccess || (rc = cudaFree(0)) != cudaSuccess ||
            (rc = cudaFuncGetAttributes(&a, gpu_probe_kernel)) != cudaSuccess)
            return err_set(e, ERR_MACHINE, "GPU %d (%s) cannot be used: %s", mine[k],
                           gpu_name(mine[k]), cudaGetErrorString(rc));
    }
    if (list)
        memcpy(list, mine, sizeof(int) * (size_t)n);
    return n;
}

const char *engine_name(void)
{
    int device = 0;
    return cudaGetDevice(&device) == cudaSuccess ? gpu_name(device) : "no usable GPU";
}

int engine_probe(const char *devices, struct err *e)
{
    return gpu_probe(devices, NULL, e);
}

int gpu_free_bytes(struct err *e, size_t *avail)
{
    size_t total;
    *avail = 0;
    return TRY(e, cudaMemGetInfo(avail, &total));
}

size_t gpu_mul(size_t a, size_t b)
{
    size_t c;
    return __builtin_mul_overflow(a, b, &c) || a == SIZE_MAX || b == SIZE_MAX ? SIZE_MAX : c;
}

size_t gpu_add(size_t a, size_t b)
{
    size_t c;
    return __builtin_add_overflow(a, b, &c) ? SIZE_MAX : c;
}

/* Pinned memory of this process, in use or kept for the next request of the same size. */
static struct kept {
    void *p;
    size_t bytes;
    bool used, mapped; /* mapped: mapped by map_pinned() */
} kept[256];
static pthread_mutex_t keeping = PTHREAD_MUTEX_INITIALIZER;

/* Returns kept memory of at least `bytes` bytes and at most twice that, or NULL. */
static void *take_kept(size_t bytes)
{
    struct kept *best = NULL;
    pthread_mutex_lock(&keeping);
    for (struct kept &k : kept)
        if (k.p && !k.used && k.bytes >= bytes && k.bytes / 2 <= bytes &&
            (!best || k.bytes < best->bytes))
            best = &k;
    if (best)
        best->used = true;
    pthread_mutex_unlock(&keeping);
    return best ? best->p : NULL;
}

#define MAPPED_MIN ((size_t)4 << 20)
#define HUGE_PAGE ((size_t)2 << 20)

static void touch(void *ctx, size_t from, size_t to, int thread)
{
    (void)thread;
    memset((char *)ctx + from, 0, to - from);
}

/* Works like cudaMallocHost, but fills pages with several threads, which takes 0.06 s per GB
 * instead of 0.4 s. */
static cudaError_t map_pinned(void **p, size_t bytes)
{
    size_t capacity = gpu_add(bytes, HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    *p = capacity < bytes ? NULL : aligned_alloc(HUGE_PAGE, capacity);
    if (!*p)
        return cudaErrorMemoryAllocation;
    (void)madvise(*p, capacity, MADV_HUGEPAGE);
    struct pool *pool = pool_new(8);
    pool_pieces(pool, touch, *p, capacity, HUGE_PAGE);
    pool_free(pool);
    cudaError_t rc = cudaHostRegister(*p, capacity, cudaHostRegisterPortable);
    if (rc != cudaSuccess) {
        free(*p);
        *p = NULL;
    }
    return rc;
}

static void drop(struct kept *k)
{
    if (k->mapped) {
        cudaHostUnregister(k->p);
        free(k->p);
    } else {
        cudaFreeHost(k->p);
    }
    *k = {};
}

/* Releases all kept memory, because memory is short. */
static void drop_kept(void)
{
    pthread_mutex_lock(&keeping);
    for (struct kept &k : kept)
        if (k.p && !k.used)
            drop(&k);
    pthread_mutex_unlock(&keeping);
}

/* Records new memory at p as in use. Returns 0, or -1 if there is no entry left. */
static int keep(void *p, size_t bytes, bool mapped)
{
    struct kept *place = NULL;
    pthread_mutex_lock(&keeping);
    for (struct kept &k : kept)
        if (!k.p)
            place = &k;
    if (place)
        *place = {p, bytes, true, mapped};
    pthread_mutex_unlock(&keeping);
    return place ? 0 : -1;
}

void gpu_free_host(void *p)
{
    bool found = !p;
    pthread_mutex_lock(&keeping);
    for (struct kept &k : kept)
        if (p && k.p == p) {
            k.used = false;
            found = true;
        }
    pthread_mutex_unlock(&keeping);
    if (!found) /* all entries are in use */
        cudaFreeHost(p);
}

static cudaError_t pin(void **p, size_t bytes)
{
    if ((*p = take_kept(bytes)))
        return cudaSuccess;
    for (int again = 0; again < 2; again++) {
        struct kept made = {NULL, bytes, false, true};
        if (bytes >= MAPPED_MIN && map_pinned(&made.p, bytes) == cudaSuccess) {
            if (keep(made.p, bytes, true) == 0) {
                *p = made.p;
                return cudaSuccess;
            }
            drop(&made);
        }
        if (cudaMallocHost(p, bytes) == cudaSuccess) {
            (void)keep(*p, bytes, false);
            cudaGetLastError(); /* clears the error of map_pinned() */
            return cudaSuccess;
        }
        drop_kept();
    }
    return cudaErrorMemoryAllocation;
}

int gpu_alloc_any(struct err *e, void **p, size_t bytes, const char *what, int host)
{
    *p = NULL;
    if (!bytes)
        return 0;
    cudaError_t rc = host ? pin(p, bytes) : cudaMalloc(p, bytes);
    if (rc == cudaSuccess)
        return 0;
    cudaGetLastError(); /* a failed allocation leaves the device usable */
    *p = NULL;
    size_t avail;
    if (rc != cudaErrorMemoryAllocation)
        return gpu_tried(e, what, rc);
    if (gpu_free_bytes(e, &avail))
        return -1;
    return err_set(e, ERR_MEMORY,
                   "%s: %.1f MiB of %s could not be allocated (%.1f MiB of GPU memory free): %s",
                   what, (double)bytes / 1048576, host ? "pinned host memory" : "GPU memory",
                   (double)avail / 1048576, cudaGetErrorString(rc));
}

struct fill {
    char *to;
    const char *from;
};

static void fill_piece(void *ctx, size_t from, size_t to, int thread)
{
    const struct fill *f = (const struct fill *)ctx;
    (void)thread;
    memcpy(f->to + from, f->from + from, to - from);
}

void gpu_fill(struct pool *pool, void *to, const void *from, size_t bytes)
{
    struct fill f = {(char *)to, (const char *)from};
    size_t piece = (size_t)256 << 10;
    pool_pieces(pool, fill_piece, &f, bytes, bytes < 2 * piece ? bytes + 1 : piece);
}

int gpu_pair_open(struct err *e, struct gpu_pair *p, size_t bytes)
{
    memset(p, 0, sizeof *p);
    p->bytes = bytes;
    for (int k = 0; k < 2; k++) {
        if (gpu_alloc_host(e, &p->host[k], bytes, "input buffer"))
            return -1;
        if (TRY(e, cudaEventCreateWithFlags(&p->copied[k], cudaEventDisableTiming)))
            return -1;
    }
    return 0;
}

void *gpu_pair_next(struct err *e, struct gpu_pair *p)
{
    /* returns at once for an event that was never recorded */
    int bad =
        gpu_tried(e, "waiting for a copy to the GPU", cudaEventSynchronize(p->copied[p->turn]));
    return bad ? NULL : p->host[p->turn];
}

int gpu_pair_copy(struct err *e, struct gpu_pair *p, void *d_dst, size_t bytes, cudaStream_t stream)
{
    if (TRY(e, cudaMemcpyAsync(d_dst, p->host[p->turn], bytes, cudaMemcpyHostToDevice, stream)) ||
        TRY(e, cudaEventRecord(p->copied[p->turn], stream)))
        return -1;
    p->turn ^= 1;
    return 0;
}

void gpu_pair_close(struct gpu_pair *p)
{
    for (int k = 0; k < 2; k++) {
        gpu_free_host(p->host[k]);
        if (p->copied[k])
            cudaEventDestroy(p->copied[k]);
    }
    memset(p, 0, sizeof *p);
}
