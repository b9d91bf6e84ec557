/* SPDX-License-Identifier: MIT */
/*
 * alpha_mesh_simd.c: spreads dipoles onto a mesh and gathers fields. Operations are not fused and
 * have a fixed order, so every level gives the same bits. Along the third axis points come in
 * fours, with weights of 0 after the spline order.
 */
#include <string.h>

#include "alpha/alpha_mesh.h"
#include "base/simd_vec.h"

#define HOT static inline __attribute__((always_inline))
SIMD_VECTOR(quad, double, 4);
#define QUADS(order) (((order) + 3) / 4)

MESH_SPLINE(spline, quad) /* for three axes at once */

/* Mesh rows of a site along the first two axes, its first point along the third; all weights and
 * their derivatives. */
struct stencil {
    size_t a[MESH_ORDER], b[MESH_ORDER], c;
    double wa[MESH_ORDER], wb[MESH_ORDER], da[MESH_ORDER], db[MESH_ORDER];
    quad wc[QUADS(MESH_ORDER)], dc[QUADS(MESH_ORDER)];
};

HOT void stencil(const struct alpha_on_mesh *m, int order, size_t i, struct stencil *s)
{
    quad v[MESH_ORDER], less[MESH_ORDER], u = {0};
    size_t at[3];
    double wc[4 * QUADS(MESH_ORDER)] = {0}, dc[4 * QUADS(MESH_ORDER)] = {0};
    for (int k = 0; k < 3; k++) {
        double past;
        at[k] = (size_t)mesh_place(m->at[(size_t)k * m->stride + i], m->points[k], &past);
        u[k] = past;
    }
    spline(order, &u, v);
    spline(order - 1, &u, less);
    for (int l = 0; l < order; l++) {
        quad d = (l ? less[l - 1] : (quad){0}) - (l < order - 1 ? less[l] : (quad){0});
        size_t a = at[0] + (size_t)l, b = at[1] + (size_t)l;
        s->a[l] = (a < (size_t)m->points[0] ? a : a - (size_t)m->points[0]) * (size_t)m->points[1] *
                  m->pitch;
        s->b[l] = (b < (size_t)m->points[1] ? b : b - (size_t)m->points[1]) * m->pitch;
        s->wa[l] = v[l][0];
        s->wb[l] = v[l][1];
        wc[l] = v[l][2];
        s->da[l] = d[0];
        s->db[l] = d[1];
        dc[l] = d[2];
    }
    memcpy(s->wc, wc, sizeof s->wc);
    memcpy(s->dc, dc, sizeof s->dc);
    s->c = at[2];
}

HOT void spread(const struct alpha_on_mesh *m, int order, const double *nu)
{
    for (size_t i = 0; i < m->n; i++) {
        struct stencil s;
        double x = nu[i], y = nu[m->stride + i], z = nu[2 * m->stride + i];
        stencil(m, order, i, &s);
        for (int a = 0; a < order; a++) {
            double ax = x * s.da[a], ay = y * s.wa[a], az = z * s.wa[a];
            for (int b = 0; b < order; b++) {
                quad_u *row = (quad_u *)(m->mesh + s.a[a] + s.b[b] + s.c);
                double w = ax * s.wb[b] + ay * s.db[b], d = az * s.wb[b];
                for (int c = 0; c < QUADS(order); c++)
                    row[c] += w * s.wc[c] + d * s.dc[c];
            }
        }
    }
}

HOT double total(const quad *v)
{
    return ((*v)[0] + (*v)[2]) + ((*v)[1] + (*v)[3]);
}

HOT void gather(const struct alpha_on_mesh *m, int order, double *nu)
{
    for (size_t i = 0; i < m->n; i++) {
        struct stencil s;
        quad x = {0}, y = {0}, z = {0};
        stencil(m, order, i, &s);
        for (int a = 0; a < order; a++) {
            quad p = {0}, slope = {0}, q = {0};
            for (int b = 0; b < order; b++) {
                const quad_u *row = (const quad_u *)(m->mesh + s.a[a] + s.b[b] + s.c);
                quad w = row[0] * s.wc[0], d = row[0] * s.dc[0];
                for (int c = 1; c < QUADS(order); c++) {
                    w += row[c] * s.wc[c];
                    d += row[c] * s.dc[c];
                }
                p += s.wb[b] * w;
                slope += s.db[b] * w;
                q += s.wb[b] * d;
            }
            x += s.da[a] * p;
            y += s.wa[a] * slope;
            z += s.wa[a] * q;
        }
        nu[i] = total(&x);
        nu[m->stride + i] = total(&y);
        nu[2 * m->stride + i] = total(&z);
    }
}

void SIMD_NAME(alpha_mesh_spread)(const struct alpha_on_mesh *m, const double *nu)
{
    switch (m->order) {
    case 6: spread(m, 6, nu); break;
    case 8: spread(m, 8, nu); break;
    default: spread(m, 10, nu);
    }
}

void SIMD_NAME(alpha_mesh_gather)(const struct alpha_on_mesh *m, double *nu)
{
    switch (m->order) {
    case 6: gather(m, 6, nu); break;
    case 8: gather(m, 8, nu); break;
    default: gather(m, 10, nu);
    }
}
