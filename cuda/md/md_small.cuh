/* SPDX-License-Identifier: MIT */
/* md_small.cuh: the kernel for small systems, which fit into the shared memory of one block or one
 * cluster. This header is for CUDA only. */
#pragma once

#include "md/md_cluster.cuh"

#define SMALL_CANDIDATES 128 /* candidates per lane, if there are lists */
#define SMALL_HEAD 8         /* rows of a list in registers, if there are enough registers */

/* Shared memory of one block. Positions and v² have two buffers, for even and odd steps. */
template <class P> struct small_shared {
    typename P::pos *pos; /* [2][natoms]: all atoms of the system */
    /* for the thermostat, sums of v² of each block (v2) and of each warp of a block (part),
     * [2][] */
    long long *v2, *part;
    uint32_t *list; /* [words][threads]: lists, with two byte-sized positions per word */
    uint64_t *bar;  /* [0], [1]: positions; [2], [3]: v2 */
};

/* Role of a thread. Each atom has `lanes` adjacent threads. Lanes 0, 2 and 1 hold its x, y and z,
 * in the order that small_sum produces. */
struct small_place {
    int atom, lane, axis, rank, nblocks;
    size_t replica;
    bool own; /* whether the atom exists; if not, the thread repeats the last atom and writes
               * nothing */
};

/* Sends the new position of the atom to all blocks. In systems of one block, returns true if `far`
 * is set in any thread. */
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

/* Waits until all positions of step n are in buffer n & 1. */
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

/* Returns the sum of v² over the system in every thread. The step n is counted from 1, and v2 is v²
 * of the atom of the thread. If WIDE is set, each atom has a whole warp, whose sum needs no
 * exchange. Each block first sums over its atoms, because each record costs time. */
template <class P, bool WIDE, bool CLUSTER>
MD_DEV long long small_sum_v2(const struct md_launch &j, const struct small_shared<P> &s,
                              const struct small_place &at, long long v2, int n)
{
    int warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x & 31, buf = n & 1;
    long long x = WIDE ? (at.own ? v2 : 0) : md_warp_total(at.own && at.lane == 0 ? v2 : 0),
              sum = 0;
    if (lane == 0)
        s.part[buf * warps + warp] = x;
    __syncthreads();
    if (lane < warps)
        sum = s.part[buf * warps + lane];
    sum = md_warp_total(sum);
#if MD_HAS_CLUSTER
    if (CLUSTER) {
        unsigned a = md_shared_address(s.v2 + buf * at.nblocks + at.rank),
                 b = md_shared_address(s.bar + 2 + buf);
        if (warp == 0 && lane < at.nblocks)
            md_send(md_remote(a, lane), md_remote(b, lane), sum);
        md_bar_wait(s.bar + 2 + buf, (unsigned)((n - 1) >> 1) & 1);
        if (threadIdx.x == 0)
            md_bar_expect(s.bar + 2 + buf, (unsigned)(at.nblocks * 8));
        sum = md_warp_total(lane < at.nblocks ? s.v2[buf * at.nblocks + lane] : 0);
    }
#endif
    return sum;
}

/* Returns the sum of f over each group of lanes, for the axis of each lane. Each step halves the
 * number of values per lane. */
template <class T> MD_DEV T small_sum(const T f[3], const struct small_place &at, int lanes)
{
    bool odd = at.lane & 1, second = at.lane & 2;
    T x = odd ? f[2] : f[0], y = odd ? 0 : f[1];
    x += __shfl_xor_sync(~0u, odd ? f[0] : f[2], 1);
    y += __shfl_xor_sync(~0u, odd ? f[1] : 0, 1);
    T sum = !odd && second ? y : x;
    sum += __shfl_xor_sync(~0u, odd || second ? x : y, 2);
    for (int o = 4; o < lanes; o *= 2)
        sum += __shfl_xor_sync(~0u, sum, o);
    return sum;
}

template <class P, bool WIDE>
MD_DEV typename P::acc small_total(const struct md_launch &j, const struct small_place &at,
                                   typename P::acc f[3])
{
    if constexpr (WIDE) {
        for (int c = 0; c < 3; c++)
            f[c] = md_group_sum(f[c], 32);
        return P::select(f, at.axis);
    } else {
        return small_sum(f, at, j.lanes);
    }
}

/* Returns the force on the atom along the axis of this lane, in integer units. Each lane sums the
 * forces from every `lanes`-th atom. The sums of the lanes are then added. */
template <class P, bool WIDE>
MD_DEV typename P::acc small_force(const struct md_launch &j, const typename P::pos *all,
                                   const struct small_place &at, const typename P::pos &me)
{
    const int lanes = WIDE ? 32 : j.lanes;
    typename P::acc f[3] = {0, 0, 0};
#pragma unroll 4
    for (int k = at.lane; k < j.natoms; k += lanes)
        P::pair(j, me, P::load(all + k), f);
    return small_total<P, WIDE>(j, at, f);
}

/* Sets entry e in the list of a group of lanes to the byte-sized position of atom q. The lanes of
 * the group hold the entries in turn. */
template <class P>
MD_DEV void small_enter(const struct md_launch &j, const struct small_shared<P> &s, int e, int q)
{
    int row = e >> (__ffs(j.lanes) - 1),
        slot = (int)(threadIdx.x & ~(j.lanes - 1)) + (e & (j.lanes - 1));
    ((uint16_t *)s.list)[((row >> 1) * blockDim.x + slot) * 2 + (row & 1)] =
        (uint16_t)(q * sizeof(typename P::pos));
}

/* Finds the neighbours of the atom of this lane among 32 candidates, from `first` in steps of
 * `lanes`. */
template <class P>
MD_DEV uint32_t small_near(const struct md_launch &j, const typename P::pos *all,
                           const struct small_place &at, const typename P::pos &me, int first)
{
    uint32_t near = 0;
    for (int b = 0; b < 32 && first + b * j.lanes < j.natoms + at.lane; b += 4)
#pragma unroll
        for (int l = 0; l < 4; l++) { /* four at once, to wait for all of them together */
            int k = first + (b + l) * j.lanes;
            bool in = P::dist2(j, me, P::load(all + min(k, j.natoms - 1))) < j.list_r2;
            near |= (in && k < j.natoms && k != at.atom ? 1u : 0u) << (b + l);
        }
    return near;
}

/* Builds lists in which each lane stores the neighbours that it finds. */
template <class P>
MD_DEV int small_keep(const struct md_launch &j, const struct small_shared<P> &s,
                      const struct small_place &at, const uint32_t near[SMALL_CANDIDATES / 32])
{
    int row = 0, rows;
#pragma unroll
    for (int h = 0; h < SMALL_CANDIDATES / 32; h++)
        for (uint32_t m = near[h]; m; m &= m - 1, row++)
            small_enter<P>(j, s, row * j.lanes + at.lane,
                           at.lane + (32 * h + __ffs(m) - 1) * j.lanes);
    rows = row;
    for (int o = 16; o; o >>= 1)
        rows = max(rows, __shfl_xor_sync(~0u, rows, o));
    for (; row < rows; row++)
        small_enter<P>(j, s, row * j.lanes + at.lane, at.atom);
    __syncwarp();
    return rows;
}

/* Builds the list of the atom of each group of lanes, with at most SMALL_CANDIDATES per lane.
 * Returns the number of rows, which is the same in the whole warp. All lanes have one entry per
 * row. Missing entries are the atom itself, which contributes nothing. */
template <class P, bool DEAL>
MD_DEV int small_list(const struct md_launch &j, const struct small_shared<P> &s,
                      const typename P::pos *all, const struct small_place &at)
{
    const typename P::pos me = P::load(all + at.atom);
    uint32_t near[SMALL_CANDIDATES / 32];
    int count = 0, e, total, rows;
#pragma unroll
    for (int h = 0; h < SMALL_CANDIDATES / 32; h++) {
        near[h] = small_near<P>(j, all, at, me, at.lane + 32 * h * j.lanes);
        count += __popc(near[h]);
    }
    __syncwarp(); /* all lanes have finished the previous list */
    if (!DEAL)
        return small_keep<P>(j, s, at, near);
    e = count;
    for (int o = 1; o < j.lanes; o *= 2) {
        int z = __shfl_up_sync(~0u, e, o);
        e += at.lane >= o ? z : 0;
    }
    total = __shfl_sync(~0u, e, (threadIdx.x & 31) | (j.lanes - 1));
    e -= count;
    rows = (total + j.lanes - 1) / j.lanes;
    for (int o = 16; o; o >>= 1)
        rows = max(rows, __shfl_xor_sync(~0u, rows, o));
#pragma unroll
    for (int h = 0; h < SMALL_CANDIDATES / 32; h++)
        for (uint32_t m = near[h]; m; m &= m - 1)
            small_enter<P>(j, s, e++, at.lane + (32 * h + __ffs(m) - 1) * j.lanes);
    for (e = total + at.lane; e < rows * j.lanes; e += j.lanes)
        small_enter<P>(j, s, e, at.atom);
    __syncwarp();
    return rows;
}

/* Calls take(place, position) for N rows of a list, which are all loaded at once. */
template <class P, int N, class TAKE>
MD_DEV void small_rows(const uint32_t *word, const char *all, TAKE take)
{
#pragma unroll
    for (int k = 0; k < N; k++) {
        uint32_t q = k & 1 ? word[k / 2] >> 16 : word[k / 2] & 0xffff;
        take(q, P::load((const typename P::pos *)(all + q)));
    }
}

template <class P, int N, class TAKE>
MD_DEV void small_fewer(int rows, const uint32_t *word, const char *all, TAKE take)
{
    if (rows == N)
        small_rows<P, N>(word, all, take);
    else if constexpr (N > 1)
        small_fewer<P, N - 1>(rows, word, all, take);
}

/* Calls take() for every row of the list of a lane. The array head[] contains the first words of
 * the list, or `head` is NULL. */
template <class P, class TAKE>
MD_DEV void small_each(const struct small_shared<P> &s, const typename P::pos *all, int rows,
                       const uint32_t *head, TAKE take)
{
    const char *base = (const char *)all;
    const uint32_t *mine = s.list + threadIdx.x;
    if (head) {
        if (rows >= SMALL_HEAD)
            small_rows<P, SMALL_HEAD>(head, base, take);
        else
            small_fewer<P, SMALL_HEAD - 1>(rows, head, base, take);
        rows -= SMALL_HEAD;
        mine += SMALL_HEAD / 2 * blockDim.x;
    }
    uint32_t word[2];
    for (; rows >= 4; rows -= 4, mine += 2 * blockDim.x) {
        word[0] = mine[0];
        word[1] = mine[blockDim.x];
        small_rows<P, 4>(word, base, take);
    }
    if (rows > 0) {
        word[0] = mine[0];
        word[1] = rows > 2 ? mine[blockDim.x] : 0;
        small_fewer<P, 3>(rows, word, base, take);
    }
}

template <class P>
MD_DEV typename P::acc small_force_list(const struct md_launch &j, const struct small_shared<P> &s,
                                        const typename P::pos *all, const struct small_place &at,
                                        const typename P::pos &me, int rows, const uint32_t *head)
{
    typename P::acc f[3] = {0, 0, 0};
    small_each<P>(s, all, rows, head,
                  [&](uint32_t, const typename P::pos &p) { P::pair(j, me, p, f); });
    return small_total<P, false>(j, at, f);
}

/* Adds the contribution of the atom to the sums over pairs, from its list or, if rows < 0, from all
 * atoms. */
template <class P, class SUM>
MD_DEV void small_pairs(const struct md_launch &j, const struct small_shared<P> &s,
                        const typename P::pos *all, const struct small_place &at, int rows,
                        long long *totals)
{
    SUM e = {};
    const typename P::pos me = all[at.atom];
    const uint32_t self = at.atom * sizeof(typename P::pos);
    if (rows >= 0)
        small_each<P>(s, all, rows, NULL, [&](uint32_t q, const typename P::pos &p) {
            if (at.own && q != self)
                P::count(j, me, p, &e);
        });
    for (int k = at.lane; rows < 0 && at.own && k < j.natoms; k += j.lanes)
        if (k != at.atom)
            P::count(j, me, all[k], &e);
    md_add_pairs(totals, true, e);
}

/* Adds the atom to a sample that is due. Writes the atom to the frame, in the order of the atoms,
 * and adds its contribution to the totals, with tensors if STRESS is set. The list of the atom has
 * `rows` rows, and v is its velocity. Returns the next step at which a sample is due. */
template <class P, bool STRESS>
__device__ __noinline__ int small_sample(const struct md_launch &j, const struct small_shared<P> &s,
                                         const typename P::pos *all, const struct small_place &at,
                                         int rows, long long n, double r, const double v[3])
{
    unsigned due = md_due_now(&j, n);
    int replica = (int)at.replica;
    if (at.own && at.lane < 3 && (due & MD_WANT_FRAME))
        md_put(j, (md_row(&j, j.frames, n, replica) * j.natoms + at.atom) * 3 + at.axis, r,
               v[at.axis], at.axis);
    if (due & MD_WANT_THERMO) {
        long long *t = j.totals + md_row(&j, j.sums, n, replica) * MD_NTOTALS;
        md_add_atoms(j, t, at.own && at.lane == 0, v, STRESS);
        small_pairs<P, struct md_energy>(j, s, all, at, rows, t);
        if (STRESS)
            small_pairs<P, struct md_tensor>(j, s, all, at, rows, t);
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
    s.part = s.v2 + 2 * nblocks;
    s.pos = (typename P::pos *)(raw + 64 + 16 * (nblocks + warps));
    s.list = (uint32_t *)(s.pos + 2 * j.natoms);
    return s;
}

/* Starts both phases of all mbarriers before any block sends data. */
template <class P, bool CLUSTER>
MD_DEV void small_begin(const struct md_launch &j, const struct small_shared<P> &s,
                        const struct small_place &at)
{
#if MD_HAS_CLUSTER
    if (CLUSTER) {
        if (threadIdx.x == 0) {
            for (int k = 0; k < 4; k++)
                md_bar_init(s.bar + k);
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
            for (int k = 0; k < 2; k++) {
                md_bar_expect(s.bar + k, (unsigned)(j.natoms * P::BYTES));
                md_bar_expect(s.bar + 2 + k, (unsigned)(at.nblocks * 8));
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
    at.axis = at.lane & 1 ? 2 : at.lane >> 1 & 1;
    int slot = threadIdx.x / j.lanes, mine = at.rank * j.per_block + slot;
    at.own = slot < j.per_block && mine < j.natoms;
    at.atom = at.own ? mine : j.natoms - 1;
    return at;
}

/* Returns the values x of the lanes that hold the three axes, for each group. */
template <bool WIDE, class T> MD_DEV void small_axes(const struct md_launch &j, T x, T out[3])
{
    int base = WIDE ? 0 : threadIdx.x & 31 & ~(j.lanes - 1);
    out[0] = __shfl_sync(~0u, x, base);
    out[1] = __shfl_sync(~0u, x, base + 2);
    out[2] = __shfl_sync(~0u, x, base + 1);
}

/* Performs a whole launch of small systems, with j.cluster blocks per system, j.per_block atoms per
 * block and j.lanes threads per atom. The block size is per_block * lanes, rounded up to warps.
 * Every block has a copy of all positions in shared memory. Forces come from all pairs or, if LIST
 * is set, from lists. A system of one block rebuilds lists when an atom has moved half the skin.
 * The blocks of a cluster do not share this information, so they rebuild their lists every
 * j.list_every steps and report the largest move to the host (md_small_kept). Results are
 * deterministic. All threads take part in every exchange. The last blocks of a cluster may own
 * fewer atoms. */
template <class P, bool LIST, bool WIDE, bool CLUSTER, bool STRESS, int MAX = 1024>
__global__ void __launch_bounds__(MAX, 1)
    md_small_kernel(const __grid_constant__ struct md_launch j)
{
    extern __shared__ __align__(16) unsigned char s_raw[];
    const struct small_place at = small_where(j);
    const struct small_shared<P> s = small_layout<P>(j, s_raw, at.nblocks);
    small_begin<P, CLUSTER>(j, s, at);
    size_t index = (at.replica * j.natoms + at.atom) * 3 + at.axis;
    double r = j.r_in[index], v = j.v_in[index], vv[3];
    const double len = j.box[at.axis], scale = j.fixed.pos_scale[at.axis];
    typename P::pos now, ref;
    int rows = -1, nsteps = (int)j.nsteps, next = (int)min(md_next(&j, -1), j.nsteps + 1),
        build = 0;
    float moved = 0.0f;
    const bool HEAD = LIST && MAX <= 512;
    uint32_t head[SMALL_HEAD / 2] = {0};
    for (int n = 0; at.rank < at.nblocks; n++) {
        typename P::scalar x[3];
        small_axes<WIDE>(j, P::component(r, scale), x);
        now = P::join(x[0], x[1], x[2]);
        bool far = small_publish<P, CLUSTER>(
            j, s, at, n & 1, now,
            LIST && !CLUSTER &&
                (n == 0 || md_list_due(j, n) || !(P::dist2(j, now, ref) <= j.move_r2)));
        if (LIST && CLUSTER && n != build)
            moved = fmaxf(moved, P::dist2(j, now, ref));
        small_wait<P, CLUSTER>(j, s, n);
        const typename P::pos *all = s.pos + (n & 1) * j.natoms;
        if (LIST && (CLUSTER ? n == build : far)) {
            rows = small_list<P, CLUSTER>(j, s, all, at);
            ref = now;
            build = n + j.list_every;
            if (j.rebuild)
                build = min(build, (int)((n / j.rebuild + 1) * j.rebuild));
            for (int k = 0; HEAD && k < SMALL_HEAD / 2; k++)
                head[k] = 2 * k < rows ? s.list[k * blockDim.x + threadIdx.x] : 0;
        }
        typename P::acc f = LIST ? small_force_list<P>(j, s, all, at, now, rows, HEAD ? head : NULL)
                                 : small_force<P, WIDE>(j, all, at, now);
        double a = (double)f * j.acc;
        if (n)
            v = v + a * j.kick2;
        if (n && j.tau_ratio > 0.0) {
            small_axes<WIDE>(j, v, vv);
            v = v * md_lambda(j, small_sum_v2<P, WIDE, CLUSTER>(j, s, at, md_v2(j, vv), n));
        }
        if (n == next) {
            small_axes<WIDE>(j, v, vv);
            next = small_sample<P, STRESS>(j, s, all, at, rows, n, r, vv);
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
        if (LIST && CLUSTER && at.lane == 0)
            atomicMax(&j.trouble->moved, __float_as_uint(moved));
    }
#if MD_HAS_CLUSTER
    if (CLUSTER)
        md_cluster_sync(); /* no block exits while others may still store into it */
#endif
}
