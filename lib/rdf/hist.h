/* SPDX-License-Identifier: MIT */
/* hist.h: computes the histogram bin of a pair of atoms, with the same bits on host and device.
 *
 * In units of the bin width, rmax / bins, the bin of a pair is the integer part of its distance.
 *
 * Positions of f32 input are wrapped once in double precision (box_wrap), scaled to bin widths and
 * rounded to a grid. The grid spacing is a power of two, and the frame is at most 2^24 grid units
 * wide. Rounding to this grid therefore moves an atom no farther than rounding to f32 coordinates.
 * The edges of the cell are on the same grid. Differences of positions and shifts by an edge are
 * therefore exact in f32, and the distance depends neither on the order of two atoms nor on which
 * atom is shifted.
 *
 * With correctly rounded operations, the bin of a pair is (int) sqrt(r2). For f64, r2 is (dx*dx +
 * dy*dy) + dz*dz. For f32, r2 is fma(dx, dx, fma(dy, dy, fma(dz, dz, quarter))).
 *
 * The term `quarter`, a quarter of a squared grid unit, keeps the argument of the square root above
 * 0, and otherwise does not change the rounded result. On the grid, every product and sum of f32
 * values fits into 53 bits, so that a processor without fma gets the same bits in double precision
 * (hist_sq_f32). Input of type f64 is not rounded to a grid.
 *
 * A pair is counted if its distance is below rmax. If rmax is the largest possible distance in the
 * frame (member `closed`), every pair is counted, and a distance that rounds up to rmax is counted
 * in the last bin. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "base/hd.h"

#define HIST_MAX_BINS 1000000
#define HIST_FAR 1e30f /* for non-periodic axes */

/* Geometry of a frame, in units of the bin width unless a comment states another unit. */
struct hist_frame {
    struct box box;    /* Å */
    double origin[3];  /* Å, for non-periodic axes */
    double scale;      /* bin widths per Å */
    double unit, grid; /* There are `unit` grid units per Å, and `grid` bin widths per grid unit.
                        * For f64, unit = scale and grid = 1. */
    double top[3];     /* grid units */
    /* Edges of orthorhombic cells in f64 and their inverse, which is 0 along non-periodic axes. */
    double len[3], inv[3];
    /* Vectors of triclinic cells in f64 and their inverse, with columns 0 for non-periodic axes. */
    double h[3][3], hinv[3][3];
    float lenf[3];      /* edges in f32, or HIST_FAR */
    struct box_f32 f32; /* h and hinv in f32 */
    float quarter;      /* grid² / 4 */
    int ortho, closed, bins;
    int periodic;
};

/* Returns d*d + c with a single rounding. */
HD float hist_sq_f32(float d, float c)
{
#ifdef __CUDA_ARCH__
    return __fmaf_rn(d, d, c);
#elif defined(__FMA__) || defined(__aarch64__)
    return __builtin_fmaf(d, d, c);
#else
    return (float)((double)d * (double)d + (double)c); /* exact on the grid */
#endif
}

/* Returns the length of the minimum image of a difference d along an edge of length `len`. */
HD float hist_image_f32(float d, float len)
{
    float a = fabsf(d), b = len - a;
    return a < b ? a : b;
}

HD float hist_r2_f32(float dx, float dy, float dz, float quarter)
{
    return hist_sq_f32(dx, hist_sq_f32(dy, hist_sq_f32(dz, quarter)));
}

HD double hist_r2_f64(double dx, double dy, double dz)
{
    return (dx * dx + dy * dy) + dz * dz;
}

/* Replaces the vector (x, y, z) between two atoms by its minimum image in a triclinic cell. */
HD void hist_triclinic_f32(const struct hist_frame *f, float *x, float *y, float *z)
{
    box_image_tri_f32(&f->f32, x, y, z);
}

HD void hist_triclinic_f64(const struct hist_frame *f, double *x, double *y, double *z)
{
    double a = box_nint_f64((*x * f->hinv[0][0] + *y * f->hinv[1][0]) + *z * f->hinv[2][0]);
    double b = box_nint_f64((*x * f->hinv[0][1] + *y * f->hinv[1][1]) + *z * f->hinv[2][1]);
    double c = box_nint_f64((*x * f->hinv[0][2] + *y * f->hinv[1][2]) + *z * f->hinv[2][2]);
    *x = *x - ((a * f->h[0][0] + b * f->h[1][0]) + c * f->h[2][0]);
    *y = *y - ((a * f->h[0][1] + b * f->h[1][1]) + c * f->h[2][1]);
    *z = *z - ((a * f->h[0][2] + b * f->h[1][2]) + c * f->h[2][2]);
}

/* Wraps a position in Å into the cell of the frame, and converts it to units of the bin width. For
 * f32, the position is also rounded to the grid. */
HD void hist_place_f64(const struct hist_frame *f, const double pos[3], double out[3])
{
    double r[3] = {pos[0], pos[1], pos[2]};
    box_wrap(&f->box, r);
    for (int a = 0; a < 3; a++) {
        double k = (r[a] - f->origin[a]) * f->unit;
        if (f->ortho) /* stay inside */
            k = k >= 0.0 ? k <= f->top[a] ? k : f->top[a] : 0.0;
        out[a] = k;
    }
}

HD void hist_place_f32(const struct hist_frame *f, const float pos[3], float out[3])
{
    double r[3] = {pos[0], pos[1], pos[2]};
    hist_place_f64(f, r, r);
    for (int a = 0; a < 3; a++)
        out[a] = (float)(box_nint_f64(r[a]) * f->grid);
}

C_LINKAGE_BEGIN

/* Sets *f to the geometry of a frame, for a histogram with equal bins from 0 to rmax in Å. Set f32
 * if the positions are of type f32. The positions pos[natoms][3] in Å are needed only if an axis is
 * non-periodic, and otherwise may be NULL. For distances between two times, `late` contains the
 * positions at the later time, and the geometry covers the positions at both times. For distances
 * at a single time, `late` is NULL. */
void hist_frame_init(struct hist_frame *f, const struct box *box, int bins, double rmax, int f32,
                     size_t natoms, const void *pos, const void *late);

/* The function hist_corner returns the largest useful rmax for a cell, in Å. For an orthorhombic
 * cell, this rmax is sqrt(sum (L/2)²), with L in place of L/2 along non-periodic axes. For a
 * triclinic cell, rmax is half the smallest width. Without a cell, hist_corner returns HUGE_VAL.
 * The function hist_half returns half the smallest width in Å along the periodic axes, or along all
 * axes if no axis is periodic, and 0 without a cell. */
double hist_corner(const struct box *b);
double hist_half(const struct box *b);

C_LINKAGE_END
