/* SPDX-License-Identifier: MIT */
#include "md/md_brick_pairs.cuh"
#include "md/md_plan.h"

/* Number of atoms that a thread stages and whose places it keeps in registers. With fewer threads,
 * each thread has more. */
MD_DEV constexpr int single_maps(int threads)
{
    return threads == SINGLE_FEW ? 6 : 4;
}

/* State of the atom of a thread between list builds. All lanes of an atom have the same values. */
template <class P, int THREADS> struct single_atom {
    double r[3], v[3];
    typename P::pos ref;   /* position at the list build, where w is the number of the atom */
    size_t g;              /* place in sorted order */
    int me, words, staged; /* me: staged place; words: of the warp's list; staged: atoms of block */
    int lanes;             /* lanes per atom of its warp; for exceptions see single_place */
    bool valid, counts;    /* the atom exists; this lane represents it */
    /* sorted places of the atoms that this thread stages first */
    uint32_t map[single_maps(THREADS)];
};

template <class P, int THREADS>
MD_DEV void single_stage(const struct brick_args &a, const struct single_atom<P, THREADS> &x,
                         typename P::pos *s_pos, int pos)
{
    enum { MAPS = single_maps(THREADS) };
    const typename P::pos *from = (const typename P::pos *)a.mem.pos[pos];
    const uint32_t *map = a.mem.map + (size_t)blockIdx.x * a.plan.staged_cap;
    typename P::pos p[MAPS];
#pragma unroll
    for (int k = 0; k < MAPS; k++)
        if ((int)(threadIdx.x + k * blockDim.x) < x.staged)
            p[k] = from[x.map[k]];
#pragma unroll
    for (int k = 0; k < MAPS; k++)
        if ((int)(threadIdx.x + k * blockDim.x) < x.staged)
            s_pos[threadIdx.x + k * blockDim.x] = p[k];
    for (int l = threadIdx.x + MAPS * blockDim.x; l < x.staged; l += blockDim.x)
        s_pos[l] = from[map[l]];
    __syncthreads();
}

template <class P, bool RESIDENT>
MD_DEV uint32_t *single_list(const struct brick_args &a, const struct brick_shared<P> &s)
{
    size_t warp = threadIdx.x / 32, size = (size_t)a.plan.words_cap * 32;
    return RESIDENT ? s.lists + warp * size
                    : a.mem.lists + (blockIdx.x * (size_t)a.plan.warps_cap + warp) * size;
}

/* Finds the index of the atom of this thread among the n atoms of the block (possibly n or more),
 * and the lanes per atom in its warp. If an atom usually has one lane, atoms beyond a multiple of
 * 128 are divided among the lanes of four more warps. Otherwise one warp with a few atoms would
 * occupy a quarter of the multiprocessor as long as a full warp does. */
template <int THREADS> MD_DEV int single_place(const struct brick_plan &p, int n, int *lanes)
{
    int whole = n & ~127, t = (int)threadIdx.x - whole,
        capacity = min(128, (int)blockDim.x - whole);
    *lanes = p.lanes;
    if (THREADS == SINGLE_THREADS)
        return threadIdx.x / p.lanes;
    if (t < 0)
        return threadIdx.x;
    while (*lanes < 32 && (n - whole) * *lanes * 2 <= capacity)
        *lanes *= 2;
    return whole + t / *lanes;
}

/* Sorts and stages the atoms, finds the atom of this thread and makes its list. Returns false in
 * all blocks if something did not fit. */
template <class P, bool RESIDENT, int THREADS>
__device__ __noinline__ bool single_build(const struct md_launch &j, const struct brick_args &a,
                                          const struct brick_shared<P> &s, struct brick_turn &t,
                                          struct brick_now &now, struct single_atom<P, THREADS> &x)
{
    enum { MAPS = single_maps(THREADS) };
    const struct brick_plan &p = a.plan;
    const struct brick_memory &m = a.mem;
    size_t na = j.natoms, b = blockIdx.x;
    if (b == 0 && threadIdx.x == 0)
        j.trouble->builds++;
    for (int k = 0; x.counts && k < 3; k++) {
        m.r[now.state][k * na + x.g] = x.r[k];
        m.v[now.state][k * na + x.g] = x.v[k];
    }
    brick_sort<P>(j, a, t, now, s.start);
    struct brick_box box = brick_extent(p, b);
    bool full = !brick_map(j, a, box, b, s.cells, s.start);
    int4 info = m.info[b];
    int i = single_place<THREADS>(p, info.y, &x.lanes), c[3];
    x.valid = i < info.y;
    x.counts = x.valid && (threadIdx.x & (x.lanes - 1)) == 0;
    i = x.valid ? i : max(info.y - 1, 0);
    x.g = (size_t)info.x + i;
    x.me = info.y ? m.own[b * p.own_cap + i] : 0;
    x.staged = info.z;
    for (int k = 0; k < MAPS; k++)
        if ((int)(threadIdx.x + k * blockDim.x) < x.staged)
            x.map[k] = m.map[b * p.staged_cap + threadIdx.x + k * blockDim.x];
    single_stage<P, THREADS>(a, x, s.pos, now.pos);
    x.words = 0;
    if (info.y) {
        for (int k = 0; k < 3; k++) {
            x.r[k] = m.r[now.state][k * na + x.g];
            x.v[k] = m.v[now.state][k * na + x.g];
        }
        x.ref = s.pos[x.me];
        brick_cell(j, p, x.ref, c);
        if (__any_sync(~0u, x.valid))
            x.words = brick_list<P, RESIDENT>(j, p, x.lanes, box, s.pos, s.cells,
                                              single_list<P, RESIDENT>(a, s), x.valid, x.me, c);
    }
    return !brick_wait(m, t, full || x.words < 0);
}

/* Computes the sums over pairs of the atom of this lane for a sample, if one is due (me and words
 * of single_atom). */
template <class P>
MD_DEV void single_sums(const struct md_launch &j, long long n, const typename P::pos *s_pos,
                        const uint32_t *list, int place, int words, bool valid)
{
    unsigned due = md_due_now(&j, n);
    if (!(due & MD_WANT_THERMO))
        return;
    long long *t = j.totals + md_row(&j, j.sums, n, j.replica) * MD_NTOTALS;
    const typename P::pos me = P::load(s_pos + place);
    struct md_energy e = {0, 0, 0};
    brick_pairs_list<P, struct md_energy, 1>(j, s_pos, list, words, me, &e);
    md_add_pairs(t, valid, e);
    if (due & MD_WANT_STRESS) {
        struct md_tensor ab = {{0}};
        brick_pairs_list<P, struct md_tensor, 1>(j, s_pos, list, words, me, &ab);
        md_add_pairs(t, valid, ab);
    }
}

/* A whole launch with one brick per block and one atom per group of lanes. The state is in
 * registers, and lists are in shared memory (RESIDENT) or read from the L2 cache. All blocks wait
 * for each other once per step, or twice with a thermostat, and more often if lists are built. The
 * launch is cooperative, with one block per brick. The trajectory does not depend on bricks, lanes
 * or lists. */
template <class P, bool RESIDENT, int THREADS>
__global__ void __launch_bounds__(THREADS, 1)
    md_single_kernel(const __grid_constant__ struct md_launch j,
                     const __grid_constant__ struct brick_args a)
{
    extern __shared__ __align__(16) unsigned char s_raw[];
    struct brick_shared<P> s = brick_layout<P>(a.plan, s_raw);
    struct brick_turn t = {0, {0, 0}};
    struct brick_now now = {0, 0};
    struct single_atom<P, THREADS> x;
    bool rebuild = true;
    long long next = md_next(&j, -1);
    x.counts = false;
    brick_load<P>(j, a.mem);
    brick_wait(a.mem, t, false);
    for (long long n = 0;; n++) {
        if (rebuild) { /* uses copies, so that the originals stay in registers */
            struct single_atom<P, THREADS> y = x;
            struct brick_turn u = t;
            struct brick_now w = now;
            bool fits = single_build<P, RESIDENT, THREADS>(j, a, s, u, w, y);
            x = y;
            t = u;
            now = w;
            if (!fits)
                return; /* md_trouble() states what did not fit */
        } else {
            single_stage<P, THREADS>(a, x, s.pos, now.pos);
        }
        const uint32_t *list = single_list<P, RESIDENT>(a, s);
        if (n == next)
            single_sums<P>(j, n, s.pos, list, x.me, x.words, x.valid);
        const typename P::pos me = P::load(s.pos + x.me);
        struct brick_force<P> sum = {
            {
                0, 0, 0
            }
        };
        typename P::acc(&f)[3] = sum.f;
        brick_pairs_list<P, struct brick_force<P>, THREADS == SINGLE_FEW ? 4 : 2>(
            j, s.pos, list, x.words, me, &sum);
        for (int k = 0; k < 3; k++) {
            f[k] = md_group_sum(f[k], THREADS == SINGLE_THREADS ? a.plan.lanes : x.lanes);
            if (n)
                x.v[k] = x.v[k] + (double)f[k] * j.acc * j.kick2;
        }
        if (j.tau_ratio > 0.0) {
            double lambda = brick_lambda(j, a.mem, t, n, x.counts ? md_v2(j, x.v) : 0);
            for (int k = 0; k < 3; k++)
                x.v[k] = x.v[k] * lambda;
        }
        if (n == next) {
            const double r[3] = {x.r[0], x.r[1], x.r[2]}, v[3] = {x.v[0], x.v[1], x.v[2]};
            next = brick_sample<P>(j, n, (size_t)x.ref.w, x.counts, r, v);
            for (int k = 0; j.forces && x.counts && k < 3; k++)
                j.forces[(size_t)x.ref.w * 3 + k] = (double)f[k];
        }
        if (n == j.nsteps)
            break;
        bool sane = true, soft = true;
        for (int k = 0; k < 3; k++) {
            x.v[k] = x.v[k] + (double)f[k] * j.acc * j.kick1;
            sane = md_move(j, x.r[k], x.v[k], j.box[k]) && sane;
            soft = soft && P::soft(f[k]);
        }
        if (x.counts && !(sane && soft))
            md_report(j, n, sane ? MD_BAD_FORCE : MD_BAD_MOVE);
        typename P::pos to = P::make(j, x.r, (int)x.ref.w);
        if (x.counts)
            ((typename P::pos *)a.mem.pos[!now.pos])[x.g] = to;
        rebuild = brick_wait(a.mem, t,
                             md_list_due(j, n + 1) ||
                                 (x.counts && !(P::dist2(j, to, x.ref) <= a.plan.move_r2)));
        now.pos = !now.pos;
    }
    for (int k = 0; x.counts && k < 3; k++) {
        j.r_out[(size_t)x.ref.w * 3 + k] = x.r[k];
        j.v_out[(size_t)x.ref.w * 3 + k] = x.v[k];
    }
}

template <class P> static const void *single_kernel(const struct brick_plan &p)
{
    return p.lanes == 1 ? p.resident ? (const void *)md_single_kernel<P, true, SINGLE_FEW>
                                     : (const void *)md_single_kernel<P, false, SINGLE_MANY>
           : p.resident ? (const void *)md_single_kernel<P, true, SINGLE_THREADS>
                        : (const void *)md_single_kernel<P, false, SINGLE_THREADS>;
}

const void *md_single_kernel_of(const struct md *m)
{
    const struct brick_plan &p = brick_args_of(m)->plan;
    return m->p.precision == MD_DOUBLE ? single_kernel<md_f64>(p)
           : m->kind == MD_CUBIC       ? single_kernel<md_mixed<MD_CUBIC>>(p)
           : m->kind == MD_SHIFTED     ? single_kernel<md_mixed<MD_SHIFTED>>(p)
                                       : single_kernel<md_mixed<0>>(p);
}
