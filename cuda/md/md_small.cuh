/* SPDX-License-Identifier: MIT */
/*
 * md_small.h: the kernel of small systems, which live in the shared memory of one block or one
 * cluster. CUDA only.
 */
#ifndef MBF_MD_SMALL_H
#define MBF_MD_SMALL_H

#include "md/md_cluster.cuh"

/* Shared memory of one block; positions and v² are double-buffered by the parity of the step. */
template <class P> struct small_shared {
    typename P::pos *pos; /* [2][natoms]: all atoms of the system */
    long long *v2;  /* [2][nblocks * warps]: Berendsen: the sum of v² of each warp of each block */
    uint32_t *list; /* [16][threads]: lists of one-block systems, four places a word */
    uint64_t *bar;  /* [0], [1]: positions; [2], [3]: v2 */
};

/*
 * Where a thread stands: `lanes` neighbouring threads work for one atom; lanes 0, 1, 2 hold its x,
 * y, z.
 */
struct small_place {
    int atom, lane, axis, rank, nblocks;
    size_t replica;
    bool own; /* there is such an atom (else the thread works along on the last one and writes
                nothing) */
};

/*
 * Hand the atom's new position to all blocks. Returns whether any thread's atom is `far`, in
 * systems of one block.
 */
template <class P, bool CLUSTER>
MD_DEV bool small_publish(const struct md_launch &j, const struct small_shared<P> &s,
                          const struct small_place &at, int buf, const typename P::pos &p, bool far)
{
#if MD_HAS_CLUSTER
    if (CLUSTER) {
        unsigned a = md_shared_address(s.pos + buf * j.natoms + at.atom),
                 b = md_shared_address(s.bar + buf);
        if (at.own)
            for (int d = at.lane; d < at.nblocks; d += j.lanes)
                md_send(md_remote(a, d), md_remote(b, d), p);
        return false;
    }
#endif
    if (at.own && at.lane == 0)
        s.pos[buf * j.natoms + at.atom] = p;
    return __syncthreads_or(far);
}

/* All positions of step n are in buffer n & 1. */
template <class P, bool CLUSTER>
MD_DEV void small_wait(const struct md_launch &j, const struct small_shared<P> &s, int n)
{
#if MD_HAS_CLUSTER
    if (CLUSTER) {
        int b = n & 1;
        md_bar_wait(s.bar + b, (unsigned)(n >> 1) & 1);
        if (threadIdx.x == 0)
            md_bar_expect(s.bar + b, (unsigned)(j.natoms * P::BYTES));
    }
#endif
}

/*
 * Sum of v² over the system, the same in every thread. n counts from 1; v2: of the thread's atom.
 * WIDE: a warp an atom, which knows its share without asking.
 */
template <class P, bool WIDE, bool CLUSTER>
MD_DEV long long small_sum_v2(const struct md_launch &j, const struct small_shared<P> &s,
                              const struct small_place &at, long long v2, int n)
{
    int warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x & 31, buf = n & 1;
    long long x = WIDE ? (at.own ? v2 : 0) : md_warp_total(at.own && at.lane == 0 ? v2 : 0),
              sum = 0;
#if MD_HAS_CLUSTER
    if (CLUSTER) {
        unsigned a = md_shared_address(s.v2 + (buf * at.nblocks + at.rank) * warps + warp),
                 b = md_shared_address(s.bar + 2 + buf);
        if (lane < at.nblocks)
            md_send(md_remote(a, lane), md_remote(b, lane), x);
        md_bar_wait(s.bar + 2 + buf, (unsigned)((n - 1) >> 1) & 1);
        if (threadIdx.x == 0)
            md_bar_expect(s.bar + 2 + buf, (unsigned)(at.nblocks * warps * 8));
    } else
#endif
    {
        if (lane == 0)
            s.v2[buf * warps + warp] = x;
        __syncthreads();
    }
    for (int k = lane; k < at.nblocks * warps; k += 32)
        sum += s.v2[buf * at.nblocks * warps + k];
    return md_warp_total(sum);
}

/*
 * Force on the atom along this lane's axis, integer units: every lane takes each lanes-th atom,
 * then all add up.
 */
template <class P, bool WIDE>
MD_DEV typename P::acc small_force(const struct md_launch &j, const typename P::pos *all,
                                   const struct small_place &at)
{
    const int lanes = WIDE ? 32 : j.lanes;
    typename P::acc f[3] = {0, 0, 0};
    const typename P::pos me = P::load(all + at.atom);
#pragma unroll 4
    for (int k = at.lane; k < j.natoms; k += lanes)
        P::pair(j, me, P::load(all + k), f);
    for (int c = 0; c < 3; c++)
        f[c] = md_group_sum(f[c], lanes);
    return P::select(f, at.axis);
}

/*
 * Lists of a one-block system of at most 256 atoms: each lane keeps those of its own candidates
 * that are near, one byte each, four a word, filled up with the atom itself, which adds nothing.
 * Returns the words in use, by the warp.
 */
template <class P>
MD_DEV int small_list(const struct md_launch &j, const struct small_shared<P> &s,
                      const typename P::pos *all, const struct small_place &at)
{
    const typename P::pos me = P::load(all + at.atom);
    uint32_t word = 0;
    int n = 0;
    for (int k = at.lane; k < j.natoms; k += j.lanes)
        if (k != at.atom && P::dist2(j, me, P::load(all + k)) < j.list_r2) {
            word |= (uint32_t)k << 8 * (n & 3);
            if ((n & 3) == 3) {
                s.list[(n >> 2) * blockDim.x + threadIdx.x] = word;
                word = 0;
            }
            n++;
        }
    const uint32_t none = (uint32_t)at.atom * 0x01010101u;
    int words = (n + 3) >> 2, full = n >> 2;
    if (n & 3)
        word |= none << 8 * (n & 3);
    for (int o = 16; o; o >>= 1)
        words = max(words, __shfl_xor_sync(~0u, words, o));
    for (int w = full; w < words; w++)
        s.list[w * blockDim.x + threadIdx.x] = w == full && (n & 3) ? word : none;
    return words;
}

template <class P>
MD_DEV typename P::acc small_force_list(const struct md_launch &j, const struct small_shared<P> &s,
                                        const typename P::pos *all, const struct small_place &at,
                                        int words)
{
    typename P::acc f[3] = {0, 0, 0};
    const typename P::pos me = P::load(all + at.atom);
    for (int w = 0; w < words; w++) {
        uint32_t word = s.list[w * blockDim.x + threadIdx.x];
#pragma unroll
        for (int k = 0; k < 4; k++)
            P::pair(j, me, P::load(all + (word >> 8 * k & 255)), f);
    }
    for (int c = 0; c < 3; c++)
        f[c] = md_group_sum(f[c], j.lanes);
    return P::select(f, at.axis);
}

/* The atom's share of sums over pairs. */
template <class P, class SUM>
MD_DEV void small_pairs(const struct md_launch &j, const typename P::pos *all,
                        const struct small_place &at, long long *totals)
{
    SUM e = {};
    for (int k = at.lane; at.own && k < j.natoms; k += j.lanes)
        if (k != at.atom)
            P::count(j, all[at.atom], all[k], &e);
    md_add_pairs(totals, true, e);
}

/*
 * What is due of one sample: the atom's place in the frame, in the order of the atoms, and its
 * share of the totals (STRESS: with tensors). v: the whole vector. Returns the next step that has something due.
 */
template <class P, bool STRESS>
__device__ __noinline__ int small_sample(const struct md_launch &j, const typename P::pos *all,
                                         const struct small_place &at, long long n, double r,
                                         const double v[3])
{
    unsigned due = md_due_now(&j, n);
    int replica = (int)at.replica;
    if (at.own && at.lane < 3 && (due & MD_WANT_FRAME))
        md_put(j, (md_row(&j, j.frames, n, replica) * j.natoms + at.atom) * 3 + at.axis, r,
               v[at.axis], at.axis);
    if (due & MD_WANT_THERMO) {
        long long *t = j.totals + md_row(&j, j.sums, n, replica) * MD_NTOTALS;
        md_add_atoms(j, t, at.own && at.lane == 0, v, STRESS);
        small_pairs<P, struct md_energy>(j, all, at, t);
        if (STRESS)
            small_pairs<P, struct md_tensor>(j, all, at, t);
    }
    return (int)min(md_next(&j, n), j.nsteps + 1);
}

template <class P>
MD_DEV struct small_shared<P> small_layout(const struct md_launch &j, unsigned char *raw,
                                           int nblocks) {
    struct small_shared<P> s;
    int warps = blockDim.x / 32;
    s.bar = (uint64_t *)raw;
    s.v2 = (long long *)(raw + 64);
    s.pos = (typename P::pos *)(raw + 64 + 16 * nblocks * warps);
    s.list = (uint32_t *)(s.pos + 2 * j.natoms);
    return s;
}

/* Arm both phases of all mbarriers before anybody sends. */
template <class P, bool CLUSTER>
MD_DEV void small_begin(const struct md_launch &j, const struct small_shared<P> &s, int nblocks)
{
#if MD_HAS_CLUSTER
    if (CLUSTER) {
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

MD_DEV struct small_place small_where(const struct md_launch &j)
{
    struct small_place at;
    at.nblocks = (j.natoms + j.per_block - 1) / j.per_block;
    at.rank = blockIdx.x % j.cluster;
    at.replica = blockIdx.x / j.cluster;
    at.lane = threadIdx.x & (j.lanes - 1);
    at.axis = at.lane < 3 ? at.lane : 0;
    int slot = threadIdx.x / j.lanes, mine = at.rank * j.per_block + slot;
    at.own = slot < j.per_block && mine < j.natoms;
    at.atom = at.own ? mine : j.natoms - 1;
    return at;
}

/* x of lane 0, 1, 2 of each group of lanes. */
template <bool WIDE, class T> MD_DEV void small_axes(const struct md_launch &j, T x, T out[3])
{
    int base = WIDE ? 0 : threadIdx.x & 31 & ~(j.lanes - 1);
    for (int k = 0; k < 3; k++)
        out[k] = __shfl_sync(~0u, x, base + k);
}

/*
 * A whole launch of small systems: j.cluster blocks a system, each owner of j.per_block atoms,
 * j.lanes threads an atom, blockDim = per_block * lanes rounded up to warps. Every block has a copy
 * of all positions in shared memory. Forces from all pairs, or with LIST (one block a system) from
 * lists that are built anew when an atom has moved half the skin. Deterministic. Every thread takes
 * part in every exchange; the last blocks of a cluster may own fewer atoms.
 */
template <class P, bool LIST, bool WIDE, bool CLUSTER, bool STRESS>
__global__ void __launch_bounds__(1024, 1)
    md_small_kernel(const __grid_constant__ struct md_launch j)
{
    extern __shared__ __align__(16) unsigned char s_raw[];
    const struct small_place at = small_where(j);
    const struct small_shared<P> s = small_layout<P>(j, s_raw, at.nblocks);
    small_begin<P, CLUSTER>(j, s, at.nblocks);
    size_t index = (at.replica * j.natoms + at.atom) * 3 + at.axis;
    double r = j.r_in[index], v = j.v_in[index], vv[3];
    const double len = j.box[at.axis], scale = j.fixed.pos_scale[at.axis];
    typename P::pos now, ref;
    int words = 0, nsteps = (int)j.nsteps, next = (int)min(md_next(&j, -1), j.nsteps + 1);
    for (int n = 0; at.rank < at.nblocks; n++) {
        typename P::scalar x[3];
        small_axes<WIDE>(j, P::component(r, scale), x);
        now = P::join(x[0], x[1], x[2]);
        bool far = small_publish<P, CLUSTER>(
            j, s, at, n & 1, now,
            LIST && (n == 0 || md_list_due(j, n) || !(P::dist2(j, now, ref) <= j.move_r2)));
        small_wait<P, CLUSTER>(j, s, n);
        const typename P::pos *all = s.pos + (n & 1) * j.natoms;
        if (LIST && far) {
            words = small_list<P>(j, s, all, at);
            ref = now;
        }
        typename P::acc f =
            LIST ? small_force_list<P>(j, s, all, at, words) : small_force<P, WIDE>(j, all, at);
        double a = (double)f * j.acc;
        if (n)
            v = v + a * j.kick2;
        if (n && j.tau_ratio > 0.0) {
            small_axes<WIDE>(j, v, vv);
            v = v * md_lambda(j, small_sum_v2<P, WIDE, CLUSTER>(j, s, at, md_v2(j, vv), n));
        }
        if (n == next) {
            small_axes<WIDE>(j, v, vv);
            next = small_sample<P, STRESS>(j, all, at, n, r, vv);
            if (j.forces && at.own && at.lane < 3)
                j.forces[index] = (double)f;
        }
        if (n == nsteps)
            break;
        v = v + a * j.kick1;
        bool sane = md_move(j, r, v, len), soft = P::soft(f);
        if (!(sane && soft) && at.own && at.lane < 3)
            md_report(j, n, sane ? MD_BAD_FORCE : MD_BAD_MOVE);
    }
    if (at.own && at.lane < 3) {
        j.r_out[index] = r;
        j.v_out[index] = v;
    }
#if MD_HAS_CLUSTER
    if (CLUSTER)
        md_cluster_sync(); /* no block leaves while others may still store into it */
#endif
}

#endif
