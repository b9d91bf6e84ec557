/* SPDX-License-Identifier: MIT */
/* g4_gpu_dft.cuh: computes short discrete Fourier transforms in registers, for host and device.
 *
 * X[k] = sum over n of v[n] exp(-2 pi i n k / R), in place and in natural order, for R = 1, 2, 4,
 * 5, 8, 10 and 16. Indices are compile-time constants, so v stays in registers. In dft_half, only
 * the first R / 2 (rounded up) values of v are nonzero. Length 10 is split into 2 x 5 without
 * twiddle factors (Good and Thomas). Length 16 is split into 4 x 4. A complex product takes 2
 * multiplications and 2 fused multiply-adds. */
#pragma once

#include <cuda_runtime.h>

#include "base/hd.h"

#ifdef __CUDA_ARCH__
#define DFT_UNROLL _Pragma("unroll")
#else
#define DFT_UNROLL
#endif

HD double2 dft_add(double2 a, double2 b)
{
    return make_double2(a.x + b.x, a.y + b.y);
}

HD double2 dft_sub(double2 a, double2 b)
{
    return make_double2(a.x - b.x, a.y - b.y);
}

HD double2 dft_mul(double2 a, double2 w)
{
    return make_double2(fma(a.x, w.x, -(a.y * w.y)), fma(a.x, w.y, a.y * w.x));
}

/* Computes a - i b and a + i b. */
HD double2 dft_sub_i(double2 a, double2 b)
{
    return make_double2(a.x + b.y, a.y - b.x);
}

HD double2 dft_add_i(double2 a, double2 b)
{
    return make_double2(a.x - b.y, a.y + b.x);
}

#define DFT_SQRT1_2 0.70710678118654752440
#define DFT_COS_PI_8 0.92387953251128675613
#define DFT_SIN_PI_8 0.38268343236508977173

/* Returns v exp(-2 pi i k / 16) for k = 0..9. */
HD double2 dft_turn16(double2 v, int k)
{
    const double c = DFT_COS_PI_8, s = DFT_SIN_PI_8, h = DFT_SQRT1_2;
    switch (k) {
    case 0: return v;
    case 1: return dft_mul(v, make_double2(c, -s));
    case 2: return make_double2((v.x + v.y) * h, (v.y - v.x) * h);
    case 3: return dft_mul(v, make_double2(s, -c));
    case 4: return make_double2(v.y, -v.x);
    case 5: return dft_mul(v, make_double2(-s, -c));
    case 6: return make_double2((v.y - v.x) * h, -((v.x + v.y) * h));
    case 7: return dft_mul(v, make_double2(-c, -s));
    case 8: return make_double2(-v.x, -v.y);
    default: return dft_mul(v, make_double2(-c, s));
    }
}

HD void dft_4(double2 &a, double2 &b, double2 &c, double2 &d)
{
    double2 s = dft_add(a, c), t = dft_sub(a, c), u = dft_add(b, d), v = dft_sub(b, d);
    a = dft_add(s, u);
    b = dft_sub_i(t, v);
    c = dft_sub(s, u);
    d = dft_add_i(t, v);
}

HD void dft_5(double2 &a, double2 &b, double2 &c, double2 &d, double2 &e)
{
    const double c1 = 0.30901699437494742410, c2 = -0.80901699437494742410;
    const double s1 = 0.95105651629515357212, s2 = 0.58778525229247312917;
    double2 t1 = dft_add(b, e), t2 = dft_add(c, d), t3 = dft_sub(b, e), t4 = dft_sub(c, d);
    double2 p = make_double2(fma(c1, t1.x, fma(c2, t2.x, a.x)), fma(c1, t1.y, fma(c2, t2.y, a.y)));
    double2 q = make_double2(fma(c2, t1.x, fma(c1, t2.x, a.x)), fma(c2, t1.y, fma(c1, t2.y, a.y)));
    double2 r = make_double2(fma(s1, t3.x, s2 * t4.x), fma(s1, t3.y, s2 * t4.y));
    double2 s = make_double2(fma(s2, t3.x, -(s1 * t4.x)), fma(s2, t3.y, -(s1 * t4.y)));
    a = dft_add(a, dft_add(t1, t2));
    b = dft_sub_i(p, r);
    c = dft_sub_i(q, s);
    d = dft_add_i(q, s);
    e = dft_add_i(p, r);
}

HD void dft_8(double2 *v)
{
    double2 o[4] = {v[1], v[3], v[5], v[7]}, e[4] = {v[0], v[2], v[4], v[6]};
    dft_4(e[0], e[1], e[2], e[3]);
    dft_4(o[0], o[1], o[2], o[3]);
    DFT_UNROLL
    for (int k = 0; k < 4; k++) {
        double2 w = dft_turn16(o[k], 2 * k);
        v[k] = dft_add(e[k], w);
        v[k + 4] = dft_sub(e[k], w);
    }
}

HD void dft_16(double2 *v)
{
    double2 x[16];
    DFT_UNROLL
    for (int n = 0; n < 4; n++)
        dft_4(v[n], v[4 + n], v[8 + n], v[12 + n]);
    DFT_UNROLL
    for (int k = 0; k < 4; k++) {
        DFT_UNROLL
        for (int n = 0; n < 4; n++)
            x[4 * k + n] = dft_turn16(v[4 * k + n], k * n);
        dft_4(x[4 * k], x[4 * k + 1], x[4 * k + 2], x[4 * k + 3]);
    }
    DFT_UNROLL
    for (int k = 0; k < 16; k++)
        v[k] = x[4 * (k % 4) + k / 4];
}

/* Computes X[0, 6, 2, 8, 4] from the sums s of v[2 n] and v[2 n + 5], and X[5, 1, 7, 3, 9] from
 * their differences d. */
HD void dft_10_last(double2 *s, double2 *d, double2 *v)
{
    dft_5(s[0], s[1], s[2], s[3], s[4]);
    dft_5(d[0], d[1], d[2], d[3], d[4]);
    DFT_UNROLL
    for (int k = 0; k < 5; k++) {
        v[6 * k % 10] = s[k];
        v[(6 * k + 5) % 10] = d[k];
    }
}

/* A transform of length R. If HALF is set, v[(R + 1) / 2] and all later values are taken to be zero
 * and are not read. */
template <int R, bool HALF> HD void dft(double2 *v)
{
    if constexpr (R == 2) {
        double2 a = v[0], b = HALF ? make_double2(0.0, 0.0) : v[1];
        v[0] = HALF ? a : dft_add(a, b);
        v[1] = HALF ? a : dft_sub(a, b);
    } else if constexpr (R == 4) {
        double2 a = v[0], b = v[1];
        if (!HALF) {
            dft_4(v[0], v[1], v[2], v[3]);
        } else {
            v[0] = dft_add(a, b);
            v[1] = dft_sub_i(a, b);
            v[2] = dft_sub(a, b);
            v[3] = dft_add_i(a, b);
        }
    } else if constexpr (R == 5) {
        if (HALF)
            v[3] = v[4] = make_double2(0.0, 0.0);
        dft_5(v[0], v[1], v[2], v[3], v[4]);
    } else if constexpr (R == 8 && HALF) {
        double2 o[4];
        DFT_UNROLL
        for (int n = 0; n < 4; n++)
            o[n] = dft_turn16(v[n], 2 * n);
        dft_4(v[0], v[1], v[2], v[3]);
        dft_4(o[0], o[1], o[2], o[3]);
        DFT_UNROLL
        for (int k = 3; k >= 0; k--) {
            v[2 * k + 1] = o[k];
            v[2 * k] = v[k];
        }
    } else if constexpr (R == 8) {
        dft_8(v);
    } else if constexpr (R == 10) {
        double2 s[5], d[5];
        DFT_UNROLL
        for (int n = 0; n < 5; n++) {
            int a = 2 * n, b = (2 * n + 5) % 10;
            if (HALF) {
                s[n] = v[a < 5 ? a : b];
                d[n] = a < 5 ? s[n] : make_double2(-s[n].x, -s[n].y);
            } else {
                s[n] = dft_add(v[a], v[b]);
                d[n] = dft_sub(v[a], v[b]);
            }
        }
        dft_10_last(s, d, v);
    } else if constexpr (R == 16 && HALF) {
        double2 o[8];
        DFT_UNROLL
        for (int n = 0; n < 8; n++)
            o[n] = dft_turn16(v[n], n);
        dft_8(v);
        dft_8(o);
        DFT_UNROLL
        for (int k = 7; k >= 0; k--) {
            v[2 * k + 1] = o[k];
            v[2 * k] = v[k];
        }
    } else if constexpr (R == 16) {
        dft_16(v);
    }
}
