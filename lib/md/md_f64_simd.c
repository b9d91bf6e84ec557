/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/box.h"
#include "md/md_kernel.h"

#define MD_INLINE static inline __attribute__((always_inline))
#define MD_PAIRS 16 /* of a tile: row-major, 4 by 4 */

/* One tile; arrays of 16 that the compiler turns into vectors. */
struct md_tile_f64 {
    double xi[3][MD_PAIRS]; /* rows */
    double d[3][MD_PAIRS], f[MD_PAIRS], u[MD_PAIRS], w[MD_PAIRS], in[MD_PAIRS];
};

MD_INLINE void md_tile_pairs(const struct md_rows *a, size_t j, uint32_t bits, int shifted,
                             struct md_tile_f64 *t)
{
    double r2[MD_PAIRS], rj[MD_PAIRS], allowed[MD_PAIRS];
    for (int k = 0; k < 3; k++) {
        double len = a->box[k], inv = a->inv[k];
        for (int l = 0; l < MD_PAIRS; l++)
            rj[l] = a->r[k][j + (size_t)(l & 3)];
        for (int l = 0; l < MD_PAIRS; l++)
            t->d[k][l] = box_image_f64(t->xi[k][l] - rj[l], len, inv);
    }
    for (int l = 0; l < MD_PAIRS; l++)
        allowed[l] = bits >> l & 1 ? a->rc2 : 0.0;
    for (int l = 0; l < MD_PAIRS; l++) {
        r2[l] = (t->d[0][l] * t->d[0][l] + t->d[1][l] * t->d[1][l]) + t->d[2][l] * t->d[2][l];
        t->in[l] = r2[l] < allowed[l] ? 1.0 : 0.0;
        r2[l] = r2[l] < allowed[l] ? r2[l] : a->rc2;
    }
    for (int l = 0; l < MD_PAIRS; l++) {
        double s = 1.0 / r2[l], s6 = s * s * s; /* lj_energy and lj_force_r with one division */
        t->u[l] = s6 * (a->lj.c12 * s6 - a->lj.c6);
        t->f[l] = s * s6 * (12.0 * a->lj.c12 * s6 - 6.0 * a->lj.c6);
        if (shifted) { /* lj_energy_cut, lj_force_r_cut */
            double r = sqrt(r2[l]);
            t->u[l] = t->u[l] + (a->lj.u0 + a->lj.f1 * r);
            t->f[l] = t->f[l] - a->lj.f1 / r;
        }
        t->u[l] = t->in[l] * t->u[l];
        t->f[l] = t->in[l] * t->f[l];
        t->w[l] = t->f[l] * r2[l];
    }
}

/* What a row adds to the totals. */
struct md_row_sums {
    int64_t energy, virial, ab[6];
    double pairs;
};

MD_INLINE void md_tile_sums(const struct md_rows *a, const struct md_tile_f64 *t, int stress,
                            struct md_row_sums *s)
{
    static const int axis[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int l = 0; l < MD_PAIRS; l++) {
        s->energy += md_integer(t->u[l] * a->escale);
        s->virial += md_integer(t->w[l] * a->escale);
    }
    for (int k = 0; stress && k < 6; k++) {
        const double *x = t->d[axis[k][0]], *y = t->d[axis[k][1]];
        for (int l = 0; l < MD_PAIRS; l++)
            s->ab[k] += md_integer(t->f[l] * x[l] * y[l] * a->escale);
    }
    for (int l = 0; l < MD_PAIRS; l++)
        s->pairs += t->in[l];
}

MD_INLINE void md_tile_forces(const struct md_rows *a, const struct md_tile_f64 *t, int64_t *fi,
                              int64_t *fj)
{
    for (int k = 0; k < 3; k++) {
        int64_t q[MD_PAIRS];
        for (int l = 0; l < MD_PAIRS; l++)
            q[l] = md_integer(t->f[l] * t->d[k][l] * a->fscale);
        for (int l = 0; l < 4; l++) {
            fi[4 * k + l] += (q[4 * l] + q[4 * l + 1]) + (q[4 * l + 2] + q[4 * l + 3]);
            fj[4 * k + l] -= (q[l] + q[4 + l]) + (q[8 + l] + q[12 + l]);
        }
    }
}

/* What one pass is for; constants after inlining. */
enum { MD_FORCES = 1, MD_SUMS = 2, MD_STRESS = 4, MD_SHIFTED = 8 };

MD_INLINE void md_rows_wide(const struct md_rows *a, int what, size_t c0, size_t c1, int64_t *f,
                            struct md_sums *sums)
{
    struct md_tile_f64 t;
    size_t last = a->natoms / MD_CLUSTER, left = a->natoms % MD_CLUSTER;
    uint32_t some = 0x1111u * ((1u << left) - 1);
    for (size_t row = c0; row < c1; row++) {
        struct md_row_sums s = {0};
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < MD_PAIRS; l++)
                t.xi[k][l] = a->r[k][row * MD_CLUSTER + (size_t)(l >> 2)];
        for (size_t e = a->begin[row]; e <= a->end[row]; e++) { /* the last round: the row itself */
            size_t j = e < a->end[row] ? a->list[e] : row;
            uint32_t bits = (j == row ? 0x08ce : 0xffff) & (j == last ? some : 0xffffu);
            md_tile_pairs(a, j * MD_CLUSTER, bits, what & MD_SHIFTED, &t);
            if (what & MD_SUMS)
                md_tile_sums(a, &t, what & MD_STRESS, &s);
            else
                md_tile_forces(a, &t, f + row * MD_LINE, f + j * MD_LINE);
        }
        if (!(what & MD_SUMS))
            continue;
        sums->energy += s.energy;
        sums->virial += s.virial;
        sums->pairs += (uint64_t)s.pairs;
        for (int k = 0; what & MD_STRESS && k < 6; k++)
            sums->ab[k] += s.ab[k];
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
