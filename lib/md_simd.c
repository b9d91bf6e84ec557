/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "box.h"
#include "md_kernel.h"
#include "md_vec.h"

struct md_consts {
    vf num, rc2, a12, a6, cap, ratio1, ratio2;
};

struct md_force {
    vi x, y, z;
};

MD_INLINE struct md_consts md_consts(const struct lj_fixed *p)
{
    struct md_consts c = {vf_set(p->num), vf_set(p->rc2), vf_set(p->a12),      vf_set(p->a6),
                          vf_set(p->cap), vf_set(p->ratio[1]), vf_set(p->ratio[2])};
    return c;
}

/* lj_fixed_force for the lanes of one block: added to g for i, taken from f for j. */
MD_INLINE void md_pair(const struct md_consts *c, int cubic, const struct md_force *xi,
                       const struct md_rows *a, size_t j, int masked, vm valid, struct md_force *g,
                       int32_t *const f[3])
{
    vf x = vf_of(vi_sub(xi->x, vi_load(a->x[0] + j)));
    vf y = vf_of(vi_sub(xi->y, vi_load(a->x[1] + j)));
    vf z = vf_of(vi_sub(xi->z, vi_load(a->x[2] + j)));
    if (!cubic) {
        y = y * c->ratio1;
        z = z * c->ratio2;
    }
    vf r2 = (x * x + y * y) + z * z;
    vm in = vm_less(r2, c->rc2);
    if (masked)
        in = vm_and(in, valid);
    vf s = c->num / r2, s3 = (s * s) * s;
    vf e = vf_keep(vf_min((s * s3) * (c->a12 * s3 - c->a6), c->cap), in);
    vi fx = vi_round(e * x), fy = vi_round(e * y), fz = vi_round(e * z);
    g->x = vi_add(g->x, fx);
    g->y = vi_add(g->y, fy);
    g->z = vi_add(g->z, fz);
    vi_store(f[0] + j, vi_sub(vi_load(f[0] + j), fx));
    vi_store(f[1] + j, vi_sub(vi_load(f[1] + j), fy));
    vi_store(f[2] + j, vi_sub(vi_load(f[2] + j), fz));
}

/* Lanes of block b that hold atoms, and, in i's own block, come after i. */
MD_INLINE uint32_t md_valid(const struct md_rows *a, size_t b, size_t i)
{
    size_t left = a->natoms - b * MD_LANES;
    uint32_t all = left >= MD_LANES ? (uint32_t)((1ull << MD_LANES) - 1) : (1u << left) - 1;
    return b == i / MD_LANES ? all & ~((2u << i % MD_LANES) - 1) : all;
}

MD_INLINE void md_row(const struct md_consts *c, int cubic, const struct md_rows *a, size_t i,
                      int32_t *const f[3])
{
    const uint32_t *list = a->list + a->begin[i >> a->shift];
    size_t n = a->end[i >> a->shift] - a->begin[i >> a->shift];
    size_t own = i / MD_LANES, last = a->natoms / MD_LANES; /* last: the padded block, if there is one */
    struct md_force xi = {vi_set(a->x[0][i]), vi_set(a->x[1][i]), vi_set(a->x[2][i])};
    struct md_force g = {vi_set(0), vi_set(0), vi_set(0)};
    md_pair(c, cubic, &xi, a, own * MD_LANES, 1, vm_bits(md_valid(a, own, i)), &g, f);
    int tail = n && list[n - 1] == last;
    for (size_t k = 0; k < n - (size_t)tail; k++)
        md_pair(c, cubic, &xi, a, (size_t)list[k] * MD_LANES, 0, vm_bits(0), &g, f);
    if (tail)
        md_pair(c, cubic, &xi, a, last * MD_LANES, 1, vm_bits(md_valid(a, last, i)), &g, f);
    f[0][i] = (int32_t)((uint32_t)f[0][i] + (uint32_t)vi_sum(g.x));
    f[1][i] = (int32_t)((uint32_t)f[1][i] + (uint32_t)vi_sum(g.y));
    f[2][i] = (int32_t)((uint32_t)f[2][i] + (uint32_t)vi_sum(g.z));
}

void SIMD_NAME(md_rows_force)(const struct md_rows *a, size_t i0, size_t i1, int32_t *const f[3])
{
    struct md_consts c = md_consts(&a->fixed);
    int32_t *const fl[3] = {f[0], f[1], f[2]};
    if (a->fixed.ratio[1] == 1.0f && a->fixed.ratio[2] == 1.0f)
        for (size_t i = i0; i < i1; i++)
            md_row(&c, 1, a, i, fl);
    else
        for (size_t i = i0; i < i1; i++)
            md_row(&c, 0, a, i, fl);
}

size_t SIMD_NAME(md_rows_prune)(const struct md_rows *a, size_t i0, size_t i1, const uint32_t *near, size_t n,
                                float rl2, uint32_t *out, uint32_t *count)
{
    struct md_consts c = md_consts(&a->fixed);
    vf limit = vf_set(rl2);
    size_t total = 0;
    for (size_t i = i0; i < i1; i++) {
        size_t kept = 0;
        vi xi = vi_set(a->x[0][i]), yi = vi_set(a->x[1][i]), zi = vi_set(a->x[2][i]);
        for (size_t k = 0; k < n; k++) {
            size_t j = (size_t)near[k] * MD_LANES;
            vf x = vf_of(vi_sub(xi, vi_load(a->x[0] + j)));
            vf y = vf_of(vi_sub(yi, vi_load(a->x[1] + j))) * c.ratio1;
            vf z = vf_of(vi_sub(zi, vi_load(a->x[2] + j))) * c.ratio2;
            out[total + kept] = near[k];
            kept += vm_mask(vm_less((x * x + y * y) + z * z, limit)) != 0;
        }
        count[i - i0] = (uint32_t)kept;
        total += kept;
    }
    return total;
}

/* ---- double: scratch of one block, so that the compiler makes vectors of it */

struct md_lanes_f64 {
    double d[3][MD_LANES], f[MD_LANES], u[MD_LANES], w[MD_LANES];
    double in[MD_LANES]; /* 1 or 0 */
};

#define MD_MAGIC 6755399441055744.0 /* 1.5 * 2^52: adding it leaves the nearest integer in the low bits */

MD_INLINE int64_t md_integer(double x)
{
    double y = x + MD_MAGIC, m = MD_MAGIC;
    int64_t b, bm;
    memcpy(&b, &y, sizeof b);
    memcpy(&bm, &m, sizeof bm);
    return b - bm;
}

MD_INLINE void md_block_f64(const struct md_rows *a, size_t i, size_t j, uint32_t valid, struct md_lanes_f64 *t)
{
    double r2[MD_LANES];
    for (int k = 0; k < 3; k++) {
        double ri = a->r[k][i], len = a->box[k], inv = a->inv[k];
        const double *rj = a->r[k] + j;
        for (int l = 0; l < MD_LANES; l++)
            t->d[k][l] = box_image_f64(ri - rj[l], len, inv);
    }
    for (int l = 0; l < MD_LANES; l++) {
        r2[l] = (t->d[0][l] * t->d[0][l] + t->d[1][l] * t->d[1][l]) + t->d[2][l] * t->d[2][l];
        t->in[l] = (r2[l] < a->rc2) & (valid >> l & 1) ? 1.0 : 0.0;
        r2[l] = t->in[l] > 0.0 ? r2[l] : a->rc2;
    }
    for (int l = 0; l < MD_LANES; l++) {
        t->u[l] = t->in[l] * lj_energy(&a->lj, r2[l]);
        t->f[l] = t->in[l] * lj_force_r(&a->lj, r2[l]);
        t->w[l] = t->f[l] * r2[l];
    }
}

MD_INLINE void md_add_f64(const struct md_rows *a, size_t i, size_t j, const struct md_lanes_f64 *t,
                          int64_t *const f[3], struct md_sums *s)
{
    int64_t u = 0, w = 0;
    double n = 0.0;
    if (s) {
        for (int l = 0; l < MD_LANES; l++) {
            u += md_integer(t->u[l] * a->escale);
            w += md_integer(t->w[l] * a->escale);
            n += t->in[l];
        }
        s->energy += u;
        s->virial += w;
        s->pairs += (uint64_t)n;
    }
    for (int k = 0; f && k < 3; k++) {
        int64_t sum = 0;
        for (int l = 0; l < MD_LANES; l++) {
            int64_t q = md_integer(t->f[l] * t->d[k][l] * a->fscale);
            sum += q;
            f[k][j + (size_t)l] -= q;
        }
        f[k][i] += sum;
    }
}

void SIMD_NAME(md_rows_f64)(const struct md_rows *a, size_t i0, size_t i1, int64_t *const f[3], struct md_sums *s)
{
    struct md_lanes_f64 t;
    for (size_t i = i0; i < i1; i++) {
        const uint32_t *list = a->list + a->begin[i >> a->shift];
        size_t n = a->end[i >> a->shift] - a->begin[i >> a->shift], own = i / MD_LANES;
        for (size_t k = 0; k <= n; k++) {
            size_t b = k == 0 ? own : list[k - 1];
            uint32_t valid = md_valid(a, b, i);
            if (valid == 0)
                continue;
            md_block_f64(a, i, b * MD_LANES, valid, &t);
            md_add_f64(a, i, b * MD_LANES, &t, f, s);
        }
    }
}
