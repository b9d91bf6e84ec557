/* SPDX-License-Identifier: MIT */
/* Compares beta.h with the tensor written out in long double. */
#include <stdlib.h>

#include "beta_plain.h"
#include "pair/pair.h"
#include "tap.h"

static double uniform(double a, double b)
{
    return a + (b - a) * (rand() / (RAND_MAX + 1.0));
}

/* Returns a component of sigma³ (3 r_a r_b - r² delta_ab) / r⁵ or a combination of components, with
 * the given prefactor (3 in the equation). */
static long double tensor(int component, double sigma, double prefactor, double x, double y,
                          double z)
{
    long double r[3] = {x, y, z}, r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2], t[3][3];
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            t[a][b] = (long double)sigma * sigma * sigma * (3 * r[a] * r[b] - (a == b ? r2 : 0)) /
                      (r2 * r2 * sqrtl(r2));
    long double v = component == BETA_XZ      ? t[0][2]
                    : component == BETA_XY    ? t[0][1]
                    : component == BETA_YZ    ? t[1][2]
                    : component == BETA_XX_YY ? (t[0][0] - t[1][1]) / 2
                                              : (2 * t[2][2] - t[0][0] - t[1][1]) / (2 * sqrtl(3));
    return v * prefactor / 3;
}

/* Compares the emulated fused operation with fma() of libm, for random numbers and for products
 * that are ties of float except for a tiny third operand. */
static void fused(void)
{
    long wrong = 0;
    for (int k = 0; k < 400000; k++) {
        float a = (float)(uniform(-2, 2) * exp2(floor(uniform(-70, 60)))),
              b = (float)uniform(-3, 3);
        float c = (float)(-(double)a * b *
                          (k & 1 ? uniform(0.5, 2) : uniform(-1, 1) * exp2(uniform(-60, 60))));
        float x = beta_fma_emulated(a, b, c), y = fmaf(a, b, c);
        wrong += memcmp(&x, &y, sizeof x) != 0;
    }
    for (int i = 1; i < 4096; i++)
        for (int sign = -1; sign < 2; sign++) {
            float a = 1.0f + (float)i / 4096, b = 1.0f + 1.0f / 4096, c = (float)sign * 0x1p-60f;
            float x = beta_fma_emulated(a, b, c), y = fmaf(a, b, c);
            wrong += x != y;
            x = beta_fma_emulated(-a, b, c), y = fmaf(-a, b, c);
            wrong += x != y;
        }
    tap_ok(
        !wrong,
        "the emulated a b + c has the bits of fmaf, ties and subnormal numbers too (%ld have not)",
        wrong);
}

/* Compares the switch with its formula as a function of r, and tests its ends. */
static void taper(void)
{
    struct beta_taper_f64 d;
    struct beta_taper_f32 f;
    double worst = 0, worst_f32 = 0;
    const double r1 = 6, r2 = 9;
    beta_taper_set(r1, r2, &d, &f);
    for (int k = 0; k < 20000; k++) {
        float x = (float)uniform(2, 9.5), rm5;
        double r = x, u = fmin(fmax((r - r1) / (r2 - r1), 0), 1);
        double want = 1 - u * u * u * (10 - 15 * u + 6 * u * u);
        double b = beta_f64(BETA_ZZ, 1, 0, 0, r, HUGE_VAL) * want;
        double e = pair_beta_f64(SUM_TAPERED, &d, NULL, BETA_ZZ, 1, 0, 0, r) - b;
        double e32 = (double)pair_beta_f32(SUM_TAPERED, &f, NULL, BETA_ZZ, 1, 0, 0, x) - b;
        worst = tap_max(worst, fabs(e) * r * r * r);
        worst_f32 = tap_max(worst_f32, fabs(e32) * r * r * r);
        if (r < r1)
            worst_f32 = beta_switch_f32(x * x, f.slope, f.shift, &rm5) == 1 ? worst_f32 : NAN;
    }
    tap_ok(worst < 1e-14 && worst_f32 < 3e-6, "taper in f64 (%.2g) and f32 (%.2g)", worst,
           worst_f32);
    tap_ok(pair_beta_f32(SUM_TAPERED, &f, NULL, BETA_ZZ, 1, 0, 0, 9.0001f) == 0 &&
               pair_beta_f64(SUM_TAPERED, &d, NULL, BETA_ZZ, 1, 0, 0, 9.0001) == 0,
           "beyond its end: 0");
    tap_ok(!isfinite(pair_beta_f32(SUM_TAPERED, &f, NULL, BETA_XZ, 1, 0, 0, 0)) &&
               !isfinite(pair_beta_f64(SUM_TAPERED, &d, NULL, BETA_XZ, 1, 0, 0, 0)),
           "tapered: r = 0 is not finite");
    beta_taper_set(0.7 * HUGE_VAL, HUGE_VAL, &d, &f);
    tap_ok(pair_beta_f32(SUM_TAPERED, &f, NULL, BETA_XZ, 1, 300, 4, 5) ==
                   beta_f32(BETA_XZ, 1, 300, 4, 5, HUGE_VALF) &&
               pair_beta_f64(SUM_TAPERED, &d, NULL, BETA_XZ, 1, 300, 4, 5) ==
                   beta_f64(BETA_XZ, 1, 300, 4, 5, HUGE_VAL),
           "without an end: beta");
    d = (struct beta_taper_f64){.rc2 = 50};
    f = (struct beta_taper_f32){.rc2 = 50};
    tap_ok(pair_beta_f32(SUM_NEAREST, &f, NULL, BETA_XZ, 1, 3, 4, 5) ==
                   beta_f32(BETA_XZ, 1, 3, 4, 5, 50) &&
               pair_beta_f64(SUM_NEAREST, &d, NULL, BETA_XZ, 1, 3, 4, 5) ==
                   beta_f64(BETA_XZ, 1, 3, 4, 5, 50) &&
               pair_beta_f32(SUM_NEAREST, &f, NULL, BETA_XZ, 1, 3, 4, 6) == 0,
           "of the nearest image: beta, up to its end");
}

int main(void)
{
    taper();
    static const char *const names[] = {BETA_NAMES};
    fused();
    double worst_rm5 = 0, worst_f32[BETA_NCOMPONENTS] = {0}, worst_f64[BETA_NCOMPONENTS] = {0};
    for (int k = 0; k < 200000; k++) {
        double r2 = exp(uniform(log(1e-2), log(1e5)));
        float f = (float)r2;
        double want = 1.0 / ((double)f * f * sqrt((double)f)), e = fabs(beta_rm5_f32(f) / want - 1);
        worst_rm5 = e > worst_rm5 ? e : worst_rm5;
    }
    tap_ok(worst_rm5 < 3.5e-7, "r^-5 in f32: relative error %.3g below the promised 3.5e-7",
           worst_rm5);
    for (int k = 0; k < 100000; k++) {
        float x = (float)uniform(-12, 12), y = (float)uniform(-12, 12), z = (float)uniform(-12, 12);
        double r2 = (double)x * x + (double)y * y + (double)z * z;
        for (int c = 0; c < BETA_NCOMPONENTS; c++) {
            long double want = tensor(c, 3.4, 2.5, x, y, z),
                        size = 39.304L * 2.5L / (r2 * sqrtl(r2));
            double coef = beta_coef(c, 3.4, 2.5);
            double e32 =
                fabs((double)((beta_f32(c, (float)coef, x, y, z, HUGE_VALF) - want) / size));
            double e64 = fabs((double)((beta_f64(c, coef, x, y, z, HUGE_VAL) - want) / size));
            worst_f32[c] = e32 > worst_f32[c] ? e32 : worst_f32[c];
            worst_f64[c] = e64 > worst_f64[c] ? e64 : worst_f64[c];
        }
    }
    for (int c = 0; c < BETA_NCOMPONENTS; c++) {
        /* r^-5 plus a few roundings of 6e-8 and 1e-16 */
        tap_ok(worst_f32[c] < 1.6e-6, "%s in f32 (%.3g)", names[c], worst_f32[c]);
        tap_ok(worst_f64[c] < 2e-15, "%s in f64 (%.3g)", names[c], worst_f64[c]);
    }
    tap_ok(beta_f32(BETA_XZ, 1, 3, 0, 4, 25) != 0, "a pair at the cutoff counts");
    tap_ok(beta_f32(BETA_XZ, 1, 3, 0, 4, 24.99f) == 0 && beta_f64(BETA_XZ, 1, 3, 0, 4, 24.99) == 0,
           "beyond it: 0");
    tap_ok(beta_f32(BETA_ZZ, 1, 1, 2, 3, 99) == beta_f32(BETA_ZZ, 1, -1, -2, -3, 99), "even in r");
    tap_ok(!isfinite(beta_f32(BETA_XZ, 1, 0, 0, 0, HUGE_VALF)) &&
               !isfinite(beta_f64(BETA_XZ, 1, 0, 0, 0, HUGE_VAL)),
           "r = 0 is not finite");
    return tap_done();
}
