/* SPDX-License-Identifier: MIT */
#include "mesh/mesh_grid.h"

#include <fftw3.h>
#include <stdlib.h>
#include <string.h>

#define MORE 12 /* number of columns after the last point, for the splines */

struct mesh_transform {
    struct mesh_transform *next;
    int n[3];
    fftw_plan forth, back;
};

static size_t pitch_of(const int n[3])
{
    return ((size_t)n[2] + MORE + 1) / 2 * 2;
}

static size_t rows_of(const int n[3])
{
    return (size_t)n[0] * (size_t)n[1];
}

/* ---- plans of transforms ---- */

void mesh_plans_free(struct mesh_plans *p)
{
    for (struct mesh_transform *t = p->first, *next; t; t = next) {
        next = t->next;
        fftw_destroy_plan(t->forth);
        fftw_destroy_plan(t->back);
        free(t);
    }
    p->first = NULL;
}

static const struct mesh_transform *transform_of(const struct mesh_plans *p, const int n[3])
{
    const struct mesh_transform *t = p->first;
    while (t && memcmp(t->n, n, sizeof t->n) != 0)
        t = t->next;
    return t;
}

int mesh_plans_add(struct mesh_plans *p, const int n[3])
{
    if (transform_of(p, n))
        return 0;
    int pitch = (int)pitch_of(n), real[3] = {n[0], n[1], pitch},
        complex[3] = {n[0], n[1], pitch / 2};
    struct mesh_transform *t = calloc(1, sizeof *t);
    double *v = fftw_malloc(rows_of(n) * pitch_of(n) * sizeof *v);
    if (t && v) {
        fftw_complex *w = (fftw_complex *)v;
        memcpy(t->n, n, sizeof t->n);
        t->forth = fftw_plan_many_dft_r2c(3, n, 1, v, real, 1, 0, w, complex, 1, 0, FFTW_ESTIMATE);
        t->back = fftw_plan_many_dft_c2r(3, n, 1, w, complex, 1, 0, v, real, 1, 0, FFTW_ESTIMATE);
    }
    fftw_free(v);
    if (!t)
        return -1;
    t->next = p->first; /* mesh_plans_free() also frees an incomplete plan */
    p->first = t;
    return t->forth && t->back ? 0 : -1;
}

/* ---- a mesh ---- */

void mesh_grid_free(struct mesh_grid *g)
{
    if (g->back != g->mesh)
        fftw_free(g->back);
    fftw_free(g->mesh);
    free(g->weight);
    free(g->axis[0]);
    memset(g, 0, sizeof *g);
}

double mesh_grid_bytes(const int n[3], int apart)
{
    return (apart ? 2.5 : 1.5) * (double)n[0] * (double)n[1] * (double)pitch_of(n) * sizeof(double);
}

int mesh_grid_set(struct mesh_grid *g, const struct mesh_plans *plans, int order, const int n[3],
                  int rows, int apart)
{
    if (g->mesh && memcmp(g->n, n, sizeof g->n) == 0)
        return 0;
    mesh_grid_free(g);
    size_t bytes = rows_of(n) * pitch_of(n) * sizeof *g->mesh, half = (size_t)n[2] / 2 + 1,
           axes = (size_t)rows * ((size_t)n[0] + (size_t)n[1] + (size_t)n[2]);
    g->order = order;
    memcpy(g->n, n, sizeof g->n);
    g->pitch = pitch_of(n);
    g->transform = transform_of(plans, n);
    g->mesh = fftw_malloc(bytes);
    g->back = apart ? fftw_malloc(bytes) : g->mesh;
    g->weight = malloc(rows_of(n) * half * sizeof *g->weight);
    g->axis[0] = malloc(axes * sizeof *g->axis[0]);
    if (!g->transform || !g->mesh || !g->back || !g->weight || !g->axis[0]) {
        mesh_grid_free(g);
        return -1;
    }
    for (int a = 1; a < 3; a++)
        g->axis[a] = g->axis[a - 1] + (size_t)rows * (size_t)n[a - 1];
    return 1;
}

void mesh_clear(struct mesh_grid *g)
{
    memset(g->mesh, 0, rows_of(g->n) * g->pitch * sizeof *g->mesh);
}

void mesh_forth(struct mesh_grid *g)
{
    size_t n = (size_t)g->n[2];
    for (double *row = g->mesh, *end = row + rows_of(g->n) * g->pitch; row < end; row += g->pitch)
        for (size_t l = n; l < g->pitch; l++)
            row[l - n] += row[l];
    fftw_execute_dft_r2c(g->transform->forth, g->mesh, (fftw_complex *)g->mesh);
}

void mesh_back(struct mesh_grid *g)
{
    size_t n = (size_t)g->n[2];
    fftw_execute_dft_c2r(g->transform->back, (fftw_complex *)g->back, g->back);
    for (double *row = g->back, *end = row + rows_of(g->n) * g->pitch; row < end; row += g->pitch)
        for (size_t l = n; l < g->pitch; l++)
            row[l] = row[l - n];
}
