/* SPDX-License-Identifier: MIT */
/* Compares exact pair probabilities in a box with known values and numerical integration. */
#include "stats/shell.h"
#include "tap.h"

#define PI 3.14159265358979323846

static struct box brick(double a, double b, double c, int px, int py, int pz)
{
    struct box x;
    const double cell[9] = {a, 0, 0, 0, b, 0, 0, 0, c};
    const int pbc[3] = {px, py, pz};
    box_init(&x, cell, pbc);
    return x;
}

/* Returns the probability of a distance below r from 200 x 200 midpoints in x and y, exact in z. */
static double integrate(const struct box *b, double r)
{
    enum { N = 200 };
    double e[3], sum = 0.0;
    for (int k = 0; k < 3; k++)
        e[k] = b->pbc[k] ? 0.5 * b->h[k][k] : b->h[k][k];
    for (int i = 0; i < N * N; i++) {
        double x = (i % N + 0.5) / N * e[0], y = (i / N + 0.5) / N * e[1],
               z2 = r * r - x * x - y * y;
        if (z2 <= 0.0)
            continue;
        double z = fmin(sqrt(z2), e[2]), wz = b->pbc[2] ? z : z - 0.5 * z * z / e[2];
        sum += (b->pbc[0] ? 1.0 : 1.0 - x / e[0]) * (b->pbc[1] ? 1.0 : 1.0 - y / e[1]) * wz;
    }
    return 8.0 * sum * e[0] * e[1] / (N * N) / (b->h[0][0] * b->h[1][1] * b->h[2][2]);
}

int main(void)
{
    struct box cube = brick(2, 2, 2, 1, 1, 1);
    tap_near((double)shell_below(&cube, 1.0), PI / 6.0, 1e-15, "the inscribed ball of a cube");
    tap_near((double)shell_below(&cube, sqrt(3.0)), 1.0, 0.0, "the corner is everything");
    tap_near((double)shell_below(&cube, 1e-3), 4.0 / 3.0 * PI * 1e-9 / 8.0, 1e-22, "a small ball");
    /* between L/2 and L/sqrt 2 the surface inside is 4 pi r (3a - 2r), a = L/2: its integral from 1
     * to 1.3 */
    double want = 4.0 * PI * (1.5 * (1.69 - 1.0) - 2.0 / 3.0 * (2.197 - 1.0)) / 8.0;
    tap_near((double)(shell_below(&cube, 1.3) - shell_below(&cube, 1.0)), want, 1e-15,
             "beyond the faces of a cube");
    for (int m = 0; m < 8; m++) {
        struct box b = brick(10, 13, 17, m & 1, m >> 1 & 1, m >> 2 & 1);
        double worst = 0.0;
        for (double r = 1.0; r < 27.0; r += 1.7)
            worst = tap_max(worst, fabs((double)shell_below(&b, r) - integrate(&b, r)));
        /* midpoint rule at the rim of the ball: about N^(-2) */
        tap_near(worst, 0.0, 2e-5,
                 "brick, every combination of periodic axes, against integration");
    }
    struct box sheet = brick(10, 13, 4, 1, 1, 0);
    double plane[82], inside = 0.0, off = 0.0;
    shell_plane(&sheet, 82, 8.2, plane); /* to the corner, 8.2006 */
    for (int k = 0; k < 82; k++) {
        enum { N = 1000 };
        int hits = 0;
        for (int i = 0; i < N * N; i++)
            hits += hypot((i % N + 0.5) / N * 5, (i / N + 0.5) / N * 6.5) < 0.1 * (k + 1);
        inside += plane[k];
        off = tap_max(off, fabs(inside - (double)hits / (N * N)));
    }
    /* midpoint rule at the rim of the disc: about N^(-3/2) */
    tap_near(off, 0.0, 4e-5, "a plane, beyond its edges, against integration");
    const double oblique[9] = {7, 3, 0, 0, 0, 5, 9, 1, 2};
    const int two[3] = {1, 1, 0};
    box_init(&sheet, oblique, two);
    shell_plane(&sheet, 1, 2.0, plane);
    tap_near(plane[0], PI * 4.0 / (5.0 * sqrt(58.0)), 1e-15, "an oblique plane");
    double p[50], sum = 0.0;
    struct box b = brick(7, 11, 13, 1, 1, 1);
    shell_expected(&b, 50, sqrt(49 + 121 + 169) / 2.0, p);
    for (int k = 0; k < 50; k++)
        sum += p[k];
    tap_near(sum, 1.0, 1e-14, "bins to the corner add up to 1");
    struct box none = brick(0, 0, 0, 0, 0, 0);
    shell_expected(&none, 50, 3.0, p);
    tap_ok(isnan(p[0]) && isnan(p[49]), "no cell, no expectation");
    const double tri[9] = {10, 0, 0, 3, 9, 0, 1, 2, 8};
    const int pbc[3] = {1, 1, 1};
    box_init(&b, tri, pbc);
    shell_expected(&b, 4, 2.0, p);
    tap_near(p[3], 4.0 / 3.0 * PI * (8.0 - 3.375) / 720.0, 1e-15,
             "triclinic: whole shells over the volume");

    /* a slab has the probability of an upright slab, however it leans; its width across counts, not
     * the edge */
    const double lean[9] = {10, 0, 0, 3, 13, 0, 4, -5, 3.5};
    const int slab[3] = {1, 1, 0}, rod[3] = {0, 0, 1};
    struct box upright = brick(10, 13, 3.5, 1, 1, 0);
    double q[50], worst = 0.0;
    box_init(&b, lean, slab);
    shell_expected(&b, 50, 4.0, p);
    shell_expected(&upright, 50, 4.0, q);
    for (int k = 0; k < 50; k++)
        worst = tap_max(worst, fabs(p[k] - q[k]) / q[k]);
    tap_near(worst, 0.0, 1e-12, "oblique slab: the shells of an upright one of its width");
    box_init(&b, lean, rod);
    shell_expected(&b, 50, 1.0, p);
    tap_ok(!shell_known(&b) && isnan(p[3]), "oblique rod: not known");
    shell_lecture(&cube, 10, 1.0, p);
    tap_near(p[4], 4.0 * PI * 0.45 * 0.45 * 0.1 / 8.0, 1e-16, "the lecture's mid-point shell");
    return tap_done();
}
