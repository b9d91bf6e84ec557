/* SPDX-License-Identifier: MIT */
/* md_pair.cuh: computes the force of a pair on the device in both precisions, and integrates one
 * component of an atom. This header is for CUDA only.
 *
 * A precision P defines the types pos (staged data) and acc (integer sums of forces) and the
 * functions make(), pair() and count(). Both precisions sum integers, so totals do not depend on
 * the order. For the pair of an atom with itself, P::pair() adds exactly 0. */
#pragma once

#include "base/box.h"
#include "md/md_formulas.h"
#include "md/md_launch.h"

#define MD_DEV __device__ __forceinline__

/* Works like lj_fixed_pos. The last bits of the mantissa are the integer, modulo 2^32. */
MD_DEV int32_t lj_fixed_low(double r, double pos_scale)
{
    return __double2loint(r * pos_scale + 6755399441055744.0);
}

/* Integer totals of one lane over its pairs, where each pair is counted from both atoms. The struct
 * md_energy holds the totals of every sample. The struct md_tensor holds the tensor r_a F_b. */
struct md_energy {
    enum { BATCH = 1 }; /* number of words of a list read at once */
    long long u, w, pairs;
};
struct md_tensor {
    enum { BATCH = 1 };
    long long ab[6];
};

/* Returns the correctly rounded 1/x, if x and 1/x are normal numbers, or NaN if x is 0. The method
 * is the hardware estimate (1 ulp) and one Newton step with fused operations, as in the fast path
 * of __frcp_rn, but without the range check. */
MD_DEV float md_rcp(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return fmaf(y, fmaf(-x, y, 1.0f), y);
}

MD_DEV void md_count(const struct md_launch &j, const double *, double r2, struct md_energy *t)
{
    t->u += __double2ll_rn(lj_energy_cut(&j.lj, r2) * j.escale);
    t->w += __double2ll_rn(lj_force_r_cut(&j.lj, r2) * r2 * j.escale);
    t->pairs++;
}

/* Adds the products xx yy zz xy xz yz of the components of two vectors, times `scale`, to ab[]. */
MD_DEV void md_products(const double x[3], const double y[3], double scale, long long ab[6])
{
    ab[0] += __double2ll_rn(x[0] * y[0] * scale);
    ab[1] += __double2ll_rn(x[1] * y[1] * scale);
    ab[2] += __double2ll_rn(x[2] * y[2] * scale);
    ab[3] += __double2ll_rn(x[0] * y[1] * scale);
    ab[4] += __double2ll_rn(x[0] * y[2] * scale);
    ab[5] += __double2ll_rn(x[1] * y[2] * scale);
}

MD_DEV void md_count(const struct md_launch &j, const double d[3], double r2, struct md_tensor *t)
{
    double f = lj_force_r_cut(&j.lj, r2);
    const double fd[3] = {f * d[0], f * d[1], f * d[2]};
    md_products(fd, d, j.escale, t->ab);
}

/* Functions for mixed precision, with the same operations as lj_fixed_force. */
template <int KIND> struct md_mixed {
    typedef int4 pos; /* w is free for other use */
    typedef int32_t acc;
    enum { BYTES = 16 }; /* number of bytes passed on */

    static MD_DEV pos make(const struct md_launch &j, const double r[3], int w)
    {
        return make_int4(lj_fixed_low(r[0], j.fixed.pos_scale[0]),
                         lj_fixed_low(r[1], j.fixed.pos_scale[1]),
                         lj_fixed_low(r[2], j.fixed.pos_scale[2]), w);
    }
    /* Functions for one component and for all three components. */
    typedef int32_t scalar;
    static MD_DEV scalar component(double r, double pos_scale)
    {
        return lj_fixed_low(r, pos_scale);
    }
    /* Returns true if the force sum of an atom is far from overflow. */
    static MD_DEV bool soft(acc f)
    {
        return abs(f) < 1 << 29;
    }
    static MD_DEV pos join(scalar x, scalar y, scalar z)
    {
        return make_int4(x, y, z, 0);
    }
    /* Loads all 16 bytes at once, because two smaller loads would have bank conflicts. */
    static MD_DEV pos load(const pos *shared)
    {
        int4 p;
        asm volatile("ld.shared.v4.s32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(p.x), "=r"(p.y), "=r"(p.z), "=r"(p.w)
                     : "r"((unsigned)__cvta_generic_to_shared(shared)));
        return p;
    }
    static MD_DEV void diff(const struct md_launch &j, const pos &a, const pos &b, float d[3])
    {
        d[0] = (float)(int)((unsigned)a.x - (unsigned)b.x);
        d[1] = (float)(int)((unsigned)a.y - (unsigned)b.y);
        d[2] = (float)(int)((unsigned)a.z - (unsigned)b.z);
        if (!(KIND & MD_CUBIC)) {
            d[1] *= j.fixed.ratio[1];
            d[2] *= j.fixed.ratio[2];
        }
    }
    static MD_DEV float dist2(const struct md_launch &j, const pos &a, const pos &b)
    {
        float d[3];
        diff(j, a, b, d);
        return (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    }
    static MD_DEV void pair(const struct md_launch &j, const pos &a, const pos &b, acc f[3])
    {
        float d[3];
        diff(j, a, b, d);
        float r2 = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
        float s = j.fixed.num * md_rcp(r2), s3 = (s * s) * s;
        float e = (s * s3) * (j.fixed.a12 * s3 - j.fixed.a6);
        if (KIND & MD_SHIFTED)
            e = e - j.fixed.a1 * __fsqrt_rn(s);
        /* For an atom with itself, NaN becomes the cap, which is multiplied by 0. */
        e = fminf(e, j.fixed.cap);
        e = r2 < j.fixed.rc2 ? e : 0.0f;
        f[0] += __float2int_rn(e * d[0]);
        f[1] += __float2int_rn(e * d[1]);
        f[2] += __float2int_rn(e * d[2]);
    }
    template <class SUM>
    static MD_DEV void count(const struct md_launch &j, const pos &a, const pos &b, SUM *t)
    {
        if (!(dist2(j, a, b) < j.fixed.rc2))
            return;
        double x = (double)(int)((unsigned)a.x - (unsigned)b.x) / j.fixed.pos_scale[0];
        double y = (double)(int)((unsigned)a.y - (unsigned)b.y) / j.fixed.pos_scale[1];
        double z = (double)(int)((unsigned)a.z - (unsigned)b.z) / j.fixed.pos_scale[2];
        const double d[3] = {x, y, z};
        md_count(j, d, (x * x + y * y) + z * z, t);
    }
    static MD_DEV acc select(const acc f[3], int c)
    {
        return c == 0 ? f[0] : c == 1 ? f[1] : f[2];
    }
};

struct alignas(16) md_double4 {
    double x, y, z;
    long long w;
};

/* Functions for double precision. Forces of pairs are computed in f64 from f64 differences, and
 * rounded to 64-bit integer multiples of 1/fscale. */
struct md_f64 {
    typedef struct md_double4 pos;
    typedef long long acc;
    enum { BYTES = 24 };

    static MD_DEV pos make(const struct md_launch &, const double r[3], int w)
    {
        pos p = {r[0], r[1], r[2], w};
        return p;
    }
    typedef double scalar;
    static MD_DEV scalar component(double r, double)
    {
        return r;
    }
    static MD_DEV bool soft(acc f)
    {
        return llabs(f) <= 1ll << 51;
    }
    static MD_DEV pos join(scalar x, scalar y, scalar z)
    {
        pos p = {x, y, z, 0};
        return p;
    }
    static MD_DEV pos load(const pos *shared)
    {
        return *shared;
    }
    static MD_DEV double diff(const struct md_launch &j, const pos &a, const pos &b, double d[3])
    {
        d[0] = box_image_f64(a.x - b.x, j.box[0], j.inv[0]);
        d[1] = box_image_f64(a.y - b.y, j.box[1], j.inv[1]);
        d[2] = box_image_f64(a.z - b.z, j.box[2], j.inv[2]);
        return (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    }
    static MD_DEV float dist2(const struct md_launch &j, const pos &a, const pos &b)
    {
        double d[3], s = j.fixed.pos_scale[0]; /* in units², as in md_mixed */
        return (float)(diff(j, a, b, d) * s * s);
    }
    static MD_DEV void pair(const struct md_launch &j, const pos &a, const pos &b, acc f[3])
    {
        double d[3], r2 = diff(j, a, b, d);
        if (!(r2 < j.rc2) || r2 == 0.0)
            return;
        double e = j.lj.f1 != 0.0 ? lj_force_r_cut(&j.lj, r2) : lj_force_r(&j.lj, r2);
        f[0] += __double2ll_rn(e * d[0] * j.fscale);
        f[1] += __double2ll_rn(e * d[1] * j.fscale);
        f[2] += __double2ll_rn(e * d[2] * j.fscale);
    }
    template <class SUM>
    static MD_DEV void count(const struct md_launch &j, const pos &a, const pos &b, SUM *t)
    {
        double d[3], r2 = diff(j, a, b, d);
        if (r2 < j.rc2)
            md_count(j, d, r2, t);
    }
    static MD_DEV acc select(const acc f[3], int c)
    {
        return c == 0 ? f[0] : c == 1 ? f[1] : f[2];
    }
};

/* Moves one component. Walls reflect position and velocity (md.h). Returns true if the displacement
 * was within bounds. */
MD_DEV bool md_move(const struct md_launch &j, double &r, double &v, double len)
{
    double d = v * j.dt;
    r = r + d;
    if (j.mirror) {
        if (r < 0.0) {
            r = -r;
            v = -v;
        } else if (r > len) {
            r = 2.0 * len - r;
            v = -v;
        }
    }
    return fabs(d) <= j.max_move;
}

/* Wraps a coordinate into [0, len) along a periodic axis. The result stays in this range when it is
 * rounded to the type of the sample. */
template <class T> MD_DEV T md_wrapped(double r, double len, double inv)
{
    double w = inv != 0.0 ? r - len * floor(r * inv) : r;
    T t = (T)w;
    return inv != 0.0 && (t < (T)0 || t >= (T)len) ? (T)0 : t;
}

/* Writes component `axis` of an atom to the element `at` of a frame. */
MD_DEV void md_put(const struct md_launch &j, size_t at, double r, double v, int axis)
{
    bool moving = j.want & MD_WANT_VELOCITIES;
    if (j.want & MD_WANT_F32) {
        ((float *)j.pos)[at] = md_wrapped<float>(r, j.box[axis], j.inv[axis]);
        if (moving)
            ((float *)j.vel)[at] = (float)v;
    } else {
        ((double *)j.pos)[at] = md_wrapped<double>(r, j.box[axis], j.inv[axis]);
        if (moving)
            ((double *)j.vel)[at] = v;
    }
}

MD_DEV void md_report(const struct md_launch &j, long long step, unsigned kind)
{
    atomicMin(&j.trouble->step, (unsigned long long)step + 1ull);
    atomicOr(&j.trouble->kind, kind);
}

/* Returns v² of an atom as an integer. */
MD_DEV long long md_v2(const struct md_launch &j, const double v[3])
{
    return __double2ll_rn(((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]) * j.v2scale);
}

/* Returns the sum over a warp. Every lane gets the result. */
template <class T> MD_DEV T md_warp_sum(T x, int lanes = 32)
{
    for (int o = lanes >> 1; o; o >>= 1)
        x += __shfl_xor_sync(~0u, x, o);
    return x;
}

/* Returns the sum over each group of `lanes` lanes. For a whole warp of 32-bit integers, this takes
 * a single instruction on devices that have such an instruction. */
MD_DEV int32_t md_group_sum(int32_t x, int lanes)
{
#if __CUDA_ARCH__ >= 800
    if (lanes == 32)
        return __reduce_add_sync(~0u, x);
#endif
#pragma unroll
    for (int o = 16; o; o >>= 1)
        if (o < lanes)
            x += __shfl_xor_sync(~0u, x, o);
    return x;
}

MD_DEV long long md_group_sum(long long x, int lanes)
{
    return md_warp_sum(x, lanes);
}

/* Returns the sum over a warp of 64-bit integers from 0 to 2^59. */
MD_DEV long long md_warp_total(long long x)
{
#if __CUDA_ARCH__ >= 800
    unsigned lo = (unsigned)x & 0x7ffffff, mid = (unsigned)(x >> 27) & 0x7ffffff,
             hi = (unsigned)(x >> 54);
    return (long long)__reduce_add_sync(~0u, lo) + ((long long)__reduce_add_sync(~0u, mid) << 27) +
           ((long long)__reduce_add_sync(~0u, hi) << 54);
#else
    return md_warp_sum(x);
#endif
}

/* Adds the contributions x[n] of a warp to the totals t[n]. */
MD_DEV void md_add(long long *t, const long long *x, int n)
{
    for (int k = 0; k < n; k++) {
        long long sum = md_warp_sum(x[k]);
        if ((threadIdx.x & 31) == 0)
            atomicAdd((unsigned long long *)t + k, (unsigned long long)sum);
    }
}

/* Adds the contributions of the atoms of a warp to the totals, from the velocities v of atoms with
 * `counts` set. If `stress` is set, includes the products of components. */
MD_DEV void md_add_atoms(const struct md_launch &j, long long *t, bool counts, const double v[3],
                         bool stress)
{
    long long x[4] = {counts ? md_v2(j, v) : 0, counts ? __double2ll_rn(v[0] * j.vscale) : 0,
                      counts ? __double2ll_rn(v[1] * j.vscale) : 0,
                      counts ? __double2ll_rn(v[2] * j.vscale) : 0};
    md_add(t + MD_T_V2, x, 4);
    if (stress) {
        long long ab[6] = {0};
        if (counts)
            md_products(v, v, j.v2scale, ab);
        md_add(t + MD_T_VV, ab, 6);
    }
}

/* Adds the contributions of pairs to the totals. */
MD_DEV void md_add_pairs(long long *t, bool counts, const struct md_energy &e)
{
    long long x[3] = {counts ? e.u : 0, counts ? e.w : 0, counts ? e.pairs : 0};
    md_add(t + MD_T_U, x, 3);
}

MD_DEV void md_add_pairs(long long *t, bool counts, const struct md_tensor &e)
{
    long long x[6];
    for (int k = 0; k < 6; k++)
        x[k] = counts ? e.ab[k] : 0;
    md_add(t + MD_T_RF, x, 6);
}

/* Returns the thermostat factor for the integer sum of v². */
MD_DEV double md_lambda(const struct md_launch &j, long long v2)
{
    return md_berendsen(j.tau_ratio, j.v2_wanted, v2);
}
