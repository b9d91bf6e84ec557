/* SPDX-License-Identifier: MIT */
/* md_brick_list.cuh: builds the Verlet lists of a brick from its staged cells. This header is for
 * CUDA only. */
#pragma once

#include "md/md_brick_build.cuh"

/* Sets lo[] and n[] to the first and the number of staged cells near cell c, along each axis. */
MD_DEV void brick_stencil(const struct brick_plan &p, const struct brick_box &x, const int c[3],
                          int lo[3], int n[3])
{
    for (int k = 0; k < 3; k++) {
        lo[k] = p.halo[k] ? c[k] - x.lo[k] : 0;
        n[k] = p.halo[k] ? 2 * p.halo[k] + 1 : p.nc[k];
    }
}

/* Sets entry k of a lane in the list of the warp to the staged position q. */
MD_DEV void brick_enter(uint32_t *list, int lane, int k, int q)
{
    ((uint16_t *)list)[((k >> 1) * 32 + lane) * 2 + (k & 1)] = (uint16_t)q;
}

/* Builds a list with several lanes per atom. The neighbours are distributed evenly among the lanes.
 * Returns the number of entries of the atom. */
template <class P>
MD_DEV int brick_list_shared(const struct md_launch &j, const struct brick_plan &p, int lanes,
                             const int *cell0, const struct brick_box &x, const int n[3],
                             const typename P::pos *s_pos, uint32_t *list, bool valid,
                             const typename P::pos &self, int me)
{
    const int bits = __ffs(lanes) - 1;
    const float near2 = p.list_r2; /* a copy, because writes might alias p */
    int lane = threadIdx.x & (lanes - 1), base = threadIdx.x & 31 & ~(lanes - 1), count = 0;
    int capacity = p.words_cap * 2 * lanes;
    unsigned group = lanes == 32 ? ~0u : (1u << lanes) - 1;
    for (int row = 0; row < n[1] * n[2]; row++) {
        const int *cell = cell0 + (row / n[1] * x.h[1] + row % n[1]) * x.h[0];
        int q = cell[0] + lane, end = valid ? cell[n[0]] : 0;
        for (; __any_sync(~0u, q < end); q += lanes) {
            bool in = q < end && q != me &&
                      P::dist2(j, self, P::load(s_pos + (q < end ? q : me))) < near2;
            unsigned mask = __ballot_sync(~0u, in) >> base & group;
            int e = count + __popc(mask & ((1u << lane) - 1));
            if (in && e < capacity)
                brick_enter(list, base + (e & (lanes - 1)), e >> bits, q);
            count += __popc(mask);
        }
    }
    return count;
}

/* Stores q as an entry, with a special instruction if the entry is in shared memory. */
template <bool SHARED> MD_DEV void brick_put(char *at, int q)
{
    const uint16_t x = (uint16_t)q;
    if (SHARED)
        asm volatile("st.shared.u16 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(at)), "h"(x)
                     : "memory");
    else
        *(uint16_t *)at = x;
}

/* Builds a list with one lane per atom. The atom itself is listed, but adds nothing. Returns the
 * number of entries of the lane. Reads up to BRICK_BEYOND elements after the last staged atom. */
template <class P, bool SHARED>
MD_DEV int brick_list_one(const struct md_launch &j, const struct brick_plan &p, const int *cell0,
                          const struct brick_box &x, const int n[3], const typename P::pos *s_pos,
                          uint32_t *list, bool valid, const typename P::pos &self)
{
    const float near2 = p.list_r2; /* a copy, because writes might alias p */
    const int limit = p.words_cap * 128;
    char *mine = (char *)(list + (threadIdx.x & 31)); /* word k is at 128 k */
    int at = 0, step = 2;
    for (int z = 0; valid && z < n[2]; z++)
        for (int y = 0; y < n[1]; y++) {
            const int *cell = cell0 + (z * x.h[1] + y) * x.h[0];
            int end = cell[n[0]];
            for (int q = cell[0]; q < end; q += BRICK_BEYOND + 1) {
                float r2[BRICK_BEYOND + 1];
#pragma unroll
                for (int l = 0; l <= BRICK_BEYOND; l++) /* all at once, to wait only once */
                    r2[l] = P::dist2(j, self, P::load(s_pos + q + l));
#pragma unroll
                for (int l = 0; l <= BRICK_BEYOND; l++) { /* without branches */
                    bool in = r2[l] < near2 && q + l < end;
                    if (in && at < limit)
                        brick_put<SHARED>(mine + at, q + l);
                    at += in ? step : 0;
                    step = in ? 128 - step : step;
                }
            }
        }
    return (at >> 7) * 2 + (at >> 1 & 1);
}

/* Builds the list for the atoms of one warp, in shared or global memory, with `lanes` lanes per
 * atom. All lanes must call this function. The staged position of the atom of this group of lanes
 * is `me`, and its cell is c. Unused entries are the atom itself, which contributes nothing.
 * Returns the number of words in use in all lanes, or -1 if there is no space. */
template <class P, bool SHARED>
MD_DEV int brick_list(const struct md_launch &j, const struct brick_plan &p, int lanes,
                      const struct brick_box &x, const typename P::pos *s_pos, const int *s_cells,
                      uint32_t *list, bool valid, int me, const int c[3])
{
    const typename P::pos self = P::load(s_pos + me);
    int lo[3], n[3], count, used;
    brick_stencil(p, x, c, lo, n);
    const int *cell0 = s_cells + (lo[2] * x.h[1] + lo[1]) * x.h[0] + lo[0];
    if (lanes > 1) {
        count = brick_list_shared<P>(j, p, lanes, cell0, x, n, s_pos, list, valid, self, me);
        /* entries of this lane */
        used = (count - (int)(threadIdx.x & (lanes - 1)) + lanes - 1) / lanes;
    } else {
        used = count = brick_list_one<P, SHARED>(j, p, cell0, x, n, s_pos, list, valid, self);
    }
    if (count > p.words_cap * 2 * lanes)
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
