/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdbool.h>

#include "md/md_kernel.h"
#include "md/md_vec.h"

void SIMD_NAME(md_coarse)(const struct md_space *s, size_t c0, size_t c1)
{
    int up = 32 - s->bits - !s->periodic; /* an edge is 2^32, or 2^31 between walls */
    for (size_t c = c0; c < c1; c++) {
        const uint32_t *restrict x = (const uint32_t *)s->x + c * MD_LINE;
        uint32_t *restrict pair = (uint32_t *)(s->coarse + c * MD_LINE);
        for (int l = 0; l < MD_CLUSTER; l++) {
            pair[l] = (x[l] << up) >> 16 | ((x[MD_CLUSTER + l] << up) & 0xffff0000u);
            pair[MD_CLUSTER + l] = (x[2 * MD_CLUSTER + l] << up) >> 16;
        }
    }
}

/* Bounding box of some clusters, in position units. */
struct md_probe {
    int32_t centre[3];
    double half[3], inverse[3], part[2]; /* inverse: 1 / ratio; part: half a column */
};

MD_INLINE struct md_probe md_probe_of(const struct md_space *s, size_t c0, size_t c1)
{
    struct md_probe p;
    size_t end = c1 * MD_CLUSTER < s->natoms ? c1 * MD_CLUSTER : s->natoms;
    for (int k = 0; k < 3; k++) {
        int32_t first = s->x[md_at(c0 * MD_CLUSTER, k)], low = 0, high = 0;
        for (size_t i = c0 * MD_CLUSTER + 1; i < end; i++) {
            int32_t d = (int32_t)((uint32_t)s->x[md_at(i, k)] - (uint32_t)first);
            low = d < low ? d : low;
            high = d > high ? d : high;
        }
        p.centre[k] = (int32_t)((uint32_t)first + (uint32_t)(int32_t)(((int64_t)low + high) / 2));
        p.half[k] = 0.5 * ((double)high - low) + 2.0;
        p.inverse[k] = 1.0 / (double)s->ratio[k];
    }
    for (int k = 0; k < 2; k++)
        p.part[k] = (s->periodic ? 2147483648.0 : 536870912.0) / s->ncol[k];
    return p;
}

/* Parts of an edge that meet an interval, in at most two ascending runs from[k] to to[k] - 1. */
struct md_runs {
    int n, from[2], to[2];
};

/* Finds the runs of n equal parts that meet the interval low to high, which may pass the edge. */
MD_INLINE struct md_runs md_runs_of(const struct md_space *s, int64_t low, int64_t high, int n)
{
    int64_t a = low * n >> s->bits, b = high * n >> s->bits;
    struct md_runs r = {1, {0, 0}, {n, n}};
    if (!s->periodic) { /* positions outside count as positions in the outermost parts */
        r.from[0] = (int)(a < 0 ? 0 : a < n ? a : n - 1);
        r.to[0] = (int)(b < 0 ? 0 : b < n ? b : n - 1) + 1;
    } else if (b - a + 1 < n) {
        int from = (int)(a < 0 ? a + n : a < n ? a : a - n), to = from + (int)(b - a) + 1;
        r.n = to > n ? 2 : 1;
        r.from[r.n - 1] = from;
        r.to[0] = to > n ? to - n : to;
    }
    return r;
}

/* Returns runs of parts, counted from the other end. */
MD_INLINE struct md_runs md_runs_down(struct md_runs r, int n)
{
    struct md_runs d = {
        r.n, {n - r.to[r.n - 1], n - r.to[0]}, {n - r.from[r.n - 1], n - r.from[0]}};
    return d;
}

/* Sets the ends of the box of the probe along axis k, widened by reach (in units of axis 0). */
MD_INLINE void md_probe_reach(const struct md_space *s, const struct md_probe *p, int k,
                              double reach, int64_t *low, int64_t *high)
{
    int64_t at = s->periodic ? (int64_t)(uint32_t)p->centre[k] : p->centre[k];
    int64_t half = (int64_t)(p->half[k] + reach * p->inverse[k]) + 4;
    *low = at - half;
    *high = at + half;
}

/* Returns a lower bound of the squared distance between the box of the probe and part i along axis
 * k, in units² of axis 0. The distance belongs to the minimum image, because differences wrap. */
MD_INLINE float md_part_gap2(const struct md_space *s, const struct md_probe *p, int k, int i)
{
    uint32_t middle = (uint32_t)(int64_t)((double)(2 * i + 1) * p->part[k]);
    double d = fabs((double)(int32_t)(middle - (uint32_t)p->centre[k]));
    float gap = (float)(d - p->half[k] - p->part[k] - 4.0) * s->ratio[k];
    return gap > 0.0f ? gap * gap : 0.0f;
}

#define MD_RANGES 64

/* A search in two passes, first for ranges of clusters and then for their clusters, so that no loop
 * waits for the unknown length of a range. */
struct md_search {
    const struct md_space *s;
    struct md_probe p;
    uint32_t next, above; /* next: first cluster not done; above: first atom that counts */
    uint32_t *out, *n;    /* n: end of the entries in `out` */
    int ranges;
    uint32_t from[MD_RANGES], to[MD_RANGES];
};

/* Writes all ranges to the list in whole vectors. The list has space for one extra vector. */
MD_INLINE void md_search_fill(struct md_search *q)
{
    for (int k = 0; k < q->ranges; k++) {
        for (uint32_t j = q->from[k], *to = q->n; j < q->to[k]; j += MD_LANES, to += MD_LANES)
            vi_store_any((int32_t *)to, vi_from((int32_t)j));
        q->n += q->to[k] - q->from[k];
    }
    q->ranges = 0;
}

/* Adds atoms `from` to `to` - 1, which are above the previous ranges. */
MD_INLINE void md_search_range(struct md_search *q, uint32_t from, uint32_t to)
{
    uint32_t a = from / MD_CLUSTER, b = (to + MD_CLUSTER - 1) / MD_CLUSTER;
    a = a > q->next ? a : q->next;
    b = from < to && b > a ? b : a;
    q->from[q->ranges] = a;
    q->to[q->ranges] = b;
    q->next = b;
    if (++q->ranges == MD_RANGES)
        md_search_fill(q);
}

/* Searches a column, for which the squared distance `left` remains. */
MD_INLINE void md_search_column(struct md_search *q, size_t column, float left)
{
    const struct md_space *s = q->s;
    const uint32_t *bins = s->bins + column * (size_t)s->nz;
    int64_t low, high;
    md_probe_reach(s, &q->p, 2, sqrtf(left), &low, &high);
    int64_t a = low * s->nz >> s->bits, b = high * s->nz >> s->bits;
    if (a >= 0 && b < s->nz) { /* usually there is one run, and z descends in odd columns */
        int down = column & 1;
        md_search_range(q, bins[down ? s->nz - 1 - b : a], bins[down ? s->nz - a : b + 1]);
        return;
    }
    struct md_runs z = md_runs_of(s, low, high, s->nz);
    if (column & 1)
        z = md_runs_down(z, s->nz);
    for (int k = 0; k < z.n; k++)
        md_search_range(q, bins[z.from[k]], bins[z.to[k]]);
}

/* Searches columns i ny + y.from... of plane i. Skips columns that are entirely before the cluster
 * of the probe. */
MD_INLINE void md_search_plane(struct md_search *q, int i, struct md_runs y)
{
    const struct md_space *s = q->s;
    size_t ny = (size_t)s->ncol[1], nz = (size_t)s->nz, first = (size_t)i * ny;
    if (s->bins[(first + ny) * nz] <= q->above)
        return;
    float rest = s->rl2 - md_part_gap2(s, &q->p, 0, i);
    if (i & 1)
        y = md_runs_down(y, s->ncol[1]);
    for (int k = 0; k < y.n; k++)
        for (int j = y.from[k]; j < y.to[k]; j++) {
            size_t column = first + (size_t)j;
            if (s->bins[(column + 1) * nz] <= q->above)
                continue;
            float left = rest - md_part_gap2(s, &q->p, 1, i & 1 ? s->ncol[1] - 1 - j : j);
            if (left >= 0.0f)
                md_search_column(q, column, left);
        }
}

size_t SIMD_NAME(md_search)(const struct md_space *s, size_t c0, size_t c1, uint32_t *out)
{
    struct md_search q = {.s = s,
                          .p = md_probe_of(s, c0, c1),
                          .next = (uint32_t)c0 + 1,
                          .above = (uint32_t)(c0 + 1) * MD_CLUSTER,
                          .out = out,
                          .n = out};
    float reach = sqrtf(s->rl2);
    int nx = s->ncol[0], ny = s->ncol[1];
    int64_t low[2], high[2];
    for (int k = 0; k < 2; k++)
        md_probe_reach(s, &q.p, k, reach, &low[k], &high[k]);
    struct md_runs x = md_runs_of(s, low[0], high[0], nx), y = md_runs_of(s, low[1], high[1], ny);
    for (int k = 0; k < x.n; k++)
        for (int i = x.from[k]; i < x.to[k]; i++)
            md_search_plane(&q, i, y);
    md_search_fill(&q);
    return (size_t)(q.n - q.out);
}

/* Atoms of a cluster as coarse lines, for md_tile_near. */
struct md_coarse_rows {
    vi xy[MD_PARTS], z[MD_PARTS], weight_xy, weight_z, limit;
};

/* Returns whether any atom of cluster j is within the limit of any of these atoms. */
MD_INLINE bool md_tile_near(const struct md_coarse_rows *r, const int16_t *coarse, size_t j)
{
    const int32_t *h = (const int32_t *)(coarse + j * MD_LINE);
    vi xy = vi_columns(h), z = vi_columns(h + MD_CLUSTER), min = xy;
    for (int q = 0; q < MD_PARTS; q++) {
        vi d = vi_add(vi_squares16(vi_times16(vi_sub16(r->xy[q], xy), r->weight_xy)),
                      vi_squares16(vi_times16(vi_sub16(r->z[q], z), r->weight_z)));
        min = q == 0 ? d : vi_min(min, d);
    }
    return vi_any_less(min, r->limit);
}

size_t SIMD_NAME(md_near)(const struct md_space *s, size_t c, int32_t limit, const uint32_t *list,
                          size_t n, uint32_t *out)
{
    const int16_t *coarse = s->coarse;
    const int32_t *h = (const int32_t *)(coarse + c * MD_LINE);
    struct md_coarse_rows r = {
        .weight_xy = vi_set((int32_t)((uint32_t)s->weight[1] << 16 | (uint32_t)s->weight[0])),
        .weight_z = vi_set(s->weight[2]),
        .limit = vi_set(limit)};
    for (int q = 0; q < MD_PARTS; q++) {
        r.xy[q] = vi_rows(h, q);
        r.z[q] = vi_rows(h + MD_CLUSTER, q);
    }
    size_t k = 0, kept = 0, whole = s->natoms / MD_CLUSTER;
    bool tail = n > 0 && list[n - 1] == whole && c != whole;
    for (n -= tail; k < n && list[k] <= c; k++)
        ;
    for (; k < n; k++) {
        uint32_t j = list[k];
        out[kept] = j;
        kept += md_tile_near(&r, coarse, j);
    }
    if (tail) /* kept without a test: its unused places are arbitrary */
        out[kept++] = (uint32_t)whole;
    return kept;
}
