/* SPDX-License-Identifier: MIT */
/* Compares the formula of the tail in g4_tail.h with random pairs. */
#include <stdlib.h>

#include "base/units.h"
#include "g4/g4_tail.h"
#include "tap.h"

static double uniform(void)
{
    static uint64_t x = 42;
    x = x * 6364136223846793005u + 1442695040888963407u;
    return (double)(x >> 11) * 0x1p-53;
}

static double gauss(void)
{
    double sum = 0.0;
    for (int k = 0; k < 12; k++)
        sum += uniform();
    return sum - 6.0;
}

static double taper(double r, double r1)
{
    double u = (r - r1) / (1.0 - r1);
    return u < 0 ? 1.0 : u > 1 ? 0.0 : 1.0 - u * u * u * (10.0 - 15.0 * u + 6.0 * u * u);
}

#define DRAWS 2000000
#define ERROR 0.01 /* three times the scatter of this number of draws */

/*
 * W = integral r² dr <P_2(cos of the angle between r and r') (1 - f f') / (r³ r'³)>: the mean over
 * directions of the product of a component at r and at r' = r + a Gaussian step of mean square d.
 */
static void drawn(double r1, double d, double from)
{
    struct g4_tail_law law;
    double sum = 0.0;
    g4_tail_law_make(r1, &law);
    for (int n = 0; n < DRAWS; n++) {
        double r = from / cbrt(1.0 - uniform()), v[3]; /* distributed with the density 3 from³/r⁴ */
        for (int k = 0; k < 3; k++)
            v[k] = gauss() * sqrt(d / 3.0) + (k == 0 ? r : 0.0);
        double s = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), c = v[0] / s;
        sum += 0.5 * (3.0 * c * c - 1.0) * (1.0 - taper(r, r1) * taper(s, r1)) * pow(r / s, 3.0);
    }
    double want = sum / DRAWS / (3.0 * from * from * from), got = g4_tail_law_at(&law, d);
    tap_ok(fabs(got / want - 1.0) < ERROR, "taper from %g, mean square %g: %.4f, drawn %.4f", r1, d,
           got, want);
}

int main(void)
{
    struct g4_tail_law law;
    g4_tail_law_make(0.9, &law);
    double first = g4_tail_law_at(&law, 0.0), y = G4_TAIL_END / G4_TAIL_TABLE;
    tap_near(first, split_tail(1.0, 0.9, 1.0) * 7.5 / UNITS_PI, 1e-12,
             "at rest: the tail of split.h");
    tap_ok(fabs(law.w[1] / first - 1.0) < 0.02 && law.w[4] > law.w[1],
           "it begins there, and grows: %.4f %.4f %.4f", first, law.w[1], law.w[4]);
    drawn(0.9, 0.0, 0.85);
    drawn(0.9, 0.02, 0.5);
    drawn(0.9, 0.06, 0.4);
    drawn(0.6, 0.06, 0.2);
    double far =
        2.0 / (9.0 * UNITS_PI) * sqrt(UNITS_PI) / 4.0 * pow(6.0, 1.5) / pow(G4_TAIL_END, 3.0);
    tap_ok(fabs(law.w[G4_TAIL_TABLE] / far - 1.0) < 0.1, "far apart: %.3e, by the first waves %.3e",
           law.w[G4_TAIL_TABLE], far);
    double d = 4.0 * G4_TAIL_END * G4_TAIL_END;
    tap_near(g4_tail_law_at(&law, d), law.w[G4_TAIL_TABLE] / 8.0, 1e-12,
             "and so on behind the table");
    tap_near(g4_tail_law_at(&law, y * y * 2.5), 0.5 * (law.w[1] + law.w[2]), 1e-12, "in between");
    return tap_done();
}
