/* SPDX-License-Identifier: MIT */
/* md_brick_list.cuh: the Verlet lists of a brick, from its staged cells. CUDA only. */
#ifndef MBF_MD_BRICK_LIST_H
#define MBF_MD_BRICK_LIST_H

#include "md/md_brick_build.cuh"

/*
 * Rows of staged cells that an atom of cell c must look through: first cell and number along each
 * axis.
 */
MD_DEV void brick_stencil(const struct brick_plan &p, const struct brick_box &x, const int c[3],
                          int lo[3], int n[3])
{
    for (int k = 0; k < 3; k++) {
        lo[k] = p.halo[k] ? c[k] - x.lo[k] : 0;
        n[k] = p.halo[k] ? 2 * p.halo[k] + 1 : p.nc[k];
    }
}

/* Entry k of a lane of the warp's list is staged place q. */
MD_DEV void brick_enter(uint32_t *list, int lane, int k, int q)
{
    ((uint16_t *)list)[((k >> 1) * 32 + lane) * 2 + (k & 1)] = (uint16_t)q;
}

/*
 * Eight lanes an atom or more: neighbours go to lanes in turn, so that all get as many. Returns
 * entries of the atom.
 */
template <class P>
MD_DEV int brick_list_shared(const struct md_launch &j, const struct brick_plan &p,
                             const int *cell0, const struct brick_box &x, const int n[3],
                             const typename P::pos *s_pos, uint32_t *list, bool valid, int me)
{
    const int lanes = p.lanes, bits = __ffs(lanes) - 1; /* copies: what is written might be p */
    const float near2 = p.list_r2;
    int lane = threadIdx.x & (lanes - 1), base = threadIdx.x & 31 & ~(lanes - 1), count = 0;
    int room = p.words_cap * 2 * lanes;
    unsigned group = lanes == 32 ? ~0u : (1u << lanes) - 1;
    const typename P::pos self = P::load(s_pos + me);
    for (int row = 0; row < n[1] * n[2]; row++) {
        const int *cell = cell0 + (row / n[1] * x.h[1] + row % n[1]) * x.h[0];
        int q = cell[0] + lane, end = valid ? cell[n[0]] : 0;
        for (; __any_sync(~0u, q < end); q += lanes) {
            bool in = q < end && q != me &&
                      P::dist2(j, self, P::load(s_pos + (q < end ? q : me))) < near2;
            unsigned mask = __ballot_sync(~0u, in) >> base & group;
            int e = count + __popc(mask & ((1u << lane) - 1));
            if (in && e < room)
                brick_enter(list, base + (e & (lanes - 1)), e >> bits, q);
            count += __popc(mask);
        }
    }
    return count;
}

/* Few lanes an atom: each keeps what it finds itself. Returns entries of the lane. */
template <class P>
MD_DEV int brick_list_own(const struct md_launch &j, const struct brick_plan &p, const int *cell0,
                          const struct brick_box &x, const int n[3], const typename P::pos *s_pos,
                          uint32_t *list, bool valid, int me)
{
    const int lanes = p.lanes; /* copies: what is written might be p */
    const float near2 = p.list_r2;
    int count = 0, room = p.words_cap * 2;
    const typename P::pos self = P::load(s_pos + me);
    for (int z = 0; valid && z < n[2]; z++)
        for (int y = 0; y < n[1]; y++) {
            const int *cell = cell0 + (z * x.h[1] + y) * x.h[0];
            int end = cell[n[0]];
            for (int q = cell[0] + (threadIdx.x & (lanes - 1)); q < end; q += 4 * lanes) {
                float r2[4];
#pragma unroll
                for (int l = 0; l < 4;
                     l++) /* four at once, to have something to wait for together */
                    r2[l] = P::dist2(j, self, P::load(s_pos + min(q + l * lanes, end - 1)));
#pragma unroll
                for (int l = 0; l < 4; l++)
                    if (r2[l] < near2 && q + l * lanes < end && q + l * lanes != me) {
                        if (count < room)
                            brick_enter(list, threadIdx.x & 31, count, q + l * lanes);
                        count++;
                    }
            }
        }
    return count;
}

/*
 * The list of one warp's atoms; all lanes take part. me: staged place of this lane group's atom;
 * its cell c. Entries beyond the count are the atom itself, which adds nothing. Returns words in
 * use, the same in all lanes; -1: no room.
 */
template <class P>
MD_DEV int brick_list(const struct md_launch &j, const struct brick_plan &p,
                      const struct brick_box &x, const typename P::pos *s_pos, const int *s_cells,
                      uint32_t *list, bool valid, int me, const int c[3])
{
    int lo[3], n[3], count, used;
    brick_stencil(p, x, c, lo, n);
    const int *cell0 = s_cells + (lo[2] * x.h[1] + lo[1]) * x.h[0] + lo[0];
    if (p.lanes >= 8) {
        count = brick_list_shared<P>(j, p, cell0, x, n, s_pos, list, valid, me);
        used =
            (count - (int)(threadIdx.x & (p.lanes - 1)) + p.lanes - 1) / p.lanes; /* of this lane */
    } else {
        used = count = brick_list_own<P>(j, p, cell0, x, n, s_pos, list, valid, me);
        count *= p.lanes;
    }
    if (count > p.words_cap * 2 * p.lanes)
        atomicMax(&j.trouble->neighbours, (unsigned)count);
    int words = (used + 1) / 2;
    for (int o = 16; o; o >>= 1)
        words = max(words, __shfl_xor_sync(~0u, words, o));
    if (words > p.words_cap)
        return -1;
    for (; used < 2 * words; used++)
        brick_enter(list, threadIdx.x & 31, used, me);
    return words;
}

#endif
