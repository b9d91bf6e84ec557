/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "md/md_engine.h"
#include "md/md_formulas.h"

#define SMALL_AUTO 1000 /* atoms up to which one cluster beats lists on the whole device */
#define SMALL_PAIRS 512 /* atoms up to which all pairs in a cluster are faster than lists */

size_t md_replicas_max(void)
{
    return 65535;
}

/* Returns the largest power of two 2^k (at most 2^52) with n * most * 2^k below 2^59. */
static double total_scale(double n, double max)
{
    int k = (int)floor(59.0 - log2(n * max));
    return ldexp(1.0, k > 52 ? 52 : k);
}

static void job_constants(struct md *m)
{
    const struct md_params *p = &m->p;
    struct md_launch *j = &m->job;
    int periodic = p->boundary == MD_PERIODIC;
    double kt = p->kb * p->temperature, n = (double)p->natoms;
    double vth2 = fmax(kt, 0.01 * p->eps) / (p->mass * p->mvv2e);
    j->lj = md_pair_of(p);
    j->fixed = lj_fixed_make(&j->lj, p->box, periodic, p->cutoff, kt);
    for (int k = 0; k < 3; k++) {
        j->box[k] = p->box[k];
        j->inv[k] = periodic ? 1.0 / p->box[k] : 0.0;
    }
    j->rc2 = p->cutoff * p->cutoff;
    j->fscale = md_force_scale(p);
    j->acc =
        (p->precision == MD_DOUBLE ? 1.0 / j->fscale : j->fixed.force_unit) / (p->mass * p->mvv2e);
    j->escale = total_scale(n, 1e5 * p->eps);
    j->v2scale = md_v2_scale(p);
    j->vscale = total_scale(n, 1e3 * sqrt(vth2));
    j->kick1 = p->integrator == MD_EULER ? p->dt : 0.5 * p->dt;
    j->kick2 = p->integrator == MD_EULER ? 0.0 : 0.5 * p->dt;
    j->dt = p->dt;
    j->max_move = MD_MAX_MOVE * p->sigma;
    j->rebuild = (unsigned)p->rebuild;
    j->tau_ratio = p->tau > 0.0 ? p->dt / p->tau : 0.0;
    j->v2_wanted = md_v2_wanted(p);
    j->natoms = (int)p->natoms;
    j->replicas = (int)p->replicas;
    j->mirror = !periodic;
    m->kind = j->fixed.a1 != 0.0f ? MD_SHIFTED /* ratios of 1 change nothing */
              : j->fixed.ratio[1] == 1.0f && j->fixed.ratio[2] == 1.0f ? MD_CUBIC
                                                                       : 0;
}

/* Chooses the kernel: all pairs in shared memory for small systems, bricks with lists or cells for
 * larger ones. Returns 0 or -1. */
static int choose_method(struct md *m)
{
    enum md_neighbours want = m->p.neighbours;
    bool many = m->p.natoms <= 256 && m->p.replicas > (size_t)m->sms / 4;
    m->small = false;
    if ((want == MD_AUTO && m->p.natoms <= SMALL_AUTO) || want == MD_ALL_PAIRS ||
        (want == MD_VERLET && many))
        m->small = md_small_plan(m, want == MD_ALL_PAIRS ? m->p.natoms : SMALL_PAIRS) == 1;
    m->info.method = want == MD_CELLS ? MD_CELLS
                     : m->small       ? (m->job.list_r2 > 0.0f ? MD_VERLET : MD_ALL_PAIRS)
                                      : (want == MD_ALL_PAIRS ? MD_ALL_PAIRS : MD_VERLET);
    return m->small ? 0 : md_brick_open(m);
}

static int open_device(struct md *m)
{
    int list[GPU_MAX_DEVICES];
    int n = gpu_probe(m->p.devices, list, &m->info.err), major = 0, shared = 0;
    if (n < 0)
        return -1;
    m->device = list[m->p.turn % (size_t)n];
    if (TRY(&m->info.err, cudaSetDevice(m->device)) ||
        TRY(&m->info.err,
            cudaDeviceGetAttribute(&m->sms, cudaDevAttrMultiProcessorCount, m->device)) ||
        TRY(&m->info.err,
            cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, m->device)) ||
        TRY(&m->info.err,
            cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, m->device)))
        return -1;
    m->cluster_max = major >= 9 ? 16 : 1;
    if (TRY(&m->info.err, cudaStreamCreateWithFlags(&m->stream, cudaStreamNonBlocking)) ||
        TRY(&m->info.err, cudaStreamCreateWithFlags(&m->copy, cudaStreamNonBlocking)))
        return -1;
    const unsigned how = cudaEventDisableTiming | cudaEventBlockingSync;
    for (int k = 0; k < 2; k++)
        if (TRY(&m->info.err, cudaEventCreateWithFlags(&m->copied[k], how)))
            return -1;
    return TRY(&m->info.err, cudaEventCreateWithFlags(&m->done, how));
}

int md_take(struct md *m, void **p, size_t bytes, const char *what)
{
    m->bytes = gpu_add(m->bytes, bytes);
    if (err_over(&m->info.err, (double)m->bytes, m->p.max_mem, NULL, "%zu atoms on the GPU",
                 m->ncoord / 3))
        return -1;
    return gpu_alloc(&m->info.err, p, bytes ? bytes : 16, what);
}

static int open_memory(struct md *m, const double *r, const double *v)
{
    size_t bytes = gpu_mul(m->ncoord, sizeof(double));
    for (int k = 0; k < 2; k++)
        if (md_take(m, (void **)&m->d_r[k], bytes, "positions") ||
            md_take(m, (void **)&m->d_v[k], bytes, "velocities"))
            return -1;
    if (gpu_alloc(&m->info.err, &m->d_trouble, sizeof *m->d_trouble, "status") ||
        gpu_alloc_host(&m->info.err, &m->trouble, sizeof *m->trouble, "status"))
        return -1;
    /* Copies in the stream of the launches, because cudaMemcpy returns before pageable memory has
     * arrived, and a non-blocking stream does not wait for it. */
    return TRY(&m->info.err,
               cudaMemcpyAsync(m->d_r[0], r, bytes, cudaMemcpyHostToDevice, m->stream)) ||
                   TRY(&m->info.err,
                       cudaMemcpyAsync(m->d_v[0], v, bytes, cudaMemcpyHostToDevice, m->stream)) ||
                   TRY(&m->info.err, cudaStreamSynchronize(m->stream))
               ? -1
               : 0;
}

struct md *md_open(const struct md_params *p, const double *r, const double *v, uint64_t step,
                   struct err *e)
{
    if (md_check(p, r, v, e) != 0)
        return NULL;
    if (p->natoms > (size_t)1 << 30 || p->replicas > md_replicas_max()) {
        err_bad(e, "found %zu atoms and %zu replicas, expected at most 2^30 atoms and %zu replicas",
                p->natoms, p->replicas, md_replicas_max());
        return NULL;
    }
    struct md *m = (struct md *)calloc(1, sizeof *m);
    if (!m) {
        err_set(e, ERR_MEMORY, "out of memory");
        return NULL;
    }
    m->p = *p;
    m->info.step = step;
    m->ncoord = gpu_mul(gpu_mul(p->natoms, p->replicas), 3);
    job_constants(m);
    if (open_device(m) == 0 && open_memory(m, r, v) == 0 && choose_method(m) == 0)
        return m;
    *e = m->info.err;
    md_close(m);
    return NULL;
}

int md_forces(struct md *m, double *f)
{
    struct md_launch j = md_next_launch(m, 0, 0, NULL, 0);
    double unit = m->p.precision == MD_DOUBLE ? 1.0 / j.fscale : j.fixed.force_unit;
    if (m->info.err.status || TRY(&m->info.err, cudaSetDevice(m->device)) ||
        (!m->d_forces && md_take(m, (void **)&m->d_forces, m->ncoord * sizeof(double), "forces")))
        return -1;
    j.forces = m->d_forces;
    if (md_launch_once(m, &j, 0, 0) || md_settle(m, &j, 0, 0))
        return -1;
    if (TRY(&m->info.err,
            cudaMemcpy(f, m->d_forces, m->ncoord * sizeof(double), cudaMemcpyDeviceToHost)))
        return -1;
    for (size_t k = 0; k < m->ncoord; k++)
        f[k] *= unit;
    return 0;
}

int md_state(struct md *m, double *r, double *v)
{
    size_t bytes = m->ncoord * sizeof(double);
    if (m->info.err.status || TRY(&m->info.err, cudaSetDevice(m->device)))
        return -1;
    if (r && TRY(&m->info.err, cudaMemcpy(r, m->d_r[m->cur], bytes, cudaMemcpyDeviceToHost)))
        return -1;
    if (v && TRY(&m->info.err, cudaMemcpy(v, m->d_v[m->cur], bytes, cudaMemcpyDeviceToHost)))
        return -1;
    return 0;
}

const struct md_info *md_info(const struct md *m)
{
    return &m->info;
}

void md_set_step(struct md *m, uint64_t step)
{
    m->info.step = step;
}

void md_close(struct md *m)
{
    if (!m)
        return;
    cudaSetDevice(m->device);
    md_samples_free(m);
    md_brick_close(m->brick);
    for (int k = 0; k < 2; k++) {
        cudaFree(m->d_r[k]);
        cudaFree(m->d_v[k]);
        if (m->copied[k])
            cudaEventDestroy(m->copied[k]);
    }
    if (m->done)
        cudaEventDestroy(m->done);
    cudaFree(m->d_forces);
    cudaFree(m->d_trouble);
    gpu_free_host(m->trouble);
    if (m->stream)
        cudaStreamDestroy(m->stream);
    if (m->copy)
        cudaStreamDestroy(m->copy);
    free(m);
}
