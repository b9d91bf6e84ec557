/* SPDX-License-Identifier: MIT */
/* Tests box.h: images against a search over all neighbours, wrapping, and refused cells. */
#include <stdlib.h>
#include <string.h>

#include "base/box.h"
#include "tap.h"

static double uniform(double a, double b)
{
    return a + (b - a) * (rand() / (RAND_MAX + 1.0));
}

/* Returns the length of the shortest image of d from a search. */
static double shortest(const struct box *b, const double d[3])
{
    double best = HUGE_VAL;
    for (int i = -3; i <= 3; i++)
        for (int j = -3; j <= 3; j++)
            for (int k = -3; k <= 3; k++) {
                double r[3], n[3] = {b->pbc[0] ? i : 0, b->pbc[1] ? j : 0, b->pbc[2] ? k : 0};
                for (int a = 0; a < 3; a++)
                    r[a] = d[a] + n[0] * b->h[0][a] + n[1] * b->h[1][a] + n[2] * b->h[2][a];
                double r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
                best = r2 < best ? r2 : best;
            }
    return sqrt(best);
}

static double norm(const double d[3])
{
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* Returns the largest error of the length of the image over pairs of wrapped positions, for images
 * closer than half the width. */
static void test_images(const char *what, const double cell[9], const int pbc[3])
{
    struct box b;
    struct box_f32 f;
    double worst = 0, worst32 = 0, outside = 0;
    size_t near = 0;
    tap_ok(box_init(&b, cell, pbc) == 0, "%s: taken", what);
    box_round_f32(&b, &f);
    double half = box_half_width(&b);
    for (int n = 0; n < 3000; n++) {
        double p[3], q[3], d[3];
        for (int a = 0; a < 3; a++) {
            p[a] = uniform(-30, 30);
            q[a] = uniform(-30, 30);
        }
        box_wrap(&b, p);
        box_wrap(&b, q);
        for (int k = 0; k < 3; k++) {
            double s = p[0] * b.inv[0][k] + p[1] * b.inv[1][k] + p[2] * b.inv[2][k];
            if (b.pbc[k] && (s < -1e-12 || s > 1 + 1e-12))
                outside = s;
        }
        for (int a = 0; a < 3; a++)
            d[a] = p[a] - q[a];
        double want = shortest(&b, d);
        float x = (float)p[0] - (float)q[0], y = (float)p[1] - (float)q[1],
              z = (float)p[2] - (float)q[2];
        box_image_tri_f32(&f, &x, &y, &z);
        box_image(&b, d);
        if (want >= half * (1 - 1e-6) && !b.ortho)
            continue;
        double e = fabs(norm(d) - want),
               e32 = fabs(sqrt((double)x * x + (double)y * y + (double)z * z) - want);
        near++;
        worst = e > worst ? e : worst;
        worst32 = e32 > worst32 ? e32 : worst32;
    }
    tap_ok(near > 100 && worst < 1e-12, "%s: nearest image in double (%zu pairs, %.2g)", what, near,
           worst);
    tap_ok(worst32 < 3e-5, "%s: nearest image in f32 (%.2g Å)", what,
           worst32); /* roundings of 30 Å are 2e-6 each */
    tap_ok(outside == 0, "%s: wrapped into the cell", what);
}

int main(void)
{
    int all[3] = {1, 1, 1}, xy[3] = {1, 1, 0}, none[3] = {0, 0, 0};
    double cube[9] = {10, 0, 0, 0, 10, 0, 0, 0, 10}, slab[9] = {10, 0, 0, 0, 12, 0, 0, 0, 40};
    double tri[9] = {12, 0, 0, 3, 11, 0, -2, 4, 13}, skew[9] = {10, 0, 0, 4.9, 8, 0, 4.9, 3.9, 7},
           zero[9] = {0};
    struct box b;
    test_images("cube", cube, all);
    test_images("slab", slab, xy);
    test_images("triclinic", tri, all);
    test_images("strongly skewed", skew, all);
    test_images("triclinic slab", tri, xy);
    tap_ok(box_init(&b, zero, none) == 0 && b.ortho && box_volume(&b) == 0, "no cell: taken");
    tap_ok(isinf(box_half_width(&b)), "no cell: no half width");
    double d[3] = {50, -60, 70};
    box_image(&b, d);
    box_wrap(&b, d);
    tap_ok(d[0] == 50 && d[1] == -60 && d[2] == 70, "no cell: plain differences, nothing wrapped");
    tap_ok(box_init(&b, zero, xy) == -1, "refused: periodic without a cell");
    double left[9] = {0, 10, 0, 10, 0, 0, 0, 0, 10}, flat[9] = {1, 0, 0, 2, 0, 0, 0, 0, 1},
           nan[9] = {NAN, 0, 0, 0, 1, 0, 0, 0, 1};
    double turned[9] = {-10, 0, 0, 0, -10, 0, 0, 0, 10};
    tap_ok(box_init(&b, left, all) == -1, "refused: left-handed");
    tap_ok(box_init(&b, flat, all) == -1, "refused: flat");
    tap_ok(box_init(&b, nan, all) == -1, "refused: not a number");
    tap_ok(box_init(&b, turned, all) == -1, "refused: negative edges");
    box_init(&b, cube, all);
    tap_near(box_half_width(&b), 5, 1e-15, "half width of a cube");
    tap_near(box_volume(&b), 1000, 1e-12, "volume");
    float e = box_image_f32(9.5f, 10.0f, 0.1f);
    tap_ok(e == -0.5f && box_image_f32(-9.5f, 10.0f, 0.1f) == 0.5f &&
               box_image_f32(9.5f, 10.0f, 0.0f) == 9.5f,
           "one component: shifted, or left alone where the axis is open");
    return tap_done();
}
