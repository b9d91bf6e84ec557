/* SPDX-License-Identifier: MIT */
#include "alpha/alpha_field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alpha/alpha_cell.h"
#include "alpha/alpha_mesh.h"
#include "base/cis.h"

struct alpha_field {
    const struct alpha_split *split; /* NULL if there are no images */
    struct alpha_mesh mesh;          /* used if means.plans is set */
    struct near_grid cells;          /* used with a mesh (the sites of `near` are in cell order) */
    struct alpha_means means;
    double *scratch; /* [3][stride], for a mesh */
    size_t rows;     /* capacity of `near` */
    struct alpha_short_range near;
    struct alpha_waves waves;
    struct box cell;                 /* reduced cell of the last step */
    double *nu, *field;              /* [9][stride] */
    double reach, own[ALPHA_TENSOR]; /* own: T of a site with itself minus the waves */
    double *weight;                  /* of all rods */
};

/* ---- memory */

double *alpha_doubles(size_t n)
{
    double *p = aligned_alloc(64, (n + ALPHA_LANES) / ALPHA_LANES * ALPHA_LANES * sizeof *p);
    if (p)
        memset(p, 0, n * sizeof *p);
    return p;
}

static void waves_free(struct alpha_waves *w)
{
    for (int a = 0; a < 3; a++)
        free(w->power[a]);
    free(w->across);
    free(w->sum);
    free(w->rod);
}

void alpha_field_free(struct alpha_field *f)
{
    if (!f)
        return;
    waves_free(&f->waves);
    mesh_grid_free(&f->mesh.grid);
    free(f->scratch);
    near_grid_free(&f->cells);
    free(f->waves.xy);
    free(f->waves.along);
    free(f->near.at);
    free(f->near.first);
    free(f->near.row);
    free(f->nu);
    free(f->field);
    free(f->weight);
    free(f);
}

/* Allocates room for a row with the given numbers of pairs and ranges. */
static int short_range_room(struct alpha_field *f, size_t pairs, size_t ranges)
{
    size_t rows = ALPHA_SHORT_RANGE_ROW(pairs, ranges) + 1;
    if (rows <= f->rows)
        return 0;
    free(f->near.first);
    free(f->near.row);
    f->near.first = malloc(rows * sizeof *f->near.first);
    f->near.row = alpha_doubles(rows * ALPHA_SHORT_RANGE_OF * ALPHA_LANES);
    f->rows = f->near.first && f->near.row ? rows : 0;
    return f->rows ? 0 : -1;
}

struct alpha_field *alpha_field_new(size_t n, size_t stride, const struct alpha_means *means)
{
    struct alpha_field *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->split = means->split;
    f->means = *means;
    f->near = (struct alpha_short_range){
        .n = n, .stride = stride, .r2 = HUGE_VAL, .at = alpha_doubles(3 * stride)};
    f->waves.n = n;
    f->waves.stride = stride;
    bool good = f->near.at && (means->plans || short_range_room(f, n, 1) == 0);
    if (f->split) {
        f->nu = alpha_doubles(9 * stride);
        f->field = alpha_doubles(9 * stride);
        good = good && f->nu && f->field;
    }
    if (f->split && !means->plans) {
        f->waves.xy = alpha_doubles(2 * stride);
        f->waves.along = alpha_doubles(3 * stride);
        good = good && f->waves.xy && f->waves.along;
    }
    if (means->plans) {
        f->scratch = alpha_doubles(3 * stride);
        f->mesh =
            (struct alpha_mesh){.plans = means->plans, .plan = means->mesh, .split = means->split};
        good = good && f->scratch;
    }
    if (good)
        return f;
    alpha_field_free(f);
    return NULL;
}

int alpha_field_reach(const struct alpha_means *m, size_t n, const struct box *cell, double *reach,
                      struct err *e)
{
    double half = box_half_width(cell);
    *reach = half;
    if (m->plans && m->reach > half * (1.0 + 1e-12))
        return err_bad(e,
                       "the short-range cutoff of the mesh sum is %g Å, more than half the "
                       "smallest width of the cell, %g Å (use --sum ewald:pairs)",
                       m->reach, half);
    if (m->plans && m->reach > 0.0)
        *reach = m->reach;
    else if (m->plans)
        *reach = fmin(half, cbrt(ALPHA_MESH_SHORT_RANGE * box_volume(cell) / (double)n));
    return 0;
}

/* Returns the approximate number of bytes. */
double alpha_field_bytes(size_t n, size_t stride, const struct alpha_means *m,
                         const struct box *cell)
{
    double w = (double)stride, doubles = 3.0 * w + ALPHA_SHORT_RANGE_OF * (double)n, waves[3],
           reach;
    struct err e;
    if (!m->split || alpha_field_reach(m, n, cell, &reach, &e))
        return doubles * sizeof(double);
    if (m->plans) {
        int points[3];
        mesh_points(m->mesh, reach, cell, points);
        return (22.0 * w) * sizeof(double) + mesh_grid_bytes(points, 0);
    }
    for (int a = 0; a < 3; a++)
        waves[a] = m->split->cut / UNITS_PI * alpha_edge(cell, a) / (2.0 * reach) + 1.0;
    doubles += 23.0 * w + 2.0 * w * (waves[0] + waves[1] + 2.0 * waves[2] + ALPHA_LANES);
    doubles += 4.0 * waves[0] * waves[1] * (waves[2] + ALPHA_LANES);
    return doubles * sizeof(double);
}

/* ---- waves */

static double wave2(const struct box *b, int n0, int n1, int n2)
{
    double k[3];
    mesh_vector(b, n0, n1, n2, k);
    return k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
}

void alpha_wave_max(const struct alpha_split *s, const struct box *cell, double reach, int max[3])
{
    for (int a = 0; a < 3; a++)
        max[a] = (int)(s->cut / reach * alpha_edge(cell, a) / (2.0 * UNITS_PI));
}

int alpha_rod_weigh(const struct alpha_split *s, const struct box *cell, double reach, int max,
                    size_t lanes, struct alpha_rod *r)
{
    double unit = -2.0 / box_volume(cell), cut = s->cut / reach;
    int any = 0;
    memset(r->weight, 0, 2 * lanes * sizeof *r->weight);
    for (int n2 = 0; n2 <= max; n2++)
        for (int down = 0; down <= (n2 > 0 && (r->n0 || r->n1)); down++) {
            double k2 = wave2(cell, r->n0, r->n1, down ? -n2 : n2);
            if (k2 == 0.0 || k2 > cut * cut)
                continue;
            r->weight[(size_t)down * lanes + (size_t)n2] = unit * alpha_split_wave(s, k2, reach);
            r->last = n2;
            any = 1;
        }
    return any;
}

/* Makes room for the waves of this cell. */
static int waves_room(struct alpha_field *f, const int max[3])
{
    struct alpha_waves *w = &f->waves;
    size_t n = w->stride, rods = ((size_t)max[0] + 1) * (2 * (size_t)max[1] + 1);
    size_t lanes = ((size_t)max[2] + ALPHA_LANES) / ALPHA_LANES * ALPHA_LANES;
    if (w->rod && max[0] <= w->max[0] && max[1] <= w->max[1] && max[2] <= w->max[2])
        return 0;
    waves_free(w);
    free(f->weight);
    for (int a = 0; a < 3; a++) {
        w->max[a] = max[a];
        w->power[a] = alpha_doubles(((size_t)max[a] + 1) * 2 * n);
    }
    w->lanes = lanes;
    w->across = alpha_doubles(n * 2 * lanes);
    w->sum = alpha_doubles(12 * lanes);
    w->rod = malloc(rods * sizeof *w->rod);
    f->weight = alpha_doubles(rods * 2 * lanes);
    if (w->power[0] && w->power[1] && w->power[2] && w->across && w->sum && w->rod && f->weight)
        return 0;
    free(w->rod); /* makes the next step allocate the rods again */
    w->rod = NULL;
    return -1;
}

/* Subtracts the contribution of the waves from T of a site with itself. */
static void own_waves(const struct alpha_field *f, const struct alpha_rod *r,
                      double own[ALPHA_TENSOR])
{
    for (int n2 = 0; n2 <= r->last; n2++)
        for (int down = 0; down < 2; down++) {
            double k[3], w = r->weight[(size_t)down * f->waves.lanes + (size_t)n2];
            mesh_vector(&f->cell, r->n0, r->n1, down ? -n2 : n2, k);
            for (int a = 0, m = 0; a < 3; a++)
                for (int c = a; c < 3; c++, m++)
                    own[m] -= w * k[a] * k[c];
        }
}

static int make_waves(struct alpha_field *f, struct err *e)
{
    struct alpha_waves *w = &f->waves;
    double *weight;
    int max[3];
    alpha_wave_max(f->split, &f->cell, f->reach, max);
    if (waves_room(f, max))
        return err_memory(e, "waves");
    w->rods = 0;
    weight = f->weight;
    for (int n0 = 0; n0 <= max[0]; n0++)
        for (int n1 = n0 ? -max[1] : 0; n1 <= max[1]; n1++) {
            struct alpha_rod *r = &w->rod[w->rods];
            *r = (struct alpha_rod){n0, n1, 0, weight};
            if (alpha_rod_weigh(f->split, &f->cell, f->reach, w->max[2], w->lanes, r)) {
                own_waves(f, r, f->own);
                w->rods++;
                weight += 2 * w->lanes;
            }
        }
    return 0;
}

void alpha_powers(size_t count, size_t n, const double *at, int max, double *p)
{
    for (size_t i = 0; i < count; i++) {
        p[i] = 1.0;
        if (max > 0)
            cis_2pi(at[i], &p[2 * n + i], &p[3 * n + i]);
    }
    for (size_t k = 2; k <= (size_t)max; k++) {
        const double *x = p + 2 * n * (k / 2), *y = p + 2 * n * (k - k / 2);
        double *to = p + 2 * n * k;
        for (size_t i = 0; i < count; i++) {
            to[i] = x[i] * y[i] - x[n + i] * y[n + i];
            to[n + i] = x[i] * y[n + i] + x[n + i] * y[i];
        }
    }
}

static void make_powers(struct alpha_field *f)
{
    struct alpha_waves *w = &f->waves;
    size_t n = w->stride, lanes = w->lanes;
    for (size_t a = 0; a < 3; a++)
        alpha_powers(w->n, n, f->near.at + a * n, w->max[a], w->power[a]);
    for (size_t k = 0; k <= (size_t)w->max[2]; k++)
        for (size_t c = 0; c < 2; c++)
            for (size_t i = 0; i < w->n; i++)
                w->across[(2 * i + c) * lanes + k] = w->power[2][(2 * k + c) * n + i];
}

/* ---- a step */

static int new_cell(struct alpha_field *f, const struct alpha_cell *c, struct err *e)
{
    struct alpha_short_range *a = &f->near;
    if (alpha_field_reach(&f->means, a->n, &c->box, &f->reach, e))
        return -1;
    f->cell = c->box;
    double r3 = f->reach * f->reach * f->reach;
    a->cell = f->cell.ortho ? 1 : 2;
    memcpy(a->h, f->cell.h, sizeof a->h);
    a->r2 = f->reach * f->reach;
    a->terms = f->split->terms;
    for (int k = 0; k < a->terms; k++) {
        a->q[k] = f->split->q[k] / (r3 * a->r2);
        a->rho[k] = f->split->rho[k] / r3;
    }
    memcpy(f->own, c->own, sizeof f->own);
    if (f->means.plans)
        return alpha_mesh_cell(&f->mesh, &f->cell, f->reach, f->own) ? err_memory(e, "a mesh") : 0;
    return make_waves(f, e);
}

int alpha_sort(struct near_grid *g, size_t n, size_t stride, const double *at, const struct box *b,
               double reach)
{
    double wide[3];
    for (int a = 0; a < 3; a++) {
        g->pbc[a] = 1;
        g->high[a] = 1.0;
        wide[a] = box_width(b, a);
    }
    g->own_first = true;
    near_grid_fit(g, wide, reach, 2, 4.0 * (cbrt((double)n) + 1.0));
    g->cutoff = b->ortho ? reach * NEAR_SLACK : 0.0;
    if (near_grid_reserve(g, n))
        return -1;
    for (size_t i = 0; i < n; i++)
        g->cell[i] =
            (uint32_t)near_grid_cell(g, (double[]){at[i], at[stride + i], at[2 * stride + i]});
    near_grid_sort(g);
    return 0;
}

/* Returns the largest number of sites in the ranges of a cell. */
static size_t max_pairs(const struct near_grid *g)
{
    struct near_range r[ALPHA_RANGES];
    size_t max = 0;
    for (size_t k = 0; k < near_grid_cells(g); k++) {
        size_t ranges = near_grid_ranges(g, k, false, r), pairs = 0;
        for (size_t m = 0; m < ranges; m++)
            pairs += r[m].to - r[m].from;
        max = pairs > max ? pairs : max;
    }
    return max;
}

/* Sorts the sites into cell order. */
static int sort(struct alpha_field *f, struct err *e)
{
    size_t n = f->near.n, stride = f->near.stride;
    memcpy(f->nu, f->near.at, 3 * stride * sizeof *f->nu);
    if (alpha_sort(&f->cells, n, stride, f->nu, &f->cell, f->reach) ||
        short_range_room(f, max_pairs(&f->cells), near_grid_rows(&f->cells)))
        return err_memory(e, "cells of sites");
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < n; i++)
            f->near.at[k * stride + i] = f->nu[k * stride + f->cells.order[i]];
    memset(f->nu, 0, 9 * stride * sizeof *f->nu);
    return 0;
}

int alpha_field_place(struct alpha_field *f, const struct alpha_cell *c, const double *pos,
                      struct err *e)
{
    size_t n = f->near.n, stride = f->near.stride;
    if (f->split && memcmp(&c->box, &f->cell, sizeof f->cell) != 0 && new_cell(f, c, e)) {
        memset(&f->cell, 0, sizeof f->cell);
        return -1;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 3; k++) {
            const double *r = pos + 3 * i;
            double s = r[k];
            if (f->split) {
                s = box_fraction(&f->cell, r, k);
                s -= floor(s);
            }
            f->near.at[k * stride + i] = s;
        }
    if (f->means.plans)
        return sort(f, e);
    if (f->split)
        make_powers(f);
    return 0;
}

struct alpha_mesh *alpha_field_mesh(struct alpha_field *f, double *reach)
{
    *reach = f->reach;
    return f->means.plans ? &f->mesh : NULL;
}

/* Sets `out` to the product of `mu` and the tensor T of a site with itself. */
static void own_field(const struct alpha_field *f, const double *mu, double *out)
{
    size_t n = f->near.stride;
    for (size_t d = 0; d < 3; d++)
        for (size_t c = 0; c < 3; c++) {
            const double *m = mu + 3 * d * n;
            double x = f->own[c], y = f->own[c ? c + 2 : 1], z = f->own[c == 0 ? 2 : c + 3];
            for (size_t i = 0; i < n; i++)
                out[(3 * d + c) * n + i] = (x * m[i] + y * m[n + i]) + z * m[2 * n + i];
        }
}

/* Adds the contribution of the waves to `out`. Converts dipoles to components along the reciprocal
 * vectors, and fields back. */
static void by_waves(struct alpha_field *f, const double *mu, double *out)
{
    size_t n = f->near.stride;
    const double unit = 2.0 * UNITS_PI;
    const double(*inv)[3] = (const double(*)[3])f->cell.inv;
    for (size_t d = 0; d < 3; d++)
        for (size_t a = 0; a < 3; a++)
            for (size_t i = 0; i < n; i++)
                f->nu[(3 * d + a) * n + i] =
                    unit * ((inv[0][a] * mu[3 * d * n + i] + inv[1][a] * mu[(3 * d + 1) * n + i]) +
                            inv[2][a] * mu[(3 * d + 2) * n + i]);
    memset(f->field, 0, 9 * n * sizeof *f->field);
    SIMD_PICK(alpha_waves)(&f->waves, f->nu, f->field);
    for (size_t d = 0; d < 3; d++)
        for (size_t c = 0; c < 3; c++) {
            const double *u = f->field + 3 * d * n;
            for (size_t i = 0; i < n; i++)
                out[(3 * d + c) * n + i] +=
                    unit * ((inv[c][0] * u[i] + inv[c][1] * u[n + i]) + inv[c][2] * u[2 * n + i]);
        }
}

/* Sets `field` to T nu in cell order, without the interaction of a site with itself. */
static void by_mesh(struct alpha_field *f)
{
    size_t stride = f->near.stride, cells = near_grid_cells(&f->cells);
    struct near_range near[ALPHA_RANGES], row[ALPHA_RANGES];
    memset(f->field, 0, 9 * stride * sizeof *f->field);
    for (size_t k = 0; k < cells; k++) {
        size_t ranges = near_grid_ranges(&f->cells, k, false, near);
        for (size_t i = f->cells.start[k]; i < f->cells.start[k + 1]; i++) {
            size_t rows = 0;
            for (size_t m = 0; m < ranges; m++) {
                row[rows] = near[m];
                row[rows].from = near[m].from > i ? near[m].from : i + 1;
                rows += row[rows].from < row[rows].to;
            }
            SIMD_PICK(alpha_short_range_row)(&f->near, i, row, rows, f->nu, f->field);
        }
    }
    for (size_t d = 0; d < 9; d += 3)
        alpha_mesh_apply(&f->mesh, &(struct mesh_sites){f->near.n, stride, f->near.at},
                         f->nu + d * stride, f->scratch, f->field + d * stride);
}

void alpha_field_apply(struct alpha_field *f, const double *mu, double *out)
{
    size_t n = f->near.n, stride = f->near.stride;
    if (f->split)
        own_field(f, mu, out);
    else
        memset(out, 0, 9 * stride * sizeof *out);
    if (f->means.plans) {
        for (size_t k = 0; k < 9 * stride; k += stride)
            for (size_t i = 0; i < n; i++)
                f->nu[k + i] = mu[k + f->cells.order[i]];
        by_mesh(f);
        for (size_t k = 0; k < 9 * stride; k += stride)
            for (size_t i = 0; i < n; i++)
                out[k + f->cells.order[i]] += f->field[k + i];
        return;
    }
    if (f->split)
        by_waves(f, mu, out);
    for (size_t i = 0; i + 1 < n; i++) {
        struct near_range all = {i + 1, n};
        SIMD_PICK(alpha_short_range_row)(&f->near, i, &all, 1, mu, out);
    }
}
