/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "md/md_kernel.h"

#define MD_CHUNK 256 /* atoms whose squared sums stay in the L1 cache */
#define MD_INLINE static inline __attribute__((always_inline))
MD_INLINE double md_greater(double a, double b)
{
    return a > b ? a : b;
}

#define MD_AT_ONCE 8

struct md_chunk {
    double move2[MD_CHUNK], v2[MD_CHUNK], force[MD_CHUNK];
    double f[MD_CHUNK]; /* forces along one axis */
    int32_t x[MD_CHUNK];
};

/* Returns the largest of a[0] to a[n - 1], which are not negative. The array a has MD_CHUNK places.
 * Several maxima are taken at once, because compilers take a maximum of doubles one by one. */
MD_INLINE double md_largest(double *a, size_t n)
{
    double max[MD_AT_ONCE] = {0};
    for (; n % MD_AT_ONCE; n++)
        a[n] = 0.0;
    for (size_t i = 0; i < n; i += MD_AT_ONCE)
        for (size_t l = 0; l < MD_AT_ONCE; l++)
            max[l] = md_greater(a[i + l], max[l]);
    for (size_t l = 1; l < MD_AT_ONCE; l++)
        max[0] = md_greater(max[l], max[0]);
    return max[0];
}

/* Moves at most MD_CHUNK atoms along one axis. The flags are constants after inlining. */
MD_INLINE void md_move_axis(const struct md_move *a, int k, size_t i0, size_t n, int what,
                            int walls, struct md_chunk *restrict c)
{
    double *restrict v = a->v[k] + i0, *restrict r = a->r[k] + i0;
    double unit = a->unit, h = a->h, dt = a->dt, scale = a->scale, box = a->box[k],
           ps = a->pos_scale[k];
    for (size_t i = 0; i < n; i++) {
        double force = c->f[i], kick = force * unit * h, vi = v[i];
        if (what & MD_FINISH)
            vi += kick;
        if (what & MD_SCALE)
            vi *= scale;
        if (what & MD_BEGIN) {
            vi += kick;
            double step = vi * dt, ri = r[i] + step;
            if (walls) {
                double flip = ri < 0.0 ? -1.0 : 1.0;
                ri = ri * flip;
                vi = vi * flip;
                flip = ri > box ? -1.0 : 1.0;
                ri = ri > box ? 2.0 * box - ri : ri;
                vi = vi * flip;
            }
            r[i] = ri;
            c->x[i] = (int32_t)(uint32_t)md_integer(ri * ps);
            c->move2[i] = k == 0 ? step * step : c->move2[i] + step * step;
            c->force[i] = md_greater(fabs(force), k == 0 ? 0.0 : c->force[i]);
        }
        if (what & MD_KINETIC)
            c->v2[i] = k == 0 ? vi * vi : c->v2[i] + vi * vi;
        v[i] = vi;
    }
}

/* Copies axis k of the lines to consecutive doubles, or positions back to the lines. */
MD_INLINE void md_move_load(const struct md_move *a, int k, size_t i0, size_t n, int wide,
                            struct md_chunk *restrict c)
{
    size_t line = i0 / MD_CLUSTER * MD_LINE + (size_t)k * MD_CLUSTER;
    for (size_t i = 0; i < n; i += MD_CLUSTER, line += MD_LINE)
        for (size_t l = 0; l < MD_CLUSTER; l++)
            c->f[i + l] = wide ? (double)a->fd[line + l] : (double)a->f[line + l];
}

MD_INLINE void md_move_store(const struct md_move *a, int k, size_t i0, size_t n,
                             const struct md_chunk *restrict c)
{
    size_t line = i0 / MD_CLUSTER * MD_LINE + (size_t)k * MD_CLUSTER;
    for (size_t i = 0; i < n; i += MD_CLUSTER, line += MD_LINE)
        for (size_t l = 0; l < MD_CLUSTER; l++)
            a->x[line + l] = c->x[i + l];
}

MD_INLINE void md_move_all(const struct md_move *a, size_t i0, size_t i1, int what, int wide,
                           int walls, struct md_moved *out)
{
    struct md_chunk c;
    for (size_t i = i0; i < i1; i += MD_CHUNK) {
        size_t n = i1 - i < MD_CHUNK ? i1 - i : MD_CHUNK;
        for (int k = 0; k < 3; k++) {
            md_move_load(a, k, i, n, wide, &c);
            md_move_axis(a, k, i, n, what, walls, &c);
            if (what & MD_BEGIN)
                md_move_store(a, k, i, n, &c);
        }
        if (what & MD_BEGIN) {
            out->move2 = md_greater(md_largest(c.move2, n), out->move2);
            out->force = md_greater(md_largest(c.force, n), out->force);
        }
        int64_t sum = 0;
        for (size_t l = 0; (what & MD_KINETIC) && l < n; l++)
            sum += md_integer(c.v2[l] * a->kscale);
        out->kinetic += sum;
    }
}

MD_INLINE void md_move_kind(const struct md_move *a, size_t i0, size_t i1, int what,
                            struct md_moved *out)
{
    int walls = a->box[0] > 0.0;
    if (a->f == NULL)
        walls ? md_move_all(a, i0, i1, what, 1, 1, out) : md_move_all(a, i0, i1, what, 1, 0, out);
    else
        walls ? md_move_all(a, i0, i1, what, 0, 1, out) : md_move_all(a, i0, i1, what, 0, 0, out);
}

void SIMD_NAME(md_move_atoms)(const struct md_move *a, size_t i0, size_t i1, int what,
                              struct md_moved *out)
{
    switch (what) {
    case MD_FINISH | MD_BEGIN: md_move_kind(a, i0, i1, MD_FINISH | MD_BEGIN, out); break;
    case MD_SCALE | MD_BEGIN: md_move_kind(a, i0, i1, MD_SCALE | MD_BEGIN, out); break;
    case MD_BEGIN: md_move_kind(a, i0, i1, MD_BEGIN, out); break;
    default: md_move_kind(a, i0, i1, what, out); break;
    }
}

double SIMD_NAME(md_away2)(double *const r[3], double *const ref[3], size_t i0, size_t i1)
{
    double max = 0.0, away2[MD_CHUNK];
    for (size_t i = i0; i < i1; i += MD_CHUNK) {
        size_t n = i1 - i < MD_CHUNK ? i1 - i : MD_CHUNK;
        for (size_t l = 0; l < n; l++) {
            double x = r[0][i + l] - ref[0][i + l], y = r[1][i + l] - ref[1][i + l],
                   z = r[2][i + l] - ref[2][i + l];
            away2[l] = (x * x + y * y) + z * z;
        }
        max = md_greater(md_largest(away2, n), max);
    }
    return max;
}
