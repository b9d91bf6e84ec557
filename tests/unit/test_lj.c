/* SPDX-License-Identifier: MIT */
/* Tests lj.h: both forms, force = -dE/dr, and the fixed-point force against the f64 force. */
#include <string.h>

#include "md/lj.h"
#include "tap.h"

static const double box[3] = {23.0, 29.0, 31.0};

static void forms(void)
{
    struct lj s = lj_make(LJ_SIGMA, 10.34, 3.4), m = lj_make(LJ_RMIN, 10.34, 3.8);
    double rm = 3.4 * pow(2.0, 1.0 / 6.0);
    tap_near(lj_energy(&s, 3.4 * 3.4), 0.0, 1e-12, "sigma form: zero at sigma");
    tap_near(lj_energy(&s, rm * rm), -10.34, 1e-12, "sigma form: -eps at 2^(1/6) sigma");
    tap_near(lj_energy(&m, 3.8 * 3.8), -10.34, 1e-12, "rmin form: -eps at rm");
    tap_near(lj_force_r(&m, 3.8 * 3.8), 0.0, 1e-12, "rmin form: no force at rm");
    struct lj same = lj_make(LJ_RMIN, 10.34, rm);
    tap_near(lj_energy(&same, 16.0) / lj_energy(&s, 16.0), 1.0, 1e-14,
             "both forms agree for rm = 2^(1/6) sigma");
    tap_near(lj_energy(&s, lj_core(&s, 0.0) * lj_core(&s, 0.0)), 1034.0, 1e-9,
             "core: 100 eps when cold");
    tap_near(lj_energy(&s, lj_core(&s, 100.0) * lj_core(&s, 100.0)), 4000.0, 1e-9,
             "core: 40 kT when hot");
}

static void derivative(enum lj_form form, const char *name)
{
    struct lj p = lj_make(form, 1.7, 1.1);
    double worst = 0.0;
    for (double r = 0.85; r < 3.5; r += 0.01) {
        double h = 1e-5, a = (r - h) * (r - h), b = (r + h) * (r + h);
        double slope = (lj_energy(&p, b) - lj_energy(&p, a)) / (2.0 * h);
        worst = tap_max(worst, fabs(-slope - lj_force_r(&p, r * r) * r) / (1.0 + fabs(slope)));
    }
    tap_near(worst, 0.0, 1e-7, name); /* h² U''' / 6 U' is below 2e-8 here */
}

static void shifts(void)
{
    struct lj plain = lj_make(LJ_SIGMA, 1.7, 1.1), p = plain;
    double rc = 2.4, h = 1e-5, worst = 0.0;
    lj_set_shift(&p, LJ_SHIFT_NONE, rc);
    tap_ok(lj_energy_cut(&p, 1.9) == lj_energy(&p, 1.9) &&
               lj_force_r_cut(&p, 1.9) == lj_force_r(&p, 1.9),
           "no shift: the same bits");
    lj_set_shift(&p, LJ_SHIFT_POTENTIAL, rc);
    tap_near(lj_energy_cut(&p, rc * rc), 0.0, 1e-15, "potential: U(rc) = 0");
    tap_ok(lj_force_r_cut(&p, 1.9) == lj_force_r(&p, 1.9), "potential: the same force");
    lj_set_shift(&p, LJ_SHIFT_FORCE, rc);
    tap_near(lj_energy_cut(&p, rc * rc), 0.0, 1e-15, "force: U(rc) = 0");
    tap_near(lj_force_r_cut(&p, rc * rc), 0.0, 1e-15, "force: F(rc) = 0");
    tap_near(lj_force_r_cut(&p, 1.44) * 1.2 - lj_force_r(&plain, 1.44) * 1.2,
             -lj_force_r(&plain, rc * rc) * rc, 1e-13, "force: less by F(rc) everywhere");
    for (double r = 1.0; r < 2.3; r += 0.01) {
        double a = (r - h) * (r - h), b = (r + h) * (r + h);
        double slope = (lj_energy_cut(&p, b) - lj_energy_cut(&p, a)) / (2.0 * h);
        worst = tap_max(worst, fabs(slope + lj_force_r_cut(&p, r * r) * r) / (1.0 + fabs(slope)));
    }
    tap_near(worst, 0.0, 1e-7, "force: it is -dE/dr"); /* of the difference: h² U'''/6 */
}

static void fixed(int periodic, enum lj_shift shift)
{
    struct lj p = lj_make(LJ_SIGMA, 10.34, 3.4);
    lj_set_shift(&p, shift, 11.0);
    struct lj_fixed f = lj_fixed_make(&p, box, periodic, 11.0, 7.7);
    double worst = 0.0;
    int odd = 0;
    for (double r = 2.7; r < 10.9; r += 0.013) {
        double d[3] = {0.6 * r, -0.64 * r, 0.48 * r}, at[3] = {20.0, 2.0, 17.0};
        int32_t x[3], fi[3] = {0}, fj[3] = {0};
        for (int k = 0; k < 3; k++)
            x[k] = (int32_t)((uint32_t)lj_fixed_pos(at[k] + (periodic ? d[k] : 0.5 * d[k] - 0.0),
                                                    f.pos_scale[k]) -
                             (uint32_t)lj_fixed_pos(at[k] - (periodic ? 0.0 : 0.5 * d[k]),
                                                    f.pos_scale[k]));
        lj_fixed_force(&f, x[0], x[1], x[2], fi);
        lj_fixed_force(&f, -x[0], -x[1], -x[2], fj);
        for (int k = 0; k < 3; k++) {
            double want = lj_force_r_cut(&p, r * r) * d[k];
            odd += fi[k] != -fj[k];
            worst = tap_max(worst, fabs(fi[k] * f.force_unit - want) /
                                       (fabs(lj_force_r_cut(&p, r * r) * r) + 0.1));
        }
    }
    /* r2 is accurate to 2^-23, its seventh power to 1e-6. The unit of force is 6e-6 meV/Å, against
     * 0.1. */
    tap_near(worst, 0.0, 6e-5, periodic ? "fixed point: periodic" : "fixed point: mirror walls");
    tap_ok(odd == 0, "fixed point: the third law holds exactly");
}

int main(void)
{
    forms();
    derivative(LJ_SIGMA, "sigma form: force = -dE/dr");
    derivative(LJ_RMIN, "rmin form: force = -dE/dr");
    shifts();
    fixed(1, LJ_SHIFT_NONE);
    fixed(0, LJ_SHIFT_NONE);
    fixed(1, LJ_SHIFT_FORCE);
    struct lj p = lj_make(LJ_SIGMA, 1.0, 1.0);
    struct lj_fixed f = lj_fixed_make(&p, box, 1, 2.5, 1.0);
    int32_t a[3] = {0}, b[3] = {0};
    lj_fixed_force(&f, 0, 0, 0, a);
    tap_ok(a[0] == 0 && a[1] == 0 && a[2] == 0,
           "fixed point: the same place gives no force, not a NaN");
    lj_fixed_force(&f, (int32_t)(0.3 * f.pos_scale[0]), 0, 0, b);
    tap_ok(b[0] > 0 && b[0] <= 1 << 30, "fixed point: capped inside of the core");
    tap_ok(lj_fixed_pos(23.0 * 5 + 4.0, f.pos_scale[0]) == lj_fixed_pos(4.0, f.pos_scale[0]),
           "fixed point: whole edges vanish");
    return tap_done();
}
