/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "md_kernel.h"

#define MD_CHUNK 256 /* atoms whose squared sums stay in the first cache */
#define MD_INLINE static inline __attribute__((always_inline))
#define MD_MAGIC 6755399441055744.0 /* 1.5 * 2^52: adding it leaves the nearest integer in the low bits */

MD_INLINE int64_t md_integer(double x)
{
    double y = x + MD_MAGIC, m = MD_MAGIC;
    int64_t b, bm;
    memcpy(&b, &y, sizeof b);
    memcpy(&bm, &m, sizeof bm);
    return b - bm;
}

MD_INLINE double md_greater(double a, double b)
{
    return a > b ? a : b;
}

struct md_chunk {
    double away2[MD_CHUNK], move2[MD_CHUNK], v2[MD_CHUNK];
    double force;
};

/* One axis of at most MD_CHUNK atoms; the flags are constants after inlining. */
MD_INLINE void md_move_axis(const struct md_move *a, int k, size_t i0, size_t n, int what, int wide, int walls,
                            struct md_chunk *c)
{
    double *restrict v = a->v[k] + i0, *restrict r = a->r[k] + i0;
    const double *restrict ref = a->ref[k] + i0;
    int32_t *restrict x = a->x[k] + i0;
    const int32_t *restrict f = wide ? NULL : a->f[k] + i0;
    const int64_t *restrict fd = wide ? a->fd[k] + i0 : NULL;
    double unit = a->unit, h = a->h, dt = a->dt, scale = a->scale, box = a->box[k], ps = a->pos_scale[k], big = c->force;
    for (size_t i = 0; i < n; i++) {
        double force = wide ? (double)fd[i] : (double)f[i], kick = force * unit * h, vi = v[i];
        if (what & MD_FINISH)
            vi += kick;
        if (what & MD_SCALE)
            vi *= scale;
        if (what & MD_BEGIN) {
            vi += kick;
            double step = vi * dt, ri = r[i] + step;
            if (walls) {
                int low = ri < 0.0, high = ri > box;
                ri = low ? -ri : high ? 2.0 * box - ri : ri;
                vi = low | high ? -vi : vi;
            }
            double away = ri - ref[i];
            r[i] = ri;
            x[i] = (int32_t)(uint32_t)md_integer(ri * ps);
            c->away2[i] = k == 0 ? away * away : c->away2[i] + away * away;
            c->move2[i] = k == 0 ? step * step : c->move2[i] + step * step;
            big = md_greater(big, fabs(force));
        }
        if (what & MD_KINETIC)
            c->v2[i] = k == 0 ? vi * vi : c->v2[i] + vi * vi;
        v[i] = vi;
    }
    c->force = big;
}

MD_INLINE void md_move_all(const struct md_move *a, size_t i0, size_t i1, int what, int wide, int walls,
                           struct md_moved *out)
{
    struct md_chunk c;
    c.force = out->force;
    for (size_t i = i0; i < i1; i += MD_CHUNK) {
        size_t n = i1 - i < MD_CHUNK ? i1 - i : MD_CHUNK;
        for (int k = 0; k < 3; k++)
            md_move_axis(a, k, i, n, what, wide, walls, &c);
        double away2 = out->away2, move2 = out->move2;
        for (size_t l = 0; (what & MD_BEGIN) && l < n; l++) {
            away2 = md_greater(away2, c.away2[l]);
            move2 = md_greater(move2, c.move2[l]);
        }
        int64_t sum = 0;
        for (size_t l = 0; (what & MD_KINETIC) && l < n; l++)
            sum += md_integer(c.v2[l] * a->kscale);
        out->away2 = away2;
        out->move2 = move2;
        out->kinetic += sum;
    }
    out->force = c.force;
}

MD_INLINE void md_move_kind(const struct md_move *a, size_t i0, size_t i1, int what, struct md_moved *out)
{
    int walls = a->box[0] > 0.0;
    if (a->f[0] == NULL)
        walls ? md_move_all(a, i0, i1, what, 1, 1, out) : md_move_all(a, i0, i1, what, 1, 0, out);
    else
        walls ? md_move_all(a, i0, i1, what, 0, 1, out) : md_move_all(a, i0, i1, what, 0, 0, out);
}

void SIMD_NAME(md_move_atoms)(const struct md_move *a, size_t i0, size_t i1, int what, struct md_moved *out)
{
    switch (what) {
    case MD_FINISH | MD_BEGIN: md_move_kind(a, i0, i1, MD_FINISH | MD_BEGIN, out); break;
    case MD_SCALE | MD_BEGIN: md_move_kind(a, i0, i1, MD_SCALE | MD_BEGIN, out); break;
    case MD_BEGIN: md_move_kind(a, i0, i1, MD_BEGIN, out); break;
    default: md_move_kind(a, i0, i1, what, out); break;
    }
}

void SIMD_NAME(md_add_i32)(int32_t *sum, const int32_t *part, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum[i] = (int32_t)((uint32_t)sum[i] + (uint32_t)part[i]);
}

void SIMD_NAME(md_add_i64)(int64_t *sum, const int64_t *part, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum[i] = (int64_t)((uint64_t)sum[i] + (uint64_t)part[i]);
}
