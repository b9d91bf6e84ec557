/* SPDX-License-Identifier: MIT */
#include "md/md_kernel.h"
#include "md/md_vec.h"

#define MD_SUMS                                                                                    \
    (3 * MD_LANES) /* integers of a cluster in the sums: x, y, z of MD_LANES / 4 rows each */

struct md_consts {
    vf num, rc2, a12, a6, a1, cap, ratio1, ratio2;
};

/* Forces of a tile: x[p], y[p], z[p] for part p. */
struct md_tile {
    vi x[MD_PARTS], y[MD_PARTS], z[MD_PARTS];
};

/* What is known of a system before the loops, as constants after inlining. */
enum { MD_CUBIC = 1, MD_SHIFTED = 2 };

/* lj_fixed_force for the pairs of a tile, begun: differences, and s: 0 for who does not count (of the
 * bits, where masked), as then the force is. */
struct md_begun {
    vf x[MD_PARTS], y[MD_PARTS], z[MD_PARTS], s[MD_PARTS];
};

MD_INLINE void md_tile_begin(const struct md_consts *c, int kind, const struct md_tile *xi,
                             const int32_t *xj, int masked, uint32_t bits, struct md_begun *t)
{
    vi xc = vi_columns(xj), yc = vi_columns(xj + 4), zc = vi_columns(xj + 8);
    for (int p = 0; p < MD_PARTS; p++) {
        vf x = vf_of(vi_sub(xi->x[p], xc)), y = vf_of(vi_sub(xi->y[p], yc)),
           z = vf_of(vi_sub(xi->z[p], zc));
        if (!(kind & MD_CUBIC)) {
            y = y * c->ratio1;
            z = z * c->ratio2;
        }
        vf r2 = (x * x + y * y) + z * z;
        vm in = vm_less(r2, c->rc2);
        if (masked)
            in = vm_and(in, vm_part(bits, p));
        t->x[p] = x;
        t->y[p] = y;
        t->z[p] = z;
        t->s[p] = vf_keep(c->num / r2, in);
    }
}

/* And ended: the forces. */
MD_INLINE void md_tile_end(const struct md_consts *c, int kind, const struct md_begun *t,
                           struct md_tile *f)
{
    for (int p = 0; p < MD_PARTS; p++) {
        vf s = t->s[p], s3 = (s * s) * s;
        vf e = (s * s3) * (c->a12 * s3 - c->a6);
        if (kind & MD_SHIFTED)
            e = e - c->a1 * vf_sqrt(s);
        e = vf_min(e, c->cap);
        f->x[p] = vi_round(e * t->x[p]);
        f->y[p] = vi_round(e * t->y[p]);
        f->z[p] = vi_round(e * t->z[p]);
    }
}

/* The force of a tile: to the sums of the rows, and from the columns. */
MD_INLINE void md_tile_add(struct md_tile *g, const struct md_tile *f, int32_t *fj)
{
    for (int p = 0; p < MD_PARTS; p++) {
        g->x[p] = vi_add(g->x[p], f->x[p]);
        g->y[p] = vi_add(g->y[p], f->y[p]);
        g->z[p] = vi_add(g->z[p], f->z[p]);
    }
    vi_store(fj, vi_sub(vi_load(fj), vi_parts(f->x)));
    vi_store(fj + MD_LANES, vi_sub(vi_load(fj + MD_LANES), vi_parts(f->y)));
    vi_store(fj + 2 * MD_LANES, vi_sub(vi_load(fj + 2 * MD_LANES), vi_parts(f->z)));
}

/* Pairs of a cluster with itself, each once: column after row; and with a last cluster of `left`
 * atoms. */
MD_INLINE uint32_t md_own_bits(size_t left)
{
    return left >= 4 ? 0x08ce : left == 3 ? 0x0046 : left == 2 ? 0x0002 : 0;
}

MD_INLINE uint32_t md_last_bits(size_t left)
{
    return 0x1111u * ((1u << left) - 1);
}

MD_INLINE void md_row(const struct md_consts *c, int kind, const struct md_rows *a, size_t row,
                      int32_t *f)
{
    const uint32_t *list = a->list + a->begin[row], *end = a->list + a->end[row];
    const int32_t *x = a->x;
    size_t left = a->natoms - row * MD_CLUSTER,
           last = a->natoms / MD_CLUSTER; /* last: the one not full, if any */
    struct md_tile xi, g, t;
    struct md_begun now, then;
    for (int p = 0; p < MD_PARTS; p++) {
        xi.x[p] = vi_rows(x + row * MD_LINE, p);
        xi.y[p] = vi_rows(x + row * MD_LINE + 4, p);
        xi.z[p] = vi_rows(x + row * MD_LINE + 8, p);
        g.x[p] = g.y[p] = g.z[p] = vi_zero();
    }
    int tail = end > list && end[-1] == last;
    end -= tail;
    size_t j = row, next;
    /* A tile begins before the one before it ends, so that its division waits for nobody (AVX2 has
     * registers for that in the other order only). */
    md_tile_begin(c, kind, &xi, x + row * MD_LINE, 1, md_own_bits(left), &now);
    for (; list < end; list++, j = next) {
        next = *list;
        if (SIMD_LEVEL != 3)
            md_tile_begin(c, kind, &xi, x + next * MD_LINE, 0, 0, &then);
        md_tile_end(c, kind, &now, &t);
        md_tile_add(&g, &t, f + j * MD_SUMS);
        if (SIMD_LEVEL == 3)
            md_tile_begin(c, kind, &xi, x + next * MD_LINE, 0, 0, &then);
        now = then;
    }
    md_tile_end(c, kind, &now, &t);
    md_tile_add(&g, &t, f + j * MD_SUMS);
    if (tail) {
        md_tile_begin(c, kind, &xi, x + last * MD_LINE, 1, md_last_bits(a->natoms % MD_CLUSTER),
                      &now);
        md_tile_end(c, kind, &now, &t);
        md_tile_add(&g, &t, f + last * MD_SUMS);
    }
    __m128i sum[3] = {vi_row_sums(g.x), vi_row_sums(g.y), vi_row_sums(g.z)};
    for (int k = 0; k < 3; k++) {
        __m128i *fi = (__m128i *)(f + row * MD_SUMS + k * MD_LANES);
        _mm_store_si128(fi, _mm_add_epi32(_mm_load_si128(fi), sum[k]));
    }
}

MD_INLINE void md_all_rows(const struct md_rows *rows, int kind, size_t c0, size_t c1, int32_t *f)
{
    const struct md_rows a = *rows; /* by value: no store can be thought to change it */
    const struct lj_fixed *p = &a.fixed;
    const struct md_consts c = {vf_set(p->num),      vf_set(p->rc2),     vf_set(p->a12),
                                vf_set(p->a6),       vf_set(p->a1),      vf_set(p->cap),
                                vf_set(p->ratio[1]), vf_set(p->ratio[2])};
    for (size_t row = c0; row < c1; row++)
        md_row(&c, kind, &a, row, f);
}

void SIMD_NAME(md_rows_force)(const struct md_rows *a, size_t c0, size_t c1, int32_t *f)
{
    if (a->fixed.a1 != 0.0f) /* ratios of 1 change nothing */
        md_all_rows(a, MD_SHIFTED, c0, c1, f);
    else if (a->fixed.ratio[1] == 1.0f && a->fixed.ratio[2] == 1.0f)
        md_all_rows(a, MD_CUBIC, c0, c1, f);
    else
        md_all_rows(a, 0, c0, c1, f);
}

int SIMD_NAME(md_sums_width)(void)
{
    return MD_SUMS;
}

void SIMD_NAME(md_fold)(int32_t *total, int32_t *f, size_t c0, size_t c1, int first)
{
    for (size_t c = c0; c < c1; c++)
        for (int k = 0; k < 3; k++) {
            int32_t *part = f + c * MD_SUMS + k * MD_LANES;
            __m128i *to = (__m128i *)(total + c * MD_LINE + 4 * k), sum = vi_fold(vi_load(part));
            vi_store(part, vi_zero());
            _mm_store_si128(to, first ? sum : _mm_add_epi32(_mm_load_si128(to), sum));
        }
}
