/* SPDX-License-Identifier: MIT */
/* md_formulas.h: computes temperature, pressure, pressure tensor, the effect of the thermostat, and
 * the units of integer sums. Both md-cpu and md-gpu use md_formulas.h, so that their trajectories
 * are identical bit for bit. */
#pragma once

#include "base/units.h"
#include "md/md.h"

/* Returns the number of degrees of freedom of N atoms, which is 3N - 3 in a periodic box, where
 * momentum is conserved, and 3N between walls. */
static inline double md_dof(const struct md_params *p)
{
    double n = 3.0 * (double)p->natoms;
    return p->boundary == MD_PERIODIC && p->natoms > 1 ? n - 3.0 : n;
}

static inline double md_temperature(const struct md_params *p, const struct md_thermo *t)
{
    return 2.0 * t->kinetic / (md_dof(p) * p->kb);
}

/* Returns the pressure p = N kb T / V + W / (3 V), as energy per Å³. */
static inline double md_pressure(const struct md_params *p, const struct md_thermo *t)
{
    double volume = p->box[0] * p->box[1] * p->box[2];
    return ((double)p->natoms * p->kb * md_temperature(p, t) + t->virial / 3.0) / volume;
}

/* Adds the contribution of pairs beyond the cutoff to the energy, the virial and the virial tensor,
 * assuming that g(r) = 1 (Allen and Tildesley 2017, 2.8). The contribution to the energy is 2 pi N
 * rho int r² U dr, and to the virial 2 pi N rho int r² (-r U') dr. */
static inline void md_add_tail(const struct md_params *p, struct md_thermo *t)
{
    struct lj lj = lj_make(p->form, p->eps, p->sigma);
    double n = (double)p->natoms, rc3 = p->cutoff * p->cutoff * p->cutoff, rc9 = rc3 * rc3 * rc3;
    double k = 2.0 * UNITS_PI * n * (n / (p->box[0] * p->box[1] * p->box[2]));
    double w = k * (4.0 * lj.c12 / (3.0 * rc9) - 2.0 * lj.c6 / rc3);
    t->potential += k * (lj.c12 / (9.0 * rc9) - lj.c6 / (3.0 * rc3));
    t->virial += w;
    for (int a = 0; a < 3; a++)
        t->virial_ab[a] += w / 3.0;
}

/* Returns component k of the pressure tensor, in the order xx yy zz xy xz yz. The tensor is p_ab =
 * (3N/dof sum m v_a v_b + sum r_a F_b) / V (Irving and Kirkwood 1950). The pressure contains the
 * same factor 3N/dof and is therefore a third of the trace of the tensor. */
static inline double md_pressure_ab(const struct md_params *p, const struct md_thermo *t, int k)
{
    double volume = p->box[0] * p->box[1] * p->box[2];
    return (3.0 * (double)p->natoms / md_dof(p) * t->kinetic_ab[k] + t->virial_ab[k]) / volume;
}

static inline struct lj md_pair_of(const struct md_params *p)
{
    struct lj lj = lj_make(p->form, p->eps, p->sigma);
    lj_set_shift(&lj, p->shift, p->cutoff);
    return lj;
}

/* Returns the number of integer force units per unit of force, for the precision `double`. The
 * force of two atoms at the distance 0.95 lj_core is 2^50 to 2^51 integer units. */
static inline double md_force_scale(const struct md_params *p)
{
    struct lj lj = lj_make(p->form, p->eps, p->sigma);
    double core = 0.95 * lj_core(&lj, p->kb * p->temperature);
    double force = lj_force_r(&lj, core * core) * core * (p->sigma / p->eps);
    return exp2(floor(51.0 - log2(force))) * p->sigma / p->eps;
}

/* Returns the number s of integers per unit of v², so that s v² can be summed as integers. For v² =
 * 10^5 kT/m, s v² is at most 2^50 for one atom, and at most 2^59 summed over all atoms. */
static inline double md_v2_scale(const struct md_params *p)
{
    double kt = fmax(p->kb * p->temperature, 0.1 * p->eps);
    double max = log2(1e5 * kt / (p->mass * p->mvv2e)), n = log2((double)p->natoms);
    return exp2(floor(fmin(59.0 - n, 50.0) - max));
}

/* Returns md_v2_scale times the sum of v² over all atoms at the target temperature. */
static inline double md_v2_wanted(const struct md_params *p)
{
    return p->temperature * md_dof(p) * p->kb / (p->mass * p->mvv2e) * md_v2_scale(p);
}

/* Returns the velocity factor lambda of the Berendsen thermostat: lambda² = 1 + ratio (T0/T - 1)
 * with ratio = dt/tau. The sum of v² is v2, and `wanted` is the sum of v² at the target temperature
 * T0, so that T0/T is wanted/v2. */
HD double md_berendsen(double ratio, double wanted, long long v2)
{
    double s = 1.0 + ratio * (wanted / (double)v2 - 1.0);
    return v2 > 0 ? sqrt(s > 0.0 ? s : 0.0) : 1.0;
}
