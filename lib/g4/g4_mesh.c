/* SPDX-License-Identifier: MIT */
/* g4_mesh.c: computes the long-range part of A_i with a mesh (split.h). The short-range part is
 * computed in g4_lists.c. A step needs one transform of the atoms on the mesh, and one inverse
 * transform per component. It is processed by a single thread on its own mesh, so that its bits
 * depend only on the step. */
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "g4/g4_engine.h"
#include "mesh/mesh_grid.h"

/* The mesh of a thread. Its weights do not include the factor `form`. The arrays of an axis are
 * `filter` and `self` of mesh_axis(). */
struct place {
    struct mesh_grid grid;
    double self[BETA_NCOMPONENTS][2]; /* terms of an atom with itself and with its images */
    struct box cell;                  /* cell for which the weights are valid */
};

struct g4_mesh {
    struct box first;
    struct mesh_plans plans;
    struct place *place;
    size_t places, span, next;
    int failed;
};

/* ---- memory ---- */

static void points_of(const struct g4 *g, const struct box *b, int n[3])
{
    mesh_points(&g->p.sum.plan.mesh, g->p.sum.plan.reach, b, n);
}

int g4_mesh_open(struct g4 *g, const struct box *box)
{
    struct err *e = &g->err;
    g->mesh = calloc(1, sizeof *g->mesh);
    return !g->mesh ? err_memory(e, "a mesh") : ewald_reduce(box, &g->mesh->first, e);
}

double g4_mesh_bytes(const struct g4 *g)
{
    int n[3];
    points_of(g, &g->mesh->first, n);
    return (double)g->places * mesh_grid_bytes(n, g->p.ncomp > 1);
}

void g4_mesh_free(struct g4_mesh *m)
{
    if (!m)
        return;
    for (size_t k = 0; m->place && k < m->places; k++)
        mesh_grid_free(&m->place[k].grid);
    mesh_plans_free(&m->plans);
    free(m->place);
    free(m);
}

/* ---- waves ---- */

/* Computes the weights of a cell, and the array self. */
static void place_weights(const struct split *split, struct place *p, const struct box *b)
{
    double volume = box_volume(b), *to = p->grid.weight, images[BETA_NCOMPONENTS];
    double *const *axis = p->grid.axis;
    const int *n = p->grid.n;
    memset(p->self, 0, sizeof p->self);
    for (int i = 0; i < n[0]; i++)
        for (int j = 0; j < n[1]; j++)
            for (int l = 0; l <= n[2] / 2; l++, to++) {
                double k[3];
                mesh_vector(b, mesh_signed(i, n[0]), mesh_signed(j, n[1]), l, k);
                double w = i || j || l ? split_weight(split, k, volume) : 0.0;
                *to = w * ((axis[0][i] * axis[1][j]) * axis[2][l]);
                w *= (axis[0][n[0] + i] * axis[1][n[1] + j]) * axis[2][n[2] + l];
                for (int c = 0; c < BETA_NCOMPONENTS; c++)
                    p->self[c][0] += (l ? 2.0 : 1.0) * w * beta_form_f64(c, k[0], k[1], k[2]);
            }
    ewald_self(b->h, images);
    for (int c = 0; c < BETA_NCOMPONENTS; c++) {
        p->self[c][0] -= images[c];
        p->self[c][1] = images[c];
    }
    p->cell = *b;
}

/* Multiplies the transformed mesh by the weights of a component. */
static void place_filter(const struct place *p, int component)
{
    const double *w = p->grid.weight;
    const int *n = p->grid.n;
    for (int i = 0; i < n[0]; i++)
        for (int j = 0; j < n[1]; j++) {
            size_t row = ((size_t)i * (size_t)n[1] + (size_t)j) * p->grid.pitch;
            const double *from = p->grid.mesh + row;
            double *to = p->grid.back + row, k[3], d[3];
            mesh_vector(&p->cell, mesh_signed(i, n[0]), mesh_signed(j, n[1]), 0, k);
            mesh_vector(&p->cell, 0, 0, 1, d);
            for (int l = 0; l <= n[2] / 2; l++, w++) {
                double f = *w * beta_form_f64(component, k[0] + l * d[0], k[1] + l * d[1],
                                              k[2] + l * d[2]);
                to[2 * l] = f * from[2 * l];
                to[2 * l + 1] = f * from[2 * l + 1];
            }
        }
}

/* ---- atoms ---- */

/* Returns coordinate k of atom i in step t of the window. */
static double window_at(const struct g4 *g, size_t i, size_t k, size_t t)
{
    return real_at(g->window, g->p.dtype == FRAME_F64, g4_row(g, i, k) + t);
}

/* Some atoms of a step for the kernels of the mesh, with their charges or their fields. */
#define GROUP 64
struct atoms {
    size_t n, i[GROUP];
    double at[3][GROUP], v[GROUP];
};

/* Adds atom i of step t, which has less than GROUP atoms so far. */
static void atoms_add(const struct g4 *g, const struct box *b, size_t i, size_t t, struct atoms *a)
{
    double r[3];
    for (size_t k = 0; k < 3; k++)
        r[k] = window_at(g, i, k, t);
    for (int k = 0; k < 3; k++)
        a->at[k][a->n] = (r[0] * b->inv[0][k] + r[1] * b->inv[1][k]) + r[2] * b->inv[2][k];
    a->i[a->n++] = i;
}

/* Atoms are taken in the cell order of the lists, which keeps their mesh points in the cache. */
static void spread(const struct g4 *g, const struct place *p, size_t t, size_t group)
{
    const struct factors *f = g->p.factors;
    struct atoms a = {0};
    struct mesh_sites s = {0, GROUP, a.at[0]};
    for (size_t k = 0; k < g->natoms; k++) {
        size_t i = g4_lists_atom(g->lists, k);
        double charge = f ? f->charge[group * f->natoms + i] : 1.0;
        if (charge != 0.0) {
            a.v[a.n] = charge;
            atoms_add(g, &p->cell, i, t, &a);
        }
        if (a.n == GROUP || k + 1 == g->natoms) {
            s.n = a.n;
            SIMD_PICK(mesh_spread)(&p->grid, &s, a.v);
            a.n = 0;
        }
    }
}

/* Returns A of component number c of atom i in step t of the window. */
static double *mesh_a(const struct g4 *g, int c, size_t i, size_t t)
{
    size_t row = (size_t)c * g->nblocks + i / G4_LANES;
    return g->a + (row * g->cap + t) * G4_LANES + i % G4_LANES;
}

/* Sets A of component number c to the field at the atoms of the group, minus the interaction of
 * each atom with itself. Group 0 also sets A of all other atoms to 0. */
static void gather(const struct g4 *g, const struct place *p, size_t t, size_t group, int c)
{
    const struct factors *f = g->p.factors;
    const double *self = p->self[g->p.component[c]];
    struct atoms a = {0};
    struct mesh_sites s = {0, GROUP, a.at[0]};
    for (size_t k = 0; k < g->natoms; k++) {
        size_t i = g4_lists_atom(g->lists, k);
        if (!f || f->group[i] == group)
            atoms_add(g, &p->cell, i, t, &a);
        else if (group == 0)
            *mesh_a(g, c, i, t) = 0.0;
        if (a.n < GROUP && k + 1 < g->natoms)
            continue;
        s.n = a.n;
        SIMD_PICK(mesh_gather)(&p->grid, &s, a.v);
        for (size_t l = 0; l < a.n; l++) {
            double w = 1.0, own = self[0];
            if (f) {
                w = f->w[a.i[l]];
                own =
                    w * f->charge[group * f->natoms + a.i[l]] * self[0] + f->less[a.i[l]] * self[1];
            }
            *mesh_a(g, c, a.i[l], t) = g->p.coef[c] * (w * a.v[l] - own);
        }
        a.n = 0;
    }
}

/* Subtracts the listed pairs, which are excluded, from A. */
static void mesh_listed(const struct g4 *g, const struct sum_cell *cell, size_t t)
{
    const struct factors *f = g->p.factors;
    for (size_t i = 0; i < g->natoms; i++)
        for (size_t k = f->begin[i]; k < f->begin[i + 1] && f->group[i] < f->groups; k++) {
            size_t j = f->partner[k];
            double d[3], q = f->w[i] * f->charge[f->group[i] * f->natoms + j];
            if (j < i || q == 0.0)
                continue;
            for (size_t a = 0; a < 3; a++)
                d[a] = window_at(g, i, a, t) - window_at(g, j, a, t);
            for (int c = 0; c < g->p.ncomp; c++) {
                double v =
                    g->p.coef[c] * q *
                    split_far_f64(&g->p.sum.plan, &cell->ewald_f64, &cell->d, g->p.component[c], d);
                *mesh_a(g, c, i, t) -= v;
                *mesh_a(g, c, j, t) -= v;
            }
        }
}

/* ---- steps ---- */

static int mesh_step(struct g4 *g, struct place *p, size_t t)
{
    const struct box *b = &g->geom[t].d;
    const struct split *split = &g->p.sum.plan;
    struct mesh_grid *m = &p->grid;
    int n[3];
    points_of(g, b, n);
    int made = mesh_grid_set(m, &g->mesh->plans, split->mesh.order, n, 2, g->p.ncomp > 1);
    if (made < 0)
        return -1;
    for (int k = 0; made && k < 3; k++)
        mesh_axis(m->order, n[k], m->axis[k], m->axis[k] + n[k]);
    if (made || memcmp(&p->cell, b, sizeof p->cell) != 0)
        place_weights(split, p, b);
    size_t groups = g->p.factors ? g->p.factors->groups : 1;
    for (size_t group = 0; group < groups; group++) {
        mesh_clear(m);
        spread(g, p, t, group);
        mesh_forth(m);
        for (int c = 0; c < g->p.ncomp; c++) {
            place_filter(p, g->p.component[c]);
            mesh_back(m);
            gather(g, p, t, group, c);
        }
    }
    if (g->p.sum.pairs)
        mesh_listed(g, &g->geom[t], t);
    return 0;
}

static void mesh_task(void *ctx, size_t k, int thread)
{
    struct g4 *g = ctx;
    struct g4_mesh *m = g->mesh;
    (void)thread;
    for (;;) {
        size_t t = __atomic_fetch_add(&m->next, 1, __ATOMIC_RELAXED);
        if (t >= m->span)
            return;
        if (mesh_step(g, &m->place[k], t)) {
            __atomic_store_n(&m->failed, 1, __ATOMIC_RELAXED);
            return;
        }
    }
}

int g4_mesh_pass(struct g4 *g, size_t from, size_t span)
{
    struct g4_mesh *m = g->mesh;
    if (!m->place) {
        m->places = g->places;
        m->place = calloc(m->places, sizeof *m->place);
        if (!m->place)
            return err_memory(&g->err, "a mesh");
    }
    for (size_t t = from; t < span; t++) {
        int n[3];
        points_of(g, &g->geom[t].d, n);
        if (mesh_plans_add(&m->plans, n))
            return err_memory(&g->err, "a mesh");
    }
    m->next = from;
    m->span = span;
    pool_run(g->pool, mesh_task, g, m->places);
    return m->failed ? err_memory(&g->err, "a mesh") : 0;
}
