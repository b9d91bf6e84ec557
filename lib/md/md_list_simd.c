/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdbool.h>

#include "md/md_kernel.h"
#include "md/md_vec.h"

/* What a search knows of its cluster: the atoms, and the box around them in position units. */
struct md_probe {
    vi x[MD_PARTS], y[MD_PARTS], z[MD_PARTS];
    int32_t centre[3];
    double half[3];
};

MD_INLINE struct md_probe md_probe_of(const struct md_space *s, size_t c)
{
    struct md_probe p;
    const int32_t *line = s->x + c * MD_LINE;
    size_t left = s->natoms - c * MD_CLUSTER, n = left < MD_CLUSTER ? left : MD_CLUSTER;
    for (int k = 0; k < 3; k++) {
        int32_t first = line[4 * k], low = 0, high = 0;
        for (size_t l = 1; l < n; l++) {
            int32_t d = (int32_t)((uint32_t)line[4 * k + (int)l] - (uint32_t)first);
            low = d < low ? d : low;
            high = d > high ? d : high;
        }
        p.centre[k] = (int32_t)((uint32_t)first + (uint32_t)(int32_t)(((int64_t)low + high) / 2));
        p.half[k] = 0.5 * ((double)high - low) + 2.0;
    }
    int32_t full[MD_LINE] __attribute__((aligned(64)));
    for (int k = 0; k < 12;
         k++) /* rows that are not there repeat the first: they find nothing more */
        full[k] = line[(size_t)(k & 3) < n ? k : k & ~3];
    for (int q = 0; q < MD_PARTS; q++) {
        p.x[q] = vi_rows(full, q);
        p.y[q] = vi_rows(full + 4, q);
        p.z[q] = vi_rows(full + 8, q);
    }
    return p;
}

/* Is any atom of line xj nearer than rl2 to any of the probe? */
MD_INLINE bool md_tile_near(const struct md_space *s, const struct md_probe *p, const int32_t *xj,
                            vf rl2)
{
    vi xc = vi_columns(xj), yc = vi_columns(xj + 4), zc = vi_columns(xj + 8);
    vf ry = vf_set(s->ratio[1]), rz = vf_set(s->ratio[2]);
    int any = 0;
    for (int q = 0; q < MD_PARTS; q++) {
        vf x = vf_of(vi_sub(p->x[q], xc)), y = vf_of(vi_sub(p->y[q], yc)) * ry,
           z = vf_of(vi_sub(p->z[q], zc)) * rz;
        any |= vm_any(vm_less((x * x + y * y) + z * z, rl2));
    }
    return any;
}

/* Equal parts of the edge that [c - reach, c + reach] meets: the first, as it is numbered without
 * wrapping, and how many. */
MD_INLINE int md_parts(const struct md_space *s, int32_t c, double reach, int n, int *first)
{
    double width = (s->periodic ? 4294967296.0 : 1073741824.0) / n,
           at = s->periodic ? (double)(uint32_t)c : (double)c;
    double low = floor((at - reach) / width), high = floor((at + reach) / width);
    if (!s->periodic) {
        low = fmin(fmax(low, 0.0), n - 1.0);
        high = fmin(fmax(high, 0.0), n - 1.0);
    } else if (high - low + 1.0 >= n) {
        low = 0.0;
        high = n - 1.0;
    }
    *first = (int)low;
    return (int)(high - low) + 1;
}

/* Distance between the probe's box and part i (unwrapped number) along axis k, units of axis 0. */
MD_INLINE double md_part_gap(const struct md_space *s, const struct md_probe *p, int k, int i,
                             int n, int count)
{
    if (s->periodic && count == n)
        return 0.0; /* all parts: which image is nearest is not known */
    double width = (s->periodic ? 4294967296.0 : 1073741824.0) / n;
    double at = s->periodic ? (double)(uint32_t)p->centre[k] : (double)p->centre[k];
    double gap =
        fmax((double)i * width - (at + p->half[k]), at - p->half[k] - (double)(i + 1) * width);
    bool edge = !s->periodic &&
                (i == 0 || i == n - 1); /* whatever lies outside counts to the outermost parts */
    return edge || gap < 4.0 ? 0.0 : (gap - 4.0) * (double)s->ratio[k];
}

struct md_search {
    const struct md_space *s;
    struct md_probe p;
    size_t c, n;
    uint32_t *stamp, *out;
    bool tail;
};

/* Clusters of atoms from..to-1 that are above c and near. */
MD_INLINE void md_search_range(struct md_search *q, size_t from, size_t to, vf rl2)
{
    if (from == to)
        return;
    size_t j = from / MD_CLUSTER, end = (to - 1) / MD_CLUSTER, last = q->s->natoms / MD_CLUSTER;
    for (j = j > q->c ? j : q->c + 1; j <= end; j++) {
        if (q->stamp[j] == q->c + 1)
            continue;
        q->stamp[j] = (uint32_t)q->c + 1;
        if (j == last)
            q->tail = true; /* not full: kept unseen, its empty places hold anything */
        else if (q->s->exact) {
            q->out[q->n] = (uint32_t)j;
            q->n += md_tile_near(q->s, &q->p, q->s->x + j * MD_LINE, rl2);
        } else
            q->out[q->n++] = (uint32_t)j;
    }
}

size_t SIMD_NAME(md_near)(const struct md_space *s, size_t c, uint32_t *stamp, uint32_t *out)
{
    struct md_search q = {.s = s, .p = md_probe_of(s, c), .c = c, .stamp = stamp, .out = out};
    vf rl2 = vf_set(s->rl2);
    double reach = sqrt((double)s->rl2);
    int first[2], count[2];
    for (int k = 0; k < 2; k++)
        count[k] = md_parts(s, q.p.centre[k], q.p.half[k] + reach / (double)s->ratio[k] + 4.0,
                            s->ncol[k], &first[k]);
    for (int i = first[0]; i < first[0] + count[0]; i++) {
        double gx = md_part_gap(s, &q.p, 0, i, s->ncol[0], count[0]);
        for (int j = first[1]; j < first[1] + count[1]; j++) {
            double gy = md_part_gap(s, &q.p, 1, j, s->ncol[1], count[1]),
                   left = (double)s->rl2 - gx * gx - gy * gy;
            if (left < 0.0)
                continue;
            int cx = (i + s->ncol[0]) % s->ncol[0], cy = (j + s->ncol[1]) % s->ncol[1], z0;
            int column = cx * s->ncol[1] + (cx & 1 ? s->ncol[1] - 1 - cy : cy);
            const uint32_t *bins = s->bins + (size_t)column * (size_t)s->nz;
            if (bins[s->nz] <= c * MD_CLUSTER)
                continue;
            int nz = md_parts(s, q.p.centre[2],
                              q.p.half[2] + sqrt(left) / (double)s->ratio[2] + 4.0, s->nz, &z0);
            z0 = (z0 + s->nz) % s->nz;
            int over =
                z0 + nz > s->nz ? z0 + nz - s->nz : 0; /* beyond the top: from the bottom on */
            int top = z0 + nz - over;
            if (column & 1) { /* here z runs down */
                md_search_range(&q, bins[s->nz - top], bins[s->nz - z0], rl2);
                md_search_range(&q, bins[s->nz - over], bins[s->nz], rl2);
            } else {
                md_search_range(&q, bins[z0], bins[top], rl2);
                md_search_range(&q, bins[0], bins[over], rl2);
            }
        }
    }
    if (q.tail)
        out[q.n++] = (uint32_t)(s->natoms / MD_CLUSTER);
    return q.n;
}
