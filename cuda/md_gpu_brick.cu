/* SPDX-License-Identifier: MIT */
#include "md_brick_build.h"
#include "md_engine.h"
#include "md_plan.h"

/* Shared memory of a block. */
template <class P> struct brick_shared {
    typename P::pos *pos; /* [staged_cap] */
    int *cells;           /* [hcell_cap + 1] */
    uint32_t *lists;      /* [warps_cap][words_cap][32] when resident */
};

template <class P> MD_DEV struct brick_shared<P> brick_layout(const struct brick_plan &p, unsigned char *raw)
{
    struct brick_shared<P> s;
    s.pos = (typename P::pos *)raw;
    s.lists = (uint32_t *)(s.pos + p.staged_cap);
    s.cells = (int *)(s.lists + (p.resident ? (size_t)p.warps_cap * p.words_cap * 32 : 0));
    return s;
}

/* One of a block's bricks: own atoms are first .. first + n - 1 in sorted order. */
struct brick_work {
    struct brick_box box;
    int b, first, n;
};

MD_DEV struct brick_work brick_of(const struct brick_args &a, int b)
{
    struct brick_work w;
    w.b = b;
    w.box = brick_extent(a.plan, b);
    w.first = a.mem.start[w.box.first];
    w.n = a.mem.start[w.box.first + w.box.n[0] * w.box.n[1] * w.box.n[2]] - w.first;
    if (a.mem.staged[b] < 0)
        w.n = 0; /* did not fit: the launch is void */
    return w;
}

template <class P> MD_DEV uint32_t *brick_lists(const struct brick_args &a, const struct brick_shared<P> &s, int b)
{
    size_t size = (size_t)a.plan.warps_cap * a.plan.words_cap * 32;
    return a.plan.resident ? s.lists : a.mem.lists + b * size;
}

/* Copy a brick and what surrounds it into shared memory. Syncs before and after. */
template <class P> MD_DEV void brick_stage(const struct brick_args &a, const struct brick_shared<P> &s, int b, int pos)
{
    const typename P::pos *from = (const typename P::pos *)a.mem.pos[pos];
    const uint32_t *map = a.mem.map + (size_t)b * a.plan.staged_cap;
    int n = a.mem.staged[b];
    __syncthreads();
    for (int l = threadIdx.x; l < n; l += blockDim.x)
        s.pos[l] = from[map[l]];
    if (a.plan.mode == BRICK_CELLS && a.plan.rounds > 1)
        for (int l = threadIdx.x; l <= a.plan.hcell_cap; l += blockDim.x)
            s.cells[l] = a.mem.cells[(size_t)b * (a.plan.hcell_cap + 1) + l];
    __syncthreads();
}

/* Sort, then for each brick of this block: what it stages, and its lists. False in all blocks: something did not fit. */
template <class P> MD_DEV bool brick_build(const struct md_job &j, const struct brick_args &a,
                                           const struct brick_shared<P> &s, struct brick_turn &t, struct brick_now &now)
{
    const struct brick_plan &p = a.plan;
    bool full = false;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        j.trouble->builds++;
    brick_sort<P>(j, a, t, now);
    for (int b = blockIdx.x; b < p.nbricks; b += gridDim.x) {
        struct brick_box x = brick_extent(p, b);
        __syncthreads();
        full = !brick_map(j, a, x, b, s.cells) || full;
        if (p.mode != BRICK_LIST)
            continue;
        struct brick_work w = brick_of(a, b);
        brick_stage<P>(a, s, b, now.pos);
        int per_pass = blockDim.x / p.lanes, group = threadIdx.x / p.lanes;
        const typename P::pos *pos = (const typename P::pos *)a.mem.pos[now.pos];
        for (int i0 = 0; i0 < w.n; i0 += per_pass) {
            bool valid = i0 + group < w.n;
            int i = valid ? i0 + group : w.n - 1, warp = (i0 * p.lanes + (int)threadIdx.x) / 32, c[3];
            if (warp * 32 >= w.n * p.lanes) /* the same for the whole warp */
                continue;
            brick_cell(j, p, pos[w.first + i], c);
            uint32_t *list = brick_lists<P>(a, s, b) + (size_t)warp * p.words_cap * 32;
            int words = brick_list<P>(j, p, x, s.pos, s.cells, list, valid, a.mem.own[(size_t)b * p.own_cap + i], c);
            full = full || words < 0;
            if ((threadIdx.x & 31) == 0)
                a.mem.words[(size_t)b * p.warps_cap + warp] = (uint16_t)words;
        }
    }
    return !brick_wait(a.mem, t, full);
}

/* Forces, or energies, of one lane's pairs from its list. */
template <class P, bool ENERGY> MD_DEV void brick_pairs_list(const struct md_job &j, const typename P::pos *s_pos,
                                                             const uint32_t *list, int words, const typename P::pos &me,
                                                             typename P::acc f[3], struct md_energy *e)
{
#pragma unroll 2
    for (int k = 0; k < words; k++) {
        uint32_t w = list[k * 32 + (threadIdx.x & 31)];
        const typename P::pos a = s_pos[w & 0xffff], b = s_pos[w >> 16];
        if (ENERGY) {
            if (a.w != me.w)
                P::pair_energy(j, me, a, e);
            if (b.w != me.w)
                P::pair_energy(j, me, b, e);
        } else {
            P::pair(j, me, a, f);
            P::pair(j, me, b, f);
        }
    }
}

/* The same from the cells around. */
template <class P, bool ENERGY> MD_DEV void brick_pairs_cells(const struct md_job &j, const struct brick_plan &p,
                                                              const struct brick_box &x, const struct brick_shared<P> &s,
                                                              const int c[3], const typename P::pos &me,
                                                              typename P::acc f[3], struct md_energy *e)
{
    int lo[3], n[3];
    brick_stencil(p, x, c, lo, n);
    for (int row = 0; row < n[1] * n[2]; row++) {
        const int *cell = s.cells + ((lo[2] + row / n[1]) * x.h[1] + lo[1] + row % n[1]) * x.h[0] + lo[0];
        for (int q = cell[0] + (threadIdx.x & (p.lanes - 1)), end = cell[n[0]]; q < end; q += p.lanes) {
            if (!ENERGY)
                P::pair(j, me, s.pos[q], f);
            else if (s.pos[q].w != me.w)
                P::pair_energy(j, me, s.pos[q], e);
        }
    }
}

/* Every pair: tiles of all atoms pass through shared memory. Syncs: the whole block takes part. */
template <class P, bool ENERGY> MD_DEV void brick_pairs_all(const struct md_job &j, const struct brick_plan &p,
                                                            const typename P::pos *all, const struct brick_shared<P> &s,
                                                            const typename P::pos &me, typename P::acc f[3],
                                                            struct md_energy *e)
{
    for (int t0 = 0; t0 < j.natoms; t0 += p.staged_cap) {
        int n = min(p.staged_cap, j.natoms - t0);
        __syncthreads();
        for (int l = threadIdx.x; l < n; l += blockDim.x)
            s.pos[l] = all[t0 + l];
        __syncthreads();
        for (int q = threadIdx.x & (p.lanes - 1); q < n; q += p.lanes) {
            if (!ENERGY)
                P::pair(j, me, s.pos[q], f);
            else if (s.pos[q].w != me.w)
                P::pair_energy(j, me, s.pos[q], e);
        }
    }
}

/* The pairs of one pass of a brick's atoms, by the method of the plan. i: the atom's place among the brick's own. */
template <class P, bool ENERGY> MD_DEV void brick_pairs(const struct md_job &j, const struct brick_args &a,
                                                        const struct brick_shared<P> &s, const struct brick_work &w,
                                                        int i, int pass_warp, int pos, const typename P::pos &me,
                                                        typename P::acc f[3], struct md_energy *e)
{
    const struct brick_plan &p = a.plan;
    if (p.mode == BRICK_ALL) {
        brick_pairs_all<P, ENERGY>(j, p, (const typename P::pos *)a.mem.pos[pos], s, me, f, e);
    } else if (p.mode == BRICK_CELLS) {
        int c[3];
        /* the cell of the last sort: atoms have moved by less than half of the skin since */
        brick_cell(j, p, ((const typename P::pos *)a.mem.ref)[w.first + i], c);
        brick_pairs_cells<P, ENERGY>(j, p, w.box, s, c, me, f, e);
    } else if (pass_warp * 32 < w.n * p.lanes) {
        const uint32_t *list = brick_lists<P>(a, s, w.b) + (size_t)pass_warp * p.words_cap * 32;
        brick_pairs_list<P, ENERGY>(j, s.pos, list, a.mem.words[(size_t)w.b * p.warps_cap + pass_warp], me, f, e);
    }
}

/*
 * The rest of step n for one atom (sorted place g) whose velocity is complete: sample, leave, or kick and move on.
 * Whole warps take part; `counts` in one lane of each atom. Returns whether the atom has used up its half of the skin.
 */
template <class P> MD_DEV bool brick_tail(const struct md_job &j, const struct brick_args &a, const struct brick_now &now,
                                          long long n, size_t g, bool counts, double r[3], double v[3],
                                          const typename P::acc f[3])
{
    size_t na = j.natoms, id = (size_t)((const typename P::pos *)a.mem.pos[now.pos])[g].w;
    if (md_due(&j, n)) {
        size_t row = md_row(&j, n, j.replica);
        for (int k = 0; counts && k < 3; k++)
            md_put(j, (row * na + id) * 3 + k, r[k], k);
        if (j.want & MD_WANT_THERMO)
            md_add_totals(j, j.totals + row * MD_NTOTALS, counts, v, md_energy());
    }
    if (!counts)
        return false;
    if (n == j.nsteps) {
        for (int k = 0; k < 3; k++) {
            j.r_out[id * 3 + k] = r[k];
            j.v_out[id * 3 + k] = v[k];
        }
        return false;
    }
    bool sane = true, soft = true;
    for (int k = 0; k < 3; k++) {
        v[k] = v[k] + (double)f[k] * j.acc * j.kick1;
        sane = md_move(j, r[k], v[k], j.box[k]) && sane;
        soft = soft && llabs((long long)f[k]) >> P::FORCE_BITS == 0;
        a.mem.r[now.state][k * na + g] = r[k];
        a.mem.v[now.state][k * na + g] = v[k];
    }
    if (!(sane && soft))
        md_report(j, n, sane ? MD_BAD_FORCE : MD_BAD_MOVE);
    typename P::pos to = P::make(j, r, (int)id);
    ((typename P::pos *)a.mem.pos[!now.pos])[g] = to;
    return a.plan.mode != BRICK_ALL && !(P::dist2(j, to, ((const typename P::pos *)a.mem.ref)[g]) <= a.plan.move_r2);
}

/*
 * Forces of all atoms of one brick at step n, and, without a thermostat, the rest of the step. With one, velocities and
 * forces go to memory, and sum gets their v².
 */
template <class P> MD_DEV bool brick_step(const struct md_job &j, const struct brick_args &a,
                                          const struct brick_shared<P> &s, const struct brick_work &w,
                                          const struct brick_now &now, long long n, long long *sum)
{
    int lanes = a.plan.lanes, per_pass = blockDim.x / lanes, group = threadIdx.x / lanes;
    size_t na = j.natoms;
    bool far = false;
    for (int i0 = 0; i0 < w.n; i0 += per_pass) {
        bool valid = i0 + group < w.n, counts = valid && (threadIdx.x & (lanes - 1)) == 0;
        int i = valid ? i0 + group : w.n - 1, pass_warp = (i0 * lanes + (int)threadIdx.x) / 32;
        size_t g = (size_t)w.first + i;
        const typename P::pos me = ((const typename P::pos *)a.mem.pos[now.pos])[g];
        double r[3], v[3];
        for (int k = 0; k < 3; k++) {
            r[k] = a.mem.r[now.state][k * na + g];
            v[k] = a.mem.v[now.state][k * na + g];
        }
        typename P::acc f[3] = {0, 0, 0};
        brick_pairs<P, false>(j, a, s, w, i, pass_warp, now.pos, me, f, NULL);
        for (int k = 0; k < 3; k++) {
            f[k] = md_warp_sum(f[k], lanes);
            if (n)
                v[k] = v[k] + (double)f[k] * j.acc * j.kick2;
            if (j.forces && n == 0 && counts)
                j.forces[(size_t)me.w * 3 + k] = (double)f[k];
        }
        if (md_due(&j, n) && (j.want & MD_WANT_THERMO)) {
            struct md_energy e = {0, 0, 0};
            brick_pairs<P, true>(j, a, s, w, i, pass_warp, now.pos, me, NULL, &e);
            md_add_totals(j, j.totals + md_row(&j, n, j.replica) * MD_NTOTALS, false, v, valid ? e : md_energy());
        }
        if (j.tau_ratio > 0.0) {
            for (int k = 0; counts && k < 3; k++) {
                a.mem.v[now.state][k * na + g] = v[k];
                a.mem.f[k * na + g] = f[k];
            }
            *sum += counts ? md_v2(j, v) : 0;
        } else {
            far = brick_tail<P>(j, a, now, n, g, counts, r, v, f) || far;
        }
    }
    return far;
}

/* With a thermostat: the second half of step n of one brick, velocities scaled. One thread an atom. */
template <class P> MD_DEV bool brick_scaled(const struct md_job &j, const struct brick_args &a, const struct brick_work &w,
                                            const struct brick_now &now, long long n, double lambda)
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
        far = brick_tail<P>(j, a, now, n, g, valid, r, v, f) || far;
    }
    return far;
}

/* The factor of step n: adds every block's share, waits for all. Three sums take turns, so that one can be cleared. */
MD_DEV double brick_lambda(const struct md_job &j, const struct brick_memory &m, struct brick_turn &t, long long n,
                           long long share)
{
    share = md_warp_sum(share);
    if ((threadIdx.x & 31) == 0 && share)
        atomicAdd((unsigned long long *)m.v2 + n % 3, (unsigned long long)share);
    brick_wait(m, t, false);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *(volatile long long *)(m.v2 + (n + 2) % 3) = 0;
    long long sum = *(volatile long long *)(m.v2 + n % 3);
    return n ? md_lambda(j, sum) : 1.0;
}

MD_DEV struct brick_work brick_pick(const struct md_job &j, const struct brick_args &a, int b)
{
    if (a.plan.mode != BRICK_ALL)
        return brick_of(a, b);
    struct brick_work w = {};
    w.b = b;
    w.first = b * a.plan.own_cap;
    w.n = min(a.plan.own_cap, j.natoms - w.first);
    return w;
}

/* The state in, in the order of the atoms. */
template <class P> MD_DEV void brick_load(const struct md_job &j, const struct brick_memory &m)
{
    size_t n = j.natoms, step = gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        double r[3];
        for (int k = 0; k < 3; k++) {
            r[k] = m.r[0][k * n + i] = j.r_in[3 * i + k];
            m.v[0][k * n + i] = j.v_in[3 * i + k];
        }
        ((typename P::pos *)m.pos[0])[i] = P::make(j, r, (int)i);
    }
}

/*
 * A whole launch: every step of every atom, list builds included, with one launch-wide wait a step (two with a
 * thermostat). Cooperative launch, at most as many blocks as run at once; any number of blocks gives the same result.
 */
template <class P>
__global__ void __launch_bounds__(BRICK_THREADS, 1)
    md_brick_kernel(const __grid_constant__ struct md_job j, const __grid_constant__ struct brick_args a)
{
    extern __shared__ __align__(16) unsigned char s_raw[];
    struct brick_shared<P> s = brick_layout<P>(a.plan, s_raw);
    struct brick_turn t = {0, {0, 0}};
    struct brick_now now = {0, 0};
    bool rebuild = a.plan.mode != BRICK_ALL;
    brick_load<P>(j, a.mem);
    brick_wait(a.mem, t, false);
    for (long long n = 0; n <= j.nsteps; n++) {
        bool far = false;
        long long v2 = 0;
        if (rebuild && !brick_build<P>(j, a, s, t, now))
            return; /* md_trouble says what did not fit */
        for (int b = blockIdx.x; b < a.plan.nbricks; b += gridDim.x) {
            struct brick_work w = brick_pick(j, a, b);
            if (a.plan.mode != BRICK_ALL)
                brick_stage<P>(a, s, b, now.pos);
            far = brick_step<P>(j, a, s, w, now, n, &v2) || far;
        }
        if (j.tau_ratio > 0.0) {
            double lambda = brick_lambda(j, a.mem, t, n, v2);
            for (int b = blockIdx.x; b < a.plan.nbricks; b += gridDim.x)
                far = brick_scaled<P>(j, a, brick_pick(j, a, b), now, n, lambda) || far;
        }
        rebuild = brick_wait(a.mem, t, far);
        now.pos = !now.pos;
    }
}

/* ---- host */

template <class P> static int brick_go(struct md *m, const struct md_job *j, const struct brick_args *a)
{
    void *args[] = {(void *)j, (void *)a};
    const void *kernel = (const void *)md_brick_kernel<P>;
    TRY(&m->err, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)a->plan.shared));
    TRY(&m->err, cudaMemsetAsync(a->mem.count, 0, sizeof(int) * (size_t)a->plan.ncells, m->stream));
    TRY(&m->err, cudaMemsetAsync(a->mem.turns, 0, 512, m->stream)); /* v2 too */
    TRY(&m->err, cudaLaunchCooperativeKernel(kernel, dim3((unsigned)a->plan.blocks), dim3(BRICK_THREADS), args,
                                             a->plan.shared, m->stream));
    return 0;
}

/* Replicas one after the other. */
int md_brick_launch(struct md *m, const struct md_job *all)
{
    for (int k = 0; k < all->replicas; k++) {
        struct md_job j = *all;
        size_t at = (size_t)k * 3 * (size_t)all->natoms;
        int rc;
        j.replica = k;
        j.r_in += at;
        j.v_in += at;
        j.r_out += at;
        j.v_out += at;
        if (j.forces)
            j.forces += at;
        if (m->p.precision == MD_DOUBLE)
            rc = brick_go<md_f64>(m, &j, brick_args_of(m));
        else if (m->cubic)
            rc = brick_go<md_mixed<true>>(m, &j, brick_args_of(m));
        else
            rc = brick_go<md_mixed<false>>(m, &j, brick_args_of(m));
        if (rc)
            return -1;
    }
    return 0;
}
