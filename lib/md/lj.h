/* SPDX-License-Identifier: MIT */
/* lj.h: computes energy, force and virial of a Lennard-Jones pair, in double precision and in the
 * fixed-point form of the engines. Every operation is a single unfused IEEE operation, so host and
 * device round identically.
 *
 * The potential has two forms, from Dawid 2019 (equation 7) and Moskvin 2014 (equation 1):
 *   - In the sigma form, U = 4 eps [(sigma/r)^12 - (sigma/r)^6].
 *   - In the rmin form, U = eps [(rm/r)^12 - 2 (rm/r)^6].
 * In both forms, U = c12 / r^12 - c6 / r^6 for r < rc, and U = 0 for larger distances. Without a
 * shift, U and F are discontinuous at rc, as in LAMMPS lj/cut. If the potential is shifted, U
 * becomes U - U(rc), which does not change the motion (LAMMPS pair_modify shift yes). If the force
 * is shifted, F becomes F - F(rc), and U becomes U - U(rc) + F(rc) (r - rc), as in LAMMPS
 * lj/smooth/linear (Toxvaerd, Dyre 2011). */
#pragma once

#include <math.h>
#include <stdint.h>

#include "base/hd.h"

enum lj_form { LJ_SIGMA, LJ_RMIN };
enum lj_shift { LJ_SHIFT_NONE, LJ_SHIFT_POTENTIAL, LJ_SHIFT_FORCE };

struct lj {
    /* The depth eps is in meV and the length sigma in Å, or in other consistent units. For the rmin
     * form, `sigma` contains rm. */
    double eps, sigma;
    double c12, c6; /* eps Å^12, eps Å^6 */
    double u0, f1;  /* U + u0 + f1 r */
};

HD struct lj lj_make(enum lj_form form, double eps, double sigma)
{
    struct lj p;
    double s3 = sigma * sigma * sigma, s6 = s3 * s3;
    p.eps = eps;
    p.sigma = sigma;
    p.c12 = (form == LJ_SIGMA ? 4.0 : 1.0) * eps * s6 * s6;
    p.c6 = (form == LJ_SIGMA ? 4.0 : 2.0) * eps * s6;
    p.u0 = p.f1 = 0.0;
    return p;
}

/* Returns the energy of a pair at the squared distance r2, without cutoff and without shift. */
HD double lj_energy(const struct lj *p, double r2)
{
    double s = 1.0 / r2, s6 = s * s * s;
    return s6 * (p->c12 * s6 - p->c6);
}

/* Returns F/r = -U'(r)/r. The force on atom i is F/r times the vector r_i - r_j, and the virial of
 * the pair is F/r times r2. */
HD double lj_force_r(const struct lj *p, double r2)
{
    double s = 1.0 / r2, s6 = s * s * s;
    return s * s6 * (12.0 * p->c12 * s6 - 6.0 * p->c6);
}

HD void lj_set_shift(struct lj *p, enum lj_shift shift, double rc)
{
    p->f1 = shift == LJ_SHIFT_FORCE ? lj_force_r(p, rc * rc) * rc : 0.0;
    p->u0 = shift == LJ_SHIFT_NONE ? 0.0 : -lj_energy(p, rc * rc) - p->f1 * rc;
}

/* Return the energy and F/r with the shift, or without a shift the same bits as lj_energy and
 * lj_force_r. */
HD double lj_energy_cut(const struct lj *p, double r2)
{
    return lj_energy(p, r2) + (p->u0 + p->f1 * sqrt(r2));
}

HD double lj_force_r_cut(const struct lj *p, double r2)
{
    return lj_force_r(p, r2) - p->f1 / sqrt(r2);
}

/* Returns the distance at which U is the larger of 100 eps and 40 kT. In a stable run, no two atoms
 * come closer than lj_core. */
HD double lj_core(const struct lj *p, double kt)
{
    double u = 40.0 * kt > 100.0 * p->eps ? 40.0 * kt : 100.0 * p->eps;
    return pow((p->c6 + sqrt(p->c6 * p->c6 + 4.0 * p->c12 * u)) / (2.0 * p->c12), -1.0 / 6.0);
}

/* Contains the fixed-point form of the potential, for the precision `mixed`. Each component of a
 * position is a 32-bit fraction of the edge of the box. A periodic edge has 2^32 position units, so
 * that the wrapped integer difference of two positions is the minimum image. An edge between mirror
 * walls has 2^30 units. Pair forces are computed in f32 and rounded to integer multiples of 2^-bits
 * eps/sigma. A sum of integers does not depend on the order, so total forces depend only on the
 * positions, and not on lists, cells, threads or lanes. Newton's third law holds exactly. */
struct lj_fixed {
    float ratio[3]; /* length of a unit, relative to axis 0 */
    float num;      /* s = num / r2 */
    float rc2;      /* squared position units */
    float a12, a6;  /* for F/r */
    float a1;       /* for a shifted force */
    float cap;      /* largest F/r */
    int bits;
    double pos_scale[3]; /* position units per Å */
    double force_unit;   /* meV/Å per force unit */
};

/* Computes the fixed-point form of the shifted pair potential p. The force divided by r is s^4 (a12
 * s^3 - a6) - a1 s^(1/2), where s = num/r2 is (sigma/r)² times a constant near 1, which makes num a
 * power of two. The box edges are in Å, and `periodic` is 0 for mirror walls. At distances below
 * lj_core at the temperature kt, a limit keeps every pair force below 2^30 units. The engines stop
 * with an error long before a pair is closer than lj_core (md.h). */
HD struct lj_fixed lj_fixed_make(const struct lj *p, const double box[3], int periodic, double rc,
                                 double kt)
{
    struct lj_fixed f;
    double s3 = p->sigma * p->sigma * p->sigma, s6 = s3 * s3;
    double b12 = p->c12 / (p->eps * s6 * s6), b6 = p->c6 / (p->eps * s6);
    double r = lj_core(p, kt) / p->sigma, x = pow(r, -6.0),
           fmax = (12.0 * b12 * x * x - 6.0 * b6 * x) / r;
    f.bits = 30;
    while (f.bits > 0 && fmax * (double)((int64_t)1 << f.bits) > 1073741824.0)
        f.bits--;
    double one = (double)((int64_t)1 << f.bits);
    for (int k = 0; k < 3; k++) {
        f.pos_scale[k] = (periodic ? 4294967296.0 : 1073741824.0) / box[k];
        f.ratio[k] = (float)(f.pos_scale[0] / f.pos_scale[k]);
    }
    double sig = p->sigma * f.pos_scale[0]; /* in position units */
    double num = exp2(floor(2.0 * log2(sig)));
    double c = num / (sig * sig), c2 = c * c; /* s = c (sigma/r)² */
    f.num = (float)num;
    f.rc2 = (float)(rc * f.pos_scale[0] * (rc * f.pos_scale[0]));
    f.a12 = (float)(12.0 * b12 * one / (c2 * c2 * c2 * c) / sig);
    f.a6 = (float)(6.0 * b6 * one / (c2 * c2) / sig);
    f.a1 = (float)(p->f1 * (p->sigma / p->eps) * one / sqrt(c) / sig);
    f.cap = (float)(fmax / r * one / sig);
    f.force_unit = p->eps / p->sigma / one;
    return f;
}

/* Converts a coordinate r in Å to the nearest integer in position units, modulo 2^32. Ties are
 * rounded to even. The magnitude of r must be below 2^18 edges. */
HD int32_t lj_fixed_pos(double r, double pos_scale)
{
    return (int32_t)(uint32_t)(uint64_t)(int64_t)((r * pos_scale + 6755399441055744.0) -
                                                  6755399441055744.0);
}

HD int32_t lj_fixed_round(float x)
{
#ifdef __CUDA_ARCH__
    return __float2int_rn(x);
#else
    return (int32_t)rintf(x);
#endif
}

/* Adds the force of atom j on atom i, in force units, to fi[]. The position of i minus the position
 * of j is (dx, dy, dz), as wrapped 32-bit integers. The SIMD code and the device code must use the
 * same operations in the same order. Since num is a power of two, num / r2 is num times the
 * correctly rounded reciprocal. */
HD void lj_fixed_force(const struct lj_fixed *p, int32_t dx, int32_t dy, int32_t dz, int32_t fi[3])
{
    float x = (float)dx * p->ratio[0], y = (float)dy * p->ratio[1], z = (float)dz * p->ratio[2];
    float r2 = (x * x + y * y) + z * z;
    if (!(r2 < p->rc2))
        return;
    float s = p->num / r2, s3 = (s * s) * s;
    float f = (s * s3) * (p->a12 * s3 - p->a6);
    if (p->a1 != 0.0f)
        f = f - p->a1 * sqrtf(s);
    f = f < p->cap ? f : p->cap;
    fi[0] = (int32_t)((uint32_t)fi[0] + (uint32_t)lj_fixed_round(f * x));
    fi[1] = (int32_t)((uint32_t)fi[1] + (uint32_t)lj_fixed_round(f * y));
    fi[2] = (int32_t)((uint32_t)fi[2] + (uint32_t)lj_fixed_round(f * z));
}
