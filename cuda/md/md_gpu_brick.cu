/* SPDX-License-Identifier: MIT */
#include "md/md_brick_pairs.cuh"
#include "md/md_plan.h"

/* A brick of a block. Its n atoms begin at sorted place `first`. */
struct brick_work {
    int b, first, n, staged;
};

template <int MODE>
MD_DEV struct brick_work brick_pick(const struct md_launch &j, const struct brick_args &a, int b)
{
    struct brick_work w = {b, b * a.plan.own_cap, 0, 0};
    w.n = min(a.plan.own_cap, j.natoms - w.first);
    if (MODE != BRICK_ALL) {
        int4 info = a.mem.info[b];
        w.first = info.x;
        w.n = info.y;
        w.staged = info.z;
    }
    return w;
}

/* Copies a brick and its surroundings to shared memory. Synchronises before and after. */
template <class P, int MODE>
MD_DEV void brick_stage(const struct brick_args &a, const struct brick_shared<P> &s,
                        const struct brick_work &w, int pos)
{
    const typename P::pos *from = (const typename P::pos *)a.mem.pos[pos];
    const uint32_t *map = a.mem.map + (size_t)w.b * a.plan.staged_cap;
    __syncthreads();
#pragma unroll 4
    for (int l = threadIdx.x; l < w.staged; l += blockDim.x)
        s.pos[l] = from[map[l]];
    if (MODE == BRICK_CELLS && a.plan.rounds > 1)
        for (int l = threadIdx.x; l <= a.plan.hcell_cap; l += blockDim.x)
            s.cells[l] = a.mem.cells[(size_t)w.b * (a.plan.hcell_cap + 1) + l];
    __syncthreads();
}

/* Makes the lists of brick b, whose atoms are staged, in shared memory if they fit, and then copies
 * them. Returns true if there is not enough space. */
template <class P, bool RESIDENT>
MD_DEV bool brick_make_lists(const struct md_launch &j, const struct brick_args &a,
                             const struct brick_shared<P> &s, const struct brick_box &x,
                             const struct brick_work &w, const struct brick_now &now)
{
    const struct brick_plan &p = a.plan;
    const typename P::pos *pos = (const typename P::pos *)a.mem.pos[now.pos];
    int per_pass = blockDim.x / p.lanes, group = threadIdx.x / p.lanes, lane = threadIdx.x & 31;
    size_t size = (size_t)p.words_cap * 32;
    bool full = false;
    for (int i0 = 0; i0 < w.n; i0 += per_pass) {
        bool valid = i0 + group < w.n;
        int i = valid ? i0 + group : w.n - 1, warp = (i0 * p.lanes + (int)threadIdx.x) / 32, c[3];
        if (warp * 32 >= w.n * p.lanes) /* uniform in the warp */
            continue;
        brick_cell(j, p, pos[w.first + i], c);
        uint32_t *out = a.mem.lists + ((size_t)w.b * p.warps_cap + warp) * size;
        uint32_t *list = RESIDENT ? s.lists + warp * size : out;
        int words = brick_list<P, RESIDENT>(j, p, p.lanes, x, s.pos, s.cells, list, valid,
                                            a.mem.own[(size_t)w.b * p.own_cap + i], c);
        __syncwarp();
        for (int k = 0; RESIDENT && k < words; k++)
            out[k * 32 + lane] = list[k * 32 + lane];
        full = full || words < 0;
        if (lane == 0)
            a.mem.words[(size_t)w.b * p.warps_cap + warp] = (uint16_t)words;
    }
    return full;
}

/* Sorts the atoms, then stages each brick of this block and makes its lists. Returns false in all
 * blocks if something did not fit. */
template <class P, int MODE>
__device__ __noinline__ bool brick_build(const struct md_launch &j, const struct brick_args &a,
                                         const struct brick_shared<P> &s, struct brick_turn &t,
                                         struct brick_now &now)
{
    bool full = false;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        j.trouble->builds++;
    brick_sort<P>(j, a, t, now, s.start);
    for (int b = blockIdx.x; b < a.plan.nbricks; b += gridDim.x) {
        struct brick_box x = brick_extent(a.plan, b);
        __syncthreads();
        full = !brick_map(j, a, x, b, s.cells, s.start) || full;
        if (MODE != BRICK_LIST)
            continue;
        struct brick_work w = brick_pick<MODE>(j, a, b);
        brick_stage<P, MODE>(a, s, w, now.pos);
        full = (a.plan.resident ? brick_make_lists<P, true>(j, a, s, x, w, now)
                                : brick_make_lists<P, false>(j, a, s, x, w, now)) ||
               full;
    }
    return !brick_wait(a.mem, t, full);
}

/* Computes the pairs of one pass over the atoms of a brick. The atom has index i in the brick, and
 * the warp has index `warp` in its lists. */
template <class P, int MODE, class SUM>
MD_DEV void brick_pairs(const struct md_launch &j, const struct brick_args &a,
                        const struct brick_shared<P> &s, const struct brick_work &w, int i,
                        int warp, int pos, const typename P::pos &me, SUM *sum)
{
    const struct brick_plan &p = a.plan;
    if (MODE == BRICK_ALL) {
        brick_pairs_all<P>(j, p, (const typename P::pos *)a.mem.pos[pos], s, me, sum);
    } else if (MODE == BRICK_CELLS) {
        int c[3];
        /* cell of the last sort, since which atoms have moved less than half the skin */
        brick_cell(j, p, ((const typename P::pos *)a.mem.ref)[w.first + i], c);
        brick_pairs_cells<P>(j, p, brick_extent(p, w.b), s, c, me, sum);
    } else if (warp * 32 < w.n * p.lanes) {
        size_t at = (size_t)w.b * p.warps_cap + warp;
        brick_pairs_list<P, SUM, SUM::BATCH>(j, s.pos, a.mem.lists + at * p.words_cap * 32,
                                             a.mem.words[at], me, sum);
    }
}

/* Computes the sums over pairs of one staged brick for a sample, if a sample is due. This separate
 * pass is not inlined, because the loop over steps needs the registers. */
template <class P, int MODE>
__device__ __noinline__ void brick_sums(const struct md_launch &j, const struct brick_args &a,
                                        const struct brick_shared<P> s, int b, int pos, long long n)
{
    unsigned due = md_due_now(&j, n);
    if (!(due & MD_WANT_THERMO))
        return;
    long long *t = j.totals + md_row(&j, j.sums, n, j.replica) * MD_NTOTALS;
    const struct brick_work w = brick_pick<MODE>(j, a, b);
    int lanes = a.plan.lanes, group = threadIdx.x / lanes;
    for (int i0 = 0; i0 < w.n; i0 += blockDim.x / lanes) {
        bool valid = i0 + group < w.n;
        int i = valid ? i0 + group : w.n - 1, warp = (i0 * lanes + (int)threadIdx.x) / 32;
        const typename P::pos me = ((const typename P::pos *)a.mem.pos[pos])[(size_t)w.first + i];
        struct md_energy e = {0, 0, 0};
        brick_pairs<P, MODE>(j, a, s, w, i, warp, pos, me, &e);
        md_add_pairs(t, valid, e);
        if (due & MD_WANT_STRESS) {
            struct md_tensor ab = {{0}};
            brick_pairs<P, MODE>(j, a, s, w, i, warp, pos, me, &ab);
            md_add_pairs(t, valid, ab);
        }
    }
}

/* Finishes step n for one atom, with sorted place g and number id, whose velocity is complete. Adds
 * it to a sample, and then stores it or begins the next step. Whole warps must call it, with
 * `counts` set in one lane per atom. Returns true if the atom has moved half the skin. */
template <class P, int MODE>
MD_DEV bool brick_tail(const struct md_launch &j, const struct brick_args &a,
                       const struct brick_now &now, long long n, bool due, size_t g, size_t id,
                       bool counts, double r[3], double v[3], const typename P::acc f[3])
{
    size_t na = j.natoms;
    if (due) {
        const double r0[3] = {r[0], r[1], r[2]}, v0[3] = {v[0], v[1], v[2]};
        brick_sample<P>(j, n, id, counts, r0, v0);
    }
    if (!counts)
        return false;
    if (n == j.nsteps) {
        for (int k = 0; k < 3; k++) {
            j.r_out[id * 3 + k] = r[k];
            j.v_out[id * 3 + k] = v[k];
            a.mem.v[now.state][k * na + g] = v[k]; /* complete: the next launch may continue here */
        }
        return false;
    }
    bool sane = true, soft = true;
    for (int k = 0; k < 3; k++) {
        v[k] = v[k] + (double)f[k] * j.acc * j.kick1;
        sane = md_move(j, r[k], v[k], j.box[k]) && sane;
        soft = soft && P::soft(f[k]);
        a.mem.r[now.state][k * na + g] = r[k];
        a.mem.v[now.state][k * na + g] = v[k];
    }
    if (!(sane && soft))
        md_report(j, n, sane ? MD_BAD_FORCE : MD_BAD_MOVE);
    typename P::pos to = P::make(j, r, (int)id);
    ((typename P::pos *)a.mem.pos[!now.pos])[g] = to;
    return MODE != BRICK_ALL &&
           !(P::dist2(j, to, ((const typename P::pos *)a.mem.ref)[g]) <= a.plan.move_r2);
}

/* Computes the forces on all atoms of one brick at step n. Without a thermostat, finishes the step.
 * With a thermostat, stores velocities and forces, and adds v² to `sum`. */
template <class P, int MODE>
MD_DEV bool brick_step(const struct md_launch &j, const struct brick_args &a,
                       const struct brick_shared<P> &s, const struct brick_work &w,
                       const struct brick_now &now, long long n, bool due, long long *sum)
{
    int lanes = a.plan.lanes, per_pass = blockDim.x / lanes, group = threadIdx.x / lanes;
    size_t na = j.natoms;
    bool far = false;
    for (int i0 = 0; i0 < w.n; i0 += per_pass) {
        bool valid = i0 + group < w.n, counts = valid && (threadIdx.x & (lanes - 1)) == 0;
        int i = valid ? i0 + group : w.n - 1, warp = (i0 * lanes + (int)threadIdx.x) / 32;
        size_t g = (size_t)w.first + i;
        const typename P::pos me = ((const typename P::pos *)a.mem.pos[now.pos])[g];
        double r[3], v[3];
        for (int k = 0; k < 3; k++) {
            r[k] = a.mem.r[now.state][k * na + g];
            v[k] = a.mem.v[now.state][k * na + g];
        }
        struct brick_force<P> sum_f = {
            {
                0, 0, 0
            }
        };
        typename P::acc(&f)[3] = sum_f.f;
        brick_pairs<P, MODE>(j, a, s, w, i, warp, now.pos, me, &sum_f);
        for (int k = 0; k < 3; k++) {
            f[k] = md_group_sum(f[k], lanes);
            if (n)
                v[k] = v[k] + (double)f[k] * j.acc * j.kick2;
            if (j.forces && n == 0 && counts)
                j.forces[(size_t)me.w * 3 + k] = (double)f[k];
        }
        if (j.tau_ratio > 0.0) {
            for (int k = 0; counts && k < 3; k++) {
                a.mem.v[now.state][k * na + g] = v[k];
                a.mem.f[k * na + g] = f[k];
            }
            *sum += counts ? md_v2(j, v) : 0;
        } else {
            far = brick_tail<P, MODE>(j, a, now, n, due, g, (size_t)me.w, counts, r, v, f) || far;
        }
    }
    return far;
}

/* Does the second half of step n of one brick with a thermostat, with scaled velocities. Uses one
 * thread per atom. */
template <class P, int MODE>
MD_DEV bool brick_scaled(const struct md_launch &j, const struct brick_args &a,
                         const struct brick_work &w, const struct brick_now &now, long long n,
                         bool due, double lambda)
{
    size_t na = j.natoms;
    bool far = false;
    for (int i0 = 0; i0 < w.n; i0 += blockDim.x) {
        bool valid = i0 + (int)threadIdx.x < w.n;
        size_t g = (size_t)w.first + (valid ? i0 + threadIdx.x : w.n - 1);
        double r[3], v[3];
        typename P::acc f[3];
        for (int k = 0; k < 3; k++) {
            r[k] = a.mem.r[now.state][k * na + g];
            v[k] = a.mem.v[now.state][k * na + g] * lambda;
            f[k] = (typename P::acc)a.mem.f[k * na + g];
        }
        size_t id = (size_t)((const typename P::pos *)a.mem.pos[now.pos])[g].w;
        far = brick_tail<P, MODE>(j, a, now, n, due, g, id, valid, r, v, f) || far;
    }
    return far;
}

/* Calls md_next() without inlining, because its divisions would take registers from the loop. */
__device__ __noinline__ long long brick_next(const struct md_launch &j, long long n)
{
    return md_next(&j, n);
}

/* A whole launch, with every step of every atom and all list builds. All blocks wait for each other
 * once per step, or twice with a thermostat, and more often in list builds. The launch is
 * cooperative, with at most as many blocks as run at once. Their number does not affect results. */
template <class P, int MODE>
__global__ void __launch_bounds__(BRICK_THREADS, 1)
    md_brick_kernel(const __grid_constant__ struct md_launch j,
                    const __grid_constant__ struct brick_args a)
{
    extern __shared__ __align__(16) unsigned char s_raw[];
    struct brick_shared<P> s = brick_layout<P>(a.plan, s_raw);
    struct brick_turn t = {0, {0, 0}};
    struct brick_now now = {0, 0};
    bool rebuild = MODE != BRICK_ALL;
    long long next = md_next(&j, -1);
    if (a.go_on) {
        now.pos = a.mem.held[0];
        now.state = a.mem.held[1];
        rebuild = false;
    } else {
        brick_load<P>(j, a.mem);
    }
    brick_wait(a.mem, t, false);
    for (long long n = 0; n <= j.nsteps; n++) {
        bool far = false, due = n == next;
        long long v2 = 0;
        if (rebuild) { /* uses copies, so that the originals stay in registers */
            struct brick_turn u = t;
            struct brick_now w = now;
            bool fits = brick_build<P, MODE>(j, a, s, u, w);
            t = u;
            now = w;
            if (!fits)
                return; /* md_trouble() states what did not fit */
        }
        for (int b = blockIdx.x; b < a.plan.nbricks; b += gridDim.x) {
            struct brick_work w = brick_pick<MODE>(j, a, b);
            if (MODE != BRICK_ALL)
                brick_stage<P, MODE>(a, s, w, now.pos);
            if (due)
                brick_sums<P, MODE>(j, a, s, b, now.pos, n);
            far = brick_step<P, MODE>(j, a, s, w, now, n, due, &v2) || far;
        }
        if (j.tau_ratio > 0.0) {
            double lambda = brick_lambda(j, a.mem, t, n, v2);
            for (int b = blockIdx.x; b < a.plan.nbricks; b += gridDim.x)
                far = brick_scaled<P, MODE>(j, a, brick_pick<MODE>(j, a, b), now, n, due, lambda) ||
                      far;
        }
        if (due)
            next = brick_next(j, n);
        rebuild = brick_wait(a.mem, t, far || (MODE == BRICK_LIST && md_list_due(j, n + 1)));
        now.pos = !now.pos;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        a.mem.held[0] = !now.pos;
        a.mem.held[1] = now.state;
    }
}

/* ---- host */

template <class P> static const void *brick_kernel(enum brick_mode mode)
{
    return mode == BRICK_LIST    ? (const void *)md_brick_kernel<P, BRICK_LIST>
           : mode == BRICK_CELLS ? (const void *)md_brick_kernel<P, BRICK_CELLS>
                                 : (const void *)md_brick_kernel<P, BRICK_ALL>;
}

const void *md_brick_kernel_of(const struct md *m)
{
    enum brick_mode mode = brick_args_of(m)->plan.mode;
    return m->p.precision == MD_DOUBLE ? brick_kernel<md_f64>(mode)
           : m->kind == MD_CUBIC       ? brick_kernel<md_mixed<MD_CUBIC>>(mode)
           : m->kind == MD_SHIFTED     ? brick_kernel<md_mixed<MD_SHIFTED>>(mode)
                                       : brick_kernel<md_mixed<0>>(mode);
}

static int brick_go(struct md *m, const struct md_launch *j)
{
    struct brick_args *a = &m->brick->args;
    void *args[] = {(void *)j, (void *)a};
    const void *kernel = a->plan.single ? md_single_kernel_of(m) : md_brick_kernel_of(m);
    if (TRY(&m->info.err, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               (int)a->plan.shared)) ||
        TRY(&m->info.err,
            cudaMemsetAsync(a->mem.count, 0, sizeof(int) * (size_t)a->plan.ncells, m->stream)) ||
        TRY(&m->info.err, cudaMemsetAsync(a->mem.turns, 0, 512, m->stream)) /* also v2 */ ||
        TRY(&m->info.err, cudaLaunchCooperativeKernel(kernel, dim3((unsigned)a->plan.blocks),
                                                      dim3((unsigned)a->plan.threads), args,
                                                      a->plan.shared, m->stream)))
        return -1;
    return 0;
}

/* Runs replicas one after the other. A single system in the general kernel continues with the
 * sorted atoms and lists of the previous launch if that had no trouble. */
int md_brick_launch(struct md *m, const struct md_launch *all)
{
    struct md_brick *b = m->brick;
    b->args.go_on = b->held;
    b->held = all->replicas == 1 && b->args.plan.mode == BRICK_LIST && !b->args.plan.single;
    for (int k = 0; k < all->replicas; k++) {
        struct md_launch j = *all;
        size_t at = (size_t)k * 3 * (size_t)all->natoms;
        j.replica = k;
        j.r_in += at;
        j.v_in += at;
        j.r_out += at;
        j.v_out += at;
        if (j.forces)
            j.forces += at;
        if (brick_go(m, &j))
            return -1;
    }
    return 0;
}
