/* SPDX-License-Identifier: MIT */
/* box.h: defines the simulation cell and computes minimum images, with identical bits on CPU and
 * GPU. The rows of the matrix h are the cell vectors a, b and c in Å. Vectors are not wrapped along
 * a non-periodic axis. Fused multiply-add is not used, because CPU and GPU would then round
 * differently. In an orthorhombic cell, rounding of fractional coordinates gives the exact minimum
 * image. In a triclinic cell, rounding gives the minimum image only of distances below
 * box_half_width(), which are the only distances allowed. The method is described by Allen and
 * Tildesley, Computer Simulation of Liquids, section 1.6. */
#pragma once

#include <math.h>

#include "base/hd.h"
#include "base/units.h"

struct box {
    double h[3][3];   /* rows, Å; 0: no cell */
    double inv[3][3]; /* r has the fractional coordinates s_k = sum_a r_a inv[a][k] */
    int pbc[3];       /* 1: periodic along k */
    int ortho;        /* 1: h is diagonal or zero */
};

/* Returns the volume of the cell in Å³, or 0 without a cell. */
HD double box_volume(const struct box *b)
{
    const double(*h)[3] = b->h;
    return h[0][0] * (h[1][1] * h[2][2] - h[1][2] * h[2][1]) -
           h[0][1] * (h[1][0] * h[2][2] - h[1][2] * h[2][0]) +
           h[0][2] * (h[1][0] * h[2][1] - h[1][1] * h[2][0]);
}

/* Initialises b from the cell vectors in Å, which are the rows of `cell`, and from one periodicity
 * flag per vector. If all nine numbers are 0, there is no cell, and no axis may be periodic.
 * Returns 0, or -1 if the cell is not finite, has no volume, is left-handed, or is periodic without
 * a cell. */
HD int box_init(struct box *b, const double cell[9], const int pbc[3])
{
    double sum = 0.0;
    for (int k = 0; k < 9; k++) {
        b->h[k / 3][k % 3] = cell[k];
        b->inv[k / 3][k % 3] = 0.0;
        sum += fabs(cell[k]);
    }
    for (int k = 0; k < 3; k++)
        b->pbc[k] = pbc[k] != 0;
    b->ortho = cell[1] == 0 && cell[2] == 0 && cell[3] == 0 && cell[5] == 0 && cell[6] == 0 &&
               cell[7] == 0;
    if (sum == 0.0)
        return b->pbc[0] || b->pbc[1] || b->pbc[2] ? -1 : 0;
    double v = box_volume(b);
    if (!(v > 0.0) || !(sum < 1e300) || !(v < 1e300))
        return -1;
    if (b->ortho) {
        for (int k = 0; k < 3; k++) {
            if (!(b->h[k][k] > 0.0))
                return -1;
            b->inv[k][k] = 1.0 / b->h[k][k];
        }
        return 0;
    }
    const double(*h)[3] = b->h;
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++) {
            int a1 = (a + 1) % 3, a2 = (a + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            b->inv[a][k] = (h[k1][a1] * h[k2][a2] - h[k1][a2] * h[k2][a1]) / v;
        }
    return 0;
}

/* Computes the cell vectors, which are the rows of `cell`, from the edges in Å and the angles in
 * degrees. The angles are alpha (between b and c), beta (between a and c) and gamma (between a and
 * b). Vector a is along x, and vector b is in the xy plane. Returns 0, or -1 if no cell has the
 * given edges and angles. */
HD int box_from_edges(const double edge[3], const double angle[3], double cell[9])
{
    double cs[3], sg = 1.0;
    for (int k = 0; k < 9; k++)
        cell[k] = 0.0;
    for (int k = 0; k < 3; k++) {
        if (!(edge[k] > 0.0) || !(angle[k] > 0.0) || !(angle[k] < 180.0))
            return -1;
        cs[k] = angle[k] == 90.0 ? 0.0 : cos(angle[k] * (UNITS_PI / 180.0));
    }
    if (angle[2] != 90.0)
        sg = sin(angle[2] * (UNITS_PI / 180.0));
    double cy = (cs[0] - cs[1] * cs[2]) / sg, cz2 = 1.0 - cs[1] * cs[1] - cy * cy;
    if (!(cz2 > 0.0))
        return -1;
    cell[0] = edge[0];
    cell[3] = edge[1] * cs[2];
    cell[4] = edge[1] * sg;
    cell[6] = edge[2] * cs[1];
    cell[7] = edge[2] * cy;
    cell[8] = edge[2] * sqrt(cz2);
    return 0;
}

/* Returns the perpendicular width of the cell along cell vector k in Å: the volume divided by the
 * area of the face that the other two vectors span. */
HD double box_width(const struct box *b, int k)
{
    double s =
        b->inv[0][k] * b->inv[0][k] + b->inv[1][k] * b->inv[1][k] + b->inv[2][k] * b->inv[2][k];
    return s > 0.0 ? 1.0 / sqrt(s) : 0.0;
}

/* Returns half the smallest perpendicular width in Å along periodic axes, or HUGE_VAL if no axis is
 * periodic. */
HD double box_half_width(const struct box *b)
{
    double w = HUGE_VAL;
    for (int k = 0; k < 3; k++)
        if (b->pbc[k] && box_width(b, k) < w)
            w = box_width(b, k);
    return 0.5 * w;
}

/* Each function returns the integer nearest to x, or the even integer in a tie, for |x| < 2^22
 * (f32) or |x| < 2^51 (f64). Only additions and subtractions are used, which are fast on a GPU. */
HD float box_nint_f32(float x)
{
    return (x + 12582912.0f) - 12582912.0f;
}

HD double box_nint_f64(double x)
{
    return (x + 6755399441055744.0) - 6755399441055744.0;
}

/* Each function returns the minimum image of d, one component of a vector in an orthorhombic cell
 * with the edge `len` in Å. The argument `inv` is 1/len rounded to the type of d, or 0 for a
 * non-periodic axis. Between two positions in [0, len), the shift is exactly -1, 0 or 1 edges, so
 * that fused multiply-add gives identical bits. */
HD float box_image_f32(float d, float len, float inv)
{
    return d - len * box_nint_f32(d * inv);
}

HD double box_image_f64(double d, double len, double inv)
{
    return d - len * box_nint_f64(d * inv);
}

/* Replaces the vector d (in Å) by its minimum image. In a triclinic cell, the minimum image must be
 * shorter than box_half_width(). */
HD void box_image(const struct box *b, double d[3])
{
    if (b->ortho) {
        for (int k = 0; k < 3; k++)
            if (b->pbc[k])
                d[k] = box_image_f64(d[k], b->h[k][k], b->inv[k][k]);
        return;
    }
    double n[3];
    for (int k = 0; k < 3; k++)
        n[k] = b->pbc[k]
                   ? box_nint_f64(d[0] * b->inv[0][k] + d[1] * b->inv[1][k] + d[2] * b->inv[2][k])
                   : 0.0;
    for (int a = 0; a < 3; a++)
        d[a] = d[a] - (n[0] * b->h[0][a] + n[1] * b->h[1][a] + n[2] * b->h[2][a]);
}

/* The cell in single precision, for f32 positions. Non-periodic axes k have inv[][k] = 0. */
struct box_f32 {
    float h[3][3], inv[3][3];
};

HD void box_round_f32(const struct box *b, struct box_f32 *f)
{
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++) {
            f->h[a][k] = (float)b->h[a][k];
            f->inv[a][k] = b->pbc[k] ? (float)b->inv[a][k] : 0.0f;
        }
}

/* Replaces the vector (x, y, z) between two wrapped positions in a triclinic cell by its minimum
 * image. In an orthorhombic cell, call box_image_f32 for each component k with h[k][k] and
 * inv[k][k] instead. */
HD void box_image_tri_f32(const struct box_f32 *f, float *x, float *y, float *z)
{
    float n0 = box_nint_f32((*x * f->inv[0][0] + *y * f->inv[1][0]) + *z * f->inv[2][0]);
    float n1 = box_nint_f32((*x * f->inv[0][1] + *y * f->inv[1][1]) + *z * f->inv[2][1]);
    float n2 = box_nint_f32((*x * f->inv[0][2] + *y * f->inv[1][2]) + *z * f->inv[2][2]);
    *x = *x - ((n0 * f->h[0][0] + n1 * f->h[1][0]) + n2 * f->h[2][0]);
    *y = *y - ((n0 * f->h[0][1] + n1 * f->h[1][1]) + n2 * f->h[2][1]);
    *z = *z - ((n0 * f->h[0][2] + n1 * f->h[1][2]) + n2 * f->h[2][2]);
}

/* Sets c to the cross product of a and b. */
HD void box_cross(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; k++)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Returns the fractional coordinate of the vector r (in Å) along cell vector k. */
HD double box_fraction(const struct box *b, const double r[3], int k)
{
    return r[0] * b->inv[0][k] + r[1] * b->inv[1][k] + r[2] * b->inv[2][k];
}

/* Wraps the position r (in Å) into the cell, so that its fractional coordinates along the periodic
 * axes are in [0, 1). */
HD void box_wrap(const struct box *b, double r[3])
{
    double n[3];
    for (int k = 0; k < 3; k++)
        n[k] = b->pbc[k] ? floor(box_fraction(b, r, k)) : 0.0;
    for (int a = 0; a < 3; a++)
        r[a] = r[a] - (n[0] * b->h[0][a] + n[1] * b->h[1][a] + n[2] * b->h[2][a]);
}
