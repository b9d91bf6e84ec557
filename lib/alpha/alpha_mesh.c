/* SPDX-License-Identifier: MIT */
#include "alpha/alpha_mesh.h"

#include <math.h>

static void make_axis(int order, int points, double *axis)
{
    alpha_split_axis(order, points, axis);
    for (int k = 0; k < points; k++) {
        double x = UNITS_PI * mesh_signed(k, points) / points;
        axis[3 * points + k] = 2 * k == points ? 0.0 : k ? pow(x / sin(x), 2 * order) : 1.0;
    }
}

/* Returns the weight of a wave. Subtracts from `own` the part of the interaction of a site with
 * itself that is due to this wave. */
static double weigh(const struct alpha_mesh *m, const int at[3], double reach, double own[6])
{
    double moment[3][3], lost = 1.0, t[6], k[3];
    const int *n = m->grid.n;
    for (int a = 0; a < 3; a++) {
        const double *axis = m->grid.axis[a] + at[a];
        for (int c = 0; c < 3; c++)
            moment[a][c] = axis[c * n[a]];
        lost *= axis[3 * n[a]];
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
    mesh_points(m->plan, reach, b, n);
    int made = mesh_grid_set(&m->grid, m->plans, m->plan->order, n, 4, 0);
    if (made < 0)
        return -1;
    for (int a = 0; made && a < 3; a++)
        make_axis(m->plan->order, n[a], m->grid.axis[a]);
    m->cell = *b;
    double *to = m->grid.weight;
    for (int i = 0; i < n[0]; i++)
        for (int j = 0; j < n[1]; j++)
            for (int l = 0; l <= n[2] / 2; l++)
                *to++ = weigh(m, (int[]){i, j, l}, reach, own);
    return 0;
}

static void filter(const struct mesh_grid *g)
{
    size_t half = (size_t)g->n[2] / 2 + 1;
    for (size_t k = 0; k < (size_t)g->n[0] * (size_t)g->n[1]; k++) {
        double *v = g->mesh + k * g->pitch;
        const double *w = g->weight + k * half;
        for (size_t l = 0; l < half; l++) {
            v[2 * l] *= w[l];
            v[2 * l + 1] *= w[l];
        }
    }
}

/* Sets `nu` to the components of the dipoles `mu` along the axes of the mesh, in mesh spacings. */
static void to_spacing(const struct alpha_mesh *m, size_t n, size_t stride, const double *mu,
                       double *nu)
{
    double to[3][3];
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++)
            to[a][c] = m->grid.n[a] * m->cell.inv[c][a];
    for (size_t a = 0; a < 3; a++)
        for (size_t i = 0; i < n; i++)
            nu[a * stride + i] =
                (to[a][0] * mu[i] + to[a][1] * mu[stride + i]) + to[a][2] * mu[2 * stride + i];
}

/* Filters the mesh and adds the field at the sites to `out`. */
static void finish(struct alpha_mesh *m, const struct mesh_sites *s, double *nu, double *out)
{
    size_t n = s->n, stride = s->stride;
    double to[3][3];
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++)
            to[a][c] = m->grid.n[a] * m->cell.inv[c][a];
    mesh_forth(&m->grid);
    filter(&m->grid);
    mesh_back(&m->grid);
    SIMD_PICK(mesh_gather_slopes)(&m->grid, s, nu);
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < n; i++)
            out[c * stride + i] -=
                (to[0][c] * nu[i] + to[1][c] * nu[stride + i]) + to[2][c] * nu[2 * stride + i];
}

void alpha_mesh_apply(struct alpha_mesh *m, const struct mesh_sites *s, const double *mu,
                      double *nu, double *out)
{
    to_spacing(m, s->n, s->stride, mu, nu);
    mesh_clear(&m->grid);
    SIMD_PICK(mesh_spread_dipoles)(&m->grid, s, nu);
    finish(m, s, nu, out);
}

#define APART 1e-4 /* Å, distance of two opposite dipoles that represent part of a quadrupole */

void alpha_mesh_permanent(struct alpha_mesh *m, const struct mesh_sites *from,
                          const struct mesh_sites *to, const double *moment, int charges,
                          double *scratch, double *nu, double *out)
{
    static const size_t row[3][3] = {{4, 5, 6}, {5, 7, 8}, {6, 8, 9}};
    size_t n = from->n, w = from->stride;
    double *at = scratch, *mu = scratch + 3 * w, *turned = scratch + 6 * w;
    mesh_clear(&m->grid);
    SIMD_PICK(mesh_spread)(&m->grid, from, moment);
    for (size_t a = 0; !charges && a < 7; a++) {
        double apart = a == 0 ? 0.0 : a % 2 ? 0.5 * APART : -0.5 * APART;
        size_t axis = (a - (a > 0)) / 2;
        for (size_t k = 0; k < 3; k++)
            for (size_t i = 0; i < n; i++) {
                at[k * w + i] = from->at[k * w + i] + apart * m->cell.inv[axis][k];
                mu[k * w + i] = a == 0 ? moment[(1 + k) * w + i]
                                       : moment[row[axis][k] * w + i] * (apart > 0.0 ? 1.0 : -1.0) /
                                             (3.0 * APART);
            }
        to_spacing(m, n, w, mu, turned);
        SIMD_PICK(mesh_spread_dipoles)(&m->grid, &(struct mesh_sites){n, w, at}, turned);
    }
    finish(m, to, nu, out);
}
