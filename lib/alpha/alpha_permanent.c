/* SPDX-License-Identifier: MIT */
#include "alpha/alpha_permanent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alpha/alpha_mesh.h"
#include "alpha/alpha_moments.h"

#define SLACK (2 * ALPHA_LANES)

struct alpha_permanent_field {
    const struct alpha_params *p;
    const struct alpha_split *split; /* NULL if there are no images */
    struct alpha_short_range near;   /* the permanent sites, in the order of cells */
    struct near_grid cells;
    struct alpha_phases from, to;
    double *moment, *owner; /* [10 + 10][stride] of `near` and scratch; [npermanent] */
    double *scratch, *mem, *sum;
    struct alpha_rod *rod;
    struct box cell; /* cell of the rods */
    size_t lanes, rods;
    int charges; /* all moments are charges */
};

/* ---- memory */

static size_t stride_of(size_t n)
{
    return (n + SLACK - 1) / ALPHA_LANES * ALPHA_LANES;
}

/* Returns the radius of the short-range part for which the computation is fastest. If the radius is
 * half the width of a cube, the waves of a site take as long as WAVE_PAIRS pairs. */
#define WAVE_PAIRS 77.0
static double reach_of(const struct alpha_params *p, const struct box *cell)
{
    double n = (double)p->nsites, m = (double)p->npermanent;
    return box_half_width(cell) * fmin(1.0, pow(WAVE_PAIRS * (n + m) / (n * m), 1.0 / 6.0));
}

/* Allocates memory for the phases of the waves. */
static size_t doubles(const struct alpha_phases *p, const int max[3])
{
    return 2 * (size_t)(max[0] + max[1] + max[2] + 4) * p->stride;
}

double alpha_permanent_bytes(const struct alpha_params *p, const struct alpha_split *s,
                             const struct box *cell)
{
    struct alpha_phases f = {.stride = stride_of(p->npermanent)},
                        t = {.stride = stride_of(p->nsites)};
    double n = 30.0 * (double)f.stride + 9.0 * (double)t.stride;
    if (s && s->cut > 0.0) {
        int max[3];
        alpha_wave_max(s, cell, reach_of(p, cell), max);
        n += (double)(doubles(&f, max) + doubles(&t, max)) +
             4.0 * (max[0] + 1.0) * (max[1] + 1.0) * (max[2] + ALPHA_LANES);
    }
    return n * sizeof(double);
}

struct alpha_permanent_field *alpha_permanent_new(const struct alpha_params *p,
                                                  const struct alpha_split *s)
{
    struct alpha_permanent_field *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    size_t n = stride_of(p->npermanent);
    f->p = p;
    f->split = s;
    f->from = (struct alpha_phases){.n = p->npermanent, .stride = n};
    f->to = (struct alpha_phases){.n = p->nsites, .stride = stride_of(p->nsites)};
    f->moment = alpha_doubles(2 * ALPHA_MOMENTS * n);
    f->owner = alpha_doubles(n);
    f->scratch = alpha_doubles(3 * n + 6 * f->to.stride);
    f->near = (struct alpha_short_range){.n = p->npermanent,
                                         .stride = n,
                                         .r2 = HUGE_VAL,
                                         .at = alpha_doubles(3 * n),
                                         .owner = alpha_doubles(n)};
    if (!f->moment || !f->owner || !f->scratch || !f->near.at || !f->near.owner) {
        alpha_permanent_free(f);
        return NULL;
    }
    for (size_t j = 0; j < p->npermanent; j++)
        f->owner[j] = -1.0;
    for (size_t i = 0; i < p->nsites; i++)
        for (uint32_t j = p->own[i][0]; j < p->own[i][1]; j++)
            f->owner[j] = p->own[i][0];
    return f;
}

void alpha_permanent_free(struct alpha_permanent_field *f)
{
    if (!f)
        return;
    near_grid_free(&f->cells);
    free(f->near.at);
    free(f->near.owner);
    free(f->owner);
    free(f->moment);
    free(f->scratch);
    free(f->mem);
    free(f->sum);
    free(f->rod);
    free(f);
}

static double *phases(struct alpha_phases *p, const int max[3], double *mem)
{
    p->xy = mem;
    mem += 2 * p->stride;
    for (int a = 0; a < 3; a++) {
        p->max[a] = max[a];
        p->power[a] = mem;
        mem += 2 * ((size_t)max[a] + 1) * p->stride;
    }
    return mem;
}

/* Prepares the waves of a cell, unless the waves of the last step can be used. */
static int make_waves(struct alpha_permanent_field *f, const struct box *cell)
{
    double reach = reach_of(f->p, cell);
    int max[3];
    if (memcmp(cell, &f->cell, sizeof f->cell) == 0)
        return 0;
    alpha_wave_max(f->split, cell, reach, max);
    size_t rods = ((size_t)max[0] + 1) * (2 * (size_t)max[1] + 1);
    f->lanes = ((size_t)max[2] + ALPHA_LANES) / ALPHA_LANES * ALPHA_LANES;
    free(f->mem);
    free(f->sum);
    free(f->rod);
    f->mem = alpha_doubles(doubles(&f->from, max) + doubles(&f->to, max));
    f->sum = alpha_doubles((4 + 2 * rods) * f->lanes);
    f->rod = malloc(rods * sizeof *f->rod);
    f->rods = 0;
    if (!f->mem || !f->sum || !f->rod)
        return -1;
    (void)phases(&f->to, max, phases(&f->from, max, f->mem));
    for (int n0 = 0; n0 <= max[0]; n0++)
        for (int n1 = n0 ? -max[1] : 0; n1 <= max[1]; n1++) {
            struct alpha_rod r = {n0, n1, 0, f->sum + (4 + 2 * f->rods) * f->lanes};
            if (alpha_rod_weigh(f->split, cell, reach, max[2], f->lanes, &r))
                f->rod[f->rods++] = r;
        }
    f->cell = *cell;
    return 0;
}

/* ---- a step */

/* Copies the sites and their moments, in the order of cells if there are images. */
static int take(struct alpha_permanent_field *f, const struct box *cell, const double *pos,
                const struct alpha_permanent *from)
{
    size_t w = f->near.stride, v = f->to.stride;
    double *at = f->scratch;
    f->charges = 1;
    for (size_t i = 0; i < f->from.n; i++)
        for (size_t k = 0; k < 3; k++) {
            double s = f->split ? box_fraction(cell, from[i].at, (int)k) : from[i].at[k];
            at[k * w + i] = f->split ? s - floor(s) : s;
        }
    for (size_t i = 0; f->split && i < f->to.n; i++)
        for (size_t k = 0; k < 3; k++) {
            double s = box_fraction(cell, pos + 3 * i, (int)k);
            f->to.at[k * v + i] = s - floor(s);
        }
    if (f->split && alpha_sort(&f->cells, f->from.n, w, at, cell, sqrt(f->near.r2)))
        return -1;
    for (size_t i = 0; i < f->from.n; i++) {
        size_t j = f->split ? f->cells.order[i] : i;
        for (size_t k = 0; k < 3; k++)
            f->near.at[k * w + i] = at[k * w + j];
        for (size_t k = 0; k < ALPHA_MOMENTS; k++) {
            f->moment[k * w + i] = from[j].moment[k];
            f->charges &= k == 0 || from[j].moment[k] == 0.0;
        }
        f->near.owner[i] = f->owner[j];
    }
    return 0;
}

/* Converts the moments to units of the reciprocal vectors, for alpha_permanent_rod(). */
static void reciprocal(const struct alpha_permanent_field *f, const struct box *cell, double *to)
{
    static const size_t at[3][3] = {{4, 5, 6}, {5, 7, 8}, {6, 8, 9}};
    const double unit = 2.0 * UNITS_PI;
    size_t w = f->from.stride;
    for (size_t i = 0; i < f->from.n; i++) {
        const double *m = f->moment + i;
        to[i] = m[0];
        for (size_t a = 0, n = 4; a < 3 && !f->charges; a++) {
            to[(1 + a) * w + i] = 0.0;
            for (size_t c = 0; c < 3; c++)
                to[(1 + a) * w + i] += unit * cell->inv[c][a] * m[(1 + c) * w];
            for (size_t b = a; b < 3; b++, n++) {
                double sum = 0.0;
                for (size_t c = 0; c < 3; c++)
                    for (size_t d = 0; d < 3; d++)
                        sum += cell->inv[c][a] * cell->inv[d][b] * m[at[c][d] * w];
                to[n * w + i] = unit * unit / 3.0 * sum;
            }
        }
    }
}

/* Adds the field of all waves to out[3][stride]. */
static void waves(struct alpha_permanent_field *f, const struct box *cell, double *out)
{
    const double unit = 2.0 * UNITS_PI;
    size_t w = f->from.stride, v = f->to.stride;
    double *moment = f->moment + ALPHA_MOMENTS * w, *to = f->scratch + 3 * w + 3 * v;
    for (size_t a = 0; a < 3; a++) {
        alpha_powers(f->from.n, w, f->near.at + a * w, f->from.max[a], f->from.power[a]);
        alpha_powers(f->to.n, v, f->to.at + a * v, f->to.max[a], f->to.power[a]);
    }
    reciprocal(f, cell, moment);
    memset(to, 0, 3 * v * sizeof *to);
    for (size_t k = 0; k < f->rods; k++)
        SIMD_PICK(alpha_permanent_rod)
    (&f->rod[k], f->lanes, &f->from, &f->to, moment, f->charges, f->scratch, f->sum, to);
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < f->to.n; i++)
            out[c * v + i] += unit * ((cell->inv[c][0] * to[i] + cell->inv[c][1] * to[v + i]) +
                                      cell->inv[c][2] * to[2 * v + i]);
}

/* Sets the short-range part for the radius `reach`. */
static void set_reach(struct alpha_permanent_field *f, const struct box *cell, double reach)
{
    struct alpha_short_range *a = &f->near;
    double r3 = reach * reach * reach;
    a->cell = cell->ortho ? 1 : 2;
    memcpy(a->h, cell->h, sizeof a->h);
    a->r2 = reach * reach;
    a->terms = f->split->terms;
    a->even = (a->terms + 4) / 4 * 4;
    memset(a->p, 0, sizeof a->p);
    memset(a->q, 0, sizeof a->q);
    memset(a->slope, 0, sizeof a->slope);
    for (int k = 0; k < a->terms; k++) {
        double q = f->split->q[k] / (r3 * a->r2);
        a->q[k] = q;
        a->p[k] += f->split->rho[k] / r3 + 0.5 * a->r2 * q;
        a->p[k + 1] += 0.5 * a->r2 * q;
        if (k > 0)
            a->slope[k - 1] = k * q * (4.0 / a->r2);
    }
}

/* Corrects the field of site i for the sites of its molecule, and for the damping of all sites. */
static void correct(const struct alpha_permanent_field *f, const struct box *box, size_t i,
                    const double *at, double size, const struct alpha_permanent *from,
                    double sum[3])
{
    const struct alpha_params *p = f->p;
    size_t first = p->own[i][0], end = p->own[i][1];
    double reach = alpha_reach(p);
    if (reach == 0.0 && !f->split)
        return;
    for (size_t j = reach > 0.0 ? 0 : first; j < (reach > 0.0 ? p->npermanent : end); j++) {
        bool own = j >= first && j < end;
        double d[3] = {at[0] - from[j].at[0], at[1] - from[j].at[1], at[2] - from[j].at[2]};
        if (own && f->split)
            alpha_moments_exclude(f->split, f->near.r2, box, from[j].moment, d, sum);
        if (!own)
            box_image(box, d);
        if (reach > 0.0 && from[j].size > 0.0)
            alpha_moments_damp((int)p->thole, p->a, box, from[j].moment, d, own, reach,
                               sqrt(from[j].size * size), sum);
    }
}

int alpha_permanent_add(struct alpha_permanent_field *f, struct alpha_field *by,
                        const struct box *cell, const struct box *box, const double *pos,
                        const double *s, const struct alpha_permanent *from, double *out,
                        struct err *e)
{
    const struct alpha_params *p = f->p;
    size_t w = f->near.stride, v = f->to.stride;
    double reach = 0.0;
    struct alpha_mesh *mesh = alpha_field_mesh(by, &reach);
    struct near_range all[ALPHA_RANGES] = {{0, p->npermanent}};
    memset(out, 0, 3 * v * sizeof *out);
    f->to.at = f->scratch + 3 * w;
    if (f->split)
        set_reach(f, cell, mesh ? reach : reach_of(p, cell));
    if (f->split && !mesh && make_waves(f, cell))
        return err_memory(e, "waves");
    if (take(f, cell, pos, from))
        return err_memory(e, "cells of sites");
    if (mesh)
        alpha_mesh_permanent(mesh, &(struct mesh_sites){f->from.n, w, f->near.at},
                             &(struct mesh_sites){f->to.n, v, f->to.at}, f->moment, f->charges,
                             f->moment + ALPHA_MOMENTS * w, f->scratch + 3 * (w + v), out);
    else if (f->split)
        waves(f, cell, out);
    for (size_t i = 0; i < p->nsites; i++) {
        double sum[3] = {0.0, 0.0, 0.0}, at[3];
        bool owner = p->own[i][1] > p->own[i][0];
        size_t ranges = 1;
        for (size_t k = 0; k < 3; k++)
            at[k] = f->split ? f->to.at[k * v + i] : pos[3 * i + k];
        if (f->split)
            ranges = near_grid_ranges(&f->cells, near_grid_cell(&f->cells, at), false, all);
        SIMD_PICK(alpha_permanent_row)
        (&f->near, at, owner ? p->own[i][0] : -2.0, all, ranges, f->moment, f->charges, sum);
        correct(f, box, i, pos + 3 * i, alpha_size(s + ALPHA_TENSOR * i), from, sum);
        for (size_t k = 0; k < 3; k++) {
            out[k * v + i] += sum[k];
            if (!isfinite(sum[k]))
                return err_bad(e,
                               "site %zu (counted from 0) is at the same place as a charge, dipole "
                               "or quadrupole of another molecule",
                               i);
        }
    }
    return 0;
}
