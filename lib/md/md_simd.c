/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/simd_vec.h"
#include "md/md_kernel.h"
#include "md/md_vec.h"

#define MD_SUMS                                                                                    \
    (3 * MD_LANES) /* integers per cluster in the sums, with x, y, z of MD_LANES / 4 rows each */

struct md_consts {
    vf num, rc2, a12, a6, a1, cap, ratio1, ratio2, s3_scale, r_scale;
};

/* Positions or forces of a tile, with v[k][p] for component k of part p. */
struct md_tile {
    vi v[3][MD_PARTS];
};

/* Properties of a system known before the loops, as constants after inlining. */
enum { MD_CUBIC = 1, MD_SHIFTED = 2, MD_TOTALS = 4 };

/* An unfinished lj_fixed_force() of the pairs of a tile, with the differences and s. At first, s is
 * the squared distance, and then num divided by it. For pairs that are excluded (given by `bits` if
 * masked), s is 0, so that their force is 0. */
struct md_begun {
    vf d[3][MD_PARTS], s[MD_PARTS];
};

MD_INLINE vf md_r2(const struct md_begun *t, int p)
{
    vf x = t->d[0][p], y = t->d[1][p], z = t->d[2][p];
    return (x * x + y * y) + z * z;
}

MD_INLINE void md_tile_see(const struct md_consts *c, int kind, const struct md_tile *xi,
                           const int32_t *xj, struct md_begun *t)
{
    for (int p = 0; p < MD_PARTS; p++) {
        for (int k = 0; k < 3; k++) {
            t->d[k][p] = vf_of(vi_sub(xi->v[k][p], vi_columns(xj + 4 * k)));
            if (k > 0 && !(kind & MD_CUBIC))
                t->d[k][p] = t->d[k][p] * (k == 1 ? c->ratio1 : c->ratio2);
        }
        t->s[p] = md_r2(t, p);
    }
}

MD_INLINE void md_tile_divide(const struct md_consts *c, int masked, uint32_t bits,
                              struct md_begun *t)
{
    for (int p = 0; p < MD_PARTS; p++) {
        vm in = vm_less(t->s[p], c->rc2);
        if (masked)
            in = vm_and(in, vm_part(bits, p));
        t->s[p] = vf_keep(c->num / t->s[p], in);
    }
}

/* Completes the forces of a tile. */
MD_INLINE void md_tile_end(const struct md_consts *c, int kind, const struct md_begun *t,
                           struct md_tile *f)
{
    for (int p = 0; p < MD_PARTS; p++) {
        vf s = t->s[p], s3 = (s * s) * s;
        vf e = (s * s3) * (c->a12 * s3 - c->a6);
        if (kind & MD_SHIFTED)
            e = e - c->a1 * vf_sqrt(s);
        e = vf_min(e, c->cap);
        for (int k = 0; k < 3; k++)
            f->v[k][p] = vi_round(e * t->d[k][p]);
    }
}

/* Adds the forces of a tile to the sums of the rows and subtracts them from the columns. */
MD_INLINE void md_tile_add(struct md_tile *g, const struct md_tile *f, int32_t *fj)
{
    for (int k = 0; k < 3; k++, fj += MD_LANES) {
        for (int p = 0; p < MD_PARTS; p++)
            g->v[k][p] = vi_add(g->v[k][p], f->v[k][p]);
        vi_store(fj, vi_sub(vi_load(fj), vi_parts(f->v[k])));
    }
}

/* Adds a tile to the sums of a row for a sample, in the order of struct md_sums. Pairs wrap along
 * axis a only if bit a of `wraps` is set. They are the pairs for which the signs of the positions
 * differ and the sign of the difference is not the sign of x_a. Their forces are added without the
 * sign n, which is that of x_a of the row. */
MD_INLINE void md_tile_sum(const struct md_consts *c, int kind, int wraps, const struct md_tile *xi,
                           const int32_t *xj, const struct md_begun *t, const struct md_tile *f,
                           vi sum[9][MD_PARTS])
{
    for (int p = 0; p < MD_PARTS; p++) {
        vf s = t->s[p];
        sum[6][p] = vi_add(sum[6][p], vi_round((s * s) * s * c->s3_scale));
        if (kind & MD_SHIFTED)
            sum[7][p] = vi_add(sum[7][p], vi_round(md_r2(t, p) * vf_sqrt(s) * c->r_scale));
        sum[8][p] = vi_add_where(sum[8][p], vi_sub(vi_set(0), (vi)s), vi_set(1));
    }
    for (int a = 0; a < 3; a++)
        for (int p = 0; (wraps >> a & 1) && p < MD_PARTS; p++) {
            vi x = xi->v[a][p], m = (x ^ vi_columns(xj + 4 * a)) & (x ^ (vi)t->d[a][p]);
            for (int b = a; b < 3; b++) {
                int k = a == b ? a : a + b + 2; /* xx yy zz xy xz yz */
                sum[k][p] = vi_add_where(sum[k][p], m, f->v[b][p]);
            }
        }
}

SIMD_VECTOR(md_four, int32_t, 4);
SIMD_VECTOR(md_wide, int64_t, 4);

/* Adds the sums of a row, with their signs, to the sums of all rows. */
MD_INLINE void md_row_sum(const struct md_tile *xi, vi sum[9][MD_PARTS], md_wide to[9])
{
    for (int k = 0; k < 9; k++)
        for (int p = 0; p < MD_PARTS; p++) {
            md_four part[MD_LANES / 4];
            vi a = sum[k][p];
            if (k < 6)
                a = vi_add_where(a, xi->v[k < 3 ? k : k == 5][p], vi_sub(vi_set(0), vi_add(a, a)));
            memcpy(part, &a, sizeof a);
            for (int l = 0; l < MD_LANES / 4; l++)
                to[k] += __builtin_convertvector(part[l], md_wide);
        }
}

/* Adds the sums of the rows to their lines. */
MD_INLINE void md_row_add(const struct md_tile *g, int32_t *fi)
{
    for (int k = 0; k < 3; k++, fi += MD_LANES)
        vi_store(fi, vi_add(vi_load(fi), vi_row_sums(g->v[k])));
}

/* Pairs of a cluster with itself, each once (column after row). It has `left` atoms. */
MD_INLINE uint32_t md_own_bits(size_t left)
{
    return left >= 4 ? 0x08ce : left == 3 ? 0x0046 : left == 2 ? 0x0002 : 0;
}

MD_INLINE uint32_t md_last_bits(size_t left)
{
    return 0x1111u * ((1u << left) - 1);
}

/* A row in progress: its atoms, the forces on them, and the last tile started, of cluster j. */
struct md_row {
    struct md_tile xi, g;
    struct md_begun now;
    size_t j;
    int wraps;
    vi sum[9][MD_PARTS]; /* with MD_TOTALS */
};

/* Starts a tile in which some pairs may not count. */
MD_INLINE void md_row_begin(const struct md_consts *c, int kind, const int32_t *x, size_t j,
                            uint32_t bits, struct md_row *r)
{
    md_tile_see(c, kind, &r->xi, x + j * MD_LINE, &r->now);
    md_tile_divide(c, 1, bits, &r->now);
    r->j = j;
}

MD_INLINE void md_row_end(const struct md_consts *c, int kind, const int32_t *x, struct md_row *r,
                          int32_t *f)
{
    struct md_tile t;
    md_tile_end(c, kind, &r->now, &t);
    if (kind & MD_TOTALS)
        md_tile_sum(c, kind, r->wraps, &r->xi, x + r->j * MD_LINE, &r->now, &t, r->sum);
    md_tile_add(&r->g, &t, f + r->j * MD_SUMS);
}

/* Processes the clusters from `list` to `end` - 1. A tile is started before the previous one is
 * completed, so that its division causes no wait. With the registers of AVX-512, the differences
 * are computed before the division of the previous tile, and with those of AVX2 just after it. */
MD_INLINE void md_row_list(const struct md_consts *c, int kind, const int32_t *x,
                           const uint32_t *list, const uint32_t *end, struct md_row *r, int32_t *f)
{
    struct md_begun next, seen;
    size_t j, after;
    if (SIMD_LEVEL == 4 && list < end) {
        j = *list++;
        md_tile_see(c, kind, &r->xi, x + j * MD_LINE, &seen);
        for (; list < end; list++) {
            after = *list;
            next = seen;
            md_tile_divide(c, 0, 0, &next);
            md_tile_see(c, kind, &r->xi, x + after * MD_LINE, &seen);
            md_row_end(c, kind, x, r, f);
            r->now = next;
            r->j = j;
            j = after;
        }
        md_tile_divide(c, 0, 0, &seen);
        md_row_end(c, kind, x, r, f);
        r->now = seen;
        r->j = j;
    }
    for (; list < end; list++) {
        j = *list;
        if (SIMD_LEVEL == 3)
            md_row_end(c, kind, x, r, f);
        md_tile_see(c, kind, &r->xi, x + j * MD_LINE, &next);
        md_tile_divide(c, 0, 0, &next);
        if (SIMD_LEVEL == 2)
            md_row_end(c, kind, x, r, f);
        r->now = next;
        r->j = j;
    }
}

MD_INLINE void md_row(const struct md_consts *c, int kind, const struct md_rows *a, size_t row,
                      int32_t *f, md_wide *sums)
{
    const uint32_t *list = a->list + a->begin[row], *end = a->list + a->end[row];
    const int32_t *x = a->x;
    size_t left = a->natoms - row * MD_CLUSTER,
           last = a->natoms / MD_CLUSTER; /* `last` is the incomplete cluster, if any */
    struct md_row r;
    r.wraps = 0;
    for (int k = 0; k < 9; k++)
        for (int p = 0; p < MD_PARTS; p++) {
            r.sum[k][p] = vi_set(0);
            if (k > 2)
                continue;
            vi xk = r.xi.v[k][p] = vi_rows(x + row * MD_LINE + 4 * k, p);
            r.g.v[k][p] = vi_set(0);
            if (kind & MD_TOTALS)
                r.wraps |=
                    (vi_any_less(vi_set(a->inside[k]), xk) | vi_any_less(xk, vi_set(-a->inside[k])))
                    << k;
        }
    int tail = end > list && end[-1] == last;
    md_row_begin(c, kind, x, row, md_own_bits(left), &r);
    md_row_list(c, kind, x, list, end - tail, &r, f);
    md_row_end(c, kind, x, &r, f);
    if (tail) {
        md_row_begin(c, kind, x, last, md_last_bits(a->natoms % MD_CLUSTER), &r);
        md_row_end(c, kind, x, &r, f);
    }
    md_row_add(&r.g, f + row * MD_SUMS);
    if (kind & MD_TOTALS)
        md_row_sum(&r.xi, r.sum, sums);
}

MD_INLINE void md_all_rows(const struct md_rows *rows, int kind, size_t c0, size_t c1, int32_t *f,
                           struct md_sums *s)
{
    const struct md_rows a = *rows; /* a copy that stores cannot alias */
    const struct lj_fixed *p = &a.fixed;
    const struct md_consts c = {vf_set(p->num),      vf_set(p->rc2),      vf_set(p->a12),
                                vf_set(p->a6),       vf_set(p->a1),       vf_set(p->cap),
                                vf_set(p->ratio[1]), vf_set(p->ratio[2]), vf_set(a.s3_scale),
                                vf_set(a.r_scale)};
    md_wide sums[9] = {{0}};
    for (size_t row = c0; row < c1; row++)
        md_row(&c, kind, &a, row, f, sums);
    for (int k = 0; (kind & MD_TOTALS) && k < 9; k++)
        s->lanes[k] += sums[k][0] + sums[k][1] + sums[k][2] + sums[k][3];
}

void SIMD_NAME(md_rows_force)(const struct md_rows *a, size_t c0, size_t c1, int32_t *f,
                              struct md_sums *s)
{
    if (a->fixed.a1 != 0.0f) /* ratios of 1 change nothing */
        s ? md_all_rows(a, MD_SHIFTED | MD_TOTALS, c0, c1, f, s)
          : md_all_rows(a, MD_SHIFTED, c0, c1, f, s);
    else if (a->fixed.ratio[1] != 1.0f || a->fixed.ratio[2] != 1.0f)
        s ? md_all_rows(a, MD_TOTALS, c0, c1, f, s) : md_all_rows(a, 0, c0, c1, f, s);
    else
        s ? md_all_rows(a, MD_CUBIC | MD_TOTALS, c0, c1, f, s)
          : md_all_rows(a, MD_CUBIC, c0, c1, f, s);
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
            vi_store(part, vi_set(0));
            _mm_store_si128(to, first ? sum : _mm_add_epi32(_mm_load_si128(to), sum));
        }
}
