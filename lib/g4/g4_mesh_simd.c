/* SPDX-License-Identifier: MIT */
/*
 * Kernels of g4_mesh.c: spread atoms onto the mesh and gather the field. Atoms are taken in the
 * cell order of the lists, which keeps their mesh points in the cache. Operations are not fused and
 * have a fixed order, so every level gives the same bits. Along the third axis points come in
 * fours, with weights of 0 after the spline order.
 */
#include "base/simd_vec.h"
#include "g4/g4_engine.h"

#define HOT static inline __attribute__((always_inline))
SIMD_VECTOR(quad, double, 4);
#define QUADS(order) (((order) + 3) / 4)

MESH_SPLINE(spline, quad) /* for three axes at once */

/* Mesh rows of an atom along two axes, its first point along the third, and all weights. */
struct stencil {
    size_t a[MESH_ORDER], b[MESH_ORDER], c;
    double wa[MESH_ORDER], wb[MESH_ORDER], wc[4 * QUADS(MESH_ORDER)];
};

HOT void stencil(const struct g4_on_mesh *m, int order, size_t i, struct stencil *s)
{
    const struct g4 *g = m->g;
    const char *w = (const char *)g->window;
    double r[3];
    quad v[MESH_ORDER], u = {0};
    size_t at[3];
    for (size_t k = 0; k < 3; k++) {
        size_t place = g4_row(g, i, k) + m->step;
        r[k] = g->p.dtype == FRAME_F64 ? ((const double *)w)[place] : ((const float *)w)[place];
    }
    for (int k = 0; k < 3; k++) {
        double f = (r[0] * m->cell->inv[0][k] + r[1] * m->cell->inv[1][k]) +
                   r[2] * m->cell->inv[2][k],
               past;
        at[k] = (size_t)mesh_place(f, m->n[k], &past);
        u[k] = past;
    }
    spline(order, &u, v);
    for (int l = 0; l < order; l++) {
        size_t a = at[0] + (size_t)l, b = at[1] + (size_t)l;
        s->a[l] = (a < (size_t)m->n[0] ? a : a - (size_t)m->n[0]) * (size_t)m->n[1] * m->pitch;
        s->b[l] = (b < (size_t)m->n[1] ? b : b - (size_t)m->n[1]) * m->pitch;
        s->wa[l] = v[l][0];
        s->wb[l] = v[l][1];
        s->wc[l] = v[l][2];
    }
    for (int l = order; l < 4 * QUADS(order); l++)
        s->wc[l] = 0.0;
    s->c = at[2];
}

HOT void spread(const struct g4_on_mesh *m, int order)
{
    const struct factors *f = m->g->p.factors;
    for (size_t k = 0; k < m->g->natoms; k++) {
        struct stencil s;
        size_t i = g4_lists_atom(m->g->lists, k);
        double charge = f ? f->charge[m->group * f->natoms + i] : 1.0;
        if (charge == 0.0)
            continue;
        stencil(m, order, i, &s);
        quad w[QUADS(MESH_ORDER)];
        for (int c = 0; c < QUADS(order); c++)
            w[c] = ((const quad_u *)s.wc)[c];
        for (int a = 0; a < order; a++)
            for (int b = 0; b < order; b++) {
                quad_u *row = (quad_u *)(m->mesh + s.a[a] + s.b[b] + s.c);
                double ab = charge * s.wa[a] * s.wb[b];
                for (int c = 0; c < QUADS(order); c++)
                    row[c] += ab * w[c];
            }
    }
}

HOT void gather(const struct g4_on_mesh *m, int order, double factor, const double *self, double *a)
{
    const struct factors *f = m->g->p.factors;
    for (size_t k = 0; k < m->g->natoms; k++) {
        size_t i = g4_lists_atom(m->g->lists, k);
        double *to = a + (i / G4_LANES * m->g->cap * G4_LANES + i % G4_LANES), w = 1.0, own = *self;
        if (f && f->group[i] != m->group) {
            *to = m->group ? *to : 0.0;
            continue;
        }
        if (f) {
            w = f->w[i];
            own = w * f->charge[m->group * f->natoms + i] * self[0] + f->less[i] * self[1];
        }
        struct stencil s;
        quad sum[QUADS(MESH_ORDER)] = {{0}};
        double v = 0.0;
        stencil(m, order, i, &s);
        for (int l = 0; l < order; l++) {
            quad part[QUADS(MESH_ORDER)] = {{0}};
            for (int b = 0; b < order; b++) {
                const quad_u *row = (const quad_u *)(m->mesh + s.a[l] + s.b[b] + s.c);
                for (int c = 0; c < QUADS(order); c++)
                    part[c] += s.wb[b] * row[c];
            }
            for (int c = 0; c < QUADS(order); c++)
                sum[c] += s.wa[l] * part[c];
        }
        for (int c = 0; c < order; c++)
            v += sum[c / 4][c % 4] * s.wc[c];
        *to = factor * (w * v - own);
    }
}

void SIMD_NAME(g4_mesh_spread)(const struct g4_on_mesh *m)
{
    switch (m->g->p.sum.plan.order) {
    case 6: spread(m, 6); break;
    case 8: spread(m, 8); break;
    default: spread(m, 10);
    }
}

void SIMD_NAME(g4_mesh_gather)(const struct g4_on_mesh *m, double factor, const double self[2],
                               double *a)
{
    switch (m->g->p.sum.plan.order) {
    case 6: gather(m, 6, factor, self, a); break;
    case 8: gather(m, 8, factor, self, a); break;
    default: gather(m, 10, factor, self, a);
    }
}
