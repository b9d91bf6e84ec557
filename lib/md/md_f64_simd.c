/* SPDX-License-Identifier: MIT */
/* Computes forces of pairs in double precision, and the totals of a sample. A tile of 4 x 4 pairs
 * consists of MD_PARTS compiler vectors. Lane l of part p is the pair of row (p W + l) / 4 and
 * column (p W + l) % 4. (Loops over arrays of 16 numbers were compiled to scalar code, three to six
 * times slower.) */
#include "base/simd_x86.h"
#include <string.h>

#include "base/simd_vec.h"
#include "md/md_kernel.h"

#define MD_INLINE static inline __attribute__((always_inline))
#define W (1 << (SIMD_LEVEL - 1)) /* lanes: 2, 4, 8 */
#define MD_PARTS (16 / W)

SIMD_VECTOR(vd, double, W);
SIMD_VECTOR(vl, int64_t, W);

/* Returns p[0] to p[3] in every row. */
MD_INLINE vd vd_columns(const double *p, int part)
{
#if SIMD_LEVEL == 4
    (void)part;
    return _mm512_broadcast_f64x4(_mm256_loadu_pd(p));
#else
    return *(const vd_u *)(p + part * W % 4);
#endif
}

MD_INLINE vd vd_sqrt(vd a)
{
#if SIMD_LEVEL == 4
    return _mm512_sqrt_pd(a);
#elif SIMD_LEVEL == 3
    return _mm256_sqrt_pd(a);
#else
    return _mm_sqrt_pd(a);
#endif
}

/* Returns md_integer() and the nearest integer as a double, with +0 for both zeros. */
MD_INLINE vl vl_integer(vd a)
{
    const vd magic = {0};
    return (vl)(a + (magic + MD_MAGIC)) - (vl)(magic + MD_MAGIC);
}

MD_INLINE vd vd_nearest(vd a)
{
    return (a + MD_MAGIC) - MD_MAGIC;
}

/* Returns `a` where `m` is set, and `b` elsewhere. */
MD_INLINE vd vd_choose(vl m, vd a, vd b)
{
    return (vd)((m & (vl)a) | (~m & (vl)b));
}

MD_INLINE int64_t vl_sum(vl a)
{
    int64_t s = 0;
    for (int l = 0; l < W; l++)
        s += a[l];
    return s;
}

/* Tasks of one pass, which are constants after inlining. */
enum { MD_FORCES = 1, MD_SUMS = 2, MD_STRESS = 4, MD_SHIFTED = 8 };

/* Pairs of one part of a tile. */
struct md_pairs {
    vd d[3], f; /* r_i - r_j, and F/r or 0 for a pair that does not count */
};

/* Atoms and sums of a row. */
struct md_row {
    vd x[3][MD_PARTS];
    vl f[3][MD_PARTS]; /* forces, one for each column */
    vl energy, virial, ab[6], pairs;
};

/* The argument `bits` selects those pairs of the tile that are used. */
MD_INLINE void md_part_pairs(const struct md_rows *a, int what, size_t j, uint32_t bits, int p,
                             struct md_row *row, struct md_pairs *t)
{
    const vd rc2 = (vd){0} + a->rc2;
    for (int k = 0; k < 3; k++) {
        vd d = row->x[k][p] - vd_columns(a->r[k] + j, p);
        t->d[k] = d - a->box[k] * vd_nearest(d * a->inv[k]); /* box_image_f64 */
    }
    vd r2 = (t->d[0] * t->d[0] + t->d[1] * t->d[1]) + t->d[2] * t->d[2];
    vl in = r2 < rc2;
    if (bits != 0xffff)
        for (int l = 0; l < W; l++)
            in[l] &= -(int64_t)(bits >> (p * W + l) & 1);
    r2 = vd_choose(in, r2, rc2);
    vd s = 1.0 / r2, s6 = s * s * s; /* lj_energy() and lj_force_r() with one division */
    vd u = s6 * (a->lj.c12 * s6 - a->lj.c6);
    vd f = s * s6 * (12.0 * a->lj.c12 * s6 - 6.0 * a->lj.c6);
    if (what & MD_SHIFTED) { /* lj_energy_cut() and lj_force_r_cut() */
        vd r = vd_sqrt(r2);
        u = u + (a->lj.u0 + a->lj.f1 * r);
        f = f - a->lj.f1 / r;
    }
    t->f = (vd)(in & (vl)f);
    if (what & MD_SUMS) {
        row->energy += vl_integer((vd)(in & (vl)u) * a->escale);
        row->virial += vl_integer(t->f * r2 * a->escale);
        row->pairs -= in;
    }
}

MD_INLINE void md_part_stress(const struct md_rows *a, const struct md_pairs *t, struct md_row *row)
{
    for (int k = 0; k < 3; k++)
        row->ab[k] += vl_integer(t->f * t->d[k] * t->d[k] * a->escale);
    row->ab[3] += vl_integer(t->f * t->d[0] * t->d[1] * a->escale);
    row->ab[4] += vl_integer(t->f * t->d[0] * t->d[2] * a->escale);
    row->ab[5] += vl_integer(t->f * t->d[1] * t->d[2] * a->escale);
}

/* Computes one tile. The array fj has the lines of its columns. */
MD_INLINE void md_tile(const struct md_rows *a, int what, size_t j, uint32_t bits,
                       struct md_row *row, int64_t *fj)
{
    vl columns[3][2] = {{{0}}}; /* two lines, because parts of half a row alternate */
    for (int p = 0; p < MD_PARTS; p++) {
        struct md_pairs t;
        md_part_pairs(a, what, j, bits, p, row, &t);
        if (what & MD_STRESS)
            md_part_stress(a, &t, row);
        for (int k = 0; what & MD_FORCES && k < 3; k++) {
            vl q = vl_integer(t.f * t.d[k] * a->fscale);
            row->f[k][p] += q;
            columns[k][W == 2 && p % 2] += q;
        }
    }
    for (int k = 0; what & MD_FORCES && k < 3; k++)
        for (int c = 0; c < 4; c++)
            fj[4 * k + c] -= W == 8   ? columns[k][0][c] + columns[k][0][(c + 4) % W]
                             : W == 4 ? columns[k][0][c % W]
                                      : columns[k][c / 2][c % 2];
}

MD_INLINE void md_rows_wide(const struct md_rows *a, int what, size_t c0, size_t c1, int64_t *f,
                            struct md_sums *s)
{
    size_t last = a->natoms / MD_CLUSTER, left = a->natoms % MD_CLUSTER;
    uint32_t some = 0x1111u * ((1u << left) - 1);
    for (size_t c = c0; c < c1; c++) {
        struct md_row row;
        memset(&row, 0, sizeof row);
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 16; l++)
                row.x[k][l / W][l % W] = a->r[k][c * MD_CLUSTER + (size_t)(l >> 2)];
        for (size_t e = a->begin[c]; e <= a->end[c]; e++) { /* at last, the row itself */
            size_t j = e < a->end[c] ? a->list[e] : c;
            uint32_t bits = (j == c ? 0x08ce : 0xffff) & (j == last ? some : 0xffffu);
            md_tile(a, what, j * MD_CLUSTER, bits, &row, what & MD_FORCES ? f + j * MD_LINE : NULL);
        }
        for (int k = 0; what & MD_FORCES && k < 3; k++)
            for (int l = 0; l < 16; l++)
                f[c * MD_LINE + 4 * (size_t)k + (size_t)(l >> 2)] += row.f[k][l / W][l % W];
        if (!(what & MD_SUMS))
            continue;
        s->energy += vl_sum(row.energy);
        s->virial += vl_sum(row.virial);
        s->pairs += (uint64_t)vl_sum(row.pairs);
        for (int k = 0; what & MD_STRESS && k < 6; k++)
            s->ab[k] += vl_sum(row.ab[k]);
    }
}

void SIMD_NAME(md_rows_f64)(const struct md_rows *a, size_t c0, size_t c1, int64_t *f,
                            struct md_sums *s)
{
    int what = (f           ? MD_FORCES
                : s->stress ? MD_SUMS | MD_STRESS
                            : MD_SUMS) |
               (a->lj.u0 != 0.0 || a->lj.f1 != 0.0 ? MD_SHIFTED : 0);
    switch (what) {
    case MD_FORCES: md_rows_wide(a, MD_FORCES, c0, c1, f, s); break;
    case MD_FORCES | MD_SHIFTED: md_rows_wide(a, MD_FORCES | MD_SHIFTED, c0, c1, f, s); break;
    case MD_SUMS: md_rows_wide(a, MD_SUMS, c0, c1, f, s); break;
    case MD_SUMS | MD_SHIFTED: md_rows_wide(a, MD_SUMS | MD_SHIFTED, c0, c1, f, s); break;
    case MD_SUMS | MD_STRESS: md_rows_wide(a, MD_SUMS | MD_STRESS, c0, c1, f, s); break;
    default: md_rows_wide(a, MD_SUMS | MD_STRESS | MD_SHIFTED, c0, c1, f, s); break;
    }
}

void SIMD_NAME(md_fold_f64)(int64_t *total, int64_t *f, size_t c0, size_t c1, int first)
{
    for (size_t i = c0 * MD_LINE; i < c1 * MD_LINE; i++) {
        total[i] = first ? f[i] : (int64_t)((uint64_t)total[i] + (uint64_t)f[i]);
        f[i] = 0;
    }
}
