/* SPDX-License-Identifier: MIT */
/* mesh_grid_simd.c: the kernels of mesh_grid.h. Sites near each other share cache lines of the
 * mesh, so the caller sorts them by cell. Operations are not fused and have a fixed order, so every
 * SIMD level gives the same bits. Along the third axis, points are processed in groups of four,
 * with weights of 0 after the last spline point. */

#include "base/simd_vec.h"
#include "mesh/mesh_grid.h"

SIMD_VECTOR(quad, double, 4);
#define QUADS(order) (((order) + 3) / 4)

MESH_SPLINE(spline, quad) /* computes three axes at once */

/* The mesh rows of a site along the first two axes, its first point along the third axis, all
 * weights and, for dipoles, their derivatives. */
struct stencil {
    size_t a[MESH_ORDER], b[MESH_ORDER], c;
    double wa[MESH_ORDER], wb[MESH_ORDER], wc[4 * QUADS(MESH_ORDER)];
    double da[MESH_ORDER], db[MESH_ORDER], dc[4 * QUADS(MESH_ORDER)];
};

HOT void stencil(const struct mesh_grid *g, const struct mesh_sites *sites, int order, int slopes,
                 size_t i, struct stencil *s)
{
    quad v[MESH_ORDER], less[MESH_ORDER], u = {0};
    size_t at[3];
    for (int k = 0; k < 3; k++) {
        double past;
        at[k] = (size_t)mesh_place(sites->at[(size_t)k * sites->stride + i], g->n[k], &past);
        u[k] = past;
    }
    spline(order, &u, v);
    if (slopes)
        spline(order - 1, &u, less);
    for (int l = 0; l < order; l++) {
        size_t a = at[0] + (size_t)l, b = at[1] + (size_t)l;
        s->a[l] = (a < (size_t)g->n[0] ? a : a - (size_t)g->n[0]) * (size_t)g->n[1] * g->pitch;
        s->b[l] = (b < (size_t)g->n[1] ? b : b - (size_t)g->n[1]) * g->pitch;
        s->wa[l] = v[l][0];
        s->wb[l] = v[l][1];
        s->wc[l] = v[l][2];
        if (slopes) {
            quad d = (l ? less[l - 1] : (quad){0}) - (l < order - 1 ? less[l] : (quad){0});
            s->da[l] = d[0];
            s->db[l] = d[1];
            s->dc[l] = d[2];
        }
    }
    for (int l = order; l < 4 * QUADS(order); l++)
        s->wc[l] = s->dc[l] = 0.0;
    s->c = at[2];
}

HOT void fours(int order, const double *from, quad *to)
{
    for (int c = 0; c < QUADS(order); c++)
        to[c] = ((const quad_u *)from)[c];
}

HOT void spread(const struct mesh_grid *g, const struct mesh_sites *sites, int order,
                const double *charge)
{
    for (size_t i = 0; i < sites->n; i++) {
        struct stencil s;
        quad w[QUADS(MESH_ORDER)];
        stencil(g, sites, order, 0, i, &s);
        fours(order, s.wc, w);
        for (int a = 0; a < order; a++)
            for (int b = 0; b < order; b++) {
                quad_u *row = (quad_u *)(g->mesh + s.a[a] + s.b[b] + s.c);
                double ab = charge[i] * s.wa[a] * s.wb[b];
                for (int c = 0; c < QUADS(order); c++)
                    row[c] += ab * w[c];
            }
    }
}

HOT void gather(const struct mesh_grid *g, const struct mesh_sites *sites, int order, double *value)
{
    for (size_t i = 0; i < sites->n; i++) {
        struct stencil s;
        quad sum[QUADS(MESH_ORDER)] = {{0}};
        double v = 0.0;
        stencil(g, sites, order, 0, i, &s);
        for (int a = 0; a < order; a++) {
            quad part[QUADS(MESH_ORDER)] = {{0}};
            for (int b = 0; b < order; b++) {
                const quad_u *row = (const quad_u *)(g->back + s.a[a] + s.b[b] + s.c);
                for (int c = 0; c < QUADS(order); c++)
                    part[c] += s.wb[b] * row[c];
            }
            for (int c = 0; c < QUADS(order); c++)
                sum[c] += s.wa[a] * part[c];
        }
        for (int c = 0; c < order; c++)
            v += sum[c / 4][c % 4] * s.wc[c];
        value[i] = v;
    }
}

HOT void spread_dipoles(const struct mesh_grid *g, const struct mesh_sites *sites, int order,
                        const double *dipole)
{
    for (size_t i = 0; i < sites->n; i++) {
        struct stencil s;
        quad wc[QUADS(MESH_ORDER)], dc[QUADS(MESH_ORDER)];
        double x = dipole[i], y = dipole[sites->stride + i], z = dipole[2 * sites->stride + i];
        stencil(g, sites, order, 1, i, &s);
        fours(order, s.wc, wc);
        fours(order, s.dc, dc);
        for (int a = 0; a < order; a++) {
            double ax = x * s.da[a], ay = y * s.wa[a], az = z * s.wa[a];
            for (int b = 0; b < order; b++) {
                quad_u *row = (quad_u *)(g->mesh + s.a[a] + s.b[b] + s.c);
                double w = ax * s.wb[b] + ay * s.db[b], d = az * s.wb[b];
                for (int c = 0; c < QUADS(order); c++)
                    row[c] += w * wc[c] + d * dc[c];
            }
        }
    }
}

HOT double total(const quad *v)
{
    return ((*v)[0] + (*v)[2]) + ((*v)[1] + (*v)[3]);
}

HOT void gather_slopes(const struct mesh_grid *g, const struct mesh_sites *sites, int order,
                       double *slope)
{
    for (size_t i = 0; i < sites->n; i++) {
        struct stencil s;
        quad wc[QUADS(MESH_ORDER)], dc[QUADS(MESH_ORDER)], x = {0}, y = {0}, z = {0};
        stencil(g, sites, order, 1, i, &s);
        fours(order, s.wc, wc);
        fours(order, s.dc, dc);
        for (int a = 0; a < order; a++) {
            quad p = {0}, steep = {0}, q = {0};
            for (int b = 0; b < order; b++) {
                const quad_u *row = (const quad_u *)(g->back + s.a[a] + s.b[b] + s.c);
                quad w = row[0] * wc[0], d = row[0] * dc[0];
                for (int c = 1; c < QUADS(order); c++) {
                    w += row[c] * wc[c];
                    d += row[c] * dc[c];
                }
                p += s.wb[b] * w;
                steep += s.db[b] * w;
                q += s.wb[b] * d;
            }
            x += s.da[a] * p;
            y += s.wa[a] * steep;
            z += s.wa[a] * q;
        }
        slope[i] = total(&x);
        slope[sites->stride + i] = total(&y);
        slope[2 * sites->stride + i] = total(&z);
    }
}

/* A public kernel, compiled for each order of splines. */
#define KERNEL(NAME, RUN, T)                                                                       \
    void SIMD_NAME(NAME)(const struct mesh_grid *g, const struct mesh_sites *s, T v)               \
    {                                                                                              \
        switch (g->order) {                                                                        \
        case 6: RUN(g, s, 6, v); break;                                                            \
        case 8: RUN(g, s, 8, v); break;                                                            \
        default: RUN(g, s, 10, v);                                                                 \
        }                                                                                          \
    }
KERNEL(mesh_spread, spread, const double *)
KERNEL(mesh_gather, gather, double *)
KERNEL(mesh_spread_dipoles, spread_dipoles, const double *)
KERNEL(mesh_gather_slopes, gather_slopes, double *)
