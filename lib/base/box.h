/* SPDX-License-Identifier: MIT */
/*
 * box.h: the simulation cell and the minimum image. Host and device.
 *
 * Lengths in Å. Rows of h are the cell vectors a, b, c. An axis that is not periodic uses plain
 * differences. Every operation is a single IEEE operation (no fused multiply-add), so host and
 * device round alike. Minimum image by rounding is exact for an orthorhombic cell; for a triclinic
 * cell it finds every image that is nearer than half the smallest perpendicular width
 * (box_half_width), which is the range callers must keep to. Source: Allen & Tildesley, Computer
 * Simulation of Liquids, 1.6.
 */
#ifndef MBF_BOX_H
#define MBF_BOX_H

#include <math.h>

#include "base/hd.h"
#include "base/units.h"

struct box {
    double h[3][3];   /* rows are cell vectors, Å; all zero: no cell (free boundaries) */
    double inv[3][3]; /* s_k = sum_a r_a inv[a][k] are the fractional coordinates of r */
    int pbc[3];       /* 1: periodic along cell vector k */
    int ortho;        /* 1: h is diagonal (also when there is no cell) */
};

/* Volume of the cell, Å³ (0 without a cell). */
HD double box_volume(const struct box *b)
{
    const double(*h)[3] = b->h;
    return h[0][0] * (h[1][1] * h[2][2] - h[1][2] * h[2][1]) -
           h[0][1] * (h[1][0] * h[2][2] - h[1][2] * h[2][0]) +
           h[0][2] * (h[1][0] * h[2][1] - h[1][1] * h[2][0]);
}

/*
 * Fill b from nine numbers (rows are vectors, Å) and three flags. All-zero cell means no cell; its
 * pbc must be 0. Returns 0, or -1 for a cell that is not finite, has no volume, is left-handed, or
 * is periodic without a cell.
 */
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

/* Cell vectors (rows, Å) from edges (Å) and angles (degrees) between b and c, a and c, a and b: a
 * along x, b in the xy plane. 0, or -1: no such cell. */
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

/* Perpendicular width of the cell along vector k, Å: volume over the area of the face of the other
 * two. */
HD double box_width(const struct box *b, int k)
{
    double s =
        b->inv[0][k] * b->inv[0][k] + b->inv[1][k] * b->inv[1][k] + b->inv[2][k] * b->inv[2][k];
    return s > 0.0 ? 1.0 / sqrt(s) : 0.0;
}

/* Half the smallest perpendicular width over the periodic axes, Å; HUGE_VAL when no axis is
 * periodic. */
HD double box_half_width(const struct box *b)
{
    double w = HUGE_VAL;
    for (int k = 0; k < 3; k++)
        if (b->pbc[k] && box_width(b, k) < w)
            w = box_width(b, k);
    return 0.5 * w;
}

/* Nearest integer for |x| < 2^22 (f32) and 2^51 (f64), ties to even: one addition each way, full
 * rate on a GPU. */
HD float box_nint_f32(float x)
{
    return (x + 12582912.0f) - 12582912.0f;
}

HD double box_nint_f64(double x)
{
    return (x + 6755399441055744.0) - 6755399441055744.0;
}

/*
 * Minimum image of one component in an orthorhombic cell. len: edge, Å; inv: 1/len rounded to the
 * type, or 0 for an axis that is not periodic. With both positions wrapped into [0, len) the shift
 * is -1, 0 or 1 edges and the product is exact, so that a fused form gives the same bits.
 */
HD float box_image_f32(float d, float len, float inv)
{
    return d - len * box_nint_f32(d * inv);
}

HD double box_image_f64(double d, double len, double inv)
{
    return d - len * box_nint_f64(d * inv);
}

/* Minimum image of a difference vector d (Å) in any cell, in place; see the head of this page for
 * its range. */
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

/* The same cell in single precision, for runs in f32; inv is 0 along an axis that is not periodic.
 */
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

/*
 * Minimum image of a difference (x, y, z) between two wrapped positions in a triclinic cell, in
 * place. (In an orthorhombic one use box_image_f32 with len = h[k][k] and inv = inv[k][k] for each
 * component.)
 */
HD void box_image_tri_f32(const struct box_f32 *f, float *x, float *y, float *z)
{
    float n0 = box_nint_f32((*x * f->inv[0][0] + *y * f->inv[1][0]) + *z * f->inv[2][0]);
    float n1 = box_nint_f32((*x * f->inv[0][1] + *y * f->inv[1][1]) + *z * f->inv[2][1]);
    float n2 = box_nint_f32((*x * f->inv[0][2] + *y * f->inv[1][2]) + *z * f->inv[2][2]);
    *x = *x - ((n0 * f->h[0][0] + n1 * f->h[1][0]) + n2 * f->h[2][0]);
    *y = *y - ((n0 * f->h[0][1] + n1 * f->h[1][1]) + n2 * f->h[2][1]);
    *z = *z - ((n0 * f->h[0][2] + n1 * f->h[1][2]) + n2 * f->h[2][2]);
}

/* Wrap a position (Å) into the cell along its periodic axes, in place: fractional coordinates in
 * [0, 1). */
HD void box_wrap(const struct box *b, double r[3])
{
    double n[3];
    for (int k = 0; k < 3; k++)
        n[k] = b->pbc[k] ? floor(r[0] * b->inv[0][k] + r[1] * b->inv[1][k] + r[2] * b->inv[2][k])
                         : 0.0;
    for (int a = 0; a < 3; a++)
        r[a] = r[a] - (n[0] * b->h[0][a] + n[1] * b->h[1][a] + n[2] * b->h[2][a]);
}

#endif
