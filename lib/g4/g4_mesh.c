/* SPDX-License-Identifier: MIT */
/*
 * g4_mesh.c: A_i of all atoms from all images by mesh.h, in addition to the short-range parts of
 * g4_lists.c. Needs one transform of the atoms on the mesh, and one inverse transform per
 * component. A step is processed by a single thread on its own mesh, so that its bits depend only
 * on the step. Transforms are planned with FFTW_ESTIMATE, which does not depend on timings.
 */
#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "g4/g4_engine.h"

struct transform {
    int n[3];
    fftw_plan forth, back;
};

/* A mesh, [n0][n1][pitch] real or [n0][n1][pitch/2] complex, and the weights of the waves. */
struct place {
    double *mesh, *work;              /* work: the mesh itself if there is only one component */
    double *weight;                   /* [n0][n1][n2/2 + 1], without form */
    double *axis[3];                  /* [2][n]: filter and self of mesh_axis */
    double self[BETA_NCOMPONENTS][2]; /* of an atom with itself; with its images */
    int n[3];
    size_t capacity, axis_room;
    struct box cell; /* cell for which the weights are valid */
    int have;
};

struct g4_mesh {
    struct box first;
    struct place *place;
    struct transform *transform;
    size_t ntransforms;
    size_t *which; /* [cap] transform of each step of the window */
    size_t places, from, span, next;
    int failed;
};

/* ---- memory ---- */

static size_t pitch_of(const int n[3])
{
    return ((size_t)n[2] + G4_MESH_MORE + 1) / 2 * 2;
}

static size_t values_of(const int n[3])
{
    return (size_t)n[0] * (size_t)n[1] * pitch_of(n);
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
    mesh_points(&g->p.sum.plan, &g->mesh->first, n);
    double grids = g->p.ncomp > 1 ? 2.5 : 1.5;
    grids *= (double)n[0] * (double)n[1] * (double)pitch_of(n);
    return (double)g->places * grids * sizeof(double) + (double)g->cap * sizeof *g->mesh->which;
}

static void place_free(struct place *p)
{
    if (p->work != p->mesh)
        fftw_free(p->work);
    fftw_free(p->mesh);
    free(p->weight);
    for (int k = 0; k < 3; k++)
        free(p->axis[k]);
    memset(p, 0, sizeof *p);
}

void g4_mesh_free(struct g4_mesh *m)
{
    if (!m)
        return;
    for (size_t k = 0; m->place && k < m->places; k++)
        place_free(&m->place[k]);
    for (size_t k = 0; k < m->ntransforms; k++) {
        fftw_destroy_plan(m->transform[k].forth);
        fftw_destroy_plan(m->transform[k].back);
    }
    free(m->place);
    free(m->transform);
    free(m->which);
    free(m);
}

/* Makes room for a mesh of n points. Returns 0 or -1. */
static int place_room(const struct g4 *g, struct place *p, const int n[3])
{
    size_t values = values_of(n);
    if (memcmp(p->n, n, sizeof p->n) == 0 && p->mesh)
        return 0;
    place_free(p);
    p->mesh = fftw_malloc(values * sizeof *p->mesh);
    p->work = g->p.ncomp > 1 ? fftw_malloc(values * sizeof *p->work) : p->mesh;
    p->weight = malloc((size_t)n[0] * (size_t)n[1] * ((size_t)n[2] / 2 + 1) * sizeof *p->weight);
    int good = p->mesh && p->work && p->weight;
    for (int k = 0; k < 3; k++) {
        p->axis[k] = malloc(2 * (size_t)n[k] * sizeof *p->axis[k]);
        good &= p->axis[k] != NULL;
        p->n[k] = n[k];
    }
    if (good)
        for (int k = 0; k < 3; k++)
            mesh_axis(&g->p.sum.plan, n[k], p->axis[k], p->axis[k] + n[k]);
    else
        place_free(p);
    return good ? 0 : -1;
}

/* Returns the transform of n points, planned at first use, or SIZE_MAX if out of memory. */
static size_t transform_of(struct g4_mesh *m, const int n[3])
{
    for (size_t k = 0; k < m->ntransforms; k++)
        if (memcmp(m->transform[k].n, n, sizeof m->transform[k].n) == 0)
            return k;
    struct transform *more = realloc(m->transform, (m->ntransforms + 1) * sizeof *more);
    double *v = fftw_malloc(values_of(n) * sizeof *v);
    if (more)
        m->transform = more;
    if (more && v) {
        int pitch = (int)pitch_of(n), real[3] = {n[0], n[1], pitch},
            complex[3] = {n[0], n[1], pitch / 2};
        struct transform *t = &more[m->ntransforms];
        memcpy(t->n, n, sizeof t->n);
        t->forth = fftw_plan_many_dft_r2c(3, n, 1, v, real, 1, 0, (fftw_complex *)v, complex, 1, 0,
                                          FFTW_ESTIMATE);
        t->back = fftw_plan_many_dft_c2r(3, n, 1, (fftw_complex *)v, complex, 1, 0, v, real, 1, 0,
                                         FFTW_ESTIMATE);
        if (t->forth && t->back)
            m->ntransforms++;
        else
            v = (fftw_free(v), NULL);
    }
    fftw_free(v);
    return more && v ? m->ntransforms - 1 : SIZE_MAX;
}

/* ---- waves ---- */

/* Computes the weights of a cell, and self. */
static void place_weights(const struct mesh *plan, struct place *p, const struct box *b)
{
    double volume = box_volume(b), *to = p->weight, images[BETA_NCOMPONENTS];
    const int *n = p->n;
    memset(p->self, 0, sizeof p->self);
    for (int i = 0; i < n[0]; i++)
        for (int j = 0; j < n[1]; j++)
            for (int l = 0; l <= n[2] / 2; l++, to++) {
                double k[3];
                mesh_vector(b, mesh_signed(i, n[0]), mesh_signed(j, n[1]), l, k);
                double w = i || j || l ? mesh_weight(plan, k, volume) : 0.0;
                *to = w * ((p->axis[0][i] * p->axis[1][j]) * p->axis[2][l]);
                w *= (p->axis[0][n[0] + i] * p->axis[1][n[1] + j]) * p->axis[2][n[2] + l];
                for (int c = 0; c < BETA_NCOMPONENTS; c++)
                    p->self[c][0] += (l ? 2.0 : 1.0) * w * beta_form_f64(c, k[0], k[1], k[2]);
            }
    ewald_self(b->h, images);
    for (int c = 0; c < BETA_NCOMPONENTS; c++) {
        p->self[c][0] -= images[c];
        p->self[c][1] = images[c];
    }
    p->cell = *b;
    p->have = 1;
}

/* Multiplies the transformed mesh by the weights of a component. */
static void place_filter(const struct place *p, int component, size_t pitch)
{
    const double *w = p->weight;
    const int *n = p->n;
    for (int i = 0; i < n[0]; i++)
        for (int j = 0; j < n[1]; j++) {
            size_t row = ((size_t)i * (size_t)n[1] + (size_t)j) * pitch;
            const double *from = p->mesh + row;
            double *to = p->work + row, k[3], d[3];
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

/* Adds the columns after the last point to the first columns. */
static void place_fold(const struct place *p, size_t pitch)
{
    for (size_t k = 0; k < (size_t)p->n[0] * (size_t)p->n[1]; k++) {
        double *row = p->mesh + k * pitch;
        for (size_t l = (size_t)p->n[2]; l < pitch; l++)
            row[l - (size_t)p->n[2]] += row[l];
    }
}

static void place_unfold(const struct place *p, size_t pitch)
{
    for (size_t k = 0; k < (size_t)p->n[0] * (size_t)p->n[1]; k++) {
        double *row = p->work + k * pitch;
        for (size_t l = (size_t)p->n[2]; l < pitch; l++)
            row[l] = row[l - (size_t)p->n[2]];
    }
}

/* A of component number c of atom i in step t of the window. */
static double *mesh_a(const struct g4 *g, int c, size_t i, size_t t)
{
    size_t row = (size_t)c * g->nblocks + i / G4_LANES;
    return g->a + (row * g->cap + t) * G4_LANES + i % G4_LANES;
}

/* Computes the field of a group of atoms at these atoms: A of its step. */
static void mesh_group(const struct g4 *g, struct place *p, const struct transform *f,
                       struct g4_on_mesh on)
{
    memset(p->mesh, 0, values_of(p->n) * sizeof *p->mesh);
    on.mesh = p->mesh;
    SIMD_PICK(g4_mesh_spread)(&on);
    place_fold(p, on.pitch);
    fftw_execute_dft_r2c(f->forth, p->mesh, (fftw_complex *)p->mesh);
    on.mesh = p->work;
    for (int c = 0; c < g->p.ncomp; c++) {
        int component = g->p.component[c];
        place_filter(p, component, on.pitch);
        fftw_execute_dft_c2r(f->back, (fftw_complex *)p->work, p->work);
        place_unfold(p, on.pitch);
        SIMD_PICK(g4_mesh_gather)
        (&on, g->p.coef[c], p->self[component], mesh_a(g, c, 0, on.step));
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
            for (size_t a = 0; a < 3; a++) {
                size_t at = g4_row(g, i, a) + t, from = g4_row(g, j, a) + t;
                d[a] =
                    g->p.dtype == FRAME_F64
                        ? ((const double *)g->window)[at] - ((const double *)g->window)[from]
                        : (double)((const float *)g->window)[at] - ((const float *)g->window)[from];
            }
            for (int c = 0; c < g->p.ncomp; c++) {
                double v =
                    g->p.coef[c] * q *
                    mesh_far_f64(&g->p.sum.plan, &cell->ewald_f64, &cell->d, g->p.component[c], d);
                *mesh_a(g, c, i, t) -= v;
                *mesh_a(g, c, j, t) -= v;
            }
        }
}

static void mesh_step(struct g4 *g, struct place *p, const struct transform *f, size_t t)
{
    struct g4_on_mesh on = {g,      t, pitch_of(p->n), 0, &p->cell, {p->n[0], p->n[1], p->n[2]},
                            p->mesh};
    if (!p->have || memcmp(&p->cell, &g->geom[t].d, sizeof p->cell) != 0)
        place_weights(&g->p.sum.plan, p, &g->geom[t].d);
    for (size_t groups = g->p.factors ? g->p.factors->groups : 1; on.group < groups; on.group++)
        mesh_group(g, p, f, on);
    if (g->p.sum.pairs)
        mesh_listed(g, &g->geom[t], t);
}

static void mesh_task(void *ctx, size_t k, int thread)
{
    struct g4 *g = ctx;
    struct g4_mesh *m = g->mesh;
    struct place *p = &m->place[k];
    (void)thread;
    for (;;) {
        size_t t = __atomic_fetch_add(&m->next, 1, __ATOMIC_RELAXED);
        if (t >= m->span)
            return;
        const struct transform *f = &m->transform[m->which[t]];
        if (place_room(g, p, f->n)) {
            __atomic_store_n(&m->failed, 1, __ATOMIC_RELAXED);
            return;
        }
        mesh_step(g, p, f, t);
    }
}

int g4_mesh_pass(struct g4 *g, size_t from, size_t span)
{
    struct g4_mesh *m = g->mesh;
    if (!m->place) {
        m->places = g->places;
        m->place = calloc(m->places, sizeof *m->place);
        m->which = malloc(g->cap * sizeof *m->which);
        if (!m->place || !m->which)
            return err_memory(&g->err, "a mesh");
    }
    for (size_t t = from; t < span; t++) {
        int n[3];
        mesh_points(&g->p.sum.plan, &g->geom[t].d, n);
        if ((m->which[t] = transform_of(m, n)) == SIZE_MAX)
            return err_memory(&g->err, "a mesh");
    }
    m->next = from;
    m->span = span;
    pool_run(g->pool, mesh_task, g, m->places);
    return m->failed ? err_memory(&g->err, "a mesh") : 0;
}
