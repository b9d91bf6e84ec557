/* SPDX-License-Identifier: MIT */
/* alpha_mesh.c: transforms are planned with FFTW_ESTIMATE, which does not depend on timings, and
 * run by one thread, so that the bits depend only on the step. */
#include "alpha/alpha_mesh.h"

#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct transform {
    int n[3];
    fftw_plan forth, back;
};

struct alpha_plans {
    struct transform *all;
    size_t n;
};

struct alpha_mesh {
    const struct alpha_plans *plans;
    const struct mesh *plan;
    const struct alpha_split *split;
    struct box cell;
    const struct transform *transform;
    struct alpha_on_mesh on;
    double *weight; /* [n0][n1][n2/2 + 1] */
    double *axis;   /* [n0 + n1 + n2][4] */
};

static size_t pitch_of(const int n[3])
{
    return ((size_t)n[2] + ALPHA_MESH_MORE + 1) / 2 * 2;
}

static size_t values_of(const int n[3])
{
    return (size_t)n[0] * (size_t)n[1] * pitch_of(n);
}

static void points_of(const struct mesh *plan, const struct box *b, double reach, int n[3])
{
    struct mesh m = {.order = plan->order, .spacing = plan->spacing * reach};
    mesh_points(&m, b, n);
}

/* ---- plans */

struct alpha_plans *alpha_plans_new(void)
{
    return calloc(1, sizeof(struct alpha_plans));
}

void alpha_plans_free(struct alpha_plans *p)
{
    for (size_t k = 0; p && k < p->n; k++) {
        fftw_destroy_plan(p->all[k].forth);
        fftw_destroy_plan(p->all[k].back);
    }
    free(p ? p->all : NULL);
    free(p);
}

static const struct transform *transform_of(const struct alpha_plans *p, const int n[3])
{
    for (size_t k = 0; k < p->n; k++)
        if (memcmp(p->all[k].n, n, sizeof p->all[k].n) == 0)
            return &p->all[k];
    return NULL;
}

int alpha_plans_add(struct alpha_plans *p, const struct mesh *plan, const struct box *b,
                    double reach)
{
    int n[3];
    points_of(plan, b, reach, n);
    if (transform_of(p, n))
        return 0;
    int pitch = (int)pitch_of(n), real[3] = {n[0], n[1], pitch},
        complex[3] = {n[0], n[1], pitch / 2};
    struct transform *more = realloc(p->all, (p->n + 1) * sizeof *more);
    double *v = fftw_malloc(values_of(n) * sizeof *v);
    if (more)
        p->all = more;
    if (more && v) {
        struct transform *t = &more[p->n];
        memcpy(t->n, n, sizeof t->n);
        t->forth = fftw_plan_many_dft_r2c(3, n, 1, v, real, 1, 0, (fftw_complex *)v, complex, 1, 0,
                                          FFTW_ESTIMATE);
        t->back = fftw_plan_many_dft_c2r(3, n, 1, (fftw_complex *)v, complex, 1, 0, v, real, 1, 0,
                                         FFTW_ESTIMATE);
        p->n += t->forth && t->back;
    }
    fftw_free(v);
    return transform_of(p, n) ? 0 : -1;
}

/* ---- a mesh */

struct alpha_mesh *alpha_mesh_new(const struct alpha_plans *plans, const struct mesh *plan,
                                  const struct alpha_split *split)
{
    struct alpha_mesh *m = calloc(1, sizeof *m);
    if (m) {
        m->plans = plans;
        m->plan = plan;
        m->split = split;
        m->on.order = plan->order;
    }
    return m;
}

void alpha_mesh_free(struct alpha_mesh *m)
{
    if (!m)
        return;
    fftw_free(m->on.mesh);
    free(m->weight);
    free(m->axis);
    free(m);
}

double alpha_mesh_bytes(const struct mesh *plan, const struct box *b, double reach)
{
    int n[3];
    points_of(plan, b, reach, n);
    return 1.5 * (double)n[0] * (double)n[1] * (double)pitch_of(n) * sizeof(double);
}

const int *alpha_mesh_points(const struct alpha_mesh *m)
{
    return m->on.points;
}

/* The moments of alpha_split.h, and 1/W_0². */
static void make_axis(int order, int points, double *axis)
{
    alpha_split_axis(order, points, axis);
    for (int k = 0; k < points; k++) {
        double x = UNITS_PI * mesh_signed(k, points) / points;
        axis[3 * points + k] = 2 * k == points ? 0.0 : k ? pow(x / sin(x), 2 * order) : 1.0;
    }
}

static int mesh_room(struct alpha_mesh *m, const int n[3])
{
    if (m->on.mesh && memcmp(n, m->on.points, sizeof m->on.points) == 0)
        return 0;
    fftw_free(m->on.mesh);
    free(m->weight);
    free(m->axis);
    memcpy(m->on.points, n, sizeof m->on.points);
    m->on.pitch = pitch_of(n);
    m->on.mesh = fftw_malloc(values_of(n) * sizeof *m->on.mesh);
    m->weight = malloc((size_t)n[0] * (size_t)n[1] * ((size_t)n[2] / 2 + 1) * sizeof *m->weight);
    m->axis = malloc(4 * ((size_t)n[0] + (size_t)n[1] + (size_t)n[2]) * sizeof *m->axis);
    if (!m->on.mesh || !m->weight || !m->axis)
        return -1;
    double *axis = m->axis;
    for (int a = 0; a < 3; a++, axis += 4 * (size_t)n[a - 1])
        make_axis(m->plan->order, n[a], axis);
    return 0;
}

/* Weight of a wave; its part of the interaction of a site with itself is removed from own. */
static double weigh(const struct alpha_mesh *m, const int at[3], double reach, double own[6])
{
    double moment[3][3], lost = 1.0, t[6], k[3];
    const double *axis = m->axis;
    const int *n = m->on.points;
    for (int a = 0; a < 3; a++, axis += 4 * (size_t)n[a - 1]) {
        for (int c = 0; c < 3; c++)
            moment[a][c] = axis[c * n[a] + at[a]];
        lost *= axis[3 * n[a] + at[a]];
    }
    if (lost == 0.0 || !(at[0] || at[1] || at[2]))
        return 0.0;
    mesh_vector(&m->cell, mesh_signed(at[0], n[0]), mesh_signed(at[1], n[1]), at[2], k);
    alpha_split_slopes(&m->cell, moment, t);
    double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2], all = t[0] + t[3] + t[5];
    double w =
        alpha_split_wave(m->split, k2, reach) / box_volume(&m->cell) * (k2 / all) * (k2 / all);
    for (int c = 0; c < 6; c++)
        own[c] += (at[2] ? 2.0 : 1.0) * w * t[c];
    return w * lost;
}

int alpha_mesh_cell(struct alpha_mesh *m, const struct box *b, double reach,
                    double own[ALPHA_TENSOR])
{
    int n[3];
    points_of(m->plan, b, reach, n);
    m->transform = transform_of(m->plans, n);
    if (!m->transform || mesh_room(m, n))
        return -1;
    m->cell = *b;
    double *to = m->weight;
    for (int i = 0; i < n[0]; i++)
        for (int j = 0; j < n[1]; j++)
            for (int l = 0; l <= n[2] / 2; l++)
                *to++ = weigh(m, (int[]){i, j, l}, reach, own);
    return 0;
}

/* Adds the columns after the last point to the first columns. */
static void fold(const struct alpha_on_mesh *m)
{
    size_t n = (size_t)m->points[2];
    for (size_t k = 0; k < (size_t)m->points[0] * (size_t)m->points[1]; k++)
        for (size_t l = n; l < m->pitch; l++)
            m->mesh[k * m->pitch + l - n] += m->mesh[k * m->pitch + l];
}

static void unfold(const struct alpha_on_mesh *m)
{
    size_t n = (size_t)m->points[2];
    for (size_t k = 0; k < (size_t)m->points[0] * (size_t)m->points[1]; k++)
        for (size_t l = n; l < m->pitch; l++)
            m->mesh[k * m->pitch + l] = m->mesh[k * m->pitch + l - n];
}

static void filter(const struct alpha_mesh *m)
{
    size_t half = (size_t)m->on.points[2] / 2 + 1;
    for (size_t k = 0; k < (size_t)m->on.points[0] * (size_t)m->on.points[1]; k++) {
        double *v = m->on.mesh + k * m->on.pitch;
        const double *w = m->weight + k * half;
        for (size_t l = 0; l < half; l++) {
            v[2 * l] *= w[l];
            v[2 * l + 1] *= w[l];
        }
    }
}

void alpha_mesh_apply(struct alpha_mesh *m, size_t n, size_t stride, const double *at,
                      const double *mu, double *nu, double *out)
{
    struct alpha_on_mesh *on = &m->on;
    double to[3][3];
    on->n = n;
    on->stride = stride;
    on->at = at;
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++)
            to[a][c] = on->points[a] * m->cell.inv[c][a];
    for (size_t a = 0; a < 3; a++)
        for (size_t i = 0; i < n; i++)
            nu[a * stride + i] =
                (to[a][0] * mu[i] + to[a][1] * mu[stride + i]) + to[a][2] * mu[2 * stride + i];
    memset(on->mesh, 0, values_of(on->points) * sizeof *on->mesh);
    SIMD_PICK(alpha_mesh_spread)(on, nu);
    fold(on);
    fftw_execute_dft_r2c(m->transform->forth, on->mesh, (fftw_complex *)on->mesh);
    filter(m);
    fftw_execute_dft_c2r(m->transform->back, (fftw_complex *)on->mesh, on->mesh);
    unfold(on);
    SIMD_PICK(alpha_mesh_gather)(on, nu);
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < n; i++)
            out[c * stride + i] -=
                (to[0][c] * nu[i] + to[1][c] * nu[stride + i]) + to[2][c] * nu[2 * stride + i];
}
