/* SPDX-License-Identifier: MIT */
#include "md/md_engine.h"
#include "md/md_small.cuh"

#include <math.h>
#include <string.h>

#define SMALL_SKIN 0.4  /* skin in sigma */
#define SMALL_NEAR 0.25 /* limit for lists in a cluster: fraction of volume in the list radius */
#define LIST_CARE 0.92  /* fraction of the interval that the last launch would have allowed */

template <class P>
static size_t small_bytes(const struct md_launch *j, int nblocks, int threads, bool list)
{
    size_t rows = ((size_t)j->natoms + j->lanes - 1) / j->lanes;
    return 64 + (size_t)(nblocks + threads / 32) * 16 +
           2 * (size_t)j->natoms * sizeof(typename P::pos) +
           (list ? (rows + 1) / 2 * 4 * (size_t)threads : 0);
}

/* Sets the attributes of a launch, and allows the kernel this shared memory and cluster size.
 * Returns 0 or -1. */
static int small_config(struct err *e, const void *kernel, const struct md_launch *j, size_t bytes,
                        int threads, cudaLaunchConfig_t *cfg, cudaLaunchAttribute *attr)
{
    if (TRY(e,
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes)))
        return -1;
    *cfg = cudaLaunchConfig_t();
    cfg->gridDim = dim3((unsigned)(j->cluster * j->replicas));
    cfg->blockDim = dim3((unsigned)threads);
    cfg->dynamicSmemBytes = bytes;
    if (j->cluster > 1) {
        if (TRY(e, cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1)))
            return -1;
        attr->id = cudaLaunchAttributeClusterDimension;
        attr->val.clusterDim.x = (unsigned)j->cluster;
        attr->val.clusterDim.y = attr->val.clusterDim.z = 1;
        cfg->attrs = attr;
        cfg->numAttrs = 1;
    }
    return 0;
}

template <class P>
static int small_go(struct err *e, const struct md_launch *j, cudaStream_t stream, int *active)
{
    cudaLaunchConfig_t cfg;
    cudaLaunchAttribute attr;
    int threads = (j->per_block * j->lanes + 31) / 32 * 32;
    int nblocks = (j->natoms + j->per_block - 1) / j->per_block;
    /* tensors take registers from the steps, so they have separate kernels */
    bool stress = j->want & MD_WANT_STRESS, many = j->cluster > 1, wide = j->lanes == 32;
    bool list = j->list_r2 > 0.0f && (many || !stress);
    const void *kernel =
        stress  ? (list   ? (const void *)md_small_kernel<P, true, false, true, true>
                   : many ? (const void *)md_small_kernel<P, false, false, true, true>
                          : (const void *)md_small_kernel<P, false, false, false, true>)
        : !many ? (list ? (const void *)md_small_kernel<P, true, false, false, false>
                        : (const void *)md_small_kernel<P, false, false, false, false>)
        : list  ? (threads <= 512 ? (const void *)md_small_kernel<P, true, false, true, false, 512>
                                  : (const void *)md_small_kernel<P, true, false, true, false>)
        : wide  ? (const void *)md_small_kernel<P, false, true, true, false>
                : (const void *)md_small_kernel<P, false, false, true, false>;
    if (small_config(e, kernel, j, small_bytes<P>(j, nblocks, threads, list), threads, &cfg,
                     &attr) != 0)
        return -1;
    if (active) {
        if (j->cluster > 1 && TRY(e, cudaOccupancyMaxActiveClusters(active, kernel, &cfg)))
            return -1;
        else
            *active = 1;
        return 0;
    }
    cfg.stream = stream;
    void *args[] = {(void *)j};
    return TRY(e, cudaLaunchKernelExC(&cfg, kernel, args));
}

static int small_dispatch(const struct md *m, struct err *e, const struct md_launch *j,
                          cudaStream_t stream, int *active)
{
    if (m->p.precision == MD_DOUBLE)
        return small_go<md_f64>(e, j, stream, active);
    return m->kind == MD_CUBIC     ? small_go<md_mixed<MD_CUBIC>>(e, j, stream, active)
           : m->kind == MD_SHIFTED ? small_go<md_mixed<MD_SHIFTED>>(e, j, stream, active)
                                   : small_go<md_mixed<0>>(e, j, stream, active);
}

int md_small_launch(struct md *m, const struct md_launch *j)
{
    struct md_launch with = *j;
    with.list_every = (int)m->list_every;
    return small_dispatch(m, &m->info.err, &with, m->stream, NULL);
}

bool md_small_kept(struct md *m, uint64_t nsteps)
{
    float moved;
    memcpy(&moved, &m->trouble->moved, sizeof moved);
    bool kept = moved <= m->job.move_r2;
    if (m->list_every > 0.0)
        m->trouble->builds = nsteps / (uint64_t)m->list_every + 1;
    double ratio = moved > 0.0f ? sqrt((double)m->job.move_r2 / moved) : 2.0;
    if (m->list_every > 0.0 && (!kept || (double)nsteps > 8.0 * m->list_every))
        m->list_every = fmin(fmax(m->list_every * fmin(LIST_CARE * ratio, 2.0), 1.0), 1000.0);
    return kept;
}

/* Lists are used if most atoms are far away, except with the method `all-pairs`. In a cluster, the
 * interval between builds is adjusted after each launch. At first, it is the time in which a fast
 * atom moves half the skin. */
static void small_lists(struct md *m)
{
    double fly = 5.0 * m->p.dt * sqrt(m->p.kb * m->p.temperature / (m->p.mass * m->p.mvv2e));
    double s = m->job.fixed.pos_scale[0], volume = m->p.box[0] * m->p.box[1] * m->p.box[2],
           skin = isnan(m->p.skin) ? SMALL_SKIN * m->p.sigma : m->p.skin, near = m->p.cutoff + skin,
           rl = near * s * (1.0 + 1e-6);
    bool lists = m->p.neighbours != MD_ALL_PAIRS &&
                 (int)m->p.natoms <= SMALL_CANDIDATES * m->job.lanes &&
                 (m->job.cluster == 1 ? m->p.natoms <= 256
                                      : 4.18879 * near * near * near < SMALL_NEAR * volume);
    m->info.skin = lists ? skin : 0.0;
    m->job.list_r2 = lists ? (float)(rl * rl) : 0.0f;
    m->job.move_r2 = (float)(0.25 * skin * skin * s * s * (1.0 - 1e-5));
    m->list_every = lists && m->job.cluster > 1 ? fmin(fmax(0.5 * skin / fly, 1.0), 100.0) : 0.0;
}

/* Chooses blocks, atoms per block and lanes per atom. One system gets the largest possible cluster.
 * Many systems share the device, with one block each if that is enough, and more only if lists need
 * the space. There are at least four lanes per atom, because three hold its axes. */
int md_small_plan(struct md *m, size_t all_pairs)
{
    struct md_launch *j = &m->job;
    int n = (int)m->p.natoms, max = m->cluster_max;
    while (max > 1 && (size_t)max * m->p.replicas > (size_t)m->sms)
        max--;
    for (int cluster = max; cluster <= m->cluster_max; cluster++) {
        struct err e = {0, {0}};
        int active = 0;
        j->cluster = cluster;
        j->per_block = (n + cluster - 1) / cluster;
        for (j->lanes = 32; j->lanes > 4 && j->per_block * j->lanes > 1024; j->lanes /= 2)
            ;
        small_lists(m);
        /* the work of a warp per step, without the pairs, takes as long as six pairs */
        if (m->list_every > 0.0)
            while (j->lanes > 8 && j->per_block * j->lanes > 512 &&
                   n <= SMALL_CANDIDATES * j->lanes / 2)
                j->lanes /= 2;
        if (m->p.natoms > all_pairs && !(j->list_r2 > 0.0f))
            continue;
        if (j->per_block * j->lanes <= 1024 && small_dispatch(m, &e, j, m->stream, &active) == 0 &&
            active > 0)
            return 1;
        cudaGetLastError();
        if (cluster == m->cluster_max && max > 1) { /* too large, so try fewer blocks */
            m->cluster_max = cluster = --max;
            cluster--;
        }
    }
    return 0;
}
