// SPDX-License-Identifier: MIT
// emu.cc: fibers, memory with owners, and the few runtime calls that the engines make. See cuda_runtime.h.
#include "cuda_runtime.h"

#include <sys/mman.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "../unit/nth.h"

#define STACK (256 << 10)
#define WARP 32

// ---- faults: the n-th allocation, launch or call fails, as nth.c says under the descriptor NTH_FD

static struct nth *faults;
static thread_local cudaError_t failed_launch; // until it is asked for

__attribute__((constructor)) static void begin_faults()
{
    const char *fd = getenv("NTH_FD");
    void *p = fd ? mmap(nullptr, sizeof *faults, PROT_READ | PROT_WRITE, MAP_SHARED, atoi(fd), 0)
                 : MAP_FAILED;
    if (p != MAP_FAILED)
        faults = (struct nth *)p;
}

static int setting(const char *name, int otherwise)
{
    const char *s = getenv(name);
    return s ? atoi(s) : otherwise;
}

// Threads of a block, and blocks that run at once, from the last to the first: what nobody ordered
// comes the other way round.
static bool backward()
{
    static const bool is = setting("EMU_BACKWARD", 0) != 0;
    return is;
}

static size_t device_shared()
{
    return (size_t)setting("EMU_SHARED", 227) << 10;
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
// Blocks that run at once, in threads of the host: the one whose turn it is.
struct side_by_side {
    std::mutex m;
    std::condition_variable turned;
    size_t turn, idle;    // idle: so many turns in a row brought nothing
    unsigned long synced; // blocks that came to a barrier of all, counted on
    std::vector<char> ended;
    std::vector<void *> dynamic;
};
struct block_run {
    std::vector<fiber> fibers;
    std::vector<warp> warps;
    std::vector<char> dynamic;
    const std::function<void()> *body;
    void *scheduler;
    char *stacks;
    unsigned long waiting, barrier; // at the barrier that is not yet passed
    int flag[2];                    // of the barrier of each parity
    size_t alive;
    struct side_by_side *all; // NULL: alone
    size_t rank;
    unsigned long syncs; // barriers of all blocks
    bool polls;          // somebody waits for another block
};

__thread emu_thread *emu_now;
static __thread block_run *run;
static __thread fiber *self;
static std::vector<char *>
    stacks; // of each block that runs at once; touched as far as they are used

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
        run->flag[run->barrier & 1] = 0;
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

int emu_barrier(int flag)
{
    unsigned long turn = run->barrier;
    run->waiting++;
    run->flag[turn & 1] |= flag;
    release_barrier();
    while (run->barrier == turn)
        yield();
    return run->flag[turn & 1];
}

void emu_poll()
{
    if (!run->all)
        emu_die("a wait for other blocks in a launch whose blocks need not run at once");
    run->polls = true;
    yield();
}

void emu_barrier_all()
{
    emu_barrier(0);
    if (self == &run->fibers[0]) {
        run->all->synced++;
        for (run->syncs++; run->all->synced < run->syncs * emu_together();)
            emu_poll();
    }
    emu_barrier(0);
}

void *emu_dynamic()
{
    return (void *)(((uintptr_t)run->dynamic.data() + 255) / 256 * 256);
}

void *emu_dynamic_of(unsigned rank)
{
    if (rank >= emu_together())
        emu_die("shared memory of a block that the cluster does not have");
    return run->all->dynamic[rank];
}

unsigned emu_together()
{
    return run->all ? (unsigned)run->all->ended.size() : 1;
}

static void start_fiber(fiber &f, size_t k)
{
    uintptr_t top = ((uintptr_t)run->stacks + (k + 1) * STACK) & ~(uintptr_t)63;
    void **sp = (void **)top;
    *--sp = nullptr; // alignment: the stack is 8 off 16 on entry
    *--sp = (void *)enter;
    for (int r = 0; r < 6; r++)
        *--sp = nullptr;
    f.sp = sp;
}

// The next block's turn, until it is this one's again. moved: something happened in this turn.
static void hand_on(struct side_by_side *all, size_t rank, bool moved, bool ended)
{
    std::unique_lock<std::mutex> lock(all->m);
    size_t n = all->ended.size(), next = rank;
    all->idle = moved ? 0 : all->idle + 1;
    if (all->idle > n)
        emu_die("blocks wait for each other");
    all->ended[rank] = ended;
    for (size_t k = 1; k <= n; k++) {
        next = (rank + (backward() ? n - k : k)) % n;
        if (!all->ended[next])
            break;
    }
    all->turn = next;
    all->turned.notify_all();
    if (!ended)
        all->turned.wait(lock, [=] { return all->turn == rank; });
}

static unsigned long progress()
{
    unsigned long sum = run->barrier * 1000003ul + run->waiting;
    for (fiber &f : run->fibers)
        sum += f.exchanges + f.done;
    return sum;
}

static void run_block()
{
    unsigned long turn = progress(); // at the beginning of this block's turn
    for (size_t k = 0; k < run->fibers.size(); k++)
        start_fiber(run->fibers[k], k);
    while (run->alive) {
        unsigned long before = progress();
        run->polls = false;
        for (size_t k = 0, n = run->fibers.size(); k < n; k++) {
            fiber &f = run->fibers[backward() ? n - 1 - k : k];
            if (f.done)
                continue;
            self = &f;
            emu_now = &f.id;
            emu_switch(&run->scheduler, f.sp);
        }
        if (progress() != before)
            continue;
        if (!run->polls)
            emu_die("threads wait for each other: a shuffle or barrier that not all reach");
        hand_on(run->all, run->rank, before != turn, false);
        turn = before;
    }
}

struct launch {
    dim3 grid, block;
    size_t shared;
    const std::function<void()> *body;
};

static void begin_block(block_run &r, const struct launch &l, uint3 at, char *stack)
{
    size_t n = (size_t)l.block.x * l.block.y * l.block.z;
    r.fibers.resize(n);
    r.warps.resize((n + WARP - 1) / WARP);
    r.body = l.body;
    r.alive = n;
    r.stacks = stack;
    r.dynamic.assign(l.shared + 512, (char)0xff);
    for (size_t k = 0; k < n; k++) {
        emu_thread &t = r.fibers[k].id;
        t.thread = {(unsigned)(k % l.block.x), (unsigned)(k / l.block.x % l.block.y),
                    (unsigned)(k / l.block.x / l.block.y)};
        t.block = at;
        t.nthreads = l.block;
        t.nblocks = l.grid;
    }
}

// n blocks that run at once, the first of them `first`.
static void run_together(const struct launch &l, unsigned first, unsigned n)
{
    struct side_by_side all = {};
    std::vector<block_run> blocks(n);
    std::vector<std::thread> threads;
    all.ended.resize(n);
    all.turn = backward() ? n - 1 : 0;
    for (unsigned k = 0; k < n; k++) {
        run = &blocks[k];
        begin_block(*run, l, {first + k, 0, 0}, stacks[k]);
        run->all = &all;
        run->rank = k;
        all.dynamic.push_back(emu_dynamic());
    }
    for (unsigned k = 0; k < n; k++)
        threads.emplace_back([&, k] {
            {
                std::unique_lock<std::mutex> lock(all.m);
                all.turned.wait(lock, [&] { return all.turn == k; });
            }
            run = &blocks[k];
            run_block();
            hand_on(&all, k, true, true);
        });
    for (std::thread &t : threads)
        t.join();
}

cudaError_t emu_run(dim3 grid, dim3 block, size_t shared, unsigned together,
                    const std::function<void()> &body)
{
    static std::mutex launching; // engines may have threads of their own
    std::lock_guard<std::mutex> lock(launching);
    if (cudaError_t rc = fault(NTH_GPU_LAUNCH))
        return failed_launch = rc;
    const struct launch l = {grid, block, shared, &body};
    size_t n = (size_t)block.x * block.y * block.z, at_once = together ? together : 1;
    if (n == 0 || n > 1024 || !grid.x || !grid.y || !grid.z || grid.y > 65535 || grid.z > 65535 ||
        shared > device_shared())
        emu_die("a launch with an impossible shape");
    while (stacks.size() < at_once) {
        void *p = mmap(nullptr, (size_t)1024 * STACK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED)
            emu_die("no room for stacks");
        stacks.push_back((char *)p);
    }
    for (unsigned x = 0; together && x < grid.x; x += together)
        run_together(l, x, together);
    for (unsigned z = 0; !together && z < grid.z; z++)
        for (unsigned y = 0; y < grid.y; y++)
            for (unsigned x = 0; x < grid.x; x++) {
                block_run r = {};
                begin_block(r, l, {x, y, z}, stacks[0]);
                run = &r;
                run_block();
            }
    run = nullptr;
    emu_now = nullptr;
    return cudaSuccess;
}

// ---- kernels by address

static std::map<const void *, emu_known> known;
static std::mutex knowing; // of known

const void *emu_keep(const void *kernel, const emu_known &how)
{
    std::lock_guard<std::mutex> lock(knowing);
    known[kernel] = how;
    return kernel;
}

static cudaError_t run_known(const void *kernel, dim3 grid, dim3 block, size_t shared,
                             unsigned together, void **args, cudaStream_t s)
{
    knowing.lock();
    const emu_known how = known[kernel];
    knowing.unlock();
    if (!how.call)
        emu_die("a kernel that emu.sed did not see");
    how.check(args, s);
    return emu_run(grid, block, shared, together, [&] { how.call(args); });
}

cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **args,
                                        size_t shared, cudaStream_t s)
{
    if (grid.x > (unsigned)setting("EMU_SMS", 4))
        return cudaErrorCooperativeLaunchTooLarge;
    return run_known(kernel, grid, block, shared, grid.x, args, s);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *kernel, void **args)
{
    return run_known(kernel, c->emu_gridDim, c->emu_blockDim, c->dynamicSmemBytes,
                     c->numAttrs ? c->attrs->val.clusterDim.x : 0, args, c->stream);
}

cudaError_t cudaOccupancyMaxActiveClusters(int *n, const void *, const cudaLaunchConfig_t *c)
{
    FAULT(NTH_GPU_CALL);
    bool fits = c->dynamicSmemBytes <= device_shared() && c->emu_blockDim.x <= 1024;
    *n = fits ? setting("EMU_SMS", 4) / (int)c->attrs->val.clusterDim.x : 0;
    return cudaSuccess;
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
static std::mutex owning; // of memory
static thread_local int current;

// What has an owner from now on, or no longer. Was there such memory?
static bool own(void *p, const owned *o)
{
    std::lock_guard<std::mutex> lock(owning);
    if (o)
        memory[(uintptr_t)p] = *o;
    return o || memory.erase((uintptr_t)p);
}

static const owned *owner(const void *p, size_t bytes)
{
    std::lock_guard<std::mutex> lock(owning);
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
    const owned o = {bytes, host ? -1 : current};
    own(*p, &o);
    return cudaSuccess;
}

cudaError_t cudaFree(void *p)
{
    FAULT(NTH_GPU_CALL);
    if (p && !own(p, nullptr))
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
    const owned o = {bytes, -1};
    own(p, &o);
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *p)
{
    if (!own(p, nullptr))
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
    if (d < 0 || d >= setting("EMU_DEVICES", 1))
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
    *n = setting("EMU_DEVICES", 1);
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
    *v = a == cudaDevAttrComputeCapabilityMajor ? setting("EMU_CC", 9)
         : a == cudaDevAttrMultiProcessorCount  ? setting("EMU_SMS", 4)
         : a == cudaDevAttrCooperativeLaunch    ? 1
                                                : (int)device_shared();
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
