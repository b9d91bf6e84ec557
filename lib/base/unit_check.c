/* SPDX-License-Identifier: MIT */
#include "base/unit_check.h"

#include <math.h>
#include <stdio.h>

#include "base/real.h"

#define DENSEST 1.0   /* atoms per Å³ */
#define LAYER 1.0     /* Å; a thinner cell holds a two-dimensional layer of atoms */
#define LONG_PS 5.0   /* atoms of a fluid move noticeably in this time */
#define STILL_A 0.6   /* root mean square displacement, Å */
#define FASTEST 200.0 /* highest plausible speed, Å/ps */

bool unit_check_cell(const struct box *b, size_t n, char *text, size_t capacity)
{
    double v = box_volume(b);
    for (int k = 0; k < 3 && v > 0.0; k++)
        if (!b->pbc[k] && box_width(b, k) <= LAYER) /* this vector replaces a vector that the file
                                                     * lacks */
            return false;
    for (int k = 0; k < 3 && v > 0.0; k++)
        v *= fmax(1.0, LAYER / box_width(b, k));
    if (!(v > 0.0) || (double)n <= DENSEST * v)
        return false;
    snprintf(text, capacity,
             "the density of %zu atoms in %.3g Å^3 is too high for any material (if the cell was "
             "given in nm, its edge in Å is %.4g)",
             n, box_volume(b), 10.0 * b->h[0][0]);
    return true;
}

bool unit_check_dt(const struct box *b, size_t n, bool f64, const void *before, const void *now,
                   double dt, char *text, size_t capacity)
{
    double sum = 0.0;
    if (isnan(dt))
        return false;
    for (size_t i = 0; i < n; i++) {
        double d[3];
        for (size_t k = 0; k < 3; k++)
            d[k] = real_at(now, f64, 3 * i + k) - real_at(before, f64, 3 * i + k);
        box_image(b, d);
        sum += d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    }
    double moved = sqrt(sum / (double)n);
    bool slow = moved > 0.0 && dt >= LONG_PS && moved<STILL_A, fast = moved> FASTEST * dt;
    if (slow)
        snprintf(text, capacity,
                 "atoms move only %.2g Å in %g ps, less than in any fluid (if dt was given in fs, "
                 "its value in ps is %g)",
                 moved, dt, dt / 1e3);
    else if (fast)
        snprintf(text, capacity,
                 "atoms move %.2g Å in %g ps, which is too fast for any material (if dt was given "
                 "in ns, its value in ps is %g)",
                 moved, dt, dt * 1e3);
    return slow || fast;
}
