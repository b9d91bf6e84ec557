/* SPDX-License-Identifier: MIT */
#include "md_cluster.h"
#include "md_engine.h"

#include <string.h>

/* Shared memory of one block; everything is double-buffered by the parity of the step. */
template <class P> struct small_shared {
    typename P::pos *pos[2]; /* all atoms of the system */
    long long *v2[2];        /* Berendsen: the sum of v² of each warp of each block */
    uint64_t *bar;           /* [0], [1]: positions; [2], [3]: v2 */
};

/* Where a thread stands: `lanes` neighbouring threads work for one atom; lanes 0, 1, 2 hold its x, y, z. */
struct small_place {
    int atom, lane, axis, rank, nblocks;
    size_t replica;
    bool own; /* there is such an atom (else the thread works along on the last one and writes nothing) */
};

template <class P> MD_DEV void small_publish(const struct md_job &j, const struct small_shared<P> &s,
                                             const struct small_place &at, int buf, const typename P::pos &p)
{
#if MD_HAS_CLUSTER
    if (j.cluster > 1) {
        unsigned a = md_shared_address(s.pos[buf] + at.atom), b = md_shared_address(s.bar + buf);
        if (at.own)
            for (int d = at.lane; d < at.nblocks; d += j.lanes)
                md_send(md_remote(a, d), md_remote(b, d), p);
        return;
    }
#endif
    if (at.own && at.lane == 0)
        s.pos[buf][at.atom] = p;
    __syncthreads();
}

/* All positions of step n are in buffer n & 1. */
template <class P> MD_DEV void small_wait(const struct md_job &j, const struct small_shared<P> &s, long long n)
{
#if MD_HAS_CLUSTER
    if (j.cluster > 1) {
        int b = n & 1;
        md_bar_wait(s.bar + b, (unsigned)(n >> 1) & 1);
        if (threadIdx.x == 0)
            md_bar_expect(s.bar + b, (unsigned)(j.natoms * P::BYTES));
    }
#endif
}

/* Sum of v² over the system, the same in every thread. n counts from 1. */
template <class P> MD_DEV long long small_sum_v2(const struct md_job &j, const struct small_shared<P> &s,
                                                 const struct small_place &at, const double v[3], long long n)
{
    int warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x & 31, buf = n & 1;
    long long x = md_warp_sum(at.own && at.lane == 0 ? md_v2(j, v) : 0), sum = 0;
#if MD_HAS_CLUSTER
    if (j.cluster > 1) {
        unsigned a = md_shared_address(s.v2[buf] + at.rank * warps + warp), b = md_shared_address(s.bar + 2 + buf);
        if (lane < at.nblocks)
            md_send(md_remote(a, lane), md_remote(b, lane), x);
        md_bar_wait(s.bar + 2 + buf, (unsigned)((n - 1) >> 1) & 1);
        if (threadIdx.x == 0)
            md_bar_expect(s.bar + 2 + buf, (unsigned)(at.nblocks * warps * 8));
    } else
#endif
    {
        if (lane == 0)
            s.v2[buf][warp] = x;
        __syncthreads();
    }
    for (int k = lane; k < at.nblocks * warps; k += 32)
        sum += s.v2[buf][k];
    return md_warp_sum(sum);
}

/* Force on the atom along this lane's axis, integer units: every lane takes each lanes-th atom, then all add up. */
template <class P> MD_DEV typename P::acc small_force(const struct md_job &j, const typename P::pos *all,
                                                      const struct small_place &at)
{
    typename P::acc f[3] = {0, 0, 0};
    const typename P::pos me = all[at.atom];
#pragma unroll 4
    for (int k = at.lane; k < j.natoms; k += j.lanes)
        P::pair(j, me, all[k], f);
    for (int c = 0; c < 3; c++)
        f[c] = md_warp_sum(f[c], j.lanes);
    return P::select(f, at.axis);
}

/* One sample: positions in the order of the atoms, and the atom's share of the totals. v: the whole vector. */
template <class P> MD_DEV void small_sample(const struct md_job &j, const typename P::pos *all,
                                            const struct small_place &at, size_t row, double r,
                                            const double v[3])
{
    if (at.own && at.lane < 3 && (j.want & (MD_WANT_F32 | MD_WANT_F64)))
        md_put(j, (row * j.natoms + at.atom) * 3 + at.axis, r, at.axis);
    if (!(j.want & MD_WANT_THERMO))
        return;
    struct md_energy e = {0, 0, 0};
    for (int k = at.lane; at.own && k < j.natoms; k += j.lanes)
        if (k != at.atom)
            P::pair_energy(j, all[at.atom], all[k], &e);
    md_add_totals(j, j.totals + row * MD_NTOTALS, at.own && at.lane == 0, v, e);
}

template <class P> MD_DEV struct small_shared<P> small_layout(const struct md_job &j, unsigned char *raw, int nblocks)
{
    struct small_shared<P> s;
    int warps = blockDim.x / 32;
    s.bar = (uint64_t *)raw;
    s.v2[0] = (long long *)(raw + 64);
    s.v2[1] = s.v2[0] + nblocks * warps;
    s.pos[0] = (typename P::pos *)(raw + 64 + ((2 * nblocks * warps * 8 + 15) & ~15));
    s.pos[1] = s.pos[0] + j.natoms;
    return s;
}

/* Arm both phases of all mbarriers before anybody sends. */
template <class P> MD_DEV void small_begin(const struct md_job &j, const struct small_shared<P> &s, int nblocks)
{
#if MD_HAS_CLUSTER
    if (j.cluster > 1) {
        if (threadIdx.x == 0) {
            for (int k = 0; k < 4; k++)
                md_bar_init(s.bar + k);
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
            for (int k = 0; k < 2; k++) {
                md_bar_expect(s.bar + k, (unsigned)(j.natoms * P::BYTES));
                md_bar_expect(s.bar + 2 + k, (unsigned)(nblocks * (blockDim.x / 32) * 8));
            }
        }
        md_cluster_sync();
    }
#endif
}

/*
 * A whole launch of small systems: j.cluster blocks a system, each owner of j.per_block atoms, j.lanes threads an atom,
 * blockDim = per_block * lanes rounded up to warps; all pairs from a copy of all positions in every block's shared memory.
 * Deterministic. Every thread takes part in every exchange; the last blocks of a cluster may own fewer atoms.
 */
template <class P> __global__ void __launch_bounds__(1024, 1) md_small_kernel(const __grid_constant__ struct md_job j)
{
    extern __shared__ __align__(16) unsigned char s_raw[];
    struct small_place at;
    at.nblocks = (j.natoms + j.per_block - 1) / j.per_block;
    at.rank = blockIdx.x % j.cluster;
    at.replica = blockIdx.x / j.cluster;
    at.lane = threadIdx.x & (j.lanes - 1);
    at.axis = at.lane < 3 ? at.lane : 0;
    int slot = threadIdx.x / j.lanes, mine = at.rank * j.per_block + slot;
    at.own = slot < j.per_block && mine < j.natoms;
    at.atom = at.own ? mine : j.natoms - 1;
    struct small_shared<P> s = small_layout<P>(j, s_raw, at.nblocks);
    small_begin<P>(j, s, at.nblocks);
    size_t index = (at.replica * j.natoms + at.atom) * 3 + at.axis;
    double r = j.r_in[index], v = j.v_in[index], len = j.box[at.axis];
    int base = threadIdx.x & 31 & ~(j.lanes - 1);
    for (long long n = 0; at.rank < at.nblocks; n++) {
        double x[3] = {__shfl_sync(~0u, r, base), __shfl_sync(~0u, r, base + 1), __shfl_sync(~0u, r, base + 2)};
        small_publish<P>(j, s, at, n & 1, P::make(j, x, 0));
        small_wait<P>(j, s, n);
        const typename P::pos *all = s.pos[n & 1];
        typename P::acc f = small_force<P>(j, all, at);
        double a = (double)f * j.acc;
        if (n)
            v = v + a * j.kick2;
        if (n && j.tau_ratio > 0.0) {
            double w[3] = {__shfl_sync(~0u, v, base), __shfl_sync(~0u, v, base + 1), __shfl_sync(~0u, v, base + 2)};
            v = v * md_lambda(j, small_sum_v2<P>(j, s, at, w, n));
        }
        if (j.forces && n == 0 && at.own && at.lane < 3)
            j.forces[index] = (double)f;
        if (md_due(&j, n)) {
            double w[3] = {__shfl_sync(~0u, v, base), __shfl_sync(~0u, v, base + 1), __shfl_sync(~0u, v, base + 2)};
            small_sample<P>(j, all, at, md_row(&j, n, (int)at.replica), r, w);
        }
        if (n == j.nsteps)
            break;
        v = v + a * j.kick1;
        bool sane = md_move(j, r, v, len), soft = llabs((long long)f) >> P::FORCE_BITS == 0;
        if (at.own && at.lane < 3 && !(sane && soft))
            md_report(j, n, sane ? MD_BAD_FORCE : MD_BAD_MOVE);
    }
    if (at.own && at.lane < 3) {
        j.r_out[index] = r;
        j.v_out[index] = v;
    }
#if MD_HAS_CLUSTER
    if (j.cluster > 1)
        md_cluster_sync(); /* no block leaves while others may still store into it */
#endif
}

/* ---- host */

template <class P> static size_t small_bytes(int natoms, int nblocks, int threads)
{
    return 64 + (((size_t)2 * nblocks * (threads / 32) * 8 + 15) & ~(size_t)15) + 2 * (size_t)natoms * sizeof(typename P::pos);
}

/* The attributes of a launch, once the kernel may use that much shared memory and that large a cluster. 0 or -1. */
static int small_config(struct gpu_err *e, const void *kernel, const struct md_job *j, size_t bytes, int threads,
                        cudaLaunchConfig_t *cfg, cudaLaunchAttribute *attr)
{
    TRY(e, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    *cfg = cudaLaunchConfig_t();
    cfg->gridDim = dim3((unsigned)(j->cluster * j->replicas));
    cfg->blockDim = dim3((unsigned)threads);
    cfg->dynamicSmemBytes = bytes;
    if (j->cluster > 1) {
        TRY(e, cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
        attr->id = cudaLaunchAttributeClusterDimension;
        attr->val.clusterDim.x = (unsigned)j->cluster;
        attr->val.clusterDim.y = attr->val.clusterDim.z = 1;
        cfg->attrs = attr;
        cfg->numAttrs = 1;
    }
    return 0;
}

template <class P> static int small_go(struct gpu_err *e, const struct md_job *j, cudaStream_t stream, int *active)
{
    cudaLaunchConfig_t cfg;
    cudaLaunchAttribute attr;
    int threads = (j->per_block * j->lanes + 31) / 32 * 32;
    int nblocks = (j->natoms + j->per_block - 1) / j->per_block;
    const void *kernel = (const void *)md_small_kernel<P>;
    if (small_config(e, kernel, j, small_bytes<P>(j->natoms, nblocks, threads), threads, &cfg, &attr) != 0)
        return -1;
    if (active) {
        if (j->cluster > 1)
            TRY(e, cudaOccupancyMaxActiveClusters(active, kernel, &cfg));
        else
            *active = 1;
        return 0;
    }
    cfg.stream = stream;
    void *args[] = {(void *)j};
    TRY(e, cudaLaunchKernelExC(&cfg, kernel, args));
    return 0;
}

static int small_dispatch(const struct md *m, struct gpu_err *e, const struct md_job *j, cudaStream_t stream, int *active)
{
    if (m->p.precision == MD_DOUBLE)
        return small_go<md_f64>(e, j, stream, active);
    if (m->cubic)
        return small_go<md_mixed<true>>(e, j, stream, active);
    return small_go<md_mixed<false>>(e, j, stream, active);
}

int md_small_launch(struct md *m, const struct md_job *j)
{
    return small_dispatch(m, &m->err, j, m->stream, NULL);
}

/*
 * Blocks, atoms a block and lanes an atom. One system gets the largest cluster that the device can hold; many systems
 * share the device, one block each when that is enough. At least four lanes an atom: three hold its axes.
 */
int md_small_plan(struct md *m)
{
    struct md_job *j = &m->job;
    int n = (int)m->p.natoms, most = m->cluster_max;
    while (most > 1 && (size_t)most * m->p.replicas > (size_t)m->sms)
        most--;
    if (m->cluster_force > 0)
        most = m->cluster_force;
    for (int cluster = most; cluster <= m->cluster_max; cluster++) {
        struct gpu_err e = {0, {0}};
        int active = 0;
        j->cluster = cluster;
        j->per_block = (n + cluster - 1) / cluster;
        for (j->lanes = 32; j->lanes > 4 && j->per_block * j->lanes > m->small_threads; j->lanes /= 2)
            ;
        if (j->per_block * j->lanes <= m->small_threads && small_dispatch(m, &e, j, m->stream, &active) == 0 && active > 0)
            return 1;
        cudaGetLastError();
        if (cluster == m->cluster_max && most > 1 && m->cluster_force == 0) { /* no room for that many: try fewer */
            m->cluster_max = cluster = --most;
            cluster--;
        }
    }
    return 0;
}
