// SPDX-License-Identifier: MIT
// emu.cc: fibers, memory with owners, and the few runtime calls that the engines make. See cuda_runtime.h.
#include "cuda_runtime.h"

#include <sys/mman.h>

#include <map>
#include <vector>

#include "../unit/nth.h"

#define STACK (256 << 10)
#define WARP 32

// ---- faults: the n-th allocation, launch or call fails, as nth.c says under the descriptor NTH_FD

static struct nth *faults;
static cudaError_t failed_launch; // until it is asked for

__attribute__((constructor)) static void begin_faults()
{
    const char *fd = getenv("NTH_FD");
    void *p = fd ? mmap(nullptr, sizeof *faults, PROT_READ | PROT_WRITE, MAP_SHARED, atoi(fd), 0)
                 : MAP_FAILED;
    if (p != MAP_FAILED)
        faults = (struct nth *)p;
}

static cudaError_t fault(enum nth_kind kind)
{
    if (!faults || (faults->kind != kind && faults->kind != NTH_GPU_CALL))
        return cudaSuccess;
    long k = __atomic_add_fetch(&faults->seen, 1, __ATOMIC_RELAXED);
    if (k != faults->at && !(k > faults->at && faults->for_good))
        return cudaSuccess;
    return faults->kind == NTH_GPU_MALLOC   ? cudaErrorMemoryAllocation
           : faults->kind == NTH_GPU_LAUNCH ? cudaErrorLaunchFailure
                                            : cudaErrorUnknown;
}
#define FAULT(kind)                                                                                \
    if (cudaError_t rc = fault(kind))                                                              \
    return rc

// ---- fibers

struct fiber {
    emu_thread id;
    void *sp;
    bool done;
    unsigned long exchanges, barriers; // how many it has come to
};
struct warp {
    unsigned long arrived[2]; // of the exchange of each parity, counted on
    char data[2][WARP * EMU_BRING];
};
struct block_run {
    std::vector<fiber> fibers;
    std::vector<warp> warps;
    const std::function<void()> *body;
    void *scheduler;
    unsigned long waiting, barrier; // at the barrier that is not yet passed
    size_t alive;
};

emu_thread *emu_now;
static block_run *run;
static fiber *self;
static std::vector<char> dynamic;
static char *stacks; // touched as far as they are used

void emu_die(const char *what)
{
    fprintf(stderr, "emulated GPU: %s\n", what);
    fflush(stderr);
    _Exit(70);
}

// Save what a call must keep on this stack, go on where the other one was saved.
extern "C" void emu_switch(void **from, void *to);
asm(".text\n.globl emu_switch\n.type emu_switch,@function\nemu_switch:\n"
    "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
    "mov %rsp,(%rdi)\nmov %rsi,%rsp\n"
    "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n"
    ".size emu_switch,.-emu_switch\n.section .note.GNU-stack,\"\",@progbits\n.text\n");

static void yield()
{
    fiber *f = self;
    emu_switch(&f->sp, run->scheduler);
    self = f;
    emu_now = &f->id;
}

static void release_barrier()
{
    if (run->waiting == run->alive) {
        run->waiting = 0;
        run->barrier++;
    }
}

static void enter()
{
    (*run->body)();
    self->done = true;
    run->alive--;
    release_barrier();
    yield();
}

const char *emu_exchange(const void *mine, size_t bytes)
{
    size_t n = (size_t)(self - &run->fibers[0]), lanes = run->fibers.size() - n / WARP * WARP;
    warp &w = run->warps[n / WARP];
    unsigned long turn = self->exchanges++;
    lanes = lanes < WARP ? lanes : WARP;
    memcpy(w.data[turn & 1] + n % WARP * EMU_BRING, mine, bytes);
    w.arrived[turn & 1]++;
    while (w.arrived[turn & 1] < lanes * (turn / 2 + 1))
        yield();
    return w.data[turn & 1];
}

void emu_barrier()
{
    unsigned long turn = run->barrier;
    run->waiting++;
    release_barrier();
    while (run->barrier == turn)
        yield();
}

void *emu_dynamic()
{
    return (void *)(((uintptr_t)dynamic.data() + 255) / 256 * 256);
}

static void start_fiber(fiber &f, size_t k)
{
    uintptr_t top = ((uintptr_t)stacks + (k + 1) * STACK) & ~(uintptr_t)63;
    void **sp = (void **)top;
    *--sp = nullptr; // alignment: the stack is 8 off 16 on entry
    *--sp = (void *)enter;
    for (int r = 0; r < 6; r++)
        *--sp = nullptr;
    f.sp = sp;
}

static void run_block()
{
    for (size_t k = 0; k < run->fibers.size(); k++)
        start_fiber(run->fibers[k], k);
    while (run->alive) {
        unsigned long before = 0, after = 0;
        for (fiber &f : run->fibers)
            before += f.exchanges + f.done;
        before += run->barrier * 1000003ul + run->waiting;
        for (fiber &f : run->fibers) {
            if (f.done)
                continue;
            self = &f;
            emu_now = &f.id;
            emu_switch(&run->scheduler, f.sp);
        }
        for (fiber &f : run->fibers)
            after += f.exchanges + f.done;
        after += run->barrier * 1000003ul + run->waiting;
        if (before == after)
            emu_die("threads wait for each other: a shuffle or barrier that not all reach");
    }
}

void emu_run(dim3 grid, dim3 block, size_t shared, const std::function<void()> &body)
{
    if (cudaError_t rc = fault(NTH_GPU_LAUNCH)) {
        failed_launch = rc;
        return;
    }
    size_t n = (size_t)block.x * block.y * block.z;
    if (n == 0 || n > 1024 || !grid.x || !grid.y || !grid.z || grid.y > 65535 || grid.z > 65535)
        emu_die("a launch with an impossible shape");
    if (!stacks)
        stacks = (char *)mmap(nullptr, (size_t)1024 * STACK, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED)
        emu_die("no room for stacks");
    for (unsigned z = 0; z < grid.z; z++)
        for (unsigned y = 0; y < grid.y; y++)
            for (unsigned x = 0; x < grid.x; x++) {
                block_run r = {};
                r.fibers.resize(n);
                r.warps.resize((n + WARP - 1) / WARP);
                r.body = &body;
                r.alive = n;
                dynamic.assign(shared + 512, (char)0xff);
                for (size_t k = 0; k < n; k++) {
                    emu_thread &t = r.fibers[k].id;
                    t.thread = {(unsigned)(k % block.x), (unsigned)(k / block.x % block.y),
                                (unsigned)(k / block.x / block.y)};
                    t.block = {x, y, z};
                    t.nthreads = block;
                    t.nblocks = grid;
                }
                run = &r;
                run_block();
            }
    run = nullptr;
    emu_now = nullptr;
}

// ---- memory and devices

struct owned {
    size_t bytes;
    int device; // -1: host
};
struct emu_stream {
    int device;
};
static std::map<uintptr_t, owned> memory;
static int current;

static int devices()
{
    const char *s = getenv("EMU_DEVICES");
    return s ? atoi(s) : 1;
}

static const owned *owner(const void *p, size_t bytes)
{
    auto it = memory.upper_bound((uintptr_t)p);
    if (it == memory.begin())
        return nullptr;
    --it;
    if ((uintptr_t)p >= it->first + it->second.bytes)
        return nullptr;
    if ((uintptr_t)p + bytes > it->first + it->second.bytes)
        emu_die("a copy past the end of an allocation");
    return &it->second;
}

static void want_device(const void *p, size_t bytes)
{
    const owned *o = owner(p, bytes);
    if (!o || o->device < 0)
        emu_die("host memory where device memory is wanted");
    if (o->device != current)
        emu_die("memory of another device");
}

static void want_host(const void *p, size_t bytes)
{
    const owned *o = owner(p, bytes);
    if (o && o->device >= 0)
        emu_die("device memory where host memory is wanted");
}

// A launch: its stream, and every word of its arguments that points into some device's memory.
void emu_check(const void *arg, size_t bytes, cudaStream_t s)
{
    if (s && s->device != current)
        emu_die("a launch into a stream of another device");
    for (size_t k = 0; arg && k + 8 <= bytes; k += 8) {
        void *p;
        memcpy(&p, (const char *)arg + k, 8);
        const owned *o = owner(p, 0);
        if (o && o->device != current && o->device >= 0)
            emu_die("a launch with memory of another device");
    }
}

cudaError_t emu_malloc(void **p, size_t bytes, int host)
{
    FAULT(NTH_GPU_MALLOC);
    *p = aligned_alloc(256, (bytes + 511) / 256 * 256);
    if (!*p)
        return cudaErrorMemoryAllocation;
    memset(*p, 0xff, bytes);
    memory[(uintptr_t)*p] = {bytes, host ? -1 : current};
    return cudaSuccess;
}

cudaError_t cudaFree(void *p)
{
    FAULT(NTH_GPU_CALL);
    if (p && !memory.erase((uintptr_t)p))
        emu_die("freeing what was not allocated");
    free(p);
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void *p)
{
    return cudaFree(p);
}

cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned)
{
    memset(p, 0xff, bytes);
    memory[(uintptr_t)p] = {bytes, -1};
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *p)
{
    if (!memory.erase((uintptr_t)p))
        emu_die("what was not registered is no longer to be");
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, cudaMemcpyKind kind,
                            cudaStream_t s)
{
    FAULT(NTH_GPU_CALL);
    emu_check(nullptr, 0, s);
    kind == cudaMemcpyDeviceToHost ? want_host(to, n) : want_device(to, n);
    kind == cudaMemcpyHostToDevice ? want_host(from, n) : want_device(from, n);
    memcpy(to, from, n);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t n, cudaMemcpyKind kind)
{
    return cudaMemcpyAsync(to, from, n, kind, nullptr);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int dto, const void *from, int dfrom, size_t n,
                                cudaStream_t s)
{
    FAULT(NTH_GPU_CALL);
    const owned *a = owner(to, n), *b = owner(from, n);
    emu_check(nullptr, 0, s);
    if (!a || !b || a->device != dto || b->device != dfrom)
        emu_die("a copy between devices that do not own the memory");
    memmove(to, from, n);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *p, int v, size_t n, cudaStream_t s)
{
    FAULT(NTH_GPU_CALL);
    emu_check(nullptr, 0, s);
    want_device(p, n);
    memset(p, v, n);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *p, int v, size_t n)
{
    return cudaMemsetAsync(p, v, n, nullptr);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned)
{
    FAULT(NTH_GPU_CALL);
    *s = new emu_stream{current};
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    FAULT(NTH_GPU_CALL);
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned flags, int priority)
{
    if (priority > 0 || priority < -5)
        emu_die("a priority that the device does not have");
    return cudaStreamCreateWithFlags(s, flags);
}

cudaError_t cudaStreamDestroy(cudaStream_t s)
{
    FAULT(NTH_GPU_CALL);
    delete s;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    FAULT(NTH_GPU_CALL);
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned)
{
    return cudaStreamCreateWithFlags(e, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    return cudaStreamDestroy(e);
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
    FAULT(NTH_GPU_CALL);
    if (s && e->device != s->device)
        emu_die("an event of another device than its stream");
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned)
{
    FAULT(NTH_GPU_CALL);
    if (!s || !e)
        emu_die("waiting for no event, or on no stream");
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t)
{
    FAULT(NTH_GPU_CALL);
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int d)
{
    FAULT(NTH_GPU_CALL);
    if (d < 0 || d >= devices())
        return cudaErrorInvalidDevice;
    current = d;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *d)
{
    FAULT(NTH_GPU_CALL);
    *d = current;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *n)
{
    FAULT(NTH_GPU_CALL);
    *n = devices();
    return *n ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int d)
{
    FAULT(NTH_GPU_CALL);
    snprintf(p->name, sizeof p->name, "emulated GPU %d", d);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *v, cudaDeviceAttr a, int)
{
    FAULT(NTH_GPU_CALL);
    const char *shared = getenv("EMU_SHARED"); /* KiB of a block */
    *v = a == cudaDevAttrComputeCapabilityMajor ? 9
         : a == cudaDevAttrMultiProcessorCount  ? 4
                                                : (shared ? atoi(shared) : 227) << 10;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *avail, size_t *total)
{
    FAULT(NTH_GPU_CALL);
    *avail = *total = (size_t)4 << 30;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *v)
{
    *v = 13000;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *v)
{
    return cudaDriverGetVersion(v);
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t rc = failed_launch;
    failed_launch = cudaSuccess;
    return rc;
}

cudaError_t cudaDeviceSynchronize(void)
{
    FAULT(NTH_GPU_CALL);
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t e)
{
    return e == cudaErrorNoDevice           ? "no CUDA-capable device is detected"
           : e == cudaErrorInvalidDevice    ? "invalid device ordinal"
           : e == cudaErrorMemoryAllocation ? "out of memory"
           : e == cudaErrorLaunchFailure    ? "unspecified launch failure"
                                            : "unknown error";
}
