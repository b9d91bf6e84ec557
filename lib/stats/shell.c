/* SPDX-License-Identifier: MIT */
#include "stats/shell.h"

#include <math.h>

#include "base/units.h"

static long double positive(long double x)
{
    return x > 0.0L ? x : 0.0L;
}

/* Returns the volume of the ball beyond the plane x = a, for a < r. */
static long double cap(long double r, long double a)
{
    return a < r ? UNITS_PI_L / 3.0L * (r - a) * (r - a) * (2.0L * r + a) : 0.0L;
}

/* Returns the volume of the ball beyond both planes x = a and y = b. The circular segments beyond b
 * are integrated over x (by parts). */
static long double wedge(long double r, long double a, long double b)
{
    long double c2 = r * r - a * a - b * b;
    if (c2 <= 0.0L)
        return 0.0L;
    long double c = sqrtl(c2);
    return 2.0L / 3.0L * (r * r * r * atan2l(r * c, a * b) + a * b * c) -
           (r * r - a * a / 3.0L) * a * atan2l(c, b) - (r * r - b * b / 3.0L) * b * atan2l(c, a);
}

/* Returns the volume common to a ball of radius r and the box |x| <= a, |y| <= b, |z| <= c around
 * its centre. */
static long double ball_box(long double r, long double a, long double b, long double c)
{
    if (r <= 0.0L)
        return 0.0L;
    if (r * r >= a * a + b * b + c * c)
        return 8.0L * a * b * c;
    return 4.0L / 3.0L * UNITS_PI_L * r * r * r - 2.0L * (cap(r, a) + cap(r, b) + cap(r, c)) +
           4.0L * (wedge(r, a, b) + wedge(r, b, c) + wedge(r, a, c));
}

/* Moments over one octant of ball and box, 0 <= x <= a and so on. With u = x², x dx = du/2. A
 * weight x then becomes a constant, so the integrals below are over truncated simplices. */

/* Returns the integral of (s - y² - z²) over y > b, z > 0 inside y² + z² < s. */
static long double beyond(long double s, long double b)
{
    if (s <= b * b)
        return 0.0L;
    long double c = sqrtl(s - b * b), arc = atan2l(c, b);
    return 2.0L / 3.0L * (3.0L * s * s * arc / 8.0L - b * c * (5.0L * s - 2.0L * b * b) / 8.0L);
}

/* Returns the integral of max(0, s - y² - z²) over 0 <= y <= b, 0 <= z <= c. */
static long double bowl(long double s, long double b, long double c)
{
    if (s <= 0.0L)
        return 0.0L;
    if (s >= b * b + c * c)
        return b * c * (s - (b * b + c * c) / 3.0L);
    return UNITS_PI_L * s * s / 8.0L - beyond(s, b) - beyond(s, c);
}

/* Returns the integral of x over the octant. */
static long double moment1(long double r, long double a, long double b, long double c)
{
    return 0.5L * (bowl(r * r, b, c) - bowl(r * r - a * a, b, c));
}

/* Returns the integral of max(0, s - z²)² over 0 <= z <= c. */
static long double quartic(long double s, long double c)
{
    if (s <= 0.0L)
        return 0.0L;
    long double m = s < c * c ? sqrtl(s) : c;
    return m * (s * s - m * m * (2.0L * s / 3.0L - m * m / 5.0L));
}

/* Returns the integral of x y over the octant. */
static long double moment2(long double r, long double a, long double b, long double c)
{
    long double s = r * r, a2 = a * a, b2 = b * b;
    return 0.125L *
           (quartic(s, c) - quartic(s - a2, c) - quartic(s - b2, c) + quartic(s - a2 - b2, c));
}

/* Returns the integral of x y z over the octant. */
static long double moment3(long double r, long double a, long double b, long double c)
{
    long double s = r * r, sum = 0.0L;
    for (int k = 0; k < 8; k++) {
        long double t =
            positive(s - (k & 1 ? a * a : 0.0L) - (k & 2 ? b * b : 0.0L) - (k & 4 ? c * c : 0.0L));
        sum += (k == 1 || k == 2 || k == 4 || k == 7 ? -1.0L : 1.0L) * t * t * t;
    }
    return sum / 48.0L;
}

long double shell_below(const struct box *b, double r)
{
    long double l[3], e[3], sum;
    for (int k = 0; k < 3; k++) {
        l[k] = b->h[k][k];
        e[k] = b->pbc[k] ? 0.5L * l[k] : l[k]; /* largest difference */
    }
    if ((long double)r * r >= e[0] * e[0] + e[1] * e[1] + e[2] * e[2])
        return 1.0L;
    sum = ball_box(r, e[0], e[1], e[2]) / 8.0L;
    for (int k = 0; k < 3; k++) {
        int m = (k + 1) % 3, n = (k + 2) % 3;
        if (!b->pbc[k])
            sum -= moment1(r, e[k], e[m], e[n]) / l[k];
        if (!b->pbc[k] && !b->pbc[m])
            sum += moment2(r, e[k], e[m], e[n]) / (l[k] * l[m]);
    }
    if (!b->pbc[0] && !b->pbc[1] && !b->pbc[2])
        sum -= moment3(r, e[0], e[1], e[2]) / (l[0] * l[1] * l[2]);
    return 8.0L * sum / (l[0] * l[1] * l[2]);
}

bool shell_known(const struct box *b)
{
    return box_volume(b) > 0.0 && (b->ortho || b->pbc[0] + b->pbc[1] + b->pbc[2] >= 2);
}

/* Returns the volume of a ball in which each slice at the distance |z| from its middle has the
 * weight 1 - |z|/w, or 0 beyond w. */
static long double ball_slab(long double r, long double w)
{
    long double z = r < w ? r : w, r2 = r * r, z2 = z * z;
    return 2.0L * UNITS_PI_L * (z * (r2 - z2 / 3.0L) - z2 * (0.5L * r2 - 0.25L * z2) / w);
}

void shell_expected(const struct box *b, size_t bins, double rmax, double *p)
{
    double v = box_volume(b);
    int axes = b->pbc[0] + b->pbc[1] + b->pbc[2], across = !b->pbc[0] ? 0 : !b->pbc[1] ? 1 : 2;
    long double dr = (long double)rmax / (long double)bins, below = 0.0L;
    for (size_t k = 0; k < bins; k++) {
        long double r0 = dr * (long double)k, r1 = dr * (long double)(k + 1);
        if (!shell_known(b)) {
            p[k] = NAN;
        } else if (!b->ortho && axes == 3) {
            p[k] = (double)(4.0L / 3.0L * UNITS_PI_L * dr * (r0 * r0 + r0 * r1 + r1 * r1) / v);
        } else {
            long double next = b->ortho ? shell_below(b, (double)r1)
                                        : ball_slab(r1, box_width(b, across)) / v,
                        d = next - below;
            p[k] = (double)positive(d);
            below = next;
        }
    }
}

/* Returns the area of the part of a disc of radius r that lies beyond the line x = a. */
static long double segment(long double r, long double a)
{
    return a < r ? r * r * acosl(a / r) - a * sqrtl(r * r - a * a) : 0.0L;
}

void shell_plane(const struct box *b, size_t bins, double rmax, double *p)
{
    int across = !b->pbc[0] ? 0 : !b->pbc[1] ? 1 : 2;
    long double dr = (long double)rmax / (long double)bins, below = 0.0L,
                area = box_volume(b) / box_width(b, across),
                x = 0.5L * b->h[(across + 1) % 3][(across + 1) % 3],
                y = 0.5L * b->h[(across + 2) % 3][(across + 2) % 3];
    for (size_t k = 0; k < bins; k++) {
        long double r = dr * (long double)(k + 1), disc = UNITS_PI_L * r * r;
        if (b->ortho)
            disc = r * r >= x * x + y * y ? area : disc - 2.0L * (segment(r, x) + segment(r, y));
        p[k] = (double)positive((disc - below) / area);
        below = disc;
    }
}

void shell_lecture(const struct box *b, size_t bins, double rmax, double *p)
{
    double v = box_volume(b), dr = rmax / (double)bins;
    for (size_t k = 0; k < bins; k++) {
        double r = ((double)k + 0.5) * dr;
        p[k] = v > 0.0 ? 4.0 * (double)UNITS_PI_L * r * r * dr / v : NAN;
    }
}
