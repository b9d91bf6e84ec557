/* SPDX-License-Identifier: MIT */
/* md_brick_pairs.cuh: the shared memory of a block of the brick kernels, staging, and loops over
 * pairs. This header is for CUDA only. */
#pragma once

#include "md/md_brick_list.cuh"

template <class P> struct brick_shared {
    typename P::pos *pos; /* [staged_cap + BRICK_BEYOND] */
    uint32_t *lists;      /* [warps_cap][words_cap][32] if resident */
    int *cells;           /* [hcell_cap + 1] */
    int *start;           /* [ncells + 1] if local: first atom of each cell */
};

template <class P>
MD_DEV struct brick_shared<P> brick_layout(const struct brick_plan &p, unsigned char *raw) {
    struct brick_shared<P> s;
    s.pos = (typename P::pos *)raw;
    s.lists = (uint32_t *)(s.pos + p.staged_cap + BRICK_BEYOND);
    s.cells = (int *)(s.lists + (p.resident ? (size_t)p.warps_cap * p.words_cap * 32 : 0));
    s.start = s.cells + p.hcell_cap + 1;
    return s;
}

/* The quantity that a loop over pairs sums. It is either the forces or the totals of a sample. */
template <class P>
struct brick_force {
    enum { BATCH = 4 };
    typename P::acc f[3];
};

template <class P>
MD_DEV void brick_take(const struct md_launch &j, const typename P::pos &me,
                       const typename P::pos &other, struct brick_force<P> *s)
{
    P::pair(j, me, other, s->f);
}

template <class P>
MD_DEV void brick_take(const struct md_launch &j, const typename P::pos &me,
                       const typename P::pos &other, struct md_energy *s)
{
    if (other.w != me.w)
        P::count(j, me, other, s);
}

template <class P>
MD_DEV void brick_take(const struct md_launch &j, const typename P::pos &me,
                       const typename P::pos &other, struct md_tensor *s)
{
    if (other.w != me.w)
        P::count(j, me, other, s);
}

/* Loops over the pairs in the list of one lane. Reads BATCH words of two entries at a time. */
template <class P, class SUM, int BATCH>
MD_DEV void brick_pairs_list(const struct md_launch &j, const typename P::pos *s_pos,
                             const uint32_t *list, int words, const typename P::pos &me, SUM *s)
{
    const uint32_t *mine = list + (threadIdx.x & 31);
    int k = 0;
    for (; BATCH > 1 && k + BATCH <= words;
         k += BATCH) { /* several words at once, because memory may be slow */
        uint32_t w[BATCH];
#pragma unroll
        for (int l = 0; l < BATCH; l++)
            w[l] = mine[(k + l) * 32];
#pragma unroll
        for (int l = 0; l < BATCH; l++) {
            const typename P::pos a = P::load(s_pos + (w[l] & 0xffff)),
                                  b = P::load(s_pos + (w[l] >> 16));
            brick_take<P>(j, me, a, s);
            brick_take<P>(j, me, b, s);
        }
    }
#pragma unroll 1
    for (; k < words; k++) {
        uint32_t w = mine[k * 32];
        const typename P::pos a = P::load(s_pos + (w & 0xffff)), b = P::load(s_pos + (w >> 16));
        brick_take<P>(j, me, a, s);
        brick_take<P>(j, me, b, s);
    }
}

/* Works like brick_pairs_list, but uses the surrounding cells instead of a list. */
template <class P, class SUM>
MD_DEV void brick_pairs_cells(const struct md_launch &j, const struct brick_plan &p,
                              const struct brick_box &x, const struct brick_shared<P> &s,
                              const int c[3], const typename P::pos &me, SUM *sum)
{
    int lo[3], n[3];
    brick_stencil(p, x, c, lo, n);
    for (int row = 0; row < n[1] * n[2]; row++) {
        const int *cell =
            s.cells + ((lo[2] + row / n[1]) * x.h[1] + lo[1] + row % n[1]) * x.h[0] + lo[0];
        for (int q = cell[0] + (threadIdx.x & (p.lanes - 1)), end = cell[n[0]]; q < end;
             q += p.lanes)
            brick_take<P>(j, me, P::load(s.pos + q), sum);
    }
}

/* Loops over all pairs. One tile of atoms after another is stored in shared memory. The function
 * synchronises the block, so the whole block must call it. */
template <class P, class SUM>
MD_DEV void brick_pairs_all(const struct md_launch &j, const struct brick_plan &p,
                            const typename P::pos *all, const struct brick_shared<P> &s,
                            const typename P::pos &me, SUM *sum)
{
    for (int t0 = 0; t0 < j.natoms; t0 += p.staged_cap) {
        int n = min(p.staged_cap, j.natoms - t0);
        __syncthreads();
        for (int l = threadIdx.x; l < n; l += blockDim.x)
            s.pos[l] = all[t0 + l];
        __syncthreads();
        for (int q = threadIdx.x & (p.lanes - 1); q < n; q += p.lanes)
            brick_take<P>(j, me, P::load(s.pos + q), sum);
    }
}

/* Loads the state in the order of the atoms. */
template <class P> MD_DEV void brick_load(const struct md_launch &j, const struct brick_memory &m)
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

/* Adds the sum of every block, waits for all blocks, and returns the thermostat factor of step n.
 * Three sums alternate, so that one of them can be cleared. */
MD_DEV double brick_lambda(const struct md_launch &j, const struct brick_memory &m,
                           struct brick_turn &t, long long n, long long share)
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

/* Adds the contribution of one atom, whose velocity is complete, to a sample. Whole warps must call
 * this function, with `counts` set in one lane per atom. Returns the next step at which a sample is
 * due. */
template <class P>
__device__ __noinline__ long long brick_sample(const struct md_launch &j, long long n, size_t id,
                                               bool counts, const double r[3], const double v[3])
{
    unsigned due = md_due_now(&j, n);
    for (int k = 0; counts && (due & MD_WANT_FRAME) && k < 3; k++)
        md_put(j, (md_row(&j, j.frames, n, j.replica) * j.natoms + id) * 3 + k, r[k], v[k], k);
    if (due & MD_WANT_THERMO)
        md_add_atoms(j, j.totals + md_row(&j, j.sums, n, j.replica) * MD_NTOTALS, counts, v,
                     due & MD_WANT_STRESS);
    return md_next(&j, n);
}
