/* SPDX-License-Identifier: MIT */
/* near_simd.c: the loops of near_search.h, built for three levels (simd.h). */
#include "base/simd_vec.h"
#include "near/near_search.h"

#define ROUND 6755399441055744.0 /* 1.5 2⁵², as in box_nint_f64() */
SIMD_VECTOR(vec, double, NEAR_LANES);
SIMD_VECTOR(mask, int64_t, NEAR_LANES);

/* Computes candidates q to q + 3 with the same operations as box_image(). */
HOT void candidates(const struct near_search *s, size_t q, size_t to)
{
    vec d[3], n[3];
    for (int a = 0; a < 3; a++)
        d[a] = LOAD(s->at[a] + q) - s->r[a];
    if (s->ortho) {
        for (int a = 0; a < 3; a++)
            d[a] = d[a] - s->h[a][a] * ((d[a] * s->inv[a][a] + ROUND) - ROUND);
    } else {
        for (int k = 0; k < 3; k++)
            n[k] =
                ((d[0] * s->inv[0][k] + d[1] * s->inv[1][k] + d[2] * s->inv[2][k]) + ROUND) - ROUND;
        for (int a = 0; a < 3; a++)
            d[a] = d[a] - (n[0] * s->h[0][a] + n[1] * s->h[1][a] + n[2] * s->h[2][a]);
    }
    for (int a = 0; a < 3; a++)
        STORE(s->d[a] + to) = d[a];
    STORE(s->r2 + to) = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    for (int l = 0; l < NEAR_LANES; l++)
        s->j[to + (size_t)l] = s->order[q + (size_t)l];
}

size_t SIMD_NAME(near_search)(const struct near_search *search, const struct near_range *range,
                              size_t ranges)
{
    const struct near_search s = *search; /* a copy stays in registers */
    size_t n = 0, hits = 0;
    for (size_t k = 0; k < ranges; k++) {
        for (size_t q = range[k].from; q < range[k].to; q += NEAR_LANES)
            candidates(&s, q, n + (q - range[k].from));
        n += range[k].to - range[k].from;
    }
    for (size_t c = 0; c < n; c++) {
        s.hit[hits] = (uint32_t)c;
        hits += (s.r2[c] < s.cutoff2) & (s.j[c] != s.skip);
    }
    return hits;
}

/* Computes the ranks of the keys i, i + 1, ... together, by comparing them with one key after the
 * other. */
HOT void ranks(size_t n, const double *key, size_t i, uint32_t *rank)
{
    static const mask lane = {0, 1, 2, 3};
    const vec x = LOAD(key + i);
    mask less = {0};
    size_t end = i + NEAR_LANES < n ? i + NEAR_LANES : n;
    for (size_t m = 0; m < i; m++)
        less -= key[m] <= x;
    for (size_t m = i; m < end; m++)
        less -= (key[m] < x) | ((key[m] == x) & (lane > (int64_t)(m - i)));
    for (size_t m = end; m < n; m++)
        less -= key[m] < x;
    for (size_t l = i; l < end; l++)
        rank[l] = (uint32_t)less[l - i];
}

void SIMD_NAME(near_rank)(size_t n, const double *key, uint32_t *rank)
{
    for (size_t i = 0; i < n; i += NEAR_LANES)
        ranks(n, key, i, rank);
}
