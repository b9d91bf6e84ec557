/* SPDX-License-Identifier: MIT */
/* alpha_moments.h: computes the field of the permanent moments of one site at one point, on CPU and
 * GPU. The moments m[10] are in the order of alpha.h, the vector d points from the site to the
 * point, and the formulas are in alpha_permanent.h. */
#pragma once

#include "alpha/alpha_cell.h"
#include "alpha/alpha_split.h"

#define ALPHA_PERMANENT_ERROR 1e-12 /* smallest error of a split */

/* Chooses a split into pairs and waves whose error is small relative to the error of M. */
static inline void alpha_permanent_split(const struct alpha_params *p, struct alpha_split *s)
{
    double error = p->order == ALPHA_ALL ? 0.1 * p->tolerance : 0.0;
    alpha_split_waves(fmax(error, ALPHA_PERMANENT_ERROR), 1, s);
}

/* Adds the field of the moments m at d, with the factors b, g and h of alpha_permanent.h, to e. */
HD void alpha_moments_add(const double *m, const double d[3], double b, double g, double h,
                          double e[3])
{
    double t[3] = {(m[4] * d[0] + m[5] * d[1]) + m[6] * d[2],
                   (m[5] * d[0] + m[7] * d[1]) + m[8] * d[2],
                   (m[6] * d[0] + m[8] * d[1]) + m[9] * d[2]};
    double along = (m[0] * b + 3.0 * g * ((m[1] * d[0] + m[2] * d[1]) + m[3] * d[2])) +
                   h * ((t[0] * d[0] + t[1] * d[1]) + t[2] * d[2]);
    for (int c = 0; c < 3; c++)
        e[c] += (along * d[c] - b * m[1 + c]) - 2.0 * g * t[c];
}

/* Adds `sign` times the field of the waves and `bare` times the whole field of the moments m to e,
 * for the cut-off sqrt(r2). */
HD void alpha_moments_waves(const struct alpha_split *s, double r2, const double *m,
                            const double d[3], double sign, double bare, double e[3])
{
    double d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], v = 2.0 * (d2 / r2) - 1.0;
    double b = 0.0, g = 0.0, h = 0.0;
    if (v < 1.0) {
        double unit = 1.0 / (r2 * sqrt(r2)), q = 0.0, rho = 0.0, slope = 0.0;
        for (int k = s->terms - 1; k >= 0; k--) {
            slope = slope * v + q;
            q = q * v + s->q[k];
            rho = rho * v + s->rho[k];
        }
        g = sign * (q * (unit / r2));
        b = d2 * g + sign * (rho * unit);
        h = -4.0 * sign * (slope * (unit / (r2 * r2)));
    } else {
        bare += sign; /* The waves give the whole field. */
    }
    if (bare != 0.0) {
        double y = 1.0 / d2, b0 = y * sqrt(y);
        b += bare * b0;
        g += bare * (b0 * y);
        h += bare * (5.0 * b0 * (y * y));
    }
    alpha_moments_add(m, d, b, g, h, e);
}

/* Subtracts from e the part of the field of the waves that comes from a site of the same molecule.
 * If the site is beyond the cut-off but its nearest image is not, adds the short-range field of the
 * image. */
HD void alpha_moments_exclude(const struct alpha_split *s, double r2, const struct box *box,
                              const double *m, const double d[3], double e[3])
{
    double n[3] = {d[0], d[1], d[2]};
    alpha_moments_waves(s, r2, m, d, -1.0, 0.0, e);
    box_image(box, n);
    if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] >= r2 &&
        n[0] * n[0] + n[1] * n[1] + n[2] * n[2] < r2)
        alpha_moments_waves(s, r2, m, n, -1.0, 1.0, e);
}

/* Corrects the field e for the damping of all images of a site at the vector `at`, without the site
 * itself if `own` is set. */
HD void alpha_moments_damp(int thole, double a, const struct box *b, const double *m,
                           const double at[3], bool own, double reach, double size, double e[3])
{
    int first[3], last[3];
    if (!alpha_images(b, at, reach * size, first, last))
        return;
    for (int x = first[0]; x <= last[0]; x++)
        for (int y = first[1]; y <= last[1]; y++)
            for (int z = first[2]; z <= last[2]; z++) {
                double d[3], l3, l5;
                for (int c = 0; c < 3; c++)
                    d[c] = at[c] + x * b->h[0][c] + y * b->h[1][c] + z * b->h[2][c];
                double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], r = sqrt(r2), u = r / size;
                if (u > reach || (own && !x && !y && !z))
                    continue;
                alpha_undamped(thole, a, u, &l3, &l5);
                double v = thole == ALPHA_CUBIC ? a * u * u * u : a * u;
                double l7 =
                    l5 + exp(-v) * (thole == ALPHA_CUBIC ? 0.6 * v * v : v * v * v * v / 30.0);
                double r5 = r2 * r2 * r;
                alpha_moments_add(m, d, -l3 / (r2 * r), -l5 / r5, -5.0 * l7 / (r5 * r2), e);
            }
}
