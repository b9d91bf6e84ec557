/* SPDX-License-Identifier: MIT */
/*
 * hist.h: from two positions to the bin of a pair-distance histogram, with the same bits on host
 * and device.
 *
 * The unit of length is the bin width, rmax / bins, so the bin of a pair is the integer part of its
 * distance.
 *
 * Positions of f32 input are wrapped once in double (box_wrap), scaled to bin widths and rounded to
 * a grid. The grid is a power of two, fine enough for 2^24 grid units to span the frame, so it
 * moves an atom by no more than the f32 rounding of a coordinate of that size. Cell edges lie on
 * the same grid. Differences of positions and shifts by an edge are then exact in f32. The distance
 * does not depend on the order of two atoms, on which of them is shifted by an edge, or on when.
 * With correctly rounded operations,
 *
 *     f32   r2 = fma(dx, dx, fma(dy, dy, fma(dz, dz, quarter)))     bin = (int) sqrt(r2)
 *     f64   r2 = (dx*dx + dy*dy) + dz*dz                            bin = (int) sqrt(r2).
 *
 * Here quarter is a quarter of a squared grid unit. It keeps the argument of the square root above
 * 0 and is otherwise lost in rounding. On the grid every product and sum of f32 fits 53 bits, so a
 * processor without fma gets the same bits with double arithmetic (hist_sq_f32). Input in f64 is
 * not rounded to a grid.
 *
 * A pair counts if its distance is below rmax. If rmax is the longest distance that the frame
 * allows (`closed`), every pair counts, and a distance that rounds up to rmax goes to the last bin.
 */
#ifndef MBF_HIST_H
#define MBF_HIST_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "base/hd.h"

#define HIST_MAX_BINS 1000000
#define HIST_FAR 1e30f /* edge of a non-periodic axis: no image is ever nearer */

/* Geometry of one frame; lengths are in bin widths unless stated otherwise. */
struct hist_frame {
    struct box box;        /* Å */
    double origin[3];      /* Å: subtracted before scaling (non-periodic axes) */
    double scale;          /* bin widths per Å */
    double unit, grid;     /* f32: grid units per Å, bin widths per grid unit; f64: scale, 1 */
    double top[3];         /* largest coordinate, grid units */
    double len[3], inv[3]; /* orthorhombic, f64: edge and its inverse; inv 0: non-periodic */
    double h[3][3], hinv[3][3];  /* triclinic, f64: cell vectors, inverse (non-periodic: 0) */
    float lenf[3];               /* orthorhombic, f32: edge on the grid, or HIST_FAR */
    float hf[3][3], hinvf[3][3]; /* triclinic, f32 */
    float quarter;               /* grid² / 4 */
    int ortho, closed, bins;
    int periodic; /* 1: all three axes are */
};

/* One step of the summation of r2: d*d + c with a single rounding. */
HD float hist_sq_f32(float d, float c)
{
#ifdef __CUDA_ARCH__
    return __fmaf_rn(d, d, c);
#elif defined(__FMA__) || defined(__aarch64__)
    return __builtin_fmaf(d, d, c);
#else
    return (float)((double)d * (double)d + (double)c); /* exact in double on the grid */
#endif
}

/* Length of the minimum image of a difference along an orthorhombic axis. */
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

/* Replaces a difference by its minimum image in a triclinic cell. */
HD void hist_triclinic_f32(const struct hist_frame *f, float *x, float *y, float *z)
{
    float a = box_nint_f32((*x * f->hinvf[0][0] + *y * f->hinvf[1][0]) + *z * f->hinvf[2][0]);
    float b = box_nint_f32((*x * f->hinvf[0][1] + *y * f->hinvf[1][1]) + *z * f->hinvf[2][1]);
    float c = box_nint_f32((*x * f->hinvf[0][2] + *y * f->hinvf[1][2]) + *z * f->hinvf[2][2]);
    *x = *x - ((a * f->hf[0][0] + b * f->hf[1][0]) + c * f->hf[2][0]);
    *y = *y - ((a * f->hf[0][1] + b * f->hf[1][1]) + c * f->hf[2][1]);
    *z = *z - ((a * f->hf[0][2] + b * f->hf[1][2]) + c * f->hf[2][2]);
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

/* Wraps a position (Å), scales it and, for f32, rounds it to the grid; out is in bin widths and
 * never outside the box of the frame. */
HD void hist_place_f64(const struct hist_frame *f, const double pos[3], double out[3])
{
    double r[3] = {pos[0], pos[1], pos[2]};
    box_wrap(&f->box, r);
    for (int a = 0; a < 3; a++) {
        double k = (r[a] - f->origin[a]) * f->unit;
        if (f->ortho) /* rounding, or an extreme position, must not leave the histogram */
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

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the geometry of a frame for bins over [0, rmax) in Å. The flag f32 is 1 for f32 positions.
 * The positions pos [natoms][3], in Å, are read only if an axis is non-periodic, and may otherwise
 * be NULL. */
void hist_frame_init(struct hist_frame *f, const struct box *box, int bins, double rmax, int f32,
                     size_t natoms, const void *pos);

/* The function hist_corner returns the largest meaningful rmax of a cell in Å: the corner, sqrt(sum
 * (L/2)²), with L instead of L/2 along non-periodic axes; half the smallest width of a triclinic
 * cell; HUGE_VAL without a cell. The function hist_half returns half the smallest edge or width
 * (over periodic axes if there are any); 0 without a cell. */
double hist_corner(const struct box *b);
double hist_half(const struct box *b);

#ifdef __cplusplus
}
#endif

#endif
