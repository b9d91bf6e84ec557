/* SPDX-License-Identifier: MIT */
#include "rdf/hist.h"

#include <float.h>
#include <string.h>

#include "base/real.h"

/* Finds the smallest and largest coordinates at one or two times, in Å. */
static void bounds(size_t natoms, int f32, const void *pos, const void *late, double lo[3],
                   double hi[3])
{
    for (int a = 0; a < 3; a++) {
        lo[a] = natoms ? DBL_MAX : 0.0;
        hi[a] = natoms ? -DBL_MAX : 0.0;
    }
    for (size_t i = 0; i < (late ? 6 : 3) * natoms; i++) {
        double x = i < 3 * natoms ? real_at(pos, !f32, i) : real_at(late, !f32, i - 3 * natoms);
        lo[i % 3] = x < lo[i % 3] ? x : lo[i % 3];
        hi[i % 3] = x > hi[i % 3] ? x : hi[i % 3];
    }
}

/* Returns the largest |coordinate| in Å along Cartesian axis a of wrapped positions in a triclinic
 * cell. */
static double triclinic_span(const struct box *b, int a, const double lo[3], const double hi[3])
{
    double span = 0.0;
    for (int k = 0; k < 3; k++) {
        double s = 1.0;
        if (!b->pbc[k]) {
            s = 0.0;
            for (int c = 0; c < 3; c++)
                s += fmax(fabs(lo[c]), fabs(hi[c])) * fabs(b->inv[c][k]);
        }
        span += fabs(b->h[k][a]) * s;
    }
    return 2.0 * span;
}

/* Returns the smallest power of two >= x. */
static double power_above(double x)
{
    int e;
    double m = frexp(x, &e);
    return ldexp(1.0, m == 0.5 ? e - 1 : e);
}

static void init_cell(struct hist_frame *f, int f32)
{
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 3; a++) {
            double h = f->box.h[k][a] * f->unit;
            h = f32 ? nearbyint(h) * f->grid : h;
            f->h[k][a] = f->box.pbc[k] ? h : 0.0;
            f->hinv[a][k] = f->box.pbc[k] ? f->box.inv[a][k] / f->scale : 0.0;
            f->f32.h[k][a] = (float)f->h[k][a];
            f->f32.inv[a][k] = (float)f->hinv[a][k];
        }
}

void hist_frame_init(struct hist_frame *f, const struct box *box, int bins, double rmax, int f32,
                     size_t natoms, const void *pos, const void *late)
{
    double span = 0.0, corner2 = 0.0, ext[3], lo[3] = {0.0}, hi[3] = {0.0};
    memset(f, 0, sizeof *f);
    f->box = *box;
    f->bins = bins;
    f->ortho = box->ortho;
    f->scale = bins / rmax;
    f->periodic = box->pbc[0] && box->pbc[1] && box->pbc[2];
    if (!f->periodic)
        bounds(natoms, f32, pos, late, lo, hi);
    for (int a = 0; a < 3; a++) {
        int free_axis = f->ortho && !box->pbc[a];
        f->origin[a] = free_axis ? lo[a] : 0.0;
        ext[a] = !f->ortho   ? triclinic_span(box, a, lo, hi)
                 : free_axis ? hi[a] - lo[a]
                             : box->h[a][a];
        span = fmax(span, ext[a] * f->scale);
    }
    f->grid = f32 ? power_above(fmax(span, 1e-30)) / 16777216.0 : 1.0;
    f->unit = f->scale / f->grid;
    f->quarter = (float)(0.25 * f->grid * f->grid);
    for (int a = 0; a < 3; a++) {
        double top = ext[a] * f->unit;
        f->top[a] = f32 ? nearbyint(top) : top;
        f->len[a] = f->top[a] * f->grid;
        f->inv[a] = f->ortho && box->pbc[a] ? 1.0 / f->len[a] : 0.0;
        f->lenf[a] = f->ortho && box->pbc[a] ? (float)f->len[a] : HIST_FAR;
        double reach = f->ortho && box->pbc[a] ? 0.5 * f->len[a] : f->len[a];
        corner2 += reach * reach;
    }
    f->closed = f->ortho && sqrt(corner2) <= bins * (1.0 + 0x1p-20);
    if (!f->ortho)
        init_cell(f, f32);
}

static int has_cell(const struct box *b)
{
    return b->h[0][0] != 0.0 || b->h[1][1] != 0.0 || b->h[2][2] != 0.0;
}

double hist_corner(const struct box *b)
{
    double sum = 0.0;
    if (!has_cell(b))
        return HUGE_VAL;
    if (!b->ortho)
        return box_half_width(b);
    for (int a = 0; a < 3; a++) {
        double x = b->pbc[a] ? 0.5 * b->h[a][a] : b->h[a][a];
        sum += x * x;
    }
    return sqrt(sum);
}

double hist_half(const struct box *b)
{
    double w = HUGE_VAL;
    if (!has_cell(b))
        return 0.0;
    if (b->pbc[0] || b->pbc[1] || b->pbc[2])
        return box_half_width(b);
    for (int k = 0; k < 3; k++)
        w = fmin(w, box_width(b, k));
    return 0.5 * w;
}
