/* SPDX-License-Identifier: MIT */
/*
 * md_ladder: the GPU engine of molecular dynamics against host arithmetic, against itself by other
 * methods, and the clock.
 *   md_ladder check            one line a check, exit 1 when one fails
 *   md_ladder tiny [CASE]      a few steps of everything: for compute-sanitizer
 *   md_ladder time [NAME...]   the table of steps a second; names pick rows; MD_LADDER_SKIN, _TAU
 *                              and _REBUILD in the environment change their skin, thermostat,
 *                              builds
 *   md_ladder wait             what a wait of all blocks, of a cluster, of a block costs alone
 *   md_ladder pairs            what a pair costs alone, from registers and from shared memory
 */
#include <cooperative_groups.h>
#include <cuda_profiler_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/engine.h"
#include "md/md_brick_wait.cuh"
#include "md/md_plan.h"
#include "md/md_setup.h"

static int failures;

static void verdict(int ok, const char *what, double found, double limit)
{
    printf("%s %-58s %.3e (limit %.1e)\n", ok ? "ok    " : "NOT OK", what, found, limit);
    failures += !ok;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Sets the fluid of the tables, with rho* 0.8442, T* 0.72, rc 2.5 and dt 0.005 in reduced units. */
static struct md_params fluid(size_t n)
{
    struct md_params p;
    memset(&p, 0, sizeof p);
    p.natoms = n;
    p.replicas = 1;
    for (int k = 0; k < 3; k++)
        p.box[k] = cbrt((double)n / 0.8442);
    p.eps = p.sigma = p.mass = p.kb = p.mvv2e = 1.0;
    p.cutoff = fmin(2.5, 0.5 * p.box[0]);
    p.skin = NAN;
    p.temperature = 0.72;
    p.dt = 0.005;
    p.threads = (int)sysconf(_SC_NPROCESSORS_ONLN); /* number of threads for the start */
    return p;
}

struct start {
    double *r, *v;
};

static struct start start_of(const struct md_params *p, uint64_t seed)
{
    struct err err;
    size_t n = 3 * p->natoms;
    struct start s = {(double *)malloc(8 * n * p->replicas), (double *)malloc(8 * n * p->replicas)};
    for (size_t k = 0; k < p->replicas; k++)
        if (md_init(p, MD_FCC, seed + k, s.r + k * n, s.v + k * n, &err) != 0) {
            printf("md_init: %s\n", err.text);
            exit(3);
        }
    return s;
}

static struct md *open_from(const struct md_params *p, struct start s)
{
    struct err err;
    struct md *m = md_open(p, s.r, s.v, 0, &err);
    if (!m) {
        printf("md_open: %s\n", err.text);
        exit(3);
    }
    return m;
}

static void must(struct md *m, int rc, const char *what)
{
    if (rc != 0) {
        printf("NOT OK %s: %s\n", what, md_info(m)->err.text);
        failures++;
    }
}

struct log {
    size_t n, capacity;
    struct md_thermo *t;
    uint64_t hash, steps;
};

static int keep(void *ctx, const struct md_sample *s)
{
    struct log *l = (struct log *)ctx;
    if (s->thermo && l->n < l->capacity)
        l->t[l->n] = *s->thermo;
    l->n++;
    l->steps += s->step;
    return 0;
}

static struct md_samples samples(unsigned want, uint64_t every, struct log *l)
{
    struct md_samples s = {};
    s.want = want;
    s.every = s.thermo_every = every;
    s.sink = keep;
    s.ctx = l;
    return s;
}

static struct md_thermo thermo_now(struct md *m)
{
    struct md_thermo t;
    struct log l = {0, 1, &t, 0, 0};
    memset(&t, 0, sizeof t);
    struct md_samples want = samples(MD_WANT_THERMO | MD_WANT_STRESS, 1, &l);
    must(m, md_measure(m, &want), "measure");
    return t;
}

#include "md_ladder_check.cuh"

static void tiny(int from, int to)
{
    const enum md_neighbours all[] = {MD_ALL_PAIRS, MD_VERLET, MD_CELLS};
    for (int k = from; k < to; k++) {
        struct md_params p = fluid(k & 1 ? 300 : 1100);
        p.boundary = k / 3 & 1 ? MD_MIRROR : MD_PERIODIC;
        p.precision = k / 6 & 1 ? MD_DOUBLE : MD_MIXED;
        p.tau = k & 2 ? 0.1 : 0.0;
        p.skin = 0.1;
        double *x = after(p, all[k % 3], 12, 12, 4);
        printf("%d %s: %.17g\n", k, md_neighbours_names[all[k % 3]], x[0]);
        free(x);
    }
}

struct row {
    const char *name;
    size_t n, replicas;
    double skin, target; /* steps a second */
    enum md_neighbours method;
    const char *bound;
};

static void time_row(const struct row *w)
{
    struct md_params p = fluid(w->n);
    p.replicas = w->replicas;
    p.skin = getenv("MD_LADDER_SKIN") ? atof(getenv("MD_LADDER_SKIN")) : w->skin;
    p.neighbours = w->method;
    p.tau = getenv("MD_LADDER_TAU") ? atof(getenv("MD_LADDER_TAU")) : 0.0;
    p.rebuild = getenv("MD_LADDER_REBUILD") ? atoi(getenv("MD_LADDER_REBUILD")) : 0;
    struct start s = start_of(&p, 1);
    struct md *m = open_from(&p, s);
    struct log l = {0, 0, NULL, 0, 0};
    double best = 0, t0;
    uint64_t n = 200, b0 = 0;
    must(m, md_run(m, w->n > 4000000 ? 300 : 1500, NULL), w->name); /* melts the lattice */
    for (int k = 0; k < 6; k++) {
        b0 = md_info(m)->builds;
        t0 = now();
        struct md_samples want = samples(MD_WANT_THERMO | MD_WANT_F32, 100, &l);
        must(m, md_run(m, n, &want), w->name);
        double dt = now() - t0, rate = n / dt;
        best = k > 1 && rate > best ? rate : best;
        if (k < 2)
            n = (uint64_t)fmax(200, rate * 0.25) / 100 * 100;
    }
    char how[64] = "", builds[32] = "-";
    if (m->small)
        snprintf(how, sizeof how, "%d block%s, %d lanes, skin %.2f", m->job.cluster,
                 m->job.cluster > 1 ? "s" : "", m->job.lanes, md_info(m)->skin);
    else
        snprintf(how, sizeof how, "%d bricks, skin %.2f", m->brick->args.plan.nbricks,
                 md_info(m)->skin);
    if (md_info(m)->builds > b0)
        snprintf(builds, sizeof builds, "%.1f", (double)n / (md_info(m)->builds - b0));
    if (m->small && m->list_every > 0.0)
        snprintf(builds, sizeof builds, "%.1f", floor(m->list_every));
    printf("%-9s %8zu %4zu  %-9s %9.0f %10.3e %6.2f  %-6s %-26s %s\n", w->name, w->n, w->replicas,
           md_neighbours_names[md_info(m)->method], best, best * w->n * w->replicas,
           best / w->target, builds, how, w->bound);
    if (m->brick && getenv("MD_LADDER_PLAN")) {
        const struct brick_plan *q = &m->brick->args.plan;
        printf("%10s cells %d %d %d, bricks %d %d %d, single %d, resident %d, lanes %d, threads "
               "%d, own %d, staged %d, words %d, "
               "shared %zu\n",
               "", q->nc[0], q->nc[1], q->nc[2], q->nb[0], q->nb[1], q->nb[2], q->single,
               q->resident, q->lanes, q->threads, q->own_cap, q->staged_cap, q->words_cap,
               q->shared);
    }
    fflush(stdout);
    md_close(m);
    free(s.r), free(s.v);
}

static void times(int argc, char **argv)
{
    const struct row rows[] = {
        {"256", 256, 1, NAN, 400e3, MD_AUTO, "latencies in a row: exchange, pairs, sums, move"},
        {"256x132", 256, 132, 0.3, 5e9 / 256 / 132, MD_AUTO,
         "instructions of pairs, bank conflicts of gathers"},
        {"512", 512, 1, NAN, 400e3, MD_AUTO, "the same, and four warps a scheduler"},
        {"1024", 1024, 1, NAN, 200e3, MD_AUTO, "the wait of all blocks, once a step"},
        {"4096", 4096, 1, NAN, 150e3, MD_AUTO, "the wait of all blocks, once a step"},
        {"4096", 4096, 1, 0.85, 150e3, MD_AUTO, "the wait of all blocks, once a step"},
        {"65536", 65536, 1, NAN, 30e3, MD_AUTO, "instructions of pairs; builds about a third"},
        {"98304", 98304, 1, NAN, 20e3, MD_AUTO, "instructions of pairs; builds about a third"},
        {"1048576", 1048576, 1, 0.3, 3e9 / 1048576, MD_AUTO,
         "instructions of pairs; builds about a third"},
        {"1048576", 1048576, 1, 0.4, 3e9 / 1048576, MD_AUTO,
         "instructions of pairs; builds about a third"},
        {"1e7", 10000000, 1, NAN, 450, MD_AUTO, "the same, words of lists from memory"},
        {"98304c", 98304, 1, 0.1, 20e3, MD_CELLS,
         "instructions of pairs, three in four beyond the cutoff"}};
    printf("%-9s %8s %4s  %-9s %9s %10s %6s  %-6s %-26s %s\n", "# name", "atoms", "runs", "method",
           "steps/s", "atom-st/s", "target", "st/bld", "how", "bound by");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        int on = argc == 0;
        for (int a = 0; a < argc; a++)
            on = on || strcmp(argv[a], rows[k].name) == 0;
        if (on)
            time_row(&rows[k]);
    }
}

/* Waits n times in a row. */
__global__ void __launch_bounds__(1024, 1) wait_all(struct brick_memory mem, int n, int *out)
{
    struct brick_turn t = {0, {0, 0}};
    for (int k = 0; k < n; k++)
        *out = brick_wait(mem, t, false);
}

__global__ void wait_cluster(struct brick_memory, int n, int *)
{
#if __CUDA_ARCH__ >= 900 // processors before have no clusters
    for (int k = 0; k < n; k++)
        cooperative_groups::this_cluster().sync();
#else
    (void)n;
#endif
}

__global__ void wait_block(struct brick_memory, int n, int *out)
{
    for (int k = 0; k < n; k++)
        *out = __syncthreads_or(k < 0);
}

static void wait_row(const char *what, void (*kernel)(struct brick_memory, int, int *), int blocks,
                     int threads, int cluster)
{
    static struct brick_memory mem;
    static int *out;
    int n = 20000;
    double best = 1.0;
    if (!out && (cudaMalloc(&mem.turns, 512) || cudaMalloc(&out, 4)))
        exit(3);
    cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    for (int k = 0; k < 4; k++) {
        cudaLaunchAttribute a[2];
        a[0].id = cudaLaunchAttributeClusterDimension;
        a[0].val.clusterDim = {(unsigned)cluster, 1, 1};
        a[1].id = cudaLaunchAttributeCooperative;
        a[1].val.cooperative = cluster == 1;
        cudaLaunchConfig_t c = {};
        c.gridDim = dim3((unsigned)blocks);
        c.blockDim = dim3((unsigned)threads);
        c.attrs = a;
        c.numAttrs = 2;
        cudaMemset(mem.turns, 0, 512);
        cudaDeviceSynchronize();
        double t0 = now();
        if (cudaLaunchKernelEx(&c, kernel, mem, n, out) || cudaDeviceSynchronize())
            printf("NOT OK %s: %s\n", what, cudaGetErrorString(cudaGetLastError())), failures++;
        best = fmin(best, now() - t0);
    }
    printf("%-10s %4d blocks of %4d threads: %.3f us\n", what, blocks, threads, 1e6 * best / n);
}

static void waits(void)
{
    const int threads[] = {32, 256, 768};
    for (int t = 0; t < 3; t++) {
        for (int b = 4; b <= 132; b += 64)
            wait_row("all blocks", wait_all, b, threads[t], 1);
        for (int b = 2; b <= 16; b *= 2)
            wait_row("cluster", wait_cluster, b, threads[t], b);
        wait_row("block", wait_block, 1, threads[t], 1);
    }
}

/* Computes n pairs per lane. Positions in shared memory are `spread` bytes apart, or in registers
 * if `spread` is 0. */
__global__ void __launch_bounds__(1024, 1)
    pair_floor(const __grid_constant__ struct md_launch j, int n, int spread, int *out)
{
    typedef struct md_mixed<MD_CUBIC> P;
    extern __shared__ int4 s_pos[];
    int4 me = make_int4(threadIdx.x * 7919, threadIdx.x * 104729, threadIdx.x * 1299709, 0);
    int32_t f[3] = {0, 0, 0};
    for (int k = threadIdx.x; k < 2048; k += blockDim.x)
        s_pos[k] = make_int4(k * 15485863, k * 32452843, k * 49979687, 0);
    __syncthreads();
    unsigned q = threadIdx.x * 16;
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        int4 p = make_int4(me.x + k * 65537, me.y - k * 257, me.z + k * 4097, 0);
        if (spread) {
            p = P::load((const int4 *)((const char *)s_pos + q));
            q = (q + spread) & 32767;
        }
        P::pair(j, me, p, f);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = f[0] + f[1] + f[2];
}

static void pair_row(const char *what, int threads, int spread)
{
    struct md_params p = fluid(256);
    struct start s = start_of(&p, 1);
    struct md *m = open_from(&p, s);
    int n = 20000, *out;
    double best = 1.0;
    if (cudaMalloc(&out, 132 * 1024 * 4))
        exit(3);
    for (int k = 0; k < 4; k++) {
        cudaDeviceSynchronize();
        double t0 = now();
        pair_floor<<<132, threads, 32768>>>(m->job, n, spread, out);
        if (cudaDeviceSynchronize())
            printf("NOT OK %s: %s\n", what, cudaGetErrorString(cudaGetLastError())), failures++;
        best = fmin(best, now() - t0);
    }
    printf("pairs: %-34s %4d threads: %.1f cycles a pair of a warp and scheduler, %.2e pairs/s\n",
           what, threads, best * 1.98e9 / n / (threads / 128), 132.0 * threads * n / best);
    cudaFree(out);
    md_close(m);
    free(s.r), free(s.v);
}

static void pair_floors(void)
{
    for (int t = 512; t <= 1024; t += 512) {
        pair_row("registers", t, 0);
        pair_row("shared memory in order", t, 512);
    }
}

/* One launch of `steps` steps under a profiler started with --profile-from-start off. */
static void profile(const char *n, const char *replicas, const char *steps)
{
    struct md_params p = fluid((size_t)atol(n));
    p.replicas = (size_t)atol(replicas);
    struct start s = start_of(&p, 1);
    struct md *m = open_from(&p, s);
    must(m, md_run(m, 1500, NULL), "profile");
    m->rate = 1e9;
    cudaProfilerStart();
    must(m, md_run(m, (uint64_t)atol(steps), NULL), "profile");
    cudaProfilerStop();
    md_close(m);
    free(s.r), free(s.v);
}

int main(int argc, char **argv)
{
    struct err err;
    if (engine_probe(NULL, &err) < 0) {
        printf("%s\n", err.text);
        return 3;
    }
    if (argc > 1 && !strcmp(argv[1], "check"))
        check();
    else if (argc > 1 && !strcmp(argv[1], "tiny"))
        tiny(argc > 2 ? atoi(argv[2]) : 0, argc > 2 ? atoi(argv[2]) + 1 : 12);
    else if (argc > 1 && !strcmp(argv[1], "time"))
        times(argc - 2, argv + 2);
    else if (argc > 1 && !strcmp(argv[1], "wait"))
        waits();
    else if (argc > 1 && !strcmp(argv[1], "pairs"))
        pair_floors();
    else if (argc == 5 && !strcmp(argv[1], "profile"))
        profile(argv[2], argv[3], argv[4]);
    else
        return printf("usage: md_ladder check | tiny | time [NAME...] | wait | pairs | profile "
                      "ATOMS REPLICAS "
                      "STEPS\n"),
               2;
    return failures != 0;
}
