/* SPDX-License-Identifier: MIT */
/* md_brick_build.cuh: sorts atoms into bricks and builds their lists inside the persistent kernel.
 * This header is for CUDA only. */
#pragma once

#include "md/md_brick_wait.cuh"

/* Current halves of the double-buffered arrays. */
struct brick_now {
    int pos, state;
};

/* Extent of a brick. The members are the first cell (lo) and the number of cells (n) along each
 * axis, the number of the first cell (first), and the first staged cell (from) and the number of
 * staged cells (h) along each axis. */
struct brick_box {
    int lo[3], n[3], first, from[3], h[3];
};

MD_DEV int brick_edge(const struct brick_plan &p, int k, int q)
{
    return (unsigned)q * (unsigned)p.nc[k] / (unsigned)p.nb[k]; /* nc and nb are at most 1024 */
}

MD_DEV struct brick_box brick_extent(const struct brick_plan &p, int b)
{
    struct brick_box x;
    int q[3] = {b % p.nb[0], b / p.nb[0] % p.nb[1], b / p.nb[0] / p.nb[1]};
    for (int k = 0; k < 3; k++) {
        x.lo[k] = brick_edge(p, k, q[k]);
        x.n[k] = brick_edge(p, k, q[k] + 1) - x.lo[k];
        x.from[k] = x.lo[k] - p.halo[k];
        x.h[k] = x.n[k] + 2 * p.halo[k];
    }
    x.first = x.lo[2] * p.nc[1] * p.nc[0] + x.n[2] * (x.lo[1] * p.nc[0] + x.n[1] * x.lo[0]);
    return x;
}

/* Returns the number of a cell. Cells are numbered brick by brick. */
MD_DEV int brick_cell_number(const struct brick_plan &p, const int c[3])
{
    int lo[3], n[3];
    for (int k = 0; k < 3; k++) {
        int q = ((unsigned)(c[k] + 1) * (unsigned)p.nb[k] - 1) / (unsigned)p.nc[k];
        lo[k] = brick_edge(p, k, q);
        n[k] = brick_edge(p, k, q + 1) - lo[k];
    }
    return lo[2] * p.nc[1] * p.nc[0] + n[2] * (lo[1] * p.nc[0] + n[1] * lo[0]) +
           ((c[2] - lo[2]) * n[1] + (c[1] - lo[1])) * n[0] + (c[0] - lo[0]);
}

/* Returns the cell along an axis of a coordinate, given as a fraction of 2^32. */
MD_DEV int brick_cell_of(unsigned x, int nc)
{
    return (int)__umulhi(x, (unsigned)nc);
}

/* Finds the cell of an atom from its unwrapped coordinates. */
MD_DEV void brick_cell(const struct md_launch &j, const struct brick_plan &p, const int4 &a,
                       int c[3])
{
    unsigned x[3] = {(unsigned)a.x, (unsigned)a.y, (unsigned)a.z};
    for (int k = 0; k < 3; k++)
        c[k] = brick_cell_of(j.mirror ? min(x[k], (1u << 30) - 1) << 2 : x[k], p.nc[k]);
}

MD_DEV void brick_cell(const struct md_launch &j, const struct brick_plan &p,
                       const struct md_double4 &a, int c[3])
{
    double r[3] = {a.x, a.y, a.z};
    for (int k = 0; k < 3; k++) {
        double s = r[k] / j.box[k];
        s = j.mirror ? s : s - floor(s);
        c[k] = min(max((int)(s * p.nc[k]), 0), p.nc[k] - 1);
    }
}

/* Returns the exclusive prefix sum over the block of one int per thread, and sets *total to the
 * sum. The function synchronises the block. */
MD_DEV int brick_scan(int x, int *total)
{
    __shared__ int s_warp[33];
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32, y = x;
    for (int o = 1; o < 32; o *= 2) {
        int z = __shfl_up_sync(~0u, y, o);
        y += lane >= o ? z : 0;
    }
    __syncthreads();
    if (lane == 31)
        s_warp[warp] = y;
    __syncthreads();
    if (warp == 0) {
        int w = lane < (int)blockDim.x / 32 ? s_warp[lane] : 0, v = w;
        for (int o = 1; o < 32; o *= 2) {
            int z = __shfl_up_sync(~0u, v, o);
            v += lane >= o ? z : 0;
        }
        s_warp[lane] = v - w;
        if (lane == 31)
            s_warp[32] = v;
    }
    __syncthreads();
    *total = s_warp[32];
    return s_warp[warp] + y - x;
}

/* Computes start[] from count[], and sets count[] to 0. Each block processes a slice. All blocks of
 * the launch wait for each other twice. */
MD_DEV void brick_prefix(const struct brick_args &a, struct brick_turn &t)
{
    const struct brick_memory &m = a.mem;
    int slice = (a.plan.ncells + gridDim.x - 1) / gridDim.x,
        lo = min((int)blockIdx.x * slice, a.plan.ncells);
    int hi = min(lo + slice, a.plan.ncells), share = (slice + blockDim.x - 1) / blockDim.x;
    int from = min(lo + (int)threadIdx.x * share, hi), to = min(from + share, hi), mine = 0, total,
        before = 0, all;
    for (int c = from; c < to; c++)
        mine += m.count[c];
    int at = brick_scan(mine, &total);
    if (threadIdx.x == 0)
        m.sums[blockIdx.x] = total;
    brick_wait(m, t, false);
    for (int k = threadIdx.x; k < (int)blockIdx.x; k += blockDim.x)
        before += m.sums[k];
    brick_scan(before, &all);
    at += all;
    for (int c = from; c < to; c++) {
        m.start[c] = at;
        at += m.count[c];
        m.count[c] = 0;
    }
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
        m.start[a.plan.ncells] = all + total;
    brick_wait(m, t, false);
}

/* Works like brick_prefix, but in shared memory, separately in every block. Synchronises the block,
 * and does not change count[], which other blocks need. */
MD_DEV void brick_prefix_local(const struct brick_args &a, int *s_start)
{
    int n = a.plan.ncells, share = (n + blockDim.x - 1) / blockDim.x, mine = 0, total;
    int from = min((int)threadIdx.x * share, n), to = min(from + share, n);
    for (int c = from; c < to; c++)
        mine += a.mem.count[c];
    int at = brick_scan(mine, &total);
    for (int c = from; c < to; c++) {
        s_start[c] = at;
        at += a.mem.count[c];
    }
    if (threadIdx.x == 0)
        s_start[n] = total;
    __syncthreads();
}

/* Sorts atoms into cell order. The order within a cell is arbitrary, because integer sums do not
 * depend on the order. */
template <class P>
MD_DEV void brick_sort(const struct md_launch &j, const struct brick_args &a, struct brick_turn &t,
                       struct brick_now &now, int *s_start)
{
    const struct brick_memory &m = a.mem;
    const int *start = a.plan.local ? s_start : m.start;
    size_t n = j.natoms, first = blockIdx.x * blockDim.x + threadIdx.x,
           step = gridDim.x * blockDim.x;
    const typename P::pos *pos = (const typename P::pos *)m.pos[now.pos];
    typename P::pos *to = (typename P::pos *)m.pos[!now.pos], *ref = (typename P::pos *)m.ref;
    for (size_t i = first; i < n; i += step) {
        int c[3];
        brick_cell(j, a.plan, pos[i], c);
        int cell = brick_cell_number(a.plan, c);
        m.where[i] = make_uint2(cell, atomicAdd(m.count + cell, 1));
    }
    brick_wait(m, t, false);
    if (a.plan.local)
        brick_prefix_local(a, s_start);
    else
        brick_prefix(a, t);
    for (size_t i = first; i < n; i += step) {
        uint2 w = m.where[i];
        size_t g = (size_t)start[w.x] + w.y;
        to[g] = ref[g] = pos[i];
        for (int k = 0; k < 3; k++) {
            m.r[!now.state][k * n + g] = m.r[now.state][k * n + i];
            m.v[!now.state][k * n + g] = m.v[now.state][k * n + i];
        }
    }
    now.pos = !now.pos;
    now.state = !now.state;
    brick_wait(m, t, false);
    for (size_t c = first; a.plan.local && c < (size_t)a.plan.ncells; c += step)
        m.count[c] = 0; /* all blocks have read it, and wait once more before the next sort */
}

/* Returns the number of staged cell l of a brick, or -1 if this cell would be outside the walls.
 * Sets `own` if the cell belongs to the brick. */
MD_DEV int brick_staged_cell(const struct md_launch &j, const struct brick_plan &p,
                             const struct brick_box &x, int l, bool *own)
{
    int q[3] = {l % x.h[0], l / x.h[0] % x.h[1], l / x.h[0] / x.h[1]}, c[3];
    *own = true;
    for (int k = 0; k < 3; k++) {
        c[k] = x.from[k] + q[k];
        *own = *own && q[k] >= p.halo[k] && q[k] < p.halo[k] + x.n[k];
        if (j.mirror && (c[k] < 0 || c[k] >= p.nc[k]))
            return -1;
        c[k] = c[k] < 0 ? c[k] + p.nc[k] : c[k] >= p.nc[k] ? c[k] - p.nc[k] : c[k];
    }
    return brick_cell_number(p, c);
}

/* Finds the cells and atoms that brick b stages and owns. Stores them in the arrays cells[] (shared
 * and global), map[] and own[]. Returns false in all threads if the arrays are too small. */
MD_DEV bool brick_map(const struct md_launch &j, const struct brick_args &a,
                      const struct brick_box &x, int b, int *s_cells, const int *s_start)
{
    enum { OWN = 1 << 30 }; /* flag added to a cell number */
    const struct brick_plan &p = a.plan;
    const struct brick_memory &m = a.mem;
    int nh = x.h[0] * x.h[1] * x.h[2], share = (nh + blockDim.x - 1) / blockDim.x, total, mine = 0;
    int from = min((int)threadIdx.x * share, nh), to = min(from + share, nh);
    const int *start = p.local ? s_start : m.start;
    int first = start[x.first], nown = start[x.first + x.n[0] * x.n[1] * x.n[2]] - first;
    bool own;
    for (int l = from; l < to; l++) {
        int c = brick_staged_cell(j, p, x, l, &own);
        mine += c >= 0 ? start[c + 1] - start[c] : 0;
        s_cells[l] = c | (own ? OWN : 0); /* -1 stays -1 */
    }
    int at = brick_scan(mine, &total);
    bool fits = total <= p.staged_cap && nown <= p.own_cap;
    if (!fits && threadIdx.x == 0) {
        atomicMax(&j.trouble->staged, (unsigned)total);
        atomicMax(&j.trouble->own, (unsigned)nown);
    }
    for (int l = from; l < to; l++) {
        int c = s_cells[l] < 0 ? -1 : s_cells[l] & ~OWN, g = c >= 0 ? start[c] : 0,
            n = c >= 0 ? start[c + 1] - g : 0;
        own = s_cells[l] >= OWN;
        s_cells[l] = fits ? at : 0;
        for (int k = 0; fits && k < n; k++) {
            m.map[(size_t)b * p.staged_cap + at + k] = g + k;
            if (own)
                m.own[(size_t)b * p.own_cap + (g - first) + k] = (uint16_t)(at + k);
        }
        at += n;
    }
    if (threadIdx.x == 0) {
        s_cells[nh] = fits ? total : 0;
        m.info[b] = make_int4(first, fits ? nown : 0, fits ? total : 0, 0);
    }
    __syncthreads();
    for (int l = threadIdx.x; l <= nh; l += blockDim.x)
        m.cells[(size_t)b * (p.hcell_cap + 1) + l] = (uint16_t)s_cells[l];
    return fits;
}
