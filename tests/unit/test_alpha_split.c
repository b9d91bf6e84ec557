/* SPDX-License-Identifier: MIT */
/* alpha_split.h: the near part and the waves add up to Ewald's two sums (ewald.h), including the
 * trace and own images. */
#include <stdlib.h>
#include <string.h>

#include "alpha/alpha_split.h"
#include "pair/ewald.h"
#include "tap.h"

static double uniform(double a, double b)
{
    return a + (b - a) * (rand() / (RAND_MAX + 1.0));
}

/* Computes T by the split at R, in the order xx xy xz yy yz zz. */
static void split_sum(const struct alpha_split *s, const struct box *b, double reach,
                      const double d[3], double t[6])
{
    double n[3] = {d[0], d[1], d[2]}, kmax = s->cut / reach, volume = box_volume(b);
    int max[3];
    box_image(b, n);
    double r2 = n[0] * n[0] + n[1] * n[1] + n[2] * n[2], q = 0.0, rho = s->own, near = 0.0;
    if (r2 > 0.0 && r2 < reach * reach) {
        alpha_split_short_range(s, r2 / (reach * reach), &q, &rho);
        near = 1.0 / (r2 * r2 * sqrt(r2)) - q / pow(reach, 5.0);
    }
    rho = r2 < reach * reach ? rho / pow(reach, 3.0) : 0.0;
    for (int a = 0, k = 0; a < 3; a++)
        for (int c = a; c < 3; c++, k++)
            t[k] = (3.0 * n[a] * n[c] - (a == c ? r2 : 0.0)) * near + (a == c ? rho : 0.0);
    for (int a = 0; a < 3; a++)
        max[a] = (int)(kmax *
                       sqrt(b->h[a][0] * b->h[a][0] + b->h[a][1] * b->h[a][1] +
                            b->h[a][2] * b->h[a][2]) /
                       (2.0 * UNITS_PI)) +
                 1;
    for (int i = -max[0]; i <= max[0]; i++)
        for (int j = -max[1]; j <= max[1]; j++)
            for (int l = -max[2]; l <= max[2]; l++) {
                double k[3];
                mesh_vector(b, i, j, l, k);
                double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
                if (k2 == 0.0 || k2 > kmax * kmax)
                    continue;
                double w = -alpha_split_wave(s, k2, reach) / volume *
                           cos(k[0] * d[0] + k[1] * d[1] + k[2] * d[2]);
                for (int a = 0, m = 0; a < 3; a++)
                    for (int c = a; c < 3; c++, m++)
                        t[m] += w * k[a] * k[c];
            }
}

/* Computes the same T from the five components of ewald.h and the background. */
static void ewald_tensor(const struct box *b, const double d[3], double t[6])
{
    double q[BETA_NCOMPONENTS], third = 4.0 * UNITS_PI / (3.0 * box_volume(b));
    if (d[0] == 0.0)
        ewald_self(b->h, q);
    else
        ewald_sum(b->h, 0.0, d, q);
    double zz = q[BETA_ZZ], half = 1.5 * q[BETA_XX_YY];
    t[0] = half - 0.5 * zz + third;
    t[1] = 3.0 * q[BETA_XY];
    t[2] = 3.0 * q[BETA_XZ];
    t[3] = -half - 0.5 * zz + third;
    t[4] = 3.0 * q[BETA_YZ];
    t[5] = zz + third;
}

int main(void)
{
    static const double cells[][9] = {{23.03154, 0, 0, 0, 23.03154, 0, 0, 0, 23.03154},
                                      {11, 0, 0, 0, 14, 0, 0, 0, 29},
                                      {11, 0, 0, 3.5, 12, 0, -2, 4, 13}};
    static const int pbc[3] = {1, 1, 1};
    struct alpha_split s;
    alpha_split_waves(1e-12, 256, &s);
    printf("# C %g, waves to kR = %g, %d terms\n", s.shape, s.cut, s.terms);
    tap_ok(s.terms < ALPHA_SPLIT_TERMS && s.cut < 40.0, "a polynomial and waves that end");
    for (size_t c = 0; c < sizeof cells / sizeof *cells; c++) {
        struct box b;
        double worst = 0.0;
        tap_ok(box_init(&b, cells[c], pbc) == 0, "a cell");
        for (int k = 0; k < 40; k++) {
            double f[3], d[3], got[6], want[6];
            for (int a = 0; a < 3; a++)
                f[a] = k ? uniform(-1, 1) : 0.0;
            for (int a = 0; a < 3; a++)
                d[a] = f[0] * b.h[0][a] + f[1] * b.h[1][a] + f[2] * b.h[2][a];
            split_sum(&s, &b, box_half_width(&b) * (k % 2 ? 1.0 : 0.8), d, got);
            ewald_tensor(&b, d, want);
            for (int m = 0; m < 6; m++)
                worst = tap_max(worst, fabs(got[m] - want[m]));
        }
        printf("# worst %.3g / A^3\n", worst);
        /* measured 2e-8 to 6e-8, largest for a site and its own images */
        tap_ok(worst * box_volume(&b) < 2e-7, "near part and waves are the sum of all images");
    }
    return tap_done();
}
